"""Convert a survey's responses to the columns of an analysis."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from survey.analysis.columns.joined import PLUS, joined_column, needed_by
from survey.analysis.columns.joint_items import joint_item_column
from survey.analysis.columns.single_answer import number_label
from survey.analysis.columns.summed import is_sum, sum_column, summed_names
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.types import ANALYSIS
from survey.core.errors import UnanswerableQuestion
from survey.core.number_grid import TREE_PARTS
from survey.core.processor_time import require_time
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey

__all__ = ["AnalysisColumn", "SurveyDesign", "columns_by_name", "question_column"]
ROWS_AT_ONCE = 10_000


def question_column(
    question: Question, stored: Sequence[Stored | None], box: str | None = None
) -> AnalysisColumn:
    """The column of a question, or of one of its boxes.

    Parameters
    ----------
    question : Question
    stored : sequence, length n
        The stored report of each response; None if it does not report on the question.
    box : str, optional
        The name of a box. It is required for a `select_multiple`.

    Raises
    ------
    UnanswerableQuestion
        For texts and notes, an unknown box, or a missing name of a box.
    """
    column = ANALYSIS[question].column(stored, box)
    unit = "" if question.grid is None else question.grid.unit
    return replace(column, unit=unit, cuts=cut_points(question))


def cut_points(question: Question) -> tuple[tuple[float, str], ...]:
    """Where a tree may split a number: values, or levels of a private number, with their texts."""
    grid = question.grid if question.non_private else question.levels
    if grid is None:
        return ()
    return tuple(
        (float(grid.value(place)), number_label(grid.value(place), grid))
        for place in grid.cuts(TREE_PARTS)
    )


def columns_by_name(
    survey: Survey, rows: Iterable[tuple[Stored | None, ...]], wanted: Sequence[str]
) -> dict[str, AnalysisColumn]:
    """The columns of some of a survey's questions.

    Parameters
    ----------
    rows : iterable
        The stored reports of each response, in the order of `survey.fields`. It is read piece by
        piece.
    wanted : sequence of str
        Names of questions, `question/box`, `joint question/question`, or `question+question`
        (survey/analysis/columns/joined.py).

    Raises
    ------
    UnanswerableQuestion
        As `question_column`, and if no question has a name.
    """
    stored = stored_of(
        survey, rows, [each for name in wanted for each in source_questions(survey, name)]
    )
    return {name: variable(survey, name, stored) for name in wanted}


def source_questions(survey: Survey, name: str) -> list[str]:
    """The questions whose stored reports the variable with this name needs."""
    if is_sum(name):
        return [each for item in summed_names(name) for each in source_questions(survey, item)]
    return needed_by(survey, name) if PLUS in name else [name.partition("/")[0]]


def variable(
    survey: Survey, name: str, stored: Mapping[str, Sequence[Stored | None]]
) -> AnalysisColumn:
    """The column with this name, from the stored reports of its `source_questions`.

    Raises UnanswerableQuestion as `question_column`, `joined_column` and `sum_column`.
    """
    if is_sum(name):
        return sum_column(
            survey, name, [variable(survey, each, stored) for each in summed_names(name)]
        )
    if PLUS in name:
        return joined_column(survey, name, stored)
    question, _, box = name.partition("/")
    asked_question = next(each for each in survey.fields if each.name == question)
    if box and survey.items_of(asked_question):
        return joint_item_column(survey, asked_question, box, stored[question])
    return question_column(asked_question, stored[question], box or None)


def stored_of(
    survey: Survey, rows: Iterable[tuple[Stored | None, ...]], questions: Iterable[str]
) -> dict[str, list[Stored | None]]:
    """The stored reports to some questions, by name. The rows are read once, piece by piece.

    Raises UnanswerableQuestion if no question has a name.
    """
    fields = {question.name: place for place, question in enumerate(survey.fields)}
    needed: dict[str, list[Stored | None]] = {question: [] for question in questions}
    apart = {question.name for question in survey.apart}
    for question in needed:
        if question in apart:
            raise UnanswerableQuestion(
                "%(question)s is a text, which is stored apart from the other answers.",
                question=question,
            )
        if question not in fields:
            raise UnanswerableQuestion(
                "There is no question %(question)s to analyse. There are: %(questions)s.",
                question=repr(question),
                questions=", ".join(fields),
            )
    remaining = iter(rows)
    while piece := list(islice(remaining, ROWS_AT_ONCE)):
        require_time()
        by_field = list(zip(*piece, strict=True))
        for question, stored in needed.items():
            stored.extend(by_field[fields[question]])
    return needed
