"""A regression of one question on others: the form, and the result."""

from wtforms import SelectChoice, SelectField, StringField
from wtforms.validators import InputRequired, Length, ValidationError

from survey.analysis.as_json import regression_json
from survey.analysis.as_rows import regression_rows
from survey.analysis.columns.available import analysable_variables
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.regression.estimators import AUTOMATIC, MAXIMUM_LIKELIHOOD, PENALISED
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
from survey.analysis.regression.regression import regress
from survey.analysis.regression.regression_blocks import (
    MODEL_NAMES,
    estimator_sentences,
    regression_blocks,
    regression_heading,
)
from survey.analysis.regression.standard_errors import EXPECTED, OBSERVED, SANDWICH
from survey.analysis.sentences import regression_sentence
from survey.charts.analysis_rows import coefficient_chart
from survey.charts.interval_rows import NARROW, WIDE
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import determines_shares
from survey.core.translate import join_sentences, later, translate, translate_constant
from survey.definition.survey import Survey
from survey.web.analyses.forms import (
    TICK_ONE,
    AnalysisForm,
    linked_terms,
    translate_choices,
)
from survey.web.analyses.kind import AnalysisKind, Columns
from survey.web.analyses.result import AnalysisResult
from survey.web.form_fields import CheckboxesField

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
ESTIMATORS = [
    SelectChoice(
        AUTOMATIC,
        later("automatic: maximum likelihood if the penalised estimates are nearly the same"),
    ),
    SelectChoice(MAXIMUM_LIKELIHOOD, later("maximum likelihood: to reproduce published results")),
    SelectChoice(PENALISED, later("penalised: coefficients are always finite")),
]


class RegressionForm(AnalysisForm):
    parts = ("outcome", "predictors")
    outcome = SelectField(later("Outcome"))
    predictors = CheckboxesField(
        later("Predictors"), [InputRequired(TICK_ONE)], render_kw={"with_names": True}
    )
    model = SelectField(later("Model"), choices=MODELS, default="")
    estimator = SelectField(
        later("Estimator"),
        choices=ESTIMATORS,
        default=AUTOMATIC,
        description=later("The linear model always uses least squares."),
    )
    errors_of = SelectField(later("Standard errors"), choices=ERRORS, default="")
    further = StringField(
        later("Further terms"),
        [Length(max=MAX_FORMULA_LENGTH)],
        default="",
        description=later(
            "Use the names that follow the questions above. age:region is the product "
            "(interaction) of two predictors. age*region also adds the predictors themselves. "
            "I(age^2) is a square. C(region, ref=South) sets the reference category."
        ),
    )

    def offer(self, survey: Survey) -> None:
        super().offer(survey)
        outcomes_only = [
            variable.label
            for variable in analysable_variables(survey)
            if variable.question.kind.has_mean
            and variable.question.table is not None
            and not determines_shares(variable.question.table)
        ]
        if outcomes_only:
            self.predictors.description = translate(
                "The reports on these questions allow an estimate of the mean only, so each can "
                "be the outcome but not a predictor: %(questions)s.",
                questions=quote_labels(outcomes_only),
            )
        self.model.choices = translate_choices(self.model.choices)
        self.estimator.choices = translate_choices(self.estimator.choices)
        self.errors_of.choices = translate_choices(self.errors_of.choices)

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


def regression_result(
    form: RegressionForm, columns: Columns, design: SurveyDesign
) -> AnalysisResult:
    """How answers to one question depend on the answers to others."""
    outcome, predictors = columns[0], columns[1:]
    sampled = design if design.given else None
    model, errors = form.model.data or None, form.errors_of.data or None
    found = regress(
        outcome,
        predictors,
        model,
        errors,
        sampled,
        formula=form.formula,
        estimator=form.estimator.data,
    )
    model_name = translate_constant(MODEL_NAMES[found.model])
    is_linear, products = found.model == LINEAR, bool(form.formula.products)
    return AnalysisResult(
        title=translate("%(model)s of “%(question)s”", model=model_name, question=outcome.label),
        sentence=regression_sentence(found, outcome, predictors),
        n=found.n,
        charts=tuple(coefficient_chart(found, predictors, each) for each in (WIDE, NARROW)),
        rows=tuple(regression_rows(found, predictors)),
        content=regression_json(found, outcome, predictors),
        heading=regression_heading(found, outcome),
        blocks=tuple(regression_blocks(found, outcome, predictors, products=products)),
        note=translate("A coefficient is a change in the mean.") if is_linear else "",
        method=join_sentences(*estimator_sentences(found)),
    )


def about_regression() -> str:
    return translate(
        "A regression shows how the answers to one question depend on the answers to others. For "
        "each predictor, it holds the other predictors constant. The analysis works with "
        "%(private)s and %(non_private)s questions, and adds no %(loss)s.",
        **linked_terms(),
    )


REGRESSION = AnalysisKind(
    name="regression",
    title=later("Regression"),
    about=about_regression,
    form=RegressionForm,
    compute=regression_result,
    help="explanation/regression",
)
