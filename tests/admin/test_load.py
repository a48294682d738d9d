"""The page that loads responses from a file: its preview, its errors, and what is stored."""

import base64
import html
import io
import re

import pytest

from app import MAX_FORM_BYTES
from survey.admin.surveys import load
from survey.admin.surveys.load import MAX_FAULTS_SHOWN, MAX_LOADED_FILE_BYTES
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.store import ANALYST, Store
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import Researcher, signed_in

QUESTIONS = (
    yes_no(),
    asked("age", "number", "none", min=0, max=100),
    asked("news", "select_multiple", "none", choices=letters("pr")),
    asked("why", "text", "none"),
)
TOGETHER = definition(*QUESTIONS, texts_apart=False)
HEAD = "smokes,age,news/p,news/r,why\n"
SOUND = HEAD + 'yes,30,1,0,"two\nlines, <b>"\nno,31,0,0,\n'
LINE = re.compile(r"\s+")


def words(page: str) -> str:
    text = re.sub(r"<[^>]+>", " ", page)
    return LINE.sub(" ", html.unescape(text)).replace("\u00a0", " ")


def checked(researcher: Researcher, content: str | bytes, slug: str = "health"):
    data = content if isinstance(content, bytes) else content.encode()
    return researcher.post(
        f"/admin/surveys/{slug}/load",
        {"file": (io.BytesIO(data), "mine.csv")},
        form=f"/admin/surveys/{slug}/load",
    )


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None
    return found[1]


def loaded(researcher: Researcher, page: str, slug: str = "health"):
    fields = {name: hidden(page, name) for name in ("content", "arrived")}
    return researcher.post(f"/admin/surveys/{slug}/load/add", fields, form="/admin/")


def rows(store: Store) -> list[tuple[object, ...]]:
    return sorted(store.responses.rows("health"), key=repr)


def test_a_file_is_previewed_then_loaded(researcher: Researcher, store: Store):
    store.surveys.save_draft(parse_survey(TOGETHER))
    overview = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert 'href="/admin/surveys/health/load"' in overview
    reply = checked(researcher, SOUND)
    page = reply.get_data(as_text=True)
    assert reply.status_code == 200
    assert "The file has 2 responses, and Candor found no error." in words(page)
    assert "Loading closes this draft." in page
    assert "yes 30 1 0 two lines, <b>" in words(page.replace("&lt;", "&amp;lt;")).replace(
        "&lt;", "<"
    )
    assert "lines, <b>" not in page
    assert store.surveys.by_slug("health").state == "draft"
    reply = loaded(researcher, page)
    assert reply.status_code == 302
    found = store.surveys.by_slug("health")
    assert (found.state, found.origin) == ("closed", "loaded")
    assert store.counts.number_of_responses("health") == 2


def test_what_is_loaded_is_what_the_command_reads(
    researcher: Researcher, store: Store, app, tmp_path
):
    """Line ends in a text stay as they are, although forms change them."""
    lines = HEAD + "".join(
        f'{"yes" if n % 3 else "no"},{n},{n % 2},1,"{n}\n\r\nü"\n' for n in range(20)
    )
    for slug in ("health", "other"):
        store.surveys.save_draft(parse_survey(TOGETHER | {"slug": slug}))
    loaded(researcher, checked(researcher, lines).get_data(as_text=True))
    file = tmp_path / "mine.csv"
    file.write_bytes(lines.encode())
    result = app.test_cli_runner().invoke(args=["responses", "load", "other", str(file)])
    assert result.exit_code == 0, result.output
    assert rows(store) == sorted(store.responses.rows("other"), key=repr)
    assert len(rows(store)) == 20


def test_all_errors_are_listed_and_nothing_is_stored(researcher: Researcher, store: Store):
    store.surveys.save_draft(parse_survey(TOGETHER))
    wrong = SOUND + "maybe,30,1,0,\nno,300,1,0,\nno,30,2,0,\nno,30\nno,30,1,1,\n"
    reply = checked(researcher, wrong)
    text = words(reply.get_data(as_text=True))
    assert reply.status_code == 422
    assert "Nothing was loaded. Correct these 4 errors in the file or in the fields below" in text
    assert "Line 5, column smokes: 'maybe' is not a value of this column." in text
    assert "Line 6, column age: '300' is not a value" in text
    assert "Line 7, column news:" in text
    assert "Line 8 has 2 cells, but line 1 has 5. Correct the line." in text
    assert store.surveys.by_slug("health").state == "draft"
    many = HEAD + "".join(f"maybe{n},30,1,0,\n" for n in range(MAX_FAULTS_SHOWN + 3))
    assert "and 3 more" in words(checked(researcher, many).get_data(as_text=True))


