"""The page that makes a survey from columns that were randomised elsewhere."""

import base64
import html
import io
import re

import pytest

from survey.admin.surveys import load
from survey.store import ANALYST, Store
from tests.support.researchers import Researcher, signed_in

PATH = "/admin/import/responses"
CSV = "rr.q1,age,region,w\n1,30,n,1\n0,31,s,2\nNA,32,s,1\n0,33,n,1\n"
DESIGN = "rr.q1=forced-known,p=2/3,p0=1/6,p1=1/6"


def words(page: str) -> str:
    text = html.unescape(re.sub(r"<[^>]+>", " ", page))
    return " ".join(text.replace("\u00a0", " ").split())


def checked(researcher: Researcher, content: str | bytes = CSV, **options: str):
    data = content if isinstance(content, bytes) else content.encode()
    fields = {"private": DESIGN} | options | {"file": (io.BytesIO(data), "Nigeria 2013.csv")}
    return researcher.post(PATH, fields, form=PATH)


def hidden_fields(page: str) -> dict[str, str]:
    form = page[page.index(f'action="{PATH}/add"') :]
    pairs = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form)
    return {name: html.unescape(value) for name, value in pairs}


def added(researcher: Researcher, page: str):
    return researcher.post(f"{PATH}/add", hidden_fields(page), form=PATH)


def test_a_file_is_previewed_then_becomes_a_survey(researcher: Researcher, store: Store):
    reply = checked(researcher, weights="w", title="")
    page = reply.get_data(as_text=True)
    text = words(page)
    assert reply.status_code == 200, text
    assert "The file has 3 responses, and Candor found no error." in text
    assert "Omitted rows without a report in rr.q1: 1 of 4." in text
    assert "Renamed: rr.q1 is rr_q1." in text
    assert "rr.q1 Yes or no forced_response , ε = 1.61" in text.replace(" ,", " ,"), text
    assert "age Number None: stored as given" in text
    assert not store.surveys.list_surveys()
    assert added(researcher, page).status_code == 302
    found = store.surveys.by_slug("nigeria-2013")
    assert (found.state, found.origin) == ("closed", "loaded")
    assert found.survey.title == "Nigeria 2013"
    assert store.counts.number_of_responses("nigeria-2013") == 3
    assert store.audit.acts()[0].action == "created the survey from a file of responses"


def test_designs_by_the_cell_of_another_column(researcher: Researcher, store: Store):
    content = "arm,q\nA,1\nB,0\nA,0\nB,1\n"
    options = {"private": "q[A]=Warner,p=2/3\r\nq[B]=coin_flip", "design_by": " arm "}
    reply = checked(researcher, content, **options)
    page = reply.get_data(as_text=True)
    assert reply.status_code == 200, words(page)
    assert "q_a+q_b stands for all of them" in words(page)
    # The questions of one column have its heading in common.
    rows = re.findall(r'<th scope="row">(.*?)</th>', page)
    assert rows == ["arm", "q (<code>q_a</code>)", "q (<code>q_b</code>)"]
    assert added(researcher, page).status_code == 302
    survey = store.surveys.by_slug("nigeria-2013").survey
    assert [each.name for each in survey.private] == ["q_a", "q_b"]
    refused = words(checked(researcher, content + "C,1\n", **options).get_data(as_text=True))
    assert "Line 6 has the report '1' in q, but there is no design for its cell 'C'" in refused


def test_two_columns_with_gaps_are_joined_on_pages(researcher: Researcher, store: Store):
    options = {"private": "a=Warner,p=2/3\r\nb=coin_flip", "join": "q=a,b"}
    page = checked(researcher, "a,b\n1,\n,0\n0,\n,1\n", **options).get_data(as_text=True)
    assert "In analyses, a+b stands for q, and uses the design of each row." in words(page)
    assert added(researcher, page).status_code == 302
    path = "/admin/surveys/nigeria-2013/analysis/groups"
    assert "q (questions 1 and 2 together)" in words(
        researcher.client.get(path).get_data(as_text=True)
    )


