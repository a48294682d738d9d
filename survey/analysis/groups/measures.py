"""Measures of a question: the share of an answer, or the mean."""

from dataclasses import dataclass

import numpy as np

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.tables.joint_shares import coherent, require_shares
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array, scores_of_table


@dataclass(frozen=True)
class Measure:
    """A quantity of the answers.

    Attributes
    ----------
    column : the question
    words : the name of the measure, such as "share of Yes"
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
    of_answer: Array
    scores: Array
    among: Array
    low: float
    high: float


def measured(column: AnalysisColumn, answer: int | None = None) -> Measure:
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
    if answer is None and column.values is None:
        if column.listed != 2:
            answer_labels = ", ".join(column.answers[: column.listed])
            raise UnanswerableQuestion(
                f"“{column.label}” has no mean. Choose an answer: {answer_labels}."
            )
        answer = 0
    if answer is not None:
        require_shares(column)
        if not 0 <= answer < column.listed:
            raise UnanswerableQuestion(f"“{column.label}” has no such answer.")
        words, of_answer = f"share of {column.answers[answer]}", np.eye(len(column.answers))[answer]
    else:
        words, of_answer = "mean", np.nan_to_num(np.asarray(column.values))
    listed = np.asarray(of_answer[: column.listed])
    if not len(listed):
        raise UnanswerableQuestion("No responses are published yet.")
    if answer is not None:
        span = 0.0, 1.0
    else:
        span = column.span or (float(listed.min()), float(listed.max()))
    return Measure(
        column, words, of_answer, scores_for(column, of_answer), among_listed(column), *span
    )


def measure_text(measure: Measure) -> str:
    """A measure with the label of its question, such as: the share of “Yes” in “Do you smoke?”."""
    words = measure.words.removeprefix("share of ")
    subject = "mean" if words == measure.words else f"share of “{words}”"
    return f"the {subject} in “{measure.column.label}”"


def among_listed(column: AnalysisColumn) -> Array:
    """Scores, shape (codes,), of having given a listed answer."""
    listed_answers = np.ones(len(column.answers))
    listed_answers[column.listed :] = 0
    return scores_for(column, listed_answers)


def scores_for(column: AnalysisColumn, of_answer: Array) -> Array:
    """Unbiased scores, shape (codes,), of a quantity of the answers, shape (k,).

    Raises UnanswerableQuestion if the reports do not determine it.
    """
    if column.scores is not None:
        return np.asarray(coherent(column) @ of_answer)
    # For a non-private number with many values, the report is the answer.
    if not column.private:
        return of_answer
    if not column.tabled:
        raise UnanswerableQuestion(f"The reports on “{column.label}” do not allow this estimate.")
    try:
        return scores_of_table(column.chances, of_answer[:, np.newaxis])[:, 0]
    except UnanswerableQuestion as refusal:
        raise UnanswerableQuestion(
            f"The reports on “{column.label}” allow an estimate of the mean only."
        ) from refusal
