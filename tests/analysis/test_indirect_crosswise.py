"""The crosswise model: published numbers, independent likelihoods, and coverage by enumeration."""

import itertools
import math

import numpy as np
import pytest
import scipy

from survey.analysis.indirect.crosswise import (
    SIGNS,
    anchored_crosswise,
    crosswise_share,
    instruction_test,
    score_statistics,
)
from survey.core.errors import UnanswerableQuestion
from survey.estimation.mean_intervals import student_quantile

# The data of the examples in the documentation of the R package cWise (Atsusaka & Stevenson):
# (same, same), (same, different), (different, same), (different, different), both with p = 0.15.
CMDATA = np.array([1116.0, 311.0, 425.0, 148.0])


def test_the_documented_example_of_cwise() -> None:
    """Its README prints all figures with four digits. Its standard error of the corrected share is
    that of 200 bootstrap samples, so it has a random error of 5 %."""
    found = anchored_crosswise(CMDATA, 0.15, 0.15)
    assert found.attentive is not None
    assert found.corrected is not None
    assert found.uncorrected.value == pytest.approx(0.1950, abs=5e-5)
    assert found.uncorrected.standard_error == pytest.approx(0.0144, abs=1e-4)
    assert (found.uncorrected.low, found.uncorrected.high) == pytest.approx(
        (0.1667, 0.2233), abs=1e-3
    )
    assert found.attentive.value == pytest.approx(0.7729, abs=5e-5)
    assert found.corrected.value == pytest.approx(0.1054, abs=5e-5)
    assert found.corrected.standard_error == pytest.approx(0.0208, rel=0.15)
    assert (found.corrected.low, found.corrected.high) == pytest.approx((0.0649, 0.1394), abs=0.01)


@pytest.mark.parametrize("anchor_share", [0.0, 0.1, 1.0])
@pytest.mark.parametrize(("known", "anchor_known"), [(0.15, 0.25), (0.8, 1 / 6)])
def test_exact_counts_give_the_true_shares(known, anchor_known, anchor_share) -> None:
    trait, attentive, n = 0.2, 0.7, 10**7
    counts = n * chances(known, anchor_known, trait, attentive, anchor_share)
    found = anchored_crosswise(np.round(counts), known, anchor_known, anchor_share)
    assert found.attentive is not None
    assert found.corrected is not None
    assert found.attentive.value == pytest.approx(attentive, abs=1e-5)
    assert found.corrected.value == pytest.approx(trait, abs=1e-5)


def chances(known, anchor_known, trait, attentive, anchor_share=0.0):
    """Of the four combinations of answers."""
    same = known * trait + (1 - known) * (1 - trait)
    anchor = anchor_known * anchor_share + (1 - anchor_known) * (1 - anchor_share)
    careful = np.outer([same, 1 - same], [anchor, 1 - anchor]).reshape(-1)
    return attentive * careful + (1 - attentive) / 4


def test_the_standard_error_is_that_of_the_delta_method() -> None:
    """Numerical derivatives of equations 2 to 4 of Atsusaka & Stevenson (2023), and the covariance
    of multinomial shares with n - 1."""

    def bias_corrected(shares):
        same, anchor = shares[0] + shares[1], shares[0] + shares[2]
        naive = (same + 0.15 - 1) / (2 * 0.15 - 1)
        attentive = (anchor - 0.5) / (0.5 - 0.15)
        ratio = (same - 0.5) / (0.15 - 0.5)
        return naive - (ratio / 2 - ratio / (2 * attentive))

    shares = CMDATA / CMDATA.sum()
    step = 1e-6
    gradient = np.array(
        [
            (bias_corrected(shares + step * unit) - bias_corrected(shares - step * unit))
            / (2 * step)
            for unit in np.eye(4)
        ]
    )
    covariance = (np.diag(shares) - np.outer(shares, shares)) / (CMDATA.sum() - 1)
    found = anchored_crosswise(CMDATA, 0.15, 0.15)
    assert found.corrected is not None
    assert found.corrected.value == pytest.approx(bias_corrected(shares), abs=1e-12)
    assert found.corrected.standard_error == pytest.approx(
        math.sqrt(gradient @ covariance @ gradient), rel=1e-6
    )


