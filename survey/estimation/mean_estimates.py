"""Estimates for numbers and scales: mean and standard deviation.

All of them use, for each report, a score for a quantity of the answers. For a table these are the
unbiased scores. For a non-private question, they are the quantity itself. Special answers such as
"prefer not to say" have no number. A mean is therefore a ratio of two mean scores.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import OneHot
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, most_likely_shares, probabilities, unbiased_scores
from survey.estimation.finite_population import (
    STUDENT_FINITE,
    finite_mean_interval,
    finite_variance,
    known_interval,
)
from survey.estimation.mean_intervals import (
    STUDENT,
    student_interval,
    student_quantile,
)
from survey.estimation.share_estimates import covariance_of, responses_in
from survey.estimation.share_intervals import Interval


@dataclass(frozen=True)
class MeanRatio:
    """A mean as the ratio of two mean scores: of the value, and of giving one.

    Attributes
    ----------
    above, below : the two mean scores
    scores : for each possible report, both of its scores
    """

    above: float
    below: float
    scores: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class NumberEstimate:
    """One quantity of a number, in its unit. `standard_error` is None if it is unknown."""

    value: float
    standard_error: float | None
    interval: Interval
    ratio: MeanRatio | None = None


@dataclass(frozen=True, kw_only=True)
class NumericReports:
    """The reports of one question with numeric answers.

    Attributes
    ----------
    counts : ndarray, shape (m,)
        The count of each report.
    values : ndarray, shape (k,)
        The numbers of the answers, ascending. For `mean` alone, they may have any sequence.
    outside : int
        The number of special answers, which have no number. They follow the others.
    scores : function from a target, shape (k + outside, t), to scores, shape (m, t)
        Raises UnanswerableQuestion if the reports do not determine the target.
    shares : ndarray, shape (k + outside,), or None
        Maximum-likelihood shares of the answers; None if the reports determine only the mean.
    width : float
        The distance between values if answers were rounded at random to one of them, else 0.
    step : float
        The distance between possible answers.
    non_private : bool
        Whether each report is its answer.
    chances : ndarray, shape (k + outside, m), or None
        Pr(report | answer); None if each report is its answer.
    size : int, at least the number of reports, or None
        The number of people whom the estimates describe; None for all people like the respondents.
    for_quantiles : bool
        Whether the randomizer is that for quantiles, which has its own estimates of them.
    highest : float or None
        The largest possible answer; None if it is the last value.
    """

    counts: Array
    values: Array
    outside: int
    scores: Callable[[Array], Array]
    shares: Array | None
    width: float = 0.0
    step: float = 0.0
    non_private: bool = False
    chances: Array | None = None
    size: int | None = None
    for_quantiles: bool = False
    highest: float | None = None

    @property
    def known(self) -> bool:
        """Whether the estimates describe the respondents, and their answers are not random."""
        return self.non_private and self.size == round(float(self.counts.sum()))

    def target(self, of_value: Array) -> Array:
        """A quantity of the numbers as a target, which is zero for all special answers."""
        return np.append(of_value, np.zeros(self.outside))[:, np.newaxis]

    def score(self, of_value: Array) -> Array:
        return self.scores(self.target(of_value))[:, 0]

    def error_ratio(self, of_value: Array) -> float:
        """The standard error of a mean score, relative to that for an unlimited population.

        Parameters
        ----------
        of_value : ndarray, shape (k,)
            The quantity of each number. Special answers count as 0.

        Notes
        -----
        It is 1 if the reports do not determine the mean square of the quantity: the interval is
        then right, but could be shorter. Random rounding is a part of the randomisation, but
        changes the answer of the table. It adds at most the square of half the largest difference
        between neighbouring values to a mean square, so this is subtracted.
        """
        if self.size is None:
            return 1.0
        target, n = self.target(of_value), float(self.counts.sum())
        scores = self.scores(target)
        variance = covariance_of(scores, [int(count) for count in self.counts])
        if variance is None or not variance[0, 0]:
            return 0.0 if self.known else 1.0
        try:
            squares = float(self.counts @ self.scores(target**2)[:, 0]) / n
        except UnanswerableQuestion:
            return 1.0
        spread = squares - (float(self.counts @ scores[:, 0]) / n) ** 2
        if self.width:
            spread = max(0.0, spread - float(np.abs(np.diff(of_value)).max() / 2) ** 2)
        least = 0.0
        if self.chances is not None:
            least = float((self.chances @ scores**2 - target**2).min()) / n
        finite = finite_variance(float(variance[0, 0]), spread, self.size, least)
        return math.sqrt(finite / float(variance[0, 0]))


def seen_through(
    table: Randomizer,
    counts: Array,
    values: Array,
    outside: int,
    width: float = 0.0,
    step: float = 0.0,
    size: int | None = None,
    for_quantiles: bool = False,
) -> NumericReports:
    """The reports of a table."""
    shares = None
    # Some tables, such as one bit, determine only the mean.
    with suppress(UnanswerableQuestion):
        shares = most_likely_shares(table, counts)
    return NumericReports(
        counts=counts,
        values=values,
        outside=outside,
        scores=lambda t: unbiased_scores(table, t),
        shares=shares,
        width=width,
        step=step,
        chances=probabilities(table),
        size=size,
        for_quantiles=for_quantiles,
    )


def seen_as_given(
    counts: Array, values: Array, outside: int, size: int | None = None
) -> NumericReports:
    """The reports of a non-private question: each report is its answer."""
    shares = counts / counts.sum()
    return NumericReports(
        counts=counts,
        values=values,
        outside=outside,
        scores=lambda target: target,
        shares=shares,
        non_private=True,
        size=size,
    )


def mean(seen: NumericReports, level: float = 0.95) -> NumberEstimate:
    """The mean among respondents who gave a number.

    Notes
    -----
    sum_y f_y S_y / sum_y f_y A_y, with scores S of the value and A of giving one. The standard
    error is that of S - mean A, divided by the mean of A (the delta method). The mean is unbiased
    if everyone gives a number. Random rounding does not change it.
    """
    among = seen.score(np.ones_like(seen.values))
    scores = seen.score(seen.values)
    value, error, finite = ratio_of_means(seen, seen.values)
    ends = float(seen.values.min()), float(seen.values.max())
    interval = finite_mean_interval(seen.counts, scores, *ends, level, among, finite)
    n = float(seen.counts.sum())
    ratio = MeanRatio(
        float(seen.counts @ scores) / n,
        float(seen.counts @ among) / n,
        tuple(zip(map(float, scores), map(float, among), strict=True)),
    )
    return NumberEstimate(value, error, interval, ratio)


def mean_of_bits(
    randomizer: OneHot,
    counts: Sequence[int],
    values: Array,
    level: float = 0.95,
    size: int | None = None,
) -> NumberEstimate:
    """The mean among respondents who chose one of the first answers, from reports of bits.

    Parameters
    ----------
    counts : sequence of int, length 2 (k + outside)
        For each answer, the number of its bits that are set in all reports, and that are not.
    values : ndarray, shape (k,)
        The numbers of the first answers. The others are special answers and not in the mean.
    size : int, at least the number of reports, or None
        The number of people whom the estimate describes, or None for people like the respondents.

    Notes
    -----
    The estimate is c + sum_j (v_j - c) e_j / g. Here e are unbiased shares, c is the mean of the
    values of all bits, and g is 1 minus the e of the special answers. True shares add up to one, so
    the estimate need not divide by a sum over k noisy bits.

    If m is the mean, sum_j (v_j - c) e_j - (m - c) g is zero on average. This gives the interval
    (Fieller, JRSS B 16 (1954) 175). The variance of one report's part is a sum over the answers:
    share times second moment, minus the square of its mean m - c. It uses the unbiased shares and,
    as Wilson's interval does, a few additional responses with the largest second moment. For a
    finite population, the part of the variance that is not from the randomisation counts by 1 -
    (n - 1) / (size - 1) only.
    """
    k, n = len(values), responses_in(counts[:2]) // randomizer.sizes[0]
    p, q, sizes = float(randomizer.p), float(randomizer.q), np.array(randomizer.sizes)
    shares = (np.asarray(counts[0::2], dtype=np.float64) / n - sizes * q) / (p - q)
    level_share = 1 - float(shares[k:].sum())
    if level_share <= 0:
        raise UnanswerableQuestion("Too few people chose an answer to estimate the mean.")
    low, high = float(values.min()), float(values.max())
    # For equal noise in all bits, this centre has the least variance.
    middle = float(np.average(values, weights=sizes[:k]))
    value = middle + float((values - middle) @ shares[:k]) / level_share
    sampled = 1.0 if size is None else (size - n) / max(1, size - 1)

    def variance(m: float, more: float) -> float:
        weights = np.append(values - middle, np.full(randomizer.answers - k, m - middle))
        noise, mixed = variance_of_bits(randomizer, weights, shares, n, sampled, more)
        return max(mixed - sampled * (m - middle) ** 2, noise) / level_share**2

    few = student_quantile(n - 1, level) ** 2
    error = math.sqrt(variance(value, 0.0) / (n - 1)) if n > 1 else None
    interval = student_interval(
        value, lambda m: math.sqrt(variance(m, few) / n), n, low, high, level
    )
    method = STUDENT if size is None else STUDENT_FINITE
    return NumberEstimate(value, error, replace(interval, method=method))


def variance_of_bits(
    randomizer: OneHot, weights: Array, shares: Array, n: int, sampled: float, more: float
) -> tuple[float, float]:
    """The least variance of one report's weighted sum, and its mean second moment.

    `sampled` is the part of the variance between answers that counts, and `more` the number of
    additional responses with the largest second moment.
    """
    noise = noise_of_bits(randomizer, weights)
    second = noise + sampled * weights**2
    half = float(second.max() + second.min()) / 2
    seen = float(np.clip(half + shares @ (second - half), second.min(), second.max()))
    return float(noise.min()), (n * seen + more * float(second.max())) / (n + more)


def noise_of_bits(randomizer: OneHot, weights: Array) -> Array:
    """For each true answer, the variance of the weighted sum of one report's unbiased shares."""
    p, q, sizes = float(randomizer.p), float(randomizer.q), np.array(randomizer.sizes)
    with_own, of_others = float(randomizer.both_own) - p * q, float(randomizer.both_other) - q * q
    rest, squares = sizes @ weights - weights, sizes @ weights**2 - weights**2
    alone = weights**2 * p * (1 - p) + squares * q * (1 - q)
    pairs = 2 * weights * rest * with_own + (rest**2 - squares) * of_others
    return np.asarray((alone + pairs) / (p - q) ** 2)


