"""Derived answers in a definition: the canonical form, refusals, and what they reveal."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.core.errors import DefinitionError
from survey.definition.answer_bounds.calculated_answers import derive_answers
from survey.definition.certainty import Certainty, certainty_of_answer
from survey.definition.derived_answers import (
    DERIVED_FIELDS,
    OPERATIONS,
    sources_of,
    values_between,
)
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.survey import parse_survey
from survey.planning.precision import share_precision
from tests.support.cascades import asked, choice
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import ITEMS, OFTEN, POINTS, derived, derived_survey, unsent
from tests.support.every_type import letters

pytestmark = pytest.mark.fast

SUM = {"sum": dict.fromkeys(ITEMS, POINTS)}


def parsed(*questions, **rest):
    return parse_survey(definition(*(unsent(name) for name in ITEMS), *questions, **rest))


def fault_of(*questions, **rest):
    with pytest.raises(DefinitionError) as refused:
        parsed(*questions, **rest)
    return refused.value.place, refused.value.fault


def changed(entry, **rest):
    return {key: value for key, value in (entry | rest).items() if value is not None}


def test_every_operation_is_written_as_it_is_read():
    survey = parse_survey(derived_survey())
    assert parse_survey(survey.as_definition()) == survey
    met = {name for question in survey.derived for name in question.derived}
    # tests/definition/test_types_joint.py has joint questions.
    assert met >= {*DERIVED_FIELDS} - {"random", "joint"}
    assert {*OPERATIONS} <= {*DERIVED_FIELDS}
    assert [question.name for question in survey.asked] == [*ITEMS, "age", "acts"]
    assert survey.asked == survey.unsent
    assert survey.fields == survey.private == survey.derived


def test_a_frozen_survey_with_derived_answers_is_the_same_again():
    frozen = freeze(parsed(derived("high", {**SUM, "at_least": 5})), confirmed=True)
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen
    assert [*frozen.document()["tables"]] == ["high"]


@pytest.mark.parametrize(
    ("entry", "points"),
    [
        (yes_no("a", privacy="not_sent"), {"yes": 1, "no": 0}),
        (unsent("a", kind="scale"), {"never": 1, "some": 2, "often": 3}),
        (unsent("a", kind="select_multiple"), {"never": 1, "some": 1, "often": 1}),
        (unsent("a", "number", min=0, max=9), 1),
    ],
)
def test_a_list_of_names_stands_for_the_usual_points(entry, points):
    short = derived("total", {"sum": ["a"]}, kind="number") | {"min": 0, "max": 9}
    assert parse_survey(definition(entry, short)).questions[1].derived == {"sum": {"a": points}}


def scale(name, **rest):
    """A scale from 1 to 5."""
    return unsent(name, "scale", **rest) | {"choices": letters("12345")}


FOUR = [yes_no("works", privacy="not_sent"), *map(scale, "abc")]
IF_AT_WORK = {"relevant": {"works": ["yes"]}}


def test_a_mean_is_that_of_the_questions_that_are_asked():
    """Of four items from 1 to 5, one is not asked. The mean is 1 if all others are 1, not 0.75."""
    mean = derived("mean", {"mean": [*"abcd"]}, "number", min=1, max=5, step=0.25)
    drawn = {name: np.array([0, 0]) for name in "abc"}
    drawn |= {"works": np.array([1, 0]), "d": np.array([4, 4])}
    asked = {name: np.array([True, True]) for name in drawn} | {"d": np.array([False, True])}
    # Points for those who are not asked count, as do their answers.
    for more, expected in (({}, [1, 2]), ({"otherwise": "3"}, [1.5, 2])):
        survey = parse_survey(definition(*FOUR, scale("d", **IF_AT_WORK, **more), mean))
        known = {each.name: each for each in survey.questions}
        places = derive_answers(known["mean"], known, drawn, asked)
        assert [known["mean"].grid.value(int(place)) for place in places] == expected


def test_a_mean_that_could_be_of_no_question_is_refused():
    items = [scale(name, **IF_AT_WORK) for name in "de"]
    mean = derived("mean", {"mean": ["d", "e"]}, "number", min=1, max=5)
    with pytest.raises(DefinitionError, match="asked none of its questions") as refused:
        parse_survey(definition(*FOUR, *items, mean))
    assert (refused.value.place, refused.value.reason) == ("questions[6].derived.mean", "unasked")
    # It can have the same condition, an answer for those not asked, or a question for everyone.
    sent = [yes_no("works", privacy="none"), *FOUR[1:]]
    parse_survey(definition(*sent, *items, mean | IF_AT_WORK))
    parse_survey(definition(*FOUR, items[0], items[1] | {"otherwise": "1"}, mean))
    parse_survey(definition(*FOUR, *items, mean | {"derived": {"mean": ["a", "d", "e"]}}))
    # A sum of no question is 0.
    total = mean | {"derived": {"sum": ["d", "e"]}, "min": 0, "max": 10}
    parse_survey(definition(*FOUR, *items, total))


SWITCHES = ("x", "y")


@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, *SWITCHES]), st.tuples(st.integers(-9, 9), st.integers(-9, 9))
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(["sum", "mean"]),
)
def test_the_range_is_that_of_all_answers(items, operation):
    """As found by trying out every answer. Different conditions hold independently."""
    entries = [
        yes_no(f"q{place}", privacy="not_sent")
        | ({} if switch is None else {"relevant": {switch: ["yes"]}})
        for place, (switch, _) in enumerate(items)
    ]
    names = [entry["name"] for entry in entries]
    rule = {
        name: dict(zip(("yes", "no"), points, strict=True))
        for name, (_, points) in zip(names, items, strict=True)
    }
    values = set()
    for held in product([True, False], repeat=len(SWITCHES)):
        on = {None, *(switch for switch, holds in zip(SWITCHES, held, strict=True) if holds)}
        asked = [points for switch, points in items if switch in on]
        for points in product(*asked):
            if operation == "sum" or points:
                values.add(Fraction(sum(points), len(points) if operation == "mean" else 1))
    switches = [yes_no(name, privacy="not_sent") for name in SWITCHES]
    survey = parse_survey(definition(*switches, *entries, yes_no("sent")))
    earlier = {each.name: each for each in survey.questions}
    assert values_between({operation: rule}, earlier) == (min(values), max(values))


NUMBER = {"type": "number", "min": 0, "max": 8, "prefer_not_to_say": None}


@check_each(
    ("entry", "place", "words"),
    [
        (derived("d", {}), "derived", "one of: sum"),
        (derived("d", {**SUM, "any": {"i1": ["often"]}, "at_least": 1}), "derived", "one of"),
        (derived("d", {**SUM, "at_least": 5, "more": 1}), "derived.more", "no such field"),
        (derived("d", {"sum": {"later": POINTS}, "at_least": 1}), "derived.sum.later", "earlier"),
        (derived("d", {"sum": ["i1"], "at_least": 1}), "derived.sum.i1", "points to each of"),
        (derived("d", {"sum": {"i1": {"never": 0}}, "at_least": 1}), "derived.sum.i1", "each of"),
        (
            derived("d", {"sum": {"i1": POINTS | {"some": 0.5}}, "at_least": 1}),
            "derived.sum.i1.some",
            "whole number",
        ),
        (derived("d", SUM), "derived.at_least", "missing"),
        (derived("d", {**SUM, "at_least": 9}), "derived.at_least", "above 0 and at most 8"),
        (derived("d", {**SUM, "at_least": 0}), "derived.at_least", "above 0 and at most 8"),
        (derived("d", {**SUM, "at_least": 1}, **NUMBER), "derived.at_least", "does not fit"),
        (derived("d", SUM, **NUMBER | {"max": 7}), "derived", "from 0 to 8"),
        (
            derived("d", {**SUM, "bands": {"never": 0, "some": 4, "often": 3}},
                    kind="select_one", choices=OFTEN),
            "derived.bands", "ascending",
        ),
        (
            derived("d", {**SUM, "bands": {"never": 0, "some": 4, "often": 9}},
                    kind="select_one", choices=OFTEN),
            "derived.bands", "at most 8",
        ),
        (derived("d", {"any": {"i1": ["daily"]}}), "derived.any.i1", "one or a list of"),
        (
            derived("d", {"any": {"i1": ["often"]}}, kind="select_one", choices=OFTEN),
            "derived.any", "does not fit",
        ),
        (derived("d", {"recode": {"yes": {}}}), "derived.recode.yes", "must be an object"),
        (
            derived("d", {"recode": {"yes": {"i1": ["some"]}, "no": {"i1": ["never"]}}}),
            "derived.recode.no", "everyone else",
        ),
        (derived("d", {**SUM, "at_least": 5}, optional=True), "optional", "nobody enters"),
        (derived("d", {**SUM, "at_least": 5}, privacy="none"), "privacy", "reveal answers to 'i1'"),
        (derived("d", {**SUM, "at_least": 5}, privacy="not_sent"), "privacy", "not_sent"),
        (
            derived("d", {"random": {"yes": 1}}, privacy="none"), "derived.random", "each of",
        ),
        (
            derived("d", {"random": {"yes": 1, "no": 0}}, privacy="none"),
            "derived.random", "from 1 to 1,000",
        ),
        (derived("d", {"random": {"yes": 1, "no": 1}}), "derived", "experimental arm"),
    ],
)  # fmt: skip
def test_a_faulty_derived_answer_is_refused_at_its_place(entry, place, words):
    at, fault = fault_of(changed(entry))
    assert at == f"questions[4].{place}"
    assert words in fault


def test_a_derived_answer_can_be_declined_if_an_answer_behind_it_can():
    high = changed(derived("high", {**SUM, "at_least": 5}), prefer_not_to_say=None)
    assert parsed(high).derived[0].offers_to_decline is False
    declinable = [unsent(name, prefer_not_to_say=True) for name in ITEMS]
    with pytest.raises(DefinitionError, match="can decline to answer 'i1'"):
        parse_survey(definition(*declinable, high))


def test_whether_a_question_was_asked_depends_on_nothing_that_stays_in_the_page():
    on_item = yes_no("then") | {"relevant": {"i1": ["often"]}}
    place, fault = fault_of(derived("high", {**SUM, "at_least": 5}), on_item)
    assert (place, "is not sent" in fault) == ("questions[5].relevant", True)
    # A derived answer can be the condition, and an item that is not sent can have any.
    later = unsent("i5") | {"relevant": {"i1": ["often"]}}
    then = yes_no("then") | {"relevant": {"high": ["yes"]}}
    survey = parsed(later, derived("high", {**SUM, "at_least": 5}), then)
    assert [question.name for question in survey.fields] == ["high", "then"]


@pytest.mark.parametrize("kind", ["text", "note", "ranking", "crosswise"])
def test_only_answers_from_which_something_can_be_derived_may_stay_in_the_page(kind):
    entry = {"name": "x", "type": kind, "label": "X", "hint": "Y", "privacy": "not_sent"}
    entry |= {"choices": OFTEN} if kind == "ranking" else {}
    entry |= {"known_share": "1/4"} if kind == "crosswise" else {}
    place, _ = fault_of(entry, yes_no())
    assert place in ("questions[4].privacy", "questions[4].hint")


def test_the_bound_for_an_item_is_that_of_all_reports_that_depend_on_it():
    """It is exact: the product over the derived answers, also through other derived answers."""
    high = derived("high", {"sum": {"i1": POINTS, "i2": POINTS}, "at_least": 3},
                   privacy={"mechanism": "k_randomized_response", "odds": 2})  # fmt: skip
    both = derived("both", {"all": {"high": ["yes"], "i3": ["often"]}},
                   privacy={"mechanism": "k_randomized_response", "odds": 3})  # fmt: skip
    survey = parsed(high, both)
    bounds = {question.name: survey.ratio_bound_about(question) for question in survey.questions}
    assert bounds == {"i1": 6, "i2": 6, "i3": 3, "i4": 1, "high": 6, "both": 3}
    assert survey.ratio_bound == 6
    assert survey.largest_ratio_bound == 6
    assert survey.epsilon == pytest.approx(math.log(6))
    assert sources_of(both["derived"]) == ("high", "i3")
    levels = {q.name: certainty_of_answer(q, survey) for q in survey.questions}
    assert levels["i4"] == Certainty.LOW
    assert levels["i1"] == Certainty.GUESS


def test_a_cut_off_costs_as_much_as_one_yes_no_question():
    """At ε = 2 in all, n times the variance of a share is at most 0.431: a quarter of
    ((e² + 1) / (e² - 1))². Separate reports on four items would each have ε = 1/2."""
    cut_off = changed(derived("high", {**SUM, "at_least": 5}, privacy={"epsilon": 2}),
                   prefer_not_to_say=None)  # fmt: skip
    survey = parsed(cut_off)
    [high] = survey.fields
    found = share_precision(high, None, 1)
    exact = ((math.exp(2) + 1) / (math.exp(2) - 1)) ** 2 / 4
    assert exact == pytest.approx(0.431, abs=0.0005)
    assert found.variance == pytest.approx(exact, rel=0.01)
    assert survey.ratio_bound <= Fraction(math.exp(2)).limit_denominator(10**12)


def test_the_range_of_a_sum_knows_that_a_question_may_offer_nothing():
    """With the same condition, both are asked together, unless one of them has no choices."""
    one = asked("one", choices=[choice("a"), choice("b")])
    boxes = asked("boxes", "select_multiple", choices=[choice("a"), choice("b")])
    only = {"relevant": {"one": ["a"]}}
    first = asked("first", choices=[choice("x", boxes=["a"]), choice("y", boxes=["b"])], **only)
    second = asked("second", choices=[choice("x"), choice("y")], **only)
    rule = {"sum": {"first": {"x": -5, "y": -5}, "second": {"x": 1, "y": 1}}}
    total = asked("total", "number", min=-5, max=0, derived=rule)
    with pytest.raises(DefinitionError, match="can be from -5 to 1"):
        parse_survey(definition(one, boxes, first, second, total))
    always = first | {"choices": [choice("x"), choice("y", boxes=["b"])]}
    assert parse_survey(definition(one, boxes, always, second, total))
