"""Parts of a survey that are stored and estimated apart from it, each as a survey of its own.

A part's slug is that of the whole, a dot and what it is: `health.by-hand`. People cannot choose a
slug with a dot, so nothing collides. The store freezes parts with their whole, opens and closes
them with it, and leaves them out of the list; whatever takes a slug takes a part's too.

Rehearsals are parts too, but start and end by themselves: a pilot, whose respondents a computer
draws, and a practice, in which people try out the real page. They may be of a draft.
"""

from dataclasses import replace

from survey.definition.comprehension import asked_after
from survey.definition.survey import Survey

BY_HAND, COMPREHENSION = "by-hand", "comprehension"
PILOT, PRACTICE = "pilot", "practice"
REHEARSALS = (PILOT, PRACTICE)


def part_slug(part: str, whole: str) -> str:
    return f"{whole}.{part}"


def whole_of(slug: str) -> str:
    """The slug of the survey that this one is a part of, or is itself."""
    return slug.partition(".")[0]


def part_kind(slug: str) -> str:
    """What a part is: what follows the dot."""
    return slug.partition(".")[2]


def is_part(slug: str) -> bool:
    return "." in slug


def by_hand_part(survey: Survey) -> Survey:
    """The same questions and tables, for the reports of those who toss real coins."""
    work = replace(
        survey.fieldwork, by_hand=False, comprehension=False, receipts=False, invitations=False
    )
    return replace(survey, slug=part_slug(BY_HAND, survey.slug), fieldwork=work)


def comprehension_part(survey: Survey) -> Survey:
    """The test of what was understood."""
    return asked_after(survey, part_slug(COMPREHENSION, survey.slug))


def survey_parts(survey: Survey) -> tuple[Survey, ...]:
    """The parts that the designer switched on."""
    parts = []
    if survey.fieldwork.by_hand:
        parts.append(by_hand_part(survey))
    if survey.fieldwork.comprehension:
        parts.append(comprehension_part(survey))
    return tuple(parts)


def pilot_of(survey: Survey) -> Survey:
    """The same questions and tables, for simulated respondents."""
    return rehearsal_of(survey, PILOT)


def practice_of(survey: Survey) -> Survey:
    """The same questions, tables and page, for anyone who tries it out."""
    return rehearsal_of(survey, PRACTICE)


def rehearsal_of(survey: Survey, part: str) -> Survey:
    """A rehearsal: no invitation is spent, no part follows, results show at once, and no device is
    remembered, or what is sent in practice could be told again in the survey."""
    alone = replace(survey.fieldwork, invitations=False, by_hand=False, comprehension=False)
    work = replace(alone, series=None, batch=1)
    return replace(survey, slug=part_slug(part, survey.slug), fieldwork=work)
