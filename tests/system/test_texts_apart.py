"""Texts in a survey with private questions: stored apart, from the request to the files.

A text can show who wrote it. So nothing stored may join it to the reports of its writer
(tests/system/test_linkage.py looks at the bytes).
"""

import io
import json
import zipfile
from datetime import date

import pytest

from survey.core.errors import ConflictingResponse, DefinitionError, UnknownSurvey
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.responses.receipts import response_id
from survey.definition.sub_surveys import pilot_of, practice_of, sub_surveys_of
from survey.definition.survey import parse_survey
from survey.formats.definition_files import read_survey
from survey.formats.xlsform.read_form import from_xlsform
from survey.server.record_responses import require_answerable
from survey.store import Limits, Store, open_store
from survey.store.copy_database import copy_all
from tests.support.builder_forms import sent_again
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.stores import connected

pytestmark = pytest.mark.both_stores

REGION = yes_no("region", "none", "Do you live in the north?")
WHY, MORE = (asked(name, "text", "none") for name in ("why", "more"))
WITH_TEXTS = definition(yes_no(), WHY, REGION, MORE, batch=3, receipts=True)
PART = "health.texts"


def response(number: int, *texts: str) -> Response:
    """The response of a respondent with a number, and its texts."""
    texts = texts or (f"because {number}", "")
    apart = Response(bytes([200 - number]) * 16, texts)
    return Response(bytes([number]) * 16, (number % 2, 1), texts=apart)


def body(frozen: FrozenSurvey, sent: Response, **change: object) -> dict[str, object]:
    """The request of a browser."""
    assert sent.texts is not None
    return {
        "id": sent.id.hex(),
        "fingerprint": frozen.fingerprint,
        "reports": dict(zip(("smokes", "region"), map(str, sent.reports), strict=True)),
        "texts": {
            "id": sent.texts.id.hex(),
            "reports": dict(zip(("why", "more"), sent.texts.reports, strict=True)),
        },
    } | change


def stored_rows(settings, table: str) -> list[tuple]:
    with connected(settings.database) as db:
        return sorted(tuple(row) for row in db.execute(f'SELECT * FROM "{table}"').fetchall())


def everything(settings) -> list[list[tuple]]:
    tables = ("responses_health", "responses_health.texts", "waiting", "counts")
    return [stored_rows(settings, table) for table in tables]


# --- the definition


def test_a_survey_with_private_questions_has_a_part_for_its_texts():
    survey = parse_survey(WITH_TEXTS)
    assert survey.texts_apart is True
    assert [question.name for question in survey.fields] == ["smokes", "region"]
    assert [question.name for question in survey.apart] == ["why", "more"]
    assert [question.name for question in survey.asked] == ["smokes", "why", "region", "more"]
    [part] = sub_surveys_of(survey)
    assert part.slug == PART
    assert [question.name for question in part.fields] == ["why", "more"]
    assert FrozenSurvey.from_json(freeze(part).to_json()) == freeze(part)
    assert parse_survey(survey.as_definition()) == survey


@pytest.mark.parametrize(
    "content", [definition(REGION, WHY), definition(yes_no()), definition(WHY)]
)
def test_other_surveys_have_none(content):
    survey = parse_survey(content)
    assert survey.texts_apart is None
    assert "texts_apart" not in survey.as_definition()
    assert survey.fields == survey.asked
    assert sub_surveys_of(survey) == ()


def test_texts_next_to_private_answers_are_for_data_from_elsewhere_and_cannot_open(run, store):
    together = parse_survey(WITH_TEXTS | {"texts_apart": False})
    assert [question.name for question in together.fields] == ["smokes", "why", "region", "more"]
    assert sub_surveys_of(together) == ()
    with pytest.raises(DefinitionError, match="must not lie next to private answers"):
        freeze(together)
    assert freeze(together, to_open=False).survey == together
    for wrong in ("no", None):
        with pytest.raises(DefinitionError, match="must be true or false"):
            parse_survey(WITH_TEXTS | {"texts_apart": wrong})
    # A frozen survey says where its texts are.
    content = json.loads(freeze(together, to_open=False).to_json())
    del content["definition"]["texts_apart"]
    with pytest.raises(DefinitionError, match="fingerprint"):
        FrozenSurvey.from_json(json.dumps(content))


