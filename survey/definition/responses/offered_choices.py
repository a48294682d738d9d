"""Whether the choices in a response were offered, given its other non-private answers.

These conditions are on non-private answers only, which the response has as they are. So the server
can check them, as the page does (static/respondent/questions.js).
"""

import math
from collections.abc import Mapping
from typing import Any

from survey.core.errors import WrongReport
from survey.definition.questions import Question
from survey.definition.report_formats import Stored

Known = Mapping[str, Question]
# The stored report to each question, by name.
Reports = Mapping[str, Stored | None]


def answer_meets_condition(parent: Question, value: Stored | None, condition: Any) -> bool:
    """Whether a non-private answer satisfies the condition of another question."""
    if value is None:
        return False
    if parent.kind.boxes:
        ticked = zip(parent.answers, str(value), strict=True)
        return any(bit == "1" and box.name in condition for box, bit in ticked)
    if parent.grid is None:
        return parent.answers[int(value)].name in condition
    if int(value) >= parent.grid.size:
        return False
    number = float(parent.grid.value(int(value)))
    low, high = condition.get("min", -math.inf), condition.get("max", math.inf)
    return bool(float(low) - 1e-9 <= number <= float(high) + 1e-9)


def conditions_hold(conditions: Mapping[str, Any], known: Known, reports: Reports) -> bool:
    """Whether the non-private answers meet all conditions. Nobody meets one on a question that is
    not asked."""
    return all(
        answer_meets_condition(known[name], reports[name], condition)
        and was_asked(known[name], known, reports)
        for name, condition in conditions.items()
    )


def was_asked(question: Question, known: Known, reports: Reports) -> bool:
    """Whether the page asked a non-private question."""
    if not conditions_hold(question.relevant or {}, known, reports):
        return False
    return not question.may_be_empty or any(
        conditions_hold(condition, known, reports) for condition, _ in question.choice_conditions
    )


def require_offered(known: Known, reports: Reports) -> None:
    """Refuse choices that the page did not offer. Raises WrongReport.

    Parameters
    ----------
    known : the questions of the response by name
    """
    for name, question in known.items():
        wrong = any(
            is_chosen(question, str(reports[name]), place)
            and not conditions_hold(condition, known, reports)
            for condition, places in question.choice_conditions
            for place in places
        )
        # Who is not asked has the answer that the designer set, which may have such a choice.
        if wrong and (question.otherwise is None or was_asked(question, known, reports)):
            raise WrongReport(name, "a choice is not offered with these other answers.")


def is_chosen(question: Question, report: str, place: int) -> bool:
    """Whether a non-private answer includes the choice at a place."""
    return report[place] == "1" if question.kind.boxes else report == str(place)
