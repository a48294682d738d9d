"""The command `analyse estimate`: the results of all questions, also under a sampling design."""

import json

import pytest

from survey.analysis import columns_by_name
from survey.analysis.columns.column_request import DesignNames, analysed
from survey.analysis.design_estimates import design_estimates
from survey.web.published_results import results_of, survey_now
from tests.support.habits import SURVEY, N, loaded, rows


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
    columns, design = analysed(SURVEY, rows(), wanted, DesignNames("weight", "region"))
    expected = list(design_estimates(columns, design))
    assert [(each["question"], each["answer"], each["n"]) for each in found["estimates"]] == [
        (each.measure.column.name, each.measure.answer, each.n) for each in expected
    ]
    for each, known in zip(found["estimates"], expected, strict=True):
        assert each["figure"]["value"] == pytest.approx(known.figure.value, rel=1e-12)
    printed = run("analyse", "estimate", "habits", *arguments)
    assert "What of drinks?, share of Yes: " in printed
    assert "finite population" not in printed


def test_a_private_question_defines_no_stratum(run):
    refused = run("analyse", "estimate", "habits", "--strata", "mood", code=1)
    assert "mood is private. For weights, strata or clusters, choose a non-private" in refused
