"""Paper-and-coin mode: the printed rule is the table; the form is accepted or returned whole."""

import html
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from fractions import Fraction
from urllib.parse import urlencode

import pytest

from app import create_app
from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.sub_surveys import paper_and_coin_sub_survey
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.respondent.coin_routes import MAX_FORM_BYTES
from survey.store.sqlite import connections
from tests.respondent.chosen_answers import CHOSEN, FROZEN, ID, TEXTS_ID
from tests.support.coin_surveys import EVERY, PAGE, RECORDED, WRITTEN
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked
from tests.support.texts_apart import recorded_texts


def form(change: Mapping[str, object] | None = None, id: str = ID) -> dict[str, object]:
    """A browser's form data. Fields that are None are omitted."""
    ids = {"response-id": id, "texts-id": TEXTS_ID if id == ID else id[::-1].replace("f", "e")}
    fields = ids | {"survey-fingerprint": FROZEN.fingerprint, **CHOSEN}
    return {name: v for name, v in (fields | dict(change or {})).items() if v is not None}


def recorded(store) -> list:
    return list(store.responses.rows("health.by-hand"))


def written(store) -> list:
    return recorded_texts(store)


def text_of(reply) -> str:
    return html.unescape(reply.get_data(as_text=True))


@pytest.fixture
def survey(store):
    return opened(store, EVERY)


# --- the rule
def printed_rules(page: str) -> dict[str, list[tuple[str, str]]]:
    """For each question, the printed rule: what the coin shows, and what to choose then."""
    rules = re.findall(r'data-rule="(\w+)">(.*?)</table>', page, re.DOTALL)
    rows = {name: re.findall(r"<tr><td>(.*?)</td>\s*<td>(.*?)</td>", t, re.S) for name, t in rules}
    return {
        name: [(html.unescape(shows), html.unescape(choose)) for shows, choose in found]
        for name, found in rows.items()
    }


def chances(rule: list[tuple[str, str]], labels: list[str]) -> list[list[Fraction]]:
    """P(report | answer) for a respondent who follows the printed rule."""
    sides = [shows.split(", ") for shows, _ in rule]
    assert len({tuple(way) for way in sides}) == 2 ** len(sides[0]) == len(rule)
    assert {side for way in sides for side in way} == {"heads", "tails"}
    choices = [choose for _, choose in rule if choose.startswith("<strong>")]
    again = [choose for _, choose in rule if "repeat" in choose]
    assert len(choices) + len(again) == len(rule)
    # Tossing again until a choice comes up makes each as likely as its number of ways.
    by_coin = [Fraction(choices.count(f"<strong>{y}</strong>"), len(choices)) for y in labels]
    half = Fraction(1, 2)
    return [
        [half * (x == y) + half * by_coin[y] for y in range(len(labels))]
        for x in range(len(labels))
    ]


def test_the_printed_rule_makes_the_very_table_that_estimates_come_from(client, survey):
    rules = printed_rules(client.get(PAGE).get_data(as_text=True))
    private = [question for question in survey.survey.questions if question.name in rules]
    assert [question.name for question in private] == ["smokes", "party", "mood"]
    for question in private:
        table = question.table
        exact = [[Fraction(entry, table.total) for entry in row] for row in table.rows]
        labels = [choice.label for choice in question.answers]
        assert chances(rules[question.name], labels) == exact


def test_the_estimates_are_those_of_a_browser_with_the_same_reports(store, survey):
    for number in range(40):
        reports = (int(number % 3 > 0), number % 5, number % 3, *RECORDED[3:])
        response = Response(bytes([number]) * 16, reports)
        for slug in ("health", "health.by-hand"):
            store.responses.add_response(slug, response)
    by_hand, by_browser = (
        survey_results(
            store.surveys.by_slug(slug).frozen, store.counts.by_question(slug), "browser"
        )
        for slug in ("health.by-hand", "health")
    )
    for hand, browser in zip(by_hand.questions, by_browser.questions, strict=True):
        assert hand.answers == browser.answers
    smokes = by_hand.questions[0].answers[0]
    assert smokes.formula.letters == "2P − 1/2"
    assert smokes.value == pytest.approx(2 * 14 / 40 - 1 / 2)


# --- the page
def test_the_page_is_there_where_it_is_switched_on(client, survey):
    reply = client.get(PAGE)
    assert reply.status_code == 200
    policy = reply.headers["Content-Security-Policy"]
    assert "form-action 'self'" in policy
    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.headers["Referrer-Policy"] == "same-origin"
    assert "Set-Cookie" not in reply.headers
    page = text_of(reply)
    assert "<script" not in page[page.index("<main") :]
    assert re.search('<form id="answers"[^>]* autocomplete="off">', page)
    for text in ("A few <em>words</em> before.", "University of Example", "survey@example.org"):
        assert text in page
    # A name, a value, a label: nothing is preselected.
    assert " checked" not in page


