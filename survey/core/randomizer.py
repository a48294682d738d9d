"""A randomizer is a table of integers; everything else about it is computed from them.

`rows[x][y] / total` is exactly Pr(report y | answer x). Python makes the table, the survey
stores it, the page carries it whole, the browser draws one integer below the total and walks
the row of the answer. Privacy loss, disclosure text and estimates all read the same integers,
so there is no second copy of a probability that could drift.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property

from survey.core.errors import (
    DependentRows,
    NegativeEntry,
    ShapeError,
    TotalTooLarge,
    UnequalTotals,
    UnusedReport,
    ZeroEntry,
)

MAX_TOTAL = 2**32  # one Uint32 of the browser covers a draw


def exp_below(epsilon: float | Fraction) -> Fraction:
    """A 40-digit decimal just below e^epsilon, as an exact fraction.

    Below is the careful side wherever it is used: odds never exceed the wish, and delta is never
    stated too small. A float means the decimal that it prints as.
    """
    exponent = Fraction(str(epsilon))
    quotient = Context(prec=45, rounding=ROUND_FLOOR).divide(
        Decimal(exponent.numerator), Decimal(exponent.denominator)
    )
    # decimal's exp is right to half a unit of the 45th digit, so the next 40-digit number
    # below it is below the true power
    return Fraction(Context(prec=40).next_minus(Context(prec=45).exp(quotient)))


@dataclass(frozen=True)
class Randomizer:
    """A finite local randomizer (the field also says transition or misclassification matrix).

    Parameters
    ----------
    rows : tuple of tuples of int, shape (answers, reports)
        Non-negative; every row has the same total, at most 2**32; no column is all zero.

    Raises
    ------
    ShapeError, NegativeEntry, UnequalTotals, TotalTooLarge, UnusedReport
        One for each way in which the integers fail to be such a table.
    """

    rows: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        rows = self.rows
        if len(rows) < 2 or len(rows[0]) < 2:
            raise ShapeError("A table needs at least two answers (rows) and two reports (columns).")
        for x, row in enumerate(rows):
            if len(row) != len(rows[0]):
                raise ShapeError(
                    f"Row {x + 1} of the table has {len(row)} entries, row 1 has {len(rows[0])}."
                )
            for y, entry in enumerate(row):
                if not isinstance(entry, int) or isinstance(entry, bool):
                    raise ShapeError(
                        f"Row {x + 1}, column {y + 1} of the table is {entry!r}; "
                        "entries are whole numbers."
                    )
                if entry < 0:
                    raise NegativeEntry(f"Row {x + 1}, column {y + 1} of the table is negative.")
        for x, row in enumerate(rows):
            if sum(row) != sum(rows[0]):
                raise UnequalTotals(
                    f"Row {x + 1} of the table adds up to {sum(row)}, row 1 to {sum(rows[0])}; "
                    "all rows need the same total."
                )
        if self.total > MAX_TOTAL:
            raise TotalTooLarge(
                f"The rows of the table add up to {self.total}; the most is {MAX_TOTAL} (2^32)."
            )
        for y, column in enumerate(zip(*rows, strict=True)):
            if not any(column):
                raise UnusedReport(
                    f"Column {y + 1} of the table is all zero: that report can never be sent. "
                    "Leave it out."
                )

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[int]]) -> "Randomizer":
        """From any nested sequence, as JSON gives it."""
        if not isinstance(rows, Sequence) or not all(isinstance(row, list | tuple) for row in rows):
            raise ShapeError("A table is a list of rows, each a list of whole numbers.")
        return cls(tuple(tuple(row) for row in rows))

    @classmethod
    def from_probabilities(cls, rows: Sequence[Sequence[Fraction]]) -> "Randomizer":
        """The table with the smallest integers that has exactly these probabilities."""
        scale = math.lcm(*(p.denominator for row in rows for p in row))
        integers = [[int(p * scale) for p in row] for row in rows]
        shared = math.gcd(*(entry for row in integers for entry in row)) or 1
        return cls.from_rows([[entry // shared for entry in row] for row in integers])

    @classmethod
    def identity(cls, answers: int) -> "Randomizer":
        """The table of a plain question: the report is the answer."""
        return cls(tuple(tuple(int(x == y) for y in range(answers)) for x in range(answers)))

    def to_json(self) -> str:
        """The rows as JSON without spaces; this text is what `sha256` is taken of."""
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
    def odds(self) -> Fraction | None:
        """The largest ratio between two entries of a column, exactly; None if it is infinite.

        No report makes one answer more than this many times likelier, against another, than
        it was before. epsilon is its logarithm.
        """
        columns = list(zip(*self.rows, strict=True))
        if any(min(column) == 0 for column in columns):
            return None
        return max(Fraction(max(column), min(column)) for column in columns)

    @property
    def epsilon(self) -> float:
        """Privacy loss: ln of `odds`; infinity where a report can rule an answer out."""
        return math.inf if self.odds is None else math.log(self.odds)

    def delta(self, epsilon: float | Fraction) -> float:
        """The least delta for which the table is (epsilon, delta)-private.

        The largest hockey-stick divergence between two rows,
        max over x, x' of sum over y of max(0, P[x][y] - e^epsilon P[x'][y]), computed in
        whole numbers with e^epsilon rounded down, hence never too small.

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

    def require_finite(self) -> None:
        """Raise ZeroEntry unless epsilon is finite."""
        for y, column in enumerate(zip(*self.rows, strict=True)):
            for x, entry in enumerate(column):
                if entry == 0:
                    raise ZeroEntry(
                        f"Row {x + 1}, column {y + 1} of the table is zero, other entries of that "
                        "column are not: such a report would prove that the answer was another, "
                        "so there is no finite epsilon. Use a small positive number instead."
                    )

    def require_independent_rows(self) -> None:
        """Raise DependentRows unless the shares of the answers follow from those of the reports.

        The rows are independent if they are modulo a prime; the prime 2^61 - 1 is far above the
        entries, and could mislead only where it divides every minor of the table.
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
                "The rows of the table depend on one another, so that no number of reports tells "
                "the share of each answer. Change a row, or add columns."
            )
