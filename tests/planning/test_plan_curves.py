"""Curves of plans: margins by respondents and by ε, and splits."""

import math

import pytest

from survey.definition.survey import parse_survey
from survey.planning.plan_curves import (
    CURVE_EPSILONS,
    CURVE_SIZES,
    EPSILONS,
    TABLE_SIZES,
    against_epsilon,
    against_respondents,
    splits,
)
from survey.planning.privacy_text import best_number_of_questions, sampling_gain
from survey.planning.sample_size import expected_margin
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE


def test_curves_fall_with_respondents_and_with_epsilon():
    survey = parse_survey(EVERY_TYPE)
    for each in survey.private:
        lines = against_respondents(each, survey)
        assert [line.as_set for line in lines].count(True) == 1
        assert math.isinf(lines[-1].epsilon)
        for line in lines:
            margins = [line.margin(n) for n in CURVE_SIZES]
            assert margins == sorted(margins, reverse=True)
        trades = [t for t in against_epsilon(each, survey, 500) if not t.as_set]
        margins = [trade.margin for trade in trades]
        assert margins == sorted(margins, reverse=True)
        assert all(margin >= lines[-1].margin(500) - 1e-12 for margin in margins)
    assert (CURVE_SIZES[0], CURVE_SIZES[-1]) == (TABLE_SIZES[0], TABLE_SIZES[-1])
    assert set(CURVE_EPSILONS) <= set(EPSILONS)


def test_the_own_epsilon_lies_on_the_curve_where_it_has_the_best_mechanism():
    survey = parse_survey(definition(yes_no(privacy={"epsilon": 2})))
    (own, other) = [t for t in against_epsilon(survey.questions[0], survey, 500) if t.epsilon < 2.1
                    and t.epsilon > 1.9]  # fmt: skip
    assert own.margin == other.margin


def test_splits_are_those_of_the_protection():
    survey = parse_survey(definition(*(yes_no(f"q{i}", {"epsilon": 0.3}) for i in range(10))))
    found = splits(survey, 1_000, 0.05)
    (now,) = [split for split in found if split.now]
    (best,) = [split for split in found if split.best]
    assert (now.asked, best.asked) == (10, best_number_of_questions(survey))
    assert (now.margin / best.margin) ** 2 == pytest.approx(sampling_gain(survey))
    # If the privacy loss is spread evenly over all questions, the margin is that of the questions.
    assert now.margin == pytest.approx(expected_margin(survey.questions[0], 1_000), rel=1e-6)
    assert all(split.asked * split.epsilon == pytest.approx(survey.epsilon) for split in found)
    assert splits(parse_survey(definition()), 1_000, 0.05) == ()
    # With this sample and its share of the privacy loss, it is the margin of the changed survey.
    picked = definition(
        *(yes_no(f"q{i}", {"odds": "3", "mechanism": "randomized_response"}) for i in range(4)),
        budget={"per_respondent": {"sample": 2}},
    )
    survey = parse_survey(picked)
    (now,) = [split for split in splits(survey, 800, 0.05) if split.now]
    assert now.margin == pytest.approx(expected_margin(survey.questions[0], 800, None, survey))
