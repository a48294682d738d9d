"""analyses.R: R code that computes saved analyses again from responses.csv.

It repeats cross-tabulations, groups and correlations of questions with one column of reports. It
does not use weights, strata, clusters or the survey's conditions.
"""

from collections.abc import Sequence
from typing import Any

from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.groups.measures import measured
from survey.core.csv_cells import cell
from survey.core.number_grid import Grid
from survey.core.scores import Array
from survey.definition.choices import names_of
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.formats.csv_export import csv_column_names
from survey.formats.export_bundle.facts import cells_of_reports
from survey.formats.export_bundle.script_files import (
    in_one_line,
    r_value,
    script_header,
    with_survey,
)
from survey.web.analyses.forms import AnalysisForm, CorrelationForm, CrosstabForm, GroupsForm

# With more answers, the code would be too long to read.
MAX_R_ANSWERS = 1_000


def r_analyses(
    frozen: FrozenSurvey, origin: str, responses_file: str, analyses: Sequence[tuple[str, str]]
) -> str:
    """The script. Each analysis has a name, which becomes a comment, and its R code."""
    bodies = [f"  # {in_one_line(name)}\n{code}" for name, code in analyses]
    lines = [
        f'responses_file <- "{responses_file}"',
        "analyses <- list(",
        ",\n".join(bodies),
        ")",
    ]
    return with_survey("analyses.R", script_header(frozen, origin), lines)


def r_code(
    file: str, form: AnalysisForm, columns: Sequence[AnalysisColumn], design: SurveyDesign,
    frozen: FrozenSurvey,
) -> str | None:  # fmt: skip
    """The R code of an analysis, or None if the script cannot repeat it.

    `file` is the CSV file with the figures of Candor.
    """
    if form.design.given or any(column.cases.size for column in columns):
        return None
    questions = {question.name: question for question in frozen.survey.fields}
    facts = [r_column(column, questions.get(column.name)) for column in columns]
    if any(each is None for each in facts):
        return None
    more: list[str] = []
    match form:
        case CrosstabForm():
            kind = "crosstab"
        case GroupsForm():
            kind = "groups"
            more = [f"    target = {r_numbers(measured(columns[0], form.answer).of_answer)}"]
        case CorrelationForm():
            kind = "correlation"
            pairs = zip(columns, form.answers, strict=True)
            targets = [r_numbers(measured(column, place).of_answer) for column, place in pairs]
            more = [f"    targets = list({', '.join(targets)})"]
        case _:
            return None
    lines = [
        f'    kind = "{kind}", file = "{file}"',
        "    columns = list(\n{}\n    )".format(",\n".join(str(each) for each in facts)),
        *more,
    ]
    return "  list(\n{}\n  )".format(",\n".join(lines))


def r_column(column: AnalysisColumn, question: Question | None) -> str | None:
    """The facts about a column as R code, or None if its reports have no table."""
    if question is None or question.kind.boxes or len(column.answers) > MAX_R_ANSWERS:
        return None
    names = csv_column_names(question)
    if len(names) != 1 or (column.private and question.table is None):
        return None
    values = column.values if column.values is not None else [0.0] * len(column.answers)
    reports: Sequence[str] = cells_of_reports(question)
    if question.grid is not None and not column.private:
        # Only the values that occur are answers.
        numbers = [number_name(question.grid, value) for value in values[: column.listed]]
        reports = [*numbers, *names_of(question.extras)]
    facts: dict[str, Any] = {"column": names[0], "reports": [str(cell(each)) for each in reports]}
    if column.private and question.table is not None:
        facts["rows"] = question.table.rows
    written = [f"        {name} = {r_value(value)}" for name, value in facts.items()]
    written += [
        f"        values = {r_numbers(values)}",
        f"        listed = {column.listed}, rounding = {column.rounding!r}",
    ]
    return "      list(\n{}\n      )".format(",\n".join(written))


def number_name(grid: Grid, value: float) -> str:
    """The text of a value of a grid."""
    return grid[round((value - float(grid.low)) / float(grid.step))]


def r_numbers(values: Array | Sequence[float]) -> str:
    """A vector of numbers at full precision. NaN, the value of a special answer, is NA in R."""
    return f"c({', '.join('NA' if each != each else repr(float(each)) for each in values)})"
