"""The page of regressions: its tables, its equations, and its refusals."""

import math
import re

import pytest
from scipy.stats import cauchy, norm

from survey.analysis import columns_by_name
from survey.analysis.regression.regression import regress
from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.analysis_pages import REFUSED, REGION, every_type, kinds, options, shown
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import Researcher

AGE = asked("age", "number", "none", min=0, max=100)
MOOD = asked("mood", "scale", {"epsilon": 3}, choices=letters("123"))


def estimates(page: str, table: str) -> list[float]:
    """The estimates of a table, each the first figure of its row."""
    rows = page.partition(f'id="{table}"')[2].partition("</table>")[0].split("</tr>")
    found = (re.search(r'<data value="([^"]+)"', row) for row in rows)
    return [float(each[1]) for each in found if each]


def test_a_logistic_regression_on_one_predictor_is_the_closed_form(
    researcher: Researcher, store: Store
):
    opened(store, definition(REGION, yes_no()))
    # 25 of 40 in town and 8 of 20 in the country report yes; the estimate is 2P - 1/2.
    reports = [(0, 0)] * 25 + [(0, 1)] * 15 + [(1, 0)] * 8 + [(1, 1)] * 12
    for number, both in enumerate(reports):
        store.responses.add_response("health", Response(number.to_bytes(16), both))
    asked_for = {"outcome": "smokes", "predictors": "region"}
    page = shown(researcher, "/regression", **asked_for, estimator="penalised")
    # With the penalty, half a respondent gives each answer in each group. The share π has
    # the maximum of y ln(1/4 + π/2) + (n − y) ln(3/4 − π/2) + ln(π (1 − π)) / 2.
    country, town = (share_with_penalty(*counts) for counts in ((8, 20), (25, 40)))
    low, high = (math.log(share / (1 - share)) for share in (country, town))
    assert estimates(page, "coefficients") == pytest.approx([low, high - low], abs=1e-6)
    assert estimates(page, "effects") == pytest.approx([town - country], abs=1e-6)
    assert estimates(page, "shares") == pytest.approx([country, town], abs=1e-6)
    assert "Logistic regression: Do you smoke?" in page
    assert "The log odds compare each answer with “No”." in page
    odds = f"{math.exp(high - low):.2f}"
    assert re.search(rf'data-label="Odds ratio"><div><span><data value="[^"]+">{odds}</data>', page)
    assert f"ln(Pr(Yes) / Pr(No)) = −{-low:.4g} + {high - low:.4g} × [region: Town]" in page
    assert "<code>region</code>" in page
    assert (
        "Estimator: penalised. Standard errors: observed information. Method for the intervals: "
        "profile likelihood with Bartlett’s correction." in page
    )


@pytest.mark.parametrize(
    ("model", "quantile", "information_slope", "name", "sentence"),
    [
        (
            "probit", norm.ppf, lambda x: -2 * x + norm.pdf(x) * (1 / norm.sf(x) - 1 / norm.cdf(x)),
            "Probit regression", "where Pr is the share of “Yes” and Φ⁻¹",
        ),
        (
            "cauchit", cauchy.ppf,
            lambda x: -4 * x / (1 + x * x)
            + cauchy.pdf(x) * (1 / cauchy.sf(x) - 1 / cauchy.cdf(x)),
            "Cauchit regression", "the quantile of the standard Cauchy distribution",
        ),
    ],
)  # fmt: skip
def test_other_links_on_one_predictor_are_the_closed_form_and_have_no_odds_ratios(
    researcher: Researcher, store: Store, model, quantile, information_slope, name, sentence
):
    opened(store, definition(REGION, yes_no("smokes", "none")))
    answers = [(0, 0)] * 25 + [(0, 1)] * 15 + [(1, 0)] * 8 + [(1, 1)] * 12
    for number, both in enumerate(answers):
        store.responses.add_response("health", Response(number.to_bytes(16), both))
    asked_for = {"outcome": "smokes", "predictors": "region", "model": model}
    page = shown(researcher, "/regression", **asked_for, estimator="penalised")
    # With one parameter for each group, the penalty is half the logarithm of each group's
    # information. At the maximum, y ln F + (n − y) ln(1 − F) + ln w / 2 has a slope of zero.
    low, high = estimates(page, "coefficients")
    for eta, yes, n in ((low, 8, 20), (low + high, 25, 40)):
        share = quantile.__self__.cdf(eta)
        dense = quantile.__self__.pdf(eta)
        slope = dense * (yes / share - (n - yes) / (1 - share)) + information_slope(eta) / 2
        assert slope == pytest.approx(0, abs=1e-6)
    country, town = (quantile.__self__.cdf(eta) for eta in (low, low + high))
    assert estimates(page, "effects") == pytest.approx([town - country], abs=1e-6)
    assert estimates(page, "shares") == pytest.approx([country, town], abs=1e-6)
    assert f"{name}: Do you smoke?" in page
    assert sentence in page
    assert "odds" not in page.casefold()


