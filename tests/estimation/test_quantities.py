"""Formulas and bounds of means."""

import numpy as np
import pytest

from tests.support.question_results import LEVELS, asked

pytestmark = pytest.mark.fast


def test_each_quantity_has_its_own_formula():
    shown = asked("number", {0: 5, 10: 5}, {"epsilon": 1}, min=0, max=10)
    formulas = {quantity.name: quantity.formula for quantity in shown.quantities}
    assert formulas["mean"].startswith(
        "Σ over the reports of (score of the value × share of the report)"
    )
    assert "(x − mean)²" in formulas["deviation"]
    assert "maximum likelihood shares reaches 50 %" in formulas["quantile_50"]


def test_a_non_private_question_has_the_ordinary_formulas():
    shown = asked("number", {0: 5, 10: 5, 11: 2}, "none", min=0, max=10, prefer_not_to_say=True)
    formulas = {quantity.name: quantity.formula for quantity in shown.quantities}
    assert formulas["mean"] == "sum of the values / number of values"
    assert formulas["quantile_50"] == "the value at which the sum of the shares reaches 50 %"
    mean, spread = shown.quantities[:2]
    # Ten values are 5 away from the mean.
    assert spread.value == pytest.approx(np.sqrt(10 * 5**2 / 10 + mean.standard_error**2))
    assert formulas["deviation"] == (
        "√(Σ (value − mean)² / number of values + squared standard error of the mean)"
    )
    scale = asked("scale", {0: 10, 1: 20}, "none", choices=LEVELS)
    assert scale.quantities[0].formula == formulas["mean"]


def test_chebyshev_stands_beside_the_interval_of_a_mean():
    shown = asked("number", {0: 50, 10: 50}, "none", min=0, max=10)
    mean = shown.quantities[0]
    assert mean.chebyshev == pytest.approx(
        (5 - 2 * mean.standard_error, 5 + 2 * mean.standard_error)
    )
