"""Columns of numbers in the style of any program: whole numbers, a question or a note, never text
without a word."""

import csv
import io
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from survey.core.csv_tables import ENCODINGS
from survey.core.errors import DataFileError
from survey.core.number_grid import decimal_text
from survey.formats.randomised_csv.build_survey import ImportOptions, survey_from_table
from survey.formats.randomised_csv.non_private_column import ColumnWish, non_private_column
from survey.formats.randomised_csv.sheet import read_csv_table
from tests.support.check_each import check_each
from tests.support.lengths import length, soak

pytestmark = pytest.mark.fast


def numbers(cells, **wish):
    """The numbers that a column becomes, None for a missing cell, and its notes."""
    column = non_private_column("x", cells, ColumnWish(**wish))
    assert column.entry["type"] == "number", column
    low, step = (Fraction(str(column.entry[key])) for key in ("min", "step"))
    high = Fraction(str(column.entry["max"]))
    values = [low + step * place for place in column.stored]
    return [value if value <= high else None for value in values], "\n".join(column.said)


def note_of(cells, **wish):
    """The notes about a column that becomes no number."""
    column = non_private_column("x", cells, ColumnWish(**wish))
    assert column.entry["type"] in ("text", "select_one")
    return "\n".join(column.said)


@check_each(
    ("written", "values"),
    [
        # Excel in German and Vietnamese, in English, in French, in Swiss German, and in India.
        ("1.200.000|1.201.000|1.202.000", [1_200_000, 1_201_000, 1_202_000]),
        ("1.200|26,5|3", [1200, Fraction(53, 2), 3]),
        ("1,200|26.5|3", [1200, Fraction(53, 2), 3]),
        ("1,200,000|900,000|7.0e5", [1_200_000, 900_000, 700_000]),
        ("1 200|26,5|3", [1200, Fraction(53, 2), 3]),
        ("1\u202f200|26,5|3", [1200, Fraction(53, 2), 3]),
        ("1’200|26.5|3", [1200, Fraction(53, 2), 3]),
        ("12,00,000|11,50,000|10,00,000", [1_200_000, 1_150_000, 1_000_000]),
        # R, SPSS in a language with a decimal comma, and Stata.
        ("2.5|-1|.5", [Fraction(5, 2), -1, Fraction(1, 2)]),
        ("2,5|-1|,5", [Fraction(5, 2), -1, Fraction(1, 2)]),
        ("1e+05|2|3", [100_000, 2, 3]),
        ("๑๒|๗|๘", [12, 7, 8]),
    ],
)
def test_all_cells_say_which_mark_is_the_decimal_one(written, values):
    assert numbers(written.split("|")) == (values, "")


@check_each(
    ("cells", "point", "comma"),
    [
        (["1.200", "1.500", "2"], Fraction(6, 5), 1200),
        (["1,234", "5,678", "9,012"], 1234, Fraction(617, 500)),
        (["12.345", "-1.000", "7"], Fraction(2469, 200), 12345),
    ],
)
def test_a_cell_that_can_mean_two_numbers_is_asked_about(cells, point, comma):
    with pytest.raises(DataFileError) as refused:
        numbers(cells)
    sentence = f"the cell '{cells[0]}' can mean {decimal_text(Fraction(point))} or "
    assert sentence + decimal_text(Fraction(comma)) in str(refused.value)
    assert '--decimal-mark "x=,"' in str(refused.value)
    with pytest.raises(DataFileError, match="can mean"):
        numbers(cells, weight=True)
    assert numbers(cells, decimal_mark=".")[0][0] == point
    assert numbers(cells, decimal_mark=",")[0][0] == comma


@check_each("word", ["N/A", "n/a", "null", "NULL", "None", "nan", "-", "–"])
def test_a_word_among_numbers_is_a_missing_cell_with_a_note(word):
    values, said = numbers(["20", "31", word, "42", word])
    assert values == [20, 31, None, 42, None]
    assert f"x: '{word}' is imported as a missing value, because all other cells" in said
    assert "x lacks 2 of 5 cells." in said


def test_a_word_among_other_answers_is_an_answer():
    """Such as None for no religion."""
    column = non_private_column("x", ["None", "Buddhist", "Muslim"], ColumnWish())
    assert [choice["label"] for choice in column.entry["choices"]] == ["Buddhist", "Muslim", "None"]
    column = non_private_column("x", ["1", "2", "None"], ColumnWish(choices=True))
    assert "None" in [choice["label"] for choice in column.entry["choices"]]


@check_each("cell", ["NA", "NaN", "<NA>", ".", ".a", "#N/A", "#NV", "#NULL!", "#DIV/0!", "#WERT!"])
def test_missing_cells_of_programs_are_missing_in_every_column(cell):
    table = read_csv_table(io.BytesIO(f"a,b\n1,x\n{cell},{cell}\n".encode()))
    assert table.rows == [["1", "x"], ["", ""]]


@check_each("cell", ["-99", "-99.0", "-99.00", "-99,0", "-99,00", " -99 "])
def test_a_number_named_as_missing_is_so_with_any_zero_decimals(cell):
    for named in ("-99", "-99.0", "-99,00"):
        table = read_csv_table(io.BytesIO(f"a;b\n1;2\n{cell};-9\n".encode()), [named, "x"])
        assert table.rows == [["1", "2"], ["", "-9"]]
        assert table.unused == ("x",)


