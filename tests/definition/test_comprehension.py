"""The comprehension test: its own address, separate storage and separate results."""

import csv
import io
import json
import re
import secrets

import pytest

from survey.definition.responses.parse_response import Response
from survey.estimation.build_results import survey_results
from survey.estimation.share_intervals import share_interval
from survey.estimation.types.comprehension_results import RIGHT, comprehension_results
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import signed_in, without_csrf_tokens

BOTH = definition(yes_no(), by_hand=True, comprehension=True)
TEST = "health.comprehension"
# The first question has two choices, of which the tables decide.
RIGHT_NOW = {"learnt": ("guess", "sure"), "meaning": ("either",), "who": ("screen",)}
CHOICES = {
    "learnt": ["real", "guess", "sure", "undone", "nothing", "unsure"],
    "meaning": ["yes", "no", "wrong", "either", "unsure"],
    "who": ["screen", "team", "thief", "court", "unsure"],
}


def taken(store, *names: str, times: int = 1) -> None:
    """Store tests of people who chose these answers, one for each question."""
    reports = tuple(CHOICES[q].index(name) for q, name in zip(CHOICES, names, strict=True))
    for _ in range(times):
        store.responses.add_response(TEST, Response(secrets.token_bytes(16), reports))


def results(store):
    return survey_results(
        store.surveys.by_slug(TEST).frozen, store.counts.by_question(TEST), "browser"
    )


def survey_of(store):
    return store.surveys.by_slug("health").survey


def test_the_choices_are_those_that_are_scored(store):
    opened(store, BOTH)
    questions = store.surveys.by_slug(TEST).survey.questions
    assert {q.name: [c.name for c in q.choices] for q in questions} == CHOICES
    assert {"learnt", *RIGHT} == set(CHOICES)


def test_the_right_choices_say_what_the_design_holds(store):
    """The wording of the correct choices. A change of it changes the test."""
    opened(store, BOTH)
    said = {
        question.name: [c.label for c in question.choices if c.name in RIGHT_NOW[question.name]]
        for question in store.surveys.by_slug(TEST).survey.questions
    }
    assert said == {
        "learnt": [
            "A mixed-up answer, from which they can only guess what I really answered",
            "A mixed-up answer, from which they can be almost sure of what I really answered",
        ],
        "meaning": ["Perhaps I answered “Yes”, perhaps I answered “No” and chance made it a “Yes”"],
        "who": ["Someone who saw my screen while I answered"],
    }


def test_the_share_that_understood_is_told_with_its_interval(store):
    opened(store, BOTH)
    assert [tested.right for tested in comprehension_results(results(store), survey_of(store))] == [
        None
    ] * 3
    taken(store, "guess", "either", "screen", times=5)
    taken(store, "guess", "yes", "court", times=2)
    taken(store, "nothing", "unsure", "screen")
    told = {
        t.question.question.name: t.right
        for t in comprehension_results(results(store), survey_of(store))
    }
    assert {name: right.value for name, right in told.items()} == {
        "learnt": 7 / 8, "meaning": 5 / 8, "who": 6 / 8,
    }  # fmt: skip
    for right in told.values():
        assert right.n == 8
        assert 0 < right.low < right.value < right.high <= 1


# --- its pages, which are those of any survey


def body(store, slug: str, **reports: str) -> str:
    content = {
        "id": secrets.token_hex(16),
        "fingerprint": store.surveys.by_slug(slug).frozen.fingerprint,
    }
    return json.dumps(content | {"reports": reports})


def test_the_test_is_a_page_of_its_own(client, store):
    opened(store, BOTH)
    page = client.get(f"/s/{TEST}").get_data(as_text=True)
    assert f'data-endpoint="/s/{TEST}/responses"' in page
    assert "What did you understand?" in page
    document = client.get(f"/s/{TEST}.json").json
    assert document["definition"]["slug"] == TEST
    assert document["tables"] == {}


def test_what_is_right_stands_nowhere_on_the_page(client, store):
    opened(store, BOTH)
    for path in (f"/s/{TEST}", f"/s/{TEST}.json"):
        text = client.get(path).get_data(as_text=True)
        assert not re.search(r"\bright\b|correct", text), path


