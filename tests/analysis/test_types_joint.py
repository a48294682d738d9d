"""Each question behind a joint one is a variable."""

import pytest

from survey.analysis.columns.available import analysable_variables
from survey.analysis.types import ANALYSIS
from tests.support.joint_reports import survey_of_items

pytestmark = pytest.mark.fast


def test_the_letters_of_the_questions_behind_it():
    survey, question = survey_of_items({"drinks": 2, "smokes": 2}, 1)
    items = survey.items_of(question)
    names = [name for name, _, _ in ANALYSIS[question].variables(3, items)]
    assert names == [f"{question.name}/drinks", f"{question.name}/smokes"]
    labels = [label for _, label, _ in ANALYSIS[question].variables(3, items)]
    assert [label.split()[0] for label in labels] == ["3a.", "3b."]
    assert [each.name for each in analysable_variables(survey)][: len(names)] == names
