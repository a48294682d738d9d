"""Conversions between texts of the builder's form and members of a definition.

They cover choices, conditions, and protection.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from survey.core.errors import DefinitionError, MechanismError
from survey.core.exact_numbers import exact
from survey.core.json_text import parse_json
from survey.core.translate import translate
from survey.core.typed_lines import line_fault, number_from_form, number_to_form
from survey.definition.choices import choice_name
from survey.definition.protection_levels import COIN_FLIP, LEVELS, MEDIUM, privacy_of_level
from survey.definition.types import QUESTION_TYPES, QuestionType
from survey.planning.sample_size import MAX_RESPONDENTS

# The protection of a question that shares in the level of the whole survey.
AS_SURVEY = "level"
BY_CONDITIONS = re.compile(r"(?P<names>\S.*?)\s+if\s+(?P<conditions>.+)")
BOUNDS = re.compile(r"(?P<low>\S+) to (?P<high>\S+)|at (?P<way>least|most) (?P<one>\S+)")


def type_in_form(data: Mapping[str, Any]) -> QuestionType:
    """The type of a question. An unknown type is read as a single choice, and the definition's
    parser refuses it."""
    return QUESTION_TYPES.get(data["type"], QUESTION_TYPES["select_one"])


def parts_of_form(kind: QuestionType) -> tuple[str, ...]:
    """The parts of the form that apply to a type of question."""
    members = (name for name in ("hint", "relevant") if name in kind.keys)
    return (*kind.builder_parts, *members)


def parse_expected_respondents(text: str | None) -> int | None:
    """The target sample size, or None if nothing is typed. Raises DefinitionError."""
    typed = (text or "").replace(" ", "")
    if not typed:
        return None
    # Groups of three digits, as in 2,000 or, in some languages, 2.000. So 3,5 is no number.
    if re.fullmatch(r"[0-9]{1,12}|[0-9]{1,3}([,.])[0-9]{3}(\1[0-9]{3}){0,2}", typed):
        n = int(re.sub("[,.]", "", typed))
        if 1 <= n <= MAX_RESPONDENTS:
            return n
    raise DefinitionError("respondents", "is not a valid number.", "range")


def choice_entries(text: str) -> list[dict[str, Any]]:
    """Choices from lines. In `code | label` the name is the code, otherwise it is made from the
    label or the line's number."""
    entries: list[dict[str, Any]] = []
    names: set[str] = set()
    for line in filter(None, (line.strip() for line in text.splitlines())):
        name, bar, label = line.partition("|")
        if not bar:
            label = line
            name = choice_name(label.strip().lower(), len(entries) + 1, names)
        names.add(name.strip())
        entries.append({"name": name.strip(), "label": label.strip()})
    return entries


def choice_line(choice: Mapping[str, Any]) -> str:
    """The inverse of `choice_entries` for one choice. It is the label alone if `choice_entries`
    makes the same name from it."""
    name, label = choice["name"], " ".join(choice["label"].splitlines())
    alone = name == label and choice_entries(label) == [{"name": name, "label": label}]
    return label if alone else f"{name} | {label}"


def privacy_entry(data: Mapping[str, Any], place: str) -> Any:
    """The privacy entry of a definition from the form's data."""
    epsilon = number_from_form(data["epsilon"])
    match data["privacy"]:
        case "none" | "not_sent" as stated:
            return stated
        case "level":
            # A survey with a level gives the question its share (`to_survey`).
            return privacy_of_level(MEDIUM, type_in_form(data), data.get("goal") or "")
        case level if level in LEVELS:
            return privacy_of_level(level, type_in_form(data), data.get("goal") or "")
        case "coin_flip":
            return dict(COIN_FLIP)
        case "gamma":
            return {"mechanism": "randomized_response", "gamma": number_from_form(data["gamma"])}
        case "epsilon":
            return {"epsilon": epsilon}
        case "mean" | "quantiles" as goal:
            return {"epsilon": epsilon, "goal": goal}
    try:
        return parse_json(data["other"] or "")
    except ValueError as error:
        raise DefinitionError(
            place, 'is not JSON. Write it as {"mechanism": "warner", "p": "2/3"}.', "json"
        ) from error