@pytest.mark.parametrize("path", ["/s/health", "/s/health/by-hand/thanks", "/s/health.json"])
def test_no_other_page_may_post_a_form(client, survey, path):
    posts = "form-action 'self'" in client.get(path).headers["Content-Security-Policy"]
    assert posts == ("by-hand" in path)


def test_each_rendering_has_an_id_of_its_own(client, survey):
    ids = {
        re.search(r'name="response-id" value="([0-9a-f]{32})"', client.get(PAGE).text)[1]
        for _ in range(20)
    }
    assert len(ids) == 20


def test_the_page_speaks_the_language_that_is_asked_for(client, survey):
    page = text_of(client.get(f"{PAGE}?language=vi"))
    assert "<h1>Việt: Health</h1>" in page
    assert f'action="{PAGE}?language=vi"' in page
    assert "Có</strong>" in page
    assert "Việt: A" in page
    assert text_of(client.get(PAGE, headers={"Accept-Language": "vi"})) != text_of(client.get(PAGE))


def test_without_the_switch_there_is_no_such_page(client, store):
    opened(store, definition())
    store.surveys.save_draft(parse_survey(definition(slug="draft", by_hand=True)))
    for slug in ("health", "draft", "nowhere", "health.by-hand"):
        for path in (f"/s/{slug}/by-hand", f"/s/{slug}/by-hand/thanks"):
            assert client.get(path).status_code == 404, path
        assert client.post(f"/s/{slug}/by-hand", data=form()).status_code == 404


def test_the_parts_own_address_leads_there_and_not_to_the_page_for_browsers(client, survey):
    reply = client.get("/s/health.by-hand")
    assert (reply.status_code, reply.location) == (302, PAGE)
    assert client.get("/s/health.by-hand?language=vi").location == f"{PAGE}?language=vi"
    assert client.get("/s/health.by-hand.json").json["fingerprint"] == FROZEN.fingerprint


def test_a_closed_survey_says_so(client, store, survey):
    store.lifecycle.set_state("health", "closed")
    replies = [
        client.get(PAGE), client.post(PAGE, data=form()),
        client.post(PAGE, data=form({"smokes": None})),
    ]  # fmt: skip
    for reply in replies:
        assert reply.status_code == 410
        assert "takes no more answers" in text_of(reply)
    assert recorded(store) == []


# --- the form
def test_what_was_chosen_is_recorded_apart(client, store, survey):
    reply = client.post(PAGE, data=form())
    assert (reply.status_code, reply.location) == (303, f"{PAGE}/thanks?language=en")
    assert (recorded(store), written(store)) == ([RECORDED], [WRITTEN])
    assert store.counts.by_question("health") == {}
    assert "Set-Cookie" not in reply.headers
    thanks = text_of(client.get(reply.location))
    assert "Sent. Thank you." in thanks
    assert "Call <strong>111</strong>." in thanks


def test_what_may_be_left_open_may(client, store, survey):
    change = {"region": "2", "news": "3", "years": "", "years-declined": "1", "remarks": ""}
    assert client.post(PAGE, data=form(change)).status_code == 303
    assert client.post(PAGE, data=form({"news": None}, id="f" * 32)).status_code == 303
    assert [row[3:6] for row in recorded(store)] == [(2, "0001", 121), (1, "0000", 61)]


def test_pressing_twice_records_once_also_when_it_closed_meanwhile(client, store, survey):
    for _ in range(3):
        assert client.post(PAGE, data=form()).status_code == 303
    store.lifecycle.set_state("health", "closed")
    assert client.post(PAGE, data=form()).status_code == 303
    assert (recorded(store), written(store)) == ([RECORDED], [WRITTEN])


def test_other_choices_under_the_same_id_change_nothing(client, store, survey):
    client.post(PAGE, data=form())
    for change in ({"smokes": "1"}, {"remarks": "Another text"}, {"texts-id": "a" * 32}):
        reply = client.post(PAGE, data=form(change))
        assert reply.status_code == 409
        assert "This was sent before" in text_of(reply)
        assert (recorded(store), written(store)) == ([RECORDED], [WRITTEN])


def test_a_text_has_an_id_of_its_own(client, store, survey):
    page = client.get(PAGE).get_data(as_text=True)
    ids = re.findall(r'name="(response-id|texts-id)" value="([0-9a-f]{32})"', page)
    assert [name for name, _ in ids] == ["response-id", "texts-id"]
    assert ids[0][1] != ids[1][1]
    for wrong in (ID, None, "", ID.upper()):
        assert client.post(PAGE, data=form({"texts-id": wrong})).status_code == 400
    assert (recorded(store), written(store)) == ([], [])


