"""False alarms, coverage and power of tests between groups, of independence and of correlation.

It compares today's tests with those that came before, which are written out here. It writes
docs/evidence/group-tests.md and its data. Each row has a seed made from its name.

    python -m bench.group_tests [PROCESSES]

With `--page`, it only writes the page. By default, there is a process for each processor. Finished
rows are kept in the folder `.bench/` until the code changes. If the study was interrupted, the next
call therefore continues with the next row.
"""

import json
import math
import os
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import cast

import numpy as np
import scipy

from bench import best_tests
from bench.best_tests import smallest_loss
from bench.evidence import EVIDENCE, Row, markdown_table, read_rows, wrapped, write_rows
from bench.kept_rows import KEPT, code_hash, kept_rows
from survey.analysis import permutations
from survey.analysis.columns.sample_means import Sample, complete_case_sample
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups import design_tests
from survey.analysis.groups.differences import differences_of
from survey.analysis.groups.effective_counts import GroupCount
from survey.analysis.groups.equal_probabilities import (
    SimulatedOutcomes,
    SupportingCounts,
    binomial_chances,
    equal_pair_p,
    simulated_outcomes,
)
from survey.analysis.groups.figures import IntervalEstimate, t_interval_estimate
from survey.analysis.groups.group_bounds import MeasuredGroup, difference_interval
from survey.analysis.groups.group_tests import group_tests
from survey.analysis.groups.groups import compare, group_scores, tests_of_groups
from survey.analysis.groups.measures import measure_of
from survey.analysis.multiple_comparisons import adjust_by_holm
from survey.analysis.tables.association import on_fisher_scale, quadratic_test
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.independence import ScoredReports, pair_test, two_by_two
from survey.analysis.tables.joint_shares import JointShares, chances_of, joint_shares, likeliest
from survey.analysis.tables.trend import trend_test
from survey.analysis.tables.zero_correlation import covariance_p_value
from survey.core.errors import UnanswerableQuestion
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, most_likely
from tests.support.analysed import COIN, FOUR, THREE, column, plain, reported

DOCUMENT = EVIDENCE / "group-tests.md"
KEPT_ROWS = KEPT / "group-tests.jsonl"
SEED, LEVEL, ACCEPTED, COVERED = 20261123, 0.95, 0.055, 0.94
# The probability of a supporting report from those who have the answer, and from the others.
MECHANISMS = {
    "non-private": (1.0, 0.0),
    "coin flips": (0.75, 0.25),
    "gamma design": (0.6, 0.4),
    "k-ary": (0.4, 0.15),
    "subset selection": (0.55, 0.35),
    "forced response": (11 / 12, 1 / 12),
}
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
SIZES = ((5, 5), (5, 30), (20, 20), (30, 200), (5, 500))
LARGE, LARGE_SHARES = (500, 500), ((0.01, 0.01), (0.05, 0.05), (0.5, 0.5), (0.2, 0.3))
# Less probable outcomes are left out, and count as a rejection that does not contain the truth: at
# most 0.1 % in groups of 500.
IMPROBABLE, IMPROBABLE_IN_LARGE = 1e-8, 1e-6
# In groups of MANY or more, p is that of the normal distribution if this is far from 5 %.
MANY, CLEARLY_SIGNIFICANT, CLEARLY_NOT = 100, 0.001, 0.1
# A smaller loss of power is due to rounding.
NEGLIGIBLE_LOSS = 0.0005
FOUR_SIZES, FOUR_SHARES = ((5, 10, 20, 30), (100, 100, 100, 100)), (0.02, 0.2)
# The surveys for false alarms of today's tests, and for all other figures.
DRAWS, FEW_DRAWS, COMPARED_DRAWS = 6_000, 400, 300
# Permutation tests use this many orders here: 10 of 201 is just below 5 %, as 499 of 10,000 are.
# They end after the first ones if p is then above CLEAR_P: if it is below 0.05, that happens once
# in a million.
ORDERS, FIRST_ORDERS, CLEAR_P = 200, 39, 0.3
FORCED = Randomizer.from_rows([[11, 1], [1, 11]])
SUBSET = Randomizer.from_rows(
    [
        [5 if row in pair else 2 for pair in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))]
        for row in range(4)
    ]
)
RARE = {2: (0.2, 0.8), 3: (0.05, 0.35, 0.6), 4: (0.05, 0.15, 0.3, 0.5)}
Entries = list[str]
# The kind of a row, and the arguments of the function that measures it.
Task = tuple[str, tuple[object, ...]]


def draw_other_orders(place: int) -> None:
    """Use a seed of its own for the permutations of each survey.

    With the same few orders in every survey, their chance would move all p-values alike. With the
    9,999 orders of the product, the standard deviation of this is 0.2 percentage points.
    """
    permutations.SEED = place


