"""The facts about each question from which a script computes its estimates, in plain values.

They come from the frozen tables, the same integers that browsers sampled with.
survey/formats/export_bundle/script_files.py writes them as R and Python.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from survey.core.csv_cells import cell
from survey.core.number_grid import Grid
from survey.definition.choices import names_of
from survey.definition.questions import Question
from survey.definition.report_formats import Combination
from survey.definition.survey import Survey
from survey.estimation.types.joint_items import item_codes, item_questions
from survey.estimation.types.number import histogram_ranges, part_choice
from survey.estimation.types.select_multiple import boxes_of
from survey.formats.csv_export import csv_column_names
from survey.formats.types import FORMATS

Facts = dict[str, Any]


def estimated_questions(survey: Survey) -> list[tuple[Question, Facts]]:
    """The questions that have estimates, with their facts: all except notes and texts.

    The questions behind a joint question come before it.
    """
    questions = []
    for question in survey.listed_fields:
        for place, item in enumerate(item_questions(survey, question)):
            questions.append((item, facts_of_item(question, item, place)))
        questions.append((question, facts_of(question)))
    return questions


def facts_of_item(joint: Question, item: Question, place: int) -> Facts:
    """The facts of a question behind a joint question.

    The cells of `columns` are the reports of the joint question. A table lists them in `reports`;
    otherwise there is a column for each combination. `parts_of` has the place of the answer that
    each combination contains.
    """
    facts = facts_of(item) | {
        "columns": csv_column_names(joint),
        "parts_of": item_codes(joint, item, place),
    }
    return facts if joint.table is None else facts | {"reports": cells_of_reports(joint)}


def facts_of(question: Question) -> Facts:
    """The facts of one question, by name.

    `kind` is table, bits, boxes or number. `target` says which boxes a combination ticks.
    `rows` are integers; a non-private question has none, except for boxes. If a report has a bit
    for each answer, they are those of a bit, and `chances` has p and q, and the probabilities that
    two bits are 1. `means` has the measure, the item and the values of the first answers of each
    mean. `conditional` is there if the last answer is "not asked". `sample` is the number of boxes
    in one report. The levels of a number begin at `low` and have distance `step`.
    """
    facts: Facts = {
        "name": question.name,
        "kind": "table",
        "non_private": question.non_private,
        "columns": csv_column_names(question),
    }
    if question.may_be_unasked:
        facts["conditional"] = True
    boxes = boxes_of(question)
    if boxes is not None:
        if "conditional" in facts:
            facts["sample"] = boxes.sample
        return facts | {"kind": "boxes", "answers": names_of(question.answers), "rows": boxes.rows}
    if question.grid is not None:
        return facts | facts_of_number(question, question.grid)
    answers = {"answers": names_of(question.answers)}
    if means := FORMATS[question].means():
        facts["means"] = means
    bits = question.one_hot
    if bits is not None:
        shares = (bits.p, bits.q, bits.both_own, bits.both_other)
        rows = [[*map(int, row)] for row in rows_of_a_bit(bits.p, bits.q)]
        return facts | {"kind": "bits", "rows": rows, "chances": [*map(float, shares)]} | answers
    facts |= answers | {"reports": cells_of_reports(question)}
    if isinstance(question.form, Combination):
        facts["target"] = [[*map(int, report)] for report in cells_of_reports(question)]
    if question.table is not None:
        facts["rows"] = question.table.rows
    return facts


def rows_of_a_bit(p: Fraction, q: Fraction) -> list[tuple[Fraction, Fraction]]:
    """The table of one bit in whole numbers: a row for the own answer, and one for another."""
    total = math.lcm(p.denominator, q.denominator)
    return [(share * total, (1 - share) * total) for share in (p, q)]


def facts_of_number(question: Question, grid: Grid) -> Facts:
    levels = question.levels or grid
    parts = histogram_ranges(levels)
    facts: Facts = {
        "kind": "number",
        "low": float(levels.low),
        "step": float(levels.step),
        "levels": levels.size,
        "special_answers": names_of(question.special_answers),
        # In the same form as in estimates.csv.
        "answers": [
            *(cell(part_choice(levels, part).name) for part in parts),
            *names_of(question.special_answers),
        ],
        "parts": len(parts),
        "part_size": len(parts[0]),
    }
    if question.table is not None:
        facts |= {
            "answer_step": float(grid.step),
            "reports": names_of(question.reports),
            "rows": question.table.rows,
        }
    return facts


def cells_of_reports(question: Question) -> Sequence[str]:
    """The text of each report in responses.csv; the cells of several columns are joined."""
    if question.table is None:
        return names_of(question.answers)
    cells = (question.form.cells(report) for report in range(question.table.reports))
    return ["".join(map(str, row)) for row in cells]
