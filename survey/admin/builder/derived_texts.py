"""Conversions between the builder's form and derived answers of a definition.

The form has a menu for the operation, and lines in the style of conditions:

* points: "phq1" for the usual points, or "phq1: never 0, often 3", or "age: 2" as a weight
* conditions: "smokes: yes" or "age: at least 18", as in the field for conditions
* answers by conditions: "high if smokes: often; age: at least 18"
* lowest values of choices, and weights of arms: "low: 0"
* questions of a joint question: "smokes"
"""

from collections.abc import Mapping
from typing import Any

from survey.admin.builder.texts import (
    choice_conditions_text,
    conditions_of_choices,
    parts_of_form,
    relevance_entry,
    relevance_text,
    type_in_form,
)
from survey.core.translate import translate
from survey.core.typed_lines import (
    line_fault,
    named_lines,
    number_from_form,
    number_to_form,
    points_of_line,
    whole_from_form,
)
from survey.definition.derived_answers import CONDITIONS, OPERATIONS, POINTS, usual_points
from survey.definition.questions import Question

# The source of an answer that is not calculated.
GIVEN = "given"
# The fields of the form for the members of a derived answer. Errors of other members belong to the
# menu of operations.
FIELD_OF = {
    **dict.fromkeys(POINTS, "points"),
    **dict.fromkeys(CONDITIONS, "conditions"),
    "recode": "recode",
    "joint": "joint",
    "random": "arms",
    "at_least": "at_least",
    "bands": "bands",
}
OPERATION_FIELDS = frozenset({"derived", *FIELD_OF.values()})


def operation_in_form(data: Mapping[str, Any]) -> str:
    """The operation that calculates the answer, or GIVEN."""
    kind = type_in_form(data)
    if kind.joint:
        return "joint"
    fits = "derivable" in parts_of_form(kind)
    return data["derived"] if fits and data.get("derived") in OPERATIONS else GIVEN


def points_entry(text: str, place: str) -> Any:
    """The points of a sum or mean, from lines. Names alone have the usual points."""
    lines = dict(named_lines(text, place))
    if not any(lines.values()):
        return list(lines)
    if not all(lines.values()):
        sentence = translate("give points to every question, or to none.")
        raise line_fault(place, sentence)
    return {name: points_of_line(name, rest, place) for name, rest in lines.items()}


def derived_entry(data: Mapping[str, Any], operation: str, place: str) -> dict[str, Any]:
    """How a derived answer is calculated, from the form's data. Raises DefinitionError."""
    text, where = data[FIELD_OF[operation]] or "", f"{place}.{operation}"
    if operation == "recode":
        return {"recode": conditions_of_choices(text, where)}
    if type_in_form(data).joint:
        return {"joint": [line.strip() for line in text.splitlines() if line.strip()]}
    if operation == "random":
        weights = named_lines(text, where)
        return {"random": {name: whole_from_form(rest) for name, rest in weights}}
    derived: dict[str, Any]
    if operation in CONDITIONS:
        derived = {operation: relevance_entry(text, where)}
        if operation != "count":
            return derived
    else:
        derived = {operation: points_entry(text, where)}
    outcome = type_in_form(data).outcome
    if outcome == "at_least":
        derived["at_least"] = number_from_form(data["at_least"])
    elif outcome == "bands":
        lines = named_lines(data["bands"] or "", f"{place}.bands")
        derived["bands"] = {name: number_from_form(rest) for name, rest in lines}
    return derived


def points_lines(entries: Mapping[str, Any], questions: Mapping[str, Question]) -> str:
    """The inverse of `points_entry`. It is names alone if all questions have the usual points.

    A stored definition has sorted names, so the lines have the order of the questions.
    """
    entries = {name: entries[name] for name in (*questions, *entries) if name in entries}
    if all(
        name in questions and usual_points(questions[name]) == points
        for name, points in entries.items()
    ):
        return "\n".join(entries)
    lines = []
    for name, points in entries.items():
        pairs = points.items() if isinstance(points, Mapping) else ()
        listed = ", ".join(f"{code} {each}" for code, each in pairs)
        lines.append(f"{name}: {listed or points}")
    return "\n".join(lines)


def values_text(values: Mapping[str, Any]) -> str:
    """Lines such as "low: 0"."""
    return "\n".join(f"{name}: {number_to_form(str(value))}" for name, value in values.items())


def derived_data(
    derived: Mapping[str, Any] | None, questions: Mapping[str, Question]
) -> dict[str, str]:
    """The inverse of `derived_entry`. `questions` are those of the survey, by name."""
    if derived is None:
        return {}
    (operation,) = (name for name in OPERATIONS if name in derived)
    entries = derived[operation]
    if joined := derived.get("joint"):
        return {FIELD_OF[operation]: "\n".join(joined)}
    if operation in POINTS:
        text = points_lines(entries, questions)
    elif operation in CONDITIONS:
        text = relevance_text(entries)
    else:
        text = choice_conditions_text(entries) if operation == "recode" else values_text(entries)
    at_least = number_to_form(str(derived["at_least"])) if "at_least" in derived else ""
    return {
        "derived": operation,
        FIELD_OF[operation]: text,
        "at_least": at_least,
        "bands": values_text(derived.get("bands", {})),
    }
