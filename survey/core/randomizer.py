"""A randomizer is a table of integers. All its other properties are computed from them.

`rows[x][y] / total` is exactly Pr(report y | answer x). Python makes the table, the survey stores
it, and the page carries all of it. The browser draws one integer below the total and walks the row
of the answer. Privacy loss, disclosure text and estimates all use the same integers, so no second
copy of a probability can differ.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from survey.core.errors import (
    DependentRows,
    NegativeEntry,
    ShapeError,
    TotalTooLarge,
    UnequalTotals,
    UnusedReport,
    ZeroEntry,
)

MAX_TOTAL = 2**32  # A draw needs a single Uint32 of the browser.


def exp_below(epsilon: float | Fraction) -> Fraction:
    """A 40-digit decimal just below e^epsilon, as an exact fraction.

    A value below e^epsilon is always the safe side: the ratio bound never exceeds the request, and
    the stated delta is never too small. A float means the decimal that it prints as.
    """
    exponent = Fraction(str(epsilon))
    quotient = Context(prec=45, rounding=ROUND_FLOOR).divide(
        Decimal(exponent.numerator), Decimal(exponent.denominator)
    )
    # decimal's exp is correct to half a unit of the 45th digit. So the next lower 40-digit number
    # is below the true power.
    return Fraction(Context(prec=40).next_minus(Context(prec=45).exp(quotient)))


@dataclass(frozen=True)
class Randomizer:
    """A finite local randomizer, also called a transition or misclassification matrix.

    Parameters
    ----------
    rows : tuple of tuples of int, shape (answers, reports)
        Non-negative. All rows have the same total, at most 2**32, and no column is all zero.

    Raises
    ------
    ShapeError, NegativeEntry, UnequalTotals, TotalTooLarge, UnusedReport
        If the integers do not satisfy these conditions.
    """

    rows: tuple[tuple[int, ...], ...]
    max_total: ClassVar[int] = MAX_TOTAL

    def __post_init__(self) -> None:
        self.require_entries()
        rows = self.rows
        for x, row in enumerate(rows):
            if sum(row) != sum(rows[0]):
                raise UnequalTotals(
                    "Row %(row)s of the table adds up to %(total)s, but row 1 to %(first)s. "
                    "All rows must have the same total.",
                    row=x + 1,
                    total=sum(row),
                    first=sum(rows[0]),
                )
        if self.total > self.max_total:
            raise TotalTooLarge(
                "The rows of the table add up to %(total)s. The maximum is %(most)s (2^32).",
                total=self.total,
                most=MAX_TOTAL,
            )
        for y, column in enumerate(zip(*rows, strict=True)):
            if not any(column):
                raise UnusedReport(
                    "Column %(column)s of the table is all zero: that report can never be "
                    "sent. Remove it.",
                    column=y + 1,
                )

    def require_entries(self) -> None:
        """Require rows of whole numbers of the same length. Raises ShapeError, NegativeEntry."""
        rows = self.rows
        if len(rows) < 2 or len(rows[0]) < 2:
            raise ShapeError("A table needs at least two answers (rows) and two reports (columns).")
        for x, row in enumerate(rows):
            if len(row) != len(rows[0]):
                raise ShapeError(
                    "Row %(row)s of the table has %(n)s entries, but row 1 has %(first)s. Give "
                    "all rows the same length.",
                    row=x + 1,
                    n=len(row),
                    first=len(rows[0]),
                )
            for y, entry in enumerate(row):
                if not isinstance(entry, int) or isinstance(entry, bool):
                    raise ShapeError(
                        "Row %(row)s, column %(column)s of the table is %(entry)s. Entries "
                        "must be whole numbers.",
                        row=x + 1,
                        column=y + 1,
                        entry=repr(entry),
                    )
                if entry < 0:
                    raise NegativeEntry(
                        "Row %(row)s, column %(column)s of the table is negative. Entries must "
                        "be at least 0.",
                        row=x + 1,
                        column=y + 1,
                    )

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[int]]) -> "Randomizer":
        """The table from any nested sequence, such as parsed JSON. Raises TableError."""
        if not isinstance(rows, Sequence) or not all(isinstance(row, list | tuple) for row in rows):
            raise ShapeError(
                "A table must be a list of rows, each a list of whole numbers. Correct it."
            )
        return cls(tuple(tuple(row) for row in rows))

    @classmethod
    def from_probabilities(cls, rows: Sequence[Sequence[Fraction]]) -> "Randomizer":
        """The table with exactly these probabilities and the smallest possible integers."""
        scale = math.lcm(*(p.denominator for row in rows for p in row))
        integers = [[int(p * scale) for p in row] for row in rows]
        shared = math.gcd(*(entry for row in integers for entry in row)) or 1
        return cls.from_rows([[entry // shared for entry in row] for row in integers])

    @classmethod
    def identity(cls, answers: int) -> "Randomizer":
        """The table of a non-private question: the report is the answer."""
        return cls(tuple(tuple(int(x == y) for y in range(answers)) for x in range(answers)))

    def to_json(self) -> str:
        """The rows as JSON without spaces. `sha256` is the digest of this text."""
        return json.dumps(self.rows, separators=(",", ":"))

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of `to_json`, in hexadecimal."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @property
    def total(self) -> int:
        return sum(self.rows[0])

    @property
    def answers(self) -> int:
        return len(self.rows)

    @property
    def reports(self) -> int:
        return len(self.rows[0])

    def probability(self, report: int, answer: int) -> Fraction:
        """Pr(report | answer), exactly."""
        return Fraction(self.rows[answer][report], self.total)

    @cached_property
    def ratio_bound(self) -> Fraction | None:
        """The likelihood ratio bound e^epsilon, exactly; None if it is infinite.

        It is the largest ratio between two entries of a column. No report can make one answer
        likelier than another by more than this factor, compared with before.
        """
        columns = list(zip(*self.rows, strict=True))
        if any(min(column) == 0 for column in columns):
            return None
        return max(Fraction(max(column), min(column)) for column in columns)

    @property
    def epsilon(self) -> float:
        """The privacy loss: ln of `ratio_bound`, or infinity if a report can exclude an answer."""
        if self.ratio_bound is None:
            return math.inf
        above, below = self.ratio_bound.as_integer_ratio()
        # A ratio of more than 2^1023 is no float, but its logarithm is.
        if above >> 1000 < below:
            return math.log(self.ratio_bound)
        return math.log(above) - math.log(below)

    def delta(self, epsilon: float | Fraction) -> float:
        """The smallest delta for which the table is (epsilon, delta)-private.

        It is the largest hockey-stick divergence between two rows:
        max over x, x' of sum over y of max(0, P[x][y] - e^epsilon P[x'][y]). The computation uses
        integers and rounds e^epsilon down, so the result is never too small.

        Parameters
        ----------
        epsilon : float, at least 0
        """
        above, below = exp_below(epsilon).as_integer_ratio()
        rows = [[entry * below for entry in row] for row in self.rows]
        others = [[entry * above for entry in row] for row in self.rows]
        largest = max(
            sum(a - b for a, b in zip(row, other, strict=True) if a > b)
            for row in rows
            for other in others
        )
        return largest / (below * self.total)

    def require_drawable(self) -> None:
        """Raise TotalTooLarge if browsers cannot draw reports from the table."""

    def require_finite(self) -> None:
        """Raise ZeroEntry unless epsilon is finite."""
        for y, column in enumerate(zip(*self.rows, strict=True)):
            for x, entry in enumerate(column):
                if entry == 0:
                    raise ZeroEntry(
                        "Row %(row)s, column %(column)s of the table is zero, but other "
                        "entries of that column are not. Such a report would prove that the "
                        "answer was another one, so there is no finite epsilon. Use a small "
                        "positive number.",
                        row=x + 1,
                        column=y + 1,
                    )

    def require_independent_rows(self) -> None:
        """Raise DependentRows unless the report shares determine the answer shares.

        The rows are independent if they are independent modulo a prime. The prime 2^61 - 1 is far
        above the entries. It could mislead only if it divided every minor of the table.
        """
        prime = 2**61 - 1
        rows = [list(row) for row in self.rows]
        for column in range(self.reports):
            pivot = next((row for row in rows if row[column] % prime), None)
            if pivot is None:
                continue
            rows.remove(pivot)
            inverse = pow(pivot[column], -1, prime)
            for row in rows:
                factor = row[column] * inverse
                row[:] = [(a - factor * b) % prime for a, b in zip(row, pivot, strict=True)]
        if rows:
            raise DependentRows(
                "The rows of the table depend on one another, so no number of reports can "
                "determine the share of each answer. Change a row, or add columns."
            )


class StatedRandomizer(Randomizer):
    """A table whose integers are too large for browsers, for reports that were drawn elsewhere.

    Its privacy loss is that of the exact probabilities. Rounded to the integers of browsers, rare
    reports would have the probability 0 for one answer, and the loss would be infinite.
    """

    # Floats have exponents up to 2^1023, and estimates use floats.
    max_total: ClassVar[int] = 2**1000

    def require_drawable(self) -> None:
        raise TotalTooLarge(
            "Some probabilities of this design are too small for browsers. It serves "
            "responses that were collected elsewhere. To ask respondents, use fewer draws."
        )
