"""Conversion of a definition into XLSForm: rows of the sheets survey, choices and settings."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from survey.core.number_grid import json_number
from survey.definition.choices import answer_words
from survey.definition.fieldwork import ONE_AT_A_TIME
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.definition.translation import Path, own_words
from survey.formats.types import FORMATS
from survey.formats.xlsform.choice_filters import FilterColumns, columns_of_boxes
from survey.formats.xlsform.conditions import bounds_as_xpath, relevant_as_xpath
from survey.formats.xlsform.dates import dates_as_xpath
from survey.formats.xlsform.vocabulary import (
    ANSWER,
    CALCULATE,
    CHOICES,
    FILTER,
    LABELS,
    OWN,
    PRIVACY,
    QUESTION_MEMBERS,
    RANDOMIZE,
    SETTINGS,
    SURVEY,
    SURVEY_COLUMNS,
    WARNING_COLUMN,
    Cell,
    Row,
    column_in_language,
    encode_cell,
    exported_cell,
)
from survey.formats.xlsform.write_calculation import calculation_of

GROUP_BEGIN = "begin_group"
GROUP_END = "end_group"
NOT_RANDOMISED = (
    "Only Candor randomises the answers to private questions. ODK, KoboToolbox and other tools "
    "store the answers that they collect with this file as given."
)
ALSO_SENT = "They also send the answers that Candor keeps in the respondent's page."


def to_xlsform(survey: Survey) -> dict[str, list[Row]]:
    """The rows of each sheet. Reading them (`read_form`) returns the same definition."""
    lists = ChoiceLists(survey)
    rows: list[Row] = []
    for question in survey.questions:
        row = question_row(question, lists)
        if row["type"] == GROUP_BEGIN:
            rows += end_of_group(rows)
        rows.append(row)
    rows += end_of_group(rows)
    first = [column_in_language(c, survey.language) if c in LABELS else c for c in SURVEY_COLUMNS]
    labels = [column_in_language("label", language) for language in survey.languages]
    return {
        SURVEY: rows_with_all_columns(rows, [*first[:3], *labels[1:], *first[3:]]),
        CHOICES: rows_with_all_columns(lists.rows, ["list_name", "name", *labels]),
        SETTINGS: rows_with_all_columns([settings_row(survey)], []),
    }


def end_of_group(rows: Sequence[Row]) -> list[Row]:
    """The row that ends the section in these rows, if there is one."""
    return [{"type": GROUP_END}] if any(row["type"] == GROUP_BEGIN for row in rows) else []


def rows_with_all_columns(rows: Sequence[Row], first: Sequence[str]) -> list[Row]:
    """All rows with all columns: those in `first`, then the others in alphabetical order."""
    rest = {column for row in rows for column in row} - set(first)
    columns = [*first, *sorted(rest)]
    return [{column: exported_cell(column, row.get(column)) for column in columns} for row in rows]


def in_each_language(survey: Survey, column: str, text: str, path: Path) -> dict[str, Cell]:
    """A text and its translations, each in its own column."""
    row: dict[str, Cell] = {column_in_language(column, survey.language): text}
    for language, texts in survey.translations.items():
        if path in texts:
            row[column_in_language(column, language)] = texts[path]
    return row


class ChoiceLists:
    """The lists of choices. Questions with the same choices share one."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self.own_conditions = survey.own_conditions
        self.known = {question.name: question for question in survey.questions}
        self.columns = FilterColumns()
        self.names: dict[str, str] = {}
        self.rows: list[Row] = []

    def of(self, question: Question) -> str:
        """The name of the list with a question's choices."""
        lengths = columns_of_boxes(question, self.known)
        rows = [
            self.row(question, place) | self.columns.cells(choice.relevant or {}, lengths)
            for place, choice in enumerate(question.listed)
        ]
        for name in FORMATS[question].special_choices():
            languages = self.survey.languages
            labels = {
                column_in_language("label", each): answer_words(each)[2] for each in languages
            }
            rows.append({"name": name, **labels})
        content = repr(rows)
        if content not in self.names:
            name = FORMATS[question].usual_list_name()
            if name in self.names.values():
                name = question.name
            while name in self.names.values():
                name += "_list"
            self.names[content] = name
            self.rows += [{"list_name": name, **row} for row in rows]
        return self.names[content]

    def filter_of(self, question: Question) -> str:
        """The filter of a question whose choices have conditions."""
        return self.columns.filter_of(question, columns_of_boxes(question, self.known))

    def row(self, question: Question, place: int) -> dict[str, Cell]:
        choice, survey = question.listed[place], self.survey
        path = ("questions", question.name, "choices", choice.name)
        row = {"name": choice.name, **in_each_language(survey, "label", choice.label, path)}
        if choice.label == own_words(question, survey.language)[place]:
            own = {each: own_words(question, each)[place] for each in survey.translations}
            row |= {column_in_language("label", each): word for each, word in own.items()}
        return row


