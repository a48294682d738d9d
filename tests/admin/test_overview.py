"""The monitor of a survey: what was received, and the expected precision."""

import re

import pytest

from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.estimation.progress import precision_so_far
from survey.store import Limits, Store
from survey.web import auth
from tests.admin.overviews import OVERVIEW
from tests.support.batches import feed, plain, responses
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE
from tests.support.researchers import Researcher

pytestmark = pytest.mark.both_stores


def figures(researcher: Researcher, query: str = "") -> dict:
    return researcher.client.get(f"{OVERVIEW}/monitor.json{query}").get_json()


def test_the_monitor_tells_what_has_come_and_what_the_results_have(researcher, store: Store):
    opened(store, definition(batch=25))
    store.lifecycle.set_limits("health", Limits(target=100))
    assert figures(researcher)["texts"]["releases"] == (
        "Results appear when Candor has received 25 responses."
    )
    feed(store, plain(31))
    found = figures(researcher)
    assert (found["state"], found["people"], found["released"], found["aim"]) == (
        "open", 31, 25, 100,
    )  # fmt: skip
    assert found["texts"]["responses"] == "31"
    assert found["texts"]["progress"] == "31 of 100 responses (target)."
    assert found["texts"]["releases"] == (
        "25 responses are published, and 6 are waiting. The next batch is published after 19 "
        "more responses."
    )
    # If the page already has the precision of these 25, Candor does not compute it again.
    assert set(figures(researcher, "?shown=25")["texts"]) == {
        "responses", "paper_and_coin", "progress", "releases", "closing",
    }  # fmt: skip
    assert "precision" in figures(researcher, "?shown=0")["texts"]


def test_the_precision_is_that_of_the_released_and_shrinks_with_the_square_root(
    researcher, store: Store
):
    """Half of 100 reports are Yes under the coin flip.

    2P - 1/2 then has a standard error of 2 sqrt(P(1 - P) / n) = 0.1, and half of it with four times
    as many.
    """
    frozen = opened(store, definition())
    for number in range(100):
        store.responses.add_response("health", Response(bytes([number]) * 16, (number % 2,)))
    results = survey_results(frozen, store.counts.by_question("health"), "browser")
    answer = results.questions[0].answers[0]
    [found] = precision_so_far(results, 400)
    assert found.half_width == pytest.approx((answer.high - answer.low) / 2)
    assert found.half_width == pytest.approx(1.96 * 0.1, rel=0.05)
    assert found.expected == pytest.approx(found.half_width / 2)
    assert found.unit is None
    assert precision_so_far(results, 100)[0].expected is None  # the target is reached
    assert precision_so_far(results, None)[0].expected is None
    store.lifecycle.set_limits("health", Limits(target=400))
    said = figures(researcher)["texts"]["precision"].replace("\u00a0", " ")
    assert re.fullmatch(
        r"The widest 95 % interval of a share is ± (\d+\.\d) points, for “Do you smoke\?”; "
        r"with 400 responses, about ± (\d+\.\d) points\.",
        said,
    )
    now, then = (float(each) for each in re.findall(r"± (\d+\.\d)", said))
    assert then == pytest.approx(now / 2, abs=0.06)


def test_of_fewer_than_five_responses_no_precision_is_told(store: Store):
    frozen = opened(store, definition())
    for number in range(5):
        assert (
            precision_so_far(
                survey_results(frozen, store.counts.by_question("health"), "browser"), 9
            )
            == []
        )
        store.responses.add_response("health", Response(bytes([number]) * 16, (number % 2,)))
    assert precision_so_far(
        survey_results(frozen, store.counts.by_question("health"), "browser"), 9
    )


def test_the_widest_of_the_private_questions_counts_and_means_are_apart(store: Store):
    frozen = opened(store, EVERY_TYPE)
    feed(store, responses(60))
    results = survey_results(frozen, store.counts.by_question("health"), "browser")
    share, mean = precision_so_far(results, None)
    widest = max(
        (answer.high - answer.low) / 2
        for each in results.questions
        if not each.question.non_private and each.question.type != "number"
        for answer in each.answers
    )
    assert share.half_width == widest
    assert mean.unit is not None
    assert mean.label in ("What of glasses?", "What of weight?")
    assert precision_so_far(survey_results(frozen, {}, "browser"), None) == []


def test_a_survey_of_non_private_questions_has_no_precision_to_tell(researcher, store: Store):
    opened(store, definition(yes_no(privacy="none")))
    feed(store, plain(5))
    texts = figures(researcher)["texts"]
    assert (texts["precision"], texts["means"]) == ("", "")


def test_the_monitor_keeps_nobody_signed_in(app, researcher, store: Store, monkeypatch):
    """An open page would otherwise send requests for ever, and the session would never end."""
    opened(store, definition())
    seen = store.accounts.session(token_hash("ada").hex()).seen
    monkeypatch.setattr(auth.time, "time", lambda: seen + 3_000)
    assert researcher.client.get(f"{OVERVIEW}/monitor.json").status_code == 200
    assert store.accounts.session(token_hash("ada").hex()).seen == seen
    researcher.client.get(OVERVIEW)  # a control: a person's own request extends the session
    assert store.accounts.session(token_hash("ada").hex()).seen == seen + 3_000
    monkeypatch.setattr(auth.time, "time", lambda: seen + 3_001 + auth.IDLE_SECONDS)
    assert researcher.client.get(f"{OVERVIEW}/monitor.json").status_code == 302


def test_a_draft_and_a_stranger_get_no_figures(app, researcher, store: Store):
    store.surveys.save_draft(parse_survey(definition()))
    assert researcher.client.get(f"{OVERVIEW}/monitor.json").status_code == 409
    assert app.test_client().get(f"{OVERVIEW}/monitor.json").location == "/admin/sign-in"
