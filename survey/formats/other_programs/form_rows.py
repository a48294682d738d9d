"""The rows of an XLSForm that the survey of another program becomes, and the places in its file."""

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html.entities import html5
from typing import Any

from survey.core.errors import DataFileError
from survey.core.languages import LANGUAGES, MAIN, language_name
from survey.core.translate import later, translate, translate_plural
from survey.definition.choices import OTHER, answer_words, choice_name, plain_ascii
from survey.definition.parse_question import question_name
from survey.definition.survey import (
    MAX_INTRODUCTION_CHARACTERS,
    MAX_SLUG_CHARACTERS,
    MAX_TITLE_CHARACTERS,
)
from survey.formats.csv_import import names_text
from survey.formats.other_programs.condition_language import OtherExpression, Reference, XPathWriter
from survey.formats.xlsform.expressions import UnsupportedCondition
from survey.formats.xlsform.markup import ESCAPES, SIGNS, TAGS, without_markup
from survey.formats.xlsform.read_form import DEFAULT_SLUG
from survey.formats.xlsform.read_relevance import asked_without_condition
from survey.formats.xlsform.vocabulary import (
    CALCULATE,
    CHOICES,
    OWN,
    SELECT_MULTIPLE,
    SELECT_ONE,
    SETTINGS,
    SURVEY,
    Cell,
    FormOrigin,
    Places,
    RowOmitted,
    Sheets,
    XLSFormColumn,
    language_of,
    rows_text,
    shown_as_text,
)
from survey.formats.xlsx_reader import MAX_ROWS

# A text in each language, by the code of the language. "" is the main language of a file that does
# not state it.
Texts = Mapping[str, str]
Choice = tuple[str, Texts]  # the value in the file, and the label
Place = int | str  # the row of a table, or the name of a question or a NamedSection

