"""A table of figures, printed as Markdown that is also readable in a terminal."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

EPSILONS = {"0.5": 0.5, "1": 1.0, "ln 3": math.log(3), "2": 2.0, "3": 3.0, "4": 4.0}
# The maximum cost of integers: odds t:l with l <= 100 are just below e^epsilon, while other
# implementations may use e^epsilon itself. The largest cost that occurs is 1.0003.
ROUNDING = 1.0005


@dataclass(frozen=True)
class Figure:
    """A row of the summary: ours relative to another implementation or a lower bound.

    Attributes
    ----------
    ratio : the value that `of` describes
    least, most : its goal, or None
    growth : the same at several sizes, relative to the first
    """

    what: str
    of: str
    ratio: float
    least: float | None = None
    most: float | None = None
    growth: Mapping[int, float] | None = None

    @property
    def asked(self) -> str:
        if self.least is not None:
            return f"at least {shown(self.least)}"
        return "" if self.most is None else f"at most {shown(self.most)}"

    @property
    def met(self) -> bool:
        least, most = self.least, self.most
        return (least is None or self.ratio >= least) and (most is None or self.ratio <= most)


@dataclass(frozen=True)
class Table:
    """`columns` are names. `rows` hold texts and numbers; numbers are shown with four digits.

    The `figures` are the rows of the summary.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    figures: Sequence[Figure] = ()

    def __str__(self) -> str:
        cells = [list(self.columns), *([shown(cell) for cell in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        cells.insert(1, ["-" * (width - 1) + ":" for width in widths])
        lines = (
            " | ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in cells
        )
        return f"### {self.title}\n\n" + "\n".join(f"| {line} |" for line in lines) + "\n"


def shown(cell: str | float) -> str:
    """Four significant digits, without an exponent below a million."""
    if isinstance(cell, str):
        return cell
    rounded = float(f"{cell:.3e}")
    if not 1e-4 <= abs(rounded) < 1e6:
        return f"{cell:.2g}"
    return f"{rounded:.{max(0, 3 - math.floor(math.log10(abs(rounded))))}f}"
