"""Conversion of an XLSForm into a definition, with notes about everything that is not kept."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from survey.core.errors import DataFileError, DefinitionError
from survey.core.nfc import to_nfc
from survey.core.translate import translate
from survey.definition.choices import NOT_SENT, free_name, plain_ascii
from survey.definition.derived_answers import sources_of
from survey.definition.fieldwork import ONE_AT_A_TIME
from survey.definition.known_tables import KnownTables
from survey.definition.survey import (
    KEYS,
    MAX_QUESTIONS,
    MAX_SLUG_CHARACTERS,
    MAX_TEXTS,
    SLUG,
    Survey,
    parse_survey,
)
from survey.definition.types import QUESTION_TYPES
from survey.formats.xlsform.calculated_rows import (
    Asked,
    is_calculated,
    names_outside_calculations,
    note_changed_calculations,
    part_of_others,
    read_calculated,
)
from survey.formats.xlsform.form import Form, read_form_languages, read_lists
from survey.formats.xlsform.questions import question_on_other, read_question, read_section
from survey.formats.xlsform.unsupported import UNSUPPORTED_COLUMNS
from survey.formats.xlsform.vocabulary import (
    CHOICES,
    FILTER,
    NOT_SUPPORTED,
    OWN,
    PRIVACY,
    SELECT_ONE,
    SETTINGS,
    SURVEY,
    SURVEY_COLUMNS,
    WARNING_COLUMN,
    WORKBOOK,
    FormOrigin,
    ImportNotes,
    Places,
    Row,
    RowOmitted,
    Sheets,
    XLSFormColumn,
    XLSFormRow,
    cell_text,
    member_value,
    xlsform_rows,
)

DEFAULT_SLUG = "imported"
GROUP_BEGIN = re.compile(r"begin[ _](group|repeat)", re.IGNORECASE)
GROUP_END = re.compile(r"end[ _](group|repeat)", re.IGNORECASE)
# A row of a rating matrix, or one around it, and the column with its list of choices.
MATRIX_ROW = re.compile(r"(begin|end)[ _]score|score__row", re.IGNORECASE)
MATRIX_CHOICES = "kobo--score-choices"
QUESTION_PLACE = re.compile(r"questions\[(\d+)\]\.?")
# The columns of members of the whole survey that do not have the name of the member.
SETTINGS_COLUMNS = {
    "title": "form_title",
    "slug": "form_id",
    "language": "default_language",
    "budget.epsilon": f"{OWN}::budget",
    **dict.fromkeys(
        ("protection.level", "protection.main", "protection.kept"), f"{OWN}::protection"
    ),
    "budget.per_respondent": f"{OWN}::per_respondent",
    "budget.per_respondent.sample": f"{OWN}::per_respondent",
}
# With more, an import would take too long.
MAX_OMITTED = 50
MAX_NAMED_NOTES = 12
IN_COLUMNS = {
    *("title", "slug", "language", "budget", "questions", "translations"),
    "translations_not_offered",
}


@dataclass(frozen=True)
class ImportedDefinition:
    """A survey from a file.

    Attributes
    ----------
    left_out : sentences about what the file contains and Candor does not keep
    unprotected : the names of the questions for which the file has no protection
    address : the place in the file that decides on the slug
    """

    survey: Survey
    left_out: tuple[str, ...] = ()
    unprotected: tuple[str, ...] = ()
    address: str = "slug"


def from_xlsform(sheets: Sheets, origin: FormOrigin = WORKBOOK) -> ImportedDefinition:
    """The survey of an XLSForm, given as the rows of its sheets (`vocabulary`).

    A question with a fault is left out, and a note names it.

    Raises DataFileError if there is no form, if nothing of it can be kept, or if it is too long.
    Raises DefinitionError, with the sheet and column as its place, if its settings have a fault.
    """
    sheets = to_nfc(sheets)
    by_name = {name.strip().lower(): rows for name, rows in sheets.items()}
    if not by_name.get(SURVEY):
        raise DataFileError(
            "This is not an XLSForm: it has no sheet “survey” with questions. Add one."
        )
    read = {name: by_name.get(name, ()) for name in (SURVEY, CHOICES, SETTINGS)}
    omitted, tables, may_add = dict(origin.omitted), KnownTables(), True
    most = len(omitted) + MAX_OMITTED
    while True:
        form, definition, places = read_form_sheets(read, omitted, origin, may_add=may_add)
        if may_add and form.added and len(definition["questions"]) > MAX_QUESTIONS:
            may_add = False
            continue
        note_other_sheets(sheets, form.left_out)
        require_questions(definition, form)
        try:
            survey = parse_survey(definition, tables=tables)
            break
        except DefinitionError as error:
            row, fault = fault_of_row(error, places)
            if row is None or row in omitted or len(omitted) >= most:
                raise error_in_sheet(error, row, fault, origin.places) from error
            omitted[row] = fault
    note_changed_calculations(survey, form)
    return ImportedDefinition(
        survey,
        tuple(form.left_out.sentences()),
        tuple(form.unprotected),
        origin.places.words(SETTINGS, (), "form_id"),
    )


def note_other_sheets(sheets: Sheets, left_out: ImportNotes) -> None:
    for name in sheets:
        if name.strip().lower() not in (SURVEY, CHOICES, SETTINGS) and sheets[name]:
            sheet = translate("sheet %(name)s", name=name)
            left_out.add(sheet, None, "", translate("Candor does not read this sheet."))


def read_form_sheets(
    read: Sheets, omitted: Mapping[int, RowOmitted], origin: FormOrigin, *, may_add: bool
) -> tuple[Form, dict[str, Any], list[int]]:
    """The form, its definition, and the row of each question.

    `omitted` are rows to leave out, and `may_add` is that of the form.
    """
    left_out = ImportNotes(origin)
    settings = list(xlsform_rows(read[SETTINGS]))
    for line in settings[1:]:
        note = translate("Candor reads only the first row of settings.")
        left_out.add(SETTINGS, line.number, "", note)
    first = settings[0] if settings else XLSFormRow(2, {})
    tongues = read_form_languages(read, first.text("default_language"), left_out)
    lists = read_lists(read, tongues, left_out)
    names = {
        line.text("name"): (line.number, line.text("type").lower())
        for line in xlsform_rows(read[SURVEY])
        if line.text("name")
    }
    form = Form(
        tongues=tongues,
        lists=lists,
        left_out=left_out,
        rows=names,
        omitted=omitted,
        may_add=may_add,
    )
    definition, translations = read_settings(first, form)
    form.outside = names_outside_calculations(read[SURVEY])
    places = read_questions(read[SURVEY], form, definition, translations)
    if translations:
        definition["translations"] = translations
    return form, definition, places


def require_questions(definition: Mapping[str, Any], form: Form) -> None:
    """Refuse a form with no question or with too many. Raises DataFileError."""
    entries = definition["questions"]
    if len(entries) > MAX_QUESTIONS:
        raise DataFileError(
            "The form has %(n)s questions, notes and groups, but Candor takes %(most)s. Delete "
            "some, or split the form.",
            n=len(entries),
            most=MAX_QUESTIONS,
        )
    # Notes and sections have no protection, because they have no answer.
    if all(entry.get("privacy", NOT_SENT) == NOT_SENT for entry in entries):
        notes = form.left_out.sentences(SURVEY)
        more = len(notes) - MAX_NAMED_NOTES
        fault = " ".join(
            [
                translate("Candor can store no answer to this form."),
                *notes[:MAX_NAMED_NOTES],
                *([translate("There are %(n)s more notes.", n=more)] if more > 0 else []),
            ]
        )
        raise DataFileError(fault)


def read_settings(line: XLSFormRow, form: Form) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The members about the whole survey, and their translations."""
    translations: dict[str, dict[str, Any]] = {other: {} for other in form.tongues.others}
    title = line.text("form_title") or line.text("form_id") or DEFAULT_SLUG.capitalize()
    written = line.text("form_id") or title
    slug = written
    if not SLUG.fullmatch(written):
        slug = plain_ascii(written)[:MAX_SLUG_CHARACTERS].strip("-") or DEFAULT_SLUG
        given = line.text("form_id") or line.text("form_title")
        note = (
            translate(
                "%(text)s cannot be a survey address, so the address is '%(slug)s'.",
                text=repr(given),
                slug=slug,
            )
            if given
            else translate("the form states no address, so the address is '%(slug)s'.", slug=slug)
        )
        form.left_out.add(SETTINGS, line.number if given else None, "form_id", note)
    definition: dict[str, Any] = {"slug": slug, "title": title, "language": form.tongues.main}
    for column, cell in line.cells.items():
        namespace, _, key = column.key.partition("::")
        language = form.tongues.tags.get(column.tag)
        known = ("form_title", "form_id", "default_language", WARNING_COLUMN)
        if column.key in known and not column.tag:
            continue
        if column.key == "style" and "pages" in cell_text(cell).split():
            definition["layout"] = ONE_AT_A_TIME
        elif namespace == OWN and column.tag and language:
            translations.get(language, {})[key] = cell_text(cell)
        elif namespace == OWN and column.tag:
            continue  # Another note reports the whole language.
        elif namespace == OWN and key in ("budget", "per_respondent"):
            budget = definition.setdefault("budget", {})
            if key == "budget":
                budget["epsilon"] = cell
            else:
                budget[key] = cell if cell == "all" else {"sample": member_value(key, cell)}
        elif namespace == OWN and key in KEYS - IN_COLUMNS:
            definition[key] = member_value(key, cell)
        else:
            why = UNSUPPORTED_COLUMNS.get(column.key, NOT_SUPPORTED)
            form.left_out.add(SETTINGS, line.number, column.written, translate(why))
    return definition, translations


