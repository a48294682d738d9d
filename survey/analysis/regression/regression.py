"""Regressions on randomised answers: the entry point to this package.

For every report, Pr(report | answer) is known, and the likelihood of the coefficients is built on
it. One estimator therefore serves every design, including non-private questions.
docs/explanation/regression.md has the formulas, and says when an interval is wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.variables import AnalysisColumn, SurveyDesign
from survey.analysis.regression.bartlett_correction import can_be_corrected, corrected_test
from survey.analysis.regression.coefficients import (
    CORRECTED_PROFILE,
    PROFILE,
    Coefficient,
    Regression,
    coefficient_table,
    degrees_of_freedom_remarks,
)
from survey.analysis.regression.effects import (
    WALD,
    AverageReader,
    average_effects,
    likelihood_ratio,
    tests_of,
    wald,
    with_adjusted_p,
)
from survey.analysis.regression.estimators import (
    ALIKE,
    AUTOMATIC,
    ESTIMATORS,
    LEAST_SQUARES,
    MAXIMUM_LIKELIHOOD,
    NO_END,
    PENALISED,
    Estimate,
    reason_to_penalise,
    require_finite,
    without_penalty,
)
from survey.analysis.regression.formula import (
    ALL_PREDICTORS,
    CONSTANT,
    ModelTerms,
    coefficient_label,
    quote_labels,
)
from survey.analysis.regression.least_squares import (
    NormalEquations,
    least_squares,
    scores_of_listed,
)
from survey.analysis.regression.likelihood import KnownPredictorLikelihood, Likelihood, to_natural
from survey.analysis.regression.maximum_likelihood import Fit, fit
from survey.analysis.regression.models import Array, Multinomial
from survey.analysis.regression.other_maxima import MaximaSearchResult, maxima_remarks, search
from survey.analysis.regression.outcomes import (
    CAUCHIT,
    LINEAR,
    MODELS,
    Outcome,
    linear_outcome,
    outcome_of_rows,
    usual_model,
)
from survey.analysis.regression.predictors import (
    NO_FORMULA,
    Predictors,
    predictors_of,
)
from survey.analysis.regression.private.absent_answers import without_absent_answers
from survey.analysis.regression.private.private_predictors import PrivatePredictorLikelihood
from survey.analysis.regression.profile_likelihood import (
    Reaches,
    linear_ends,
    nested_fit,
    usual_reaches,
)
from survey.analysis.regression.standard_errors import SANDWICH, Errors, errors_of
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import later, translate, translate_constant
from survey.estimation.findings.remarks import WEAKLY_IDENTIFIED, Remark
from survey.estimation.results import MIN_SHOWN_RESPONSES

# The largest number of multiplications for profiles: about two seconds, or ten if a predictor is
# private, because its search takes more evaluations. Above it, there are usually many responses for
# each parameter, and intervals from standard errors differ little.
MAX_PROFILE_WORK = 4.5e8
# The share of the penalty of the constants that the intervals of a private outcome keep. With
# the whole penalty, their coverage is as low as 92 %, and with none, as high as 97.4 %
# (docs/evidence/regression.md).
CONSTANTS_SHARE = 0.25
# Evaluations of the likelihood for both ends of an interval.
PROFILE_EVALUATIONS = 15
NO_SUCH_MODEL = later("There is no model %(name)s. Use one of: %(names)s.")
NO_SUCH_ESTIMATOR = later("There is no estimator %(name)s. Use one of: %(names)s.")


def regress(
    outcome: AnalysisColumn,
    predictors: Sequence[AnalysisColumn],
    model: str | None = None,
    errors: str | None = None,
    design: SurveyDesign | None = None,
    level: float = 0.95,
    formula: ModelTerms = NO_FORMULA,
    estimator: str = AUTOMATIC,
) -> Regression:
    """Regress an outcome on predictors, each of them private or not.

    Parameters
    ----------
    model : one of MODELS; None for the default model of such an outcome
    errors : one of `KINDS`; None for sandwich with a design or a linear model, else for observed
    design : weights, strata and clusters of all responses
    formula : products of predictors, numbers and scales to treat as categories, and answers to
        compare with
    estimator : one of ESTIMATORS; a linear model has least squares only

    Raises
    ------
    UnanswerableQuestion
        If these responses are not sufficient, with the reason.
    """
    check_columns(outcome, predictors)
    model = model or usual_model(outcome)
    require_known(model, MODELS, NO_SUCH_MODEL)
    require_known(estimator, ESTIMATORS, NO_SUCH_ESTIMATOR)
    if model == LINEAR:
        require_own_draw(outcome, predictors)
    rows = usable_rows(outcome, predictors, model, design)
    whole = {outcome.name} if model == LINEAR else set()
    (outcome, *predictors), absent = without_absent_answers(
        (outcome, *predictors), rows, whole.union(formula.references)
    )
    prepared_predictors = predictors_of(predictors, rows, formula, outcome)
    require_responses(prepared_predictors)
    kept = None if design is None else subset_design(design, prepared_predictors.rows)
    if model == LINEAR:
        result = linear(outcome, prepared_predictors, errors, kept, level)
    else:
        result = likely(
            outcome_of_rows(outcome, model, prepared_predictors.rows),
            model,
            predictors,
            prepared_predictors,
            errors,
            kept,
            level,
            estimator,
        )
    return replace(
        result,
        outcome=outcome.name,
        left_out=len(rows) - result.n,
        tests=with_adjusted_p(result.tests, [column.name for column in predictors]),
        remarks=(*absent, *result.remarks),
    )


def require_responses(predictors: Predictors) -> None:
    """Raise UnanswerableQuestion if there are too few responses for the coefficients."""
    count, coefficients = int(predictors.rows.sum()), 1 + len(predictors.names)
    if count < max(coefficients + 2, MIN_SHOWN_RESPONSES):
        raise UnanswerableQuestion(
            "There are too few responses (%(n)s) for %(coefficients)s coefficients.",
            n=count,
            coefficients=coefficients,
        )


def usable_rows(
    outcome: AnalysisColumn,
    predictors: Sequence[AnalysisColumn],
    model: str,
    design: SurveyDesign | None,
) -> npt.NDArray[np.bool_]:
    """The respondents with a weight who report on the outcome, shape (n,)."""
    rows = outcome.reports >= 0
    if design is not None:
        design.check(len(rows))
        design.refuse_populations()
        if design.weights is not None:
            rows &= np.asarray(design.weights, dtype=np.float64) > 0
    if outcome.special_answers and not outcome.private:
        rows &= outcome.reports < outcome.listed
    if model == LINEAR:
        for column in predictors:  # a missing report has no score
            rows &= column.reports >= 0
    return rows


def require_known(name: str, names: Sequence[str], message: str) -> None:
    """Raise UnanswerableQuestion with this message if a name is not among those that exist."""
    if name not in names:
        raise UnanswerableQuestion(message, name=repr(name), names=", ".join(names))


def check_columns(outcome: AnalysisColumn, predictors: Sequence[AnalysisColumn]) -> None:
    names = [outcome.name, *(column.name for column in predictors)]
    if not predictors:
        raise UnanswerableQuestion("Choose at least one predictor.")
    if len(set(names)) < len(names):
        raise UnanswerableQuestion("The outcome and the predictors must be different questions.")
    every = (outcome, *predictors)
    for place, one in enumerate(every):
        if len(one.reports) != len(outcome.reports):
            raise UnanswerableQuestion("The columns are of different responses.")
        for other in every[:place]:
            alone = one.combinations is None or other.combinations is None
            if one.private and one.draw == other.draw and alone:
                raise UnanswerableQuestion(
                    "“%(first)s” and “%(second)s” are randomised together, so the reports do "
                    "not show how they are related. Choose one of them.",
                    first=other.label,
                    second=one.label,
                )


def require_own_draw(outcome: AnalysisColumn, predictors: Sequence[AnalysisColumn]) -> None:
    """Raise UnanswerableQuestion if a predictor comes from one draw with the outcome.

    The linear model multiplies their scores, which would have to be independent.
    """
    for column in predictors:
        if column.private and column.draw == outcome.draw:
            raise UnanswerableQuestion(
                "“%(first)s” and “%(second)s” are randomised together, so the linear model is "
                "not available. Choose another model, or use a cross-tabulation.",
                first=outcome.label,
                second=column.label,
            )


def subset_design(design: SurveyDesign, rows: npt.NDArray[np.bool_]) -> SurveyDesign:
    """The design of some of the respondents."""
    weights, strata, clusters = (
        None if part is None else np.asarray(part)[rows]
        for part in (design.weights, design.strata, design.clusters)
    )
    return SurveyDesign(weights=weights, strata=strata, clusters=clusters, called=design.called)


def weights_of(design: SurveyDesign | None) -> Array | None:
    if design is None or design.weights is None:
        return None
    return np.asarray(design.weights, dtype=np.float64)


def likely(
    outcome: Outcome,
    name: str,
    columns: Sequence[AnalysisColumn],
    predictors: Predictors,
    errors: str | None,
    design: SurveyDesign | None,
    level: float,
    estimator: str,
) -> Regression:
    """Regress by maximum likelihood, with or without the penalty."""
    weights = weights_of(design)
    likelihood = likelihood_of(outcome, predictors, weights)
    require_enough(likelihood)
    # The likelihood of direct answers is concave, except for the heavy tails of a Cauchit.
    searched = outcome.reported.mixes or name == CAUCHIT
    estimate = estimated_by(estimator, likelihood, predictors, searched)
    likelihood, best_fit = estimate.likelihood, estimate.maxima.best
    spread = errors_of(likelihood, best_fit, errors, design)
    is_sample = spread.kind != SANDWICH and design is None
    profiled = is_sample and affordable(likelihood, likelihood.of_model)
    rows = outcome.rows(predictors.names)
    # Both ends and the test of each coefficient, and the tests of the predictors. The correction
    # assumes that each likelihood has one maximum.
    hypotheses = 3 * len(rows) + len(predictors.terms) + 1
    corrected = profiled and estimate.maxima.only and can_be_corrected(likelihood, hypotheses)
    reaches: dict[str, Reaches] = {}
    if profiled:
        table = profile_table(rows, columns, likelihood, best_fit, spread, level, corrected)
        coefficients, remarks = table.coefficients, table.remarks
        if estimate.reason == ALIKE and not all(each.is_limited for each in coefficients):
            penalised = likely(outcome, name, columns, predictors, errors, design, level, PENALISED)
            return replace(penalised, estimator_reason=NO_END)
        if corrected and not predictors.products:
            reaches = table.reaches
    else:
        coefficients, remarks = wald_table(rows, likelihood, best_fit, spread, level), []
    averages = (1 + 2 * len(predictors.names)) * len(outcome.answers)
    profiled_averages = profiled and predictors.private is None and affordable(likelihood, averages)
    reader = AverageReader(
        likelihood=likelihood,
        found=best_fit,
        errors=spread,
        answers=outcome.answers,
        level=level,
        profiled=profiled_averages,
        reaches=reaches,
    )
    effects, shares = average_effects(reader, predictors)
    log_likelihood, aic = fit_measures(likelihood, best_fit)
    return Regression(
        model=name,
        outcome="",
        answers=outcome.answers,
        compared_with=outcome.compared_with,
        n=likelihood.n,
        left_out=0,
        errors=spread.kind,
        freedom=spread.freedom,
        intervals=kind_of_intervals(profiled, corrected),
        level=level,
        coefficients=coefficients,
        tests=tuple(
            tests_of(likelihood, best_fit, spread, predictors, profiled, corrected, outcome.special)
        ),
        effects=tuple(effects),
        shares=tuple(shares),
        estimator=PENALISED if likelihood.is_penalised else MAXIMUM_LIKELIHOOD,
        estimator_reason=estimate.reason,
        log_likelihood=log_likelihood,
        aic=aic,
        remarks=(
            *outcome.remarks,
            *predictors.remarks,
            *degrees_of_freedom_remarks(spread),
            *remarks,
            *maxima_remarks(estimate.maxima),
        ),
    )


def wald_table(
    rows: Sequence[tuple[str, str]],
    likelihood: Likelihood,
    found: Fit,
    errors: Errors,
    level: float,
) -> tuple[Coefficient, ...]:
    """Coefficients with Wald intervals, for the predictors as they are."""
    back, inside = to_natural(likelihood), slice(0, likelihood.of_model)
    covariance = back @ errors.covariance[inside, inside] @ back.T
    natural_errors = replace(errors, covariance=covariance)
    return coefficient_table(rows, back @ found.theta[inside], natural_errors, level)


def estimated_by(
    estimator: str, likelihood: Likelihood, predictors: Predictors, searched: bool
) -> Estimate:
    """The estimate by this estimator.

    `likelihood` has the penalty. Raises UnanswerableQuestion if there is no such maximum.
    """
    without, reason = without_penalty(likelihood), None
    if estimator == MAXIMUM_LIKELIHOOD:
        elsewhere = maxima_of(without, predictors, searched)
        require_finite(elsewhere.best)
        return Estimate(without, elsewhere, None)
    if estimator == AUTOMATIC:
        found = fit(without)
        reason = reason_to_penalise(likelihood, found)
        if reason is None:
            elsewhere = maxima_of(without, predictors, searched, found)
            if elsewhere.moved:
                reason = reason_to_penalise(likelihood, elsewhere.best)
            if reason is None:
                return Estimate(without, elsewhere, ALIKE)
    return Estimate(likelihood, maxima_of(likelihood, predictors, searched), reason)


def maxima_of(
    likelihood: Likelihood, predictors: Predictors, searched: bool, found: Fit | None = None
) -> MaximaSearchResult:
    """The highest maximum. If `searched`, others than the one `found` from the usual start."""
    best_fit = fit(likelihood) if found is None else found
    if best_fit.stuck and likelihood.is_penalised:
        raise UnanswerableQuestion(
            "The search for the maximum of the likelihood did not converge. Choose fewer "
            "predictors, or wait for more responses."
        )
    numbers = [
        term.columns[0]
        for term in predictors.terms
        if term.reference is None and not term.is_product
    ]
    if searched and numbers and isinstance(likelihood, KnownPredictorLikelihood):
        return search(likelihood, best_fit, numbers)
    return MaximaSearchResult(best_fit)


def fit_measures(likelihood: Likelihood, found: Fit) -> tuple[float | None, float | None]:
    """The log likelihood and Akaike's criterion.

    They are those of the maximum-likelihood estimate. A penalised estimate has none, and neither
    has one with weights, because its likelihood is not that of a sample.
    """
    if likelihood.is_penalised or likelihood.weights is not None:
        return None, None
    height = found.found.log_likelihood
    return height, 2 * likelihood.size - 2 * height


def affordable(likelihood: Likelihood, quantities: int) -> bool:
    """Whether the profiles of this many quantities take little time."""
    return likelihood.multiplications * PROFILE_EVALUATIONS * quantities <= MAX_PROFILE_WORK


def kind_of_intervals(profiled: bool, corrected: bool) -> str:
    if corrected:
        return CORRECTED_PROFILE
    return PROFILE if profiled else WALD


@dataclass(frozen=True)
class ProfileTable:
    """Coefficients with intervals from a profile, and the reaches of these intervals by name."""

    coefficients: tuple[Coefficient, ...]
    remarks: list[Remark]
    reaches: dict[str, Reaches]


def profile_table(
    rows: Sequence[tuple[str, str]],
    columns: Sequence[AnalysisColumn],
    likelihood: Likelihood,
    found: Fit,
    errors: Errors,
    level: float,
    corrected: bool,
) -> ProfileTable:
    """Coefficients with intervals and p-values of the profile likelihood.

    For a private outcome, those of the constants are from the profile with a smaller penalty of the
    constants. Estimates are always those of the whole penalty.

    If `corrected`, they have Bartlett's correction (`corrected_test`).

    There is a remark if the reports alone would allow coefficients outside an interval: the
    penalty then causes more than half of the fall of the likelihood at its end. Without a penalty,
    such an end is infinite.
    """
    inside, table, unlimited = likelihood.of_model, [], []
    all_reaches = {}
    several = len({equation for equation, _ in rows}) > 1
    of_constants = less_penalised(likelihood, found)
    for row, natural in zip(rows, to_natural(likelihood), strict=True):
        profiled, best = of_constants if row[1] == CONSTANT else (likelihood, found)
        direction = np.concatenate([natural, np.zeros(likelihood.size - inside)])
        nested = nested_fit(profiled, best, direction[:, np.newaxis], errors.covariance)
        reaches, mean = usual_reaches(level), 1.0
        ends = linear_ends(profiled, best, direction, errors.covariance, reaches)
        if corrected and isinstance(profiled, KnownPredictorLikelihood):
            reaches, mean = corrected_test(profiled, best, direction, nested, ends, reaches)
            ends = linear_ends(profiled, best, direction, errors.covariance, reaches)
        p = likelihood_ratio(row[1], best, nested, 1, mean).p
        all_reaches[row[1]] = reaches
        error = float(np.sqrt(direction @ errors.covariance @ direction))
        value = float(direction @ found.theta)
        table.append(
            Coefficient(
                equation=row[0],
                name=row[1],
                value=value,
                error=error,
                low=ends[0].value,
                high=ends[1].value,
                p=p,
            )
        )
        falls = [best.found.log_likelihood - end.log_likelihood for end in ends]
        if any(fall < reach**2 / 4 for fall, reach in zip(falls, reaches, strict=True)):
            named = coefficient_label(row[1], columns)
            unlimited.append(f"{row[0]}: {named}" if several else named)
    remarks = [weak_remark(unlimited, likelihood.is_penalised)] if unlimited else []
    return ProfileTable(tuple(table), remarks, all_reaches)


def weak_remark(names: Sequence[str], is_penalised: bool) -> Remark:
    """A remark on coefficients about which the reports contain little information."""
    quoted = quote_labels(names)
    sentence = (
        translate(
            "The data contain little information about these coefficients: %(names)s "
            "(weakly identified). At least one end of each of their intervals depends "
            "more on the penalty than on the responses. More responses make these "
            "intervals shorter.",
            names=quoted,
        )
        if is_penalised
        else translate(
            "The data contain little information about these coefficients: %(names)s "
            "(weakly identified). At least one end of each of their intervals is infinite. "
            "The penalised estimator has finite intervals.",
            names=quoted,
        )
    )
    return Remark(WEAKLY_IDENTIFIED, sentence)


def less_penalised(likelihood: Likelihood, found: Fit) -> tuple[Likelihood, Fit]:
    """The likelihood for the intervals of constants, and its fit.

    If the outcome is private, the penalty moves rare shares far towards one half. The interval
    of the constant would then cover the true value in only 90 to 93 % of surveys
    (docs/evidence/regression.md). A likelihood with CONSTANTS_SHARE of this penalty of the
    constants therefore takes its place. For a non-private outcome, the interval stays as
    in the R package logistf. It also stays for ordered models, and for private predictors, so that
    these intervals can cover less than 95 % of rare shares.
    """
    if (
        not isinstance(likelihood, KnownPredictorLikelihood)
        or not likelihood.is_penalised
        or not isinstance(likelihood.model, Multinomial)
        or not likelihood.outcome.mixes
    ):
        return likelihood, found
    less = replace(likelihood, constants_share=CONSTANTS_SHARE)
    best = fit(less, found.theta)
    return (likelihood, found) if best.stuck else (less, best)


def require_enough(likelihood: Likelihood) -> None:
    """Raise UnanswerableQuestion if there are not more responses than parameters."""
    if likelihood.n <= likelihood.size:
        raise UnanswerableQuestion(
            "There are too few responses (%(n)s) for %(parameters)s parameters, which include "
            "the distribution of the private predictors.",
            n=likelihood.n,
            parameters=likelihood.size,
        )


def likelihood_of(outcome: Outcome, predictors: Predictors, weights: Array | None) -> Likelihood:
    """The likelihood of the coefficients, and of the private predictors' distribution."""
    if predictors.private is None:
        known = predictors.non_private
        return KnownPredictorLikelihood(
            model=outcome.model, outcome=outcome.reported, non_private=known, weights=weights
        )
    return PrivatePredictorLikelihood(
        model=outcome.model,
        outcome=outcome.reported,
        non_private=predictors.non_private,
        weights=weights,
        private=predictors.private,
    )


