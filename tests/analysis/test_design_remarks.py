"""Remarks on reports that are not possible under their design."""

import pytest
from scipy.stats import binom

from survey.analysis.columns.design_remarks import design_tables, fit_of_column, misfit_remarks
from tests.support.analysed import COIN, column, plain

pytestmark = pytest.mark.fast


def test_possible_reports_have_no_remark():
    possible = column([0] * 30 + [1] * 30, COIN)
    assert misfit_remarks([possible, plain([0] * 60, 2)]) == ()
    assert fit_of_column(plain([0] * 60, 2)) is None


def test_too_few_reports_have_the_exact_tail():
    """The coin reports each answer with at least 1/4."""
    impossible = column([0] * 2 + [1] * 58, COIN, "odd")
    fit = fit_of_column(impossible)
    # Bonferroni's bound for two scores.
    assert fit.p == pytest.approx(2 * binom.cdf(2, 60, 0.25))
    (remark,) = misfit_remarks([impossible])
    assert "What of odd?" in remark


def test_the_table_has_the_counts_of_reports():
    ((chances, counts),) = design_tables(column([0, 1, 1, -1], COIN))
    assert counts.tolist() == [1, 2]
    assert chances.tolist() == [[0.75, 0.25], [0.25, 0.75]]
    assert fit_of_column(column([-1, -1], COIN)) is None
