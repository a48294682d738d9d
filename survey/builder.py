"""Between the builder's form and a definition; the definition's own parser does the checking."""

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from .definition import Survey
from .errors import DefinitionError
from .fieldwork import ELSEWHERE, LIMITS, SWITCHES
from .questions import NOTE, NUMBER, SELECT_MULTIPLE, TEXT, YES_NO

EMPTY_QUESTION: dict[str, Any] = {
    "label": "", "hint": "", "name": "", "type": "yes_no", "choices": "", "min": "", "max": "",
    "step": "1", "unit": "", "prefer_not_to_say": False, "relevant": "", "otherwise": "",
    "privacy": "coin_flip", "gamma": "0.25", "epsilon": "1", "other": "",
}  # fmt: skip
BOUNDS = re.compile(r"(?P<low>\S+) to (?P<high>\S+)|at (?P<way>least|most) (?P<one>\S+)")
# what the form calls the members of a definition
PLACES = {
    "slug": "Address",
    "title": "Title",
    "introduction": "Introduction",
    "questions": "The list of questions",
    "budget.epsilon": "Most epsilon per respondent",
    "budget.per_respondent.sample": "Private questions per respondent",
    "asked_by": "Who asks",
    "contact": "Contact",
    "support": "Help and support",
    "minutes": "Minutes it takes",
    "exit": "Where “Leave now” leads",
    "series": "Series",
    "batch": "Show results in steps of how many responses",
    "by_hand": "Taking part by hand",
    "translations": "Translations",
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
        case "mean":
            return {"epsilon": (data["epsilon"] or "").strip(), "goal": "mean"}
    try:
        return json.loads(data["other"] or "")
    except (ValueError, RecursionError) as error:
        raise DefinitionError(
            place, 'is not JSON. Write it as {"mechanism": "warner", "p": "2/3"}.'
        ) from error


def relevance_entry(text: str, place: str) -> dict[str, Any]:
    """The definition's relevance from lines such as "smokes: yes, sometimes", "age: 18 to 65",
    "age: at least 18"."""
    relevant: dict[str, Any] = {}
    for line in filter(None, (line.strip() for line in text.splitlines())):
        name, colon, condition = (part.strip() for part in line.partition(":"))
        if not colon or not condition:
            raise DefinitionError(place, f'"{line}" is not like "smokes: yes" or "age: 18 to 65".')
        if name in relevant:
            raise DefinitionError(place, f"{name!r} is there twice; one line says it all.")
        bounds = BOUNDS.fullmatch(condition)
        if bounds is None:
            relevant[name] = [part.strip() for part in condition.split(",")]
        elif bounds["way"]:
            relevant[name] = {"min" if bounds["way"] == "least" else "max": bounds["one"]}
        else:
            relevant[name] = {"min": bounds["low"], "max": bounds["high"]}
    return relevant


def relevance_text(relevant: Mapping[str, Any]) -> str:
    """The inverse of `relevance_entry`."""
    lines = []
    for name, condition in relevant.items():
        if not isinstance(condition, Mapping):
            lines.append(f"{name}: {', '.join(condition)}")
        elif len(condition) == 2:
            lines.append(f"{name}: {condition['min']} to {condition['max']}")
        else:
            [(key, bound)] = condition.items()
            lines.append(f"{name}: at {'least' if key == 'min' else 'most'} {bound}")
    return "\n".join(lines)


def question_entry(data: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A question of a definition from the form's data."""
    place = f"questions[{number}]"
    kind = data["type"]
    question: dict[str, Any] = {
        "name": (data["name"] or "").strip() or f"q{number + 1}",
        "type": kind,
        "label": data["label"] or "",
        "hint": data["hint"] or "",
    }
    if kind == NUMBER:
        question |= {key: (data[key] or "").strip() for key in ("min", "max", "step", "unit")}
    elif kind not in (TEXT, NOTE):
        choices = choice_entries(data["choices"] or "")
        if choices or kind != YES_NO:
            question["choices"] = choices
    if (data["relevant"] or "").strip():
        question["relevant"] = relevance_entry(data["relevant"], f"{place}.relevant")
    if kind == NOTE:
        return question
    question["privacy"] = "none" if kind == TEXT else privacy_entry(data, f"{place}.privacy")
    if kind != TEXT:
        question["prefer_not_to_say"] = bool(data["prefer_not_to_say"])
        otherwise = (data["otherwise"] or "").strip()
        if otherwise and kind == SELECT_MULTIPLE:
            names = [name.strip() for name in otherwise.split(",")]
            question["otherwise"] = [] if names == ["-"] else names
        elif otherwise:
            question["otherwise"] = otherwise
    return question


def whole(text: str) -> int | str:
    """A whole number, or the text for the definition's parser to complain of."""
    return int(text) if text.isascii() and text.isdigit() else text


def fieldwork_entries(data: Mapping[str, Any]) -> dict[str, Any]:
    """The definition's members on the fieldwork, and the translations, as far as they are given."""
    entries: dict[str, Any] = {key: (data[key] or "").strip() for key in (*LIMITS, "layout")}
    entries |= {key: bool(data[key]) for key in SWITCHES}
    for key in ("exit", "series"):
        if value := (data[key] or "").strip():
            entries[key] = value
    for key in ("minutes", "batch"):
        if number := (data[key] or "").strip():
            entries[key] = whole(number)
    if translations := (data["translations"] or "").strip():
        try:
            entries["translations"] = json.loads(translations)
        except (ValueError, RecursionError) as error:
            raise DefinitionError("translations", f"are not JSON: {error}.") from error
    return entries


def fieldwork_data(survey: Survey) -> dict[str, Any]:
    """The inverse of `fieldwork_entries`."""
    work = survey.fieldwork
    data = {key: getattr(work, key) for key in (*LIMITS, *SWITCHES, "layout")}
    translations = survey.as_definition().get("translations")
    return data | {
        "minutes": "" if work.minutes is None else str(work.minutes),
        "exit": "" if work.exit == ELSEWHERE else work.exit,
        "series": work.series or "",
        "batch": str(work.batch),
        "translations": json.dumps(translations, ensure_ascii=False, indent=2)
        if translations
        else "",
    }


def to_definition(data: Mapping[str, Any]) -> dict[str, Any]:
    """A definition from the form's data, not yet checked.

    Raises DefinitionError where a mechanism is no JSON, or a condition cannot be read.
    """
    definition: dict[str, Any] = {
        "slug": (data["slug"] or "").strip() or plain_ascii(data["title"] or "")[:60].strip("-"),
        "title": data["title"] or "",
        "language": data["language"],
        "introduction": (data["introduction"] or "").replace("\r\n", "\n"),
        "questions": [question_entry(entry, n) for n, entry in enumerate(data["questions"])],
    } | fieldwork_entries(data)
    if definition["title"].strip() and not definition["slug"]:
        raise DefinitionError("slug", "cannot be made from the title; type one.")
    epsilon, sample = (data["budget"] or "").strip(), (data["sample"] or "").strip()
    if epsilon or sample:
        definition["budget"] = {"epsilon": epsilon} if epsilon else {}
    if sample:
        definition["budget"]["per_respondent"] = {"sample": whole(sample)}
    return definition


def question_data(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The form's data for one question of a definition."""
    keys = ("label", "hint", "name", "type", "min", "max", "unit")
    data = EMPTY_QUESTION | {key: str(entry.get(key, "")) for key in keys}
    data["step"] = str(entry.get("step", 1))
    data["choices"] = "\n".join(f"{c['name']} | {c['label']}" for c in entry.get("choices", []))
    data["prefer_not_to_say"] = entry.get("prefer_not_to_say", False)
    data["relevant"] = relevance_text(entry.get("relevant", {}))
    otherwise = entry.get("otherwise", "")
    if isinstance(otherwise, list):
        otherwise = ", ".join(otherwise) or "-"
    data["otherwise"] = str(otherwise)
    privacy = entry.get("privacy", "none")
    if privacy == "none":
        data["privacy"] = "none"
    elif privacy == {"mechanism": "coin_flip"}:
        data["privacy"] = "coin_flip"
    elif set(privacy) == {"mechanism", "gamma"}:
        data |= {"privacy": "gamma", "gamma": str(privacy["gamma"])}
    elif set(privacy) == {"epsilon"}:
        data |= {"privacy": "epsilon", "epsilon": str(privacy["epsilon"])}
    elif set(privacy) == {"epsilon", "goal"} and privacy["goal"] == "mean":
        data |= {"privacy": "mean", "epsilon": str(privacy["epsilon"])}
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
        "budget": str(survey.budget.epsilon or "").removesuffix(".0"),
        "sample": "" if survey.budget.sample is None else str(survey.budget.sample),
        "questions": [question_data(entry) for entry in survey.as_definition()["questions"]],
    } | fieldwork_data(survey)


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
        place_in_form = PLACES.get(error.place, error.place)
        if error.place.startswith("translations."):
            place_in_form = f"Translations, {error.place.removeprefix('translations.')}:"
        return None, f"{place_in_form} {error.fault.removeprefix('epsilon ')}"
    number = int(place[1])
    rest = error.place[place.end() :]
    how = ' Write "smokes: yes" or "age: 18 to 65".' if rest.startswith("relevant.") else ""
    return number, f"Question {number + 1}{rest and ', '}{rest}: {error.fault}{how}"
