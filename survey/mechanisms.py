"""Mechanisms: named recipes that make a randomizer. Adding one is adding one function here.

A function decorated with `@mechanism` takes the number of answers and keyword parameters and
returns a `Randomizer`. The registry gives it its choice in the form, its line in the docs, and
its tests: every `examples` entry is checked for totals, exact epsilon, scores, sampler and audit.

Probabilities are read exactly: 0.1 means one tenth, and "2/3" may be written. Answers are
numbered as the question lists them; for a yes/no question, answer 0 is yes and answer 1 is no.
The meaning of a published mechanism never changes: a changed one gets a new name.
"""

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .errors import MechanismError
from .exact import exact, probability
from .randomizer import Randomizer, exp_below

MAX_DENOMINATOR = 100  # "small integers": odds are t:l with l at most this
MAX_EPSILON = 12.0  # e^12 is about 163,000:1, far beyond anything that protects


@dataclass(frozen=True)
class Mechanism:
    """A registered recipe.

    Attributes
    ----------
    name : as written in a definition
    title : for people
    source : where the design comes from
    build : (answers, **parameters) -> Randomizer
    parameters : names a definition may give
    required : those of them that it must give
    two_answers_only : whether it is a design for yes/no and other two-answer questions
    examples : (answers, parameters) pairs, which the tests and the docs run
    """

    name: str
    title: str
    source: str
    build: Callable[..., Randomizer]
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    two_answers_only: bool
    examples: tuple[tuple[int, dict[str, Any]], ...]


MECHANISMS: dict[str, Mechanism] = {}


def mechanism(
    title: str,
    *,
    source: str,
    examples: Sequence[tuple[int, dict[str, Any]]],
    two_answers_only: bool = False,
) -> Callable[[Callable[..., Randomizer]], Callable[..., Randomizer]]:
    """Register the decorated function under its own name."""

    def register(build: Callable[..., Randomizer]) -> Callable[..., Randomizer]:
        name = build.__name__
        if name in MECHANISMS:
            raise ValueError(f"Mechanism {name!r} is registered already.")
        declared = list(inspect.signature(build).parameters.values())[1:]
        MECHANISMS[name] = Mechanism(
            name=name,
            title=title,
            source=source,
            build=build,
            parameters=tuple(p.name for p in declared),
            required=tuple(p.name for p in declared if p.default is p.empty),
            two_answers_only=two_answers_only,
            examples=tuple(examples),
        )
        return build

    return register


def build_randomizer(privacy: Mapping[str, Any], answers: int) -> Randomizer:
    """The randomizer that a question's `privacy` entry asks for.

    Parameters
    ----------
    privacy : mapping
        `{"mechanism": name, ...its parameters}`; without `mechanism`, `epsilon` alone picks the
        most accurate one known here.
    answers : int
        How many choices the question has, at least 2.

    Raises
    ------
    MechanismError, TableError
    """
    parameters = dict(privacy)
    name = parameters.pop("mechanism", None)
    if name is None:
        if set(parameters) != {"epsilon"}:
            raise MechanismError(
                'Give "mechanism", or "epsilon" alone to have the mechanism chosen.'
            )
        name = "k_randomized_response"
    chosen = MECHANISMS.get(name) if isinstance(name, str) else None
    if chosen is None:
        raise MechanismError(
            f"There is no mechanism {name!r}. There are: {', '.join(sorted(MECHANISMS))}."
        )
    if chosen.two_answers_only and answers != 2:
        raise MechanismError(f"{name} is for two answers; this question has {answers}.")
    for key in parameters:
        if key not in chosen.parameters:
            known = ", ".join(chosen.parameters) or "no parameters"
            raise MechanismError(f"{name} does not know {key!r}. It takes: {known}.")
    for key in chosen.required:
        if key not in parameters:
            raise MechanismError(f"{name} needs {key}.")
    return chosen.build(answers, **parameters)


def odds_not_above(epsilon: Any) -> Fraction:
    """The largest odds t:l, l at most 100, with ln(t/l) not above the wished epsilon.

    Raises MechanismError outside 0.01 <= epsilon <= 12: below, the odds would be 1:1, which is
    no information at all.
    """
    wish = exact(epsilon, "epsilon")
    if not 0 < wish <= MAX_EPSILON:
        raise MechanismError(f"epsilon is above 0 and at most {MAX_EPSILON:g}, not {epsilon!r}.")
    limit = exp_below(wish)
    odds = max(Fraction(math.floor(limit * low), low) for low in range(1, MAX_DENOMINATOR + 1))
    if odds <= 1:
        raise MechanismError("epsilon is at least 0.01: below, a report says nothing at all.")
    return odds


def chosen_odds(odds: Any, epsilon: Any) -> Fraction:
    """The odds from exactly one of the two parameters."""
    if (odds is None) == (epsilon is None):
        raise MechanismError("Give either odds or epsilon.")
    if odds is None:
        return odds_not_above(epsilon)
    ratio = exact(odds.replace(":", "/") if isinstance(odds, str) else odds, "odds")
    if ratio <= 1:
        raise MechanismError(f"odds are above 1, such as 3 or 8:3, not {odds!r}.")
    return ratio


