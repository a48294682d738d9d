"""The validity checks that a survey's design allows."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from survey.analysis.columns.available import AnalysableVariable, analysable_variables
from survey.analysis.columns.joined import PLUS
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.validity.noncompliance import APART, AT_RANDOM, DENIED
from survey.core.scores import Array, probabilities
from survey.definition.questions import Question
from survey.definition.survey import Survey


@dataclass(frozen=True)
class MatchingQuestion:
    """A question of another survey that asks the same with another table."""

    slug: str
    title: str
    question: Question


def with_shares(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The questions whose answers have shares: all that can be analysed, except numbers.

    Joined variables are excluded too, because these checks compare the ways of asking.
    """
    return tuple(
        each
        for each in analysable_variables(survey)
        if not each.question.grid and PLUS not in each.name
    )


def direct_arms(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The non-private questions that may have other respondents than a private one.

    One of the two must have a condition.
    """
    some = with_shares(survey)
    private = [each.question for each in some if not each.question.non_private]
    if not private:
        return ()
    of_some = any(question.relevant is not None for question in private)
    return tuple(
        each
        for each in some
        if each.question.non_private and (of_some or each.question.relevant is not None)
    )


def elsewhere(survey: Survey, others: Iterable[Survey]) -> tuple[MatchingQuestion, ...]:
    """The questions of other surveys that ask the same with a table that can detect deviation.

    Both have two answers and two reports, the same name or words, and different probabilities.
    """
    own = [(question, two_by_two_chances(question)) for question in survey.private]
    matches = []
    for other in others:
        for question in other.private:
            table = two_by_two_chances(question)
            same = [there for asked, there in own if there is not None and alike(asked, question)]
            if table is not None and any(distinguish_deviants(table, there) for there in same):
                matches.append(MatchingQuestion(other.slug, other.title, question))
    return tuple(matches)


def alike(one: Question | AnalysisColumn, other: Question | AnalysisColumn) -> bool:
    """Whether two questions ask the same, judged by their names or words."""
    return one.name == other.name or one.label.split() == other.label.split()


def two_by_two_chances(question: Question) -> Array | None:
    """Pr(report | answer) of a question with two answers and two reports."""
    table = question.table
    if table is None or (table.answers, table.reports) != (2, 2):
        return None
    return probabilities(table)


def distinguish_deviants(one: Array, other: Array) -> bool:
    """Whether two tables can detect deviants of one kind or the other."""
    return any(
        abs(np.linalg.det(np.array([one[:, 0], other[:, 0]]) - says)) >= APART
        for says in (DENIED, AT_RANDOM)
    )
