"""The numbers of "Before and after", against sums over all outcomes."""

import itertools
import math

import pytest

from survey.core.mechanisms.registry import ratio_bound_not_above
from survey.learn.attacks.attempt import guess_bound
from survey.learn.controls import read_values
from survey.learn.lessons.before_and_after import (
    NEW,
    SAME,
    BeforeAndAfter,
    change_chance,
    reports_differ,
    right_with_batch,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each("epsilon", [0.1, math.log(3), 2.5, 4.0])
def test_the_guess_from_a_noisy_wall_is_the_sum_over_all_numbers(epsilon):
    a = math.exp(-epsilon)
    right = 0.0
    for count in range(-600, 800):
        chances = [(1 - a) / (1 + a) * a ** abs(count - truth) for truth in (100, 101)]
        right += max(chances) / 2
    assert guess_bound(math.exp(epsilon)) == pytest.approx(right)


@check_each(("size", "p"), [(1, 0.75), (2, 0.75), (3, 0.6), (4, 0.9)])
def test_the_guess_from_a_batch_is_the_sum_over_all_answers_and_reports(size, p):
    right = 0.0
    for others in itertools.product((0, 1), repeat=size - 1):
        chances = {}
        for answer in (0, 1):
            for reports in itertools.product((0, 1), repeat=size):
                chance = math.prod(
                    p if report == truth else 1 - p
                    for report, truth in zip(reports, (*others, answer), strict=True)
                )
                key = (answer, sum(reports))
                chances[key] = chances.get(key, 0.0) + chance
        right += sum(max(chances[0, yes], chances[1, yes]) for yes in range(size + 1)) / 2
    assert right_with_batch(size, p) == pytest.approx(right / 2 ** (size - 1))


def test_a_batch_of_one_shows_the_report_and_larger_ones_hide_it():
    shares = [right_with_batch(size, 0.75) for size in (1, 5, 10, 25)]
    assert shares[0] == pytest.approx(0.75)
    assert shares == sorted(shares, reverse=True)


@check_each("p", [0.55, 0.75, 0.95])
def test_two_reports_by_all_outcomes(p):
    keep = {True: p, False: 1 - p}
    for method in (SAME, NEW):
        for share in (0.01, 0.1, 0.5):
            joint = {}
            for changed in (True, False):
                before = share if changed else 1 - share
                for first, second in itertools.product((True, False), repeat=2):
                    if changed or method == NEW:
                        chance = keep[first] * keep[second]
                    else:
                        chance = keep[first] if first == second else 0.0
                    # After a change, two reports that are both the answer differ.
                    differ = (first == second) == changed
                    key = (changed, differ)
                    joint[key] = joint.get(key, 0.0) + before * chance
            for differ in (True, False):
                total = joint[True, differ] + joint[False, differ]
                after = change_chance(share, p, method, differ)
                assert after == pytest.approx(joint[True, differ] / total)
            assert reports_differ(p, True, method) == pytest.approx(joint[True, True] / share)
            assert reports_differ(p, False, method) == pytest.approx(
                joint[False, True] / (1 - share)
            )


def test_two_coins_differ_after_a_change_as_the_page_on_waves_says():
    assert reports_differ(0.75, True, SAME) == 5 / 8
    assert change_chance(0.1, 0.75, SAME, differ=True) == 1
    assert change_chance(0.1, 0.75, NEW, differ=True) == pytest.approx(0.15625)


def test_the_direction_has_ratio_bound_of_two_epsilon():
    """Pr(No then Yes | reports No, Yes) with both directions equally likely."""
    values = read_values(BeforeAndAfter.controls, {"epsilon": "1.1"})
    direction = BeforeAndAfter().show(values).numbers["direction"]
    p = guess_bound(float(ratio_bound_not_above(1.1)))
    assert direction == pytest.approx(p * p / (p * p + (1 - p) ** 2))
    assert direction == pytest.approx(0.9)


def test_a_change_is_called_proven_only_if_reports_repeat():
    said = {}
    for method in (SAME, NEW):
        values = read_values(BeforeAndAfter.controls, {"method": method})
        said[method] = BeforeAndAfter().show(values).more["vegetables"]
    assert "prove" in said[SAME]
    assert "no proof" in said[NEW]


def test_the_stories_of_the_texts_are_told(client):
    page = client.get("/learn/before-and-after?language=en").get_data(as_text=True)
    for word in ("the wall says 101", "Suddenly vegetables", "refusal itself"):
        assert word in page