REFUSED = [
    ("smokes", {"smokes": None}, "Choose an answer to continue."),
    ("smokes", {"smokes": "2"}, "Choose an answer to continue."),
    ("smokes", {"smokes": "00"}, "Choose an answer to continue."),
    ("smokes", {"smokes": ["0", "1"]}, "Choose an answer to continue."),
    ("party", {"party": "5"}, "Choose an answer to continue."),
    ("mood", {"mood": "-"}, "Choose an answer to continue."),
    ("region", {"region": "3"}, "Choose an answer to continue."),
    ("news", {"news": ["0", "4"]}, "Choose an answer to continue."),
    ("news", {"news": ["0", "0"]}, "Choose an answer to continue."),
    ("news", {"news": ["0", "3"]}, "Tick “Prefer not to say” or other boxes, but not both."),
    ("years", {"years": ""}, "a number from 0 to 120. Or tick “Prefer not to say”."),
    ("years", {"years": "121"}, "a number from 0 to 120."),
    ("years", {"years": "61", "years-declined": "1"}, "Or tick “Prefer not to say”."),
    ("weight", {"weight": "1500.1"}, "from −10 to 1500. Write thousands without"),
    ("weight", {"weight": "1,255"}, "Write thousands without a comma or point: 1000."),
    ("weight", {"weight": "1,000"}, "Write thousands without a comma or point: 1000."),
    ("weight", {"weight": "1e2"}, "from −10 to 1500"),
    ("weight", {"weight": None}, "from −10 to 1500"),
    ("remarks", {"remarks": "x" * 1001}, "Write at most 1,000 characters."),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "change", "sentence"), REFUSED)
def test_what_cannot_be_taken_is_said_beside_the_question_and_nothing_is_lost(
    client, store, survey, name, change, sentence
):
    reply = client.post(PAGE, data=form(change))
    assert reply.status_code == 422
    page = text_of(reply)
    assert f'<a href="#{name}">' in page
    assert page.count('class="error"') == 1
    fieldset = page[page.index(f'<fieldset id="{name}"') :]
    assert sentence in re.search(r'<p class="error">(.*?)</p>', fieldset)[1]
    assert f'name="response-id" value="{ID}"' in page
    assert f'name="texts-id" value="{TEXTS_ID}"' in page
    sent = form(change)
    for other in set(sent) - {name, "response-id", "texts-id", "survey-fingerprint", "remarks"}:
        for value in [sent[other]] if isinstance(sent[other], str) else sent[other]:
            kept = rf'name="{other}" value="{value}"( autocomplete="off" checked| inputmode)'
            assert re.search(kept, page), (other, value)
    assert f"\n{sent['remarks']}</textarea>" in page
    assert recorded(store) == []
    # The returned form is accepted after its correction.
    assert client.post(PAGE, data=form()).status_code == 303


def test_what_is_wrong_is_said_in_the_language_of_the_page(client, survey):
    page = text_of(client.post(f"{PAGE}?language=vi", data=form({"years": "", "news": ["0", "3"]})))
    assert page.count("“Không muốn trả lời”") == 2
    assert "“Prefer not to say”" not in page


def test_a_number_between_two_steps_is_rounded_and_the_page_says_so(client, store, survey):
    assert "(−10 to 1500, to the nearest 0.5)" in text_of(client.get(PAGE))
    page = text_of(client.post(PAGE, data=form({"weight": "62,3", "smokes": None})))
    assert '<p class="rounded hint">62.3 is counted as 62.5.</p>' in page
    assert page.count('class="error"') == 1
    assert "is counted as" not in text_of(client.post(PAGE, data=form({"smokes": None})))
    assert client.post(PAGE, data=form({"weight": "62,3"})).status_code == 303
    assert recorded(store) == [RECORDED]  # as for 62.5


def test_one_toss_has_no_order(client, survey):
    """This includes languages with one form for singular and plural."""
    page = text_of(client.get(f"{PAGE}?language=vi"))
    rules = re.findall(r'<div class="rule" data-rule="(\w+)">(.*?)</div>', page, re.DOTALL)
    assert {name: "thứ tự tung" in rule for name, rule in rules} == {
        "smokes": False, "party": True, "mood": True,
    }  # fmt: skip


def test_a_form_full_of_html_comes_back_as_text(client, survey):
    bad = '"><script>alert(1)</script>'
    page = client.post(PAGE, data=form({"years": bad, "remarks": f"</textarea>{bad}"})).text
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    "change",
    [
        {"response-id": None}, {"response-id": "x" * 32}, {"response-id": [ID, ID]},
        {"response-id": ID.upper()}, {"survey-fingerprint": None}, {"drinks": "1"},
        {"welcome": "1"}, {"weight-declined": "1"}, {"id": ID},
    ],
)  # fmt: skip
def test_what_is_no_form_of_this_page_is_refused(client, store, survey, change):
    assert client.post(PAGE, data=form(change)).status_code == 400
    assert recorded(store) == []


