"""A cross-tabulation: the form, and the result."""

from wtforms import SelectChoice, SelectField

from survey.analysis.as_json import crosstab_json
from survey.analysis.as_rows import crosstab_rows
from survey.analysis.columns.available import analysable_variables
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.sentences import crosstab_sentence
from survey.analysis.tables.crosstab_blocks import OF_ALL, OF_COLUMN, OF_ROW, crosstab_blocks
from survey.analysis.tables.crosstabs import crosstab
from survey.charts.mosaic import NARROW, WIDE, mosaic_chart, mosaic_shares
from survey.core.translate import later, translate
from survey.definition.survey import Survey
from survey.web.analyses.forms import (
    NOTHING,
    AnalysisForm,
    another,
    linked_terms,
    translate_choices,
)
from survey.web.analyses.kind import AnalysisKind, Columns
from survey.web.analyses.result import AnalysisResult


class CrosstabForm(AnalysisForm):
    finite = True
    parts = ("rows", "columns", "layers")
    rows = SelectField(later("Rows"))
    columns = SelectField(later("Columns"))
    layers = SelectField(later("Separate tables for"), default="")
    of = SelectField(
        later("Percentages"),
        choices=[
            SelectChoice(OF_ROW, later("row percentages")),
            SelectChoice(OF_COLUMN, later("column percentages")),
            SelectChoice(OF_ALL, later("total percentages")),
        ],
        default=OF_ROW,
    )

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        variables = analysable_variables(survey)
        self.of.choices = translate_choices(self.of.choices)
        self.layers.choices.insert(0, NOTHING)
        if self.rows.data is None:
            self.rows.data = variables[0].name
        if self.columns.data is None:
            self.columns.data = another(variables, variables[0].name)


def crosstab_result(form: CrosstabForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """How the answers to several questions are related."""
    table = crosstab(columns, design)
    _, likeliest = mosaic_shares(table)
    note = (
        later(
            "The area of each part shows the share of respondents with both answers (maximum "
            "likelihood shares). For the random error, see the intervals in the table."
        )
        if likeliest
        else later(
            "The area of each part shows the share of respondents with both answers (estimated "
            "shares, with 0 for those below 0). For the random error, see the intervals in the "
            "table."
        )
    )
    return AnalysisResult(
        title=" × ".join(column.label for column in columns),
        sentence=crosstab_sentence(table),
        n=table.n,
        charts=tuple(mosaic_chart(table, layout) for layout in (WIDE, NARROW)),
        rows=tuple(crosstab_rows(table)),
        content=crosstab_json(table),
        heading=" × ".join(column.label for column in table.columns[:2]),
        blocks=tuple(crosstab_blocks(table, form.of.data)),
        note=translate(note),
    )


def about_crosstab() -> str:
    return translate(
        "A cross-tabulation shows how the answers to two or three questions are related. The "
        "analysis works with %(private)s and %(non_private)s questions. It adds no %(loss)s: "
        "Candor uses only responses that it already has.",
        **linked_terms(),
    )


CROSSTAB = AnalysisKind(
    name="crosstab",
    title=later("Cross-tabulation"),
    about=about_crosstab,
    form=CrosstabForm,
    compute=crosstab_result,
    help="explanation/analyses#cross-tabulations",
)