def clear_pair_p(counts: SupportingCounts, significant: float = 0.0) -> float:
    """The p-value of a pair, by the normal distribution where that is far from 5 %.

    It is far if it is above CLEARLY_NOT or below `significant`.
    """
    by_normal = float(scipy.special.chdtrc(1, float(counts.statistic(counts.supporting))))
    clear = by_normal > CLEARLY_NOT or by_normal < significant
    return by_normal if clear else equal_pair_p(counts)


class Two:
    """p-values and intervals of two groups, by the test before and by today's.

    Attributes
    ----------
    p : ndarray, shape (outcomes, 2)
    ends : ndarray, shape (outcomes, 2, 2)
        The intervals.
    """

    def __init__(self, sizes: tuple[int, int], design: tuple[float, float], found: Array) -> None:
        # If groups of equal size are exchanged, p stays, and the interval changes its signs.
        ordered = np.sort(found, axis=1) if sizes[0] == sizes[1] else found
        different, places = np.unique(ordered, axis=0, return_inverse=True)
        measured_outcomes = [outcome(sizes, design, row) for row in different]
        rows = [measured_outcomes[place] for place in places.reshape(-1)]
        self.p = np.array([row[0] for row in rows])
        self.ends = np.array([row[1] for row in rows])
        exchanged = (ordered != found).any(axis=1)
        self.ends[exchanged] = -self.ends[exchanged, :, ::-1]

    def rates(self, chances: Array, difference: float) -> tuple[Array, Array]:
        """How often each rejects, and how often its interval contains the true difference."""
        held = (self.ends[:, :, 0] <= difference) & (difference <= self.ends[:, :, 1])
        left_out = 1 - chances.sum()
        return np.asarray(chances @ (self.p < 1 - LEVEL) + left_out), np.asarray(chances @ held)


def outcome(
    sizes: tuple[int, int], design: tuple[float, float], supporting: Array
) -> tuple[list[float], list[tuple[float, float]]]:
    """Both p-values and both intervals of one outcome."""
    p, q = design
    n, shares = np.array(sizes, dtype=float), supporting / np.array(sizes)
    values = (shares - q) / (p - q)
    spread = n.sum() / (n.sum() - 1) * shares * (1 - shares) / n / (p - q) ** 2
    value, error, degrees = float(values[0] - values[1]), float(spread.sum() ** 0.5), sum(sizes) - 1
    before = t_interval_estimate(value, error, degrees, -1, 1, LEVEL)
    counts = SupportingCounts(supporting, n, q, p)
    of_groups = [GroupCount(float(supporting[each]), n[each], n[each]) for each in (0, 1)]
    two_scores = -q / (p - q), (1 - q) / (p - q)
    # With counts, the bounds use nothing of the sample, only whether it is simple.
    sample = cast(Sample, SimpleNamespace(simple=True))
    one, other = (
        MeasuredGroup(
            sample=sample,
            scores=n,
            among=n,
            value=float(values[place]),
            covariance=n,
            span=1.0,
            is_known=True,
            count=of_groups[place],
            two_scores=two_scores,
        )
        for place in (0, 1)
    )
    now = clearly_significant_p(counts) if min(sizes) >= MANY else equal_pair_p(counts)
    after = difference_interval((one, other), error, 0.0, now, LEVEL)
    old = difference_p_value(value, error, degrees)
    return [old, now], [(before.low, before.high), (after.low, after.high)]


def difference_p_value(value: float, error: float, degrees: int) -> float:
    """The p-value by Student's distribution; 1 if nothing varies."""
    return 1.0 if error <= 1e-7 else 2 * float(scipy.special.stdtr(degrees, -abs(value) / error))


def seeded(*name: object) -> np.random.Generator:
    """Random numbers that depend only on the name of a row."""
    return np.random.default_rng([SEED, zlib.crc32("|".join(map(str, name)).encode())])


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}"


def both(before: float, after: float) -> str:
    return f"{percent(before)} → {percent(after)}"


def probable_outcomes(
    sizes: tuple[int, int],
    design: tuple[float, float],
    pairs: Sequence[tuple[float, float]],
    improbable: float = IMPROBABLE,
) -> tuple[Two, Array]:
    """The results of all outcomes that are probable at any pair of shares, and their chances."""
    p, q = design
    axes = [np.arange(n + 1.0) for n in sizes]
    supported = q + (p - q) * np.array(pairs)
    first, second = (
        binomial_chances(axis, len(axis) - 1, supported[:, place])
        for place, axis in enumerate(axes)
    )
    chances = (first[:, :, np.newaxis] * second[:, np.newaxis, :]).reshape(len(pairs), -1)
    kept = chances.max(axis=0) > improbable
    every = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    return Two(sizes, design, every[kept]), chances[:, kept]