def two_levels(answers: int, odds: Fraction) -> Randomizer:
    """Weight t for the answer itself, l for every other report, with t:l = odds."""
    return Randomizer(
        tuple(
            tuple(odds.numerator if x == y else odds.denominator for y in range(answers))
            for x in range(answers)
        )
    )


@mechanism(
    "Two coin flips",
    source="Textbook form of Warner (1965): tails, and a second coin answers instead",
    examples=[(2, {}), (5, {})],
)
def coin_flip(answers: int) -> Randomizer:
    """First coin heads: the true answer. Tails: one of the answers, all equally likely.

    For two answers 3:1, hence epsilon = ln 3 and P' = 2P - 1/2; for k answers (k + 1):1.
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

    gamma lies strictly between 0 and 1/2; odds = (1/2 + gamma) / (1/2 - gamma). Give one of
    gamma, odds, epsilon.
    """
    if gamma is None:
        return two_levels(2, chosen_odds(odds, epsilon))
    if odds is not None or epsilon is not None:
        raise MechanismError("Give one of gamma, odds and epsilon.")
    lean = exact(gamma, "gamma")
    if not 0 < lean < Fraction(1, 2):
        raise MechanismError(f"gamma is above 0 and below 1/2, not {gamma!r}.")
    return two_levels(2, (Fraction(1, 2) + lean) / (Fraction(1, 2) - lean))


@mechanism(
    "k-ary randomised response",
    source="Kairouz, Bonawitz & Ramage (2016)",
    examples=[(5, {"epsilon": 1}), (3, {"odds": 4}), (11, {"epsilon": 2})],
)
def k_randomized_response(answers: int, odds: Any = None, epsilon: Any = None) -> Randomizer:
    """The true answer, with `odds` against each single other answer."""
    return two_levels(answers, chosen_odds(odds, epsilon))


@mechanism(
    "Forced response",
    source="Boruch (1971); several categories: Heck & Moshagen (2018), JSS 85(2)",
    examples=[
        (2, {"p_truth": "2/3", "p_yes": "1/6", "p_no": "1/6"}),
        (5, {"p_truth": 0.65, "p_forced": [0.1, 0.1, 0.05, 0.05, 0.05]}),
    ],
)
def forced_response(
    answers: int, p_truth: Any, p_yes: Any = None, p_no: Any = None, p_forced: Any = None
) -> Randomizer:
    """The truth with probability p_truth, else a set answer: p_yes, p_no, or one for each choice.

    The probabilities add up to 1. With more than two answers give `p_forced`, a list.
    """
    if p_forced is None:
        if answers != 2:
            raise MechanismError(f"p_forced is a list of {answers} probabilities here.")
        p_forced = [p_yes, p_no]
    elif p_yes is not None or p_no is not None:
        raise MechanismError("Give p_yes and p_no, or p_forced.")
    if not isinstance(p_forced, list | tuple) or len(p_forced) != answers:
        raise MechanismError(f"p_forced is a list of {answers} probabilities here.")
    truth = probability(p_truth, "p_truth")
    forced = [probability(share, "a forced probability") for share in p_forced]
    if truth + sum(forced) != 1:
        raise MechanismError(
            f"p_truth and the forced probabilities add up to {truth + sum(forced)}, not to 1."
        )
    if truth == 0:
        raise MechanismError("p_truth is above 0: without any truth there is nothing to estimate.")
    return Randomizer.from_probabilities(
        [[forced[y] + (truth if x == y else 0) for y in range(answers)] for x in range(answers)]
    )


@mechanism(
    "Warner's design (mirrored question)",
    source="Warner (1965), JASA 60; also the crosswise model: Yu, Tian & Tang (2008)",
    examples=[(2, {"p": "2/3"}), (2, {"p": 0.25})],
    two_answers_only=True,
)
def warner(answers: int, p: Any) -> Randomizer:
    """With probability p asked whether one has the trait, else whether one has it not.

    p is above 0, below 1 and not 1/2. Counting "same" of a crosswise question as yes, p is the
    known share of the harmless trait.
    """
    share = exact(p, "p")
    if not 0 < share < 1 or share == Fraction(1, 2):
        raise MechanismError(f"p is above 0, below 1 and not 1/2, not {p!r}.")
    return Randomizer.from_probabilities([[share, 1 - share], [1 - share, share]])


@mechanism(
    "Own table",
    source="the researcher's",
    examples=[
        (2, {"rows": [[5, 3, 2], [2, 3, 5]]}),
        (3, {"rows": [[6, 1, 1], [2, 5, 1], [1, 1, 6]]}),
    ],
)
def table(answers: int, rows: Any) -> Randomizer:
    """The researcher's own rows of whole numbers, one row for each answer."""
    randomizer = Randomizer.from_rows(rows)
    if randomizer.answers != answers:
        raise MechanismError(
            f"The table has {randomizer.answers} rows; the question has {answers} answers."
        )
    randomizer.require_independent_rows()  # all other mechanisms have them by construction
    return randomizer
