"""Effects in shares: averages over the respondents, and tests of whole predictors.

An average marginal effect is the mean change of an answer's share over the respondents. For a
category, it is the change if all gave this answer instead of the reference. For a number, it is the
slope at each respondent's own value. Products of predictors change with them. Standard errors by
the delta method treat the predictors of these respondents as fixed (Bartus, Stata Journal 5 (2005)
309). Intervals are those of the profile likelihood, or of the standard errors. If predictors are
private, they are of the latter kind, because each of many evaluations then takes long.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

import numpy as np
import scipy

from survey.analysis.multiple_comparisons import adjust_by_holm
from survey.analysis.regression.bartlett_correction import mean_ratio
from survey.analysis.regression.formula import ALL_PREDICTORS
from survey.analysis.regression.likelihood import (
    KnownPredictorLikelihood,
    Likelihood,
    PredictorSetting,
)
from survey.analysis.regression.maximum_likelihood import Fit, definite
from survey.analysis.regression.models import MIN_CHANCE, Array, Multinomial
from survey.analysis.regression.predictors import Predictors, Term
from survey.analysis.regression.private.expected_information import (
    information_of_reports,
    listed_reports,
)
from survey.analysis.regression.private.private_predictors import PrivatePredictorLikelihood
from survey.analysis.regression.profile_likelihood import (
    Reaches,
    curved_ends,
    nested_fit,
    usual_reaches,
)
from survey.analysis.regression.standard_errors import CLUSTERED, SANDWICH, Errors
from survey.core.translate import later

# In standard deviations. The differences are exact to 1e-10 standard deviations.
NUDGE = 1e-5
LIKELIHOOD_RATIO = later("likelihood ratio")
WALD = later("Wald")
SCORE = later("score")
# The difference of a share from 1, so that its logit is finite.
MIN_REST = 1e-15
# Shares of all answers at theta, or their changes, shape (K,), and derivatives, (K, size).
Averages = Callable[[Array], tuple[Array, Array]]


class AverageRow(TypedDict):
    """What effects and predicted shares have in common: an answer with its figure."""

    answer: str
    value: float
    error: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Effect:
    """The change in the share of an answer, its standard error and interval, from -1 to 1.

    For a number, it is the change for one unit, which can be outside -1 to 1.
    """

    name: str
    answer: str
    value: float
    error: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class PredictedShare:
    """The share of an answer if everyone had this level of a predictor."""

    predictor: str
    level: str
    answer: str
    value: float
    error: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class TermTest:
    """A test of whether a predictor matters.

    If it does not, `statistic` has a chi-squared distribution with `degrees` degrees of freedom.
    With `freedom`, the test uses an F distribution with `freedom` as its second parameter.
    `adjusted_p` has Holm's correction for all predictors. Tests of products and of all predictors
    together have none.
    """

    name: str
    kind: str
    statistic: float
    degrees: int
    p: float
    freedom: int | None = None
    adjusted_p: float | None = None


@dataclass(frozen=True, kw_only=True)
class AverageReader:
    """Reads averages over the respondents off a fit, with their standard errors and intervals.

    `reaches` has those of the intervals of coefficients, by name, if Bartlett's correction changed
    them. The model then has two answers and no products, and the average marginal effect of a
    predictor is zero if and only if its coefficient is. Both intervals have the same reaches, so
    that they exclude zero together.
    """

    likelihood: Likelihood
    found: Fit
    errors: Errors
    answers: Sequence[str]
    level: float
    profiled: bool
    reaches: Mapping[str, Reaches] = field(default_factory=dict)

    def rows(
        self, averages: Averages, limits: tuple[float, float], name: str | None = None
    ) -> list[AverageRow]:
        """Rows of answer, value, standard error and interval.

        `name` is that of the coefficient, for an average marginal effect.
        """
        values, changes = averages(self.found.theta)
        spread = np.einsum("kp,pq,kq->k", changes, self.errors.covariance, changes)
        errors = np.sqrt(np.maximum(spread, 0.0))
        reaches = self.reaches_of(name)
        ends = [self.interval(averages, limits, k, reaches) for k in range(1, len(values))]
        low, high = ends[0]
        # Shares add up to one, and changes to zero.
        total = values.sum()
        first = (total - high, total - low)
        if len(values) > 2:
            first = self.interval(averages, limits, 0, reaches)
        bounds = np.clip([first, *ends], *limits)
        return [
            AverageRow(
                answer=answer,
                value=float(value),
                error=float(error),
                low=float(low),
                high=float(high),
            )
            for answer, value, error, (low, high) in zip(
                self.answers, values, errors, bounds, strict=True
            )
        ]

    def reaches_of(self, name: str | None) -> Reaches:
        """The reaches of the interval of the second answer's average."""
        if name is None or name not in self.reaches:
            return usual_reaches(self.level)
        low, high = self.reaches[name]
        # The share of the reference falls where the coefficient increases.
        is_reference = isinstance(self.likelihood.model, Multinomial) and (
            self.likelihood.model.reference == 1
        )
        return (-high, -low) if is_reference else (low, high)

    def interval(
        self, averages: Averages, limits: tuple[float, float], k: int, reaches: Reaches
    ) -> tuple[float, float]:
        """The interval of the average of answer k.

        An average with limits has the interval of its logit between them, which is nearly linear in
        the coefficients. An end that the search does not find is that of the standard error.
        """
        low, high = limits
        limited = np.isfinite(low)

        def quantity(theta: Array) -> tuple[float, Array]:
            values, changes = averages(theta)
            if not limited:
                return float(values[k]), changes[k]
            share = min(max((float(values[k]) - low) / (high - low), MIN_CHANCE), 1 - MIN_REST)
            slope = 1 / ((high - low) * share * (1 - share))
            return float(scipy.special.logit(share)), changes[k] * slope

        value, change = quantity(self.found.theta)
        error = float(np.sqrt(max(float(change @ self.errors.covariance @ change), 0.0)))
        bounds = value + self.errors.reach(self.level) * error * np.array([-1, 1])
        if self.profiled:
            ends = curved_ends(
                self.likelihood, self.found, quantity, self.errors.covariance, reaches
            )
            for place, end in enumerate(ends):
                if end is not None:
                    bounds[place] = end.value
        if limited:
            bounds = low + (high - low) * scipy.special.expit(bounds)
        return float(bounds[0]), float(bounds[1])


