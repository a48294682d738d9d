"""List experiments (item count technique): how many statements of a list are true.

A control group gets J statements. A treatment group gets the same ones and a sensitive one. Both
answer only with the number of true statements, so the difference of their means is the share for
whom the sensitive one is true. The tests are those of Blair & Imai, Political Analysis 20 (2012)
47.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from survey.analysis.as_json import part_json
from survey.analysis.groups.figures import IntervalEstimate, t_interval_estimate
from survey.analysis.indirect.nonnegative_means import nonnegative_p
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.estimation.results import MIN_SHOWN_RESPONSES

MAX_ITEMS = 10
# The last weight of the barrier, the smallest rise relative to it, the most steps, and
# the shortest one.
BARRIER = 1e-11
CLOSE = 1e-6
MAX_NEWTON_STEPS = 50
MIN_LENGTH = 1e-6


@dataclass(frozen=True, kw_only=True)
class RespondentType:
    """People for whom `count` control statements are true, with or without the sensitive one.

    `share` is their estimated share, unclipped; `error` its standard error. `likeliest` is their
    share by maximum likelihood, with no negative shares.
    """

    count: int
    sensitive: bool
    share: float
    error: float
    likeliest: float


@dataclass(frozen=True, kw_only=True)
class ListExperiment:
    """The result of a list experiment with J control statements.

    Attributes
    ----------
    control : the number of respondents with each answer 0 to J in the control group
    treatment : the number with each answer 0 to J + 1 in the treatment group
    means : the mean of each group
    share : the difference of the means
    types : first the types with the sensitive statement, for 0 to J control statements
    p : the p-value for no design effect, with Bonferroni's correction for two tests
    """

    level: float
    control: tuple[int, ...]
    treatment: tuple[int, ...]
    means: tuple[float, float]
    share: IntervalEstimate
    types: tuple[RespondentType, ...]
    p: float

    @property
    def items(self) -> int:
        """The number of control statements."""
        return len(self.control) - 1

    @property
    def n(self) -> tuple[int, int]:
        """The number of respondents in the control group and in the treatment group."""
        return sum(self.control), sum(self.treatment)

    @property
    def likeliest(self) -> float:
        """The maximum likelihood estimate of the share, which uses that no type is negative.

        It equals the difference of the means if no estimated share of a type is negative. It has no
        interval: a likelihood-ratio interval covered only 0.74 instead of 0.95 in a simulation,
        because many shares of types may be zero.
        """
        return sum(each.likeliest for each in self.types if each.sensitive)

    @property
    def floor(self) -> float:
        """The share of the control group with the answer 0.

        If all of them with the sensitive trait hide it, the estimate is too low by at most this.
        """
        return self.control[0] / self.n[0]

    @property
    def ceiling(self) -> float:
        """The share of the control group with the answer J; as `floor`."""
        return self.control[-1] / self.n[0]

    @property
    def revealed(self) -> tuple[int, int]:
        """How many of the treatment group answered 0 and J + 1.

        These answers reveal the answer to the sensitive statement: no for 0, and yes for J + 1.
        """
        return self.treatment[0], self.treatment[-1]


def list_experiment(
    control: Sequence[int], treatment: Sequence[int], level: float = 0.95
) -> ListExperiment:
    """Estimate the share for whom the sensitive statement of a list experiment is true.

    Parameters
    ----------
    control : the number of respondents with each answer 0 to J, for J from 1 to 10
    treatment : the number with each answer 0 to J + 1

    Raises UnanswerableQuestion for fewer than five respondents in a group, and for other lengths.

    Notes
    -----
    The interval of the difference of the means is Welch's. It is wrong if the sensitive statement
    changes the answers to the control statements (design effect), or if people hide it. Its
    coverage is simulated in tests/analysis/test_list_experiment.py.
    """
    items = len(control) - 1
    if not 1 <= items <= MAX_ITEMS or len(treatment) != items + 2:
        raise UnanswerableQuestion(
            "A list experiment needs 1 to %(maximum)s control statements, and one more in "
            "the treatment group.",
            maximum=MAX_ITEMS,
        )
    if min(sum(control), sum(treatment)) < MIN_SHOWN_RESPONSES:
        raise UnanswerableQuestion(
            "A group has too few responses (%(n)s). This analysis needs at least %(minimum)s "
            "in each group.",
            n=min(sum(control), sum(treatment)),
            minimum=MIN_SHOWN_RESPONSES,
        )
    groups = [np.array(counts, dtype=np.float64) for counts in (control, treatment)]
    means, share = difference_of_means(groups, level)
    types, p = respondent_types(groups)
    return ListExperiment(
        level=level,
        control=(*map(int, control),),
        treatment=(*map(int, treatment),),
        means=means,
        share=share,
        types=types,
        p=p,
    )


def difference_of_means(
    groups: Sequence[Array], level: float
) -> tuple[tuple[float, float], IntervalEstimate]:
    """The means of both groups and their difference, with Welch's interval."""
    (control, treatment), error, degrees = welch(groups)
    share = t_interval_estimate(treatment - control, error, degrees, 0.0, 1.0, level)
    return (control, treatment), share


def welch(groups: Sequence[Array]) -> tuple[tuple[float, float], float, float]:
    """The means of both groups, the standard error of their difference, and its degrees of
    freedom."""
    means, variances, degrees = [], [], []
    for counts in groups:
        n, values = float(counts.sum()), np.arange(len(counts))
        mean = float(counts @ values) / n
        means.append(mean)
        variances.append(float(counts @ (values - mean) ** 2) / (n - 1) / n)
        degrees.append(n - 1)
    total = sum(variances)
    parts = sum(v * v / d for v, d in zip(variances, degrees, strict=True))
    free = total * total / parts if parts > 0 else min(degrees)
    return (means[0], means[1]), math.sqrt(total), free


