"""Forms of the analyses. They change nothing and are sent by GET, so that each has a link."""

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from wtforms import SelectChoice, SelectField, StringField
from wtforms.validators import InputRequired, Length, ValidationError

from survey.analysis.columns.available import (
    AnalysableVariable,
    analysable_variables,
    telling_design,
)
from survey.analysis.columns.column_request import OF_FILE, DesignNames
from survey.analysis.columns.design_file import (
    CLUSTER,
    DESIGN_COLUMNS,
    POPULATION,
    STRATUM,
    WEIGHT,
    DesignFile,
)
from survey.analysis.regression.formula import ModelTerms, parse_terms, quote_labels, split_terms
from survey.analysis.regression.outcomes import (
    CAUCHIT,
    CLOGLOG,
    LINEAR,
    LOGISTIC,
    MULTINOMIAL,
    ORDERED,
    PROBIT,
)
from survey.analysis.regression.standard_errors import EXPECTED, OBSERVED, SANDWICH
from survey.analysis.tables.crosstab_blocks import OF_ALL, OF_COLUMN, OF_ROW
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import determines_shares
from survey.core.translate import later, translate, translate_constant
from survey.definition.survey import Survey
from survey.web.form_fields import CheckboxesField, PageForm

NOTHING = SelectChoice("", "–")
FILE_LABELS = {
    WEIGHT: later("weight in the design file"),
    STRATUM: later("stratum in the design file"),
    CLUSTER: later("cluster in the design file"),
    POPULATION: later("population in the design file"),
}
PAIRS, FIRST = "pairs", "first"
TICK_ONE = later("Tick at least one question.")
MAX_FORMULA_LENGTH = 500
USUAL = SelectChoice("", later("default for this outcome"))
MODELS = [
    USUAL,
    SelectChoice(LOGISTIC, later("logistic: two answers, and any special answers")),
    SelectChoice(PROBIT, later("probit: two answers")),
    SelectChoice(CLOGLOG, later("cloglog (complementary log-log): two answers")),
    SelectChoice(CAUCHIT, later("Cauchit: two answers")),
    SelectChoice(MULTINOMIAL, later("multinomial: several answers")),
    SelectChoice(ORDERED, later("ordinal: a scale")),
    SelectChoice(LINEAR, later("linear: a mean")),
]
ERRORS = [
    SelectChoice("", later("default")),
    SelectChoice(
        OBSERVED, later("observed information: valid if the model is correctly specified")
    ),
    SelectChoice(
        EXPECTED, later("expected information: valid if the model is correctly specified")
    ),
    SelectChoice(SANDWICH, later("sandwich: valid also if the model is misspecified")),
]


def variable_choices(variables: tuple[AnalysableVariable, ...]) -> list[SelectChoice]:
    return [SelectChoice(each.name, each.label) for each in variables]


def translated(choices: Iterable[SelectChoice]) -> list[SelectChoice]:
    """The choices of a form's class, in the language of the page."""
    return [replace(each, label=translate_constant(str(each.label))) for each in choices]


class AnalysisForm(PageForm):
    """The base form of every analysis, with the sampling design.

    `parts` are the fields that name columns, in the order of the analysis. `fewest` is the number
    of suitable questions that a survey needs, and `lacking` the message if it has fewer. `finite`
    is whether the analysis has a finite population correction.
    """

    parts: ClassVar[tuple[str, ...]] = ()
    fewest: ClassVar[int] = 2
    lacking: ClassVar[str] = later(
        "This analysis needs two questions other than notes and free text. This survey has fewer."
    )

    @staticmethod
    def usable(survey: Survey) -> tuple[AnalysableVariable, ...]:
        """The variables of a survey that this analysis can use."""
        return analysable_variables(survey)

    weights = SelectField(later("Weights"), default="")
    strata = SelectField(later("Strata"), default="")
    clusters = SelectField(later("Clusters"), default="")
    populations = SelectField(later("Population sizes"), default="", choices=[NOTHING])
    finite: ClassVar[bool] = False

    def offer(self, survey: Survey) -> None:
        """Fill the lists."""
        design_variables = telling_design(survey)
        numbers = tuple(each for each in design_variables if each.question.kind.numeric)
        self.slug = survey.slug
        self.weights.choices = [NOTHING, *variable_choices(numbers)]
        self.strata.choices = [NOTHING, *variable_choices(design_variables)]
        self.clusters.choices = [NOTHING, *variable_choices(design_variables)]
        for part in self.parts:
            self[part].choices = variable_choices(analysable_variables(survey))

    def offer_file(self, file: DesignFile) -> None:
        """Add the columns of the survey's file to the lists."""
        fields = (self.weights, self.strata, self.clusters, self.populations)
        self.populations.choices = [NOTHING]
        for column, field in zip(DESIGN_COLUMNS, fields, strict=True):
            if column in file.tells and (column != POPULATION or self.finite):
                label = translate_constant(FILE_LABELS[column])
                field.choices.insert(1, SelectChoice(OF_FILE, label))

    @property
    def design(self) -> DesignNames:
        chosen = (
            self.weights.data, self.strata.data, self.clusters.data, self.populations.data
        )  # fmt: skip
        return DesignNames(*(name or None for name in chosen))

    @property
    def wanted(self) -> list[str]:
        """Names of the columns."""
        named: list[str] = []
        for part in self.parts:
            data = self[part].data
            named += data if isinstance(data, list) else [data] if data else []
        return named