def average_effects(
    reader: AverageReader, predictors: Predictors
) -> tuple[list[Effect], list[PredictedShare]]:
    """Average marginal effects of all predictors, and the shares behind the differences."""
    effects: list[Effect] = []
    shares: list[PredictedShare] = []
    likelihood = reader.likelihood
    _, scales = likelihood.scaling
    for term in predictors.terms:
        if term.is_product:
            continue
        if term.reference is None:
            slope = average_slope(likelihood, predictors, term.columns[0], scales)
            unlimited = (-np.inf, np.inf)
            name = term.names[0]
            effects += [Effect(name=name, **row) for row in reader.rows(slope, unlimited, name)]
            continue
        base = average_share(likelihood, predictors, term, term.reference)
        shares += [
            PredictedShare(predictor=term.name, level=term.reference, **row)
            for row in reader.rows(base, (0, 1))
        ]
        for name, level in zip(term.names, levels_of(term), strict=True):
            there = average_share(likelihood, predictors, term, level)
            shares += [
                PredictedShare(predictor=term.name, level=level, **row)
                for row in reader.rows(there, (0, 1))
            ]
            gap = average_difference(there, base)
            effects += [Effect(name=name, **row) for row in reader.rows(gap, (-1, 1), name)]
    return effects, shares


def average_slope(
    likelihood: Likelihood, predictors: Predictors, column: int, scales: Array
) -> Averages:
    """The average change for one unit of a number."""
    width = 2 * NUDGE * scales[column - 1]

    def slope(theta: Array) -> tuple[Array, Array]:
        up, down = (
            likelihood.average(
                theta,
                PredictorSetting(
                    columns=(column,),
                    values=np.array([side * NUDGE]),
                    moved=True,
                    products=predictors.products,
                    scaling=likelihood.scaling,
                ),
            )
            for side in (1, -1)
        )
        return (up[0] - down[0]) / width, (up[1] - down[1]) / width

    return slope


