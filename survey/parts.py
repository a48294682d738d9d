"""Parts of a survey that are stored and estimated apart from it, each as a survey of its own.

A part's slug is that of the whole, a dot and what it is: `health.by-hand`. People cannot choose a
slug with a dot, so nothing collides. The store freezes parts with their whole, opens and closes
them with it, and leaves them out of the list; whatever takes a slug takes a part's too.
"""

from dataclasses import replace

from .comprehension import asked_after
from .definition import Survey

BY_HAND, COMPREHENSION = "by-hand", "comprehension"


def slug_of(part: str, whole: str) -> str:
    return f"{whole}.{part}"


def whole_of(slug: str) -> str:
    """The slug of the survey that this one is a part of, or is itself."""
    return slug.partition(".")[0]


def kind_of(slug: str) -> str:
    """What a part is: what follows the dot."""
    return slug.partition(".")[2]


def is_part(slug: str) -> bool:
    return "." in slug


def by_hand_part(survey: Survey) -> Survey:
    """The same questions and tables, for the reports of those who toss real coins."""
    work = replace(
        survey.fieldwork, by_hand=False, comprehension=False, receipts=False, invitations=False
    )
    return replace(survey, slug=slug_of(BY_HAND, survey.slug), fieldwork=work)


def comprehension_part(survey: Survey) -> Survey:
    """The test of what was understood."""
    return asked_after(survey, slug_of(COMPREHENSION, survey.slug))


def parts_of(survey: Survey) -> tuple[Survey, ...]:
    """The parts that the designer switched on."""
    parts = []
    if survey.fieldwork.by_hand:
        parts.append(by_hand_part(survey))
    if survey.fieldwork.comprehension:
        parts.append(comprehension_part(survey))
    return tuple(parts)
