"""Relevance: the conditions under which a question is asked, given earlier answers.

The rule runs in the respondent's page, on true answers. A question that is not asked still gets an
answer: "not asked", or the one that the designer names. This answer goes through the randomizer
too, so the reports do not reveal the path through the survey.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from survey.core.errors import DefinitionError
from survey.core.translate import translate
from survey.definition.questions import Question


def parse_relevance(value: Any, earlier: Sequence[Question], place: str) -> dict[str, Any]:
    """A question's condition in its canonical form.

    `{"smokes": ["yes"], "age": {"min": 18}}` requires all of its entries, and one value of each
    list. The names are those of earlier questions. For boxes, one of the listed boxes must be
    ticked.

    Raises DefinitionError.
    """
    if not isinstance(value, Mapping) or not value:
        fault = translate('must be an object such as {"smokes": "yes"}.')
        raise DefinitionError(place, fault)
    earlier_by_name = {question.name: question for question in earlier}
    parsed: dict[str, Any] = {}
    for name, condition in value.items():
        where = f"{place}.{name}"
        parent = earlier_by_name.get(name)
        if parent is None or not parent.kind.estimated:
            fault = translate("is not an earlier question with answers.")
            raise DefinitionError(where, fault, "unknown")
        if not parent.kind.can_be_condition:
            fault = translate("is a ranking, and conditions cannot use a ranking.")
            raise DefinitionError(where, fault, "values")
        parsed[name] = parent.kind.parse_condition(condition, parent.offered, where)
    return parsed


def combined(
    section: Mapping[str, Any], own: Mapping[str, Any], boxes: Collection[str], place: str
) -> dict[str, Any]:
    """The condition of a question in a section: that of the section and its own, together.

    Both are in canonical form. Combining the result with that of the section gives the result.

    Parameters
    ----------
    own : the condition of the question, possibly empty
    boxes : the names of earlier questions with boxes. A condition says that one of several boxes is
        ticked, so it can express both conditions only if one of them implies the other.

    Raises DefinitionError if no answer meets both conditions, or if one condition cannot express
    both.
    """
    both = {**section, **own}
    for name in section.keys() & own.keys():
        one, other = section[name], own[name]
        if isinstance(one, Mapping):
            both[name] = overlap(one, other)
            possible = len(both[name]) < 2 or both[name]["min"] <= both[name]["max"]
        else:
            both[name] = [value for value in one if value in other]
            possible = bool(both[name]) and (name not in boxes or both[name] in (one, other))
        if not possible:
            fault = translate(
                "cannot hold together with the condition of its section. Change one of them."
            )
            raise DefinitionError(f"{place}.{name}", fault, "section")
    return both


def overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers in two ranges, each with `min` or `max` or both."""
    ends = {}
    for key, chosen in (("max", min), ("min", max)):
        if bounds := [each[key] for each in (one, other) if key in each]:
            ends[key] = chosen(bounds)
    return ends
