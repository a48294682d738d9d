"""The expected precision of a question's estimates, before anyone has answered.

The variance is that of the scores that the results use, under the reports of an assumed true
distribution of answers. Without an assumed distribution, it is the largest over all distributions.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import scipy

from survey.core.errors import (
    DefinitionError,
    MechanismError,
    TableError,
    UnanswerableQuestion,
)
from survey.core.factored_randomizers import Boxes, OneHot, SubsetPart
from survey.core.integer_rounding import add_special_answers
from survey.core.mechanisms import LocalRandomizer
from survey.core.number_grid import Grid
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, probabilities, support_of, unbiased_scores
from survey.core.translate import translate_count, translate_number
from survey.definition.choices import DECLINED, Choice
from survey.definition.known_tables import KnownTables, is_for_quantiles, randomizer_of
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.definition.target_population import SIMILAR
from survey.estimation.mean_estimates import noise_of_bits
from survey.estimation.number_text import fixed_decimals, number
from survey.estimation.share_estimates import share_noise
from survey.estimation.types import ESTIMATION
from survey.estimation.types.joint_items import item_questions
from survey.planning.arms import share_in_arms
from survey.planning.types import PLANNING

SHARE = "share"
MEAN = "mean"
MEDIAN = "median"
Z = NormalDist().inv_cdf(0.975)
# With more values of a direct question, their spread changes by less than 0.2 %.
MAX_DIRECT_VALUES = 1_001


@dataclass(frozen=True, kw_only=True)
class ExpectedPrecision:
    """The expected precision of one estimate of a question.

    Attributes
    ----------
    kind : SHARE for the least precise share of an answer, MEAN, or MEDIAN
    variance : float
        m times the variance of the estimate from m reports, in the square of the unit.
    direct : float
        The same for a direct question.
    width : float
        The width of the estimate's range: 1 for a share.
    reported : float in (0, 1]
        The share of respondents who report on it. Only those whom an experimental arm asks count.
    coin : pair of floats, or None
        The probabilities p and q that a report supports the answer, for people with it and for all
        others. None if a report contains more information about the share.
    unit : str
    noise : float or None
        The part of `variance` from randomisation alone; None if it is not known. Without an assumed
        distribution, it is the largest over all distributions.
    results_about : str or int
        Whom the results describe (survey/definition/target_population.py).
    in_arms : float in (0, 1]
        The share of respondents in the experimental arms that ask the question, also if it is asked
        directly.
    """

    kind: str
    variance: float
    direct: float
    width: float
    reported: float
    coin: tuple[float, float] | None = None
    unit: str = ""
    noise: float | None = None
    results_about: str | int = SIMILAR
    in_arms: float = 1.0

    def variance_for(self, n: float) -> float:
        """m times the variance of the estimate from the reports of n respondents.

        About a finite population it is variance - f (variance - noise), where f is the share of the
        population that reports. For the least favourable distribution this is an upper bound.
        """
        if self.noise is None or self.results_about == SIMILAR:
            return self.variance
        reporting = self.reported
        if isinstance(self.results_about, int):
            reporting = min(1.0, n * self.reported / self.results_about)
        return self.variance - reporting * max(0.0, self.variance - self.noise)

    def margin(self, n: float) -> float:
        """Half the width of the 95 % interval with n respondents, in the unit.

        It is 1.96 standard errors, at most half the range. Near the ends of the range, actual
        intervals are cut off there and therefore shorter.
        """
        return min(Z * math.sqrt(self.variance_for(n) / (n * self.reported)), self.width / 2)

    def respondents(self, margin: float) -> int:
        """The number of respondents for this margin, in the unit; `margin` is above 0.

        It is larger than the population if even the answers of all its people are too imprecise.
        """
        size = self.results_about
        if self.noise is None or not isinstance(size, int):
            return respondents_needed(self.variance_for(1), margin, self.reported)
        sampling = max(0.0, self.variance - self.noise)
        reports = self.variance / ((margin / Z) ** 2 + sampling / size)
        # Beyond the whole population, only the randomisation is left.
        if reports > size:
            return max(size + 1, respondents_needed(self.noise, margin, self.reported))
        return max(1, math.ceil(reports / self.reported - 1e-9))

    def tells_nothing(self, n: float) -> bool:
        """Whether the interval with n respondents would cover the whole range."""
        return self.margin(n) >= self.width / 2

    @property
    def all_report(self) -> bool:
        """Whether every respondent reports on it."""
        return self.reported == 1

    @property
    def only_arms(self) -> bool:
        """Whether some experimental arms do not ask the question."""
        return self.in_arms < 1

    def reports_text(self, n: int) -> str:
        """About how many of n respondents report on it, in the language of the page."""
        return translate_count(round(n * self.reported))

    @property
    def design_effect(self) -> float:
        """How many times fewer respondents a direct question would need."""
        reported = self.reported / self.in_arms
        return self.variance / self.direct / reported if self.direct else math.inf

    @property
    def design_effect_text(self) -> str:
        """The design effect with one decimal, in the language of the page."""
        effect = self.design_effect
        return translate_number(number(effect) if math.isinf(effect) else fixed_decimals(effect, 1))


def respondents_needed(variance: float, margin: float, reported: float = 1.0) -> int:
    """The smallest n whose margin is at most this one: z^2 variance / margin^2, rounded up."""
    return max(1, math.ceil(Z**2 * variance / (margin**2 * reported) - 1e-9))


def precisions(
    question: Question,
    share: float | None = None,
    survey: Survey | None = None,
    place: float | None = None,
    against: float | None = None,
) -> tuple[ExpectedPrecision, ...]:
    """The estimates of a question and their expected precision, the one that it is for first.

    Parameters
    ----------
    question : any but a text or a note
    share : float in [0, 1], optional
        The assumed true share. All other respondents are spread evenly over the other answers; for
        a mean, all respondents are spread evenly over the range. By default, the least favourable
        distribution.
    survey : Survey, optional
        Its survey, in which each respondent may report on a sample of questions. If an experimental
        arm decides who is asked, the figures are for an analysis of those in the arm.
    place : float in [0, 1], optional
        The assumed place of the mean on its range. The answers are as evenly spread as it allows.
    against : float in [0, 1], optional
        The place with which a test compares the mean; by default `place`.

    Returns
    -------
    tuple of ExpectedPrecision
        For choices and boxes a share, for scales a share and a mean, for numbers a mean. The goal
        "quantiles" adds the median of a number.

    Raises
    ------
    UnanswerableQuestion
        If there is nothing to estimate, or if nobody can be asked.

    Notes
    -----
    For a share with probabilities p and q: P (1 - P) / (p - q)^2, P = q + (p - q) pi. In general,
    sum_x pi_x E[S^2 | x] - (sum_x pi_x T_x)^2, with the scores S of `survey.core.scores`. The
    precision of a mean assumes that everyone gives a number.
    """
    reported, planning = share_who_report(question, survey), PLANNING[question]
    figures = planning.precision_of_share(share, reported)
    at = 0.5 if place is None and share is not None else place
    figures += planning.precision_of_distribution(reported, at, against)
    if (question.privacy or {}).get("goal") == "mean":
        figures.sort(key=lambda each: each.kind != MEAN)
    if not figures:
        raise UnanswerableQuestion(f"Nothing can be estimated from {question.name!r}.")
    if survey is None:
        return tuple(figures)
    about, in_arms = survey.fieldwork.results_about, float(share_in_arms(question, survey))
    return tuple(replace(each, results_about=about, in_arms=in_arms) for each in figures)


def goal_precisions(
    question: Question, share: float | None = None, survey: Survey | None = None
) -> tuple[ExpectedPrecision, ...]:
    """As `precisions`, but only the first estimate if the question is for this one alone."""
    figures = precisions(question, share, survey)
    return figures[:1] if is_for_one_estimate(question) else figures


def is_for_one_estimate(question: Question) -> bool:
    """Whether the goal is the mean, or quantiles."""
    privacy = question.privacy or {}
    return privacy.get("goal") == "mean" or is_for_quantiles(privacy)


def planned_questions(
    survey: Survey, questions: Sequence[Question] | None = None
) -> tuple[Question, ...]:
    """These questions, by default the private ones, each joint one before those behind it.

    The names of the questions behind it are those of the analyses, such as "habits/smokes". Each
    has the randomizer of its part of a joint report.
    """
    found = survey.private if questions is None else questions
    return tuple(
        each for question in found for each in (question, *item_questions(survey, question))
    )


def joint_behind(question: Question, survey: Survey) -> tuple[Question, int] | None:
    """The joint question of a planned question, and the place in it; None without one."""
    name, _, item = question.name.partition("/")
    joint = next((each for each in survey.private if each.name == name), None)
    if not item or joint is None:
        return None
    return joint, [each.name for each in survey.items_of(joint)].index(item)


def planned_precisions(
    survey: Survey, share: float | None = None, questions: Sequence[Question] | None = None
) -> Iterator[tuple[Question, ExpectedPrecision]]:
    """The estimates of these planned questions (`planned_questions`), if there are any."""
    for question in planned_questions(survey, questions):
        with suppress(UnanswerableQuestion):
            yield from ((question, each) for each in goal_precisions(question, share, survey))


def planned_epsilon(question: Question, survey: Survey) -> float:
    """The ε of a planned question: behind a joint question, that of the joint question."""
    found = joint_behind(question, survey)
    return question.epsilon if found is None else found[0].epsilon


def share_who_report(question: Question, survey: Survey | None) -> float:
    """The share of respondents who are in an arm that asks the question, and report on it.

    It is below 1 if an experimental arm decides who is asked, or if each respondent reports on a
    sample of questions. Raises UnanswerableQuestion if no arm asks it.
    """
    in_arms = share_in_arms(question, survey)
    if not in_arms:
        raise UnanswerableQuestion(f"Nobody is asked {question.name!r}.")
    if survey is None or survey.always_reported(question):
        return float(in_arms)
    return float(in_arms) * (survey.budget.sample or 1) / len(survey.private)


def share_precision(
    question: Question, share: float | None, reported: float, answer: int | None = None
) -> ExpectedPrecision:
    """The precision of the share of an answer, by default of the least precise one."""
    randomizer = question.randomizer
    open_variance = 0.25 if share is None else share * (1 - share)
    coin: tuple[float, float] | None
    if isinstance(randomizer, SubsetPart):
        places = range(randomizer.answers) if answer is None else (answer,)
        variance, noise = max(part_variance(randomizer, place, share) for place in places)
        return ExpectedPrecision(
            kind=SHARE,
            variance=variance,
            direct=open_variance,
            width=1.0,
            reported=reported,
            coin=None,
            noise=noise,
        )
    if isinstance(randomizer, OneHot):
        coin = float(randomizer.p), float(randomizer.q)
    elif isinstance(randomizer, Boxes):
        table = randomizer.table
        coin = float(table.probability(0, 0)), float(table.probability(0, 1))
        reported *= randomizer.sample / randomizer.answers
    elif isinstance(randomizer, Randomizer):
        variance, noise, coin = table_variance(question, randomizer, share, answer)
        return ExpectedPrecision(
            kind=SHARE,
            variance=variance,
            direct=open_variance,
            width=1.0,
            reported=reported,
            coin=coin,
            noise=noise,
        )
    else:
        coin = 1.0, 0.0
    return ExpectedPrecision(
        kind=SHARE,
        variance=coin_variance(*coin, share),
        direct=open_variance,
        width=1.0,
        reported=reported,
        coin=coin,
        noise=coin_noise(*coin, share),
    )


def part_variance(part: SubsetPart, answer: int, share: float | None) -> tuple[float, float]:
    """The variance of the share of an answer behind a joint question, and its part from noise."""
    own, other = share_noise(part, answer)
    if share is None:
        return most_of_two(own + 1, other), max(own, other)
    noise = share * own + (1 - share) * other
    return noise + share * (1 - share), noise


def table_variance(
    question: Question, table: Randomizer, share: float | None, answer: int | None = None
) -> tuple[float, float, tuple[float, float] | None]:
    """The variance of an answer's share, its part from randomisation, and p and q if they exist.

    By default, the answer is the one with the largest variance.
    """
    target = ESTIMATION[question].answers_in_shares()
    scores = unbiased_scores(table, target)
    squares = probabilities(table) @ scores**2
    candidates: list[tuple[float, float, tuple[float, float] | None]] = []
    for column in range(target.shape[1]) if answer is None else (answer,):
        meant = target[:, column] > 0
        support = support_of(table, scores[:, column], meant)
        if support is not None:
            coin = float(support.p), float(support.q)
            candidates.append((coin_variance(*coin, share), coin_noise(*coin, share), coin))
            continue
        second = squares[:, column]
        noise = second - target[:, column] ** 2
        if share is None:
            most = most_of_two(second[meant].max(), second[~meant].max())
            candidates.append((most, float(noise.max()), None))
        else:
            mixed = share * second[meant].mean() + (1 - share) * second[~meant].mean()
            own = share * noise[meant].mean() + (1 - share) * noise[~meant].mean()
            candidates.append((float(mixed - share**2), float(own), None))
    return max(candidates, key=lambda each: each[0])


def asked_precision(
    question: Question, asked: float, survey: Survey | None = None
) -> ExpectedPrecision | None:
    """The precision of the least precise share among those asked a question with a condition.

    Parameters
    ----------
    asked : float in (0, 1]
        The share of respondents who are asked. With experimental arms, of those in an arm that asks
        the question.
    survey : as for `precisions`

    Returns
    -------
    ExpectedPrecision or None
        For the least favourable answers; None without a share among those asked.

    Notes
    -----
    The estimate is a ratio. For a true ratio r its variance is about that of share - r (1 - not
    asked), divided by asked^2 (delta method).
    """
    if question.grid is not None or not question.may_be_unasked:
        return None
    try:
        reported = share_who_report(question, survey)
        most = max(ratio_variance(question, asked, r) for r in np.linspace(0, 1, 21))
    except UnanswerableQuestion:
        return None
    return ExpectedPrecision(
        kind=SHARE, variance=most / asked**2, direct=0.25 / asked, width=1.0, reported=reported
    )


def ratio_variance(question: Question, asked: float, ratio: float) -> float:
    """The largest variance of one response's share - ratio (1 - not asked), over all answers."""
    randomizer, without = question.randomizer, 1 - asked
    if randomizer is None:
        return ratio * (1 - ratio) * asked
    if isinstance(randomizer, Boxes):
        table, k, s = randomizer.table, randomizer.answers, randomizer.sample
        coin = float(table.probability(0, 0)), float(table.probability(0, 1))
        own, other = coin_variance(*coin, ratio * asked), coin_variance(*coin, without)
        both = ratio * asked * without * (s - 1) / (k - 1)
        return float(own + ratio**2 * other - 2 * ratio * both) * k / s
    if isinstance(randomizer, OneHot):
        found = []
        # Without several bits for an answer, all answers are alike.
        for place in range(len(question.offered) if max(randomizer.sizes) > 1 else 1):
            weights = np.zeros(randomizer.answers)
            weights[place], weights[-1] = 1.0, ratio
            second = noise_of_bits(randomizer, weights) + weights**2 - ratio**2
            chosen = np.arange(randomizer.answers) == place
            found.append(mixed_variance(second, chosen, asked, ratio))
        return max(found)
    if not isinstance(randomizer, Randomizer):
        raise UnanswerableQuestion(f"Nothing can be estimated from {question.name!r}.")
    target = ESTIMATION[question].answers_in_shares()
    scores = unbiased_scores(randomizer, target)
    found = []
    for column in range(len(question.offered)):
        worth = scores[:, column] - ratio * (1 - scores[:, -1])
        second = probabilities(randomizer) @ worth**2
        found.append(mixed_variance(second, target[:, column] > 0, asked, ratio))
    return max(found)


