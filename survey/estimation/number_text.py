"""Numbers and results in words, the same on the page, in the terminal and in files."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from survey.core.exact_numbers import half_up
from survey.core.factored_randomizers import OneHot
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, SupportingReports
from survey.core.translate import later, translate, translate_number
from survey.estimation.share_estimates import gamma_of

Written = Callable[[float], str]
# A number has at most this number of decimals.
MAX_PLACES = 15


@dataclass(frozen=True)
class Formula:
    """The formula of an estimate: in letters, and with the numbers filled in."""

    letters: str
    numbers: str


def percent(share: float) -> str:
    """A share as text with one decimal, half rounded up, with a true minus sign."""
    return f"{100 * half_up(share, 3) + 0.0:.1f} %".replace("-", "−")


def share_places(error: float) -> int:
    """The decimals of a percentage with this standard error: its last digit is not only noise.

    There are none from 10 percentage points on, and two below a tenth of a point. Shares without
    random error have one.
    """
    if error >= 0.1:
        return 2
    return 3 if error >= 0.001 or not error else 4


def rounded_share(share: float, error: float) -> str:
    """A share as text with the decimals that its standard error supports."""
    return f"{fixed_decimals(100 * half_up(share, share_places(error)), share_places(error) - 2)} %"


def nonbreaking(text: str) -> str:
    """The text with non-breaking spaces before percent signs."""
    return text.replace(" %", "\u00a0%")


def number(value: float) -> str:
    """A number as text with six significant digits, digit groups and a true minus sign, or ∞.

    A whole number has all its digits, and no number has an exponent.
    """
    return significant(value, 6)


def significant(value: float, digits: int) -> str:
    """A number as text with at least this number of significant digits, and without an exponent."""
    if not math.isfinite(value):
        return f"{value}".replace("-", "−").replace("inf", "∞")
    places = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    text = fixed_decimals(value, min(max(places, 0), MAX_PLACES))
    return text.rstrip("0").rstrip(".") if "." in text else text


def three_digits(value: float) -> str:
    """A number with exactly three significant digits, and without an exponent: 1.50, 1,230,000."""
    if not value or not math.isfinite(value):
        return significant(value, 3)
    return f"{Decimal(f'{value:.2e}'):,f}".replace("-", "−")


def fixed_decimals(value: float, places: int) -> str:
    """A number as text with this number of decimals, half rounded up, without a minus zero.

    Infinity is ∞.
    """
    if not math.isfinite(value):
        return significant(value, 1)
    return f"{half_up(value, places) + 0.0:,.{places}f}".replace("-", "−")


def decimal_places(error: float) -> int:
    """The decimals that the first two digits of a standard error need, at most six."""
    places = 0
    while error * 10**places < 10 and places < 6:
        places += 1
    return places


def rounded_to(value: float, error: float | None) -> str:
    """A number with as many decimals as the first two digits of its standard error need."""
    return fixed_decimals(value, decimal_places(error)) if error else number(value)


def beyond_interval(value: float, low: float, high: float, written: Written) -> int:
    """1 if an estimate is above its interval, −1 if it is below, else 0, as all three are printed.

    Intervals end at the possible range, so an estimate that no share or mean can have is outside.
    """
    if value > high and written(value) != written(high):
        return 1
    return -1 if value < low and written(value) != written(low) else 0


def value_or_bound(beyond: int, low: str, value: str, high: str) -> str:
    """The text of an estimate, or of an end of its interval, by `beyond_interval`."""
    if beyond > 0:
        return translate("at least %(low)s", low=low)
    return translate("at most %(high)s", high=high) if beyond < 0 else value


def finely_rounded(value: float, error: float, least: int = 0) -> str:
    """A number with the decimals of the first two digits of its error, and at least `least`.

    A coefficient of a large number is very small, so it can need more decimals than other figures.
    An error of 0, or none, says nothing about the decimals.
    """
    if not error > 0:
        return number(value)
    places = least
    while error * 10**places < 10 and places < MAX_PLACES:
        places += 1
    return fixed_decimals(value, places)


def percentage_points(share: float) -> str:
    """A share in percentage points, with a decimal if it needs one: 5, 8.8."""
    return significant(half_up(100 * share, 1), 4) if share >= 0.001 else number(100 * share)


def error_points(share: float) -> str:
    """A standard error of a share in the language of the page, with a decimal: "8.8 points"."""
    small = share < 0.001
    return in_points(percentage_points(share) if small else f"{100 * half_up(share, 3):.1f}")


def in_points(points: str) -> str:
    """A number of percentage points in the language of the page: "8.8 points"."""
    return translate("%(number)s points", number=translate_number(points))


def points_text(difference: float) -> str:
    """A difference of shares in percentage points, with one decimal and a true minus sign."""
    return percent(difference).removesuffix(" %")


def margin_in_words(margin: float, unit: str | None) -> str:
    """Half the width of an interval in the language of the page, in the same form everywhere.

    For a share, `unit` is None: "± 8.8 points". For a mean: "± 3.1 kg".
    """
    if unit is None:
        return f"±\u00a0{in_points(percentage_points(margin))}"
    text = rounded_to(margin, margin / 2)
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"±\u00a0{translate_number(text)} {unit}".strip()


def formula_of_table(
    table: Randomizer | None,
    support: SupportingReports | None,
    scores: Array,
    counts: Sequence[int],
) -> Formula:
    """The simplest formula of an estimate from a table.

    Its numbers are exact fractions, so that anyone can check it. `table` is None for a non-private
    question.
    """
    n = sum(counts)
    if support is None:
        terms = (f"{number(s)} × {c}/{n}" for s, c in zip(scores, counts, strict=True))
        return Formula(later("Σ score × share of each report"), " + ".join(terms))
    share = f"{support.count(counts)}/{n}"
    if table is None:
        return Formula("P", share)
    gamma = gamma_of(table)
    if gamma == Fraction(1, 4):
        return Formula("2P − 1/2", f"2 × {share} − 1/2")
    if gamma is not None and gamma > 0:
        return Formula("(P − 1/2 + γ) / (2γ)", f"({share} − 1/2 + {gamma}) / (2 × {gamma})")
    return formula_of_support(share, support.p, support.q)


def formula_of_support(share: str, p: Fraction, q: Fraction) -> Formula:
    return Formula("(P − q) / (p − q)", f"({share} − {q}) / ({p} − {q})")


def formula_of_bit(randomizer: OneHot, answer: int, ones: int, n: int) -> Formula:
    """The formula of the share of an answer, of whose bits `ones` are set in n reports."""
    size, p, q = randomizer.sizes[answer], randomizer.p, randomizer.q
    if size == 1:
        return formula_of_support(f"{ones}/{n}", p, q)
    return Formula("(N − c q) / (p − q)", f"({ones}/{n} − {size} × {q}) / ({p} − {q})")
