"""Figures of a release with the intervals that their noise implies, computed from stored draws.

The interval of a figure contains the value without noise, with a probability of 95 % for all
figures of a release together. It says nothing about other people than these respondents. For a
population, add the sampling error.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from survey.central_dp.bounded_sums import categories, count_is_known, curve_bounds
from survey.central_dp.dp_request import (
    SELECTED,
    STATISTICS,
    Request,
    Statistic,
    question_of,
    request_bounds,
)
from survey.central_dp.figure_noise import FigureNoise, figure_noise
from survey.central_dp.noisy_sums import noises_of, totals_within, unit_of_sum
from survey.central_dp.selection import Selection, selection_of
from survey.central_dp.tree import DPTree, tree_of
from survey.core.translate import translate
from survey.definition.choices import with_unit
from survey.definition.survey import Survey
from survey.estimation.number_text import number, rounded_to

Range = tuple[int, int, int]  # a value, and the ends of the interval of the true one


@dataclass(frozen=True, kw_only=True)
class DPFigure:
    """A released figure. `low` and `high` are None if it has no interval.

    `noise_deviation` is the standard deviation of its noise, or None if it is not known or there
    is no added noise.
    """

    label: str
    value: float
    low: float | None
    high: float | None
    text: str = ""
    noise_deviation: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of its interval; the value twice if there is none."""
        if self.low is None or self.high is None:
            return self.value, self.value
        return self.low, self.high

    @property
    def shown(self) -> str:
        """The selected answer, or the value as text."""
        return self.text or self.write_value(self.value)

    @property
    def between(self) -> tuple[str, str] | None:
        """The ends of its interval as text; None if there is none."""
        if self.low is None or self.high is None:
            return None
        return self.write_value(self.low), self.write_value(self.high)

    def write_value(self, value: float) -> str:
        """A value with the decimals that its interval supports. Whole numbers have none."""
        low, high = self.ends
        return number(value) if value == round(value) else rounded_to(value, (high - low) / 4)


def dp_figures(
    survey: Survey, request: Request, n: int, drawn: Sequence[Sequence[int]]
) -> list[DPFigure]:
    """The figures of a release.

    Parameters
    ----------
    n : the number of responses when it was drawn
    drawn : the drawn values of each part; for a selection, the index of the candidate
    """
    question = question_of(survey, request.question)
    if request.statistic in SELECTED:
        return [selected_figure(selection_of(survey, request), drawn[0][0])]
    added = figure_noise(survey, request, n)
    if request.statistic == Statistic.TREE:
        return leaves_of(tree_of(survey, request, n), drawn, added)
    noises = noises_of(survey, request, n)
    if request.statistic in (Statistic.COUNT, Statistic.HISTOGRAM):
        noise, values = noises[0], drawn[0]
        bars = request.statistic == Statistic.HISTOGRAM
        labels = (
            [each.label for each in categories(question, request)]
            if bars
            else [translate("Respondents")]
        )
        return [
            figure_with_range(label, Fraction(1), value, noise.within, added)
            for label, value in zip(labels, values, strict=True)
        ]
    grid = question.number_grid
    low, high = request_bounds(question, request)
    if request.statistic == Statistic.CURVE:
        totals = zip(
            curve_bounds(low, high), accumulate(drawn[0]), totals_within(noises[0]), strict=True
        )
        return [
            figure_with_range(
                f"≤ {with_unit(grid[bound], grid)}", grid.step, total, within, added, terms
            )
            for terms, (bound, total, within) in enumerate(totals, 1)
        ]
    if request.statistic == Statistic.SUM:
        return [
            figure_with_range(
                translate("Sum"), unit_of_sum(grid), drawn[0][0], noises[0].within, added
            )
        ]
    count_known = count_is_known(survey, request)
    counted = (
        (n, n, n) if count_known else noise_range(drawn[-1][0], noises[-1].within, 1, max(n, 1))
    )
    moments = Moments(high - low, counted, noise_range(drawn[0][0], noises[0].within))
    if request.statistic == Statistic.MEAN:
        value, *ends = (float(grid.low + grid.step * (low + high + y) / 2) for y in moments.mean)
        deviation = added.deviation if added else None
        label = translate("Mean")
        return [
            DPFigure(label=label, value=value, low=ends[0], high=ends[1], noise_deviation=deviation)
        ]
    squares = noise_range(drawn[1][0], noises[1].within)
    value, *ends = (float(grid.step**2 / 4 * each) for each in moments.variance(squares))
    return [DPFigure(label=translate("Variance"), value=value, low=ends[0], high=ends[1])]


