"""Yes or no: two answers, in Candor's words or the designer's."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from survey.definition.types import QUESTION_TYPES
from tests.support.definitions import definition, yes_no
from tests.support.question_entries import changed

pytestmark = pytest.mark.fast


def test_it_has_words_of_its_own_in_every_language():
    survey = parse_survey(definition(yes_no(), language="th"))
    words = [choice.label for choice in survey.questions[0].choices]
    assert words == [*QUESTION_TYPES["yes_no"].own_words("th")]
    assert survey.questions[0].kind.dichotomous


def test_other_words_keep_the_names():
    wrong = [{"name": "no", "label": "N"}, {"name": "yes", "label": "Y"}]
    with pytest.raises(DefinitionError, match="must be named yes and no"):
        parse_survey(definition(changed(yes_no(), choices=wrong)))
