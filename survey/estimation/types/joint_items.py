"""The questions behind a joint question, each as a question with a randomizer of its own.

They are named as in analyses, such as `habits/drinks`: one question can be behind several joint
questions.

A report on a joint question says something about the single questions. Both mechanisms treat all
combinations alike that are not the respondent's own. So what a report says about one question
depends only on the answer to this question:

* In k-ary randomised response, a report is a combination, and its part is the report on a question.
  With a ratio of t:l over m combinations, and c combinations that have the part y,

      Pr(part y | answer x) = (c l + (t - l) [x = y]) / (t + (m - 1) l).

  The integers are sums of the joint table's integers, so the table is exact.
* In subset selection, a report is a set of combinations. The report on a question is the number of
  chosen combinations with each of its answers (`SubsetPart`). It has the integers of the joint
  question.

This randomizer protects one answer from someone who knows nothing of the others. Someone who knows
them learns as much as the joint question permits, so pages state the privacy loss of the joint
question.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from survey.core.factored_randomizers import SubsetPart, SubsetSelection
from survey.core.mechanisms import LocalRandomizer
from survey.core.randomizer import Randomizer
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.definition.types.joint import JointAnswer


def parts_at(joint: Question, place: int) -> list[str]:
    """The name of the answer to the question at this place, in each combination."""
    return [each.parts[place].name for each in joint.choices if isinstance(each, JointAnswer)]


def item_question(joint: Question, item: Question, place: int) -> Question:
    """The question at this place of a joint question, as if its part were a report of its own.

    Raises TypeError if the joint question is not randomised.
    """
    return replace(
        item,
        name=f"{joint.name}/{item.name}",
        randomizer=item_randomizer(joint, item, place),
        privacy=joint.privacy,
        sent=True,
    )


def item_randomizer(joint: Question, item: Question, place: int) -> LocalRandomizer:
    """The randomizer of the question at this place. Raises TypeError as `item_question`."""
    parts, names = parts_at(joint, place), [answer.name for answer in item.answers]
    if isinstance(joint.randomizer, SubsetSelection):
        return SubsetPart(len(names), joint.randomizer, tuple(map(parts.count, names)))
    if joint.table is None:
        raise TypeError(f"{joint.name} has no table.")
    rows = []
    for name in names:
        sums = Counter[str]()
        for part, entry in zip(parts, joint.table.rows[parts.index(name)], strict=True):
            sums[part] += entry
        rows.append(tuple(sums[each] for each in names))
    return Randomizer(tuple(rows))


def item_questions(survey: Survey, joint: Question) -> tuple[Question, ...]:
    """The questions behind a joint question with their randomizers; none for other questions."""
    items = enumerate(survey.items_of(joint))
    return tuple(item_question(joint, item, place) for place, item in items)


def item_counts(
    joint: Question, item: Question, place: int, counts: Mapping[int, int]
) -> dict[int, int]:
    """The counts of the reports on the question at this place, by its codes.

    For subset selection, they are the number of chosen combinations with each answer, and the
    number of those that are not chosen.
    """
    codes = item_codes(joint, item, place)
    if joint.table is None:
        codes = [2 * part + other for part in codes for other in (0, 1)]
    return answer_counts(codes, counts)


def answer_counts(codes: list[int], counts: Mapping[int, int]) -> dict[int, int]:
    """The sums of the counts whose codes have the same code in this list."""
    found = Counter[int]()
    for code, part in enumerate(codes):
        found[part] += counts.get(code, 0)
    return dict(found)


def item_codes(joint: Question, item: Question, place: int) -> list[int]:
    """For each combination of the joint question, the code of its answer at this place."""
    names = [answer.name for answer in item.answers]
    return [names.index(part) for part in parts_at(joint, place)]
