"""Each box is a variable, ticked or not."""

import pytest

from survey.analysis.types import ANALYSIS
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast
CHOICES = [{"name": name, "label": name.upper()} for name in "abc"]


def test_each_box_is_a_variable():
    question = question_of("select_multiple", "none", choices=CHOICES)
    analysis = ANALYSIS[question]
    names = [name for name, _, _ in analysis.variables(4, ())]
    assert names == [f"{question.name}/{each}" for each in "abc"]
    assert [words for _, words in analysis.measures()] == [
        "share of “Ticked”",
        "share of “Not ticked”",
    ]
    assert (analysis.answer_names(), analysis.points_by_answer(3)) == (["1", "0"], [3, 0])
    assert not analysis.joins()
    assert "has boxes" in analysis.why_not_in_design()


def test_a_condition_on_one_of_two_boxes_leaves_both_possible():
    question = question_of("select_multiple", "none", choices=CHOICES)
    column = ANALYSIS[question].column(["100", "011"], "a")
    found = ANALYSIS[question].outcomes(True, [("later", ["a", "b"])], [column])
    assert {met: flags[0].tolist() for met, flags in found.items()} == {
        (False,): [False, True],
        (True,): [True, True],
    }
