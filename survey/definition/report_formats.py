"""The forms of a report: as sent, as stored, as counted, and in a CSV file.

A sent report is a text of fixed width, so its length does not depend on the answer. Dashes stand
for what is not reported. A stored report is an integer, or the text itself. A counted report is one
code, or one code for each bit.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from survey.core.csv_cells import original_text
from survey.core.translate import translate, translate_number, translate_plural

Stored = int | str
# The codes of a text.
GIVEN = 0
LEFT_EMPTY = 1
ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class ReportForm:
    """The form of a question's reports: by default one text in one column.

    All methods that read raise ValueError with a sentence if the input is not a valid report.
    """

    # INTEGER or TEXT, for the stored value.
    column_type = "TEXT"
    # What a cell of responses.csv contains, for docs/reference/csv-columns.md.
    cell_sentence: ClassVar[str] = ""

    @property
    def width(self) -> int | None:
        """The number of characters of a sent report, or None if it varies."""
        return None

    @property
    def codes_each(self) -> int:
        """The number of codes that one report is counted as."""
        return 1

    def read(self, text: str) -> Stored:
        """The stored value of a sent report."""
        raise NotImplementedError

    def codes(self, stored: Stored) -> list[int]:
        """The codes under which a stored report is counted."""
        return [int(stored)]

    def columns(self, name: str) -> list[str]:
        """The names of its CSV columns, for a question with this name."""
        return [name]

    def cells(self, stored: Stored) -> list[str | int | None]:
        """Its CSV cells; None where nothing is reported."""
        return [str(stored)]

    def from_cells(self, cells: Sequence[str]) -> Stored:
        """The stored value of CSV cells."""
        return self.read(original_text(cells[0]))


def not_a_value(cell: str, names: Sequence[str]) -> str:
    """The fault of a cell that is none of the names, with the first of them."""
    name_list = ", ".join(names[:12])
    if len(names) > 12:
        more = translate_number(f"{len(names) - 12:,}")
        name_list = translate("%(names)s and %(n)s more", names=name_list, n=more)
    written = repr(cell) if cell else translate("an empty cell")
    return translate(
        "%(written)s is not a value of this column. Possible values: %(names)s.",
        written=written,
        names=name_list,
    )


@dataclass(frozen=True)
class OneOf(ReportForm):
    """One of `names`, stored as its place in the list."""

    names: Sequence[str]

    column_type = "INTEGER"
    cell_sentence = (
        "The report, or for `none` the answer: the name of a choice, a number, or a name such as "
        "r1."
    )

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
            raise ValueError(not_a_value(cells[0], self.names)) from None


@dataclass(frozen=True)
class Combination(OneOf):
    """One of all combinations of `boxes`, or one of the names after them.

    The binary digits of report c are the boxes; the lowest digit is the first box.
    """

    boxes: tuple[str, ...]

    cell_sentence = "1 if the report contains the choice, otherwise 0."

    def columns(self, name: str) -> list[str]:
        return [f"{name}/{box}" for box in [*self.boxes, *self.names[2 ** len(self.boxes) :]]]

    def cells(self, stored: Stored) -> list[str | int | None]:
        number, boxes = int(stored), len(self.boxes)
        special_answers = range(2**boxes, len(self.names))
        ticked = [number >> box & 1 if number < 2**boxes else 0 for box in range(boxes)]
        return [*ticked, *(int(number == special) for special in special_answers)]

    def from_cells(self, cells: Sequence[str]) -> int:
        for number in range(len(self.names)):
            if [str(cell) for cell in self.cells(number)] == list(cells):
                return number
        raise ValueError(
            translate(
                "the cells %(cells)s cannot occur together. Write 1 for each choice in the report, "
                "and 0 for the others.",
                cells=", ".join(cells),
            )
        )


@dataclass(frozen=True)
class Bits(ReportForm):
    """One character for each name: 1, 0, or - if it is not reported.

    `reported` is the number of characters other than -. `ones` is the number of 1s if it is fixed.
    """

    names: Sequence[str]
    reported: int
    ones: int | None = None

    cell_sentence = (
        "1 if the report, or for `none` the answer, contains the choice, otherwise 0. Empty if the "
        "response has no report on the choice."
    )

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
        """Twice the place, plus one if the bit is 0."""
        return [2 * j + (bit == "0") for j, bit in enumerate(str(stored)) if bit != "-"]

    def columns(self, name: str) -> list[str]:
        return [f"{name}/{choice}" for choice in self.names]

    def cells(self, stored: Stored) -> list[str | int | None]:
        return [None if bit == "-" else int(bit) for bit in str(stored)]

    def from_cells(self, cells: Sequence[str]) -> str:
        other = [cell for cell in cells if cell not in ("0", "1", "")]
        if other:
            raise ValueError(
                translate(
                    "%(cell)s is no report on a choice. Write 1 or 0, or nothing.",
                    cell=repr(other[0]),
                )
            )
        filled = sum(map(bool, cells))
        if filled != self.reported == self.width:
            raise ValueError(
                translate("fill all %(n)s cells of this question with 1 or 0.", n=self.width)
            )
        if filled != self.reported:
            raise ValueError(
                translate_plural(
                    "fill exactly %(n)s cell of this question with 1 or 0, and leave the others "
                    "empty.",
                    "fill exactly %(n)s cells of this question with 1 or 0, and leave the others "
                    "empty.",
                    self.reported,
                )
            )
        if self.ones is not None and cells.count("1") != self.ones:
            raise ValueError(
                translate(
                    "exactly %(ones)s of the %(n)s cells must be 1.", ones=self.ones, n=self.width
                )
            )
        return self.read("".join(cell or "-" for cell in cells))


@dataclass(frozen=True)
class FreeText(ReportForm):
    """The text as typed. Only non-private questions have it."""

    limit: int

    cell_sentence = (
        "The text as the respondent typed it, apart from the apostrophes described above."
    )

    def read(self, text: str) -> str:
        if len(text) > self.limit:
            most = translate_number(f"{self.limit}")
            raise ValueError(translate("a text is at most %(most)s characters long.", most=most))
        if "\0" in text:
            raise ValueError(translate("a text cannot contain a zero character."))
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(
                translate("a text cannot contain half characters (lone surrogates).")
            ) from None
        return text

    def codes(self, stored: Stored) -> list[int]:
        return [GIVEN if str(stored).strip() else LEFT_EMPTY]


def parse_date(text: str) -> date:
    """The date of a text such as 2026-01-31, and of no other form. Raises ValueError."""
    if not ISO_DATE.fullmatch(text):
        raise ValueError(text)
    return date.fromisoformat(text)


@dataclass(frozen=True)
class DateText(FreeText):
    """A date such as 2026-01-31, or an empty text. Only non-private questions have it."""

    earliest: date
    latest: date

    cell_sentence = "The date, such as 2026-01-31."

    def read(self, text: str) -> str:
        if not text:
            return text
        ends = {"earliest": self.earliest.isoformat(), "latest": self.latest.isoformat()}
        fault = translate(
            "write a date from %(earliest)s to %(latest)s, in the form of these two.", **ends
        )
        try:
            given = parse_date(text)
        except ValueError as error:
            raise ValueError(fault) from error
        if not self.earliest <= given <= self.latest:
            raise ValueError(fault)
        return text


def tally_codes(form: ReportForm, reports: Sequence[Stored]) -> Counter[int]:
    """Count each code over all these reports: a `Counter` of their `codes`.

    It counts place by place, or once for equal reports, so that 100,000 simulated reports take
    little time.

    Raises ValueError for a report that is visibly not of this form.
    """
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
