"""Designs that need two groups, because their probabilities depend on an unknown share.

People randomise their answers themselves, and the two groups have different probabilities:

- the stochastic lie detector: Moshagen, Musch & Erdfelder, Behav. Res. Methods 44 (2012) 222;
- cheating detection: Clark & Desharnais, Psychol. Methods 3 (1998) 160, and its symmetric variant:
  Ostapczuk, Moshagen, Zhao & Musch, J. Educ. Behav. Stat. 34 (2009) 267;
- the unrelated question with an unknown share: Greenberg, Abul-Ela, Simmons & Horvitz, J. Am. Stat.
  Assoc. 64 (1969) 520.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from survey.analysis.groups.equal_probabilities import (
    MAX_STANDARD_DEVIATIONS,
    SEARCHED,
    binomial_chances,
)
from survey.analysis.groups.figures import IntervalEstimate
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.estimation.design_fit import DesignFit
from survey.estimation.mean_intervals import possible_ends
from survey.estimation.results import MIN_SHOWN_RESPONSES
from survey.estimation.share_differences import (
    OwnInterval,
    combined_interval,
    combined_intervals,
    share_own_interval,
)

METHOD = "MOVER, exact"
LIE_DETECTOR = "lie-detector"
CHEATING = "cheating"
SYMMETRIC = "cheating-symmetric"
UNRELATED = "unrelated-unknown"
# Two groups with a smaller determinant have the same information.
APART = 1e-9
# The probabilities of honesty among which an interval is searched.
TRIED_VALUES = np.linspace(0, 1, 1001)


@dataclass(frozen=True)
class Quantity:
    """The share constant + coefficients @ (shares of yes in the two groups)."""

    name: str
    constant: float
    coefficients: tuple[float, float]


@dataclass(frozen=True)
class TwoGroupFigure:
    """A share, as displayed, with its interval."""

    name: str
    figure: IntervalEstimate


@dataclass(frozen=True)
class TwoDesignEstimates:
    """The shares of a design with two groups, and the test of whether the reports fit it."""

    shares: list[TwoGroupFigure]
    fit: DesignFit


def design_matrix(design: str, p: Sequence[float]) -> Array:
    """The matrix A with shares of yes = A x, for the two unknown shares x of a design."""
    needed = 4 if design == SYMMETRIC else 2
    if len(p) != needed:
        raise UnanswerableQuestion("This design needs %(needed)s probabilities.", needed=needed)
    demands = [sum(p[:2]), sum(p[2:])] if design == SYMMETRIC else []
    if not all(0 <= each <= 1 for each in (*p, *demands)):
        raise UnanswerableQuestion("Each probability must be from 0 to 1.")
    if design == SYMMETRIC:
        return np.array([[1 - p[1], p[0]], [1 - p[3], p[2]]])
    if design == UNRELATED:
        return np.array([[each, 1 - each] for each in p])
    if design == LIE_DETECTOR:
        return np.array([[1, 1 - each] for each in p])
    return np.array([[1, each] for each in p])


def quantities_of(design: str, inverse: Array) -> list[Quantity]:
    """The shares of a design that are linear in the shares of yes."""
    first, second = ((float(row[0]), float(row[1])) for row in inverse)
    if design == LIE_DETECTOR:
        return [Quantity("trait", 1.0, (-second[0], -second[1]))]
    if design == UNRELATED:
        return [Quantity("trait", 0.0, first), Quantity("unrelated trait", 0.0, second)]
    both = (-first[0] - second[0], -first[1] - second[1])
    return [
        Quantity("honest yes", 0.0, first),
        Quantity("honest no", 0.0, second),
        Quantity("did not follow the rule", 1.0, both),
    ]


def two_designs(
    design: str,
    probabilities: Sequence[float],
    yes: tuple[int, int],
    n: tuple[int, int],
    level: float = 0.95,
) -> TwoDesignEstimates:
    """The shares of a design with two groups, and whether the reports fit it.

    Parameters
    ----------
    design : LIE_DETECTOR, CHEATING, SYMMETRIC or UNRELATED
    probabilities : of each group, in [0, 1]
        LIE_DETECTOR: that people without the trait answer truthfully; people with it are asked to
        answer truthfully and do so with an unknown probability. CHEATING: that the rule demands
        yes. SYMMETRIC: that it demands yes, and that it demands no; both for the first group, then
        for the second. UNRELATED: that the sensitive question is asked.
    yes, n : the number of reports "yes", and of all reports, in each group

    Raises
    ------
    UnanswerableQuestion
        For fewer than five reports in a group, impossible probabilities, and two groups with the
        same information.

    Notes
    -----
    The shares of yes are L = A x for two unknown shares x, so x = A⁻¹ L. Standard errors divide by
    n - 1. Each interval of a linear quantity is MOVER with the exact intervals of both shares of
    yes. The probability of honesty is a ratio: its interval has all values for which such an
    interval of numerator - value * denominator contains zero. Estimates are not cut at 0 and 1, but
    intervals are. The coverage, and the false alarms of the test of fit, are enumerated in
    tests/analysis/test_two_designs.py.
    """
    if min(n) < MIN_SHOWN_RESPONSES:
        raise UnanswerableQuestion(
            "A group has too few responses (%(n)s). This analysis needs at least %(minimum)s "
            "in each group.",
            n=min(n),
            minimum=MIN_SHOWN_RESPONSES,
        )
    rows = design_matrix(design, probabilities)
    if abs(np.linalg.det(rows)) < APART:
        raise UnanswerableQuestion(
            "The two groups need different probabilities. These give the same information."
        )
    inverse, groups = np.linalg.inv(rows).astype(np.float64), TwoGroups(yes, n, level)
    return TwoDesignEstimates(
        figures(design, inverse, groups), groups.fit(nonnegative_quantities(design, inverse))
    )


def nonnegative_quantities(design: str, inverse: Array) -> list[Quantity]:
    """The quantities that no true share makes negative. Together they define the design."""
    first, second = ((float(row[0]), float(row[1])) for row in inverse)
    ones = [first, second]
    rests = ones if design == UNRELATED else [(first[0] + second[0], first[1] + second[1])]
    return [
        *(Quantity("", 0.0, each) for each in ones),
        *(Quantity("", 1.0, (-one, -other)) for one, other in rests),
    ]


def figures(design: str, inverse: Array, groups: "TwoGroups") -> list[TwoGroupFigure]:
    """The shares of a design, from the inverse of its matrix."""
    found = [
        TwoGroupFigure(each.name, groups.linear(each)) for each in quantities_of(design, inverse)
    ]
    if design == LIE_DETECTOR:
        said, without = ((float(row[0]), float(row[1])) for row in inverse)
        honest = groups.ratio(
            Quantity("said", 0.0, said), Quantity("trait", 1.0, (-without[0], -without[1]))
        )
        if honest is not None:
            found.append(TwoGroupFigure("honesty of people with the trait", honest))
    return found


@dataclass(frozen=True)
class TwoGroups:
    """The reports of two groups."""

    yes: tuple[int, int]
    n: tuple[int, int]
    level: float

    def linear(self, quantity: Quantity) -> IntervalEstimate:
        """A linear quantity with its interval."""
        value = self.value(quantity)
        low, high = possible_ends(value, *self.ends(quantity), 0.0, 1.0)
        return IntervalEstimate(
            value=value, standard_error=self.error(quantity), low=low, high=high, method=METHOD
        )

    def value(self, quantity: Quantity) -> float:
        shares = (yes / n for yes, n in zip(self.yes, self.n, strict=True))
        return quantity.constant + sum(
            c * share for c, share in zip(quantity.coefficients, shares, strict=True)
        )

    def error(self, quantity: Quantity) -> float:
        """The standard error, with variances over n - 1."""
        return math.sqrt(
            sum(
                c * c * (yes / n) * (1 - yes / n) / (n - 1)
                for c, yes, n in zip(quantity.coefficients, self.yes, self.n, strict=True)
            )
        )

    def ends(self, quantity: Quantity) -> tuple[float, float]:
        """The interval of a linear quantity, not cut at 0 and 1."""
        low, high = combined_interval(self.owns, quantity.coefficients, self.level)
        return quantity.constant + low, quantity.constant + high

    @property
    def owns(self) -> list[OwnInterval]:
        """The share of yes in each group."""
        return [
            share_own_interval(yes, n, 1.0, 0.0, self.level)
            for yes, n in zip(self.yes, self.n, strict=True)
        ]

    def fit(self, limits: Sequence[Quantity]) -> DesignFit:
        """Bonferroni's bound on the tests that each of these quantities is not negative."""
        return DesignFit(min(1.0, len(limits) * min(map(self.negative_tail, limits))))

    def negative_tail(self, quantity: Quantity) -> float:
        """The largest probability of an estimate as far below zero as this one; 1 if it is not.

        The probability is binomial and decreases with the true quantity. So it is largest for a
        quantity of zero: somewhere on a line through the shares of yes, which is searched.
        """
        value = self.value(quantity)
        if value >= -APART:
            return 1.0
        # The share of yes in the group with the larger coefficient follows from the other one.
        one, other = sorted((0, 1), key=lambda each: abs(quantity.coefficients[each]))
        slope, scale = quantity.coefficients[one], quantity.coefficients[other]
        ends = [-(quantity.constant + scale * end) / slope for end in (0, 1)] if slope else [0, 1]
        low, high = (min(max(end, 0.0), 1.0) for end in sorted(ends))
        shares = np.linspace(low, high, SEARCHED)
        reach = math.ceil(MAX_STANDARD_DEVIATIONS * math.sqrt(self.n[one]) / 2 + 30)
        counts = np.floor(self.n[one] * shares)[:, np.newaxis] + np.arange(-reach, reach + 1.0)
        inside = (counts >= 0) & (counts <= self.n[one])
        counts = np.clip(counts, 0, self.n[one])
        weights = np.where(inside, binomial_chances(counts, self.n[one], shares), 0)
        rest = (value - quantity.constant - slope * counts / self.n[one]) / abs(scale)
        chances = np.clip(-(quantity.constant + slope * shares) / scale, 0, 1)
        # With a negative coefficient, many reports "yes" are few reports "no".
        if scale < 0:
            rest, chances = rest + 1, 1 - chances
        most = np.floor(np.minimum(rest, 1) * self.n[other] + APART)
        tails = scipy.special.bdtr(np.maximum(most, 0), self.n[other], chances[:, np.newaxis])
        return float((weights * np.where(most >= 0, tails, 0)).sum(axis=1).max())

    def ratio(self, above: Quantity, below: Quantity) -> IntervalEstimate | None:
        """A ratio from 0 to 1 with its interval; None if the denominator is not positive."""
        bottom = self.value(below)
        if bottom <= 0:
            return None
        value = self.value(above) / bottom
        one, other = (np.array([each.coefficients]).T for each in (above, below))
        lows, highs = combined_intervals(self.owns, one - TRIED_VALUES * other)
        constants = above.constant - TRIED_VALUES * below.constant
        kept = TRIED_VALUES[(constants + lows <= 0) & (constants + highs >= 0)]
        nearest = min(1.0, max(0.0, value))
        low, high = (float(kept[0]), float(kept[-1])) if len(kept) else (nearest, nearest)
        error = self.error(minus(above, value, below)) / bottom
        ends = possible_ends(value, low, high, 0.0, 1.0)
        return IntervalEstimate(
            value=value, standard_error=error, low=ends[0], high=ends[1], method=METHOD
        )


def minus(above: Quantity, times: float, below: Quantity) -> Quantity:
    """The first quantity minus a multiple of the second."""
    one, other = (
        a - times * b for a, b in zip(above.coefficients, below.coefficients, strict=True)
    )
    return Quantity("", above.constant - times * below.constant, (one, other))
