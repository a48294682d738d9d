"""The cells of a CSV file with a header."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from survey.core.csv_tables import csv_rows
from survey.core.errors import DataFileError
from survey.core.nfc import to_nfc
from survey.core.number_cells import without_zero_decimals
from survey.core.translate import translate_number
from survey.definition.parse_question import question_name

# With more, the checks of the columns would take too long.
MAX_COLUMNS = 5_000
# Cells that mean a missing value. R and pandas write the first ones, and SPSS and Stata a dot, in
# Stata also with a letter. The others are errors of Excel in English and German.
MISSING = re.compile(
    r"(NA|NaN|<NA>|\.[a-z]?|#(N/A|NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|NV|WERT!|BEZUG!|ZAHL!))?"
)


@dataclass(frozen=True)
class CSVTable:
    """The cells of a file without surrounding white space. Missing cells are empty.

    Attributes
    ----------
    columns : the headings
    rows : the cells of each other row
    lines : the number of the line of each of these rows in the file
    unused : cells that the researcher named as missing values, and that no row has
    """

    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    lines: Sequence[int]
    unused: tuple[str, ...] = ()

    def cells_of(self, heading: str) -> list[str]:
        """The cells of a column, shape (n,)."""
        place = self.columns.index(heading)
        return [row[place] for row in self.rows]


def read_csv_table(
    file: BinaryIO, missing: Collection[str] = (), encoding: str = "", separator: str = ""
) -> CSVTable:
    """Read a CSV file, see `csv_rows`.

    Parameters
    ----------
    missing : cells that mean a missing value, in addition to those of MISSING. The cell -99 also
        means -99.0 and -99,00

    Raises
    ------
    DataFileError
        With the line.
    """
    gaps = {without_zero_decimals(cell): cell for cell in to_nfc([*missing])}
    unused = dict.fromkeys(gaps.values())

    def read_cell(written: str) -> str:
        cell = written.strip()
        if gaps and (named := gaps.get(without_zero_decimals(cell))) is not None:
            unused.pop(named, None)
            return ""
        return "" if MISSING.fullmatch(cell) else cell

    numbered = csv_rows(file, encoding, separator)
    columns = tuple(cell.strip() for cell in next(numbered, (1, []))[1])
    if len(columns) > MAX_COLUMNS:
        most = translate_number(f"{MAX_COLUMNS:,}")
        raise DataFileError("The file has more than %(most)s columns. Delete some.", most=most)
    lines, rows = list[int](), list[list[str]]()
    for line, row in numbered:
        lines.append(line)
        rows.append([read_cell(cell) for cell in row])
    for name, times in Counter(name for name in columns if name).items():
        if times > 1:
            raise DataFileError("Two columns are called %(name)s. Rename one.", name=repr(name))
    if not rows:
        raise DataFileError("There is no row below the headings. Choose a file with data.")
    return CSVTable(columns, rows, lines, tuple(unused))


def names_for(headings: Sequence[str]) -> dict[str, str]:
    """The name of the question of each heading, by `question_name`."""
    names: dict[str, str] = {}
    for number, heading in enumerate(headings, 1):
        names[heading] = question_name(heading, number, names.values())
    return names