def privacy_data(privacy: Any, kind: QuestionType) -> dict[str, str]:
    """The inverse of `privacy_entry`: the form's fields for an entry of a checked definition."""
    if isinstance(privacy, str):
        return {"privacy": privacy}
    if privacy == COIN_FLIP:
        return {"privacy": MEDIUM if privacy == privacy_of_level(MEDIUM, kind) else "coin_flip"}
    if set(privacy) == {"mechanism", "gamma"}:
        return {"privacy": "gamma", "gamma": number_to_form(str(privacy["gamma"]))}
    goal = privacy.get("goal")
    of_form = goal in ("mean", "quantiles")
    if set(privacy) == {"epsilon"} or (set(privacy) == {"epsilon", "goal"} and of_form):
        level = level_of(privacy["epsilon"])
        if level and privacy_of_level(level, kind, goal or "shares").keys() == privacy.keys():
            return {"privacy": level, "goal": goal if of_form else "shares"}
        protection = goal if of_form else "epsilon"
        return {"privacy": protection, "epsilon": number_to_form(str(privacy["epsilon"]))}
    return {"privacy": "other", "other": json.dumps(privacy, ensure_ascii=False)}


def level_of(epsilon: Any) -> str | None:
    """The protection level with this ε, if there is one."""
    try:
        value = exact(epsilon, "epsilon")
    except MechanismError:
        return None
    return next((level for level, each in LEVELS.items() if exact(each, level) == value), None)


def relevance_entry(text: str, place: str) -> dict[str, Any]:
    """The definition's relevance from lines such as "smokes: yes, sometimes", "age: 18 to 65",
    "age: at least 18"."""
    relevant: dict[str, Any] = {}
    for line in filter(None, (line.strip() for line in text.splitlines())):
        name, colon, condition = (part.strip() for part in line.partition(":"))
        if not colon or not condition:
            raise DefinitionError(
                place,
                "“%(line)s” is not a condition. Write “smokes: yes” or “age: 18 to 65”.",
                "line",
                line=line,
            )
        if name in relevant:
            raise DefinitionError(
                place,
                "“%(name)s” is used twice. Put both conditions in one line.",
                "line",
                name=name,
            )
        bounds = BOUNDS.fullmatch(condition)
        if bounds is None:
            relevant[name] = [part.strip() for part in condition.split(",")]
        elif bounds["way"]:
            relevant[name] = {
                "min" if bounds["way"] == "least" else "max": number_from_form(bounds["one"])
            }
        else:
            low, high = number_from_form(bounds["low"]), number_from_form(bounds["high"])
            relevant[name] = {"min": low, "max": high}
    return relevant


def relevance_text(relevant: Mapping[str, Any]) -> str:
    """The inverse of `relevance_entry`."""
    lines = []
    for name, condition in relevant.items():
        if not isinstance(condition, Mapping):
            lines.append(f"{name}: {', '.join(condition)}")
        elif len(condition) == 2:
            low, high = (number_to_form(str(condition[key])) for key in ("min", "max"))
            lines.append(f"{name}: {low} to {high}")
        else:
            [(key, bound)] = condition.items()
            way = "least" if key == "min" else "most"
            lines.append(f"{name}: at {way} {number_to_form(str(bound))}")
    return "\n".join(lines)


def conditions_of_choices(text: str, place: str) -> dict[str, dict[str, Any]]:
    """The conditions of each choice from lines such as "high, top if smokes: often; age: 18 to 65".

    Choices with commas between them have the same conditions.
    """
    found: dict[str, dict[str, Any]] = {}
    for line in filter(None, (line.strip() for line in text.splitlines())):
        match = BY_CONDITIONS.fullmatch(line)
        if match is None:
            raise line_fault(
                place,
                translate(
                    "“%(line)s” is not an answer with conditions. Write “high if smokes: often; "
                    "age: at least 18”.",
                    line=line,
                ),
            )
        names = [name.strip() for name in match["names"].split(",")]
        conditions = match["conditions"].replace(";", "\n")
        entry = relevance_entry(conditions, f"{place}.{names[0]}")
        for name in names:
            if name in found:
                twice = translate("“%(name)s” is used twice. Delete one of the lines.", name=name)
                raise line_fault(place, twice)
            found[name] = entry
    return found


def choice_conditions_text(conditions: Mapping[str, Mapping[str, Any]]) -> str:
    """The inverse of `conditions_of_choices`. A choice without conditions has no line."""
    names: dict[str, list[str]] = {}
    for name, entry in conditions.items():
        if entry:
            names.setdefault(relevance_text(entry).replace("\n", "; "), []).append(name)
    return "\n".join(f"{', '.join(each)} if {text}" for text, each in names.items())
