"""The registry of mechanisms: each new mechanism is tested at once, by its examples."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from survey.core.errors import MechanismError
from survey.core.factored_randomizers import Boxes, FactoredRandomizer, UnaryEncoding
from survey.core.mechanisms import MECHANISMS, mechanism, ratio_bound_not_above
from survey.core.scores import probabilities, unbiased_scores
from tests.support.check_each import check_each
from tests.support.mechanisms import built

pytestmark = pytest.mark.fast

EXAMPLES = [
    (entry.name, answers, parameters)
    for entry in MECHANISMS.values()
    for answers, parameters in entry.examples
]


SPECIAL_ANSWERS = [0, 1, 2]


def example(name, answers, parameters, special_answers=0):
    kind = MECHANISMS[name].serves[0]
    return built({"mechanism": name, **parameters}, answers, kind, special_answers)


def rows(privacy, answers=2):
    return built(privacy, answers).rows


@check_each("special_answers", SPECIAL_ANSWERS)
@check_each(("name", "answers", "parameters"), EXAMPLES)
def test_every_epsilon_is_never_above_the_wish_and_within_a_thousandth_of_it(
    name, answers, parameters, special_answers
):
    """The boundary: the loss holds at epsilon, and fails slightly below."""
    randomizer = example(name, answers, parameters, special_answers)
    assert 0 < randomizer.epsilon < 12
    if not isinstance(randomizer, FactoredRandomizer):
        randomizer.require_finite()
        assert randomizer.delta(randomizer.epsilon + 1e-12) == 0
        assert randomizer.delta(randomizer.epsilon - 1e-9) > 0
    if "delta" in parameters:
        assert randomizer.delta(parameters["epsilon"]) <= float(parameters["delta"])
    elif "epsilon" in parameters:
        wish = float(parameters["epsilon"])
        assert wish - 1e-3 < randomizer.epsilon <= wish


@check_each(("name", "answers", "parameters"), EXAMPLES)
def test_further_answers_cost_nothing(name, answers, parameters):
    """The rows of "prefer not to say" and "not asked" have the same odds, within a thousandth."""
    alone = example(name, answers, parameters)
    for special_answers in (1, 2):
        more = example(name, answers, parameters, special_answers)
        assert more.answers == alone.answers + special_answers
        if "delta" in parameters:  # calibrated again for its delta
            assert more.epsilon < alone.epsilon + 0.01
            continue
        assert alone.epsilon - 1e-3 < more.epsilon <= alone.epsilon + 1e-12


MEAN_ONLY = {"one_bit"}  # Two reports cannot determine more shares than two.


@check_each("special_answers", SPECIAL_ANSWERS)
@check_each(("name", "answers", "parameters"), EXAMPLES)
def test_every_table_gives_unbiased_scores(name, answers, parameters, special_answers):
    table = example(name, answers, parameters, special_answers)
    if isinstance(table, FactoredRandomizer):
        return
    target = np.eye(table.answers)
    if name in MEAN_ONLY or name == "optimal_mean":
        given_number = np.append(np.ones(answers), np.zeros(special_answers))
        target = np.column_stack([given_number * np.arange(table.answers), given_number])
    scores = unbiased_scores(table, target)
    np.testing.assert_allclose(probabilities(table) @ scores, target, atol=1e-8)


def loss_by_enumeration(randomizer):
    """The largest log ratio over all pairs of answers and all reports, by enumeration."""
    k = randomizer.answers
    if isinstance(randomizer, Boxes):
        answers = list(product([0, 1], repeat=k))
        reports = list(product([0, 1, None], repeat=k))
        reports = [r for r in reports if k - r.count(None) == randomizer.sample]
        chance = np.array(randomizer.rows) / sum(randomizer.rows[0])
        table = [
            [math.prod(chance[1 - x[j]][1 - y[j]] for j in range(k) if y[j] is not None)
             for y in reports] for x in answers
        ]  # fmt: skip
    elif isinstance(randomizer, UnaryEncoding):
        chance = np.array(randomizer.rows) / sum(randomizer.rows[0])
        table = [
            [math.prod(chance[int(x != j)][1 - y[j]] for j in range(k))
             for y in product([0, 1], repeat=k)] for x in range(k)
        ]  # fmt: skip
    else:
        sets = list(combinations(range(k), randomizer.size))
        table = [[randomizer.near if x in s else randomizer.far for s in sets] for x in range(k)]
    columns = np.array(table, dtype=float)
    return float(np.log(columns.max(axis=0) / columns.min(axis=0)).max())


@pytest.mark.parametrize(
    ("name", "kind", "answers", "parameters"),
    [
        ("sampled_boxes", "boxes", 4, {"epsilon": 4}),
        ("sampled_boxes", "boxes", 5, {"odds": 3, "sample": 3}),
        ("sampled_boxes", "boxes", 3, {"epsilon": 2, "sample": 3}),
        ("optimized_unary_encoding", "choices", 5, {"epsilon": 1}),
        ("symmetric_unary_encoding", "choices", 5, {"epsilon": 2}),
        ("subset_selection", "choices", 7, {"epsilon": 1}),
        ("subset_selection", "choices", 6, {"odds": 3, "size": 3}),
    ],
)
def test_the_loss_of_a_factored_randomizer_is_what_enumeration_gives(
    name, kind, answers, parameters
):
    randomizer = built({"mechanism": name, **parameters}, answers, kind)
    assert isinstance(randomizer, FactoredRandomizer)
    assert randomizer.epsilon == pytest.approx(loss_by_enumeration(randomizer), abs=1e-9)


@check_each(
    ("privacy", "answers", "words"),
    [
        ({}, 2, 'Give "mechanism", or only "epsilon"'),
        ({"epsilon": 1, "goal": "mean"}, 3, "Only numbers and scales have a goal"),
        (
            {"mechanism": "window", "epsilon": 1},
            3,
            "window is for numbers or ordered, but this quest",
        ),
        ({"mechanism": "subset_selection", "epsilon": 1, "size": 3}, 3, "from 1 to 2, not 3"),
        ({"mechanism": "subset_selection", "epsilon": 1, "size": True}, 3, "a whole number"),
        ({"mechanism": "unrelated_question", "p": 0, "prevalence": 0.5}, 2, "p must be above 0"),
        ({"mechanism": "kuk", "p_yes": 0.5, "p_no": 0.5}, 2, "Equal packs give no information"),
        ({"mechanism": "kuk", "p_yes": 0.5, "p_no": 0.4, "draws": 101}, 2, "from 1 to 100"),
        ({"mechanism": "magic"}, 2, "There is no mechanism 'magic'"),
        ({"mechanism": ["coin_flip"]}, 2, "There is no mechanism"),
        ({"mechanism": "coin_flip", "p": 1}, 2, "coin_flip has no parameter 'p'"),
        ({"mechanism": "warner"}, 2, "warner needs p."),
        (
            {"mechanism": "warner", "p": "1/3"},
            3,
            "warner is for two answers, but this question has 3",
        ),
        ({"mechanism": "warner", "p": "1/2"}, 2, "other than 1/2"),
        ({"mechanism": "warner", "p": 1}, 2, "below 1"),
        ({"mechanism": "randomized_response"}, 2, "Give either odds or epsilon"),
        ({"mechanism": "randomized_response", "gamma": 0.5}, 2, "below 1/2"),
        ({"mechanism": "randomized_response", "gamma": 0}, 2, "above 0"),
        ({"mechanism": "randomized_response", "gamma": "a"}, 2, "a number or a fraction"),
        ({"mechanism": "randomized_response", "gamma": "1/0"}, 2, "a number or a fraction"),
        ({"mechanism": "randomized_response", "gamma": 0.1, "odds": 3}, 2, "Give only one of"),
        ({"mechanism": "randomized_response", "odds": 1}, 2, "odds must be above 1"),
        ({"mechanism": "randomized_response", "odds": 162755}, 2, r"at most e\^12"),
        ({"mechanism": "k_randomized_response", "odds": 2, "epsilon": 1}, 3, "either odds"),
        ({"epsilon": 0}, 2, "epsilon must be above 0"),
        ({"epsilon": 13}, 2, "at most 12"),
        ({"epsilon": 0.001}, 2, "reports have no information"),
        ({"epsilon": "1e99999999"}, 2, "a number or a fraction"),
        ({"epsilon": "1" * 10_000}, 2, "a number or a fraction"),
        ({"epsilon": True}, 2, "a number or a fraction"),
        ({"epsilon": float("nan")}, 2, "a number or a fraction"),
        (
            {"mechanism": "forced_response", "p_truth": 0.5, "p_yes": 0.3, "p_no": 0.3},
            2,
            "not to 11/10",
        ),
        ({"mechanism": "forced_response", "p_truth": 0.5}, 3, "a list of 3 probabilities"),
        (
            {"mechanism": "forced_response", "p_truth": 0.5, "p_forced": [0.5], "p_no": 0},
            2,
            "Give either p_yes and p_no, or p_forced",
        ),
        (
            {"mechanism": "forced_response", "p_truth": 0, "p_forced": [0.5, 0.5]},
            2,
            "p_truth must be above 0",
        ),
        (
            {"mechanism": "forced_response", "p_truth": 1.5, "p_forced": [0.5, 0.5]},
            2,
            "a probability from 0 to 1",
        ),
        ({"mechanism": "table", "rows": [[3, 1], [1, 3]]}, 3, "The table has 2 rows"),
    ],
)
def test_what_cannot_be_built_says_why(privacy, answers, words):
    with pytest.raises(MechanismError, match=words):
        built(privacy, answers)


@check_each("epsilon", [0.01, 0.1, 0.5, 1, 1.0986122886681098, 2, 3, 5, 10, 12, "1/3"])
def test_wished_epsilon_gives_the_largest_small_ratio_bound_below(epsilon):
    odds = ratio_bound_not_above(epsilon)
    with localcontext(prec=60):
        wish = Fraction(str(epsilon))
        limit = Fraction((Decimal(wish.numerator) / wish.denominator).exp())
    assert odds <= limit
    assert odds.denominator <= 100
    for low in range(1, 101):  # No other odds with so small a denominator are in between.
        assert not odds < Fraction(math.floor(limit * low), low) <= limit


def test_a_mechanism_cannot_be_registered_twice():
    with pytest.raises(ValueError, match="already registered"):

        @mechanism("Again", source="here", examples=[])
        def coin_flip(answers):
            raise NotImplementedError
