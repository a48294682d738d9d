"""Test mode: the respondents' own page, whose reports are not part of the survey."""

import json

import pytest

from survey.core.errors import StateError, UnknownSurvey
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import PRACTICE, practice_of
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import signed_in

pytestmark = pytest.mark.both_stores

TRY_OUT = "/admin/surveys/health/try-out"
MARK = "Test mode: what you send here is not part of the survey."
MARKS = {
    "en": MARK,
    "vi": "Chế độ thử: những gì bạn gửi ở đây không thuộc về khảo sát.",
    "th": "โหมดทดสอบ: สิ่งที่คุณส่งจากที่นี่ไม่เป็นส่วนหนึ่งของแบบสำรวจ",
    "zh": "测试模式：您在这里发送的内容不属于这份问卷。",
}
TEXTS = {"title": "Health", "questions": {"smokes": {"label": "Do you smoke?"}}}
IN_ALL = definition(translations={"vi": TEXTS, "th": TEXTS, "zh": TEXTS}, receipts=True)
WITH_ALL = definition(
    yes_no(), invitations=True, receipts=True, comprehension=True, series="waves"
)  # fmt: skip


def practised(store, content=None, *, state=None):
    """A survey in test mode: a draft, or frozen in this state."""
    survey = parse_survey(content or definition())
    store.surveys.save_draft(survey)
    if state:
        store.surveys.freeze(freeze(survey), state)
    frozen = freeze(practice_of(survey))
    store.rehearsals.start_practice(frozen)
    return frozen


def sent(client, frozen, number=1, slug="health.practice"):
    body = {"id": f"{number:032x}", "fingerprint": frozen.fingerprint, "reports": {"smokes": "0"}}
    return client.post(f"/s/{slug}/responses", json=body)


def test_a_press_starts_practice_on_a_draft_and_another_deletes_it(client, store, researcher):
    store.surveys.save_draft(parse_survey(definition()))
    assert client.get("/s/health.practice").status_code == 404
    reply = researcher.post(f"{TRY_OUT}/practice", form=TRY_OUT)
    assert reply.status_code == 302
    assert "http://127.0.0.1:8000/s/health.practice" in researcher.client.get(TRY_OUT).text
    assert client.get("/s/health.practice").status_code == 200
    assert client.get("/s/health").status_code == 404  # the draft itself stays unavailable
    frozen = store.surveys.by_slug("health.practice").frozen
    assert sent(client, frozen).status_code == 201
    reply = researcher.post(f"{TRY_OUT}/practice/delete", form=TRY_OUT)
    assert reply.status_code == 302
    assert client.get("/s/health.practice").status_code == 404
    assert sent(client, frozen, 2).status_code == 404
    assert store.counts.by_question("health.practice") == {}


def test_what_is_sent_in_practice_never_comes_among_the_real_responses(client, store, researcher):
    practice = practised(store, state="open")
    real = store.surveys.by_slug("health").frozen
    for number in range(30):
        assert sent(client, practice, number).status_code == 201
    assert store.counts.by_question("health") == {}
    assert list(store.responses.rows("health")) == []
    assert sent(client, real, 1, "health").status_code == 201
    assert store.counts.by_question("health.practice") == {"smokes": {0: 30}}
    # The reverse fails too, because the page of one does not match the other.
    assert sent(client, practice, 40, "health").status_code == 409
    assert sent(client, real, 41).status_code == 409
    assert [found.survey.slug for found in store.surveys.all()] == ["health"]
    store.rehearsals.delete_rehearsal(PRACTICE, "health")
    assert store.surveys.by_slug("health").frozen == real
    assert sent(client, real, 1, "health").status_code == 200  # it is still there


def test_the_tables_are_those_of_the_survey(store):
    practice = practised(store, state="open")
    real = store.surveys.by_slug("health").frozen
    assert practice.document()["tables"] == real.document()["tables"]
    assert practice.fingerprint != real.fingerprint
    assert FrozenSurvey.from_json(practice.to_json()) == practice


@pytest.mark.parametrize("language", MARKS)
def test_every_page_of_practice_says_so_in_every_language(client, store, language):
    practised(store, IN_ALL)
    for path in ("", "/withdraw", "/verify"):
        page = client.get(f"/s/health.practice{path}?language={language}")
        assert page.status_code == 200
        assert MARKS[language] in page.text, path
    store.surveys.save_draft(parse_survey(IN_ALL | {"title": "Other"}), "health")
    closed = client.get(f"/s/health.practice?language={language}")
    assert closed.status_code == 410
    assert MARKS[language] in closed.text


def test_no_page_of_the_survey_says_practice(client, store):
    practised(store, IN_ALL, state="open")
    for path in ("", "/withdraw", "/verify"):
        assert MARK not in client.get(f"/s/health{path}").text


def test_the_page_is_that_of_the_survey_but_for_the_mark_and_its_name(client, store):
    """All scripts with their hashes and every promise are the same.

    Otherwise test mode would test another page.
    """
    practised(store, IN_ALL, state="open")
    real = store.surveys.by_slug("health").frozen
    practice = store.surveys.by_slug("health.practice").frozen
    for language in MARKS:
        page = client.get(f"/s/health.practice?language={language}").text
        page = page.replace(
            f'<aside class="practice"><p class="notice warn">{MARKS[language]}</p></aside>\n', ""
        )
        page = page.replace("health.practice", "health")
        page = page.replace(practice.fingerprint, real.fingerprint)
        assert page == client.get(f"/s/health?language={language}").text


