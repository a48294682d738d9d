"""The estimators of a regression: maximum likelihood, penalised, or the one that suits the data.

Published regressions on randomised answers are maximum-likelihood estimates. They do not exist if
the likelihood grows without limit, and their intervals are too short if there is little
information. The penalised estimate always exists (`likelihood`). If both nearly agree, the penalty
does not matter, and the automatic choice is maximum likelihood.
"""

from dataclasses import dataclass, replace

import numpy as np

from survey.analysis.regression.likelihood import Likelihood, to_natural
from survey.analysis.regression.maximum_likelihood import Fit, definite, fit, newton_step
from survey.analysis.regression.other_maxima import MaximaSearchResult
from survey.analysis.regression.standard_errors import OBSERVED, errors_of
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import later

MAXIMUM_LIKELIHOOD = later("maximum likelihood")
PENALISED = later("penalised")
AUTOMATIC = later("automatic")
# That of every linear model. It cannot be chosen.
LEAST_SQUARES = later("least squares")
ESTIMATORS = (AUTOMATIC, MAXIMUM_LIKELIHOOD, PENALISED)
# Why the automatic choice is maximum likelihood (the first), or the penalised estimator.
ALIKE = "nearly equal"
DIFFERENT = "different"
NO_MAXIMUM = "no finite maximum"
NO_END = "infinite interval"
REASONS = (ALIKE, DIFFERENT, NO_MAXIMUM, NO_END)
# The automatic choice is maximum likelihood if no estimate or standard error differs from the
# penalised one by more than this part of the latter's standard error. Its intervals then cover as
# often as those of the penalised estimate (docs/evidence/regression.md). With a tenth, 5,000
# responses would not be enough for rare answers.
NEARLY_EQUAL = 0.25
# In standard deviations of predictors. Without a finite maximum, the last step is about 1.
MAX_LAST_STEP = 1e-4


@dataclass(frozen=True)
class Estimate:
    """The maxima of the likelihood of an estimator, and why it was chosen (`REASONS` or None)."""

    likelihood: Likelihood
    maxima: MaximaSearchResult
    reason: str | None


def without_penalty(likelihood: Likelihood) -> Likelihood:
    return replace(likelihood, is_penalised=False)


def is_finite(found: Fit) -> bool:
    """Whether a fit without penalty is a maximum at finite coefficients.

    If the likelihood grows without limit, the search ends where its gains are rounding errors. Its
    last step is still long there.
    """
    if found.stuck or not definite(found.found.curvature):
        return False
    step = newton_step(found.found.curvature, found.found.slope)
    return float(np.abs(step).max()) < MAX_LAST_STEP


def require_finite(found: Fit) -> None:
    """Raise UnanswerableQuestion if the likelihood has no finite maximum."""
    if not is_finite(found):
        raise UnanswerableQuestion(
            "The likelihood has no maximum at finite coefficients, so there is no "
            "maximum-likelihood estimate. Choose the penalised estimator."
        )


def reason_to_penalise(likelihood: Likelihood, found: Fit) -> str | None:
    """Why the automatic choice is not the maximum-likelihood fit; None if it is.

    Parameters
    ----------
    likelihood : with penalty
    found : the fit without
    """
    if not is_finite(found):
        return NO_MAXIMUM
    penalised = fit(likelihood, found.theta)
    return None if nearly_equal(likelihood, found, penalised) else DIFFERENT


def nearly_equal(likelihood: Likelihood, found: Fit, penalised: Fit) -> bool:
    """Whether estimates and standard errors differ by at most NEARLY_EQUAL standard errors.

    They are those of the model's coefficients, and the measure is that of the penalised estimate.
    Near an infinite maximum, the other standard error has no bound.

    Parameters
    ----------
    likelihood : with penalty
    found : the maximum without penalty
    penalised : that with penalty
    """
    back, inside = to_natural(likelihood), slice(0, likelihood.of_model)
    usual, other = (
        np.sqrt(np.diag(back @ covariance[inside, inside] @ back.T))
        for covariance in (
            errors_of(likelihood, penalised, OBSERVED).covariance,
            np.linalg.inv(found.found.curvature),
        )
    )
    moved = np.abs(back @ (found.theta - penalised.theta)[inside])
    return bool((np.maximum(moved, np.abs(other - usual)) <= NEARLY_EQUAL * usual).all())