def read_questions(
    rows: Sequence[Row], form: Form, definition: dict[str, Any], translations: dict[str, Any]
) -> list[int]:
    """Add the questions to the definition, and return the row of each."""
    read = SurveyRows(form, translations)
    for line in xlsform_rows(rows):
        read.add_row(line)
    read.end_open_groups()
    parts = part_of_others(form) | unused_conditions(read.entries, form)
    for texts in translations.values():
        for name in parts:
            texts.get("questions", {}).pop(name, None)
    kept = [place for place, entry in enumerate(read.entries) if entry["name"] not in parts]
    entries, places = [read.entries[each] for each in kept], [read.places[each] for each in kept]
    if definition.get("texts_apart", True):
        ask_everyone_texts(entries, places, form)
    drop_conditions_of_sections(entries)
    definition["questions"] = entries
    return places


class SurveyRows:
    """The questions of the rows that were read.

    Attributes
    ----------
    entries : the questions
    places : the row of each question
    translations : the texts in each other language
    repeats : the number of open repeats
    first_row : the row of the outermost open repeat
    """

    def __init__(self, form: Form, translations: dict[str, Any]) -> None:
        self.form, self.translations = form, translations
        self.entries, self.places = list[dict[str, Any]](), list[int]()
        self.repeats = self.first_row = 0

    def add(self, entry: dict[str, Any], texts: dict[str, dict[str, Any]], row: int) -> None:
        self.entries.append(entry)
        self.places.append(row)
        for other, translated in texts.items():
            self.translations[other].setdefault("questions", {})[entry["name"]] = translated

    def add_row(self, line: XLSFormRow) -> None:
        """Add the question of a row, or begin or end a group."""
        form = self.form
        opening = GROUP_BEGIN.fullmatch(line.text("type"))
        closing = GROUP_END.fullmatch(line.text("type"))
        matrix = MATRIX_ROW.fullmatch(line.text("type"))
        fault = form.omitted.get(line.number)
        if self.repeats or (opening and opening[1].lower() == "repeat"):
            self.skip_row_of_repeat(line, bool(opening) - bool(closing))
        elif opening:
            if fault is not None:
                note = translate(
                    "%(fault)s The heading and the columns of Candor in this row are omitted.",
                    fault=fault.sentence,
                )
                form.drop(line, fault.column, note)
                line = without_texts(line)
            if form.conditions:
                note_inner_group(line, form)
            elif (section := read_section(line, form)) is not None:
                self.add(*section, line.number)
            form.conditions.append((line.number, line.text("relevant")))
            form.after_group = False
        elif closing:
            del form.conditions[-1:]
            form.after_group = not form.conditions
        elif matrix and (matrix[1] or form.matrix):
            self.add_row_of_matrix(line, matrix[1])
        elif fault is not None:
            form.omit(line, fault)
        else:
            self.add_question(line)

    def add_question(self, line: XLSFormRow) -> None:
        """Add the question of a row, with what belongs to it."""
        form = self.form
        if (asked := self.question_of_row(line)) is not None:
            if form.after_group:
                self.add(untitled_section(form), {}, line.number)
            self.add_conditions()
            self.add(*asked, line.number)
            if (text := question_on_other(asked[0], line, form)) is not None:
                self.add(*text, line.number)

    def add_row_of_matrix(self, line: XLSFormRow, end: str | None) -> None:
        """Add a row of a rating matrix of KoboToolbox, which is a section with a battery.

        Candor has no sections in sections, so the heading of a matrix in a group is a note. `end`
        is "begin" or "end" for the rows around the matrix.
        """
        form = self.form
        if end == "end":
            form.matrix = None
            del form.conditions[-1:]
            form.after_group = not form.conditions
        elif end:
            form.matrix = line
            heading = with_cells(line, {"type": "note"}, {MATRIX_CHOICES, "required"})
            if not form.conditions:
                if (section := read_section(heading, form)) is not None:
                    self.add(section[0] | {"battery": True}, section[1], line.number)
            elif form.tongues.main_text(line, "label"):
                self.add_question(heading)
            form.conditions.append((line.number, line.text("relevant")))
            form.after_group = False
        elif form.matrix is not None:
            list_name = form.matrix.text(MATRIX_CHOICES)
            required = form.matrix.text("required") or line.text("required")
            cells = {"type": f"{SELECT_ONE} {list_name}", "required": required}
            row = with_cells(line, cells, set())
            if (fault := form.omitted.get(line.number)) is not None:
                form.omit(row, fault)
            else:
                self.add_question(row)

    def require_room(self, entry: Mapping[str, Any]) -> None:
        """Raise RowOmitted for a text after the last one that Candor takes."""
        texts = sum(QUESTION_TYPES[each["type"]].free_text for each in self.entries)
        if QUESTION_TYPES[entry["type"]].free_text and texts >= MAX_TEXTS:
            raise RowOmitted(
                "type",
                "Candor takes %(most)s texts and dates. Ask for fewer, or give them choices.",
                most=MAX_TEXTS,
            )

    def question_of_row(self, line: XLSFormRow) -> Asked | None:
        """The question of a row and its texts in the other languages, or None."""
        try:
            read = read_calculated if is_calculated(line) else read_question
            asked = read(line, self.form)
            if asked is not None:
                self.require_room(asked[0])
            return asked
        except RowOmitted as fault:
            self.form.omit(line, fault)
            return None

    def add_conditions(self) -> None:
        """Add the derived answers of new conditions before the question that depends on them."""
        before = {entry["name"] for entry in self.entries}
        for answer in self.form.added.values():
            if (name := answer.entry["name"]) not in before:
                self.add(answer.entry, answer.texts, self.form.entries[name][1].number)

    def skip_row_of_repeat(self, line: XLSFormRow, opened: int) -> None:
        self.first_row = self.first_row if self.repeats else line.number
        self.repeats += opened
        if not self.repeats:
            note = translate(
                "Candor has no repeats. The repeat up to row %(row)s and all questions in it "
                "are omitted.",
                row=line.number,
            )
            self.form.left_out.add(SURVEY, self.first_row, "type", note)

    def end_open_groups(self) -> None:
        """Note a repeat and groups without an end."""
        if self.repeats:
            note = translate(
                "the repeat has no end, so it and all rows below it are omitted. Add a row "
                "end_repeat where it ends."
            )
            self.form.left_out.add(SURVEY, self.first_row, "type", note)
        for row, text in self.form.conditions if not self.repeats else ():
            note = (
                translate(
                    "the group has no end, so its condition holds for all questions below it. Add "
                    "a row end_group where it ends."
                )
                if text
                else translate(
                    "the group has no end, so all questions below it belong to it. Add a row "
                    "end_group where it ends."
                )
            )
            self.form.left_out.add(SURVEY, row, "type", note)


