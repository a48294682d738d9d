"""analyses.R: R code that computes saved analyses again from responses.csv.

It repeats cross-tabulations, groups, changes, correlations, crosswise questions and list
experiments, if each question has one column of reports. A question behind a joint question uses
the reports and the table of the joint question. The script does not use weights, strata, clusters
or conditions that make combinations of answers impossible.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from survey.analysis.columns.conditions import possible_cells
from survey.analysis.columns.variables import AnalysisColumn, Codes
from survey.analysis.groups.measures import measured
from survey.analysis.indirect.crosswise import Crosswise
from survey.analysis.indirect.list_columns import answer_numbers
from survey.analysis.indirect.list_experiment import ListExperiment
from survey.core.csv_cells import cell
from survey.core.number_grid import Grid
from survey.core.scores import Array
from survey.definition.choices import names_of
from survey.definition.frozen import FrozenSurvey
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.share_differences import DIFFERENT
from survey.formats.csv_export import csv_column_names
from survey.formats.export_bundle.facts import cells_of_reports
from survey.formats.export_bundle.script_files import (
    in_one_line,
    r_value,
    script_header,
    with_survey,
)
from survey.web.analyses.change import ChangeForm, compared_columns
from survey.web.analyses.crosswise import CrosswiseForm
from survey.web.analyses.forms import (
    AnalysisForm,
    CorrelationForm,
    CrosstabForm,
    GroupsForm,
    place_in,
)
from survey.web.analyses.list_experiment import BY, SURVEY, ListForm, treatment_elsewhere
from survey.web.analyses.result import AnalysisResult
from survey.web.published_results import frozen_of

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
    file: str, form: AnalysisForm, columns: Sequence[AnalysisColumn], result: AnalysisResult,
    frozen: FrozenSurvey,
) -> str | None:  # fmt: skip
    """The R code of an analysis, or None if the script cannot repeat it.

    `file` is the CSV file with the figures of Candor. Raises UnanswerableQuestion.
    """
    own = [script_column(frozen.survey, column) for column in columns]
    match form:
        case CrosstabForm():
            parts = ScriptParts("crosstab", own)
        case GroupsForm():
            target = r_numbers(measured(columns[0], form.answer).of_answer)
            parts = ScriptParts("groups", own, [f"target = {target}"])
        case CorrelationForm():
            parts = ScriptParts("correlation", own, [r_targets(columns, form.answers)])
        case ChangeForm():
            parts = change_parts(form, columns[0], result)
        case CrosswiseForm():
            parts = crosswise_parts(form, own, result)
        case ListForm():
            parts = list_parts(form, own, result)
        case _:
            return None
    # Only cross-tabulations use the survey's conditions.
    conditional = isinstance(form, CrosstabForm) and not possible_cells(columns).all()
    if form.design.given or conditional:
        return None
    facts = [each.code for each in parts.columns]
    if any(each is None for each in facts):
        return None
    lines = [
        f'    kind = "{parts.kind}", file = "{file}"',
        "    columns = list(\n{}\n    )".format(",\n".join(str(each) for each in facts)),
        *(f"    {line}" for line in parts.more),
    ]
    return "  list(\n{}\n  )".format(",\n".join(lines))


def r_targets(columns: Sequence[AnalysisColumn], places: Sequence[int | None]) -> str:
    """The quantity of each column, as a value for each answer."""
    targets = [
        r_numbers(measured(column, place).of_answer)
        for column, place in zip(columns, places, strict=True)
    ]
    return f"targets = list({', '.join(targets)})"


def change_parts(form: ChangeForm, own: AnalysisColumn, result: AnalysisResult) -> "ScriptParts":
    """The columns of all surveys. Those of other surveys have their numbers of reports."""
    columns = []
    for found, column in compared_columns(form, own):
        survey = frozen_of(found).survey
        columns.append(script_column(survey, column, counted=column is not own))
    place = place_in(str(form.measure.data))
    different = result.context["change"].relation == DIFFERENT
    return ScriptParts(
        "change",
        columns,
        [
            r_targets([each.column for each in columns], [place] * len(columns)),
            f"different = {r_value(different)}",
        ],
    )


def crosswise_parts(
    form: CrosswiseForm, own: "Sequence[ScriptColumn]", result: AnalysisResult
) -> "ScriptParts":
    """The columns by their role, and the known shares."""
    found: Crosswise = result.context["crosswise"]
    columns = [replace(each, role=role) for role, each in zip(form.roles, own, strict=True)]
    sets = [found.everyone, *([] if found.passed is None else [found.passed])]
    corrected = ", ".join(r_value(each.corrected is not None) for each in sets)
    more = [f"known = {found.known!r}", f"corrected = c({corrected})"]
    if found.anchor_known is not None:
        more.append(f"anchor_known = {found.anchor_known!r}")
    if "check" in form.roles:
        more.append(f"check_place = {1 + (place_in(str(form.check.data)) or 0)}")
    return ScriptParts("crosswise", columns, more)


def list_parts(
    form: ListForm, own: "Sequence[ScriptColumn]", result: AnalysisResult
) -> "ScriptParts":
    """The columns with the numbers of true statements, and the number of control statements."""
    found: ListExperiment = result.context["found_list"]
    more = [f"items = {found.items}"]
    way, _, place = form.chosen_treatment
    if way == BY:
        roles = ("count", "by")
        more.append(f"treated = {1 + int(place)}")
    else:
        roles = ("count", "treatment")
    # The script does not repeat the comparison with other ways of asking.
    columns = list(own[:-1] if form.ways.data else own)
    if way == SURVEY:
        other, column = treatment_elsewhere(form)
        columns.append(script_column(frozen_of(other).survey, column, counted=True))
    return ScriptParts(
        "list_experiment",
        [
            replace(each, role=role, counts_statements=role != "by")
            for role, each in zip(roles, columns, strict=True)
        ],
        more,
    )


@dataclass(frozen=True)
class ScriptParts:
    """What the code of an analysis consists of.

    `kind` is the name of the function in the script, and `more` its further arguments.
    """

    kind: str
    columns: "Sequence[ScriptColumn]"
    more: Sequence[str] = ()


@dataclass(frozen=True)
class ScriptColumn:
    """A column of an analysis, and the question whose reports it uses.

    That is the joint question for a question behind one.

    Attributes
    ----------
    role : the name of the column in the list of columns; empty without names
    counted : whether the script has the numbers of its reports, because they are of another survey
    counts_statements : whether its values are those of a list experiment
    """

    column: AnalysisColumn
    question: Question | None
    role: str = ""
    counted: bool = False
    counts_statements: bool = False

    @property
    def code(self) -> str | None:
        """The facts about the column as R code, or None if its reports have no table."""
        column, question = self.column, self.question
        if question is None or question.kind.boxes or len(column.answers) > MAX_R_ANSWERS:
            return None
        names = csv_column_names(question)
        if len(names) != 1 or (column.private and question.table is None):
            return None
        facts: dict[str, Any] = {"column": names[0], "reports": self.report_cells(question)}
        if column.private and question.table is not None:
            facts["rows"] = question.table.rows
        written = [f"        {name} = {r_value(value)}" for name, value in facts.items()]
        reports = column.reports
        if column.combinations is not None:
            reports = column.combinations.reports
            written.append(f"        parts = {r_integers(1 + column.combinations.sorts)}")
        if self.counted:
            counts = np.bincount(reports[reports >= 0], minlength=len(facts["reports"]))
            written.append(f"        counts = {r_integers(counts)}")
        written += [
            f"        values = {r_numbers(self.values)}",
            f"        listed = {column.listed}, rounding = {column.rounding!r}",
        ]
        start = f"{self.role} = " if self.role else ""
        return "      {}list(\n{}\n      )".format(start, ",\n".join(written))

    @property
    def values(self) -> Sequence[float] | Array:
        """The value of each answer."""
        column = self.column
        if self.counts_statements:
            return [*map(float, answer_numbers(column)), *[np.nan] * column.extras]
        return [0.0] * len(column.answers) if column.values is None else column.values

    def report_cells(self, question: Question) -> list[str]:
        """The text of each report in responses.csv."""
        column = self.column
        reports: Sequence[str] = cells_of_reports(question)
        if question.grid is not None and not column.private and column.values is not None:
            # Only the values that occur are answers.
            listed = column.values[: column.listed]
            numbers = [number_name(question.grid, value) for value in listed]
            reports = [*numbers, *names_of(question.extras)]
        return [str(cell(each)) for each in reports]


def script_column(survey: Survey, column: AnalysisColumn, counted: bool = False) -> ScriptColumn:
    """A column with the question whose reports it uses, if it uses those of one question."""
    question = next((each for each in survey.fields if each.name == column.draw), None)
    return ScriptColumn(column, question, counted=counted)


def number_name(grid: Grid, value: float) -> str:
    """The text of a value of a grid."""
    return grid[round((value - float(grid.low)) / float(grid.step))]


def r_numbers(values: Array | Sequence[float]) -> str:
    """A vector of numbers at full precision. NaN, the value of a special answer, is NA in R."""
    return f"c({', '.join('NA' if each != each else repr(float(each)) for each in values)})"


def r_integers(values: Codes) -> str:
    """A vector of whole numbers."""
    return f"c({', '.join(map(str, values))})"
