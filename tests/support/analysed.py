"""Columns for the tests of analyses, and simulated respondents."""

from collections.abc import Sequence

import numpy as np

from survey.analysis import AnalysisColumn
from survey.analysis.columns.reported_variable import ReportedVariable
from survey.analysis.columns.variables import MISSING, Codes
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, probabilities, unbiased_scores

COIN = Randomizer.from_rows([[3, 1], [1, 3]])
FOUR = Randomizer.from_rows([[5 if x == y else 1 for y in range(4)] for x in range(4)])
THREE = Randomizer.from_rows([[4 if x == y else 1 for y in range(3)] for x in range(3)])
STRONG = Randomizer.from_rows([[9, 1], [1, 9]])
WIDE = Randomizer.from_rows([[6, 2, 1, 1], [1, 1, 2, 6]])  # two answers, four reports


def column(reports, table, name="x", values=None, special_answers=0, private=True):
    """A column whose reports went through a randomizer."""
    k = table.answers
    scores = unbiased_scores(table, np.eye(k))
    worth = None if values is None else np.asarray(values, dtype=float)
    return AnalysisColumn(
        name=name,
        label=f"What of {name}?",
        answers=tuple(f"{name}{place}" for place in range(k)),
        values=worth,
        chances=probabilities(table),
        scores=scores,
        value_scores=None if worth is None else scores @ np.nan_to_num(worth),
        reports=np.asarray(reports, dtype=np.int64),
        private=private,
        ordered=worth is not None,
        special_answers=special_answers,
        report_names=tuple(f"report {place}" for place in range(table.reports)),
        draw=name,
    )


def plain(answers, k, name="x", values=None, special_answers=0):
    """A column whose reports are the answers."""
    return column(answers, Randomizer.identity(k), name, values, special_answers, private=False)


def reported(generator, table, answers):
    """One report for each answer, drawn by the table's chances."""
    edges = probabilities(table).cumsum(axis=1)
    return (generator.random(len(answers))[:, np.newaxis] > edges[answers]).sum(axis=1)


def through(generator, table, answers, name="x", values=None, special_answers=0):
    """A randomized column of these answers."""
    return column(reported(generator, table, answers), table, name, values, special_answers)


def drawn(generator, shares, n):
    """Answers to two or three questions, drawn from joint shares."""
    flat = generator.choice(shares.size, size=n, p=shares.reshape(-1))
    return np.unravel_index(flat, shares.shape)


def mixed(designs: Sequence[Array], design: Codes, codes: Codes) -> ReportedVariable:
    """Reports of respondents with different designs: direct questions, or other odds.

    Parameters
    ----------
    designs : the `chances` of each design, all of the same k answers
    design : int array (n,), the design of each respondent
    codes : int array (n,), the reports in the codes of that design; -1 for none
    """
    widths = [chances.shape[1] for chances in designs]
    starts = np.concatenate([[0], np.cumsum(widths)[:-1]])
    return ReportedVariable(
        np.concatenate(designs, axis=1),
        np.where(codes < 0, MISSING, codes + starts[design]),
        np.repeat(np.arange(len(designs)), widths),
    )
