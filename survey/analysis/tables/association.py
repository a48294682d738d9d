"""Association of two questions: phi, tests of independence."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from survey.analysis.groups.figures import (
    EMPTY_SHARE,
    STUDENT,
    WHOLE_RANGE,
    IntervalEstimate,
)
from survey.analysis.tables.joint_shares import JointShares
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import later, translate, translate_list
from survey.estimation.mean_intervals import possible_ends, student_quantile

# Relative to the largest eigenvalue of a covariance. A smaller eigenvalue counts as zero.
FLAT = 1e-10
# A smaller standard error of a correlation consists of rounding errors.
VARIES_NOT = 1e-7
# A smaller variance consists of rounding errors.
NEGLIGIBLE_VARIANCE = 1e-25
FISHER = "Student, on Fisher's z scale"
SAME_ANSWER = later(
    "No test is possible: the answers to one question do not vary, or the answers to the questions "
    "always go together."
)
NOBODY_LISTED = later(
    "According to the estimates, nobody answered all these questions without a special answer, "
    "such as “not asked”."
)
SCORE = later("score")
WALD = later("Wald")
TREND = later("trend")
RAO_SCOTT = later("Rao–Scott")
WELCH = later("Welch")
MOVER = later("MOVER")
DESIGN_SCORE = later("design-based score")
FROM_INTERVAL = later(
    "This p is the smallest significance level at which the interval of the difference excludes "
    "zero."
)
VALID_FOR_MANY = later(
    "valid with and without weights, strata and clusters, if each group has many responses, or "
    "many clusters"
)
RIGHT_WHEN = {
    SCORE: later(
        "valid without weights, strata and clusters. For three questions, or questions that are "
        "randomised together, each combination of reports also needs an expected count of at least "
        "five. If reports are sets of combinations, each combination needs this count"
    ),
    WALD: later(
        "valid with and without weights, strata and clusters, if the estimates are approximately "
        "normal. For this, each cell needs many responses, or many clusters. With few, the test "
        "rejects too often"
    ),
    RAO_SCOTT: later(
        "valid with and without weights, strata and clusters, also with few responses"
    ),
    WELCH: VALID_FOR_MANY,
    DESIGN_SCORE: VALID_FOR_MANY,
    MOVER: later(
        "valid for groups that were asked in different ways, without weights, strata and clusters"
    ),
    TREND: later(
        "valid without weights, strata and clusters. It looks for a trend: one answer rises or "
        "falls with the other. It finds a trend more often than the score test, and other "
        "relations less often"
    ),
}


@dataclass(frozen=True, kw_only=True)
class Test:
    """A test of a hypothesis of independence.

    Attributes
    ----------
    name : key of RIGHT_WHEN
    hypothesis : the null hypothesis, in words
    statistic : float
        The statistic of the score or trend test, or Wald's quadratic form.
    degrees : int
    p : float
    """

    name: str
    hypothesis: str
    statistic: float
    degrees: int
    p: float

    # Without this, pytest would collect the class because of its name.
    __test__ = False

    @property
    def right_when(self) -> str:
        return RIGHT_WHEN[self.name]


def phi(cells: Array, covariance: Array, degrees: int, level: float) -> IntervalEstimate:
    """Phi of four shares: the correlation of two answers that are each given or not.

    Raises UnanswerableQuestion if a row or column is not estimated to be above zero.

    Notes
    -----
    (ad - bc) / sqrt(rows times columns); standard error by the delta method.
    """
    a, b, c, d = (float(cell) for cell in cells)
    rows, columns = (a + b, c + d), (a + c, b + d)
    if min(*rows, *columns) <= EMPTY_SHARE:
        raise UnanswerableQuestion(
            "The estimate of a row or column is zero or less, so there is no φ."
        )
    root = math.sqrt(math.prod(rows) * math.prod(columns))
    value = (a * d - b * c) / root
    shrinking = np.array([1 / row + 1 / column for row in rows for column in columns])
    gradient = np.array([d, -c, -b, a]) / root - value / 2 * shrinking
    error = math.sqrt(max(0.0, float(gradient @ covariance @ gradient)))
    return on_fisher_scale(value, error, degrees, level)


def on_fisher_scale(value: float, error: float, degrees: int, level: float) -> IntervalEstimate:
    """A correlation with an interval that is symmetric in atanh (Fisher, Metron 1 (1921) 3).

    If the estimate is not between -1 and 1, the interval is symmetric about it and cut off. If
    nothing varies about a correlation of -1 or 1, Student's distribution does not apply, and the
    interval is from -1 to 1.
    """
    if error <= VARIES_NOT:
        return IntervalEstimate(
            value=value, standard_error=error, low=-1.0, high=1.0, method=WHOLE_RANGE
        )
    times = student_quantile(degrees, level)
    if abs(value) >= 1:
        ends = possible_ends(value, value - times * error, value + times * error, -1.0, 1.0)
        return IntervalEstimate(
            value=value, standard_error=error, low=ends[0], high=ends[1], method=STUDENT
        )
    half, middle = times * error / (1 - value**2), math.atanh(value)
    return IntervalEstimate(
        value=value,
        standard_error=error,
        low=math.tanh(middle - half),
        high=math.tanh(middle + half),
        method=FISHER,
    )


def require_all_possible(joint: JointShares) -> None:
    """Raise UnanswerableQuestion if the survey's conditions exclude a combination of answers."""
    if not joint.possible[joint.listed].all():
        raise UnanswerableQuestion(
            "No test of independence is available, because the conditions of the survey "
            "exclude some combinations of these answers."
        )


