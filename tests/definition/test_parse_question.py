"""Entries of a definition that become questions, or are refused with the place of the fault."""

import re

import pytest

from survey.core.errors import DefinitionError
from survey.definition import known_tables
from survey.definition.parse_question import QUESTION_NAME, question_name
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no
from tests.support.question_entries import DRUGS, NOTE, PARTY, REGION, WEIGHT, WHY, changed

pytestmark = pytest.mark.fast


def test_yes_and_no_may_be_worded():
    words = [{"name": "yes", "label": "Often"}, {"name": "no", "label": "Never"}]
    survey = parse_survey(definition({**yes_no(), "choices": words}))
    assert [choice.label for choice in survey.questions[0].choices] == ["Often", "Never"]


@pytest.mark.parametrize(
    ("questions", "place", "words"),
    [
        ([changed(WEIGHT, min=...)], "questions[0]", "min must be a number"),
        ([changed(WEIGHT, max=20)], "questions[0]", "max must be above min"),
        ([changed(WEIGHT, step=0)], "questions[0]", "step must be above 0"),
        ([changed(WEIGHT, step=7)], "questions[0]", "do not reach 150"),
        ([changed(WEIGHT, step="1/3")], "questions[0]", "a decimal number"),
        ([changed(WEIGHT, min=1e16, max=10000000000000002)], "questions[0]", "too many digits"),
        (
            [changed(WEIGHT, min=0, max="0.99999999999999999999", step="0.33333333333333333333")],
            "questions[0]",
            "too many digits",
        ),
        ([changed(WEIGHT, step=0.0001)], "questions[0]", "at most 1,000,001 values"),
        ([changed(WEIGHT, choices=[])], "questions[0].choices", "no such field"),
        (
            [changed(WEIGHT, privacy={"epsilon": 1, "points": 62})],
            "questions[0].privacy",
            "from 2 to 61",
        ),
        (
            [changed(WEIGHT, privacy={"mechanism": "warner", "p": 0.3})],
            "questions[0].privacy",
            "warner is for choices or ordered, but this question has numbers",
        ),
        ([changed(WHY, privacy={"epsilon": 1})], "questions[0].privacy", "always non-private"),
        ([changed(WHY, privacy=...)], "questions[0].privacy", 'must be "none"'),
        ([changed(WHY, prefer_not_to_say=True)], "questions[0].prefer_not_to_say", "no such field"),
        ([changed(yes_no(), prefer_not_to_say=1)], "questions[0].prefer_not_to_say", "true or"),
        ([changed(NOTE, privacy="none")], "questions[0].privacy", "no such field"),
        (
            [changed(yes_no(), otherwise="no")],
            "questions[0].otherwise",
            "needs a question with `relevant`",
        ),
        (
            [yes_no("a"), changed(yes_no(), relevant={"a": "yes"}, otherwise="maybe")],
            "questions[1].otherwise",
            "must be one of: yes, no",
        ),
        (
            [yes_no("a"), changed(WEIGHT, relevant={"a": "yes"}, otherwise=60.2)],
            "questions[1].otherwise",
            "possible answer",
        ),
        (
            [yes_no("a"), changed(DRUGS, relevant={"a": "yes"}, otherwise="a")],
            "questions[1].otherwise",
            "must be a list",
        ),
        (
            [changed(yes_no("b"), relevant={"a": "yes"}), yes_no("a")],
            "questions[0].relevant.a",
            "not an earlier question",
        ),
        (
            [WHY, changed(yes_no(), relevant={"why": "x"})],
            "questions[1].relevant.why",
            "not an earlier question",
        ),
        (
            [yes_no("a"), changed(yes_no(), relevant={"a": "maybe"})],
            "questions[1].relevant.a",
            "one or a list of: yes, no",
        ),
        (
            [WEIGHT, changed(yes_no(), relevant={"weight": "60"})],
            "questions[1].relevant.weight",
            '{"min": 18, "max": 65}',
        ),
        (
            [WEIGHT, changed(yes_no(), relevant={"weight": {"min": "x"}})],
            "questions[1].relevant.weight",
            "a number",
        ),
        (
            [
                changed(
                    PARTY,
                    prefer_not_to_say=True,
                    choices=[*PARTY["choices"], {"name": "prefer_not_to_say", "label": "D"}],
                )
            ],
            "questions[0].choices",
            "Candor itself uses the name",
        ),
    ],
)
def test_a_faulty_question_of_any_type_is_refused(questions, place, words):
    with pytest.raises(DefinitionError, match=re.escape(words)) as refused:
        parse_survey(definition(*questions))
    assert refused.value.place == place