def test_a_copy_and_the_builder_store_texts_apart_again(store, researcher):
    opened(store, WITH_TEXTS | {"texts_apart": False}, "closed")
    researcher.post("/admin/surveys/health/copy", form="/admin/surveys/health")
    assert store.surveys.by_slug("health-copy").survey.texts_apart is True
    together = parse_survey(WITH_TEXTS | {"slug": "other", "texts_apart": False})
    store.surveys.save_draft(together)
    assert store.surveys.by_slug("other").survey == together
    page = researcher.client.get("/admin/surveys/other").text
    assert "Candor would store texts next to the reports of the same person." in page
    sent = sent_again(researcher, "/admin/surveys/other/edit")
    assert researcher.client.post("/admin/surveys/other/edit", data=sent).status_code == 302
    assert store.surveys.by_slug("other").survey.texts_apart is True
    page = researcher.client.get("/admin/surveys/other").text
    assert "Texts are stored apart from the other answers." in page


def test_a_text_is_no_condition_and_depends_on_no_private_answer():
    with pytest.raises(DefinitionError, match="is not an earlier question with answers"):
        parse_survey(definition(yes_no(), WHY, REGION | {"relevant": {"why": "x"}}))
    with pytest.raises(DefinitionError, match="depends on 'smokes', which is private"):
        parse_survey(definition(yes_no(), WHY | {"relevant": {"smokes": "yes"}}))


ARMS = [
    asked(f"arm{n}", "select_one", "none", derived={"random": {"a": 1, "b": 1}},
          choices=[{"name": each, "label": each} for each in "ab"])
    for n in range(20)
]  # fmt: skip
DRINK = asked(
    "drink", "select_one", "none", choices=[{"name": n, "label": n} for n in ("tea", "other")]
)
DAY = asked("day", "date", "none", earliest="2020-01-01", latest="2026-01-01")
# What decides who is asked a text is stored with the responses in each of these.
FOR_SOME = {
    "20 arms": [*ARMS, *(asked(f"t{n}", "text", "none", relevant={f"arm{n}": "a"})
                         for n in range(20))],
    "other, which?": [DRINK, WHY | {"relevant": {"drink": "other"}}],
    "a date": [REGION, DAY | {"relevant": {"region": "yes"}}],
    "its section": [
        REGION,
        {"name": "part", "type": "section", "label": "", "relevant": {"region": "yes"}},
        WHY,
    ],
    "a condition on a condition": [
        REGION, DRINK | {"relevant": {"region": "yes"}, "otherwise": "tea"},
        WHY | {"relevant": {"drink": "tea"}},
    ],
    "a derived answer": [
        REGION, yes_no("north", "none") | {"derived": {"any": {"region": "yes"}}},
        WHY | {"relevant": {"north": "yes"}},
    ],
}  # fmt: skip


@pytest.mark.parametrize("layout", ["all_on_one_page", "one_at_a_time"])
@pytest.mark.parametrize("name", FOR_SOME)
def test_a_survey_in_which_some_people_are_not_asked_a_text_does_not_open(store, name, layout):
    """Otherwise, the texts that are empty would be a key to one response."""
    content = definition(yes_no(), *FOR_SOME[name], layout=layout)
    survey = parse_survey(content)  # It may be a draft.
    [place] = {
        f"questions[{n}].relevant" for n, each in enumerate(content["questions"])
        if each["name"] in ("why", "day", "t0")
    }  # fmt: skip
    with pytest.raises(DefinitionError, match="cannot be set for a text or a date") as refused:
        freeze(survey)
    assert refused.value.place == place
    with pytest.raises(DefinitionError, match="cannot be set for a text or a date") as refused:
        read_survey(json.dumps(content).encode())
    assert refused.value.place == place
    flat = [{k: v for k, v in each.items() if k != "relevant" or each["name"] == "drink"}
            for each in content["questions"]]  # fmt: skip
    assert freeze(parse_survey(content | {"questions": flat})).survey.apart
    # Without private questions, all answers of a person are in one row anyway.
    assert freeze(parse_survey(definition(*FOR_SOME[name]))).survey.texts_apart is None
    # A closed survey with loaded responses does not open either.
    opened(store, content, "closed")
    with pytest.raises(DefinitionError, match="cannot be set for a text or a date"):
        store.lifecycle.set_state("health", "open")


