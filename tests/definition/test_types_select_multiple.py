"""Boxes: bits, or all combinations in one table."""

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
