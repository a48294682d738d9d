"""Unbiased scores of the answers in one column."""

import numpy as np

from survey.analysis.columns.variables import AnalysisColumn
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array, scores_of_table


def require_shares(column: AnalysisColumn) -> None:
    """Raise UnanswerableQuestion unless the reports determine the share of each answer."""
    if len(column.answers) - column.special_answers < 1:
        raise UnanswerableQuestion("No responses are published yet.")
    if column.scores is None and column.private:
        raise UnanswerableQuestion(
            "The reports on “%(question)s” allow an estimate of the mean only, not of the "
            "share of each answer. Choose another question.",
            question=column.label,
        )
    if column.scores is None:
        raise UnanswerableQuestion(
            "“%(question)s” has %(n)s different values, too many for a table.",
            question=column.label,
            n=column.listed,
        )


def coherent(column: AnalysisColumn) -> Array:
    """Unbiased scores that add up to one, shape (codes, k)."""
    require_shares(column)
    scores = np.asarray(column.scores)
    off = 1 - scores.sum(axis=1, keepdims=True)
    return np.asarray(scores + off / scores.shape[1])


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
        raise UnanswerableQuestion(
            "The reports on “%(question)s” do not allow this estimate.", question=column.label
        )
    try:
        return scores_of_table(column.chances, of_answer[:, np.newaxis])[:, 0]
    except UnanswerableQuestion as refusal:
        raise UnanswerableQuestion(
            "The reports on “%(question)s” allow an estimate of the mean only.",
            question=column.label,
        ) from refusal
