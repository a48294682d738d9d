"""A non-private column: a question stored as given, with the cells as its answers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from survey.core.errors import DataFileError
from survey.core.number_grid import MAX_VALUES, decimal_text, json_number
from survey.core.translate import translate, translate_number
from survey.definition.choices import CHOICE_NAME, MAX_CHOICES, choice_name
from survey.definition.report_formats import Stored

NUMBER = re.compile(r"[+-]?(\d{1,20}\.?\d{0,20}|\.\d{1,20})([eE][+-]?\d{1,2})?")
# The answer of missing cells, if the user keeps them.
MISSING_LABEL = "(missing)"
# In at most this many rows, a column whose cells all differ can still become choices.
MAX_UNIQUE_CHOICE_ROWS = 20


@dataclass(frozen=True)
class ColumnQuestion:
    """A question made from a column.

    Attributes
    ----------
    entry : its entry in the definition without name and label; None if the column is omitted
    stored : the stored value of each row
    said : notes for the researcher
    """

    entry: dict[str, Any] | None
    stored: Sequence[Stored]
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnWish:
    """What the user says about a non-private column.

    Attributes
    ----------
    choices : whether numbers are choices
    number : whether it is a number, also with only two values
    weight : whether it is a number that may be neither missing nor below zero
    keep_missing : whether missing cells are an answer of their own, like the others
    """

    choices: bool = False
    number: bool = False
    weight: bool = False
    keep_missing: bool = False


def plain_column(heading: str, cells: Sequence[str], wish: ColumnWish) -> ColumnQuestion:
    """A number question if all cells are numbers, else choices, or a text if there are many cells.

    Numbers with only two values become choices, unless the user says otherwise. Missing cells
    become "Prefer not to say", which regressions leave out, or an answer of their own.

    Raises DataFileError if a column that must be a number or a weight is none.
    """
    require_number(heading, cells, wish)
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
    numbers = all(NUMBER.fullmatch(cell) for cell in distinct)
    values = {cell: Fraction(cell) for cell in distinct} if numbers else {}
    alone = len(distinct) == sum(map(bool, cells)) > MAX_UNIQUE_CHOICE_ROWS
    notes = []
    if alone and all(value.denominator == 1 for value in values.values()):
        notes.append(
            translate(
                "%(column)s differs in every row. If it identifies respondents, import the file "
                "without it: --skip %(column)s.",
                column=heading,
            )
        )
    several = len(set(values.values())) > 2 or wish.number or wish.weight
    if numbers and not wish.choices and several:
        column = number_column(heading, cells, values)
    elif len(distinct) <= MAX_CHOICES and not alone:
        column = choice_column(
            sorted(distinct, key=values.__getitem__) if values else distinct, cells
        )
    else:
        return ColumnQuestion({"type": "text", "privacy": "none"}, list(cells), tuple(notes))
    entry, gaps = dict(column.entry or {}), sum(not cell for cell in cells)
    if gaps:
        entry["prefer_not_to_say"] = True
        notes.append(
            translate(
                "%(column)s: %(n)s of %(all)s cells are missing. Candor imports them as "
                "“Prefer not to say”, and regressions exclude these respondents.",
                column=heading,
                n=translate_number(f"{gaps:,}"),
                all=translate_number(f"{len(cells):,}"),
            )
        )
    return ColumnQuestion(entry, column.stored, (*column.said, *notes))


def require_number(heading: str, cells: Sequence[str], wish: ColumnWish) -> None:
    """Raise DataFileError if the cells are not those of a number or weight as the user says."""
    if not (wish.number or wish.weight):
        return
    for line, cell in enumerate(cells, 1):
        if cell and not NUMBER.fullmatch(cell):
            raise DataFileError(
                translate(
                    "%(column)s must be a number, but row %(row)s has %(cell)s. If the cell means "
                    "a missing value, name it with --missing.",
                    column=heading,
                    row=line,
                    cell=repr(cell),
                )
            )
        if wish.weight and (not cell or Fraction(cell) < 0):
            raise DataFileError(
                translate(
                    "%(column)s: row %(row)s has the weight %(cell)s. Each row needs a weight of "
                    "at least 0. Correct the file.",
                    column=heading,
                    row=line,
                    cell=cell,
                )
                if cell
                else translate(
                    "%(column)s: row %(row)s has no weight. Each row needs a weight of at least "
                    "0. Correct the file.",
                    column=heading,
                    row=line,
                )
            )


def number_column(
    heading: str, cells: Sequence[str], values: dict[str, Fraction]
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
            most=translate_number(f"{MAX_VALUES:,}"),
        )
        notes = (note,)
    first, last = round(low / step), round(high / step)
    stored = {cell: round(value / step) - first for cell, value in values.items()}
    stored[""] = last - first + 1
    ends = {"min": first * step, "max": last * step, "step": step}
    entry = {"type": "number", "privacy": "none"}
    return ColumnQuestion(
        entry | {key: json_number(value) for key, value in ends.items()},
        [stored[cell] for cell in cells],
        notes,
    )


def constant_number_column(heading: str, cells: Sequence[str], value: Fraction) -> ColumnQuestion:
    low, high = sorted((value, Fraction(0 if value else 1)))
    ends = {"min": low, "max": high, "step": high - low}
    note = translate(
        "%(column)s has %(value)s in every row. A number question needs at least two values, so "
        "its range is %(low)s to %(high)s.",
        column=heading,
        value=translate_number(decimal_text(value)),
        low=translate_number(decimal_text(low)),
        high=translate_number(decimal_text(high)),
    )
    place = int(value == high)
    return ColumnQuestion(
        {
            "type": "number",
            "privacy": "none",
            **{key: json_number(end) for key, end in ends.items()},
        },
        [place if cell else 2 for cell in cells],
        (note,),
    )


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
