"""Mechanisms: each registered one is tested on arrival, through its examples."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from survey.core.errors import DependentRows, MechanismError, UnequalTotals
from survey.core.factored_randomizers import (
    Boxes,
    FactoredRandomizer,
    SubsetSelection,
    UnaryEncoding,
)
from survey.core.mechanisms import MECHANISMS, build_randomizer, mechanism, odds_not_above
from survey.core.mechanisms.boxes import variance_of_joint, variance_of_sampled
from survey.core.mechanisms.optimal_mean import optimal_mean_weights
from survey.core.mechanisms.shares import variance_of_subsets
from survey.core.scores import probabilities, unbiased_scores

pytestmark = pytest.mark.fast

EXAMPLES = [
    pytest.param(entry.name, answers, parameters, id=f"{entry.name}-{answers}-{number}")
    for entry in MECHANISMS.values()
    for number, (answers, parameters) in enumerate(entry.examples)
]


EXTRAS = [0, 1, 2]


def built(privacy, answers=2, kind="choices", extras=0):
    return build_randomizer(privacy, kind, answers, extras)


def example(name, answers, parameters, extras=0):
    kind = MECHANISMS[name].serves[0]
    return built({"mechanism": name, **parameters}, answers, kind, extras)


def rows(privacy, answers=2):
    return built(privacy, answers).rows


def test_the_coin_flip():
    assert rows({"mechanism": "coin_flip"}) == ((3, 1), (1, 3))
    assert rows({"mechanism": "coin_flip"}, 3) == ((4, 1, 1), (1, 4, 1), (1, 1, 4))


@pytest.mark.parametrize("extras", EXTRAS)
@pytest.mark.parametrize(("name", "answers", "parameters"), EXAMPLES)
def test_every_epsilon_is_never_above_the_wish_and_within_a_thousandth_of_it(
    name, answers, parameters, extras
):
    """The boundary pair: the loss holds at epsilon, and fails a hair below."""
    randomizer = example(name, answers, parameters, extras)
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


@pytest.mark.parametrize(("name", "answers", "parameters"), EXAMPLES)
def test_further_answers_cost_nothing(name, answers, parameters):
    """Prefer not to say and not asked are rows at the same odds, to a thousandth."""
    alone = example(name, answers, parameters)
    for extras in (1, 2):
        more = example(name, answers, parameters, extras)
        assert more.answers == alone.answers + extras
        if "delta" in parameters:  # calibrated anew, to its delta
            assert more.epsilon < alone.epsilon + 0.01
            continue
        assert alone.epsilon - 1e-3 < more.epsilon <= alone.epsilon + 1e-12


MEAN_ONLY = {"one_bit"}  # two reports cannot tell more shares than two


@pytest.mark.parametrize("extras", EXTRAS)
@pytest.mark.parametrize(("name", "answers", "parameters"), EXAMPLES)
def test_every_table_gives_unbiased_scores(name, answers, parameters, extras):
    table = example(name, answers, parameters, extras)
    if isinstance(table, FactoredRandomizer):
        return
    target = np.eye(table.answers)
    if name in MEAN_ONLY or name == "optimal_mean":
        given_number = np.append(np.ones(answers), np.zeros(extras))
        target = np.column_stack([given_number * np.arange(table.answers), given_number])
    scores = unbiased_scores(table, target)
    np.testing.assert_allclose(probabilities(table) @ scores, target, atol=1e-8)


def loss_by_enumeration(randomizer):
    """The largest log ratio over all pairs of answers and all reports, one by one."""
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
        ({"mechanism": "crosswise", "p": 0.25}, ((1, 3), (3, 1))),
        ({"mechanism": "unrelated_question", "p": 0.7, "prevalence": 0.25}, ((31, 9), (3, 37))),
        ({"mechanism": "kuk", "p_yes": 0.8, "p_no": 0.2}, ((4, 1), (1, 4))),
        (
            {"mechanism": "kuk", "p_yes": "2/3", "p_no": "1/3", "draws": 2},
            ((4, 4, 1), (1, 4, 4)),
        ),
        ({"mechanism": "subset_selection", "odds": 3}, ((3, 1), (1, 3))),
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
        ({"epsilon": 1, "goal": "mean"}, 3, 'Give "mechanism", or "epsilon" alone'),
        ({"mechanism": "window", "epsilon": 1}, 3, "window is for numbers or ordered; this quest"),
        ({"mechanism": "subset_selection", "epsilon": 1, "size": 3}, 3, "from 1 to 2, not 3"),
        ({"mechanism": "subset_selection", "epsilon": 1, "size": True}, 3, "a whole number"),
        ({"mechanism": "unrelated_question", "p": 0, "prevalence": 0.5}, 2, "p is above 0"),
        ({"mechanism": "kuk", "p_yes": 0.5, "p_no": 0.5}, 2, "equal packs tell nothing"),
        ({"mechanism": "kuk", "p_yes": 0.5, "p_no": 0.4, "draws": 11}, 2, "from 1 to 10"),
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
        ({"mechanism": "randomized_response", "odds": 162755}, 2, r"at most e\^12"),
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
        built(privacy, answers)


def test_a_faulty_own_table_keeps_its_own_error():
    with pytest.raises(UnequalTotals):
        built({"mechanism": "table", "rows": [[3, 1], [1, 4]]}, 2)


@pytest.mark.parametrize(
    "rows", [[[1, 1], [1, 1]], [[3, 1], [2, 2], [1, 3]], [[2, 1, 1], [2, 1, 1]]]
)
def test_a_table_that_does_not_tell_the_shares_is_refused(rows):
    with pytest.raises(DependentRows, match="depend on one another"):
        built({"mechanism": "table", "rows": rows}, len(rows))


def test_a_table_that_tells_them_barely_is_accepted():
    n = 2**31
    table = built({"mechanism": "table", "rows": [[n + 1, n - 1], [n - 1, n + 1]]}, 2)
    scores = unbiased_scores(table, np.eye(2))
    assert scores[0, 0] == pytest.approx(2**30 + 0.5, rel=1e-6)


def test_numbers_mean_the_decimal_they_show():
    assert built({"mechanism": "warner", "p": 0.1}, 2).odds == 9


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


# What is chosen


@pytest.mark.parametrize("epsilon", ["0.5", "1", "1.0986122886681098", "2", "4"])
@pytest.mark.parametrize("answers", [2, 3, 5, 7, 10, 16, 40, 64])
def test_shares_meet_the_lower_bound_of_ye_and_barg(answers, epsilon):
    """Sum of variances at uniform truth over the best of all sizes, with the real e^epsilon."""
    chosen = built({"epsilon": epsilon}, answers)
    if isinstance(chosen, SubsetSelection):
        p, q = float(chosen.p), float(chosen.q)
    else:
        p, q = float(chosen.probability(0, 0)), float(chosen.probability(1, 0))
    speaks = p / answers + q * (answers - 1) / answers
    # the census variance: that of the answers themselves is no fault of the mechanism
    total = answers * (speaks * (1 - speaks) / (p - q) ** 2 - (1 - 1 / answers) / answers)
    odds = math.exp(float(epsilon))
    ideal = min(variance_of_subsets(answers, d, odds) for d in range(1, answers))
    ideal -= 1 - 1 / answers
    assert ideal <= total * (1 + 1e-9) <= ideal * 1.01


@pytest.mark.parametrize(
    ("boxes", "epsilon", "expected"),
    [
        (10, 1, ("sampled_boxes", 1)),
        (10, 4, ("sampled_boxes", 2)),
        (2, 2, ("joint_boxes", None)),
        (3, 2, ("joint_boxes", None)),
        (5, 2, ("sampled_boxes", 1)),
        (5, 4, ("joint_boxes", None)),
        (40, 8, ("sampled_boxes", 4)),
    ],
)
def test_boxes_are_asked_in_the_way_with_least_variance(boxes, epsilon, expected):
    """The table in docs/mathematics.md: sampling wins but for few boxes and much epsilon."""
    chosen = built({"epsilon": epsilon}, boxes, "boxes")
    name, sample = expected
    assert isinstance(chosen, Boxes) == (name == "sampled_boxes")
    if sample is not None:
        assert chosen.sample == sample


@pytest.mark.parametrize(
    ("boxes", "epsilon", "each", "one", "joint"),
    [(2, 2, 1.17, 0.86, 0.66), (3, 2, 2.42, 1.29, 1.27), (3, 4, 0.74, 0.81, 0.33)],
)
def test_the_variances_of_boxes_are_the_published_ones(boxes, epsilon, each, one, joint):
    """At a share of one half, n times; docs/mathematics.md has the table."""
    assert variance_of_sampled(boxes, boxes, epsilon) == pytest.approx(each, rel=1e-2)
    assert variance_of_sampled(boxes, 1, epsilon) == pytest.approx(one, rel=1e-2)
    assert variance_of_joint(boxes, epsilon) == pytest.approx(joint, rel=2e-2)


def test_ten_boxes_lose_a_factor_of_eight_by_splitting():
    split, sampled = (variance_of_sampled(10, s, 1) for s in (10, 1))
    assert split / sampled == pytest.approx(8.56, abs=5e-3)


@pytest.mark.parametrize(
    ("kind", "privacy", "name"),
    [
        ("numbers", {"epsilon": 1}, "window"),
        ("numbers", {"epsilon": 1, "goal": "distribution"}, "window"),
        ("numbers", {"epsilon": 1, "goal": "mean"}, "optimal_mean"),
        ("ordered", {"epsilon": 1, "goal": "mean"}, "optimal_mean"),
        ("ordered", {"epsilon": 1, "goal": "shares"}, "k_randomized_response"),
        ("choices", {"epsilon": 1}, "k_randomized_response"),
    ],
)
def test_epsilon_alone_takes_the_mechanism_for_the_goal(kind, privacy, name):
    assert built(privacy, 5, kind) == built({"mechanism": name, "epsilon": 1}, 5, kind)


def test_an_unknown_goal_is_refused():
    with pytest.raises(MechanismError, match="goal is distribution or mean here, not 'mode'"):
        built({"epsilon": 1, "goal": "mode"}, 5, "numbers")


def mean_variances(table, points):
    values = np.linspace(-1, 1, points)
    scores = unbiased_scores(table, values[:, np.newaxis])[:, 0]
    return probabilities(table) @ scores**2 - values**2


# Worst-case variance on [-1, 1]: the linear programme's own optimum as published in the research
# on which this project stands, Duchi's closed form, and the hybrid's (Wang et al., ICDE 2019)
@pytest.mark.parametrize(
    ("epsilon", "optimum", "duchi", "hybrid"),
    [
        (0.5, 16.0, 16.67, 16.67),
        (1, 3.99, 4.683, 4.289),
        (1.0986122886681098, 3.29, 4.0, 3.553),
        (2, 0.865, 1.724, 1.042),
        (3, 0.304, 1.221, 0.432),
        (4, 0.127, 1.076, 0.219),
    ],
)
def test_the_optimal_mean_is_the_optimum_and_beats_duchi_and_the_hybrid(
    epsilon, optimum, duchi, hybrid
):
    table = built({"epsilon": epsilon, "goal": "mean"}, 21, "numbers")
    worst = mean_variances(table, 21).max()
    assert worst == pytest.approx(optimum, rel=0.03)
    assert worst < hybrid
    one_bit = built({"mechanism": "one_bit", "epsilon": epsilon}, 21, "numbers")
    assert mean_variances(one_bit, 21).max() == pytest.approx(duchi, rel=2e-3)


@pytest.mark.parametrize("epsilon", [0.02, 0.1, 0.2, 1.5, 6, 8, 12])
@pytest.mark.parametrize("answers", [2, 5, 7, 21])
def test_the_optimal_mean_stays_near_its_optimum_for_all_epsilons(answers, epsilon):
    """Where the optimum has fewer reports than points, rounding must not cost the mean."""
    table = built({"epsilon": epsilon, "goal": "mean"}, answers, "numbers")
    duchi = ((math.exp(epsilon) + 1) / math.expm1(epsilon)) ** 2
    # rounding by chance to five points, at the worst, adds a quarter of their distance squared
    assert mean_variances(table, answers).max() <= duchi * 1.02
    assert table.epsilon <= epsilon


def test_the_linear_programme_keeps_its_own_constraints():
    weights, worst = optimal_mean_weights(11, 3.0)
    assert worst == pytest.approx(3.29, abs=5e-3)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert (weights.max(axis=0) / weights.min(axis=0)).max() <= 3 * (1 + 1e-6)


def test_the_exponential_mechanism_falls_by_one_factor_a_step():
    table = np.array(built({"mechanism": "exponential", "epsilon": 2}, 6, "ordered").rows)
    factors = table[0, :-1] / table[0, 1:]
    np.testing.assert_allclose(factors, factors[0], rtol=1e-3)
    # the usual calibration, exp(epsilon u / 2 range), is dearer for the same epsilon
    assert factors[0] > math.exp(2 / (2 * 5))


def test_discrete_laplace_is_a_shifted_geometric_with_its_tails_clamped():
    table = np.array(built({"mechanism": "discrete_laplace", "epsilon": 1}, 11, "numbers").rows)
    assert table.shape == (11, 31)
    inner = table[0, 10:30] / table[0, 10]
    np.testing.assert_allclose(inner, math.exp(-1 / 10) ** np.arange(20), rtol=1e-3)
    assert table[0, 30] / table[0, 29] == pytest.approx(
        math.exp(-0.1) / (1 - math.exp(-0.1)), rel=2e-3
    )


def test_discrete_gaussian_keeps_its_delta_and_would_not_with_less_noise():
    delta = 1e-5
    table = built({"mechanism": "discrete_gaussian", "epsilon": 1, "delta": "1e-5"}, 11, "numbers")
    assert table.delta(1) <= delta
    assert table.delta(0.99) > delta


def test_the_window_is_two_levels_round_the_answer():
    table = built({"mechanism": "window", "odds": 3, "reach": 1}, 4, "numbers")
    assert table.rows[0] == (3, 3, 3, 1, 1, 1)
    assert table.rows[3] == (1, 1, 1, 3, 3, 3)


@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 4])
@pytest.mark.parametrize("answers", [2, 3, 5, 7, 11, 21])
def test_the_chosen_window_always_tells_the_distribution(answers, epsilon):
    table = built({"epsilon": epsilon}, answers, "numbers")
    scores = unbiased_scores(table, np.eye(answers))
    np.testing.assert_allclose(probabilities(table) @ scores, np.eye(answers), atol=1e-8)


@pytest.mark.parametrize("parameters", [{}, {"epsilon": 1, "odds": 3}])
def test_sampled_boxes_take_either_odds_or_epsilon(parameters):
    with pytest.raises(MechanismError, match="Give either odds or epsilon"):
        built({"mechanism": "sampled_boxes", **parameters}, 4, "boxes")


def test_joint_boxes_are_for_few_boxes():
    with pytest.raises(MechanismError, match="at most 6 boxes"):
        built({"mechanism": "joint_boxes", "epsilon": 3}, 7, "boxes")
