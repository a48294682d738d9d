"""The facts about each question from which a script computes its estimates, in plain values.

They come from the frozen tables, the same integers that browsers sampled with.
survey/formats/export_bundle/script_files.py writes them as R and Python.
"""

from collections.abc import Sequence
from typing import Any

from survey.core.csv_cells import cell
from survey.core.number_grid import Grid
from survey.definition.choices import NOT_ASKED, names_of
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.build_number_results import (
    histogram_ranges,
    part_choice,
    ranks_of_items,
)
from survey.estimation.build_results import boxes_of
from survey.estimation.types.joint_items import item_questions, parts_at
from survey.formats.csv_export import csv_column_names

Facts = dict[str, Any]


def estimated_questions(survey: Survey) -> list[tuple[Question, Facts]]:
    """The questions that have estimates, with their facts: all except notes and texts.

    The questions behind a joint question come before it.
    """
    questions = []
    for question in survey.fields:
        for place, item in enumerate(item_questions(survey, question)):
            questions.append((item, facts_of_item(question, item, place)))
        if not question.kind.free_text:
            questions.append((question, facts_of(question)))
    return questions


def facts_of_item(joint: Question, item: Question, place: int) -> Facts:
    """The facts of a question behind a joint question.

    The cells of `columns` are the reports of the joint question. `joint_reports` lists them, and
    `joint_parts` has the answer that each of them contains.
    """
    return facts_of(item) | {
        "columns": csv_column_names(joint),
        "joint_reports": cells_of_reports(joint),
        "joint_parts": parts_at(joint, place),
    }


def facts_of(question: Question) -> Facts:
    """The facts of one question, by name.

    `kind` is table, combinations (one table, several columns), unary, subset, boxes or number.
    `rows` are integers; a non-private question has none, except for boxes. `levels` is the number
    of answers that a mean uses. `items` are those of a ranking, and `ranks` has a row for each of
    them, with its rank in each order. `conditional` is there if the last answer is "not asked".
    `sample` is the number of boxes in one report. The points of a number begin at `low` and have
    distance `step`.
    """
    facts: Facts = {
        "name": question.name,
        "kind": "combinations" if question.kind.boxes else "table",
        "plain": question.plain,
        "columns": csv_column_names(question),
    }
    if any(extra.name == NOT_ASKED for extra in question.extras):
        facts["conditional"] = True
    boxes = boxes_of(question)
    if boxes is not None:
        if "conditional" in facts:
            facts["sample"] = boxes.sample
        return facts | {"kind": "boxes", "answers": names_of(question.answers), "rows": boxes.rows}
    if question.grid is not None:
        return facts | facts_of_number(question, question.grid)
    answers = {"answers": names_of(question.answers)}
    if question.kind.ordered:
        facts["levels"] = len(question.choices)
    if question.kind.ranks:
        facts["items"] = names_of(question.listed)
        facts["ranks"] = [[int(rank) for rank in row] for row in ranks_of_items(question)]
    if question.one_hot is not None:
        return facts | question.one_hot.as_json() | answers
    facts |= answers | {"reports": cells_of_reports(question)}
    if question.table is not None:
        facts["rows"] = question.table.rows
    return facts


def facts_of_number(question: Question, grid: Grid) -> Facts:
    points = question.points or grid
    parts = histogram_ranges(points)
    facts: Facts = {
        "kind": "number",
        "low": float(points.low),
        "step": float(points.step),
        "points": points.size,
        "extras": names_of(question.extras),
        # In the same form as in estimates.csv.
        "parts": [cell(part_choice(points, part).name) for part in parts],
        "part_size": len(parts[0]),
    }
    if question.table is not None:
        facts |= {
            "answer_step": float(grid.step),
            "reports": names_of(question.reports),
            "rows": question.table.rows,
        }
    if question.mechanism == "optimal_quantiles":
        facts["highest_for_quantiles"] = float(grid.high)
    return facts


def cells_of_reports(question: Question) -> Sequence[str]:
    """The text of each report in responses.csv; the cells of several columns are joined."""
    if question.table is None:
        return names_of(question.answers)
    cells = (question.form.cells(report) for report in range(question.table.reports))
    return ["".join(map(str, row)) for row in cells]
