"""The advice to ask each respondent only some private questions, applied to a draft."""

import math

from survey.core.translate import translate_number, translate_plural
from survey.definition.certainty import epsilon_text
from survey.definition.survey import Survey, parse_survey
from survey.planning.privacy_text import best_number_of_questions

# The goals of mechanisms that are for a goal.
GOALS = {"optimal_mean": "mean", "optimal_quantiles": "quantiles"}


def sample_questions(survey: Survey) -> Survey:
    """The survey in which each respondent reports on the best number of private questions.

    Each private question gets an equal part of the total privacy loss ε, rounded down to two
    decimals, so the total does not grow. Its mechanism is the most accurate one for this ε.

    Raises DefinitionError, for example if the survey has the paper-and-coin mode.
    """
    sample, epsilon = best_number_of_questions(survey), sampled_epsilon(survey)
    content = survey.as_definition()
    content["budget"] = content.get("budget", {}) | {"per_respondent": {"sample": sample}}
    private = {question.name: question for question in survey.private}
    for entry in content["questions"]:
        if question := private.get(entry["name"]):
            goal = GOALS.get(question.mechanism)
            entry["privacy"] = {"epsilon": epsilon} | ({"goal": goal} if goal else {})
    return parse_survey(content)


def sampled_epsilon(survey: Survey) -> float:
    """The privacy loss ε of each private question if the advice is applied."""
    return math.floor(100 * survey.epsilon / best_number_of_questions(survey)) / 100


def sampled_epsilon_text(survey: Survey) -> str:
    """The same in the language of the page."""
    return translate_number(f"{sampled_epsilon(survey):.2f}")


def raised_loss_sentence(survey: Survey) -> str:
    """How many questions the advice protects less, with the largest increase of ε; or nothing."""
    after = sampled_epsilon(survey)
    raised = [question for question in survey.private if question.epsilon < after]
    if not raised:
        return ""
    least = min(raised, key=lambda question: question.epsilon)
    return translate_plural(
        "Another drawback: ε of %(n)s private question rises, so it is protected less. The largest "
        "increase is that of “%(question)s”, from %(before)s to at most %(after)s.",
        "Another drawback: ε of %(n)s private questions rises, so they are protected less. The "
        "largest increase is that of “%(question)s”, from %(before)s to at most %(after)s.",
        len(raised),
        question=least.label,
        before=translate_number(epsilon_text(least.epsilon)),
        after=sampled_epsilon_text(survey),
    )
