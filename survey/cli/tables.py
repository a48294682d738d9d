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
    unmarked,
)
from survey.analysis.columns.columns import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.groups.measures import Measure
from survey.analysis.tables.association import Test
from survey.analysis.tables.correlation import Correlation
from survey.analysis.tables.correlation_matrix import correlation_remarks
from survey.analysis.tables.crosstabs import Crosstab
from survey.estimation.number_text import number, percent, rounded_to

NO_FIGURE = "–"
# For combinations of answers that the survey's conditions exclude.
NOT_POSSIBLE = "not possible"
COMBINING_CATEGORIES = ("Mn", "Me", "Cf")
# Combinations of reports that a terminal lists.
MAX_PRINTED_COMBINATIONS = 40
NEGATIVE_SHARE_NOTE = (
    "A negative estimate of a small share is random error. The most likely shares follow below."
)
EXTRAS_NOTE = "All figures are for those who gave no special answer to any question, an estimated"


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


def share_with_interval(figure: IntervalEstimate | None, least: float = 0.0) -> str:
    """A share with its interval. If the interval has no information, the share is "not known"."""
    if figure is None:
        return NO_FIGURE
    is_known = figure.low > least or figure.high < 1
    value = percent(figure.value) if is_known else "not known"
    return f"{value} ({percent(figure.low)[:-2]} to {percent(figure.high)[:-2]})"


def number_with_interval(figure: IntervalEstimate | None) -> str:
    """A number with its interval."""
    if figure is None:
        return NO_FIGURE
    low, high = (rounded_to(end, figure.standard_error) for end in (figure.low, figure.high))
    return f"{rounded_to(figure.value, figure.standard_error)} ({low} to {high})"


def ratio_with_interval(figure: IntervalEstimate | None) -> str:
    """An odds ratio with its interval, to three digits. Without information, it is "not known"."""
    if figure is None:
        return NO_FIGURE
    value, low, high = (
        f"{each:.3g}".replace("inf", "∞") for each in (figure.value, figure.low, figure.high)
    )
    return f"{'not known' if figure.any_ratio else value} ({low} to {high})"


def p_value(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def analysis_heading_lines(
    columns: Sequence[AnalysisColumn], n: int, left_out: int, level: float
) -> Iterator[str]:
    for column in columns:
        how = "private" if column.private else "non-private"
        yield f"{column.name}: {column.label} ({how})"
    out = f", {left_out:,} left out" if left_out else ""
    yield f"{n:,} responses{out}. In brackets: {100 * level:g} % intervals, for each figure alone."


def test_lines(tests: Sequence[Test]) -> list[str]:
    """The result of each test, then the conditions under which it is valid."""
    lines = []
    for test in tests:
        degrees = "1 degree" if test.degrees == 1 else f"{test.degrees} degrees"
        lines.append(
            f"Test that {test.hypothesis}: {test.name} {number(test.statistic)}, "
            f"{degrees} of freedom, p {p_value(test.p)}"
        )
    return [*lines, *(f"  ({test.name}: {test.right_when})" for test in tests)]


def difference_with_interval(figure: IntervalEstimate | None) -> str:
    """A difference of shares in percentage points, with its interval."""
    return share_with_interval(figure, -1.0).replace(" %", "")


def crosstab_lines(table: Crosstab) -> list[str]:
    """A cross-tabulation as lines."""
    lines = list(analysis_heading_lines(table.columns, table.n, table.left_out, table.level))
    if table.given is not None:
        lines.append(f"{EXTRAS_NOTE} {share_with_interval(table.given)}.")
    first, second = table.columns[:2]
    layers = table.columns[2].answers[: table.columns[2].listed] if len(table.shape) > 2 else ("",)
    shares = (
        ("Share of all", table.cells),
        (f"{second.name} within each {first.name}", table.of_row),
        (f"{first.name} within each {second.name}", table.of_column),
    )
    sections = [
        (
            words,
            [
                share_with_interval(each) if can_be else NOT_POSSIBLE
                for each, can_be in zip(part, table.possible, strict=True)
            ],
            0,
        )
        for words, part in shares
    ]
    if table.shape[0] > 1:
        words = f"{second.name}, difference from {first.name} {first.answers[0]}, in points"
        first_row = [""] * (table.shape[1] * len(layers))
        others = [difference_with_interval(each) for each in table.differences]
        sections.append((words, [*first_row, *others], 1))
    likely = table.likeliest
    if table.negative and likely is not None:
        lines += ["", NEGATIVE_SHARE_NOTE]
        sections.insert(1, ("Most likely shares", [percent(each) for each in likely], 0))
    for words, texts, skip in sections:
        for layer, label in enumerate(layers):
            layer_text = f", {table.columns[2].name} {label}" if label else ""
            lines += ["", words + layer_text]
            lines += layer_lines(table, layer, len(layers), texts, skip)
    lines.append("")
    for name, figures, written in (
        ("Odds ratio", table.odds_ratios, ratio_with_interval),
        ("Phi", table.phis, number_with_interval),
    ):
        for figure, label in zip(figures, layers, strict=False):
            layer_text = f", {table.columns[2].name} {label}" if label else ""
            lines.append(f"{name}{layer_text}: {written(figure)}")
    lines += [*test_lines(table.tests), *table.remarks]
    return lines + raw_lines(table)


def layer_lines(
    table: Crosstab, layer: int, layers: int, texts: Sequence[str], skip: int
) -> list[str]:
    """One layer of a table whose cells have these texts, without the first `skip` rows."""
    first, second = table.columns[:2]
    rows = [["", *second.answers[: second.listed]]]
    for row in range(skip, first.listed):
        cells = [(row * second.listed + place) * layers + layer for place in range(second.listed)]
        rows.append([first.answers[row], *(texts[cell] for cell in cells)])
    return table_lines(rows)


def raw_lines(table: Crosstab) -> list[str]:
    """The counts of the reports, before any estimation."""
    came = [(names, count) for names, count in table.raw if count]
    if len(came) > MAX_PRINTED_COMBINATIONS:
        return ["", f"There are {len(came):,} combinations of reports; --json lists them."]
    rows = [[", ".join(names), str(count)] for names, count in came]
    return ["", "Reports received", *table_lines(rows)]


def correlation_lines(found: Correlation) -> list[str]:
    """A correlation as lines."""
    columns = (found.first.column, found.second.column)
    first, second = (measure_text(measure) for measure in (found.first, found.second))
    return [
        *analysis_heading_lines(columns, found.n, found.left_out, found.level),
        "",
        f"Correlation of {first} with {second}: {number_with_interval(found.figure)}",
        f"Standard error {number(found.figure.standard_error)}; {found.figure.method}.",
        "One of them does not vary, so there is no test." if found.p is None
        else f"Test of no correlation: p {p_value(found.p)}",
        *correlation_remarks([found]),
    ]  # fmt: skip


def measure_text(measure: Measure) -> str:
    name = measure.column.name
    return name if measure.answer is None else f"{name} ({measure.answer})"


def block_lines(blocks: Iterable[Block]) -> Iterator[str]:
    """One line or several for each block, but those that a page folds."""
    for block in blocks:
        match block:
            case Heading():
                yield from ("", block.text)
            case Paragraph() | FormulaLine():
                yield unmarked(block.text)
            case Listed():
                yield from (f"* {unmarked(item)}" for item in block.items)
            case Facts():
                yield from (f"{name}: {cell_as_text(cell)}" for name, cell in block.pairs)
            case Table():
                yield ""
                yield unmarked(block.caption)
                yield from table_lines(text_rows(block))
                yield ""
            case Folded():
                pass


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
