"""Numbers of the researchers' pages, in the language of the page."""

import pytest

from survey.core.translate import in_language, translate_number


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