def share_with_penalty(yes: int, n: int) -> float:
    """Of reports by symmetric coins, by bisection of the derivative."""
    low, high = 1e-9, 1 - 1e-9
    for _ in range(200):
        share = (low + high) / 2
        slope = yes / 2 / (0.25 + share / 2) - (n - yes) / 2 / (0.75 - share / 2)
        slope += (1 / share - 1 / (1 - share)) / 2
        low, high = (share, high) if slope > 0 else (low, share)
    return low


def test_further_terms_are_part_of_the_address_and_named_if_wrong(
    researcher: Researcher, store: Store
):
    opened(store, definition(REGION, yes_no(), AGE))
    for number in range(120):
        row = (number % 2, number * 7 % 11 % 2, 20 + number * 13 % 50)
        store.responses.add_response("health", Response(number.to_bytes(16), row))
    asked_for = {"outcome": "smokes", "predictors": ["region", "age"]}
    terms = "age:region I(age^2), C(region, ref=Country)"
    page = shown(researcher, "/regression", **asked_for, further=terms)
    assert "What of age? ^ 2" in page
    assert "× What of age?" in page or "What of age? ×" in page
    assert "Each test shows whether a predictor, with its products" in page
    for term, message in (
        ("log(age)", "“log(age)” is not a term of a model"),
        ("age*beer", "has the name “beer”"),
        ("age:smokes", "needs “smokes” as a predictor"),
    ):
        page = shown(researcher, "/regression", **asked_for, further=term)
        assert message in page


def test_a_scale_with_prefer_not_to_say_has_a_default_model(researcher: Researcher, store: Store):
    opened(store, definition(MOOD | {"prefer_not_to_say": True}, REGION))
    for number in range(60):
        row = (number % 7 % 4, number % 2)
        store.responses.add_response("health", Response(number.to_bytes(16), row))
    page = shown(researcher, "/regression", outcome="mood", predictors="region")
    assert "Linear regression: What of mood?" in page
    assert "describe respondents who gave no special answer to “What of mood?”" in page
    assert len(estimates(page, "coefficients")) == 2
    refused = shown(researcher, "/regression", outcome="mood", predictors="region", model="ordered")
    assert "has no place in the order of the answers" in refused


def test_a_number_with_a_mean_only_is_an_outcome_and_no_predictor(
    researcher: Researcher, store: Store
):
    private = {"epsilon": 1, "goal": "mean"}
    hours = asked("hours", "number", private, min=0, max=40, prefer_not_to_say=True)
    opened(store, definition(hours, REGION))
    hint = "so each can be the outcome but not a predictor: “1. What of hours?”."
    for number in range(300):
        row = (number * 7 % 17, number % 2)
        store.responses.add_response("health", Response(number.to_bytes(16), row))
    page = shown(researcher, "/regression", outcome="hours", predictors="region")
    assert "Linear regression: What of hours?" in page
    assert len(estimates(page, "coefficients")) == 2
    assert hint in page
    page = shown(researcher, "/regression", outcome="region", predictors="hours")
    assert "so it cannot be a predictor. It can be the outcome." in page
    # Other surveys have no such hint.
    opened(store, definition(REGION, yes_no()) | {"slug": "other"})
    assert "but not a predictor" not in shown(researcher, "/regression", "other")