def test_the_builder_says_it_at_the_condition(store, researcher):
    region = REGION | {"name": "region"}
    content = definition(yes_no(), region, WHY | {"relevant": {"region": "yes"}})
    store.surveys.save_draft(parse_survey(content))
    page = researcher.client.get("/admin/surveys/health").text
    assert "Some respondents would not be asked all texts and dates." in page
    sent = sent_again(researcher, "/admin/surveys/health/edit")
    reply = researcher.client.post("/admin/surveys/health/edit", data=sent)
    assert reply.status_code == 422
    assert 'href="#questions-2-relevant"' in reply.text
    assert "everyone is asked all texts and dates" in reply.text
    reply = researcher.client.post(
        "/admin/surveys/health/edit", data=sent | {"questions-2-relevant": ""}
    )
    assert reply.status_code == 302


def test_a_workbook_asks_everyone():
    rows = [
        {"type": "select_one yn", "name": "smokes", "label": "Smoke?", "privacy::epsilon": 1},
        {"type": "select_one yn", "name": "tea", "label": "Tea?"},
        {"type": "text", "name": "why", "label": "Why?", "relevant": "${tea} = 'yes'"},
    ]
    choices = [{"list_name": "yn", "name": n, "label": n.title()} for n in ("yes", "no")]
    read = from_xlsform({"survey": rows, "choices": choices, "settings": [{"form_title": "T"}]})
    assert read.survey.texts_apart
    assert read.survey.apart[0].relevant is None
    assert any("'why' is asked of everyone" in note for note in read.left_out)
    assert freeze(read.survey)


# --- responses


def test_one_request_brings_both_and_each_lies_in_its_own_table(client, store, settings):
    frozen = opened(store, WITH_TEXTS)
    sent = body(frozen, response(1))
    assert client.post("/s/health/responses", json=sent).status_code == 201
    assert stored_rows(settings, "responses_health") == [(b"\1" * 16, 1, 1)]
    assert stored_rows(settings, "responses_health.texts") == [(b"\xc7" * 16, "because 1", "")]
    assert stored_rows(settings, "waiting") == [("health", b"\1" * 16)]
    before = everything(settings)
    assert client.post("/s/health/responses", json=sent).status_code == 200
    assert everything(settings) == before


def test_what_is_not_exactly_a_response_with_texts_is_refused(client, store, settings):
    frozen, one = opened(store, WITH_TEXTS), response(1)
    texts = body(frozen, one)["texts"]
    for wrong in (
        {"texts": None},
        {"texts": []},
        {"texts": {"id": texts["id"]}},
        {"texts": texts | {"more": 1}},
        {"texts": texts | {"id": one.id.hex()}},  # Equal ids would join the two.
        {"texts": texts | {"id": "x"}},
        {"texts": texts | {"reports": {"why": ""}}},
        {"texts": texts | {"reports": {"why": "", "more": "", "smokes": "0"}}},
        {"texts": texts | {"reports": {"why": "", "more": "x" * 1_001}}},
        {"reports": {"smokes": "0", "region": "1", "why": ""}},
        {"reports": {"smokes": "0"}},
    ):
        reply = client.post("/s/health/responses", json=body(frozen, one, **wrong))
        assert reply.status_code in (400, 422), wrong
    without = body(frozen, one)
    del without["texts"]
    assert client.post("/s/health/responses", json=without).status_code == 400
    assert everything(settings) == [[], [], [], []]
    # A survey without such a part takes no texts.
    other = opened(store, definition(slug="other"))
    sent = {"id": "0" * 32, "fingerprint": other.fingerprint, "reports": {"smokes": "0"}}
    assert client.post("/s/other/responses", json=sent | {"texts": texts}).status_code == 400
    assert client.post("/s/other/responses", json=sent).status_code == 201


