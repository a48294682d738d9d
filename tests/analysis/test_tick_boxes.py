"""Columns of single boxes of a multiple choice: who declines, and who was not asked."""

from dataclasses import replace

import numpy as np
import pytest

from survey.analysis import question_column
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities
from survey.definition.survey import parse_survey
from tests.analysis.columns_of_types import QUESTIONS, whole
from tests.support.definitions import definition
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast


def test_a_box_of_all_combinations_keeps_apart_who_declines():
    column = whole(QUESTIONS["pets"], "d")
    assert column.answers == ("Ticked", "Not ticked", "Prefer not to say")
    assert (column.special_answers, column.listed) == (1, 2)
    # A combination has one of three values for the box.
    assert column.chances.shape == (3, 3)
    ticked = [code for code in range(8) if code >> 1 & 1]
    assert {int(column.reports[code]) for code in ticked} == {int(column.reports[2])}
    declined = whole(QUESTIONS["pets"], "prefer_not_to_say")
    assert declined.answers == ("Ticked", "Not ticked")
    assert declined.chances.shape == (2, 2)


def test_a_plain_box_of_a_question_that_may_not_be_asked():
    question = parse_survey(
        definition(
            asked("k", "yes_no", "none"),
            asked("x", "select_multiple", "none", choices=letters("ab"), relevant={"k": "yes"}),
        )
    ).fields[1]
    column = question_column(question, ["100", "010", "110", "000", "001"], "a")
    assert column.answers == ("Ticked", "Not ticked", "Not asked")
    assert column.reports.tolist() == [0, 1, 0, 1, 2]


def test_a_table_that_says_something_else_for_other_boxes_has_scores_alone():
    rows = [[5, 1, 1, 1], [1, 4, 2, 1], [1, 1, 5, 1], [1, 2, 1, 4]]
    question = parse_survey(
        definition(asked("x", "select_multiple", {"mechanism": "joint_boxes", "odds": 5},
                         choices=letters("ab")))
    ).fields[0]  # fmt: skip
    table = Randomizer.from_rows(rows)
    column = question_column(replace(question, randomizer=table), [0, 1, 2, 3, None], "a")
    assert not column.tabled
    assert column.scores.shape == (4, 2)
    ticked = np.array([0, 1, 0, 1.0])
    expected = np.column_stack([ticked, 1 - ticked])
    assert probabilities(table) @ column.scores == pytest.approx(expected, abs=1e-12)
    assert column.reports.tolist() == [0, 1, 2, 3, -1]