# Reading markup in a longer text would take too long. Candor's labels are shorter.
MAX_RAW_CHARACTERS = 4_000
TAG = re.compile(r"(<[^<>]*>)")
KNOWN_TAG = re.compile(rf"</?(?:{TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
HIDDEN_TAG = re.compile(r"<(/?)(?:script|style)\b", re.IGNORECASE)
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|\w{2,31});")
# Signs of Markdown, which XLSForms have and other programs do not.
MARKDOWN = re.compile(r"[\\*_#\[]")
NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# The letters of a language that English and other European languages do not have.
LETTERS = {
    "th": re.compile("[\u0e01-\u0e2e]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "vi": re.compile("[ăđơưĂĐƠƯ\u1ea0-\u1ef9]"),
}
MAX_LANGUAGES = 100  # to look for those that Candor has
FIRST_ROW = 2  # Row 1 has the names of the columns.
IDENTIFIES = later(
    "the answer identifies a person, and Candor stores nothing that does. Ask for something less "
    "exact, such as an age group."
)
HIDDEN = later("respondents never see this question.")
NO_ROWS = later("the table has no rows, so it asks nothing. Add a row to it.")
BATTERY_ROW = "battery row"  # marks the questions of a battery among the cells of a row


def guess_language(text: str) -> str:
    """The language of a text by its letters: th, vi or zh, or "" if they show none of these.

    One letter in fifty that English does not have shows the language, so that single foreign
    words do not decide.
    """
    letters = sum(character.isalpha() for character in text)
    for language, own in LETTERS.items():
        if letters and len(own.findall(text)) * 50 > letters:
            return language
    return ""


class NamedSection(str):
    """The name of a section, such as a page or a group."""


def clean_text(text: str) -> str:
    """A text with HTML, as a cell of an XLSForm has it."""
    parts, hidden = list[str](), False
    for part in TAG.split(text):
        is_tag = TAG.fullmatch(part) is not None
        if (tag := HIDDEN_TAG.match(part)) is not None:
            hidden = not tag[1]
        elif not hidden and not is_tag:
            parts.append(MARKDOWN.sub(lambda sign: ESCAPES[sign[0]], ENTITY.sub(entity, part)))
        elif not hidden and KNOWN_TAG.fullmatch(part):
            parts.append(part)
    return "".join(parts).strip()[:MAX_RAW_CHARACTERS]


def entity(match: re.Match[str]) -> str:
    """The character of an entity, unless an XLSForm has the entity, too."""
    known = match[0][1] == "#" or match[0][1:] in html5
    return html.unescape(match[0]) if known and match[0] not in SIGNS else match[0]


@dataclass(frozen=True)
class FilePlaces(Places):
    """How notes name the places of a file: by questions, or by the rows of a table.

    Attributes
    ----------
    rows : the place of each row of a sheet, in order
    columns : what the file calls the columns of the sheet survey and of the settings
    choices : what the file calls the choices of a question
    expressions : what the file writes for each part of a condition
    """

    rows: Mapping[str, Sequence[Place]]
    columns: Mapping[str, str]
    choices: str
    expressions: Mapping[str, str] = field(default_factory=dict)

    def words(self, sheet: str, rows: Sequence[int], column: str = "") -> str:
        found = list(dict.fromkeys(self.rows[sheet][row - FIRST_ROW] for row in rows if row))
        numbers = sorted(place for place in found if isinstance(place, int))
        names = [place for place in found if isinstance(place, str)]
        key = XLSFormColumn.of(column).key
        what = self.choices if sheet == CHOICES else self.columns.get(key, column)
        return ", ".join(filter(None, (rows_text(numbers) or place_names(names), what)))

    def question(self, name: str, row: int) -> str:
        place = self.rows[SURVEY][row - FIRST_ROW]
        return super().question(name, place) if isinstance(place, int) else repr(str(place))

    def write_part(self, expression: str) -> str:
        return self.expressions.get(expression, expression)


def limit_cells(word: str, limits: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """The cells with the smallest and the largest answer of a question with the type `word`.

    `limits` has, by the sign >= or <=, what the file calls the limit, and its text. Texts that are
    no limits, such as `today`, become notes.
    """
    cells, parts = dict[str, str](), list[str]()
    for sign, (name, text) in limits.items():
        if word == "date" and ISO_DATE.fullmatch(text):
            parts.append(f". {sign} date('{text}')")
        elif word in ("integer", "decimal") and NUMBER.fullmatch(text):
            parts.append(f". {sign} {text}")
        elif text:
            cells[name] = text
    return cells | ({"constraint": " and ".join(parts)} if parts else {})


def place_names(names: Sequence[str]) -> str:
    """Questions or sections in words: question a; questions a, b, c."""
    if not any(names):
        return ""
    sections, text = sum(isinstance(name, NamedSection) for name in names), names_text(names)
    if not sections:
        return translate_plural("question %(names)s", "questions %(names)s", len(names), names=text)
    if sections == len(names):
        return translate_plural("section %(names)s", "sections %(names)s", sections, names=text)
    return translate("questions and sections %(names)s", names=text)


class FormRows:
    """Collects the rows of a form.

    Attributes
    ----------
    references : what expressions of the file mean by names
    stated : the language of texts without a language, "" if the file does not show it
    main : the main language, which is another one if Candor does not have `stated`
    languages : the languages that Candor has, and the main one

    Parameters
    ----------
    columns, choices : see FilePlaces
    main, languages : the languages that the file states
    text : all texts, which show the language of a file that does not state it
    box : the name of a box in expressions, from the name of the question and the value
    piped : a pattern that finds references to answers in texts, and how a note writes them
    """

    def __init__(
        self,
        columns: Mapping[str, str],
        choices: str,
        *,
        main: str = "",
        text: str = "",
        languages: Sequence[str] = (),
        box: str = "",
        piped: tuple[str, str] = ("", ""),
    ):
        guessed = "" if main else guess_language(text)
        guessed = "" if guessed in languages else guessed
        self.stated = main = main or guessed
        given = list(dict.fromkeys((main, *languages[:MAX_LANGUAGES])))
        known = list[str]()
        for each in given:
            if (language := language_of(each)) and language not in map(language_of, known):
                known.append(each)
        self.main = known[0] if main and known else main
        self.languages = list(dict.fromkeys((self.main, *known)))
        self.columns, self.choices, self.box, self.piped = columns, choices, box, piped
        self.rows: dict[str, list[dict[str, Cell]]] = {SURVEY: [], CHOICES: []}
        self.places: dict[str, list[Place]] = {SURVEY: [], CHOICES: []}
        self.settings: dict[str, Cell] = {"default_language": self.main} if main else {}
        self.references: dict[str, Reference] = {}
        self.lists: dict[str, tuple[str, dict[str, str]]] = {}
        self.conditions: dict[int, list[str]] = {}
        self.calculations: dict[int, str] = {}
        self.omitted: dict[int, RowOmitted] = {}
        self.notes: list[tuple[str, int | None, str, str]] = []
        self.taken: set[str] = set()
        self.uses = Counter[str]()
        self.renamed: list[str] = []
        if guessed:
            note = translate(
                "is missing, so the main language is %(language)s, the language of the texts.",
                language=language_name(guessed),
            )
            self.note_setting("default_language", note)
        if others := [each for each in given if each not in self.languages]:
            note = translate(
                "texts in %(others)s are omitted. Candor’s pages for respondents are in "
                "%(languages)s.",
                others=names_text(others),
                languages=", ".join(map(language_name, LANGUAGES)),
            )
            self.note_setting("default_language", note)
        self.outer: tuple[Place, list[str]] = "", []
        self.sections = 0
        self.open = self.battery = False

    def column(self, key: str, language: str) -> str:
        return f"{key}::{language}" if language else key

    def texts(self, key: str, texts: Texts) -> dict[str, Cell]:
        """The cells with a text in each language."""
        usable = {each: texts[each] for each in self.languages if texts.get(each)}
        if not usable and (text := next(filter(None, texts.values()), "")):
            usable = {self.main: text}
        return {self.column(key, language): clean_text(text) for language, text in usable.items()}

    def title(self, texts: Texts, introduction: Texts) -> None:
        """Set the title, the address made from it, and the introduction."""
        title, main = self.plain(texts), self.first_text(texts)
        slug = plain_ascii(main)[:MAX_SLUG_CHARACTERS].strip("-") or DEFAULT_SLUG
        self.settings |= {"form_title": main[:MAX_TITLE_CHARACTERS] or DEFAULT_SLUG.capitalize()}
        self.settings["form_id"] = slug
        named = {"title": (title, MAX_TITLE_CHARACTERS)}
        named["introduction"] = self.plain(introduction), MAX_INTRODUCTION_CHARACTERS
        for key, (each, most) in named.items():
            for language, text in each.items():
                if text and (language != self.main or key == "introduction"):
                    tag = "" if language == self.main else language
                    self.settings[self.column(f"{OWN}::{key}", tag)] = text[:most]

    def plain(self, texts: Texts) -> dict[str, str]:
        """A text without markup in each language."""
        cleaned = {each: clean_text(texts.get(each, "")) for each in self.languages}
        return {each: without_markup(text)[0] for each, text in cleaned.items()}

    def first_text(self, texts: Texts) -> str:
        """A text without markup in the main language, or in the first one that has it."""
        return next(filter(None, self.plain(texts).values()), "")

    def add(
        self,
        place: Place,
        kind: str,
        name: str = "",
        label: Texts | None = None,
        *,
        hint: Texts | None = None,
        conditions: Sequence[str] = (),
        cells: Mapping[str, Any] | None = None,
    ) -> int:
        """Add a row of the sheet survey, and return its number.

        Parameters
        ----------
        place : where the question is in the file
        kind : the column type
        name : the name of the question in the file
        conditions : conditions in the language of the file, which must all hold
        cells : further cells. Columns that XLSForm does not have become notes
        """
        if self.battery and kind != "begin_group" and not (cells or {}).get(BATTERY_ROW):
            self.section(self.outer[0], {}, conditions=self.outer[1])
        self.require_room(SURVEY, 1)
        number = len(self.rows[SURVEY]) + FIRST_ROW
        row: dict[str, Cell] = {"type": kind}
        if kind not in ("begin_group", "end_group"):
            name = name or self.next_name()
            self.uses[name] += 1
            # Looking for a free name among thousands of equal ones would take too long.
            written = name if self.uses[name] == 1 else f"{name}_{self.uses[name]}"
            row["name"] = used = question_name(written, number, self.taken)
            self.taken.add(used)
            self.references.setdefault(name, Reference(used))
            if used != name.lower():
                self.renamed.append(f"{name} → {used}")
        row |= self.texts("label", label or {}) | self.texts("hint", hint or {})
        row |= {key: cell for key, cell in (cells or {}).items() if key != BATTERY_ROW}
        if conditions:
            self.conditions[number] = list(conditions)
        self.rows[SURVEY].append(row)
        self.places[SURVEY].append(place)
        pattern, shown = self.piped
        if pattern and any(re.search(pattern, text) for text in (label or {}).values()):
            self.note(number, "label", shown_as_text(shown))
        return number

    def require_room(self, sheet: str, rows: int) -> None:
        """Refuse a file that is longer than a workbook can be. Raises DataFileError."""
        if len(self.rows[sheet]) + rows > MAX_ROWS:
            raise DataFileError(
                "This file has more than %(most)s questions or choices. Split it.", most=MAX_ROWS
            )

    def next_name(self) -> str:
        """The name of a question to which the file gives none."""
        return f"q{len(self.rows[SURVEY]) + FIRST_ROW}"

    def choose(
        self,
        place: Place,
        kind: str,
        name: str,
        label: Texts,
        choices: Sequence[Choice],
        *,
        list_name: str = "",
        **more: Any,
    ) -> int:
        """Add a question with choices, see `add`. Questions with the same `list_name` share a list.

        `kind` is the word before the name of the list, and `or_other` if the list has this choice.
        """
        word, _, other = kind.partition(" ")
        name = name or self.next_name()
        number = self.add(place, word, name, label, **more)
        question = str(self.rows[SURVEY][number - FIRST_ROW]["name"])
        if list_name not in self.lists:
            values = self.add_list(place, question, choices)
            self.lists[list_name or question] = question, values
        used, values = self.lists[list_name or question]
        self.rows[SURVEY][number - FIRST_ROW]["type"] = f"{word} {used} {other}".strip()
        if other:
            values = {"-oth-": OTHER, OTHER: OTHER} | values
        if self.references[name].name == question:
            self.references[name] = Reference(question, values)
        for value, choice in values.items() if self.box and word == SELECT_MULTIPLE else ():
            self.references[self.box.format(name, value)] = Reference(question, ticked=choice)
        return number

    def yes_or_no(
        self, place: Place, name: str, label: Texts, values: Sequence[str], **more: Any
    ) -> int:
        """Add a question with the answers yes and no, whose values in the file are given."""
        name = name or self.next_name()
        words = {each: answer_words(language_of(each) or MAIN) for each in self.languages}
        choices = [
            ("yes", {language: yes for language, (yes, *_) in words.items()}),
            ("no", {language: no for language, (_, no, *_) in words.items()}),
        ]
        number = self.choose(place, SELECT_ONE, name, label, choices, **more)
        names = dict(zip(values, ("yes", "no"), strict=True))
        self.references[name] = Reference(self.references[name].name, names)
        return number

    def add_list(self, place: Place, name: str, choices: Sequence[Choice]) -> dict[str, str]:
        """Add a list of choices, and return their names in the form by their values."""
        self.require_room(CHOICES, len(choices))
        names, taken = dict[str, str](), set[str]()
        for number, (value, label) in enumerate(choices, 1):
            names[value] = choice_name(value, number, taken)
            taken.add(names[value])
            labels = self.texts("label", label) or self.texts("label", {self.main: value})
            row = {"list_name": name, "name": names[value], **labels}
            self.rows[CHOICES].append(row)
            self.places[CHOICES].append(place)
        return names

    def calculate(
        self, place: Place, name: str, label: Texts, calculation: str, **more: Any
    ) -> None:
        """Add a calculated answer. The calculation is in the language of the file."""
        self.calculations[self.add(place, CALCULATE, name, label, **more)] = calculation

    def omit(self, place: Place, name: str, label: Texts, column: str, fault: str) -> None:
        """Add a question that the import leaves out. `fault` says why, and what to do."""
        number = self.add(place, "note", name, label, cells={BATTERY_ROW: True})
        self.omitted[number] = RowOmitted(column, fault)

    def note(self, row: int, column: str, sentence: str) -> None:
        self.notes.append((SURVEY, row, column, sentence))

    def note_last(self, column: str, sentence: str) -> None:
        """Add a note about the last row."""
        self.note(len(self.rows[SURVEY]) + FIRST_ROW - 1, column, sentence)

    def note_setting(self, column: str, sentence: str) -> None:
        """Add a note about the whole survey."""
        self.notes.append((SETTINGS, None, column, sentence))

    def section(
        self,
        place: Place,
        label: Texts,
        *,
        hint: Texts | None = None,
        conditions: Sequence[str] = (),
        battery: bool = False,
    ) -> None:
        """Begin a section. Without a heading and conditions, only the one before ends.

        After a battery, which is a section of its own, the section before goes on.
        """
        self.end_section()
        if not battery:
            self.outer = place, list(conditions)
        else:
            conditions = [*self.outer[1], *conditions]
        if battery or conditions or any(label.values()):
            cells = {f"{OWN}::battery": "yes"} if battery else {}
            self.sections += 1
            name = f"section{self.sections}"
            number = self.add(place, "begin_group", "", label, hint=hint, conditions=conditions)
            self.rows[SURVEY][number - FIRST_ROW] |= {"name": name, **cells}
            self.open, self.battery = True, battery

    def end_section(self) -> None:
        if self.open:
            self.open = self.battery = False
            self.add("", "end_group")

    def matrix(
        self,
        place: Place,
        name: str,
        label: Texts,
        rows: Sequence[Choice],
        choices: Sequence[Choice],
        *,
        hint: Texts | None = None,
        conditions: Sequence[str] = (),
        cells: Mapping[str, Any] | None = None,
        kind: str = SELECT_ONE,
    ) -> None:
        """Add a table: one question for each row, with the value and the label of the row.

        Expressions of SurveyJS write the name and the value with a dot between them.
        """
        if not rows:
            self.omit(place, name, label, "type", translate(NO_ROWS))
            return
        if len(rows) > 1 and kind == SELECT_ONE:
            self.section(place, label, hint=hint, conditions=conditions, battery=True)
            conditions, cells = (), {BATTERY_ROW: True, **(cells or {})}
        elif any(label.values()):
            self.add(place, "note", name, label, hint=hint, conditions=conditions)
        more: dict[str, Any] = {"conditions": conditions, "cells": cells}
        more["list_name"] = f"rows of {name}"
        for value, text in rows:
            self.choose(place, kind, f"{name}_{value}", text, choices, **more)
            self.references[f"{name}.{value}"] = self.references[f"{name}_{value}"]

    def finish(self, language: type[OtherExpression]) -> tuple[Sheets, FormOrigin]:
        """The sheets and the places, with all conditions, which are in `language`.

        Raises DataFileError if there are no questions.
        """
        self.end_section()
        if not self.rows[SURVEY]:
            raise DataFileError("This file has no questions. Add one, and export it again.")
        writer, expressions = XPathWriter(self.references), dict[str, str]()
        for number, texts in self.conditions.items():
            parts = list[str]()
            for text in texts:
                try:
                    for part in language(text).whole().joined_by("and"):
                        parts.append(writer.condition(part))
                        expressions[parts[-1]] = part.source
                except UnsupportedCondition as error:
                    self.note(number, "relevant", asked_without_condition(str(error)))
            whole = parts[0] if len(parts) == 1 else " and ".join(f"({part})" for part in parts)
            self.rows[SURVEY][number - FIRST_ROW]["relevant"] = whole
        for number, text in self.calculations.items():
            try:
                text = writer.value(language(text).whole())
                self.rows[SURVEY][number - FIRST_ROW]["calculation"] = text
            except UnsupportedCondition as error:
                fault = translate("%(fault)s. Candor does not calculate this.", fault=error)
                self.omitted[number] = RowOmitted("calculation", fault)
        if self.renamed:
            note = translate(
                "names in Candor have only small letters, digits and _, so these names change: "
                "%(names)s.",
                names=names_text(self.renamed),
            )
            self.note_setting("name", note)
        sheets: Sheets = {**self.rows, SETTINGS: [self.settings]}
        places = FilePlaces(self.places | {SETTINGS: [""]}, self.columns, self.choices, expressions)
        return sheets, FormOrigin(places, self.omitted, self.notes)
