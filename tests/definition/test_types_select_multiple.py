"""Boxes: bits, or all combinations in one table."""

from itertools import product

import numpy as np
import pytest

from survey.core.errors import DefinitionError
from survey.definition.report_formats import Bits, Combination
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from tests.support.definitions import definition, yes_no
from tests.support.question_entries import DRUGS, changed

pytestmark = pytest.mark.fast


def test_one_table_has_all_combinations():
    joint = {"mechanism": "joint_boxes", "epsilon": 1}
    (drugs,) = parse_survey(definition(changed(DRUGS, privacy=joint))).questions
    assert isinstance(drugs.form, Combination)
    assert [report.name for report in drugs.reports][:4] == ["000", "100", "010", "110"]
    assert [report.label for report in drugs.reports][:4] == ["–", "A", "B", "A, B"]


def test_non_private_boxes_are_bits():
    (drugs,) = parse_survey(definition(changed(DRUGS, privacy="none"))).questions
    assert drugs.form == Bits(["a", "b", "c"], 3)
    assert QUESTION_TYPES["select_multiple"].optional


def test_those_who_are_not_asked_have_a_list():
    with pytest.raises(DefinitionError, match="must be a list of some of: a, b, c"):
        parse_survey(
            definition(yes_no(), changed(DRUGS, relevant={"smokes": "yes"}, otherwise="a"))
        )


def test_boxes_express_two_conditions_only_if_one_implies_the_other():
    """A respondent who ticks a and c meets both [a, b] and [b, c], but not [b]."""
    kind = QUESTION_TYPES["select_multiple"]
    assert kind.both_conditions(["a"], ["a", "b"]) == ["a"]
    assert kind.both_conditions(["a", "b"], ["b", "c"]) is None
    assert QUESTION_TYPES["select_one"].both_conditions(["a", "b"], ["b", "c"]) == ["b"]


def test_points_of_boxes_lie_between_the_sums_of_all_ticks():
    (drugs,) = parse_survey(definition(changed(DRUGS, privacy="none"))).questions
    points = {"a": 2, "b": -3, "c": 1}
    sums = [
        sum(each for each, bit in zip(points.values(), ticks, strict=True) if bit)
        for ticks in product((0, 1), repeat=3)
    ]
    assert drugs.kind.points_between(points, drugs) == (min(sums), max(sums))


def test_every_place_is_another_set_of_boxes_with_its_own_row():
    entry = changed(DRUGS, privacy={"mechanism": "joint_boxes", "epsilon": 1})
    for declining in (False, True):
        (drugs,) = parse_survey(definition(entry | {"prefer_not_to_say": declining})).questions
        answers = drugs.kind.answers_at(drugs, np.arange(8 + declining))
        assert len({tuple(row) for row in answers.tolist()}) == 8 + declining
        rows = [drugs.kind.report_weights(drugs, drugs.table, row) for row in answers.tolist()]
        assert rows == [list(row) for row in drugs.table.rows]


def test_a_stored_answer_is_read_by_its_bits():
    (drugs,) = parse_survey(definition(changed(DRUGS, privacy="none"))).questions
    assert drugs.kind.meets_condition(drugs, "010", ["a", "b"])
    assert not drugs.kind.meets_condition(drugs, "001", ["a", "b"])
    assert [drugs.kind.is_chosen("010", place) for place in range(3)] == [False, True, False]
