"""Sample size: the number of respondents, the precision, and the cost of privacy.

The planner's page, the command `survey plan`, the builder and the checklist show these results.
"""

import math
from dataclasses import dataclass, replace

from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.planning.power import groups_counted, respondents_by_formula, respondents_counted
from survey.planning.precision import (
    MEDIAN,
    SHARE,
    ExpectedPrecision,
    answered_precision,
    coin_variance,
    planned_epsilon,
    planned_precisions,
    precisions,
)

MAX_RESPONDENTS = 10_000_000
# For larger samples, the exact calculation takes seconds, and changes the number by a few
# respondents, unless the known share is close to 0 or 1.
MAX_COUNTED_REPORTS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class PlanParameters:
    """What a researcher assumes and wants. Shares and margins are from 0 to 1.

    Attributes
    ----------
    n : target sample size
    margin : half the width of a 95 % interval, as a part of the range: 0.05 is 5 percentage points,
        and for a mean 5 % of its range
    share : assumed true share; None for the least favourable
    null, truth : two shares to distinguish; for a mean, places on its range
    alpha : the probability that a test rejects a true null hypothesis
    power : the probability that it finds an existing difference
    asked : assumed share of respondents who are asked a question with a condition; None if unknown
    """

    n: int = 500
    margin: float = 0.05
    share: float | None = None
    null: float = 0.1
    truth: float = 0.2
    alpha: float = 0.05
    power: float = 0.8
    asked: float | None = None


@dataclass(frozen=True, kw_only=True)
class PlannedFigure:
    """One planned estimate of one question.

    It has the margin in its unit at n respondents, and the respondents needed for the desired
    margin. Each has its counterpart for a direct question. `epsilon` is that of the report, which a
    joint question shares among the questions behind it.
    """

    question: Question
    epsilon: float
    precision: ExpectedPrecision
    margin: float
    margin_openly: float
    respondents: int
    respondents_openly: int

    @property
    def unreachable(self) -> bool:
        """Whether even the answers of the whole population have a larger margin than desired."""
        size = self.precision.results_about
        return isinstance(size, int) and self.respondents > size

    @property
    def tells_nothing(self) -> bool:
        """Whether the interval would cover the whole range."""
        return self.margin >= self.precision.width / 2

    @property
    def relative_margin(self) -> float:
        """The margin as a part of the range."""
        return self.margin / self.precision.width

    @property
    def relative_margin_openly(self) -> float:
        """The margin of a direct question as a part of the range."""
        return self.margin_openly / self.precision.width


@dataclass(frozen=True)
class RequiredRespondents:
    """The number of respondents for a test.

    Attributes
    ----------
    by_formula : by the normal formula of the literature
    surely : the number from which the power is never below the target
    counted : whether `surely` is exact; if not, it is from the normal formula, for two groups with
        a pooled variance
    """

    by_formula: int
    surely: int
    counted: bool


@dataclass(frozen=True, kw_only=True)
class ComparisonPlan:
    """The respondents needed to distinguish a share from a known value, or two groups (in each).

    `special_answers` is whether the question has any, which comparisons of groups leave out.
    """

    kind: str
    special_answers: bool
    value: RequiredRespondents
    value_openly: RequiredRespondents
    groups: RequiredRespondents
    groups_openly: RequiredRespondents


def expected_margin(
    question: Question, n: int, share: float | None = None, survey: Survey | None = None
) -> float:
    """Half the width of the expected 95 % interval, as a part of the range.

    Parameters
    ----------
    question : any but a text or a note
    n : int, at least 1
        The number of respondents. If each respondent reports on a random sample of questions, pass
        the survey; only reports on this question count then.
    share : float in [0, 1], optional
        Assumed true share; by default the least favourable distribution.

    Returns
    -------
    float, at most 0.5
        For the least precise answer: 0.05 is 5 percentage points. For a number, and where reports
        determine only the mean, it is that of the mean: 0.05 is 5 % of the range.

    Raises UnanswerableQuestion for texts and notes.
    """
    first = precisions(question, share, survey)[0]
    return first.margin(n) / first.width


def respondents_for(
    question: Question, margin: float, share: float | None = None, survey: Survey | None = None
) -> int:
    """The number of respondents for this margin: the inverse of `expected_margin`, rounded up.

    `margin` is above 0. Raises UnanswerableQuestion for texts and notes.
    """
    first = precisions(question, share, survey)[0]
    return first.respondents(margin * first.width)