def average_share(
    likelihood: Likelihood, predictors: Predictors, term: Term, level: str
) -> Averages:
    """The average shares if everyone had this level."""
    means, scales = likelihood.scaling
    places = np.array(term.columns) - 1
    values = (term.levels[term.answers.index(level)] - means[places]) / scales[places]
    setting = PredictorSetting(
        columns=term.columns,
        values=values,
        products=predictors.products,
        scaling=likelihood.scaling,
    )
    return lambda theta: likelihood.average(theta, setting)


def average_difference(one: Averages, other: Averages) -> Averages:
    def gap(theta: Array) -> tuple[Array, Array]:
        (values, changes), (base, base_changes) = one(theta), other(theta)
        return values - base, changes - base_changes

    return gap


def levels_of(term: Term) -> list[str]:
    """The answers that have a column, in the order of the columns."""
    return [term.answers[int(np.argmax(column))] for column in term.levels.T]


def parameters_of(likelihood: Likelihood, columns: tuple[int, ...], special: int = 0) -> list[int]:
    """The parameters of some of the design's columns, for all answers but the last `special`.

    A model with special answers is `Multinomial`, and its reference is none of them.
    """
    width = len(likelihood.spread) // (likelihood.model.answers - 1)
    chosen = likelihood.model.parameters(columns, width)
    if special:
        chosen[-special * width :] = False
    return [int(place) for place in np.flatnonzero(chosen)]


def tests_of(
    likelihood: Likelihood,
    found: Fit,
    errors: Errors,
    predictors: Predictors,
    profiled: bool,
    corrected: bool,
    special: int = 0,
) -> list[TermTest]:
    """Tests of each predictor and of all together.

    They are about the answers that are listed. Coefficients of special answers stay as they are, to
    private predictors and to a private outcome, whose last `special` answers these are. Few people
    give such an answer, and with their coefficients a test would miss most relations.

    The test of a predictor includes its products with others. If it is `profiled`, it is a
    likelihood-ratio test: the statistic is twice the fall of the log likelihood when the
    coefficients are zero. A penalty is that of all columns in both fits (Heinze & Schemper, 2002).
    For a private predictor, the part of its own reports stays unchanged. With a sandwich, the
    likelihood is not that of the sample, and Wald tests take their place. If it is `corrected`, the
    statistic is divided by its mean (`bartlett_correction`).

    If a predictor is private, tests of several coefficients are score tests. With few reports, the
    likelihood ratio and Wald's statistic are too small, and reject true hypotheses too rarely.
    """
    wanted = [(term.name, predictors.columns_with(term)) for term in predictors.terms]
    if len(wanted) > 1:
        every = tuple(column for term in predictors.terms for column in term.listed_columns)
        wanted.append((ALL_PREDICTORS, every))
    private, listed = None, None
    if isinstance(likelihood, PrivatePredictorLikelihood):
        private, listed = likelihood, listed_reports(likelihood)
    is_sample = errors.kind not in (SANDWICH, CLUSTERED)
    tests = []
    for name, columns in wanted:
        held = parameters_of(likelihood, columns, special)
        has_score = private is not None and is_sample and len(held) > 1
        if not profiled and not has_score:
            tests.append(wald(name, found.theta, errors, held))
            continue
        directions = np.eye(len(found.theta))[:, held]
        nested = nested_fit(likelihood, found, directions, errors.covariance)
        if private is not None and has_score:
            score = rao_test(name, private, nested.theta, held, listed)
            if score is not None:
                tests.append(score)
                continue
        mean = 1.0
        if corrected and isinstance(likelihood, KnownPredictorLikelihood):
            mean = mean_ratio(likelihood, nested.theta, directions)
        tests.append(likelihood_ratio(name, found, nested, len(held), mean))
    return tests


