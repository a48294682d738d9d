"""Results of analyses as text tables for a terminal."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from survey.analysis.blocks import (
    Block,
    Facts,
    FigureCell,
    Folded,
    FormulaLine,
    Heading,
    Listed,
    Paragraph,
    Table,
)
from survey.core.glossary_terms import without_marks

COMBINING_CATEGORIES = ("Mn", "Me", "Cf")


def width(text: str) -> int:
    """The columns that a text takes in a terminal: 2 for a wide letter, 0 for a combining mark."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    marks = sum(unicodedata.category(letter) in COMBINING_CATEGORIES for letter in text)
    return len(text) + wide - marks


def table_lines(
    rows: Sequence[Sequence[str]], indent: str = "  ", between: str = "   "
) -> list[str]:
    """Rows of cells as aligned lines: the first column to the left, the others to the right.

    A row with one cell is a heading.
    """
    columns = zip(*(row for row in rows if len(row) > 1), strict=True)
    widths = [max(width(cell) for cell in column) for column in columns]
    lines = []
    for row in rows:
        gaps = [" " * (most - width(cell)) for cell, most in zip(row, widths, strict=False)]
        cells = [gap + cell for gap, cell in zip(gaps[1:], row[1:], strict=False)]
        cells.insert(0, row[0] + gaps[0])
        lines.append(indent + between.join(cells).rstrip())
    return lines


def block_lines(blocks: Iterable[Block]) -> Iterator[str]:
    """One line or several for each block, but those that a page folds."""
    for block in blocks:
        match block:
            case Heading():
                yield from ("", block.text)
            case Paragraph() | FormulaLine():
                yield without_marks(block.text)
            case Listed():
                yield from (f"* {without_marks(item)}" for item in block.items)
            case Facts():
                yield from (f"{name}: {cell_as_text(cell)}" for name, cell in block.pairs)
            case Table():
                yield ""
                if block.caption:
                    yield without_marks(block.caption)
                yield from table_lines(text_rows(block))
                yield ""
            case Folded():
                if block.printed:
                    yield from ("", block.summary, *block_lines(block.blocks))


def text_rows(table: Table) -> list[list[str]]:
    """A table as rows of texts, with its headings and the headings of groups of rows."""
    rows, group = [[*table.names, *table.figures]], ""
    for row in table.rows:
        if row.group != group:
            group = row.group
            rows.append([group])
        if row.instead:
            figures = [row.instead, *[""] * (len(table.figures) - 1)]
        else:
            figures = [cell_as_text(cell) for cell in row.cells]
        rows.append([*row.names, *figures])
    return rows


def cell_as_text(cell: FigureCell) -> str:
    """A figure with its interval in brackets."""
    if cell.between is None:
        return cell.text
    low, high = cell.between
    return f"{cell.text} ({low} to {high})" if cell.text else f"{low} to {high}"
