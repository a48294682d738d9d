"""The protection levels of the builder and of XLSForm."""

import pytest

from survey.definition.protection_levels import LEVELS, privacy_of_level
from survey.definition.types import QUESTION_TYPES

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("level", "kind", "goal", "privacy"),
    [
        ("medium", "yes_no", "", {"mechanism": "coin_flip"}),
        ("strong", "yes_no", "", {"epsilon": "0.5"}),
        ("medium", "select_one", "", {"epsilon": "1"}),
        ("light", "number", "", {"epsilon": "2", "goal": "mean"}),
        ("light", "number", "shares", {"epsilon": "2"}),
        ("light", "select_one", "mean", {"epsilon": "2"}),
    ],
)
def test_a_level_is_an_epsilon_with_the_goal_of_the_type(level, kind, goal, privacy):
    assert privacy_of_level(level, QUESTION_TYPES[kind], goal) == privacy


def test_stronger_levels_have_a_smaller_epsilon():
    assert [float(epsilon) for epsilon in LEVELS.values()] == [0.5, 1, 2]
