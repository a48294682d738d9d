"""Very small numbers as text."""

import pytest

from survey.core.translate import in_language
from survey.web.learn.small_numbers import as_power, density_text, probability_text
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each(
    ("probability", "text"),
    [
        (0.0, "0"), (1.0, "1"), (1 + 1e-16, "1"), (0.25, "0.25"), (0.123456, "0.1235"),
        (2.72e-20, "2.7 × 10⁻²⁰"), (1 - 3e-7, "1 − 3.0 × 10⁻⁷"),
    ],
)  # fmt: skip
def test_probabilities(probability, text):
    assert probability_text(probability) == text


def test_densities_above_zero_are_never_written_as_zero():
    assert density_text(0.00166) == "0.001660"
    assert density_text(0.0) == "< 10⁻³⁰⁰"
    assert density_text(5e-9) == "5.0 × 10⁻⁹"


def test_the_decimal_sign_is_that_of_the_language():
    with in_language("vi"):
        assert as_power(1.6e-8) == "1,6 × 10⁻⁸"
