"""The forms that a report has: on its way, stored, counted, and in a CSV file.

On its way a report is a text of fixed width, so that what is sent is equally long whatever was
answered; dashes stand for what is not reported. Stored it is a whole number, or the text itself.
Counted it is one code, or one for each bit.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from survey.core.csv_cells import original_text

Stored = int | str
GIVEN, LEFT_EMPTY = 0, 1  # codes of a text


class ReportForm:
    """How the reports to a question are written: one text in one column, unless a form says
    otherwise. All raise ValueError, with a sentence, for what is no such report."""

    column_type = "TEXT"  # of the stored value: INTEGER or TEXT
    # What a cell of responses.csv contains, for docs/reference/csv-columns.md.
    cell_sentence: ClassVar[str] = ""

    @property
    def width(self) -> int | None:
        """Characters on the way; None where there is no fixed number."""
        return None

    @property
    def codes_each(self) -> int:
        """How many codes a report is counted as."""
        return 1

    def read(self, text: str) -> Stored:
        """The stored value of what was sent."""
        raise NotImplementedError

    def codes(self, stored: Stored) -> list[int]:
        """What to count it as."""
        return [int(stored)]

    def columns(self, name: str) -> list[str]:
        """Names of its CSV columns, for a question of this name."""
        return [name]

    def cells(self, stored: Stored) -> list[str | int | None]:
        """Its CSV cells; None where nothing is reported."""
        return [str(stored)]

    def from_cells(self, cells: Sequence[str]) -> Stored:
        """The stored value of CSV cells."""
        return self.read(original_text(cells[0]))


@dataclass(frozen=True)
class OneOf(ReportForm):
    """One of `names`, by its place."""

    names: Sequence[str]

    column_type = "INTEGER"
    cell_sentence = "Name of the report: an answer, a value, or r1, r2, … where a table has others."

    @property
    def width(self) -> int:
        return len(str(len(self.names) - 1))

    def read(self, text: str) -> int:
        sound = len(text) == self.width and text.isascii() and text.isdigit()
        if not sound or int(text) >= len(self.names):
            last = str(len(self.names) - 1)
            raise ValueError(f"a report is a number from {'0' * self.width} to {last}.")
        return int(text)

    def cells(self, stored: Stored) -> list[str | int | None]:
        return [self.names[int(stored)]]

    def from_cells(self, cells: Sequence[str]) -> int:
        try:
            return self.names.index(cells[0])
        except ValueError:
            name_list = ", ".join(self.names[:12]) + (", ..." if len(self.names) > 12 else "")
            fault = f"{cells[0]!r} is no report of this question. There are: {name_list}."
            raise ValueError(fault) from None


@dataclass(frozen=True)
class Combination(OneOf):
    """One of all combinations of `boxes`, or one of the names after them.

    Report c is the combination whose boxes are the binary digits of c, the first the lowest.
    """

    boxes: tuple[str, ...]

    cell_sentence = "1 if the report contains the choice, otherwise 0."

    def columns(self, name: str) -> list[str]:
        return [f"{name}/{box}" for box in [*self.boxes, *self.names[2 ** len(self.boxes) :]]]

    def cells(self, stored: Stored) -> list[str | int | None]:
        number, boxes = int(stored), len(self.boxes)
        extras = range(2**boxes, len(self.names))
        ticked = [number >> box & 1 if number < 2**boxes else 0 for box in range(boxes)]
        return [*ticked, *(int(number == extra) for extra in extras)]

    def from_cells(self, cells: Sequence[str]) -> int:
        for number in range(len(self.names)):
            if [str(cell) for cell in self.cells(number)] == list(cells):
                return number
        raise ValueError(f"{', '.join(cells)} is no combination of 0 and 1 that is possible here.")


@dataclass(frozen=True)
class Bits(ReportForm):
    """A character for each name, 1 or 0, or - where it is not reported.

    `reported` says how many are not -, `ones` how many are 1 if that is fixed.
    """

    names: Sequence[str]
    reported: int
    ones: int | None = None

    cell_sentence = "1 or 0; empty if the respondent did not report on the choice."

    @property
    def codes_each(self) -> int:
        return self.reported

    @property
    def width(self) -> int:
        return len(self.names)

    def read(self, text: str) -> str:
        if len(text) != self.width or set(text) - set("01-"):
            raise ValueError(f"a report is {self.width} characters, each 0, 1 or -.")
        if self.width - text.count("-") != self.reported:
            raise ValueError(f"a report has {self.reported} characters that are not -.")
        if self.ones is not None and text.count("1") != self.ones:
            raise ValueError(f"a report has {self.ones} times 1.")
        return text

    def codes(self, stored: Stored) -> list[int]:
        """Twice the place, and one more if the bit is not set."""
        return [2 * j + (bit == "0") for j, bit in enumerate(str(stored)) if bit != "-"]

    def columns(self, name: str) -> list[str]:
        return [f"{name}/{choice}" for choice in self.names]

    def cells(self, stored: Stored) -> list[str | int | None]:
        return [None if bit == "-" else int(bit) for bit in str(stored)]

    def from_cells(self, cells: Sequence[str]) -> str:
        return self.read("".join(cell or "-" for cell in cells))


@dataclass(frozen=True)
class FreeText(ReportForm):
    """What was typed, as typed; only plain questions have it."""

    limit: int

    cell_sentence = "The text as typed; a formula in it gets an apostrophe in front."

    def read(self, text: str) -> str:
        if len(text) > self.limit:
            raise ValueError(f"a text is at most {self.limit} characters long.")
        if "\0" in text:
            raise ValueError("a text holds no zero character.")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("a text holds no half characters (lone surrogates).") from None
        return text

    def codes(self, stored: Stored) -> list[int]:
        return [GIVEN if str(stored).strip() else LEFT_EMPTY]


def tallied(form: ReportForm, reports: Sequence[Stored]) -> Counter[int]:
    """How often each code comes in all of these reports: a `Counter` of their `codes`, made place
    by place, or once for all that are alike, so that 100,000 simulated ones are soon counted.

    Raises ValueError for what is no report of this form, as far as it shows."""
    counts: Counter[int] = Counter()
    if isinstance(form, Bits):
        texts = [str(report) for report in reports]
        for place, bits in enumerate(zip(*texts, strict=True)):
            for bit, times in Counter(bits).items():
                if bit != "-":
                    counts[2 * place + "10".index(bit)] = times
        return counts
    for report, alike in Counter(reports).items():
        for code in form.codes(report):
            counts[code] += alike
    return counts