def test_a_fault_of_many_lines_is_listed_once(researcher: Researcher, store: Store):
    store.surveys.save_draft(parse_survey(TOGETHER))
    right = "no,30,1,0,\n"
    few = HEAD + "maybe,30,1,0,\n" + right + "maybe,300,1,0,\n"
    text = words(checked(researcher, few).get_data(as_text=True))
    assert "Correct these 2 errors" in text
    assert "Lines 2, 4, column smokes: 'maybe' is not a value of this column." in text
    assert "Line 4, column age: '300' is not" in text
    many = words(checked(researcher, few + "maybe,30,1,0,\n" * 32).get_data(as_text=True))
    assert "Lines 2, 4, 5 and 31 more, column smokes: 'maybe'" in many


@pytest.mark.parametrize(
    ("content", "words_of_fault"),
    [
        (b"smokes\nyes\n", "Line 1 lacks these columns: age, news/p, news/r, why. Correct line 1."),
        (
            HEAD.replace("age", "years").encode(),
            "Line 1 lacks these columns: age. The survey does not have these columns: years.",
        ),
        (b"", "Line 1 is empty. Write these column names into it: smokes.randomised, age,"),
        (HEAD.encode(), "There is no line below the headings. Choose a file with responses."),
        (b"\xff\xfe", "Line 1 is empty. Write these column names into it: smokes.randomised, age,"),
        (HEAD.encode() + b"\xff\n", "Which cells are right? The file is not UTF-8"),
        (HEAD.encode() + b"\x81\1\xff\n", "Unknown encoding The file is not UTF-8, and its bytes"),
        (b"PK\3\4\x14\0\6\0", "looks like a file of Excel (.xlsx) or LibreOffice (.ods)."),
    ],
)
def test_faults_of_whole_files(researcher: Researcher, store: Store, content, words_of_fault):
    store.surveys.save_draft(parse_survey(TOGETHER))
    reply = checked(researcher, content)
    assert reply.status_code == 422
    page = reply.get_data(as_text=True)
    assert words_of_fault in words(page)
    assert 'class="error"' not in page  # The researcher did choose a file.


def test_all_errors_of_a_line_are_listed(researcher: Researcher, store: Store):
    store.surveys.save_draft(parse_survey(TOGETHER))
    text = words(checked(researcher, HEAD + "maybe,300,2,0,\n").get_data(as_text=True))
    assert "Correct these 3 errors in the file or in" in text
    for column in ("smokes: 'maybe'", "age: '300'", "news: '2'"):
        assert f"Line 2, column {column}" in text


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_spreadsheet_may_write_semicolons_and_decimal_commas(
    researcher: Researcher, store: Store, separator: str
):
    hours = asked("hours", "number", "none", min=0, max=12, step="0.5")
    store.surveys.save_draft(parse_survey(definition(yes_no(), hours)))
    lines = ["smokes,hours", "yes,6:5", "no,7:50", "no,8:0", "yes,6", "yes,12"]
    content = "\n".join(lines).replace(",", separator).replace(":", ",")
    reply = checked(researcher, "\ufeff" + content)
    assert reply.status_code == 200, words(reply.get_data(as_text=True))
    loaded(researcher, reply.get_data(as_text=True))
    assert sorted(row[-1] for row in rows(store)) == [12, 13, 15, 16, 24]


def test_numbers_that_can_mean_two_are_loaded_with_the_mark_of_the_page(
    researcher: Researcher, store: Store
):
    pay = asked("pay", "number", "none", min=0, max=9000, step="0.5")
    store.surveys.save_draft(parse_survey(definition(yes_no(), pay)))
    fields = {"file": (io.BytesIO(b"smokes;pay\nyes;1.500\nno;7\n"), "mine.csv")}
    path = "/admin/surveys/health/load"
    reply = researcher.post(path, fields, form=path)
    text = words(reply.get_data(as_text=True))
    assert reply.status_code == 422
    assert "Line 2, column pay: the cell '1.500' can mean 1.5 or 1500, and the other" in text
    for mark, status in ((";", 422), (",", 200)):
        fields["file"] = (io.BytesIO(b"smokes;pay\nyes;1.500\nno;7\n"), "mine.csv")
        reply = researcher.post(path, {**fields, "decimal_mark": f"pay={mark}"}, form=path)
        assert reply.status_code == status
    page = reply.get_data(as_text=True)
    assert "yes 1500 no 7" in words(page)
    kept = {name: hidden(page, name) for name in ("content", "arrived", "decimal_mark")}
    assert researcher.post(f"{path}/add", kept, form="/admin/").status_code == 302
    assert sorted(row[-1] for row in rows(store)) == [14, 3000]


