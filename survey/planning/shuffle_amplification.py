"""What the local guarantee amounts to once responses lie in random order, nothing linked to anyone.

Who sees all responses together, but not whose is which, learns less of one respondent than one
report tells: everyone else's chance hides it too (amplification by shuffling). This rests on
nobody having seen the order in which responses came. The server has, while it runs, so it is
never what respondents are promised; it says how much more a sealed file keeps.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from survey.definition.certainty import epsilon_text
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.planning.power import binomial_tail

DELTA = 1e-6
STEPS_PER_EPSILON = 10_000  # epsilons are stated in ten-thousandths, rounded up
SLACK = 1e-9  # far above the relative error of scipy's binomial tails
ROUNDING = 1e-12  # far above the error of one chance made by the Fourier transform
# Standard deviations of the clones that are summed; all others count whole.
CLONE_STANDARD_DEVIATIONS = 9
CLONE_BLOCKS = 400  # of numbers of clones, each block reckoned with its smallest
FOLDED = 34.6  # ln 10^15 + 0.1; chances that lie farther out are below 2 in 10^30 (Hoeffding)
MAX_EXACT_RESPONDENTS = 2_000  # respondents for whom every make-up of the others is tried
MAX_SHUFFLED_ODDS = 1e12  # beyond, shuffling saves nothing that could be told from rounding


def usual_delta(n: int) -> float:
    """One in a million, and from 1,000 respondents on well below one in n."""
    return min(DELTA, 1e-3 / n)


def shuffled_delta(n: int, odds: float, epsilon: float) -> float:
    """A delta for which n shuffled reports are (epsilon, delta)-private, whatever their table.

    Parameters
    ----------
    n : int, at least 1
        Respondents whose reports were drawn honestly, the one in question among them.
    odds : float above 1
        The largest ratio in a column of the table, e^epsilon0.
    epsilon : float from 0 to epsilon0

    Returns
    -------
    float
        Rounded up, never too small.

    Notes
    -----
    The stronger clones of Feldman, McMillan & Talwar ("Stronger privacy amplification by
    shuffling for Renyi and approximate differential privacy", SODA 2023, arXiv 2208.04591): of the
    other n - 1 reports, C ~ Bin(n - 1, 2 / (odds + 1)) look like either of the two answers in
    question with chance 1/2, so that what is seen is no more than (A + D, C - A + 1 - D) with
    A ~ Bin(C, 1/2) and D ~ Bernoulli(odds / (odds + 1)) for the one, Bernoulli(1 / (odds + 1)) for
    the other answer. Given C, the ratio of the two chances grows with A + D, so the hockey-stick
    divergence is a difference of binomial tails. It falls with C, since one clone more is only
    more noise; so numbers of clones are taken in blocks, each with the divergence of its smallest.
    """
    own, factor = odds / (odds + 1), math.exp(epsilon)
    near, middle = 2 / (odds + 1), (n - 1) * 2 / (odds + 1)
    reach = CLONE_STANDARD_DEVIATIONS * math.sqrt(middle * (1 - near)) + 10
    low, high = max(0, math.floor(middle - reach)), min(n - 1, math.ceil(middle + reach))
    ends = np.unique(np.linspace(low, high + 1, CLONE_BLOCKS + 1).astype(np.int64))
    clones, chances = ends[:-1], np.diff(binomial_tail(ends - 1, n - 1, near))
    # the one answer is more than e^epsilon times likelier from this count of A + D on
    edge = (factor * own - (1 - own)) / ((2 * own - 1) * (1 + factor))
    first = np.floor(edge * (clones + 1)) + 1
    gain, loss = own - factor * (1 - own), factor * own - (1 - own)
    with_it = gain * binomial_tail(first - 2, clones, 0.5, upper=True)
    without = loss * binomial_tail(first - 1, clones, 0.5, upper=True)
    apart = np.maximum(with_it * (1 + SLACK) - without * (1 - SLACK), 0)
    beyond = binomial_tail(low - 1, n - 1, near) + binomial_tail(high, n - 1, near, upper=True)
    inside = float((chances * apart).sum()) + CLONE_BLOCKS * ROUNDING / 1000
    return min(1.0, (inside + float(beyond)) * (1 + SLACK))


@lru_cache(maxsize=256)
def shuffled_epsilon(n: int, odds: float, delta: float) -> float:
    """The least epsilon for which `shuffled_delta` is at most delta, rounded up to 1/10,000.

    ln(odds) where that is no less; it is infinite where `odds` is.
    """
    whole = math.log(odds)
    if odds > MAX_SHUFFLED_ODDS or odds <= 1:
        return whole
    step = first_step(whole, lambda epsilon: shuffled_delta(n, odds, epsilon) <= delta)
    return min(whole, step / STEPS_PER_EPSILON)


def first_step(whole: float, is_enough: Callable[[float], bool]) -> int:
    """The first step of epsilon that is enough, up to the first one above `whole`, which is."""
    steps = range(math.ceil(whole * STEPS_PER_EPSILON))
    return bisect_left(steps, True, key=lambda step: is_enough(step / STEPS_PER_EPSILON))


def counted_deltas(
    n: int, odds: float, epsilon: float, others: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """For a coin with these odds, the delta of the count of one report among n.

    Parameters
    ----------
    others : int array, from 0 to n - 1
        How many of the other n - 1 respondents have the answer that the report speaks for.

    Notes
    -----
    The count is Bin(others, p) + Bin(n - 1 - others, 1 - p) + Bernoulli(p or 1 - p) with
    p = odds / (odds + 1); its chances come from its Fourier transform, and the divergence
    sum over z of max(0, Pr(z | the answer) - e^epsilon Pr(z | the other)) is raised by more than
    their rounding. The other direction is the same for n - 1 - others.
    """
    p, factor = odds / (odds + 1), math.exp(epsilon)
    # counts farther apart than this share a place, where next to nothing is
    size = 1 << min(n, math.ceil(2 * math.sqrt(FOLDED * n))).bit_length()
    turn = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    with_it, without = np.log(1 - p + p * turn), np.log(p + (1 - p) * turn)
    rest = others[:, np.newaxis]
    chances = np.fft.irfft(np.exp(rest * with_it + (n - 1 - rest) * without), n=size, axis=1)
    gain, loss = p - factor * (1 - p), factor * p - (1 - p)
    apart = np.maximum(gain * np.roll(chances, 1, axis=1) - loss * chances, 0).sum(axis=1)
    return np.asarray(apart + size * (gain + loss) * ROUNDING)


@lru_cache(maxsize=64)
def counted_epsilon(n: int, odds: float, delta: float) -> float:
    """What the count of one coin's reports tells at most, whatever the others answered.

    Parameters
    ----------
    n : int from 1 to MAX_EXACT_RESPONDENTS
    odds : float above 1

    Returns
    -------
    float
        Exact but for being rounded up to 1/10,000; ln(odds) where that is no less.

    Notes
    -----
    The worst others are those who all have the answer (seen for every n that was tried, not
    proved), so the search begins there; then every make-up of the others is tried.
    """
    whole = math.log(odds)
    worst, everyone = np.array([n - 1]), np.array_split(np.arange(n), n // 256 + 1)
    step = first_step(whole, lambda epsilon: counted_deltas(n, odds, epsilon, worst)[0] <= delta)
    while step / STEPS_PER_EPSILON < whole and any(
        counted_deltas(n, odds, step / STEPS_PER_EPSILON, some).max() > delta for some in everyone
    ):
        step += 1
    return min(whole, step / STEPS_PER_EPSILON)


def coin_of(question: Question) -> float | None:
    """The odds of a question whose table is one fair-sided coin, [[t, l], [l, t]]; else None."""
    table = question.table
    if table is None or (table.answers, table.reports) != (2, 2) or table.odds in (None, 1):
        return None
    mirrored = table.rows[0] == table.rows[1][::-1]
    return float(table.odds) if mirrored and table.odds is not None else None


def central_epsilon(survey: Survey, n: int) -> float:
    """The loss of one respondent to whoever sees n sealed responses and nothing of their order,
    but for a chance of `usual_delta(n)`; never more than the loss of the reports themselves."""
    if survey.odds is None or survey.odds == 1 or survey.odds > MAX_SHUFFLED_ODDS:
        return survey.epsilon
    delta, odds = usual_delta(n), float(survey.odds)
    coin = coin_of(survey.fields[0]) if len(survey.fields) == 1 else None
    if coin is not None and n <= MAX_EXACT_RESPONDENTS:
        return counted_epsilon(n, coin, delta)
    return min(survey.epsilon, shuffled_epsilon(n, odds, delta))


def sealed_sentence(survey: Survey, n: int) -> str:
    """What compacting adds to the privacy of n responses, and its assumptions. Empty if no answer
    is private, or if there is only one response."""
    if not survey.private or survey.odds is None or n < 2:
        return ""
    own = f"ε = {epsilon_text(survey.epsilon)}"
    if any(question.plain for question in survey.fields):
        return (
            "Compacting adds no reliable protection here, because some answers are stored as "
            "given. Someone who knows these answers of one respondent may find that response. The "
            f"privacy loss of its randomised answers is then at most {own}, as promised to "
            "respondents."
        )
    central = central_epsilon(survey, n)
    if central >= survey.epsilon:
        return (
            f"{n:,} compacted responses are too few to hide one among the others. The privacy loss "
            f"of each is at most {own}, as promised to respondents."
        )
    wave = " in this wave alone" if survey.fieldwork.series else ""
    batch = "" if survey.fieldwork.batch >= n else ", or the results between two batches"
    return (
        f"For someone who sees only the {n:,} compacted responses, the privacy loss of one "
        f"respondent{wave} is at most ε = {epsilon_text(central)}, with δ = 1 in "
        f"{1 / usual_delta(n):,.0f}. This assumes that nobody, including the server, sees the "
        f"order of arrival{batch}. It also assumes that the other respondents answer as asked. "
        f"Respondents are promised {own}, without these assumptions."
    )
