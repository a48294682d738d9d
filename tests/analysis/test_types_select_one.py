"""A choice is one variable, with a share of each answer."""

import pytest

from survey.analysis.types import ANALYSIS
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast
CHOICES = [{"name": name, "label": name.upper()} for name in "abc"]


def test_a_choice_has_shares_and_indicators():
    analysis = ANALYSIS[question_of("select_one", "none", choices=CHOICES)]
    assert [place for place, _ in analysis.measures()] == [0, 1, 2]
    assert analysis.quantities() == ((0, "“A”"), (1, "“B”"), (2, "“C”"))
    assert analysis.answer_names() == ["a", "b", "c"]
    assert analysis.values() is None
    assert analysis.points_by_answer({"a": 2, "b": 0, "c": -1}) == [2, 0, -1]
    assert (analysis.joins(), analysis.why_not_in_design()) == (True, "")


def test_of_two_answers_one_indicator_is_enough():
    analysis = ANALYSIS[question_of("yes_no", "none")]
    assert analysis.quantities() == ((0, "“Yes”"),)
    assert analysis.usual_points() == {"yes": 1, "no": 0}
