"""Derived answers: answers that the respondent's page calculates from other answers.

A derived answer is randomised once, with the whole ε of its question. The answers behind it can
stay in the page: a question with `"privacy": "not_sent"` is never sent. Whatever the page sends
about these answers is then the report of a randomizer, so the likelihood ratio bound of the
derived question holds for all of them together.

static/respondent/derived.js calculates the same. The closed list of operations, in canonical form:

* `{"sum": {"a": {"never": 0, "often": 3}, "age": 2}}` adds the points of the chosen answers. For a
  number, the points are the number times the weight; for boxes, each ticked box counts.
* `{"mean": {...}}` divides this sum by the number of questions that are asked.
* `{"count": {"a": ["often"], "age": {"min": 18}}}` counts the conditions that hold.
* `{"any": {...}}` and `{"all": {...}}` are Yes if one of the conditions holds, or each of them.
* `{"recode": {"high": {"a": ["often"]}, "low": {}}}` is the first answer whose conditions hold.
* `{"joint": ["a", "b"]}` is the combination of the answers. Only a joint question has it
  (survey/definition/types/joint.py), and its choices are all combinations.
* `{"random": {"control": 1, "treated": 2}}` is an experimental arm, drawn with these weights. It
  does not depend on any answer, so it is sent as it is.

A sum, mean or count is a number, or it becomes an answer: `at_least` for Yes, or `bands`, with the
lowest value of each choice.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

from survey.core.errors import DefinitionError, MechanismError
from survey.core.number_grid import Grid, decimal, decimal_text, json_number
from survey.core.translate import translate, translate_number
from survey.definition.choices import Choice, known_keys, names_of
from survey.definition.questions import Question
from survey.definition.relevance import parse_relevance
from survey.definition.types import QuestionType
from survey.definition.types.joint import MAX_ITEMS, MIN_ITEMS, parse_joint

# The function `min` or `max`.
Extreme = Callable[[list[Any]], Any]
POINTS = ("sum", "mean")
CONDITIONS = ("count", "any", "all")
COMBINED = "joint"
OPERATIONS = (*POINTS, *CONDITIONS, "recode", COMBINED, "random")
MAX_ARMS = 6
MAX_WEIGHT = 1_000
# The operations, each with its sentence in docs/reference/definition.md.
DERIVED_FIELDS = {
    "sum": "Sum of points: an object with the points of each answer, such as "
    '`{"a": {"never": 0, "often": 3}}`. For a number, it has a weight in place of points. For '
    "boxes, the points of the ticked boxes count. Points and weights are whole numbers. A list of "
    "names stands for the usual points: 1 for Yes, 0 for No, the rank of a choice of a `scale`, 1 "
    "for each box, and weight 1.",
    "mean": "The same sum over the questions that the page asks, divided by their number.",
    "count": "Number of conditions that hold. Conditions have the form of `relevant`.",
    "any": "Yes if at least one of the conditions holds.",
    "all": "Yes if all conditions hold.",
    "recode": "Conditions for each answer, in the order of the choices. The first answer whose "
    "conditions hold is the answer. The last choice is for everyone else, so it has none.",
    "joint": f"Only in a `joint` question: list of the names of {MIN_ITEMS} to {MAX_ITEMS} earlier "
    "questions (see [Joint questions](#joint-questions)).",
    "random": "Experimental arm: an object with the weight of each choice, such as "
    '`{"control": 1, "treated": 2}`. The page draws one of at most '
    f"{MAX_ARMS} choices for each respondent. Weights are whole numbers from 1 to {MAX_WEIGHT:,}.",
    "at_least": "With `sum`, `mean` or `count` in a `yes_no` question: smallest value that means "
    "Yes.",
    "bands": "With `sum`, `mean` or `count` in a `select_one` or `scale` question: lowest value "
    'of each choice, in ascending order, such as `{"low": 0, "high": 10}`.',
}


def usual_points(question: Question) -> Any:
    """The points of each answer if the definition names only the question, or None."""
    return question.kind.usual_points(names_of(question.choices))


def parse_sum(value: Any, earlier: Mapping[str, Question], place: str) -> dict[str, Any]:
    """The points of a sum or mean, for each of its questions. Raises DefinitionError."""
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        value = {name: usual_points(earlier[name]) if name in earlier else None for name in value}
    if not isinstance(value, Mapping) or not value:
        raise DefinitionError(place, 'must be an object such as {"a": {"never": 0, "often": 3}}.')
    parsed = {}
    for name, points in value.items():
        where, question = f"{place}.{name}", earlier.get(name)
        if question is None or not question.kind.can_be_derived_from:
            raise DefinitionError(where, "is not an earlier question with answers.", "unknown")
        parsed[name] = question.kind.parse_points(points, question, where)
    return parsed


def points_by_condition(
    entries: Mapping[str, Any], earlier: Mapping[str, Question]
) -> list[list[tuple[int, int]]]:
    """The lowest and highest points of questions that are asked together, one list for each group.

    The first group has the questions that always count, and may be empty. Questions with the same
    condition are together. All other groups count as independent.
    """
    groups: dict[str, list[tuple[int, int]]] = {"": []}
    for name, points in entries.items():
        question = earlier[name]
        relevant = None if question.may_be_empty else question.relevant
        condition = str(sorted(relevant.items())) if relevant else name
        group = condition if question.may_be_unasked else ""
        groups.setdefault(group, []).append(question.kind.points_between(points, question))
    return [*groups.values()]


def extreme_sum(groups: Sequence[Sequence[int]], pick: Extreme) -> Fraction:
    """The lowest or highest sum. Questions that are not asked have no points."""
    everyone, *rest = groups
    return Fraction(sum(everyone) + sum(pick([0, sum(points)]) for points in rest))


def extreme_mean(groups: Sequence[Sequence[int]], pick: Extreme) -> Fraction:
    """The lowest or highest mean. It is that of the questions that always count, and of some of the
    most extreme groups."""
    everyone, *rest = groups
    rest.sort(key=mean_of_points, reverse=pick is max)
    found: Fraction = pick([mean_of_points(each) for each in accumulate([everyone, *rest]) if each])
    return found


def mean_of_points(points: Sequence[int]) -> Fraction:
    return Fraction(sum(points), len(points))


def require_mean(derived: Mapping[str, Any], earlier: Mapping[str, Question], place: str) -> None:
    """Refuse a mean that could be of no question at all. Raises DefinitionError."""
    if all(earlier[name].may_be_unasked for name in derived["mean"]):
        raise DefinitionError(
            place,
            "has no value for respondents who are asked none of its questions. Give the result the "
            "condition of these questions, or give one of them an answer in `otherwise`.",
            "unasked",
        )


def values_between(
    derived: Mapping[str, Any], earlier: Mapping[str, Question]
) -> tuple[Fraction, Fraction]:
    """The lowest and highest value of a sum, mean or count."""
    if "count" in derived:
        return Fraction(0), Fraction(len(derived["count"]))
    operation = next(each for each in POINTS if each in derived)
    extreme = extreme_mean if operation == "mean" else extreme_sum
    groups = points_by_condition(derived[operation], earlier)
    low, high = (
        extreme([[points[end] for points in group] for group in groups], pick)
        for end, pick in enumerate((min, max))
    )
    return low, high


def parse_bound(value: Any, place: str) -> Fraction:
    try:
        return decimal(value, "value")
    except MechanismError as error:
        raise DefinitionError(place, str(error), "number") from error


def parse_bands(value: Any, choices: Sequence[Choice], place: str) -> list[Fraction]:
    """The lowest values of the choices, in ascending order. Raises DefinitionError."""
    names = names_of(choices)
    if not isinstance(value, Mapping) or set(value) != set(names):
        raise DefinitionError(
            place,
            "must have the lowest value of each of: %(names)s.",
            "bands",
            names=", ".join(names),
        )
    bounds = [parse_bound(value[name], f"{place}.{name}") for name in names]
    if any(one >= other for one, other in pairwise(bounds)):
        raise DefinitionError(place, "must be in ascending order, as the choices are.", "bands")
    return bounds


def require_reached(bounds: Sequence[Fraction], low: Fraction, high: Fraction, place: str) -> None:
    """Refuse bounds between which every respondent would have the same answer."""
    if not all(low < bound <= high for bound in bounds):
        raise DefinitionError(
            place,
            "must be above %(low)s and at most %(high)s, so that each answer is possible.",
            "bands",
            low=decimal_text_of(low),
            high=decimal_text_of(high),
        )


def decimal_text_of(value: Fraction) -> str:
    """A bound as text, with two decimals if it has infinitely many."""
    try:
        return decimal_text(decimal(value, ""))
    except MechanismError:
        return f"{float(value):.2f}"


def parse_outcome(
    value: Mapping[str, Any],
    derived: Mapping[str, Any],
    kind: QuestionType,
    answers: tuple[Sequence[Choice], Grid | None],
    earlier: Mapping[str, Question],
    place: str,
) -> dict[str, Any]:
    """How a sum, mean or count becomes an answer: `at_least`, `bands`, or nothing for a number.

    Raises DefinitionError.
    """
    choices, grid = answers
    low, high = values_between(derived, earlier)
    wanted = kind.outcome
    for name in ("at_least", "bands"):
        if (name in value) != (name == wanted):
            fault = (
                translate("is missing.")
                if name == wanted
                else translate("does not fit the type of this question.")
            )
            raise DefinitionError(f"{place}.{name}", fault, "outcome")
    if grid is not None:
        if low < grid.low or high > grid.high:
            raise DefinitionError(
                place,
                "can be from %(low)s to %(high)s, so min and max must include these.",
                "range",
                low=decimal_text_of(low),
                high=decimal_text_of(high),
            )
        return {}
    where = f"{place}.{wanted}"
    if wanted == "at_least":
        bound = parse_bound(value["at_least"], where)
        require_reached([bound], low, high, where)
        return {"at_least": json_number(bound)}
    bounds = parse_bands(value["bands"], choices, where)
    require_reached(bounds[1:], low, high, where)
    named = zip(names_of(choices), map(json_number, bounds), strict=True)
    return {"bands": dict(named)}


def parse_recode(
    value: Any, choices: Sequence[Choice], earlier: Sequence[Question], place: str
) -> dict[str, Any]:
    """The conditions of each answer. Raises DefinitionError."""
    names = names_of(choices)
    if not isinstance(value, Mapping) or not set(names[:-1]) <= set(value) <= set(names):
        raise DefinitionError(
            place,
            "must have conditions for each of: %(names)s.",
            "recode",
            names=", ".join(names[:-1]),
        )
    if value.get(names[-1]):
        raise DefinitionError(
            f"{place}.{names[-1]}", "is for everyone else, so it has no conditions.", "everyone"
        )
    conditions = {
        name: parse_relevance(value[name], earlier, f"{place}.{name}") for name in names[:-1]
    }
    return conditions | {names[-1]: {}}


def parse_random(value: Any, choices: Sequence[Choice], place: str) -> Any:
    """The weights of the experimental arms. Raises DefinitionError."""
    names = names_of(choices)
    if not 0 < len(names) <= MAX_ARMS:
        raise DefinitionError(
            place, "needs a single choice with at most %(most)s choices.", "outcome", most=MAX_ARMS
        )
    weights = value if isinstance(value, Mapping) and set(value) == set(names) else {}
    if not weights or any(type(each) is not int for each in weights.values()):
        raise DefinitionError(
            place, "must give a weight to each of: %(names)s.", "weights", names=", ".join(names)
        )
    if not all(1 <= each <= MAX_WEIGHT for each in weights.values()):
        limit = translate_number(f"{MAX_WEIGHT:,}")
        raise DefinitionError(
            place, "must have whole numbers from 1 to %(most)s.", "weights", most=limit
        )
    return {name: weights[name] for name in names}


def parse_derived(
    value: Any,
    kind: QuestionType,
    answers: tuple[Sequence[Choice], Grid | None],
    earlier: Sequence[Question],
    place: str,
) -> dict[str, Any]:
    """How a derived answer is calculated, in canonical form.

    Parameters
    ----------
    answers : the choices of the derived question, or its grid
    earlier : the questions before it, which it may use, as for respondents who have this answer
        (`always_asked_if`)

    Raises DefinitionError.
    """
    if not isinstance(value, Mapping) or sum(name in value for name in OPERATIONS) != 1:
        raise DefinitionError(
            place, "must be an object with one of: %(names)s.", names=", ".join(OPERATIONS)
        )
    known_keys(value, DERIVED_FIELDS, place)
    operation = next(name for name in OPERATIONS if name in value)
    where, known = f"{place}.{operation}", {question.name: question for question in earlier}
    if operation == "random":
        return {"random": parse_random(value["random"], answers[0], where)}
    if operation not in kind.operations:
        raise DefinitionError(where, "does not fit the type of this question.", "outcome")
    if operation == "recode":
        return {"recode": parse_recode(value["recode"], answers[0], earlier, where)}
    if operation == COMBINED:
        return {COMBINED: [item.name for item in parse_joint(value, earlier, place)]}
    if operation in POINTS:
        derived = {operation: parse_sum(value[operation], known, where)}
        if operation == "mean":
            require_mean(derived, known, where)
        return derived | parse_outcome(value, derived, kind, answers, known, place)
    derived = {operation: parse_relevance(value[operation], earlier, where)}
    if operation == "count":
        return derived | parse_outcome(value, derived, kind, answers, known, place)
    return derived


def sources_of(derived: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the questions that a derived answer uses, in the order of the definition."""
    (operation,) = (name for name in OPERATIONS if name in derived)
    if operation == "random":
        return ()
    if operation != "recode":
        return tuple(derived[operation])
    names = (name for condition in derived["recode"].values() for name in condition)
    return tuple(dict.fromkeys(names))


