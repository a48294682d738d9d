"""Choices with conditions: what the server accepts, and when there may be none to offer."""

import json
import random
from itertools import product

import numpy as np
import pytest

from survey.core.errors import DefinitionError, WrongReport
from survey.definition.answer_bounds.calculated_answers import offered_choices, who_is_asked
from survey.definition.choices import DECLINED
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.responses.parse_response import parse_response
from survey.definition.survey import parse_survey
from tests.browser import tape
from tests.support.cascades import asked, chain, choice, offered_in, random_cascade
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast

ONE = asked("one", choices=[choice("a"), choice("b"), choice("c")])
BOXES = asked("boxes", "select_multiple", choices=[choice("a"), choice("b")])
NUMBER = asked("number", "number", min=0, max=1, step=0.1)
DECLINES = ONE | {"prefer_not_to_say": True}


def last(*choices, earlier=(ONE, BOXES, NUMBER), **rest):
    """The last question of a survey, with these choices."""
    return parse_survey(definition(*earlier, asked("q", choices=list(choices), **rest))).questions[
        -1
    ]


@check_each(
    ("choices", "earlier", "rest", "may_be_empty"),
    [
        # Every answer is covered, by one choice or by several.
        ([choice("x", one=["a", "b"]), choice("y", one=["b", "c"])], (ONE,), {}, False),
        ([choice("x", one=["a"]), choice("y", one=["b"])], (ONE,), {}, True),
        ([choice("x", one=["a"]), choice("y")], (ONE,), {}, False),
        ([choice("x", one=["a"]), choice("y", one=["b", "c"])], (DECLINES,), {}, True),
        ([choice("x", one=["a", DECLINED]), choice("y", one=["b", "c"])], (DECLINES,), {}, False),
        # The condition of the question excludes the answers that are not covered.
        ([choice("x", one=["a"]), choice("y", one=["b"])], (ONE,),
         {"relevant": {"one": ["a", "b"]}}, False),
        ([choice("x", one=["a"]), choice("y", one=["b"])], (ONE,),
         {"relevant": {"one": ["b", "c"]}}, True),
        # Perhaps no box is ticked.
        ([choice("x", boxes=["a"]), choice("y", boxes=["b"])], (BOXES,), {}, True),
        ([choice("x", boxes=["a"]), choice("y", boxes=["b"])], (BOXES,),
         {"relevant": {"boxes": ["a", "b"]}}, False),
        ([choice("x", boxes=["a"]), choice("y", boxes=["a"])], (BOXES,),
         {"relevant": {"boxes": ["a", "b"]}}, True),
        # 0.4 is between the ranges, or is not a value.
        ([choice("x", number={"max": 0.3}), choice("y", number={"min": 0.5})], (NUMBER,), {}, True),
        ([choice("x", number={"max": 0.4}), choice("y", number={"min": 0.5})], (NUMBER,), {},
         False),
        ([choice("x", number={"max": 0.35}), choice("y", number={"min": 0.31})], (NUMBER,), {},
         False),
        ([choice("x", number={"max": 0.3}), choice("y", number={"min": 0.5})], (NUMBER,),
         {"relevant": {"number": {"min": 0.5}}}, False),
        ([choice("x", number={"max": 0.5}), choice("y", number={"min": 0.2})],
         (NUMBER | {"prefer_not_to_say": True},), {}, True),
        # Several questions: no combinations are tried.
        ([choice("x", one=["a"]), choice("y", boxes=["b"])], (ONE, BOXES), {}, True),
        # The earlier question is asked of some, unless this one is for them.
        ([choice("x", two=["yes"]), choice("y", two=["no"])],
         (ONE, yes_no("two", "none") | {"relevant": {"one": ["a"]}}), {}, True),
        ([choice("x", two=["yes"]), choice("y", two=["no"])],
         (ONE, yes_no("two", "none") | {"relevant": {"one": ["a"]}}),
         {"relevant": {"one": ["a"]}}, False),
    ],
)  # fmt: skip
def test_whether_there_may_be_no_choice_is_decided_exactly(choices, earlier, rest, may_be_empty):
    question = last(*choices, earlier=earlier, **rest)
    assert question.may_be_empty == may_be_empty
    assert question.may_be_unasked == (may_be_empty or "relevant" in rest)


def test_a_whole_chain_always_offers_a_choice():
    survey = parse_survey(definition(*chain()))
    assert not any(question.may_be_empty for question in survey.questions)
    # Somebody without a district has no communes to choose from.
    province, district, commune = chain()
    district["choices"] = district["choices"][:-3]
    commune["choices"] = commune["choices"][:-9]
    survey = parse_survey(definition(province, district, commune))
    assert [question.may_be_empty for question in survey.questions] == [False, True, True]
    assert [question.may_be_unasked for question in survey.questions] == [False, True, True]


