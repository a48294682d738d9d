"""The cells of a CSV file with a header."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from survey.core.csv_cells import csv_rows
from survey.core.errors import DataFileError
from survey.core.translate import translate, translate_number
from survey.definition.parse_question import question_name

# With more, the checks of the columns would take too long.
MAX_COLUMNS = 5_000
MISSING_CELLS = ("", "NA", "NaN", ".")
DECIMAL_COMMA = re.compile(r"^([+-]?\d+),(\d+)$")


@dataclass(frozen=True)
class CSVTable:
    """The cells of a file without surrounding white space. Missing cells are empty."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]


def read_csv_table(lines: Iterable[str], missing: Collection[str] = ()) -> CSVTable:
    """Read a CSV file. The separator is a comma, or a semicolon or tab if the header has more.

    Parameters
    ----------
    lines : iterable of str
        Text lines, the first with the headings.
    missing : cells that mean a missing value, in addition to empty ones, NA, NaN and a dot

    Raises
    ------
    DataFileError
        With the line.
    """
    gaps = {*MISSING_CELLS, *missing}
    ahead = iter(lines)
    first = next(ahead, "")
    apart = max(",;\t", key=first.count)
    numbered = csv_rows(chain([first], ahead), apart)
    columns = tuple(cell.strip() for cell in next(numbered, (1, []))[1])
    if len(columns) > MAX_COLUMNS:
        most = translate_number(f"{MAX_COLUMNS:,}")
        raise DataFileError(
            translate("The file has more than %(most)s columns. Delete some.", most=most)
        )
    rows: list[list[str]] = []
    for _, row in numbered:
        cells = [cell.strip() for cell in row]
        if apart == ";":  # Such files write decimals with a comma.
            cells = [DECIMAL_COMMA.sub(r"\1.\2", cell) for cell in cells]
        rows.append(["" if cell in gaps else cell for cell in cells])
    for name, times in Counter(name for name in columns if name).items():
        if times > 1:
            fault = translate("Two columns are called %(name)s. Rename one.", name=repr(name))
            raise DataFileError(fault)
    if not rows:
        raise DataFileError(
            translate("There is no row below the headings. Choose a file with data.")
        )
    return CSVTable(columns, rows)


def names_for(headings: Sequence[str]) -> dict[str, str]:
    """The name of the question of each heading, by `question_name`."""
    names: dict[str, str] = {}
    for number, heading in enumerate(headings, 1):
        names[heading] = question_name(heading, number, names.values())
    return names
