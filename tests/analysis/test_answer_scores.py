"""Scores of answers: unbiased, and refused where the reports do not determine them."""

from dataclasses import replace

import numpy as np
import pytest

from survey.analysis.columns.answer_scores import coherent, require_shares, scores_for
from survey.core.errors import UnanswerableQuestion
from tests.support.analysed import FOUR, WIDE, column, plain

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("table", [FOUR, WIDE])
def test_scores_of_a_quantity_have_its_mean_for_every_answer(table):
    each = column(np.zeros(5), table)
    of_answer = np.arange(table.answers) ** 2 - 3.0
    assert each.chances @ scores_for(each, of_answer) == pytest.approx(of_answer)
    assert coherent(each).sum(axis=1) == pytest.approx(np.ones(table.reports))


def test_a_table_without_scores_can_still_determine_a_quantity():
    """Two answers with the same reports have the same value, so their mean is known."""
    alike = np.array([[0.7, 0.3], [0.2, 0.8], [0.2, 0.8]])
    each = replace(column(np.zeros(5), WIDE), chances=alike, scores=None, answers=("a", "b", "c"))
    assert alike @ scores_for(each, np.array([1.0, 4, 4])) == pytest.approx([1, 4, 4])
    with pytest.raises(UnanswerableQuestion, match="allow an estimate of the mean only"):
        scores_for(each, np.array([1.0, 4, 5]))


def test_shares_need_scores_and_answers():
    each = replace(column(np.zeros(5), WIDE), scores=None)
    with pytest.raises(UnanswerableQuestion, match="allow an estimate of the mean only"):
        require_shares(each)
    with pytest.raises(UnanswerableQuestion, match="too many for a table"):
        require_shares(replace(plain(np.zeros(5), 3), scores=None))
    with pytest.raises(UnanswerableQuestion, match="No responses are published yet"):
        require_shares(replace(each, answers=()))
