"""The sum of the points of several questions, as one column.

Each report has an unbiased score for the points of its answer. The score of a respondent's sum is
the sum of these scores, so its mean is unbiased, and its variance between respondents includes the
covariance of the questions. Scores of different draws are independent given the answers, so
products of them are unbiased too (survey/analysis/columns/factors.py has those of one draw).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from survey.analysis.columns.answer_scores import scores_for
from survey.analysis.columns.available import AnalysableVariable, analysable_variables
from survey.analysis.columns.factors import Factor, factors_of
from survey.analysis.columns.joined import PLUS, check_apart
from survey.analysis.columns.sample_means import require_common_sample
from survey.analysis.columns.variables import MISSING, AnalysisColumn, Codes, SummedDraws
from survey.core.errors import DefinitionError, UnanswerableQuestion
from survey.core.scores import Array
from survey.core.translate import translate, translate_number
from survey.core.typed_lines import named_lines, points_of_line
from survey.definition.choices import NOT_ASKED, names_of
from survey.definition.derived_answers import usual_points
from survey.definition.survey import Survey
from survey.definition.types.registry import whole_points

# No question can have this name.
SUM = "@sum"
# With more different scores, only those that occur are listed.
MAX_SUM_CODES = 1_000
# The limit of combinations of reports that are compared in memory.
MAX_COMPARED_REPORTS = 200_000
# Scores whose first nine digits agree are equal.
SCORE_DIGITS = 9


def name_of_sum(items: Sequence[str], points: str) -> str:
    """The name of the sum of some variables, with typed points.

    A line or a part that ends with ";" has the points of one variable: "phq1: never 0, often 3" or,
    for a number or a box, "age: 2".
    """
    return "\n".join([SUM, " ".join(dict.fromkeys(items)), points])


def is_sum(name: str) -> bool:
    return name.startswith(f"{SUM}\n")


def summed_names(name: str) -> list[str]:
    """The variables of a sum."""
    return name.split("\n", 2)[1].split()


def summable_variables(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The variables whose answers can have points."""
    return tuple(
        each
        for each in analysable_variables(survey)
        if not (each.question.is_arm or each.question.kind.ranks or each.question.kind.secret_fact)
    )


@dataclass(frozen=True)
class ItemPoints:
    """The points of the answers to one question of a sum.

    Attributes
    ----------
    points : ndarray, shape (k,)
        Zero for special answers.
    counted : ndarray, shape (k,)
        1, or 0 for the answers of respondents who do not count: "prefer not to say".
    ends : tuple of float
        The smallest and the largest possible points of respondents who count.
    text : the points as a table shows them
    """

    points: Array
    counted: Array
    ends: tuple[float, float]
    text: str


def sum_column(survey: Survey, name: str, columns: Sequence[AnalysisColumn]) -> AnalysisColumn:
    """The column of a sum, from those of its variables, in order.

    Respondents who prefer not to answer one of the questions do not count. A question that is not
    asked has 0 points, or those of `otherwise`, as in derived answers.

    Raises UnanswerableQuestion if points are wrong or missing, if a question is in two of the
    variables, or if no response has a report on all of them. Also as `scores_for`.
    """
    names = summed_names(name)
    check_apart(names)
    require_common_sample(columns)
    variables = {each.name: each for each in analysable_variables(survey)}
    typed = typed_points(name)
    items = [
        points_of_item(variables[each], column, typed.get(each))
        for each, column in zip(names, columns, strict=True)
    ]
    require_any_report(columns)
    factors = factors_of(columns)
    found = reduce(add_draw, (draw_scores(factor, items) for factor in factors))
    declined = [
        column.answers[place]
        for column, item in zip(columns, items, strict=True)
        for place in np.flatnonzero(item.counted == 0)
    ]
    special = tuple(dict.fromkeys(declined))
    labels = [variables[each].label for each in names]
    draws = SummedDraws(
        items=tuple((label, item.text) for label, item in zip(labels, items, strict=True)),
        columns=tuple(factor.column for factor in factors),
        counted=found.counted,
        ends=(sum(item.ends[0] for item in items), sum(item.ends[1] for item in items)),
        steps=found.steps,
    )
    return AnalysisColumn(
        name=f"{SUM}: {', '.join(names)}",
        label=translate("Sum of %(n)s questions", n=len(names)),
        answers=special,
        values=np.full(len(special), np.nan),
        chances=np.empty((len(special), 0)),
        scores=None,
        value_scores=found.sums,
        reports=found.reports,
        private=any(column.private for column in columns),
        ordered=True,
        special_answers=len(special),
        draw=PLUS.join(factor.column.draw for factor in factors),
        all_listed=found.all_listed,
        designs=found.designs if found.designs.any() else np.zeros(0, dtype=np.int64),
        summed=draws,
    )


