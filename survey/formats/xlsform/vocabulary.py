"""The vocabulary of XLSForm: columns, languages in their names, cell values, and import notes.

Here a workbook consists of plain rows. Each sheet is a list of mappings from the column name, as in
the first row, to the cell, which is None if empty. Candor's own columns begin with `privacy::` (the
protection of a question) and `candor::` (everything else without a column in XLSForm).
docs/reference/xlsform.md lists them.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import itemgetter
from typing import Any

from babel import Locale

from survey.core.json_text import parse_json
from survey.core.languages import LANGUAGES, MAIN, language_name
from survey.core.translate import later, translate, translate_error
from survey.definition.fieldwork import Fieldwork
from survey.definition.types import QUESTION_TYPES, QuestionType
from survey.formats.xlsform.markup import escaped_markup, without_markup

Cell = str | int | float | bool | None
Row = Mapping[str, Cell]
Sheets = Mapping[str, Sequence[Row]]

SURVEY = "survey"
CHOICES = "choices"
SETTINGS = "settings"
SHEET_ORDER = {SURVEY: 0, CHOICES: 1, SETTINGS: 2}
PRIVACY = "privacy"
OWN = "candor"
GARBLING = "garbling"
# The words before the name of a list of choices.
SELECT_ONE = "select_one"
SELECT_MULTIPLE = "select_multiple"
SELECTS = (SELECT_ONE, SELECT_MULTIPLE)
RANK = "rank"
# The value of the column parameters for choices in random order.
RANDOMIZE = "randomize=true"
# A calculated answer: the type of row, and the column with the type of the answer.
CALCULATE = "calculate"
ANSWER = f"{OWN}::answer"
# The column with the rule of a derived answer.
DERIVED = f"{OWN}::derived"
# A sentence for people who open the file. The import does not need it.
WARNING_COLUMN = f"{OWN}::warning"
# The columns of XLSForm in the sheet survey that are read, in the order in which they are written.
SURVEY_COLUMNS = (
    *("type", "name", "label", "hint", "required", "relevant", "constraint", "appearance"),
    "parameters",
)
# The members of a question that these columns, the list of choices or `privacy::` define.
QUESTION_MEMBERS = {
    *("name", "type", "label", "hint", "choices", "min", "max", "step", "relevant", "privacy"),
    *("random_order", "optional", "earliest", "latest"),
}
NAMESPACES = {PRIVACY, OWN, GARBLING, "bind", "body", "control", "media", "instance"}
TRANSLATED = {"label", "hint", "caption", "image", "audio", "video", "big-image", "guidance_hint"}
TRANSLATED |= {"constraint_message", "required_message"}
# Older names of columns, and synonyms.
ALIASES = {
    "caption": "label",
    "command": "type",
    "relevance": "relevant",
    "bind::relevant": "relevant",
    "bind::required": "required",
    "bind::constraint": "constraint",
    "control::appearance": "appearance",
    "body::appearance": "appearance",
    "calculate": "calculation",
    "bind::calculate": "calculation",
    "constraining_message": "constraint_message",
    "bind::jr:constraintmsg": "constraint_message",
    "requiredmsg": "required_message",
    "read_only": "readonly",
    "bind::readonly": "readonly",
    "set_form_title": "form_title",
    "set_form_id": "form_id",
}
YES = {"yes", "true", "true()", "1"}
NO = {"no", "false", "false()", "0"}
# Members that are true or false.
SWITCHES = {f.name for f in fields(Fieldwork) if isinstance(f.default, bool)}
SWITCHES |= {"prefer_not_to_say", "texts_apart", "anchor_question"}
SWITCHES |= {"random_order", "battery"}
NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?")
TAG_CODE = re.compile(r"\(\s*([A-Za-z]{2,3})(?:[-_]\w+)*\s*\)\s*$")
MAX_NAMED_ROWS = 12
# The column with the filter of a list of choices.
FILTER = "choice_filter"
# The columns with expressions, in which ${name} is the answer to a question. In all other cells it
# is text for Candor, but other tools would fill in the answer, or refuse the form.
EXPRESSIONS = {"relevant", "constraint", "calculation", FILTER}
LABELS = {"label", "hint"}
REFERENCE_START = re.compile(r"\$( *)\{")
ESCAPED_START = re.compile(r"\$ ( *)\{")
NOT_SUPPORTED = later("is not supported.")
# The words of an English note about one row, and about several. The other languages of Candor have
# no plural.
PLURALS = {
    "The row is": "The rows are",
    "The constraint is": "The constraints are",
    "The question is": "The questions are",
    "so the question is": "so the questions are",
    "skip the question": "skip these questions",
    "the condition of the question": "the condition of each question",
    "this non-private question": "these non-private questions",
    "Protect this question": "Protect these questions",
    "set the condition again": "set the conditions again",
    "but this question is": "but these questions are",
    "The questions of this group": "The questions of these groups",
    "understand this calculation": "understand these calculations",
    "Candor calculates this only": "Candor calculates these only",
    "and does not send it": "and does not send them",
    "use the answer, so it stays": "use the answers, so they stay",
}


def encode_cell(value: Any) -> Cell:
    """A value of a definition as a cell.

    Numbers become numbers if a workbook keeps all their digits. A text that would be read as
    something else gets quotation marks, as in JSON.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and abs(value) < 10**15:
        return value
    if isinstance(value, float) and not value.is_integer() and float(f"{value:.15g}") == value:
        return value
    if isinstance(value, str) and decode_cell(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False)


