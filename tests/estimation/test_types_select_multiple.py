"""Boxes: how many report on each, and the chance of ticking them."""

from itertools import product

import numpy as np
import pytest

from survey.definition.survey import parse_survey
from survey.estimation.findings.remarks import NO_REPORTS_ON_BOXES, Remark
from survey.estimation.types import ESTIMATION
from tests.support.definitions import definition
from tests.support.question_results import MANY, asked

pytestmark = pytest.mark.fast


def test_boxes_say_how_many_report_on_each():
    shown = asked("select_multiple", {0: 40, 1: 60, 2: 30, 3: 30}, {"epsilon": 1}, choices=MANY)
    assert [answer.n for answer in shown.answers] == [100, 60]
    assert shown.n == 160
    silent = ", ".join(f"“Choice {place}”" for place in range(2, 9))
    assert shown.notes == (Remark(NO_REPORTS_ON_BOXES, f"No reports on {silent} yet."),)


def test_non_private_boxes_are_counted():
    shown = asked("select_multiple", {0: 40, 1: 60, 2: 10, 3: 90}, "none", choices=MANY[:2])
    assert [answer.value for answer in shown.answers] == [0.4, 0.1]
    assert shown.n == 100
    assert shown.answers[0].formula.letters == "P"


@pytest.mark.parametrize(
    "wanted", [[["a"]], [["a", "b"]], [["a"], ["b", "c"]], [["a", "z"], ["b"]]]
)
def test_the_chance_of_boxes_is_that_of_all_ways_to_tick_them(wanted):
    boxes = {
        "name": "boxes", "type": "select_multiple", "label": "Which?", "prefer_not_to_say": True,
        "choices": [{"name": name, "label": name} for name in "abc"], "privacy": {"epsilon": 1},
    }  # fmt: skip
    parent = parse_survey(definition(boxes)).questions[0]
    declined = "prefer_not_to_say"
    conditions = [[declined if name == "z" else name for name in each] for each in wanted]
    shares = [0.3, 0.6, 0.2, 0.1]
    expected = 0.1 * all(declined in each for each in conditions)
    for ticks in product((0, 1), repeat=3):
        chance = 0.9 * np.prod([s if t else 1 - s for s, t in zip(shares, ticks, strict=False)])
        ticked = {name for name, tick in zip("abc", ticks, strict=True) if tick}
        expected += chance * all(ticked & set(each) for each in conditions)
    assert ESTIMATION[parent].chance_of_meeting(shares, conditions) == pytest.approx(expected)