def require_any_report(columns: Sequence[AnalysisColumn]) -> None:
    """Require a response with a report on each column. Raises UnanswerableQuestion."""
    if not len(columns[0].reports):
        raise UnanswerableQuestion(translate("No responses are published yet."))
    if not np.logical_and.reduce([column.reported for column in columns]).any():
        raise UnanswerableQuestion(
            translate(
                "No response has a report on all questions of the sum, because each respondent "
                "reports on only some of the questions. Choose fewer questions."
            )
        )


# --- points


def typed_points(name: str) -> dict[str, str]:
    """The typed points of each variable of a sum. Raises UnanswerableQuestion."""
    text = name.split("\n", 2)[2].replace(";", "\n")
    names = summed_names(name)
    try:
        typed = dict(named_lines(text, ""))
    except DefinitionError as error:
        raise UnanswerableQuestion(str(error)) from error
    unknown = next((each for each in typed if each not in names), None)
    if unknown is not None:
        raise UnanswerableQuestion(
            translate(
                "The points name “%(name)s”, which is not a question of the sum. Tick it, or "
                "delete its line. The questions are: %(names)s.",
                name=unknown,
                names=", ".join(names),
            )
        )
    return typed


def points_of_item(
    variable: AnalysableVariable, column: AnalysisColumn, typed: str | None
) -> ItemPoints:
    """The points of the answers in a column, typed or the usual ones.

    Raises UnanswerableQuestion.
    """
    question = variable.question
    try:
        points = parsed_points(variable, typed)
    except DefinitionError as error:
        raise UnanswerableQuestion(str(error)) from error
    if question.kind.numeric:
        values = np.nan_to_num(np.asarray(column.values))[: column.listed]
        grid = question.number_grid
        own = values * points
        possible = [float(grid.low) * points, float(grid.high) * points]
        text = translate("number × %(n)s", n=points_label(points))
    else:
        by_answer = (
            [points, 0] if question.kind.boxes else [points[each.name] for each in question.choices]
        )
        own = np.array(by_answer, dtype=np.float64)
        possible = own.tolist()
        pairs = zip(column.answers, by_answer, strict=False)
        text = translate(", ").join(f"{label} {points_label(each)}" for label, each in pairs)
    special = names_of(question.special_answers)[: column.special_answers]
    asked_counts = [float(each == NOT_ASKED) for each in special]
    possible += [0.0] if any(asked_counts) else []
    return ItemPoints(
        np.append(own, np.zeros(column.special_answers)),
        np.append(np.ones(column.listed), asked_counts),
        (min(possible), max(possible)),
        text,
    )


def points_label(points: int) -> str:
    return translate_number(f"{points:,}").replace("-", "−")


