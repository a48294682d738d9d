"""Pages of analyses with a form and its result: each is at the place in the page's header."""

import re

import numpy as np
import pytest

from survey.admin.surveys import simulation
from survey.definition.survey import parse_survey
from survey.planning.simulation import simulate_groups
from survey.store import ANALYST
from survey.web.analyses.kinds import ANALYSES
from tests.support.analysis_pages import every_type
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked
from tests.support.joint_survey import joint_survey


@pytest.mark.parametrize("name", ANALYSES)
def test_each_analysis_has_a_page_for_analysts_that_leads_to_the_others(
    app, store, researcher, name
):
    every_type(store, 20)
    assert app.view_functions["admin.analysis"].role == ANALYST
    path = "" if name == "crosstab" else f"/{name}"
    page = researcher.client.get(f"/admin/surveys/health/analysis{path}").text
    head = page.partition('aria-label="Analyses"')[2].partition("</nav>")[0]
    titles = [kind.title for kind in ANALYSES.values()]
    assert re.findall(r">([^<]+)</a>", head) == [*titles, "Saved analyses"]
    assert f'aria-current="page">{ANALYSES[name].title}</a>' in head
    assert "<form" in page


# Two groups, and the analyses that find their difference.
GROUPS = {
    "n": "1500", "groups": "2", "share-1": "50", "share-2": "50",
    "drinks:yes": "80", "drinks:no": "20", "2:drinks:yes": "10", "2:drinks:no": "90",
    "smokes:yes": "70", "smokes:no": "30", "2:smokes:yes": "10", "2:smokes:no": "90",
    "age:mean": "7", "age:sd": "1", "2:age:mean": "3", "2:age:sd": "1",
}  # fmt: skip
SIMULATED = [
    ("", "crosstab", "rows=drinks&columns=smokes&of=all"),
    ("/groups", "groups", "measure=smokes:0&group=drinks&against=pairs"),
    ("/correlation", "correlation", "questions=drinks:0&questions=smokes:0&questions=age:"),
    ("/regression", "regression", "outcome=smokes&predictors=drinks&predictors=age"),
    ("/tree", "tree", "target=smokes&predictors=drinks&predictors=age"),
    ("/validity", "validity", "asked=smokes:0&denied=10&false=0&random=0"),
]


@pytest.fixture
def simulated(store, researcher, monkeypatch):
    """A draft with a simulation: its address.

    The page draws without a seed. Here the seed is fixed: with 4 of 200 other seeds, a small group
    leaves the regression without an estimate.
    """

    def simulate_with_seed(*given, seed):
        assert seed is None
        return simulate_groups(*given, seed=7)

    monkeypatch.setattr(simulation, "simulate_groups", simulate_with_seed)
    age = asked("age", "number", "none", min=0, max=9, unit="years")
    content = definition(yes_no("drinks"), yes_no(), age)
    store.surveys.save_draft(parse_survey(content))
    test = "/admin/surveys/health/try-out"
    reply = researcher.post(f"{test}/pilot", GROUPS, form=test)
    assert reply.status_code == 302, reply.text
    assert "/admin/surveys/health.pilot/analysis" in researcher.client.get(reply.location).text
    return "/admin/surveys/health.pilot/analysis"


@pytest.mark.parametrize(("path", "name", "query"), SIMULATED)
def test_a_simulation_has_each_analysis_next_to_the_true_answers(
    researcher, simulated, path, name, query
):
    page = researcher.client.get(f"{simulated}{path}?{query}").text
    assert "Simulation: nobody was asked." in page
    assert 'class="said"' in page
    # The other analyses and the files are those of the simulation, too.
    assert page.count('href="/admin/surveys/health.pilot/analysis') >= len(ANALYSES)
    assert 'href="/admin/surveys/health/analysis' not in page
    assert "<strong>With the true answers:</strong> " in page
    # The two trees may have no leaf in common. Then they have only their sentences.
    table = page.partition('id="true-figures"')[2].partition("</table>")[0]
    assert table or name == "tree"
    if table:
        held = len(re.findall(r">yes</td>", table))
        rows = table.count("<tr>") - 1
        assert f"{held} of {rows} intervals contain the value from the true answers." in page
        assert rows >= 1
    for kind in ("csv", "json", "svg"):
        reply = researcher.client.get(f"{simulated}/{name}.{kind}?{query}")
        assert reply.status_code == 200
        assert f"health.pilot-simulated-{name}.{kind}" in reply.headers["Content-Disposition"]
    answers = researcher.client.get(f"{simulated}/{name}.json?{query}").get_json()
    assert answers["origin"] == "simulated"


