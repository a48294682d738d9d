"""The analysis of a list experiment: the form, and the result."""

from itertools import chain

from wtforms import IntegerField, SelectChoice, SelectField
from wtforms.validators import NumberRange, Optional

from survey.analysis.as_rows import both_rows, list_rows, ways_rows
from survey.analysis.columns.available import AnalysableVariable, analysable_variables
from survey.analysis.columns.joined import PLUS
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.indirect.compare_ways import compare_ways, ways_json
from survey.analysis.indirect.crosswise_columns import two_groups
from survey.analysis.indirect.list_and_direct import (
    NO,
    YES,
    Groups,
    ListAndDirect,
    among_answer,
    check_direct_question,
    list_and_direct,
    list_and_direct_json,
)
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

    direct = SelectField(
        later("Direct question to the same respondents"),
        default="",
        description=later(
            "A non-private yes/no question that asked all respondents of the list directly. The "
            "list is then needed only for those who said No, so the estimate is more precise. It "
            "assumes that nobody says Yes for whom the statement is not true."
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
        self.direct.choices = [NOTHING, *variable_choices(direct_questions(survey))]

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

    def used_surveys(self, found: StoredSurvey) -> list[tuple[StoredSurvey, list[str]]]:
        way, slug, name = self.chosen_treatment
        own = [(found, self.wanted)]
        if way != SURVEY:
            return own
        other = store().surveys.by_slug(slug)
        return [*own, *((other, [each]) for each in (name, self.direct.data) if each)]

    @property
    def chosen_treatment(self) -> tuple[str, str, str]:
        """The way, and two names: question and place, or survey and question."""
        way, first, second = str(self.treatment.data).split(":", 2)
        return way, first, second

    @property
    def wanted(self) -> list[str]:
        way, first, _ = self.chosen_treatment
        groups = [self.count.data] if way == SURVEY else [self.count.data, first]
        return [*groups, *filter(None, (self.ways.data, self.direct.data))]


def counting_questions(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The non-private questions with one answer, whose answers may be numbers.

    Experimental arms are not among them.
    """
    return tuple(
        each
        for each in analysable_variables(survey)
        if each.question.non_private
        and "+" not in each.name
        and (each.question.grid or each.question in survey.groupings)
        and each.question.known_share is None
        and each.question not in survey.yes_no
        and not each.question.is_arm
    )


def ways_of_asking(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The yes/no questions that some respondents were asked directly, and others randomised."""
    non_private = {question.name: question.non_private for question in survey.fields}
    return tuple(
        each
        for each in analysable_variables(survey)
        if each.question in survey.yes_no
        and PLUS in each.name
        and sum(non_private[name] for name in each.name.split(PLUS)) == 1
    )


def direct_questions(survey: Survey) -> tuple[AnalysableVariable, ...]:
    """The non-private yes/no questions."""
    return tuple(
        each
        for each in analysable_variables(survey)
        if each.question in survey.yes_no
        and each.question.non_private
        and PLUS not in each.name
        and each.question.known_share is None
    )


def groups_of_list(form: ListForm, counts: Columns, other: Columns) -> Groups:
    """The control group and the treatment group.

    Parameters
    ----------
    counts : the columns of the numbers of true statements of this survey, and perhaps of groups
    other : the column of the treatment group in another survey, if it is there
    """
    way, _, second = form.chosen_treatment
    if way == BY:
        return split_by_group(counts[0], counts[1], int(second))
    treatment = counts[1] if way == QUESTION else other[0]
    return group_of_counts(counts[0]), group_of_counts(treatment)


def combined_with_direct(
    form: ListForm, counts: Columns, other: Columns, direct: AnalysisColumn, items: int
) -> ListAndDirect:
    """The estimate from a list with `items` control statements and the direct question.

    `counts` and `other` are those of `groups_of_list`. The second of `other` is the direct question
    in the other survey.
    """
    elsewhere = other[1:]
    for each in (direct, *elsewhere):
        check_direct_question(each)
    yes, no = (
        groups_of_list(
            form,
            [among_answer(count, direct, answer) for count in counts],
            [among_answer(other[0], each, answer) for each in elsewhere],
        )
        for answer in (YES, NO)
    )
    return list_and_direct(yes, no, items)


def list_result(form: ListForm, columns: Columns, design: SurveyDesign) -> AnalysisResult:
    """The share for whom the sensitive statement of a list is true."""
    named = dict(zip(form.wanted, columns, strict=True))
    direct, asked_in_ways = (named.pop(str(each.data), None) for each in (form.direct, form.ways))
    counts, other = [*named.values()], [column for _, column in form.elsewhere]
    groups = groups_of_list(form, counts, other)
    sources: tuple[tuple[StoredSurvey, int], ...] = ()
    if other:
        surveys = form.found, form.elsewhere[0][0]
        sources = tuple((each, len(of.counts)) for each, of in zip(surveys, groups, strict=True))
    found = analyse_list(*groups, form.items.data)
    compared, both, rows, content = None, None, list_rows(found), list_json(found)
    if direct is not None:
        both = combined_with_direct(form, counts, other, direct, found.items)
        rows, content = (
            chain(rows, both_rows(both)),
            content | {"direct": list_and_direct_json(both)},
        )
    if asked_in_ways is not None:
        way = form.chosen_treatment[0]
        compared = compare_ways(asked_in_ways, found, counts if way == QUESTION else counts[:1])
        rows, content = chain(rows, ways_rows(compared)), content | {"ways": ways_json(compared)}
    unusable = design_effect_remarks(found)
    verdict = "" if compared is None or unusable else ways_sentence(compared)
    return AnalysisResult(
        title=translate("“%(question)s”: a list experiment", question=columns[0].label),
        sentence=list_sentence(found, both),
        n=sum(found.n),
        charts=tuple(list_chart(found, layout) for layout in (WIDE, NARROW)),
        rows=tuple(rows),
        content={"question": columns[0].name} | content,
        heading=columns[0].label,
        blocks=tuple(list_blocks(found, compared, verdict, both)),
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