def test_a_non_private_question_cannot_hang_on_a_protected_one():
    """The stored data would show whether it was asked, and so reveal the protected answer."""
    with pytest.raises(DefinitionError, match="would reveal that answer"):
        parse_survey(definition(yes_no(), changed(REGION, relevant={"smokes": "yes"})))
    with pytest.raises(DefinitionError, match="would reveal that answer"):
        parse_survey(definition(yes_no(), changed(WHY, relevant={"smokes": "yes"})))
    arm = changed(
        REGION, name="arm", relevant={"smokes": "yes"}, derived={"random": dict.fromkeys("abc", 1)}
    )
    with pytest.raises(DefinitionError, match="An experimental arm is sent as it is") as refused:
        parse_survey(definition(yes_no(), arm))
    assert refused.value.place == "questions[1].relevant"
    parse_survey(definition(REGION, changed(WHY, relevant={"region": "a"})))
    # A note sends nothing.
    parse_survey(definition(yes_no(), changed(NOTE, relevant={"smokes": "yes"})))


def test_a_table_too_large_for_a_page_is_refused(monkeypatch):
    monkeypatch.setattr(known_tables, "MAX_TABLE_CHARACTERS", 100_000)
    privacy = {"mechanism": "window", "odds": "27183:10000", "reach": 120, "points": 61}
    with pytest.raises(DefinitionError, match=r"characters long. The maximum is 100,000"):
        parse_survey(definition({**WEIGHT, "privacy": privacy}))


def drinks(**rest):
    choices = [{"name": name, "label": name.upper()} for name in "abc"]
    return {"name": "drink", "type": "select_one", "label": "What?", "choices": choices,
            "privacy": "none", **rest}  # fmt: skip


def test_choices_may_have_a_random_order_with_anchors():
    entry = drinks(random_order=True, anchors=["c"])
    [question] = parse_survey(definition(entry)).questions
    assert (question.random_order, question.anchors) == (True, ("c",))
    assert question.as_definition() == entry
    # A definition without it stays as it was, and so does its fingerprint.
    [question] = parse_survey(definition(drinks(random_order=False))).questions
    assert question.as_definition() == drinks()


@pytest.mark.parametrize(
    ("entry", "place", "words"),
    [
        (drinks(random_order=1), "questions[0].random_order", "true or false"),
        (drinks(random_order=True, anchors="c"), "questions[0].anchors", "a list"),
        (drinks(random_order=True, anchors=["d"]), "questions[0].anchors", "some of: a, b, c"),
        (drinks(random_order=True, anchors=["a", "b"]), "questions[0].anchors", "at least two"),
        (drinks(anchors=["c"]), "questions[0].anchors", "needs `random_order`"),
        (drinks(type="scale", random_order=True), "questions[0].random_order", "no such field"),
        (changed(WEIGHT, random_order=True), "questions[0].random_order", "no such field"),
        (yes_no() | {"random_order": True}, "questions[0].random_order", "no such field"),
    ],
)
def test_a_faulty_order_is_refused(entry, place, words):
    with pytest.raises(DefinitionError) as fault:
        parse_survey(definition(entry))
    assert fault.value.place == place
    assert words in str(fault.value)


def test_questions_get_different_valid_names():
    """A valid name stays. The others have the same rule in every import."""
    written = ["age_2", "Age", "age", "hút thuốc", "是", "จังหวัด", "id", "2020", "_a", "…", "Да/нет",
               "x" * 63, "x" * 63]  # fmt: skip
    names: list[str] = []
    for number, each in enumerate(written, 1):
        names.append(question_name(each, number, names))
    assert names[:11] == [
        "age_2", "age", "age_3", "hut_thuoc", "shi", "changhwad", "id_2", "q2020", "a", "q10",
        "da_net",
    ]  # fmt: skip
    assert names[11:] == ["x" * 63, "x" * 57]
    assert all(map(QUESTION_NAME.fullmatch, names))