def decode_cell(cell: Cell) -> Any:
    """The inverse of `encode_cell`, except for true and false."""
    if not isinstance(cell, str):
        return cell
    if NUMBER.fullmatch(cell.strip()) or cell.strip()[:1] in ("[", "{", '"'):
        try:
            return parse_json(cell)
        except ValueError:
            return cell
    return cell


def exported_cell(column: str, cell: Cell) -> Cell:
    """The cell with a blank in each `${` of its text, and without markup in a label or hint.

    Other tools would fill in an answer, or refuse the form. Every `$ {` gets one more blank, so
    that `imported_cell` returns the same text.
    """
    if not isinstance(cell, str) or column in EXPRESSIONS:
        return cell
    if XLSFormColumn.of(column).key in LABELS:
        cell = escaped_markup(cell)
    return REFERENCE_START.sub(r"$ \1{", cell)


def imported_cell(key: str, cell: Cell) -> tuple[Cell, list[str]]:
    """The inverse of `exported_cell`, and notes about what Candor's pages do not show."""
    if not isinstance(cell, str) or key in EXPRESSIONS:
        return cell, []
    notes = []
    if "${" in cell and key in LABELS:
        notes.append(shown_as_text("${…}"))
    text = ESCAPED_START.sub(r"$\1{", cell)
    if key in LABELS:
        text, had_markup = without_markup(text)
        if had_markup:
            note = translate("Candor’s pages show plain text, so markup such as <b> is removed.")
            notes.append(note)
    return text, notes


def shown_as_text(reference: str) -> str:
    """A note about a text with a reference to an answer, such as ${name}."""
    return translate("Candor shows %(text)s as text and does not fill it in.", text=reference)


def member_value(name: str, cell: Cell) -> Any:
    """The value of a definition's member in a cell."""
    if name in SWITCHES and cell_text(cell).lower() in YES | NO:
        return cell_text(cell).lower() in YES
    return decode_cell(cell)


def cell_text(cell: Cell) -> str:
    """A cell as text. A number that Excel made of a name such as 1 becomes that name again, and a
    truth value that it made of TRUE becomes TRUE."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def column_in_language(column: str, language: str) -> str:
    """The name of a column in a language, such as `label::English (en)`."""
    return f"{column}::{language_name(language)} ({language})"


def language_of(tag: str) -> str | None:
    """The language of a column name's suffix, or None if Candor does not have it."""
    code = TAG_CODE.search(tag)
    wanted = (code[1] if code else re.split("[-_]", tag.strip())[0]).lower()
    for language in LANGUAGES:
        english = Locale.parse(language).get_display_name(MAIN)
        if wanted in (language, language_name(language).lower(), str(english).lower()):
            return language
    return None


