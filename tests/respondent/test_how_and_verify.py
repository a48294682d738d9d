"""The pages for understanding and verifying: their statements match what is served."""

import hashlib
import html
import re
import subprocess
import sys

import pytest

from survey.core.languages import ENGLISH, LANGUAGES, Words
from survey.definition.survey import parse_survey
from survey.respondent.how_and_verify import script_hashes, trials
from survey.respondent.types import GIVEN
from survey.server.http.security_headers import HEADERS, POLICY, policy_text
from tests.support.classes import class_definition
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED
from tests.support.project import ROOT

PAGES = ("/how", "/verify", "/s/health/verify")


def text(reply) -> str:
    assert reply.status_code == 200
    return html.unescape(reply.get_data(as_text=True))


def fingerprint_recomputed(page: str, document: bytes) -> str:
    program = re.search(r'<pre id="recompute">(.*?)</pre>', page, re.DOTALL)[1]
    ran = subprocess.run(
        [sys.executable, "-c", program], input=document, capture_output=True, check=True
    )
    return ran.stdout.decode().strip()


@pytest.mark.parametrize("content", [definition(), EVERY_TYPE, SAMPLED])
def test_the_program_on_the_page_makes_the_fingerprint_on_the_page(client, store, content):
    frozen = opened(store, content)
    page = text(client.get(f"/s/{frozen.survey.slug}/verify"))
    document = client.get(f"/s/{frozen.survey.slug}.json").data
    assert f">{frozen.fingerprint}</code>" in page
    assert fingerprint_recomputed(page, document) == frozen.fingerprint
    changed = document.replace(b'"label":"', b'"label":"x', 1)
    assert fingerprint_recomputed(page, changed) != frozen.fingerprint


@pytest.mark.parametrize("path", ["/verify", "/s/health/verify"])
def test_every_script_of_respondents_pages_is_listed_with_its_hash(client, store, path):
    opened(store, definition())
    page = text(client.get(path))
    loaded = {"verify.js"}
    for other in (*PAGES, "/s/health"):
        loaded |= set(re.findall(r'src="/static/respondent/([\w.-]+)"', text(client.get(other))))
    listed = [*script_hashes()]
    assert set(listed) >= loaded
    # The list includes the sources of the joined script.
    folder = ROOT / "static" / "respondent"
    assert set(listed) == {"survey.js", *(file.name for file in folder.glob("*.js"))}
    assert listed[:2] == ["survey.js", "randomizer.js"]
    for name in loaded:
        with client.get(f"/static/respondent/{name}") as reply:
            digest = hashlib.sha256(reply.data).hexdigest()
        assert f">{digest}</code>" in page
        assert f"curl -s http://127.0.0.1:8000/static/respondent/{name} | sha256sum" in page


def test_the_command_is_spelled_out_for_the_survey(client, store):
    opened(store, definition())
    command = "candor verify http://127.0.0.1:8000/s/"
    assert f"{command}health<" in text(client.get("/s/health/verify"))
    assert f"{command}SURVEY<" in text(client.get("/verify"))


@pytest.mark.parametrize("path", PAGES)
def test_the_pages_keep_nothing_and_have_the_headers_of_a_survey(client, store, path):
    opened(store, definition())
    reply = client.get(path, headers={"Cookie": "session=abc", "User-Agent": "Canary/7"})
    assert reply.headers["Content-Security-Policy"] == policy_text(POLICY)
    assert {name: reply.headers[name] for name in HEADERS} == HEADERS
    assert "Set-Cookie" not in reply.headers
    assert "Canary" not in reply.get_data(as_text=True)
    assert reply.data == client.get(path).data


def test_a_closed_survey_can_be_checked_and_a_draft_is_unknown(client, store):
    opened(store, definition(), "closed")
    assert "health" in text(client.get("/s/health/verify"))
    store.surveys.save_draft(parse_survey(definition(slug="later")))
    assert client.get("/s/later/verify").status_code == 404
    assert client.get("/s/nothing/verify").status_code == 404


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "See the results"), ("vi", "Xem kết quả"), ("th", "ดูผลลัพธ์"), ("zh", "查看结果")],
)
def test_the_link_to_the_results_of_a_closed_survey_opens_them(client, store, language, words):
    opened(store, definition(language=language), "closed")
    assert words not in client.get("/s/health").text
    store.shares.publish("health", True)
    page = client.get("/s/health").text
    assert words in page
    (link,) = re.findall(r'href="(/s/health/results[^"]*)"', page)
    assert client.get(link).status_code == 200


def test_a_survey_that_mixes_nothing_up_has_no_test(client, store):
    opened(store, definition(yes_no(privacy="none")))
    page = text(client.get("/s/health/verify"))
    assert "there is nothing to test" in page
    assert 'id="trials"' not in page


def test_a_text_of_a_survey_cannot_end_the_data_block(client, store):
    opened(store, definition(yes_no(label="</script><script>alert(1)</script>")))
    assert "<script>alert" not in client.get("/s/health/verify").get_data(as_text=True)


def test_there_is_a_made_up_answer_of_each_form(app):
    survey = parse_survey(EVERY_TYPE)
    with app.test_request_context():
        examples = {q.name: GIVEN[q].examples(ENGLISH) for q in survey.private}
        entries = trials(survey)["questions"]
    offered = {name: [value for _, value in each] for name, each in examples.items()}
    labels = {name: [label for label, _ in each] for name, each in examples.items()}
    assert offered["smokes"] == ["row 0", "row 1", "row 2"]
    assert offered["tried"] == [f"ticked {bits}" for bits in (
        "00000", "10000", "01000", "00100", "00010", "00001", "11111")]  # fmt: skip
    # Three boxes have eight combinations, followed by "prefer not to say".
    assert offered["pets"] == ["row 0", "row 1", "row 2", "row 4", "row 7", "row 8"]
    assert labels["pets"] == ["Nothing ticked", "C", "D", "F", "C, D, F", "Prefer not to say"]
    assert offered["weight"] == [
        "steps 0", "steps 80", "steps 120", "steps 160", "steps 240", "row 21",
    ]  # fmt: skip
    assert labels["weight"][1] == "70 kg"
    for question, entry in zip(survey.private, entries, strict=True):
        reports = question.randomizer.answers
        if question.table is not None:
            reports = question.table.reports
        assert len(entry["reports"]) == reports
    # Reports that determine only a number's mean have no names.
    assert entries[-1]["reports"][:2] == ["Code 1", "Code 2"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_respondents_of_a_class_read_who_sees_the_results_and_what_is_erased(
    client, store, language
):
    opened(store, class_definition(by_hand=True, language=language))
    opened(store, definition(slug="other", language=language, by_hand=True))
    words = Words(language)
    note = words.say(
        "In class: everyone sees results after every %(batch)s answers. After class, the server "
        "erases everything.",
        batch=5,
    )
    for path in ("", "/by-hand"):
        assert note in client.get(f"/s/health{path}?language={language}").text
        # Other pages have no such note.
        assert "class-note" not in client.get(f"/s/other{path}?language={language}").text
    heading = f"<h2>{words.say('In a class')}</h2>"
    assert heading in client.get(f"/s/health/how?language={language}").text
    assert heading not in client.get(f"/s/other/how?language={language}").text
