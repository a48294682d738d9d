"""What a script needs to know of each question to recompute its estimates, in plain values.

Read from the frozen tables, the same integers that browsers sampled with; survey/formats/
export_bundle/script_files.py writes it down as R and as Python.
"""

from collections.abc import Sequence
from typing import Any

from survey.core.csv_cells import cell
from survey.core.number_grid import Grid
from survey.definition.choices import names_of
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.build_number_results import histogram_ranges, part_choice
from survey.estimation.build_results import boxes_of
from survey.formats.csv_export import csv_column_names

Facts = dict[str, Any]


def estimated_questions(survey: Survey) -> list[Question]:
    """The questions that have estimates: all but notes and texts."""
    return [question for question in survey.fields if not question.kind.free_text]


def facts_of(question: Question) -> Facts:
    """The facts of one question, by name.

    `kind` is table, combinations (one table, several columns), unary, subset, boxes or number.
    `rows` are whole numbers; a plain question has none, but for boxes. `levels` is how many of the
    answers a mean is taken of. A number's points go from `low` in steps of `step`.
    """
    facts: Facts = {
        "name": question.name,
        "kind": "combinations" if question.kind.boxes else "table",
        "plain": question.plain,
        "columns": csv_column_names(question),
    }
    boxes = boxes_of(question)
    if boxes is not None:
        return facts | {"kind": "boxes", "answers": names_of(question.answers), "rows": boxes.rows}
    if question.grid is not None:
        return facts | facts_of_number(question, question.grid)
    answers = {"answers": names_of(question.answers)}
    if question.kind.ordered:
        facts["levels"] = len(question.choices)
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
        # as estimates.csv writes them
        "parts": [cell(part_choice(points, part).name) for part in parts],
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
    """How each report stands in responses.csv; of several columns, their cells in one text."""
    if question.table is None:
        return names_of(question.answers)
    cells = (question.form.cells(report) for report in range(question.table.reports))
    return ["".join(map(str, row)) for row in cells]