def enumerated(name: str, sizes: tuple[int, int]) -> Entries:
    """A row of the table of two groups."""
    p, q = MECHANISMS[name]
    pairs = [(one, other) for one in SHARES for other in SHARES]
    found, chances = probable_outcomes(sizes, (p, q), pairs)
    alarms, covered = [], []
    power = np.zeros((len(SHARES), len(SHARES), 2))
    for place, (one, other) in enumerate(np.ndindex(len(SHARES), len(SHARES))):
        power[one, other], held = found.rates(chances[place], SHARES[one] - SHARES[other])
        covered.append(held)
        if one == other:
            alarms.append(power[one, other])
    # Where the test before had few false alarms for both shares.
    fair = np.array(alarms)[:, 0] <= ACCEPTED
    compared = fair[:, np.newaxis] & fair & ~np.eye(len(SHARES), dtype=bool)
    losses = (power[:, :, 0] - power[:, :, 1])[compared]
    loss = float(losses.max()) if len(losses) else 0.0
    smallest = "–"
    if loss > NEGLIGIBLE_LOSS:
        _, all_chances = probable_outcomes(sizes, (p, q), np.array(pairs)[compared.reshape(-1)], -1)
        powers = power[:, :, 0][compared]
        smallest = percent(smallest_loss(sizes, (p, q), all_chances, powers, ACCEPTED)[0])
    most, least = np.max(alarms, axis=0), np.min(covered, axis=0)
    one, other = SHARES.index(0.1), SHARES.index(0.5)
    return [
        name,
        f"{sizes[0]}, {sizes[1]}",
        both(*most),
        both(*least),
        both(*power[one, other]),
        percent(loss) if len(losses) else "–",
        smallest,
    ]


def large_pairs(name: str) -> Entries:
    """Two groups of 500."""
    found, chances = probable_outcomes(LARGE, MECHANISMS[name], LARGE_SHARES, IMPROBABLE_IN_LARGE)
    cells = []
    for pair, each in zip(LARGE_SHARES, chances, strict=True):
        rejected, held = found.rates(each, pair[0] - pair[1])
        cells += [both(*rejected)] if pair[0] == pair[1] else [both(*rejected), both(*held)]
    return [name, *cells]


def old_overall_p(sizes: Array, design: tuple[float, float], supporting: Array) -> float:
    """Wald's test of several groups; 1 without a test."""
    p, q = design
    shares, n = supporting / sizes, sizes.sum()
    spread = np.diag(n / (n - 1) * shares * (1 - shares) / sizes / (p - q) ** 2)
    contrasts = np.eye(len(sizes))[1:] - np.eye(len(sizes))[0]
    try:
        return quadratic_test(
            contrasts @ (shares - q) / (p - q), contrasts @ spread @ contrasts.T, int(n) - 1, ""
        ).p
    except UnanswerableQuestion:
        return 1.0


def four_groups(name: str, sizes: tuple[int, ...]) -> Entries:
    """The test of four groups, and Holm's of their pairs, at each of the shares."""
    (p, q), n = MECHANISMS[name], np.array(sizes, dtype=float)
    generator = seeded("four groups", name, sizes)
    pairs = [[one, other] for one in range(4) for other in range(one)]

    @cache
    def simulated(total: float) -> SimulatedOutcomes:
        # The simulated outcomes depend on the counts only by their total.
        return simulated_outcomes(SupportingCounts(total * n / n.sum(), n, q, p))

    @cache
    def pair_p(*key: float) -> float:
        return clear_pair_p(SupportingCounts(np.array(key[:2]), np.array(key[2:]), q, p))

    cells = []
    for share in FOUR_SHARES:
        alarms = np.zeros(4)
        drawn = generator.binomial(sizes, q + (p - q) * share, (DRAWS, 4)).astype(float)
        for supporting in drawn:
            counts, old = SupportingCounts(supporting, n, q, p), []
            for pair in pairs:
                shares = supporting[pair] / n[pair]
                error = (n.sum() / (n.sum() - 1) * (shares * (1 - shares) / n[pair]).sum()) ** 0.5
                old.append(difference_p_value(shares[0] - shares[1], error, int(n.sum()) - 1))
            now = [pair_p(*supporting[pair], *n[pair]) for pair in pairs]
            statistic = float(counts.statistic(supporting))
            overall = simulated(float(supporting.sum())).p(statistic) if statistic > 1e-9 else 1.0
            alarms += [
                old_overall_p(n, (p, q), supporting) < 0.05,
                overall < 0.05,
                min(adjust_by_holm(old)) < 0.05,
                min(adjust_by_holm(now)) < 0.05,
            ]
        rates = alarms / DRAWS
        cells += [both(*rates[:2]), both(*rates[2:])]
    return [name, ", ".join(map(str, sizes)), *cells]


# Two distributions of four levels with the same mean and different spreads, and others.
NARROW, SPREAD, HIGH = (0.0, 0.5, 0.5, 0.0), (0.5, 0.0, 0.0, 0.5), (0.05, 0.05, 0.1, 0.8)
LOW, HALF, SOME = (0.4, 0.3, 0.2, 0.1), (0.5, 0.5), (0.2, 0.8)
PLAIN_SCALE = Randomizer.identity(4)


