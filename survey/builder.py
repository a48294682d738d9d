"""Between the builder's form and a definition; the definition's own parser does the checking."""

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from .definition import Survey
from .errors import DefinitionError

EMPTY_QUESTION: dict[str, str] = {
    "label": "", "hint": "", "name": "", "type": "yes_no", "choices": "", "privacy": "coin_flip",
    "gamma": "0.25", "epsilon": "1", "other": "",
}  # fmt: skip
# what the form calls the members of a definition
PLACES = {
    "slug": "Address",
    "title": "Title",
    "introduction": "Introduction",
    "budget.epsilon": "Most epsilon per respondent",
}
QUESTION_PLACE = re.compile(r"questions\[(\d+)\]\.?")


def plain_ascii(text: str) -> str:
    """Lower-case letters and digits of a text, accents dropped, in words joined by hyphens."""
    letters = unicodedata.normalize("NFKD", text.replace("đ", "d").replace("Đ", "D"))
    words = re.findall(r"[a-z0-9]+", letters.encode("ascii", "ignore").decode().lower())
    return "-".join(words)


def choice_entries(text: str) -> list[dict[str, str]]:
    """Choices from lines; `code | label` names one, others are named by their label or number."""
    entries: list[dict[str, str]] = []
    for line in filter(None, (line.strip() for line in text.splitlines())):
        name, bar, label = line.partition("|")
        if not bar:
            label = line
            name = plain_ascii(label).replace("-", "_")[:50] or f"choice_{len(entries) + 1}"
            if name in {entry["name"] for entry in entries}:  # < 1000 and > 1000
                name += f"_{len(entries) + 1}"
        entries.append({"name": name.strip(), "label": label.strip()})
    return entries


def privacy_entry(data: Mapping[str, Any], place: str) -> Any:
    """The definition's privacy entry for what was chosen in the form."""
    match data["privacy"]:
        case "none":
            return "none"
        case "coin_flip":
            return {"mechanism": "coin_flip"}
        case "gamma":
            return {"mechanism": "randomized_response", "gamma": (data["gamma"] or "").strip()}
        case "epsilon":
            return {"epsilon": (data["epsilon"] or "").strip()}
    try:
        return json.loads(data["other"] or "")
    except (ValueError, RecursionError) as error:
        raise DefinitionError(
            place, 'is not JSON. Write it as {"mechanism": "warner", "p": "2/3"}.'
        ) from error


def to_definition(data: Mapping[str, Any]) -> dict[str, Any]:
    """A definition from the form's data, not yet checked.

    Raises DefinitionError where a mechanism is no JSON.
    """
    questions = []
    for number, entry in enumerate(data["questions"]):
        question: dict[str, Any] = {
            "name": (entry["name"] or "").strip() or f"q{number + 1}",
            "type": entry["type"],
            "label": entry["label"] or "",
            "hint": entry["hint"] or "",
        }
        choices = choice_entries(entry["choices"] or "")
        if choices or entry["type"] != "yes_no":
            question["choices"] = choices
        question["privacy"] = privacy_entry(entry, f"questions[{number}].privacy")
        questions.append(question)
    definition: dict[str, Any] = {
        "slug": (data["slug"] or "").strip() or plain_ascii(data["title"] or "")[:60].strip("-"),
        "title": data["title"] or "",
        "language": data["language"],
        "introduction": (data["introduction"] or "").replace("\r\n", "\n"),
        "questions": questions,
    }
    if definition["title"].strip() and not definition["slug"]:
        raise DefinitionError("slug", "cannot be made from the title; type one.")
    if (data["budget"] or "").strip():
        definition["budget"] = {"epsilon": data["budget"].strip()}
    return definition


def question_data(entry: Mapping[str, Any]) -> dict[str, str]:
    """The form's data for one question of a definition."""
    data = EMPTY_QUESTION | {key: entry.get(key, "") for key in ("label", "hint", "name", "type")}
    data["choices"] = "\n".join(f"{c['name']} | {c['label']}" for c in entry["choices"])
    privacy = entry["privacy"]
    if privacy == "none":
        data["privacy"] = "none"
    elif privacy == {"mechanism": "coin_flip"}:
        data["privacy"] = "coin_flip"
    elif set(privacy) == {"mechanism", "gamma"}:
        data |= {"privacy": "gamma", "gamma": str(privacy["gamma"])}
    elif set(privacy) == {"epsilon"}:
        data |= {"privacy": "epsilon", "epsilon": str(privacy["epsilon"])}
    else:
        data |= {"privacy": "other", "other": json.dumps(privacy, ensure_ascii=False)}
    return data


def to_form_data(survey: Survey) -> dict[str, Any]:
    """The form's data for an existing survey."""
    return {
        "title": survey.title,
        "slug": survey.slug,
        "language": survey.language,
        "introduction": survey.introduction,
        "budget": "" if survey.budget is None else f"{survey.budget:g}",
        "questions": [question_data(entry) for entry in survey.as_definition()["questions"]],
    }


def rearranged(questions: list[dict[str, Any]], action: str) -> list[dict[str, Any]]:
    """The questions after a press of add, remove-2, up-2 or down-2; unknown actions do nothing."""
    verb, _, place = action.partition("-")
    number = int(place) if place.isascii() and place.isdigit() else -1
    moved = list(questions)
    if verb == "add":
        moved.append(dict(EMPTY_QUESTION))
    elif verb == "remove" and 0 <= number < len(moved):
        del moved[number]
    elif verb in ("up", "down"):
        other = number + (1 if verb == "down" else -1)
        if 0 <= number < len(moved) and 0 <= other < len(moved):
            moved[number], moved[other] = moved[other], moved[number]
    return moved


def worded(error: DefinitionError) -> tuple[int | None, str]:
    """The question that the error is about, if one, and a sentence for people."""
    place = QUESTION_PLACE.match(error.place)
    if place is None:
        return None, f"{PLACES.get(error.place, error.place)} {error.fault}"
    number = int(place[1])
    rest = error.place[place.end() :] or "it"
    return number, f"Question {number + 1}, {rest}: {error.fault}"