def parsed_points(variable: AnalysableVariable, typed: str | None) -> Any:
    """The points of each choice by its name, or the factor of a number or a box.

    Raises DefinitionError, or UnanswerableQuestion if there are no usual points.
    """
    question = variable.question
    has_factor = question.kind.numeric or question.kind.boxes
    if typed:
        points = points_of_line(variable.name, typed, "")
        check = (
            whole_points if has_factor else partial(question.kind.parse_points, question=question)
        )
        return check(points, place=variable.name)
    usual = 1 if has_factor else usual_points(question)
    if usual is None:
        names = ", ".join(f"{each.name} {place}" for place, each in enumerate(question.choices))
        raise UnanswerableQuestion(
            translate(
                "The answers to “%(question)s” have no usual points. Type points, such as: "
                "%(points)s",
                question=question.label,
                points=f"{variable.name}: {names}",
            )
        )
    return usual


# --- scores


@dataclass(frozen=True, kw_only=True)
class ScoredSums:
    """The scores of the sum of some draws.

    Attributes
    ----------
    sums, counted : ndarray, shape (codes,)
        Scores of the sum, which is 0 for respondents who do not count, and of counting.
    designs : ndarray of int, shape (codes,), the design of each code
    reports : ndarray of int, shape (n,), -1 if a report is missing
    steps : tuple of ndarray
        For each draw but the first, the code of each pair of a code before it and its own.
    all_listed : bool
        Whether there is a code for all possible reports.
    """

    sums: Array
    counted: Array
    designs: Codes
    reports: Codes
    steps: tuple[Codes, ...]
    all_listed: bool


def draw_scores(factor: Factor, items: Sequence[ItemPoints]) -> ScoredSums:
    """The scores of one draw, on one or several questions. Raises UnanswerableQuestion."""
    own, column = [items[axis] for axis in factor.axes], factor.column
    counted = reduce(np.multiply.outer, [item.counted for item in own]).reshape(-1)
    points = reduce(np.add.outer, [item.points for item in own]).reshape(-1)
    sums = scores_for(column, points * counted)
    designs = column.designs if len(column.designs) else np.zeros(len(sums), dtype=np.int64)
    among = scores_for(column, counted)
    return ScoredSums(
        sums=sums,
        counted=among,
        designs=designs,
        reports=column.reports,
        steps=(),
        all_listed=column.all_listed,
    )


def add_draw(first: ScoredSums, second: ScoredSums) -> ScoredSums:
    """The scores of two independent draws together.

    Reports with the same scores and designs share a code. If there are too many codes, only those
    that occur are kept.
    """
    left, right = len(first.sums), len(second.sums)
    kept = (first.reports >= 0) & (second.reports >= 0)
    pairs = first.reports[kept] * right + second.reports[kept]
    is_complete = left * right <= MAX_COMPARED_REPORTS
    compared = np.arange(left * right) if is_complete else np.unique(pairs)
    a, b = compared // right, compared % right
    sums = first.sums[a] * second.counted[b] + first.counted[a] * second.sums[b]
    counted = first.counted[a] * second.counted[b]
    designs = first.designs[a] * (second.designs.max() + 1) + second.designs[b]
    alike = np.column_stack([rounded_scores(sums), rounded_scores(counted), designs])
    _, place, code = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    code = code.reshape(-1)
    own = code[np.searchsorted(compared, pairs)]
    steps = (*first.steps, code.reshape(left, right)) if is_complete else ()
    if len(place) > MAX_SUM_CODES:
        used, own = np.unique(own, return_inverse=True)
        place, is_complete, steps = place[used], False, ()
    reports = np.full(len(kept), MISSING)
    reports[kept] = own
    return ScoredSums(
        sums=sums[place],
        counted=counted[place],
        designs=np.unique(designs[place], return_inverse=True)[1].reshape(-1),
        reports=reports,
        steps=steps,
        all_listed=is_complete and first.all_listed and second.all_listed,
    )


def rounded_scores(scores: Array) -> Array:
    """Scores relative to the largest, so that equal ones have equal digits."""
    largest = float(np.abs(scores).max()) or 1.0
    # The addition turns -0 into 0.
    return np.asarray(np.round(scores / largest, SCORE_DIGITS) + 0.0)
