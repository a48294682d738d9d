"""The advice to ask each respondent only some private questions, applied to a draft."""

import math

from survey.definition.survey import Survey, parse_survey
from survey.planning.privacy_text import best_number_of_questions


def sample_questions(survey: Survey) -> Survey:
    """The survey in which each respondent reports on the best number of private questions.

    Each private question gets an equal part of the total privacy loss ε, rounded down to two
    decimals, so the total does not grow. Its mechanism is the most accurate one for this ε.

    Raises DefinitionError, for example if the survey has the paper-and-coin mode.
    """
    sample = best_number_of_questions(survey)
    epsilon = math.floor(100 * survey.epsilon / sample) / 100
    content = survey.as_definition()
    content["budget"] = content.get("budget", {}) | {"per_respondent": {"sample": sample}}
    private = {question.name: question for question in survey.private}
    for entry in content["questions"]:
        if question := private.get(entry["name"]):
            for_mean = question.kind.has_mean and question.mechanism == "optimal_mean"
            goal = "mean" if for_mean else None
            if question.mechanism == "optimal_quantiles":
                goal = "quantiles"
            entry["privacy"] = {"epsilon": epsilon} | ({"goal": goal} if goal else {})
    return parse_survey(content)
