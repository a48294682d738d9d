"""Columns of a list experiment: who gave a direct answer."""

import pytest

from survey.analysis.indirect.list_and_direct import among_answer
from tests.support.analysed import plain

pytestmark = pytest.mark.fast


def test_a_column_of_one_direct_answer_leaves_out_the_others():
    count, direct = plain([0, 1, 2, 1], 3), plain([0, 1, 1, 2], 3, special_answers=1)
    assert among_answer(count, direct, 1).reports.tolist() == [-1, 1, 2, -1]
