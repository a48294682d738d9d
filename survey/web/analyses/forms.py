"""Forms of the analyses. They change nothing and are sent by GET, so that each has a link."""

from collections.abc import Iterable
from typing import ClassVar

from wtforms import Form, SelectChoice, SelectField
from wtforms.validators import InputRequired, ValidationError

from survey.analysis.columns.available import (
    AnalysableVariable,
    analysable_variables,
    telling_design,
)
from survey.analysis.columns.column_request import OF_FILE, DesignNames
from survey.analysis.columns.design_file import DESIGN_COLUMNS, DesignFile
from survey.analysis.regression.outcomes import LINEAR, LOGISTIC, MULTINOMIAL, ORDERED
from survey.analysis.regression.standard_errors import EXPECTED, OBSERVED, SANDWICH
from survey.definition.survey import Survey
from survey.web.form_fields import CheckboxesField

NOTHING = SelectChoice("", "–")
OF_ALL, OF_ROW, OF_COLUMN = "all", "row", "column"
PAIRS, FIRST = "pairs", "first"
USUAL = SelectChoice("", "default for this outcome")
MODELS = [
    USUAL,
    SelectChoice(LOGISTIC, "logistic: two answers"),
    SelectChoice(MULTINOMIAL, "multinomial: several answers"),
    SelectChoice(ORDERED, "ordered: a scale"),
    SelectChoice(LINEAR, "linear: a mean"),
]
ERRORS = [
    SelectChoice("", "default"),
    SelectChoice(OBSERVED, "observed information: valid if the model is right"),
    SelectChoice(EXPECTED, "expected information: valid if the model is right"),
    SelectChoice(SANDWICH, "sandwich: valid also if the model is wrong"),
]


def variable_choices(variables: tuple[AnalysableVariable, ...]) -> list[SelectChoice]:
    return [SelectChoice(each.name, each.label) for each in variables]


class AnalysisForm(Form):
    """The base form of every analysis, with the sampling design.

    `parts` are the fields that name columns, in the order of the analysis. `fewest` is the number
    of suitable questions that a survey needs, and `lacking` the message if it has fewer.
    """

    parts: ClassVar[tuple[str, ...]] = ()
    fewest: ClassVar[int] = 2
    lacking: ClassVar[str] = (
        "This analysis needs two questions other than notes and free text. This survey has fewer."
    )

    @staticmethod
    def usable(survey: Survey) -> tuple[AnalysableVariable, ...]:
        """The variables of a survey that this analysis can use."""
        return analysable_variables(survey)

    weights = SelectField("Weights", default="")
    strata = SelectField("Strata", default="")
    clusters = SelectField("Clusters", default="")

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
        fields = (self.weights, self.strata, self.clusters)
        for column, field in zip(DESIGN_COLUMNS, fields, strict=True):
            if column in file.tells:
                field.choices.insert(1, SelectChoice(OF_FILE, f"{column} in the design file"))

    @property
    def design(self) -> DesignNames:
        chosen = (self.weights.data, self.strata.data, self.clusters.data)
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
    parts = ("rows", "columns", "layers")
    rows = SelectField("Rows")
    columns = SelectField("Columns")
    layers = SelectField("Separate tables for", default="")
    of = SelectField(
        "Percentages",
        choices=[
            SelectChoice(OF_ROW, "of each row"),
            SelectChoice(OF_COLUMN, "of each column"),
            SelectChoice(OF_ALL, "of all respondents"),
        ],
        default=OF_ROW,
    )

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        variables = analysable_variables(survey)
        self.layers.choices.insert(0, NOTHING)
        if self.rows.data is None:
            self.rows.data = variables[0].name
        if self.columns.data is None:
            self.columns.data = another(variables, variables[0].name)

    @property
    def percentages(self) -> str:
        """The base of the percentages, in words."""
        return next(str(each.label) for each in self.of.choices if each.value == self.of.data)


class GroupsForm(AnalysisForm):
    measure = SelectField("Compare")  # a question's name, a colon, and the place of an answer
    group = SelectField("Groups by")
    against = SelectField(
        "Differences",
        choices=[
            SelectChoice(PAIRS, "between every two groups"),
            SelectChoice(FIRST, "between each group and the first"),
        ],
        default=PAIRS,
    )

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        variables = analysable_variables(survey)
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
    questions = CheckboxesField("Questions")  # each a name, a colon, and the place of an answer

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        self.questions.choices = [
            SelectChoice(measure(each.name, place), f"{each.label} {words}".strip())
            for each in analysable_variables(survey)
            for place, words in each.quantities
        ]

    def validate_questions(self, field: CheckboxesField) -> None:
        if len(field.data or []) < 2:
            raise ValidationError("Tick at least two questions.")

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
    outcome = SelectField("Outcome")
    predictors = CheckboxesField("Predictors", [InputRequired("Tick at least one question.")])
    model = SelectField("Model", choices=MODELS, default="")
    errors_of = SelectField("Standard errors", choices=ERRORS, default="")


class TreeForm(AnalysisForm):
    parts = ("target", "predictors")
    target = SelectField("Outcome")
    predictors = CheckboxesField("Split by", [InputRequired("Tick at least one question.")])
