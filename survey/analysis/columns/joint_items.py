"""The columns of the questions behind a joint question, which come from one draw."""

from collections.abc import Sequence

import numpy as np

from survey.analysis.columns.factors import lumped
from survey.analysis.columns.single_answer import answer_values, labels, report_codes
from survey.analysis.columns.variables import AnalysisColumn, Combinations
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import probabilities, scores_of_table
from survey.core.translate import translate
from survey.definition.choices import names_of
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey
from survey.estimation.types.joint_items import parts_at


def joint_item_column(
    survey: Survey, joint: Question, name: str, stored: Sequence[Stored | None]
) -> AnalysisColumn:
    """The column of one question behind a joint question.

    Its reports are the parts of the joint reports. Two of these columns have reports that depend on
    each other even given the answers, so they keep the whole combinations
    (survey/analysis/columns/factors.py).

    Raises UnanswerableQuestion if there is no such question.
    """
    items = survey.items_of(joint)
    place = next((place for place, item in enumerate(items) if item.name == name), None)
    if place is None or joint.table is None:
        raise UnanswerableQuestion(
            translate(
                "%(question)s has no question %(item)s. Name one of: %(items)s.",
                question=joint.name,
                item=repr(name),
                items=", ".join(f"{joint.name}/{item.name}" for item in items),
            )
        )
    item = items[place]
    answers = names_of(item.answers)
    sorts = np.array([answers.index(part) for part in parts_at(joint, place)])
    reports = report_codes(stored)
    whole = Combinations(probabilities(joint.table), sorts, reports, labels(joint.reports))
    scores = scores_of_table(whole.chances, np.eye(len(answers))[sorts])
    by_part = lumped(whole.chances, scores, sorts)
    if by_part is None:
        raise TypeError(f"The table of {joint.name} is no k-ary randomised response.")
    values = answer_values(item)
    return AnalysisColumn(
        f"{joint.name}/{item.name}",
        item.label,
        labels(item.answers),
        values,
        by_part.chances,
        by_part.scores,
        None if values is None else by_part.scores @ np.nan_to_num(values),
        by_part.codes(reports),
        private=True,
        ordered=values is not None,
        extras=len(item.extras),
        report_names=labels(item.answers),
        draw=joint.name,
        combinations=whole,
    )
