"""Exports: what a researcher takes home, safe to open and complete."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.definition import freeze, parse_survey
from survey.errors import DataFileError
from survey.export import ESTIMATE_COLUMNS, cell, codebook, csv_text, estimates_csv, responses_csv
from survey.loading import read_responses, read_truth
from survey.results import survey_results
from tests.conftest import definition, yes_no

FROZEN = freeze(parse_survey(definition(yes_no(), yes_no("drinks", privacy="none"))))
COUNTS = {"smokes": [40, 60], "drinks": [30, 70]}
RESULTS = survey_results(FROZEN, COUNTS, "browser")


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_responses_are_one_row_each_by_name_and_without_id():
    text = "".join(responses_csv(FROZEN, [(0, 1), (1, 1)]))
    assert text == "smokes,drinks\r\nyes,no\r\nno,no\r\n"


def test_no_responses_is_the_header_alone():
    assert "".join(responses_csv(FROZEN, [])) == "smokes,drinks\r\n"


def test_estimates_hold_every_figure_at_full_precision():
    header, *lines = rows(estimates_csv(RESULTS))
    assert tuple(header) == ESTIMATE_COLUMNS
    assert len(lines) == 4
    yes = dict(zip(header, lines[0], strict=True))
    answer = RESULTS.questions[0].answers[0]
    assert float(yes["estimate"]) == answer.value
    assert float(yes["standard_error"]) == answer.standard_error
    assert float(yes["low"]) == answer.low
    assert yes["fingerprint"] == FROZEN.fingerprint
    assert float(yes["epsilon"]) == RESULTS.questions[0].epsilon
    plain = dict(zip(header, lines[2], strict=True))
    assert (plain["mechanism"], plain["epsilon"]) == ("none", "")


def test_the_codebook_has_what_recomputing_takes():
    book = codebook(RESULTS)
    assert book["tables"]["smokes"]["rows"] == ((3, 1), (1, 3))
    assert book["fingerprint"] == FROZEN.fingerprint
    assert set(book["versions"]) == {"candor", "numpy", "python"}
    assert book["origin_meaning"] == "answered in browsers"


@given(st.text())
def test_no_text_cell_starts_a_formula(text):
    (line,) = rows(csv_text([[text]])) or [[""]]
    assert not line[0].startswith(("=", "+", "-", "@", "\t", "\r", "\n", "\0"))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_formula_is_defused_and_still_readable(text):
    assert cell(text) == "'" + text


def test_numbers_stay_numbers():
    assert cell(-0.0154) == "-0.0154"
    assert cell(None) == ""
    assert cell(0.1 + 0.2) == "0.30000000000000004"


def test_what_is_exported_can_be_loaded_again():
    reports = [(0, 1), (1, 0), (1, 1)]
    text = "".join(responses_csv(FROZEN, reports))
    assert list(read_responses(io.StringIO(text, newline=""), FROZEN.survey)) == reports


def test_columns_may_come_in_any_order_and_empty_lines_are_passed_over():
    lines = ["drinks,smokes\n", "no,yes\n", "\n"]
    assert list(read_responses(lines, FROZEN.survey)) == [(0, 1)]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "Line 1 is empty; the survey's columns are smokes, drinks"),
        (["smokes\n"], "Line 1 is smokes"),
        (["smokes,drinks,id\n"], "Line 1 is smokes, drinks, id"),
        (["smokes,smokes\n"], "Line 1 is smokes, smokes"),
        (["smokes,drinks\n", "yes\n"], "Line 2 has 1 cells, line 1 has 2"),
        (["smokes,drinks\n", "yes,no\n", "maybe,no\n"], "Line 3, column smokes: 'maybe' is no"),
        (["smokes,drinks\n", '"yes,no\n'], "is not CSV"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(lines, words):
    with pytest.raises(DataFileError, match=words):
        list(read_responses(lines, FROZEN.survey))


def test_a_truth_may_leave_out_one_choice():
    truth = read_truth({"smokes": {"yes": 0.3}, "drinks": {"yes": 0.5, "no": 0.5}}, FROZEN.survey)
    assert truth == [[0.3, pytest.approx(0.7)], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "A truth is an object"),
        ({"eats": {}}, "'eats', which is no question"),
        ({"smokes": {"yes": 0.3}}, "truth of 'drinks'"),
        ({"smokes": 0.3, "drinks": {}}, "truth of 'smokes'"),
        ({"smokes": {"maybe": 1}, "drinks": {}}, "no choice 'maybe'"),
        ({"smokes": {"yes": 1.2}, "drinks": {}}, "from 0 to 1"),
        ({"smokes": {"yes": True}, "drinks": {}}, "from 0 to 1"),
        ({"smokes": {"yes": 0.5, "no": 0.6}, "drinks": {"yes": 1}}, "add up to 1.1"),
        ({"smokes": {}, "drinks": {"yes": 1}}, "at most one choice"),
    ],
)
def test_a_faulty_truth_is_refused(content, words):
    with pytest.raises(DataFileError, match=words):
        read_truth(content, FROZEN.survey)