def plan_figures(survey: Survey, wishes: PlanParameters) -> tuple[PlannedFigure, ...]:
    """The estimates that each private question, and each behind a joint one, is for."""
    rows = []
    for question, each in planned_precisions(survey, wishes.share):
        margin = wishes.margin * each.width
        openly = asked_openly(each)
        rows.append(
            PlannedFigure(
                question=question,
                epsilon=planned_epsilon(question, survey),
                precision=each,
                margin=each.margin(wishes.n),
                margin_openly=openly.margin(wishes.n),
                respondents=each.respondents(margin),
                respondents_openly=openly.respondents(margin),
            )
        )
    return tuple(rows)


def comparison(question: Question, survey: Survey, wishes: PlanParameters) -> ComparisonPlan:
    """The number of respondents that distinguishes the two shares in the parameters.

    The test has the power in the parameters. Raises UnanswerableQuestion for texts and notes.
    """
    null, truth, tested = (
        # Pages compare means of groups, and no medians.
        next(each for each in precisions(question, at, survey, at, value) if each.kind != MEDIAN)
        for at, value in (
            (wishes.null, wishes.null),
            (wishes.truth, wishes.truth),
            (wishes.truth, wishes.null),
        )
    )
    # All must refer to the same answer.
    if null.coin is not None:
        truth = replace(truth, coin=null.coin, variance=coin_variance(*null.coin, wishes.truth))
        tested = truth
    open_null, open_truth = asked_openly(null), asked_openly(truth)
    return ComparisonPlan(
        kind=null.kind,
        special_answers=bool(question.special_answers),
        value=from_value(null, tested, wishes),
        value_openly=from_value(open_null, open_truth, wishes),
        groups=between_groups(
            answered_precision(question, null, wishes.null),
            answered_precision(question, truth, wishes.truth),
            wishes,
        ),
        groups_openly=between_groups(open_null, open_truth, wishes),
    )


def asked_openly(precision: ExpectedPrecision) -> ExpectedPrecision:
    """The same estimate for a direct question, which everyone in the same arms answers."""
    coin = (1.0, 0.0) if precision.kind == SHARE else None
    reported = precision.in_arms
    return replace(precision, variance=precision.direct, reported=reported, coin=coin, noise=0.0)


def seen_chances(
    precision: ExpectedPrecision, wishes: PlanParameters
) -> tuple[float, float] | None:
    """The probabilities of a report that supports the answer, at both shares."""
    if precision.coin is None:
        return None
    p, q = precision.coin
    return q + (p - q) * wishes.null, q + (p - q) * wishes.truth


def from_value(
    null: ExpectedPrecision, truth: ExpectedPrecision, wishes: PlanParameters
) -> RequiredRespondents:
    """The respondents for a two-sided test of a true share against a known one."""
    gap, chances = (wishes.truth - wishes.null) * null.width, seen_chances(null, wishes)
    formula = respondents_by_formula(gap, null.variance, truth.variance, wishes.alpha, wishes.power)
    if chances is None or null.coin is None:
        # The interval of the results has the standard error of the true distribution.
        surely = respondents_by_formula(
            gap, truth.variance, truth.variance, wishes.alpha, wishes.power
        )
        return of_reports(formula, surely, False, null.reported)
    if formula > MAX_COUNTED_REPORTS:
        return of_reports(formula, formula, False, null.reported)
    ends = min(null.coin), max(null.coin)
    surely = respondents_counted(*chances, wishes.alpha, wishes.power, ends)
    return of_reports(formula, surely, True, null.reported)


def between_groups(
    first: ExpectedPrecision, second: ExpectedPrecision, wishes: PlanParameters
) -> RequiredRespondents:
    """The respondents in each of two groups for a test of their difference.

    In the formula, the null hypothesis is that both groups are like the first. The exact
    calculation uses the test with a pooled variance.
    """
    gap, chances = (wishes.truth - wishes.null) * first.width, seen_chances(first, wishes)
    spread = first.variance + second.variance
    formula = respondents_by_formula(gap, 2 * first.variance, spread, wishes.alpha, wishes.power)
    if chances is not None and first.coin is not None:
        counted = groups_counted(*chances, wishes.alpha, wishes.power)
        if counted is not None:
            return of_reports(formula, counted, True, first.reported)
        spread_of_both = 2 * coin_variance(*first.coin, (wishes.null + wishes.truth) / 2)
    else:
        spread_of_both = spread
    surely = respondents_by_formula(gap, spread_of_both, spread, wishes.alpha, wishes.power)
    return of_reports(formula, surely, False, first.reported)


def of_reports(formula: int, surely: int, counted: bool, reported: float) -> RequiredRespondents:
    """Convert numbers of reports to respondents, some of whom do not report on the question."""
    by_formula, surely = (math.ceil(reports / reported - 1e-9) for reports in (formula, surely))
    return RequiredRespondents(by_formula, surely, counted)