def mixed_variance(second: Array, meant: np.ndarray, asked: float, ratio: float) -> float:
    """The second moment for the least favourable answers; the last row is "not asked"."""
    with_answer = second[:-1][meant[:-1]].max()
    others = second[:-1][~meant[:-1]].max()
    return float(asked * (ratio * with_answer + (1 - ratio) * others) + (1 - asked) * second[-1])


def coin_variance(p: float, q: float, share: float | None) -> float:
    """P (1 - P) / (p - q)^2; without a share, at the possible P nearest to one half."""
    chance = min(max(0.5, min(p, q)), max(p, q)) if share is None else q + (p - q) * share
    return chance * (1 - chance) / (p - q) ** 2


def coin_noise(p: float, q: float, share: float | None) -> float:
    """The part of `coin_variance` from randomisation; without a share, the largest."""
    own, other = p * (1 - p) / (p - q) ** 2, q * (1 - q) / (p - q) ** 2
    return max(own, other) if share is None else share * own + (1 - share) * other


def factor_for_declining(question: Question) -> float | None:
    """How many times as many respondents a question needs to offer "prefer not to say".

    Parameters
    ----------
    question : Question
        It may offer this answer already. Then it is compared with the same question without it.

    Returns
    -------
    float or None
        The ratio of the variances at the same ε, for the least favourable answers. They are those
        of the least precise share, or of the mean or median that the question is for. None if the
        question has no randomizer, or none of the same design with or without this answer.
    """
    with suppress(DefinitionError, MechanismError, TableError, UnanswerableQuestion):
        other = with_declining_toggled(question)
        own, changed = (per_respondent(each) for each in (question, other))
        return own / changed if question.offers_to_decline else changed / own
    return None