def unused_conditions(entries: Sequence[Mapping[str, Any]], form: Form) -> set[str]:
    """The names of the added derived answers on which no question depends any more."""
    added = {answer.entry["name"] for answer in form.added.values()}
    used = set[str]()
    for entry in reversed(entries):
        if entry["name"] not in added or entry["name"] in used:
            used |= entry.get("relevant", {}).keys()
            if entry["name"] in added:
                used |= set(sources_of(entry["derived"]))
    return added - used


def with_cells(line: XLSFormRow, cells: Mapping[str, str], without: Collection[str]) -> XLSFormRow:
    """The row with other cells in some columns, and without some others."""
    changed = {*cells, *without}
    kept = {column: cell for column, cell in line.cells.items() if column.key not in changed}
    new = {XLSFormColumn.of(key): cell for key, cell in cells.items()}
    return XLSFormRow(line.number, kept | new, line.notes)


def without_texts(line: XLSFormRow) -> XLSFormRow:
    """The row of a group without its heading, and without the columns of Candor."""
    kept = ("type", "name", "relevant")
    cells = {column: cell for column, cell in line.cells.items() if column.key in kept}
    return XLSFormRow(line.number, cells)


def note_inner_group(line: XLSFormRow, form: Form) -> None:
    if heading := form.tongues.main_text(line, "label"):
        note = translate(
            "Candor has no groups within groups. The questions of this group stay in their order, "
            "and the heading %(heading)s is omitted.",
            heading=repr(heading),
        )
    else:
        note = translate(
            "Candor has no groups within groups. The questions of this group stay in their order."
        )
    form.left_out.add(SURVEY, line.number, "type", note)
    for column in line.cells:
        if column.key not in ("type", "name", "label", "relevant"):
            note = translate("Candor has no groups within groups.")
            form.left_out.add(SURVEY, line.number, column.written, note)