def independence(joint: JointShares) -> str:
    labels = [f"“{column.label}”" for column in joint.columns]
    return translate("%(questions)s are independent", questions=translate_list(labels))


def wald_test(joint: JointShares) -> Test:
    """Test independence of the first two questions, given the third if there is one.

    It is among respondents who gave listed answers, and leaves out answers of those who were not
    asked another of the questions. Raises UnanswerableQuestion if there are not enough responses or
    clusters, and if the survey's conditions exclude some combinations of the other answers.

    Notes
    -----
    W = g' V^-1 g with g_ijk = p_ijk p_++k - p_i+k p_+jk for all i and j but the last, and V from
    the design by the delta method. W (d - q + 1) / (d q) is compared with F(q, d - q + 1), for q
    contrasts and d degrees of freedom (Thomas & Rao, JASA 82 (1987) 630).
    """
    kept, shape = comparable_cells(joint)
    shares, covariance = joint.shares[kept], joint.covariance[np.ix_(kept, kept)]
    contrasts, gradient = conditional_contrasts(shares, (*shape, 1)[:3])
    spread = gradient @ covariance @ gradient.T
    first, second = joint.columns[0].label, joint.columns[1].label
    questions = translate_list([f"“{first}”", f"“{second}”"])
    words = (
        translate("%(questions)s are independent", questions=questions)
        if len(joint.columns) < 3
        else translate(
            "%(questions)s are independent given “%(third)s”",
            questions=questions,
            third=joint.columns[2].label,
        )
    )
    return quadratic_test(contrasts, spread, joint.sample.student_degrees, words)


def comparable_cells(joint: JointShares) -> tuple[npt.NDArray[np.intp], tuple[int, ...]]:
    """The cells of a table without rows, columns and layers that are impossible as a whole.

    Raises UnanswerableQuestion if other cells are impossible, or if less than two rows or columns
    are left.
    """
    full = tuple(column.listed for column in joint.columns)
    possible = joint.possible[joint.listed].reshape(full)
    axes = range(possible.ndim)
    kept = [possible.any(axis=tuple(other for other in axes if other != axis)) for axis in axes]
    if not possible[np.ix_(*kept)].all() or min(int(each.sum()) for each in kept[:2]) < 2:
        require_all_possible(joint)
    places = np.flatnonzero(joint.listed).reshape(full)[np.ix_(*kept)]
    return places.reshape(-1), places.shape


def quadratic_test(contrasts: Array, spread: Array, degrees: int, hypothesis: str) -> Test:
    """Wald's test that all contrasts, shape (q,), are zero, with their covariance.

    Directions in which nothing varies are omitted, such as those of an answer that nobody gave.

    Raises UnanswerableQuestion if none is left, or more than there are degrees of freedom.
    """
    values, directions = np.linalg.eigh(spread)
    free = values > max(FLAT * values.max(initial=0.0), NEGLIGIBLE_VARIANCE)
    q, d = int(free.sum()), degrees
    if q == 0:
        raise UnanswerableQuestion(SAME_ANSWER)
    if d - q + 1 <= 0:
        raise UnanswerableQuestion(
            "A Wald test of %(contrasts)s contrasts needs at least %(contrasts)s more "
            "responses, or clusters, than strata. There are %(n)s more.",
            contrasts=q,
            n=d,
        )
    statistic = float(((contrasts @ directions)[free] ** 2 / values[free]).sum())
    p = float(scipy.special.fdtrc(q, d - q + 1, statistic * (d - q + 1) / (d * q)))
    return Test(name=WALD, hypothesis=hypothesis, statistic=statistic, degrees=q, p=p)


def conditional_contrasts(shares: Array, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """g of `wald_test`, one for each i, j, k without the last i and j, and its gradient."""
    p = shares.reshape(shape)
    whole, rows, columns = p.sum(axis=(0, 1)), p.sum(axis=1), p.sum(axis=0)
    contrasts = p * whole - rows[:, np.newaxis] * columns
    eye = np.eye(p.size).reshape(*shape, p.size)
    gradient = (
        eye * whole[:, np.newaxis]
        + p[..., np.newaxis] * eye.sum(axis=(0, 1))
        - eye.sum(axis=1)[:, np.newaxis] * columns[..., np.newaxis]
        - rows[:, np.newaxis, :, np.newaxis] * eye.sum(axis=0)
    )
    inner = np.s_[: shape[0] - 1, : shape[1] - 1]
    return contrasts[inner].reshape(-1), gradient[inner].reshape(-1, p.size)
