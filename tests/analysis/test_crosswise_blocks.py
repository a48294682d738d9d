"""The blocks of a crosswise question: corrected only with an anchor, and the test of two groups."""

import numpy as np
import pytest

from survey.analysis.indirect.crosswise_blocks import crosswise_blocks
from survey.analysis.indirect.crosswise_columns import analyse_crosswise, crosswise_column
from survey.analysis.sentences import crosswise_finding, instruction_remarks
from survey.estimation.findings.remarks import DO_NOT_USE
from tests.support.analysed import plain
from tests.support.blocks import cells_in, table_in, texts_in

pytestmark = pytest.mark.fast


def asked(same: int, n: int, name: str = "q"):
    return crosswise_column(plain(np.repeat([0, 1], [same, n - same]), 2, name), None, 1 / 6)


def test_without_an_anchor_there_is_no_correction():
    found = analyse_crosswise(asked(700, 1000))
    table = table_in(crosswise_blocks(found), "shares")
    [[n, share]] = cells_in(table)
    assert n.text == "1,000"
    # The share of "same" is p s + (1 - p)(1 - s), so s is (0.7 - 5/6) / (1/6 - 5/6) = 0.2.
    assert share.exact == pytest.approx(0.2)


def test_groups_that_contradict_each_other_leave_no_finding():
    question = asked(700, 1000)
    group = plain(np.tile([0, 1], 500), 2, "group")
    found = analyse_crosswise(question, by=group)
    [remark] = instruction_remarks(found)
    assert remark.severity == DO_NOT_USE
    assert crosswise_finding(found, question.column) == remark.sentence
    assert "is true for" not in remark.sentence


def test_with_an_anchor_attentive_people_and_the_corrected_share_follow():
    found = analyse_crosswise(asked(700, 1000), asked(800, 1000, "anchor"))
    [[_, share, attentive, corrected]] = cells_in(table_in(crosswise_blocks(found), "shares"))
    assert share.exact == found.everyone.uncorrected.value
    assert attentive.exact == found.everyone.attentive.value
    assert corrected.exact == found.everyone.corrected.value
    assert "people said that both statements" not in texts_in(crosswise_blocks(found))
