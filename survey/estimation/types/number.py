"""Numbers: a histogram in a few parts, mean, standard deviation and quantiles."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from survey.core.errors import UnanswerableQuestion
from survey.core.number_grid import Grid, decimal_text
from survey.core.randomizer import Randomizer
from survey.core.scores import Array
from survey.core.translate import later, translate, translate_number
from survey.definition.choices import Choice, names_of, with_unit
from survey.definition.questions import Question
from survey.definition.target_population import TargetPopulation
from survey.definition.types.number import NumberType
from survey.estimation.design_fit import mean_scores, share_scores
from survey.estimation.findings.calculations import Calculation, calculation_of_mean
from survey.estimation.findings.remarks import (
    DEVIATION_ZERO,
    MEAN_ONLY,
    NO_MEAN,
    QUANTILE_INTERVALS,
    REPORT_SPREAD,
    ROUNDED_VALUES,
    SHARE_OUTSIDE,
    Remark,
)
from survey.estimation.headlines import (
    MAX_HEADLINE_WIDTH,
    Headline,
    headline_of_mean,
    headline_of_median,
)
from survey.estimation.mean_estimates import (
    NumberEstimate,
    NumericReports,
    deviation,
    mean,
    seen_as_given,
    seen_through,
)
from survey.estimation.number_text import number, significant
from survey.estimation.quantile_estimates import CURVE_METHOD, QUANTILES, estimate_quantile
from survey.estimation.quantities import MEAN_FORMULA, NON_PRIVATE_MEAN_FORMULA, quantity
from survey.estimation.results import (
    AnswerResults,
    FoldedShares,
    QuantityResults,
    QuestionResults,
)
from survey.estimation.share_estimates import estimate_shares
from survey.estimation.share_results import Counts, table_answers, with_asked_shares
from survey.estimation.types import ESTIMATION
from survey.estimation.types.select_one import ChoiceEstimation

# A condition may name the end of a range with this rounding error.
ROUNDING_SLACK = 1e-9
MAX_HISTOGRAM_PARTS = 11
QUARTILES = {0.25: later("First quartile"), 0.5: later("Median"), 0.75: later("Third quartile")}
DEVIATION_FORMULA = later(
    "√(Σ score of (x − mean)² × share of each report / the same sum for “gave a value” + squared "
    "standard error of the mean)"
)
ROUNDED_DEVIATION_FORMULA = later(
    "√(Σ score of (x − mean)² × share of each report / the same sum for “gave a value” + squared "
    "standard error of the mean − variance from random rounding)"
)
NON_PRIVATE_DEVIATION_FORMULA = later(
    "√(Σ (value − mean)² / number of values + squared standard error of the mean)"
)
QUANTILE_FORMULA = later(
    "the value at which the sum of the maximum likelihood shares reaches %(share)s %%"
)
CURVE_QUANTILE_FORMULA = later(
    "the value at which the estimated cumulative share reaches %(share)s %%"
)
NON_PRIVATE_QUANTILE_FORMULA = later(
    "the value at which the sum of the shares reaches %(share)s %%"
)


@ESTIMATION.of(NumberType)
class NumberEstimation(ChoiceEstimation):
    """Figures of a distribution. The shares are those of parts of the range."""

    def results(self, counts: Counts, level: float, size: int | None) -> QuestionResults:
        return results_of_number(self.question, counts, level, size)

    def compared_shares(self) -> int:
        """The headline compares no parts of the range."""
        return 1

    def tested_scores(self, counts: Counts, chances: Array) -> list[Array]:
        parts = number_parts(self.question, counts)
        means: list[Array] = []
        if parts.seen is not None:
            means = mean_scores(chances, parts.seen.values, parts.seen.outside)
        return means + share_scores(chances, parts.target)

    def remarks_on_people(
        self, results: QuestionResults, target: TargetPopulation
    ) -> tuple[Remark, ...]:
        by_curve = any(each.method == CURVE_METHOD for each in results.quantities)
        if target.explanation or target.size is None or not by_curve:
            return super().remarks_on_people(results, target)
        sentence = translate(
            "The intervals of the median and the quartiles are those for people like the "
            "respondents. They are longer than necessary."
        )
        return (Remark(QUANTILE_INTERVALS, sentence),)

    def ends(self) -> tuple[float, float] | None:
        return float(self.question.number_grid.low), float(self.question.number_grid.high)

    def folded_shares(self) -> FoldedShares | None:
        if self.question.privacy is None or self.question.privacy.get("goal") != "mean":
            return None
        note = translate(
            "The randomizer of this question is optimised for the mean, so these shares can have "
            "large standard errors."
        )
        return FoldedShares(
            figures=translate("Mean, formula and shares"),
            heading=translate("Shares of the parts of the range"),
            note=note,
        )

    def headline(self, results: QuestionResults) -> Headline:
        if results.lead is None:
            return super().headline(results)
        if results.lead.name == "quantile_50":
            return headline_of_median(results, results.lead)
        return headline_of_mean(results, results.lead)

    def calculation(self, results: QuestionResults) -> Calculation | None:
        if results.lead is not None:
            return calculation_of_mean(results, results.lead)
        return super().calculation(results)

    def unseen_remarks(self, results: QuestionResults) -> tuple[str, ...]:
        return (SHARE_OUTSIDE,)

    def shares_mirror(self, shares: Sequence[AnswerResults]) -> bool:
        return False

    def chance_of_meeting(self, shares: Sequence[float], conditions: Sequence[Any]) -> float:
        low = max(float(each.get("min", -math.inf)) for each in conditions)
        high = min(float(each.get("max", math.inf)) for each in conditions)
        pairs = zip(self.values(), shares, strict=False)
        return sum(
            share
            for value, share in pairs
            if low - ROUNDING_SLACK <= value <= high + ROUNDING_SLACK
        )

    def filled_places(self) -> list[int]:
        if self.question.otherwise is None:
            return []
        return [self.question.number_grid.index(self.question.otherwise)]

    def values(self) -> Array:
        grid = self.question.number_grid
        return np.array([float(grid.value(place)) for place in range(grid.size)])


def results_of_number(
    question: Question, counts: Counts, level: float, size: int | None = None
) -> QuestionResults:
    """A histogram in a few parts, with mean, standard deviation and quantiles."""
    parts = number_parts(question, counts, size)
    if parts.seen is None:
        return QuestionResults(
            question=question,
            n=0,
            counts=parts.tally,
            values=parts.names,
            level=level,
            answers=(),
            covariance=None,
        )
    quantities, notes = quantities_of_number(question, parts.seen, parts.tells_distribution, level)
    answers: tuple[AnswerResults, ...] = ()
    covariance = None
    if parts.tells_distribution:
        # Random rounding makes the part of an answer random, which no formula here allows for.
        if parts.seen.width:
            size = None
        estimate = estimate_shares(parts.table, parts.counts, level, parts.target, size=size)
        answers = table_answers(
            question, parts.table, parts.counts, estimate, parts.target, parts.choices
        )
        covariance = estimate.covariance
    results = QuestionResults(
        question=question,
        n=sum(parts.tally),
        counts=parts.tally,
        values=parts.names,
        level=level,
        answers=answers,
        covariance=covariance,
        quantities=quantities,
        notes=notes,
    )
    return with_asked_shares(results, (parts.table, parts.counts, parts.target), size)


@dataclass(frozen=True, kw_only=True)
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
    if question.table is None or question.levels is None:
        return parts_as_given(question, grid, counts, size)
    return parts_of_table(question, question.table, grid, question.levels, counts, size)


def parts_of_table(
    question: Question,
    table: Randomizer,
    grid: Grid,
    levels: Grid,
    counts: Mapping[int, int],
    size: int | None,
) -> NumberParts:
    parts, special_answers = histogram_ranges(levels), len(question.special_answers)
    tally = tuple(counts.get(code, 0) for code in range(table.reports))
    target = np.zeros((levels.size + special_answers, len(parts) + special_answers))
    for column, part in enumerate(parts):
        target[part.start : part.stop, column] = 1
    target[levels.size :, len(parts) :] = np.eye(special_answers)
    choices = tuple(part_choice(levels, part) for part in parts) + question.special_answers
    seen, tells = None, True
    if sum(tally):
        values = np.array([float(levels.value(place)) for place in range(levels.size)])
        width = float(levels.step) if levels.step != grid.step else 0.0
        amounts = np.array(tally, dtype=np.float64)
        step, for_quantiles = float(grid.step), question.mechanism == "optimal_quantiles"
        seen = seen_through(
            table, amounts, values, special_answers, width, step, size, for_quantiles
        )
        seen = replace(seen, highest=float(grid.high))
        tells = tells_target(seen, target)
    names = tuple(names_of(question.reports))
    return NumberParts(
        names=names,
        tally=tally,
        table=table,
        counts=tally,
        target=target,
        choices=choices,
        seen=seen,
        tells_distribution=tells,
    )


def parts_as_given(
    question: Question, grid: Grid, counts: Mapping[int, int], size: int | None
) -> NumberParts:
    special_answers = question.special_answers
    places = sorted({code for code in counts if code < grid.size} | {0, grid.size - 1})
    others = [counts.get(grid.size + special, 0) for special in range(len(special_answers))]
    tally = (*(counts.get(place, 0) for place in places), *others)
    names = (*(grid[place] for place in places), *names_of(special_answers))
    parts = histogram_ranges(grid)
    in_parts = [0] * len(parts)
    for place in places:
        in_parts[place // len(parts[0])] += counts.get(place, 0)
    choices = tuple(part_choice(grid, part) for part in parts) + special_answers
    seen = None
    if sum(tally):
        values = np.array([float(grid.value(place)) for place in places])
        seen = seen_as_given(np.array(tally, dtype=np.float64), values, len(special_answers), size)
    columns = len(choices)
    table = Randomizer.identity(columns)
    part_counts = (*in_parts, *others)
    return NumberParts(
        names=names,
        tally=tally,
        table=table,
        counts=part_counts,
        target=np.eye(columns),
        choices=choices,
        seen=seen,
        tells_distribution=True,
    )


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
        return Choice(decimal_text(first), with_unit(with_thousands(first), grid))
    text = translate(
        "%(low)s to %(high)s",
        low=with_thousands(first),
        high=with_thousands(last),
    )
    return Choice(f"{decimal_text(first)}-{decimal_text(last)}", with_unit(text, grid))


def with_thousands(value: Fraction) -> str:
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
        formula = translate(NON_PRIVATE_MEAN_FORMULA if question.non_private else MEAN_FORMULA)
        quantities.append(quantity("mean", translate("Mean"), mean(seen, level), formula))
    except UnanswerableQuestion as error:
        return (), (Remark(NO_MEAN, str(error)),)
    try:
        spread = deviation(seen, level)
        formula = translate(deviation_formula(seen))
        quantities.append(quantity("deviation", translate("Standard deviation"), spread, formula))
        if not spread.value and not question.non_private:
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
    if question.mechanism == "discrete_laplace" and question.table and question.levels:
        notes.append(Remark(REPORT_SPREAD, laplace_tail(question.table, question.levels)))
    return tuple(quantities), tuple(notes)


def decimals_of(grid: Grid) -> int:
    """The number of decimals of each value of a grid."""
    texts = (decimal_text(each) for each in (grid.low, grid.step))
    return max(len(text.partition(".")[2]) for text in texts)


def quantile_formula(seen: NumericReports, estimate: NumberEstimate) -> str:
    if seen.non_private:
        return NON_PRIVATE_QUANTILE_FORMULA
    by_curve = estimate.interval.method == CURVE_METHOD
    return CURVE_QUANTILE_FORMULA if by_curve else QUANTILE_FORMULA


def deviation_formula(seen: NumericReports) -> str:
    if seen.non_private:
        return NON_PRIVATE_DEVIATION_FORMULA
    return ROUNDED_DEVIATION_FORMULA if seen.width else DEVIATION_FORMULA


def laplace_tail(table: Randomizer, levels: Grid) -> str:
    """A sentence: a report is within b ln(1/beta) of its answer with chance about 1 - beta."""
    middle = table.rows[0][levels.size - 1 : levels.size + 1]
    scale = float(levels.step) / math.log(middle[0] / middle[1])
    return translate(
        "A report is within b ln(1/β) of the rounded answer with a probability of about 1 − β. "
        "Here b = %(scale)s, so about 95 of 100 reports are within %(within)s of it.",
        scale=translate_number(significant(scale, 4)),
        within=translate_number(significant(scale * math.log(20), 4)),
    )