@dataclass(frozen=True)
class Survey:
    """A question in groups whose first two have equal shares or means, or another second group.

    Attributes
    ----------
    sizes : the size of each group
    table, groups : the randomizers of the answers and of the groups, None for known groups
    equal : the distribution in each group, or a single one for all
    other : the distribution in the second group, if it differs
    """

    sizes: tuple[int, ...]
    table: Randomizer
    groups: Randomizer | None
    equal: tuple[tuple[float, ...], ...]
    other: tuple[float, ...]

    @property
    def answer(self) -> int | None:
        """The answer whose share is compared; None for a mean."""
        return 0 if self.table.answers == 2 else None

    @property
    def difference(self) -> float:
        """The true difference of the second from the first group, if it differs."""
        apart = np.array(self.other) - np.array(self.equal[0])
        return float(apart[0] if self.answer == 0 else apart @ np.arange(len(apart)))

    def draw(
        self, generator: np.random.Generator, differs: bool
    ) -> tuple[AnalysisColumn, AnalysisColumn]:
        groups, k = len(self.sizes), self.table.answers
        places = np.repeat(np.arange(groups), self.sizes)
        shares = [self.equal[place % len(self.equal)] for place in range(groups)]
        if differs:
            shares[1] = self.other
        answers = np.concatenate(
            [generator.choice(k, n, p=each) for n, each in zip(self.sizes, shares, strict=True)]
        )
        worth = None if self.answer == 0 else np.arange(float(k))
        is_private = self.table is not PLAIN_SCALE
        reports = reported(generator, self.table, answers) if is_private else answers
        outcome = column(reports, self.table, "o", worth, private=is_private)
        if self.groups is None:
            return outcome, plain(places, groups, "g")
        return outcome, column(reported(generator, self.groups, places), self.groups, "g")


COMPARED = {
    "share, coin flips; groups of 40 and 40 by coin flips": Survey(
        (40, 40), COIN, COIN, (SOME,), HALF
    ),
    "share, coin flips; groups of 25, 25 and 30 by k-ary": Survey(
        (25, 25, 30), COIN, THREE, (SOME,), HALF
    ),
    "share, coin flips; groups of 100 by k-ary, the third differs": Survey(
        (100, 100, 100), COIN, THREE, (SOME, SOME, HALF), HALF
    ),
    "share, forced response; groups of 20 and 100 by forced response": Survey(
        (20, 100), FORCED, FORCED, (SOME,), HALF
    ),
    "mean, non-private; groups of 5 and 30": Survey((5, 30), PLAIN_SCALE, None, (RARE[4],), LOW),
    "mean, k-ary; groups of 10 and 40": Survey((10, 40), FOUR, None, (RARE[4],), HIGH),
    "mean, k-ary; groups of 500 and 500": Survey((500, 500), FOUR, None, (RARE[4],), HIGH),
    "mean, k-ary; groups of 20 and 80, unequal spreads": Survey(
        (20, 80), FOUR, None, (SPREAD, NARROW), HIGH
    ),
}


def compared(name: str) -> Entries:
    """Private groups and means: false alarms of the test, and coverage by the whole analysis."""
    generator, survey = seeded("compared", name), COMPARED[name]
    alarms, held = np.zeros(2), 0
    for place in range(DRAWS):
        draw_other_orders(place)
        outcome, group = survey.draw(generator, False)
        sample = complete_case_sample((outcome, group))
        measure, places = measure_of(outcome, survey.answer), range(group.listed)
        alarms[1] += group_tests(measure, group, sample, places, [(1, 0)]).pairs[0] < 0.05
        if place < COMPARED_DRAWS:
            figure = first_difference(outcome, group, survey.answer)
            p = difference_p_value(figure.value, figure.standard_error, sample.n - 1)
            alarms[0] += p < 0.05
    for _ in range(COMPARED_DRAWS):
        figure = first_difference(*survey.draw(generator, True), survey.answer)
        held += figure.low <= survey.difference <= figure.high
    return [
        name,
        both(alarms[0] / COMPARED_DRAWS, alarms[1] / DRAWS),
        percent(held / COMPARED_DRAWS),
    ]


def first_difference(
    outcome: AnalysisColumn, group: AnalysisColumn, answer: int | None
) -> IntervalEstimate:
    """The second group minus the first; the whole range if one is estimated to be empty."""
    found = compare(outcome, group, answer=answer).differences
    return (
        found[0].figure
        if found
        else IntervalEstimate(
            value=0.0, standard_error=0.0, low=-math.inf, high=math.inf, method=""
        )
    )


