"""Protection for questions of an imported draft that have none."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from survey.planning.protect import dependent_texts, protect, protectable
from tests.support.cascades import chain
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast


def plain(name, **rest):
    return yes_no(name, "none") | rest


def privacies(survey):
    return {question.name: question.privacy for question in survey.questions}


def test_protection_is_medium_as_in_the_builder():
    age = asked("age", "number", "none", min=0, max=100)
    drink = asked("drink", "select_one", "none", choices=letters("abc"))
    survey = parse_survey(definition(plain("a"), age, drink, plain("b")))
    assert privacies(protect(survey, ["a", "age", "drink"])) == {
        "a": {"mechanism": "coin_flip"},
        "age": {"epsilon": "1", "goal": "mean"},
        "drink": {"epsilon": "1"},
        "b": None,
    }


def test_a_question_that_depends_on_a_protected_one_is_protected_too():
    often = plain("often", relevant={"smokes": "yes"})
    more = plain("more", relevant={"often": "yes"})
    survey = parse_survey(definition(plain("smokes"), often, more, plain("other")))
    assert [q.name for q in protect(survey, ["smokes"]).private] == ["smokes", "often", "more"]
    assert [q.name for q in protect(survey, ["more"]).private] == ["more"]


def test_a_derived_answer_of_a_protected_answer_is_protected_too():
    rule = {"any": {"smokes": ["yes"], "vapes": ["yes"]}}
    either = plain("either", derived=rule)
    cost = asked("cost", "number", "none", min=0, max=9, relevant={"either": "yes"})
    survey = parse_survey(definition(plain("smokes"), plain("vapes"), either, cost))
    names = [each.name for each in protect(survey, ["vapes"]).private]
    assert names == ["vapes", "either", "cost"]
    assert [each.name for each in protect(survey, ["cost"]).private] == ["cost"]


def test_long_lists_and_single_boxes_cannot_be_protected():
    places = [{"name": f"p{n}", "label": f"P {n}"} for n in range(101)]
    place = asked("place", "select_one", "none", choices=places)
    agree = asked("agree", "select_multiple", "none", choices=letters("y"))
    inner = asked("inner", "select_one", "none", choices=places, relevant={"smokes": "yes"})
    survey = parse_survey(definition(plain("smokes"), place, agree, inner))
    names = [each.name for each in survey.questions]
    assert [each.name for each in protectable(survey, names)] == ["smokes"]
    # Whether this question was asked would show the answer.
    assert [each.name for each in dependent_texts(survey, ["smokes"])] == ["inner"]
    kept = protect(survey, ["smokes"])
    assert [each.name for each in kept.questions] == ["smokes", "place", "agree"]


def test_a_text_for_some_respondents_is_left_out():
    often = plain("often", relevant={"smokes": "yes"})
    text = asked("why", "text", "none", relevant={"often": "yes"})
    survey = parse_survey(definition(plain("smokes"), often, text, plain("other")))
    names = ["smokes", "often", "why", "other"]
    assert [each.name for each in protectable(survey, names)] == ["smokes", "often", "other"]
    # Next to any private question, the texts that someone leaves empty would show "often".
    for name in ("smokes", "often", "other"):
        assert [each.name for each in dependent_texts(survey, [name])] == ["why"]
        left = protect(survey, [name])
        assert [each.name for each in left.questions] == ["smokes", "often", "other"]
    for_all = parse_survey(definition(plain("smokes"), asked("why", "text", "none")))
    assert dependent_texts(for_all, ["smokes"]) == ()
    assert [each.name for each in protect(for_all, ["smokes"]).questions] == ["smokes", "why"]
    with pytest.raises(DefinitionError, match="no such question"):
        protect(survey, ["why"])


def test_a_private_question_keeps_its_protection():
    survey = parse_survey(definition(yes_no("a", {"epsilon": 2}), plain("b")))
    assert protectable(survey, ["a"]) == ()
    assert privacies(protect(survey, ["a", "b"]))["a"] == {"epsilon": 2}


def test_the_budget_of_the_file_holds():
    survey = parse_survey(definition(plain("a"), plain("b"), budget={"epsilon": 2}))
    assert len(protect(survey, ["a"]).private) == 1
    with pytest.raises(DefinitionError, match=r"add up to 2\.1972"):
        protect(survey, ["a", "b"])


def test_questions_with_conditional_choices_stay_unprotected_and_are_lost_with_their_parents():
    """A chain would reveal its protected parent. A later question about it goes, too."""
    more = plain("more", relevant={"commune": ["hn_1_1"]})
    survey = parse_survey(definition(*chain(), more, plain("other")))
    names = [each.name for each in survey.questions]
    assert [each.name for each in protectable(survey, names)] == ["province", "more", "other"]
    lost = ["district", "commune", "more"]
    assert [each.name for each in dependent_texts(survey, ["province"])] == lost
    assert [q.name for q in protect(survey, ["province"]).questions] == ["province", "other"]
    assert dependent_texts(survey, ["other", "more"]) == ()
    assert [q.name for q in protect(survey, ["more"]).private] == ["more"]
