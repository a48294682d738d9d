"""Regressions on randomised answers: the entry point to this package.

For every report, Pr(report | answer) is known, and the likelihood of the coefficients is built on
it. One estimator therefore serves every design, including non-private questions.
docs/explanation/regression.md has the formulas, and says when an interval is wrong.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Concatenate, ParamSpec

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.design_remarks import misfit_remarks
from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.regression.coefficients import (
    Regression,
    coefficient_table,
    degrees_of_freedom_remarks,
)
from survey.analysis.regression.effects import (
    ALL_PREDICTORS,
    TRACE,
    average_effects,
    tests_of,
    wald,
)
from survey.analysis.regression.least_squares import (
    NormalEquations,
    least_squares,
    scores_of,
    scores_of_listed,
)
from survey.analysis.regression.likelihood import KnownPredictorLikelihood, Likelihood, to_natural
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.models import Array
from survey.analysis.regression.other_maxima import MaximaSearchResult, maxima_remarks, search
from survey.analysis.regression.outcomes import (
    CONSTANT,
    LINEAR,
    MODELS,
    Outcome,
    linear_outcome,
    modelled,
    usual_model,
)
from survey.analysis.regression.predictors import Predictors, predictors_of, quote_labels
from survey.analysis.regression.private_predictors import PrivatePredictorLikelihood
from survey.analysis.regression.refusals import refusal
from survey.analysis.regression.standard_errors import SANDWICH, errors_of
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import join_sentences, translate, translate_constant, translate_count
from survey.estimation.results import MIN_SHOWN_RESPONSES

P = ParamSpec("P")
FitColumns = Callable[Concatenate[AnalysisColumn, Sequence[AnalysisColumn], P], Regression]


def with_misfit_remarks(fit_columns: FitColumns[P]) -> FitColumns[P]:
    """Say in a remark, or in the refusal, that the reports on a column do not fit its design."""

    def fitted(
        outcome: AnalysisColumn,
        predictors: Sequence[AnalysisColumn],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Regression:
        misfits = misfit_remarks((outcome, *predictors))
        try:
            result = fit_columns(outcome, predictors, *args, **kwargs)
        except UnanswerableQuestion as error:
            if not misfits:
                raise
            raise UnanswerableQuestion(join_sentences(*misfits, str(error))) from error
        return replace(result, remarks=(*misfits, *result.remarks))

    return fitted


@with_misfit_remarks
def regress(
    outcome: AnalysisColumn,
    predictors: Sequence[AnalysisColumn],
    model: str | None = None,
    errors: str | None = None,
    design: SurveyDesign | None = None,
    categories: Collection[str] = (),
    level: float = 0.95,
) -> Regression:
    """Regress an outcome on predictors, each of them private or not.

    Parameters
    ----------
    model : one of MODELS; None for the default model of such an outcome
    errors : one of `KINDS`; None for sandwich with a design or a linear model, else for observed
    design : weights, strata and clusters of all responses
    categories : names of numbers and scales among the predictors to treat as categories

    Raises
    ------
    UnanswerableQuestion
        If these responses are not sufficient, with the reason.
    """
    check_columns(outcome, predictors)
    model = checked_model(model or usual_model(outcome))
    n = len(outcome.reports)
    rows = outcome.reports >= 0
    if design is not None:
        design.check(n)
        if design.weights is not None:
            rows &= np.asarray(design.weights, dtype=np.float64) > 0
    if outcome.extras and not outcome.private:
        rows &= outcome.reports < outcome.listed
    if model == LINEAR:
        for column in predictors:  # a missing report has no score
            rows &= column.reports >= 0
    prepared_predictors = predictors_of(predictors, rows, categories)
    kept = None if design is None else subset_design(design, prepared_predictors.rows)
    count, coefficients = int(prepared_predictors.rows.sum()), 1 + len(prepared_predictors.names)
    if count < max(coefficients + 2, MIN_SHOWN_RESPONSES):
        raise UnanswerableQuestion(
            translate(
                "There are too few responses (%(n)s) for %(coefficients)s coefficients.",
                n=translate_count(count),
                coefficients=coefficients,
            )
        )
    if model == LINEAR:
        result = linear(outcome, predictors, prepared_predictors, errors, kept, level)
    else:
        result = likely(
            modelled(outcome, model, prepared_predictors.rows),
            model,
            prepared_predictors,
            errors,
            kept,
            level,
        )
    return replace(result, outcome=outcome.name, left_out=n - result.n)


def checked_model(model: str) -> str:
    """The model, if there is one of this name. Raises UnanswerableQuestion."""
    if model not in MODELS:
        raise UnanswerableQuestion(
            translate(
                "There is no model %(model)s. Use one of: %(models)s.",
                model=repr(model),
                models=", ".join(MODELS),
            )
        )
    return model


def check_columns(outcome: AnalysisColumn, predictors: Sequence[AnalysisColumn]) -> None:
    names = [outcome.name, *(column.name for column in predictors)]
    if not predictors:
        raise UnanswerableQuestion(translate("Choose at least one predictor."))
    if len(set(names)) < len(names):
        raise UnanswerableQuestion(
            translate("The outcome and the predictors must be different questions.")
        )
    every = (outcome, *predictors)
    for place, one in enumerate(every):
        if len(one.reports) != len(outcome.reports):
            raise UnanswerableQuestion(translate("The columns are of different responses."))
        for other in every[:place]:
            if one.private and one.draw == other.draw:
                raise UnanswerableQuestion(
                    translate(
                        "“%(first)s” and “%(second)s” are randomised together, so the reports do "
                        "not show how they are related. Choose one of them.",
                        first=other.label,
                        second=one.label,
                    )
                )


def subset_design(design: SurveyDesign, rows: npt.NDArray[np.bool_]) -> SurveyDesign:
    """The design of some of the respondents."""
    weights, strata, clusters = (
        None if part is None else np.asarray(part)[rows]
        for part in (design.weights, design.strata, design.clusters)
    )
    return SurveyDesign(weights, strata, clusters, design.called)


def weights_of(design: SurveyDesign | None) -> Array | None:
    if design is None or design.weights is None:
        return None
    return np.asarray(design.weights, dtype=np.float64)


def likely(
    outcome: Outcome,
    name: str,
    predictors: Predictors,
    errors: str | None,
    design: SurveyDesign | None,
    level: float,
) -> Regression:
    """Regress by maximum likelihood."""
    weights = weights_of(design)
    likelihood = likelihood_of(outcome, predictors, weights)
    require_enough(likelihood)
    best_fit = fit(likelihood)
    if not best_fit.sound:
        raise UnanswerableQuestion(refusal(likelihood, best_fit, predictors, outcome.answers))
    elsewhere = MaximaSearchResult(best_fit)
    numbers = [term.columns[0] for term in predictors.terms if term.reference is None]
    # By chance, respondents who may decline could all be placed at one end of a number.
    searched = numbers and outcome.reported.mixes and not outcome.aside
    if searched and isinstance(likelihood, KnownPredictorLikelihood):
        elsewhere = search(likelihood, best_fit, numbers)
        best_fit = elsewhere.best
    spread = errors_of(likelihood, best_fit, errors, design)
    tests, untested = tests_of(
        likelihood, best_fit, spread, predictors, several=elsewhere.lower is not None
    )
    effects, shares = average_effects(
        likelihood, best_fit, spread, predictors, list(outcome.answers)
    )
    back = to_natural(likelihood)
    inside = slice(0, likelihood.of_model)
    covariance = back @ spread.covariance[inside, inside] @ back.T
    rows = outcome.rows(predictors.names)
    remarks = [
        *outcome.remarks,
        *predictors.remarks,
        *untested,
        *degrees_of_freedom_remarks(spread),
    ]
    remarks += maxima_remarks(elsewhere)
    if best_fit.at_zero:
        remarks.append(at_zero(outcome, predictors))
    determined = np.abs(back @ best_fit.lost[inside]).max(axis=1, initial=0.0) < TRACE
    coefficients = coefficient_table(
        rows,
        back @ best_fit.theta[inside],
        replace(spread, covariance=covariance),
        level,
        determined,
    )
    return Regression(
        name, "", outcome.answers, outcome.compared_with, likelihood.n, 0, spread.kind,
        spread.freedom, level,
        coefficients, tuple(tests), tuple(effects), tuple(shares),
        best_fit.found.height if weights is None else None, tuple(remarks),
    )  # fmt: skip


def require_enough(likelihood: Likelihood) -> None:
    """Raise UnanswerableQuestion if there are not more responses than parameters."""
    if likelihood.n <= len(likelihood.aside):
        raise UnanswerableQuestion(
            translate(
                "There are too few responses (%(n)s) for %(parameters)s parameters, which include "
                "the distribution of the private predictors.",
                n=translate_count(likelihood.n),
                parameters=len(likelihood.aside),
            )
        )


def likelihood_of(outcome: Outcome, predictors: Predictors, weights: Array | None) -> Likelihood:
    """The likelihood of the coefficients, and of the private predictors' distribution."""
    if predictors.private is None:
        return KnownPredictorLikelihood(
            outcome.model, outcome.reported, predictors.plain, weights, outcome.aside
        )
    return PrivatePredictorLikelihood(
        outcome.model, outcome.reported, predictors.plain, weights, outcome.aside,
        predictors.aside, private=predictors.private,
    )  # fmt: skip


