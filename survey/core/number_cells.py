"""Numbers in cells, with the decimal and thousands marks of any program and language.

The cell 1.200 means 1.2 in English and 1,200 in German or Vietnamese. A column has one decimal
mark, so its other cells often say which. If none does, Candor asks.
"""

import re
from collections.abc import Collection, Mapping
from fractions import Fraction

POINT = "."
COMMA = ","
DECIMAL_MARKS = (POINT, COMMA)
# The marks between thousands. The spaces are the usual, the no-break and two narrow ones.
SPACES_AND_APOSTROPHES = " \N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}'’"
MAX_DIGITS = 20
# The cell 1,000 can mean one thousand.
ZERO_DECIMALS = re.compile(r"([+\-−]?\d+)(?:\.0*|,0{1,2}|,0{4,})")


def number_pattern(mark: str, thousands: str) -> re.Pattern[str]:
    """Numbers with a decimal mark, and with or without one of these marks between thousands.

    Numbers of India may have groups of two digits before the last three. A zero before other digits
    is none of a number, but of a code such as 007.
    """
    groups = (
        rf"(?!0)\d{{1,3}}(?P<group>[{thousands}])\d{{3}}(?:(?P=group)\d{{3}})*"
        rf"|(?!0)\d{{1,2}}(?:[{thousands}]\d\d)+[{thousands}]\d{{3}}"
    )
    decimals = rf"{re.escape(mark)}\d{{0,{MAX_DIGITS}}}"
    return re.compile(
        rf"(?P<sign>[+\-−]?)(?:(?P<whole>{groups}|(?!0\d)\d{{1,{MAX_DIGITS}}})(?P<more>{decimals})?"
        rf"|(?P<below>{re.escape(mark)}\d{{1,{MAX_DIGITS}}}))(?P<power>[eE][+-]?\d{{1,2}})?"
    )


PATTERNS = {
    POINT: number_pattern(POINT, f"{COMMA}{SPACES_AND_APOSTROPHES}"),
    COMMA: number_pattern(COMMA, f"{POINT}{SPACES_AND_APOSTROPHES}"),
}


def without_zero_decimals(cell: str) -> str:
    """A whole number without its decimals, which some programs write: 1.0 or 1,00 becomes 1.

    Other cells stay unchanged.
    """
    found = ZERO_DECIMALS.fullmatch(cell)
    return found[1] if found else cell


def number_in_cell(cell: str, mark: str) -> Fraction | None:
    """The number in a cell with this decimal mark; None if the cell is no such number."""
    found = PATTERNS[mark].fullmatch(cell)
    if found is None:
        return None
    whole = re.sub(r"\D", "", found["whole"] or "0")
    decimals = (found["more"] or found["below"] or "").replace(mark, POINT).removesuffix(POINT)
    sign = found["sign"].replace("−", "-")
    return Fraction(f"{sign}{whole}{decimals}{found['power'] or ''}")


def column_numbers(
    cells: Collection[str], marks: Collection[str] = DECIMAL_MARKS
) -> list[Mapping[str, Fraction]]:
    """The numbers in the cells of a column, once for each different meaning that it can have.

    Parameters
    ----------
    cells : the different cells without missing ones
    marks : the decimal marks that are possible

    Returns
    -------
    list
        Empty if some cells are no numbers with the same decimal mark. With two meanings, the first
        one has a decimal point.
    """
    meanings: list[Mapping[str, Fraction]] = []
    for mark in marks:
        values = {
            cell: value for cell in cells if (value := number_in_cell(cell, mark)) is not None
        }
        if len(values) == len({*cells}) and values not in meanings:
            meanings.append(values)
    return meanings
