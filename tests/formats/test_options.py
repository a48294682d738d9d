"""The options of an import, from the texts that the command or the page takes."""

import pytest

from survey.core.errors import DataFileError
from survey.formats.randomised_csv.build_survey import ColumnFaults
from survey.formats.randomised_csv.options import (
    OptionTexts,
    column_and_cell,
    parse_options,
    split_option,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def test_each_value_belongs_to_its_column():
    options = parse_options(
        OptionTexts(private=["q1=FR,p=c(1/6,1/6)"], yes=["1", "q1=2"], choices=["q2=never, often"]),
        ["q1", "q2"],
    )
    assert list(options.private) == ["q1"]
    assert options.yes == {"": "1", "q1": "2"}
    assert options.choices == {"q2": ["never", "often"]}


def test_all_wrong_designs_are_named_at_once():
    with pytest.raises(ColumnFaults) as refusal:
        parse_options(OptionTexts(private=["q1=nonsense", "q2=FR,p=c(2,3)", "q3"]), ["q1"])
    assert [fault[:4] for fault in refusal.value.faults] == ["q1: ", "q2: ", "'q3'"]


@pytest.mark.parametrize("text", ["q1", "q1=", "q1= "])
def test_a_value_without_a_column_or_a_cell_is_refused(text):
    with pytest.raises(DataFileError, match="COLUMN=CELL"):
        split_option(text, "COLUMN=CELL", ["q1"])


@check_each(
    ("text", "columns", "column", "value"),
    [
        ("a=b=Warner,p=2/3", ["a=b", "age"], "a=b", "Warner,p=2/3"),
        (" a=b = Warner,p=2/3", ["a=b"], "a=b", "Warner,p=2/3"),
        ('"a=b"=Warner,p=2/3', ["a=b", "a"], "a=b", "Warner,p=2/3"),
        ('"a ""b"""=x', ['a "b"'], 'a "b"', "x"),
        ("年龄=岁=coin_flip", ["年龄=岁"], "年龄=岁", "coin_flip"),
        ("tỉ lệ = x=coin_flip", ["tỉ lệ = x"], "tỉ lệ = x", "coin_flip"),
        ("q[p=1/4]=Warner,p=1/4", ["q"], "q[p=1/4]", "Warner,p=1/4"),
        ("q[a[1]]=x", ["q"], "q[a[1]]", "x"),
        ("x=y", ["q"], "x", "y"),
    ],
)
def test_a_name_of_a_column_may_contain_an_equals_sign(text, columns, column, value):
    assert split_option(text, "COLUMN=DESIGN", columns) == (column, value)


@check_each(
    ("written", "columns", "found"),
    [
        ("q[A]", ["q"], ("q", "A")),
        ("q[a[1]]", ["q"], ("q", "a[1]")),
        ("q[x]]", ["q"], ("q", "x]")),
        ("câu[1][nhóm ค]", ["câu[1]"], ("câu[1]", "nhóm ค")),
        ("q[A]", ["q", "q[A]"], ("q[A]", None)),
        ("q[]", ["q"], ("q[]", None)),
        ("q[A]", ["r"], ("q[A]", None)),
    ],
)
def test_a_design_by_cell_names_its_column_and_its_cell(written, columns, found):
    assert column_and_cell(written, columns) == found


@check_each(
    ("options", "words"),
    [
        ({"yes": ["1", "2"]}, "'1' and '2' contradict each other. Remove one of the two."),
        ({"yes": ["q=1", "q=2"]}, "'q=1' and 'q=2' contradict"),
        ({"choices": ["q=a,b", "q=b,a"]}, "'q=a,b' and 'q=b,a' contradict"),
        ({"join": ["q=a,b", "q=c,d"]}, "'q=a,b' and 'q=c,d' contradict"),
        ({"decimal_mark": [".", ","]}, "'.' and ',' contradict"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, words):
    with pytest.raises(DataFileError, match=words):
        parse_options(OptionTexts(**options), ["q", "a", "b", "c", "d"])
    same = {name: [texts[0], texts[0]] for name, texts in options.items()}
    parse_options(OptionTexts(**same), ["q", "a", "b", "c", "d"])


def test_an_option_that_can_be_about_two_columns_is_asked_about():
    with pytest.raises(DataFileError, match=r"'a' or 'a=b'\. .* quotes: \"COLUMN\"=DESIGN\."):
        split_option("a=b=coin_flip", "COLUMN=DESIGN", ["a", "a=b"])
    texts = OptionTexts(private=["q=coin_flip", "q=Warner,p=2/3"])
    with pytest.raises(ColumnFaults, match="q has two designs"):
        parse_options(texts, ["q"])


@check_each(
    ("text", "cells"),
    [
        ('"No, never","Yes, once","Yes, often"', ["No, never", "Yes, once", "Yes, often"]),
        ('nie, "ja, einmal" ,oft', ["nie", "ja, einmal", "oft"]),
        ('"không, không bao giờ", có', ["không, không bao giờ", "có"]),
        ('"said ""no""",b', ['said "no"', "b"]),
        ("1;2,3", ["1;2", "3"]),
    ],
)
def test_a_cell_with_a_comma_is_in_quotes(text, cells):
    options = parse_options(OptionTexts(choices=[f"q={text}"]), ["q"])
    assert options.choices == {"q": cells}


def test_cells_for_yes_may_be_in_quotes():
    texts = OptionTexts(yes=['"a=b"', 'q="x, y"', '"p=1"="c=d"'])
    assert parse_options(texts, ["q", "p=1"]).yes == {"": "a=b", "q": "x, y", "p=1": "c=d"}
    with pytest.raises(DataFileError, match="has a quote without its end"):
        parse_options(OptionTexts(choices=['q="a,b']), ["q"])


def test_a_decimal_mark_is_a_point_or_a_comma():
    texts = OptionTexts(decimal_mark=[",", "w=."])
    assert parse_options(texts, ["w"]).decimal_marks == {"": ",", "w": "."}
    with pytest.raises(DataFileError, match="a point or a comma, not ';'"):
        parse_options(OptionTexts(decimal_mark=["w=;"]), ["w"])
