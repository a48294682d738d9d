"""Mechanisms for the shares of choices.

They are the coin flip, randomised response, subset selection and unary encoding.
"""

from fractions import Fraction
from typing import Any

from survey.core.errors import MechanismError
from survey.core.exact_numbers import exact
from survey.core.factored_randomizers import SubsetSelection, UnaryEncoding
from survey.core.mechanisms.registry import (
    CHOICES,
    JOINT,
    ORDERED,
    LocalRandomizer,
    chosen_ratio_bound,
    mechanism,
    ratio_bound_not_above,
    requested_epsilon,
    whole_number_parameter,
)
from survey.core.randomizer import Randomizer


def two_levels(answers: int, ratio_bound: Fraction) -> Randomizer:
    """Weight t for the answer itself and l for every other report, with t:l = ratio_bound."""
    near, far = ratio_bound.numerator, ratio_bound.denominator
    return Randomizer(
        tuple(tuple(near if x == y else far for y in range(answers)) for x in range(answers))
    )


@mechanism(
    "Two coin flips",
    source="Textbook form of Warner (1965): after tails, a second coin flip chooses the answer",
    examples=[(2, {}), (5, {})],
    serves=(CHOICES, ORDERED, JOINT),
)
def coin_flip(answers: int) -> Randomizer:
    """First coin heads: the true answer. Tails: one of the answers at random, all equally likely.

    Two answers have a ratio of 3:1, so epsilon = ln 3 and P' = 2P - 1/2. k answers have (k + 1):1.
    """
    return two_levels(answers, Fraction(answers + 1))


@mechanism(
    "Randomised response",
    source="Warner (1965), JASA 60; optimal for two answers: Holohan, Leith & Mason (2016)",
    examples=[(2, {"gamma": 0.3}), (2, {"odds": "8:3"}), (2, {"epsilon": 1})],
    two_answers_only=True,
)
def randomized_response(
    answers: int, gamma: Any = None, odds: Any = None, epsilon: Any = None
) -> Randomizer:
    """The true answer with probability 1/2 + gamma, the other one with 1/2 - gamma.

    gamma must be above 0 and below 1/2; odds = (1/2 + gamma) / (1/2 - gamma). Give exactly one of
    gamma, odds and epsilon.
    """
    if gamma is None:
        return two_levels(2, chosen_ratio_bound(odds, epsilon))
    if odds is not None or epsilon is not None:
        raise MechanismError("Give only one of gamma, odds and epsilon.")
    lean = exact(gamma, "gamma")
    if not 0 < lean < Fraction(1, 2):
        raise MechanismError(
            "gamma must be above 0 and below 1/2, not %(gamma)s.",
            "gamma",
            "range",
            gamma=repr(gamma),
        )
    return two_levels(2, (Fraction(1, 2) + lean) / (Fraction(1, 2) - lean))


@mechanism(
    "k-ary randomised response",
    source="Kairouz, Bonawitz & Ramage (2016)",
    examples=[(5, {"epsilon": 1}), (3, {"odds": 4}), (11, {"epsilon": 2})],
    serves=(CHOICES, ORDERED, JOINT),
)
def k_randomized_response(answers: int, odds: Any = None, epsilon: Any = None) -> Randomizer:
    """The true answer, with `odds` against each other answer."""
    return two_levels(answers, chosen_ratio_bound(odds, epsilon))


def variance_of_subsets(answers: int, size: int, ratio_bound: float) -> float:
    """n times the sum of the shares' variances, if all answers are equally common.

    Ye & Barg's M(k, epsilon) is the minimum over the sizes. No mechanism has a smaller value.
    """
    k, d = answers, size
    spread = (k - 1) ** 2 * (d * ratio_bound + k - d) ** 2
    return spread / (k * d * (k - d) * (ratio_bound - 1) ** 2)


def best_size(answers: int, ratio_bound: Fraction) -> int:
    """The size of the sets with least variance, about answers / (ratio_bound + 1)."""
    return min(range(1, answers), key=lambda d: variance_of_subsets(answers, d, float(ratio_bound)))


@mechanism(
    "Subset selection",
    source="Ye & Barg (2018), IEEE Trans. Inf. Theory 64; optimal for shares",
    examples=[(7, {"epsilon": 1}), (16, {"odds": 3}), (5, {"epsilon": 1, "size": 2})],
    serves=(CHOICES, ORDERED, JOINT),
    special_answers_inside=True,
)
def subset_selection(
    answers: int, odds: Any = None, epsilon: Any = None, size: Any = None
) -> LocalRandomizer:
    """A set of `size` choices, `odds` times likelier if it contains the answer.

    Without `size`, it is the one with least variance. Size 1 is k-ary randomised response.
    """
    ratio = chosen_ratio_bound(odds, epsilon)
    if size is None:
        size = best_size(answers, ratio)
    else:
        size = whole_number_parameter(size, "size", 1, answers - 1)
    if size == 1:
        return two_levels(answers, ratio)
    return SubsetSelection(answers, size, ratio.numerator, ratio.denominator)


@mechanism(
    "Optimised unary encoding",
    source="Wang, Blocki, Li & Jha (2017), USENIX Security",
    examples=[(8, {"epsilon": 1}), (20, {"odds": 3})],
    special_answers_inside=True,
)
def optimized_unary_encoding(answers: int, odds: Any = None, epsilon: Any = None) -> UnaryEncoding:
    """A bit for each choice, set with probability 1/2 for the answer, else 1/(odds + 1)."""
    ratio = chosen_ratio_bound(odds, epsilon)
    near, far = ratio.numerator, ratio.denominator
    both = near + far
    return UnaryEncoding(answers, ((both, both), (2 * far, 2 * near)))


@mechanism(
    "Symmetric unary encoding",
    source="Erlingsson, Pihur & Korolova (2014), basic one-time RAPPOR",
    examples=[(8, {"epsilon": 1}), (20, {"epsilon": 2})],
    special_answers_inside=True,
)
def symmetric_unary_encoding(answers: int, epsilon: Any) -> UnaryEncoding:
    """A bit for each choice, kept e^(epsilon/2) times as likely as flipped."""
    ratio = ratio_bound_not_above(requested_epsilon(epsilon) / 2)
    near, far = ratio.numerator, ratio.denominator
    return UnaryEncoding(answers, ((near, far), (far, near)))
