"""Codes and severities of remarks."""

import re

import pytest

from survey.estimation.findings.remarks import (
    CAUTION,
    DO_NOT_USE,
    MISFIT,
    NO_ESTIMATE,
    NO_RESPONSES,
    NOTE,
    ONLY_IF_FIT,
    SEVERITIES,
    SHARE_OUTSIDE,
    Remark,
    about_entered_answers,
)
from tests.support.project import ROOT

pytestmark = pytest.mark.fast


def test_a_code_has_one_severity_and_no_spaces():
    """Files separate the codes by spaces."""
    assert {*SEVERITIES.values()} == {DO_NOT_USE, NO_ESTIMATE, CAUTION, NOTE}
    assert all(code.replace("_", "").isalpha() for code in SEVERITIES)
    assert SEVERITIES.keys() >= ONLY_IF_FIT


def test_only_a_remark_without_a_usable_estimate_replaces_the_headline():
    assert Remark(MISFIT, "").replaces_headline
    assert Remark(NO_RESPONSES, "").replaces_headline
    assert not Remark(SHARE_OUTSIDE, "").replaces_headline


def test_the_reference_lists_each_code_with_its_severity():
    text = (ROOT / "docs" / "reference" / "csv-columns.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| (\w+) \|", text, re.MULTILINE)
    assert {code: severity for code, severity in listed if code in SEVERITIES} == SEVERITIES


def test_estimates_are_about_what_was_entered():
    assert "answers that respondents entered" in about_entered_answers()
