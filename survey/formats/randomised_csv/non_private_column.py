"""A non-private column: a question stored as given, with the cells as its answers."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from survey.core.errors import DataFileError, MechanismError
from survey.core.number_cells import DECIMAL_MARKS, POINT, column_numbers, number_in_cell
from survey.core.number_grid import MAX_VALUES, Grid, decimal_text, json_number
from survey.core.translate import translate, translate_number
from survey.definition.choices import CHOICE_NAME, MAX_CHOICES, choice_name
from survey.definition.report_formats import Stored
from survey.formats.number_readings import mark_is_needed

# Signs of a currency or of a percentage around a number.
UNIT = re.compile(r"^[$€£¥₩₫đ฿₹₱₽%]\s?|\s?[$€£¥₩₫đ฿₹₱₽%‰]$")
# Cells that mean a missing value only among numbers. Among other answers, None can be one.
MISSING_WORDS = {"n/a", "na", "nan", "null", "none", "-", "–", "—"}
# In a note or an error message.
MAX_CELLS_NAMED = 6
# The answer of missing cells, if the user keeps them.
MISSING_LABEL = "(missing)"
Meanings = Sequence[Mapping[str, Fraction]]
# In at most this many rows, a column whose cells all differ can still become choices.
MAX_UNIQUE_CHOICE_ROWS = 20


@dataclass(frozen=True)
class ColumnQuestion:
    """A question made from a column.

    Attributes
    ----------
    entry : its entry in the definition without name and label; None if the column is omitted
    stored : the stored value of each row; None if the question has another row's design
    said : notes for the researcher
    """

    entry: dict[str, Any] | None
    stored: Sequence[Stored | None]
    said: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ColumnWish:
    """What the user says about a non-private column.

    Attributes
    ----------
    choices : whether numbers are choices
    number : whether it is a number, also with only two values
    weight : whether it is a number that may be neither missing nor below zero
    keep_missing : whether missing cells are an answer of their own, like the others
    decimal_mark : the sign before decimals; empty if the cells show it
    """

    choices: bool = False
    number: bool = False
    weight: bool = False
    keep_missing: bool = False
    decimal_mark: str = ""


def non_private_column(
    heading: str, cells: Sequence[str], wish: ColumnWish, lines: Sequence[int] = ()
) -> ColumnQuestion:
    """A number question if all cells are numbers, else choices, or a text if there are many cells.

    Numbers with only two values become choices, unless the user says otherwise. Missing cells
    become "Prefer not to say", which regressions leave out, or an answer of their own.

    `lines` are the lines of the cells in the file, for messages. By default, they start at 2.

    Raises DataFileError if a column that must be a number or a weight is none, or if its numbers
    can be read in two ways.
    """
    lines, notes = lines or range(2, len(cells) + 2), list[str]()
    cells, meanings = numbers_of_column(heading, cells, wish, notes)
    if wish.number or wish.weight:
        require_number(heading, cells, wish, meanings, lines)
    if wish.keep_missing:
        cells = [cell or MISSING_LABEL for cell in cells]
    distinct = sorted({cell for cell in cells if cell})
    # Analyses may use a number that is the same for everyone, such as a weight.
    if len(distinct) < 2 - (wish.number or wish.weight):
        note = (
            translate(
                "%(column)s is omitted: every row has %(cell)s.",
                column=heading,
                cell=repr(distinct[0]),
            )
            if distinct
            else translate("%(column)s is omitted: it is empty in every row.", column=heading)
        )
        return ColumnQuestion(None, [], (note,))
    values = meanings[0] if meanings and {*distinct} <= {*meanings[0]} else {}
    alone = len(distinct) == sum(map(bool, cells)) > MAX_UNIQUE_CHOICE_ROWS
    if alone and all(value.denominator == 1 for value in values.values()):
        notes.append(
            translate(
                "%(column)s differs in every row. If it identifies respondents, import the file "
                "without it: --skip %(column)s.",
                column=heading,
            )
        )
    several = len(set(values.values())) > 2 or wish.number or wish.weight
    if values and not wish.choices and several:
        require_one_meaning(heading, cells, meanings, lines)
        column = number_column(heading, cells, values)
    elif len(distinct) <= MAX_CHOICES and not alone:
        column = choice_column(
            sorted(distinct, key=values.__getitem__) if values else distinct, cells
        )
    else:
        return ColumnQuestion({"type": "text", "privacy": "none"}, list(cells), tuple(notes))
    return with_missing_cells(heading, cells, replace(column, said=(*column.said, *notes)))


def with_missing_cells(
    heading: str, cells: Sequence[str], column: ColumnQuestion
) -> ColumnQuestion:
    """The question with the answer "Prefer not to say" and a note, if cells are missing."""
    gaps = sum(not cell for cell in cells)
    if not gaps:
        return column
    note = translate(
        "%(column)s lacks %(n)s of %(all)s cells. Candor imports them as "
        "“Prefer not to say”, and regressions exclude these respondents.",
        column=heading,
        n=gaps,
        all=len(cells),
    )
    entry = {**(column.entry or {}), "prefer_not_to_say": True}
    return replace(column, entry=entry, said=(*column.said, note))


def numbers_of_column(
    heading: str, cells: Sequence[str], wish: ColumnWish, notes: list[str]
) -> tuple[Sequence[str], Meanings]:
    """The cells, and the numbers in them once for each meaning, see `column_numbers`.

    If all other cells are numbers, MISSING_WORDS become missing cells. Adds a note about them, or
    about the cells that keep a column of numbers from being one.
    """
    marks = (wish.decimal_mark,) if wish.decimal_mark else DECIMAL_MARKS
    distinct = dict.fromkeys(filter(None, cells))
    words = [cell for cell in distinct if cell.lower() in MISSING_WORDS]
    meanings = column_numbers([cell for cell in distinct if cell not in words], marks)
    if wish.choices:
        return cells, meanings
    if meanings and meanings[0]:
        if words:
            note = translate(
                "%(column)s: %(cells)s is imported as a missing value, because all other cells "
                "are numbers.",
                column=heading,
                cells=quoted_cells(words),
            )
            notes.append(note)
        return ["" if cell in words else cell for cell in cells], meanings
    counts = Counter(filter(None, cells))
    # For each mark, the number of rows with a number, also with a unit.
    numeric = {
        mark: sum(n for cell, n in counts.items() if is_number(UNIT.sub("", cell), mark))
        for mark in marks
    }
    mark = max(numeric, key=numeric.__getitem__)
    if numeric[mark] * 2 > counts.total() and not wish.keep_missing:
        others = [cell for cell in distinct if not is_number(cell, mark)]
        notes.append(
            translate(
                "%(column)s is not imported as a number, because of these cells: %(cells)s. If "
                "they mean missing values, name them with --missing. Otherwise, correct them.",
                column=heading,
                cells=quoted_cells(others),
            )
        )
    return cells, []


def is_number(cell: str, mark: str) -> bool:
    return number_in_cell(cell, mark) is not None


def require_number(
    heading: str,
    cells: Sequence[str],
    wish: ColumnWish,
    meanings: Meanings,
    lines: Sequence[int],
) -> None:
    """Raise DataFileError if the cells are not those of a number or weight as the user says."""
    require_one_meaning(heading, cells, meanings, lines)
    values = meanings[0] if meanings else {}
    for line, cell in zip(lines, cells, strict=True):
        value = values.get(cell, number_in_cell(cell, wish.decimal_mark or POINT))
        if cell and value is None:
            raise DataFileError(
                "%(column)s must be a number, but line %(line)s has %(cell)s. If the cell "
                "means a missing value, name it with --missing.",
                column=heading,
                line=line,
                cell=repr(cell),
            )
        if wish.weight and (value is None or value < 0):
            raise DataFileError(
                translate(
                    "%(column)s: line %(line)s has the weight %(cell)s. Each row needs a weight of "
                    "at least 0. Correct the file.",
                    column=heading,
                    line=line,
                    cell=cell,
                )
                if cell
                else translate(
                    "%(column)s: line %(line)s has no weight. Each row needs a weight of at least "
                    "0. Correct the file.",
                    column=heading,
                    line=line,
                )
            )


def require_one_meaning(
    heading: str, cells: Sequence[str], meanings: Meanings, lines: Sequence[int]
) -> None:
    """Raise DataFileError if the numbers can be read with a decimal point and with a comma."""
    if len(meanings) < 2:
        return
    for line, cell in zip(lines, cells, strict=True):
        values = [decimal_text(meaning[cell]) for meaning in meanings if cell]
        if len({*values}) > 1:
            raise DataFileError(mark_is_needed(heading, line, cell, values))


def quoted_cells(cells: Sequence[str]) -> str:
    """The first of these cells."""
    return ", ".join(map(repr, cells[:MAX_CELLS_NAMED])) + ", …" * (len(cells) > MAX_CELLS_NAMED)


def number_column(
    heading: str, cells: Sequence[str], values: Mapping[str, Fraction]
) -> ColumnQuestion:
    """A number question with a grid as fine as the cells, or as fine as a question allows.

    A question needs two values. If all cells have the same, 0 is another one; with 0, it is 1.
    """
    low, high = min(values.values()), max(values.values())
    if low == high:
        return constant_number_column(heading, cells, low)
    places = max(len(decimal_text(value).partition(".")[2]) for value in values.values())
    step = Fraction(1, 10**places)
    notes: tuple[str, ...] = ()
    if (high - low) / step > MAX_VALUES - 1:
        while (high - low) / step > MAX_VALUES - 2:
            step *= 10
        note = translate(
            "%(column)s is rounded to %(step)s: a number question has at most %(most)s values.",
            column=heading,
            step=translate_number(decimal_text(step)),
            most=MAX_VALUES,
        )
        notes = (note,)
    first, last = round(low / step), round(high / step)
    stored = {cell: round(value / step) - first for cell, value in values.items()}
    stored[""] = last - first + 1
    entry = number_entry(heading, first * step, last * step, step)
    return ColumnQuestion(entry, [stored[cell] for cell in cells], notes)


def constant_number_column(heading: str, cells: Sequence[str], value: Fraction) -> ColumnQuestion:
    low, high = sorted((value, Fraction(0 if value else 1)))
    entry = number_entry(heading, low, high, high - low)
    note = translate(
        "%(column)s has %(value)s in every row. A number question needs at least two values, so "
        "its range is %(low)s to %(high)s.",
        column=heading,
        value=translate_number(decimal_text(value)),
        low=translate_number(decimal_text(low)),
        high=translate_number(decimal_text(high)),
    )
    place = int(value == high)
    return ColumnQuestion(entry, [place if cell else 2 for cell in cells], (note,))


def number_entry(heading: str, low: Fraction, high: Fraction, step: Fraction) -> dict[str, Any]:
    """The entry of a number question. Raises DataFileError if its numbers have too many digits."""
    ends = {"min": json_number(low), "max": json_number(high), "step": json_number(step)}
    try:
        Grid.between(ends["min"], ends["max"], ends["step"])
    except MechanismError as error:
        raise DataFileError(
            "%(column)s has numbers with too many digits for a number question. Import them as "
            "texts or choices with --categories %(column)s, or omit the column with --skip "
            "%(column)s.",
            column=heading,
        ) from error
    return {"type": "number", "privacy": "none", **ends}


def choice_column(distinct: Sequence[str], cells: Sequence[str]) -> ColumnQuestion:
    """A choice question. Its choices have the order of R's factors.

    The first choice is then the reference of a regression. Of two choices, the second one is the
    reference, so they are reversed.
    """
    ordered = list(reversed(distinct)) if len(distinct) == 2 else list(distinct)
    stored = {cell: place for place, cell in enumerate(ordered)} | {"": len(ordered)}
    entry = {"type": "select_one", "privacy": "none", "choices": choices_from_cells(ordered)}
    return ColumnQuestion(entry, [stored[cell] for cell in cells])


def choices_from_cells(cells: Sequence[str]) -> list[dict[str, str]]:
    """Choices with the cells as labels. Those that are valid names keep them."""
    names = {cell: cell for cell in cells if CHOICE_NAME.fullmatch(cell)}
    for number, cell in enumerate(cells, 1):
        if cell not in names:
            names[cell] = choice_name(cell, number, names.values())
    return [{"name": names[cell], "label": cell} for cell in cells]
