"""Surveys with joint questions, for the planner."""

from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no

UNSENT = "not_sent"


def unsent(name, **rest):
    return yes_no(name, UNSENT, f"{name}?") | rest


def joint(epsilon, *names):
    return {
        "name": "habits",
        "type": "joint",
        "label": "Habits",
        "derived": {"joint": list(names)},
        "privacy": {"epsilon": epsilon},
    }


def surveyed(*questions, **rest):
    return parse_survey(definition(*questions, **rest))


# Experimental arms, a condition, a derived number, a joint question, and questions to join.
EVERYTHING = surveyed(
    {
        "name": "arm",
        "type": "select_one",
        "label": "Version",
        "choices": [{"name": "a", "label": "A"}, {"name": "b", "label": "B"}],
        "derived": {"random": {"a": 1, "b": 1}},
        "privacy": "none",
    },
    unsent("smokes"),
    unsent("cigars", relevant={"smokes": "yes"}),
    {
        "name": "drinks",
        "type": "scale",
        "label": "drinks?",
        "choices": [{"name": name, "label": name} for name in ("never", "rarely", "often")],
        "prefer_not_to_say": True,
        "privacy": UNSENT,
    },
    {
        "name": "acts",
        "type": "number",
        "min": 0,
        "max": 2,
        "label": "Acts",
        "derived": {"count": {"smokes": ["yes"], "cigars": ["yes"]}},
        "privacy": {"epsilon": 1},
    },
    joint(2, "smokes", "cigars", "drinks"),
    yes_no("one", {"epsilon": 1}, "One?"),
    yes_no("two", {"epsilon": 1}, "Two?") | {"relevant": {"arm": "a"}},
)
