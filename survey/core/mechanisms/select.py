"""The choice of the most accurate mechanism for a question, and the builder of all randomizers."""

from collections.abc import Mapping
from typing import Any

from survey.core.errors import MechanismError
from survey.core.mechanisms.boxes import (
    MAX_JOINT_BOXES,
    best_sample,
    variance_of_joint,
    variance_of_sampled,
)
from survey.core.mechanisms.randomized_response import best_size
from survey.core.mechanisms.registry import (
    BOXES,
    MECHANISMS,
    NUMBERS,
    ORDERED,
    LocalRandomizer,
    build_named,
    ratio_bound_not_above,
    requested_epsilon,
)
from survey.core.translate import translate

GOALS = {ORDERED: ("shares", "mean"), NUMBERS: ("distribution", "mean", "quantiles")}


def build_randomizer(
    privacy: Mapping[str, Any], kind: str, answers: int, special_answers: int = 0
) -> LocalRandomizer:
    """The randomizer of a question's `privacy` entry.

    Parameters
    ----------
    privacy : mapping
        `{"mechanism": name, ...its parameters}`. Without `mechanism`, `epsilon` selects the most
        accurate mechanism; ordered choices and numbers may add a `goal`.
    kind : choices, ordered, boxes, numbers or joint
    answers : int
        The number of choices, boxes, or levels of the number.
    special_answers : int
        The number of special answers, such as "prefer not to say".

    Raises
    ------
    MechanismError, TableError
    """
    name, parameters = mechanism_for(privacy, kind, answers, special_answers)
    return build_named(name, parameters, kind, answers, special_answers)


def work_of(privacy: Mapping[str, Any], kind: str, answers: int, special_answers: int = 0) -> int:
    """An upper bound for the time of `build_randomizer`, in units of about 20 µs.

    It is the cube of the answers for a slow mechanism, or the mechanism's fixed work. Raises
    MechanismError if `privacy` selects no mechanism.
    """
    name, _ = mechanism_for(privacy, kind, answers, special_answers)
    chosen = MECHANISMS.get(name) if isinstance(name, str) else None
    if chosen is None:
        return 0
    return answers**3 if chosen.slow else chosen.fixed_work


def mechanism_for(
    privacy: Mapping[str, Any], kind: str, answers: int, special_answers: int
) -> tuple[Any, dict[str, Any]]:
    """The name of the mechanism, which is not checked yet, and its parameters."""
    parameters = dict(privacy)
    name = parameters.pop("mechanism", None)
    if name is None:
        goals = GOALS.get(kind, ())
        goal = parameters.pop("goal", goals[0] if goals else None)
        if goal is not None and not goals:
            raise MechanismError(
                "Only numbers and scales have a goal. Remove the goal.", "goal", "kind"
            )
        if goals and goal not in goals:
            raise MechanismError(
                "goal must be %(goals)s, not %(goal)s.",
                goals=translate(" or ").join(goals),
                goal=repr(goal),
            )
        if set(parameters) != {"epsilon"}:
            raise MechanismError(
                'Give "mechanism", or only "epsilon" to let Candor choose the mechanism.'
            )
        name = best_mechanism(kind, answers, special_answers, parameters["epsilon"], goal)
    return name, parameters


def best_mechanism(
    kind: str, answers: int, special_answers: int, epsilon: Any, goal: str | None
) -> str:
    """The name of the mechanism with least variance.

    For shares it is subset selection, which attains the lower bound of Ye & Barg. If its best set
    has one member, this is k-ary randomised response. For boxes it is the smaller of two closed
    forms. For a mean it is the optimum of the linear programme, and for quantiles that of a convex
    programme. For the mean and the distribution together it is the window, as a compromise. For
    joint answers it is that for shares, because the share of an answer to one question is the sum
    of the shares of combinations.
    """
    if goal == "mean":
        return "optimal_mean"
    if goal == "quantiles":
        return "optimal_quantiles"
    if kind == NUMBERS:
        return "window"
    if kind == BOXES:
        wish = float(requested_epsilon(epsilon))
        boxes = answers + special_answers
        sampled = variance_of_sampled(boxes, best_sample(boxes, wish), wish)
        fits = answers <= MAX_JOINT_BOXES
        if fits and variance_of_joint(answers, wish, special_answers) < sampled:
            return "joint_boxes"
        return "sampled_boxes"
    single = best_size(answers + special_answers, ratio_bound_not_above(epsilon)) == 1
    return "k_randomized_response" if single else "subset_selection"
