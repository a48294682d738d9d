"""Numbers in files of responses: the values of a question decide, or its column, or nobody."""

import io
from itertools import product

import pytest

from survey.core.errors import DataFileError
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.formats.csv_export import responses_csv
from survey.formats.csv_import import CSVReading, check_responses, read_responses
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.every_type import asked

pytestmark = pytest.mark.fast
MONEY = {"min": 0, "max": 10_000, "step": 0.5}
EIGHTHS = {"min": 0, "max": 2_000, "step": 0.125}


def survey_of(grid, **rest):
    return parse_survey(definition(asked("pay", "number", "none", **grid, **rest)))


def values_of(survey, cells, marks=None):
    lines = "".join(f'"{cell}"\n' for cell in ["pay", *cells]).encode()
    rows = read_responses(io.BytesIO(lines), survey, CSVReading(decimal_marks=marks or {}))
    return [survey.fields[0].form.cells(reports[0])[0] for reports in rows]


@check_each(
    ("grid", "cells", "numbers"),
    [
        # Only one of the two numbers is a value of the question.
        ({"min": 0, "max": 100, "step": 0.5}, ["1.500", "1,500"], ["1.5", "1.5"]),
        ({"min": 1_000, "max": 9_000}, ["1.500", "2,500"], ["1500", "2500"]),
        ({"min": 0, "max": 9_000}, ["1.500", "1,250"], ["1500", "1250"]),
        ({"min": -9_000, "max": 0}, ["-1.500", "−2 500"], ["-1500", "-2500"]),
        # Another cell shows the mark. The third row is the form of German and Vietnamese.
        (MONEY, ["1.500", "2.5"], ["1.5", "2.5"]),
        (MONEY, ["1,500", "2.5"], ["1500", "2.5"]),
        (MONEY, ["1.500", "2,5"], ["1500", "2.5"]),
        (MONEY, ["1.500", "7.000,0"], ["1500", "7000"]),
        (MONEY, ["1.500", "1.5000"], ["1.5", "1.5"]),
        (MONEY, ["1 500", "1’500", "๑๒"], ["1500", "1500", "12"]),
    ],
)
def test_the_question_or_the_column_decides_what_a_number_means(grid, cells, numbers):
    assert values_of(survey_of(grid), cells) == numbers


@check_each("cells", [["1.500"], ["7", "1,500", "2"], ["1.500", "2,5", "2.5"], ["3.000", "4000"]])
def test_a_column_that_can_mean_two_numbers_is_refused_until_the_mark_is_stated(cells):
    survey = survey_of(MONEY)
    line, cell = next((n, cell) for n, cell in enumerate(cells, 2) if cell[1:2] in [*",."])
    with pytest.raises(DataFileError) as caught:
        values_of(survey, cells)
    assert str(caught.value).startswith(f"Line {line}, column pay: the cell '{cell}' can mean ")
    assert str(caught.value).endswith('--decimal-mark "pay=." or --decimal-mark "pay=,".')


def test_a_stated_mark_is_kept_to():
    survey = survey_of(MONEY)
    for names, (mark, number) in product(("", "pay"), {".": "1.5", ",": "1500"}.items()):
        assert values_of(survey, ["1.500", "7"], {names: mark}) == [number, "7"]
    with pytest.raises(DataFileError, match=r"Line 3, column pay: '2\.5' is not a value"):
        values_of(survey, ["1.500", "2.5"], {"": ","})
    with pytest.raises(DataFileError, match=r"'age' is not a column of numbers.* pay"):
        values_of(survey, ["1"], {"age": ","})


def test_a_mark_of_a_survey_without_numbers_is_refused():
    survey = parse_survey(definition())
    with pytest.raises(DataFileError, match="'pay' is not a column of numbers"):
        list(read_responses(io.BytesIO(b"smokes\nyes\n"), survey, CSVReading("", "", {"pay": ","})))


def test_what_candor_exports_loads_without_a_question():
    """1.125 could be 1125, so the export writes 1.1250; 3000.125 and 2.5 have one meaning."""
    survey = survey_of(EIGHTHS, prefer_not_to_say=True)
    stored = [(9,), (0,), (20,), (9_000,), (16_000,), (16_001,)]
    text = "".join(responses_csv(freeze(survey, to_open=False), stored))
    cells = ["pay", "1.1250", "0", "2.5", "1125", "2000", "prefer_not_to_say"]
    assert text.split() == cells
    assert list(read_responses(io.BytesIO(text.encode()), survey)) == stored
    assert values_of(survey, ["1.1250"]) == ["1.125"]


def test_every_value_of_a_question_survives_alone_in_its_file():
    """Both 1.001 and 1001 are values: 998 steps of 0.001 from 1.001, and the last one."""
    for grid, places in (
        ({"min": 0, "max": 1_130, "step": 0.125}, range(0, 9_041, 7)),
        ({"min": 1.001, "max": 1_001, "step": 0.001}, [0, 1, 9, 99, 999_998, 999_999]),
    ):
        survey = survey_of(grid)
        frozen = freeze(survey, to_open=False)
        for place in places:
            text = "".join(responses_csv(frozen, [(place,)]))
            assert list(read_responses(io.BytesIO(text.encode()), survey)) == [(place,)], text


@check_each("cell", ["6/2", "1e9", "-1", "1.25", "", "NA", "1.500.5"])
def test_what_is_no_value_of_the_question_is_refused(cell):
    with pytest.raises(DataFileError, match=r"Line 2, column pay: .* not a value"):
        values_of(survey_of(MONEY), [cell])


def test_other_faults_are_listed_although_a_line_cannot_be_read():
    survey = survey_of(MONEY)
    checked = check_responses(b"pay\nx\n1\n1,5,5\n", survey, CSVReading(separator=","))
    assert [fault[:6] for fault in checked.faults] == ["Line 2", "Line 4"]