@dataclass(frozen=True)
class Design:
    """A sampling design, and how it is related to the answers.

    Attributes
    ----------
    weights : the standard deviation of the logarithm of the weights
    oversampled : whether half of the sample is from 30 % of the people, who give the answer 1.6
        times as often as all
    cluster : the number of people in a cluster; 1 without clusters
    correlation : that of the answers in a cluster
    whole : whether each cluster is in one group
    strata : the number of strata
    """

    weights: float = 0.0
    oversampled: bool = False
    cluster: int = 1
    correlation: float = 0.0
    whole: bool = False
    strata: int = 1

    def draw(
        self,
        generator: np.random.Generator,
        sizes: tuple[int, int],
        table: Randomizer,
        shares: tuple[float, float],
    ) -> tuple[AnalysisColumn, AnalysisColumn, SurveyDesign]:
        """Outcome, group and design of a survey of two groups with these shares of the answer."""
        n = sum(sizes)
        clusters, many = np.arange(n) // self.cluster, -(-n // self.cluster)
        group = np.repeat([0, 1], sizes)
        if not self.whole:
            group = generator.permutation(group)
        chances = np.array(shares)[group]
        weights = generator.lognormal(0, self.weights, n)
        strata = clusters % self.strata
        if self.oversampled:
            strata = (np.arange(n) < n / 2).astype(int)
            weights = weights * np.where(strata, 0.3, 0.7)
            chances = np.where(strata, 1.6 * chances, (1 - 0.3 * 1.6) / 0.7 * chances)
        if self.correlation:
            # In a cluster, the probabilities of both groups are at the same place of their beta
            # distributions.
            total, place = 1 / self.correlation - 1, generator.random((many, 1))
            each = total * np.array(shares)
            chances = scipy.special.betaincinv(each, total - each, place)[clusters, group]
        answers = (generator.random(n) >= chances).astype(int)
        reports = answers if table is PLAIN_SHARE else reported(generator, table, answers)
        outcome = column(reports, table, "o", private=table is not PLAIN_SHARE)
        design = SurveyDesign(
            weights=weights if self.weights or self.oversampled else None,
            strata=strata if self.strata > 1 or self.oversampled else None,
            clusters=clusters if self.cluster > 1 else None,
        )
        return outcome, plain(group, 2, "g"), design


PLAIN_SHARE = Randomizer.identity(2)
DESIGNS = {
    "weights": Design(weights=0.64),
    "weights and strata, related to the answer": Design(weights=0.2, oversampled=True),
    "clusters of 10": Design(cluster=10, correlation=0.05),
    "clusters of 10, in one group each": Design(cluster=10, correlation=0.05, whole=True),
    "clusters of 10, weights, 4 strata": Design(weights=0.5, cluster=10, correlation=0.1, strata=4),
}
DESIGN_SIZES = (180, 20), (960, 40)
# The randomizer and the share of the answer in the first group.
DESIGN_SHARES = (PLAIN_SHARE, 0.02), (PLAIN_SHARE, 0.2), (FORCED, 0.05)
DESIGN_DRAWS, DESIGN_DIFFERENCE = 2_000, 0.1


def clearly_significant_p(counts: SupportingCounts) -> float:
    """`clear_pair_p`, by the normal distribution in large groups also where p is very small."""
    return clear_pair_p(counts, CLEARLY_SIGNIFICANT if counts.n.min() >= MANY else 0.0)


def with_design(name: str, sizes: tuple[int, int]) -> Entries:
    """Two groups of a sample with weights, strata or clusters: false positives and coverage."""
    generator, alarms, held = seeded("design", name, sizes), [], []
    design_tests.equal_pair_p = clearly_significant_p
    for table, share in DESIGN_SHARES:
        counts = np.zeros((2, 2))
        for row, difference in enumerate((0.0, DESIGN_DIFFERENCE)):
            for _ in range(DESIGN_DRAWS):
                shares = share, share + difference
                drawn = DESIGNS[name].draw(generator, sizes, table, shares)
                counts[row] += tests_with_design(*drawn, difference)
        alarms.append(counts[0] / DESIGN_DRAWS)
        held.append(1 - counts[1] / DESIGN_DRAWS)
    return [
        name,
        ", ".join(map(str, sizes)),
        *(both(*each) for each in alarms),
        both(*np.min(held, axis=0)),
    ]


def tests_with_design(
    outcome: AnalysisColumn, group: AnalysisColumn, design: SurveyDesign, difference: float
) -> tuple[bool, bool]:
    """Whether Student's test and today's reject the true difference of two groups.

    For a difference of zero, today's interval contains it exactly if the test does not reject.
    """
    measure, sample = measure_of(outcome, 0), complete_case_sample((outcome, group), design)
    estimates = group_scores(measure, group, sample).estimates(measure, group)
    value, error = float(estimates.values[1] - estimates.values[0]), estimates.difference(1, 0)[2]
    before = difference_p_value(value - difference, error, sample.degrees)
    _, p_values, _ = tests_of_groups(estimates, [(1, 0)], measure, group, sample)
    if not difference:
        return before < 1 - LEVEL, p_values[0] < 1 - LEVEL
    [found] = differences_of(estimates, [(1, 0)], p_values, LEVEL)
    return before < 1 - LEVEL, not found.figure.low <= difference <= found.figure.high


