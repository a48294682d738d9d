"""The cases to measure: for each kind of interval, true distributions, draws of reports, estimates.

Each case uses the tables that the product makes from a definition, and the product's own functions
for estimates and intervals. A true distribution of answers is rounded at random if the table has
fewer points.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import OneHot, SubsetSelection
from survey.core.scores import probabilities, unbiased_scores
from survey.definition.parse_question import parse_question
from survey.definition.questions import Question
from survey.estimation.mean_estimates import (
    NumberEstimate,
    NumericReports,
    deviation,
    mean,
    mean_of_bits,
    rounding_adds,
    seen_as_given,
    squares,
)
from survey.estimation.mean_intervals import chance_with_extreme_report
from survey.estimation.quantile_estimates import estimate_quantile
from survey.estimation.share_estimates import estimate_shares
from survey.estimation.share_intervals import Interval
from survey.estimation.types.number import histogram_ranges

LEVEL = 0.95
NORMAL = 1.959963984540054
EPSILONS = {"0.5": 0.5, "1": 1, "ln 3": str(math.log(3)), "2": 2, "4": 4}
PLAIN = "plain"
ENOUGH = 1e-6  # relative to the range: the rounding of the intervals' ends

# True distributions of an answer between 0 and 1, as weights; `at` are the places of the answers.
TRUTHS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "all at the least": lambda at: at == 0,
    "all at the most": lambda at: at == 1,
    "all in the middle": lambda at: at == at[len(at) // 2],
    "all between two points": lambda at: at == 0.45,
    "even": lambda at: np.ones_like(at),
    "bell": lambda at: np.exp(-(((at - 0.45) / 0.15) ** 2) / 2),
    "half at either end": lambda at: (at == 0) | (at == 1),
    "skewed": lambda at: np.exp(-at * 12.5),
    "one in fifty far out": lambda at: 0.98 * (at == 0) + 0.02 * (at == 1),
}


def shares_of(truth: str, size: int) -> np.ndarray:
    """The share of each of `size` evenly spaced answers."""
    weights = np.asarray(TRUTHS[truth](np.arange(size) / (size - 1)), dtype=np.float64)
    return np.asarray(weights / weights.sum())


@cache
def number(privacy: str, epsilon: str, declines: bool = False) -> Question:
    """A number from 0 to 100, non-private or with a mechanism (or a goal) of this name."""
    entry = {"name": "x", "type": "number", "label": "?", "min": 0, "max": 100}
    return parse_question({**entry, **settings(privacy, epsilon, declines)}, "", "en")


@cache
def scale(privacy: str, epsilon: str, levels: int, declines: bool = False) -> Question:
    choices = [{"name": str(level), "label": str(level)} for level in range(levels)]
    entry = {"name": "x", "type": "scale", "label": "?", "choices": choices}
    return parse_question({**entry, **settings(privacy, epsilon, declines)}, "", "en")


def settings(privacy: str, epsilon: str, declines: bool) -> dict[str, Any]:
    asked = {"epsilon": EPSILONS.get(epsilon), "mechanism": privacy}
    return {
        "privacy": "none" if epsilon == PLAIN else asked,
        "prefer_not_to_say": declines,
    }


@dataclass(frozen=True)
class Measured:
    """The result of the draws of one cell.

    Attributes
    ----------
    coverage : share of the intervals that contain the truth
    told : share of the draws with an estimate; coverage refers to these
    width, wald : median widths, relative to the range, of the interval and of value +- 1.96
        standard errors cut to the range; None if there is no standard error
    narrowest : smallest width
    outside : share of the estimates outside the range
    """

    coverage: float
    told: float
    width: float
    wald: float | None
    narrowest: float
    outside: float


@dataclass(frozen=True)
class Case:
    """A true distribution, seen through a randomizer.

    Attributes
    ----------
    draw : (n, draws, generator) -> counts, one row for each draw
    estimate : counts -> the estimate of the product
    truth, low, high : the true quantity, and its range
    holds : counts -> whether the interval contains the truth, if the tests that it inverts are
        faster; otherwise the interval is computed for every draw
    chances : the probability of each kind of report, if there is a list of them
    """

    draw: Callable[[int, int, np.random.Generator], np.ndarray]
    estimate: Callable[[np.ndarray], NumberEstimate]
    truth: float
    low: float
    high: float
    holds: Callable[[np.ndarray], bool] | None = None
    chances: np.ndarray | None = None

    def measure(self, n: int, draws: int, generator: np.random.Generator, full: int) -> Measured:
        """Coverage over `draws` draws, of which the first `full` have widths."""
        counts, index, times = np.unique(
            self.draw(n, draws, generator), axis=0, return_index=True, return_counts=True
        )
        order = np.argsort(index)  # Keep the order of the draws, so that `full` is a random sample.
        counts, times = counts[order], times[order]
        holds, told = np.zeros(len(counts), dtype=bool), np.ones(len(counts), dtype=bool)
        widths, walds, weights, outside = [], [], [], []
        for place, row in enumerate(counts):
            if place >= full and self.holds is not None:
                holds[place] = self.holds(row)
                continue
            try:
                estimate = self.estimate(row)
            except UnanswerableQuestion:
                told[place] = False
                continue
            holds[place] = self.inside(estimate.interval)
            if self.holds is not None:
                self.agree(row, estimate, bool(holds[place]))
                holds[place] = self.holds(row)
            weights.append(times[place])
            widths.append(self.width(estimate.interval.low, estimate.interval.high))
            wald = self.wald(estimate)
            walds += [] if wald is None else [wald]
            outside.append(not self.low <= estimate.value <= self.high)
        known = times[told].sum()
        if not known:
            return Measured(1.0, 0.0, 1.0, None, 1.0, 0.0)
        return Measured(
            float(times[told] @ holds[told] / known),
            float(known / draws),
            median(widths, weights),
            None if len(walds) < len(widths) else median(walds, weights),
            min(widths),
            float(np.average(outside, weights=weights)),
        )

    def inside(self, interval: Interval) -> bool:
        slack = ENOUGH * (self.high - self.low)
        return interval.low - slack <= self.truth <= interval.high + slack

    def agree(self, row: np.ndarray, estimate: NumberEstimate, inside: bool) -> None:
        """Check that the interval contains the truth whenever the tests do.

        An estimate outside of the range only makes the interval longer.
        """
        tested = self.holds is not None and self.holds(row)
        if tested and not inside:
            raise AssertionError(f"{row} has {estimate}, though its tests hold {self.truth}.")

    def width(self, low: float, high: float) -> float:
        return (high - low) / (self.high - self.low)

    def wald(self, estimate: NumberEstimate) -> float | None:
        if estimate.standard_error is None:
            return None
        half = NORMAL * estimate.standard_error
        ends = np.clip([estimate.value - half, estimate.value + half], self.low, self.high)
        return self.width(*ends)


def median(values: list[float], weights: list[int]) -> float:
    order = np.argsort(values)
    below = np.cumsum(np.asarray(weights)[order])
    return float(np.asarray(values)[order][np.searchsorted(below, below[-1] / 2)])


def from_table(chances: np.ndarray) -> Callable[[int, int, np.random.Generator], np.ndarray]:
    return lambda n, draws, generator: generator.multinomial(n, chances, size=draws)


def test_of(counts: np.ndarray, scores: np.ndarray, among: np.ndarray, value: float) -> list[bool]:
    """Whether each end of `mean_interval`, low and high, includes this value."""
    amounts, excess, miss = counts.astype(np.float64), scores - value * among, (1 - LEVEL) / 2
    return [
        chance_with_extreme_report(amounts, excess, upwards=False) <= 1 - miss,
        chance_with_extreme_report(amounts, excess, upwards=True) >= miss,
    ]


@dataclass(frozen=True)
class Numbers:
    """A question with numeric answers, the distribution of its reports, and its estimator."""

    chances: np.ndarray
    seen: NumericReports
    answers: np.ndarray  # the true numbers; `shares` has the share of each among those given
    shares: np.ndarray

    def of(self, counts: np.ndarray) -> NumericReports:
        return replace(self.seen, counts=counts.astype(np.float64))


def size_of(question: Question) -> int:
    return question.grid.size if question.grid else len(question.choices)


def probable_rows(question: Question, truth: str) -> np.ndarray:
    """The share of each row of the table, after random rounding."""
    shares = shares_of(truth, size_of(question))
    if question.levels is None or question.grid is None:
        return shares
    by, places = question.grid.width(question.levels.size), np.arange(len(shares))
    rows = np.zeros(question.levels.size + 1)
    np.add.at(rows, places // by, shares * (1 - places % by / by))
    np.add.at(rows, places // by + 1, shares * (places % by / by))
    return rows[:-1]


def numbers(question: Question, truth: str, declined: float = 0.0) -> Numbers:
    """Reports on a number or scale whose answers have this distribution."""
    special_answers = len(question.special_answers)
    shares = shares_of(truth, size_of(question))
    answers = np.arange(len(shares), dtype=np.float64) + (0 if question.grid else 1)
    values, width = answers, 0.0
    if question.levels is not None and question.grid is not None:
        values = np.array([float(question.levels.value(x)) for x in range(question.levels.size)])
        by = question.grid.width(len(values))
        width = float(by) if by > 1 else 0.0
    rows = probable_rows(question, truth) * (1 - declined)
    rows = np.append(rows, np.full(special_answers, declined))
    nothing = np.ones(len(rows))
    randomizer = question.table
    if randomizer is None:
        return Numbers(rows, seen_as_given(nothing, values, special_answers), answers, shares)
    table = probabilities(randomizer)
    try:  # Scores are linear in the target.
        matrix = unbiased_scores(randomizer, np.eye(len(table)))
    except UnanswerableQuestion:
        matrix = None
    seen = NumericReports(
        counts=np.ones(table.shape[1]),
        values=values,
        outside=special_answers,
        scores=lambda t: unbiased_scores(randomizer, t) if matrix is None else matrix @ t,
        shares=nothing / len(nothing),  # used only by the estimate, not by any interval
        width=width,
        step=1.0,
    )
    return Numbers(rows @ table, seen, answers, shares)


def mean_case(question: Question, truth: str, declined: float = 0.0) -> Case:
    here = numbers(question, truth, declined)
    scores = here.seen.score(here.seen.values)
    among = here.seen.score(np.ones_like(here.seen.values))
    value = float(here.answers @ here.shares)
    return Case(
        from_table(here.chances),
        lambda counts: mean(here.of(counts)),
        value,
        float(here.seen.values[0]),
        float(here.seen.values[-1]),
        lambda counts: all(test_of(counts, scores, among, value)),
        here.chances,
    )


def part_case(question: Question, truth: str, part: int) -> Case:
    """The share of one bin of a histogram."""
    here, table, levels = numbers(question, truth), question.table, question.levels
    if table is None or levels is None:
        raise TypeError("Only a private number has levels.")
    target = np.zeros((table.answers, 1))
    target[histogram_ranges(levels)[part]] = 1
    scores = here.seen.scores(target)[:, 0]
    everyone = np.ones_like(scores)
    # The share of the rounded answers, which the histogram shows.
    value = float(probable_rows(question, truth) @ target[:, 0])

    def estimate(counts: np.ndarray) -> NumberEstimate:
        share = estimate_shares(table, counts.tolist(), LEVEL, target).shares[0]
        return NumberEstimate(share.value, share.standard_error, share.interval)

    return Case(
        from_table(here.chances), estimate, value, 0.0, 1.0,
        lambda counts: all(test_of(counts, scores, everyone, value)), here.chances,
    )  # fmt: skip


def deviation_case(question: Question, truth: str, declined: float = 0.0) -> Case:
    here = numbers(question, truth, declined)
    centre = here.answers @ here.shares
    square = float((here.answers - centre) ** 2 @ here.shares)
    _, most = rounding_adds(here.seen.width, here.seen.step)

    def holds(counts: np.ndarray) -> bool:
        about = squares(here.of(counts), LEVEL)
        return any(test_of(*each[:3], square + most)[0] for each in about) and any(
            test_of(*each[:3], square)[1] for each in about
        )

    half = float(here.seen.values[-1] - here.seen.values[0]) / 2
    return Case(
        from_table(here.chances), lambda counts: deviation(here.of(counts)), math.sqrt(square),
        0.0, half, holds, here.chances,
    )  # fmt: skip


def quantile_case(question: Question, truth: str, share: float, declined: float = 0.0) -> Case:
    here = numbers(question, truth, declined)
    place = np.searchsorted(np.cumsum(here.shares), share - 1e-12)
    return Case(
        from_table(here.chances),
        lambda counts: estimate_quantile(here.of(counts), share),
        float(here.answers[place]),
        float(here.seen.values[0]),
        float(here.seen.values[-1]),
        chances=here.chances,
    )


def bits_case(question: Question, truth: str, declined: float = 0.0) -> Case:
    """The mean of a scale whose reports are bits."""
    randomizer = question.one_hot
    if randomizer is None:
        raise TypeError("This question's reports are not bits.")
    levels = len(question.choices)
    shares = shares_of(truth, levels)
    rows = np.append(shares * (1 - declined), np.full(len(question.special_answers), declined))
    values = np.arange(1.0, levels + 1)

    def draw(n: int, draws: int, generator: np.random.Generator) -> np.ndarray:
        ones = set_bits(randomizer, rows, n, draws, generator)
        return np.stack([ones, n - ones], axis=2).reshape(draws, -1)

    return Case(
        draw,
        lambda counts: mean_of_bits(randomizer, counts.tolist(), values),
        float(values @ shares),
        1.0,
        float(levels),
    )


def set_bits(
    randomizer: OneHot, shares: np.ndarray, n: int, draws: int, generator: np.random.Generator
) -> np.ndarray:
    """The number of times that each bit is set in n reports, one row for each draw."""
    p, q, k = float(randomizer.p), float(randomizer.q), randomizer.answers
    if isinstance(randomizer, SubsetSelection):
        sets = np.array(
            [np.isin(range(k), some) for some in combinations(range(k), randomizer.size)]
        )
        inside = sets.sum(axis=0)  # the number of sets with an answer, which are equally likely
        chances = np.where(sets, p / inside, (1 - p) / (len(sets) - inside)) @ shares
        return np.asarray(generator.multinomial(n, chances, size=draws) @ sets)
    own = generator.multinomial(n, shares, size=draws)
    return np.asarray(generator.binomial(own, p) + generator.binomial(n - own, q))
