"""The blocks of a comparison of groups: its figures, its verdict, and whom it describes."""

import numpy as np
import pytest

from survey.analysis.as_json import comparison_json
from survey.analysis.as_rows import comparison_rows
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.groups.group_blocks import comparison_blocks
from survey.analysis.groups.groups import compare
from tests.support.analysed import COIN, column, plain
from tests.support.blocks import cells_in, table_in, texts_in

pytestmark = pytest.mark.fast
X = plain(np.array([0, 0, 1, 1] * 30), 2, "x")
Y = column(np.array([0, 1, 1, 1, 0] * 24), COIN, "y")
AGE = plain(np.array([0, 1, 2, 1, 0] * 24), 3, "age", values=[20.0, 30.0, 50.0])
FEWER = "in fewer than 1 of 20 surveys"


def test_cells_have_the_exact_figures():
    found = compare(Y, X, answer=0)
    blocks = list(comparison_blocks(found))
    sizes, figures = zip(*cells_in(table_in(blocks, "groups")), strict=True)
    assert [cell.exact for cell in sizes[:2]] == [group.size.value for group in found.groups]
    told = [*(group.figure for group in found.groups), found.everyone]
    assert [(cell.exact, cell.low, cell.high) for cell in figures] == [
        (each.value, each.low, each.high) for each in told
    ]
    [[figure, ends, p, holm]] = cells_in(table_in(blocks, "differences"))
    [difference] = found.differences
    assert (figure.exact, p.exact, holm.exact) == (
        difference.figure.value, difference.p, difference.adjusted
    )  # fmt: skip
    assert (ends.low, ends.high) == (difference.low, difference.high)


@pytest.mark.parametrize("clear", [True, False])
def test_the_verdict_is_that_of_the_p_value(clear):
    answers = X.reports if clear else np.tile([0, 1], 60)
    found = compare(plain(answers, 2, "z"), X, answer=0)
    assert (found.overall.p < 0.05) == clear
    assert (FEWER in texts_in(comparison_blocks(found))) == clear


def test_it_says_whom_special_answers_leave_out():
    special = plain(np.array([0, 1, 2, 1] * 30), 3, "w", special_answers=1)
    assert "All results except" in texts_in(comparison_blocks(compare(special, X, answer=0)))
    assert "All results describe" in texts_in(comparison_blocks(compare(X, special, answer=0)))


@pytest.mark.parametrize(
    ("measured", "name"), [(Y, "an F distribution"), (AGE, "Student’s t distribution")]
)
def test_it_names_the_distribution_of_a_design_based_test(measured, name):
    design = SurveyDesign(weights=np.tile([1.0, 2.0, 1.5], 40))
    answer = 0 if measured is Y else None
    found = compare(measured, X, answer=answer, design=design)
    assert f"This p is from {name}." in texts_in(comparison_blocks(found))


def test_differences_without_a_test_have_no_p_value():
    """All members of the third group are in one cluster."""
    group = plain(np.repeat([0, 1, 2], 40), 3, "g")
    clusters = np.where(group.reports == 2, 9, np.arange(120) % 8)
    found = compare(Y, group, answer=0, design=SurveyDesign(clusters=clusters))
    rows = cells_in(table_in(comparison_blocks(found), "differences"))
    assert [[cell.text for cell in row[2:]] == ["–", "–"] for row in rows] == [False, True, True]
    in_json = comparison_json(found)["differences"]
    in_csv = [row for row in comparison_rows(found) if row.figure == "difference"]
    for each, line in zip(in_json, in_csv, strict=True):
        assert (each["p"], each["adjusted_p"]) == (line.p, line.adjusted_p)
    assert [each["p"] is None for each in in_json] == [False, True, True]