def test_the_test_is_taken_at_its_own_address_and_recorded_there_alone(client, store):
    opened(store, BOTH)
    sent = body(store, TEST, learnt="1", meaning="3", who="4")
    for status in (201, 200):
        reply = client.post(f"/s/{TEST}/responses", data=sent, content_type="application/json")
        assert reply.status_code == status
    assert list(store.responses.rows(TEST)) == [(1, 3, 4)]
    assert store.counts.by_question("health") == store.counts.by_question("health.by-hand") == {}
    columns = store.surveys.by_slug(TEST).survey.fields
    # There is no other column.
    assert [question.name for question in columns] == list(CHOICES)


def test_no_test_is_taken_after_the_survey_closed_or_where_there_is_none(client, store):
    opened(store, BOTH)
    sent = body(store, TEST, learnt="1", meaning="3", who="4")
    store.lifecycle.set_state("health", "closed")
    reply = client.post(f"/s/{TEST}/responses", data=sent, content_type="application/json")
    assert reply.status_code == 410
    assert client.get(f"/s/{TEST}").status_code == 410
    opened(store, definition(slug="other"))
    assert client.get("/s/other.comprehension").status_code == 404


def test_a_response_of_the_survey_is_none_of_the_test(client, store):
    opened(store, BOTH)
    sent = body(store, "health", smokes="0")
    reply = client.post(f"/s/{TEST}/responses", data=sent, content_type="application/json")
    assert reply.status_code == 409
    assert store.counts.by_question(TEST) == {}


# --- what researchers see and download


