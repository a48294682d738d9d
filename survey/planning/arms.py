"""Experimental arms in plans: which questions an arm asks, and of which share of respondents.

The page draws an arm with known weights and stores it as it is (`random` in
survey/definition/derived_answers.py). So the share of respondents in an arm is known before data
collection, and their reports can be analysed on their own. Whether an answer of a respondent meets
a condition is not known.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from survey.definition.derived_answers import arm_probabilities
from survey.definition.questions import Question
from survey.definition.relevance import Arms, arms_in_both
from survey.definition.survey import Survey


def share_in_arms(question: Question, survey: Survey | None) -> Fraction:
    """The exact share of respondents in the arms that ask a question; 1 without such arms.

    It is 0 if the conditions need two arms that exclude each other.
    """
    return share_asked_all([question], survey)


def share_asked_all(questions: Sequence[Question], survey: Survey | None) -> Fraction:
    """The exact share of respondents in the arms that ask all of these questions."""
    if survey is None:
        return Fraction(1)
    arms: Arms = {}
    for question in questions:
        arms = arms_in_both(arms, survey.arms_asking(question))
    drawing = {each.name: arm_probabilities(each) for each in survey.derived if each.is_arm}
    shares = (
        sum((drawing[name][arm] for arm in asking), Fraction(0)) for name, asking in arms.items()
    )
    return math.prod(shares, start=Fraction(1))


def only_arms_decide(question: Question, survey: Survey) -> bool:
    """Whether arms alone decide who is asked a question with a condition."""
    independent = {each.name for each in survey.derived if each.is_arm and not each.relevant}
    return bool(question.depends_on) and set(question.depends_on) <= independent


def draws(survey: Survey) -> Iterator[tuple[Fraction, dict[str, str]]]:
    """The combinations of arms (`Survey.arms`), each with its probability."""
    weights = {each.name: arm_probabilities(each) for each in survey.derived if each.is_arm}
    for arms in survey.arms:
        shares = (weights[name][arm] for name, arm in arms.items())
        yield math.prod(shares, start=Fraction(1)), arms
