"""Whether the likelihood of reports has another maximum.

That of direct answers has one. A report, though, could have come from either answer, so that no
respondent can cost the likelihood more than ln Pr(report | the less likely answer). A few who are
far from everybody else in a number may therefore be fitted, or given up: a maximum each. The search
starts where one number decides everything, upwards and downwards. Among heavy-tailed predictors it
found nine of ten of the higher maxima that random starts found; among categories neither found any
(docs/explanation/regression.md).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from survey.analysis.regression.likelihood import KnownPredictorLikelihood, to_natural
from survey.analysis.regression.maximum_likelihood import Fit, fit
from survey.analysis.regression.models import Array

LOOKED_AT = 5_000  # respondents that are searched; what is found is then fitted to all
DECIDES = 3.0  # a logit for each standard deviation
ALIKE = 1e-6  # heights that differ by less are of one maximum
NEAR = 1.92  # how much lower the ends of a 95 % likelihood interval are


@dataclass(frozen=True)
class MaximaSearchResult:
    """The highest maximum; how much lower the next one is, None where there is none; and whether
    the likelihood is higher than that where coefficients have no end."""

    best: Fit
    moved: bool = False
    lower: float | None = None
    endless: bool = False


def search(
    likelihood: KnownPredictorLikelihood, found: Fit, numbers: Sequence[int]
) -> MaximaSearchResult:
    """Look for maxima beside the one that was found.

    Parameters
    ----------
    numbers : columns of the design, those of plain numbers
    """
    stride = -(-likelihood.n // LOOKED_AT)
    few = likelihood if stride == 1 else likelihood.some(slice(None, None, stride))
    few_fit = found if few is likelihood else fit(few, start=carried(found.theta, likelihood, few))
    maxima, heights, endless = [found], [few_fit.found.height], -np.inf
    for start in starts(few, numbers):
        there = fit(few, start=start)
        height = there.found.height
        if there.endless is not None and few is likelihood:
            endless = max(endless, height)
        if not there.sound or min(abs(height - other) for other in heights) < ALIKE:
            continue
        heights.append(height)
        if few is not likelihood:
            there = fit(likelihood, start=carried(there.theta, few, likelihood))
        if there.sound:
            maxima.append(there)
    best = max(maxima, key=lambda one: one.found.height)
    gaps = [best.found.height - one.found.height for one in maxima]
    lower = min((gap for gap in gaps if gap > ALIKE), default=None)
    above = bool(endless > best.found.height + ALIKE)
    return MaximaSearchResult(best, found.found.height < best.found.height - ALIKE, lower, above)


def starts(likelihood: KnownPredictorLikelihood, numbers: Sequence[int]) -> Iterator[Array]:
    width = 1 + likelihood.plain.shape[1]
    for column in numbers:
        for sign in (1, -1):
            theta = likelihood.start()
            theta[likelihood.model.parameters((), (column,), width)] = sign * DECIDES
            yield theta


def carried(theta: Array, one: KnownPredictorLikelihood, other: KnownPredictorLikelihood) -> Array:
    """The same coefficients, of predictors as the other likelihood scales them."""
    return np.asarray(np.linalg.solve(to_natural(other), to_natural(one) @ theta))


def remarks_of(found: MaximaSearchResult) -> list[str]:
    """What to know of other maxima, in sentences."""
    remarks = []
    if found.lower is not None and found.lower < NEAR:
        remarks.append(
            "The likelihood has another maximum, whose logarithm is only "
            f"{found.lower:.2f} lower. Very different coefficients fit nearly as well, and the "
            f"intervals do not cover them. {ADVICE}"
        )
    elif found.moved:
        remarks.append(f"The likelihood has several maxima. This is the highest. {ADVICE}")
    if found.endless:
        remarks.append(
            "Infinite coefficients would fit these reports even better. This can happen by chance "
            f"with few responses. {ADVICE}"
        )
    return remarks


ADVICE = (
    "Check for respondents with extreme values of a number. To avoid the problem, use the number "
    "in classes, as categories."
)
