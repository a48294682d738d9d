"""The columns of a crosswise analysis: questions, their known shares, groups, attention check."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.available import AnalysableVariable, analysable_variables
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.indirect.crosswise import (
    Crosswise,
    CrosswiseFigures,
    InstructionTest,
    anchored_crosswise,
    crosswise_share,
    instruction_test,
    require_enough_answers,
)
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import probabilities
from survey.definition.questions import Question
from survey.definition.survey import Survey

Mask = npt.NDArray[np.bool_]
# Known shares that differ less are equal.
EQUAL = 1e-9


@dataclass(frozen=True)
class CrosswiseColumn:
    """The answers to a crosswise question, and the known share of its second statement.

    The first of two answers is "same".
    """

    column: AnalysisColumn
    known: float

    @property
    def answered(self) -> Mask:
        """Who gave one of the two answers."""
        return self.column.reported & (self.column.reports < 2)

    @property
    def same(self) -> Mask:
        return np.asarray(self.column.reports == 0)


def known_share(question: Question) -> float | None:
    """The known share of a crosswise question, or of one that was randomised on paper, or None.

    The table of such a question is symmetric with two answers and two reports.
    """
    if question.known_share is not None:
        return float(question.known_share)
    if question.table is None or (question.table.answers, question.table.reports) != (2, 2):
        return None
    chances = probabilities(question.table)
    is_symmetric = abs(chances[0, 0] - chances[1, 1]) < EQUAL
    return float(chances[0, 0]) if is_symmetric else None


def crosswise_questions(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The crosswise questions, also those that were randomised on paper and imported."""
    return tuple(
        each
        for each in analysable_variables(survey)
        if "+" not in each.name
        and (each.question.known_share is not None or each.question.mechanism == "crosswise")
    )


def comparable_with_crosswise(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The questions that can be crosswise questions, those with a known share first.

    The others are non-private questions with two answers, as on a form that was filled in on paper.
    """
    known = crosswise_questions(survey)
    others = [each for each in two_groups(survey) if each not in known]
    return (*known, *others)


def two_groups(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The non-private questions with two answers that people did not protect themselves."""
    return tuple(
        each
        for each in analysable_variables(survey)
        if each.question in survey.groupings
        and each.question.known_share is None
        and len(each.question.choices) == 2
    )


def crosswise_column(
    column: AnalysisColumn, question: Question | None, given: float | None = None
) -> CrosswiseColumn:
    """A column with its known share: that of its question, unless another one is given.

    Raises UnanswerableQuestion if none is known, or if it is not a question with two answers.
    """
    known = given if given is not None else (known_share(question) if question else None)
    if column.listed != 2 or (column.private and (column.special_answers or given is not None)):
        raise UnanswerableQuestion(
            "“%(question)s” is not a crosswise question. Choose one with two answers.",
            question=column.label,
        )
    if known is None:
        raise UnanswerableQuestion(
            "The known share of the second statement of “%(question)s” is missing. Give it.",
            question=column.label,
        )
    return CrosswiseColumn(column, known)


def analyse_crosswise(
    question: CrosswiseColumn,
    anchor: CrosswiseColumn | None = None,
    anchor_share: float = 0.0,
    second: CrosswiseColumn | None = None,
    by: AnalysisColumn | None = None,
    passed: Mask | None = None,
    level: float = 0.95,
) -> Crosswise:
    """Analyse a crosswise question.

    Parameters
    ----------
    anchor : the anchor question, and `anchor_share` the true share of its first statement
    second : the same question as other people answered it, with the known share 1 - p
    by : instead, two groups of the same question: the first has the known share p, the second 1 - p
    passed : who passed the attention check, of shape (n,)

    Raises
    ------
    UnanswerableQuestion
        If somebody answered both questions, if the second known share is not 1 - p, and as
        `crosswise_share` and `anchored_crosswise`.
    """
    groups = answers_of_groups(question, second, by)
    answered, supporting = groups.answered, groups.supporting
    if anchor is not None:
        answered = answered & anchor.answered

    def figures(kept: Mask) -> CrosswiseFigures:
        n = int(kept.sum())
        require_enough_answers(n)
        if anchor is None:
            count = int(supporting[kept].sum())
            return CrosswiseFigures(
                n=n, same=count, uncorrected=crosswise_share(count, n, question.known, level)
            )
        cells = 2 * ~supporting[kept] + 1 * ~anchor.same[kept]
        counted = np.bincount(cells, minlength=4).astype(np.float64)
        return anchored_crosswise(counted, question.known, anchor.known, anchor_share, level)

    return Crosswise(
        known=question.known,
        anchor_known=None if anchor is None else anchor.known,
        level=level,
        everyone=figures(answered),
        passed=None if passed is None else figures(answered & passed),
        instructions=groups.instructions,
    )


@dataclass(frozen=True)
class GroupAnswers:
    """Who answered, who gave an answer that counts as "same", and the test of two groups.

    In the second of two groups, "different" counts as "same": it is as likely as "same" in the
    first.
    """

    answered: Mask
    supporting: Mask
    instructions: InstructionTest | None


def answers_of_groups(
    question: CrosswiseColumn, second: CrosswiseColumn | None, by: AnalysisColumn | None
) -> GroupAnswers:
    answered, same = question.answered, question.same
    if second is not None:
        require_complement(question, second)
        in_second = second.answered
        answered = answered | in_second
        same = np.where(in_second, second.same, same)
    elif by is not None:
        if by.private or by.listed != 2:
            raise UnanswerableQuestion(
                "“%(question)s” must be a non-private question with two answers.", question=by.label
            )
        in_second = np.asarray(by.reports == 1)
        answered = answered & by.reported & (by.reports < 2)
    else:
        return GroupAnswers(answered, same, None)
    groups = [answered & ~in_second, answered & in_second]
    first, other = ((int((same & group).sum()), int(group.sum())) for group in groups)
    test = instruction_test((first[0], other[0]), (first[1], other[1]), question.known)
    return GroupAnswers(answered, same ^ in_second, test)


def require_complement(question: CrosswiseColumn, second: CrosswiseColumn) -> None:
    """Raise UnanswerableQuestion unless the known shares add up to 1, and nobody answered both."""
    if abs(question.known + second.known - 1) > EQUAL:
        raise UnanswerableQuestion(
            "The known shares of the two questions must add up to 1. Choose a second question "
            "with the opposite unrelated statement."
        )
    if (question.answered & second.answered).any():
        raise UnanswerableQuestion(
            "Some people answered both “%(question)s” and “%(second)s”. The two groups must be "
            "different people.",
            question=question.column.label,
            second=second.column.label,
        )


def passed_check(column: AnalysisColumn, places: Sequence[int]) -> Mask:
    """Who gave one of these answers to an attention check. Raises UnanswerableQuestion if it is
    private."""
    if column.private:
        raise UnanswerableQuestion(
            "“%(question)s” is randomised. An attention check must be a non-private question.",
            question=column.label,
        )
    return np.isin(column.reports, places)
