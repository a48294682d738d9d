"""Very small numbers as text: probabilities, densities and δ."""

from survey.core.translate import translate_number

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
TINY = 1e-4  # Positive numbers below it are written as powers of ten.


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
    return translate_number(f"{min(1.0, probability):.4g}")


def density_text(density: float) -> str:
    """A density above 0 with four significant digits, also if a float can only hold it as 0."""
    if not density:
        return "< 10" + "-300".translate(SUPERSCRIPTS)
    if density < TINY:
        return as_power(density)
    return translate_number(f"{density:#.4g}")