def with_adjusted_p(tests: Sequence[TermTest], names: Sequence[str]) -> tuple[TermTest, ...]:
    """The tests, with Holm's p for those of the predictors that have these names."""
    places = [k for k, test in enumerate(tests) if test.name in names and np.isfinite(test.p)]
    adjusted = dict(zip(places, adjust_by_holm([tests[k].p for k in places]), strict=True))
    return tuple(replace(test, adjusted_p=adjusted.get(k)) for k, test in enumerate(tests))


def likelihood_ratio(
    name: str, found: Fit, nested: Fit, degrees: int, mean: float = 1.0
) -> TermTest:
    """2 (l - l0) / mean ~ chi squared (Wilks, Ann. Math. Stat. 9 (1938) 60), for nested fits.

    Both fits are to the same responses. A value below zero, from rounding, becomes zero. `mean` is
    that of the statistic under the hypothesis, divided by the degrees of freedom.
    """
    statistic = max(0.0, 2 * (found.found.height - nested.found.height)) / mean
    return TermTest(
        name=name,
        kind=LIKELIHOOD_RATIO,
        statistic=statistic,
        degrees=degrees,
        p=float(scipy.special.chdtrc(degrees, statistic)),
    )


def rao_test(
    name: str,
    likelihood: PrivatePredictorLikelihood,
    theta: Array,
    held: list[int],
    listed: PrivatePredictorLikelihood | None,
) -> TermTest | None:
    """Rao's score test of the parameters in `held`, which are zero in theta.

    Parameters
    ----------
    theta : the fit under the hypothesis
    listed : all possible reports, or None if these are too many

    Returns
    -------
    None if the expected information is unknown, or not positive definite.

    Notes
    -----
    With the slope g and the expected information J of the log likelihood, and o for the other
    parameters, the efficient score is g_h - J_ho J_oo^-1 g_o. Its variance is J_hh - J_ho J_oo^-1
    J_oh (Rao, Proc. Camb. Phil. Soc. 44 (1948) 50). With a penalty, g_o need not be zero.
    """
    information = information_of_reports(likelihood, theta, listed)
    if information is None:
        return None
    slope = replace(likelihood, is_penalised=False).evaluate(theta).slope
    others = [place for place in range(len(theta)) if place not in set(held)]
    across, inner = information[np.ix_(others, held)], information[np.ix_(others, others)]
    if not definite(inner):
        return None
    explained = np.linalg.solve(inner, across)
    variance = information[np.ix_(held, held)] - across.T @ explained
    if not definite(variance):
        return None
    efficient = slope[held] - explained.T @ slope[others]
    statistic = float(efficient @ np.linalg.solve(variance, efficient))
    p = float(scipy.special.chdtrc(len(held), statistic))
    return TermTest(name=name, kind=SCORE, statistic=statistic, degrees=len(held), p=p)


def wald(name: str, theta: Array, errors: Errors, places: list[int]) -> TermTest:
    """Wald's test: b' V^-1 b against chi squared.

    If V has d degrees of freedom, as with clusters, (d - k + 1) / (d k) of it is compared with F(k,
    d - k + 1) (Korn & Graubard, Am. Stat. 44 (1990) 270).
    """
    chosen = theta[places]
    covariance = errors.covariance[np.ix_(places, places)]
    degrees = int(np.linalg.matrix_rank(covariance, hermitian=True))
    statistic = float(chosen @ np.linalg.lstsq(covariance, chosen, rcond=None)[0])
    if errors.freedom is None:
        return TermTest(
            name=name,
            kind=WALD,
            statistic=statistic,
            degrees=degrees,
            p=float(scipy.special.chdtrc(degrees, statistic)),
        )
    rest = max(1, errors.freedom - degrees + 1)
    ratio = statistic * rest / (errors.freedom * degrees)
    return TermTest(
        name=name,
        kind=WALD,
        statistic=statistic,
        degrees=degrees,
        p=float(scipy.special.fdtrc(degrees, rest, ratio)),
        freedom=rest,
    )
