"""Designs with two groups: published numbers, closed forms, and coverage by enumeration."""

import numpy as np
import pytest
import scipy

from survey.analysis.validity.two_designs import (
    CHEATING,
    LIE_DETECTOR,
    SYMMETRIC,
    UNRELATED,
    two_designs,
)
from survey.core.errors import UnanswerableQuestion


def test_the_published_lie_detector_of_the_minarets_study() -> None:
    """Heck & Moshagen, J. Stat. Softw. 85(2) (2018), section 4.1."""
    found = two_designs(LIE_DETECTOR, (2 / 12, 10 / 12), (373, 398), (564, 692))
    assert found.fit.p == 1
    trait, honest = (each.figure for each in found.shares)
    assert trait.value == pytest.approx(0.870695, abs=5e-7)
    assert trait.standard_error == pytest.approx(0.041118, abs=2e-5)
    assert honest.value == pytest.approx(0.635806, abs=5e-7)
    assert honest.standard_error == pytest.approx(0.017344, abs=2e-5)
    # Both intervals are about 1.96 standard errors on each side.
    assert (trait.low, trait.high) == pytest.approx((0.790, 0.951), abs=0.01)
    assert (honest.low, honest.high) == pytest.approx((0.602, 0.670), abs=0.01)


@pytest.mark.parametrize(
    ("design", "p", "yes", "shares"),
    [
        # 30 % have the trait, and 50 % follow the rule, which demands yes of 20 and 60 % of them.
        (CHEATING, (0.2, 0.6), (400, 600), (0.3, 0.5, 0.2)),
        # The rule demands no of 10 and 20 % of the 40 %, and yes of 20 and 60 % of the 50 %.
        (SYMMETRIC, (0.2, 0.1, 0.6, 0.2), (460, 620), (0.4, 0.5, 0.1)),
        # 20 % have the trait, which 70 and 30 % are asked for, and 60 % the unrelated one.
        (UNRELATED, (0.7, 0.3), (320, 480), (0.2, 0.6)),
        # 90 % have the trait, and half of them say so. Of the others, 80 and 40 % say yes.
        (LIE_DETECTOR, (0.2, 0.6), (530, 490), (0.9, 0.5)),
    ],
)
def test_exact_counts_give_the_true_shares(design, p, yes, shares) -> None:
    found = two_designs(design, p, yes, (1000, 1000))
    assert found.fit.p == 1
    assert [each.figure.value for each in found.shares] == pytest.approx(shares)
    for each in found.shares:
        assert each.figure.low < each.figure.value < each.figure.high


def chances_of_yes(design, p, shares) -> list[float]:
    trait, other = shares[:2]
    if design == LIE_DETECTOR:
        return [trait * other + (1 - trait) * (1 - each) for each in p]
    if design == CHEATING:
        return [trait + other * each for each in p]
    if design == UNRELATED:
        return [each * trait + (1 - each) * other for each in p]
    return [trait * (1 - p[1]) + other * p[0], trait * (1 - p[3]) + other * p[2]]


@pytest.mark.parametrize("n", [10, 30])
@pytest.mark.parametrize(
    ("design", "p", "shares"),
    [
        (LIE_DETECTOR, (2 / 12, 10 / 12), (0.1, 0.8)),
        (LIE_DETECTOR, (2 / 12, 10 / 12), (0.5, 0.5)),
        (CHEATING, (0.25, 0.75), (0.1, 0.8, 0.1)),
        (CHEATING, (0.25, 0.75), (0.02, 0.5, 0.48)),
        (SYMMETRIC, (0.2, 0.1, 0.6, 0.2), (0.3, 0.6, 0.1)),
        (UNRELATED, (0.7, 0.3), (0.05, 0.5)),
    ],
)
def test_the_intervals_cover_by_enumeration(design, p, shares, n) -> None:
    """All counts of both groups."""
    first, second = (
        scipy.stats.binom.pmf(range(n + 1), n, each) for each in chances_of_yes(design, p, shares)
    )
    covered = [0.0] * len(shares)
    for one in range(n + 1):
        for two in range(n + 1):
            weight = float(first[one] * second[two])
            if weight < 1e-6:
                covered = [each + weight for each in covered]
                continue
            shares_found = two_designs(design, p, (one, two), (n, n)).shares
            found = [each.figure for each in shares_found]
            for place, true in enumerate(shares):
                # Nothing is claimed about honesty if nobody is estimated to have the trait.
                known = place < len(found)
                if not known or found[place].low - 1e-9 <= true <= found[place].high + 1e-9:
                    covered[place] += weight
    assert min(covered) >= 0.94, covered


def test_swapped_probabilities_do_not_fit_the_minarets_study() -> None:
    found = two_designs(LIE_DETECTOR, (10 / 12, 2 / 12), (373, 398), (564, 692))
    assert found.shares[0].figure.value == pytest.approx(1.129, abs=5e-4)
    # 373 of 564 and 398 of 692 reports have a difference of 3.1 standard errors, in one of 3 tests.
    assert found.fit.p == pytest.approx(0.003, abs=0.001)
    assert not found.fit.fits


@pytest.mark.parametrize(
    ("design", "p"),
    [
        (LIE_DETECTOR, (2 / 12, 10 / 12)),
        (CHEATING, (0.25, 0.75)),
        (SYMMETRIC, (0.2, 0.1, 0.6, 0.2)),
        (UNRELATED, (0.7, 0.3)),
    ],
)
def test_reports_of_the_design_seldom_contradict_it(design, p) -> None:
    """All counts of groups of 10 and 20, at the edges of what the design allows."""
    n, share = (10, 20), 0.5
    corners = [(0, 0), (0, 1), (1, 1), (1, 0)] if design == UNRELATED else [(0, 0), (0, 1), (1, 0)]
    alarms = np.array(
        [
            [two_designs(design, p, (one, two), n).fit.p <= 0.05 for two in range(n[1] + 1)]
            for one in range(n[0] + 1)
        ]
    )
    assert alarms.any()
    for place, corner in enumerate(corners):
        middle = [share * (a + b) for a, b in zip(corner, corners[place - 1], strict=True)]
        for shares in (corner, middle):
            one, other = (
                scipy.stats.binom.pmf(range(size + 1), size, min(1.0, chance))
                for size, chance in zip(
                    n, chances_of_yes(design, p, shares_of(design, shares)), strict=True
                )
            )
            assert one @ alarms @ other <= 0.05


def shares_of(design, x) -> tuple[float, float]:
    """The two unknown shares as `chances_of_yes` has them."""
    if design != LIE_DETECTOR:
        return x
    said, without = x
    return 1 - without, said / (1 - without) if without < 1 else 0.0


@pytest.mark.parametrize(
    ("design", "p", "n", "message"),
    [
        (CHEATING, (0.5, 0.5), (100, 100), "different probabilities"),
        (CHEATING, (0.5,), (100, 100), "needs 2 probabilities"),
        (SYMMETRIC, (0.5, 0.2), (100, 100), "needs 4 probabilities"),
        (SYMMETRIC, (0.7, 0.5, 0.1, 0.1), (100, 100), "from 0 to 1"),
        (UNRELATED, (1.5, 0.3), (100, 100), "from 0 to 1"),
        (UNRELATED, (0.7, 0.3), (100, 4), "too few responses (4)"),
    ],
)
def test_impossible_designs_are_refused(design, p, n, message) -> None:
    with pytest.raises(UnanswerableQuestion) as refusal:
        two_designs(design, p, (3, 3), n)
    assert message in str(refusal.value)
