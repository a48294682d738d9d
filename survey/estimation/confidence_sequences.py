"""Intervals that hold at every look at the results of an open survey.

Somebody who looks at a 95 % interval again and again, and stops when it looks good, is wrong much
more often than in 5 of 100 surveys. All the intervals of a confidence sequence hold together with
this probability, however often and for whatever reason somebody looks or stops.

A report y adds x = a(y) - m b(y) to a sum. If m is the true share or mean, x is 0 on average,
whatever came before. So the product of 1 + lambda x over all reports is a martingale for every
fixed lambda that keeps all factors positive. A mixture of such products with fixed weights is one,
too. By Ville's inequality, it ever exceeds 1 / alpha with a probability of at most alpha. The
values m at which it does not are the interval. The proof does not need a normal distribution.

For a question behind a joint question, only the sum of the x of all reports is known. But the
probability of each x given m is known too. So exp(lambda x) / E[exp(lambda x)] replaces the factor
1 + lambda x.

Waudby-Smith & Ramdas, J. R. Stat. Soc. B 86 (2024) 1: betting on a bounded mean. Waudby-Smith, Wu &
Ramdas, ICML 2023: the same for randomised responses. Robbins, Ann. Math. Stat. 41 (1970) 1397: the
mixture.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from survey.core.factored_randomizers import SubsetPart
from survey.core.scores import probabilities, unbiased_scores
from survey.estimation.number_text import rounded_to
from survey.estimation.results import AnswerResults, QuestionResults, Results
from survey.estimation.share_intervals import Interval
from survey.estimation.share_results import reporting_table
from survey.estimation.types import ESTIMATION

Array = npt.NDArray[np.float64]

# Counts, scores, and Pr(report | answer) for people with an answer and for others.
ScoredCounts = tuple[list[int], list[float], tuple[tuple[float, ...], tuple[float, ...]]]

METHOD = "confidence sequence, betting mixture"
# Without a planned number of responses, the intervals are shortest at this number.
DEFAULT_PLANNED = 1_000
# A mixture whose precision is this part of the planned information is shortest there, at 95 %. It
# minimises (1 + r) (log((1 + r) / r) + 2 log(1 / alpha)) over r.
TUNING = 0.1218
# The bets, in standard deviations of the mixture. Their weights are those of a normal density.
BETS = np.linspace(-4.0, 4.0, 161)
WEIGHTS = np.exp(-(BETS**2) / 2)
LOG_WEIGHTS = np.log(WEIGHTS / WEIGHTS.sum())
# No bet risks more than this part of the capital on one report.
MAX_STAKE = 0.95
# The number of values that are tried first, and how often the distance to the next one is halved.
COARSE = 65
HALVINGS = 14


def log_capital(
    values: Array,
    counts: Sequence[int],
    gains: Array,
    weights: Array,
    planned: int,
    chances: Array | None = None,
) -> Array:
    """The logarithm of the mixture at each value m, shape of `values`.

    Parameters
    ----------
    values : ndarray, shape (v,)
        The shares or means m.
    counts : sequence of int, length r
        The number of each report.
    gains, weights : ndarray, shape (r,)
        The scores a and b of each report. The quantity is the mean of a over the mean of b; for a
        share, b is 1.
    planned : int, at least 1
        The number of responses at which the interval is shortest. It must be fixed before the first
        response.
    chances : ndarray, shape (2, r), or None
        Pr(report | answer) for people with the answer, and for all others, if only the sum of the
        scores is known. `counts` are then any counts with this sum.
    """
    used = np.asarray(counts, dtype=np.float64)
    if chances is not None:
        return log_capital_of_sum(values, used, gains, planned, chances)
    outcomes = gains[np.newaxis, :] - values[:, np.newaxis] * weights[np.newaxis, :]
    # The variance of an outcome with mean 0 between two ends is at most this (Bhatia & Davis, Am.
    # Math. Monthly 107 (2000) 353), and exactly this if there are only the two ends.
    variance = np.maximum(-outcomes.min(axis=1) * outcomes.max(axis=1), 1e-12)
    limit = MAX_STAKE / np.abs(outcomes).max(axis=1)
    bets = BETS[np.newaxis, :] / np.sqrt(TUNING * planned * variance)[:, np.newaxis]
    bets = np.clip(bets, -limit[:, np.newaxis], limit[:, np.newaxis])
    logs = np.zeros_like(bets)
    for report in np.flatnonzero(used):
        logs += used[report] * np.log1p(bets * outcomes[:, report, np.newaxis])
    return log_mixture(logs)


def log_mixture(logs: Array) -> Array:
    """The logarithm of the mixture of bets, shape (v,), from that of each bet, shape (v, bets)."""
    weighted = logs + LOG_WEIGHTS
    top = weighted.max(axis=1)
    return np.asarray(top + np.log(np.exp(weighted - top[:, np.newaxis]).sum(axis=1)))


def log_capital_of_sum(
    values: Array, counts: Array, gains: Array, planned: int, chances: Array
) -> Array:
    """`log_capital` of a share of which only the sum of the scores is known.

    Beyond 0 and 1, the scores have the distribution at this end, with another mean.
    """
    shares = np.clip(values, 0.0, 1.0)[:, np.newaxis]
    table = shares * chances[0] + (1 - shares) * chances[1]
    outcomes = gains - shares
    variance = np.sum(table * outcomes**2, axis=1)
    bets = BETS[np.newaxis, :] / np.sqrt(TUNING * planned * variance)[:, np.newaxis]
    powers = bets[:, :, np.newaxis] * outcomes[:, np.newaxis, :]
    most = powers.max(axis=2)
    factors = np.exp(powers - most[:, :, np.newaxis]) @ table[:, :, np.newaxis]
    total = (counts @ gains - counts.sum() * values)[:, np.newaxis]
    return log_mixture(bets * total - counts.sum() * (most + np.log(factors[:, :, 0])))


def confidence_sequence(
    counts: Sequence[int],
    gains: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    ends: tuple[float, float] = (0.0, 1.0),
    planned: int = DEFAULT_PLANNED,
    level: float = 0.95,
    chances: npt.ArrayLike | None = None,
) -> Interval | None:
    """The interval after these reports, one of a sequence that holds at every look.

    Parameters
    ----------
    counts : sequence of int, length r
        The number of each report.
    gains : array_like, shape (r,)
        The unbiased scores of the share, or the numerator of a mean.
    weights : array_like, shape (r,), optional
        The denominator of a mean; 1 for a share.
    ends : tuple of float
        The smallest and the largest possible value.
    planned : int, at least 1
        Fixed before the first response.
    level : float in (0, 1)
    chances : array_like, shape (2, r), optional
        As for `log_capital`.

    Returns
    -------
    Interval or None
        Within `ends`, and never shorter than the set of values that the reports allow. None if they
        allow no value, which happens in at most 1 - level of surveys if the design is right.

    Notes
    -----
    The interval is wrong if respondents do not answer independently, or if `planned` was chosen
    after a look. It needs no lower limit on the number of responses.
    """
    scores = np.asarray(gains, dtype=np.float64)
    divisor = np.ones_like(scores) if weights is None else np.asarray(weights, dtype=np.float64)
    found = allowed_range(
        tuple(map(int, counts)),
        tuple(scores.tolist()),
        tuple(divisor.tolist()),
        ends,
        planned,
        math.log(1 / (1 - level)),
        None if chances is None else tuple(map(tuple, np.asarray(chances).tolist())),
    )
    return None if found is None else Interval(*found, level, METHOD)


# The pages of an open survey need the same intervals until the next batch is published.
@lru_cache(maxsize=1024)
def allowed_range(
    counts: tuple[int, ...],
    gains: tuple[float, ...],
    weights: tuple[float, ...],
    ends: tuple[float, float],
    planned: int,
    limit: float,
    chances: tuple[tuple[float, ...], ...] | None,
) -> tuple[float, float] | None:
    """The range that contains all values whose logarithm of the mixture is below the limit."""
    scores, divisor = np.array(gains), np.array(weights)
    table = None if chances is None else np.array(chances)

    def allowed(values: Array) -> npt.NDArray[np.bool_]:
        return log_capital(values, counts, scores, divisor, planned, table) < limit

    low, high = ends
    grid = np.linspace(low, high, COARSE)
    # The estimate is always allowed, also where no value of the grid is.
    below = float(np.dot(counts, divisor))
    estimate = float(np.dot(counts, scores)) / below if below > 0 else low
    if low < estimate < high:
        grid = np.sort(np.append(grid, estimate))
    kept = np.flatnonzero(allowed(grid))
    if not len(kept):
        return None
    inside = np.array([grid[kept[0]], grid[kept[-1]]])
    outside = np.array([grid[max(kept[0] - 1, 0)], grid[min(kept[-1] + 1, len(grid) - 1)]])
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        within = allowed(middle)
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    # An end of the grid that is allowed is its own outer neighbour.
    return float(outside[0]), float(outside[1])


@dataclass(frozen=True)
class QuestionSequences:
    """The intervals of one question that hold at every look.

    Attributes
    ----------
    shares : by the name of an answer; None if the reports allow no value
    mean : that of a number or a scale; None if there is none
    mean_text : its two ends, rounded like the interval for one look
    """

    shares: Mapping[str, Interval | None]
    mean: Interval | None = None
    mean_text: tuple[str, str] = ("", "")


def question_sequences(results: QuestionResults, planned: int | None) -> QuestionSequences:
    """The shares of a question, and the mean of a number or scale.

    A question about a number has only the mean. Without responses, there is nothing.
    """
    level, tuned = results.level, planned or DEFAULT_PLANNED
    if not results.n:
        return QuestionSequences({})
    shares = {
        each.answer.choice.name: each.sequence(tuned, level) for each in reports_by_answer(results)
    }
    means = [each for each in results.quantities if each.name == "mean" and each.ratio]
    ends = results.ends
    if not means or means[0].ratio is None or ends is None:
        return QuestionSequences(shares)
    gains, weights = np.array(means[0].ratio.scores).T
    mean = confidence_sequence(
        results.counts, gains, weights=weights, ends=ends, planned=tuned, level=level
    )
    if mean is None:
        return QuestionSequences(shares)
    error = means[0].standard_error or (means[0].high - means[0].low) / 4
    return QuestionSequences(
        shares, mean, (rounded_to(mean.low, error), rounded_to(mean.high, error))
    )


@dataclass(frozen=True)
class ScoredAnswer:
    """An answer with the count and the score of each report.

    Attributes
    ----------
    chances : the probabilities of the reports if only the sum of their scores is known, as for
        `log_capital`; otherwise None
    """

    answer: AnswerResults
    counts: Sequence[int]
    scores: npt.ArrayLike
    chances: npt.ArrayLike | None = None

    def sequence(self, planned: int, level: float) -> Interval | None:
        """The interval of the share, as `confidence_sequence`."""
        return confidence_sequence(
            self.counts, self.scores, planned=planned, level=level, chances=self.chances
        )


def counts_of_part(part: SubsetPart, answer: int, ones: int, n: int) -> ScoredCounts:
    """The scores and the probabilities of 0, 1, ... chosen combinations with an answer, and n
    counts with `ones` of them in all."""
    size, p, q = part.sizes[answer], float(part.p), float(part.q)
    counts = [0] * (size + 1)
    counts[ones // n] += n - ones % n
    counts[-(-ones // n)] += ones % n
    scores = [(number - size * q) / (p - q) for number in range(size + 1)]
    return counts, scores, part.chances_of(answer)


def reports_by_answer(results: QuestionResults) -> list[ScoredAnswer]:
    """Each answer with the count and the score of each report; none for a number."""
    question = results.question
    found: list[ScoredAnswer] = []
    for place, answer in enumerate(results.shares):
        if answer.observed is not None and answer.scores is not None:
            # There are two scores. The reports for the answer have the larger one.
            least, most = answer.scores
            supporting = round(answer.observed * answer.n)
            counts = supporting, answer.n - supporting
            found.append(ScoredAnswer(answer, counts, (most, least)))
        elif isinstance(question.randomizer, SubsetPart) and answer.scores is not None:
            ones = results.counts[2 * place]
            part = counts_of_part(question.randomizer, place, ones, answer.n)
            found.append(ScoredAnswer(answer, *part))
        elif answer.scores is not None:
            target = ESTIMATION[question].answers_in_shares()
            scores = unbiased_scores(reporting_table(question), target)[
                :, question.answers.index(answer.choice)
            ]
            found.append(ScoredAnswer(answer, results.counts, scores))
    return found


def planned_half(results: Results) -> float | None:
    """The largest half-width of the confidence sequences of private questions, as planned.

    It is for the answers that vary most, not for the observed ones, so it depends only on the
    design and on the number of responses. A survey that closes at a half-width has therefore
    unbiased estimates. With the observed answers, it would close earlier if noise moves an estimate
    to where the interval is shorter, such as 0.

    It is a share, or a part of the range of a mean. None if the survey has no private question, or
    if one has no estimate yet.
    """
    halves: list[float] = []
    planned = results.frozen.survey.fieldwork.planned or DEFAULT_PLANNED
    for each in results.every:
        if each.question.non_private:
            continue
        if not each.n:
            return None
        found = [*halves_of_shares(each, planned)]
        # A scale that is reported in bits has no sequence of its mean.
        mean = half_of_mean(each, planned)
        found += [] if mean is None else [mean]
        if not found:
            return None
        halves += found
    return max(halves, default=None)


def halves_of_shares(results: QuestionResults, planned: int) -> Iterator[float]:
    """The half-width of each share, for the share at which the reports vary most."""
    for each in reports_by_answer(results):
        scores = np.asarray(each.scores, dtype=np.float64)
        rows = None if each.chances is None else np.asarray(each.chances)
        if rows is not None:
            chances = most_variable(rows, scores, 0.5)
        elif each.answer.observed is not None:
            # Reports for the answer, with the larger score, are most variable at one half.
            most, least = float(scores[0]), float(scores[1])
            ends = sorted((-least / (most - least), (1 - least) / (most - least)))
            chance = min(max(0.5, ends[0]), ends[1])
            chances = np.array([chance, 1 - chance])
        else:
            chances = most_variable(probabilities(reporting_table(results.question)), scores, 0.5)
        counts = chances * sum(each.counts)
        yield half_width_of(counts, scores, None, (0.0, 1.0), planned, results.level, rows)


def half_of_mean(results: QuestionResults, planned: int) -> float | None:
    """The half-width of a mean as a part of its range, if half of people give each of its ends.

    Only the share of people with a special answer is the estimated one.
    """
    means = [each for each in results.quantities if each.name == "mean" and each.ratio]
    if not means or means[0].ratio is None or results.ends is None:
        return None
    gains, weights = np.array(means[0].ratio.scores).T
    rows = probabilities(reporting_table(results.question))
    is_listed = rows @ weights > 0.5
    low, high = results.ends
    chances = most_variable(rows[is_listed], gains, (low + high) / 2)
    if not is_listed.all():
        gave = float(np.clip(np.dot(results.counts, weights) / sum(results.counts), 0, 1))
        chances = gave * chances + (1 - gave) * rows[~is_listed].mean(axis=0)
    half = half_width_of(
        chances * sum(results.counts), gains, weights, results.ends, planned, results.level
    )
    return half / (high - low)


def most_variable(rows: Array, scores: Array, middle: float) -> Array:
    """The reports of two groups of equal size, on the two sides of the middle, that vary most."""
    above = rows @ scores > middle
    spread = rows @ (scores - middle) ** 2
    first, second = (int(np.argmax(np.where(side, spread, -math.inf))) for side in (above, ~above))
    return np.asarray((rows[first] + rows[second]) / 2)


def half_width_of(
    counts: Array,
    gains: Array,
    weights: Array | None,
    ends: tuple[float, float],
    planned: int,
    level: float,
    chances: Array | None = None,
) -> float:
    """Half the width of the interval for these counts, which is not cut at the ends."""
    span = ends[1] - ends[0]
    found = confidence_sequence(
        [round(float(count)) for count in counts],
        gains,
        weights=weights,
        ends=(ends[0] - span, ends[1] + span),
        planned=planned,
        level=level,
        chances=chances,
    )
    # Rounding of few counts can leave no value.
    return math.inf if found is None else (found.high - found.low) / 2
