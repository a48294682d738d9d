"""Numbers in cells, with the decimal and thousands marks of any program."""

from fractions import Fraction

import pytest

from survey.core.number_cells import column_numbers, number_in_cell
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each(
    ("cell", "point", "comma"),
    [
        ("12", 12, 12),
        ("-3", -3, -3),
        ("−3", -3, -3),
        ("1.5", "3/2", None),
        ("1,5", None, "3/2"),
        ("1.200", "6/5", 1200),
        ("1,200", 1200, "6/5"),
        ("1.200.000", None, 1_200_000),
        ("1,200,000.5", "2400001/2", None),
        ("1 200 000,5", None, "2400001/2"),
        ("1\u202f200", 1200, 1200),
        ("1’200.5", "2401/2", None),
        ("12,00,000", 1_200_000, None),
        ("1,5E+03", None, 1500),
        (".5", "1/2", None),
        ("0.500", "1/2", None),
        ("๑๒", 12, 12),
        ("１２．5", None, None),
        ("007", None, None),
        ("1,20,0", None, None),
        ("1.200,000.5", None, None),
        ("200₫", None, None),
        ("31/12/2025", None, None),
        ("", None, None),
        ("1" * 21, None, None),
    ],
)
def test_a_cell_is_a_number_with_a_mark_or_not(cell, point, comma):
    expected = [None if each is None else Fraction(each) for each in (point, comma)]
    assert [number_in_cell(cell, mark) for mark in ".,"] == expected


@check_each(
    ("cells", "meanings"),
    [
        (["1", "2"], [{"1": 1, "2": 2}]),
        (["1.200", "1"], [{"1.200": Fraction(6, 5), "1": 1}, {"1.200": 1200, "1": 1}]),
        (["1.200", "26,5"], [{"1.200": 1200, "26,5": Fraction(53, 2)}]),
        (["1,200", "26.5"], [{"1,200": 1200, "26.5": Fraction(53, 2)}]),
        (["1.200", "0.5"], [{"1.200": Fraction(6, 5), "0.5": Fraction(1, 2)}]),
        (["26,5", "26.5"], []),
        (["1", "x"], []),
    ],
)
def test_all_cells_of_a_column_decide_about_its_mark(cells, meanings):
    assert column_numbers(cells) == meanings


def test_a_stated_mark_leaves_one_meaning():
    assert column_numbers(["1.200"], [","]) == [{"1.200": 1200}]
    assert column_numbers(["26.5"], [","]) == []
