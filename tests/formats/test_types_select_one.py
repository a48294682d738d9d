"""Choices in XLSForm, and the defaults of all types."""

from fractions import Fraction

import pytest

from survey.definition.choices import DECLINED
from survey.definition.types import QUESTION_TYPES
from survey.formats.types import EARLIER, FORMATS
from survey.formats.xlsform.conditions import EarlierQuestion, Held
from survey.formats.xlsform.expressions import UnsupportedCondition, parse_expression
from survey.formats.xlsform.read_calculation import Points
from tests.support.question_results import LEVELS, question_of

pytestmark = pytest.mark.fast

NUMBERED = [{"name": str(n), "label": f"Level {n}"} for n in range(3)]
ONE = QUESTION_TYPES["select_one"]


def earlier(**members):
    names = {"a": "1", "b": "2"}
    return EARLIER[EarlierQuestion(name="q", kind=ONE, names=names, **members)]


def test_choices_whose_names_are_numbers_are_their_own_points():
    own = {str(n): n for n in range(3)}
    assert FORMATS[question_of("select_one", "none", choices=NUMBERED)].points_as_xpath(own) == (
        "${q}"
    )
    declining = question_of("select_one", "none", choices=NUMBERED, prefer_not_to_say=True)
    assert FORMATS[declining].points_as_xpath(own) == "if(${q} = '1', 1, if(${q} = '2', 2, 0))"
    assert FORMATS[declining].declined_ends(own) == (0, 2)
    assert FORMATS[declining].special_choices() == [DECLINED]


def test_a_choice_with_the_name_of_a_special_answer_is_stated():
    choices = [*LEVELS, {"name": DECLINED, "label": "Rather not"}]
    question = question_of("select_one", "none", choices=choices)
    assert FORMATS[question].list_members({"unit": "m"}) == {"unit": "m", DECLINED: False}


def test_a_comparison_of_choices_compares_the_numbers_of_the_form():
    two = parse_expression("2")
    assert earlier().compare(">=", two, of_choices=False) == Held("q", frozenset("b"))
    assert earlier().compare(">", two, of_choices=False) is False
    with pytest.raises(UnsupportedCondition, match="in a way that Candor does not support"):
        earlier().compare("<", parse_expression("'x'"), of_choices=False)


def test_the_opposite_of_a_choice_is_the_other_choices_if_everyone_is_asked():
    assert earlier().opposite(frozenset("a")) == Held("q", frozenset("b"))
    skipped = earlier(skippable=True)
    assert skipped.opposite(frozenset("a")) == Held("q", frozenset("a"), holds=False)
    assert earlier().opposite(frozenset("ab")) is False


def test_the_points_of_choices_take_the_constant():
    found = earlier().points_if(frozenset("a"), Points(Fraction(5)), Points(Fraction(2)))
    assert found == Points(Fraction(2), {"q": {"a": 3, "b": 0}})
    assert earlier().absorb_constant(found) == Points(of={"q": {"a": 5, "b": 2}})
    assert earlier(skippable=True).absorb_constant(found) == found
