"""The protection levels strong, medium and light, as entries `privacy` of a definition."""

from typing import Any

from survey.definition.types import QuestionType

# The ε of each protection level. For two answers, medium is the coin flip, with ratio 3:1.
LEVELS = {"strong": "0.5", "medium": "1", "light": "2"}
MEDIUM = "medium"
COIN_FLIP = {"mechanism": "coin_flip"}


def privacy_of_level(level: str, kind: QuestionType, goal: str = "") -> dict[str, Any]:
    """The protection of a question of this type.

    Parameters
    ----------
    level : a key of LEVELS
    goal : "mean", "shares" or "quantiles"; if empty, the usual goal of the type
    """
    if level == MEDIUM and kind.medium_mechanism:
        return {"mechanism": kind.medium_mechanism}
    if goal == "quantiles" and kind.usual_goal:
        return {"epsilon": LEVELS[level], "goal": goal}
    for_mean = kind.usual_goal and (goal or kind.usual_goal) == "mean"
    return {"epsilon": LEVELS[level]} | ({"goal": "mean"} if for_mean else {})
