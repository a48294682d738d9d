"""The blocks of a change between surveys: a row for each survey, each difference, and the trend."""

import numpy as np
import pytest

from survey.analysis.changes.change_blocks import change_blocks
from survey.analysis.changes.changes import compare_surveys
from survey.estimation.share_differences import DIFFERENT, SHARED
from tests.support.analysed import plain
from tests.support.blocks import cells_in, table_in, texts_in

pytestmark = pytest.mark.fast
WAVES = [plain(np.repeat([0, 1], [yes, 100 - yes]), 2, "x") for yes in (30, 40, 55)]


def test_each_survey_and_difference_has_its_figures():
    found = compare_surveys(WAVES, ["a", "b", "c"], [None] * 3, 0, DIFFERENT)
    blocks = list(change_blocks(found))
    surveys = cells_in(table_in(blocks, "surveys"))
    assert [n.text for n, _ in surveys] == ["100"] * 3
    assert [figure.exact for _, figure in surveys] == pytest.approx([0.3, 0.4, 0.55])
    *differences, trend = cells_in(table_in(blocks, "differences"))
    assert [row[0].exact for row in differences] == pytest.approx([0.1, 0.25])
    assert trend[0].exact == found.trend.value
    assert trend[2].exact == found.trend_p


def test_two_surveys_have_no_trend_and_the_relation_is_said():
    found = compare_surveys(WAVES[:2], ["a", "b"], [None] * 2, 0, SHARED)
    blocks = list(change_blocks(found))
    assert len(table_in(blocks, "differences").rows) == 1
    assert "respondents who answered several of the surveys" in texts_in(blocks)