@check_each(
    ("cells", "named"),
    [
        (["20", "31", "about 40", "42"], "'about 40'"),
        (["20", "31", "40", "khoảng 42", "unbekannt"], "'khoảng 42', 'unbekannt'"),
        (["26,5", "27,5", "28.5", "1"], "'28.5'"),
        (["200₫", "300₫", "400₫"], "'200₫', '300₫', '400₫'"),
        (["1000,50 €", "1001,5 €", "7,25 €"], "'1000,50 €', '1001,5 €', '7,25 €'"),
        (["1.200,5 đ", "3 đ", "4 đ"], "'1.200,5 đ', '3 đ', '4 đ'"),
        (["$1,200", "$5", "7"], "'$1,200', '$5'"),
        (["10 %", "20 %", "x"], "'10 %', '20 %', 'x'"),
        ([str(n) for n in range(200)] + ["?"], "'?'"),
        (["101", "102", "007"], "'007'"),
    ],
)
def test_a_column_of_which_most_cells_are_numbers_says_which_are_not(cells, named):
    said = note_of(cells)
    assert f"x is not imported as a number, because of these cells: {named}. If they mean" in said


@check_each(
    "cells", [["a", "b", "5"], ["31/12/2025", "01/01/2026", "02/02/2026"], ["<18", "18-25", ">25"]]
)
def test_other_columns_have_no_such_note(cells):
    assert "number" not in note_of(cells)


STYLES = [
    (mark, thousands) for mark in ".," for thousands in ("", " ", "\u202f", "'", ".,".strip(mark))
]
ENCODINGS_OF_FILES = ["utf-8", "utf-8-sig", "utf-16", "windows-1252", "windows-874", "gb18030"]
LABELS = ["Hà Nội", "x, y", "a;b", 'say "so"', "ไม่", "是", "größer", "None", "North"]


def in_style(value, places, mark, thousands):
    whole, _, decimals = f"{float(value):,.{places}f}".partition(".")
    return whole.replace(",", thousands) + (mark + decimals if decimals else "")


@st.composite
def files(draw):
    """The numbers and the labels of two columns, the numbers as written, and a file with both."""
    places = draw(st.integers(0, 3))
    whole = st.integers(-2_000_000, 2_000_000) | st.integers(-20, 20)
    n = draw(st.integers(1, 8))
    values = draw(st.lists(whole, min_size=n, max_size=n))
    values = [Fraction(value, 10**places) for value in values]
    style = draw(st.sampled_from(STYLES))
    written = [in_style(value, places, *style) for value in values]
    gap = draw(st.sampled_from(["", "", "NA", ".", "N/A", "#N/A", "None", "?", "7.5x"]))
    missing = draw(st.lists(st.booleans(), min_size=n, max_size=n)) if gap else [False] * n
    written = [gap if lost else cell for cell, lost in zip(written, missing, strict=True)]
    values = [None if lost else value for value, lost in zip(values, missing, strict=True)]
    encoding = draw(st.sampled_from(ENCODINGS_OF_FILES))
    codec = ENCODINGS.get(encoding, (encoding,))[0]
    labels = [label for label in LABELS if label.encode(codec, "ignore").decode(codec) == label]
    seen = draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
    text = io.StringIO()
    separator = draw(st.sampled_from(",;\t|"))
    if draw(st.booleans()):
        text.write(f"sep={separator}\r\n")
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(text, delimiter=separator, quoting=quoting)
    writer.writerows([("x", "y"), *zip(written, seen, strict=True)])
    try:
        content = text.getvalue().encode(codec)
    except UnicodeEncodeError:  # Not every encoding has narrow spaces.
        content = text.getvalue().replace("\u202f", " ").encode(codec)
        written = [cell.replace("\u202f", " ") for cell in written]
    return values, written, seen, content, encoding if encoding in ENCODINGS else ""


@soak
@settings(max_examples=length(300, 10_000), deadline=None)
@given(files())
def test_numbers_in_any_style_are_the_same_numbers_or_refused_or_noted(drawn):
    values, written, seen, content, encoding = drawn
    try:
        table = read_csv_table(io.BytesIO(content), (), encoding)
        found = survey_from_table(table, ImportOptions(private={}), "s", "S")
    except DataFileError as refusal:
        assert any(part in str(refusal) for part in ("can mean", "can be separated", "1 to 200"))
        return
    fields = {question.label: place for place, question in enumerate(found.survey.fields)}
    said = "\n".join(found.said)
    if "y" in fields:
        question = found.survey.fields[fields["y"]]
        labels = [question.choices[row[fields["y"]]].label for row in found.rows]
        assert labels == seen
    else:
        assert "y is omitted: every row has" in said
    if "x" not in fields:
        assert "x is omitted: " in said
        return
    question = found.survey.fields[fields["x"]]
    for value, cell, row in zip(values, written, found.rows, strict=True):
        stored = row[fields["x"]]
        if question.grid is not None and stored < question.grid.size:
            error = abs(question.grid.low + stored * question.grid.step - value)
            assert error <= question.grid.step / 2
            assert not error or "x is rounded to" in said
        elif question.grid is None and question.choices and stored < len(question.choices):
            assert question.choices[stored].label == cell.strip()
        elif question.type == "text":
            assert stored == cell
        else:
            assert value is None
    if question.grid is None and len({*values} - {None}) > 2:
        most = sum(value is not None for value in values) * 2 > len(values)
        assert not most or "x is not imported as a number, because of these cells: '" in said
