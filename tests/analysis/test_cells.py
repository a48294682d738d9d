"""How figures of analyses are written: without information, without an interval, very large."""

import math

import pytest

from survey.analysis.cells import (
    DASH,
    amount_cell,
    ends_cell,
    fine_cell,
    odds_ratio_text,
    p_cell,
    points_cell,
    ratio_cell,
    share_cell,
    value_cell,
)
from survey.analysis.groups.figures import IntervalEstimate, p_words
from survey.analysis.regression.equations import coefficient_text
from survey.core.translate import in_language
from survey.estimation.number_text import three_digits

SHARE = IntervalEstimate(value=0.2514, standard_error=0.03, low=0.1926, high=0.3102, method="")


def test_a_share_and_a_difference_have_one_decimal():
    assert (share_cell(SHARE).text, share_cell(SHARE).between) == ("25.1 %", ("19.3 %", "31.0 %"))
    assert (points_cell(SHARE).text, points_cell(SHARE).between) == ("25.1", ("19.3", "31.0"))
    assert share_cell(SHARE).exact == 0.2514
    assert (share_cell(SHARE).low, share_cell(SHARE).high) == (0.1926, 0.3102)


def test_the_whole_range_is_not_known():
    assert (
        share_cell(IntervalEstimate(value=0.4, standard_error=1, low=0, high=1, method="")).text
        == "not known"
    )
    assert (
        points_cell(IntervalEstimate(value=0.4, standard_error=1, low=0, high=1, method="")).text
        == "40.0"
    )
    assert (
        points_cell(IntervalEstimate(value=0.4, standard_error=1, low=-1, high=1, method="")).text
        == "not known"
    )
    assert (
        ratio_cell(
            IntervalEstimate(value=3, standard_error=1, low=0, high=math.inf, method="")
        ).text
        == "not known"
    )


def test_a_missing_figure_is_a_dash_with_its_reason():
    nothing = p_cell(math.nan)
    for cell in (share_cell(None), points_cell(None), amount_cell(None), p_cell(None), nothing):
        assert cell.text == DASH
        assert cell.exact is None
    assert share_cell(None, "Nobody was asked").why == "Nobody was asked"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.000123456, "0.000123"), (1234567, "1,230,000"), (2.5e9, "2,500,000,000"),
     (-0.04567, "−0.0457"), (1, "1.00"), (math.inf, "∞")],
)  # fmt: skip
def test_three_digits_never_have_an_exponent(value, text):
    assert three_digits(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234567, "1,234,567"), (-0.00001234, "−0.00001234"), (2.0, "2"), (0.5, "0.5")],
)
def test_digits_of_an_equation_never_have_an_exponent(value, text):
    assert coefficient_text(value) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1, "1.00"), (7, "7.00"), (1 / 3, "0.333"), (616_101, "616,000"), (1e300, "over 1,000,000"),
     (1e-300, "below 0.000001"), (0, "0"), (math.inf, "∞")],
)  # fmt: skip
def test_odds_ratios_stay_readable(ratio, text):
    """One rule for the odds ratios of cross-tabulations and of regressions."""
    assert odds_ratio_text(ratio) == text
    assert (
        ratio_cell(
            IntervalEstimate(value=ratio, standard_error=1, low=ratio, high=ratio + 1, method="")
        ).text
        == text
    )


def test_bounds_of_odds_ratios_keep_the_signs_of_the_language():
    with in_language("vi"):
        assert (
            "1.000.000"
            in ratio_cell(
                IntervalEstimate(value=1e9, standard_error=1, low=1, high=1e10, method="")
            ).text
        )


def test_a_coefficient_of_a_large_number_keeps_its_digits():
    """Per unit of an income in millions, a coefficient is as small as this."""
    cell = fine_cell(3.21e-7, 1.1e-7, 5.3e-7, 1.04e-7)
    assert cell.text == "0.00000032"
    assert cell.between == ("0.00000011", "0.00000053")
    assert (cell.exact, cell.low, cell.high) == (3.21e-7, 1.1e-7, 5.3e-7)
    points = fine_cell(0.2853, 0.0714, 0.4742, 0.1028, times=100, least=1)
    assert (points.text, points.between) == ("28.5", ("7.1", "47.4"))
    assert points.exact == 0.2853
    # Without a standard error, the number itself says which digits it has.
    assert fine_cell(0.5, 0.5, 0.5, 0).text == "0.5"
    assert fine_cell(0.5, 0.5, 0.5, math.nan).text == "0.5"
    assert fine_cell(0.125, 0.1, 0.2, 0.05).text == "0.125"
    # A half is rounded up, as everywhere.
    assert fine_cell(2.5, 2, 3, 12).text == "3"
    assert value_cell(12.3, "12.30").text == "12.30"


def test_small_p_values_are_bounded():
    assert (p_cell(0.0004).text, p_words(0.0004)) == ("below 0.001", "p < 0.001")
    assert (p_cell(0.0456).text, p_words(0.0456)) == ("0.046", "p = 0.046")
    # A significant p-value never looks like one that is not.
    assert (p_cell(0.04996).text, p_words(0.04996)) == ("below 0.05", "p < 0.05")
    assert (p_cell(0.05).text, p_words(0.0501)) == ("0.050", "p = 0.050")
    with in_language("vi"):
        assert p_words(0.0456) == "p = 0,046"


def test_an_interval_is_rounded_like_its_figure():
    mean = IntervalEstimate(value=62.41, standard_error=0.83, low=60.7, high=64.1, method="")
    assert amount_cell(mean).text == "62.4" or amount_cell(mean).text == "62.41"
    assert ends_cell(60.0, 65.0, mean, is_share=False).between[0].startswith("60")
    assert ends_cell(-0.1, 0.2, SHARE, is_share=True).between == ("−10.0", "20.0")


@pytest.mark.parametrize(
    ("cell", "figure", "text"),
    [
        (
            share_cell,
            IntervalEstimate(value=1.5, standard_error=0.2, low=0.88, high=1, method=""),
            "at least 88.0 %",
        ),
        (
            share_cell,
            IntervalEstimate(value=-0.5, standard_error=0.2, low=0, high=0.02, method=""),
            "at most 2.0 %",
        ),
        (
            points_cell,
            IntervalEstimate(value=2, standard_error=0.2, low=0.831, high=1, method=""),
            "at least 83.1",
        ),
        (
            amount_cell,
            IntervalEstimate(value=-5, standard_error=0.0, low=0, high=1.195601, method=""),
            "at most 1.20",
        ),
        (
            share_cell,
            IntervalEstimate(value=1.0001, standard_error=0.1, low=0.9, high=1, method=""),
            "100.0 %",
        ),
    ],
)
def test_an_impossible_figure_is_an_end_of_its_interval(cell, figure, text):
    assert cell(figure).text == text
    assert cell(figure).exact == figure.value
