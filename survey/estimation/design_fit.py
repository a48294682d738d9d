"""Does the stated design fit? A test of whether the observed reports are possible under it.

An estimate below 0 or above 1 can be random error, or a sign that the reports do not come from the
stated table. Every p-value here is an upper bound for finite samples, whatever the true answers
are. It assumes that respondents answer independently.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import Boxes, OneHot, SubsetPart
from survey.core.randomizer import Randomizer
from survey.core.scores import (
    TOLERANCE,
    Array,
    most_likely_shares,
    probabilities,
    scores_of_table,
)
from survey.core.translate import translate, translate_number
from survey.estimation.number_text import fixed_decimals

# Below this p, the reports do not fit the design. A question gives a false alarm at most so often.
MIN_FITTING_P = 0.01
# Smaller p-values are shown as this bound.
MIN_SHOWN_P = 0.0001
# The search for the best exponent ends at this relative width. Every exponent gives a bound.
EXPONENT_WIDTH = 1e-4


@dataclass(frozen=True)
class DesignFit:
    """The result of the test for one question.

    Attributes
    ----------
    p : an upper bound for the probability of reports that are at least this impossible
    """

    p: float

    @property
    def fits(self) -> bool:
        return self.p >= MIN_FITTING_P

    @property
    def p_text(self) -> str:
        if self.p < MIN_SHOWN_P:
            return f"p < {translate_number(str(MIN_SHOWN_P))}"
        # Rounding must not lift a p over the bound.
        shown = math.floor(self.p * 10_000) / 10_000 if self.p < MIN_FITTING_P else self.p
        return f"p = {translate_number(fixed_decimals(shown, 4 if shown < 0.1 else 2))}"


def causes() -> str:
    """The likely causes of reports that do not fit."""
    return translate(
        "Likely causes: respondents did not follow the instructions, the codes of answers are "
        "swapped, a probability of the design is wrong, or responses are fake."
    )


def nothing_fits_text() -> str:
    """The finding if each estimate alone is possible, but not the reports."""
    return translate("The counts of these reports are unlikely, whatever the true shares are.")


def misfit_text(finding: str, fit: DesignFit) -> str:
    """The sentences on reports that do not fit, after the finding."""
    return translate(
        "%(finding)s Random error does not explain this (%(p)s). The reports do not fit the stated "
        "design. %(causes)s Find the cause before you use these estimates.",
        finding=finding,
        p=fit.p_text,
        causes=causes(),
    )


def fit_of_table(
    randomizer: Randomizer, counts: Sequence[int], nonnegative: Sequence[Array]
) -> DesignFit:
    """Test the reports of a table.

    Parameters
    ----------
    counts : sequence of int, length m
        The count of each report.
    nonnegative : float arrays, shape (m,)
        Scores whose expectation is not negative, whatever the true answer is.
    """
    table = probabilities(randomizer)
    divergence = 0.0
    if table.shape[1] > 2:
        shares = most_likely_shares(randomizer, counts)
        divergence = divergence_of(table, np.asarray(counts, dtype=np.float64), shares)
    return combined_fit(table, counts, nonnegative, divergence)


def combined_fit(
    table: Array, counts: Sequence[int] | Array, nonnegative: Sequence[Array], divergence: float
) -> DesignFit:
    """Bonferroni's bound on the tests of each score, and on the likelihood-ratio test.

    With two reports, the likelihood-ratio test adds nothing. Otherwise both kinds of tests have
    half of the false alarms.
    """
    amounts = np.asarray(counts, dtype=np.float64)
    tails = [tail_of_negative(table, amounts, scores) for scores in nonnegative]
    by_score = len(tails) * min(tails) if tails else 1.0
    if table.shape[1] == 2:
        return DesignFit(min(1.0, by_score))
    shape = table.shape[1] - 1
    return DesignFit(min(1.0, 2 * by_score, 2 * divergence_tail(divergence, shape)))


def divergence_of(table: Array, counts: Array, shares: Array) -> float:
    """n times the relative entropy from the reports expected for some shares to those observed.

    It is half the likelihood-ratio statistic against every distribution of reports.
    """
    seen = counts > 0
    expected = counts.sum() * (shares @ table[:, seen])
    return float(np.sum(counts[seen] * np.log(counts[seen] / expected)))


def divergence_tail(divergence: float, shape: int) -> float:
    """A bound on the probability of at least this divergence from the true distribution.

    With m possible reports, `shape` is m - 1. The nearest possible distribution is no farther than
    the true one, so the bound also holds for the distance to the nearest one: Agrawal, IEEE Trans.
    IT 66 (2020) 6297.
    """
    if divergence <= shape:
        return 1.0
    if math.isinf(divergence):
        return 0.0
    return math.exp(shape * (math.log(divergence / shape) + 1) - divergence)


def tail_of_negative(table: Array, counts: Array, scores: Array) -> float:
    """A bound on the probability of a mean score as far below zero as the observed one, or 1.

    Parameters
    ----------
    table : Pr(report | answer), shape (k, m)
    scores : shape (m,)
        `table @ scores` is not negative.

    Notes
    -----
    Scores with two values have a binomial count of the higher one, and its probability is at least
    that of the answer where it is least: an exact tail. Otherwise it is Chernoff's bound. Given any
    true answers, the expectation of exp(-t S) is at most that of the answer where it is greatest.
    """
    n = counts.sum()
    value = float(counts @ scores) / n
    high, low = float(scores.max()), float(scores.min())
    slack = TOLERANCE * max(1.0, high - low)
    if value >= -slack:
        return 1.0
    upper = scores > (high + low) / 2
    if np.max(np.abs(scores - np.where(upper, high, low))) <= slack:
        return lower_binomial_tail(
            int(counts[upper].sum()), int(n), float(table[:, upper].sum(1).min())
        )
    return min(1.0, math.exp(n * least_exponent(table, scores, value)))


def lower_binomial_tail(successes: int, n: int, chance: float) -> float:
    """Pr(at most this many successes)."""
    return float(scipy.special.bdtr(successes, n, min(1.0, chance)))


def least_exponent(table: Array, scores: Array, value: float) -> float:
    """The least of max_x ln E[exp(t (value - S)) | x] over t > 0, a convex function of t."""
    # Rounding must not move the value below the lowest score.
    apart = max(value, float(scores.min())) - scores
    largest = float(apart.max())

    def exponent(t: float) -> float:
        return math.log((table @ np.exp(t * (apart - largest))).max()) + t * largest

    # Beyond this end, the lowest score alone makes the exponent larger than at 0.
    top = 1.0 / float(np.ptp(scores))
    while exponent(2 * top) < exponent(top):
        top *= 2
    found = scipy.optimize.minimize_scalar(
        exponent, bounds=(0.0, 2 * top), method="bounded", options={"xatol": EXPONENT_WIDTH * top}
    )
    return min(0.0, float(found.fun))


def fit_of_bits(
    chances: tuple[float, float], counts: Sequence[int], answers: int
) -> DesignFit | None:
    """Test reports of bits: Pr(bit set) is between two chances for every answer.

    Returns None if there is no report.
    """
    low, high = sorted(chances)
    tails = []
    for place in range(answers):
        ones, zeros = counts[2 * place], counts[2 * place + 1]
        if ones + zeros:
            for count, chance in ((ones, low), (zeros, 1 - high)):
                n = ones + zeros
                tails.append(lower_binomial_tail(count, n, chance) if count < n * chance else 1.0)
    return DesignFit(min(1.0, len(tails) * min(tails))) if tails else None


def fit_of_one_hot(randomizer: OneHot, counts: Sequence[int]) -> DesignFit | None:
    if isinstance(randomizer, SubsetPart):
        return fit_of_part(randomizer, counts)
    ends = float(randomizer.p), float(randomizer.q)
    return fit_of_bits(ends, counts, randomizer.answers)


def fit_of_part(part: SubsetPart, counts: Sequence[int]) -> DesignFit | None:
    """Test the number of set bits of each answer, as `fit_of_table` tests the scores of shares."""
    if not any(counts):
        return None
    tails = []
    for answer, size in enumerate(part.sizes):
        ones, zeros = counts[2 * answer], counts[2 * answer + 1]
        n, chosen, chances = (ones + zeros) // size, np.arange(size + 1.0), part.chances_of(answer)
        for sign in (1, -1):
            own, other = (sign * (np.array(row) @ chosen) for row in chances)
            scores, value = sign * chosen, sign * ones / n
            if value < min(own, other):
                exponent = least_exponent(np.array(chances), scores, value)
                tails.append(math.exp(n * exponent))
    return DesignFit(min(1.0, 2 * len(part.sizes) * min(tails))) if tails else DesignFit(1.0)


def fit_of_boxes(boxes: Boxes, counts: Sequence[int]) -> DesignFit | None:
    """Test boxes that are randomised separately."""
    table = probabilities(boxes.table)
    return fit_of_bits((float(table[0, 0]), float(table[1, 0])), counts, boxes.answers)


def share_scores(table: Array, target: Array) -> list[Array]:
    """Scores that are not negative on average: those of each share, and of 1 minus each share.

    Two shares that add up to one need only the first of them. The list is empty if the reports do
    not determine the shares.
    """
    try:
        scores = scores_of_table(table, target)
    except UnanswerableQuestion:
        return []
    exclusive = target.shape[1] == 2 and bool((target.sum(axis=1) == 1).all())
    columns = scores.T[:1] if exclusive else scores.T
    return [each for column in columns for each in (column, 1 - column)]


def mean_scores(table: Array, values: Array, special_answers: int) -> list[Array]:
    """Scores that are not negative on average because a mean is between the ends of the values.

    Special answers, the last ones, have no value.
    """
    among = np.append(np.ones_like(values), np.zeros(special_answers))
    numbers = np.append(values, np.zeros(special_answers))
    ends = float(values.min()), float(values.max())
    targets = np.stack([numbers - ends[0] * among, ends[1] * among - numbers], axis=1)
    try:
        return list(scores_of_table(table, targets).T)
    except UnanswerableQuestion:
        return []
