"""Experimental arms in plans: which questions an arm asks, and of which share of respondents.

The page draws an arm with known weights and stores it as it is (`random` in
survey/definition/derived_answers.py). So the share of respondents in an arm is known before data
collection, and their reports can be analysed on their own. Whether an answer of a respondent meets
a condition is not known.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from survey.definition.choices import names_of
from survey.definition.questions import Question
from survey.definition.survey import Survey

# Names of arms, by the name of the question that draws them.
Arms = Mapping[str, frozenset[str]]
MAX_DRAWS = 1_000


def independent_arms(survey: Survey) -> list[Question]:
    """The questions that draw an arm for every respondent, without a condition."""
    return [question for question in survey.derived if question.is_arm and not question.relevant]


def arm_probabilities(question: Question) -> dict[str, Fraction]:
    """The exact probability of each arm that a question draws."""
    weights = (question.derived or {})["random"]
    return {name: Fraction(weight, sum(weights.values())) for name, weight in weights.items()}


def meets_unasked(answer: Any, condition: Any) -> bool:
    """Whether the answer of respondents who are not asked a question meets a condition on it."""
    if answer is None:
        return False
    if isinstance(condition, Mapping):
        return bool(condition.get("min", -math.inf) <= answer <= condition.get("max", math.inf))
    return any(each in condition for each in (answer if isinstance(answer, list) else [answer]))


def narrowed(one: Arms, other: Arms) -> Arms:
    """The arms that are in both; a question that only one of them names keeps its arms."""
    both = {name: one.get(name, arms) & arms for name, arms in other.items()}
    return {**one, **both}


def arms_that_ask(question: Question, survey: Survey) -> Arms:
    """The arms in which a question can be asked, for each arm that its condition depends on.

    A condition on another question depends on the arms that ask this other question, unless people
    who are not asked it meet the condition with the answer of `otherwise`.
    """
    if question.relevant is None or not any(each.is_arm for each in survey.derived):
        return {}
    found: dict[str, Arms] = {}
    known = {each.name: each for each in survey.questions}

    def asking(relevant: Mapping[str, Any] | None) -> Arms:
        arms: Arms = {}
        for name, condition in (relevant or {}).items():
            parent = known.get(name)
            # The builder's preview leaves out incomplete questions.
            if parent is None or meets_unasked(parent.otherwise, condition):
                continue
            arms = narrowed(arms, found.get(name, {}))
            if parent.is_arm:
                arms = narrowed(arms, {name: frozenset(condition)})
        return arms

    # A condition names earlier questions only, so their arms are known.
    for each in survey.questions:
        if each.relevant is not None:
            found[each.name] = asking(each.relevant)
    return asking(question.relevant)


def share_in_arms(question: Question, survey: Survey | None) -> Fraction:
    """The exact share of respondents in the arms that ask a question; 1 without such arms.

    It is 0 if the conditions need two arms that exclude each other.
    """
    if survey is None:
        return Fraction(1)
    drawing = {each.name: arm_probabilities(each) for each in survey.derived if each.is_arm}
    shares = (
        sum((drawing[name][arm] for arm in arms), Fraction(0))
        for name, arms in arms_that_ask(question, survey).items()
    )
    return math.prod(shares, start=Fraction(1))


def asked_together(questions: Sequence[Question], survey: Survey) -> bool:
    """Whether a respondent can be asked all of these questions."""
    arms: Arms = {}
    for question in questions:
        arms = narrowed(arms, arms_that_ask(question, survey))
    return all(arms.values())


def only_arms_decide(question: Question, survey: Survey) -> bool:
    """Whether arms alone decide who is asked a question with a condition."""
    independent = {each.name for each in independent_arms(survey)}
    return question.relevant is not None and set(question.relevant) <= independent


def draws(survey: Survey) -> Iterator[tuple[Fraction, dict[str, str]]]:
    """All combinations of arms that one respondent can get, each with its probability.

    With more than `MAX_DRAWS` combinations, the last arms are left out. Arms with a condition are
    left out too. Without arms, there is one empty combination.
    """
    arms: list[Question] = []
    for question in independent_arms(survey):
        if math.prod(len(each.choices) for each in (*arms, question)) <= MAX_DRAWS:
            arms.append(question)
    weights = [arm_probabilities(each) for each in arms]
    names: Sequence[Sequence[str]] = [names_of(each.choices) for each in arms]
    for drawn in product(*names):
        probability = math.prod(
            (weights[place][name] for place, name in enumerate(drawn)), start=Fraction(1)
        )
        yield probability, {arm.name: name for arm, name in zip(arms, drawn, strict=True)}