def test_both_are_recorded_or_none(store, settings):
    opened(store, WITH_TEXTS)
    one, two = response(1), response(2)
    assert store.responses.add_response("health", one) is True
    before = everything(settings)
    for other in (
        Response(one.id, one.reports, texts=two.texts),
        Response(two.id, two.reports, texts=one.texts),
        Response(one.id, one.reports, texts=Response(one.texts.id, ("other", ""))),
        Response(one.id, (0, 0), texts=one.texts),
    ):
        with pytest.raises(ConflictingResponse):
            store.responses.add_response("health", other)
        assert everything(settings) == before
    # Within one group too, whatever comes first.
    verdicts = store.responses.add_all(
        [("health", each) for each in (two, Response(b"\3" * 16, (0, 0), texts=two.texts), two)]
    )
    assert verdicts[0] is True
    assert isinstance(verdicts[1], ConflictingResponse)
    assert verdicts[2] is False
    assert store.counts.number_of_responses("health") == store.counts.number_of_responses(PART) == 2


def test_a_transaction_that_fails_at_the_texts_records_nothing(store, settings):
    opened(store, WITH_TEXTS)
    with connected(settings.database) as db:
        db.execute('ALTER TABLE "responses_health.texts" RENAME TO moved')
    with pytest.raises(Exception, match=r"responses_health\.texts"):
        store.responses.add_response("health", response(1))
    assert stored_rows(settings, "responses_health") == []
    assert stored_rows(settings, "waiting") == []


def test_an_invitation_is_spent_once_and_the_cap_counts_people(store):
    opened(store, WITH_TEXTS | {"invitations": True})
    codes = [token_hash(code_from(bytes([n]) * 16)) for n in range(4)]
    store.invitations.add_invitations("health", codes)
    store.lifecycle.set_limits("health", Limits(cap=3))
    for number in (1, 2, 3):
        one = response(number)
        store.responses.add_response(
            "health", Response(one.id, one.reports, codes[number], one.texts)
        )
    assert store.invitations.issued_and_spent("health") == (4, 3)
    assert store.surveys.by_slug("health").state == "closed"
    assert store.surveys.by_slug(PART).state == "closed"
    assert store.counts.number_of_responses(PART) == 3


@pytest.mark.parametrize("published", [False, True])
def test_one_receipt_withdraws_both_without_a_trace(client, store, settings, published):
    opened(store, WITH_TEXTS | {"batch": 5})
    others = [response(number) for number in range(1, 9 if published else 4)]
    for each in others:
        store.responses.add_response("health", each)
    before, receipt = everything(settings), "ab" * 16
    ids = response_id(receipt), response_id(receipt, b"texts")
    mine = Response(ids[0], (1, 1), texts=Response(ids[1], ("secret", "text")))
    if published:  # It completes a batch, and 3 others wait again.
        store.responses.withdraw("health", others[-1].id, others[-1].texts.id)
        before = everything(settings)
    store.responses.add_response("health", mine)
    assert client.post("/s/health/withdrawals", json={"receipt": receipt}).status_code == 200
    assert everything(settings) == before
    assert client.post("/s/health/withdrawals", json={"receipt": receipt}).status_code == 404
    assert store.responses.add_response("health", mine) is True


def test_the_part_opens_closes_and_is_deleted_with_its_survey(store, settings):
    opened(store, WITH_TEXTS)
    assert store.surveys.by_slug(PART).state == "open"
    store.responses.add_response("health", response(1))
    store.lifecycle.set_state("health", "closed")
    assert store.surveys.by_slug(PART).state == "closed"
    assert [listed.slug for listed in store.surveys.list_surveys()] == ["health"]
    store.lifecycle.delete_survey("health")
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug(PART)
    with connected(settings.database) as db, pytest.raises(Exception, match="texts"):
        db.execute('SELECT * FROM "responses_health.texts"')


def test_nobody_answers_or_reads_the_part_by_its_own_address(client, store):
    frozen = opened(store, WITH_TEXTS)
    part = store.surveys.by_slug(PART).frozen
    for address in ("", ".json", "/withdraw", "/verify", "/results", "/by-hand"):
        assert client.get(f"/s/{PART}{address}").status_code == 404, address
    sent = {
        "id": "0" * 32,
        "fingerprint": part.fingerprint,
        "reports": {"why": "fake", "more": "fake"},
    }
    assert client.post(f"/s/{PART}/responses", json=sent).status_code == 404
    with pytest.raises(UnknownSurvey):
        require_answerable(store, PART)
    assert store.counts.number_of_responses(PART) == 0
    assert client.get("/s/health.json").get_json()["definition"]["texts_apart"] is True
    assert frozen.document()["definition"]["texts_apart"] is True


# --- rehearsals


