"""The change of a share or a mean between surveys: the form, and the result."""

from collections import Counter
from collections.abc import Iterable
from datetime import date

from wtforms import BooleanField, SelectChoice, SelectField
from wtforms.validators import InputRequired

from survey.analysis.as_rows import change_rows
from survey.analysis.changes.change_blocks import change_blocks
from survey.analysis.changes.changes import (
    change_json,
    compare_surveys,
    relation_of,
)
from survey.analysis.columns.available import AnalysableVariable, analysable_variables
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.groups.measures import measure_text
from survey.analysis.sentences import capitalise, change_sentence
from survey.analysis.validity.checks import alike
from survey.charts.analysis_rows import change_chart
from survey.charts.interval_rows import NARROW, WIDE
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import later, translate
from survey.definition.survey import Survey
from survey.store import StoredSurvey
from survey.web.access import within_reach
from survey.web.analyses.forms import (
    AnalysisForm,
    FormSection,
    linked_terms,
    measures_of,
    place_in,
)
from survey.web.analyses.kind import AnalysisKind, Columns
from survey.web.analyses.result import AnalysisResult
from survey.web.extensions import store
from survey.web.form_fields import CheckboxesField
from survey.web.published_results import frozen_of


class ChangeForm(AnalysisForm):
    """The form. It has no sampling design, because that describes one survey only."""

    sampled = False
    fewest = 1
    lacking = later(
        "This analysis needs a question other than notes and free text. This survey has none."
    )

    measure = SelectField(later("Compare"))
    surveys = CheckboxesField(
        later("Surveys to compare with"), [InputRequired(later("Tick at least one survey."))]
    )
    shared = BooleanField(
        later("Some people may have answered several of these surveys"),
        description=later(
            "If you tick this box, the intervals are longer: Candor does not know how the answers "
            "of the same people are related, so it allows for the worst case. For waves of one "
            "series, Candor always takes this into account."
        ),
    )
    sections = (FormSection(("measure",)), FormSection(("surveys", "shared")))

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        self.measure.choices = measures_of(analysable_variables(survey))
        self.surveys.choices = []
        if self.measure.data is None:
            self.measure.data = self.measure.choices[0].value

    def offer_others(self, found: StoredSurvey) -> None:
        """Add the other surveys that share a question with this one, in the order of time."""
        own = analysable_variables(frozen_of(found).survey)
        others = [
            each
            for each in comparable_with(found)
            if any(same_variable(variable, each.survey) is not None for variable in own)
        ]
        self.surveys.choices = [
            SelectChoice(each.survey.slug, label)
            for each, label in zip(others, survey_titles(others), strict=True)
        ]
        self.instead["surveys"] = (
            later("A simulation cannot be compared with other surveys.")
            if "." in found.survey.slug
            else later(
                "You have no other survey that was opened and has a question with the same name "
                "or words."
            )
        )

    def used_surveys(self, found: StoredSurvey) -> list[tuple[StoredSurvey, list[str]]]:
        """Raises UnanswerableQuestion if a chosen survey does not ask the question."""
        own = analysable_variables(frozen_of(self.found).survey)
        asked = next(each for each in own if each.name == self.wanted[0])
        chosen = self.surveys.data or []
        others = [each for each in comparable_with(found) if each.survey.slug in chosen]
        return [(found, self.wanted), *((each, [name_elsewhere(each, asked)]) for each in others)]

    @property
    def wanted(self) -> list[str]:
        return [str(self.measure.data).rpartition(":")[0]]


def comparable_with(found: StoredSurvey) -> list[StoredSurvey]:
    """The other surveys of this account. Simulated and other responses are never compared."""
    if "." in found.survey.slug:
        return []
    simulated = found.origin == "simulated"
    return in_order_of_time(
        each
        for each in within_reach(store().surveys.all(drafts=False))
        if each.survey.slug != found.survey.slug and (each.origin == "simulated") == simulated
    )


def in_order_of_time(surveys: Iterable[StoredSurvey]) -> list[StoredSurvey]:
    """By the day of the first opening; surveys that were never open to respondents come first."""
    return sorted(surveys, key=lambda each: (each.history.opened or date.min, each.survey.slug))


def survey_titles(surveys: list[StoredSurvey]) -> list[str]:
    """The titles, with the address where two titles are equal."""
    often = Counter(each.survey.title for each in surveys)
    return [
        each.survey.title
        if often[each.survey.title] == 1
        else f"{each.survey.title} ({each.survey.slug})"
        for each in surveys
    ]


def same_variable(asked: AnalysableVariable, survey: Survey) -> AnalysableVariable | None:
    """The variable of a survey with the same name, otherwise with the same words, or None."""
    variables = analysable_variables(survey)
    by_name = [each for each in variables if each.name == asked.name]
    by_words = [
        each
        for each in variables
        if alike(each.question, asked.question) and each.part == asked.part
    ]
    return next(iter(by_name + by_words), None)


def name_elsewhere(found: StoredSurvey, asked: AnalysableVariable) -> str:
    """The name of the same question in another survey. Raises UnanswerableQuestion."""
    survey = frozen_of(found).survey
    variable = same_variable(asked, survey)
    if variable is None:
        raise UnanswerableQuestion(
            "The survey “%(survey)s” has no question with the same name or words as "
            "“%(question)s”. Do not tick it.",
            survey=survey.title,
            question=asked.question.label,
        )
    return variable.name


def change_result(form: ChangeForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """A share or a mean in several surveys, and its change since the first."""
    columns_of = {each.survey.slug: column for each, column in form.elsewhere}
    columns_of[form.found.survey.slug] = columns[0]
    surveys = in_order_of_time([form.found, *(each for each, _ in form.elsewhere)])
    found = compare_surveys(
        [columns_of[each.survey.slug] for each in surveys],
        survey_titles(surveys),
        [design] * len(surveys),
        place_in(str(form.measure.data)),
        relation_of([each.survey.fieldwork.series for each in surveys], form.shared.data),
    )
    return AnalysisResult(
        title=translate(
            "%(measure)s, in %(n)s surveys",
            measure=capitalise(measure_text(found.measure)),
            n=len(surveys),
        ),
        sentence=change_sentence(found),
        n=sum(wave.n for wave in found.waves),
        charts=tuple(change_chart(found, layout) for layout in (WIDE, NARROW)),
        rows=tuple(change_rows(found)),
        content=change_json(found),
        heading=found.measure.column.label,
        blocks=tuple(change_blocks(found)),
        sources=tuple((each, wave.n) for each, wave in zip(surveys, found.waves, strict=True)),
    )


def about_change() -> str:
    return translate(
        "This analysis compares a share or a mean between surveys, such as the waves of a series. "
        "The questions must offer the same possible answers, but can have different mechanisms. "
        "The analysis adds no %(loss)s.",
        **linked_terms(),
    )


CHANGE = AnalysisKind(
    name="change",
    title=later("Change over time"),
    about=about_change,
    form=ChangeForm,
    compute=change_result,
    help="explanation/analyses#changes",
)
