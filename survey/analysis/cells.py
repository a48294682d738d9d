"""The figures of analyses as cells of tables, in the language of the page.

An estimate that no share or mean can have is an end of its interval, and the exact value stays in
`FigureCell.exact`.
"""

import math

from survey.analysis.blocks import FigureCell
from survey.analysis.groups.figures import (
    IntervalEstimate,
    p_bound,
    possible_text,
    rounding_like,
)
from survey.core.translate import later, translate, translate_count, translate_number
from survey.estimation.number_text import (
    Written,
    beyond_interval,
    finely_rounded,
    fixed_decimals,
    percent,
    points_text,
    rounded_to,
    three_digits,
    value_or_bound,
)

DASH = "–"
NO_SHARE = later("The estimated share of this row or column is zero or less")
# Larger odds ratios, and smaller ones than its inverse, are written as a bound.
MAX_ODDS_RATIO = 1e6


def share_cell(figure: IntervalEstimate | None, why: str = "") -> FigureCell:
    """A share with its interval, in percent. Without any information it is "not known"."""
    if figure is None:
        return FigureCell(text=DASH, why=why or translate(NO_SHARE))
    return _with_interval(figure, _unknown if figure.any_share else percent, percent)


def points_cell(figure: IntervalEstimate | None) -> FigureCell:
    """A difference of shares with its interval, in percentage points."""
    if figure is None:
        return FigureCell(text=DASH, why=translate(NO_SHARE))
    known = figure.low > -1 or figure.high < 1
    return _with_interval(figure, points_text if known else _unknown, points_text)


def amount_cell(figure: IntervalEstimate | None) -> FigureCell:
    """A mean or a difference of means with its interval, in the unit of the question."""
    if figure is None:
        return FigureCell(text=DASH, why=translate("The estimated size of this group is zero"))

    rounded = rounding_like(figure)
    return _with_interval(figure, rounded, rounded)


def ratio_cell(figure: IntervalEstimate | None) -> FigureCell:
    """An odds ratio with its interval. Without any information it is "not known"."""
    if figure is None:
        return FigureCell(text=DASH)
    low, value, high = map(odds_ratio_text, (figure.low, figure.value, figure.high))
    beyond = beyond_interval(figure.value, figure.low, figure.high, odds_ratio_text)
    text = value_or_bound(beyond, low, value, high)
    if figure.any_ratio:
        text = translate("not known")
    return FigureCell(
        text=text, exact=figure.value, between=(low, high), low=figure.low, high=figure.high
    )


def odds_ratio_text(ratio: float) -> str:
    """An odds ratio with three digits; a bound if it is so large or small that no digit counts."""
    if MAX_ODDS_RATIO < ratio < math.inf:
        return translate("over %(number)s", number=translate_number("1,000,000"))
    if 0 < ratio < 1 / MAX_ODDS_RATIO:
        return translate("below %(number)s", number=translate_number("0.000001"))
    return translate_number(three_digits(ratio))


def ends_cell(low: float, high: float, figure: IntervalEstimate, *, is_share: bool) -> FigureCell:
    """An interval alone, written like the figure that it belongs to."""

    return interval_cell(low, high, points_text if is_share else rounding_like(figure))


def bounds_cell(low: float, high: float) -> FigureCell:
    """Two bounds of a share, in percent."""
    return interval_cell(low, high, percent)


def interval_cell(low: float, high: float, written: Written) -> FigureCell:
    ends = translate_number(written(low)), translate_number(written(high))
    return FigureCell(text="", between=ends, low=low, high=high)


def p_cell(p: float | None) -> FigureCell:
    """A p-value as a number, or "below 0.001"."""
    if p is None or not math.isfinite(p):
        return FigureCell(text=DASH)
    limit = p_bound(p)
    if limit is None:
        return FigureCell(text=translate_number(fixed_decimals(p, 3)), exact=p)
    return FigureCell(
        text=translate("below %(number)s", number=translate_number(f"{limit}")), exact=p
    )


def error_cell(error: float) -> FigureCell:
    """A standard error of a figure that is written like `amount_cell`."""
    return value_cell(error, rounded_to(error, error))


def value_cell(value: float, text: str) -> FigureCell:
    """A figure without an interval, written as `text`."""
    return FigureCell(text=translate_number(text), exact=value)


def fine_cell(
    value: float, low: float, high: float, error: float, times: float = 1.0, least: int = 0
) -> FigureCell:
    """A figure with its interval, both written `times` as large by `finely_rounded`."""
    text, *ends = (
        translate_number(finely_rounded(times * each, times * error, least))
        for each in (value, low, high)
    )
    return FigureCell(text=text, exact=value, between=(ends[0], ends[1]), low=low, high=high)


def count_cell(n: int) -> FigureCell:
    return FigureCell(text=translate_count(n))


def level_text(level: float) -> str:
    """A confidence level in percent, without its sign."""
    return translate_number(f"{100 * level:g}")


def _unknown(value: float) -> str:
    return translate("not known")


def _with_interval(figure: IntervalEstimate, written: Written, written_end: Written) -> FigureCell:
    low, high = (translate_number(written_end(end)) for end in (figure.low, figure.high))
    text = possible_text(figure, written)
    return FigureCell(
        text=text, exact=figure.value, between=(low, high), low=figure.low, high=figure.high
    )
