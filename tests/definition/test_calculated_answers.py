"""Derived answers of simulated respondents: as an oracle has them, and with the right shares."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from survey.core.errors import DataFileError
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_truth
from survey.planning.simulation import answer_questions, draw_answers
from tests.browser import tape
from tests.support.definitions import WIDE, definition, yes_no
from tests.support.derived_survey import (
    BRANCHES,
    EVERY_DERIVED,
    ITEMS,
    POINTS,
    derived,
    derived_survey,
    unsent,
)
from tests.support.joint_survey import joint_survey

pytestmark = pytest.mark.fast
RESPONDENTS = 600
# Respondents decline each answer with this probability.
DECLINED = 0.12


def even(question):
    """Equal shares of all answers, and some who decline."""
    declined = {tape.DECLINED: DECLINED} if question.offers_to_decline else {}
    if question.grid is not None:
        middle = float(question.grid.low + question.grid.high) / 2
        return {"mean": middle, "sd": middle, **declined}
    names = [choice.name for choice in question.choices]
    if question.kind.boxes:
        return dict.fromkeys(names, 0.3) | declined
    each = (1 - sum(declined.values())) / len(names)
    return dict.fromkeys(names[:-1], each) | declined


def assumed(survey, **shares):
    """Assumed true values without those of derived answers."""
    given = {q.name: even(q) for q in survey.simulated if q.derived is None}
    return read_truth(given | shares, survey)


def as_told(question, answer):
    """A drawn answer as the oracle has it: a name, a list of names, or the text of a number."""
    names = [choice.name for choice in question.offered]
    if question.kind.boxes:
        return [name for name, ticked in zip(names, answer, strict=True) if ticked]
    if question.grid is None:
        return names[answer]
    grid = question.grid
    return str(grid.value(int(answer))) if answer < grid.size else tape.DECLINED


@pytest.mark.parametrize("content", [derived_survey(*BRANCHES), EVERY_DERIVED, joint_survey()])
def test_derived_answers_are_those_of_an_oracle_that_tries_out_declined_answers(content):
    survey = parse_survey(content)
    entries = freeze(survey, WIDE, confirmed=True).document()["definition"]["questions"]
    drawn, asked = answer_questions(survey, assumed(survey), RESPONDENTS, np.random.default_rng(3))
    met = Counter()
    for respondent in range(RESPONDENTS):
        told = {q.name: as_told(q, drawn[q.name][respondent]) for q in survey.simulated}
        found, shown = tape.answers_and_asked(entries, told)
        for question in survey.simulated:
            name = question.name
            assert asked[name][respondent] == (name in shown), (told, name)
            assert found[name] == told[name], (told, name)
            if question.derived is not None:
                met[name, told[name]] += 1
    for question in survey.derived:
        if question.grid is None:
            for choice in question.offered:
                assert met[question.name, choice.name], (question.name, choice.name)


def test_all_kinds_of_answers_behind_a_result_are_hidden_in_the_test():
    """The questions with conditions are asked of some, and not of others."""
    survey = parse_survey(derived_survey(*BRANCHES))
    _, asked = answer_questions(survey, assumed(survey), RESPONDENTS, np.random.default_rng(3))
    for name in ("worse", "hours", "places", "how", "both"):
        assert 0 < asked[name].sum() < RESPONDENTS


def shares_of(question, answers):
    return np.bincount(answers, minlength=len(question.answers)) / len(answers)


def test_shares_of_results_are_those_of_the_closed_forms():
    """200,000 respondents, four items. Each share within five standard errors: one false alarm in
    1.7 million for each. The cut-off is a sum over 81 outcomes."""
    survey = parse_survey(
        definition(
            *(unsent(name) for name in ITEMS),
            derived("high", {"sum": dict.fromkeys(ITEMS, POINTS), "at_least": 5}),
            derived("any_of", {"any": {name: ["often"] for name in ITEMS}}),
            derived("all_of", {"all": {name: ["some", "often"] for name in ITEMS}}),
        )
    )
    shares = {"never": 0.5, "some": 0.3, "often": 0.2}
    n = 200_000
    truth = assumed(survey, **dict.fromkeys(ITEMS, shares))
    drawn = draw_answers(survey, truth, n, np.random.default_rng(9))
    assert set(drawn) == {"high", "any_of", "all_of"}
    high = sum(
        math.prod(shares[name] for name in four)
        for four in product(shares, repeat=4)
        if sum(POINTS[name] for name in four) >= 5
    )
    for question, expected in zip(survey.fields, (high, 1 - 0.8**4, 0.5**4), strict=True):
        error = math.sqrt(expected * (1 - expected) / n)
        [yes, *_] = shares_of(question, drawn[question.name])
        assert yes == pytest.approx(expected, abs=5 * error), question.name


def test_an_assumed_share_of_a_result_replaces_the_calculation():
    survey = parse_survey(derived_survey())
    truth = assumed(survey, any_of={"yes": 0.12})
    assert "high" not in truth
    n = 50_000
    drawn, _ = answer_questions(survey, truth, n, np.random.default_rng(4))
    # Five standard errors; calculated, more than 60 % would be Yes.
    assert (drawn["any_of"] == 0).mean() == pytest.approx(0.12, abs=5 * math.sqrt(0.12 * 0.88 / n))
    # It does not depend on the answers behind it.
    often = drawn["i3"] == 2
    among = often.sum()
    assert (drawn["any_of"][often] == 0).mean() == pytest.approx(
        0.12, abs=5 * math.sqrt(0.12 * 0.88 / among)
    )


def test_arms_have_the_weights_of_the_definition_and_decide_who_is_asked():
    """40,000 respondents, weights 1 and 3: within five standard errors."""
    choices = [{"name": name, "label": name} for name in ("a", "b")]
    content = definition(
        derived("arm", {"random": {"a": 1, "b": 3}}, "select_one", choices=choices, privacy="none"),
        yes_no("x", "none") | {"relevant": {"arm": ["a"]}},
        unsent("item", relevant={"arm": ["b"]}),
        derived("most", {"any": {"item": ["often"]}}),
    )
    survey, n = parse_survey(content), 40_000
    truth = assumed(survey)
    assert truth["arm"] == [0.25, 0.75]
    drawn = draw_answers(survey, truth, n, np.random.default_rng(6))
    in_a = drawn["arm"] == 0
    assert in_a.mean() == pytest.approx(0.25, abs=5 * math.sqrt(0.25 * 0.75 / n))
    assert ((drawn["x"] == 2) == ~in_a).all()
    # The item is for the other arm, so its result is No in this one.
    assert (drawn["most"][in_a] == 1).all()
    assert (drawn["most"][~in_a] == 0).mean() == pytest.approx(1 / 3, abs=0.015)
    with pytest.raises(DataFileError, match="'arm' is an experimental arm, whose weights are in"):
        assumed(survey, arm={"a": 0.5})


def test_the_answers_behind_a_result_need_shares_and_the_result_does_not():
    survey = parse_survey(definition(unsent("item"), derived("most", {"any": {"item": ["often"]}})))
    with pytest.raises(DataFileError, match="The true shares of 'item' must be an object"):
        read_truth({}, survey)
    assert [*read_truth({"item": dict.fromkeys(("never", "some"), 0.5)}, survey)] == ["item"]
    with pytest.raises(DataFileError, match="The true shares of 'most' must be an object"):
        read_truth({"item": {"never": 0.5, "some": 0.5}, "most": 0.5}, survey)
