"""Boxes are drawn independently, and a table has a row for each combination."""

import numpy as np
import pytest

from survey.planning.types import PLANNING
from tests.support.question_results import MANY, question_of

pytestmark = pytest.mark.fast
BOXES = question_of(
    "select_multiple",
    {"mechanism": "joint_boxes", "epsilon": 1},
    choices=MANY[:3],
    prefer_not_to_say=True,
)


def test_the_row_is_the_binary_number_of_the_ticks_and_the_last_one_declines():
    answers = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]])
    rows = PLANNING[BOXES].rows(BOXES.table, answers, np.random.default_rng(1))
    assert rows.tolist() == [0, 1, 5, 7, 8]
    assert PLANNING[BOXES].number_of_answers() == BOXES.table.answers == 9
    assert PLANNING[BOXES].store_unrandomised(answers)[2] == "1010"


def test_people_who_decline_tick_nothing():
    """10,000 people: each share has a standard deviation of at most 0.005."""
    drawn = PLANNING[BOXES].draw([0.5, 0.2, 0.0, 0.3], 10_000, np.random.default_rng(1))
    assert not drawn[drawn[:, 3] == 1, :3].any()
    assert drawn.mean(axis=0) == pytest.approx([0.35, 0.14, 0.0, 0.3], abs=0.03)
    assert PLANNING[BOXES].usual_truth() == {"c0": 0.2, "c1": 0.2, "c2": 0.2}


def test_the_sentence_is_about_boxes():
    needs = {"margin": "5 points", "respondents": "100 respondents", "openly": "50"}
    assert "the share of each box" in PLANNING[BOXES].needed_sentence(needs)
