"""Analyses of a simulation, compared with the same analysis of the true answers.

The true answers are those of the same simulated respondents, before they were randomised. A figure
from them has no error of randomisation. The interval of an estimate also covers the error of
sampling, so it contains this figure at least as often as the value in the population.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from survey.analysis.as_rows import POINTS, SHARE, AnalysisRow
from survey.core.translate import translate, translate_number
from survey.estimation.number_text import percent, points_text, rounded_to

ROUNDING_SLACK = 1e-9


@dataclass(frozen=True, kw_only=True)
class TrueFigure:
    """A figure of an analysis and the same figure from the true answers, as text in its unit.

    Attributes
    ----------
    about : the answers, groups or questions that it is about
    held : whether the interval contains the figure from the true answers
    """

    figure: str
    about: str
    true: str
    estimate: str
    low: str
    high: str
    held: bool


def compare_with_true_answers(
    rows: Sequence[AnalysisRow], true_rows: Sequence[AnalysisRow]
) -> tuple[TrueFigure, ...]:
    """Each figure that has an interval, next to the same figure from the true answers.

    A figure that only one of the two analyses has is left out, such as the leaf of another tree.
    """
    true_values = {identity(row): row.estimate for row in true_rows}
    compared = []
    for row in rows:
        true = true_values.get(identity(row))
        if row.estimate is None or row.low is None or row.high is None or true is None:
            continue
        true_text, estimate, low, high = (
            figure_text(value, row) for value in (true, row.estimate, row.low, row.high)
        )
        compared.append(
            TrueFigure(
                figure=row.shown,
                about="; ".join(row_subjects(row)),
                true=true_text,
                estimate=estimate,
                low=low,
                high=high,
                held=row.low - ROUNDING_SLACK <= true <= row.high + ROUNDING_SLACK,
            )
        )
    return tuple(compared)


def identity(row: AnalysisRow) -> tuple[str, ...]:
    return (row.figure, *row_subjects(row))


def row_subjects(row: AnalysisRow) -> list[str]:
    """What a row is about, without the number of responses, which may differ."""
    return [each for each in row.about if each and not each.startswith("n = ")]


def figure_text(value: float, row: AnalysisRow) -> str:
    if row.unit == SHARE:
        return translate_number(percent(value))
    if row.unit == POINTS:
        return translate("%(n)s points", n=translate_number(points_text(value)))
    return translate_number(rounded_to(value, row.standard_error))
