"""The studies of bench/examinations: all rows, and a reason for each limit that does not hold."""

from dataclasses import replace

import numpy as np
import pytest

from bench.evidence import read_rows
from bench.examinations.__main__ import NAME
from bench.examinations.study import Case, Finding, measured, outside, studies


def test_data_have_a_row_for_every_case():
    rows = [(row["method"], row["case"], row["n"], row["surveys"]) for row in read_rows(NAME)]
    assert rows == [
        (study.title, case.name, str(case.n), str(case.surveys))
        for study in studies().values()
        for case in study.cases()
    ]


@pytest.mark.parametrize("module", studies())
def test_each_limit_that_does_not_hold_has_a_reason(module):
    study = studies()[module]
    reasons = {(case.name, str(case.n)): case.reason for case in study.cases()}
    for row in read_rows(NAME):
        if row["method"] == study.title and outside(row):
            assert reasons[row["case"], row["n"]], row


@pytest.mark.parametrize("module", studies())
def test_a_study_calls_the_product(module):
    """With few surveys of its first case; a study that breaks is noticed before it is repeated."""
    case = replace(studies()[module].cases()[0], surveys=3)
    row = measured(studies()[module].title, case)
    assert int(row["refused"]) < 3


def test_a_row_counts_what_its_surveys_found():
    findings = iter([Finding([1.0, 3.0], [True, False], alarm=True), Finding([2.0], [True])])
    case = Case("two", 50, lambda generator: next(findings), 2)
    row = measured("test", case)
    assert row["coverage"] == "66.67"
    assert row["false alarms"] == "100.00"
    assert row["power"] == ""
    assert float(row["bias"]) == pytest.approx(2 / np.std([1, 3, 2]), abs=1e-3)


def test_limits_have_the_error_of_the_simulation():
    row = dict.fromkeys(("coverage", "false alarms", "stated power"), "") | {
        "surveys": "1000", "refused": "0", "n": "200"
    }  # fmt: skip
    assert outside(row | {"coverage": "90.0"}) == ["coverage too low"]
    assert not outside(row | {"coverage": "93.0"})
    assert outside(row | {"coverage": "99.9"}) == ["coverage too high"]
    assert not outside(row | {"coverage": "99.9", "n": "20"})
    assert outside(row | {"false alarms": "9.0"}) == ["too many false alarms"]
    stated = row | {"stated power": "80.00"}
    assert outside(stated | {"power": "70.0"}) == ["power lower than stated"]
    assert outside(stated | {"power": "90.0"}) == ["power higher than stated"]
    assert not outside(stated | {"power": "75.0"})
    assert not outside(row | {"power": "70.0"})
