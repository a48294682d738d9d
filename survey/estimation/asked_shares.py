"""Shares among the respondents who were asked a question that has a condition.

The share of an answer among those asked is a ratio: the share of the answer among all respondents,
divided by 1 minus the share of "not asked". Both are estimated from the same reports.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from survey.core.factored_randomizers import Boxes
from survey.core.scores import Array
from survey.core.translate import later
from survey.definition.choices import NOT_ASKED
from survey.definition.questions import Question
from survey.estimation.finite_population import (
    finite_mean_interval,
    finite_share_interval,
    finite_variance,
)
from survey.estimation.mean_intervals import student_interval, student_quantile
from survey.estimation.number_text import Formula, number
from survey.estimation.results import ROUNDING_SLACK, AnswerResults
from survey.estimation.share_estimates import covariance_of, levels_of
from survey.estimation.share_intervals import Interval

FIELLER = "Fieller, ratio of two estimates"
ASKED_FORMULA = later("share of all respondents / (1 − share of “not asked”)")
# A smaller variance of a ratio is a rounding error.
SMALLEST_VARIANCE = 1e-15
POSSIBLE_BY = later("ratio of the two shares within 0–100 %")


@dataclass(frozen=True, kw_only=True)
class RatioPart:
    """The two estimates of a ratio in one group of respondents, with their variances.

    Attributes
    ----------
    share, not_asked : the shares of an answer and of "not asked" among all respondents
    variance, variance_not_asked, covariance : of these two estimates
    reach, reach_not_asked : the distance of each estimate from the farther end of its interval
    weight : the weight of the group; 1 without weights
    """

    share: float
    not_asked: float
    variance: float
    variance_not_asked: float
    covariance: float
    reach: float
    reach_not_asked: float
    weight: float = 1.0

    def variance_at(self, ratio: float, times: float = 0.0) -> float:
        """The variance of share - ratio (1 - not_asked).

        With `times`, a standard error is at least the reach of the interval divided by it. This
        matters if all reports agree: the estimated variance is then 0.
        """
        both = [self.variance, self.variance_not_asked]
        if times:
            reaches = (self.reach, self.reach_not_asked)
            both = [max(v, (r / times) ** 2) for v, r in zip(both, reaches, strict=True)]
        return max(0.0, both[0] + ratio**2 * both[1] + 2 * ratio * self.covariance)


def was_not_asked(answer: AnswerResults) -> bool:
    return answer.choice.name == NOT_ASKED


def interval_reach(value: float, low: float, high: float) -> float:
    """The larger distance from an estimate, moved into its interval, to the interval's ends."""
    inside = min(max(value, low), high)
    return max(high - inside, inside - low)


def ratio_parts(
    question: Question,
    answers: Sequence[AnswerResults],
    covariance: Sequence[Sequence[float]] | None,
    n: int,
    weight: float = 1.0,
    size: int | None = None,
) -> list[RatioPart] | None:
    """The ratio of each answer but the last, which is "not asked".

    Parameters
    ----------
    answers : the results of all answers to the question
    covariance : of their estimates; None for boxes that are counted separately
    n : the number of responses that report on the question
    size : the number of people whom the estimates describe, or None

    Returns
    -------
    list of RatioPart, or None for a single response, which has no variance

    Notes
    -----
    Two boxes that are counted separately have no estimated covariance. But nobody ticks a box of a
    question that they were not asked. For two such reports of one respondent the covariance of the
    scores is therefore -share not_asked. A respondent reports on both with the probability s (s -
    1) / (k (k - 1)), for s out of k boxes.
    """
    *listed, last = answers
    errors = [0.0 if a.standard_error is None else a.standard_error for a in answers]
    if any(answer.standard_error is None for answer in answers):
        return None
    parts = []
    for place, answer in enumerate(listed):
        if covariance is not None:
            together = covariance[place][-1]
        else:
            shared = n * share_of_pairs(question) / (answer.n * last.n)
            inside = [min(max(each.value, 0.0), 1.0) for each in (answer, last)]
            product = inside[0] * inside[1]
            together = -product * shared
            if size is not None:
                together = ((size - 1) * together + product) / size
        parts.append(
            RatioPart(
                share=answer.value,
                not_asked=last.value,
                variance=errors[place] ** 2,
                variance_not_asked=errors[-1] ** 2,
                covariance=together,
                reach=interval_reach(answer.value, answer.low, answer.high),
                reach_not_asked=interval_reach(last.value, last.low, last.high),
                weight=weight,
            )
        )
    return parts


def share_of_pairs(question: Question) -> float:
    """The probability that a respondent reports on two given boxes."""
    if not isinstance(question.randomizer, Boxes):
        return 1.0
    k, s = question.randomizer.answers, question.randomizer.sample
    return s * (s - 1) / (k * (k - 1))


def ratio_value(parts: Sequence[RatioPart]) -> tuple[float, float] | None:
    """The ratio over all groups, and its denominator; None if this is not above zero."""
    below = math.fsum(part.weight * (1 - part.not_asked) for part in parts)
    if below <= ROUNDING_SLACK:
        return None
    return math.fsum(part.weight * part.share for part in parts) / below, below


