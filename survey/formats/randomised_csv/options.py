"""The options of an import, from the texts that the command or the page takes."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from survey.core.errors import DataFileError, SurveyError
from survey.core.nfc import to_nfc
from survey.core.number_cells import DECIMAL_MARKS
from survey.core.translate import translate
from survey.formats.csv_import import names_text
from survey.formats.randomised_csv.build_survey import ColumnFaults, ImportOptions
from survey.formats.randomised_csv.designs import (
    DIRECT,
    RandomisationDesign,
    parse_randomisation_design,
)
from survey.formats.randomised_csv.designs_by_cell import DesignsByCell

QUOTED = re.compile(r'"(?:[^"]|"")*"')
QUOTED_COLUMN = re.compile(rf"\s*({QUOTED.pattern})\s*=(.*)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class OptionTexts:
    """The values of each option as typed, see the command `responses import-randomised`."""

    private: Sequence[str] = ()
    yes: Sequence[str] = ()
    choices: Sequence[str] = ()
    categories: Sequence[str] = ()
    skip: Sequence[str] = ()
    numbers: Sequence[str] = ()
    weights: Sequence[str] = ()
    keep_missing: Sequence[str] = ()
    decimal_mark: Sequence[str] = ()
    require_complete: bool = False
    design_by: str = ""
    join: Sequence[str] = ()


def parse_options(texts: OptionTexts, columns: Sequence[str]) -> ImportOptions:
    """The options of an import of a file with these columns.

    Raises ColumnFaults with every design that is wrong, and DataFileError for another fault.
    """
    texts = OptionTexts(**{key: to_nfc(value) for key, value in vars(texts).items()})
    designs, differing = parse_designs(texts.private, texts.design_by, columns)
    yes = split_options(texts.yes, "COLUMN=CELL", columns, for_all=True)
    choices = split_options(texts.choices, "COLUMN=CELL,CELL", columns)
    joined = split_options(texts.join, "NAME=COLUMN,COLUMN", ())
    return ImportOptions(
        private=designs,
        yes={column: remove_quotes(cell) for column, cell in yes.items()},
        choices={column: listed_cells(cells) for column, cells in choices.items()},
        categories=texts.categories,
        skip=texts.skip,
        numbers=texts.numbers,
        weights=texts.weights,
        keep_missing=texts.keep_missing,
        decimal_marks=parse_decimal_marks(texts.decimal_mark, columns),
        require_complete=texts.require_complete,
        differing=differing,
        joined={label: listed_cells(cells) for label, cells in joined.items()},
    )


def parse_decimal_marks(texts: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """The decimal mark of each column that has one; under "" that of all others.

    Raises DataFileError.
    """
    marks = split_options(to_nfc([*texts]), "COLUMN=MARK", columns, for_all=True)
    for mark in marks.values():
        if mark not in DECIMAL_MARKS:
            raise DataFileError(
                "The decimal mark is a point or a comma, not %(mark)s.", mark=repr(mark)
            )
    return marks


def parse_designs(
    private: Sequence[str], deciding: str, columns: Sequence[str]
) -> tuple[dict[str, RandomisationDesign], DesignsByCell]:
    """The designs of columns, and those that depend on the cell of the column `deciding`.

    Raises ColumnFaults with every design that is wrong, and DataFileError for a missing one.
    """
    faults: list[str] = []
    designs: dict[str, RandomisationDesign] = {}
    differing: dict[str, dict[str, RandomisationDesign]] = {}
    for text in private:
        try:
            written, design = split_option(text, "COLUMN=DESIGN", columns)
            column, cell = column_and_cell(written, columns)
            if cell is not None and not deciding:
                raise DataFileError(
                    "%(option)s is a design for the cell %(cell)s of another column. Name this "
                    "column with --design-by.",
                    option=written,
                    cell=repr(cell),
                )
            some = designs if cell is None else differing.setdefault(column, {})
            if (column if cell is None else cell) in some:
                raise DataFileError("%(column)s has two designs. Remove one.", column=written)
            some[column if cell is None else cell] = parse_cell_design(written, design, cell)
        except SurveyError as error:
            faults.append(str(error))
    faults += contradictions(designs, differing)
    if faults:
        raise ColumnFaults(faults)
    if deciding and not differing:
        raise DataFileError(
            "--design-by %(deciding)s needs a design for each cell of %(deciding)s, such as "
            '--private "q1[A]=Warner,p=2/3" and --private "q1[B]=Warner,p=3/4".',
            deciding=deciding,
        )
    return designs, DesignsByCell(deciding, differing)


def contradictions(
    designs: Mapping[str, RandomisationDesign],
    differing: Mapping[str, Mapping[str, RandomisationDesign]],
) -> list[str]:
    """The faults of designs that are right one by one."""
    faults = [
        translate(
            "%(column)s has a design for all rows, and others for some rows. Remove one kind.",
            column=column,
        )
        for column in designs.keys() & differing.keys()
    ]
    of_cells = [design for some in differing.values() for design in some.values()]
    if of_cells and not designs and all(design == DIRECT for design in of_cells):
        faults.append(
            translate(
                "%(column)s has only direct answers. Leave out --private for this column.",
                column=names_text([*differing]),
            )
        )
    return faults


def parse_cell_design(written: str, design: str, cell: str | None) -> RandomisationDesign:
    """The design of a column, or of its rows with a cell, which may have the direct question.

    Raises DataFileError with the column.
    """
    if design != "direct":
        try:
            return parse_randomisation_design(design)
        except SurveyError as error:
            raise DataFileError("%(column)s: %(fault)s", column=written, fault=error) from error
    if cell is None:
        raise DataFileError(
            "“direct” means that some rows have direct answers, so it needs a cell, such as "
            "%(column)s[A]=direct. If all rows have direct answers, leave out --private for "
            "this column.",
            column=written,
        )
    return DIRECT


def column_and_cell(written: str, columns: Sequence[str]) -> tuple[str, str | None]:
    """The column, and the cell of q1[CELL]; None if these are the letters of a column's name.

    Names and cells may have brackets of their own.
    """
    if written not in columns and written.endswith("]"):
        for bracket in re.finditer(r"\[", written):
            column, cell = written[: bracket.start()].strip(), written[bracket.end() : -1].strip()
            if column in columns and cell:
                return column, cell
    return written, None


def split_options(
    texts: Sequence[str], form: str, columns: Sequence[str], *, for_all: bool = False
) -> dict[str, str]:
    """The value of each column in repeated options, see `split_option`.

    Raises DataFileError, also if a column has two values.
    """
    values = dict[str, str]()
    for text in texts:
        column, value = split_option(text, form, columns, for_all=for_all)
        if values.setdefault(column, value) != value:
            raise DataFileError(
                "%(one)s and %(other)s contradict each other. Remove one of the two.",
                one=repr(f"{column}={values[column]}" if column else values[column]),
                other=repr(text),
            )
    return values


def split_option(
    text: str, form: str, columns: Sequence[str], *, for_all: bool = False
) -> tuple[str, str]:
    """The column and the value of an option, which has a form such as COLUMN=VALUE.

    The name of a column may contain =, if no other column makes this unclear, or be in quotes. With
    `for_all`, a value without a column has the column "". Raises DataFileError.
    """
    quoted = QUOTED_COLUMN.fullmatch(text)
    if quoted:
        column, value = remove_quotes(quoted[1]), quoted[2].strip()
    elif for_all and ("=" not in text or QUOTED.fullmatch(text.strip())):
        column, value = "", text.strip()
    else:
        ends = [each.start() for each in re.finditer("=", text)]
        named = [end for end in ends if column_and_cell(text[:end].strip(), columns)[0] in columns]
        if len(named) > 1:
            raise DataFileError(
                "%(value)s can be about %(columns)s. Put the name of the column in quotes: "
                "%(form)s.",
                value=repr(text),
                columns=translate(" or ").join(repr(text[:end].strip()) for end in named),
                form=form.replace("COLUMN", '"COLUMN"', 1),
            )
        end = next(iter(named or ends), len(text))
        column, value = text[:end].strip(), text[end + 1 :].strip()
    if not value:
        raise DataFileError(
            "%(value)s has the wrong form. Write it as %(form)s.", value=repr(text), form=form
        )
    return column, value


def remove_quotes(text: str) -> str:
    """A text without the quotes around it."""
    return text[1:-1].replace('""', '"') if QUOTED.fullmatch(text) else text


def listed_cells(text: str) -> list[str]:
    """Cells between commas. Those with commas of their own are in quotes. Raises DataFileError."""
    if text.count('"') % 2:
        raise DataFileError(
            '%(value)s has a quote without its end. Write a cell with a quote as "6"" long".',
            value=repr(text),
        )
    (cells,) = csv.reader([text], skipinitialspace=True)
    return [cell.strip() for cell in cells]