def with_declining_toggled(question: Question) -> Question:
    """The question with "prefer not to say" if it does not offer it, and else without it.

    A mechanism that adds this answer to its finished table is not calculated again. Raises
    DefinitionError, MechanismError or TableError if there is no such randomizer, and
    UnanswerableQuestion for a question without one.
    """
    if question.randomizer is None or "prefer_not_to_say" not in question.kind.keys:
        raise UnanswerableQuestion(f"{question.name!r} has no randomizer with this answer.")
    kept = tuple(special for special in question.special_answers if special.name != DECLINED)
    special_answers = kept if question.offers_to_decline else (Choice(DECLINED, ""), *kept)
    table = question.table
    try:
        changed = randomizer_of(
            question.privacy,
            question.type,
            len(question.choices),
            question.grid,
            len(special_answers),
            "privacy",
            KnownTables(max_work=0),
        )
    except DefinitionError:
        if table is None:
            raise
        own = len(question.special_answers)
        rows = [row[: len(row) - own] for row in table.rows[: table.answers - own]]
        changed = add_special_answers(Randomizer.from_rows(rows), len(special_answers))
    return replace(question, special_answers=special_answers, randomizer=changed)


def per_respondent(question: Question) -> float:
    """n times the variance of the estimate that a question is for, from n respondents."""
    first = precisions(question)[0]
    return first.variance / first.reported


