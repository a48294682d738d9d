"""A share or a mean in groups of respondents: the form, and the result."""

from wtforms import SelectChoice, SelectField, TextAreaField, ValidationError
from wtforms.validators import Length, Optional

from survey.analysis.as_json import comparison_json
from survey.analysis.as_rows import comparison_rows
from survey.analysis.columns.available import analysable_variables
from survey.analysis.columns.summed import SUM, name_of_sum, summable_variables
from survey.analysis.columns.variables import SummedDraws, SurveyDesign
from survey.analysis.groups.group_blocks import comparison_blocks
from survey.analysis.groups.groups import compare
from survey.analysis.groups.measures import measure_text
from survey.analysis.sentences import capitalise, comparison_sentence
from survey.charts.analysis_rows import groups_chart
from survey.charts.interval_rows import NARROW, WIDE
from survey.core.translate import later, translate, translate_list
from survey.definition.survey import Survey
from survey.web.analyses.forms import (
    AnalysisForm,
    AnswerChoice,
    FormSection,
    another,
    linked_terms,
    measure,
    measures_of,
    place_in,
    translate_choices,
    variable_choices,
)
from survey.web.analyses.kind import AnalysisKind, Columns
from survey.web.analyses.result import AnalysisResult
from survey.web.form_fields import CheckboxesField

PAIRS = "pairs"
FIRST = "first"
# A longer text has more lines than a survey has questions.
MAX_POINTS_LENGTH = 10_000
MIN_SUMMED = 2


class GroupsForm(AnalysisForm):
    finite = True
    sections = (
        FormSection(("measure", "group", "against")),
        FormSection(
            ("items", "points"),
            later("Sum of several questions"),
            later(
                "Choose “mean · Sum of several questions” in “Compare”, and tick the questions "
                "here. A question that is not asked has 0 points, or those of its answer for "
                "people who are not asked. Respondents who prefer not to answer one of the "
                "questions do not count."
            ),
        ),
    )
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
    items = CheckboxesField(
        later("Questions of the sum"), [Optional()], render_kw={"with_names": True}
    )
    points = TextAreaField(
        later("Points"),
        [Length(max=MAX_POINTS_LENGTH)],
        description=later(
            "One line for each question with other points than usual, such as “smokes: never 0, "
            "often 3”, or “age: 2” for 2 times the number. Negative points count in reverse. The "
            "usual points are 1 for Yes or a ticked box, 0 for No, the rank in a scale, and the "
            "value of a number."
        ),
        render_kw={"rows": 3},
    )

    def validate_items(self, field: CheckboxesField) -> None:
        """Require questions if their sum is the measure, and none otherwise."""
        is_sum = self.measure.data == measure(SUM, None)
        if is_sum and len(set(field.data)) < MIN_SUMMED:
            raise ValidationError(later("Tick at least two questions for the sum."))
        if field.data and not is_sum:
            raise ValidationError(
                later(
                    "To compare the sum of these questions, choose “mean · Sum of several "
                    "questions” in “Compare”. Otherwise, tick no question here."
                )
            )

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        variables = analysable_variables(survey)
        summable = summable_variables(survey)
        self.against.choices = translate_choices(self.against.choices)
        self.measure.choices = measures_of(variables)
        self.items.choices = []
        self.instead["items"] = later("A sum needs two questions whose answers can have points.")
        if len(summable) >= MIN_SUMMED:
            words = translate("mean · Sum of several questions")
            self.measure.choices.append(AnswerChoice(measure(SUM, None), words, spelling=SUM))
            self.items.choices = variable_choices(summable)
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
        name = str(self.measure.data).rpartition(":")[0]
        if name == SUM:
            name = name_of_sum(self.items.data or (), self.points.data or "")
        return [name, self.group.data]


def groups_result(form: GroupsForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """A share or a mean in each group, and the differences between groups."""
    outcome, group = columns
    reference = 0 if form.against.data == FIRST else None
    found = compare(outcome, group, design, form.answer, reference)
    subject = capitalise(measure_text(found.measure))
    return AnalysisResult(
        title=translate("%(measure)s, by “%(question)s”", measure=subject, question=group.label),
        sentence=comparison_sentence(found),
        n=found.n,
        charts=tuple(groups_chart(found, layout) for layout in (WIDE, NARROW)),
        rows=tuple(comparison_rows(found)),
        content=comparison_json(found),
        heading=f"{outcome.label} · {group.label}",
        blocks=tuple(comparison_blocks(found)),
        method=points_sentence(outcome.summed),
    )


def points_sentence(summed: SummedDraws | None) -> str:
    """The questions of a sum and their points, for a citation; empty for other measures."""
    if summed is None:
        return ""
    items = translate_list([f"{label} ({points})" for label, points in summed.items])
    return translate("Points of the sum: %(items)s.", items=items)


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
