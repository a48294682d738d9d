"""One answer of a list on the paper-and-coin page."""

import pytest

from survey.core.languages import ENGLISH
from survey.respondent.types import GIVEN
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast


def test_an_optional_question_without_an_answer_counts_as_declined():
    asked, optional = (
        question_of("yes_no", "none", prefer_not_to_say=True, optional=each)
        for each in (False, True)
    )
    assert GIVEN[optional].report({}, ENGLISH) == "2"
    with pytest.raises(ValueError, match="Choose an answer to continue"):
        GIVEN[asked].report({}, ENGLISH)
    assert GIVEN[asked].report({asked.name: ["1"]}, ENGLISH) == "1"
