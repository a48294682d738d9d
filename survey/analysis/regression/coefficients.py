"""The results of a regression as a table of coefficients."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from survey.analysis.regression.effects import Effect, PredictedShare, TermTest
from survey.analysis.regression.formula import CONSTANT
from survey.analysis.regression.models import Array
from survey.analysis.regression.standard_errors import Errors
from survey.core.translate import later, translate_plural
from survey.estimation.findings.remarks import SCARCE_CLUSTERS, Remark

MIN_DEGREES_OF_FREEDOM = 30
# Tests need this number of responses for each coefficient.
MIN_RESPONSES_PER_COEFFICIENT = 10
PROFILE = later("profile likelihood")
CORRECTED_PROFILE = later("profile likelihood with Bartlett’s correction")


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """A row of the table. `equation` names its answer if the model has several equations."""

    equation: str
    name: str
    value: float
    error: float
    low: float
    high: float
    p: float

    @property
    def is_limited(self) -> bool:
        """Whether the interval has two finite ends."""
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True, kw_only=True)
class Regression:
    """The results of a regression.

    Attributes
    ----------
    model : one of MODELS
    answers : labels of the outcome's answers as the model has them; none if linear
    compared_with : the answer that logits compare with, and other links do not describe, or None
    n, left_out : the number of respondents in it, and of those who lack something
    errors : the kind of standard errors
    freedom : the degrees of freedom of t, or None for the normal distribution
    intervals : PROFILE or CORRECTED_PROFILE, with p-values from the same profile, or WALD
    effects, shares : see `effects.average_effects`; none if linear
    estimator : MAXIMUM_LIKELIHOOD, PENALISED or LEAST_SQUARES
    estimator_reason : if the choice was automatic, one of `estimators.REASONS`, else None
    log_likelihood, aic : its maximum, and Akaike's criterion; None unless the estimator is maximum
        likelihood, and if weighted, because it is then not that of a sample
    """

    model: str
    outcome: str
    answers: tuple[str, ...]
    compared_with: str | None
    n: int
    left_out: int
    errors: str
    freedom: int | None
    intervals: str
    level: float
    coefficients: tuple[Coefficient, ...]
    tests: tuple[TermTest, ...]
    effects: tuple[Effect, ...]
    shares: tuple[PredictedShare, ...]
    estimator: str
    estimator_reason: str | None
    log_likelihood: float | None
    aic: float | None
    remarks: tuple[Remark, ...]

    @property
    def slopes(self) -> int:
        """The number of coefficients without constants."""
        return sum(row.name != CONSTANT for row in self.coefficients)

    @property
    def has_few_responses(self) -> bool:
        """Whether there are too few responses for valid tests."""
        return self.n < MIN_RESPONSES_PER_COEFFICIENT * self.slopes


def coefficient_table(
    rows: Sequence[tuple[str, str]],
    values: Array,
    errors: Errors,
    level: float,
) -> tuple[Coefficient, ...]:
    """Wald intervals and two-sided p-values, with t if there are clusters or strata."""
    standard_errors = np.sqrt(np.diag(errors.covariance))
    reach = errors.reach(level)
    away = -np.abs(values / standard_errors)
    p = 2 * (
        scipy.special.ndtr(away)
        if errors.freedom is None
        else scipy.special.stdtr(errors.freedom, away)
    )
    return tuple(
        Coefficient(
            equation=equation,
            name=name,
            value=float(b),
            error=float(e),
            low=float(b - reach * e),
            high=float(b + reach * e),
            p=float(q),
        )
        for (equation, name), b, e, q in zip(rows, values, standard_errors, p, strict=True)
    )


def degrees_of_freedom_remarks(errors: Errors) -> list[Remark]:
    if errors.freedom is not None and errors.freedom < MIN_DEGREES_OF_FREEDOM:
        return [
            Remark(
                SCARCE_CLUSTERS,
                translate_plural(
                    "Standard errors have %(n)s degree of freedom. With so few, the intervals are "
                    "too short.",
                    "Standard errors have %(n)s degrees of freedom. With so few, the intervals are "
                    "too short.",
                    errors.freedom,
                ),
            )
        ]
    return []