def test_practice_needs_no_invitation_remembers_no_device_and_leads_nowhere_else(client, store):
    practice = practised(store, WITH_ALL)
    work = practice.survey.fieldwork
    assert not (work.invitations or work.comprehension or work.by_hand)
    # With a series, the same device would send the same reports in the survey.
    assert work.series is None
    assert work.receipts
    page = client.get("/s/health.practice").text
    assert "code on your invitation" not in page
    assert "Remember this device" not in page
    assert "health.practice.comprehension" not in page
    assert sent(client, practice).status_code == 201


def test_a_changed_draft_closes_its_practice_and_says_so(client, store, researcher):
    practice = practised(store)
    assert sent(client, practice).status_code == 201
    store.surveys.save_draft(parse_survey(definition()), "health")  # saved unchanged
    assert sent(client, practice, 2).status_code == 201
    store.surveys.save_draft(parse_survey(definition(yes_no(label="Do you smoke now?"))), "health")
    assert sent(client, practice, 3).status_code == 410
    page = researcher.client.get(TRY_OUT).text
    assert "The draft has changed." in page
    assert "Restart test mode" in page
    assert "Earlier version." in researcher.client.get(f"{TRY_OUT}/practice").text
    researcher.post(f"{TRY_OUT}/practice", form=TRY_OUT)
    assert "Do you smoke now?" in client.get("/s/health.practice").text
    assert store.counts.by_question("health.practice") == {}
    assert "The draft has changed." not in researcher.client.get(TRY_OUT).text


def test_practice_goes_on_when_the_survey_opens_and_closes(client, store):
    practice = practised(store)
    survey = store.surveys.by_slug("health").survey
    store.surveys.freeze(freeze(survey), "open")
    assert sent(client, practice, 1).status_code == 201
    store.lifecycle.set_state("health", "closed")
    assert sent(client, practice, 2).status_code == 201
    with pytest.raises(StateError):
        store.lifecycle.set_state("health.practice", "closed")


def test_a_deleted_survey_takes_its_practice_along(client, store):
    practice = practised(store, state="closed")
    assert sent(client, practice).status_code == 201
    store.lifecycle.delete_survey("health")
    assert store.rehearsals.by_kind(PRACTICE, "health") is None
    assert store.counts.by_question("health.practice") == {}


def test_results_of_practice_show_at_once_and_are_marked(client, store, researcher):
    practice = practised(store)
    path = f"{TRY_OUT}/practice"
    assert "Candor has not received a test response yet." in researcher.client.get(path).text
    sent(client, practice)
    page = researcher.client.get(path).text
    assert "These results are from 1 test response." in page
    assert "The responses are not part of the survey’s results." in page
    assert "Assumed" not in page
    reply = researcher.client.get("/admin/surveys/health.practice/responses.csv")
    assert '"health.practice-responses.csv"' in reply.headers["Content-Disposition"]
    assert reply.text.splitlines() == ["smokes.randomised", "yes"]


def test_a_draft_that_could_not_be_opened_cannot_be_practised_on(store, researcher):
    store.surveys.save_draft(parse_survey(definition(translations={"vi": {"title": "Sức khỏe"}})))
    page = researcher.client.get(TRY_OUT).text
    assert '<a href="/admin/surveys/health#checklist">pre-launch checklist</a>' in page
    reply = researcher.post(f"{TRY_OUT}/practice", form=TRY_OUT)
    assert reply.status_code == 422
    assert store.rehearsals.by_kind(PRACTICE, "health") is None


def test_only_the_practice_of_a_survey_can_be_started(store):
    opened(store, definition())
    with pytest.raises(StateError, match="is not a part of a survey for tests"):
        store.rehearsals.start_practice(store.surveys.by_slug("health").frozen)
    with pytest.raises(UnknownSurvey):
        store.rehearsals.start_practice(freeze(practice_of(parse_survey(definition(slug="other")))))
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("other.practice")


@pytest.mark.sqlite_only
def test_what_was_sent_in_practice_is_gone_from_the_file(client, store, settings):
    practice = practised(store)
    id = bytes(range(200, 216))
    store.responses.add_response("health.practice", Response(id, (1,)))
    store.rehearsals.start_practice(practice)
    store.compact()
    for suffix in ("", "-wal"):
        try:
            with open(settings.database + suffix, "rb") as file:
                assert id not in file.read()
        except FileNotFoundError:
            assert suffix


def test_unknown_rehearsals_are_no_pages(store, researcher):
    store.surveys.save_draft(parse_survey(definition()))
    for kind in ("practice", "pilot", "by-hand", "other"):
        assert researcher.client.get(f"{TRY_OUT}/{kind}").status_code == 404
    assert researcher.post(f"{TRY_OUT}/by-hand/delete", form=TRY_OUT).status_code == 404
    assert store.surveys.by_slug("health").state == "draft"


def test_an_analyst_cannot_start_or_delete_practice(app, store, researcher):
    practised(store)
    analyst = signed_in(app, "bob", "analyst")
    for path in ("practice", "practice/delete"):
        assert analyst.post(f"{TRY_OUT}/{path}", form=TRY_OUT).status_code == 403
    assert store.rehearsals.by_kind(PRACTICE, "health") is not None


def test_its_public_document_is_what_anyone_needs_to_check_the_page(client, store):
    practice = practised(store)
    document = json.loads(client.get("/s/health.practice.json").text)
    assert document.pop("origin") == "browser"
    assert document.pop("public_results") is False
    assert FrozenSurvey.from_json(json.dumps(document)) == practice
