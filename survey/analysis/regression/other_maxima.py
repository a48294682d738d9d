"""The search for other maxima of the likelihood of reports.

The likelihood of direct answers has one maximum. A report could come from either answer, so no
respondent reduces the likelihood by more than ln Pr(report | the less likely answer). The model can
therefore fit a few respondents with extreme numbers, or ignore them, and each gives a maximum. The
search begins where one number decides everything, upwards and downwards.

With heavy-tailed predictors, it found nine of ten of the higher maxima that random starts found.
With categories, neither found any (docs/explanation/regression.md).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from survey.analysis.regression.likelihood import KnownPredictorLikelihood, to_natural
from survey.analysis.regression.maximum_likelihood import Fit, fit
from survey.analysis.regression.models import Array
from survey.core.translate import join_sentences, later, translate, translate_number
from survey.estimation.findings.remarks import SEVERAL_MAXIMA, Remark

# The number of respondents in the search. The maxima that it finds are then fitted to all.
LOOKED_AT = 5_000
# A logit for each standard deviation.
DECIDES = 3.0
# Heights that differ by less belong to one maximum.
ALIKE = 1e-6
# The ends of a 95 % likelihood interval are lower by this much.
NEAR = 1.92


@dataclass(frozen=True)
class MaximaSearchResult:
    """The highest maximum, and what the search found next to it.

    `lower` is the difference of the next one in height, or None.
    """

    best: Fit
    moved: bool = False
    lower: float | None = None

    @property
    def only(self) -> bool:
        """Whether the search found no other maximum."""
        return not self.moved and self.lower is None


def search(
    likelihood: KnownPredictorLikelihood, found: Fit, numbers: Sequence[int]
) -> MaximaSearchResult:
    """Look for maxima other than the one found.

    Parameters
    ----------
    numbers : columns of the design for non-private numbers
    """
    stride = -(-likelihood.n // LOOKED_AT)
    few = likelihood if stride == 1 else likelihood.some(slice(None, None, stride))
    few_fit = (
        found
        if few is likelihood
        else fit(few, start=rescale_coefficients(found.theta, likelihood, few))
    )
    maxima, heights = [found], [few_fit.found.height]
    for start in starts(few, numbers):
        there = fit(few, start=start)
        height = there.found.height
        if there.stuck or min(abs(height - other) for other in heights) < ALIKE:
            continue
        heights.append(height)
        if few is not likelihood:
            there = fit(likelihood, start=rescale_coefficients(there.theta, few, likelihood))
        if not there.stuck:
            maxima.append(there)
    best = max(maxima, key=lambda one: one.found.height)
    gaps = [best.found.height - one.found.height for one in maxima]
    lower = min((gap for gap in gaps if gap > ALIKE), default=None)
    return MaximaSearchResult(best, found.found.height < best.found.height - ALIKE, lower)


def starts(likelihood: KnownPredictorLikelihood, numbers: Sequence[int]) -> Iterator[Array]:
    width = 1 + likelihood.non_private.shape[1]
    for column in numbers:
        for sign in (1, -1):
            theta = likelihood.start()
            theta[likelihood.model.parameters((column,), width)] = sign * DECIDES
            yield theta


def rescale_coefficients(
    theta: Array, one: KnownPredictorLikelihood, other: KnownPredictorLikelihood
) -> Array:
    """The same coefficients, for predictors as scaled by the other likelihood."""
    return np.asarray(np.linalg.solve(to_natural(other), to_natural(one) @ theta))


def maxima_remarks(found: MaximaSearchResult) -> list[Remark]:
    """Remarks on other maxima."""
    remarks = []
    if found.lower is not None and found.lower < NEAR:
        remarks.append(
            Remark(
                SEVERAL_MAXIMA,
                join_sentences(
                    translate(
                        "The likelihood has another maximum, whose logarithm is only %(number)s "
                        "lower. Very different coefficients fit nearly as well, and the intervals "
                        "do not cover them.",
                        number=translate_number(f"{found.lower:.2f}"),
                    ),
                    translate(ADVICE),
                ),
            )
        )
    elif found.moved:
        several = translate("The likelihood has several maxima. This is the highest.")
        remarks.append(Remark(SEVERAL_MAXIMA, join_sentences(several, translate(ADVICE))))
    return remarks


ADVICE = later(
    "Check for respondents with extreme values of a number. To avoid the problem, use the number "
    "in classes, as categories."
)
