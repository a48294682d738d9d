"""Whether the choices in a response were offered, given its other non-private answers.

These conditions are on non-private answers only, which the response has as they are. So the server
can check them, as the page does (static/respondent/questions.js).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from survey.core.errors import WrongReport
from survey.definition.questions import Question
from survey.definition.report_formats import Stored


def answer_meets_condition(parent: Question, value: Stored | None, condition: Any) -> bool:
    """Whether a non-private answer satisfies the condition of another question."""
    if value is None:
        return False
    return parent.kind.meets_condition(parent, value, condition)


def require_offered(questions: Sequence[Question], reports: Sequence[Stored | None]) -> None:
    """Refuse choices that the page did not offer. Raises WrongReport.

    Parameters
    ----------
    questions : the questions of the response, in order
    reports : the stored report to each of them
    """
    # The non-private answers of respondents who were asked. Nobody meets a condition on a question
    # that is not asked.
    given = dict[str, tuple[Question, Stored | None]]()

    def hold(conditions: Mapping[str, Any]) -> bool:
        return all(
            name in given and answer_meets_condition(*given[name], condition)
            for name, condition in conditions.items()
        )

    for question, report in zip(questions, reports, strict=True):
        if not question.non_private:
            continue
        held = [(hold(condition), places) for condition, places in question.choice_conditions]
        empty = question.may_be_empty and not any(holds for holds, _ in held)
        asked = hold(question.relevant or {}) and not empty
        if asked:
            given[question.name] = question, report
        # Who is not asked has the answer that the designer set, which may have such a choice.
        elif question.otherwise is not None:
            continue
        if any(
            question.kind.is_chosen(str(report), place)
            for holds, places in held
            if not holds
            for place in places
        ):
            raise WrongReport(question.name, "a choice is not offered with these other answers.")
