"""The forms of a report: strict parsing, counting, and the way through a CSV file."""

from collections import Counter

import pytest

from survey.core.number_grid import Grid
from survey.definition.report_formats import Bits, Combination, FreeText, OneOf, tally_codes
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

ONE = OneOf(["a", "b", "c"])
TWELVE = OneOf([f"n{n}" for n in range(12)])
SETS = Bits(["a", "b", "c", "d"], reported=4, ones=2)
BOXES = Bits(["a", "b", "c"], reported=1)
JOINT = Combination(["00", "10", "01", "11", "declined"], ("a", "b"))
TEXT = FreeText(5)


@check_each(
    ("form", "text", "stored", "codes", "cells"),
    [
        (ONE, "2", 2, [2], ["c"]),
        (TWELVE, "07", 7, [7], ["n7"]),
        (SETS, "0110", "0110", [1, 2, 4, 7], [0, 1, 1, 0]),
        (BOXES, "-1-", "-1-", [2], [None, 1, None]),
        (BOXES, "--0", "--0", [5], [None, None, 0]),
        (JOINT, "3", 3, [3], [1, 1, 0]),
        (JOINT, "4", 4, [4], [0, 0, 1]),
        (TEXT, "hello", "hello", [0], ["hello"]),
        (TEXT, "", "", [1], [""]),
        (TEXT, "  ", "  ", [1], ["  "]),
    ],
)
def test_a_report_is_read_counted_and_exported(form, text, stored, codes, cells):
    assert form.read(text) == stored
    assert form.codes(stored) == codes
    assert len(codes) == form.codes_each
    assert form.cells(stored) == cells
    assert form.from_cells(["" if cell is None else str(cell) for cell in cells]) == stored
    assert len(form.columns("q")) == len(cells)
    assert form.width in (None, len(text))


@check_each(
    ("form", "text", "words"),
    [
        (ONE, "3", "from 0 to 2"),
        (ONE, "", "from 0 to 2"),
        (ONE, "00", "from 0 to 2"),
        (ONE, "-", "from 0 to 2"),
        # An Arabic-Indic digit is a digit in Python, but not a valid one here.
        (ONE, "٢", "from 0 to 2"),
        (ONE, "²", "from 0 to 2"),
        (TWELVE, "7", "from 00 to 11"),
        (TWELVE, "12", "from 00 to 11"),
        (TWELVE, "+7", "from 00 to 11"),
        (SETS, "011", "4 characters"),
        (SETS, "0112", "each 0, 1 or -"),
        (SETS, "0111", "2 times 1"),
        (SETS, "01-1", "4 characters that are not -"),
        (BOXES, "---", "1 characters that are not -"),
        (BOXES, "11-", "1 characters that are not -"),
        (TEXT, "longer", "at most 5"),
        (TEXT, "a\0b", "zero character"),
        (TEXT, "\ud800", "half characters"),
    ],
)
def test_what_is_no_report_is_refused(form, text, words):
    with pytest.raises(ValueError, match=words):
        form.read(text)


def test_a_cell_that_is_no_report_names_those_that_are():
    with pytest.raises(
        ValueError, match=r"'x' is not a value of this column\. Possible values: a, b, c\."
    ):
        ONE.from_cells(["x"])
    with pytest.raises(ValueError, match="the cells 1, , 0 cannot occur together"):
        JOINT.from_cells(["1", "", "0"])


def test_a_million_values_are_not_listed():
    form = OneOf(Grid.between(0, 1_000_000, 1))
    assert form.width == 7
    assert form.cells(form.read("0062500")) == ["62500"]
    assert form.from_cells(["62500"]) == 62500


@pytest.mark.parametrize(
    ("form", "reports"),
    [
        (ONE, [2, 0, 2, 2]),
        (JOINT, [3, 4, 3, 0]),
        (SETS, ["0110", "1100", "0110", "0011"]),
        (BOXES, ["-1-", "--0", "-0-", "-1-", "1--"]),
        (TEXT, ["hello", "", " ", "hello"]),
        (SETS, []),
        (ONE, []),
    ],
)
def test_many_reports_are_tallied_as_one_by_one(form, reports):
    assert tally_codes(form, reports) == Counter(
        c for report in reports for c in form.codes(report)
    )
