"""Convert the builder's form to a definition, and back. The definition's parser does the checks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from survey.admin.builder.derived_texts import (
    GIVEN,
    derived_data,
    derived_entry,
    operation_in_form,
)
from survey.admin.builder.fields import QUESTION_FIELDS, SURVEY_FIELDS, BuilderField
from survey.admin.builder.texts import (
    AS_SURVEY,
    choice_conditions_text,
    choice_entries,
    choice_line,
    conditions_of_choices,
    parts_of_form,
    privacy_data,
    privacy_entry,
    relevance_entry,
    relevance_text,
    type_in_form,
)
from survey.core.errors import DefinitionError
from survey.core.typed_lines import number_from_form, number_to_form
from survey.definition.choices import plain_ascii
from survey.definition.fieldwork import CLASS_BATCH_RESPONSES
from survey.definition.known_tables import KnownTables
from survey.definition.questions import Question
from survey.definition.survey import Survey, parse_survey, require_texts_for_all
from survey.definition.survey_level import SurveyProtection
from survey.definition.target_population import FINITE, RESPONDENTS
from survey.definition.translation import Path, Texts, nest_texts, parse_translations
from survey.definition.types import QuestionType
from survey.planning.survey_protection import divide_again

# Python refuses to parse very long integers (CVE-2020-10735), and no field needs more digits.
MAX_INTEGER_DIGITS = 20


def names_of_questions(questions: Sequence[Mapping[str, Any]]) -> list[str]:
    """The column names. An empty one becomes q and the question's number, or the next free one."""
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


def copied_entries(
    data: Mapping[str, Any],
    fields: Mapping[str, BuilderField],
    parts: Collection[str] = (),
    operation: str = GIVEN,
) -> dict[str, Any]:
    """The members of a definition that are copied from the form.

    Parameters
    ----------
    parts : the parts of the form that apply
    operation : the source of the answer
    """
    entries: dict[str, Any] = {}
    for name, row in fields.items():
        if row.composed or (row.part and row.part not in parts):
            continue
        if row.operations and operation not in row.operations:
            continue
        if isinstance(row.default, bool):
            entries[name] = bool(data[name])
        else:
            text = (data[name] or "").strip().replace("\r\n", "\n")
            text = number_from_form(text) if row.decimal else text
            if text or not (row.optional or row.whole_number):
                entries[name] = whole_number_or_text(text) if row.whole_number else text
    return entries


def copied_data(entries: Mapping[str, Any], fields: Mapping[str, BuilderField]) -> dict[str, Any]:
    """The inverse of `copied_entries`. All other fields have their defaults.

    A switch that the definition does not mention is off, even if it is on in a new question.
    """
    data = {
        name: False if isinstance(row.default, bool) else row.default_text
        for name, row in fields.items()
    }
    for name, value in entries.items():
        if name in fields and not fields[name].composed:
            text = number_to_form(str(value)) if fields[name].decimal else str(value)
            data[name] = value if isinstance(value, bool) else text
    return data


def question_entry(data: Mapping[str, Any], number: int, name: str) -> dict[str, Any]:
    """A question of a definition from the form's data."""
    place = f"questions[{number}]"
    kind = type_in_form(data)
    operation = operation_in_form(data)
    parts = parts_of_form(kind)
    question = {"name": name} | copied_entries(data, QUESTION_FIELDS, parts, operation)
    if "choices" in kind.keys:
        choices = choice_entries(data["choices"] or "")
        if choices or "choices" in parts:
            question["choices"] = choices
        if "conditional" in parts and operation == GIVEN:
            add_typed_conditions(choices, data["choice_conditions"] or "", place)
    anchors = (data["anchors"] or "").strip()
    if "order" in parts and question.get("random_order") and anchors:
        codes = {choice["label"]: choice["name"] for choice in question["choices"]}
        typed = [each.strip() for each in anchors.split(",")]
        question["anchors"] = [codes.get(each, each) for each in typed]
    if "order_of_questions" in parts:
        question["random_order"] = bool(data["random_order_of_questions"])
    for switch in ("random_order", "battery"):
        if not question.get(switch):
            question.pop(switch, None)
    if not (question.get("optional") and question.get("prefer_not_to_say")):
        question.pop("optional", None)
    if "relevant" in parts and (data["relevant"] or "").strip():
        question["relevant"] = relevance_entry(data["relevant"], f"{place}.relevant")
    if kind.asks and kind.mechanisms is None:
        question["privacy"] = "none"
    if not question.get("anchor_question"):
        question.pop("anchor_question", None)
    if operation != GIVEN:
        question["derived"] = derived_entry(data, operation, f"{place}.derived")
    if kind.mechanisms is not None:
        # An experimental arm does not depend on the respondent, so it has no protection.
        drawn = operation == "random"
        question["privacy"] = "none" if drawn else privacy_entry(data, f"{place}.privacy")
        otherwise = (data["otherwise"] or "").strip() if "otherwise" in kind.keys else ""
        if otherwise:
            question["otherwise"] = otherwise_entry(otherwise, kind)
    return question


