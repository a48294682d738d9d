"""The questions behind a joint question, each as a question with a table of its own.

They are named as in analyses, such as `habits/drinks`: one question can be behind several joint
questions.

A report on a joint question is a combination of answers, so its parts are reports on the single
questions. In k-ary randomised response, the probability of a part depends on the answer to its
question only. With odds t:l over m combinations, and c combinations that have the part y,

    Pr(part y | answer x) = (c l + (t - l) [x = y]) / (t + (m - 1) l).

The integers are sums of the joint table's integers, so the table is exact. It protects one answer
from someone who knows nothing of the others. Someone who knows them learns as much as the joint
table permits, so pages state the privacy loss of the joint question.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from survey.core.randomizer import Randomizer
from survey.definition.choices import JointAnswer
from survey.definition.questions import Question
from survey.definition.survey import Survey


def parts_at(joint: Question, place: int) -> list[str]:
    """The name of the answer to the question at this place, in each combination."""
    return [each.parts[place].name for each in joint.choices if isinstance(each, JointAnswer)]


def item_question(joint: Question, item: Question, place: int) -> Question:
    """The question at this place of a joint question, as if its part were a report of its own.

    Raises TypeError if the joint question has no table.
    """
    if joint.table is None:
        raise TypeError(f"{joint.name} has no table.")
    parts, names = parts_at(joint, place), [answer.name for answer in item.answers]
    rows = []
    for name in names:
        sums = Counter[str]()
        for part, entry in zip(parts, joint.table.rows[parts.index(name)], strict=True):
            sums[part] += entry
        rows.append(tuple(sums[each] for each in names))
    return replace(
        item,
        name=f"{joint.name}/{item.name}",
        randomizer=Randomizer(tuple(rows)),
        privacy=joint.privacy,
        sent=True,
    )


def item_questions(survey: Survey, joint: Question) -> tuple[Question, ...]:
    """The questions behind a joint question with their tables; none for other questions."""
    items = enumerate(survey.items_of(joint))
    return tuple(item_question(joint, item, place) for place, item in items)


def item_counts(
    joint: Question, item: Question, place: int, counts: Mapping[int, int]
) -> dict[int, int]:
    """The number of reports with each answer to the question at this place, by its code."""
    found = Counter[int]()
    for code, part in enumerate(item_codes(joint, item, place)):
        found[part] += counts.get(code, 0)
    return dict(found)


def item_codes(joint: Question, item: Question, place: int) -> list[int]:
    """For each report of the joint question, the code of its part at this place."""
    names = [answer.name for answer in item.answers]
    return [names.index(part) for part in parts_at(joint, place)]
