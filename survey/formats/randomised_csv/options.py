"""The options of an import, from the texts that the command or the page takes."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from survey.core.errors import DataFileError, SurveyError
from survey.core.nfc import to_nfc
from survey.core.number_cells import DECIMAL_MARKS
from survey.core.translate import translate
from survey.formats.randomised_csv.build_survey import ColumnFaults, ImportOptions
from survey.formats.randomised_csv.designs import RandomisationDesign, parse_randomisation_design

QUOTED = re.compile(r'"(?:[^"]|"")*"')
QUOTED_COLUMN = re.compile(rf"\s*({QUOTED.pattern})\s*=(.*)", re.DOTALL)


@dataclass(frozen=True)
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


def parse_options(texts: OptionTexts, columns: Sequence[str]) -> ImportOptions:
    """The options of an import of a file with these columns.

    Raises ColumnFaults with every design that is wrong, and DataFileError for another fault.
    """
    texts = OptionTexts(**{key: to_nfc(value) for key, value in vars(texts).items()})
    faults: list[str] = []
    designs: dict[str, RandomisationDesign] = {}
    for text in texts.private:
        try:
            column, design = split_option(text, "DESIGN", columns)
            if column in designs:
                fault = translate("%(column)s has two designs. Remove one.", column=column)
                raise DataFileError(fault)
            designs[column] = parse_randomisation_design(design)
        except SurveyError as error:
            faults.append(str(error))
    if faults:
        raise ColumnFaults(faults)
    # A value without a column is for all columns (key "").
    yes = dict(split_option(text, "CELL", columns, for_all=True) for text in texts.yes)
    marks = dict(split_option(text, "MARK", columns, for_all=True) for text in texts.decimal_mark)
    for mark in marks.values():
        if mark not in DECIMAL_MARKS:
            raise DataFileError(
                translate("The decimal mark is a point or a comma, not %(mark)s.", mark=repr(mark))
            )
    choices = dict(split_option(text, "CELL,CELL", columns) for text in texts.choices)
    return ImportOptions(
        designs, {column: unquoted(cell) for column, cell in yes.items()},
        {column: listed_cells(cells) for column, cells in choices.items()},
        texts.categories, texts.skip, texts.numbers, texts.weights, texts.keep_missing, marks,
        texts.require_complete,
    )  # fmt: skip


def split_option(
    text: str, what: str, columns: Sequence[str], *, for_all: bool = False
) -> tuple[str, str]:
    """The column and the value of an option such as COLUMN=VALUE.

    The name of a column may contain =, if no other column makes this unclear, or be in quotes. With
    `for_all`, a value without a column has the column "". Raises DataFileError.
    """
    quoted = QUOTED_COLUMN.fullmatch(text)
    if quoted:
        column, value = unquoted(quoted[1]), quoted[2].strip()
    elif for_all and ("=" not in text or QUOTED.fullmatch(text.strip())):
        column, value = "", text.strip()
    else:
        ends = [each.start() for each in re.finditer("=", text)]
        named = [end for end in ends if text[:end].strip() in columns]
        if len(named) > 1:
            raise DataFileError(
                translate(
                    "%(value)s can be about %(columns)s. Put the name of the column in quotes: "
                    '"COLUMN"=%(what)s.',
                    value=repr(text),
                    columns=translate(" or ").join(repr(text[:end].strip()) for end in named),
                    what=what,
                )
            )
        end = next(iter(named or ends), len(text))
        column, value = text[:end].strip(), text[end + 1 :].strip()
    if not value:
        raise DataFileError(
            translate(
                "%(value)s has the wrong form. Write it as COLUMN=%(what)s.",
                value=repr(text),
                what=what,
            )
        )
    return column, value


def unquoted(text: str) -> str:
    """A text without the quotes around it."""
    return text[1:-1].replace('""', '"') if QUOTED.fullmatch(text) else text


def listed_cells(text: str) -> list[str]:
    """Cells between commas. Those with commas of their own are in quotes. Raises DataFileError."""
    if text.count('"') % 2:
        raise DataFileError(
            translate(
                '%(value)s has a quote without its end. Write a cell with a quote as "6"" long".',
                value=repr(text),
            )
        )
    (cells,) = csv.reader([text], skipinitialspace=True)
    return [cell.strip() for cell in cells]