def otherwise_entry(typed: str, kind: QuestionType) -> Any:
    """The answer of people who are not asked: codes of boxes, or "-" for none; else one answer."""
    if kind.boxes:
        names = [name.strip() for name in typed.split(",")]
        return [] if names == ["-"] else names
    return number_from_form(typed) if kind.numeric else typed


def add_typed_conditions(choices: Sequence[dict[str, Any]], text: str, place: str) -> None:
    """Add the typed conditions to the choices. Raises DefinitionError."""
    where = f"{place}.choice_conditions"
    conditions = conditions_of_choices(text, where)
    for choice in choices:
        if choice["name"] in conditions:
            choice["relevant"] = conditions.pop(choice["name"])
    # The parser refuses an empty list of choices, with a better message.
    for name in conditions if choices else ():
        raise DefinitionError(
            where, "“%(name)s” is not the code of a choice of this question.", "code", name=name
        )


def whole_number_or_text(text: str) -> int | str:
    """A whole number, or the text itself, which the definition's parser then refuses."""
    return (
        int(text) if text.isascii() and text.isdigit() and len(text) < MAX_INTEGER_DIGITS else text
    )


def slug_from_form(data: Mapping[str, Any]) -> str:
    """The address of a survey from its form: as typed, or made from the title. Empty if the title
    has no usable characters."""
    return (data["slug"] or "").strip() or plain_ascii(data["title"] or "")[:60].strip("-")


