"""Surveys with a joint question: definitions, and one for the planner."""

from typing import Any

from survey.definition.survey import Survey, parse_survey
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import unsent
from tests.support.every_type import asked, letters

ITEMS = ("drinks", "drives", "smokes")
# Odds of 19:2 over 2 x 3 x 3 combinations, without the six that the condition excludes.
JOINT = {"privacy": {"mechanism": "k_randomized_response", "odds": "19/2"}}


def joint_question(*items: str, name: str = "habits", **rest: Any) -> dict[str, Any]:
    """A joint question of these questions."""
    stated = {"name": name, "type": "joint", "label": "Habits", "derived": {"joint": [*items]}}
    return stated | JOINT | rest


def joint_questions(**rest: Any) -> list[dict[str, Any]]:
    """Two questions of which the second follows the first, a third, and the joint question.

    Answers to the first can be declined, and few are asked the second.
    """
    return [
        unsent("drinks", "yes_no", prefer_not_to_say=True),
        unsent("drives", "yes_no", relevant={"drinks": ["yes"]}),
        unsent("smokes"),
        joint_question(*ITEMS, **rest),
    ]


def joint_survey(**rest: Any) -> dict[str, Any]:
    return definition(*joint_questions(), slug="joint", **rest)


TWO = (
    unsent("drinks", "yes_no", label="Do you drink?"),
    unsent("smokes", label="How often do you smoke?"),
    joint_question("drinks", "smokes", label="Drinking and smoking", privacy={"epsilon": 2.2}),
)
WITH_OTHERS = (
    *joint_questions(),
    asked("region", "select_one", "none", choices=letters("ns")),
    yes_no("cheated", {"epsilon": 1}, "Did you cheat?"),
)


# --- for the planner


def surveyed(*questions: dict[str, Any], **rest: Any) -> Survey:
    return parse_survey(definition(*questions, **rest))


# Experimental arms, a condition, a derived number, a joint question, and questions to join.
EVERYTHING = surveyed(
    asked("arm", "select_one", "none", choices=letters("ab"), derived={"random": {"a": 1, "b": 1}}),
    unsent("smokes", "yes_no", label="smokes?"),
    unsent("cigars", "yes_no", label="cigars?", relevant={"smokes": "yes"}),
    unsent("drinks", "scale", label="drinks?", prefer_not_to_say=True),
    asked("acts", "number", {"epsilon": 1}, min=0, max=2,
          derived={"count": {"smokes": ["yes"], "cigars": ["yes"]}}),
    joint_question("smokes", "cigars", "drinks", privacy={"epsilon": 2}),
    yes_no("one", {"epsilon": 1}, "One?"),
    yes_no("two", {"epsilon": 1}, "Two?") | {"relevant": {"arm": "a"}},
)  # fmt: skip
