"""Changes between surveys: estimates, mechanisms, dependence, trend and refusals."""

from dataclasses import replace

import numpy as np
import pytest

from bench.examinations.answers import asked
from survey.analysis.changes.changes import change_json, compare_surveys
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import scores_of_table
from survey.estimation.share_differences import DIFFERENT, REMEMBERED, SHARED

COIN = np.array([[0.75, 0.25], [0.25, 0.75]])
DIRECT = np.eye(2)


def yes_column(yes: int, no: int, table: np.ndarray = COIN) -> AnalysisColumn:
    """A yes/no question with these counts of reports."""
    reports = np.repeat([0, 1], [yes, no])
    scores = scores_of_table(table, np.eye(2))
    return AnalysisColumn(
        name="smokes",
        label="Do you smoke?",
        answers=("Yes", "No"),
        values=None,
        chances=table,
        scores=scores,
        value_scores=None,
        reports=reports,
        private=True,
        ordered=False,
        report_names=("Yes", "No"),
        draw="smokes",
    )


def compared(*columns: AnalysisColumn, relation: str = DIFFERENT):
    labels = [f"Wave {number}" for number in range(1, len(columns) + 1)]
    designs = [SurveyDesign()] * len(columns)
    return compare_surveys(columns, labels, designs, 0, relation)


def test_two_surveys_with_different_mechanisms() -> None:
    found = compared(yes_column(250, 250), yes_column(300, 200, DIRECT))
    assert [wave.figure.value for wave in found.waves] == pytest.approx([0.5, 0.6])
    (difference,) = found.differences
    figure = difference.figure
    assert figure.value == pytest.approx(0.1)
    errors = (2 * 0.5 / 499**0.5, (0.24 / 499) ** 0.5)
    assert figure.standard_error == pytest.approx(np.hypot(*errors))
    assert 0 < figure.low < 0.005
    assert 0.04 < difference.p < 0.05
    assert difference.adjusted == difference.p
    assert found.trend is None


def test_shared_respondents_lengthen_the_interval_less_than_added_errors() -> None:
    columns = yes_column(300, 700), yes_column(350, 650)
    lengths = []
    for relation in (DIFFERENT, SHARED, REMEMBERED):
        figure = compared(*columns, relation=relation).differences[0].figure
        lengths.append(figure.high - figure.low)
    assert lengths[0] < lengths[1] == pytest.approx(lengths[2])
    # For coins and a rare answer, the bound is much shorter than a sum of standard errors.
    assert lengths[1] / lengths[0] < 1.2 < 2**0.5


@pytest.mark.parametrize("kind", ["yes_no", "scale"])
def test_means_and_special_answers_have_the_bound_of_their_answers(kind) -> None:
    """Their noise is independent, so only the answers of the same people lengthen the interval."""
    column = asked("x", kind, {"epsilon": 1.0}, 5, declines=kind == "yes_no")
    reports = np.arange(2_000) % column.chances.shape[1]
    columns = [replace(column, reports=reports)] * 2
    answer, lengths = (0 if kind == "yes_no" else None), []
    for relation in (DIFFERENT, SHARED, REMEMBERED):
        [found] = compare_surveys(
            columns, ("a", "b"), [SurveyDesign()] * 2, answer, relation
        ).differences
        lengths.append(found.figure.high - found.figure.low)
    assert lengths[0] < lengths[1] == pytest.approx(lengths[2])
    assert lengths[1] / lengths[0] < 1.2 < 2**0.5


def test_a_trend_is_the_average_change_of_a_line() -> None:
    found = compared(*(yes_column(yes, 2000 - yes) for yes in (600, 700, 800, 900)))
    assert found.trend is not None
    assert found.trend.value == pytest.approx(0.1)
    assert found.trend.low > 0
    assert found.trend_p is not None
    assert found.trend_p < 0.001
    assert len(found.differences) == 3
    assert all(each.adjusted >= each.p for each in found.differences)
    assert all(each.low <= each.figure.low for each in found.differences)


def test_different_answers_are_not_compared() -> None:
    other = replace(yes_column(10, 10), answers=("Often", "Never"))
    with pytest.raises(UnanswerableQuestion, match="have different answers"):
        compared(yes_column(10, 10), other)
    with pytest.raises(UnanswerableQuestion, match="Choose two to"):
        compared(yes_column(10, 10))


def test_weights_use_the_design_of_each_survey() -> None:
    columns = (yes_column(20, 20), yes_column(30, 10))
    designs = (SurveyDesign(weights=np.linspace(1, 2, 40)), SurveyDesign())
    found = compare_surveys(columns, ("one", "two"), designs, 0, SHARED)
    assert found.waves[0].figure.method != found.waves[1].figure.method


def test_the_file_has_all_figures() -> None:
    found = compared(*(yes_column(yes, 200 - yes) for yes in (60, 70, 80)))
    content = change_json(found)
    assert [each["n"] for each in content["surveys"]] == [200, 200, 200]
    assert content["differences"][1]["survey"] == "Wave 3"
    assert content["trend"]["estimate"] == pytest.approx(0.1)


def test_a_change_stays_in_the_possible_range() -> None:
    figure = compared(yes_column(0, 6), yes_column(6, 0)).differences[0].figure
    assert figure.value == pytest.approx(2)
    assert -1 < figure.low < figure.high == 1