def old_independence_p(joint: JointShares) -> float:
    """The likelihood-ratio test with maximum-likelihood shares."""
    sample, alone, answers = joint.sample, 0.0, []
    came = sample.counts > 0
    chances = chances_of(joint, sample.reports[came])
    together = float(sample.counts[came] @ np.log(likeliest(joint) @ chances))
    for place, each in enumerate(joint.columns):
        tally = np.bincount(sample.reports[:, place], sample.counts, each.chances.shape[1])
        k, seen = len(each.answers), tally > 0
        shares = most_likely(each.chances, tally / tally.sum(), np.full(k, 1 / k))
        alone += float(tally[seen] @ np.log(shares @ each.chances[:, seen]))
        answers.append(k)
    degrees = (answers[0] - 1) * (answers[1] - 1)
    return float(scipy.special.chdtrc(degrees, max(0.0, 2 * (together - alone))))


def related(
    generator: np.random.Generator, table: Randomizer, n: int, relation: float, scale: bool = False
) -> list[AnalysisColumn]:
    """Two questions. A respondent gives the same answer to both with an extra chance `relation`."""
    k = table.answers
    first, second = generator.choice(k, (2, n), p=RARE[k])
    second = np.where(generator.random(n) < relation, first, second)
    worth = np.arange(float(k)) if scale else None
    return [
        column(reported(generator, table, each), table, name, values=worth)
        for each, name in ((first, "a"), (second, "b"))
    ]


TABLES = {"coin flips": COIN, "k-ary": FOUR, "subset selection": SUBSET, "forced response": FORCED}


def independence_p(columns: Sequence[AnalysisColumn]) -> float:
    """The p-value of `score_test`, without the joint shares, which take most of its time."""
    parts = []
    for each in columns:
        used, codes = np.unique(each.reports, return_inverse=True)
        parts.append(ScoredReports(codes, np.asarray(each.scores)[used], False))
    if all(len(part.scores) == 2 for part in parts):
        return clear_pair_p(two_by_two(parts[0].codes, parts[1].codes))
    return pair_test(parts)[2]


def independence(name: str, n: int) -> Entries:
    generator, cells = seeded("independence", name, n), []
    for relation in (0.0, 0.4):
        rejected, draws = np.zeros(2), FEW_DRAWS if relation else DRAWS
        for place in range(draws):
            draw_other_orders(place)
            columns = related(generator, TABLES[name], n, relation)
            rejected[1] += independence_p(columns) < 0.05
            if place < FEW_DRAWS:
                rejected[0] += old_independence_p(joint_shares(columns)) < 0.05
        cells.append(both(rejected[0] / FEW_DRAWS, rejected[1] / draws))
    return [name, f"{n:,}", *cells]


SCALES = {"coin flips": COIN, "k-ary, three levels": THREE, "k-ary, four levels": FOUR}


def correlation(name: str, relation: float) -> Entries:
    """Rejections of both tests of correlation and of the cross-tabulation, and coverage.

    The answers have the same distribution, so their correlation is `relation`.
    """
    generator = seeded("correlation", name, relation)
    rejected, held, refused = np.zeros(4), np.zeros(2), 0
    draws = 2_000 if relation else DRAWS
    for place in range(draws):
        draw_other_orders(place)
        columns = related(generator, SCALES[name], 200, relation, scale=True)
        joint = joint_shares(columns)
        p = covariance_p_value((measure_of(columns[0]), measure_of(columns[1])), joint.sample)
        by_score = independence_p(columns)
        # With two answers each, the score test is the test for trend.
        trend = trend_test(joint)
        rejected[1:] += [
            p is not None and p < 0.05,
            by_score < 0.05,
            (trend.p if trend else by_score) < 0.05,
        ]
        if place >= FEW_DRAWS:
            continue
        try:
            figure = pearson_correlation(columns[0], columns[1]).figure
        except UnanswerableQuestion:
            refused += 1
            continue
        value, error = figure.value, figure.standard_error
        off = value if abs(value) >= 1 else np.arctanh(value) * (1 - value**2)
        old = on_fisher_scale(value, error, joint.sample.n - 1, LEVEL)
        rejected[0] += 2 * scipy.special.stdtr(joint.sample.n - 1, -abs(off) / error) < 0.05
        held += [old.low <= relation <= old.high, figure.low <= relation <= figure.high]
    return [
        name,
        f"{relation:g}",
        both(rejected[0] / FEW_DRAWS, rejected[1] / draws),
        *map(percent, rejected[2:] / draws),
        both(*held / max(1, FEW_DRAWS - refused)),
        percent(refused / FEW_DRAWS),
    ]


