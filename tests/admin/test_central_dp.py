"""The pages of releases: the budget, requests, and the ledger."""

import csv
import io
import re
from fractions import Fraction

import pytest

from survey.central_dp.budget import CentralDPBudget
from survey.store import ANALYST, EDITOR
from survey.web import central_dp_service
from tests.support.definitions import definition, opened
from tests.support.releases import ASKED, BUDGET, PAGE, QUESTIONS, fill, text_of
from tests.support.researchers import signed_in

pytestmark = pytest.mark.both_stores


@pytest.fixture
def survey(store):
    return fill(store)


QUERY = "/new?question=age&statistic=mean&low=0&high=100&mechanism=laplace&epsilon=0.5"


def test_from_the_budget_to_the_ledger_and_the_file(store, researcher):
    fill(store, budget=None)
    assert "Set a budget before the first release" in text_of(researcher.client.get(PAGE))
    reply = researcher.post(f"{PAGE}/budget", {"epsilon": "1", "delta": "0"}, form=PAGE)
    assert reply.status_code == 302
    page = researcher.client.get(PAGE + QUERY)
    assert "The release costs ε = 0.5 of the remaining budget" in text_of(page)
    # 40 people, 0 to 100, epsilon 0.5, all of it for the sum because everyone gave a number.
    assert "The mean is within 7.4" in text_of(page)
    assert store.releases.ledger("health") == []  # the preview draws nothing
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text))
    reply = researcher.post(PAGE, fields, form=PAGE + QUERY)
    assert (reply.status_code, reply.location) == (302, f"{PAGE}#release-1")
    [made] = store.releases.ledger("health")
    page = text_of(researcher.client.get(PAGE))
    assert "Remaining budget: ε = 0.5 of ε = 1" in page
    assert "Laplace, ε = 0.5; 40 responses" in page
    assert "You already made this release" in text_of(researcher.client.get(PAGE + QUERY))
    rows = list(csv.DictReader(io.StringIO(researcher.client.get(f"{PAGE}.csv").text)))
    assert [row["statistic"] for row in rows] == ["mean"]
    assert float(rows[0]["low"]) < float(rows[0]["value"]) < float(rows[0]["high"])
    assert rows[0]["level"] == "0.95"
    assert made.request.epsilon == rows[0]["epsilon"] == "0.5"


def test_the_form_warns_against_bounds_from_the_answers(store, researcher):
    """Only where the form has bounds."""
    fill(store)
    warning = "Never choose the bounds from the answers that you see"
    for statistic, bounded in (("mean", True), ("sum", True), ("median", True), ("mode", False)):
        page = researcher.client.get(f"{PAGE}/new?question=age&statistic={statistic}")
        assert (warning in text_of(page)) == bounded


def test_a_range_beyond_all_use_is_written_out(store, researcher):
    fill(store, n=10)
    page = text_of(researcher.client.get(PAGE + QUERY.replace("mean", "variance", 1)
                                         .replace("epsilon=0.5", "epsilon=0.001")))  # fmt: skip
    assert re.search(r"The variance is within [\d,]{6,} of its", page)


def test_a_second_press_leads_to_the_same_figure(store, survey, researcher):
    """This includes a form that was open in two windows.

    The log has the release once.
    """
    fields = ASKED | {"epsilon": "0.5", "mechanism": "laplace"}
    for _ in range(2):
        reply = researcher.post(PAGE, fields, form=PAGE)
        assert (reply.status_code, reply.location) == (302, f"{PAGE}#release-1")
    assert "so it cost nothing" in text_of(researcher.client.get(PAGE))
    assert len(store.releases.ledger("health")) == 1
    log = researcher.client.get("/admin/surveys/health/log.csv").get_data(as_text=True)
    assert log.count("released Mean") == 1


def test_a_request_over_budget_is_refused_on_both_pages(store, survey, researcher):
    page = researcher.client.get(PAGE + QUERY.replace("0.5", "1.5"))
    assert "This release costs ε = 1.5, but only ε = 1 of the budget is left" in text_of(page)
    assert "Make DP release" not in page.text
    reply = researcher.post(PAGE, ASKED | {"epsilon": "1.5"}, form=PAGE)
    assert reply.status_code == 422
    assert "1 of the budget is left" in text_of(reply)


def test_faults_stand_beside_their_fields(store, survey, researcher):
    page = researcher.client.get(PAGE + QUERY.replace("high=100", "high=101"))
    assert re.search(r'id="high-error">Type one of the question', page.text)
    reply = researcher.post(f"{PAGE}/budget", {"epsilon": "0", "delta": "0"}, form=PAGE)
    assert reply.status_code == 422
    assert "With epsilon 0, Candor can release nothing" in reply.get_data(as_text=True)
    reply = researcher.post(f"{PAGE}/budget", {"epsilon": "x", "delta": "0"}, form=PAGE)
    assert reply.status_code == 422
    assert 'id="epsilon-error"' in reply.text
    assert researcher.client.get(f"{PAGE}/new?question=smokes&statistic=mean").status_code == 422


def test_roles(app, store, survey):
    analyst, editor = signed_in(app, "ann", ANALYST), signed_in(app, "ed", EDITOR)
    page = analyst.client.get(PAGE)
    assert page.status_code == 200
    assert "Release another figure" not in text_of(page)
    token = analyst.token(PAGE)
    assert analyst.client.post(PAGE, data=ASKED | {"csrf_token": token}).status_code == 403
    budget = {"epsilon": "9", "delta": "0"}
    assert editor.post(f"{PAGE}/budget", budget, form=PAGE).status_code == 403
    assert editor.post(PAGE, ASKED | {"epsilon": "0.5"}, form=PAGE).status_code == 302


def test_an_open_survey_says_why_not_yet(store, researcher):
    opened(store, definition(*QUESTIONS))
    store.releases.set_budget("health", BUDGET)
    assert "DP releases need a closed survey." in text_of(researcher.client.get(PAGE))
    assert researcher.post(PAGE, ASKED | {"epsilon": "0.5"}, form=PAGE).status_code == 409


def test_everyone_sees_what_is_released_only_where_it_was_turned_on(
    app, store, survey, researcher, client
):
    researcher.post(PAGE, ASKED | {"epsilon": "0.5"}, form=PAGE)
    [made] = store.releases.ledger("health")
    with app.app_context():
        [figure] = central_dp_service.release_figures(survey, made)
    public = "/s/health/results"
    assert client.get(public).status_code == 404
    store.shares.publish("health", True)
    assert "What of age?" not in text_of(client.get(public))
    researcher.post(f"{PAGE}/public", {"public": "yes"}, form=PAGE)
    shown = text_of(client.get(public))
    assert "What of age?" in shown
    assert f"Mean {figure.shown} {figure.between[0]} to" in shown
    assert "Do you smoke?" in shown
    store.shares.publish("health", False)  # without the estimates, only the releases
    shown = text_of(client.get(public))
    assert "What of age?" in shown
    assert "Do you smoke?" not in shown
    researcher.post(f"{PAGE}/public", {"public": "no"}, form=PAGE)
    assert client.get(public).status_code == 404


def test_a_budget_that_is_lowered_meanwhile_stays_lowered_when_releases_are_shown(store, survey):
    store.releases.publish_releases("health", True)
    store.releases.set_budget("health", CentralDPBudget(Fraction("0.5"), Fraction(0)))
    found = store.releases.budget("health")
    assert (found.epsilon, found.public) == (Fraction("0.5"), True)
