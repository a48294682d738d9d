"""Measures of a question: the share of an answer, or the mean."""

from dataclasses import dataclass

import numpy as np

from survey.analysis.columns.answer_scores import require_shares, scores_for
from survey.analysis.columns.variables import AnalysisColumn
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import translate


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A quantity of the answers.

    Attributes
    ----------
    column : the question
    words : the name of the measure, such as "share of Yes"
    answer : the answer whose share it is, or None for a mean
    of_answer : ndarray, shape (k,)
        The quantity of each answer; zero for special answers.
    scores : ndarray, shape (codes,)
        E[scores[report] | answer x] = of_answer[x].
    among : ndarray, shape (codes,)
        The same for having given a listed answer.
    low, high : float
        The smallest and the largest quantity of a listed answer.
    """

    column: AnalysisColumn
    words: str
    answer: str | None
    of_answer: Array
    scores: Array
    among: Array
    low: float
    high: float


def measure_of(column: AnalysisColumn, answer: int | None = None) -> Measure:
    """The share of one answer. By default the mean, or for two answers the share of the first.

    Parameters
    ----------
    answer : int, optional
        The place of a listed answer.

    Raises
    ------
    UnanswerableQuestion
        If the reports do not determine it, or if an answer must be named.
    """
    if column.summed is not None and column.value_scores is not None:
        return Measure(
            column=column,
            words=translate("mean"),
            answer=None,
            of_answer=np.zeros(len(column.answers)),
            scores=column.value_scores,
            among=column.summed.counted,
            low=column.summed.ends[0],
            high=column.summed.ends[1],
        )
    if answer is None and column.values is None:
        if column.listed != 2:
            raise UnanswerableQuestion(
                "“%(question)s” has no mean. Choose an answer: %(answers)s.",
                question=column.label,
                answers=", ".join(column.answers[: column.listed]),
            )
        answer = 0
    if answer is not None:
        require_shares(column)
        if not 0 <= answer < column.listed:
            raise UnanswerableQuestion("“%(question)s” has no such answer.", question=column.label)
        of_answer = np.eye(len(column.answers))[answer]
        words = translate("share of %(answer)s", answer=column.answers[answer])
    else:
        words, of_answer = translate("mean"), np.nan_to_num(np.asarray(column.values))
    listed = np.asarray(of_answer[: column.listed])
    if not len(listed):
        raise UnanswerableQuestion("No responses are published yet.")
    if answer is not None:
        low, high = 0.0, 1.0
    else:
        low, high = column.span or (float(listed.min()), float(listed.max()))
    return Measure(
        column=column,
        words=words,
        answer=None if answer is None else column.answers[answer],
        of_answer=of_answer,
        scores=scores_for(column, of_answer),
        among=among_listed(column),
        low=low,
        high=high,
    )


def measure_text(measure: Measure) -> str:
    """A measure with the label of its question, such as: the share of “Yes” in “Do you smoke?”."""
    if measure.answer is None:
        return translate("the mean of “%(question)s”", question=measure.column.label)
    return translate(
        "the share of “%(answer)s” in “%(question)s”",
        answer=measure.answer,
        question=measure.column.label,
    )


def among_listed(column: AnalysisColumn) -> Array:
    """Scores, shape (codes,), of having given a listed answer."""
    listed_answers = np.ones(len(column.answers))
    listed_answers[column.listed :] = 0
    return scores_for(column, listed_answers)