def test_the_sign_between_cells_is_stated_on_the_page(researcher: Researcher, store: Store):
    """It is kept for the second step, which reads the file again."""
    sizes = [asked(name, "number", "none", min=0, max=9, step="0.5") for name in ("a", "b")]
    store.surveys.save_draft(parse_survey(definition(*sizes)))
    path, fields = "/admin/surveys/health/load", {}
    for separator in ("", ";"):
        fields["file"] = (io.BytesIO(b"a;b\n1,5;2\n"), "mine.csv")
        reply = researcher.post(path, {**fields, "separator": separator}, form=path)
        assert reply.status_code == 200
    page = reply.get_data(as_text=True)
    assert hidden(page, "separator") == ";"
    kept = {name: hidden(page, name) for name in ("content", "arrived", "separator")}
    assert researcher.post(f"{path}/add", kept, form="/admin/").status_code == 302
    assert rows(store) == [(3, 4)]


def test_the_page_names_the_question_and_the_values_of_each_column(
    researcher: Researcher, store: Store
):
    store.surveys.save_draft(parse_survey(TOGETHER))
    page = words(researcher.client.get("/admin/surveys/health/load").get_data(as_text=True))
    page = page.replace(" ,", ",").replace("( ", "(").replace(" )", ")")
    assert "smokes.randomised Do you smoke? yes (Yes), no (No)" in page
    assert "age What of age? 0, 1, 2, 3, 4, 5, 6, 7, 8, … 100" in page
    assert "news/p What of news? – P 1, 0" in page
    assert "why What of why? any text" in page


def test_the_page_explains_the_column_of_a_single_box(researcher: Researcher, store: Store):
    box = [{"name": "agreed", "label": "I agree"}]
    consent = asked("consent", "select_multiple", "none", choices=box)
    store.surveys.save_draft(parse_survey(definition(consent)))
    page = words(researcher.client.get("/admin/surveys/health/load").get_data(as_text=True))
    assert "consent/agreed What of consent? – I agree 1 , 0" in page


def test_a_large_file_is_refused(
    researcher: Researcher, store: Store, monkeypatch: pytest.MonkeyPatch
):
    """A form has room for the largest file in base64. The test uses a lower limit, because the test
    client does not close large files."""
    assert 4 * MAX_LOADED_FILE_BYTES / 3 + 10_000 < MAX_FORM_BYTES
    monkeypatch.setattr(load, "MAX_LOADED_FILE_BYTES", len(SOUND))
    store.surveys.save_draft(parse_survey(TOGETHER))
    assert checked(researcher, SOUND).status_code == 200
    reply = checked(researcher, SOUND + "\n")
    assert reply.status_code == 422
    assert "The file is larger than 2 MB." in reply.get_data(as_text=True)


def test_the_same_preview_is_not_loaded_twice(researcher: Researcher, store: Store):
    store.surveys.save_draft(parse_survey(TOGETHER))
    page = checked(researcher, SOUND).get_data(as_text=True)
    assert loaded(researcher, page).status_code == 302
    again = loaded(researcher, page)
    assert again.status_code == 409
    assert "Responses were loaded after you checked this file." in words(
        again.get_data(as_text=True)
    )
    assert store.counts.number_of_responses("health") == 2
    page = checked(researcher, SOUND).get_data(as_text=True)
    assert "The survey has 2 imported responses. Candor adds the new ones." in words(page)
    assert loaded(researcher, page).status_code == 302
    assert store.counts.number_of_responses("health") == 4


def test_a_forged_second_step_is_checked_again(researcher: Researcher, store: Store):
    store.surveys.save_draft(parse_survey(TOGETHER))
    for content in ("not base64!", base64.b64encode(b"smokes\nyes\n").decode(), ""):
        fields = {"content": content, "arrived": "0"}
        assert (
            researcher.post("/admin/surveys/health/load/add", fields, form="/admin/").status_code
            == 422
        )
    assert store.surveys.by_slug("health").state == "draft"


@pytest.mark.parametrize("state", ["open", "closed"])
def test_responses_of_browsers_are_never_mixed_with_others(
    researcher: Researcher, store: Store, state
):
    opened(store, definition(yes_no()))
    store.responses.add_response("health", Response(bytes(16), (0,)))
    if state == "closed":
        store.lifecycle.set_state("health", "closed")
    overview = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "health/load" not in overview
    reply = researcher.client.get("/admin/surveys/health/load")
    assert reply.status_code == 409
    assert "Duplicate it, and load the responses into the copy." in words(
        reply.get_data(as_text=True)
    )


def test_an_analyst_cannot_load(app, store: Store):
    store.surveys.save_draft(parse_survey(TOGETHER))
    analyst = signed_in(app, "bob", ANALYST)
    assert analyst.client.get("/admin/surveys/health/load").status_code == 403
    overview = analyst.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "health/load" not in overview
