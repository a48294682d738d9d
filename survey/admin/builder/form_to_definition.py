"""Between the builder's form and a definition; the definition's own parser does the checking."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from survey.admin.builder.texts import (
    MEDIUM,
    choice_entries,
    choice_line,
    privacy_data,
    privacy_entry,
    relevance_entry,
    relevance_text,
    type_in_form,
)
from survey.core.errors import DefinitionError
from survey.definition.choices import plain_ascii
from survey.definition.fieldwork import DEFAULT_EXIT_URL, MAX_TEXT_CHARACTERS, SWITCH_NAMES
from survey.definition.known_tables import KnownTables
from survey.definition.survey import Survey, parse_survey
from survey.definition.translation import Path, Texts, nested, parse_translations

MAX_INTEGER_DIGITS = 20  # of a whole number; more are no number that can be
EMPTY_QUESTION: dict[str, Any] = {
    "label": "", "hint": "", "name": "", "was": "", "type": "yes_no", "choices": "", "min": "",
    "max": "", "step": "1", "unit": "", "prefer_not_to_say": False, "relevant": "",
    "otherwise": "", "privacy": MEDIUM, "goal": "", "gamma": "0.25", "epsilon": "1",
    "other": "",
}  # fmt: skip


def names_of_questions(questions: Sequence[Mapping[str, Any]]) -> list[str]:
    """The column names, those left empty made up: q and the number, or the next that is free."""
    typed = [(question["name"] or "").strip() for question in questions]
    taken = set(typed)
    names = []
    for place, name in enumerate(typed, start=1):
        number = place
        while not name:
            if f"q{number}" not in taken:
                name = f"q{number}"
            number += 1
        taken.add(name)
        names.append(name)
    return names


def question_entry(data: Mapping[str, Any], number: int, name: str) -> dict[str, Any]:
    """A question of a definition from the form's data."""
    place = f"questions[{number}]"
    kind = type_in_form(data)
    question: dict[str, Any] = {
        "name": name,
        "type": data["type"],
        "label": data["label"] or "",
        "hint": data["hint"] or "",
    }
    if kind.numeric:
        question |= {key: (data[key] or "").strip() for key in ("min", "max", "step", "unit")}
    elif kind.estimated:
        choices = choice_entries(data["choices"] or "")
        if choices or "choices" in kind.builder_parts:
            question["choices"] = choices
    if (data["relevant"] or "").strip():
        question["relevant"] = relevance_entry(data["relevant"], f"{place}.relevant")
    if kind.free_text:
        question["privacy"] = "none"
    if kind.estimated:
        question["privacy"] = privacy_entry(data, f"{place}.privacy")
        question["prefer_not_to_say"] = bool(data["prefer_not_to_say"])
        otherwise = (data["otherwise"] or "").strip()
        if otherwise and kind.boxes:
            names = [name.strip() for name in otherwise.split(",")]
            question["otherwise"] = [] if names == ["-"] else names
        elif otherwise:
            question["otherwise"] = otherwise
    return question


def whole_number_or_text(text: str) -> int | str:
    """A whole number, or the text for the definition's parser to complain of."""
    return (
        int(text) if text.isascii() and text.isdigit() and len(text) < MAX_INTEGER_DIGITS else text
    )


def fieldwork_entries(data: Mapping[str, Any]) -> dict[str, Any]:
    """The definition's members on the fieldwork, and the translations, as far as they are given."""
    entries: dict[str, Any] = {
        key: (data[key] or "").strip() for key in (*MAX_TEXT_CHARACTERS, "layout")
    }
    entries |= {key: bool(data[key]) for key in SWITCH_NAMES}
    for key in ("exit", "series"):
        if value := (data[key] or "").strip():
            entries[key] = value
    for key in ("minutes", "batch"):
        if number := (data[key] or "").strip():
            entries[key] = whole_number_or_text(number)
    return entries


def fieldwork_data(survey: Survey) -> dict[str, Any]:
    """The inverse of `fieldwork_entries`."""
    work = survey.fieldwork
    data = {key: getattr(work, key) for key in (*MAX_TEXT_CHARACTERS, *SWITCH_NAMES, "layout")}
    return data | {
        "minutes": "" if work.minutes is None else str(work.minutes),
        "exit": "" if work.exit == DEFAULT_EXIT_URL else work.exit,
        "series": work.series or "",
        "batch": str(work.batch),
        "languages": list(survey.translations),
    }


