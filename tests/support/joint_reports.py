"""A survey with a joint question, and reports on it, drawn from its integers."""

from dataclasses import replace

import numpy as np

from survey.analysis.columns.joint_items import joint_item_column
from survey.core.randomizer import Randomizer
from survey.definition.choices import JointAnswer
from survey.definition.survey import parse_survey


def joint_survey(items, epsilon=2.0, odds=None, conditions=None):
    """A survey with these private questions, and the joint question `habits` of all of them.

    Parameters
    ----------
    items : dict from names to the numbers of their answers; two answers are Yes and No. A name that
        ends with ? also has "prefer not to say".
    conditions : for a name, the one that must have the answer Yes
    odds : replaces ε; the answer is that much more likely than any other
    """
    questions = []
    for name, answers in items.items():
        asked = {"name": name.rstrip("?"), "label": f"What of {name}", "privacy": "not_sent"}
        asked["type"] = "yes_no" if answers == 2 else "select_one"
        if answers > 2:
            asked["choices"] = [{"name": c, "label": c.upper()} for c in "abcdef"[:answers]]
        if name.endswith("?"):
            asked["prefer_not_to_say"] = True
        if conditions and asked["name"] in conditions:
            asked["relevant"] = {conditions[asked["name"]]: "yes"}
        questions.append(asked)
    names = [each["name"] for each in questions]
    joint = {"name": "habits", "type": "joint", "label": "Habits", "derived": {"joint": names}}
    questions.append(joint | {"privacy": {"epsilon": epsilon}})
    survey = parse_survey(
        {
            "slug": "habits",
            "title": "Habits",
            "language": "en",
            "budget": {"epsilon": max(3, epsilon)},
            "questions": questions,
        }
    )
    question = survey.questions[-1]
    if odds is not None:
        count = question.table.answers
        rows = tuple(tuple(odds if x == y else 1 for y in range(count)) for x in range(count))
        question = replace(question, randomizer=Randomizer(rows))
    return survey, question


def combinations_of(question):
    """The places of the items' answers in each combination, shape (m, items)."""
    parts = [each.parts for each in question.choices if isinstance(each, JointAnswer)]
    columns = []
    for item in zip(*parts, strict=True):
        names = list(dict.fromkeys(each.name for each in item))
        columns.append([names.index(each.name) for each in item])
    return np.array(columns).T


def transitions(question):
    """Pr(report | combination)."""
    return np.array(question.table.rows, dtype=float) / question.table.total


def report_on(generator, question, answers):
    """A report on each true combination."""
    chances = np.cumsum(transitions(question), axis=1)
    return (generator.random((len(answers), 1)) > chances[answers, :-1]).sum(axis=1)


def columns_of(survey, question, reports, names):
    """The columns of some of its questions."""
    return [joint_item_column(survey, question, name, reports.tolist()) for name in names]
