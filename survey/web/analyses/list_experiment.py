"""The analysis of a list experiment: the form, and the result."""

from itertools import chain

from wtforms import IntegerField, SelectChoice, SelectField
from wtforms.validators import NumberRange, Optional

from survey.analysis.as_rows import list_rows, ways_rows
from survey.analysis.columns.available import AnalysableVariable, analysable_variables
from survey.analysis.columns.joined import PLUS
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.indirect.compare_ways import compare_ways, ways_json
from survey.analysis.indirect.crosswise_columns import two_groups
from survey.analysis.indirect.list_blocks import list_blocks
from survey.analysis.indirect.list_columns import analyse_list, group_of_counts, split_by_group
from survey.analysis.indirect.list_experiment import MAX_ITEMS, list_json
from survey.analysis.sentences import design_effect_remarks, list_sentence, ways_sentence
from survey.analysis.validity.checks import alike
from survey.charts.analysis_rows import list_chart
from survey.charts.interval_rows import NARROW, WIDE
from survey.core.glossary_terms import glossary_term
from survey.core.translate import later, translate
from survey.definition.survey import Survey
from survey.store import StoredSurvey
from survey.web.analyses.change import comparable_with
from survey.web.analyses.forms import NOTHING, AnalysisForm, AnswerChoice, variable_choices
from survey.web.analyses.kind import AnalysisKind, Columns
from survey.web.analyses.result import AnalysisResult
from survey.web.extensions import store
from survey.web.published_results import frozen_of

# How the treatment group is defined: by an answer, as a question of this survey, or of another.
BY = "by"
QUESTION = "question"
SURVEY = "survey"


class ListForm(AnalysisForm):
    """The form. It has no sampling design, because the interval is that of simple samples."""

    sampled = False
    fewest = 1
    lacking = later(
        "This analysis needs a non-private question for the number of true statements. This survey "
        "has none."
    )

    count = SelectField(
        later("Number of true statements"),
        description=later(
            "Select the question that the control group answered. If both groups answered the "
            "same question, select it."
        ),
    )
    treatment = SelectField(
        later("Treatment group"),
        description=later(
            "Select the question that shows who got the list with the sensitive statement."
        ),
    )
    items = IntegerField(
        later("Number of control statements"),
        [Optional(), NumberRange(1, MAX_ITEMS)],
        description=later(
            "The number without the sensitive statement. If this field is empty, Candor uses the "
            "largest possible answer of the treatment group, minus 1."
        ),
        render_kw={"inputmode": "numeric"},
    )
    ways = SelectField(
        later("Compare with the question itself"),
        default="",
        description=later(
            "For an experiment in which other respondents were asked the question directly, or by "
            "a randomised question."
        ),
    )

    @staticmethod
    def usable(survey: Survey) -> tuple[AnalysableVariable, ...]:
        return counting_questions(survey)

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        counting = counting_questions(survey)
        self.count.choices = variable_choices(counting)
        if self.count.data is None:
            self.count.data = self.count.choices[0].value
        self.treatment.choices = [
            AnswerChoice(
                f"{BY}:{each.name}:{place}",
                translate(
                    "answer “%(answer)s” to “%(question)s”",
                    answer=choice.label,
                    question=each.label,
                ),
                spelling=f"{BY}:{each.name}:{choice.name}",
            )
            for each in two_groups(survey)
            for place, choice in reversed([*enumerate(each.question.choices)])
        ]
        self.treatment.choices += [
            AnswerChoice(
                f"{QUESTION}:{each.name}:",
                translate("those who answered “%(question)s”", question=each.label),
                spelling=f"{QUESTION}:{each.name}",
            )
            for each in counting
        ]
        if self.treatment.data is None:
            self.treatment.data = self.usual_treatment(counting)
        joined = ways_of_asking(survey)
        self.ways.choices = [NOTHING, *variable_choices(joined)]
        # A query without this field wants no comparison.
        if self.ways.raw_data is None and joined:
            self.ways.data = joined[0].name

    def usual_treatment(self, counting: tuple[AnalysableVariable, ...]) -> str | None:
        """The treatment group before a choice: a list with one more statement, if there is one."""
        tops = {each.name: each.question.grid.high for each in counting if each.question.grid}
        top = tops.get(str(self.count.data))
        longer = (name for name, other in tops.items() if top is not None and other == top + 1)
        return next((f"{QUESTION}:{name}:" for name in longer), None)

    def offer_others(self, found: StoredSurvey) -> None:
        """Add the questions of other surveys with the same name or words as one of this survey."""
        own = counting_questions(frozen_of(found).survey)
        self.treatment.choices += [
            SelectChoice(
                f"{SURVEY}:{other.survey.slug}:{each.name}",
                translate(
                    "“%(question)s” in the survey “%(survey)s”",
                    question=each.label,
                    survey=other.survey.title,
                ),
            )
            for other in comparable_with(found)
            for each in counting_questions(other.survey)
            if any(alike(each.question, mine.question) for mine in own)
        ]

    def used(self, found: StoredSurvey) -> list[tuple[StoredSurvey, list[str]]]:
        way, slug, name = self.chosen_treatment
        own = [(found, self.wanted)]
        return [*own, (store().surveys.by_slug(slug), [name])] if way == SURVEY else own

    @property
    def chosen_treatment(self) -> tuple[str, str, str]:
        """The way, and two names: question and place, or survey and question."""
        way, first, second = str(self.treatment.data).split(":", 2)
        return way, first, second

    @property
    def wanted(self) -> list[str]:
        way, first, _ = self.chosen_treatment
        groups = [self.count.data] if way == SURVEY else [self.count.data, first]
        return [*groups, self.ways.data] if self.ways.data else groups


