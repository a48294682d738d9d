"""Relevance: the conditions under which a question is asked, given earlier answers.

The rule runs in the respondent's page, on true answers. A question that is not asked still gets an
answer: "not asked", or the one that the designer names. This answer goes through the randomizer
too, so the reports do not reveal the path through the survey.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from survey.core.errors import DefinitionError
from survey.definition.questions import Question


def parse_relevance(value: Any, earlier: Sequence[Question], place: str) -> dict[str, Any]:
    """A question's condition in its canonical form.

    `{"smokes": ["yes"], "age": {"min": 18}}` requires all of its entries, and one value of each
    list. The names are those of earlier questions. For boxes, one of the listed boxes must be
    ticked.

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
