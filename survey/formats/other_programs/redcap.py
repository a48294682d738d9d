"""The data dictionary of REDCap, a CSV file with one field in each row, as rows of an XLSForm."""

import io
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from survey.core.csv_tables import csv_rows
from survey.core.translate import translate
from survey.formats.other_programs.condition_language import OtherExpression, token_pattern
from survey.formats.other_programs.form_rows import (
    BATTERY_ROW,
    HIDDEN,
    IDENTIFIES,
    NUMBER,
    Choice,
    FormRows,
    limit_cells,
)
from survey.formats.xlsform.vocabulary import SELECT_MULTIPLE, SELECT_ONE, FormOrigin, Sheets

# The headings of a dictionary, and those of the same columns in exports of REDCap's API.
HEADINGS = {
    "Variable / Field Name": "field_name",
    "Form Name": "form_name",
    "Section Header": "section_header",
    "Field Type": "field_type",
    "Field Label": "field_label",
    "Choices, Calculations, OR Slider Labels": "select_choices_or_calculations",
    "Field Note": "field_note",
    "Text Validation Type OR Show Slider Number": "text_validation_type_or_show_slider_number",
    "Text Validation Min": "text_validation_min",
    "Text Validation Max": "text_validation_max",
    "Identifier?": "identifier",
    "Branching Logic (Show field only if...)": "branching_logic",
    "Required Field?": "required_field",
    "Matrix Group Name": "matrix_group_name",
    "Matrix Ranking?": "matrix_ranking",
    "Field Annotation": "field_annotation",
}
KEYS = {heading.lower(): key for heading, key in HEADINGS.items()}
# What notes call the columns of the rows that the fields become.
COLUMNS = {
    "name": "Variable / Field Name",
    "type": "Field Type",
    "label": "Field Label",
    "hint": "Field Note",
    "relevant": "Branching Logic",
    "required": "Required Field?",
    "constraint": "Text Validation Min/Max",
    "calculation": "Choices, Calculations, OR Slider Labels",
    "parameters": "Text Validation Min/Max",
    "form_title": "Form Name",
    "form_id": "Form Name",
}
# The column type of fields without choices of their own.
TYPES = {
    "notes": "text",
    "descriptive": "note",
    "slider": "range",
}
# The column type of texts with a validation that begins with these words.
VALIDATED = {"number": "decimal", "datetime": "datetime", "date": "date", "time": "time"}
CHOICE_TYPES = {"radio": SELECT_ONE, "dropdown": SELECT_ONE, "checkbox": SELECT_MULTIPLE}
TRUE_OR_FALSE = "1, True | 0, False"  # the choices of such a field
SLIDER = ("0", "100")  # REDCap's limits of a slider that states none
# The texts of validation that identify a person.
IDENTIFYING = ("email", "phone", "ssn", "mrn", "zipcode", "postalcode", "vmrn")
RECORD_ID = re.compile(r"record|.*(^|_)id$")
HIDING = re.compile(r"@HIDDEN(-SURVEY)?\b")
DECIMAL_PLACES = re.compile(r"number_(\d)dp")


class RedcapExpression(OtherExpression):
    """A branching logic or a calculation, in which [name] is the answer to a field."""

    token: ClassVar = token_pattern(r"\[[^\[\]]+\](?:\[[^\[\]]+\])*")

    @staticmethod
    def name_of(written: str) -> str:
        # A field of another event, such as [visit_1][age], is none of the survey.
        return written if "][" in written else written[1:-1].strip()


def read_redcap(content: bytes) -> tuple[Sheets, FormOrigin]:
    """The rows of a dictionary. Raises DataFileError for a file that is no table."""
    (_, first), *rows = csv_rows(io.BytesIO(content))
    headings = [KEYS.get(cell.strip().lower(), cell.strip().lower()) for cell in first]
    text = " ".join(cell for _, cells in rows for cell in cells)
    form = FormRows(
        COLUMNS | {"default_language": translate("language")},
        COLUMNS["calculation"],
        text=text,
        box="{}({})",
        piped=(r"\[\w+\]", "[…]"),
    )
    before: Mapping[str, str] = {}
    for number, (_, cells) in enumerate(rows, 2):
        field = dict(zip(headings, map(str.strip, cells), strict=True))
        if not field.get("field_name"):
            continue
        if not before:
            title = field.get("form_name", "").replace("_", " ").capitalize()
            form.title({form.stated: title}, {})
        add_section(field, before, number, form)
        add_field(field, number, form, first=not before)
        before = field
    return form.finish(RedcapExpression)


