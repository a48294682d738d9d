"""Counts of random subsets: least squares, and votes, against closed forms and enumeration."""

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest

from survey.learn.attacks.attempt import guess_bound
from survey.learn.attacks.random_subsets import (
    ALPHAS,
    guess_each,
    majority_share,
    rebuild_by_least_squares,
)
from survey.learn.attacks.registry import run_attack
from tests.learn.attempts import tried

pytestmark = pytest.mark.fast


def test_least_squares_are_right_as_often_as_their_error_says():
    """A fit is off by a normal error with the variance of the formula σ² (AᵀA)⁻¹.

    The fits of 960 people are nearly independent, and 4.5 standard errors fail by chance once in
    150,000 times. One more right guess is allowed for shares near 1.
    """
    generator = np.random.default_rng(9)
    for error in (4, 8, 16, 31):
        right, expected = 0.0, 0.0
        for _ in range(4):
            truth = generator.integers(0, 2, 240)
            subsets = generator.integers(0, 2, (960, 240)).astype(float)
            counts = subsets @ truth + generator.integers(-error, error + 1, 960)
            right += float(np.mean(rebuild_by_least_squares(subsets, counts) == truth)) / 4
            spreads = np.sqrt(np.diag(np.linalg.inv(subsets.T @ subsets)) * error * (error + 1) / 3)
            normal = NormalDist()
            expected += float(np.mean([normal.cdf(0.5 / each) for each in spreads])) / 4
        chance = math.sqrt(expected * (1 - expected) / 960)
        assert abs(right - expected) < 4.5 * chance + 1 / 960
        # The theorem: a share of O(α²) is wrong. Here it is below 2 α².
        assert 1 - right < 2 * error**2 / 240


def test_without_errors_every_answer_is_rebuilt():
    for people in (60, 120, 240):
        assert run_attack("random-subsets", people, 1.1, 0, 3).raw == people


def test_the_number_of_people_hardly_matters_at_the_same_alpha():
    """A constant share is wrong at the same α, for each n: O(α² n) answers, and not O(α²).

    With exact errors α√n, a fit is off by a variance of about 4α²/9. Whole errors and small n
    change this a little. The largest standard error is 1.6 points (α = 1/2, 240 answers), so 5
    points fail by chance in 0.2 % of cases.
    """
    found = tried("random-subsets", 1.1, people=240)
    assert {size for size, _ in found[0].sizes} == {60, 120}
    shares = {240: [[step.raw for step in each.steps] for each in found]}
    for place in (0, 1):
        shares[found[0].sizes[place][0]] = [list(each.sizes[place][1]) for each in found]
    for place, alpha in enumerate(ALPHAS[:3]):
        for size, several in shares.items():
            share = float(np.mean([each[place] for each in several]))
            expected = NormalDist().cdf(0.75 / alpha) if alpha else 1
            assert abs(share - expected) < 0.05, (alpha, size)
            assert 1 - share <= 2 * alpha**2
    # At α = 1/2 the number of wrong answers is about 6.7 % of n, so it grows with n.
    wrong = {
        size: sum((1 - each[ALPHAS.index(0.5)]) * size for each in several)
        for size, several in shares.items()
    }
    assert wrong[60] < wrong[120] < wrong[240]


def test_the_noise_of_the_releases_shares_epsilon():
    """An answer more changes each of the 4n counts by at most 1, so 4n/ε is the scale for ε."""
    found = run_attack("random-subsets", 60, 1.1, 2, 1)
    assert found.more["queries"] == 240
    assert found.bound < guess_bound(math.exp(1.1))
    assert found.more["wrong"] == 60 - found.raw
    assert found.more["share"] == pytest.approx(found.more["wrong"] / 60)


def test_a_noisy_count_says_no_more_than_a_vote():
    """The ratio of its probabilities has two values: e^(1/s) from 1 on, and e^(−1/s) up to 0."""
    a = math.exp(-1 / 7)
    for value in range(-40, 41):
        ratio = a ** abs(value - 1) / a ** abs(value)
        assert ratio == pytest.approx(1 / a if value >= 1 else a)
    yes = sum((1 - a) / (1 + a) * a ** abs(value - 1) for value in range(1, 2_000))
    assert yes / (1 - yes) == pytest.approx(math.exp(1 / 7))


def test_the_majority_of_votes_by_all_outcomes():
    for votes in range(1, 8):
        for odds in (1.05, 3.0):
            p = odds / (1 + odds)
            right = 0.0
            for each in itertools.product((0, 1), repeat=votes):
                chance = math.prod(p if vote else 1 - p for vote in each)
                right += chance * (0.5 if 2 * sum(each) == votes else 2 * sum(each) > votes)
            assert majority_share(votes, odds) == pytest.approx(right)
            # No guess is better: the sum of the larger probabilities of each outcome.
            best = sum(
                max(
                    math.prod(p if vote else 1 - p for vote in each),
                    math.prod(1 - p if vote else p for vote in each),
                )
                for each in itertools.product((0, 1), repeat=votes)
            ) / 2  # fmt: skip
            assert majority_share(votes, odds) == pytest.approx(best)


def test_who_knows_all_other_answers_counts_votes():
    """Without noise, every guess is right: each count with a person shows the answer."""
    generator = np.random.default_rng(2)
    secrets = generator.integers(0, 2, 12)
    subsets = generator.integers(0, 2, (30, 12)).astype(float)
    guesses = guess_each(secrets, subsets, np.zeros(30, dtype=int), generator)
    assert (guesses == secrets).all()
