"""`analyse regress`, from a survey's responses to a table."""

import json

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


@pytest.fixture
def survey(run, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", SURVEY))
    truth = write(tmp_path / "truth.json", SHARES)
    run("responses", "simulate", "health", "--n", "2000", "--truth", truth, "--seed", "5")
    return run


def test_a_regression_in_words(survey):
    output = survey("analyse", "regress", "health", "smokes", "age", "region", "drinks")
    assert output.startswith(
        "Responses: simulated.\nLogistic regression of smokes\n"
        "2,000 responses; observed standard errors; intervals: profile likelihood\n"
        "The reference category of the logits is “No”.\n"
    )
    lines = output.splitlines()
    headings = next(line for line in lines if "coefficient" in line)
    assert headings.split() == [
        "coefficient", "standard", "error", "95", "%", "interval", "p", "odds", "ratio"
    ]  # fmt: skip
    for name in ("constant", "age", "region: E", "region: S", "drinks: Yes"):
        assert any(line.startswith(f"  {name}  ") for line in lines), name
    assert "  region: likelihood ratio" in output
    assert "degrees of freedom 2, p 0." in output
    assert "Average marginal effects" in output
    assert "Predicted shares" in output
    assert max(map(len, lines)) <= 100
    assert "nan" not in output


@pytest.mark.parametrize("model", ["ordered", "multinomial", "linear"])
def test_every_model_of_a_scale(survey, model):
    arguments = ("analyse", "regress", "health", "mood", "age", "drinks", "--model", model)
    output = survey(*arguments)
    assert f"{model.capitalize()} regression of mood" in output
    found = json.loads(survey(*arguments, "--json"))
    assert (found["model"], found["n"], found["survey"]) == (model, 2000, "health")
    assert found["origin"] == "simulated"
    rows = {"ordered": 4, "multinomial": 6, "linear": 3}[model]
    assert len(found["coefficients"]) == rows


@pytest.mark.parametrize("model", ["probit", "cloglog", "cauchit"])
def test_other_links_have_no_odds_ratios(survey, model):
    output = survey("analyse", "regress", "health", "smokes", "age", "drinks", "--model", model)
    assert f"{model.capitalize()} regression of smokes" in output
    assert "Each coefficient is a change of " in output
    assert "odds" not in output
    assert "Logits" not in output
    found = survey("analyse", "regress", "health", "smokes", "age", "--model", model, "--json")
    assert json.loads(found)["model"] == model


def test_without_a_model_it_is_the_usual_one(survey):
    for outcome, model in (
        ("smokes", "Logistic"), ("mood", "Ordered"), ("hours", "Linear"), ("region", "Multinomial"),
        ("age", "Linear"),
    ):  # fmt: skip
        assert f"{model} regression" in survey("analyse", "regress", "health", outcome, "drinks")


def test_weights_strata_and_clusters(survey):
    output = survey(
        "analyse", "regress", "health", "smokes", "age", "--weights", "stands_for", "--strata",
        "region", "--clusters", "school",
    )  # fmt: skip
    assert "clustered standard errors" in output
    assert "age: Wald" in output


def test_clustered_errors_can_be_named_as_the_documents_name_them(survey):
    asked = ("analyse", "regress", "health", "smokes", "age")
    named = survey(*asked, "--clusters", "school", "--se", "clustered")
    assert named == survey(*asked, "--clusters", "school")
    assert "clustered standard errors" in named
    refused = survey(*asked, "--se", "clustered", code=1)
    assert "Clustered standard errors need clusters. Add --clusters QUESTION." in refused


def test_terms_of_a_formula(survey):
    output = survey(
        "analyse", "regress", "health", "smokes", "age*region", "I(age^2)", "C(region, ref=E)"
    )
    for name in ("age", "region: N", "region: S", "age × region: N", "age^2"):
        assert any(line.startswith(f"  {name}  ") for line in output.splitlines()), name
    assert "  age × region: likelihood ratio" in output


def test_a_number_as_categories(survey):
    output = survey(
        "analyse", "regress", "health", "smokes", "mood", "--categories", "mood", "--se", "sandwich"
    )
    assert "  mood: 3" in output
    assert "sandwich standard errors" in output


@check_each(
    ("arguments", "words"),
    [
        (("smokes", "beer"), "There is no question 'beer'"),
        (("smokes", "remarks"), "remarks is a text"),
        (("smokes", "age", "--clusters", "drinks"), "drinks is private"),
        (("smokes", "age", "--weights", "region"), "region is not a number"),
        (("smokes", "age", "--categories", "mood"), "mood is not a predictor"),
        (("smokes", "smokes"), "different questions"),
        (("smokes", "age", "age:region"), "“age × region” needs “region” as a predictor"),
        (("smokes", "age", "age:drinks", "drinks"), "“age × drinks” contains “Do you drink?”"),
        (("smokes", "log(age)"), "“log(age)” is not a term of a model"),
        (("smokes", "C(region, ref=west)"), "has no answer “west” to compare with"),
        (("hours", "age", "--se", "expected"), "no expected ones"),
    ],
)
def test_refusals_are_sentences(survey, arguments, words):
    assert words in survey("analyse", "regress", "health", *arguments, code=1)


def test_drafts_and_surveys_without_responses(run, store, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", SURVEY))
    assert "is a draft" in run("analyse", "regress", "health", "smokes", "age", code=1)
    assert "no survey" in run("analyse", "regress", "none", "smokes", "age", code=1)
    empty = write(tmp_path / "y.json", SURVEY | {"slug": "empty"})
    run("survey", "import", "--open", "--hardly-protected", empty)
    assert "There is no response yet" in run("analyse", "regress", "empty", "smokes", "age", code=1)


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
        result = every_type("analyse", "regress", "health", outcome, "region", "--json")
        assert json.loads(result)["n"] > 1_000, outcome
    refused = every_type("analyse", "regress", "health", "glasses", "weight", code=1)
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
        result = every_type("analyse", "regress", "health", outcome, *predictors, "--json")
        assert json.loads(result)["n"] > 1_000, outcome
