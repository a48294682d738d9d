"""Curves of plans: margins by respondents and by ε."""

import math

from survey.definition.survey import parse_survey
from survey.planning.plan_curves import (
    CURVE_EPSILONS,
    CURVE_SIZES,
    EPSILONS,
    TABLE_SIZES,
    against_epsilon,
    against_respondents,
)
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
