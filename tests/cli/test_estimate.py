"""The command `analyse estimate`: the results of all questions, also under a sampling design."""

import csv
import json
from pathlib import Path

import pytest

from survey.analysis import columns_by_name
from survey.analysis.columns.column_request import DesignNames, columns_and_design
from survey.analysis.design_estimates import design_estimates
from survey.web.published_results import results_of, survey_now
from tests.support.definitions import definition
from tests.support.habits import SURVEY, N, loaded, rows
from tests.support.written import write


@pytest.fixture
def run(app, tmp_path, monkeypatch):
    """Run a command on a survey that was loaded from a file."""
    monkeypatch.chdir(tmp_path)
    return loaded(app, tmp_path)


def test_estimate_prints_the_line_that_the_page_shows(app, run):
    """A question with "prefer not to say" has scores; one that is stored as given has no line."""
    printed = run("analyse", "estimate", "habits")
    with app.app_context():
        results = results_of(survey_now("habits")).as_shown
    lines = [each.calculation.sentence for each in results.every if each.calculation]
    assert lines
    assert all(f"  {line}\n" in printed for line in lines)
    assert printed.count("Reports “") == sum(line.startswith("Reports “") for line in lines)
    assert printed.startswith(f"Responses: loaded.\n{N} responses, ")
    # Under a sampling design, estimates are no means of equally weighted reports.
    assert "Reports “" not in run("analyse", "estimate", "habits", "--weights", "weight")


def test_estimates_under_a_design_are_of_all_questions_but_those_of_the_design(run):
    arguments = ("--weights", "weight", "--strata", "region")
    found = json.loads(run("analyse", "estimate", "habits", *arguments, "--json"))
    names = ["smokes", "drinks", "mood", "drugs/a", "drugs/b"]
    wanted = [*columns_by_name(SURVEY, rows(), names)]
    columns, design = columns_and_design(SURVEY, rows(), wanted, DesignNames("weight", "region"))
    expected = list(design_estimates(columns, design))
    assert [(each["question"], each["answer"], each["n"]) for each in found["estimates"]] == [
        (each.measure.column.name, each.measure.answer, each.n) for each in expected
    ]
    for each, known in zip(found["estimates"], expected, strict=True):
        assert each["figure"]["value"] == pytest.approx(known.figure.value, rel=1e-12)
    printed = run("analyse", "estimate", "habits", *arguments)
    assert "What of drinks?, share of Yes: " in printed
    assert "finite population" not in printed


def test_few_degrees_of_freedom_are_said_after_the_estimates_that_they_concern(run):
    arguments = ("analyse", "estimate", "habits", "--clusters", "region")
    estimates = json.loads(run(*arguments, "--json"))["estimates"]
    fiellers = [each["figure"]["method"] == "Fieller, Student" for each in estimates]
    assert 0 < sum(fiellers) < len(estimates)
    codes = [[remark["code"] for remark in each["remarks"]] for each in estimates]
    assert codes == [["few_clusters"] if each else [] for each in fiellers]
    said = "few degrees of freedom for standard errors: 1. Intervals can therefore be too short."
    assert run(*arguments).count(said) == sum(fiellers)


def test_a_private_question_defines_no_stratum(run):
    refused = run("analyse", "estimate", "habits", "--strata", "mood", code=1)
    assert "mood is private. For weights, strata or clusters, choose a non-private" in refused


SAHA = "z=p_truth=0, factor_mean=3/2, addition_mean=8.25"


@pytest.fixture
def imported(run, tmp_path):
    """Scrambled reports of RRTCS in a survey, with the weight of each."""
    with (Path(__file__).parents[1] / "analysis" / "published" / "scrambled.csv").open() as lines:
        reports = [row for row in csv.DictReader(lines) if row["design"] == "Saha"]
    rows = "".join(f"{row['z']},{row['weight']}\n" for row in reports)
    (tmp_path / "saha.csv").write_text(f"z,wt\n{rows}")
    run("responses", "import-randomised", "saha", "saha.csv", "--numbers", "z", "--weights", "wt")
    return run


def test_scrambled_reports_of_a_file(imported):
    arguments = ("saha", "--scrambled", SAHA, "--weights", "wt")
    (found,) = json.loads(imported("analyse", "estimate", *arguments, "--json"))["estimates"]
    assert found["scrambled"] == {"p_truth": 0, "factor_mean": 1.5, "addition_mean": 8.25}
    # The import rounds reports to four decimals.
    assert found["figure"]["value"] == pytest.approx(6.18567785900288, abs=1e-4)
    assert found["figure"]["standard_error"] ** 2 == pytest.approx(0.948593340148609, abs=1e-4)
    printed = imported("analyse", "estimate", *arguments)
    assert "z, mean of the answers: 6.19 (4.25 to 8.12), n = 100" in printed
    assert "no ε bounds what a scrambled report reveals" in printed
    # Without the design, the mean is that of the reports.
    assert "z, mean: 17.5" in imported("analyse", "estimate", "saha", "--weights", "wt")


@pytest.mark.parametrize(
    ("scrambled", "code", "fault"),
    [
        ("z=p_truth=0,factor_mean=0,addition_mean=3", 1, "does not depend on the answers"),
        ("y=p_truth=0,factor_mean=1,addition_mean=3", 1, "There is no question 'y' to estimate."),
        ("z=p_truth=0,factor_mean=1", 2, "needs p_truth, factor_mean and addition_mean"),
        ("z", 2, "needs p_truth, factor_mean and addition_mean"),
        ("z=p_truth=0,p_truth=0,factor_mean=1,addition_mean=3", 2, "once each"),
        ("z=p_truth=2,factor_mean=1,addition_mean=3", 2, "a probability from 0 to 1"),
        ("z=p_truth=0,factor_mean=x,addition_mean=3", 2, "factor_mean must be a number"),
    ],
)
def test_a_scrambled_design_that_is_none(imported, scrambled, code, fault):
    assert fault in imported("analyse", "estimate", "saha", "--scrambled", scrambled, code=code)


def test_estimates_in_words(run, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()))
    assert "is a draft" in run("analyse", "estimate", "health", code=1)
    run("responses", "load", "health", write(tmp_path / "x.csv", "smokes\n" + "no\n" * 9 + "yes\n"))
    output = run("analyse", "estimate", "health")
    assert "10 responses, epsilon 1.10" in output
    assert "Yes: −30 % (standard error 20.0 points; 95 % interval 0 % to " in output
    assert "is below 0 %" in output


def test_few_responses_are_not_estimated_in_words_but_as_json(run, tmp_path):
    run("survey", "import", write(tmp_path / "x.json", definition()))
    run("responses", "load", "health", write(tmp_path / "x.csv", "smokes\n" + "no\n" * 4))
    output = run("analyse", "estimate", "health")
    assert "4 responses are too few to show an estimate. Here, Candor shows" in output
    assert "interval" not in output
    (question,) = json.loads(run("analyse", "estimate", "health", "--json"))["questions"]
    assert question["estimates"][0]["estimate"] == pytest.approx(-0.5)
