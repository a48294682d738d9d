"""The registry of mechanisms: a decorated function makes a randomizer, and its name identifies it.

A function decorated with `@mechanism` takes the number of answers and keyword parameters, and
returns a local randomizer. The registry adds it to the form, the documentation and the tests. The
tests check every `examples` entry for totals, exact epsilon, scores, sampler and audit.

Probabilities are exact: 0.1 means one tenth, and "2/3" is allowed. Answers have the order of the
question. For a yes/no question, answer 0 is yes and answer 1 is no. The meaning of a published
mechanism never changes: a changed mechanism gets a new name.
"""

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from survey.core.errors import MechanismError
from survey.core.exact_numbers import exact
from survey.core.factored_randomizers import FactoredRandomizer
from survey.core.integer_rounding import add_special_answers
from survey.core.randomizer import Randomizer, exp_below
from survey.core.translate import translate

LocalRandomizer = Randomizer | FactoredRandomizer
Build = Callable[..., LocalRandomizer]

# Ratio bounds are t:l with small integers: l is at most this.
MAX_DENOMINATOR = 100
# e^12 is about 163,000:1, far beyond any protection.
MAX_EPSILON = 12.0

CHOICES = "choices"
ORDERED = "ordered"
BOXES = "boxes"
NUMBERS = "numbers"
# Combinations of the answers to several questions.
JOINT = "joint"


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """A registered recipe.

    Attributes
    ----------
    name : its name in a definition
    title : its name for people
    source : the origin of the design
    build : (answers, **parameters) -> randomizer
    parameters : the names that a definition may use
    required : those that it must use
    serves : kinds of answers: choices, ordered choices, boxes, numbers, joint answers
    two_answers_only : whether it is for questions with two answers, such as yes/no
    slow : whether its table takes long to calculate for many answers
    fixed_work : the time to calculate its table, if it hardly depends on the answers; in the units
        of `work_of`
    extras_inside : whether "prefer not to say" and similar answers are ordinary choices or boxes.
        If not, they are added to the finished table, or by the function if it has a keyword
        `special_answers`
    examples : (answers, parameters) pairs that the tests and the documentation run
    """

    name: str
    title: str
    source: str
    build: Build
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    serves: tuple[str, ...]
    two_answers_only: bool
    slow: bool
    fixed_work: int
    special_answers_inside: bool
    examples: tuple[tuple[int, dict[str, Any]], ...]


MECHANISMS: dict[str, Mechanism] = {}


def mechanism(
    title: str,
    *,
    source: str,
    examples: Sequence[tuple[int, dict[str, Any]]],
    serves: Sequence[str] = (CHOICES, ORDERED),
    two_answers_only: bool = False,
    slow: bool = False,
    fixed_work: int = 0,
    special_answers_inside: bool = False,
) -> Callable[[Build], Build]:
    """Register the decorated function under its own name."""

    def register(build: Build) -> Build:
        name = build.__name__
        if name in MECHANISMS:
            raise ValueError(f"Mechanism {name!r} is already registered. Choose another name.")
        declared = [
            p for p in inspect.signature(build).parameters.values() if p.name != "special_answers"
        ]
        declared = declared[1:]
        MECHANISMS[name] = Mechanism(
            name=name,
            title=title,
            source=source,
            build=build,
            parameters=tuple(p.name for p in declared),
            required=tuple(p.name for p in declared if p.default is p.empty),
            serves=tuple(serves),
            two_answers_only=two_answers_only,
            slow=slow,
            fixed_work=fixed_work,
            special_answers_inside=special_answers_inside,
            examples=tuple(examples),
        )
        return build

    return register


