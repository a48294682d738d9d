"""Mechanisms: each registered one is tested on arrival, through its examples."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from survey.errors import DependentRows, MechanismError, UnequalTotals
from survey.mechanisms import MECHANISMS, build_randomizer, mechanism, odds_not_above
from survey.scores import probabilities, unbiased_scores

EXAMPLES = [
    pytest.param(entry.name, answers, parameters, id=f"{entry.name}-{answers}-{number}")
    for entry in MECHANISMS.values()
    for number, (answers, parameters) in enumerate(entry.examples)
]


def rows(privacy, answers=2):
    return build_randomizer(privacy, answers).rows


def test_the_coin_flip():
    assert rows({"mechanism": "coin_flip"}) == ((3, 1), (1, 3))
    assert rows({"mechanism": "coin_flip"}, 3) == ((4, 1, 1), (1, 4, 1), (1, 1, 4))


@pytest.mark.parametrize(("name", "answers", "parameters"), EXAMPLES)
def test_every_mechanism_has_a_finite_epsilon_that_holds_and_fails_just_below(
    name, answers, parameters
):
    table = build_randomizer({"mechanism": name, **parameters}, answers)
    table.require_finite()
    assert table.delta(table.epsilon + 1e-12) == 0
    assert table.delta(table.epsilon - 1e-9) > 0
    if "epsilon" in parameters:  # never above the wish, and within a thousandth of it
        assert parameters["epsilon"] - 1e-3 < table.epsilon <= parameters["epsilon"]


@pytest.mark.parametrize(("name", "answers", "parameters"), EXAMPLES)
def test_every_mechanism_gives_unbiased_scores_for_shares(name, answers, parameters):
    table = build_randomizer({"mechanism": name, **parameters}, answers)
    scores = unbiased_scores(table, np.eye(answers))
    np.testing.assert_allclose(probabilities(table) @ scores, np.eye(answers), atol=1e-12)


@pytest.mark.parametrize(
    ("privacy", "expected"),
    [
        ({"mechanism": "randomized_response", "gamma": 0.25}, ((3, 1), (1, 3))),
        ({"mechanism": "randomized_response", "gamma": 0.3}, ((4, 1), (1, 4))),
        ({"mechanism": "randomized_response", "gamma": "1/6"}, ((2, 1), (1, 2))),
        ({"mechanism": "randomized_response", "odds": 3}, ((3, 1), (1, 3))),
        ({"mechanism": "randomized_response", "odds": "8:3"}, ((8, 3), (3, 8))),
        ({"mechanism": "randomized_response", "odds": "2.5"}, ((5, 2), (2, 5))),
        ({"epsilon": 1.0986122886681098}, ((3, 1), (1, 3))),
        ({"mechanism": "warner", "p": "2/3"}, ((2, 1), (1, 2))),
        ({"mechanism": "warner", "p": 0.25}, ((1, 3), (3, 1))),
        (
            {"mechanism": "forced_response", "p_truth": "2/3", "p_yes": "1/6", "p_no": "1/6"},
            ((5, 1), (1, 5)),
        ),
        (
            {"mechanism": "forced_response", "p_truth": 0.6, "p_yes": 0.3, "p_no": 0.1},
            ((9, 1), (3, 7)),
        ),
        ({"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]}, ((5, 3, 2), (2, 3, 5))),
    ],
)
def test_parameters_become_the_smallest_integers(privacy, expected):
    assert rows(privacy) == expected


@pytest.mark.parametrize(
    ("privacy", "answers", "words"),
    [
        ({}, 2, 'Give "mechanism", or "epsilon" alone'),
        ({"mechanism": "magic"}, 2, "There is no mechanism 'magic'"),
        ({"mechanism": ["coin_flip"]}, 2, "There is no mechanism"),
        ({"mechanism": "coin_flip", "p": 1}, 2, "coin_flip does not know 'p'"),
        ({"mechanism": "warner"}, 2, "warner needs p."),
        ({"mechanism": "warner", "p": "1/3"}, 3, "warner is for two answers; this question has 3"),
        ({"mechanism": "warner", "p": "1/2"}, 2, "not 1/2"),
        ({"mechanism": "warner", "p": 1}, 2, "below 1"),
        ({"mechanism": "randomized_response"}, 2, "Give either odds or epsilon"),
        ({"mechanism": "randomized_response", "gamma": 0.5}, 2, "below 1/2"),
        ({"mechanism": "randomized_response", "gamma": 0}, 2, "above 0"),
        ({"mechanism": "randomized_response", "gamma": "a"}, 2, "a number or a fraction"),
        ({"mechanism": "randomized_response", "gamma": "1/0"}, 2, "a number or a fraction"),
        ({"mechanism": "randomized_response", "gamma": 0.1, "odds": 3}, 2, "Give one of"),
        ({"mechanism": "randomized_response", "odds": 1}, 2, "odds are above 1"),
        ({"mechanism": "k_randomized_response", "odds": 2, "epsilon": 1}, 3, "either odds"),
        ({"epsilon": 0}, 2, "epsilon is above 0"),
        ({"epsilon": 13}, 2, "at most 12"),
        ({"epsilon": 0.001}, 2, "says nothing at all"),
        ({"epsilon": "1e99999999"}, 2, "a number or a fraction"),
        ({"epsilon": "1" * 10_000}, 2, "a number or a fraction"),
        ({"epsilon": True}, 2, "a number or a fraction"),
        ({"epsilon": float("nan")}, 2, "a number or a fraction"),
        (
            {"mechanism": "forced_response", "p_truth": 0.5, "p_yes": 0.3, "p_no": 0.3},
            2,
            "add up to 11/10",
        ),
        ({"mechanism": "forced_response", "p_truth": 0.5}, 3, "a list of 3 probabilities"),
        (
            {"mechanism": "forced_response", "p_truth": 0.5, "p_forced": [0.5], "p_no": 0},
            2,
            "Give p_yes and p_no, or p_forced",
        ),
        (
            {"mechanism": "forced_response", "p_truth": 0, "p_forced": [0.5, 0.5]},
            2,
            "p_truth is above 0",
        ),
        (
            {"mechanism": "forced_response", "p_truth": 1.5, "p_forced": [0.5, 0.5]},
            2,
            "between 0 and 1",
        ),
        ({"mechanism": "table", "rows": [[3, 1], [1, 3]]}, 3, "The table has 2 rows"),
    ],
)
def test_what_cannot_be_built_says_why(privacy, answers, words):
    with pytest.raises(MechanismError, match=words):
        build_randomizer(privacy, answers)


def test_a_faulty_own_table_keeps_its_own_error():
    with pytest.raises(UnequalTotals):
        build_randomizer({"mechanism": "table", "rows": [[3, 1], [1, 4]]}, 2)


@pytest.mark.parametrize(
    "rows", [[[1, 1], [1, 1]], [[3, 1], [2, 2], [1, 3]], [[2, 1, 1], [2, 1, 1]]]
)
def test_a_table_that_does_not_tell_the_shares_is_refused(rows):
    with pytest.raises(DependentRows, match="depend on one another"):
        build_randomizer({"mechanism": "table", "rows": rows}, len(rows))


def test_a_table_that_tells_them_barely_is_accepted():
    n = 2**31
    table = build_randomizer({"mechanism": "table", "rows": [[n + 1, n - 1], [n - 1, n + 1]]}, 2)
    scores = unbiased_scores(table, np.eye(2))
    assert scores[0, 0] == pytest.approx(2**30 + 0.5, rel=1e-6)


def test_numbers_mean_the_decimal_they_show():
    assert build_randomizer({"mechanism": "warner", "p": 0.1}, 2).odds == 9


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1, 1.0986122886681098, 2, 3, 5, 10, 12, "1/3"])
def test_wished_epsilon_gives_the_largest_small_odds_below(epsilon):
    odds = odds_not_above(epsilon)
    with localcontext(prec=60):
        wish = Fraction(str(epsilon))
        limit = Fraction((Decimal(wish.numerator) / wish.denominator).exp())
    assert odds <= limit
    assert odds.denominator <= 100
    for low in range(1, 101):  # no other odds with so small a denominator lie between
        assert not odds < Fraction(math.floor(limit * low), low) <= limit


def test_a_mechanism_cannot_be_registered_twice():
    with pytest.raises(ValueError, match="registered already"):

        @mechanism("Again", source="here", examples=[])
        def coin_flip(answers):
            raise NotImplementedError
