"""The days on which a survey was open, and dates in each language."""

from dataclasses import dataclass
from datetime import date

from survey.core.languages import MAIN, Words


@dataclass(frozen=True)
class FieldDays:
    """The first and the last day (UTC) on which a survey was open.

    `last` is None while the survey is open. It is also None if a number of responses or a precision
    may have closed the survey, because this would be the day of a single response.
    """

    first: date
    last: date | None


# Babel writes "26 tháng 11, 2026", which is not usual in Vietnam. static/admin/last_day.js has the
# same correction.
VIETNAMESE = {"long": "d MMMM 'năm' y", "medium": "dd/MM/y"}


def date_in(words: Words, day: date, length: str = "long") -> str:
    """A date in a language: "long" as in 23 November 2026, or "medium"."""
    if words.language == MAIN:  # Babel writes the American order.
        month = f"{day:%B}" if length == "long" else f"{day:%b}"
        return f"{day.day} {month} {day.year}"
    # It reads the time zones of the machine, which takes 5 % of the start of each command.
    from babel.dates import format_date

    pattern = VIETNAMESE[length] if words.language == "vi" else length
    return format_date(day, pattern, locale=words.language)


def days_sentence(days: FieldDays | None, words: Words) -> str:
    """A sentence with the days; empty if they are not known."""
    if days is None:
        return ""
    first = date_in(words, days.first)
    if days.last is None:
        return words.say("The survey opened on %(day)s (UTC).", day=first)
    if days.last == days.first:
        return words.say("The survey was open on %(day)s (UTC).", day=first)
    return words.say(
        "The survey was open between %(first)s and %(last)s (UTC).",
        first=first,
        last=date_in(words, days.last),
    )
