"""What is compared between groups: values of numbers, and scores of boxes."""

import numpy as np
import pytest

from survey.analysis import AnalysisColumn, question_column
from survey.analysis.groups.groups import compare
from survey.analysis.groups.measures import measure_of
from survey.analysis.tables.correlation import pearson_correlation
from survey.definition.survey import parse_survey
from tests.support.analysed import plain
from tests.support.definitions import definition
from tests.support.every_type import asked

pytestmark = pytest.mark.fast


def test_a_non_private_number_of_many_values_is_measured_by_its_values():
    r, n = np.random.default_rng(13), 5000
    question = parse_survey(definition(asked("x", "number", "none", min=0, max=9000))).fields[0]
    answers = r.integers(0, 9001, n)
    column_x = question_column(question, [int(answer) for answer in answers])
    assert column_x.scores is None
    group = r.integers(0, 2, n)
    found = compare(column_x, plain(group, 2, "g"))
    assert found.groups[1].figure.value == pytest.approx(answers[group == 1].mean())
    y = np.array(answers > 4000, dtype=int)
    assert pearson_correlation(column_x, plain(1 - y, 2, "y")).figure.value == pytest.approx(
        np.corrcoef(answers, y)[0, 1]
    )


def test_a_box_without_a_table_is_measured_by_its_scores():
    both = np.array([0, 1, 0, 1] * 2)
    untabled = AnalysisColumn(
        name="b",
        label="B",
        answers=("Ticked", "Not ticked"),
        values=None,
        chances=np.empty((2, 0)),
        scores=np.eye(2),
        value_scores=None,
        reports=both,
        private=True,
        ordered=False,
        draw="b",
    )
    assert measure_of(untabled).scores.tolist() == [1, 0]
    assert compare(untabled, plain([0, 0, 1, 1] * 2, 2, "g")).groups[0].figure.value == 0.5
