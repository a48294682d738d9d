"""The blocks of a cross-tabulation: percentages of each kind, notes, tests and layers."""

import numpy as np
import pytest

from survey.analysis.blocks import NOTICE, Paragraph
from survey.analysis.tables.crosstab_blocks import OF_ALL, OF_COLUMN, OF_ROW, crosstab_blocks
from survey.analysis.tables.crosstabs import crosstab
from tests.support.analysed import COIN, column, plain
from tests.support.blocks import cells_in, table_in, texts_in
from tests.support.joint_reports import columns_of, report_on, survey_of_items

pytestmark = pytest.mark.fast
X = plain(np.array([0, 0, 1, 1] * 30), 2, "x")
Y = column(np.array([0, 1, 1, 1, 0] * 24), COIN, "y")
Z = plain(np.array([0, 1, 1] * 40), 2, "z")


def test_percentages_are_of_all_of_the_row_or_of_the_column():
    table = crosstab([X, Y])
    for of, figures in (
        (OF_ALL, table.cells), (OF_ROW, table.of_row), (OF_COLUMN, table.of_column)
    ):  # fmt: skip
        shown = sum(cells_in(table_in(crosstab_blocks(table, of), "percentages")), ())
        assert [cell.exact for cell in shown] == [each.value for each in figures]


def test_three_questions_have_a_table_for_each_answer():
    table = crosstab([X, Y, Z])
    blocks = list(crosstab_blocks(table, OF_ALL))
    layers = [cells_in(table_in(blocks, f"percentages-{layer}")) for layer in (0, 1)]
    assert [[cell.exact for cell in row] for row in layers[1]] == [
        [table.cells[1].value, table.cells[3].value], [table.cells[5].value, table.cells[7].value]
    ]  # fmt: skip
    assert "for all three questions" in texts_in(blocks)


def test_a_share_below_zero_is_said_in_a_warning():
    rare = column(np.array([1] * 30 + [0] * 2), COIN, "r")
    table = crosstab([rare, plain(np.array([0, 1] * 16), 2, "x")])
    assert table.negative
    notices = [
        block.text
        for block in crosstab_blocks(table)
        if isinstance(block, Paragraph) and block.kind == NOTICE
    ]
    assert any("below 0" in text for text in notices)


@pytest.mark.parametrize("clear", [True, False])
def test_the_verdict_is_that_of_the_p_value(clear):
    other = X.reports if clear else np.tile([0, 1], 60)
    table = crosstab([X, plain(other, 2, "w")])
    said = "in fewer than 1 of 20 surveys" in texts_in(crosstab_blocks(table))
    assert said == clear == (table.tests[0].p < 0.05)


def test_the_received_reports_are_counted():
    table = crosstab([X, Y])
    counts = cells_in(table_in(crosstab_blocks(table), "reports"))
    assert sum(int(cell.text) for [cell] in counts) == 120


@pytest.mark.parametrize("together", [True, False])
def test_the_page_says_how_to_read_reports_that_are_sets(together):
    survey, question = survey_of_items({"a": 2, "b": 3}, 0.5, mechanism="subset_selection")
    reports = report_on(np.random.default_rng(1), question, np.arange(120) % 6)
    one, other = columns_of(survey, question, reports, "ab")
    for columns, sets in (([one, other] if together else [one, Z], True), ([X, Y], False)):
        caption = table_in(crosstab_blocks(crosstab(columns)), "reports").caption
        assert ("contains several combinations" in caption) == sets
        assert ("belong to the same combination" in caption) == (sets and together)


def test_the_page_says_that_rare_reports_are_not_in_the_table(monkeypatch):
    table = crosstab([X, Y])
    assert "most frequent" not in table_in(crosstab_blocks(table), "reports").caption
    monkeypatch.setattr("survey.analysis.tables.crosstabs.MAX_RAW_COMBINATIONS", 3)
    fewer = table_in(crosstab_blocks(crosstab([X, Y])), "reports")
    assert (len(fewer.rows), "most frequent" in fewer.caption) == (3, True)
