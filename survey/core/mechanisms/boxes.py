"""Mechanisms for questions with boxes, of which respondents may tick any number."""

import math
from fractions import Fraction
from typing import Any

from survey.core.errors import MechanismError
from survey.core.factored_randomizers import Boxes
from survey.core.mechanisms.randomized_response import two_levels
from survey.core.mechanisms.registry import (
    BOXES,
    chosen_ratio_bound,
    mechanism,
    ratio_bound_not_above,
    requested_epsilon,
    whole_number_parameter,
)
from survey.core.randomizer import Randomizer

MAX_JOINT_BOXES = 6  # A joint table has 2^boxes rows.


def variance_of_sampled(boxes: int, sample: int, epsilon: float) -> float:
    """n times the variance of one box's share at 1/2, for `sample` boxes at epsilon / sample."""
    gap = math.tanh(epsilon / sample / 2)  # p - q of the coin
    return float(boxes / sample / (4 * gap**2))


def best_sample(boxes: int, epsilon: float) -> int:
    """The number of boxes to report that minimises the variance."""
    return min(range(1, boxes + 1), key=lambda s: variance_of_sampled(boxes, s, epsilon))


def variance_of_joint(boxes: int, epsilon: float, special_answers: int = 0) -> float:
    """n times the variance of one box's share at 1/2, for one table of all combinations."""
    answers = 2**boxes + special_answers
    gap = math.expm1(epsilon) / (math.exp(epsilon) + answers - 1)
    return float(1 / (4 * gap**2))


@mechanism(
    "Random sample of the boxes",
    source="Sampling before randomised response: Nguyen et al. (2016), arXiv 1606.05053",
    examples=[(10, {"epsilon": "1.0986122886681098"}), (4, {"epsilon": 4}), (3, {"odds": 3})],
    serves=(BOXES,),
    special_answers_inside=True,
)
def sampled_boxes(answers: int, epsilon: Any = None, odds: Any = None, sample: Any = None) -> Boxes:
    """Each respondent reports on `sample` random boxes, each by randomised response.

    `epsilon` is the loss of all of them together, while `odds` is that of each one. Without
    `sample`, it is the number with least variance if `epsilon` is given, and one if `odds` is.
    """
    if sample is not None:
        sample = whole_number_parameter(sample, "sample", 1, answers)
    if epsilon is None or odds is not None:
        ratio = chosen_ratio_bound(odds, epsilon)  # It refuses both parameters, and neither.
        sample = sample or 1
    else:
        wish = requested_epsilon(epsilon)
        sample = sample or best_sample(answers, float(wish))
        ratio = ratio_bound_not_above(wish / sample)
    near, far = ratio.numerator, ratio.denominator
    return Boxes(answers, sample, ((near, far), (far, near)))


@mechanism(
    "All combinations of the boxes",
    source="k-ary randomised response on the joint domain",
    examples=[(3, {"epsilon": 3}), (2, {"odds": 8})],
    serves=(BOXES,),
)
def joint_boxes(answers: int, odds: Any = None, epsilon: Any = None) -> Randomizer:
    """The combination of all boxes as one answer, with `odds` against each other combination.

    Row and column c stand for the combination whose boxes are the binary digits of c. The first box
    is the lowest digit. There can be at most six boxes.
    """
    if answers > MAX_JOINT_BOXES:
        raise MechanismError(
            "joint_boxes allows at most %(most)s boxes. Use sampled_boxes.", most=MAX_JOINT_BOXES
        )
    ratio: Fraction = chosen_ratio_bound(odds, epsilon)
    return two_levels(2**answers, ratio)