def add_section(
    field: Mapping[str, str], before: Mapping[str, str], number: int, form: FormRows
) -> None:
    """Begin a section or a matrix before a field, or end the one before."""
    header = {form.stated: field.get("section_header", "")}
    matrix = field.get("matrix_group_name", "")
    is_matrix = matrix != "" and CHOICE_TYPES.get(field.get("field_type", "")) == SELECT_ONE
    if is_matrix and matrix != before.get("matrix_group_name"):
        form.section(number, header, battery=True)
    elif header[form.stated] or (before and field.get("form_name") != before.get("form_name")):
        form.section(number, header)
    elif not is_matrix and before.get("matrix_group_name"):
        form.section(number, {})


def add_field(field: Mapping[str, str], number: int, form: FormRows, *, first: bool) -> None:
    """Add the question of a field."""
    name, kind = field["field_name"], field.get("field_type", "text").lower()
    label = {form.stated: field.get("field_label", "")}
    validation = field.get("text_validation_type_or_show_slider_number", "").lower()
    annotation = field.get("field_annotation", "")
    logic = field.get("branching_logic", "")
    if first and kind == "text" and RECORD_ID.fullmatch(name):
        fault = translate("this is the number of a record, and Candor has no such numbers.")
        form.omit(number, name, label, "name", fault)
        return
    if field.get("identifier", "").lower() == "y" or validation.startswith(IDENTIFYING):
        column = "type" if validation.startswith(IDENTIFYING) else "Identifier?"
        form.omit(number, name, label, column, translate(IDENTIFIES))
        return
    if kind == "sql":
        fault = translate("Candor reads no choices from a database. Write them into the field.")
        form.omit(number, name, label, "type", fault)
        return
    cells = {"required": "yes" if field.get("required_field", "").lower() == "y" else "no"}
    if "@" in annotation:
        cells["Field Annotation"] = annotation
    more: dict[str, Any] = {"conditions": [logic] if logic else [], "cells": cells}
    more["hint"] = {form.stated: field.get("field_note", "")}
    given = field.get("select_choices_or_calculations", "")
    if HIDING.search(annotation):
        form.omit(number, name, label, "Field Annotation", translate(HIDDEN))
    elif kind == "yesno":
        form.yes_or_no(number, name, label, ("1", "0"), **more)
    elif kind in (*CHOICE_TYPES, "truefalse"):
        matrix = field.get("matrix_group_name", "")
        if field.get("matrix_ranking", "").lower() == "y":
            cells["Matrix Ranking?"] = "y"
        if matrix and CHOICE_TYPES.get(kind) == SELECT_ONE:
            cells[BATTERY_ROW] = "yes"
        choices = choices_in_field(given if kind in CHOICE_TYPES else TRUE_OR_FALSE, form.stated)
        word = CHOICE_TYPES.get(kind, SELECT_ONE)
        form.choose(number, word, name, label, choices, list_name=matrix, **more)
    elif kind == "calc":
        del cells["required"]
        form.calculate(number, name, label, given, **more)
    else:
        if kind == "slider" and given:
            ends = " – ".join(split_cell(given))
            more["hint"] = {form.stated: f"{field.get('field_note', '')} {ends}".strip()}
        word = type_of_text(validation) if kind == "text" else TYPES.get(kind, kind)
        if word == "note":
            del cells["required"]
        cells |= validation_cells(word, validation, field)
        form.add(number, word, name, label, **more)


def type_of_text(validation: str) -> str:
    """The column type of a field of the type text."""
    if validation == "integer":
        return "integer"
    for start, kind in VALIDATED.items():
        if validation.startswith(start):
            return kind
    return "text"


def validation_cells(word: str, validation: str, field: Mapping[str, str]) -> dict[str, str]:
    """The cells with the smallest and the largest answer."""
    places = DECIMAL_PLACES.match(validation)
    limits = dict[str, tuple[str, str]]()
    for sign, end in ((">=", "min"), ("<=", "max")):
        text = field.get(f"text_validation_{end}", "").replace(",", ".")
        if places and NUMBER.fullmatch(text):
            text = f"{Decimal(text):.{places[1]}f}"
        limits[sign] = f"Text Validation {end.capitalize()}", text
    if word == "range":
        low, high = limits[">="][1] or SLIDER[0], limits["<="][1] or SLIDER[1]
        return {"parameters": f"start={low} end={high} step=1"}
    return limit_cells(word, limits)


def split_cell(given: str) -> list[str]:
    """The parts of a cell between vertical lines or, in old files, line breaks."""
    return [part.strip() for part in re.split(r"\||\\n|\n", given) if part.strip()]


def choices_in_field(given: str, language: str) -> list[Choice]:
    """The choices in a cell such as `1, Yes | 0, No`."""
    choices = list[Choice]()
    for part in split_cell(given):
        value, _, label = part.partition(",")
        choices.append((value.strip(), {language: label.strip() or value.strip()}))
    return choices