def test_a_simulation_of_a_joint_question_has_its_true_values(researcher, store):
    """Also those of the questions behind it, and the cross-tabulation with the true answers."""
    store.surveys.save_draft(parse_survey(joint_survey()))
    test = "/admin/surveys/joint/try-out"
    shares = {
        "n": "2000", "groups": "1",
        "drinks:yes": "40", "drinks:no": "55", "drinks:prefer_not_to_say": "5",
        "drives:yes": "30", "drives:no": "70",
        "smokes:never": "50", "smokes:some": "30", "smokes:often": "20",
    }  # fmt: skip
    reply = researcher.post(f"{test}/pilot", shares, form=test)
    assert reply.status_code == 302, reply.text
    page = researcher.client.get(reply.location).text
    # Twelve combinations, and three answers to each question.
    assert page.count("data-assumed=") == 12 + 9
    assert "Candor calculated this answer from other simulated answers." in page
    query = "rows=habits/drinks&columns=habits/smokes&of=all"
    table = researcher.client.get(f"/admin/surveys/joint.pilot/analysis?{query}").text
    assert "<strong>With the true answers:</strong> " in table


@pytest.mark.parametrize(("path", "name", "query"), SIMULATED[:3])
def test_a_page_has_the_numbers_of_its_language_and_its_files_are_in_english(
    researcher, simulated, path, name, query
):
    vietnamese = {"Accept-Language": "vi"}
    page = researcher.client.get(f"{simulated}{path}?{query}", headers=vietnamese).text
    result = re.sub(r"<[^>]*>", " ", page.partition('class="said"')[2].partition("<svg")[0])
    assert re.search(r"\d,\d", result)
    assert not re.search(r"\d\.\d", result)
    for kind in ("csv", "json"):
        address = f"{simulated}/{name}.{kind}?{query}"
        english = researcher.client.get(address).data
        assert researcher.client.get(address, headers=vietnamese).data == english


def correlation_by_hand(rows, stretch, shift):
    """φ of the first two columns.

    The share of Yes is stretch * the share of reports of Yes - shift. The covariance of the answers
    is stretch² * that of the reports.
    """
    yes = np.array([row[:2] for row in rows]) == 0
    shares = stretch * yes.mean(axis=0) - shift
    covariance = stretch**2 * np.cov(yes.T, ddof=0)[0, 1]
    return covariance / np.sqrt((shares * (1 - shares)).prod())


def test_related_groups_are_found_and_independent_answers_are_not(store, researcher, simulated):
    """In each group the answers are independent: φ = 0.35 * 0.30 / sqrt(0.45 0.55 0.40 0.60).

    The correlation of 0.43 has a standard error of about 4 / sqrt(1500) = 0.105 with four coins,
    and of 0.0235 for the true answers. The bounds are 5.7 standard errors away: with another seed,
    a false alarm has a probability below 10^-7. The comparison with the stored rows is exact.
    """
    query = "questions=drinks:0&questions=smokes:0"
    page = researcher.client.get(f"{simulated}/correlation?{query}").text
    row = page.partition('id="true-figures"')[2].partition("</table>")[0]
    shown = {
        label: re.search(rf'data-label="{label}">([−0-9.]+)', row)[1].replace("−", "-")
        for label in ("True answers", "Estimate")
    }
    true = correlation_by_hand(store.responses.rows("health.pilot-answers"), 1, 0)
    reported = correlation_by_hand(store.responses.rows("health.pilot"), 2, 0.5)
    assert true == pytest.approx(0.43, abs=0.14)
    assert reported == pytest.approx(0.43, abs=0.6)
    assert abs(true - reported) > 0.05  # with this seed
    # The estimate comes from the reports alone, and the figure next to it from the true answers.
    # Figures of the page have two decimals, so those of many seeds are equal.
    content = researcher.client.get(f"{simulated}/correlation.json?{query}").get_json()
    assert content["pairs"][0]["correlation"]["estimate"] == pytest.approx(reported, abs=1e-9)
    assert float(shown["Estimate"]) == pytest.approx(reported, abs=0.005 + 1e-9)
    assert float(shown["True answers"]) == pytest.approx(true, abs=0.005 + 1e-9)


def test_a_real_survey_has_no_true_answers(store, researcher):
    every_type(store, 400)
    page = researcher.client.get(
        "/admin/surveys/health/analysis?rows=smokes&columns=region&of=all"
    ).text
    assert 'class="said"' in page
    assert "true-figures" not in page
    assert "Simulation: nobody was asked" not in page
