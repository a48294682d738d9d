"""Relevance: which questions are asked, given the answers to earlier ones.

The rule runs in the respondent's page, on true answers. A question that
is not asked is answered all the same, by "not asked" or by what the designer says, and goes
through its randomizer, so that what is sent tells nothing about the way through the survey.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from survey.core.errors import DefinitionError, MechanismError
from survey.core.number_grid import decimal, json_number
from survey.definition.questions import NOTE, NUMBER, TEXT, Question


def parse_relevance(value: Any, earlier: Sequence[Question], place: str) -> dict[str, Any]:
    """What has to hold for a question to be asked, in its canonical form.

    `{"smokes": ["yes"], "age": {"min": 18}}`: all of it; of a list, one. The names are of earlier
    questions; for boxes, one of those named is ticked.

    Raises DefinitionError.
    """
    if not isinstance(value, Mapping) or not value:
        raise DefinitionError(place, 'is an object such as {"smokes": "yes"}.')
    earlier_by_name = {question.name: question for question in earlier}
    parsed: dict[str, Any] = {}
    for name, condition in value.items():
        where = f"{place}.{name}"
        parent = earlier_by_name.get(name)
        if parent is None or parent.type in (NOTE, TEXT):
            fault = "is no earlier question that this can depend on."
            raise DefinitionError(where, fault, "unknown")
        if parent.type == NUMBER:
            parsed[name] = parse_bounds(condition, where)
            continue
        names = [condition] if isinstance(condition, str) else condition
        possible = [choice.name for choice in parent.offered]
        if not isinstance(names, list) or not names or any(n not in possible for n in names):
            fault = f"is one or a list of: {', '.join(possible)}."
            raise DefinitionError(where, fault, "values")
        parsed[name] = [n for n in possible if n in names]
    return parsed


def parse_bounds(condition: Any, place: str) -> dict[str, float | int]:
    if not isinstance(condition, Mapping) or not condition or set(condition) - {"min", "max"}:
        raise DefinitionError(place, 'is an object such as {"min": 18, "max": 65}.', "bounds")
    try:
        return {key: json_number(decimal(bound, key)) for key, bound in sorted(condition.items())}
    except MechanismError as error:
        raise DefinitionError(place, str(error), "bounds") from error