@dataclass(frozen=True)
class XLSFormColumn:
    """A parsed column name: `label::English (en)` has the key label and the tag English (en)."""

    written: str
    key: str
    tag: str = ""

    @classmethod
    def of(cls, written: str) -> "XLSFormColumn":
        parts = [part.strip() for part in written.split("::")]
        if len(parts) == 1 and ":" in written:  # Older forms use a single colon.
            first, _, rest = written.partition(":")
            parts = [first.strip(), rest.strip()] if first.strip().lower() in TRANSLATED else parts
        first = parts[0].lower().replace(" ", "_")
        if first in NAMESPACES and len(parts) > 1:
            key, rest = f"{first}::{parts[1].lower()}", "::".join(parts[2:])
        else:
            key, rest = first, "::".join(parts[1:])
        return cls(written, ALIASES.get(key, key), rest)


@dataclass(frozen=True)
class XLSFormRow:
    """A row of a sheet that is not empty.

    Attributes
    ----------
    number : its row number in Excel
    cells : the cells that are not empty
    notes : notes about the texts, each with its column
    """

    number: int
    cells: Mapping[XLSFormColumn, Cell]
    notes: Sequence[tuple[XLSFormColumn, str]] = ()

    def column(self, key: str) -> XLSFormColumn | None:
        """The non-empty column with this key; one without a language has priority."""
        columns = [column for column in self.cells if column.key == key]
        return min(columns, key=lambda column: column.tag != "", default=None)

    def text(self, key: str) -> str:
        column = self.column(key)
        return "" if column is None else cell_text(self.cells[column])

    def under(self, namespace: str) -> dict[str, XLSFormColumn]:
        """The non-empty columns of a namespace without a language, by their second part."""
        start = f"{namespace}::"
        return {
            column.key.removeprefix(start): column
            for column in self.cells
            if column.key.startswith(start) and not column.tag
        }


def parameters_of(line: XLSFormRow) -> set[str]:
    """The words of the column parameters, such as `randomize=true`."""
    return set(re.sub(r"\s*=\s*", "=", line.text("parameters").lower()).split())


def xlsform_columns(rows: Sequence[Row]) -> list[XLSFormColumn]:
    """All columns of a sheet, including empty ones."""
    return [XLSFormColumn.of(name) for name in dict.fromkeys(name for row in rows for name in row)]


def xlsform_rows(rows: Sequence[Row]) -> Iterator[XLSFormRow]:
    """The rows that are not empty. The first one is below the column names."""
    for number, row in enumerate(rows, 2):
        cells, notes = dict[XLSFormColumn, Cell](), list[tuple[XLSFormColumn, str]]()
        for name, cell in row.items():
            if cell_text(cell):
                column = XLSFormColumn.of(name)
                cells[column], sentences = imported_cell(column.key, cell)
                notes += [(column, sentence) for sentence in sentences]
        if cells:
            yield XLSFormRow(number, cells, notes)


class RowOmitted(Exception):
    """A fault that leaves out the row of a question. The sentence says what to do."""

    def __init__(self, column: str, sentence: str, /, **values: object):
        self.sentence = translate_error(sentence, **values)
        super().__init__(self.sentence)
        self.column = column


class Places:
    """How notes name the places of an XLSForm. The survey of another program has other places."""

    def words(self, sheet: str, rows: Sequence[int], column: str = "") -> str:
        """The place of these rows of a sheet, or of the whole sheet, and of a column."""
        named = translate("column %(column)s", column=column) if column else ""
        return ", ".join(filter(None, (sheet, rows_text(rows), named)))

    def question(self, name: str, row: int) -> str:
        """A question of the form, by its name and its row."""
        return translate("%(name)s in row %(row)s", name=repr(name), row=row)

    def write_part(self, expression: str) -> str:
        """A part of an expression, as the form writes it."""
        return expression


@dataclass(frozen=True)
class FormOrigin:
    """Where the rows of a form come from: a workbook, or the survey of another program.

    Attributes
    ----------
    places : how notes name the places of the form
    omitted : the column and the fault of rows of the sheet survey that Candor cannot have
    notes : further notes, each with its sheet, row, column and sentence
    """

    places: Places = field(default_factory=Places)
    omitted: Mapping[int, RowOmitted] = field(default_factory=dict)
    notes: Sequence[tuple[str, int | None, str, str]] = ()


