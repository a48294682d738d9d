"""Reports that do not follow the design, and bounds of the true share."""

import math

import numpy as np
import pytest

from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.validity.noncompliance import (
    AT_RANDOM,
    NoncomplianceEstimate,
    bounds_with_inputs,
    denials,
    deviants,
    true_share_bounds,
)
from survey.core.errors import UnanswerableQuestion
from tests.support.analysed import THREE

pytestmark = pytest.mark.fast


def forced(q: float) -> list[list[float]]:
    """Forced response: people with the trait say yes, the others with probability q."""
    return [[1, 0], [q, 1 - q]]


def test_no_sayers_are_those_of_clark_and_desharnais():
    one, other, q1, q2 = (200, 300), (330, 270), 0.2, 0.8
    found = deviants((one, forced(q1)), (other, forced(q2)))
    l1, l2 = 200 / 500, 330 / 600
    assert found.honest_yes.value == pytest.approx((q2 * l1 - q1 * l2) / (q2 - q1), abs=1e-12)
    assert found.honest_no.value == pytest.approx((l2 - l1) / (q2 - q1), abs=1e-12)
    total = found.honest_yes.value + found.honest_no.value + found.deviating.value
    assert total == pytest.approx(1, abs=1e-12)
    v1, v2 = l1 * (1 - l1) / 499, l2 * (1 - l2) / 599
    spread = (q2**2 * v1 + q1**2 * v2) / (q2 - q1) ** 2
    assert found.honest_yes.standard_error == pytest.approx(math.sqrt(spread), abs=1e-12)
    cheats = ((1 - q2) ** 2 * v1 + (1 - q1) ** 2 * v2) / (q2 - q1) ** 2
    assert found.deviating.standard_error == pytest.approx(math.sqrt(cheats), abs=1e-12)
    z = found.deviating.value / math.sqrt(cheats)
    assert found.p == pytest.approx(math.erfc(z / math.sqrt(2)) / 2, rel=1e-6)


def test_random_reports_are_told_by_two_forced_designs():
    """Exactly the expected counts of 25 % who toss a coin and 30 % yes among the others."""
    tables = [forced(0.1), forced(0.6)]
    groups = []
    for table in tables:
        honest_yes, honest_no = 0.75 * 0.3, 0.75 * 0.7
        yes = honest_yes * table[0][0] + honest_no * table[1][0] + 0.25 / 2
        groups.append(((round(yes * 400_000), 400_000 - round(yes * 400_000)), table))
    found = deviants(*groups, says=AT_RANDOM)
    assert found.honest_yes.value == pytest.approx(0.225, abs=1e-5)
    assert found.honest_no.value == pytest.approx(0.525, abs=1e-5)
    assert found.deviating.value == pytest.approx(0.25, abs=1e-5)


def test_deviants_intervals_hold_them():
    """1,000 surveys of 2 x 400 with 15 % who always say no.

    A rate of 95 % is outside 93.3 to 96.7 % once in 70 runs.
    """
    generator = np.random.default_rng(5)
    held, values = 0, []
    for _ in range(1000):
        groups = []
        for q in (0.25, 0.75):
            yes = int(generator.binomial(400, 0.2 + 0.65 * q))
            groups.append(((yes, 400 - yes), forced(q)))
        found = deviants(*groups)
        held += found.deviating.low <= 0.15 <= found.deviating.high
        values.append(found.deviating.value)
    assert 0.933 <= held / 1000 <= 0.967
    assert abs(np.mean(values) - 0.15) < 3 * np.std(values) / math.sqrt(1000)


@pytest.mark.parametrize(
    ("first", "second", "says", "said"),
    [
        (((5, 5), forced(0.2)), ((5, 5), forced(0.2)), 0.0, "give the same information"),
        # Symmetric coins cannot detect random answers, whatever their probabilities.
        (
            ((5, 5), [[3, 1], [1, 3]]),
            ((5, 5), [[4, 1], [1, 4]]),
            AT_RANDOM,
            "give the same information",
        ),
        (((1, 0), forced(0.2)), ((5, 5), forced(0.8)), 0.0, r"A group has too few responses \(1\)"),
        (((5, 5, 5), forced(0.2)), ((5, 5), forced(0.8)), 0.0, "two-by-two"),
        (((5, 5), [[1, 0]]), ((5, 5), forced(0.8)), 0.0, "two-by-two"),
    ],
)
def test_designs_that_cannot_tell_are_refused(first, second, says, said):
    with pytest.raises(UnanswerableQuestion, match=said):
        deviants(first, second, says)


