"""`analyse regression`, from a survey's responses to a table."""

import json
import re

import pytest

from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, TRUTH, asked, letters
from tests.support.written import write

PRIVACY = {"mechanism": "coin_flip"}
SURVEY = definition(
    yes_no(),
    yes_no("drinks", PRIVACY, "Do you drink?"),
    asked("mood", "scale", {"epsilon": 2}, choices=letters("123")),
    asked("hours", "number", {"epsilon": 3}, min=0, max=10),
    asked("region", "select_one", "none", choices=letters("nes")),
    asked("age", "number", "none", min=18, max=97),
    asked("school", "number", "none", min=0, max=49),
    asked("stands_for", "number", "none", min=1, max=5),
    asked("remarks", "text", "none"),
)
SHARES = {
    "smokes": {"yes": 0.3}, "drinks": {"yes": 0.6}, "mood": {"1": 0.3, "2": 0.4, "3": 0.3},
    "hours": {"mean": 4, "sd": 2}, "region": {"n": 0.5, "e": 0.3, "s": 0.2},
    "age": {"mean": 50, "sd": 15}, "school": {"mean": 25, "sd": 12},
    "stands_for": {"mean": 3, "sd": 1},
}  # fmt: skip


def regression(outcome: str, *predictors: str, slug: str = "health") -> list[str]:
    """The command line of a regression."""
    terms = [f"--predictors={each}" for each in predictors]
    return ["analyse", "regression", slug, "--outcome", outcome, *terms]


