"""A survey with a joint question: answers that can be declined, and one that few are asked."""

from typing import Any

from tests.support.definitions import definition
from tests.support.derived_survey import unsent

ITEMS = ("drinks", "drives", "smokes")
# Odds of 19:2 over 2 x 3 x 3 combinations, without the six that the condition excludes.
JOINT = {"privacy": {"mechanism": "k_randomized_response", "odds": "19/2"}}


def joint_questions(**rest: Any) -> list[dict[str, Any]]:
    """Two questions of which the second follows the first, a third, and the joint question."""
    return [
        unsent("drinks", "yes_no", prefer_not_to_say=True),
        unsent("drives", "yes_no", relevant={"drinks": ["yes"]}),
        unsent("smokes"),
        joint_question(*ITEMS, **rest),
    ]


def joint_question(*items: str, name: str = "habits", **rest: Any) -> dict[str, Any]:
    """A joint question of these questions."""
    stated = {"name": name, "type": "joint", "label": "Habits", "derived": {"joint": [*items]}}
    return stated | JOINT | rest


def joint_survey(**rest: Any) -> dict[str, Any]:
    return definition(*joint_questions(), slug="joint", **rest)