ROWS: dict[str, tuple[Callable[..., Entries], list[tuple[object, ...]]]] = {
    "pairs": (enumerated, [(name, sizes) for name in MECHANISMS for sizes in SIZES]),
    "large": (large_pairs, [(name,) for name in MECHANISMS]),
    "four": (four_groups, [(name, sizes) for name in MECHANISMS for sizes in FOUR_SIZES]),
    "private": (compared, [(name,) for name in COMPARED]),
    "designs": (with_design, [(name, sizes) for name in DESIGNS for sizes in DESIGN_SIZES]),
    "tables": (independence, [(name, n) for name in TABLES for n in (200, 1_000)]),
    "scales": (correlation, [(name, relation) for name in SCALES for relation in (0.0, 0.4)]),
}
HEADS = {
    "pairs": (
        "Mechanism",
        "Sizes",
        "False positives",
        "Coverage",
        "Power",
        "Loss of power",
        "Smallest loss",
    ),
    "large": ("Mechanism", "1 %", "5 %", "50 %", "Power, 20 : 30 %", "Coverage"),
    "four": ("Mechanism", "Sizes", "All, 2 %", "Holm, 2 %", "All, 20 %", "Holm, 20 %"),
    "private": ("Comparison", "False positives", "Coverage"),
    "designs": (
        "Design",
        "Sizes",
        "Non-private, 2 %",
        "Non-private, 20 %",
        "Forced response, 5 %",
        "Coverage",
    ),
    "tables": ("Mechanism", "n", "False positives", "Power"),
    "scales": (
        "Mechanism",
        "Correlation",
        "Rejects",
        "Cross-tabulation",
        "Trend",
        "Coverage",
        "Refused",
    ),
}


def measured_row(key: str) -> Entries:
    """The row of a task, as JSON of its kind and arguments."""
    permutations.FIRST_PERMUTATIONS, permutations.PERMUTATIONS = FIRST_ORDERS, ORDERS
    permutations.LARGE_P = CLEAR_P
    kind, arguments = TASKS[key]
    begun = monotonic()
    row = ROWS[kind][0](*arguments)
    print(kind, *row, f"{monotonic() - begun:.0f} s", flush=True)
    return row


TASKS: dict[str, Task] = {
    json.dumps([kind, arguments]): (kind, arguments)
    for kind, (_, each) in ROWS.items()
    for arguments in each
}


def data_name(kind: str) -> str:
    return f"group-tests-{kind}"


def main(arguments: Sequence[str]) -> None:
    """Measure everything, and write the data and the page; with `--page`, only the page."""
    if "--page" not in arguments:
        processes = int(arguments[0]) if arguments else os.cpu_count() or 1
        files = Path(__file__), Path(best_tests.__file__)
        measured = kept_rows(KEPT_ROWS, code_hash(files), measured_row, TASKS, processes)
        for kind, heads in HEADS.items():
            rows = [measured[key] for key, task in TASKS.items() if task[0] == kind]
            write_rows(data_name(kind), [dict(zip(heads, row, strict=True)) for row in rows])
    DOCUMENT.write_text(
        page({kind: read_rows(data_name(kind)) for kind in HEADS}), encoding="utf-8"
    )


def numbers(row: Mapping[str, str], head: str) -> list[float]:
    """The numbers of an entry, before and today."""
    return [float(part) for part in row[head].split(" → ")]


def worst(rows: Sequence[Mapping[str, str]], head: str, least: bool = False) -> str:
    """The largest (or smallest) numbers before and today, each over all rows."""
    choose = min if least else max
    parts = zip(*(numbers(row, head) for row in rows), strict=True)
    return " → ".join(f"{choose(part):.1f}" for part in parts)


def worst_by_size(rows: Sequence[Row], columns: Sequence[tuple[str, bool]]) -> str:
    """The worst entries over all mechanisms, for each sizes of groups."""
    lines = []
    for sizes in dict.fromkeys(row["Sizes"] for row in rows):
        found = [row for row in rows if row["Sizes"] == sizes]
        lines.append([sizes, *(worst(found, head, least) for head, least in columns)])
    return markdown_table(["Sizes", *(head for head, _ in columns)], lines)


def whole_table(rows: Sequence[Row]) -> str:
    return markdown_table(list(rows[0]), [list(row.values()) for row in rows])


def page(rows: Mapping[str, Sequence[Row]]) -> str:
    """The page that these rows of data lead to."""
    pairs = rows["pairs"]
    losses = [float(row["Loss of power"]) for row in pairs if row["Loss of power"] != "–"]
    needless = [
        float(row["Loss of power"]) - float(row["Smallest loss"])
        for row in pairs
        if row["Smallest loss"] != "–"
    ]
    alarms = [worst(rows["large"], head) for head in ("1 %", "5 %", "50 %")]
    both_figures = (("False positives", False), ("Coverage", True))
    return wrapped(
        PAGE.format(
            alarms=worst(pairs, "False positives"),
            coverage=worst(pairs, "Coverage", least=True),
            loss=max(losses),
            needless=f"{max(needless):.1f}",
            draws=f"{DRAWS:,}",
            few=FEW_DRAWS,
            orders=ORDERS,
            compared=COMPARED_DRAWS,
            designed=f"{DESIGN_DRAWS:,}",
            large_alarms=max(float(each.split()[-1]) for each in alarms),
            large_cover=min(numbers(row, "Coverage")[1] for row in rows["large"]),
            pairs=worst_by_size(pairs, both_figures),
            four=worst_by_size(rows["four"], [(head, False) for head in HEADS["four"][2:]]),
            **{
                kind: whole_table(rows[kind]) for kind in ("private", "designs", "tables", "scales")
            },
        )
    )


