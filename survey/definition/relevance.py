"""Relevance: the conditions under which a question is asked, or a choice is offered.

The rule runs in the respondent's page, on true answers. A question that is not asked still gets an
answer: "not asked", or the one that the designer names. This answer goes through the randomizer
too, so the reports do not reveal the path through the survey.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from survey.core.errors import DefinitionError
from survey.definition.choices import NOT_ASKED, Choice
from survey.definition.questions import Question
from survey.definition.types.number import overlap

# Names of experimental arms, by the name of the question that draws them.
Arms = Mapping[str, frozenset[str]]


def parse_relevance(value: Any, earlier: Sequence[Question], place: str) -> dict[str, Any]:
    """A question's condition in its canonical form.

    `{"smokes": ["yes"], "age": {"min": 18}}` requires all of its entries, and one value of each
    list. The names are those of earlier questions. For boxes, one of the listed boxes must be
    ticked.

    Raises DefinitionError.
    """
    if not isinstance(value, Mapping) or not value:
        raise DefinitionError(place, 'must be an object such as {"smokes": "yes"}.')
    earlier_by_name = {question.name: question for question in earlier}
    parsed: dict[str, Any] = {}
    for name, condition in value.items():
        where = f"{place}.{name}"
        parent = earlier_by_name.get(name)
        if parent is None:
            raise DefinitionError(where, "is not an earlier question with answers.", "unknown")
        parsed[name] = parent.kind.parse_condition(condition, parent.offered, where)
    return parsed


def combine_conditions(
    section: Mapping[str, Any],
    own: Mapping[str, Any],
    earlier: Sequence[Question],
    place: str,
) -> dict[str, Any]:
    """The condition of a question in a section: that of the section and its own, together.

    Both are in canonical form. Combining the result with that of the section gives the result.

    Parameters
    ----------
    own : the condition of the question, possibly empty
    earlier : the questions before it, which the conditions name

    Raises DefinitionError if no answer meets both conditions, or if one condition cannot express
    both.
    """
    both = {**section, **own}
    for parent in earlier:
        name = parent.name
        if name not in section or name not in own:
            continue
        both[name] = parent.kind.both_conditions(section[name], own[name])
        if both[name] is None:
            raise DefinitionError(
                f"{place}.{name}",
                "cannot hold together with the condition of its section. Change one of them.",
                "section",
            )
    return both


def always_asked_if(
    relevant: Mapping[str, Any] | None, questions: Sequence[Question]
) -> Sequence[Question]:
    """The questions as they are for respondents who meet a condition.

    If the condition implies that a question is asked, the question is without its own condition.
    """
    if relevant is None:
        return questions
    held, found = dict(relevant), list[Question]()
    for question in reversed(questions):
        own = question.relevant or {}
        implied = own and all(implies(held.get(name), own[name]) for name in own)
        # Nobody meets a condition on a question that is not asked.
        if question.name in held or (implied and not question.may_be_empty):
            held = {**own, **held}
            kept = tuple(each for each in question.special_answers if each.name != NOT_ASKED)
            question = replace(
                question,
                relevant=None,
                otherwise=None,
                special_answers=kept,
                may_be_empty=False,
            )
        found.append(question)
    return found[::-1]


def may_offer_none(
    choices: Sequence[Choice], relevant: Mapping[str, Any] | None, earlier: Sequence[Question]
) -> bool:
    """Whether respondents who meet the condition of a question may be offered none of its choices.

    This is exact if the conditions of all choices are on the same earlier question. If they are on
    several questions, Candor tries no combinations of answers, and the result is True.
    """
    conditions = [choice.relevant for choice in choices]
    names = {name for condition in conditions for name in condition or ()}
    if not conditions or None in conditions or len(names) != 1:
        return bool(conditions) and None not in conditions
    [name] = names
    parent = next(each for each in always_asked_if(relevant, earlier) if each.name == name)
    if parent.relevant is not None or parent.may_be_empty:
        return True
    allowed = (relevant or {}).get(name)
    offering = [condition[name] for condition in conditions if condition is not None]
    return not parent.kind.are_all_covered(parent, offering, allowed)


def implies(one: Any, other: Any) -> bool:
    """Whether every answer that meets the first condition on a question meets the other one."""
    if one is None:
        return False
    if isinstance(one, Mapping):
        return overlap(one, other) == one
    return {*one} <= {*other}


def meets_unasked(answer: Any, condition: Any) -> bool:
    """Whether the answer of respondents who are not asked a question meets a condition on it."""
    if answer is None:
        return False
    if isinstance(condition, Mapping):
        return bool(condition.get("min", -math.inf) <= answer <= condition.get("max", math.inf))
    return any(each in condition for each in (answer if isinstance(answer, list) else [answer]))


def arms_in_both(one: Arms, other: Arms) -> Arms:
    """The arms that are in both; a question that only one of them names keeps its arms."""
    both = {name: one.get(name, arms) & arms for name, arms in other.items()}
    return {**one, **both}


def arms_asking(questions: Sequence[Question]) -> dict[str, Arms]:
    """The arms in which each question can be asked (`arms_meeting`), by the question's name."""
    found: dict[str, Arms] = {}
    # A condition names earlier questions only, so their arms are known.
    for question in questions:
        found[question.name] = arms_meeting(question.relevant, questions, found)
    return found


def arms_meeting(
    relevant: Mapping[str, Any] | None, questions: Sequence[Question], found: Mapping[str, Arms]
) -> Arms:
    """The arms in which a condition can be met, for each arm that it depends on.

    A condition on another question depends on the arms that ask this other question (`found`),
    unless people who are not asked it meet the condition with the answer of `otherwise`.
    """
    arms: Arms = {}
    for parent in questions:
        # The builder's preview leaves out incomplete questions.
        condition = (relevant or {}).get(parent.name)
        if condition is None or meets_unasked(parent.otherwise, condition):
            continue
        arms = arms_in_both(arms, found.get(parent.name, {}))
        if parent.is_arm:
            arms = arms_in_both(arms, {parent.name: frozenset(condition)})
    return arms
