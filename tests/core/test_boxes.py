"""Mechanisms for boxes: published variances, and refused arguments."""

import pytest

from survey.core.errors import MechanismError
from survey.core.mechanisms.boxes import variance_of_joint, variance_of_sampled
from tests.support.mechanisms import built

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("boxes", "epsilon", "each", "one", "joint"),
    [(2, 2, 1.17, 0.86, 0.66), (3, 2, 2.42, 1.29, 1.27), (3, 4, 0.74, 0.81, 0.33)],
)
def test_the_variances_of_boxes_are_the_published_ones(boxes, epsilon, each, one, joint):
    """n times the variance at a share of 1/2, from docs/explanation/mathematics.md."""
    assert variance_of_sampled(boxes, boxes, epsilon) == pytest.approx(each, rel=1e-2)
    assert variance_of_sampled(boxes, 1, epsilon) == pytest.approx(one, rel=1e-2)
    assert variance_of_joint(boxes, epsilon) == pytest.approx(joint, rel=2e-2)


def test_ten_boxes_lose_a_factor_of_eight_by_splitting():
    split, sampled = (variance_of_sampled(10, s, 1) for s in (10, 1))
    assert split / sampled == pytest.approx(8.56, abs=5e-3)


@pytest.mark.parametrize("parameters", [{}, {"epsilon": 1, "odds": 3}])
def test_sampled_boxes_take_either_odds_or_epsilon(parameters):
    with pytest.raises(MechanismError, match="Give either odds or epsilon"):
        built({"mechanism": "sampled_boxes", **parameters}, 4, "boxes")


def test_joint_boxes_are_for_few_boxes():
    with pytest.raises(MechanismError, match="at most 6 boxes"):
        built({"mechanism": "joint_boxes", "epsilon": 3}, 7, "boxes")
