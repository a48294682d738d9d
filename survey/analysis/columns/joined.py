"""Joined variables: one variable that respondents were asked in different ways.

An example is `smokes+smokes_direct`. Some respondents were asked directly and others by a
randomizer, or with another table. A code of the joined column stands for a way of asking and a
report. It has its own Pr(report | answer) and its own scores. The mean of the scores is therefore
unbiased and the likelihood correct, whichever way each respondent was asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.single_answer import single_column
from survey.analysis.columns.variables import MISSING, AnalysisColumn
from survey.analysis.types import ANALYSIS
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import scores_of_table
from survey.core.translate import translate
from survey.definition.choices import NOT_ASKED
from survey.definition.questions import Question
from survey.definition.report_formats import Stored
from survey.definition.responses.offered_choices import answer_meets_condition
from survey.definition.survey import Survey

PLUS = "+"
# The limit for pairs of reports on both questions in a table.
MAX_REPORT_PAIRS = 1_000
Flags = npt.NDArray[np.bool_]
AllStored = Mapping[str, Sequence[Stored | None]]


def needed_by(survey: Survey, name: str) -> list[str]:
    """The questions that a joined variable needs.

    They are its own questions, and the non-private ones that determine who was asked them.

    Raises UnanswerableQuestion for questions that cannot be joined.
    """
    questions_by_name = {question.name: question for question in survey.fields}
    names = name.split(PLUS)
    if len(set(names)) < len(names):
        raise UnanswerableQuestion("%(name)s names a question twice.", name=name)
    for each in names:
        question = questions_by_name.get(each.partition("/")[0])
        if question is None:
            raise UnanswerableQuestion(
                "There is no question %(question)s to join, in %(name)s.",
                question=repr(each),
                name=name,
            )
        if "/" in each or not ANALYSIS[question].joins():
            raise UnanswerableQuestion(
                "%(question)s cannot be joined: it is not a single choice.", question=each
            )
    first = questions_by_name[names[0]]
    for each in names[1:]:
        if asked_answer_labels(questions_by_name[each]) != asked_answer_labels(first):
            raise UnanswerableQuestion(
                "%(first)s and %(second)s cannot be joined: their answers are not the same in "
                "the same order (%(first_answers)s, and %(second_answers)s).",
                first=names[0],
                second=each,
                first_answers="; ".join(asked_answer_labels(first)),
                second_answers="; ".join(asked_answer_labels(questions_by_name[each])),
            )
    return [
        *names,
        *(
            parent
            for each in names
            for parent in parents_of(questions_by_name[each], questions_by_name)
        ),
    ]


def joinable(survey: Survey) -> dict[str, Question]:
    """The joined variables of questions with the same text and answers.

    Each comes with the first of its private questions, or else its first question.
    """
    same: dict[tuple[str, ...], list[Question]] = {}
    for question in survey.fields:
        if ANALYSIS[question].joins():
            same.setdefault((question.label, *asked_answer_labels(question)), []).append(question)
    joined_questions = {}
    for questions in same.values():
        name = PLUS.join(question.name for question in questions)
        if len(questions) > 1 and can_be_joined(survey, name):
            joined_questions[name] = next(
                (each for each in questions if not each.non_private), questions[0]
            )
    return joined_questions


def joined_label(survey: Survey, name: str) -> str:
    """The label of a joined variable: that of its first question, and the numbers of all."""
    names = name.split(PLUS)
    places = {question.name: number for number, question in enumerate(survey.fields, start=1)}
    labels = {question.name: question.label for question in survey.fields}
    *others, last = (str(places[each]) for each in names)
    return translate(
        "%(question)s (questions %(numbers)s and %(last)s together)",
        question=labels[names[0]],
        numbers=translate(", ").join(others),
        last=last,
    )


def can_be_joined(survey: Survey, name: str) -> bool:
    try:
        needed_by(survey, name)
    except UnanswerableQuestion:
        return False
    return True


def asked_answer_labels(question: Question) -> list[str]:
    """The labels of the answers of respondents who are asked, as its reports have them."""
    return [answer.label for answer in question.answers if answer.name != NOT_ASKED]


def parents_of(question: Question, known: Mapping[str, Question]) -> list[str]:
    """The questions that determine who is asked a question.

    Raises UnanswerableQuestion if one is private, because its reports do not show who was asked.
    """
    parents = []
    for name in question.depends_on:
        if not known[name].non_private:
            raise UnanswerableQuestion(
                "%(question)s cannot be joined: who was asked depends on %(parent)s, which is "
                "private.",
                question=question.name,
                parent=name,
            )
        parents += [name, *parents_of(known[name], known)]
    return parents


def joined_column(survey: Survey, name: str, stored: AllStored) -> AnalysisColumn:
    """The column of a joined variable, from the stored reports of the questions that it needs.

    Notes
    -----
    A response without a report on any of the questions is missing. A response with reports on
    several private ones counts with all of them. They are independent draws of one answer, with the
    product of their probabilities and the mean of their scores.

    Raises UnanswerableQuestion in three cases. First, a response answers one of the questions
    directly and reports on another: people may answer differently in public and under protection,
    so there is no single answer to estimate. Second, the answers differ between the questions.
    Third, the reports determine only the mean.
    """
    questions_by_name = {question.name: question for question in survey.fields}
    questions = [questions_by_name[each] for each in name.split(PLUS)]
    columns = [alone(question, questions_by_name, stored) for question in questions]
    for place, other in enumerate(columns):
        for column in columns[:place]:
            both = int((column.reported & other.reported).sum())
            if both and not (column.private and other.private):
                raise UnanswerableQuestion(
                    "%(n)s respondents were asked both “%(first)s” and “%(second)s”. Answers "
                    "with and without protection may differ, so you can only join questions "
                    "if each respondent was asked one of them.",
                    n=both,
                    first=column.label,
                    second=other.label,
                )
    merged = columns[0]
    for column in columns[1:]:
        merged = join_columns(merged, column)
    return replace(merged, name=name, draw=name, label=joined_label(survey, name))


def check_apart(wanted: Sequence[str]) -> None:
    """Raise UnanswerableQuestion if a question is in two of these variables."""
    for place, name in enumerate(wanted):
        for other in wanted[:place]:
            both = set(name.split(PLUS)) & set(other.split(PLUS))
            if both and name != other:
                raise UnanswerableQuestion(
                    "%(question)s is in %(first)s and in %(second)s. Choose different questions.",
                    question=min(both),
                    first=other,
                    second=name,
                )


def asked_flags(question: Question, known: Mapping[str, Question], stored: AllStored) -> Flags:
    """Who was asked a question, shape (n,), from the non-private questions in its condition."""
    here = meeting(question.relevant or {}, known, stored, len(stored[question.name]))
    if question.may_be_empty:
        each = (condition for condition, _ in question.choice_conditions)
        here &= np.any([meeting(one, known, stored, len(here)) for one in each], axis=0)
    return here


def meeting(
    conditions: Mapping[str, Any], known: Mapping[str, Question], stored: AllStored, n: int
) -> Flags:
    """Whose stored answers to non-private questions meet all conditions, shape (n,)."""
    here = np.ones(n, dtype=bool)
    for name, condition in conditions.items():
        values = stored[name]
        passing = {
            value: answer_meets_condition(known[name], value, condition) for value in set(values)
        }
        here &= np.fromiter(map(passing.__getitem__, values), bool, len(values))
        here &= asked_flags(known[name], known, stored)
    return here


def alone(question: Question, known: Mapping[str, Question], stored: AllStored) -> AnalysisColumn:
    """The column of respondents who were asked, without "not asked". All others are missing."""
    column = single_column(question, stored[question.name])
    if column.scores is None:
        raise UnanswerableQuestion(
            "%(question)s cannot be joined: its reports allow an estimate of the mean only, "
            "or it has too many values.",
            question=question.name,
        )
    reports = np.where(asked_flags(question, known, stored), column.reports, MISSING)
    if not question.may_be_unasked:
        return replace(column, reports=reports)
    # "Not asked" is the last answer.
    k = len(column.answers) - 1
    chances, scores = column.chances[:k], column.scores[:, :k]
    names = column.report_names
    if question.non_private:
        chances, scores, names = chances[:, :k], scores[:k], names[:k]
    elif column.all_listed and chances.any(axis=0).all():
        scores = scores_of_table(chances, np.eye(k))
    values, worth = column.values, column.value_scores
    if values is not None:
        values = values[:k]
        if column.all_listed:
            worth = scores @ np.nan_to_num(values)
    return replace(
        column,
        answers=column.answers[:k],
        values=values,
        chances=chances,
        scores=scores,
        value_scores=worth,
        reports=reports,
        special_answers=column.special_answers - 1,
        report_names=names,
    )


def join_columns(first: AnalysisColumn, second: AnalysisColumn) -> AnalysisColumn:
    """Join two columns with the same answers.

    The codes are those of the first column, those of the second, then pairs of both for responses
    with both reports.
    """
    if first.scores is None or second.scores is None:
        raise UnanswerableQuestion(
            "Columns that allow an estimate of the mean only cannot be joined."
        )
    if not (first.private or second.private):
        codes = np.where(first.reported, first.reports, second.reports)
        return replace(first, reports=codes)
    left, right = first.chances.shape[1], second.chances.shape[1]
    one, other = first.reported, second.reported
    codes = np.where(one, first.reports, np.where(other, second.reports + left, MISSING))
    of_first, of_second = ways(first), ways(second)
    designs = [of_first, of_second + of_first.max() + 1]
    chances, scores = [first.chances, second.chances], [first.scores, second.scores]
    worth = [w for w in (first.value_scores, second.value_scores) if w is not None]
    names = [*joined_report_names(first), *joined_report_names(second)]
    listed = first.all_listed and second.all_listed
    both = one & other
    if both.any():
        came, place = np.unique(
            first.reports[both] * right + second.reports[both], return_inverse=True
        )
        listed = listed and left * right <= MAX_REPORT_PAIRS
        pairs = np.arange(left * right) if listed else came
        a, b = pairs // right, pairs % right
        codes[both] = left + right + (came[place] if listed else place)
        chances.append(first.chances[:, a] * second.chances[:, b])
        scores.append((first.scores[a] + second.scores[b]) / 2)
        if len(worth) == 2:
            worth.append((worth[0][a] + worth[1][b]) / 2)
        crossed = of_first[a] * (of_second.max() + 1) + of_second[b]
        designs.append(designs[1].max() + 1 + crossed)
        names += [f"{names[i]}, {names[left + j]}" for i, j in zip(a, b, strict=True)]
    return replace(
        first,
        name=f"{first.name}{PLUS}{second.name}",
        chances=np.concatenate(chances, axis=1),
        scores=np.concatenate(scores),
        value_scores=None if first.values is None else np.concatenate(worth),
        reports=codes,
        private=True,
        rounding=max(first.rounding, second.rounding),
        report_names=tuple(names),
        all_listed=listed,
        designs=np.concatenate(designs),
    )


def ways(column: AnalysisColumn) -> npt.NDArray[np.int64]:
    """The design of each code."""
    if len(column.designs):
        return column.designs
    return np.zeros(column.chances.shape[1], dtype=np.int64)


def joined_report_names(column: AnalysisColumn) -> list[str]:
    """The name of each report next to those on another question."""
    if len(column.designs):
        return list(column.report_names)
    return [f"{column.name}: {name}" for name in column.report_names]