def test_a_form_of_another_version_is_refused(client, store, survey):
    reply = client.post(PAGE, data=form({"survey-fingerprint": "0" * 64}))
    assert reply.status_code == 409
    assert "This survey changed while this page was open." in " ".join(text_of(reply).split())
    assert recorded(store) == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://evil.example"}, 403), ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 303), ({"Origin": "http://localhost"}, 303), ({}, 303),
    ],
)  # fmt: skip
def test_forms_of_other_sites_are_refused(client, store, survey, headers, status):
    assert client.post(PAGE, data=form(), headers=headers).status_code == status
    assert len(recorded(store)) == (status == 303)


@pytest.mark.parametrize("kind", ["multipart/form-data", "application/json", "text/plain"])
def test_other_kinds_of_bodies_are_refused(client, store, survey, kind):
    reply = client.post(PAGE, data=urlencode(form(), doseq=True), content_type=kind)
    assert reply.status_code == 415
    assert recorded(store) == []


def test_a_form_that_is_too_long_is_refused_and_the_longest_is_not(client, store):
    texts = [asked(f"text_{number}", "text", "none") for number in range(50)]
    frozen = opened(store, definition(yes_no(), *texts, by_hand=True))
    longest = {text["name"]: "ก" * 1000 for text in texts}
    fields = {
        "response-id": ID, "texts-id": TEXTS_ID, "smokes": "0",
        "survey-fingerprint": freeze(paper_and_coin_sub_survey(frozen.survey)).fingerprint,
    }  # fmt: skip
    assert client.post(PAGE, data=fields | longest).status_code == 303
    assert client.post(PAGE, data=fields | {"text_1": "x" * MAX_FORM_BYTES}).status_code == 413
    assert len(recorded(store)) == 1


def test_a_busy_database_gives_the_form_back(survey, settings, monkeypatch):
    monkeypatch.setattr(connections, "BUSY_SECONDS", 0.05)
    app = create_app(settings)  # with connections that no longer wait
    client = app.test_client()
    with closing(sqlite3.connect(settings.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        reply = client.post(PAGE, data=form())
        other.rollback()
    assert reply.status_code == 503
    assert reply.headers["Retry-After"] == "5"
    page = text_of(reply)
    assert "The server is busy" in page
    assert re.search('name="smokes" value="0" autocomplete="off" checked', page)
    assert f'name="response-id" value="{ID}"' in page
    assert client.post(PAGE, data=form()).status_code == 303
    app.extensions["candor.store"].close()


def test_optional_questions_may_be_left_open_and_sections_are_headings(client, store):
    optional = {"prefer_not_to_say": True, "optional": True}
    frozen = opened(
        store,
        definition(
            yes_no() | {"privacy": {"mechanism": "coin_flip"}},
            {"name": "home", "type": "section", "label": "Your home", "hint": "As it is today."},
            {"name": "untitled", "type": "section", "label": ""},
            yes_no("rents", "none") | optional,
            asked("rooms", "number", "none", min=1, max=20) | optional,
            by_hand=True,
        ),
    )
    page = text_of(client.get(PAGE))
    assert '<h3 class="label">Your home</h3>' in page
    assert "As it is today." in page
    assert page.count("<h3") == 1
    assert page.count("You may skip this question. It then counts as “Prefer not to say”.") == 2
    assert page.count(" required") == 2  # Yes and no of the private question
    part = store.surveys.by_slug("health.by-hand").frozen
    fields = {"response-id": ID, "survey-fingerprint": part.fingerprint, "smokes": "1"}
    for id, given, report in [
        ("1" * 32, {"rooms": ""}, (1, 2, 20)),
        ("2" * 32, {"rents": "0", "rooms": "3"}, (1, 0, 2)),
        ("3" * 32, {"rents": "2", "rooms": "", "rooms-declined": "1"}, (1, 2, 20)),
    ]:
        assert client.post(PAGE, data=fields | given | {"response-id": id}).status_code == 303
        assert report in recorded(store)
    # A number that is no number is not skipped.
    assert client.post(PAGE, data=fields | {"rooms": "many"}).status_code == 422
    assert len(frozen.survey.fields) == 3


def test_nothing_of_a_form_is_logged(client, survey, caplog, capfd):
    client.post(PAGE, data=form({"remarks": "canary"}), headers={"User-Agent": "canary"})
    client.post(PAGE, data=form({"remarks": "canary" * 300}))
    assert caplog.records == []
    assert "canary" not in "".join(capfd.readouterr())