def ratio_of_means(seen: NumericReports, of_value: Array) -> tuple[float, float | None, float]:
    """The mean of a quantity among those who gave a number, and its standard error.

    The third number is the standard error relative to that for an unlimited population.
    """
    n, scores, among = (
        float(seen.counts.sum()),
        seen.score(of_value),
        seen.score(np.ones_like(of_value)),
    )
    below = float(seen.counts @ among) / n
    if below <= 0:
        raise UnanswerableQuestion("Too few people gave a number for an estimate.")
    value = float(seen.counts @ scores) / n / below
    spread = covariance_of((scores - value * among)[:, np.newaxis], [int(c) for c in seen.counts])
    finite = seen.error_ratio(of_value - value)
    if spread is None:
        return value, None, finite
    return value, math.sqrt(max(0.0, float(spread[0, 0]))) / below * finite, finite


def deviation(seen: NumericReports, level: float = 0.95) -> NumberEstimate:
    """The standard deviation among respondents who gave a number.

    Raises UnanswerableQuestion if the reports determine only the mean.

    Notes
    -----
    The estimate is the root of the mean score of (x - mean)^2, with two corrections, or zero if
    this is negative. Adding the squared standard error of the mean makes the variance unbiased (for
    answers as given, the sum over n - 1). Random rounding of evenly spread answers adds (w^2 - s^2)
    / 6 for width w and step s, which is subtracted.

    The true mean is unknown. The interval is therefore the hull of the intervals of the mean square
    about five points. They lie in the mean's own interval at level (1 + level) / 2. The lower end
    subtracts the most that rounding can add, the upper end nothing.
    """
    centre, centre_error, _ = ratio_of_means(seen, seen.values)
    variance, error, _ = ratio_of_means(seen, (seen.values - centre) ** 2)
    usual, most = rounding_adds(seen.width, seen.step)
    value = math.sqrt(max(0.0, variance + (centre_error or 0.0) ** 2 - usual))
    if seen.known:
        return NumberEstimate(value, 0.0, known_interval(value, level))
    largest = float(seen.values[-1] - seen.values[0]) ** 2 / 4
    bounds = [
        finite_mean_interval(*s[:2], 0.0, largest, level, s[2], s[3]) for s in squares(seen, level)
    ]
    low = max(0.0, min(bound.low for bound in bounds) - most)
    high = max(bound.high for bound in bounds)
    interval = Interval(math.sqrt(low), math.sqrt(high), level, bounds[0].method)
    return NumberEstimate(value, error / (2 * value) if error and value else None, interval)


