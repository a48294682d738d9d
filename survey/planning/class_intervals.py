"""The privacy loss of a class, chosen before it opens, and the intervals that a class then sees.

A class is small, so the interval decides whether anything can be seen. It is the interval of the
results page, from the same function, for the number of reports that is expected if half of the
people give the first answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from survey.core.mechanisms import CHOICES
from survey.definition.protection_levels import COIN_FLIP
from survey.definition.questions import Question
from survey.definition.survey import Survey, parse_survey
from survey.definition.target_population import target_population
from survey.estimation.finite_population import finite_share_interval
from survey.estimation.share_intervals import Interval
from survey.planning.precision import share_precision, share_who_report

CLASS_SIZES = (20, 40)
COINS = "coins"
# Two coins, and losses with which a class of 20 sees more.
OFFERED_LOSSES = (COINS, "2", "3")
MIN_CLASS_EPSILON = 0.01
MAX_CLASS_EPSILON = 12.0


@dataclass(frozen=True)
class ClassInterval:
    """What people in a class of each size see about a question.

    Attributes
    ----------
    question : with the chosen privacy
    intervals : for each of CLASS_SIZES, the 95 % interval of the share of its first answer; None if
        nobody is expected to report on it
    """

    question: Question
    intervals: tuple[Interval | None, ...]


def adjustable_questions(survey: Survey) -> tuple[Question, ...]:
    """The private questions whose loss a class chooses: with one answer out of a few, unordered."""
    return tuple(
        question
        for question in survey.private
        if question.kind.can_be_joint and question.kind.mechanisms == CHOICES
    )


def with_class_loss(survey: Survey, choice: str) -> Survey:
    """The survey in which each adjustable question has this privacy loss.

    Parameters
    ----------
    choice : COINS, or ε as a number in a text, above 0 and at most 12

    Raises
    ------
    DefinitionError
        For example if the total privacy loss is then above the survey's budget.
    """
    content = survey.as_definition()
    adjustable = {question.name for question in adjustable_questions(survey)}
    for entry in content["questions"]:
        if entry["name"] in adjustable:
            entry["privacy"] = privacy_of_choice(choice)
    return parse_survey(content)


def privacy_of_choice(choice: str) -> dict[str, Any]:
    return dict(COIN_FLIP) if choice == COINS else {"epsilon": choice}


def chosen_loss(survey: Survey, choices: Sequence[str]) -> str | None:
    """The first of these choices that every adjustable question already has, or None."""
    names = {question.name for question in adjustable_questions(survey)}
    for choice in choices:
        wanted = with_class_loss(survey, choice)
        if all(
            question.table == survey_question.table
            for question, survey_question in zip(wanted.private, survey.private, strict=True)
            if question.name in names
        ):
            return choice
    return None


def class_intervals(survey: Survey) -> list[ClassInterval]:
    """The intervals of each adjustable question, for each of CLASS_SIZES."""
    return [
        ClassInterval(question, tuple(expected_interval(question, survey, n) for n in CLASS_SIZES))
        for question in adjustable_questions(survey)
    ]


def expected_interval(question: Question, survey: Survey, people: int) -> Interval | None:
    """The 95 % interval of the share of the first answer, if half of the people give it.

    Parameters
    ----------
    question : one of `adjustable_questions`
    people : int, at least 1
        If chance or an experimental arm decides who reports on the question, only the expected
        number of them counts.

    Notes
    -----
    A report supports the answer with probability (p + q) / 2, so the expected number of such
    reports out of m is m (p + q) / 2, rounded to a whole number.
    """
    reports = round(people * share_who_report(question, survey))
    coin = share_precision(question, None, 1.0, 0).coin
    if not reports or coin is None:
        return None
    p, q = coin
    size = target_population(survey.fieldwork.results_about, people).size
    if size is not None:
        size = max(size, reports)
    return finite_share_interval(round(reports * (p + q) / 2), reports, p, q, size)
