"""The consequences of assumed true shares: calculated independently, and compared with draws."""

from itertools import product

import numpy as np
import pytest

from survey.definition.survey import parse_survey
from survey.estimation.pilot_truth import chance_asked, condition_chance, cut_off, true_shares
from survey.formats.csv_import import read_truth
from survey.planning.simulation import effective, relevant, true_answers
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, TRUTH

pytestmark = pytest.mark.fast
SURVEY = parse_survey(EVERY_TYPE)
SHARES = read_truth(TRUTH, SURVEY)


def test_shares_of_those_who_are_asked_are_shares_of_everyone():
    """40 % drink. Of these, 3 in 10 smoke; all others are "not asked"."""
    smokes = yes_no() | {"relevant": {"drinks": "yes"}}
    survey = parse_survey(definition(yes_no("drinks"), smokes))
    truth = read_truth({"drinks": {"yes": 0.4}, "smokes": {"yes": 0.3}}, survey)
    assert true_shares(survey.questions[1], survey, truth) == pytest.approx([0.12, 0.28, 0.6])
    as_no = parse_survey(definition(yes_no("drinks"), smokes | {"otherwise": "no"}))
    assert true_shares(as_no.questions[1], as_no, truth) == pytest.approx([0.12, 0.88])


def test_a_question_that_depends_on_two_counts_what_they_share_once():
    """Both of its parents are asked of the same people, who drink."""
    smokes = yes_no() | {"relevant": {"drinks": "yes"}}
    cheats = yes_no("cheats") | {"relevant": {"drinks": "yes"}}
    last = yes_no("last") | {"relevant": {"smokes": "yes", "cheats": "no"}}
    survey = parse_survey(definition(yes_no("drinks"), smokes, cheats, last))
    given = {"drinks": 0.5, "smokes": 0.3, "cheats": 0.2, "last": 0.9}
    truth = read_truth({name: {"yes": share} for name, share in given.items()}, survey)
    assert chance_asked(survey.questions[3], survey, truth) == pytest.approx(0.5 * 0.3 * 0.8)


@pytest.mark.parametrize(
    "wanted", [[["a"]], [["a", "b"]], [["a"], ["b", "c"]], [["a", "z"], ["b"]]]
)
def test_the_chance_of_boxes_is_that_of_all_ways_to_tick_them(wanted):
    boxes = {
        "name": "boxes", "type": "select_multiple", "label": "Which?", "prefer_not_to_say": True,
        "choices": [{"name": name, "label": name} for name in "abc"], "privacy": {"epsilon": 1},
    }  # fmt: skip
    parent = parse_survey(definition(boxes)).questions[0]
    declined = "prefer_not_to_say"
    conditions = [[declined if name == "z" else name for name in each] for each in wanted]
    shares = [0.3, 0.6, 0.2, 0.1]
    expected = 0.1 * all(declined in each for each in conditions)
    for ticks in product((0, 1), repeat=3):
        chance = 0.9 * np.prod([s if t else 1 - s for s, t in zip(shares, ticks, strict=False)])
        ticked = {name for name, tick in zip("abc", ticks, strict=True) if tick}
        expected += chance * all(ticked & set(each) for each in conditions)
    assert condition_chance(parent, shares, conditions) == pytest.approx(expected)


def test_true_shares_are_those_of_the_answers_that_are_drawn():
    """200,000 draws: five standard errors, one false alarm in a million for each share."""
    generator, n = np.random.default_rng(7), 200_000
    fields = [question for question in SURVEY.fields if question.name in SHARES]
    drawn = {q.name: true_answers(q, SHARES[q.name], n, generator) for q in fields}
    asked = {}
    for question in SURVEY.questions:
        asked[question.name] = relevant(question, SURVEY, drawn, asked, n)
    for question in fields:
        answers = effective(question, drawn[question.name], asked[question.name])
        expected = np.array(true_shares(question, SURVEY, SHARES))
        if answers.ndim == 2:
            seen = answers.mean(axis=0)
        else:
            seen = np.bincount(answers, minlength=len(expected)) / n
        error = np.sqrt(expected * (1 - expected) / n)
        assert np.all(np.abs(seen - expected) <= 5 * error + 1e-12), question.name


@pytest.mark.parametrize(
    ("mean", "sd", "said"),
    [
        (
            8,
            9,
            "You entered a mean of 8 and a standard deviation of 9. Because the range ends at 0, "
            "the simulation uses a mean of 10.8 and a standard deviation of 7.0.",
        ),
        (50, 40, "the range ends at 0 and 100, the simulation uses a mean of 50"),
        (50, 10, ""),
    ],
)
def test_a_typed_mean_that_is_cut_off_says_what_is_left_of_it(mean, sd, said):
    hours = {
        "name": "hours", "label": "Hours?", "type": "number", "min": 0, "max": 100,
        "privacy": {"epsilon": 1},
    }  # fmt: skip
    survey = parse_survey(definition(hours, yes_no()))
    truth = {"hours": {"mean": mean, "sd": sd}, "smokes": {"yes": 0.5}}
    shares = read_truth(truth, survey)
    number, smokes = survey.fields
    found = cut_off(number, truth["hours"], shares["hours"])
    assert said in found
    assert bool(found) == bool(said)
    assert cut_off(smokes, truth["smokes"], shares["smokes"]) == ""
