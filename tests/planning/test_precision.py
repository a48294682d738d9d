"""What "prefer not to say" costs, as the tables with and without it show."""

import math

import pytest

from survey.core.mechanisms import numbers
from survey.definition.survey import parse_survey
from survey.planning.precision import MEAN, factor_for_declining, precisions
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast
E, MEAN_GOAL = math.e, {"epsilon": 1, "goal": "mean"}
RANGE = {"min": 0, "max": 100}


def both(kind, privacy, **rest):
    """The question without "prefer not to say", and with it."""
    entry = asked("a", kind, privacy, **rest)
    return [
        parse_survey(definition(entry | {"prefer_not_to_say": offered})).questions[0]
        for offered in (False, True)
    ]


@pytest.mark.parametrize(
    ("kind", "privacy", "rest", "factor"),
    [
        # A coin with odds t: 1/4 (t + 1)² / (t - 1)²; with a third answer, 1/4 (t + 2)² / (t - 1)².
        ("yes_no", {"mechanism": "coin_flip"}, {}, (5 / 4) ** 2),
        ("yes_no", {"epsilon": 2}, {}, ((E**2 + 2) / (E**2 + 1)) ** 2),
        ("yes_no", {"mechanism": "table", "rows": [[3, 1], [1, 3]]}, {}, (5 / 4) ** 2),
        # One of the boxes is picked at random, and "prefer not to say" is one more.
        ("select_multiple", {"epsilon": 1}, {"choices": letters("abcdefgh")}, 9 / 8),
        # Each bit has the same coin, however many bits there are.
        ("select_one", {"mechanism": "symmetric_unary_encoding", "epsilon": 1},
         {"choices": letters("abcde")}, 1),
        ("select_one", {"epsilon": 1}, {"choices": letters("abcd")}, None),
        ("scale", MEAN_GOAL, {"choices": letters("abcde")}, None),
        ("number", {"epsilon": 1}, RANGE, None),
        ("number", MEAN_GOAL, RANGE, None),
        ("number", {"epsilon": 1, "goal": "quantiles"}, RANGE, None),
    ],
)  # fmt: skip
def test_the_cost_of_declining_is_the_same_before_and_after_the_tick(kind, privacy, rest, factor):
    without, offered = both(kind, privacy, **rest)
    found = factor_for_declining(without)
    assert factor_for_declining(offered) == pytest.approx(found, rel=1e-9)
    assert offered.epsilon == pytest.approx(without.epsilon)
    if factor is not None:
        assert found == pytest.approx(factor, rel=1e-3)
        return
    before, after = (precisions(each)[0] for each in (without, offered))
    assert "mean" not in str(privacy) or before.kind == after.kind == MEAN
    assert found == pytest.approx(after.variance / before.variance, rel=1e-9)


def test_the_cost_of_declining_solves_no_programme(monkeypatch):
    """The builder asks for it after every key."""
    tables = both("number", MEAN_GOAL, **RANGE)
    numbers.optimal_mean_table.cache_clear()
    monkeypatch.setattr(numbers, "optimal_mean_weights", None)
    assert all(factor_for_declining(each) > 1 for each in tables)


def test_without_a_randomizer_declining_costs_nothing():
    for entry in (yes_no("a", privacy="none"), yes_no("a", privacy="not_sent")):
        question = parse_survey(definition(entry, yes_no("b"))).questions[0]
        assert factor_for_declining(question) is None
