"""The columns of the questions behind a joint question, which come from one draw."""

from collections.abc import Sequence

import numpy as np

from survey.analysis.columns.combinations import Combinations, SubsetCombinations
from survey.analysis.columns.single_answer import (
    answer_values,
    bits_of,
    distinct,
    labels,
    report_codes,
)
from survey.analysis.columns.variables import AnalysisColumn, Codes
from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import SubsetSelection
from survey.core.scores import probabilities
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey
from survey.estimation.types.joint_items import item_codes


def joint_item_column(
    survey: Survey, joint: Question, name: str, stored: Sequence[Stored | None]
) -> AnalysisColumn:
    """The column of one question behind a joint question.

    Its reports are what the joint reports say about it. The reports of two of these columns depend
    on each other even given the answers, so the columns keep the whole combinations
    (survey/analysis/columns/factors.py).

    Raises UnanswerableQuestion if there is no such question.
    """
    items = survey.items_of(joint)
    place = next((place for place, item in enumerate(items) if item.name == name), None)
    if place is None:
        raise UnanswerableQuestion(
            "%(question)s has no question %(item)s. Name one of: %(items)s.",
            question=joint.name,
            item=repr(name),
            items=", ".join(f"{joint.name}/{item.name}" for item in items),
        )
    item = items[place]
    sorts = np.array(item_codes(joint, item, place))
    whole = combinations_of(joint, sorts, stored)
    by_part = whole.lump_reports(sorts, len(item.answers))
    if by_part is None:
        raise TypeError(f"The table of {joint.name} is no k-ary randomised response.")
    values = answer_values(item)
    return AnalysisColumn(
        name=f"{joint.name}/{item.name}",
        label=item.label,
        answers=labels(item.answers),
        values=values,
        chances=by_part.chances,
        scores=by_part.scores,
        value_scores=None if values is None else by_part.scores @ np.nan_to_num(values),
        reports=by_part.codes(whole.reports),
        private=True,
        ordered=values is not None,
        special_answers=len(item.special_answers),
        report_names=by_part.names(labels(item.answers)),
        draw=joint.name,
        combinations=whole,
        all_listed=joint.table is not None,
    )


def combinations_of(joint: Question, sorts: Codes, stored: Sequence[Stored | None]) -> Combinations:
    """The reports of a joint question. `sorts` has the answer of one column in each combination."""
    if isinstance(joint.randomizer, SubsetSelection):
        texts, reports = distinct(stored)
        bits = bits_of(texts, joint.randomizer.answers)
        unused = np.empty((len(sorts), 0))
        return SubsetCombinations(
            sorts=sorts,
            reports=reports,
            report_names=tuple(texts),
            chances=unused,
            bits=bits,
            whole=joint.randomizer,
        )
    if joint.table is None:
        raise TypeError(f"{joint.name} has no table.")
    names = labels(joint.reports)
    return Combinations(sorts, report_codes(stored), names, probabilities(joint.table))
