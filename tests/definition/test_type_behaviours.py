"""The behaviour of a question is that of its type, or of the type from which its type derives."""

import pytest

from survey.definition.parse_question import parse_question
from survey.definition.type_behaviours import TypeBehaviours
from survey.definition.types.registry import QuestionType
from survey.definition.types.select_one import SelectOneType
from survey.definition.types.yes_no import YesNoType

pytestmark = pytest.mark.fast


class Behaviour:
    def __init__(self, question):
        self.question = question


@pytest.fixture
def behaviours():
    found = TypeBehaviours("survey.estimation.types")
    found.of(QuestionType)(Behaviour)
    return found


def question(kind, **members):
    entry = {"name": "q", "type": kind, "label": "?", "privacy": "none"} | members
    return parse_question(entry, "questions[0]", "en")


def test_a_type_without_a_class_has_that_of_the_type_it_derives_from(behaviours):
    choice = type("Choice", (Behaviour,), {})
    behaviours.of(SelectOneType)(choice)
    asked = question("yes_no")
    assert type(behaviours[asked]) is choice
    assert behaviours[asked].question is asked
    assert type(behaviours[question("text")]) is Behaviour
    own = type("Own", (choice,), {})
    behaviours.of(YesNoType)(own)
    assert type(behaviours[asked]) is own


def test_a_type_has_one_class(behaviours):
    with pytest.raises(ValueError, match="QuestionType has a class"):
        behaviours.of(QuestionType)(Behaviour)