def linear(
    outcome: AnalysisColumn,
    predictors: Predictors,
    errors: str | None,
    design: SurveyDesign | None,
    level: float,
) -> Regression:
    """Regress by least squares on unbiased scores."""
    if errors not in (None, SANDWICH):
        raise UnanswerableQuestion(
            "Linear regression on scores has sandwich standard errors only, because the scores "
            "have unequal variances. There are no %(kind)s ones.",
            kind=translate_constant(errors),
        )
    worth, remarks = linear_outcome(outcome)
    equations = NormalEquations(
        worth=worth,
        listed=scores_of_listed(outcome),
        reports=outcome.reports[predictors.rows],
        predictors=predictors,
        weights=weights_of(design),
    )
    coefficients, spread = least_squares(equations, design)
    if follows(coefficients, spread.covariance, predictors):
        raise UnanswerableQuestion(
            "The predictors determine “%(question)s” without error, so there is nothing to "
            "estimate.",
            question=outcome.label,
        )
    tests = [
        wald(term.name, coefficients, spread, list(predictors.columns_with(term)))
        for term in predictors.terms
    ]
    if len(tests) > 1:
        every = [column for term in predictors.terms for column in term.listed_columns]
        tests.append(wald(ALL_PREDICTORS, coefficients, spread, every))
    rows = [("", name) for name in (CONSTANT, *predictors.names)]
    return Regression(
        model=LINEAR,
        outcome="",
        answers=(),
        compared_with=None,
        n=len(equations.reports),
        left_out=0,
        errors=spread.kind,
        freedom=spread.freedom,
        intervals=WALD,
        level=level,
        coefficients=coefficient_table(rows, coefficients, spread, level),
        tests=tuple(tests),
        effects=(),
        shares=(),
        estimator=LEAST_SQUARES,
        estimator_reason=None,
        log_likelihood=None,
        aic=None,
        remarks=(*remarks, *predictors.remarks, *degrees_of_freedom_remarks(spread)),
    )


def follows(coefficients: Array, covariance: Array, predictors: Predictors) -> bool:
    """Whether residuals consist only of rounding errors."""
    size = 1e-10 * (1 + float(np.abs(coefficients).max()))
    return bool(np.sqrt(np.maximum(np.diag(covariance), 0)).min() < size / len(predictors.rows))