@pytest.mark.parametrize(
    "counts", [[12, 4, 3, 1], [19, 1, 0, 0], [15, 5, 0, 0], [9, 0, 9, 2], [10, 10, 10, 10]]
)
@pytest.mark.parametrize("trait", [0.0, 0.1, 0.45, 0.9])
def test_the_score_statistic_of_an_independent_likelihood(counts, trait) -> None:
    """A general optimiser maximises the likelihood of four probabilities with the mean zero."""
    values = SIGNS[:, 0] / (2 * 0.2 - 1) - (2 * trait - 1) * SIGNS[:, 1] / (1 - 2 * 0.25)
    n = sum(counts)
    observed = np.array(counts, dtype=np.float64)

    def minus_log_likelihood(shares):
        return -scipy.special.xlogy(observed, np.maximum(shares, 1e-300)).sum()

    best = min(
        (
            scipy.optimize.minimize(
                minus_log_likelihood,
                start,
                bounds=[(0, 1)] * 4,
                constraints=[
                    {"type": "eq", "fun": lambda shares: shares.sum() - 1},
                    {"type": "eq", "fun": lambda shares: shares @ values},
                ],
                options={"ftol": 1e-14, "maxiter": 1000},
            )
            for start in (np.full(4, 0.25), (observed + 1) / (n + 4))
        ),
        key=lambda each: each.fun,
    )
    expected = math.sqrt(n) * (observed @ values / n) / math.sqrt(best.x @ values**2)
    (statistic,) = score_statistics(observed, values[None, :])
    assert statistic == pytest.approx(expected, abs=2e-5)


def coverage_by_enumeration(n, known, trait, attentive) -> float:
    """The probability of all outcomes whose score test accepts the true share."""
    outcomes = np.array(
        [
            (one, two, three, n - one - two - three)
            for one, two, three in itertools.product(range(n + 1), repeat=3)
            if one + two + three <= n
        ],
        dtype=np.float64,
    )
    values = SIGNS[:, 0] / (2 * known - 1) - (2 * trait - 1) * SIGNS[:, 1] / (1 - 2 * known)
    statistics = score_statistics(outcomes, np.tile(values, (len(outcomes), 1)))
    accepted = np.abs(statistics) <= student_quantile(n - 1, 0.95)
    weights = scipy.stats.multinomial.pmf(outcomes, n, chances(known, known, trait, attentive))
    return float(weights[accepted].sum())


def test_the_corrected_interval_covers_by_enumeration() -> None:
    """All 1,771 outcomes of 20 respondents. The interval has at least the accepted shares."""
    assert coverage_by_enumeration(20, 1 / 6, 0.1, 0.8) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("known", [0.1, 1 / 6, 0.25])
@pytest.mark.parametrize("trait", [0.0, 0.02, 0.1, 0.3, 0.5, 0.8])
def test_the_corrected_interval_covers_in_many_cases(known, trait) -> None:
    covered = [coverage_by_enumeration(20, known, trait, each) for each in (0.3, 0.6, 1.0)]
    assert min(covered) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200, 500, 2000])
def test_the_corrected_interval_covers_by_simulation(n) -> None:
    """20,000 samples in each of 36 cases. The standard error of a coverage of 0.95 is 0.0015, so
    the smallest of 36 is below 0.944 by chance in one of 1,000 runs. A coverage below 0.94 would be
    seen."""
    generator = np.random.default_rng(20231)
    quantile = student_quantile(n - 1, 0.95)
    covered = []
    for known, trait, attentive in itertools.product(
        (0.1, 1 / 6, 0.25), (0.0, 0.05, 0.2, 0.5), (0.5, 0.8, 1.0)
    ):
        outcomes = generator.multinomial(n, chances(known, known, trait, attentive), 20_000)
        values = SIGNS[:, 0] / (2 * known - 1) - (2 * trait - 1) * SIGNS[:, 1] / (1 - 2 * known)
        statistics = score_statistics(outcomes.astype(np.float64), np.tile(values, (20_000, 1)))
        covered.append(float((np.abs(statistics) <= quantile).mean()))
    assert min(covered) >= 0.94
    assert max(covered) <= 0.985


