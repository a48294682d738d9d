"""The cells of a CSV file with headings."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from survey.core.csv_cells import csv_rows
from survey.core.errors import DataFileError
from survey.definition.choices import free_name, plain_ascii

MISSING_CELLS = ("", "NA", "NaN", ".")
DECIMAL_COMMA = re.compile(r"^([+-]?\d+),(\d+)$")


@dataclass(frozen=True)
class CSVTable:
    """A file's cells, without the white space around them; missing ones are empty."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]


def read_csv_table(lines: Iterable[str], missing: Collection[str] = ()) -> CSVTable:
    """Read a CSV; cells apart by commas, or by semicolons or tabs where the headings are.

    Parameters
    ----------
    lines : iterable of str
        Text lines, the first with the headings.
    missing : what stands for a missing cell, beside an empty one, NA, NaN and a dot

    Raises
    ------
    DataFileError
        Naming the line.
    """
    gaps = {*MISSING_CELLS, *missing}
    ahead = iter(lines)
    first = next(ahead, "")
    apart = max(",;\t", key=first.count)
    numbered = csv_rows(chain([first], ahead), apart)
    columns = tuple(cell.strip() for cell in next(numbered)[1])
    rows: list[list[str]] = []
    for _, row in numbered:
        cells = [cell.strip() for cell in row]
        if apart == ";":  # where the comma is taken by decimals
            cells = [DECIMAL_COMMA.sub(r"\1.\2", cell) for cell in cells]
        rows.append(["" if cell in gaps else cell for cell in cells])
    named = [name for name in columns if name]
    for name in named:
        if named.count(name) > 1:
            raise DataFileError(f"Two columns are called {name!r}.")
    if not rows:
        raise DataFileError("There is no row below the headings.")
    return CSVTable(columns, rows)


def names_for(headings: Sequence[str], taken: Collection[str] = ("id",)) -> dict[str, str]:
    """A name for each heading, as a definition takes them: small letters, digits and _."""
    names: dict[str, str] = {}
    used = set(taken)
    for heading in headings:
        name = plain_ascii(heading, "_") or "column"
        name = (name if name[0].isalpha() else f"c{name}")[:58]
        names[heading] = free_name(name, used)
        used.add(names[heading])
    return names
