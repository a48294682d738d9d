"""The crosswise model: two statements, and one answer whether both have the same truth value.

Nobody can tell which of the two statements is true without the respondent's own secret fact. The
answer is "same" if both or neither are true, and "different" if exactly one is.

- the model: Yu, Tian & Tang, Metrika 67 (2008) 251;
- the correction with an anchor question: Atsusaka & Stevenson, Political Analysis 31 (2023) 134;
- two groups with complementary shares: Heck, Hoffmann & Moshagen, Behav. Res. Methods 50 (2018)
  1895.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from survey.analysis.as_json import part_json
from survey.analysis.groups.equal_probabilities import SupportingCounts, equal_pair_p
from survey.analysis.groups.figures import IntervalEstimate
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from survey.estimation.mean_intervals import possible_ends, student_quantile
from survey.estimation.results import MIN_SHOWN_RESPONSES
from survey.estimation.types.crosswise import MirroredShare, mirrored_share

SCORE = "score test of each share, Student"
# The signs of (same, anchor same): 1 for "same", -1 for "different".
SIGNS = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], dtype=np.float64)
# A known share this close to 1/2 has no information.
APART = 1e-6
# The corrected shares among which the ends of the interval are searched, and the bisections that
# refine them. The last bisection changes an end by less than 1e-9.
TRIED_VALUES = np.linspace(-1, 1, 401)
TRIED_STEP = 2 / 400
BISECTIONS = 30
# The Lagrange multiplier of the score test, as a share of its range.
MULTIPLIER_BISECTIONS = 60


@dataclass(frozen=True, kw_only=True)
class CrosswiseFigures:
    """The estimates from one set of respondents.

    Attributes
    ----------
    n : the number of respondents
    same : how many of them gave the answer "same"
    uncorrected : the share with the sensitive trait, if everyone answers attentively
    attentive : the share of attentive respondents; None without an anchor question
    corrected : the share with the trait, corrected for respondents who answer at random. None
        without an anchor question, or if the interval of `attentive` contains 0.
    """

    n: int
    same: int
    uncorrected: IntervalEstimate
    attentive: IntervalEstimate | None = None
    corrected: IntervalEstimate | None = None


@dataclass(frozen=True)
class InstructionTest:
    """Whether two groups with complementary known shares agree.

    Attributes
    ----------
    same, n : the answers "same", and all answers, in each group
    p : the exact p-value for the hypothesis that both groups follow the model
    """

    same: tuple[int, int]
    n: tuple[int, int]
    p: float


@dataclass(frozen=True, kw_only=True)
class Crosswise:
    """An analysis of a crosswise question.

    Attributes
    ----------
    known : the known share of the unrelated statement, in the first group if there are two
    anchor_known : that of the anchor question; None without one
    everyone : the estimates from all respondents
    passed : those from the respondents who passed the attention check; None without one
    instructions : the test of two groups; None for one group
    """

    known: float
    anchor_known: float | None
    level: float
    everyone: CrosswiseFigures
    passed: CrosswiseFigures | None = None
    instructions: InstructionTest | None = None


def require_known_share(known: float) -> None:
    """Raise UnanswerableQuestion unless the share is above 0, below 1 and not 1/2."""
    if not 0 < known < 1 or abs(known - 0.5) < APART:
        raise UnanswerableQuestion(
            "The known share must be above 0, below 1 and not 1/2. Choose an unrelated "
            "statement with another share."
        )


def require_enough_answers(n: int) -> None:
    """Raise UnanswerableQuestion for fewer than five respondents."""
    if n < MIN_SHOWN_RESPONSES:
        raise UnanswerableQuestion(
            "There are too few responses (%(n)s). This analysis needs at least %(minimum)s.",
            n=n,
            minimum=MIN_SHOWN_RESPONSES,
        )


def crosswise_share(same: int, n: int, known: float, level: float = 0.95) -> IntervalEstimate:
    """The share with the sensitive trait, from the number of answers "same".

    Parameters
    ----------
    same : int, 0 to n
    known : the share for whom the unrelated statement is true; in (0, 1), not 1/2

    Raises UnanswerableQuestion for fewer than five respondents and for an invalid share.

    Notes
    -----
    Pr(same) = known pi + (1 - known)(1 - pi). The estimate is not cut at 0 and 1. The interval is
    exact (survey/estimation/share_intervals.py). It is wrong if some people answer at random.
    """
    require_known_share(known)
    require_enough_answers(n)
    return interval_estimate(mirrored_share(same, n, known, 1 - known, level))


def interval_estimate(found: MirroredShare) -> IntervalEstimate:
    low, high = possible_ends(found.value, found.interval.low, found.interval.high, 0.0, 1.0)
    return IntervalEstimate(
        value=found.value,
        standard_error=found.standard_error,
        low=low,
        high=high,
        method=found.interval.method,
    )


def anchored_crosswise(
    counts: Array,
    known: float,
    anchor_known: float,
    anchor_share: float = 0.0,
    level: float = 0.95,
) -> CrosswiseFigures:
    """The share with the sensitive trait, corrected for people who answer at random.

    Parameters
    ----------
    counts : ndarray, shape (4,)
        Respondents who answered (question, anchor question): (same, same), (same, different),
        (different, same), (different, different).
    known, anchor_known : the shares for whom the unrelated statements are true; in (0, 1), not 1/2
    anchor_share : the true share of the anchor's sensitive statement, such as 0; not 1/2

    Raises UnanswerableQuestion for fewer than five respondents and for invalid shares.

    Notes
    -----
    Let S and A be +1 for "same" and -1 for "different". A share gamma of respondents is attentive,
    and all others give either answer with probability 1/2. Then E[A] = gamma (2 p' - 1)(2 kappa -
    1) and E[S] = gamma (2 p - 1)(2 pi - 1). This yields gamma, and pi from the ratio. The standard
    error is that of the ratio (delta method), with the covariance of both answers of a person.

    The interval of gamma is exact. That of pi has all values v that a score test accepts. Its
    statistic is the mean of S / (2 p - 1) - (2 v - 1) A / ((2 p' - 1)(2 kappa - 1)), whose
    expected value is zero at v = pi. Its variance is at the most likely probabilities of the four
    answers with this mean. The quantile is Student's. It covers 0.959 to 0.987 by enumeration for n
    = 20, and 0.942 to 0.97 by simulation up to n = 2,000 (docs/explanation/analyses.md). It is
    wrong if inattentive people prefer one answer, or are inattentive to one of the two questions
    only.
    """
    n = int(counts.sum())
    same = int(counts[0] + counts[1])
    uncorrected = crosswise_share(same, n, known, level)
    require_known_share(anchor_known)
    if not 0 <= anchor_share <= 1 or abs(anchor_share - 0.5) < APART:
        raise UnanswerableQuestion(
            "The true share of the anchor statement must be from 0 to 1 and not 1/2."
        )
    slope = 2 * known - 1
    anchor_slope = (2 * anchor_known - 1) * (2 * anchor_share - 1)
    anchor_same = int(counts[0] + counts[2])
    careful = (1 + anchor_slope) / 2
    attentive = interval_estimate(mirrored_share(anchor_same, n, careful, 0.5, level))
    corrected = None
    if attentive.low > 0:
        corrected = corrected_share(counts, slope, anchor_slope, level)
    return CrosswiseFigures(
        n=n, same=same, uncorrected=uncorrected, attentive=attentive, corrected=corrected
    )


def corrected_share(
    counts: Array, slope: float, anchor_slope: float, level: float
) -> IntervalEstimate:
    """The corrected share, if its denominator is positive."""
    n = float(counts.sum())
    scores = SIGNS / [slope, anchor_slope]
    above, below = (float(mean) for mean in counts @ scores / n)
    ratio = above / below
    deviations = scores[:, 0] - ratio * scores[:, 1]
    error = math.sqrt(float(counts @ deviations**2) / n / (n - 1)) / below
    low, high = accepted_ratios(counts, scores, ratio, student_quantile(int(n) - 1, level))
    value = (1 + ratio) / 2
    ends = possible_ends(value, (1 + low) / 2, (1 + high) / 2, 0.0, 1.0)
    return IntervalEstimate(
        value=value, standard_error=error / 2, low=ends[0], high=ends[1], method=SCORE
    )


def accepted_ratios(
    counts: Array, scores: Array, ratio: float, quantile: float
) -> tuple[float, float]:
    """The smallest and the largest ratio from -1 to 1 that the score test accepts.

    The estimate, moved into the range, counts as accepted, so the interval is never empty.
    """

    def accepts(tried: Array) -> npt.NDArray[np.bool_]:
        values = scores[:, 0] - tried[:, None] * scores[:, 1]
        return np.abs(score_statistics(counts, values)) <= quantile

    nearest = min(1.0, max(-1.0, ratio))
    kept = [nearest, *TRIED_VALUES[accepts(TRIED_VALUES)]]
    ends = []
    for end, way in ((min(kept), -1), (max(kept), 1)):
        accepted = float(end)
        outside = min(1.0, max(-1.0, accepted + way * TRIED_STEP))
        for _ in range(BISECTIONS):
            middle = (accepted + outside) / 2
            if accepts(np.array([middle]))[0]:
                accepted = middle
            else:
                outside = middle
        ends.append(accepted)
    return ends[0], ends[1]


def score_statistics(counts: Array, values: Array) -> Array:
    """The statistic of the score test that the mean of four values is zero, shape (m,).

    Parameters
    ----------
    counts : ndarray, shape (4,) or (m, 4)
        The number of respondents with each value, with the same sum in each row.
    values : ndarray, shape (m, 4)
        In each row, the last two are the first two with the opposite sign, in reverse order.

    Notes
    -----
    The statistic is root n times the mean, over its standard deviation. This is at the most likely
    probabilities with mean zero: counts / n / (1 + t w) for the values w. The multiplier t is the
    zero of a decreasing function between the poles. If it is at a pole, the probability that
    remains belongs to the value at this pole, which nobody gave.
    """
    n = counts.sum(axis=-1)
    high = values.max(axis=1)
    start, end = -1 / high, 1 / high
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(MULTIPLIER_BISECTIONS):
            middle = (start + end) / 2
            slope = (counts * values / (1 + middle[:, None] * values)).sum(axis=1)
            start, end = np.where(slope > 0, middle, start), np.where(slope > 0, end, middle)
        middle = (start + end) / 2
        chances = counts / (n * np.ones(len(values)))[:, None] / (1 + middle[:, None] * values)
        chances = np.where(counts > 0, chances, 0.0)
    rest = np.maximum(0.0, 1 - chances.sum(axis=1))
    variance = (chances * values**2).sum(axis=1) + rest * high**2
    means = (values * counts).sum(axis=1) / n
    zero = np.abs(means) <= APART * high
    return np.where(zero, 0.0, np.sqrt(n) * means / np.sqrt(np.where(zero, 1.0, variance)))


def instruction_test(same: tuple[int, int], n: tuple[int, int], known: float) -> InstructionTest:
    """Test whether two groups with the known shares p and 1 - p both follow the model.

    Raises UnanswerableQuestion for fewer than five respondents in a group.

    Notes
    -----
    Under the model, "same" in the first group is as likely as "different" in the second. The test
    of Heck et al. compares these two binomial shares. Here it is exact, so it is valid for few
    respondents too. It detects people who prefer one of the two answers. It cannot detect people
    who give both answers equally often at random: for these, an anchor question is needed.
    """
    require_known_share(known)
    require_enough_answers(min(n))
    supporting = np.array([same[0], n[1] - same[1]], dtype=np.float64)
    lowest, highest = min(known, 1 - known), max(known, 1 - known)
    counts = SupportingCounts(supporting, np.array(n, dtype=np.float64), lowest, highest)
    return InstructionTest(same, n, equal_pair_p(counts))


def crosswise_json(found: Crosswise) -> dict[str, Any]:
    """The analysis as a JSON value."""
    return {
        "known": found.known,
        "anchor_known": found.anchor_known,
        "level": found.level,
        "everyone": figures_json(found.everyone),
        "passed": None if found.passed is None else figures_json(found.passed),
        "instructions": None
        if found.instructions is None
        else {
            "same": list(found.instructions.same),
            "n": list(found.instructions.n),
            "p": found.instructions.p,
        },
    }


def figures_json(found: CrosswiseFigures) -> dict[str, Any]:
    return {
        "n": found.n,
        "same": found.same,
        "uncorrected": part_json(found.uncorrected),
        "attentive": part_json(found.attentive),
        "corrected": part_json(found.corrected),
    }
