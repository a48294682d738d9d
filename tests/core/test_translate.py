"""Numbers of the researchers' pages, in the language of the page."""

import pytest

from survey.core.translate import in_language, translate, translate_number


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", ["−1,234.5", "12.5 %", "12.5\u00a0%"]),
        ("vi", ["−1.234,5", "12,5%", "12,5%"]),
        ("th", ["−1,234.5", "12.5%", "12.5%"]),
        ("zh", ["−1,234.5", "12.5%", "12.5%"]),
    ],
)
def test_a_number_has_the_signs_of_the_language(language, written):
    with in_language(language):
        assert [translate_number(each) for each in ("−1,234.5", "12.5 %", "12.5\u00a0%")] == written


def test_a_unit_with_a_full_stop_ends_its_sentence():
    sentence = "Standard error: %(error)s."
    assert translate(sentence, error="0.53 lb.") == "Standard error: 0.53 lb."
    assert translate(sentence, error="0.53 kg") == "Standard error: 0.53 kg."
    apart = "The values are %(step)s apart: %(step)s. An answer is rounded..."
    assert translate(apart, step="5 lb.") == (
        "The values are 5 lb. apart: 5 lb. An answer is rounded..."
    )