def respondent_types(groups: Sequence[Array]) -> tuple[tuple[RespondentType, ...], float]:
    """The estimated shares of all types of respondents, and the test that none is negative.

    Notes
    -----
    With the cumulative shares F of the answers, the share of people with y control statements is
    F_control(y) - F_treatment(y) with the sensitive one, and F_treatment(y) - F_control(y - 1)
    without it. A negative share is only possible by random error or a design effect. Each of both
    tests is for the J shares that can be negative. Its p-value is that of `nonnegative_p`, with
    generalised moment selection. Bonferroni's correction doubles the smaller one.
    """
    items = len(groups[0]) - 1
    n = [float(counts.sum()) for counts in groups]
    below = [
        np.append(np.cumsum(counts) / size, 1.0) for counts, size in zip(groups, n, strict=True)
    ]
    control, treatment = below[0][: items + 1], below[1][: items + 1]
    earlier = np.append(0.0, control[:-1])
    with_trait = control - treatment
    without = treatment - earlier
    spreads = [
        cumulative_covariance(control) / n[0] + cumulative_covariance(treatment) / n[1],
        cumulative_covariance(earlier) / n[0] + cumulative_covariance(treatment) / n[1],
    ]
    likeliest = most_likely_types(groups)
    types = tuple(
        RespondentType(
            count=y,
            sensitive=sensitive,
            share=float(shares[y]),
            error=math.sqrt(max(0.0, spread[y, y])),
            likeliest=float(likely[y]),
        )
        for sensitive, shares, spread, likely in (
            (True, with_trait, spreads[0], likeliest[0]),
            (False, without, spreads[1], likeliest[1]),
        )
        for y in range(items + 1)
    )
    # With the sensitive statement, the last share cannot be negative; without it, the first.
    tested = [(with_trait, spreads[0], slice(0, items)), (without, spreads[1], slice(1, None))]
    smallest = min(
        nonnegative_p(shares[part], spread[part, part], int(sum(n)))
        for shares, spread, part in tested
    )
    return types, min(1.0, 2 * smallest)


def cumulative_covariance(below: Array) -> Array:
    """The covariance of cumulative shares of a single respondent."""
    smaller = np.minimum.outer(below, below)
    return np.asarray(smaller - np.outer(below, below))


# --- maximum likelihood


def most_likely_types(groups: Sequence[Array]) -> Array:
    """The most likely shares of types, shape (2, J + 1): with and without the sensitive statement.

    Notes
    -----
    This is an interior-point method (Boyd & Vandenberghe, Convex Optimization (2004), ch. 11). It
    adds BARRIER times the logarithm of each share to the log-likelihood, and takes Newton's steps
    along the constraint that all shares add up to one. The log-likelihood is within BARRIER times
    the number of types of its maximum.
    """
    size = len(groups[0])
    joint = np.full(2 * size, 0.5 / size)
    counts, chances_of = np.concatenate(groups), answer_chances(size)
    constraint = np.ones((1, 2 * size))

    def target(tried: Array, barrier: float) -> float:
        chances = chances_of @ tried
        return float(scipy.special.xlogy(counts, chances).sum() + barrier * np.log(tried).sum())

    barrier = float(counts.sum()) / 100
    while barrier >= BARRIER:
        for _ in range(MAX_NEWTON_STEPS):
            chances = chances_of @ joint
            gradient = chances_of.T @ (counts / chances) + barrier / joint
            curvature = (chances_of.T * (counts / chances**2)) @ chances_of
            curvature += np.diag(barrier / joint**2)
            system = np.block([[curvature, constraint.T], [constraint, np.zeros((1, 1))]])
            step = np.linalg.solve(system, np.append(gradient, 0.0))[: 2 * size]
            rise = float(step @ gradient)
            if rise < CLOSE * barrier:
                break
            shrinking = step < 0
            longest = float(np.min(-joint[shrinking] / step[shrinking], initial=math.inf))
            length, now = min(1.0, 0.99 * longest), target(joint, barrier)
            while length > MIN_LENGTH and target(joint + length * step, barrier) < now:
                length /= 2
            joint = joint + length * step
        barrier /= 20
    return joint.reshape(2, size)


def answer_chances(size: int) -> Array:
    """The answer of each type, shape (2 J + 3, 2 J + 2): first in the control group."""
    same = np.eye(size)
    control = np.hstack([same, same])
    one_more, unchanged = np.zeros((size + 1, size)), np.zeros((size + 1, size))
    one_more[1:], unchanged[:-1] = same, same
    return np.vstack([control, np.hstack([one_more, unchanged])])


def list_json(found: ListExperiment) -> dict[str, Any]:
    """The result as a JSON value."""
    return {
        "level": found.level,
        "items": found.items,
        "control": {"n": found.n[0], "counts": list(found.control), "mean": found.means[0]},
        "treatment": {"n": found.n[1], "counts": list(found.treatment), "mean": found.means[1]},
        "share": part_json(found.share),
        "most_likely": found.likeliest,
        "types": [
            {
                "control_statements": each.count,
                "sensitive_statement": each.sensitive,
                "share": each.share,
                "standard_error": each.error,
                "most_likely": each.likeliest,
            }
            for each in found.types
        ],
        "design_effect_p": found.p,
        "floor": found.floor,
        "ceiling": found.ceiling,
        "revealed": {"without": found.revealed[0], "with": found.revealed[1]},
    }