def mean_precision(
    question: Question, reported: float, place: float | None, against: float | None = None
) -> ExpectedPrecision:
    """The precision of the mean, by default for the least favourable answers.

    `place` is that of the true mean on the range. The answers have the distribution with this mean
    that is nearest to an even spread. `against` is as for `precisions`.
    """
    if question.grid is not None:
        grid = question.grid
        steps, step, unit = grid.size, float(grid.step), grid.unit
    else:
        steps, step, unit = len(question.choices), 1.0, ""
    width = step * (steps - 1)
    if place is None:
        direct = width**2 / 4
    elif place == 0.5:
        direct = step**2 * (steps**2 - 1) / 12
    else:
        direct = width**2 * variance_on(np.ones(min(steps, MAX_DIRECT_VALUES)), place)
    randomizer = question.randomizer
    if randomizer is None:
        return ExpectedPrecision(
            kind=MEAN,
            variance=direct,
            direct=direct,
            width=width,
            reported=reported,
            coin=None,
            unit=unit,
            noise=0.0,
        )
    values = numeric_answer_values(question)
    middle = (values[0] + values[-1]) / 2
    if isinstance(randomizer, SubsetPart):
        middle = np.average(values, weights=randomizer.sizes[: len(values)])
    # The mean of those who give a number is a ratio. Its test against a value has scores in which a
    # special answer counts like this value (Fieller, JRSS B 16 (1954) 175).
    against = place if against is None else against
    value = middle if against is None else values[0] + against * (values[-1] - values[0])
    weights = np.full(randomizer.answers, value - middle)
    weights[: len(values)] = values - middle
    second = score_moments(randomizer, weights)[: len(values)]
    centred = weights[: len(values)]
    if place is None:
        variance = most_of_all(second, centred)
        noise = float((second - centred**2).max())
    else:
        shares = tilt_shares(even_shares(question.grid, len(values)), place)
        variance = float(shares @ second - (shares @ centred) ** 2)
        noise = float(shares @ (second - centred**2))
    return ExpectedPrecision(
        kind=MEAN,
        variance=variance,
        direct=direct,
        width=width,
        reported=reported,
        coin=None,
        unit=unit,
        noise=noise,
    )


