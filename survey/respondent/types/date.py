"""Dates, which are sent as texts."""

from survey.core.languages import Words
from survey.definition.types.date import DateType
from survey.formats.field_days import date_in
from survey.respondent.types import GIVEN
from survey.respondent.types.text import GivenText


@GIVEN.of(DateType)
class GivenDate(GivenText):
    """A day between two, or nothing."""

    def advice(self, words: Words) -> str:
        low, high = (date_in(words, end) for end in self.question.dates or ())
        return words.say(
            "Give a date from %(low)s to %(high)s, or leave this empty.", low=low, high=high
        )