def fieller_interval(parts: Sequence[RatioPart], n: int, level: float) -> Interval:
    """All ratios r in [0, 1] for which share - r (1 - not_asked) may be zero.

    Parameters
    ----------
    parts : one for each group; `ratio_value` gives their ratio
    n : int, at least 2
        The number of responses, for Student's quantile.
    level : float in (0, 1)

    Notes
    -----
    Fieller, JRSS B 16 (1954) 175. r is inside if the estimate of share - r (1 - not_asked) is at
    most t of its standard errors from zero. The estimated ratio is first moved into [0, 1], so the
    interval is never empty.
    """
    found = ratio_value(parts)
    if found is None:
        return Interval(0.0, 1.0, level, FIELLER)
    value, below = found
    times = student_quantile(n - 1, level)

    def error_if(ratio: float) -> float:
        squares = (part.weight**2 * part.variance_at(ratio, times) for part in parts)
        return math.sqrt(math.fsum(squares)) / below

    interval = student_interval(value, error_if, n, 0.0, 1.0, level)
    return Interval(interval.low, interval.high, level, FIELLER)


def asked_results(
    question: Question,
    answers: Sequence[AnswerResults],
    covariance: Sequence[Sequence[float]] | None,
    n: int,
    level: float,
    family: int,
    scores: tuple[Array, Array] | None = None,
    size: int | None = None,
) -> tuple[AnswerResults, ...]:
    """The share of each answer among those asked; none if this cannot be estimated.

    Parameters
    ----------
    answers, covariance, n : as for `ratio_parts`
    level : float in (0, 1)
        Confidence level of each interval by itself.
    family : int, at least 1
        The number of shares whose simultaneous intervals hold together.
    scores : (counts, scores), shapes (m,) and (m, answers), optional
        The count of each report, and its scores for each answer. None for reports of bits.
    size : int, at least the number of reports, or None
        The number of people whom the estimates describe, asked or not; None if there is no limit.

    Notes
    -----
    The answers to a non-private question show who was asked, so its interval is that of a share
    of these respondents. For a table, it is that of a ratio of two mean scores (`mean_interval`).
    For reports of bits it is Fieller's.
    """
    if not answers or not was_not_asked(answers[-1]):
        return ()
    if question.non_private:
        return non_private_asked_results(answers, level, family, size)
    parts = ratio_parts(question, answers, covariance, n, size=size)
    # A single response is no basis for a ratio of two estimates.
    if parts is None:
        return ()
    results = []
    for place, (answer, part) in enumerate(zip(answers[:-1], parts, strict=True)):
        ratio = ratio_value([part])
        if ratio is None:
            return ()
        variance = part.variance_at(ratio[0])
        if scores is not None:
            counts, worth = scores
            pair = worth[:, place], 1 - worth[:, -1]
            finite = 1.0 if size is None else finite_ratio(counts, *pair, ratio[0], variance)
            interval_at = partial(ratio_interval, counts, *pair, finite)
        else:
            interval_at = partial(fieller_interval, [part], min(answer.n, answers[-1].n))
        error = math.sqrt(variance) / ratio[1]
        results.append(
            asked_answer(answer, answers[-1], ratio[0], error, interval_at, level, family)
        )
    return tuple(results)


def finite_ratio(counts: Array, above: Array, below: Array, value: float, variance: float) -> float:
    """The standard error of a ratio of two mean scores, relative to an unlimited population.

    `variance` is that of above - value x below for the finite population.
    """
    unlimited = covariance_of((above - value * below)[:, np.newaxis], [int(c) for c in counts])
    # If all reports agree, only rounding errors are left.
    if unlimited is None or unlimited[0, 0] <= SMALLEST_VARIANCE:
        return 1.0
    return math.sqrt(min(1.0, variance / float(unlimited[0, 0])))


def ratio_interval(
    counts: Array, above: Array, below: Array, finite: float, level: float
) -> Interval:
    """The interval of a ratio of two mean scores that is a share.

    `finite` is its standard error relative to that for an unlimited population.
    """
    return finite_mean_interval(counts, above, 0.0, 1.0, level, below, finite)


def non_private_asked_results(
    answers: Sequence[AnswerResults], level: float, family: int, size: int | None = None
) -> tuple[AnswerResults, ...]:
    """The same for a non-private question: shares of the respondents who were asked.

    The number of people in a finite population who would be asked is estimated.
    """
    *listed, last = answers
    n = last.n - round((last.observed or 0) * last.n)
    if n == 0:
        return ()
    asked = None if size is None else max(n, round(size * n / last.n))
    results = []
    for answer in listed:
        count = round((answer.observed or 0) * answer.n)
        share = count / n
        error = None
        if n > 1:
            spread = share * (1 - share)
            error = math.sqrt(finite_variance(spread / (n - 1), spread, asked))
        interval_at = partial(finite_share_interval, count, n, 1.0, 0.0, asked)
        shown = asked_answer(answer, last, share, error, interval_at, level, family)
        formula = Formula(later("P among those asked"), f"{count}/{n}")
        results.append(replace(shown, n=n, observed=share, possible=share, formula=formula))
    return tuple(results)


def asked_answer(
    answer: AnswerResults,
    last: AnswerResults,
    value: float,
    error: float | None,
    interval_at: Callable[[float], Interval],
    level: float,
    family: int,
) -> AnswerResults:
    """One answer's share among those asked; `last` are the results of "not asked"."""
    intervals = [interval_at(each) for each in levels_of(level, family)]
    left = 1 - last.possible
    possible = answer.possible / left if left > ROUNDING_SLACK else min(max(value, 0.0), 1.0)
    return AnswerResults(
        choice=answer.choice,
        n=answer.n,
        observed=None,
        value=value,
        standard_error=error,
        low=intervals[0].low,
        high=intervals[0].high,
        method=intervals[0].method,
        possible=min(1.0, possible),
        possible_by=POSSIBLE_BY,
        formula=Formula(ASKED_FORMULA, f"{number(answer.value)} / (1 − {number(last.value)})"),
        simultaneous=intervals[-1],
    )
