"""Mechanisms for numbers, and for ordered choices by distance.

The page first rounds a number at random to one of a few evenly spaced levels. It uses only
integers, so the mean stays unbiased. `answers` is the number of these levels. One table then
randomises the level.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from survey.core.errors import MechanismError, UnanswerableQuestion
from survey.core.exact_numbers import exact
from survey.core.integer_rounding import FINENESS, add_special_answers, round_within_ratio_bound
from survey.core.mechanisms.optimal_mean import optimal_mean_weights
from survey.core.mechanisms.optimal_quantiles import optimal_quantile_weights
from survey.core.mechanisms.registry import (
    NUMBERS,
    ORDERED,
    chosen_ratio_bound,
    mechanism,
    ratio_bound_not_above,
    requested_epsilon,
    whole_number_parameter,
)
from survey.core.processor_time import require_time
from survey.core.randomizer import MAX_TOTAL, Randomizer, exp_below
from survey.core.scores import score_variances

Array = npt.NDArray[np.float64]
BISECTIONS = 60
# A window's variance of the mean may be this many times the least possible one.
NEARLY_BEST = 1.1
# The relative excess over the optimum that rounding to integers may cause.
TOLERATED = 0.02
# More than the questions of a survey, because each change in the builder needs all their tables.
TABLES_IN_MEMORY = 256
# The table for 101 answers has about 500 reports, and takes a second of processor time. The page
# with it is up to 490 kB longer, or 41 kB after compression.
MAX_ANSWERS_FOR_QUANTILES = 101


@mechanism(
    "Window",
    source="Two-level square wave: Li et al. (2020), SIGMOD; on a grid, with integers",
    examples=[(11, {"epsilon": 1}), (7, {"epsilon": 2}), (9, {"odds": 3, "reach": 2})],
    serves=(NUMBERS, ORDERED),
    slow=True,
)
def window(answers: int, odds: Any = None, epsilon: Any = None, reach: Any = None) -> Randomizer:
    """A level of a longer grid, `odds` times likelier within `reach` of the answer.

    The grid of reports extends `reach` levels beyond both ends. Without `reach`, the function
    chooses one that suits both the mean and the distribution.
    """
    ratio = chosen_ratio_bound(odds, epsilon)
    if reach is None:
        reach = best_reach(answers, ratio)
    return window_table(answers, ratio, whole_number_parameter(reach, "reach", 0, 2 * answers))


def window_table(answers: int, ratio_bound: Fraction, reach: int) -> Randomizer:
    """The table of the window, with `reach` additional levels at each end of the reports."""
    near, far = ratio_bound.numerator, ratio_bound.denominator
    return Randomizer(
        tuple(
            tuple(near if x <= y <= x + 2 * reach else far for y in range(answers + 2 * reach))
            for x in range(answers)
        )
    )


@lru_cache(maxsize=TABLES_IN_MEMORY)
def best_reach(answers: int, ratio_bound: Fraction) -> int:
    """The reach that is best for the distribution among those that are nearly best for the mean.

    For the mean the criterion is the worst-case variance. For the distribution it is the variance
    of the share below a value, averaged over values and answers. Wider windows suit the mean,
    narrower ones the distribution. The choice may increase the variance of the mean by a tenth.
    """
    below = np.triu(np.ones((answers, answers)))[:, :-1]
    targets = np.column_stack([np.linspace(0, 1, answers), below])
    means, distributions = {}, {}
    for reach in range(answers + 1):
        try:
            variances = score_variances(window_table(answers, ratio_bound, reach), targets)
        except UnanswerableQuestion:
            continue  # These windows do not determine the distribution.
        means[reach] = float(variances[:, 0].max())
        distributions[reach] = float(variances[:, 1:].mean())
    good = [reach for reach in means if means[reach] <= NEARLY_BEST * min(means.values())]
    return min(good, key=lambda reach: distributions[reach])


@mechanism(
    "One bit",
    source="Duchi, Jordan & Wainwright (2018), JASA 113",
    examples=[(21, {"epsilon": 1}), (5, {"odds": 3})],
    serves=(NUMBERS, ORDERED),
)
def one_bit(answers: int, odds: Any = None, epsilon: Any = None) -> Randomizer:
    """High or low, with a probability of high that rises evenly. It determines only the mean."""
    ratio = chosen_ratio_bound(odds, epsilon)
    near, far, last = ratio.numerator, ratio.denominator, answers - 1
    rows = [
        [Fraction(near * (last - x) + far * x), Fraction(far * (last - x) + near * x)]
        for x in range(answers)
    ]
    total = sum(rows[0])
    return Randomizer.from_probabilities([[entry / total for entry in row] for row in rows])


@mechanism(
    "Optimal mean",
    source="Linear program for the smallest worst-case variance of the mean",
    examples=[(11, {"epsilon": 1}), (5, {"epsilon": "1.0986122886681098"})],
    serves=(NUMBERS, ORDERED),
    slow=True,
)
def optimal_mean(answers: int, epsilon: Any) -> Randomizer:
    """The table with the least worst-case variance of the mean, found by linear programming."""
    return optimal_mean_table(answers, exp_below(requested_epsilon(epsilon)))


@lru_cache(maxsize=TABLES_IN_MEMORY)
def optimal_mean_table(answers: int, limit: Fraction) -> Randomizer:
    """The optimum, on as many levels as its integers allow.

    The optimum may have fewer reports than levels. After rounding to integers, such a table would
    not determine the mean exactly. So the programme is solved on fewer levels until its table does.
    An answer between two of these levels is rounded at random, and the table includes this step.
    """
    for levels in sorted({answers, *(n for n in (16, 11, 8, 5, 4, 3) if n < answers)})[::-1]:
        weights, optimum = optimal_mean_weights(levels, float(limit))
        table = round_within_ratio_bound(weights, limit, MAX_TOTAL // answers)
        try:
            worst = score_variances(table, np.linspace(-1, 1, levels)[:, np.newaxis]).max()
        except UnanswerableQuestion:
            continue
        if worst <= optimum * (1 + TOLERATED):
            return spread_over_levels(table, answers)
    near, far = math.floor(limit * FINENESS), FINENESS
    return spread_over_levels(Randomizer(((near, far), (far, near))), answers)


def spread_over_levels(table: Randomizer, answers: int) -> Randomizer:
    """The same table on more levels. Those in between are rounded at random to the old levels."""
    last, rows = table.answers - 1, []
    for x in range(answers):
        place, part = divmod(Fraction(x * last, answers - 1), 1)
        low, high = table.rows[place], table.rows[min(place + 1, last)]
        mixed = [a + part * (b - a) for a, b in zip(low, high, strict=True)]
        rows.append([entry / table.total for entry in mixed])
    return Randomizer.from_probabilities(rows)


@mechanism(
    "Optimal quantiles",
    source="Convex program for the smallest variance of the cumulative shares",
    examples=[(11, {"epsilon": 1}), (4, {"epsilon": "2.5"}), (17, {"epsilon": 2})],
    serves=(NUMBERS,),
    fixed_work=50_000,
)
def optimal_quantiles(answers: int, epsilon: Any) -> Randomizer:
    """A report names a set of answers, and is likelier if the answer is in the set.

    The weights of the sets minimise the variance of the estimated share up to each answer. A number
    is not rounded at random. It has at most 101 possible answers.
    """
    if answers > MAX_ANSWERS_FOR_QUANTILES:
        raise MechanismError(
            "optimal_quantiles allows at most %(most)s answers, not %(answers)s. Use larger steps.",
            most=MAX_ANSWERS_FOR_QUANTILES,
            answers=answers,
        )
    # It refuses an epsilon below 0.01, at which reports have no information.
    ratio_bound_not_above(epsilon)
    return optimal_quantiles_table(answers, exp_below(requested_epsilon(epsilon)))


@lru_cache(maxsize=TABLES_IN_MEMORY)
def optimal_quantiles_table(answers: int, limit: Fraction) -> Randomizer:
    weights, _ = optimal_quantile_weights(answers, float(limit))
    return round_within_ratio_bound(weights, limit, MAX_TOTAL // answers)


@mechanism(
    "Exponential mechanism",
    source="McSherry & Talwar (2007); the utility is the negative distance",
    examples=[(5, {"epsilon": 1}), (7, {"epsilon": 2})],
    serves=(ORDERED,),
)
def exponential(answers: int, epsilon: Any) -> Randomizer:
    """A choice whose probability falls by one factor with each step away from the answer.

    The factor gives the table exactly this epsilon. The usual exp(-epsilon / (2 range)) would waste
    a part of it.
    """
    steps = np.abs(np.subtract.outer(np.arange(answers), np.arange(answers)))
    return strongest_table(lambda strength: np.exp(-strength * steps), requested_epsilon(epsilon))


@mechanism(
    "Discrete Laplace",
    source="Ghosh, Roughgarden & Sundararajan (2012); tails clamped",
    examples=[(21, {"epsilon": 1}), (11, {"epsilon": 3})],
    serves=(NUMBERS,),
)
def discrete_laplace(answers: int, epsilon: Any) -> Randomizer:
    """The level plus integer noise, whose probability falls by one factor with each step.

    Reports extend one range beyond both ends, and are clamped there.
    """
    inner = np.subtract.outer(np.arange(answers), np.arange(1 - answers, 2 * answers - 1))

    def weights(strength: float) -> Array:
        falling = np.exp(-strength * np.abs(inner))
        falling[:, [0, -1]] /= 1 - np.exp(-strength)  # Add the tails beyond both ends.
        return falling

    return strongest_table(weights, requested_epsilon(epsilon))


@mechanism(
    "Discrete Gaussian",
    source="Canonne, Kamath & Steinke (2020), clamped; delta computed from the table",
    examples=[(11, {"epsilon": 1, "delta": "1e-5"}), (5, {"epsilon": 2, "delta": 0.001})],
    serves=(NUMBERS,),
    slow=True,
)
def discrete_gaussian(
    answers: int, epsilon: Any, delta: Any, *, special_answers: int = 0
) -> Randomizer:
    """The level plus rounded normal noise, with at most this delta at this epsilon.

    Both are computed from the table. Reports extend one range beyond both ends, and are clamped
    there. So the table also has a finite epsilon without delta. It is larger than the requested
    one, and it counts in the survey's total.
    """
    requested, most = requested_epsilon(epsilon), exact(delta, "delta")
    if not 0 < most <= Fraction(1, 10):
        raise MechanismError(
            "delta must be above 0 and at most 0.1, not %(delta)s.", delta=repr(delta)
        )
    return least_gaussian_table(answers, requested, most, special_answers)


@lru_cache(maxsize=TABLES_IN_MEMORY)
def least_gaussian_table(
    answers: int, epsilon: Fraction, delta: Fraction, special_answers: int
) -> Randomizer:
    """The table with the least noise that satisfies delta, with special answers; by bisection."""
    edges = np.arange(1 - answers, 2 * answers - 2) + 0.5

    def table(deviation: float) -> Randomizer:
        require_time()
        below = scipy.special.ndtr(np.subtract.outer(edges, np.arange(answers)) / deviation).T
        ends = np.zeros((answers, 1)), np.ones((answers, 1))
        weights = np.maximum(np.diff(np.hstack([ends[0], below, ends[1]])), 1e-6)
        weights /= weights.sum(axis=1, keepdims=True)
        ratios = weights.max(axis=0) / weights.min(axis=0)
        limit = Fraction(float(ratios.max())).limit_denominator(1000) + 1
        return add_special_answers(round_within_ratio_bound(weights, limit), special_answers)

    low, high = 0.01 * answers, 1000.0 * answers  # bounds of the standard deviation, in steps
    for _ in range(BISECTIONS // 2):
        middle = (low * high) ** 0.5
        if table(middle).delta(epsilon) <= delta:
            high = middle
        else:
            low = middle
    return table(high)


def strongest_table(weights: Callable[[float], Array], epsilon: Fraction) -> Randomizer:
    """The table with the largest strength whose ratio bound does not exceed e^epsilon.

    `weights` returns the rows for a strength of at most epsilon, each up to a factor. The ratio
    bound must grow with the strength.
    """
    limit = exp_below(epsilon)

    def largest_ratio(strength: float) -> float:
        chances = weights(strength)
        chances = chances / chances.sum(axis=1, keepdims=True)
        return float((chances.max(axis=0) / chances.min(axis=0)).max())

    low, high = float(epsilon) * 1e-6, float(epsilon)
    require_time()
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if largest_ratio(middle) <= float(limit) else (low, middle)
    return round_within_ratio_bound(weights(low), limit)