def counting_questions(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The non-private questions with one answer, whose answers may be numbers.

    Experimental arms are not among them.
    """
    return tuple(
        each
        for each in analysable_variables(survey)
        if each.question.plain
        and "+" not in each.name
        and (each.question.kind.numeric or each.question.kind.single_choice)
        and not each.question.kind.secret_fact
        and not each.question.kind.dichotomous
        and not each.question.is_arm
    )


def ways_of_asking(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The yes/no questions that some respondents were asked directly, and others randomised."""
    plain = {question.name: question.plain for question in survey.fields}
    return tuple(
        each
        for each in analysable_variables(survey)
        if each.question.kind.dichotomous
        and PLUS in each.name
        and sum(plain[name] for name in each.name.split(PLUS)) == 1
    )


def list_result(form: ListForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """The share for whom the sensitive statement of a list is true."""
    way, _, second = form.chosen_treatment
    sources: tuple[tuple[StoredSurvey, int], ...] = ()
    if way == BY:
        groups = split_by_group(columns[0], columns[1], int(second))
    elif way == QUESTION:
        groups = group_of_counts(columns[0]), group_of_counts(columns[1])
    else:
        ((other, column),) = form.elsewhere
        groups = group_of_counts(columns[0]), group_of_counts(column)
        sources = ((form.found, len(groups[0].counts)), (other, len(groups[1].counts)))
    found = analyse_list(*groups, form.items.data)
    compared, rows, content = None, list_rows(found), list_json(found)
    if form.ways.data:
        column = columns[-1]
        counts = columns[:-1] if way == QUESTION else columns[:1]
        compared = compare_ways(column, found, counts)
        rows, content = chain(rows, ways_rows(compared)), content | {"ways": ways_json(compared)}
    unusable = design_effect_remarks(found)
    verdict = "" if compared is None or unusable else ways_sentence(compared)
    return AnalysisResult(
        title=translate("“%(question)s”: a list experiment", question=columns[0].label),
        sentence=list_sentence(found),
        n=sum(found.n),
        charts=tuple(list_chart(found, layout) for layout in (WIDE, NARROW)),
        rows=tuple(rows),
        content={"question": columns[0].name} | content,
        heading=columns[0].label,
        blocks=tuple(list_blocks(found, compared, verdict)),
        sources=sources,
        verdict=unusable,
    )


def about_list_experiment() -> str:
    experiment = translate("list experiment")
    return translate(
        "In a %(experiment)s, respondents say how many statements of a list are true. The list of "
        "the treatment group has one more statement, the sensitive one. This analysis compares "
        "the two groups.",
        experiment=glossary_term("list experiment", experiment),
    )


LIST_EXPERIMENT = AnalysisKind(
    name="list",
    title=later("List experiment"),
    about=about_list_experiment,
    form=ListForm,
    compute=list_result,
    help="explanation/analyses#list-experiments",
)
