"""Means of the numbers that stand for answers, as quantities of the results."""

from collections.abc import Sequence

import numpy as np

from survey.core.factored_randomizers import OneHot
from survey.core.randomizer import Randomizer
from survey.core.scores import Array
from survey.core.translate import later, translate
from survey.definition.questions import Question
from survey.estimation.mean_estimates import (
    NumberEstimate,
    mean,
    mean_of_bits,
    seen_as_given,
    seen_through,
)
from survey.estimation.results import QuantityResults

MEAN_FORMULA = later(
    "Σ over the reports of (score of the value × share of the report), divided by Σ of (score "
    "of “gave a value” × share of the report)"
)


NON_PRIVATE_MEAN_FORMULA = later("sum of the values / number of values")


MEAN_OF_BITS_FORMULA = later(
    "c + Σ (value − c) × estimated share of the value / (1 − estimated share of special answers), "
    "where c is the middle of the values"
)


def quantity(name: str, label: str, estimate: NumberEstimate, formula: str) -> QuantityResults:
    error = estimate.standard_error
    chebyshev = None
    if name == "mean" and error is not None:
        chebyshev = (estimate.value - 2 * error, estimate.value + 2 * error)
    return QuantityResults(
        name=name,
        label=label,
        value=estimate.value,
        standard_error=error,
        low=estimate.interval.low,
        high=estimate.interval.high,
        method=estimate.interval.method,
        formula=formula,
        chebyshev=chebyshev,
        ratio=estimate.ratio,
    )


def mean_of_answers(
    question: Question,
    randomizer: Randomizer | OneHot,
    tally: Sequence[int],
    values: Array,
    level: float,
    size: int | None = None,
) -> NumberEstimate:
    """The mean of the numbers of the answers, among respondents who gave no special answer.

    Parameters
    ----------
    tally : the count of each report, or of each bit set and not set
    values : ndarray, shape (choices,)
    size : the number of people whom the estimate describes, or None for people like the respondents

    Raises UnanswerableQuestion.
    """
    amounts, outside = np.array(tally, dtype=np.float64), len(question.special_answers)
    if isinstance(randomizer, OneHot):
        return mean_of_bits(randomizer, tally, values, level, size)
    if question.non_private:
        return mean(seen_as_given(amounts, values, outside, size), level)
    return mean(seen_through(randomizer, amounts, values, outside, size=size), level)


def formula_of_mean(question: Question, randomizer: Randomizer | OneHot) -> str:
    if question.non_private:
        return translate(NON_PRIVATE_MEAN_FORMULA)
    return translate(MEAN_OF_BITS_FORMULA if isinstance(randomizer, OneHot) else MEAN_FORMULA)