@pytest.fixture
def survey(run, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", SURVEY))
    truth = write(tmp_path / "truth.json", SHARES)
    run("responses", "simulate", "health", "--n", "2000", "--truth", truth, "--seed", "5")
    return run


def test_a_regression_in_words(survey):
    output = survey(*regression("smokes", "age", "region", "drinks"))
    assert output.startswith(
        "Responses: simulated.\nLogistic regression: Do you smoke?\n"
        "The responses do not show that “Do you smoke?” is related to "
    )
    lines = output.splitlines()
    assert "Based on 2,000 responses. Estimator: maximum likelihood." in output
    assert "Log-likelihood: −" in output
    assert "AIC (Akaike information criterion): " in output
    assert "Standard errors: observed information." in output
    assert "Method for the intervals: profile likelihood." in output
    assert "The log odds compare each answer with “No”." in output
    headings = next(line for line in lines if "Coefficient " in line)
    assert headings.split() == [
        "Predictor", "Coefficient", "Standard", "error", "Odds", "ratio", "p"
    ]  # fmt: skip
    for name in ("constant", "What of age?", "What of region? “E”", "What of region? “S”",
                 "Do you drink? “Yes”"):  # fmt: skip
        assert any(line.startswith(f"  {name}  ") for line in lines), name
    assert re.search(r"What of region\? +score +\d+\.\d\d +2 +0\.\d{3} +[01]\.", output)
    assert "p (Holm)" in output
    assert "Average marginal effects" in output
    assert "Predicted shares" in output
    assert "nan" not in output


@pytest.mark.parametrize("model", ["ordered", "multinomial", "linear"])
def test_every_model_of_a_scale(survey, model):
    arguments = (*regression("mood", "age", "drinks"), "--model", model)
    output = survey(*arguments)
    name = {"ordered": "Ordinal logistic", "multinomial": "Multinomial logistic"}.get(
        model, "Linear"
    )
    assert f"{name} regression: What of mood?" in output
    found = json.loads(survey(*arguments, "--json"))
    assert (found["model"], found["n"], found["survey"]) == (model, 2000, "health")
    assert found["origin"] == "simulated"
    rows = {"ordered": 4, "multinomial": 6, "linear": 3}[model]
    assert len(found["coefficients"]) == rows


@pytest.mark.parametrize("model", ["probit", "cloglog", "cauchit"])
def test_other_links_have_no_odds_ratios(survey, model):
    output = survey(*regression("smokes", "age", "drinks"), "--model", model)
    name = {"cloglog": "Complementary log-log"}.get(model, model.capitalize())
    assert f"{name} regression: Do you smoke?" in output
    assert "Each coefficient is a change of " in output
    assert "odds" not in output.casefold()
    assert "Logits" not in output
    found = survey(*regression("smokes", "age"), "--model", model, "--json")
    assert json.loads(found)["model"] == model


def test_without_a_model_it_is_the_usual_one(survey):
    for outcome, model in (
        ("smokes", "Logistic"), ("mood", "Ordinal logistic"), ("hours", "Linear"),
        ("region", "Multinomial logistic"), ("age", "Linear"),
    ):  # fmt: skip
        assert f"{model} regression: " in survey(*regression(outcome, "drinks"))


def test_weights_strata_and_clusters(survey):
    output = survey(
        *regression("smokes", "age"), "--weights", "stands_for", "--strata", "region",
        "--clusters", "school",
    )  # fmt: skip
    assert "Standard errors: clustered." in output
    assert re.search(r"What of age\? +Wald", output)


def test_terms_of_a_formula(survey):
    output = survey(
        *regression("smokes", "age"), "--further", "age*region I(age^2) C(region, ref=E)"
    )
    for name in (
        "What of age?", "What of region? “N”", "What of region? “S”",
        "What of age? × What of region? “N”", "What of age? ^ 2",
    ):  # fmt: skip
        assert any(line.startswith(f"  {name}  ") for line in output.splitlines()), name
    assert re.search(r"What of age\? × What of region\? +likelihood ratio", output)


def test_a_number_as_categories(survey):
    output = survey(
        *regression("smokes", "mood"), "--further", "C(mood)", "--errors-of", "sandwich"
    )
    assert "  What of mood? “3”" in output
    assert "Standard errors: sandwich." in output


@check_each(
    ("arguments", "words"),
    [
        (("smokes", "beer"), "'beer' is not possible for --predictors. Choose one of these: "),
        (("smokes", "remarks"), "'remarks' is not possible for --predictors."),
        (("smokes", "age", "--clusters=drinks"), "'drinks' is not possible for --clusters."),
        (("smokes", "age", "--weights=region"), "Choose one of these: age, school, stands_for."),
        (("smokes", "age", "--further=C(beer)"), "can be a predictor has the name “beer”"),
        (("smokes", "smokes"), "is chosen twice. Choose different questions."),
        (("smokes", "age", "--further=age:region"), "“age × region” needs “region”"),
        (
            ("smokes", "age", "drinks", "--further=age:drinks"),
            "“age × drinks” contains “Do you drink?”",
        ),
        (("smokes", "age", "--further=log(age)"), "“log(age)” is not a term of a model"),
        (("smokes", "age", "--further=C(region, ref=west)"), "no answer “west” to compare with"),
        (("hours", "age", "--errors-of=expected"), "no expected ones"),
    ],
)
def test_refusals_are_sentences(survey, arguments, words):
    outcome, *others = arguments
    predictors = [each for each in others if not each.startswith("--")]
    options = [each for each in others if each.startswith("--")]
    assert words in survey(*regression(outcome, *predictors), *options, code=1)


def test_drafts_and_surveys_without_responses(run, store, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", SURVEY))
    assert "is a draft" in run(*regression("smokes", "age"), code=1)
    assert "no survey" in run(*regression("smokes", "age", slug="none"), code=1)
    empty = write(tmp_path / "y.json", SURVEY | {"slug": "empty"})
    run("survey", "import", "--open", "--hardly-protected", empty)
    refused = run(*regression("smokes", "age", slug="empty"), code=1)
    assert "There is no response yet" in refused


@pytest.fixture
def every_type(run, tmp_path):
    """Regressions of a survey with every type of question."""
    run("survey", "import", write(tmp_path / "x.json", EVERY_TYPE))
    # No share is so rare that an estimate may be negative.
    shares = TRUTH | {
        "colour": {"r": 0.4, "g": 0.2, "b": 0.2, "w": 0.2},
        "pets": {"c": 0.4, "d": 0.5, "prefer_not_to_say": 0.3},
    }
    truth = write(tmp_path / "truth.json", shares)
    run("responses", "simulate", "health", "--n", "3000", "--truth", truth, "--seed", "6")
    return run


def test_a_question_of_any_type_can_be_an_outcome_and_not_each_a_predictor(every_type):
    for outcome in ("smokes", "weight"):
        result = every_type(*regression(outcome, "region"), "--json")
        assert json.loads(result)["n"] > 1_000, outcome
    refused = every_type(*regression("glasses", "weight"), code=1)
    assert "it cannot be a predictor. It can be the outcome." in refused


@pytest.mark.slow
def test_questions_of_every_type(every_type):
    for outcome, *predictors in (
        ("smokes", "region"),  # with "prefer not to say"
        ("party", "years"),  # subset selection
        ("colour", "news/p", "sleep"),  # unary encoding
        ("tried/v", "years"),  # sampled boxes
        ("pets/c", "region"),  # a table of boxes, with "prefer not to say"
        ("mood", "smokes", "region"),
        ("glasses", "years"),  # Some people are not asked.
        ("years", "colour"),
        ("weight", "region"),  # One bit supports a mean alone. It also has "prefer not to say".
    ):
        result = every_type(*regression(outcome, *predictors), "--json")
        assert json.loads(result)["n"] > 1_000, outcome