def question_row(question: Question, lists: ChoiceLists) -> Row:
    survey, entry = lists.survey, question.as_definition()
    path = ("questions", question.name)
    kind = question.kind
    row: dict[str, Cell] = {"type": [*kind.xlsform_names, ""][0], "name": question.name}
    row |= in_each_language(survey, "label", question.label, (*path, "label"))
    row |= in_each_language(survey, "hint", question.hint, (*path, "hint"))
    if "privacy" in kind.keys:
        row["required"] = FORMATS[question].required_cell()
    if relevant := lists.own_conditions[question.name]:
        row["relevant"] = relevant_as_xpath(relevant, lists.known)
    own = {key: value for key, value in entry.items() if key not in QUESTION_MEMBERS}
    if row["type"] == GROUP_BEGIN:
        # Tools that show one question at a time then show the whole section.
        row["appearance"] = kind.appearances[0]
        # XLSForm randomises only the order of choices.
        own |= {"random_order": True} if question.random_order else {}
    if question.listed:
        row |= list_cells(question, lists)
        own = FORMATS[question].list_members(own)
        if "anchors" in own:
            own["anchors"] = " ".join(own["anchors"])
    elif question.grid is not None:
        row |= number_cells(question)
    elif question.dates is not None:
        row["constraint"] = dates_as_xpath(*question.dates)
    if isinstance(own.get("otherwise"), list) and own["otherwise"]:
        own["otherwise"] = " ".join(own["otherwise"])
    if question.derived is not None:
        row |= {
            ANSWER: row["type"] or kind.name,
            "type": CALCULATE,
            "required": None,
        }
        row["calculation"] = calculation_of(question, survey.questions)
    row |= own_cells(survey, question, own)
    privacy = entry.get("privacy", {})
    if not isinstance(privacy, Mapping):
        privacy = {"mechanism": privacy}
    return row | {f"{PRIVACY}::{key}": encode_cell(value) for key, value in privacy.items()}


def list_cells(question: Question, lists: ChoiceLists) -> dict[str, Cell]:
    """The cells on the choices of a question."""
    kind = question.kind
    cells: dict[str, Cell] = {"type": f"{kind.xlsform_list} {lists.of(question)}"}
    if question.choice_conditions:
        cells[FILTER] = lists.filter_of(question)
    if kind.appearances:
        cells["appearance"] = kind.appearances[0]
    if question.random_order:
        cells["parameters"] = RANDOMIZE
    return cells


def own_cells(survey: Survey, question: Question, own: Mapping[str, Any]) -> dict[str, Cell]:
    """The cells of members that only Candor knows, in each language."""
    cells: dict[str, Cell] = {}
    for key, value in own.items():
        cells[f"{OWN}::{key}"] = encode_cell(value)
        for language, texts in survey.translations.items():
            if ("questions", question.name, key) in texts:
                column = column_in_language(f"{OWN}::{key}", language)
                cells[column] = texts[("questions", question.name, key)]
    return cells


def number_cells(question: Question) -> dict[str, Cell]:
    """An integer with a constraint if the step is 1 and the ends are whole, otherwise a range."""
    entry = question.as_definition()
    ends = entry["min"], entry["max"]
    if entry["step"] == 1 and all(isinstance(end, int) for end in ends):
        return {"type": "integer", "constraint": bounds_as_xpath(".", *ends)}
    low, high, step = (bounds_as_xpath("", entry[k], None)[4:] for k in ("min", "max", "step"))
    return {"type": "range", "parameters": f"start={low} end={high} step={step}"}


def settings_row(survey: Survey) -> Row:
    definition = survey.as_definition()
    tag = column_in_language("", survey.language).removeprefix("::")
    row: dict[str, Cell] = {
        "form_title": definition.pop("title"),
        "form_id": definition.pop("slug"),
        "default_language": tag,
    }
    # Translations that are not offered may be too long for one cell.
    for key in ("language", "questions", "translations", "translations_not_offered"):
        definition.pop(key, None)
    if definition.get("layout") == ONE_AT_A_TIME:
        row["style"] = "pages"
        del definition["layout"]
    budget = definition.pop("budget", {})
    if budget:
        if "epsilon" in budget:
            row[f"{OWN}::budget"] = encode_cell(json_number(Fraction(repr(budget["epsilon"]))))
        asked = budget["per_respondent"]
        # A form is for respondents, but `at_most` is for responses from files.
        if not survey.budget.at_most:
            row[f"{OWN}::per_respondent"] = asked if asked == "all" else asked["sample"]
    row |= {f"{OWN}::{key}": encode_cell(value) for key, value in definition.items() if value != ""}
    unsent = any(not question.sent for question in survey.asked)
    if survey.private or unsent:
        also = f" {ALSO_SENT}" if unsent else ""
        row[WARNING_COLUMN] = f"{NOT_RANDOMISED}{also}"
    for language, texts in survey.translations.items():
        top = {path[0]: text for path, text in texts.items() if len(path) == 1}
        row |= {column_in_language(f"{OWN}::{key}", language): text for key, text in top.items()}
    return row
