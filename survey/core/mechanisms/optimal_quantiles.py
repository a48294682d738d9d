"""The convex programme whose solution is the most accurate table for cumulative shares."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from random import Random

import numpy as np
import numpy.typing as npt

from survey.core.processor_time import require_time

Array = npt.NDArray[np.float64]
# The weights of the cumulative shares change after this many steps, by this power of the variance.
REWEIGHT_EVERY = 10
REWEIGHT_POWER = 0.3
# Each weight is at least about this part of their mean. With large epsilon, almost all variance is
# that of the sample, which is smaller for the first and the last share whatever their weight.
LEAST_PART = 0.3
NEWTON_STEPS = 30
# The relative error of the row totals that Newton's method leaves.
CLOSE = 1e-12
# A weight below this would make the equations singular.
LEAST_WEIGHT = 1e-14
# With more answers, there are too many sets of few runs, and they are not the best ones.
MAX_ANSWERS_FOR_RUNS = 16
MAX_CHANGES = 3
# The length of a cycle, relative to the answers. With 1.15, variances are up to 10 % larger.
CYCLE_LENGTH = 1.5
# With more answers, two cycles are enough, and a third one makes the table longer by a third.
MAX_ANSWERS_FOR_THREE_CYCLES = 80
# Starts of the search for one cycle, and how often each cycle is replaced by a better one.
STARTS = 4
PASSES = 3
# Values that differ by less are equal: computers differ in the last digits of a sum.
SAME = 1e-9


@dataclass(frozen=True)
class Effort:
    """How long the masses of sets are improved, and which sets are dropped.

    Attributes
    ----------
    steps, last_steps : before and after rare sets are dropped. The numbers are fixed, so that the
        result does not depend on the speed of the computer.
    negligible : a report that is sent more rarely than this is not worth a column. It is relative
        to the frequency of a report that is drawn at random.
    """

    steps: int
    last_steps: int
    negligible: float


# tests/core/test_optimal_quantiles.py compares the results with bounds for the optimum.
OF_RUNS = Effort(400, 100, 0.08)
OF_CYCLES = Effort(60, 40, 0.3)


def cumulative_targets(answers: int) -> Array:
    """For each answer, whether it is at most the first, the second, ... level but the last."""
    return np.triu(np.ones((answers, answers)))[:, :-1]


def sets_of_runs(answers: int) -> Array:
    """The sets of few runs of levels, as rows of 0 and 1.

    From the lowest to the highest level, a row changes once, twice or three times.
    """
    places, rows = np.arange(answers), []
    for changes in range(1, MAX_CHANGES + 1):
        for ends in combinations(range(1, answers), changes):
            row = np.searchsorted(ends, places, side="right") % 2
            rows += [row, 1 - row]
    return np.array(rows, dtype=np.float64)


def sets_of_cycles(answers: int, ratio_bound: float) -> Array:
    """Sets with runs of all lengths, as rows of 0 and 1.

    They are all windows of `answers` places in a few cycles of 0 and 1, and their mirror images.
    """
    rows: dict[tuple[float, ...], None] = {}
    for cycle in best_cycles(answers, ratio_bound):
        twice = np.concatenate([cycle, cycle])
        for start in range(len(cycle)):
            row = twice[start : start + answers]
            if row.min() < row.max():
                rows |= {tuple(row): None, tuple(row[::-1]): None}
    return np.array(list(rows))


@dataclass(frozen=True)
class CycleSearch:
    """The search for cycles of 0 and 1 whose windows tell the most about cumulative shares.

    Attributes
    ----------
    length : of a cycle
    ratio_bound : e^epsilon

    Notes
    -----
    Let a report name a window that begins at a random place of the cycle. Let F be the discrete
    Fourier transform of the cycle, and c the mean of its entries e^epsilon and 1. The information
    of the reports on a wave of frequency f is then |F(f)|^2 / c^2. A cumulative share is the mean
    of a step, whose power is 1 / sin^2(pi f / length). So its variance is about the sum over f of
    this power divided by the information, and cycles with "pink noise" make it small. The search
    changes one place of a cycle after another, and takes the change with the smallest sum.
    """

    length: int
    ratio_bound: float

    @cached_property
    def waves(self) -> npt.NDArray[np.complex128]:
        frequencies = np.arange(1, self.length // 2 + 1)
        angles = 2 * np.pi * np.outer(np.arange(self.length), frequencies) / self.length
        return np.asarray(np.exp(1j * angles))

    @cached_property
    def steps(self) -> Array:
        """The power of a step at each frequency."""
        frequencies = np.arange(1, self.length // 2 + 1)
        power = 1 / np.sin(np.pi * frequencies / self.length) ** 2
        # A frequency and its complex conjugate count once each, but this one has no conjugate.
        power[2 * frequencies == self.length] /= 2
        return np.asarray(power)

    def information(self, cycles: Array) -> Array:
        """The information of each cycle, shape (cycles, frequencies)."""
        means = 1 + (self.ratio_bound - 1) * cycles.mean(axis=-1, keepdims=True)
        return np.asarray(np.abs(cycles @ self.waves) ** 2 / means**2)

    def variance(self, information: Array) -> Array:
        # The addend avoids a division by zero.
        return np.asarray((self.steps / (information + SAME)).sum(axis=-1))

    def improve(self, cycle: Array, others: Array) -> Array:
        """The cycle after all changes that help, next to the information of other cycles."""
        least = float(self.variance(others + self.information(cycle)))
        while True:
            require_time()
            changed = np.abs(cycle - np.eye(self.length))
            variances = self.variance(others + self.information(changed))
            place = first_smallest(variances)
            if not variances[place] < least * (1 - SAME):
                return cycle
            cycle, least = changed[place], float(variances[place])


def first_smallest(values: Array) -> int:
    """The first place at which the values are the smallest, apart from rounding errors."""
    return int(np.argmax(values <= values.min() * (1 + SAME)))


def best_cycles(answers: int, ratio_bound: float) -> Array:
    """Cycles of 0 and 1 for `sets_of_cycles`, shape (cycles, length)."""
    search = CycleSearch(round(CYCLE_LENGTH * answers), ratio_bound)
    # The sequence of Random.random is the same in every version of Python.
    random = Random(answers)  # noqa: S311

    def starts() -> Iterator[Array]:
        for _ in range(STARTS):
            cycle = np.array(
                [float(random.random() * (1 + ratio_bound) < 1) for _ in range(search.length)]
            )
            cycle[0] = max(cycle[0], 1 - cycle.max())
            yield cycle

    count = 3 if answers <= MAX_ANSWERS_FOR_THREE_CYCLES else 2
    cycles = np.zeros((count, search.length))
    for _ in range(PASSES):
        for place in range(count):
            others = search.information(np.delete(cycles, place, axis=0)).sum(axis=0)
            found = [search.improve(cycle, others) for cycle in (cycles[place], *starts())]
            total = np.array([search.variance(others + search.information(each)) for each in found])
            cycles[place] = found[first_smallest(total)]
    return cycles


def optimal_quantile_weights(answers: int, ratio_bound: float) -> tuple[Array, float]:
    """The table with the least variance of the cumulative shares, as real numbers.

    Parameters
    ----------
    answers : int
        Levels of the number, at least 2.
    ratio_bound : float above 1
        e^epsilon.

    Returns
    -------
    ndarray, shape (answers, reports), positive; rows add up to one
    float
        The largest variance of one report's score for a cumulative share. All answers are then
        equally common.

    Notes
    -----
    A report y names a set of levels. It has the probability e^epsilon m_y for each answer in the
    set, and m_y for each other answer. The m_y are chosen so that each row adds up to one.

    For equally common answers, the variance of the unbiased score for a target t is
    t' M^-1 t - (mean of t)^2. Here M = sum_y m_y c_y c_y' / mean(c_y), and c_y has the entries
    e^epsilon and 1. So M is linear in m, and the variance is convex in m: this is an A-optimal
    design (Pukelsheim, Optimal Design of Experiments, 1993). Each step replaces the variance by an
    upper bound, sum_y g_y m_y^2 / x_y with its gradient -g at m. The step takes the x that
    minimises the bound under the row totals, so the weighted sum of the variances never grows.
    Every tenth step moves weight to the cumulative shares with the largest variance, until all are
    equal.

    With at most 16 levels, a set begins or ends at most three times. For 11 levels and epsilon = 1,
    the variance would be 17 % larger with sets of one interval. It would be 2 % smaller with four
    changes, but with twice as many reports. With more levels, sets need runs of all lengths: see
    `sets_of_cycles`.
    """
    few = answers <= MAX_ANSWERS_FOR_RUNS
    effort = OF_RUNS if few else OF_CYCLES
    targets = cumulative_targets(answers)
    sets = sets_of_runs(answers) if few else sets_of_cycles(answers, ratio_bound)
    columns = 1 + (ratio_bound - 1) * sets
    masses, weights, _ = solve_design(columns, targets, effort.steps)
    frequency = masses * columns.mean(axis=1)
    often = frequency > effort.negligible * (frequency**2).sum()
    # The mirror image of each report must be there, too. Rounding errors must not remove it.
    often |= often[mirror_places(columns)]
    columns = columns[often]
    masses, _, best = solve_design(columns, targets, effort.last_steps, masses[often], weights)
    masses = (masses + masses[mirror_places(columns)]) / 2
    # Computers differ in the last digits of a sum. Rounding makes their tables the same.
    masses = np.array([float(f"{mass:.6g}") for mass in masses])
    table = columns.T * masses
    return np.asarray(table / table.sum(axis=1, keepdims=True)), best


def mirror_places(columns: Array) -> npt.NDArray[np.intp]:
    """For each column, the place of its mirror image."""
    known = {column.tobytes(): place for place, column in enumerate(columns)}
    return np.array([known[column[::-1].tobytes()] for column in columns])


def solve_design(
    columns: Array,
    targets: Array,
    steps: int,
    masses: Array | None = None,
    weights: Array | None = None,
) -> tuple[Array, Array, float]:
    """The design with the smallest largest variance that the steps reach.

    Parameters
    ----------
    columns : ndarray, shape (reports, answers); entries e^epsilon and 1
    targets : ndarray, shape (answers, quantities)
    masses, weights : the start, if it is known

    Returns
    -------
    ndarray, shape (reports,)
        The masses m of the columns.
    ndarray, shape (quantities,)
        The weights of the quantities.
    float
        The largest variance.
    """
    answers, quantities = targets.shape
    scaled = columns / np.sqrt(columns.mean(axis=1))[:, np.newaxis]
    if masses is None:
        masses = answers / columns.sum(axis=1) / len(columns)
    if weights is None:
        weights = np.full(quantities, 1 / quantities)
    prices = np.zeros(answers)
    known, best = (masses, weights), np.inf
    for step in range(steps + 1):
        require_time()
        masses = np.maximum(masses, LEAST_WEIGHT)
        moment = scaled.T @ (scaled * masses[:, np.newaxis])
        solved = np.linalg.solve(moment, targets)
        variances = (targets * solved).sum(axis=0) - targets.mean(axis=0) ** 2
        # The first masses may not have the row totals.
        if step and variances.max() < best:
            known, best = (masses, weights), float(variances.max())
        if step % REWEIGHT_EVERY == REWEIGHT_EVERY - 1:
            weights = weights * (variances / variances.max()) ** REWEIGHT_POWER
            weights = np.maximum((weights + weights[::-1]) / 2, LEAST_PART / quantities)
            weights = weights / weights.sum()
        slopes = (scaled @ solved) ** 2 @ weights
        if not step:
            prices[:] = masses @ slopes / answers
        roots = masses * np.sqrt(slopes)
        prices = row_prices(columns, roots, prices)
        masses = roots / np.sqrt(columns @ prices)
    return *known, best


def row_prices(columns: Array, roots: Array, prices: Array) -> Array:
    """The multipliers p for which roots / sqrt(columns @ p) has row totals of one.

    They minimise the convex function sum(p) - 2 roots . sqrt(columns @ p), by Newton's method.
    """

    def height(at: Array) -> float:
        values = columns @ at
        return float(at.sum() - 2 * roots @ np.sqrt(values)) if values.min() > 0 else np.inf

    here = height(prices)
    for _ in range(NEWTON_STEPS):
        values = columns @ prices
        masses = roots / np.sqrt(values)
        slope = 1 - columns.T @ masses
        if np.abs(slope).max() < CLOSE:
            break
        curvature = (columns.T * (masses / values)) @ columns / 2
        direction = np.linalg.solve(curvature, -slope)
        stride, there = 1.0, height(prices + direction)
        while there > here + 1e-13 * abs(here) and stride > 1e-6:
            stride /= 2
            there = height(prices + stride * direction)
        if there == np.inf:
            break
        prices, here = prices + stride * direction, there
    return prices
