"""Correlations between questions: the form, and the result."""

from string import ascii_uppercase

from wtforms.validators import ValidationError

from survey.analysis.as_json import correlations_json
from survey.analysis.as_rows import correlation_rows
from survey.analysis.columns.available import analysable_variables
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.sentences import correlations_sentence
from survey.analysis.tables.correlation_blocks import correlation_blocks
from survey.analysis.tables.correlation_matrix import correlations
from survey.charts.analysis_rows import correlation_chart
from survey.charts.heat_map import heat_map
from survey.charts.interval_rows import NARROW, WIDE
from survey.core.translate import later, translate, translate_list
from survey.definition.survey import Survey
from survey.web.analyses.forms import (
    AnalysisForm,
    AnswerChoice,
    linked_terms,
    measure,
    place_in,
    spell_quantity,
)
from survey.web.analyses.kind import AnalysisKind, Columns
from survey.web.analyses.result import AnalysisResult
from survey.web.form_fields import CheckboxesField


class CorrelationForm(AnalysisForm):
    finite = True
    questions = CheckboxesField(
        later("Questions")
    )  # each a name, a colon, and the place of an answer

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        self.questions.choices = [
            AnswerChoice(
                measure(each.name, place),
                f"{each.label} {words}".strip(),
                spelling=spell_quantity(each, place),
            )
            for each in analysable_variables(survey)
            for place, words in each.quantities
        ]

    def validate_questions(self, field: CheckboxesField) -> None:
        if len(field.data or []) < 2:
            raise ValidationError(translate("Tick at least two questions."))

    @property
    def wanted(self) -> list[str]:
        return [each.rpartition(":")[0] for each in self.questions.data]

    @property
    def answers(self) -> list[int | None]:
        """For each question the place of the answer that counts 1, or None."""
        return [place_in(each) for each in self.questions.data]

    @property
    def labels(self) -> list[str]:
        label_by_value = {each.value: str(each.label) for each in self.questions.choices}
        return [label_by_value[each] for each in self.questions.data]


def correlation_result(
    form: CorrelationForm, columns: Columns, design: SurveyDesign
) -> AnalysisResult:
    """How strongly the answers to questions are related."""
    found = correlations(columns, design, form.answers)
    named = list(zip(ascii_uppercase, form.labels, strict=False))
    several = len(found.pairs) > 1
    if several:
        charts = tuple(heat_map(found, named, narrow) for narrow in (False, True))
        title = translate("Correlations of %(n)s questions", n=len(named))
        note = translate(
            "A square has a colour if its coefficient differs significantly from 0, with "
            "Holm’s correction for all pairs."
        )
    else:
        charts = tuple(correlation_chart(found, form.labels, each) for each in (WIDE, NARROW))
        title = translate("Correlation of %(questions)s", questions=translate_list(form.labels))
        note = ""
    return AnalysisResult(
        title=title,
        sentence=correlations_sentence(found, form.labels),
        n=max(pair.found.n for pair in found.pairs if pair.found is not None),
        charts=charts,
        rows=tuple(correlation_rows(found, form.labels)),
        content=correlations_json(found, form.labels),
        heading=title if several else " × ".join(form.labels),
        blocks=tuple(correlation_blocks(found, form.labels, weighted=bool(form.design.weights))),
        note=note,
    )


def about_correlation() -> str:
    return translate(
        "A correlation coefficient shows how strongly the answers to two questions are related. "
        "It is between −1 and 1, and 0 means no linear relation. With randomised answers, an "
        "estimate can be outside this range. Numbers and levels of scales are used as they are. "
        "For a choice, the selected answer counts as 1, and all others count as 0. The analysis "
        "adds no %(loss)s.",
        **linked_terms(),
    )


CORRELATION = AnalysisKind(
    name="correlation",
    title=later("Correlation"),
    about=about_correlation,
    form=CorrelationForm,
    compute=correlation_result,
    help="explanation/analyses#correlation",
)
