"""Estimates for numbers and scales: histogram parts, mean, standard deviation, quantiles."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import OneHot
from survey.core.number_grid import Grid, decimal_text
from survey.core.randomizer import Randomizer
from survey.core.scores import Array
from survey.core.translate import later, translate, translate_number
from survey.definition.choices import Choice, Order, names_of, with_unit
from survey.definition.questions import Question
from survey.estimation.findings.remarks import (
    DEVIATION_ZERO,
    MEAN_ONLY,
    NO_MEAN,
    REPORT_SPREAD,
    ROUNDED_VALUES,
    Remark,
)
from survey.estimation.headlines import MAX_HEADLINE_WIDTH, compared
from survey.estimation.mean_estimates import (
    NumberEstimate,
    NumericReports,
    deviation,
    mean,
    mean_of_bits,
    seen_plainly,
    seen_through,
)
from survey.estimation.number_text import number, significant
from survey.estimation.quantile_estimates import CURVE_METHOD, QUANTILES, estimate_quantile
from survey.estimation.results import MEAN_RANK, RANKED_FIRST, QuantityResults
from survey.estimation.share_estimates import levels_of

MAX_HISTOGRAM_PARTS = 11
QUARTILES = {0.25: later("First quartile"), 0.5: later("Median"), 0.75: later("Third quartile")}
MEAN_FORMULA = later(
    "Σ over the reports of (score of the value × share of the report), divided by Σ of (score "
    "of “gave a value” × share of the report)"
)
PLAIN_MEAN_FORMULA = later("sum of the values / number of values")
MEAN_OF_BITS_FORMULA = later(
    "c + Σ (value − c) × estimated share of the value / (1 − estimated share of special answers), "
    "where c is the middle of the values"
)
# The same for a ranking: by the name of the quantity, for a table, for bits, and as given.
RANKING_FORMULAS = {
    MEAN_RANK: (
        later(
            "Σ over the reports of (score of the rank × share of the report), divided by Σ of "
            "(score of “gave an order” × share of the report)"
        ),
        later(
            "c + Σ (rank − c) × estimated share of the order / (1 − estimated share of special "
            "answers), where c is the average of the ranks"
        ),
        later("sum of the ranks / number of orders"),
    ),
    RANKED_FIRST: (
        later(
            "Σ over the reports of (score of “the item is first” × share of the report), "
            "divided by Σ of (score of “gave an order” × share of the report)"
        ),
        later(
            "c + Σ (v − c) × estimated share of the order / (1 − estimated share of special "
            "answers). Here v is 1 for an order with the item first, else 0, and c is the average "
            "of v"
        ),
        later("number of orders with the item first / number of orders"),
    ),
}
DEVIATION_FORMULA = later(
    "√(Σ score of (x − mean)² × share of each report / the same sum for “gave a value” + squared "
    "standard error of the mean)"
)
ROUNDED_DEVIATION_FORMULA = later(
    "√(Σ score of (x − mean)² × share of each report / the same sum for “gave a value” + squared "
    "standard error of the mean − variance from random rounding)"
)
PLAIN_DEVIATION_FORMULA = later(
    "√(Σ (value − mean)² / number of values + squared standard error of the mean)"
)
QUANTILE_FORMULA = later(
    "the value at which the sum of the maximum likelihood shares reaches %(share)s %%"
)
CURVE_QUANTILE_FORMULA = later(
    "the value at which the estimated cumulative share reaches %(share)s %%"
)
PLAIN_QUANTILE_FORMULA = later("the value at which the sum of the shares reaches %(share)s %%")


@dataclass(frozen=True)
class NumberParts:
    """A number question's reports, and the parts of its range for a histogram.

    Attributes
    ----------
    names, tally : the reports and the count of each; for a non-private question only the values
        that occur, and both ends of the range
    table, counts, target : the inputs of the estimate of the parts' shares
    seen : the inputs of the mean and the quantiles; None without any response
    tells_distribution : whether the reports determine the shares of the parts
    """

    names: tuple[str, ...]
    tally: tuple[int, ...]
    table: Randomizer
    counts: tuple[int, ...]
    target: np.ndarray
    choices: tuple[Choice, ...]
    seen: NumericReports | None
    tells_distribution: bool


def number_parts(
    question: Question, counts: Mapping[int, int], size: int | None = None
) -> NumberParts:
    """The parts of a number question, private or not."""
    grid = question.number_grid
    if question.table is None or question.points is None:
        return parts_as_given(question, grid, counts, size)
    return parts_of_table(question, question.table, grid, question.points, counts, size)


def parts_of_table(
    question: Question,
    table: Randomizer,
    grid: Grid,
    points: Grid,
    counts: Mapping[int, int],
    size: int | None,
) -> NumberParts:
    parts, extras = histogram_ranges(points), len(question.extras)
    tally = tuple(counts.get(code, 0) for code in range(table.reports))
    target = np.zeros((points.size + extras, len(parts) + extras))
    for column, part in enumerate(parts):
        target[part.start : part.stop, column] = 1
    target[points.size :, len(parts) :] = np.eye(extras)
    choices = tuple(part_choice(points, part) for part in parts) + question.extras
    seen, tells = None, True
    if sum(tally):
        values = np.array([float(points.value(place)) for place in range(points.size)])
        width = float(points.step) if points.step != grid.step else 0.0
        amounts = np.array(tally, dtype=np.float64)
        step, for_quantiles = float(grid.step), question.mechanism == "optimal_quantiles"
        seen = seen_through(table, amounts, values, extras, width, step, size, for_quantiles)
        seen = replace(seen, highest=float(grid.high))
        tells = tells_target(seen, target)
    names = tuple(names_of(question.reports))
    return NumberParts(names, tally, table, tally, target, choices, seen, tells)


def parts_as_given(
    question: Question, grid: Grid, counts: Mapping[int, int], size: int | None
) -> NumberParts:
    extras = question.extras
    places = sorted({code for code in counts if code < grid.size} | {0, grid.size - 1})
    others = [counts.get(grid.size + extra, 0) for extra in range(len(extras))]
    tally = (*(counts.get(place, 0) for place in places), *others)
    names = (*(grid[place] for place in places), *names_of(extras))
    parts = histogram_ranges(grid)
    in_parts = [0] * len(parts)
    for place in places:
        in_parts[place // len(parts[0])] += counts.get(place, 0)
    choices = tuple(part_choice(grid, part) for part in parts) + extras
    seen = None
    if sum(tally):
        values = np.array([float(grid.value(place)) for place in places])
        seen = seen_plainly(np.array(tally, dtype=np.float64), values, len(extras), size)
    columns = len(choices)
    table = Randomizer.identity(columns)
    part_counts = (*in_parts, *others)
    return NumberParts(names, tally, table, part_counts, np.eye(columns), choices, seen, True)


def tells_target(seen: NumericReports, target: np.ndarray) -> bool:
    try:
        seen.scores(target)
    except UnanswerableQuestion:
        return False
    return True


def histogram_ranges(grid: Grid) -> list[range]:
    """The places of a grid in at most eleven equal parts. The last one may be shorter."""
    size = math.ceil(grid.size / MAX_HISTOGRAM_PARTS)
    return [range(start, min(start + size, grid.size)) for start in range(0, grid.size, size)]


def part_choice(grid: Grid, part: range) -> Choice:
    first, last = grid.value(part[0]), grid.value(part[-1])
    if len(part) == 1:
        return Choice(decimal_text(first), with_unit(grouped(first), grid))
    text = translate(
        "%(low)s to %(high)s",
        low=grouped(first),
        high=grouped(last),
    )
    return Choice(f"{decimal_text(first)}-{decimal_text(last)}", with_unit(text, grid))


def grouped(value: Fraction) -> str:
    """A value of a grid in the language of the page, with its thousands: 500,000."""
    whole, point, places = decimal_text(value).partition(".")
    return translate_number(
        f"{int(whole):,}{point}{places}" if abs(value) >= 1 else whole + point + places
    )


def quantities_of_number(
    question: Question, seen: NumericReports, tells_distribution: bool, level: float
) -> tuple[tuple[QuantityResults, ...], tuple[Remark, ...]]:
    """Mean, standard deviation and quartiles, and remarks on what cannot be estimated."""
    quantities, notes = list[QuantityResults](), list[Remark]()
    try:
        formula = translate(PLAIN_MEAN_FORMULA if question.plain else MEAN_FORMULA)
        quantities.append(quantity("mean", translate("Mean"), mean(seen, level), formula))
    except UnanswerableQuestion as error:
        return (), (Remark(NO_MEAN, str(error)),)
    try:
        spread = deviation(seen, level)
        formula = translate(deviation_formula(seen))
        quantities.append(quantity("deviation", translate("Standard deviation"), spread, formula))
        if not spread.value and not question.plain:
            sentence = translate(
                "The estimated variance is below zero. This is random error: the variance is small "
                "compared with the noise. Candor shows the standard deviation as 0. Use its "
                "interval."
            )
            notes.append(Remark(DEVIATION_ZERO, sentence))
    except UnanswerableQuestion:
        sentence = translate(
            "These reports allow an estimate of the mean only, not of the standard deviation, "
            "quantiles or a histogram."
        )
        notes.append(Remark(MEAN_ONLY, sentence))
    if tells_distribution:
        for share in QUANTILES:
            estimate = estimate_quantile(seen, share, level)
            name = f"quantile_{100 * share:g}"
            formula = translate(quantile_formula(seen, estimate), share=f"{100 * share:g}")
            found = quantity(name, translate(QUARTILES[share]), estimate, formula)
            if seen.for_quantiles and question.grid:
                found = replace(found, decimals=decimals_of(question.grid))
            length, span = found.high - found.low, float(seen.values[-1] - seen.values[0])
            quantities.append(replace(found, cannot_tell=length > MAX_HEADLINE_WIDTH * span))
        if seen.width and question.grid:
            sentence = translate(
                "The values in the table of shares are %(step)s apart. An answer between two "
                "values counts partly for each, and more for the nearer one.",
                step=with_unit(translate_number(number(seen.width)), question.grid),
            )
            notes.append(Remark(ROUNDED_VALUES, sentence))
    if question.mechanism == "discrete_laplace" and question.table and question.points:
        notes.append(Remark(REPORT_SPREAD, laplace_tail(question.table, question.points)))
    return tuple(quantities), tuple(notes)


def decimals_of(grid: Grid) -> int:
    """The number of decimals of each value of a grid."""
    texts = (decimal_text(each) for each in (grid.low, grid.step))
    return max(len(text.partition(".")[2]) for text in texts)


def quantile_formula(seen: NumericReports, estimate: NumberEstimate) -> str:
    if seen.plain:
        return PLAIN_QUANTILE_FORMULA
    by_curve = estimate.interval.method == CURVE_METHOD
    return CURVE_QUANTILE_FORMULA if by_curve else QUANTILE_FORMULA


def deviation_formula(seen: NumericReports) -> str:
    if seen.plain:
        return PLAIN_DEVIATION_FORMULA
    return ROUNDED_DEVIATION_FORMULA if seen.width else DEVIATION_FORMULA


def quantity(name: str, label: str, estimate: NumberEstimate, formula: str) -> QuantityResults:
    error = estimate.standard_error
    chebyshev = None
    if name == "mean" and error is not None:
        chebyshev = (estimate.value - 2 * error, estimate.value + 2 * error)
    return QuantityResults(
        name,
        label,
        estimate.value,
        error,
        estimate.interval.low,
        estimate.interval.high,
        estimate.interval.method,
        formula,
        chebyshev,
        estimate.ratio,
    )


def laplace_tail(table: Randomizer, points: Grid) -> str:
    """A sentence: a report is within b ln(1/beta) of its answer with chance about 1 - beta."""
    middle = table.rows[0][points.size - 1 : points.size + 1]
    scale = float(points.step) / math.log(middle[0] / middle[1])
    return translate(
        "A report is within b ln(1/β) of the rounded answer with a probability of about 1 − β. "
        "Here b = %(scale)s, so about 95 of 100 reports are within %(within)s of it.",
        scale=translate_number(significant(scale, 4)),
        within=translate_number(significant(scale * math.log(20), 4)),
    )


def quantities_of_scale(
    question: Question,
    randomizer: Randomizer | OneHot,
    tally: Sequence[int],
    level: float,
    size: int | None = None,
) -> tuple[QuantityResults, ...]:
    """The mean of the ranks 1, 2, 3, ... of a scale, among respondents who chose a level."""
    k = len(question.choices)
    label = translate(
        "Mean, 1 = %(first)s, %(number)s = %(last)s",
        first=question.choices[0].label,
        number=k,
        last=question.choices[-1].label,
    )
    values = np.arange(1, k + 1, dtype=np.float64)
    try:
        estimate = mean_of_answers(question, randomizer, tally, values, level, size)
    except UnanswerableQuestion:
        return ()
    return (quantity("mean", label, estimate, formula_of_mean(question, randomizer)),)


def mean_of_answers(
    question: Question,
    randomizer: Randomizer | OneHot,
    tally: Sequence[int],
    values: Array,
    level: float,
    size: int | None = None,
) -> NumberEstimate:
    """The mean of the numbers of the answers, among respondents who gave no special answer.

    Parameters
    ----------
    tally : the count of each report, or of each bit set and not set
    values : ndarray, shape (choices,)
    size : the number of people whom the estimate describes, or None for people like the respondents

    Raises UnanswerableQuestion.
    """
    amounts, outside = np.array(tally, dtype=np.float64), len(question.extras)
    if isinstance(randomizer, OneHot):
        return mean_of_bits(randomizer, tally, values, level, size)
    if question.plain:
        return mean(seen_plainly(amounts, values, outside, size), level)
    return mean(seen_through(randomizer, amounts, values, outside, size=size), level)


def formula_of_mean(question: Question, randomizer: Randomizer | OneHot) -> str:
    if question.plain:
        return translate(PLAIN_MEAN_FORMULA)
    return translate(MEAN_OF_BITS_FORMULA if isinstance(randomizer, OneHot) else MEAN_FORMULA)


def quantities_of_ranking(
    question: Question,
    randomizer: Randomizer | OneHot,
    tally: Sequence[int],
    level: float,
    size: int | None = None,
) -> tuple[QuantityResults, ...]:
    """The mean rank of each item, then the share of the orders that put each item first.

    Notes
    -----
    Both are means over the orders: of the item's rank, and of 1 if the item is first, else 0. They
    are about respondents who gave an order. The simultaneous intervals of the shares hold together.
    """
    form = 2 if question.plain else 1 if isinstance(randomizer, OneHot) else 0
    formulas = {name: translate(each[form]) for name, each in RANKING_FORMULAS.items()}
    ranks, firsts = list[QuantityResults](), list[QuantityResults]()
    family = compared(len(question.listed), exclusive=True)
    for item, of_item in zip(question.listed, ranks_of_items(question), strict=True):
        try:
            rank = mean_of_answers(question, randomizer, tally, of_item, level, size)
            first = (of_item == 1).astype(float)
            shares = [
                mean_of_answers(question, randomizer, tally, first, each, size)
                for each in levels_of(level, family)
            ]
        except UnanswerableQuestion:
            return ()
        name = translate("Mean rank of “%(item)s”", item=item.label)
        ranks.append(replace(quantity(MEAN_RANK, name, rank, formulas[MEAN_RANK]), item=item))
        name = translate("“%(item)s” ranked first", item=item.label)
        share = quantity(RANKED_FIRST, name, shares[0], formulas[RANKED_FIRST])
        firsts.append(replace(share, item=item, is_share=True, simultaneous=shares[-1].interval))
    return (*ranks, *firsts)


def ranks_of_items(question: Question) -> Array:
    """The rank of each item in each order, from 1: shape (items, orders)."""
    orders = [names_of(order.items) for order in question.choices if isinstance(order, Order)]
    return np.array(
        [[1.0 + order.index(item.name) for order in orders] for item in question.listed]
    )
