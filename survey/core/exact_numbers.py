"""Parsing of numbers as exact fractions.

0.1 is one tenth, and 2/3 is two thirds. Halves are rounded up.
"""

import math
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from survey.core.errors import MechanismError
from survey.core.translate import later

# The number of digits is limited, because computing 1e99999999 would never end.
DECIMAL = r"(\d{1,20}\.?\d{0,20}|\.\d{1,20})(e[+-]?\d{1,2})?"
NUMBER = re.compile(rf"[+-]?(\d{{1,20}}/\d{{1,20}}|{DECIMAL})", re.IGNORECASE)
TYPED = re.compile(rf"[+-]?{DECIMAL}", re.IGNORECASE)

NOT_A_NUMBER = later("%(name)s must be a number or a fraction such as 2/3, not %(value)s.")


def exact(value: Any, name: str) -> Fraction:
    """A number or a text such as "2/3" as an exact fraction. Raises MechanismError."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise MechanismError(NOT_A_NUMBER, name, "number", name=name, value=repr(value))
    written = str(value).replace(" ", "")
    try:
        if not NUMBER.fullmatch(written):
            raise ValueError
        return Fraction(written)
    except (ValueError, ZeroDivisionError) as error:
        raise MechanismError(
            NOT_A_NUMBER, name, "number", name=name, value=repr(written[:40])
        ) from error


def typed_decimal(text: str) -> Decimal:
    """A number that someone typed into a page, with a decimal point. Raises ValueError.

    It has the limits of `exact`, so sums, products and quotients of a few such numbers fit into a
    float.
    """
    written = text.strip().replace("\N{MINUS SIGN}", "-")
    if not TYPED.fullmatch(written):
        raise ValueError("This is not a number.")
    return Decimal(written)


def probability(value: Any, name: str) -> Fraction:
    """Like `exact`, for a number from 0 to 1. Raises MechanismError."""
    share = exact(value, name)
    if not 0 <= share <= 1:
        raise MechanismError(
            "%(name)s must be a probability from 0 to 1, not %(value)s.",
            name=name,
            value=repr(value),
        )
    return share


def epsilon_of_ratio_bound(ratio_bound: Fraction | None) -> float:
    """The privacy loss ε of a likelihood ratio bound: its logarithm. None means infinity."""
    if ratio_bound is None:
        return math.inf
    return math.log(ratio_bound.numerator) - math.log(ratio_bound.denominator)


def half_up(value: float | Fraction, places: int) -> float:
    """A number rounded to `places` decimals, with halves away from zero: 0.25 becomes 0.3.

    A float means the decimals that it prints as, so 1.005 is a half, too.
    """
    if not math.isfinite(value):
        return float(value)
    if isinstance(value, Fraction):
        steps = math.floor(abs(value) * 10**places + Fraction(1, 2))
    else:
        # A page rounds thousands of numbers, and decimals are ten times faster than fractions.
        meant = Decimal(repr(abs(float(value)))).scaleb(places)
        steps = int(meant.to_integral_value(ROUND_HALF_UP))
    return math.copysign(steps / 10**places, value)
