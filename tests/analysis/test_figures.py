"""Figures with intervals: Fieller’s method, and few degrees of freedom."""

import numpy as np
import pytest

from survey.analysis import SurveyDesign
from survey.analysis.groups.groups import compare
from tests.support.analysed import COIN, THREE, column, plain

pytestmark = pytest.mark.fast


def test_very_many_different_reports_have_fiellers_interval(monkeypatch):
    r, n = np.random.default_rng(14), 2000
    columns = column(r.integers(0, 2, n), COIN, "o"), plain(r.integers(0, 2, n), 2, "g")
    few = compare(*columns).groups[0].figure
    monkeypatch.setattr("survey.analysis.columns.sample_means.MAX_LISTED_COMBINATIONS", 3)
    many = compare(*columns).groups[0].figure
    assert few.method.startswith("Gaffke")
    assert many.method == "Fieller, Student"
    assert (many.low, many.high) == pytest.approx((few.low, few.high), abs=0.002)


@pytest.mark.parametrize(("times", "expected"), [(1, True), (4, False)])
def test_few_degrees_of_freedom_have_a_remark_where_intervals_are_fiellers(times, expected):
    """Weights of 1 and 6: 48 responses count like 14 equal ones."""
    r, n = np.random.default_rng(3), 48 * times
    weights = np.where(np.arange(n) % 4 == 0, 6.0, 1.0)
    outcome = column(r.integers(0, 3, n), THREE, "o", special_answers=1)
    found = compare(
        outcome, plain(np.arange(n) % 2, 2, "g"), SurveyDesign(weights=weights), answer=0
    )
    assert found.everyone.method == "Fieller, Student"
    texts = [each.sentence for each in found.remarks if each.code == "few_clusters"]
    assert texts == expected * [
        "These weights, strata or clusters leave few degrees of freedom for standard errors: 13. "
        "Intervals can therefore be too short."
    ]
