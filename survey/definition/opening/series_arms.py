"""Experimental arms in a series of waves: how few respondents may share a combination of arms.

In a series, the device draws its arms from the secret that it keeps, so they are the same in every
wave. They are stored as they are, next to the reports. With many arms, nearly every respondent has
a combination of their own, which would join their reports of all waves like a name. So the rarest
combination must have a share of at least one in twenty: among 100 respondents, about five have it.
This is enough for two versions of four questions, or for three factors with two or three versions.

Without a series, arms are drawn for each response. They then join nothing, and the checklist counts
them among the answers that can make a respondent unique.
"""

import math
from fractions import Fraction

from survey.core.translate import translate
from survey.definition.derived_answers import arm_probabilities
from survey.definition.survey import Survey

MIN_SHARE_OF_ARMS = Fraction(1, 20)


def rarest_arms(survey: Survey) -> Fraction:
    """The share of respondents with the rarest combination of arms; 1 without arms."""
    drawing = (question for question in survey.derived if question.is_arm)
    return math.prod((min(arm_probabilities(each).values()) for each in drawing), start=Fraction(1))


def series_arms_fault(survey: Survey) -> str | None:
    """Why a survey of a series cannot open because of its arms, and how to fix it, or None."""
    share = rarest_arms(survey)
    if survey.fieldwork.series is None or share >= MIN_SHARE_OF_ARMS:
        return None
    return translate(
        "has experimental arms that could join the reports of a respondent in all waves: only one "
        "respondent in %(n)s has the rarest combination of arms. In a series, at least one in "
        "%(least)s must have it. Use fewer arms or more equal weights, or remove the series.",
        n=math.floor(1 / share),
        least=1 / MIN_SHARE_OF_ARMS,
    )
