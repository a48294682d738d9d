"""Relevance: which questions are asked, given the answers to earlier ones.

The rule runs in the respondent's page, on true answers. A question that
is not asked is answered all the same, by "not asked" or by what the designer says, and goes
through its randomizer, so that what is sent tells nothing about the way through the survey.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from survey.core.errors import DefinitionError
from survey.definition.questions import Question


def parse_relevance(value: Any, earlier: Sequence[Question], place: str) -> dict[str, Any]:
    """What has to hold for a question to be asked, in its canonical form.

    `{"smokes": ["yes"], "age": {"min": 18}}`: all of it; of a list, one. The names are of earlier
    questions; for boxes, one of those named is ticked.

    Raises DefinitionError.
    """
    if not isinstance(value, Mapping) or not value:
        raise DefinitionError(place, 'must be an object such as {"smokes": "yes"}.')
    earlier_by_name = {question.name: question for question in earlier}
    parsed: dict[str, Any] = {}
    for name, condition in value.items():
        where = f"{place}.{name}"
        parent = earlier_by_name.get(name)
        if parent is None or not parent.kind.estimated:
            fault = "is not an earlier question with answers."
            raise DefinitionError(where, fault, "unknown")
        parsed[name] = parent.kind.parse_condition(condition, parent.offered, where)
    return parsed
