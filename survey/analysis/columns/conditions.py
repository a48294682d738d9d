"""The combinations of answers that a survey's own conditions make impossible.

A respondent is asked a question with a condition only if the earlier answers meet it. Otherwise
the answer is "not asked", or one that the designer chose. Some combinations of answers to two
questions can therefore not occur: their true share is zero (a structural zero).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.types import ANALYSIS
from survey.core.number_grid import Grid
from survey.definition.choices import NOT_ASKED, names_of
from survey.definition.questions import Question
from survey.definition.survey import Survey

Flags = npt.NDArray[np.bool_]
# For each condition on a question, whether its answer meets it.
Met = tuple[bool, ...]
# With more values or cases, no combination counts as impossible.
MAX_VALUES = 5_000
MAX_CASES = 4_000


def with_conditions(survey: Survey, columns: Sequence[AnalysisColumn]) -> list[AnalysisColumn]:
    """The columns with `cases`: the answers that are possible in each case.

    A case says of each question that matters whether it is asked and which conditions of later
    questions its answer meets. Without conditions between the columns, with joined variables, and
    with very many cases, the columns are returned as they are.
    """
    questions = {question.name: question for question in survey.fields}
    names = [column.name.partition("/")[0] for column in columns]
    if any(name not in questions for name in names):
        return list(columns)
    involved = with_parents(names, questions)
    together = [
        name for name in involved if names.count(name) > 1 and survey.items_of(questions[name])
    ]
    if not together and not any(questions[name].relevant for name in involved):
        return list(columns)
    if any(
        grid is not None and grid.size > MAX_VALUES
        for grid in (questions[name].grid for name in involved)
    ):
        return list(columns)
    # Each case has, by question, whether it is asked, and which conditions are met. The flags are
    # the possible answers of each column.
    conditions = conditions_on(involved, questions)
    cases: list[tuple[dict[str, Met | None], dict[int, Flags]]] = [({}, {})]
    for question in survey.fields:
        if question.name not in involved:
            continue
        own = [place for place, name in enumerate(names) if name == question.name]
        next_cases = []
        for known, flags in cases:
            meets_own = is_asked(question, known, conditions)
            # The cases do not say which choices are offered, so there may be none.
            empty = meets_own and question.may_be_empty
            for asked in (True, False) if empty else (meets_own,):
                for met, of_columns in (
                    ANALYSIS[question]
                    .outcomes(asked, conditions[question.name], [columns[place] for place in own])
                    .items()
                ):
                    further = dict(zip(own, of_columns, strict=True))
                    next_cases.append(
                        ({**known, question.name: met if asked else None}, {**flags, **further})
                    )
        if len(next_cases) > MAX_CASES:
            return list(columns)
        cases = next_cases
    return [
        replace(column, cases=np.column_stack([flags[place] for _, flags in cases]))
        for place, column in enumerate(columns)
    ]


def with_parents(names: Sequence[str], questions: Mapping[str, Question]) -> set[str]:
    """These questions, and all on which their conditions depend."""
    involved: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in involved:
            involved.add(name)
            waiting += questions[name].relevant or {}
    return involved


def conditions_on(
    involved: set[str], questions: Mapping[str, Question]
) -> dict[str, list[tuple[str, object]]]:
    """For each question, the conditions on its answer: the later question, and what it requires."""
    conditions: dict[str, list[tuple[str, object]]] = {name: [] for name in involved}
    for name in sorted(involved):
        for parent, condition in (questions[name].relevant or {}).items():
            conditions[parent].append((name, condition))
    return conditions


def is_asked(
    question: Question,
    known: Mapping[str, Met | None],
    conditions: Mapping[str, list[tuple[str, object]]],
) -> bool:
    """Whether a question is asked. Nobody meets a condition on a question that is not asked."""
    for parent in question.relevant or {}:
        met = known[parent]
        place = [later for later, _ in conditions[parent]].index(question.name)
        if met is None or not met[place]:
            return False
    return True


def true_answers(question: Question, asked: bool) -> list[tuple[float | None, str]]:
    """The number, or None, and the name of each answer that is possible."""
    names = names_of(question.offered)
    values: list[tuple[float | None, str]] = []
    if question.grid is not None:
        grid = question.grid
        values = [(float(grid.value(place)), grid[place]) for place in range(grid.size)]
    if asked:
        return [*values, *((None, name) for name in names)]
    if question.otherwise is None:
        return [(None, NOT_ASKED)]
    if question.grid is not None:
        return [(float(question.otherwise), str(question.otherwise))]
    return [(None, question.otherwise)]


def meets(question: Question, number: float | None, name: str, condition: object) -> bool:
    if question.grid is None:
        return isinstance(condition, list) and name in condition
    if number is None or not isinstance(condition, Mapping):
        return False
    low, high = condition.get("min", -np.inf), condition.get("max", np.inf)
    return bool(float(low) - 1e-9 <= number <= float(high) + 1e-9)


def reported_as(
    question: Question, number: float | None, name: str, column: AnalysisColumn
) -> Flags:
    """The answers of the column that a true answer may become, shape (k,).

    A private number is first rounded at random to one of the values around it.
    """
    flags = np.zeros(len(column.answers), dtype=bool)
    if number is not None and column.values is not None:
        width = rounding_width(question.grid, question.levels)
        flags[: column.listed] = np.abs(column.values[: column.listed] - number) < width
        return flags
    special_answers = names_of(question.special_answers)
    if name in special_answers:
        place = column.listed + special_answers.index(name)
        flags[place : place + 1] = True
    elif question.grid is None:
        flags[names_of(question.choices).index(name)] = True
    return flags


def rounding_width(grid: Grid | None, levels: Grid | None) -> float:
    """Numbers nearer than this to a value may be rounded to it."""
    if grid is None:
        return 0.0
    return float(levels.step if levels is not None else grid.step) * (1 - 1e-9)


def possible_cells(columns: Sequence[AnalysisColumn]) -> Flags:
    """Which combinations of answers are possible, shape (cells,) in row-major order."""
    shape = tuple(len(column.answers) for column in columns)
    if any(not column.cases.size for column in columns):
        return np.ones(shape, dtype=bool).reshape(-1)
    together = columns[0].cases
    for column in columns[1:]:
        together = (together[:, np.newaxis] & column.cases).reshape(-1, column.cases.shape[1])
    return np.asarray(together.any(axis=1))
