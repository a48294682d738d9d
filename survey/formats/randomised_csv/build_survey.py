"""The survey and its reports, built from a file and options for its columns."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from survey.core.errors import DataFileError, DefinitionError, SurveyError
from survey.core.translate import translate, translate_number
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey, parse_survey
from survey.formats.csv_import import names_text
from survey.formats.randomised_csv.designs import RandomisationDesign
from survey.formats.randomised_csv.designs_by_cell import (
    DesignsByCell,
    check_designs_by_cell,
    notes_on_designs,
    questions_by_design,
    with_direct_conditions,
)
from survey.formats.randomised_csv.joined_columns import (
    JoinedColumns,
    check_joined_columns,
    notes_on_joined_columns,
)
from survey.formats.randomised_csv.non_private_column import (
    ColumnQuestion,
    ColumnWish,
    non_private_column,
)
from survey.formats.randomised_csv.randomised_column import private_column
from survey.formats.randomised_csv.sheet import CSVTable, names_for


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """Options for the columns, each by its heading.

    Attributes
    ----------
    private : the design of each randomised column
    yes : the cell that counts as yes; under "" for all other private columns
    choices : the cells of a private question with several answers, in the order of its design
    categories : number columns to read as choices
    skip : columns to omit
    numbers : columns to read as numbers, also with only two values
    weights : columns of weights, which are numbers of at least 0 in each row
    keep_missing : non-private columns in which missing cells are an answer of their own
    decimal_marks : the decimal mark of number columns; under "" for all others
    require_complete : whether to refuse rows without a report in a private column
    differing : the private columns whose design differs between rows
    joined : the columns of each question of which a row has only one, by the label of the question
    """

    private: Mapping[str, RandomisationDesign]
    yes: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    categories: Collection[str] = ()
    skip: Collection[str] = ()
    numbers: Collection[str] = ()
    weights: Collection[str] = ()
    keep_missing: Collection[str] = ()
    decimal_marks: Mapping[str, str] = field(default_factory=dict)
    require_complete: bool = False
    differing: DesignsByCell = field(default_factory=DesignsByCell)
    joined: JoinedColumns = field(default_factory=dict)

    @property
    def designs(self) -> dict[str, RandomisationDesign]:
        """The design of each private question, by the heading of the question."""
        of_cells = {
            question: self.differing.designs[heading][cell]
            for question, (heading, cell) in self.differing.questions.items()
        }
        return {**self.private, **of_cells}

    @property
    def private_alternatives(self) -> list[list[str]]:
        """The private columns with one design. A row has a report in one column of each list."""
        lists = [
            [each for each in columns if each in self.private] for columns in self.joined.values()
        ]
        alone = self.private.keys() - {each for some in lists for each in some}
        return [*([each] for each in self.private if each in alone), *filter(None, lists)]


class ColumnFaults(DataFileError):
    """The faults of several columns. As one text, they have a line each."""

    def __init__(self, faults: Sequence[str]):
        self.faults = tuple(faults)
        super().__init__("\n".join(faults))


@dataclass(frozen=True)
class ImportedSurvey:
    """A survey, the reports of each respondent in the order of its fields, and notes.

    The notes (`said`) tell the researcher what the import changed.
    """

    survey: Survey
    rows: list[tuple[Stored | None, ...]]
    said: list[str]


def range_notes(survey: Survey) -> list[str]:
    """A note that the range of non-private numbers comes from the file, so no noise hides it."""
    ends = [
        translate(
            "%(column)s (%(low)s to %(high)s)",
            column=question.label,
            low=translate_number(f"{question.grid[0]}"),
            high=translate_number(f"{question.grid[question.grid.size - 1]}"),
        )
        for question in survey.fields
        if question.grid is not None and question.table is None
    ]
    if not ends:
        return []
    return [
        translate(
            "Numbers have the range of this file: %(ranges)s. A DP release shows this range "
            "without noise. Release statistics of these numbers only if you may publish "
            "their range.",
            ranges=", ".join(ends),
        )
    ]


def survey_from_table(
    sheet: CSVTable, wishes: ImportOptions, slug: str, title: str
) -> ImportedSurvey:
    """Build the survey.

    Raises
    ------
    DataFileError
        If a column is missing, a cell is not a report of its design, or the result is not a valid
        survey. Other SurveyErrors if a design is impossible.
    """
    check_options(sheet, wishes)
    by, joined = wishes.differing, wishes.joined
    check_joined_columns(sheet, joined, [{*wishes.private}, {*by.designs}])
    check_designs_by_cell(sheet, by)
    sheet, notes = complete_rows(sheet, wishes)
    if sheet.unused:
        notes.append(
            translate(
                "No cell is %(cells)s, which --missing names. Check how the file writes missing "
                "values.",
                cells=translate(" or ").join(map(repr, sheet.unused)),
            )
        )
    columns = questions_by_heading(sheet, wishes, notes)
    names = names_for([*dict.fromkeys([*filter(None, sheet.columns), *columns])])
    notes += notes_on_names({each: names[each] for each in columns if each in sheet.columns})
    if by.designs:
        columns = with_direct_conditions(by, names, columns)
        notes += notes_on_designs(by, names, sheet.cells_of(by.deciding))
    column_of = {name: heading for name, (heading, _) in by.questions.items()}
    labels = {heading: label for label, some in joined.items() for heading in some}
    questions = [
        {"name": names[name], "label": labels.get(heading, heading), **(column.entry or {})}
        for name, column in columns.items()
        for heading in [column_of.get(name, name)]
    ]
    try:
        # The file has each text next to the reports of its writer, so the survey keeps them so.
        content = {"slug": slug, "title": title, "questions": questions, "texts_apart": False}
        numbers = {len(wishes.private_alternatives) + n for n in by.numbers_of_reports}
        if len(numbers) > 1:
            content["budget"] = {"per_respondent": {"at_most": max(numbers)}}
        elif min(numbers) < len(wishes.designs) - len(by.direct):
            content["budget"] = {"per_respondent": {"sample": min(numbers)}}
        survey = parse_survey(content)
    except DefinitionError as error:
        raise DataFileError(error_by_column(error, list(columns))) from error
    require_own_answers(survey, {names[each]: design for each, design in wishes.designs.items()})
    notes += [*notes_on_joined_columns(survey, joined), *range_notes(survey)]
    return ImportedSurvey(
        survey, list(zip(*(c.stored for c in columns.values()), strict=True)), notes
    )


def notes_on_names(names: Mapping[str, str]) -> list[str]:
    """A note on the headings that are no names of questions, from the name of each heading."""
    renamed = [
        translate("%(column)s is %(name)s", column=heading, name=name)
        for heading, name in names.items()
        if name != heading
    ]
    return [translate("Renamed: %(columns)s.", columns=", ".join(renamed))] if renamed else []


def require_own_answers(survey: Survey, designs: Mapping[str, RandomisationDesign]) -> None:
    """Raise DataFileError if a private question has reports that are no answers.

    `designs` are those of the questions, by name.
    """
    for question in survey.private:
        table, design = question.table, designs[question.name]
        if table is None or (table.reports > table.answers and not design.red_cards):
            raise DataFileError(
                "%(column)s: the reports of this design are not answers. Build a survey with "
                "this question, and load the file into it with `responses load`.",
                column=question.label,
            )


def questions_by_heading(
    sheet: CSVTable, wishes: ImportOptions, notes: list[str]
) -> dict[str, ColumnQuestion]:
    """The question of each column that is not omitted. Adds to the notes. Raises ColumnFaults."""
    columns: dict[str, ColumnQuestion] = {}
    faults: list[str] = []
    for place, heading in enumerate(sheet.columns):
        if not heading:  # R writes row names without a heading.
            notes.append(translate("Column %(n)s has no heading and is omitted.", n=place + 1))
        elif heading not in wishes.skip:
            try:
                made = questions_from_column(sheet, place, wishes)
            except SurveyError as error:
                faults.append(str(error))
                continue
            notes += (note for column in made.values() for note in column.said)
            columns |= {each: column for each, column in made.items() if column.entry is not None}
    if faults:
        raise ColumnFaults(faults)
    return columns


def questions_from_column(
    sheet: CSVTable, place: int, wishes: ImportOptions
) -> dict[str, ColumnQuestion]:
    """The question of a column, or one for each of its designs, by its name in the notes."""
    heading, cells = sheet.columns[place], sheet.cells_of(sheet.columns[place])
    yes, order = wishes.yes.get(heading, wishes.yes.get("")), wishes.choices.get(heading)
    differing = wishes.differing
    if heading in differing.designs:
        deciding = sheet.cells_of(differing.deciding)
        return questions_by_design(differing, heading, cells, deciding, yes, order)
    if heading not in wishes.private:
        wish = ColumnWish(
            choices=heading in {*wishes.categories, *differing.as_choices},
            number=heading in wishes.numbers,
            weight=heading in wishes.weights,
            keep_missing=heading in wishes.keep_missing,
            decimal_mark=wishes.decimal_marks.get(heading, wishes.decimal_marks.get("", "")),
        )
        return {heading: non_private_column(heading, cells, wish, sheet.lines)}
    return {heading: private_column(heading, cells, wishes.private[heading], yes, order)}


def check_options(sheet: CSVTable, wishes: ImportOptions) -> None:
    """Raises DataFileError for an option about a missing column, or about the wrong kind."""
    non_private = [*wishes.categories, *wishes.numbers, *wishes.weights, *wishes.keep_missing]
    non_private += filter(None, wishes.decimal_marks)
    private = {*wishes.private, *wishes.differing.designs}
    deciding = wishes.differing.deciding
    named = [*wishes.private, *wishes.differing.designs, deciding]
    named += [*wishes.skip, *non_private, *wishes.choices, *wishes.yes]
    named += chain(*wishes.joined.values())
    for heading in named:
        if heading and heading not in sheet.columns:
            there = names_text([name for name in sheet.columns if name])
            raise DataFileError(
                "There is no column %(name)s. There are: %(columns)s. If these are not the "
                "headings, delete the lines above the headings.",
                name=repr(heading),
                columns=there,
            )
    for heading in [*wishes.choices, *wishes.yes]:
        if heading and heading not in private:
            raise DataFileError(
                "%(column)s is not private. Give its design with --private.", column=heading
            )
    for heading in wishes.skip:
        if heading in private:
            raise DataFileError(
                "%(column)s has a design, but --skip omits it. Remove one of the two.",
                column=heading,
            )
    if deciding in private:
        raise DataFileError(
            "%(column)s is private, so it cannot decide on the design of other columns. Name a "
            "non-private column with --design-by.",
            column=deciding,
        )
    for heading in non_private:
        if heading in private:
            raise DataFileError(
                "%(column)s is private. Use --categories, --numbers, --weights, "
                "--keep-missing and --decimal-mark for other columns.",
                column=heading,
            )
    choices = {*wishes.categories, *wishes.keep_missing, *wishes.differing.as_choices}
    both = choices & {*wishes.numbers, *wishes.weights}
    if both:
        raise DataFileError(
            "%(column)s cannot be both a number and choices. Choose one of the two.",
            column=min(both),
        )


def complete_rows(sheet: CSVTable, wishes: ImportOptions) -> tuple[CSVTable, list[str]]:
    """The table of the rows with a report in each private column that has a design for the row.

    It comes with a note about the others. Raises DataFileError if there are others, and the options
    refuse them.
    """
    place = {heading: number for number, heading in enumerate(sheet.columns)}
    differing, alternatives = wishes.differing, wishes.private_alternatives
    gaps = Counter[str]()
    kept = list[tuple[Sequence[str], int]]()
    for row, line in zip(sheet.rows, sheet.lines, strict=True):
        needed = [*alternatives]
        if differing.designs:
            own = differing.columns_with_report(row[place[differing.deciding]])
            needed += [[heading] for heading in own or differing.designs]
        missing = [
            heading
            for columns in needed
            if not any(row[place[each]] for each in columns)
            for heading in columns
        ]
        gaps.update(missing)
        if not missing:
            kept.append((row, line))
    lost, n = len(sheet.rows) - len(kept), len(sheet.rows)
    if not lost:
        return sheet, []
    short = {heading: gaps[heading] for heading in sheet.columns if gaps[heading]}
    where = ", ".join(
        heading if len(short) == 1 else f"{heading} ({translate_number(f'{count:,}')})"
        for heading, count in short.items()
    )
    values = {
        "n": translate_number(f"{lost:,}"),
        "all": translate_number(f"{n:,}"),
        "columns": where,
    }
    if wishes.require_complete:
        raise DataFileError(
            "Rows without a report in %(columns)s: %(n)s of %(all)s. Everyone must report on a "
            "private question, so missing cells cannot be kept. To omit these rows, remove "
            "--require-complete.",
            **values,
        )
    if not kept:
        raise DataFileError(
            translate(
                "No row has all reports that it needs: %(columns)s. Check the columns. If a row "
                "has a report in only one of several columns, name them with --join.",
                columns=where,
            )
            if len(short) > 1
            else translate("No row has a report in %(columns)s. Check the column.", columns=where)
        )
    rows, lines = zip(*kept, strict=True)
    return replace(sheet, rows=rows, lines=lines), [
        translate("Omitted rows without a report in %(columns)s: %(n)s of %(all)s.", **values)
    ]


def error_by_column(error: DefinitionError, headings: Sequence[str]) -> str:
    """The message of a fault, with the column that it is about, and its option or a cell."""
    about = re.match(r"questions\[(\d+)\]\.?(.*)", error.place)
    if about is None:
        return str(error)
    member = re.split(r"\W", about[2])[0]
    parts = {"privacy": "--private", "choices": translate("a cell"), "label": translate("heading")}
    rest = f" ({parts[member]})" if member in parts else ""
    return translate(
        "Column %(column)s: %(fault)s To omit the column, use --skip.",
        column=f"{headings[int(about[1])]}{rest}",
        fault=error.fault,
    )
