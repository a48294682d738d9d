"""Numbers of the lessons as text, in the language of the page."""

from survey.core.translate import translate_number
from survey.estimation.number_text import fixed_decimals, number, percent, significant

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
TINY = 1e-4  # Positive numbers below it are written as powers of ten.
# Shares that percent() would write as 0.0 % or as 100.0 %, and that are neither.
NEARLY_NONE = 0.0005
NEARLY_ALL = 0.9995
# Rounding changes a share by less than this.
ROUNDING = 1e-12


def with_digits(value: float, digits: int) -> str:
    """A number with at least this number of significant digits, without zeros at its end."""
    return translate_number(significant(value, digits))


def with_decimals(value: float, decimals: int) -> str:
    """A number with this number of decimals."""
    return translate_number(fixed_decimals(value, decimals))


def round_to_text(value: float, decimals: int) -> str:
    """A number with at most this number of decimals."""
    return translate_number(number(round(value, decimals)))


def share_in_percent(share: float) -> str:
    """A share in percent, with one decimal. Only 0 is 0.0 %, and only 1 is 100.0 %."""
    if ROUNDING < share < NEARLY_NONE:
        return translate_number("< 0.1 %")
    if NEARLY_ALL <= share < 1 - ROUNDING:
        return translate_number("> 99.9 %")
    return translate_number(percent(share))


def as_power(value: float) -> str:
    """A positive number with two digits, such as 1.6 × 10⁻⁸."""
    digits, power = f"{value:.1e}".split("e")
    return translate_number(digits) + " × 10" + str(int(power)).translate(SUPERSCRIPTS)


def probability_text(probability: float) -> str:
    """A probability with four significant digits. One close to 1 is written as 1 − its distance."""
    if 0 < probability < TINY:
        return as_power(probability)
    if 1e-14 < 1 - probability < TINY:
        return f"1 − {as_power(1 - probability)}"
    return with_digits(min(1.0, probability), 4)


def density_text(density: float) -> str:
    """A density above 0 with four significant digits, also if a float can only hold it as 0."""
    if not density:
        return "< 10" + "-300".translate(SUPERSCRIPTS)
    if density < TINY:
        return as_power(density)
    return translate_number(f"{density:#.4g}")