def oracle_finds_none(entries, name):
    """Whether some answers meet the condition of a question and offer none of its choices."""
    entry = next(each for each in entries if each["name"] == name)
    earlier = entries[: entries.index(entry)]
    every = [
        [*tape.possible_answers(each), *([DECLINED] if each.get(DECLINED) else [])]
        for each in earlier
    ]
    for given in product(*every):
        answers = {each["name"]: answer for each, answer in zip(earlier, given, strict=True)}
        # Nobody chooses what is not offered.
        shown, offered = offered_in(earlier, answers)
        possible = all(
            DECLINED in tape.listed(answers[each["name"]])
            or set(tape.listed(answers[each["name"]])) <= set(offered[each["name"]])
            for each in earlier
            if each["name"] in shown and each.get("choices")
        )
        without = {**entry, "choices": [choice("free")]}
        would_ask, _ = offered_in([*earlier, without], answers)
        now, _ = offered_in([*earlier, entry], answers)
        if possible and name in would_ask and name not in now:
            return True
    return False


def test_random_surveys_agree_with_an_oracle_that_tries_all_answers():
    """Exact with one earlier question. With several, there may be no choice if the oracle says
    so. Half of the surveys have conditions of all choices on one question."""
    decided = 0
    for seed in range(40):
        content = random_cascade(seed)
        survey = parse_survey(content)
        entries = survey.as_definition()["questions"]
        # The later questions have too many combinations of earlier answers.
        for question in survey.questions[3:5]:
            found = oracle_finds_none(entries, question.name)
            names = {name for condition, _ in question.choice_conditions for name in condition}
            if found:
                assert question.may_be_empty, (seed, question.name)
            elif question.may_be_empty:
                parent = next(each for each in survey.questions if each.name == min(names))
                assert len(names) > 1 or parent.may_be_unasked, (seed, question.name)
            decided += len(names) == 1
    assert decided > 20


def test_the_answers_of_many_respondents_agree_with_an_oracle():
    chance = random.Random(7)
    for seed in range(30):
        survey = parse_survey(random_cascade(seed))
        entries = survey.as_definition()["questions"]
        known = {question.name: question for question in survey.questions}
        people = []
        for _ in range(30):
            answers = {}
            for entry in entries:
                declines = entry.get(DECLINED) and chance.random() < 0.2
                given = chance.choice(tape.possible_answers(entry))
                answers[entry["name"]] = DECLINED if declines else given
            people.append(answers)
        drawn, who, offered = {}, {}, {}
        for name, question in known.items():
            names = [each.name for each in question.offered]
            if question.kind.boxes:
                rows = [[each in tape.listed(p[name]) for each in names] for p in people]
            elif question.grid is not None:
                size = question.grid.size
                rows = [size if p[name] == DECLINED else int(p[name]) for p in people]
            else:
                rows = [names.index(p[name]) for p in people]
            drawn[name] = np.array(rows, dtype=np.int64)
            who[name] = who_is_asked(question, known, drawn, who, len(people))
            offered[name] = offered_choices(question, known, drawn, who, len(people))
        for number, answers in enumerate(people):
            shown, listed = offered_in(entries, answers)
            assert [name for name in known if who[name][number]] == shown
            for name, question in known.items():
                flags = offered[name][number]
                names = [c.name for c, flag in zip(question.choices, flags, strict=True) if flag]
                assert names == listed[name], (seed, name)


@check_each(
    ("entry", "place", "words"),
    [
        (asked("q", choices=[choice("x", one=["z"]), choice("y")]),
         "questions[1].choices[0].relevant.one", "must be one or a list of: a, b, c"),
        (asked("q", choices=[choice("x"), choice("y", two=["a"])]),
         "questions[1].choices[1].relevant.two", "not an earlier question"),
        (asked("q", choices=[choice("x"), choice("y") | {"relevant": {}}]),
         "questions[1].choices[1].relevant", "must be an object"),
        (asked("q", choices=[choice("x", one=["a"]), choice("y")], privacy={"epsilon": 1}),
         "questions[1].choices[0].relevant", "does not fit a private question"),
        (asked("q", choices=[choice("x", one=["a"]), choice("y")], privacy="not_sent"),
         "questions[1].choices[0].relevant", "does not fit a private question"),
        (asked("q", "scale", choices=[choice("x", one=["a"]), choice("y")]),
         "questions[1].choices[0].relevant", "only for single choices and boxes"),
        (asked("q", "ranking", choices=[choice("x", one=["a"]), choice("y")]),
         "questions[1].choices[0].relevant", "only for single choices and boxes"),
        (asked("q", choices=[choice("x", one=["a"]), choice("y")], derived={"any": {}}),
         "questions[1].choices[0].relevant", "only for single choices and boxes"),
        (asked("q", choices=[choice("x", one=["a"]), choice("y")], otherwise="y"),
         "questions[1].otherwise", "needs a question"),
    ],
)  # fmt: skip
def test_a_fault_is_told_at_its_choice(entry, place, words):
    with pytest.raises(DefinitionError, match=words) as refused:
        parse_survey(definition(ONE, entry))
    assert refused.value.place == place


@check_each("privacy", [{"epsilon": 1}, "not_sent"])
def test_conditions_of_choices_are_on_answers_that_are_sent_as_they_are(privacy):
    secret = ONE | {"privacy": privacy}
    entry = asked("q", choices=[choice("x"), choice("y", one=["a"])])
    with pytest.raises(DefinitionError, match="would reveal that answer") as refused:
        parse_survey(definition(secret, yes_no(), entry))
    assert refused.value.place == "questions[2].choices[1].relevant.one"