def slug_from_form(data: Mapping[str, Any]) -> str:
    """The address that a form gives a survey: the one typed, or one made from its title; empty
    where none can be made."""
    return (data["slug"] or "").strip() or plain_ascii(data["title"] or "")[:60].strip("-")


def to_definition(data: Mapping[str, Any]) -> dict[str, Any]:
    """A definition from the form's data, not yet checked; its translations are empty.

    Raises DefinitionError where a mechanism is no JSON, or a condition cannot be read.
    """
    entries = zip(data["questions"], names_of_questions(data["questions"]), strict=True)
    definition: dict[str, Any] = {
        "slug": slug_from_form(data),
        "title": data["title"] or "",
        "language": data["language"],
        "introduction": (data["introduction"] or "").replace("\r\n", "\n"),
        "questions": [question_entry(entry, n, name) for n, (entry, name) in enumerate(entries)],
    } | fieldwork_entries(data)
    if definition["title"].strip() and not definition["slug"]:
        raise DefinitionError("slug", "cannot be made from the title; type one.", "made")
    epsilon, sample = (data["budget"] or "").strip(), (data["sample"] or "").strip()
    if epsilon or sample:
        definition["budget"] = {"epsilon": epsilon} if epsilon else {}
    if sample:
        definition["budget"]["per_respondent"] = {"sample": whole_number_or_text(sample)}
    others = [other for other in data["languages"] or () if other != data["language"]]
    if others:
        definition["translations"] = {other: {} for other in others}
    return definition


def to_survey(
    data: Mapping[str, Any], before: Survey | None, tables: KnownTables | None = None
) -> Survey:
    """The survey that a form describes.

    Parameters
    ----------
    before : the draft that it takes the place of, whose translations are kept for all texts that
        are still there, also where a question has another name now
    tables : randomizers that need not be calculated

    Raises DefinitionError.
    """
    survey = parse_survey(to_definition(data), tables=tables)
    if before is None or not survey.translations:
        return survey
    names = names_of_questions(data["questions"])
    now = {entry["was"] or name: name for entry, name in zip(data["questions"], names, strict=True)}
    kept = {
        other: nested(still_there(before.translations.get(other, {}), now, survey.texts))
        for other in survey.translations
    }
    return replace(survey, translations=parse_translations(kept, survey.language, survey.texts))


def still_there(translation: Texts, now: Mapping[str, str], texts: Texts) -> Texts:
    """Of a translation what the survey still has texts for; `now` tells a question's new name."""
    kept = {}
    for path, text in translation.items():
        place: Path = path
        if path[0] == "questions":
            if path[1] not in now:
                continue
            place = (path[0], now[path[1]], *path[2:])
        if place in texts:
            kept[place] = text
    return kept


def question_data(entry: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The form's data for one question of a checked definition; Yes and No in the language's own
    words are left to it."""
    keys = ("label", "hint", "name", "type", "min", "max", "unit")
    data = EMPTY_QUESTION | {key: str(entry.get(key, "")) for key in keys}
    data |= {"was": data["name"], "step": str(entry.get("step", 1))}
    choices = entry.get("choices", [])
    labels = tuple(choice["label"] for choice in choices)
    if labels != tuple(type_in_form(data).own_words(language)):
        data["choices"] = "\n".join(choice_line(choice) for choice in choices)
    data["prefer_not_to_say"] = entry.get("prefer_not_to_say", False)
    data["relevant"] = relevance_text(entry.get("relevant", {}))
    otherwise = entry.get("otherwise", "")
    if isinstance(otherwise, list):
        otherwise = ", ".join(otherwise) or "-"
    data["otherwise"] = str(otherwise)
    data["goal"] = type_in_form(data).usual_goal
    return data | privacy_data(entry.get("privacy", "none"), type_in_form(data))


def to_form_data(survey: Survey) -> dict[str, Any]:
    """The form's data for an existing survey."""
    return {
        "title": survey.title,
        "slug": survey.slug,
        "language": survey.language,
        "introduction": survey.introduction,
        "budget": str(survey.budget.epsilon or "").removesuffix(".0"),
        "sample": "" if survey.budget.sample is None else str(survey.budget.sample),
        "questions": [
            question_data(entry, survey.language) for entry in survey.as_definition()["questions"]
        ],
    } | fieldwork_data(survey)
