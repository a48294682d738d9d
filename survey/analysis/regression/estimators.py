"""The estimators of a regression: maximum likelihood, penalised, or the one that suits the data.

Published regressions on randomised answers are maximum-likelihood estimates. They do not exist if
the likelihood grows without limit, and their intervals are too short if there is little
information. The penalised estimate always exists (`likelihood`). If both nearly agree, the penalty
does not matter, and the automatic choice is maximum likelihood.
"""

from dataclasses import replace

import numpy as np

from survey.analysis.regression.likelihood import Likelihood, to_natural
from survey.analysis.regression.maximum_likelihood import Fit, definite, fit
from survey.core.errors import UnanswerableQuestion
from survey.core.translate import later, translate

MAXIMUM_LIKELIHOOD, PENALISED = later("maximum likelihood"), later("penalised")
AUTOMATIC = later("automatic")
# That of every linear model. It cannot be chosen.
LEAST_SQUARES = later("least squares")
ESTIMATORS = (AUTOMATIC, MAXIMUM_LIKELIHOOD, PENALISED)
# The automatic choice is maximum likelihood if no coefficient differs from the penalised one by
# more than this part of its standard error. The coverage of both intervals is then nearly the same
# (docs/evidence/regression.md).
NEARLY_EQUAL = 0.1
# The smallest information about a parameter of standardised predictors, at a finite maximum: its
# standard error is 100. Where the likelihood grows without limit, the search ends far out, where
# the information is nearly zero.
LEAST_INFORMATION = 1e-4


def checked_estimator(name: str) -> str:
    """The estimator, if there is one of this name. Raises UnanswerableQuestion."""
    if name not in ESTIMATORS:
        raise UnanswerableQuestion(
            translate(
                "There is no estimator %(estimator)s. Use one of: %(estimators)s.",
                estimator=repr(name),
                estimators=", ".join(ESTIMATORS),
            )
        )
    return name


def without_penalty(likelihood: Likelihood) -> Likelihood:
    return replace(likelihood, is_penalised=False)


def is_finite(found: Fit) -> bool:
    """Whether a fit without penalty is a maximum at finite coefficients."""
    if found.stuck or not definite(found.found.curvature):
        return False
    return bool(np.linalg.eigvalsh(found.found.curvature)[0] > LEAST_INFORMATION)


def require_finite(found: Fit) -> None:
    """Raise UnanswerableQuestion if the likelihood has no finite maximum."""
    if not is_finite(found):
        raise UnanswerableQuestion(
            translate(
                "The likelihood has no maximum with finite coefficients, so there is no "
                "maximum-likelihood estimate. Choose the penalised estimator."
            )
        )


def maximum_if_reliable(likelihood: Likelihood, penalised: Fit) -> Fit | None:
    """The maximum-likelihood fit if it nearly agrees with the penalised one, else None.

    Parameters
    ----------
    likelihood : without penalty
    penalised : the fit of the same likelihood with penalty
    """
    found = fit(likelihood, penalised.theta)
    if not is_finite(found):
        return None
    back, inside = to_natural(likelihood), slice(0, likelihood.of_model)
    curvature = penalised.found.curvature
    if not definite(curvature):
        return None
    covariance = np.linalg.inv(curvature)[inside, inside]
    errors = np.sqrt(np.diag(back @ covariance @ back.T))
    moved = np.abs(back @ (found.theta - penalised.theta)[inside])
    return found if bool((moved <= NEARLY_EQUAL * errors).all()) else None
