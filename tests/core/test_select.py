"""The selection of a mechanism for an epsilon: the most accurate one for the goal."""

import math

import pytest

from survey.core.errors import MechanismError
from survey.core.factored_randomizers import Boxes, SubsetSelection
from survey.core.mechanisms.randomized_response import variance_of_subsets
from tests.support.check_each import check_each
from tests.support.mechanisms import built

pytestmark = pytest.mark.fast


@check_each("epsilon", ["0.5", "1", "1.0986122886681098", "2", "4"])
@check_each("answers", [2, 3, 5, 7, 10, 16, 40, 64])
def test_shares_meet_the_lower_bound_of_ye_and_barg(answers, epsilon):
    """The sum of variances at the uniform truth, relative to the best size."""
    chosen = built({"epsilon": epsilon}, answers)
    if isinstance(chosen, SubsetSelection):
        p, q = float(chosen.p), float(chosen.q)
    else:
        p, q = float(chosen.probability(0, 0)), float(chosen.probability(1, 0))
    speaks = p / answers + q * (answers - 1) / answers
    # The census variance is that of the answers themselves, and independent of the mechanism.
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
    """Sampling is best, except for few boxes and a large ε (mathematics.md)."""
    chosen = built({"epsilon": epsilon}, boxes, "boxes")
    name, sample = expected
    assert isinstance(chosen, Boxes) == (name == "sampled_boxes")
    if sample is not None:
        assert chosen.sample == sample


@pytest.mark.parametrize(
    ("kind", "privacy", "name"),
    [
        ("numbers", {"epsilon": 1}, "window"),
        ("numbers", {"epsilon": 1, "goal": "distribution"}, "window"),
        ("numbers", {"epsilon": 1, "goal": "mean"}, "optimal_mean"),
        ("numbers", {"epsilon": 1, "goal": "quantiles"}, "optimal_quantiles"),
        ("ordered", {"epsilon": 1, "goal": "mean"}, "optimal_mean"),
        ("ordered", {"epsilon": 1, "goal": "shares"}, "k_randomized_response"),
        ("choices", {"epsilon": 1}, "k_randomized_response"),
    ],
)
def test_epsilon_alone_takes_the_mechanism_for_the_goal(kind, privacy, name):
    assert built(privacy, 5, kind) == built({"mechanism": name, "epsilon": 1}, 5, kind)


def test_an_unknown_goal_is_refused():
    with pytest.raises(
        MechanismError, match="goal must be distribution or mean or quantiles, not 'mode'"
    ):
        built({"epsilon": 1, "goal": "mode"}, 5, "numbers")
    with pytest.raises(MechanismError, match="Only numbers and scales have a goal"):
        built({"epsilon": 1, "goal": "mean"}, 5, "choices")