def test_the_interval_ends_where_the_test_rejects() -> None:
    found = anchored_crosswise(np.array([30.0, 8.0, 10.0, 2.0]), 0.2, 0.25).corrected
    assert found is not None
    counts = np.array([30.0, 8.0, 10.0, 2.0])
    quantile = student_quantile(49, 0.95)
    for end, outside in ((found.low, -1e-6), (found.high, 1e-6)):
        if 0 < end < 1:
            values = [
                SIGNS[:, 0] / (2 * 0.2 - 1) - (2 * share - 1) * SIGNS[:, 1] / (1 - 2 * 0.25)
                for share in (end - outside, end + outside)
            ]
            inner, outer = np.abs(score_statistics(counts, np.array(values)))
            assert inner < quantile < outer
    assert 0 < found.high < 1


def test_no_correction_if_everybody_may_be_inattentive() -> None:
    found = anchored_crosswise(np.array([5.0, 5.0, 5.0, 5.0]), 0.2, 0.2)
    assert found.attentive is not None
    assert (found.attentive.value, found.attentive.low) == (0.0, 0.0)
    assert found.corrected is None


def test_agreement_of_everybody_gives_an_interval_not_a_point() -> None:
    found = anchored_crosswise(np.array([20.0, 0.0, 0.0, 0.0]), 0.15, 0.15)
    assert found.corrected is not None
    assert found.corrected.value == 0
    assert found.corrected.low == 0
    assert 0.1 < found.corrected.high < 0.3


@pytest.mark.parametrize(("plagiarism", "share"), [(198, 0.222581), (230, 0.016129)])
def test_published_crosswise_shares(plagiarism, share) -> None:
    """Jann, Jerke & Krumpal, Public Opinion Quarterly 76 (2012) 32: 310 students, p = 1/4."""
    assert crosswise_share(plagiarism, 310, 0.25).value == pytest.approx(share, abs=5e-7)


def test_the_instruction_test_finds_people_who_prefer_an_answer() -> None:
    """Of 1,000 respondents in each group, 20 % have the trait and p is 0.15: 71 % and 29 % say
    "same". If also a fifth of all say "different" whatever is true, it is 56.8 and 23.2 %."""
    assert instruction_test((710, 290), (1000, 1000), 0.15).p > 0.9
    assert instruction_test((568, 232), (1000, 1000), 0.15).p < 1e-6


def test_the_instruction_test_is_blind_to_random_answers() -> None:
    """Half of all respondents answer at random: 60.5 and 39.5 % say "same"."""
    assert instruction_test((605, 395), (1000, 1000), 0.15).p > 0.9


@pytest.mark.parametrize(
    ("n", "trait"), [(10, 0.1), pytest.param(20, 0.0, marks=pytest.mark.slow),
                     pytest.param(40, 0.1, marks=pytest.mark.slow)],
)  # fmt: skip
def test_the_instruction_test_keeps_its_level_by_enumeration(n, trait) -> None:
    known = 1 / 6
    same = known * trait + (1 - known) * (1 - trait)
    one, two = (scipy.stats.binom.pmf(range(n + 1), n, each) for each in (same, 1 - same))
    rejected = sum(
        one[a] * two[b]
        for a in range(n + 1)
        for b in range(n + 1)
        if one[a] * two[b] > 1e-9 and instruction_test((a, b), (n, n), known).p <= 0.05
    )
    assert rejected <= 0.055


@pytest.mark.parametrize("known", [0.0, 0.5, 1.0, -0.1])
def test_known_shares_without_information_are_refused(known) -> None:
    with pytest.raises(UnanswerableQuestion, match="known share"):
        crosswise_share(10, 20, known)
    with pytest.raises(UnanswerableQuestion, match="known share"):
        anchored_crosswise(CMDATA, 0.15, known)


def test_an_anchor_of_one_half_is_refused() -> None:
    with pytest.raises(UnanswerableQuestion, match="anchor statement"):
        anchored_crosswise(CMDATA, 0.15, 0.15, 0.5)


def test_too_few_respondents_are_refused() -> None:
    with pytest.raises(UnanswerableQuestion, match="too few"):
        crosswise_share(2, 4, 0.25)
    with pytest.raises(UnanswerableQuestion, match="too few"):
        instruction_test((2, 10), (4, 20), 0.25)