def test_test_mode_keeps_its_texts_apart_too(client, store):
    survey = parse_survey(WITH_TEXTS)
    store.surveys.save_draft(survey)
    practice = freeze(practice_of(survey))
    for _ in range(2):  # The second time replaces the first.
        store.rehearsals.start_practice(practice)
        sent = body(practice, response(1))
        assert client.post("/s/health.practice/responses", json=sent).status_code == 201
        assert list(store.responses.rows("health.practice")) == [(1, 1)]
        assert list(store.responses.rows("health.practice-texts")) == [("because 1", "")]
    store.rehearsals.delete_rehearsal("practice", "health")
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("health.practice-texts")
    store.rehearsals.start_practice(practice)
    store.deleted_drafts.delete_draft("health", date.today())
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("health.practice-texts")


def test_a_simulation_has_no_texts(store):
    survey = pilot_of(parse_survey(WITH_TEXTS))
    assert sub_surveys_of(survey) == ()
    assert [question.name for question in survey.fields] == ["smokes", "region"]


# --- files


def filled(store: Store) -> None:
    opened(store, WITH_TEXTS)
    for number in range(1, 7):
        store.responses.add_response("health", response(number, f"text {number}", "=1+1"))
    store.lifecycle.set_state("health", "closed")


TEXT_ROWS = [f'text {number},"\'=1+1"' for number in range(6, 0, -1)]


def test_files_hold_texts_apart(store, researcher):
    filled(store)
    rows = researcher.client.get("/admin/surveys/health/responses.csv").text.splitlines()
    assert rows[0] == "smokes.randomised,region"
    texts = researcher.client.get(f"/admin/surveys/{PART}/responses.csv").text.splitlines()
    assert texts == ["why,more", *TEXT_ROWS]
    packed = researcher.client.get("/admin/surveys/health/export.zip").data
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.read("texts.csv").decode().splitlines() == texts
        assert archive.read("texts-excel.csv") == b"\xef\xbb\xbf" + archive.read("texts.csv")
        with_text = {name for name in archive.namelist() if b"text 3" in archive.read(name)}
        assert with_text == {"texts.csv", "texts-excel.csv"}
        assert "texts.csv" in archive.read("README.txt").decode()
        assert (
            "stored apart from all other answers: why, more"
            in archive.read("codebook.html").decode()
        )
        assert json.loads(archive.read("codebook.json"))["columns"].keys() == {"smokes", "region"}
    page = researcher.client.get("/admin/surveys/health/results").text
    assert "Texts (n = 6)" in page
    assert "6 of 6 respondents wrote a text." in page
    assert f"/admin/surveys/{PART}/responses.csv" in page


def test_a_survey_of_texts_alone_keeps_them_with_its_responses(store, researcher):
    opened(store, definition(REGION, WHY))
    store.responses.add_response("health", Response(b"\1" * 16, (0, "Because")))
    rows = researcher.client.get("/admin/surveys/health/responses.csv").text.splitlines()
    assert rows == ["region,why", "yes,Because"]
    with zipfile.ZipFile(
        io.BytesIO(researcher.client.get("/admin/surveys/health/export.zip").data)
    ) as archive:
        assert "texts.csv" not in archive.namelist()


def test_a_copied_database_has_the_texts_apart(store, tmp_path):
    filled(store)
    copy = open_store(str(tmp_path / "copy.db"))
    try:
        copied = copy_all(store, copy)
        assert {"health", PART} <= set(copied.figures)
        assert list(copy.responses.rows(PART)) == list(store.responses.rows(PART))
        assert list(copy.integrity.faults()) == list(store.integrity.faults()) == []
    finally:
        copy.close()


def test_responses_from_elsewhere_cannot_fill_the_part(run, store, tmp_path):
    opened(store, WITH_TEXTS, "closed")
    file = tmp_path / "responses.csv"
    file.write_text("smokes,why,region,more\nyes,because,no,\n")
    said = run("responses", "load", "health", str(file), code=1)
    assert "This survey stores texts apart from private answers" in said
    file.write_text("smokes,district\nyes,no\n")
    assert "texts apart" not in run("responses", "load", "health", str(file), code=1)
    file.write_text("smokes,region\nyes,no\n")
    assert "1 responses loaded" in run("responses", "load", "health", str(file))
    assert store.counts.number_of_responses(PART) == 0