def squares(seen: NumericReports, level: float) -> list[tuple[Array, Array, Array, float]]:
    """Counts, scores and shares of the mean square about each of five points.

    The last is its standard error relative to that for an unlimited population.
    """
    among, scores = seen.score(np.ones_like(seen.values)), seen.score(seen.values)
    ends = float(seen.values[0]), float(seen.values[-1])
    mean_value, _, finite = ratio_of_means(seen, seen.values)
    where = finite_mean_interval(seen.counts, scores, *ends, (1 + level) / 2, among, finite)
    low, high = where.low, where.high
    centre = min(max(mean_value, low), high)
    square_statistics = []
    for point in (low, (low + centre) / 2, centre, (centre + high) / 2, high):
        distances = (seen.values - point) ** 2
        counts, scores, answered = seen.counts, seen.score(distances), among
        finite = ratio_of_means(seen, distances)[2]
        # A further answer at the point is possible even if nobody gave it.
        if seen.non_private:
            counts, scores, answered = (
                np.append(counts, 0),
                np.append(scores, 0),
                np.append(answered, 1),
            )
        square_statistics.append((counts, scores, answered, finite))
    return square_statistics


def rounding_adds(width: float, step: float) -> tuple[float, float]:
    """The variance that random rounding adds: for evenly spread answers, and at most.

    For an answer j steps above a point and k steps below the next, it adds j k s^2.
    """
    if not width:
        return 0.0, 0.0
    steps = round(width / step)
    return (width**2 - step**2) / 6, (steps // 2) * (steps - steps // 2) * step**2
