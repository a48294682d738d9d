"""A share or a mean in groups of respondents: the form, and the result."""

from wtforms import SelectChoice, SelectField

from survey.analysis.as_json import comparison_json
from survey.analysis.as_rows import comparison_rows
from survey.analysis.columns.available import analysable_variables
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.groups.group_blocks import comparison_blocks
from survey.analysis.groups.groups import compare
from survey.analysis.groups.measures import measure_text
from survey.analysis.sentences import capitalised, comparison_sentence
from survey.charts.analysis_rows import groups_chart
from survey.charts.interval_rows import NARROW, WIDE
from survey.core.translate import later, translate
from survey.definition.survey import Survey
from survey.web.analyses.forms import (
    AnalysisForm,
    another,
    linked_terms,
    measure,
    measures_of,
    place_in,
    translated,
    variable_choices,
)
from survey.web.analyses.kind import AnalysisKind, Columns
from survey.web.analyses.result import AnalysisResult

PAIRS = "pairs"
FIRST = "first"


class GroupsForm(AnalysisForm):
    finite = True
    measure = SelectField(
        later("Compare")
    )  # a question's name, a colon, and the place of an answer
    group = SelectField(later("Groups by"))
    against = SelectField(
        later("Differences"),
        choices=[
            SelectChoice(PAIRS, later("between every two groups")),
            SelectChoice(FIRST, later("between each group and the first")),
        ],
        default=PAIRS,
    )

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        variables = analysable_variables(survey)
        self.against.choices = translated(self.against.choices)
        self.measure.choices = measures_of(variables)
        self.group.choices = variable_choices(variables)
        if self.measure.data is None:
            self.measure.data = measure(variables[0].name, variables[0].measures[0][0])
        if self.group.data is None:
            self.group.data = another(variables, self.wanted[0])

    @property
    def answer(self) -> int | None:
        """The place of the answer whose share is compared, or None for the mean."""
        return place_in(str(self.measure.data))

    @property
    def wanted(self) -> list[str]:
        return [str(self.measure.data).rpartition(":")[0], self.group.data]


def groups_result(form: GroupsForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """A share or a mean in each group, and the differences between groups."""
    outcome, group = columns
    reference = 0 if form.against.data == FIRST else None
    found = compare(outcome, group, design, form.answer, reference)
    subject = capitalised(measure_text(found.measure))
    return AnalysisResult(
        title=translate("%(measure)s, by “%(question)s”", measure=subject, question=group.label),
        sentence=comparison_sentence(found),
        n=found.n,
        charts=tuple(groups_chart(found, layout) for layout in (WIDE, NARROW)),
        rows=tuple(comparison_rows(found)),
        content=comparison_json(found),
        heading=f"{outcome.label} · {group.label}",
        blocks=tuple(comparison_blocks(found)),
    )


def about_groups() -> str:
    return translate(
        "This analysis estimates a share or a mean in each group, and the differences between "
        "groups. The analysis works with %(private)s and %(non_private)s questions, and adds no "
        "%(loss)s.",
        **linked_terms(),
    )


GROUPS = AnalysisKind(
    name="groups",
    title=later("Groups"),
    about=about_groups,
    form=GroupsForm,
    compute=groups_result,
    help="explanation/analyses#groups",
)