PAGE = """# Tests between groups

This page compares Candor's tests of groups, independence and correlation with earlier ones, at the
level of 5 %. These were Student's and Wald's tests of groups, the likelihood-ratio test of
independence, and a test of a correlation with the standard error at the estimated correlation. A
false positive is a difference or a relation that a test finds although it does not exist. At most
about 5 % of surveys should have one. The coverage of a 95 % interval should be at least about 95 %.
Power is the share of surveys in which a test finds a difference or a relation that exists.

`.venv/bin/python -m bench.group_tests` repeats the study with fixed seeds, and writes this page and
its data, the files
`group-tests-*.csv` in `docs/evidence/data/`. An interrupted study continues with the next row. All
entries are percentages, such as 40.1 → 5.2: the first is that of the earlier test, the second that
of today's.

## Two groups

The mechanisms report an answer with probability p if it is the true one, and q otherwise. The pairs
are non-private (1, 0), coin flips (0.75, 0.25), a gamma design (0.6, 0.4), k-ary randomised
response (0.4, 0.15), subset selection (0.55, 0.35) and forced response (11/12, 1/12). The true
shares are 1, 2, 5, 10, 20, 30 and 50 %, in all combinations, and all outcomes are enumerated. An
entry is the worst over all mechanisms and shares, for groups of these sizes. Over all sizes, false
positives are {alarms} %, and coverage is {coverage} %.

{pairs}

Where the earlier test had at most 5.5 % false positives, today's loses at most {loss} percentage
points of power. This exceeds the smallest possible loss by at most {needless} points, as a search
shows (`bench/best_tests.py`). The search includes all tests with at most 5.5 % false positives that
still find a difference after one more report increases it. They treat groups of equal size alike,
and both answers if p + q = 1. In two groups of 500, false positives are at most {large_alarms} %
today, and coverage is at least {large_cover} %.

## Four groups

All groups have the same share, 2 % or 20 %. “All” is the test of all groups at once. “Holm” is the
share of surveys in which at least one of the six pairs is significant after Holm's adjustment. An
entry is the worst over all mechanisms, from {draws} simulated surveys with a standard error of 0.3
points near 5 %.

{four}

## Private groups and means

The first two groups have equal shares or means. Today's false positives are from {draws} surveys,
with a standard error of 0.3 points near 5 %. The earlier test's are from {compared}, with one of
1.3 points. The coverage is that of today's interval in {compared} other surveys in which the second
group differs. “By coin flips” means that the group is a private question with this mechanism.

{private}

## Weights, strata and clusters

The shares of an answer in two groups had Student's test before, and have that of an effective
sample size today. False positives are from {designed} surveys in which both groups have the share
in the heading. The coverage is the smallest of the three, from as many surveys in which the share
is 10 points larger in the second group. The standard errors are 0.5 points near 5 %.

“Related to the answer” means that half of the sample is from 30 % of the people, who give the
answer 1.6 times as often as all. All other weights are lognormal, with a design effect of 1.5, or
1.3 with clusters. In a cluster, answers have a correlation of 0.05, or 0.1 with weights.
If whole clusters are in one group, a group of 20 is only two clusters, so its test rejects in less
than 5 % of the surveys.

{designs}

## Independence

Two questions have the same mechanism, and the rarest answer a share of 20 % (two answers) or 5 %
(four). For power, 40 % of the respondents give the same answer to both. Today's false positives are
from {draws} surveys, all others from {few}, with standard errors of 0.3 and up to 2.5 points. The
permutation tests use {orders} orders here instead of 9,999, which lowers their power a little.

{tables}

## Correlation

There are 200 responses to two questions. “Rejects” is how often the test of a correlation rejects
zero, “Cross-tabulation” how often the score test of independence rejects, and “Trend” how often the
test for trend does. With two answers each, all three are the same test. “Refused” is how often
Candor gives no correlation, because an estimated variance is not positive. Today's tests are from
{draws} surveys for a correlation of 0, and 2,000 for 0.4 (standard errors 0.3 and up to 1.1
points), all else from {few}.

{scales}

For scales, the test of correlation finds fewer relations, for two reasons:

* It must not reject if answers depend on each other without a correlation. It uses the only
  unbiased estimate of the covariance, so it is efficient. For large n, no valid test has a power
  above about 13.5 % with three levels and 16.1 % with four. For independence, that is 22.2 and 25.1
  %.
* Unbiased scores do not depend on how rare an answer is, although most reports of a rare answer
  come from people with other answers. The test for trend uses the expected answer given the report.
  With known shares, its power would be 30.5 % with three levels and 27.1 % with four.
"""

if __name__ == "__main__":
    main(sys.argv[1:])
