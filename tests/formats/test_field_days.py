"""The sentence with the days on which a survey was open, in each language."""

from datetime import date

import pytest

from survey.core.languages import LANGUAGES, Words
from survey.formats.field_days import FieldDays, date_in, days_sentence

pytestmark = pytest.mark.fast

MARCH, APRIL = date(2026, 3, 30), date(2026, 4, 2)


@pytest.mark.parametrize(
    ("days", "sentence"),
    [
        (None, ""),
        (FieldDays(MARCH, None), "The survey opened on 30 March 2026 (UTC)."),
        (FieldDays(MARCH, MARCH), "The survey was open on 30 March 2026 (UTC)."),
        (
            FieldDays(MARCH, APRIL),
            "The survey was open between 30 March 2026 and 2 April 2026 (UTC).",
        ),
    ],
)
def test_the_sentence_has_the_days_that_are_known(days, sentence):
    assert days_sentence(days, Words("en")) == sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_own_dates(language):
    words = Words(language)
    assert "2026" in date_in(words, APRIL) or "2569" in date_in(words, APRIL)
    sentence = days_sentence(FieldDays(MARCH, APRIL), words)
    assert date_in(words, MARCH) in sentence
    assert date_in(words, APRIL) in sentence


def test_vietnamese_dates_are_the_usual_ones():
    assert date_in(Words("vi"), APRIL) == "2 tháng 4 năm 2026"
    assert date_in(Words("vi"), APRIL, "medium") == "02/04/2026"