def score_moments(randomizer: LocalRandomizer, weights: Array) -> Array:
    """For each answer x, E[S^2 | x] of the score S with E[S | x] = weights[x]."""
    if isinstance(randomizer, Randomizer):
        scores = unbiased_scores(randomizer, weights[:, np.newaxis])[:, 0]
        return np.asarray(probabilities(randomizer) @ scores**2)
    if isinstance(randomizer, OneHot):
        return noise_of_bits(randomizer, weights) + weights**2
    raise UnanswerableQuestion("Boxes have no mean.")


def tilt_shares(shares: Array, place: float) -> Array:
    """The distribution with a mean at this place that is nearest to a symmetric one.

    Its shares are multiplied by exp(t x). Among all distributions with this mean on its equally
    distant values, it has the least Kullback-Leibler divergence from it (Csiszár, Annals of
    Probability 3 (1975) 146).
    """
    places = np.linspace(0, 1, len(shares)) - place
    if place in (0, 1):
        return np.asarray((places == 0).astype(np.float64))

    def weights(t: float) -> Array:
        return np.asarray(shares * np.exp(t * places - max(t * places[0], t * places[-1])))

    # Beyond these ends, all weight is on the first or the last value.
    most = 800.0 * len(shares)
    t = float(scipy.optimize.brentq(lambda t: weights(t) @ places, -most, most, xtol=1e-13))
    return np.asarray(weights(t) / weights(t).sum())


