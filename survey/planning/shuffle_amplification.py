"""Amplification by shuffling: the privacy loss ε after responses are put in random order.

Someone who sees all responses together, without knowing whose is which, learns less about one
respondent than one report reveals. The randomness of all other reports hides it too (amplification
by shuffling). This assumes that nobody saw the order in which responses arrived. The server sees it
while it runs, so this is never part of the promise to respondents. It describes the additional
protection of a compacted file.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from survey.core.translate import join_sentences, translate, translate_number
from survey.definition.certainty import epsilon_text
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.planning.power import binomial_tail

DELTA = 1e-6
# Epsilons have four decimals, rounded up.
STEPS_PER_EPSILON = 10_000
# Far above the relative error of scipy's binomial tails.
SLACK = 1e-9
# Far above the error of one probability from the Fourier transform.
ROUNDING = 1e-12
# Numbers of clones within this distance are summed. All others count in full.
CLONE_STANDARD_DEVIATIONS = 9
# Numbers of clones are grouped into blocks. The smallest number represents its block.
CLONE_BLOCKS = 400
# ln 10^15 + 0.1; probabilities farther out are below 2 in 10^30 (Hoeffding).
FOLDED = 34.6
# Up to this many respondents, every combination of the others' answers is tried.
MAX_EXACT_RESPONDENTS = 2_000
# With larger ratios, rounding errors would exceed the amplification.
MAX_SHUFFLED_RATIO_BOUND = 1e12


def usual_delta(n: int) -> float:
    """One in a million; from 1,000 respondents on, well below one in n."""
    return min(DELTA, 1e-3 / n)


def shuffled_delta(n: int, ratio_bound: float, epsilon: float) -> float:
    """A delta for which n shuffled reports are (epsilon, delta)-private, for every table.

    Parameters
    ----------
    n : int, at least 1
        The respondents with honestly drawn reports, including the one in question.
    ratio_bound : float above 1
        The largest ratio in a column of the table, e^epsilon0.
    epsilon : float from 0 to epsilon0

    Returns
    -------
    float
        Rounded up, never too small.

    Notes
    -----
    These are the stronger clones of Feldman, McMillan & Talwar ("Stronger privacy amplification by
    shuffling for Renyi and approximate differential privacy", SODA 2023, arXiv 2208.04591). Of the
    other n - 1 reports, C ~ Bin(n - 1, 2 / (t + 1)) look like either of the two answers in
    question, each with probability 1/2. What is seen is therefore no more than
    (A + D, C - A + 1 - D) with A ~ Bin(C, 1/2). D ~ Bernoulli(t / (t + 1)) for one answer,
    Bernoulli(1 / (t + 1)) for the other. Here t is the likelihood ratio bound.

    Given C, the ratio of the two probabilities increases with A + D, so the hockey-stick divergence
    is a difference of binomial tails. It decreases with C, because another clone only adds noise.
    Each block of clone numbers therefore uses the divergence of its smallest number.
    """
    own, factor = ratio_bound / (ratio_bound + 1), math.exp(epsilon)
    near, middle = 2 / (ratio_bound + 1), (n - 1) * 2 / (ratio_bound + 1)
    reach = CLONE_STANDARD_DEVIATIONS * math.sqrt(middle * (1 - near)) + 10
    low, high = max(0, math.floor(middle - reach)), min(n - 1, math.ceil(middle + reach))
    ends = np.unique(np.linspace(low, high + 1, CLONE_BLOCKS + 1).astype(np.int64))
    clones, chances = ends[:-1], np.diff(binomial_tail(ends - 1, n - 1, near))
    # From this value of A + D on, one answer is more than e^epsilon times likelier.
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
def shuffled_epsilon(n: int, ratio_bound: float, delta: float) -> float:
    """The smallest epsilon for which `shuffled_delta` is at most delta, rounded up to 1/10,000.

    It is at most ln(ratio_bound), and infinite if `ratio_bound` is.
    """
    whole = math.log(ratio_bound)
    if ratio_bound > MAX_SHUFFLED_RATIO_BOUND or ratio_bound <= 1:
        return whole
    step = first_step(whole, lambda epsilon: shuffled_delta(n, ratio_bound, epsilon) <= delta)
    return min(whole, step / STEPS_PER_EPSILON)


def first_step(whole: float, is_enough: Callable[[float], bool]) -> int:
    """The first sufficient step of epsilon. The first step above `whole` is always sufficient."""
    steps = range(math.ceil(whole * STEPS_PER_EPSILON))
    return bisect_left(steps, True, key=lambda step: is_enough(step / STEPS_PER_EPSILON))


def counted_deltas(
    n: int, ratio_bound: float, epsilon: float, others: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """For a coin with this ratio bound, the delta of the count of one report among n.

    Parameters
    ----------
    others : int array, from 0 to n - 1
        How many of the other n - 1 respondents have the answer that the report supports.

    Notes
    -----
    The count is Bin(others, p) + Bin(n - 1 - others, 1 - p) + Bernoulli(p or 1 - p) with
    p = t / (t + 1) and the ratio bound t. Its probabilities come from its Fourier transform. The
    divergence is the sum over z of max(0, Pr(z | the answer) - e^epsilon Pr(z | the other)). It is
    increased by more than the rounding error. The other direction is the same for n - 1 - others.
    """
    p, factor = ratio_bound / (ratio_bound + 1), math.exp(epsilon)
    # Counts farther apart than this share a place. Their probabilities there are negligible.
    size = 1 << min(n, math.ceil(2 * math.sqrt(FOLDED * n))).bit_length()
    turn = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    with_it, without = np.log(1 - p + p * turn), np.log(p + (1 - p) * turn)
    rest = others[:, np.newaxis]
    chances = np.fft.irfft(np.exp(rest * with_it + (n - 1 - rest) * without), n=size, axis=1)
    gain, loss = p - factor * (1 - p), factor * p - (1 - p)
    apart = np.maximum(gain * np.roll(chances, 1, axis=1) - loss * chances, 0).sum(axis=1)
    return np.asarray(apart + size * (gain + loss) * ROUNDING)


@lru_cache(maxsize=64)
def counted_epsilon(n: int, ratio_bound: float, delta: float) -> float:
    """The exact epsilon of the count of one coin's reports, for any answers of the others.

    Parameters
    ----------
    n : int from 1 to MAX_EXACT_RESPONDENTS
    ratio_bound : float above 1
    delta : float above 0

    Returns
    -------
    float
        Exact, but rounded up to 1/10,000; at most ln(ratio_bound).

    Notes
    -----
    In the worst case all others have the answer. This holds for every n that was tried, but is not
    proved. The search therefore begins there, and then tries every combination of the others'
    answers.
    """
    whole = math.log(ratio_bound)
    worst, everyone = np.array([n - 1]), np.array_split(np.arange(n), n // 256 + 1)
    step = first_step(
        whole, lambda epsilon: counted_deltas(n, ratio_bound, epsilon, worst)[0] <= delta
    )
    while step / STEPS_PER_EPSILON < whole and any(
        counted_deltas(n, ratio_bound, step / STEPS_PER_EPSILON, some).max() > delta
        for some in everyone
    ):
        step += 1
    return min(whole, step / STEPS_PER_EPSILON)


def coin_of(question: Question) -> float | None:
    """The ratio t / l of a table that is a symmetric coin, [[t, l], [l, t]]; else None."""
    table = question.table
    if table is None or (table.answers, table.reports) != (2, 2) or table.ratio_bound in (None, 1):
        return None
    mirrored = table.rows[0] == table.rows[1][::-1]
    return float(table.ratio_bound) if mirrored and table.ratio_bound is not None else None


def central_epsilon(survey: Survey, n: int) -> float:
    """The privacy loss of one respondent to someone who sees n compacted responses, without order.

    It holds except with probability `usual_delta(n)`. It is never more than the loss of the reports
    themselves.
    """
    bound = survey.ratio_bound
    if bound is None or bound == 1 or bound > MAX_SHUFFLED_RATIO_BOUND:
        return survey.epsilon
    delta, ratio_bound = usual_delta(n), float(bound)
    coin = coin_of(survey.fields[0]) if len(survey.sent) == 1 else None
    if coin is not None and n <= MAX_EXACT_RESPONDENTS:
        return counted_epsilon(n, coin, delta)
    return min(survey.epsilon, shuffled_epsilon(n, ratio_bound, delta))


def shuffled_sentence(survey: Survey, n: int) -> str:
    """What compaction adds for a survey with n responses, with the assumptions behind it.

    It is empty if no answer is protected, or if there are no other respondents.
    """
    if not survey.private or survey.ratio_bound is None or n < 2:
        return ""
    own = translate_number(epsilon_text(survey.epsilon))
    # Nothing joins a text that is stored apart to the response.
    if any(question.non_private and question not in survey.apart for question in survey.sent):
        return translate(
            "Compaction adds no reliable protection here, because some answers are stored as "
            "given. Someone who knows these answers of one respondent can perhaps identify "
            "this respondent’s response. The privacy loss of its randomised answers is then "
            "still at most ε = %(own)s, as promised to respondents.",
            own=own,
        )
    central = central_epsilon(survey, n)
    if central >= survey.epsilon:
        return translate(
            "%(n)s compacted responses are too few for a smaller ε. The privacy loss of each "
            "respondent is at most ε = %(own)s, as promised to respondents.",
            n=n,
            own=own,
        )
    return join_sentences(
        bound_of_compacted(survey, n, central),
        translate(
            "This assumes that the observer does not know the order of arrival (the server sees "
            "it)."
        )
        if survey.fieldwork.batch >= n
        else translate(
            "This assumes that the observer does not know the order of arrival (the server sees "
            "it) and did not compare the results after different batches."
        ),
        translate(
            "It also assumes that the reports of all other respondents were randomised with the "
            "probabilities of the survey. Respondents are promised ε = %(own)s, without these "
            "assumptions.",
            own=own,
        ),
    )


def bound_of_compacted(survey: Survey, n: int, central: float) -> str:
    """The privacy loss to someone who sees only the n compacted responses, as a sentence."""
    bound = {
        "n": translate_number(f"{n:,}"),
        "epsilon": translate_number(epsilon_text(central)),
        "odds": translate_number(f"{1 / usual_delta(n):,.0f}"),
    }
    if survey.fieldwork.series:
        return translate(
            "For someone who sees only the %(n)s compacted responses, the privacy loss of one "
            "respondent in this wave alone is at most ε = %(epsilon)s, with δ = 1 in %(odds)s.",
            **bound,
        )
    return translate(
        "For someone who sees only the %(n)s compacted responses, the privacy loss of one "
        "respondent is at most ε = %(epsilon)s, with δ = 1 in %(odds)s.",
        **bound,
    )