@pytest.mark.slow
@pytest.mark.parametrize("model", ["", "ordered", "multinomial", "linear"])
@pytest.mark.parametrize("sampled", [{}, {"weights": "age"}, {"clusters": "age"}])
def test_every_model_has_the_figures_of_the_core(
    researcher: Researcher, store: Store, model, sampled
):
    survey = opened(store, definition(MOOD, yes_no("drinks", "none"), AGE)).survey
    for number in range(300):
        row = (number % 7 % 3, number % 11 % 2, 1 + number % 13)
        store.responses.add_response("health", Response(number.to_bytes(16), row))
    page = shown(
        researcher, "/regression",
        outcome="mood", predictors=["drinks", "age"][: 2 - len(sampled)], model=model, **sampled,
    )  # fmt: skip
    named = {"linear": "Linear", "multinomial": "Multinomial logistic"}
    assert f"{named.get(model, 'Ordinal logistic')} regression" in page
    assert page.count("Standard errors: ") >= 1
    if sampled:
        assert "<details open>" in page
        assert "Standard errors: " + ("clustered" if "clusters" in sampled else "sandwich") in page
        return
    columns = columns_by_name(survey, store.responses.rows("health"), ["mood", "drinks", "age"])
    found = regress(columns["mood"], [columns["drinks"], columns["age"]], model or None)
    told = [row.value for row in found.coefficients]
    assert estimates(page, "coefficients") == pytest.approx(told, abs=1e-12)
    assert estimates(page, "effects") == pytest.approx([e.value for e in found.effects], abs=1e-12)
    assert estimates(page, "shares") == pytest.approx([s.value for s in found.shares], abs=1e-12)
    assert page.count('<p class="formula">') == 1 + {"linear": 1}.get(model, 2)


def test_it_begins_with_nothing_computed_and_asks_for_a_predictor(
    researcher: Researcher, store: Store
):
    opened(store, definition(REGION, yes_no()))
    page = shown(researcher, "/regression")
    assert "<tbody>" not in page
    assert "Tick at least one question." not in page
    assert 'aria-current="page">Analysis</a>' in page
    assert "Tick at least one question." in shown(researcher, "/regression", outcome="smokes")
    both = shown(researcher, "/regression", outcome="smokes", predictors="smokes")
    said = "“2. Do you smoke?” is chosen twice. Choose different questions."
    assert REFUSED + said in both


@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_few_responses_give_a_sentence(researcher: Researcher, store: Store, n):
    opened(store, definition(REGION, yes_no()))
    for number in range(n):
        store.responses.add_response(
            "health", Response(number.to_bytes(16), (number % 2, number // 2 % 2))
        )
    page = shown(researcher, "/regression", outcome="smokes", predictors="region")
    assert (REFUSED in page) == (n < 5)
    if n == 4:
        assert REFUSED + "There are too few responses (4) for 2 coefficients." in page


def test_one_question_is_too_few(researcher: Researcher, store: Store):
    opened(store, definition())
    assert "needs two questions other than" in shown(researcher, "/regression")


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 60])
def test_any_outcome_and_predictor_give_figures_or_a_sentence(
    researcher: Researcher, store: Store, n
):
    # The time grows with more than the square of the number of answers.
    every_type(store, n, parties="abcdefgh" if n == 5 else "abcd")
    names = kinds(options(shown(researcher, "/regression"), "outcome"))
    assert len(names) > 10
    for place, outcome in enumerate(names):  # each with two of the others; all pairs take minutes
        other, third = names[place - 1], names[place - 2]
        for predictors in ([other], [third]) if n == 5 else ([other], [other, third]):
            page = shown(researcher, "/regression", outcome=outcome, predictors=predictors)
            assert ('id="coefficients"' in page) != (REFUSED in page), (outcome, predictors)