def variance_on(shares: Array, place: float) -> float:
    """The variance of `tilt_shares`, in the square of the range."""
    distances = np.linspace(0, 1, len(shares)) - place
    return float(tilt_shares(shares, place) @ distances**2)


def answered_precision(
    question: Question, precision: ExpectedPrecision, share: float
) -> ExpectedPrecision:
    """The precision of a share among those who do not give a special answer, if all of them do not.

    Comparisons of groups estimate this share. Its estimate is a ratio: for a true share r, its
    variance is about that of the share of an answer + r times the share of special answers (delta
    method).
    """
    randomizer, listed = question.randomizer, len(question.choices)
    if not question.special_answers or not isinstance(randomizer, Randomizer | OneHot):
        return precision
    if not ESTIMATION[question].shares_add_up or precision.kind != SHARE:
        return precision
    variances = []
    for answer in range(listed):
        weights = np.append(np.eye(listed)[answer], np.full(randomizer.answers - listed, share))
        shares = np.full(listed, (1 - share) / (listed - 1))
        shares[answer] = share
        moments = score_moments(randomizer, weights)[:listed]
        variances.append(float(shares @ moments) - share**2)
    return replace(precision, variance=max(variances), coin=None)


def median_precision(question: Question, reported: float) -> ExpectedPrecision:
    """The precision of the median, for evenly spread answers.

    The variance of the distribution function at the middle, divided by its squared slope there,
    which is one over the range.
    """
    grid, table, values = question.number_grid, question.table, numeric_answer_values(question)
    if table is None or question.levels is None:
        raise UnanswerableQuestion(f"Nothing can be estimated from {question.name!r}.")
    k = len(values)
    upto = (np.arange(k) < k / 2).astype(np.float64)
    shares, special = even_shares(grid, k), np.zeros(table.answers - k)
    target = np.append(upto, special)[:, np.newaxis]
    second = probabilities(table)[:k] @ unbiased_scores(table, target)[:, 0] ** 2
    span = float(values[-1] - values[0])
    variance = float(shares @ second - (shares @ upto) ** 2) * span**2
    return ExpectedPrecision(
        kind=MEDIAN,
        variance=variance,
        direct=span**2 / 4,
        width=span,
        reported=reported,
        coin=None,
        unit=grid.unit,
    )


def numeric_answer_values(question: Question) -> Array:
    """The numbers of the first answers of its randomizer."""
    if question.levels is None:
        return np.arange(1, len(question.choices) + 1, dtype=np.float64)
    levels = question.levels
    return float(levels.low) + float(levels.step) * np.arange(levels.size, dtype=np.float64)


def even_shares(grid: Grid | None, levels: int) -> Array:
    """The shares of the levels if all values of the grid are equally common.

    Values are rounded to an end point from one side only.
    """
    shares: Array = np.ones(levels)
    if grid is not None:
        width = grid.width(levels)
        shares[[0, -1]] = (width + 1) / (2 * width)
    return np.asarray(shares / shares.sum())


def most_of_two(one: float, other: float) -> float:
    """The largest t one + (1 - t) other - t^2, 0 <= t <= 1."""
    return most_of_all(np.array([one, other]), np.array([1.0, 0.0]))


def most_of_all(second: Array, values: Array) -> float:
    """The largest sum_x pi_x second_x - (sum_x pi_x values_x)^2 of all distributions pi.

    For a given mean it is linear in pi, so it is largest with at most two answers. For each two
    answers it is a parabola with a known maximum.
    """
    gap = values[:, np.newaxis] - values
    rise = second[:, np.newaxis] - second
    with np.errstate(divide="ignore", invalid="ignore"):
        top = (rise / (2 * gap) - values) / gap
    part = np.clip(np.nan_to_num(top, nan=1.0, posinf=1.0, neginf=0.0), 0, 1)
    mean = values + part * gap
    return float((second + part * rise - mean**2).max())