def build_named(
    name: Any, parameters: Mapping[str, Any], kind: str, answers: int, special_answers: int
) -> LocalRandomizer:
    """The randomizer of a named mechanism. Raises MechanismError for wrong parameters."""
    chosen = MECHANISMS.get(name) if isinstance(name, str) else None
    if chosen is None:
        raise MechanismError(
            "There is no mechanism %(name)s. Use one of %(mechanisms)s.",
            name=repr(name),
            mechanisms=", ".join(sorted(MECHANISMS)),
        )
    if kind not in chosen.serves:
        fitting = sorted(entry.name for entry in MECHANISMS.values() if kind in entry.serves)
        raise MechanismError(
            "%(name)s is for %(kinds)s, but this question has %(kind)s. Use one of %(mechanisms)s.",
            "",
            "kind",
            name=name,
            kinds=translate(" or ").join(chosen.serves),
            kind=kind,
            mechanisms=", ".join(fitting),
        )
    if chosen.two_answers_only and answers != 2:
        raise MechanismError(
            "%(name)s is for two answers, but this question has %(n)s. Choose another mechanism.",
            "",
            "two",
            name=name,
            n=answers,
        )
    for key in parameters:
        if key not in chosen.parameters:
            raise MechanismError(
                "%(name)s has no parameter %(parameter)s. It accepts %(accepted)s.",
                name=name,
                parameter=repr(key),
                accepted=", ".join(chosen.parameters) or translate("no parameters"),
            )
    for key in chosen.required:
        if key not in parameters:
            raise MechanismError("%(name)s needs %(parameter)s. Add it.", name=name, parameter=key)
    if chosen.special_answers_inside:
        return chosen.build(answers + special_answers, **parameters)
    if "special_answers" in inspect.signature(chosen.build).parameters:
        return chosen.build(answers, **parameters, special_answers=special_answers)
    built = chosen.build(answers, **parameters)
    return add_special_answers(built, special_answers) if isinstance(built, Randomizer) else built


def ratio_bound_not_above(epsilon: Any) -> Fraction:
    """The largest ratio bound t:l, with l at most 100, for which ln(t/l) does not exceed epsilon.

    Raises MechanismError outside of 0.01 <= epsilon <= 12. Below that range the ratio bound would
    be 1:1, and the reports would have no information.
    """
    ratio_bound = largest_ratio_bound(requested_epsilon(epsilon))
    if ratio_bound <= 1:
        raise MechanismError(
            "epsilon must be at least 0.01. Below that, reports have no information.",
            "epsilon",
            "range",
        )
    return ratio_bound


@lru_cache(maxsize=1024)  # Many questions of a survey use the same epsilon.
def largest_ratio_bound(epsilon: Fraction) -> Fraction:
    limit = exp_below(epsilon)
    return max(Fraction(math.floor(limit * low), low) for low in range(1, MAX_DENOMINATOR + 1))


def requested_epsilon(epsilon: Any) -> Fraction:
    """The requested epsilon as a fraction. Raises MechanismError unless 0 < epsilon <= 12."""
    requested = exact(epsilon, "epsilon")
    if not 0 < requested <= MAX_EPSILON:
        raise MechanismError(
            "epsilon must be above 0 and at most %(most)s, not %(epsilon)s.",
            "epsilon",
            "range",
            most=f"{MAX_EPSILON:g}",
            epsilon=repr(epsilon),
        )
    return requested


def chosen_ratio_bound(odds: Any, epsilon: Any) -> Fraction:
    """The ratio bound from exactly one of the two parameters. Raises MechanismError."""
    if (odds is None) == (epsilon is None):
        raise MechanismError("Give either odds or epsilon.")
    if odds is None:
        return ratio_bound_not_above(epsilon)
    ratio = exact(odds.replace(":", "/") if isinstance(odds, str) else odds, "odds")
    if not 1 < ratio <= exp_below(MAX_EPSILON):
        raise MechanismError(
            "odds must be above 1, such as 3 or 8:3, and at most e^%(most)s, not %(odds)s.",
            most=f"{MAX_EPSILON:g}",
            odds=repr(odds),
        )
    return ratio


def whole_number_parameter(value: Any, name: str, low: int, high: int) -> int:
    """An integer parameter within bounds. Raises MechanismError."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,20}\s*", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise MechanismError(
            "%(name)s must be a whole number from %(low)s to %(high)s, not %(value)s.",
            name=name,
            low=low,
            high=high,
            value=repr(value),
        )
    return value