def measure(name: str, place: int | None) -> str:
    """The value of a choice: a question and the place of one of its answers, or its mean."""
    return f"{name}:{'' if place is None else place}"


def measures_of(variables: Iterable[AnalysableVariable], mean: bool = True) -> list[SelectChoice]:
    """The quantities of each question, grouped by question. Each label includes the question,
    because a closed menu shows only the label."""
    return [
        SelectChoice(measure(each.name, place), f"{words} · {each.label}", optgroup=each.label)
        for each in variables
        for place, words in each.measures
        if mean or place is not None
    ]


def place_in(chosen: str) -> int | None:
    """The place of the answer, or None for the mean."""
    place = chosen.rpartition(":")[2]
    return int(place) if place else None


def another(variables: tuple[AnalysableVariable, ...], name: str) -> str:
    """The first variable of another question than the one with this name."""
    question = next((each.question for each in variables if each.name == name), None)
    return next(each.name for each in variables if each.question is not question)


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
        self.of.choices = translated(self.of.choices)
        self.layers.choices.insert(0, NOTHING)
        if self.rows.data is None:
            self.rows.data = variables[0].name
        if self.columns.data is None:
            self.columns.data = another(variables, variables[0].name)


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


class CorrelationForm(AnalysisForm):
    finite = True
    questions = CheckboxesField(
        later("Questions")
    )  # each a name, a colon, and the place of an answer

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        self.questions.choices = [
            SelectChoice(measure(each.name, place), f"{each.label} {words}".strip())
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


class RegressionForm(AnalysisForm):
    parts = ("outcome", "predictors")
    outcome = SelectField(later("Outcome"))
    predictors = CheckboxesField(later("Predictors"), [InputRequired(TICK_ONE)])
    model = SelectField(later("Model"), choices=MODELS, default="")
    errors_of = SelectField(later("Standard errors"), choices=ERRORS, default="")
    further = StringField(later("Further terms"), [Length(max=MAX_FORMULA_LENGTH)], default="")

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        outcomes_only = [
            variable.label
            for variable in analysable_variables(survey)
            if variable.question.kind.has_mean
            and variable.question.table is not None
            and not determines_shares(variable.question.table)
        ]
        self.outcomes_only = quote_labels(outcomes_only) if outcomes_only else ""
        self.model.choices = translated(self.model.choices)
        self.errors_of.choices = translated(self.errors_of.choices)

    def validate_further(self, field: StringField) -> None:
        try:
            names = self.formula.names
        except UnanswerableQuestion as error:
            raise ValidationError(str(error)) from error
        known = {choice.value for choice in self.predictors.choices}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ValidationError(
                translate(
                    "No question that can be a predictor has the name “%(name)s”.",
                    name=unknown[0],
                )
            )

    @property
    def formula(self) -> ModelTerms:
        """The further terms. Raises UnanswerableQuestion."""
        return parse_terms(split_terms(self.further.data or ""))

    @property
    def wanted(self) -> list[str]:
        ticked = super().wanted
        return ticked + [name for name in self.formula.names if name not in ticked[1:]]


class TreeForm(AnalysisForm):
    parts = ("target", "predictors")
    target = SelectField(later("Outcome"))
    predictors = CheckboxesField(later("Split by"), [InputRequired(TICK_ONE)])
