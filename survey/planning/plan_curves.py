"""Margins by number of respondents and by epsilon, and ways to allocate the privacy loss."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from survey.core.mechanisms import LocalRandomizer
from survey.core.number_grid import Grid
from survey.core.translate import translate, translate_number
from survey.definition.certainty import epsilon_text
from survey.definition.known_tables import KnownTables, randomizer_of
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.estimation.types.joint_items import item_question
from survey.planning.denial import break_even
from survey.planning.precision import (
    ExpectedPrecision,
    joint_behind,
    planned_epsilon,
    precisions,
)
from survey.planning.sample_size import asked_openly
from survey.planning.types import PLANNING

TABLE_SIZES = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
CURVE_SIZES = tuple(
    round(100 * 10 ** (step / 12))
    for step in range(37)
    # The same range in small steps.
)
# Few respondents are where denial matters most.
DENIAL_SIZES = tuple(round(10 ** (1 + step / 12)) for step in range(49))
# Curves for these epsilons are drawn next to the question's own.
CURVE_EPSILONS = (0.5, 1.0, 2.0, 4.0)
EPSILONS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
# Few values, because each is the optimum of a linear programme, which is slow.
EPSILONS_OF_MEANS = (0.5, 1.0, 2.0, 4.0, 6.0)


@dataclass(frozen=True)
class PlannedEpsilon:
    """An epsilon (infinite for a direct question), and whether it is the question's own."""

    epsilon: float
    as_set: bool

    @property
    def name(self) -> str:
        """The name in a chart's legend."""
        if self.as_set:
            epsilon = translate_number(epsilon_text(self.epsilon))
            return translate("current setting, ε = %(epsilon)s", epsilon=epsilon)
        if math.isinf(self.epsilon):
            return translate("asked directly")
        return translate_number(f"ε = {self.epsilon:g}")


@dataclass(frozen=True)
class MarginCurve(PlannedEpsilon):
    """The margins at one epsilon."""

    precision: ExpectedPrecision

    def margin(self, n: int) -> float:
        """The margin at n respondents, as a part of the range."""
        return self.precision.margin(n) / self.precision.width


@dataclass(frozen=True)
class DenialCurve(PlannedEpsilon):
    """Numbers of respondents, each with the denial from which randomising pays.

    Numbers at which it never pays are left out.
    """

    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class MarginAtEpsilon(PlannedEpsilon):
    """The margin at one epsilon, as a part of the range."""

    margin: float


def against_respondents(
    question: Question, survey: Survey, share: float | None = None
) -> tuple[MarginCurve, ...]:
    """Curves of the margin: at the question's own epsilon, at others, and for a direct question."""
    own, now = precisions(question, share, survey)[0], planned_epsilon(question, survey)
    lines = [MarginCurve(now, True, own)]
    for epsilon in CURVE_EPSILONS:
        # Closer curves would be indistinguishable.
        if abs(epsilon - now) > 0.15:
            lines.append(
                MarginCurve(epsilon, False, precision_at(question, epsilon, share, survey))
            )
    lines.sort(key=lambda each: each.epsilon)
    return (*lines, MarginCurve(math.inf, False, asked_openly(own)))


def against_epsilon(
    question: Question, survey: Survey, n: int, share: float | None = None
) -> tuple[MarginAtEpsilon, ...]:
    """The margin at n respondents for several epsilons and its own, sorted by epsilon."""
    own, now = precisions(question, share, survey)[0], planned_epsilon(question, survey)
    trades = []
    if math.isfinite(now):
        trades.append(MarginAtEpsilon(now, True, own.margin(n) / own.width))
    for epsilon in EPSILONS_OF_MEANS if for_mean_alone(question) else EPSILONS:
        other = precision_at(question, epsilon, share, survey)
        trades.append(MarginAtEpsilon(epsilon, False, other.margin(n) / other.width))
    return tuple(sorted(trades, key=lambda trade: trade.epsilon))


def precision_at(
    question: Question, epsilon: float, share: float | None, survey: Survey
) -> ExpectedPrecision:
    """The first estimate of the question, with the most accurate mechanism at another epsilon."""
    return precisions(question_at(question, epsilon, survey), share, survey)[0]


def question_at(question: Question, epsilon: float, survey: Survey) -> Question:
    """The question with the most accurate mechanism at another epsilon.

    For a question behind a joint question, this is the epsilon of the joint question.
    """
    if behind := joint_behind(question, survey):
        joint, place = behind
        return item_question(question_at(joint, epsilon, survey), question, place)
    goal = "mean" if for_mean_alone(question) else None
    if question.mechanism == "optimal_quantiles":
        goal = "quantiles"
    return replace(
        question,
        randomizer=randomizer_at(
            question.type,
            len(question.choices),
            question.grid,
            len(question.special_answers),
            goal,
            epsilon,
        ),
        privacy={"epsilon": epsilon} | ({"goal": goal} if goal else {}),
    )


def against_denial(
    question: Question, survey: Survey, share: float | None = None
) -> tuple[DenialCurve, ...]:
    """Curves of the denial from which randomising pays, at the question's own epsilon and others.

    It is empty if nothing can be said about the question (`survey.planning.denial.break_even`).
    """
    if break_even(question, survey, DENIAL_SIZES[0], share) is None:
        return ()
    now = planned_epsilon(question, survey)
    epsilons = [(now, True, question)]
    for epsilon in CURVE_EPSILONS:
        if abs(epsilon - now) > 0.15:
            epsilons.append((epsilon, False, question_at(question, epsilon, survey)))
    curves = []
    for epsilon, as_set, other in sorted(epsilons, key=lambda each: each[0]):
        points = ((n, break_even(other, survey, n, share)) for n in DENIAL_SIZES)
        curves.append(
            DenialCurve(
                epsilon,
                as_set,
                tuple((n, at.denied) for n, at in points if at and at.denied is not None),
            )
        )
    return tuple(curves)


def for_mean_alone(question: Question) -> bool:
    """Whether its mechanism determines, or was chosen for, only the mean."""
    if (question.privacy or {}).get("goal") == "mean":
        return True
    return PLANNING[question].is_for_mean_alone()


# The optimum for a mean takes a tenth of a second.
@lru_cache(maxsize=512)
def randomizer_at(
    kind: str,
    answers: int,
    grid: Grid | None,
    special_answers: int,
    goal: str | None,
    epsilon: float,
) -> LocalRandomizer:
    """The most accurate randomizer for a kind of question and an epsilon."""
    privacy = {"epsilon": epsilon} | ({"goal": goal} if goal else {})
    return randomizer_of(privacy, kind, answers, grid, special_answers, "privacy", KnownTables())