def arm_probabilities(question: Question) -> dict[str, Fraction]:
    """The exact probability of each arm that a question draws, in the order of the choices."""
    weights = (question.derived or {})["random"]
    return {
        name: Fraction(weights[name], sum(weights.values())) for name in names_of(question.choices)
    }


def require_derivable(question: Question, sources: Sequence[Question], place: str) -> None:
    """Refuse a derived answer that could not be calculated for everyone, or that would reveal more
    than the answers behind it. Raises DefinitionError.

    An experimental arm must be sent as it is, and everyone must have one.
    """
    if question.is_arm and (not question.non_private or question.special_answers):
        raise DefinitionError(
            f"{place}.derived",
            "does not fit an experimental arm, which is sent as it is to everyone.",
            "arm",
        )
    declinable = next((each for each in sources if each.offers_to_decline), None)
    # In a joint question, "prefer not to say" is a part of the combinations.
    may_decline = "prefer_not_to_say" in question.kind.keys
    if may_decline and declinable is not None and not question.offers_to_decline:
        raise DefinitionError(
            f"{place}.prefer_not_to_say",
            "must be true, because respondents can decline to answer %(name)s.",
            "declinable",
            name=repr(declinable.name),
        )
    private = next((each for each in sources if not each.non_private), None)
    if question.non_private and private is not None:
        raise DefinitionError(
            f"{place}.privacy",
            "would reveal answers to %(name)s. Protect this derived answer too.",
            "derived",
            name=repr(private.name),
        )