def untitled_section(form: Form) -> dict[str, Any]:
    """The section of the questions after a group, which belong to no group."""
    form.after_group = False
    form.section, form.section_condition = form.section + 1, {}
    name = free_name("section", form.taken)
    form.taken.add(name)
    return {"name": name, "type": "section", "label": ""}


def ask_everyone_texts(entries: Sequence[dict[str, Any]], rows: Sequence[int], form: Form) -> None:
    """Remove the conditions of texts and dates next to private questions.

    They could not be stored apart otherwise (`require_texts_for_all`).
    """
    if not any(is_private(entry) for entry in entries):
        return
    for entry, row in zip(entries, rows, strict=True):
        if not (QUESTION_TYPES[entry["type"]].free_text and entry.pop("relevant", None)):
            continue
        note = translate(
            "the text or date '%(name)s' is asked of everyone, because the survey has private "
            "questions. Otherwise, the texts that someone leaves empty would show which response "
            "this person sent. Say in the question whom it is for.",
            name=entry["name"],
        )
        form.left_out.add(SURVEY, row, "relevant", note)


def is_private(entry: Mapping[str, Any]) -> bool:
    return entry.get("privacy", "none") not in ("none", NOT_SENT)


def drop_conditions_of_sections(entries: Sequence[dict[str, Any]]) -> None:
    """Remove the condition of each section of which a question could not take it over.

    A note has named such a question. The other questions have the condition themselves.
    """
    section: dict[str, Any] = {}
    for entry in entries:
        if QUESTION_TYPES[entry["type"]].begins_page:
            section = entry
        elif "relevant" not in QUESTION_TYPES[entry["type"]].keys:
            continue
        elif not section.get("relevant", {}).keys() <= entry.get("relevant", {}).keys():
            del section["relevant"]


def fault_of_row(error: DefinitionError, rows: Sequence[int]) -> tuple[int | None, RowOmitted]:
    """The row of the question with a fault of the definition, or None, and the fault."""
    place = QUESTION_PLACE.match(error.place)
    if place is None:
        return None, RowOmitted("", error.fault)
    member, _, rest = error.place[place.end() :].partition(".")
    if member == "privacy":
        column = f"{PRIVACY}::{rest}" if rest else PRIVACY
    elif member.startswith("choices"):
        column = FILTER if rest.startswith("relevant") else "type"
    elif member in ("min", "max", "step", "earliest", "latest"):
        column = "constraint"
    else:
        column = member if member in SURVEY_COLUMNS or not member else f"{OWN}::{member}"
    return rows[int(place[1])], RowOmitted(column, error.fault)


def error_in_sheet(
    error: DefinitionError, row: int | None, fault: RowOmitted, places: Places
) -> DefinitionError:
    """A fault of the definition, with the sheet, row and column as its place."""
    if row is None:
        column = SETTINGS_COLUMNS.get(error.place, f"{OWN}::{error.place}")
        return DefinitionError(places.words(SETTINGS, (), column), error.fault)
    return DefinitionError(places.words(SURVEY, [row], fault.column), error.fault)