def test_direct_answers_of_an_arm_have_no_epsilon(researcher: Researcher, store: Store):
    options = {"private": "q[A]=Warner,p=2/3\r\nq[B]=direct", "design_by": "arm"}
    page = checked(researcher, "arm,q\nA,1\nB,0\nA,0\nB,1\n", **options).get_data(as_text=True)
    assert "q_b has direct answers, which nothing protects" in words(page)
    assert "q ( q_a ) Yes or no warner , ε = 0.70 q ( q_b ) Yes or no None: stored" in words(page)
    assert added(researcher, page).status_code == 302
    assert store.counts.by_question("nigeria-2013")["q_a"] == {0: 1, 1: 1}


def test_the_page_makes_what_the_command_makes(researcher: Researcher, store: Store, app, tmp_path):
    lines = "q,b,k,n,w,id\n" + "".join(
        f"{n % 2 + 1},{'xyz'[n % 3]},{n % 3},{n % 2},{n},{n + 100}\n" for n in range(24)
    ) + "-9,x,1,1,5,200\n"  # fmt: skip
    options = {
        "private": ["q=coin_flip", "b=k_randomized_response,odds=3"], "yes": ["q=2"],
        "choices": ["b=z,y,x"], "missing": ["-9"], "categories": ["k"], "numbers": ["n"],
        "weights": ["w"], "skip": ["id"],
    }  # fmt: skip
    typed = {name: "\r\n".join(values) for name, values in options.items()}
    page = checked(researcher, lines, title="Page", **typed).get_data(as_text=True)
    assert added(researcher, page).status_code == 302, words(page)
    file = tmp_path / "mine.csv"
    file.write_text(lines)
    args = [f"--{name}={value}" for name, values in options.items() for value in values]
    args = ["responses", "import-randomised", "command", str(file), "--title", "Page", *args]
    result = app.test_cli_runner().invoke(args=args)
    assert result.exit_code == 0, result.output
    one, other = (store.surveys.by_slug(slug).survey for slug in ("page", "command"))
    assert one.questions == other.questions
    rows = [sorted(store.responses.rows(slug)) for slug in ("page", "command")]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 24


def test_the_errors_of_all_columns_are_listed(researcher: Researcher, store: Store):
    content = "a,b,c,w\n1,1,x,0\n7,0,y,-1\n8,2,x,3\n"
    options = {"private": "a=Warner,p=1/4\nb=Warner,p=1/4", "weights": "w"}
    reply = checked(researcher, content, **options)
    text = words(reply.get_data(as_text=True))
    assert reply.status_code == 422
    assert "Nothing was loaded. Correct these 3 errors" in text
    assert "a has 3 different cells ('1', '7', '8'), but its design has two reports." in text
    assert "b has 3 different cells" in text
    assert "w: line 3 has the weight -1." in text
    assert "a=Warner,p=1/4" in text  # What was typed stays.
    designs = checked(researcher, content, private="a=coin\nb\nc=Warner,p=2/3,q=1")
    text = words(designs.get_data(as_text=True))
    assert "There is no design 'coin'." in text
    assert "'b' has the wrong form. Write it as COLUMN=DESIGN." in text
    assert "Warner takes the parameters p. Unknown: q." in text
    assert not store.surveys.list_surveys()


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        (b"\xff\xfe", {}, "There is no row below the headings. Choose a file with data."),
        ("", {}, "There is no row below the headings. Choose a file with data."),
        ("rr.q1,rr.q1\n1,1\n", {}, "Two columns are called 'rr.q1'. Rename one."),
        ("," * 5_000 + "\n1\n", {}, "The file has more than 5,000 columns."),
        (CSV, {"skip": "none"}, "There is no column 'none'. There are: rr.q1, age, region, w. If "),
        (CSV, {"require_complete": "y"}, "Rows without a report in rr.q1: 1 of 4."),
        (CSV, {"title": "a" * 301}, "This text is too long. Use at most 300 characters."),
    ],
)
def test_faults_of_whole_files(researcher: Researcher, store: Store, content, options, sentence):
    reply = checked(researcher, content, **options)
    assert reply.status_code == 422
    assert sentence in words(reply.get_data(as_text=True))
    assert not store.surveys.list_surveys()


