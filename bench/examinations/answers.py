"""Private questions as the builder makes them, and reports on dependent answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bench.false_alarms import every_report
from survey.analysis.columns.columns import question_column
from survey.analysis.columns.variables import AnalysisColumn, Codes
from survey.core.scores import Array
from survey.definition.parse_question import parse_question

# As survey definitions write them.
EPSILONS: dict[str, float] = {"0.5": 0.5, "ln 3": float(np.log(3)), "2": 2.0}
SIZES = (50, 200, 1_000)


def asked(
    name: str, kind: str, privacy: object, answers: int = 2, *, declines: bool = False
) -> AnalysisColumn:
    """The column of a question, with each possible report once."""
    entry: dict[str, Any] = {
        "name": name, "type": kind, "label": f"Question {name}", "privacy": privacy
    }  # fmt: skip
    if declines:
        entry["prefer_not_to_say"] = True
    if kind != "yes_no":
        entry["choices"] = [{"name": f"c{n}", "label": str(n + 1)} for n in range(answers)]
    question = parse_question(entry, "", "en")
    return question_column(question, every_report(question))


def drawn(
    generator: np.random.Generator, columns: Sequence[AnalysisColumn], shares: Array, n: int
) -> list[AnalysisColumn]:
    """The columns of n respondents whose answers have these joint shares.

    Parameters
    ----------
    columns : of `asked`
    shares : ndarray, with one axis for each column, the special answers last
    """
    chances = shares
    for column in columns:
        # The axis of the answers is replaced by one of the reports, which becomes the last one.
        chances = np.tensordot(chances, column.chances, axes=(0, 0))
    codes = generator.choice(chances.size, n, p=chances.reshape(-1) / chances.sum())
    reports = np.unravel_index(codes, chances.shape)
    return [
        replace(column, reports=each.astype(np.int64))
        for column, each in zip(columns, reports, strict=True)
    ]


def reported(
    generator: np.random.Generator, column: AnalysisColumn, codes: Codes
) -> AnalysisColumn:
    """The column of respondents who have these answers."""
    chances = column.chances[codes].cumsum(axis=1)
    reports = (generator.random((len(codes), 1)) > chances[:, :-1]).sum(axis=1)
    return replace(column, reports=reports.astype(np.int64))


def declined(shares: Array, part: float) -> Array:
    """Joint shares with a special answer in each question, which this part of the people gives."""
    for axis in range(shares.ndim):
        rest = np.expand_dims(shares.sum(axis=axis) * part, axis)
        shares = np.concatenate([shares * (1 - part), rest], axis=axis)
    return shares
