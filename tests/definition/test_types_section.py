"""Sections begin pages, and their condition holds for their questions."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import OFTEN, derived, unsent

pytestmark = pytest.mark.fast

AGE = {"name": "age", "type": "number", "label": "Age?", "min": 0, "max": 120, "privacy": "none"}
PETS = {
    "name": "pets", "type": "select_multiple", "label": "Pets?", "privacy": "none",
    "choices": [{"name": name, "label": name} for name in ("cat", "dog", "fish")],
}  # fmt: skip


def section(name="money", label="Money", **rest):
    return {"name": name, "type": "section", "label": label, **rest}


def conditions(*questions):
    survey = parse_survey(definition(*questions))
    return {question.name: question.relevant for question in survey.questions}


def test_it_asks_nothing_and_needs_no_heading():
    survey = parse_survey(definition(section(label=""), yes_no()))
    assert [question.name for question in survey.fields] == ["smokes"]
    assert survey.questions[0].as_definition() == {"name": "money", "type": "section", "label": ""}
    assert [path for path in survey.texts if path[0] == "questions"] == [
        ("questions", "smokes", "label")
    ]
    with pytest.raises(DefinitionError, match="has nothing to answer"):
        parse_survey(definition(section()))


def test_its_condition_holds_up_to_the_next_section():
    found = conditions(
        AGE,
        section(relevant={"age": {"min": 18}}),
        yes_no("a"),
        (yes_no("b") | {"relevant": {"a": "yes"}}),
        section("rest"),
        yes_no("c"),
    )
    assert found == {
        "age": None, "money": {"age": {"min": 18}}, "a": {"age": {"min": 18}},
        "b": {"age": {"min": 18}, "a": ["yes"]}, "rest": None, "c": None,
    }  # fmt: skip


def test_a_question_of_such_a_section_has_the_answer_not_asked():
    """Its table has a row for it, so a skipped section does not show in the reports."""
    survey = parse_survey(definition(AGE, section(relevant={"age": {"min": 18}}), yes_no()))
    [smokes] = survey.private
    assert [answer.name for answer in smokes.answers] == ["yes", "no", "not_asked"]
    assert smokes.table.answers == 3
    given = yes_no() | {"otherwise": "no"}
    survey = parse_survey(definition(AGE, section(relevant={"age": {"min": 18}}), given))
    assert [answer.name for answer in survey.private[0].answers] == ["yes", "no"]


@pytest.mark.parametrize(
    ("parent", "of_section", "own", "both"),
    [
        (AGE, {"min": 18}, {"max": 65}, {"min": 18, "max": 65}),
        (AGE, {"min": 18, "max": 70}, {"min": 10, "max": 65}, {"min": 18, "max": 65}),
        (AGE, {"min": -5}, {"max": -2}, {"min": -5, "max": -2}),
        (yes_no("p"), ["yes", "no"], "no", ["no"]),
        (PETS, ["cat", "dog"], ["cat"], ["cat"]),
        (PETS, ["cat"], ["dog", "cat"], ["cat"]),
    ],
)
def test_two_conditions_on_one_question_hold_together(parent, of_section, own, both):
    name = parent["name"]
    found = conditions(
        parent, section(relevant={name: of_section}), yes_no() | {"relevant": {name: own}}
    )
    assert found["smokes"] == {name: both}


@pytest.mark.parametrize(
    ("parent", "of_section", "own"),
    [
        (AGE, {"min": 18}, {"max": 17}),
        (yes_no("p"), ["yes"], ["no"]),
        # One list cannot say that both boxes are ticked.
        (PETS, ["cat"], ["dog"]),
        (PETS, ["cat", "dog"], ["dog", "fish"]),
    ],
)
def test_conditions_that_do_not_fit_together_are_refused(parent, of_section, own):
    name = parent["name"]
    with pytest.raises(DefinitionError, match="cannot hold together") as refused:
        conditions(
            parent, section(relevant={name: of_section}), yes_no() | {"relevant": {name: own}}
        )
    assert refused.value.place == f"questions[2].relevant.{name}"


def test_a_condition_on_a_private_answer_needs_private_questions():
    with pytest.raises(DefinitionError, match=r"questions\[2\]\.relevant: depends on 'smokes'"):
        conditions(yes_no(), section(relevant={"smokes": "yes"}), AGE)


def test_a_frozen_survey_comes_back_with_the_same_fingerprint():
    frozen = freeze(
        parse_survey(
            definition(
                AGE,
                section(relevant={"age": {"min": 18}}),
                yes_no()
                | {"relevant": {"age": {"max": 65}}, "prefer_not_to_say": True, "optional": True},
            )
        )
    )
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen
    again = parse_survey(frozen.survey.as_definition())
    assert freeze(again).fingerprint == frozen.fingerprint
    assert frozen.survey.own_conditions == {
        "age": {}, "money": {"age": {"min": 18}}, "smokes": {"age": {"min": 18, "max": 65}},
    }  # fmt: skip


def test_the_own_condition_of_a_question_leaves_out_that_of_its_section():
    survey = parse_survey(
        definition(
            AGE,
            yes_no("p"),
            section(relevant={"age": {"min": 18}}),
            yes_no("a"),
            (yes_no("b") | {"relevant": {"p": "no"}}),
        )
    )
    own = survey.own_conditions
    assert (own["a"], own["b"]) == ({}, {"p": ["no"]})


def test_only_questions_with_prefer_not_to_say_can_be_skipped():
    with pytest.raises(DefinitionError, match="needs `prefer_not_to_say`"):
        parse_survey(definition(yes_no() | {"optional": True}))
    with pytest.raises(DefinitionError, match="must be true or false"):
        parse_survey(definition(yes_no() | {"prefer_not_to_say": True, "optional": "yes"}))
    with pytest.raises(DefinitionError, match="there is no such field here"):
        parse_survey(definition(PETS | {"prefer_not_to_say": True, "optional": True}))
    survey = parse_survey(definition(yes_no() | {"prefer_not_to_say": True, "optional": True}))
    assert survey.questions[0].as_definition()["optional"] is True
    # The table is that of the question with “prefer not to say”: skipping adds no answer.
    required = parse_survey(definition(yes_no() | {"prefer_not_to_say": True}))
    assert survey.questions[0].table == required.questions[0].table


def test_the_questions_of_a_section_may_have_a_random_order():
    survey = parse_survey(definition(section(random_order=True), yes_no()))
    assert survey.questions[0].random_order
    assert survey.as_definition()["questions"][0]["random_order"] is True
    # Surveys without this setting keep their definition, and so their fingerprint.
    plain = parse_survey(definition(section(random_order=False), yes_no()))
    assert plain == parse_survey(definition(section(), yes_no()))
    assert "random_order" not in plain.as_definition()["questions"][0]
    with pytest.raises(DefinitionError, match="must be true or false"):
        parse_survey(definition(section(random_order="yes"), yes_no()))
    with pytest.raises(DefinitionError, match="there is no such field here"):
        parse_survey(definition(section(random_order=True, anchors=["smokes"]), yes_no()))


def test_the_rows_of_a_battery_have_the_same_choices():
    """Notes, derived answers and other sections are no rows."""
    battery = {"name": "b", "type": "section", "label": "How often?", "battery": True}
    rows = [unsent("one"), {"name": "n", "type": "note", "label": "Go on."}, unsent("two")]
    apart = [derived("any_of", {"any": {"one": ["often"]}}), section(), yes_no()]
    content = definition(battery, *rows, *apart)
    survey = parse_survey(content)
    assert [question.battery for question in survey.questions].index(True) == 0
    assert parse_survey(survey.as_definition()) == survey
    other = unsent("three") | {"choices": OFTEN[:2]}
    with pytest.raises(DefinitionError, match="same choices") as refused:
        parse_survey(definition(battery, unsent("one"), other, yes_no()))
    assert refused.value.place == "questions[2].choices"
    with pytest.raises(DefinitionError, match=r"questions\[0\].battery: must be true or false"):
        parse_survey(definition(battery | {"battery": 1}, *rows))
