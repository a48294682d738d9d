"""A survey of Formbricks, in JSON, as rows of an XLSForm."""

import re
from collections.abc import Mapping
from typing import Any

from survey.core.translate import later, translate
from survey.definition.choices import OTHER, plain_ascii
from survey.formats.other_programs.condition_language import OtherExpression
from survey.formats.other_programs.form_rows import IDENTIFIES, Choice, FormRows, Texts
from survey.formats.other_programs.json_survey import (
    Members,
    all_texts,
    items_in,
    languages_in,
    objects_in,
    text_in,
    texts_in,
    unwrap_survey,
)
from survey.formats.other_programs.surveyjs import scale_choices, whole_number_in
from survey.formats.xlsform.vocabulary import (
    RANDOMIZE,
    RANK,
    SELECT_MULTIPLE,
    SELECT_ONE,
    SELECTS,
    FormOrigin,
    Sheets,
)

# What notes call the columns of the rows that the questions become.
COLUMNS = {
    "label": "headline",
    "hint": "subheader",
    "required": "required",
    "constraint": "inputType",
    "parameters": "shuffleOption",
    "default_language": "languages",
    "form_title": "name",
    "form_id": "name",
}
CHOICE_TYPES = {
    "multipleChoiceSingle": SELECT_ONE,
    "multipleChoiceMulti": SELECT_MULTIPLE,
    "ranking": RANK,
}
TYPES = {"openText": "text", "date": "date", "cta": "note", "fileUpload": "file"}
# The column type of a text with such an input.
INPUTS = {"number": "decimal"}
SCALES = {"nps": (0, 10), "rating": (1, 5), "csat": (1, 5), "ces": (1, 5)}
IDENTIFYING = ("email", "phone", "url")
NOT_SUPPORTED = {
    "pictureSelection": later("Candor’s pages show only text."),
    "cal": later("Candor makes no appointments."),
    "address": IDENTIFIES,
    "contactInfo": IDENTIFIES,
}
JUMPS = later(
    "Candor has no jumps, so everyone is asked the questions that follow. Set their conditions in "
    "the draft."
)
MAX_POINTS = 101  # of a scale
# The identifier that Formbricks made for a question. Its label makes a better name.
MADE_ID = re.compile(r"[a-z0-9]{20,}|[0-9a-f-]{36}")
MAX_PLACE_CHARACTERS = 40
MAX_NAME_CHARACTERS = 30  # of a name that is made from a label


def read_formbricks(value: Any) -> tuple[Sheets, FormOrigin]:
    """The rows of a survey. Raises DataFileError if it has no questions."""
    survey = unwrap_survey(value)
    form = FormRows(
        COLUMNS,
        "choices",
        main=main_language(survey),
        text=all_texts(survey),
        languages=languages_in(survey),
        piped=("#recall:", "#recall…#"),
    )
    welcome = survey.get("welcomeCard")
    card = welcome if isinstance(welcome, Mapping) and welcome.get("enabled") is True else {}
    reader = FormbricksRows(form)
    introduction = reader.texts(card, "html") or reader.texts(card, "subheader")
    form.title(reader.texts(survey, "name"), introduction)
    for block in [*objects_in(survey, "blocks"), survey]:
        for element in [*objects_in(block, "elements"), *objects_in(block, "questions")]:
            reader.add_question({"logic": block.get("logic"), **element})
    return form.finish(OtherExpression)


def main_language(survey: Members) -> str:
    """The code of the main language, or "" if the survey has only one."""
    for each in objects_in(survey, "languages"):
        language = each.get("language")
        if each.get("default") is True and isinstance(language, Mapping):
            return text_in(language, "code")
    return ""


class FormbricksRows:
    """Adds the rows of the questions."""

    def __init__(self, form: FormRows):
        self.form = form

    def texts(self, value: Members, key: str) -> Texts:
        return texts_in(value.get(key), self.form.stated)

    def add_question(self, element: Members) -> None:
        """Add a question."""
        form, kind, label = self.form, text_in(element, "type"), self.texts(element, "headline")
        title = form.first_text(label) or text_in(element, "id") or kind
        place = f"“{title[:MAX_PLACE_CHARACTERS]}”"
        name = text_in(element, "id")
        if not name or MADE_ID.fullmatch(name) or name in form.references:
            name = plain_ascii(title, "_")[:MAX_NAME_CHARACTERS].strip("_")
        cells = dict[str, str]()
        if kind != "cta":
            cells["required"] = "no" if element.get("required") is False else "yes"
        hint = self.texts(element, "subheader") or self.texts(element, "html")
        more: dict[str, Any] = {"hint": hint, "cells": cells}
        if kind in NOT_SUPPORTED:
            form.omit(place, name, label, "type", translate(NOT_SUPPORTED[kind]))
        elif text_in(element, "inputType") in IDENTIFYING:
            form.omit(place, name, label, "inputType", translate(IDENTIFIES))
        elif kind in CHOICE_TYPES:
            self.add_choices(element, place, name, more)
        elif kind == "consent":
            box = [("accepted", self.texts(element, "label") or label)]
            form.choose(place, SELECT_MULTIPLE, name, label, box, **more)
        elif kind in SCALES:
            least, most = SCALES[kind]
            numbers = range(least, (whole_number_in(element, "range") or most) + 1)[:MAX_POINTS]
            ends = self.texts(element, "lowerLabel"), self.texts(element, "upperLabel")
            cells["appearance"] = "likert"
            choices = scale_choices(numbers, self.form.stated, *ends)
            form.choose(place, SELECT_ONE, name, label, choices, **more)
        elif kind == "matrix":
            rows, columns = self.choices(element, "rows"), self.choices(element, "columns")
            form.matrix(place, name, label, rows, columns, **more)
        else:
            word = TYPES.get(kind, kind)
            if word == "text":
                word = INPUTS.get(text_in(element, "inputType"), word)
            form.add(place, word, name, label, **more)
        if element.get("logic"):
            form.note_last("logic", translate(JUMPS))

    def add_choices(self, element: Members, place: str, name: str, more: dict[str, Any]) -> None:
        """Add a question with choices."""
        word, choices = CHOICE_TYPES[text_in(element, "type")], self.choices(element, "choices")
        if text_in(element, "shuffleOption") not in ("", "none") and word in SELECTS:
            more["cells"]["parameters"] = RANDOMIZE
        other = word in SELECTS and any(value == OTHER for value, _ in choices)
        kind = f"{word} or_other" if other else word
        self.form.choose(place, kind, name, self.texts(element, "headline"), choices, **more)

    def choices(self, element: Members, key: str) -> list[Choice]:
        """The choices of a question, or the rows or columns of a matrix.

        Their names come from their labels, because Formbricks makes their identifiers.
        """
        choices = list[Choice]()
        for each in items_in(element, key):
            whole = isinstance(each, Mapping) and ("label" in each or "id" in each)
            label = texts_in(each.get("label") if whole else each, self.form.stated)
            if whole and text_in(each, "id") == OTHER:
                choices.append((OTHER, label))
            elif text := self.form.first_text(label):
                choices.append((text, label))
        return choices
