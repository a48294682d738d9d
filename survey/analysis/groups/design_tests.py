"""Tests that groups have the same share or mean, with weights, strata or clusters."""

import math
from collections.abc import Sequence

import numpy as np
import scipy

from survey.analysis.columns.answer_scores import coherent
from survey.analysis.columns.sample_means import Sample
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.effective_counts import EffectiveCounts
from survey.analysis.groups.equal_probabilities import equal_pair_p, equal_probabilities
from survey.analysis.groups.group_tests import GroupTests
from survey.analysis.groups.measures import Measure

# Relative to the range of the measure. A smaller variance consists of rounding errors.
NEGLIGIBLE_VARIANCE = 1e-14


def effective_tests(
    counts: EffectiveCounts, places: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> GroupTests:
    """Tests of binomial counts with effective sample sizes (`group_tests`).

    Notes
    -----
    Their p-values are for a known design effect. With an estimate of it, the quantile of the
    chi-squared distribution with this p-value is compared with that of the F distribution (Rao &
    Scott, Ann. Stat. 15 (1987) 385).
    """
    p_values = []
    for pair in pairs:
        two, degrees = counts.if_equal(pair)
        p_values.append(with_degrees(equal_pair_p(two), 1, degrees))
    if len(places) == 2:
        statistic = float(two.statistic(two.supporting))
        return GroupTests(statistic, p_values[0], tuple(p_values))
    found, degrees = counts.if_equal(places)
    statistic, p = equal_probabilities(found)
    return GroupTests(statistic, with_degrees(p, len(places) - 1, degrees), tuple(p_values))


def with_degrees(p: float, contrasts: int, degrees: float) -> float:
    """A p-value for a known variance, if the variance has `degrees` of freedom."""
    if p >= 1 or math.isinf(degrees):
        return min(1.0, p)
    quantile = float(scipy.special.chdtri(contrasts, p))
    return float(scipy.special.fdtrc(contrasts, degrees, quantile / contrasts))


def design_score_tests(
    measure: Measure,
    group: AnalysisColumn,
    sample: Sample,
    places: Sequence[int],
    pairs: Sequence[tuple[int, int]],
) -> GroupTests:
    """Tests by the variance of scores under the hypothesis.

    Notes
    -----
    Let r be the common share or mean, and e = s - r a. The means U of e times each contrast of the
    groups have the covariance V of the design. U' V^-1 U is compared with F.
    """
    found = [design_score_test(measure, group, sample, pair) for pair in pairs]
    statistic, p = (
        design_score_test(measure, group, sample, places) if len(places) > 2 else found[0]
    )
    return GroupTests(statistic, p, tuple(each for _, each in found))


def design_score_test(
    measure: Measure, group: AnalysisColumn, sample: Sample, places: Sequence[int]
) -> tuple[float, float]:
    """The statistic and p of equality in these groups; 1 if nothing varies."""
    inside = coherent(group)[sample.reports[:, 1]][:, list(places)]
    s, a = measure.scores[sample.reports[:, 0]], measure.among[sample.reports[:, 0]]
    above, sizes = (sample.mean(each[:, np.newaxis] * inside) for each in (s, a))
    common = min(measure.high, max(measure.low, float(above.sum() / sizes.sum())))
    contrasts = inside[:, 1:] - inside.sum(axis=1, keepdims=True) * sizes[1:] / sizes.sum()
    e = (s - common * a) / (measure.high - measure.low)
    parts = e[:, np.newaxis] * contrasts
    means = sample.mean(parts)
    values, directions = np.linalg.eigh(sample.covariance(parts - means))
    free = values > max(1e-10 * values.max(initial=0.0), NEGLIGIBLE_VARIANCE)
    q = int(free.sum())
    if q == 0:
        return 0.0, 1.0
    members = min(sample.effective_members(column**2) for column in contrasts.T)
    degrees = min(float(sample.degrees), members - 1) - q + 1
    statistic = float(((means @ directions)[free] ** 2 / values[free]).sum())
    if degrees <= 0:
        return statistic, 1.0
    p = scipy.special.fdtrc(q, degrees, statistic * degrees / (degrees + q - 1) / q)
    return statistic, float(p)
