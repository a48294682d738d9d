"""A randomised column: assigns a report to each cell."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from survey.core.errors import DataFileError
from survey.core.number_cells import without_zero_decimals
from survey.core.translate import translate
from survey.definition.choices import MAX_CHOICES
from survey.formats.randomised_csv.designs import RandomisationDesign
from survey.formats.randomised_csv.non_private_column import (
    ColumnQuestion,
    choices_from_cells,
    quoted_cells,
)

# Default cells for yes and no, in lower case.
YES_AND_NO = (("1", "0"), ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"))
SAME_AND_DIFFERENT = ("same", "different")  # in the crosswise model


def private_column(
    heading: str,
    cells: Sequence[str],
    design: RandomisationDesign,
    yes: str | None,
    order: Sequence[str] | None,
) -> ColumnQuestion:
    """The question, and the report of each row; None if its cell is missing.

    Parameters
    ----------
    yes : the cell that counts as yes, which is the first answer
    order : the cells of several answers, in the order of the probabilities of the design

    Raises DataFileError if a cell is not a report.
    """
    cells = [without_zero_decimals(cell) for cell in cells]
    yes = None if yes is None else without_zero_decimals(yes)
    order = None if order is None else [without_zero_decimals(cell) for cell in order]
    seen = Counter(filter(None, cells))
    two_cells = len({cell.lower() for cell in seen}) <= 2
    privacy, entry = dict(design.privacy) or "none", dict[str, Any]()
    if design.red_cards:
        entry = {"type": "yes_no", "privacy": privacy}
        places = {str(red): design.red_cards - red for red in range(design.red_cards + 1)}
        valid = translate("counts of red cards, 0 to %(n)s", n=design.red_cards)
    elif design.answers == 2 or (design.answers is None and order is None and two_cells):
        entry = {"type": "yes_no", "privacy": privacy}
        places = yes_no_codes(heading, seen, design, yes)
        valid = translate("two reports")
    else:
        order = order_of(heading, seen, design.answers) if order is None else list(order)
        if design.answers is not None and len(order) != design.answers:
            raise DataFileError(
                "%(column)s has %(n)s answers, but its design has %(design)s. Correct one of "
                "them. Put quotes around an answer that contains a comma.",
                column=heading,
                n=len(order),
                design=design.answers,
            )
        entry = {"type": "select_one", "privacy": privacy}
        entry["choices"] = choices_from_cells(order)
        places = {cell: place for place, cell in enumerate(order)}
        valid = translate("the answers %(answers)s", answers=", ".join(order))
    unknown = sorted(cell for cell in seen if cell not in places)
    if unknown:
        raise DataFileError(
            "%(column)s has cells that are not its reports (%(kind)s): %(cells)s. If a cell "
            "means a missing value, name it with --missing.",
            column=heading,
            kind=valid,
            cells=quoted_cells(unknown),
        )
    return ColumnQuestion(entry, [places[cell] if cell else None for cell in cells])


def yes_no_codes(
    heading: str, seen: Counter[str], design: RandomisationDesign, yes: str | None
) -> dict[str, int]:
    """The report of each cell. Upper and lower case are equal. Raises DataFileError."""
    cells = sorted({cell.lower() for cell in seen})
    if len(cells) > 2:
        raise DataFileError(
            "%(column)s has %(n)s different cells (%(cells)s), but its design has two "
            "reports. If a cell means a missing value, name it with --missing.",
            column=heading,
            n=len(cells),
            cells=quoted_cells(cells),
        )
    if yes is not None:
        if yes.lower() not in cells and len(cells) == 2:
            raise DataFileError(
                "%(column)s has no cell %(yes)s. Use %(first)s or %(second)s.",
                column=heading,
                yes=repr(yes),
                first=cells[0],
                second=cells[1],
            )
        return {cell: int(cell.lower() != yes.lower()) for cell in seen}
    crosswise = design.privacy.get("mechanism") == "crosswise"
    for pair in (*YES_AND_NO, SAME_AND_DIFFERENT) if crosswise else YES_AND_NO:
        if set(cells) <= set(pair):
            return {cell: pair.index(cell.lower()) for cell in seen}
    raise DataFileError(
        "It is unclear which cell of %(column)s counts as yes: %(cells)s. Name it, for "
        'example with --yes "%(column)s=%(first)s".',
        column=heading,
        cells=quoted_cells(cells),
        first=cells[0],
    )


def order_of(heading: str, seen: Counter[str], answers: int | None) -> list[str]:
    """The cells of several answers if they are 0, 1, ... or 1, 2, ...

    Raises DataFileError for other cells. Their order could differ from that of the design, and an
    answer that nobody reported would be missing.
    """
    for start in (0, 1) if answers is not None else ():
        numbers = [str(start + place) for place in range(answers or 0)]
        # Cells from 0 must have a 0, and cells from 1 the largest number. Otherwise 1 could be
        # either the first or the second answer.
        end = numbers[0] if start == 0 else numbers[-1]
        if set(seen) <= set(numbers) and end in seen:
            return numbers
    raise DataFileError(
        "The answers of %(column)s are unknown. Name all its answers in the order of its "
        'design, even those that do not occur: --choices "%(column)s=%(cells)s".',
        column=heading,
        cells=(
            ",".join(f'"{cell}"' if "," in cell else cell for cell in sorted(seen)[:MAX_CHOICES])
        ),
    )
