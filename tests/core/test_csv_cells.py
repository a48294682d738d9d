"""Cells of CSV files: no text begins a formula, and the reader restores each text."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.core.csv_cells import cell, csv_line, csv_text, original_text, safe_text
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def rows(text):
    return list(csv.reader(io.StringIO(text)))


@given(st.text())
def test_no_text_cell_starts_a_formula(text):
    (line,) = rows(csv_text([[text]])) or [[""]]
    assert not line[0].startswith(("=", "+", "@", "\t", "\r", "\n", "\0"))
    assert not line[0].startswith("-") or re.fullmatch(r"-\d+(\.\d+)?", line[0])


@check_each("text", ["=1+1", "+1", "-1+2", "-A1", "@SUM(A1)", " =1", '"=1', "\tx"])
def test_a_formula_is_defused_and_still_readable(text):
    assert cell(text) == "'" + text


@check_each(
    ("text", "safe"),
    [
        ("x;=1+1", "x;'=1+1"),
        ("=1+1;=2+2", "'=1+1;'=2+2"),
        ("x\t=1+1", "x\t'=1+1"),
        ("x\n=1+1", "x\n'=1+1"),
        ("\t=1", "'\t'=1"),
        ('x; "=1+1"', 'x;\' "=1+1"'),
        ("x;\uff1d1", "x;'\uff1d1"),
        ("x;'=1", "x;''=1"),  # so that the reader restores the original text
        ("1 = 1; a - b", "1 = 1; a - b"),
    ],
)
def test_a_formula_is_defused_where_another_separator_would_let_it_begin(text, safe):
    assert safe_text(text) == safe


SEPARATORS = st.sampled_from("=+-@\t\r\n \";,'a1\uff1d")


@given(st.text() | st.text(SEPARATORS))
def test_no_separator_lets_a_formula_begin(text):
    """Nor after spaces and quotes, which some programs drop."""
    whole = csv_line([safe_text(text)])
    for part in [whole, *whole.split(";"), *whole.split("\t"), *re.split(r"[;\t\r\n]", whole)]:
        bare = part.strip(' \t\r\n"')
        number = bare == text and re.fullmatch(r"-\d+(\.\d+)?", text)
        assert number or not bare.startswith(tuple("=+-@\uff1d\uff0b\uff0d\uff20"))


@given(st.text() | st.text(SEPARATORS))
def test_a_text_made_safe_can_be_read_again(text):
    assert original_text(safe_text(text)) == text


def test_all_but_simple_cells_are_quoted():
    assert csv_line(["a b-1.5", "b;c", "d\te", 'f"g', "", "'=1"]) == (
        'a b-1.5,"b;c","d\te","f""g",,"\'=1"\r\n'
    )


def test_numbers_stay_numbers():
    assert cell(-0.0154) == "-0.0154"
    assert cell("-12.5") == "-12.5"  # the name of a report
    assert cell(None) == ""
    assert cell(0.1 + 0.2) == "0.30000000000000004"