def leaves_of(
    tree: DPTree, drawn: Sequence[Sequence[int]], added: FigureNoise | None
) -> list[DPFigure]:
    """The count of each class in each leaf."""
    figures = []
    for way, counts in tree.leaves(tuple(node) for node in drawn):
        asked = [
            f"{tree.by[split.place].label} {tree.branch_labels(split)[branch]}"
            for split, branch in way
        ]
        for each, value in zip(tree.question.answers, counts, strict=True):
            label = f"{' · '.join(asked)} → {each.label}"
            figures.append(figure_with_range(label, Fraction(1), value, tree.within, added))
    return figures


def tree_accuracy_figure(
    survey: Survey, request: Request, n: int, drawn: Sequence[Sequence[int]]
) -> DPFigure | None:
    """The number of respondents that a released tree predicts correctly; None for no tree.

    It is the sum of the largest noisy counts of the leaves, so it costs nothing, and is usually
    somewhat too large. If each count is within its bound, so is the sum within theirs together.
    """
    if request.statistic != Statistic.TREE:
        return None
    tree = tree_of(survey, request, n)
    counts = [leaf for _, leaf in tree.leaves(tuple(node) for node in drawn)]
    right = sum(max(leaf) for leaf in counts)
    return figure_with_range(
        translate("Predicted correctly"), Fraction(1), right, len(counts) * tree.within
    )


def most_frequent_count(
    survey: Survey, request: Request, n: int, drawn: Sequence[Sequence[int]]
) -> tuple[str, int, int]:
    """The most frequent class of a released tree, its noisy count, and that of all classes."""
    tree = tree_of(survey, request, n)
    leaves = [leaf for _, leaf in tree.leaves(tuple(node) for node in drawn)]
    totals = [sum(column) for column in zip(*leaves, strict=True)]
    place = totals.index(max(totals))
    return tree.question.answers[place].label, totals[place], sum(totals)


def figure_with_range(
    label: str,
    unit: Fraction,
    value: int,
    within: int,
    added: FigureNoise | None = None,
    terms: int = 1,
) -> DPFigure:
    """A figure with its range, and with this many independent noises."""
    low, middle, high = (float(unit * (value + side * within)) for side in (-1, 0, 1))
    deviation = added.deviation * math.sqrt(terms) if added else None
    return DPFigure(label=label, value=middle, low=low, high=high, noise_deviation=deviation)


def noise_range(
    value: int, within: int, least: int | None = None, most: int | None = None
) -> Range:
    """A value and the interval around it, limited to the possible range."""

    def possible(each: int) -> int:
        each = each if least is None else max(least, each)
        return each if most is None else min(most, each)

    return possible(value), possible(value - within), possible(value + within)


@dataclass(frozen=True)
class Moments:
    """Means of y, which lies from -width to width, from noisy sums, each with its interval.

    The true sum and the true number are in their intervals. So the true mean is between the
    quotients of the ends of these, and between the ends of y.
    """

    width: int
    count: Range
    total: Range

    def quotient(self, total: Range, most: int) -> tuple[Fraction, Fraction, Fraction]:
        number, fewest, largest = self.count
        if largest == 0:
            return Fraction(0), Fraction(-most), Fraction(most)
        ends = [Fraction(end, by) for end in total[1:] for by in (max(1, fewest), largest)]
        inside = [min(max(end, Fraction(-most)), Fraction(most)) for end in ends]
        return Fraction(total[0], max(1, number)), min(inside), max(inside)

    @property
    def mean(self) -> tuple[Fraction, Fraction, Fraction]:
        return self.quotient(self.total, self.width)

    def variance(self, squares: Range) -> tuple[Fraction, Fraction, Fraction]:
        """The mean of the squares minus the squared mean; `squares` sums 2 y^2 - width^2."""
        most = self.width**2
        second = [(each + most) / 2 for each in self.quotient(squares, most)]
        first, low, high = self.mean
        nearest = Fraction(0) if low <= 0 <= high else min(low**2, high**2)
        ends = (second[1] - max(low**2, high**2), second[2] - nearest)
        inside = [min(max(end, Fraction(0)), Fraction(most)) for end in ends]
        return second[0] - first**2, inside[0], inside[1]


def selected_figure(selection: Selection, chosen: int) -> DPFigure:
    """The figure of a selection. The value of a choice is its position in the list, from 1."""
    place, grid = selection.places[chosen], selection.question.grid
    value = float(place + 1) if grid is None else float(grid.value(place))
    return DPFigure(
        label=selected_label(selection),
        value=value,
        low=None,
        high=None,
        text=selection.labels[chosen].label,
    )


def selected_label(selection: Selection) -> str:
    if selection.statistic in (Statistic.MINIMUM, Statistic.MAXIMUM):
        return translate(STATISTICS[selection.statistic])
    if selection.statistic == Statistic.MODE:
        return translate("Most frequent")
    if selection.percent == 50:
        return translate("Median")
    return translate("%(percent)s %% quantile", percent=selection.percent)