def to_definition(data: Mapping[str, Any]) -> dict[str, Any]:
    """An unchecked definition from the form's data, with empty translations.

    Raises DefinitionError if a mechanism is not JSON, or a condition cannot be read.
    """
    entries = zip(data["questions"], names_of_questions(data["questions"]), strict=True)
    definition = copied_entries(data, SURVEY_FIELDS) | {
        "slug": slug_from_form(data),
        "questions": [question_entry(entry, n, name) for n, (entry, name) in enumerate(entries)],
    }
    if definition["title"] and not definition["slug"]:
        raise DefinitionError("slug", "cannot be made from the title. Type one.", "made")
    if definition["class_mode"]:
        # The size of its batches is fixed, whatever the field says.
        definition["batch"] = CLASS_BATCH_RESPONSES
    epsilon, sample = number_from_form(data["budget"]), (data["sample"] or "").strip()
    if data.get("level"):
        sample = ""  # The level decides on how many questions each respondent reports.
    if epsilon or sample:
        definition["budget"] = {"epsilon": epsilon} if epsilon else {}
    if sample:
        definition["budget"]["per_respondent"] = {"sample": whole_number_or_text(sample)}
    if data.get("results_about") == RESPONDENTS:
        definition["results_about"] = RESPONDENTS
    elif data.get("results_about") == FINITE:
        size = (data["population"] or "").strip()
        definition["results_about"] = whole_number_or_text(size)
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
    before : the draft that the survey replaces. Translations of texts that still exist are kept,
        even if a question has a new name, or if their language is no longer offered
    tables : randomizers that need not be calculated

    Raises DefinitionError.
    """
    survey = parse_survey(to_definition(data), tables=tables)
    require_texts_for_all(survey)
    if protection := protection_in_form(data, survey, before):
        survey = divide_again(survey, protection, before)
    if before is None:
        return survey
    now = names_now(data)
    kept = {
        other: nest_texts(texts)
        for other, translation in {**before.not_offered, **before.translations}.items()
        if (texts := still_there(translation, now, survey.texts))
    }
    offered = {other: kept.pop(other, {}) for other in survey.translations}
    translations = parse_translations(offered, survey.texts, {survey.language})
    not_offered = parse_translations(kept, survey.texts, translations)
    return replace(survey, translations=translations, not_offered=not_offered)


def names_now(data: Mapping[str, Any]) -> dict[str, str]:
    """The names of the questions of a form, by the names that they had."""
    names = names_of_questions(data["questions"])
    return {
        entry["was"] or name: name for entry, name in zip(data["questions"], names, strict=True)
    }


def protection_in_form(
    data: Mapping[str, Any], survey: Survey, before: Survey | None
) -> SurveyProtection | None:
    """The level of the whole survey, or None. The main figures are those of the draft `before`."""
    level = data.get("level")
    if not level:
        return None
    typed = zip(names_of_questions(data["questions"]), data["questions"], strict=True)
    shared = {name for name, entry in typed if entry["privacy"] == AS_SURVEY}
    private = [each.name for each in survey.private]
    stated = before.protection if before else None
    now = names_now(data)
    figures = [tuple(now.get(name, "") for name in each) for each in stated.main] if stated else []
    return SurveyProtection(
        level=level,
        main=tuple(each for each in figures if shared.intersection(private).issuperset(each)),
        kept=tuple(name for name in private if name not in shared),
    )


def still_there(translation: Texts, now: Mapping[str, str], texts: Texts) -> Texts:
    """The translations of texts that the survey still has. `now` maps old to new question names."""
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


def question_data(
    entry: Mapping[str, Any],
    language: str,
    condition: Mapping[str, Any],
    questions: Mapping[str, Question] | None = None,
) -> dict[str, Any]:
    """The form's data for one question of a checked definition. Default words for Yes and No are
    left out.

    Parameters
    ----------
    condition : the question's own, without that of its section
    questions : the questions of the survey by name, to shorten the usual points of derived answers
    """
    data = copied_data(entry, QUESTION_FIELDS) | {"name": entry["name"], "was": entry["name"]}
    choices = entry.get("choices", [])
    labels = tuple(choice["label"] for choice in choices)
    if labels != tuple(type_in_form(data).own_words(language)):
        data["choices"] = "\n".join(choice_line(choice) for choice in choices)
    conditions = {choice["name"]: choice.get("relevant", {}) for choice in choices}
    data["choice_conditions"] = choice_conditions_text(conditions)
    data["anchors"] = ", ".join(entry.get("anchors", []))
    data["random_order_of_questions"] = entry.get("random_order", False)
    data["relevant"] = relevance_text(condition)
    otherwise = entry.get("otherwise", "")
    if isinstance(otherwise, list):
        otherwise = ", ".join(otherwise) or "-"
    kind = type_in_form(data)
    data["otherwise"] = number_to_form(str(otherwise)) if kind.numeric else str(otherwise)
    data["goal"] = kind.usual_goal
    data |= derived_data(entry.get("derived"), questions or {})
    return data | privacy_data(entry.get("privacy", "none"), kind)


def protection_data(question: Question, survey: Survey) -> dict[str, str]:
    """The form's fields for the protection of a question that shares in the survey's level."""
    stated = survey.protection
    if stated is None or question not in survey.private or question.name in stated.kept:
        return {}
    goal = (question.privacy or {}).get("goal", "shares")
    return {"privacy": AS_SURVEY, "goal": goal}


def to_form_data(survey: Survey) -> dict[str, Any]:
    """The form's data for an existing survey."""
    definition, conditions = survey.as_definition(), survey.own_conditions
    questions = {question.name: question for question in survey.questions}
    about = survey.fieldwork.results_about
    return copied_data(definition, SURVEY_FIELDS) | {
        "slug": survey.slug,
        "languages": list(survey.translations),
        "budget": number_to_form(str(survey.budget.epsilon or "").removesuffix(".0")),
        "results_about": FINITE if isinstance(about, int) else about,
        "population": str(about) if isinstance(about, int) else "",
        "sample": "" if survey.budget.at_most else str(survey.budget.sample or ""),
        "level": survey.protection.level if survey.protection else "",
        "questions": [
            question_data(entry, survey.language, conditions[entry["name"]], questions)
            | protection_data(questions[entry["name"]], survey)
            for entry in definition["questions"]
        ],
    }
