"""The state while an XLSForm is read: its languages, its lists, and the questions so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from survey.core.languages import LANGUAGES, MAIN, language_name
from survey.core.translate import later, translate
from survey.definition.choices import (
    MAX_LABEL_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    choice_name,
)
from survey.definition.types import QUESTION_TYPES
from survey.formats.xlsform.conditions import EarlierQuestion
from survey.formats.xlsform.expressions import words_in
from survey.formats.xlsform.vocabulary import (
    CHOICES,
    FILTER,
    LABELS,
    NOT_SUPPORTED,
    OWN,
    SETTINGS,
    SURVEY,
    ImportNotes,
    RowOmitted,
    Sheets,
    XLSFormColumn,
    XLSFormRow,
    cell_text,
    language_of,
    renaming,
    xlsform_columns,
    xlsform_rows,
)

TYPES = {written: kind.name for kind in QUESTION_TYPES.values() for written in kind.xlsform_names}


@dataclass(frozen=True)
class FormLanguages:
    """The languages of a form.

    Attributes
    ----------
    main : the main language of the survey
    tags : the language of each suffix of a column name; "" for columns without one
    others : the other languages
    labels : the column with the labels in the main language, as it is written, in each sheet
    """

    main: str
    tags: dict[str, str]
    others: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)

    def text(self, line: XLSFormRow, key: str, language: str) -> str:
        """A text of a row in a language, or "". A column that names the language has priority."""
        columns = self.columns(line, key, language)
        return cell_text(line.cells[columns[0]]) if columns else ""

    def columns(self, line: XLSFormRow, key: str, language: str) -> list[XLSFormColumn]:
        """The columns with a text in a language. The first one has priority."""
        columns = [
            column
            for column in line.cells
            if column.key == key and self.tags.get(column.tag) == language
        ]
        return sorted(columns, key=lambda column: column.tag == "")

    def note_second_texts(self, sheets: Sheets, left_out: ImportNotes) -> None:
        """Note each text of which another column has a different one in the same language."""
        for sheet in (SURVEY, CHOICES):
            for line in xlsform_rows(sheets.get(sheet, ())):
                for key, language in product(sorted(LABELS), (self.main, *self.others)):
                    columns = self.columns(line, key, language)
                    for other in columns[1:]:
                        if line.cells[other] != line.cells[columns[0]]:
                            note = translate(
                                "is omitted, because %(column)s has another text in the same "
                                "language. Delete one of them.",
                                column=columns[0].written,
                            )
                            left_out.add(sheet, line.number, other.written, note)

    def main_text(self, line: XLSFormRow, key: str) -> str:
        return self.text(line, key, self.main)


def read_form_languages(sheets: Sheets, default: str, left_out: ImportNotes) -> FormLanguages:
    """The languages of the columns. `default` is the `default_language` of the form.

    Columns without a language are in the default language. If Candor is not translated into the
    main language, another language of the form becomes the main one. If it is translated into none
    of them, the texts stay as they are, and Candor's own words are in English.
    """
    texts = [
        (sheet, column)
        for sheet, rows in sheets.items()
        for column in xlsform_columns(rows)
        if column.key in LABELS or column.key.startswith(f"{OWN}::")
    ]
    ends = list(dict.fromkeys(column.tag for _, column in texts if column.tag))
    tags = {end: language for end in ends if (language := language_of(end))}
    languages = list(dict.fromkeys(tags.values()))
    untagged = any(column.key == "label" and not column.tag for _, column in texts)
    main = language_of(default) if default else MAIN if untagged else None
    if main is None and languages:
        main = languages[0]
    if untagged and not default:
        note = translate("is missing, so the main language is English.")
        left_out.add(SETTINGS, None, "default_language", note)
    if main is None:
        main = MAIN
        unknown = default if default in ends or not ends else ends[0]
        if unknown:
            tags[unknown] = main
            note = translate(
                "Candor is not translated into %(language)s. Its own words, such as Yes, No and "
                "the buttons, are in English.",
                language=repr(unknown),
            )
            left_out.add(SETTINGS, None, "default_language", note)
    if not default or language_of(default) == main or main not in languages:
        tags[""] = main
    language_names = ", ".join(language_name(language) for language in LANGUAGES)
    unknown_columns = [
        (sheet, column.written)
        for sheet, column in texts
        if column.tag not in tags and (column.tag or column.key == "label")
    ]
    for sheet in dict.fromkeys(sheet for sheet, _ in unknown_columns):
        columns = [written for other, written in unknown_columns if other == sheet]
        sentence = (
            later("is omitted. Candor’s pages for respondents are in %(languages)s.")
            if len(columns) == 1
            else later("are omitted. Candor’s pages for respondents are in %(languages)s.")
        )
        note = translate(sentence, languages=language_names)
        left_out.add(sheet, None, ", ".join(columns), note)
    labels = {
        sheet: column.written
        for sheet, column in texts
        if column.key == "label" and tags.get(column.tag) == main
    }
    others = tuple(each for each in languages if each != main)
    tongues = FormLanguages(main, tags, others, labels)
    tongues.note_second_texts(sheets, left_out)
    return tongues


@dataclass(frozen=True, kw_only=True)
class Option:
    """A choice of a list.

    Attributes
    ----------
    written, name : its name in the form, and in Candor
    labels : its label in each language
    row : the number of its row
    cells : the cells of its row by the names of their columns; none if Candor added the choice
    """

    written: str
    name: str
    labels: dict[str, str]
    row: int
    cells: Mapping[str, str] = field(default_factory=dict)


def read_lists(
    sheets: Sheets, tongues: FormLanguages, left_out: ImportNotes
) -> dict[str, list[Option]]:
    """The choices of each list, in order. Each has a label in the main language."""
    lists: dict[str, list[Option]] = {}
    rows = list(xlsform_rows(sheets.get(CHOICES, ())))
    filters = [line.text(FILTER) for line in xlsform_rows(sheets.get(SURVEY, ()))]
    filtering = words_in(" ".join(filters))
    label_of = {line.text("name"): tongues.main_text(line, "label") for line in rows}
    for line in rows:
        options = lists.setdefault(line.text("list_name"), [])
        written = line.text("name") or line.text("value")
        labels = {
            each: tongues.text(line, "label", each) for each in (tongues.main, *tongues.others)
        }
        name = choice_name(written, len(options) + 1, [option.name for option in options])
        cells = {column.written.strip(): cell_text(cell) for column, cell in line.cells.items()}
        option = Option(
            written=written,
            name=name,
            labels=labels,
            row=line.number,
            cells=cells | {"name": written},
        )
        if option.name != written:
            left_out.add(CHOICES, line.number, "name", renaming(written, option.name))
        main = labels[tongues.main] or written or option.name
        if not labels[tongues.main]:
            note = translate("is empty, so %(text)s is used.", text=repr(main))
            left_out.add(CHOICES, line.number, tongues.labels.get(CHOICES, "label"), note)
        taken = {other.labels[tongues.main] for other in options}
        if main in taken:
            # For example the province of a district whose name is that of another district.
            parents = [label_of.get(cells[name]) for name in reversed(cells) if name in filtering]
            longer = [f"{main} ({each})" for each in (*parents, option.name) if each]
            main = next((each for each in longer if each not in taken), longer[-1])
            note = translate(
                "an earlier choice has the same label, so this one is now %(text)s.",
                text=repr(main),
            )
            left_out.add(CHOICES, line.number, "label", note)
        labels[tongues.main] = main
        for language, text in labels.items():
            if len(text) > MAX_LABEL_CHARACTERS:
                labels[language] = f"{text[: MAX_LABEL_CHARACTERS - 1].rstrip()}…"
                note = translate(
                    "has %(n)s characters, but Candor takes %(most)s, so the rest is cut. Shorten "
                    "it.",
                    n=len(text),
                    most=MAX_LABEL_CHARACTERS,
                )
                left_out.add(CHOICES, line.number, "label", note)
        left_out.add_notes_on_texts(CHOICES, line)
        options.append(option)
        for column in line.cells:
            known = ("list_name", "name", "value", "label")
            if column.key not in known and column.written.strip() not in filtering:
                left_out.add(CHOICES, line.number, column.written, translate(NOT_SUPPORTED))
    return lists


@dataclass(frozen=True)
class AddedAnswer:
    """A derived answer on which questions with a condition depend (`read_relevance`).

    Attributes
    ----------
    entry : the question of the definition
    texts : its texts in the other languages
    """

    entry: dict[str, Any]
    texts: dict[str, dict[str, Any]]


@dataclass(kw_only=True)
class Form:
    """The state while rows are read one by one.

    Attributes
    ----------
    lists : the choices of each list
    taken : the names of questions that are in use
    known : earlier questions that `relevant` may use, by their names in the form
    private : the private questions among them, by their names in Candor
    unprotected : the questions for which the form has no protection, by their names in Candor
    rows : the number and the type of the row of each name in the form
    omitted : the column and the fault of each row that is left out, by the number of the row
    may_add : whether the form has room for derived answers of conditions
    matrix : the first row of the rating matrix around the current row
    conditions : the row and the `relevant`, possibly empty, of each group around the current row
    after_group : whether a group has ended, so that the next question needs a section of its own
    unasked : the names in the form of questions that nobody is asked
    section : how many sections there are so far
    section_condition : the condition of the last section
    added : the derived answers of conditions, by the number of their section and their rule
    entries : the earlier questions and their rows, by their names in Candor
    outside : the names in the form of questions on which more than calculations depends
    calculated : what earlier calculations are, by their names in the form (`read_calculation`)
    consumed : the names in the form of calculations that later ones use
    not_understood : the row and the fault of calculations that are no derived answer, by name
    derived : the rows of derived answers that Candor read from calculations, by name in Candor
    proposed : those of them for which Candor proposes a protection
    stated : the rows with the column candor::derived, by the names of their questions in Candor
    """

    tongues: FormLanguages
    lists: Mapping[str, list[Option]]
    left_out: ImportNotes
    rows: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    omitted: Mapping[int, RowOmitted] = field(default_factory=dict)
    may_add: bool = True
    taken: set[str] = field(default_factory=set)
    known: dict[str, EarlierQuestion] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    unprotected: list[str] = field(default_factory=list)
    matrix: XLSFormRow | None = None
    conditions: list[tuple[int, str]] = field(default_factory=list)
    after_group: bool = False
    unasked: set[str] = field(default_factory=set)
    section: int = 0
    section_condition: dict[str, Any] = field(default_factory=dict)
    added: dict[tuple[int, str], AddedAnswer] = field(default_factory=dict)
    entries: dict[str, tuple[dict[str, Any], XLSFormRow]] = field(default_factory=dict)
    outside: set[str] = field(default_factory=set)
    calculated: dict[str, Any] = field(default_factory=dict)
    consumed: set[str] = field(default_factory=set)
    not_understood: dict[str, tuple[XLSFormRow, str]] = field(default_factory=dict)
    derived: dict[str, XLSFormRow] = field(default_factory=dict)
    proposed: set[str] = field(default_factory=set)
    stated: dict[str, XLSFormRow] = field(default_factory=dict)

    def why_unknown(self, number: int, name: str) -> str:
        """Why no condition in a row can use a question that is not known."""
        row, written = self.rows.get(name, (0, ""))
        kind = TYPES.get(written)
        if not row:
            return translate("depends on %(name)s, which the form does not have", name=repr(name))
        question = self.left_out.places.question(name, row)
        if row == number:
            return translate(
                "depends on the answer to its own question. A condition can only use earlier "
                "questions"
            )
        if row > number:
            return translate(
                "depends on %(name)s. A condition can only use earlier questions, so move that "
                "question up",
                name=question,
            )
        if kind is not None and QUESTION_TYPES[kind].free_text:
            return translate(
                "depends on %(name)s, a text or a date, which no condition in Candor can use. Give "
                "that question choices, or make it a number",
                name=question,
            )
        return translate("depends on %(name)s, which no condition in Candor can use", name=question)

    def hint(self, line: XLSFormRow) -> str:
        """The hint of a row in the main language, or "" if it has none or is too long."""
        return self.text_within_limit(self.tongues.main_text(line, "hint"), line, "hint")

    def text_within_limit(self, text: str, line: XLSFormRow, key: str) -> str:
        """The text, or "" with a note if it is too long."""
        if len(text) <= MAX_TEXT_CHARACTERS:
            return text
        note = translate(
            "has %(n)s characters, but Candor takes %(most)s, so the text is omitted. Shorten it.",
            n=len(text),
            most=MAX_TEXT_CHARACTERS,
        )
        self.drop(line, key, note)
        return ""

    def omit(self, line: XLSFormRow, fault: RowOmitted) -> None:
        """Note that a row is left out, in place of the notes about its parts."""
        self.left_out.withdraw(SURVEY, line.number)
        note = translate("%(fault)s The question is omitted.", fault=fault.sentence)
        self.drop(line, fault.column, note)

    def drop(self, line: XLSFormRow, key: str, sentence: str) -> None:
        column = line.column(key)
        self.left_out.add(SURVEY, line.number, column.written if column else key, sentence)
