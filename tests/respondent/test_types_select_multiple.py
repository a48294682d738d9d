"""Boxes on the paper-and-coin page."""

import pytest

from survey.core.languages import ENGLISH
from survey.respondent.types import GIVEN
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast
CHOICES = [{"name": name, "label": name.upper()} for name in "abc"]


def test_declining_goes_with_no_other_box():
    boxes = question_of("select_multiple", "none", choices=CHOICES, prefer_not_to_say=True)
    answer = GIVEN[boxes]
    assert answer.report({}, ENGLISH) == "0000"
    assert answer.report({boxes.name: ["0", "2"]}, ENGLISH) == "1010"
    assert answer.report({boxes.name: ["3"]}, ENGLISH) == "0001"
    with pytest.raises(ValueError, match="or other boxes, but not both"):
        answer.report({boxes.name: ["0", "3"]}, ENGLISH)
    for wrong in (["4"], ["0", "0"]):
        with pytest.raises(ValueError, match="Choose an answer"):
            answer.report({boxes.name: wrong}, ENGLISH)