def test_a_taken_address_is_not_used_again(researcher: Researcher, store: Store):
    page = checked(researcher).get_data(as_text=True)
    assert added(researcher, page).status_code == 302
    assert added(researcher, page).status_code == 302
    assert {each.slug for each in store.surveys.list_surveys()} == {
        "nigeria-2013",
        "nigeria-2013-2",
    }
    thai = checked(researcher, title="แบบสำรวจ").get_data(as_text=True)
    assert added(researcher, thai).status_code == 302
    assert store.surveys.by_slug("aebbsamrwch").survey.title == "แบบสำรวจ"
    without_letters = checked(researcher, title="※ …").get_data(as_text=True)
    assert added(researcher, without_letters).status_code == 302
    assert store.surveys.by_slug("responses").survey.title == "※ …"


def test_a_forged_second_step_is_checked_again(researcher: Researcher, store: Store):
    for content in ("not base64!", base64.b64encode(b"a\n1\n").decode(), ""):
        fields = {"content": content, "private": DESIGN}
        assert researcher.post(f"{PATH}/add", fields, form=PATH).status_code == 422
    assert not store.surveys.list_surveys()


def test_a_large_file_is_refused(researcher: Researcher, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(load, "MAX_LOADED_FILE_BYTES", len(CSV))
    assert checked(researcher).status_code == 200
    assert "larger than 2 MB" in checked(researcher, CSV + "\n").get_data(as_text=True)


THAI = "rr.q1,จังหวัด\n1,เชียงใหม่\n0,กรุงเทพ\n1,เชียงใหม่\n".encode("cp874")


def test_the_encoding_of_a_file_is_chosen_by_its_cells(researcher: Researcher, store: Store):
    page = checked(researcher, THAI, title="", weights="").get_data(as_text=True)
    assert "Which cells are right?" in page
    # Each cell has a direction of its own, because cells can be Arabic or Hebrew.
    cells = " · ".join(f"<bdi>{cell}</bdi>" for cell in ("จังหวัด", "เชียงใหม่", "กรุงเทพ"))
    assert f"<code>windows-874</code>: {cells}</span>" in page
    assert not store.surveys.list_surveys()
    pairs = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page)
    kept = {name: html.unescape(value) for name, value in pairs if name != "csrf_token"}
    assert kept["title"] == "Nigeria 2013"
    again = researcher.post(PATH, kept | {"encoding": "windows-874"}, form=PATH)
    preview = again.get_data(as_text=True)
    assert again.status_code == 200, words(preview)
    assert added(researcher, preview).status_code == 302
    (_, region) = store.surveys.by_slug("nigeria-2013").survey.fields
    assert (region.label, region.name) == ("จังหวัด", "changhwad")
    assert [choice.label for choice in region.choices] == ["เชียงใหม่", "กรุงเทพ"]


def test_an_encoding_that_the_file_does_not_have_is_refused(researcher: Researcher, store: Store):
    content = base64.b64encode(THAI).decode()
    for encoding, sentence in (
        ("euc-kr", "The file does not have the encoding euc-kr. Choose another one"),
        ("rot13", "Import randomised responses"),
    ):
        fields = {"content": content, "private": DESIGN, "encoding": encoding}
        reply = researcher.post(PATH, fields, form=PATH)
        assert reply.status_code == 422
        assert sentence in words(reply.get_data(as_text=True))
    assert not store.surveys.list_surveys()


def test_numbers_and_separators_of_a_file_can_be_stated(researcher: Researcher, store: Store):
    file = "rr.q1;x;income\n1;1;1.200\n0;2;1.500\n1;3;2.000\n"
    asked = words(checked(researcher, file).get_data(as_text=True))
    assert "Line 2, column income: the cell '1.200' can mean 1.2 or 1200, and the other" in asked
    page = checked(researcher, file, decimal_mark="income=,").get_data(as_text=True)
    assert added(researcher, page).status_code == 302
    income = store.surveys.by_slug("nigeria-2013").survey.fields[2]
    assert (income.grid.low, income.grid.high) == (1200, 2000)


def test_an_analyst_cannot_import(app):
    analyst = signed_in(app, "bob", ANALYST)
    assert analyst.client.get(PATH).status_code == 403
    assert PATH not in analyst.client.get("/admin/").get_data(as_text=True)