@pytest.fixture
def filled(store):
    opened(store, BOTH)
    for number in range(12):
        store.responses.add_response(
            "health.by-hand", Response(bytes([number]) * 16, (number % 3 // 2,))
        )
    taken(store, "guess", "either", "screen", times=29)
    taken(store, "real", "yes", "court", times=11)


def results_page(researcher, slug="health") -> str:
    reply = researcher.client.get(f"/admin/surveys/{slug}/results")
    assert reply.status_code == 200
    page = " ".join(reply.get_data(as_text=True).replace("\u00a0", " ").split())
    # The value of the token depends on the second.
    return re.sub('name="csrf_token" type="hidden" value="[^"]*"', "", page)


def test_the_parts_are_shown_apart_from_the_survey(researcher, filled):
    page = results_page(researcher)
    # The survey itself.
    assert "Estimates appear when Candor has received 5 responses." in page
    assert "Paper-and-coin mode (n = 12)" in page
    assert "never pools it with the others" in page
    by_hand = page[page.index('id="by-hand"') : page.index('id="understood"')]
    # 8 of 12 chose Yes, and the estimate is 2P - 1/2.
    assert re.search('data-answer="yes">.*?<td [^>]*data-label="Estimate">.*?>83 %<', by_hand)
    # Both answers are in view, and the chart is next to the table.
    assert by_hand.count('<svg class="track" ') == 2
    assert by_hand.count('<svg class="chart" ') == 1
    tested = page[page.index('id="understood"') :]
    assert "Comprehension test (n = 40)" in page
    interval = share_interval(29, 40, 1, 0)
    between = f"{100 * interval.low:.1f} % to {100 * interval.high:.1f} %"
    assert (
        tested.count(
            f"72.5 %</data> of 40 people chose the right answer (95 % interval {between})."
        )
        == 3
    )
    assert tested.count('<span class="tag">right answer</span>') == 3
    ids = [found for found in re.findall(r' id="([^"]+)"', page) if found != "csrf_token"]
    assert len(ids) == len(set(ids))


def test_of_few_who_took_the_test_their_number_is_shown_and_no_share(researcher, store):
    opened(store, BOTH)
    taken(store, "guess", "either", "screen", times=3)
    store.responses.add_response("health.by-hand", Response(bytes(16), (0,)))
    page = results_page(researcher)
    tested = page[page.index('id="understood"') :]
    assert tested.count("3 responses are too few to show") == 3
    assert tested.count('data-label="People">3<') == 3
    assert tested.count('<span class="tag">right answer</span>') == 3
    assert "people chose the right answer" not in tested
    assert 'data-label="Share"' not in tested
    assert "1 response is too few" in page
    assert "150" not in without_csrf_tokens(page)


def test_parts_nobody_took_yet_and_surveys_without_say_so(researcher, store):
    opened(store, BOTH)
    page = results_page(researcher)
    assert "Nobody has answered in paper-and-coin mode yet." in page
    assert "Nobody has taken the test yet." in page
    opened(store, definition(slug="other"))
    assert "by hand" not in results_page(researcher, "other")


def test_a_part_has_no_page_of_its_own_for_researchers(researcher, filled):
    assert results_page(researcher, "health.by-hand") == results_page(researcher)
    listed = researcher.client.get("/admin/").get_data(as_text=True)
    assert "health.by-hand" not in listed
    for action in ("open", "close", "delete", "limits", "archive", "restore", "erase", "copy"):
        reply = researcher.post(
            f"/admin/surveys/health.by-hand/{action}", form="/admin/surveys/health"
        )
        assert reply.status_code == 409
    assert researcher.client.get("/admin/surveys/health.by-hand/edit").status_code == 409


@pytest.mark.parametrize(("slug", "n", "columns"), [
    ("health.by-hand", 12, ["smokes.randomised"]), (TEST, 40, list(CHOICES)),
])  # fmt: skip
def test_a_part_is_exported_as_any_survey(researcher, filled, slug, n, columns):
    def got(name: str) -> str:
        reply = researcher.client.get(f"/admin/surveys/{slug}/{name}")
        assert reply.status_code == 200
        disposition = reply.headers["Content-Disposition"]
        assert disposition == f'attachment; filename="{slug}-{name}"'
        return reply.get_data(as_text=True)

    rows = list(csv.DictReader(io.StringIO(got("responses.csv"))))
    assert len(rows) == n
    assert list(rows[0]) == columns
    estimates = list(csv.DictReader(io.StringIO(got("estimates.csv"))))
    assert {line["survey"] for line in estimates} == {slug}
    assert {line["n"] for line in estimates} == {str(n)}
    book = json.loads(got("codebook.json"))
    assert (book["definition"]["slug"], book["n"]) == (slug, n)


def test_a_stranger_gets_no_part(app, filled):
    stranger = app.test_client()
    for name in ("responses.csv", "estimates.csv", "codebook.json"):
        assert stranger.get(f"/admin/surveys/{TEST}/{name}").status_code == 302


def test_the_commands_take_the_slug_of_a_part(app, filled):
    run = app.test_cli_runner().invoke
    said = run(args=["analyse", "estimate", "health.by-hand"]).output
    assert "12 responses" in said
    assert "Yes: 83 %" in said
    machine = json.loads(run(args=["analyse", "estimate", TEST, "--json"]).output)
    assert (machine["survey"], machine["n"]) == (TEST, 40)
    assert run(args=["survey", "list"]).output.startswith("health: open, 0 responses")
    assert len(run(args=["survey", "list"]).output.splitlines()) == 1


def test_the_commands_put_nothing_into_a_part(app, store, filled, tmp_path):
    truth = tmp_path / "truth.json"
    truth.write_text('{"smokes": {"yes": 0.3}}')
    run = app.test_cli_runner().invoke
    result = run(
        args=["responses", "simulate", "health.by-hand", "--n", "5", "--truth", str(truth)]
    )
    assert result.exit_code == 1
    assert "is a part of survey 'health'" in result.output
    file = tmp_path / "health.by-hand.json"
    file.write_text(json.dumps(definition(slug="health.by-hand")))
    result = run(args=["survey", "import", str(file)])
    assert result.exit_code == 1
    assert "slug" in result.output
    assert store.counts.by_question("health.by-hand") == {"smokes": {0: 8, 1: 4}}


def test_a_part_can_be_previewed(app, store, filled):
    researcher = signed_in(app, "eve")
    page = researcher.client.get(f"/admin/surveys/{TEST}/preview").get_data(as_text=True)
    assert "data-endpoint" not in page