def frozen(*questions) -> FrozenSurvey:
    return freeze(parse_survey(definition(*questions)))


def read(survey, **reports):
    """The stored reports of a response: places of choices, with as many digits as a page sends."""
    texts = {
        question.name: reports[question.name].zfill(question.form.width)
        for question in survey.survey.fields
    }
    content = {"id": "0" * 32, "fingerprint": survey.fingerprint, "reports": texts}
    return parse_response(json.dumps(content).encode(), survey).reports


def test_a_choice_that_is_not_offered_is_refused():
    survey = frozen(*chain())
    sound = {"province": "1", "district": "3", "commune": "10"}
    assert read(survey, **sound) == (1, 3, 10)
    for wrong, name in (
        ({"district": "2"}, "district"),
        ({"commune": "12"}, "commune"),
        ({"province": "0"}, "district"),
        ({"province": "0", "district": "0"}, "commune"),
    ):
        with pytest.raises(WrongReport, match="is not offered") as refused:
            read(survey, **(sound | wrong))
        assert refused.value.question == name


def test_the_answer_for_people_who_are_not_asked_may_be_one_that_is_not_offered():
    """They are not asked, so the page sends the answer of the designer, whatever its condition."""
    then = asked("then", choices=[choice("x", one=["a"]), choice("y", one=["b"])], otherwise="x")
    survey = frozen(ONE, then)
    assert read(survey, one="2", then="0") == (2, 0)
    assert read(survey, one="0", then="0") == (0, 0)
    for wrong in ({"one": "1", "then": "0"}, {"one": "0", "then": "1"}):
        with pytest.raises(WrongReport, match="is not offered"):
            read(survey, **wrong)


def test_boxes_and_conditions_on_every_kind_of_answer_are_checked():
    choices = [choice("x", boxes=["b"]), choice("y", number={"min": 0.5}), choice("z", one=["a"])]
    boxes = asked("q", "select_multiple", choices=choices)
    survey = frozen(DECLINES, BOXES, NUMBER, boxes)
    assert read(survey, one="0", boxes="01", number="5", q="1110") == (0, "01", 5, "1110")
    assert read(survey, one="3", boxes="00", number="0", q="0001") == (3, "00", 0, "0001")
    for ticked, (one, given, number) in {
        "1000": ("0", "10", "5"), "0100": ("0", "01", "4"), "0010": ("3", "01", "5"),
    }.items():  # fmt: skip
        with pytest.raises(WrongReport, match="is not offered"):
            read(survey, one=one, boxes=given, number=number, q=ticked)


def test_a_condition_does_not_hold_for_a_question_that_is_not_asked():
    """Its stored answer is that of the designer, which would meet the condition."""
    two = yes_no("two", "none") | {"relevant": {"one": ["a"]}, "otherwise": "yes"}
    survey = frozen(ONE, two, asked("q", choices=[choice("x", two=["yes"]), choice("y")]))
    assert read(survey, one="0", two="0", q="0") == (0, 0, 0)
    with pytest.raises(WrongReport, match="is not offered"):
        read(survey, one="1", two="0", q="0")


def test_a_long_chain_takes_no_longer_for_an_answer_that_nobody_could_give():
    """Two conditions of each question hold if the one before is asked, and nobody asked the first.

    Following both of them to the start would take 2^40 steps.
    """
    entries = [ONE, asked("q0", choices=[choice("x", one=["a"]), choice("y", one=["a", "b"])])]
    for number in range(1, 41):
        before = f"q{number - 1}"
        either = [choice("x", **{before: ["x"]}), choice("y", **{before: ["x", "y"]})]
        entries.append(asked(f"q{number}", choices=either))
    survey = frozen(*entries)
    names = [question.name for question in survey.survey.fields]
    with pytest.raises(WrongReport, match="is not offered") as refused:
        read(survey, **dict.fromkeys(names, "0") | {"one": "2"})
    assert refused.value.question == "q0"
    assert read(survey, **dict.fromkeys(names, "0")) == (0,) * 42
    with pytest.raises(WrongReport, match="is not offered") as refused:
        read(survey, **dict.fromkeys(names, "2") | {"one": "2", "q40": "0"})
    assert refused.value.question == "q40"


def test_conditions_survive_the_frozen_document_and_translation():
    entries = chain(2, 1)
    names = {
        each["name"]: {"choices": {c["name"]: c["label"] for c in each["choices"]}}
        for each in entries
    }
    survey = parse_survey(definition(*entries, translations={"vi": {"questions": names}}))
    document = freeze(survey, to_open=False).to_json()
    assert FrozenSurvey.from_json(document).survey == survey
    for question, other in zip(survey.questions, survey.in_language("vi").questions, strict=True):
        assert other.choice_conditions == question.choice_conditions
        assert other.choices == question.choices
    plain = parse_survey(definition(ONE))
    assert "relevant" not in json.dumps(plain.as_definition())
