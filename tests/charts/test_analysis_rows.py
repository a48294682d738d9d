"""The rows of charts have the labels and numbers of their analysis."""

import numpy as np
import pytest

from survey.analysis.groups.groups import compare
from survey.analysis.indirect.list_experiment import list_experiment
from survey.analysis.regression.regression import regress
from survey.analysis.tables.correlation_matrix import correlations
from survey.charts.analysis_rows import (
    coefficient_chart,
    correlation_chart,
    groups_chart,
    list_chart,
    percent_tick,
)
from survey.charts.interval_rows import NARROW, WIDE
from tests.support.analysed import plain
from tests.support.charted import drawn, words

pytestmark = pytest.mark.fast

X = plain(np.array([0, 1] * 60), 2, "x")
Y = plain(np.array([0, 1, 1, 0, 0, 1] * 20), 2, "y")


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_groups_have_a_dot_each_and_one_for_everyone(layout):
    found = compare(Y, X, answer=0)
    chart = groups_chart(found, layout)
    assert len(drawn(chart, "circle")) == 3
    assert {"x0", "x1", "Everyone"} <= {*words(chart)}
    figure = found.everyone
    figures = f"50.0 % ({100 * figure.low:.1f} to {100 * figure.high:.1f})"
    assert figures in words(chart)


def test_coefficients_have_no_constant():
    chart = coefficient_chart(regress(Y, [X]), [X])
    assert len(drawn(chart, "circle")) == 1
    assert "constant" not in words(chart)
    assert "What of x? “x0”" in " ".join(words(chart))


def test_one_correlation_lies_between_minus_1_and_1():
    chart = correlation_chart(correlations([X, Y], answers=[0, 0]), ["X", "Y"])
    assert len(drawn(chart, "circle")) == 1
    assert "X × Y" in words(chart)
    assert {"−1", "1"} <= {*words(chart)}


def test_percentages_on_an_axis_have_no_needless_decimals():
    assert [percent_tick(share) for share in (0, 0.2, 0.025)] == ["0 %", "20 %", "2.5 %"]


def test_types_of_a_list_experiment_have_possible_intervals():
    """A type with the share 1.4 % had the interval −2.3 % to 5.2 %."""
    chart = list_chart(list_experiment((47, 184, 177, 67), (36, 105, 163, 94, 27)))
    assert "1.4 % (0.0 to 5.2)" in words(chart)
    assert not any("(−" in each for each in words(chart))
