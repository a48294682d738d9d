"""Mechanisms for shares: their tables by hand."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from survey.core.factored_randomizers import SubsetSelection
from survey.core.mechanisms.randomized_response import (
    best_size,
    k_randomized_response,
    optimized_unary_encoding,
    subset_selection,
    symmetric_unary_encoding,
    variance_of_subsets,
)
from survey.core.scores import scores_of_table
from tests.support.check_each import check_each
from tests.support.mechanisms import built

pytestmark = pytest.mark.fast


def rows(privacy, answers=2):
    return built(privacy, answers).rows


def test_the_coin_flip():
    assert rows({"mechanism": "coin_flip"}) == ((3, 1), (1, 3))
    assert rows({"mechanism": "coin_flip"}, 3) == ((4, 1, 1), (1, 4, 1), (1, 1, 4))


@check_each(
    ("privacy", "expected"),
    [
        ({"mechanism": "randomized_response", "gamma": 0.25}, ((3, 1), (1, 3))),
        ({"mechanism": "randomized_response", "gamma": 0.3}, ((4, 1), (1, 4))),
        ({"mechanism": "randomized_response", "gamma": "1/6"}, ((2, 1), (1, 2))),
        ({"mechanism": "randomized_response", "odds": 3}, ((3, 1), (1, 3))),
        ({"mechanism": "randomized_response", "odds": "8:3"}, ((8, 3), (3, 8))),
        ({"mechanism": "randomized_response", "odds": "2.5"}, ((5, 2), (2, 5))),
        ({"epsilon": 1.0986122886681098}, ((3, 1), (1, 3))),
        ({"mechanism": "subset_selection", "odds": 3}, ((3, 1), (1, 3))),
    ],
)
def test_parameters_become_the_smallest_integers(privacy, expected):
    assert built(privacy).rows == expected


def test_the_variance_of_subsets_is_that_of_least_variance_scores():
    """n times the sum of the variances of the shares, for equally common answers."""
    for answers, size, odds in ((2, 1, 3), (5, 1, 4), (5, 2, 3), (7, 3, 2)):
        table = np.array(
            [
                [odds if x in chosen else 1 for chosen in combinations(range(answers), size)]
                for x in range(answers)
            ],
            dtype=float,
        )
        table /= table.sum(axis=1, keepdims=True)
        scores = scores_of_table(table, np.eye(answers))
        chances = table.mean(axis=0)
        variances = chances @ scores**2 - (chances @ scores) ** 2
        assert variances.sum() == pytest.approx(variance_of_subsets(answers, size, odds))


@pytest.mark.parametrize(
    ("answers", "odds", "size"), [(2, 3, 1), (5, 4, 1), (7, 2, 2), (16, 3, 4), (64, 3, 16)]
)
def test_the_best_sets_are_about_the_answers_over_the_ratio_bound_and_one(answers, odds, size):
    assert best_size(answers, Fraction(odds)) == size


def test_unary_encodings_have_the_chances_of_the_literature():
    """Wang et al. (2017): 1/2 and 1/(e^ε + 1); RAPPOR: e^(ε/2) to one for each bit."""
    optimised = optimized_unary_encoding(8, odds=3)
    assert (optimised.p, optimised.q) == (Fraction(1, 2), Fraction(1, 4))
    symmetric = symmetric_unary_encoding(8, 2)
    assert symmetric.p + symmetric.q == 1
    assert float(symmetric.p / symmetric.q) == pytest.approx(math.e, rel=1e-3)


def test_subset_selection_takes_the_size_that_is_asked_for():
    assert subset_selection(5, odds=3, size=2) == SubsetSelection(5, 2, 3, 1)
    assert subset_selection(5, odds=3, size=1) == k_randomized_response(5, odds=3)
    assert k_randomized_response(3, odds="5:2").rows == ((5, 2, 2), (2, 5, 2), (2, 2, 5))