def test_everyone_reporting_the_same_has_no_test():
    found = deviants(((0, 50), forced(0.2)), ((0, 50), forced(0.8)))
    assert found.deviating.value == pytest.approx(1)
    assert found.p is None


@pytest.mark.parametrize(
    ("other", "outside"), [((330, 270), False), ((600, 0), True), ((100, 500), True)]
)
def test_shares_that_cannot_be_say_so(other, outside):
    found = deviants(((200, 300), forced(0.2)), (other, forced(0.8)))
    assert ("A true share cannot be below 0 or above 100 %" in found.sentence) is outside


def test_a_share_that_may_be_anything_is_unknown_in_the_sentence_too():
    some, none = (
        IntervalEstimate(value=0.1, standard_error=0.02, low=0.06, high=0.14, method=""),
        IntervalEstimate(value=0.7, standard_error=0.9, low=0.0, high=1.0, method=""),
    )
    found = NoncomplianceEstimate(honest_yes=some, honest_no=none, deviating=some, p=0.2, n=(9, 9))
    assert found.sentence.startswith(
        "Of all respondents, an estimated 10.0 % (6.0 % to 14.0 %) did"
    )
    assert "and an unknown share (0 % to 100 %) with the answer No." in found.sentence


SAID = IntervalEstimate(value=0.2, standard_error=0.02, low=0.16, high=0.24, method="by hand")


def said_of(true: float, denied: float, false: float, random: float) -> float:
    return (1 - random) * (true * (1 - denied) + (1 - true) * false) + random / 2


def test_without_errors_the_bounds_are_the_interval():
    assert true_share_bounds(SAID) == pytest.approx((0.16, 0.24), abs=1e-12)


@pytest.mark.parametrize("denied", [0.0, 0.3])
@pytest.mark.parametrize("false", [0.0, 0.1])
@pytest.mark.parametrize("random", [0.0, 0.15])
def test_the_bounds_are_attained_and_hold_every_error_within_them(denied, false, random):
    low, high = true_share_bounds(SAID, denied, false, random)
    steps = np.linspace(0, 1, 11)
    # All errors up to the bounds, and every reported share within the interval.
    possible = [
        ((end - r / 2) / (1 - r) - f) / (1 - d - f)
        for end in (SAID.low, SAID.high)
        for d in denied * steps for f in false * steps for r in random * steps
    ]  # fmt: skip
    possible = [true for true in possible if 0 <= true <= 1]
    assert min(possible) >= low - 1e-12
    assert max(possible) <= high + 1e-12
    for true in possible[::50]:
        assert low - 1e-12 <= true <= high + 1e-12
    assert said_of(high, denied, 0, 0) == pytest.approx(SAID.high, abs=1e-12)


@pytest.mark.parametrize("wrong", [{"denied": -0.1}, {"denied": 0.6, "false": 0.4}, {"random": 1}])
def test_errors_out_of_range_are_refused(wrong):
    with pytest.raises(UnanswerableQuestion, match="at least 0 and below 1"):
        true_share_bounds(SAID, **wrong)


def test_a_share_moves_with_the_part_who_denied_it():
    moved = denials(bounds_with_inputs(SAID, 0.3, 0.1))
    assert [each.denied for each in moved] == pytest.approx([n / 100 for n in range(51)])
    assert moved[0].estimate == SAID.value
    assert moved[50].estimate == pytest.approx(0.4)
    assert (moved[30].low, moved[30].high) == true_share_bounds(SAID, 0.3, 0.1)
    # 0.6 and 0.4 are all of them. Of 80 % who reported it, no quarter can have denied it.
    assert len(denials(bounds_with_inputs(SAID, 0.1, 0.6), most=0.9)) == 40
    assert (
        denials(
            bounds_with_inputs(
                IntervalEstimate(value=0.8, standard_error=0.01, low=0.78, high=0.82, method="")
            )
        )[21].estimate
        is None
    )


def test_three_answers_share_the_random_ones():
    low, high = true_share_bounds(
        IntervalEstimate(value=1 / 3, standard_error=0.0, low=1 / 3, high=1 / 3, method=""),
        random=0.5,
        answers=THREE.answers,
    )
    assert (low, high) == pytest.approx((1 / 3, 1 / 3))