def at_zero(outcome: Outcome, predictors: Predictors) -> str:
    """A remark if some maximum-likelihood shares are zero."""
    asked = [outcome.answers[k] for k in outcome.aside]
    asked += [term.name for term in predictors.terms if term.private]
    return translate(
        "According to these reports, some answers or combinations of answers do not occur "
        "(%(names)s). The model treats this as known, so standard errors may be too small. It "
        "leaves out coefficients without information.",
        names=quote_labels(asked),
    )


def linear(
    outcome: AnalysisColumn,
    columns: Sequence[AnalysisColumn],
    predictors: Predictors,
    errors: str | None,
    design: SurveyDesign | None,
    level: float,
) -> Regression:
    """Regress by least squares on unbiased scores."""
    if errors not in (None, SANDWICH):
        raise UnanswerableQuestion(
            translate(
                "Linear regression on scores has sandwich standard errors only, because the scores "
                "have unequal variances. There are no %(kind)s ones.",
                kind=translate_constant(errors),
            )
        )
    worth, remarks = linear_outcome(outcome)
    equations = NormalEquations(
        worth,
        scores_of_listed(outcome),
        outcome.reports[predictors.rows],
        predictors,
        scores_of({column.name: column for column in columns}, predictors),
        weights_of(design),
    )
    coefficients, spread = least_squares(equations, design)
    if follows(coefficients, spread.covariance, predictors):
        raise UnanswerableQuestion(
            translate(
                "The predictors determine “%(question)s” without error, so there is nothing to "
                "estimate.",
                question=outcome.label,
            )
        )
    tests = [wald(term.name, coefficients, spread, list(term.columns)) for term in predictors.terms]
    if len(tests) > 1:
        every = list(range(1, len(coefficients)))
        tests.append(wald(ALL_PREDICTORS, coefficients, spread, every))
    rows = [("", name) for name in (CONSTANT, *predictors.names)]
    return Regression(
        LINEAR, "", (), None, len(equations.reports), 0, spread.kind, spread.freedom, level,
        coefficient_table(rows, coefficients, spread, level), tuple(tests), (), (), None,
        (*remarks, *predictors.remarks, *degrees_of_freedom_remarks(spread)),
    )  # fmt: skip


def follows(coefficients: Array, covariance: Array, predictors: Predictors) -> bool:
    """Whether residuals consist only of rounding errors."""
    size = 1e-10 * (1 + float(np.abs(coefficients).max()))
    return bool(np.sqrt(np.maximum(np.diag(covariance), 0)).min() < size / len(predictors.rows))