WORKBOOK = FormOrigin()


class ImportNotes:
    """Notes about what a form contains and Candor does not keep, as sentences with the place."""

    def __init__(self, origin: FormOrigin = WORKBOOK) -> None:
        self.places = origin.places
        self.rows: dict[tuple[str, str, str], list[int]] = {}
        for sheet, row, column, sentence in origin.notes:
            self.add(sheet, row, column, sentence)

    def add(self, sheet: str, row: int | None, column: str, sentence: str) -> None:
        """Add a note. The same sentence for several rows of a column becomes one note."""
        rows = self.rows.setdefault((sheet, column, sentence), [])
        if row is not None:
            rows.append(row)

    def add_notes_on_texts(self, sheet: str, line: XLSFormRow) -> None:
        """Add the notes about the texts of a row that is kept."""
        for column, note in line.notes:
            self.add(sheet, line.number, column.written, note)

    def withdraw(self, sheet: str, row: int, sentence: str = "") -> None:
        """Remove the note with this sentence about a row, or all notes about the row."""
        for key, rows in list(self.rows.items()):
            if key[0] == sheet and sentence in ("", key[2]) and row in rows:
                self.rows[key] = [each for each in rows if each != row]
                if not self.rows[key]:
                    del self.rows[key]

    def sentences(self, only: str = "") -> list[str]:
        """All notes, or those on one sheet, in the order of the sheets and rows."""
        lines = []
        for (sheet, column, sentence), rows in self.rows.items():
            if only not in ("", sheet):
                continue
            place = self.places.words(sheet, sorted(set(rows)), column)
            if len(set(rows)) > 1:
                for one, several in PLURALS.items():
                    sentence = sentence.replace(one, several)
            order = SHEET_ORDER.get(sheet, len(SHEET_ORDER)), min(rows, default=0)
            line = translate("%(place)s: %(sentence)s", place=place, sentence=sentence)
            lines.append((order, line if place else sentence))
        # Two sheets can be one place of the survey of another program.
        return list(dict.fromkeys(line for _, line in sorted(lines, key=itemgetter(0))))


def rows_text(rows: Sequence[int]) -> str:
    """The rows in words: row 7; rows 7, 9 and 12."""
    if len(rows) < 2:
        return translate("row %(row)s", row=rows[0]) if rows else ""
    if len(rows) > MAX_NAMED_ROWS:
        listed = ", ".join(map(str, rows[:MAX_NAMED_ROWS]))
        more = len(rows) - MAX_NAMED_ROWS
        return translate("rows %(rows)s and %(n)s more", rows=listed, n=more)
    listed = ", ".join(map(str, rows[:-1]))
    return translate("rows %(rows)s and %(last)s", rows=listed, last=rows[-1])


def renaming(written: str, name: str) -> str:
    """A note about a name that Candor changed, or set because the form has none."""
    if written:
        return translate("%(before)s is now %(after)s.", before=repr(written), after=repr(name))
    return translate("is missing, so %(name)s is used.", name=repr(name))


def type_of_list(word: str, looks: Collection[str] = (), names: Sequence[str] = ()) -> str:
    """The question type of a list of choices, as far as the columns of XLSForm define it.

    `word` stands before the name of the list, such as select_one.
    """
    kinds = [kind for kind in QUESTION_TYPES.values() if kind.xlsform_list == word]
    for kind in kinds:
        if {*kind.appearances} & {*looks}:
            return kind.name
    for kind in kinds:
        if kind.xlsform_choices and kind.xlsform_choices == (*names,):
            return kind.name
    return next(kind.name for kind in kinds if not (kind.appearances or kind.xlsform_choices))


def must_be_stated(kind: QuestionType) -> bool:
    """Whether only the column candor::type can define that a list has this type."""
    return kind.xlsform_list == SELECT_ONE and not (kind.appearances or kind.xlsform_choices)
