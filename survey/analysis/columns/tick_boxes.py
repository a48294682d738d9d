"""The column of one box, for questions with boxes to tick."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from survey.analysis.columns.combinations import Combinations, lump_reports
from survey.analysis.columns.single_answer import distinct, labels, report_codes, scores_or_none
from survey.analysis.columns.variables import (
    MISSING,
    AnalysisColumn,
    BoxSample,
    Codes,
)
from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import Boxes
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, probabilities
from survey.core.translate import later, translate
from survey.definition.choices import names_of
from survey.definition.questions import Question
from survey.definition.report_formats import Stored

TICKED = later("Ticked")
NOT_TICKED = later("Not ticked")


def box_column(
    question: Question, stored: Sequence[Stored | None], box: str | None
) -> AnalysisColumn:
    """The column of one box: ticked, not ticked, and the distinguishable special answers.

    If each respondent reports on a random few of the boxes, "prefer not to say" is a box like the
    others. Respondents who tick it then count as not having ticked this one.

    Raises UnanswerableQuestion if there is no such box.
    """
    names = names_of(question.answers)
    if box not in names:
        box_names = ", ".join(f"{question.name}/{name}" for name in names)
        raise UnanswerableQuestion(
            translate(
                "%(question)s has boxes. Name one of: %(boxes)s.",
                question=question.name,
                boxes=box_names,
            )
            if box is None
            else translate(
                "%(question)s has no box %(box)s. Name one of: %(boxes)s.",
                question=question.name,
                box=repr(box),
                boxes=box_names,
            )
        )
    place = names.index(box)
    randomizer = question.randomizer
    if isinstance(randomizer, Boxes):
        table = randomizer.table
        scores = scores_or_none(table, np.eye(2))
        column = build_box_column(
            question, place, 2, probabilities(table), scores, bit_at(stored, place)
        )
        sample = BoxSample(question.name, question.label, randomizer.sample, len(names))
        return replace(column, sample=sample)
    if isinstance(randomizer, Randomizer):
        return joint_column(question, randomizer, stored, place)
    sorts = sorts_of_bits(question, stored, place)
    k = box_answer_count(question, place)
    return build_box_column(question, place, k, np.eye(k), np.eye(k), sorts)


def build_box_column(
    question: Question,
    place: int,
    k: int,
    chances: Array,
    scores: Array | None,
    reports: Codes,
) -> AnalysisColumn:
    special_answers = question.special_answers[: k - 2]
    name = f"{question.name}/{question.answers[place].name}"
    answers = (translate(TICKED), translate(NOT_TICKED), *labels(special_answers))
    joint = question.table is not None
    return AnalysisColumn(
        name=name,
        label=f"{question.label}: {question.answers[place].label}",
        answers=answers,
        values=None,
        chances=chances,
        scores=scores,
        value_scores=None,
        reports=reports,
        private=not question.non_private,
        ordered=False,
        special_answers=len(special_answers),
        report_names=answers,
        draw=question.name if joint else name,
    )


def box_answer_count(question: Question, place: int) -> int:
    """The number of its answers: two, and each special answer unless it is one itself."""
    return 2 + (len(question.special_answers) if place < len(question.choices) else 0)


def bit_at(stored: Sequence[Stored | None], place: int) -> Codes:
    """Code 0 for 1 at this place, 1 for 0, and missing for a box without a report."""
    texts, codes = distinct(stored)
    of_text = np.array([*("10-".index(text[place]) for text in texts), 2], dtype=np.int64)
    # A response without any report selects the last place.
    bits = of_text[codes]
    bits[bits == 2] = MISSING
    return bits


def sorts_of_bits(question: Question, stored: Sequence[Stored | None], place: int) -> Codes:
    """A non-private box: ticked, not ticked, or the special answer chosen instead."""
    sorts = bit_at(stored, place)
    if place < len(question.choices):
        for special in range(len(question.special_answers)):
            sorts[bit_at(stored, len(question.choices) + special) == 0] = 2 + special
    return sorts


def joint_column(
    question: Question, table: Randomizer, stored: Sequence[Stored | None], place: int
) -> AnalysisColumn:
    """One box of a table of all combinations.

    Notes
    -----
    Reports with equal scores for the box share one code, that of the answer that they support. If
    Pr(code | combination) depends on this box alone, as for `joint_boxes`, it is the table.
    Otherwise there are only scores.
    """
    sort = sort_of_answers(question, table.answers, place)
    k = box_answer_count(question, place)
    target = np.eye(k)[sort]
    reports = report_codes(stored)
    names = labels(question.reports)
    whole = Combinations(sort, reports, names, probabilities(table))
    scores = scores_or_none(table, target)
    lumped_reports = None if scores is None else lump_reports(whole.chances, scores, sort)
    if lumped_reports is None:
        own = build_box_column(question, place, k, np.empty((k, 0)), scores, reports)
        return replace(own, combinations=whole, report_names=names)
    codes = lumped_reports.codes(reports)
    own = build_box_column(question, place, k, lumped_reports.chances, lumped_reports.scores, codes)
    return replace(own, combinations=whole)


def sort_of_answers(question: Question, answers: int, place: int) -> Codes:
    """For each row of the table: 0 if ticked, 1 if not, 2 or more for special answers."""
    boxes = len(question.choices)
    # A special answer has a row of its own.
    if place >= boxes:
        return np.where(np.arange(answers) == 2**boxes + place - boxes, 0, 1)
    ticked = 1 - (np.arange(2**boxes) >> place & 1)
    return np.append(ticked, np.arange(2, 2 + answers - 2**boxes))
