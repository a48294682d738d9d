"""P-values adjusted for the number of comparisons."""

import pytest

from survey.analysis.multiple_comparisons import adjust_by_holm

pytestmark = pytest.mark.fast


def test_holm_adjusts_as_published():
    """R's p.adjust; Holm 1979: the smallest times m, the next times m - 1, never decreasing."""
    assert adjust_by_holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx((0.04, 0.06, 0.06, 0.06))
    assert adjust_by_holm([0.04, 0.001, 0.6]) == pytest.approx((0.08, 0.003, 0.6))
    assert adjust_by_holm([0.5, 0.9]) == pytest.approx((1.0, 1.0))
    assert adjust_by_holm([]) == ()
