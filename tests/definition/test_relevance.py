"""Conditions on earlier questions: the canonical form, and refusals with their place."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.relevance import always_asked_if, parse_relevance
from survey.definition.survey import parse_survey
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.question_entries import DRUGS, NOTE, PARTY, WEIGHT, WHY, changed

pytestmark = pytest.mark.fast

EARLIER = parse_survey(
    definition(changed(yes_no(), prefer_not_to_say=True), PARTY, DRUGS, WEIGHT, WHY, NOTE)
).questions


@pytest.mark.parametrize(
    ("condition", "canonical"),
    [
        ({"smokes": "yes"}, {"smokes": ["yes"]}),
        ({"smokes": ["prefer_not_to_say", "yes"]}, {"smokes": ["yes", "prefer_not_to_say"]}),
        ({"party": ["c", "a", "a"]}, {"party": ["a", "c"]}),
        ({"drugs": ["b"]}, {"drugs": ["b"]}),
        ({"weight": {"min": "50.5"}}, {"weight": {"min": 50.5}}),
        ({"weight": {"max": 80.0, "min": 40}}, {"weight": {"max": 80, "min": 40}}),
        (
            {"weight": {"max": 80}, "smokes": "no"},
            {"weight": {"max": 80}, "smokes": ["no"]},
        ),
    ],
)
def test_a_condition_has_one_form_however_it_is_written(condition, canonical):
    parsed = parse_relevance(condition, EARLIER, "here")
    assert parsed == canonical
    # The designer's order.
    assert list(parsed) == list(condition)
    assert parse_relevance(parsed, EARLIER, "here") == parsed


def test_a_whole_bound_is_a_whole_number():
    assert isinstance(
        parse_relevance({"weight": {"min": "80.0"}}, EARLIER, "")["weight"]["min"], int
    )


@check_each(
    ("condition", "place", "reason"),
    [
        ({}, "here", ""),
        ("smokes", "here", ""),
        ({"drinks": "yes"}, "here.drinks", "unknown"),
        ({"why": "x"}, "here.why", "unknown"),
        ({"nearly": "x"}, "here.nearly", "unknown"),
        ({"smokes": []}, "here.smokes", "values"),
        ({"smokes": "maybe"}, "here.smokes", "values"),
        ({"smokes": ["yes", "maybe"]}, "here.smokes", "values"),
        ({"smokes": {"min": 1}}, "here.smokes", "values"),
        ({"party": "prefer_not_to_say"}, "here.party", "values"),
        ({"weight": "60"}, "here.weight", "bounds"),
        ({"weight": {}}, "here.weight", "bounds"),
        ({"weight": {"least": 60}}, "here.weight", "bounds"),
        ({"weight": {"min": "heavy"}}, "here.weight", "bounds"),
        ({"weight": {"min": "1/3"}}, "here.weight", "bounds"),
    ],
)
def test_a_condition_that_nobody_can_meet_is_refused_with_its_place(condition, place, reason):
    with pytest.raises(DefinitionError) as refused:
        parse_relevance(condition, EARLIER, "here")
    assert (refused.value.place, refused.value.reason) == (place, reason)


def test_a_condition_implies_that_earlier_questions_are_asked():
    """Those with the same or a weaker condition, and those that it names with their conditions."""
    questions = parse_survey(
        definition(
            WEIGHT,
            yes_no("a") | {"relevant": {"weight": {"min": 50, "max": 90}}},
            yes_no("b") | {"relevant": {"weight": {"min": 60}}},
            yes_no("c") | {"relevant": {"a": ["yes"]}, "otherwise": "no"},
            yes_no("d") | {"relevant": {"a": ["no"]}},
        )
    ).questions

    def always_asked(relevant):
        found = always_asked_if(relevant, questions)
        assert [each.name for each in found] == [each.name for each in questions]
        return {q.name for q in found[1:] if q.relevant is None and not q.special_answers}

    assert always_asked(None) == set()
    assert always_asked({"weight": {"min": 60, "max": 80}}) == {"a", "b"}
    assert always_asked({"weight": {"min": 60}}) == {"b"}
    assert always_asked({"a": ["yes"]}) == {"a", "c"}
    assert always_asked({"d": ["yes"]}) == {"a", "d"}
