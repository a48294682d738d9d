"""The privacy budget of a survey: what it may spend, what is spent, and whether a request fits.

Losses are exact decimals, so a budget can be used up to the last digit, and never exceeded. Losses
add up (Dwork and Roth 2014, chapter 3). Releases about disjoint groups, the answers to one
non-private question, are different. A respondent is in one group only, so only the group with the
largest loss counts (parallel composition, McSherry 2009).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from survey.central_dp.dp_request import LOSS_LETTERS, MAX_RELEASE_DELTA, Request, parse_loss
from survey.core.errors import OverBudget, ReleaseError
from survey.core.number_grid import decimal_text
from survey.core.translate import translate_number

MAX_BUDGET_EPSILON = Fraction(1000)
Loss = tuple[Fraction, Fraction]  # epsilon and delta
ZERO_LOSS: Loss = (Fraction(0), Fraction(0))


@dataclass(frozen=True)
class CentralDPBudget:
    """The maximum total loss of a survey's releases. `public` says whether everyone sees them."""

    epsilon: Fraction
    delta: Fraction
    public: bool = False


@dataclass(frozen=True, kw_only=True)
class Release:
    """A statistic that was released.

    Attributes
    ----------
    number : its number in the ledger
    n : the number of responses
    drawn : the drawn values of each part (survey/central_dp/figures.py)
    day : in UTC, such as 2026-11-21; no time is stored
    """

    number: int
    request: Request
    n: int
    drawn: tuple[tuple[int, ...], ...]
    day: str


def add_losses(one: Loss, other: Loss) -> Loss:
    """The sum of two losses, epsilon and delta each."""
    return one[0] + other[0], one[1] + other[1]


def loss_difference(one: Loss, other: Loss) -> Loss:
    return one[0] - other[0], one[1] - other[1]


class RunningLoss:
    """The total loss of releases that are added one after the other, each in the same time.

    Attributes
    ----------
    total : the loss of the respondent with the largest loss
    members : by group and member
    worst : by group. The maxima of both parts are taken separately, so that they are at least every
        member's pair.
    """

    def __init__(self, requests: Iterable[Request] = ()):
        self.total = ZERO_LOSS
        self.members: dict[tuple[str, str], Loss] = {}
        self.worst: dict[str, Loss] = {}
        for request in requests:
            self.add(request)

    def after(self, request: Request) -> tuple[Loss, Loss]:
        """The loss of the request's member after this request, and the worst of its group then."""
        own = self.members.get((request.group, request.member), ZERO_LOSS)
        epsilon, delta = add_losses(own, request.loss)
        worst = self.worst.get(request.group, ZERO_LOSS)
        return (epsilon, delta), (max(worst[0], epsilon), max(worst[1], delta))

    def cost(self, request: Request) -> Loss:
        """The additional loss of a request; 0 if another group has already spent as much."""
        if not request.group:
            return request.loss
        return loss_difference(self.after(request)[1], self.worst.get(request.group, ZERO_LOSS))

    def add(self, request: Request) -> None:
        self.total = add_losses(self.total, self.cost(request))
        if request.group:
            own, worst = self.after(request)
            self.members[request.group, request.member] = own
            self.worst[request.group] = worst


def total_loss(requests: Iterable[Request]) -> Loss:
    """The total loss of these releases for the respondent with the largest loss."""
    return RunningLoss(requests).total


def remaining_budget(budget: CentralDPBudget, requests: Iterable[Request]) -> Loss:
    """The loss that the budget still allows."""
    return loss_difference((budget.epsilon, budget.delta), total_loss(requests))


def require_within_budget(
    budget: CentralDPBudget | None, request: Request, before: RunningLoss
) -> None:
    """Raises OverBudget unless the request fits into the budget after those before."""
    if budget is None:
        raise OverBudget("epsilon", "This survey has no budget for DP releases yet. Set one first.")
    remaining = loss_difference((budget.epsilon, budget.delta), before.total)
    more = before.cost(request)
    for name, has, needs in zip(("epsilon", "delta"), remaining, more, strict=True):
        if needs > has:
            letter = LOSS_LETTERS[name]
            raise OverBudget(
                name,
                "This release costs %(letter)s = %(needed)s, but only %(letter)s = %(left)s of "
                "the budget is left. Nothing was released. Choose a smaller %(letter)s.",
                letter=letter,
                needed=translate_number(decimal_text(needs)),
                left=translate_number(decimal_text(has)),
            )


def parse_release_budget(epsilon: str, delta: str) -> CentralDPBudget:
    """The budget from typed text. Raises ReleaseError with the wrong field."""
    most = Fraction(parse_loss(epsilon.strip(), "epsilon", Fraction(0), MAX_BUDGET_EPSILON))
    if not most:
        raise ReleaseError(
            "epsilon", "With epsilon 0, Candor can release nothing. Type a value above 0."
        )
    most_delta = parse_loss(delta.strip(), "delta", Fraction(0), MAX_RELEASE_DELTA)
    return CentralDPBudget(most, Fraction(most_delta))


def check_change(
    old: CentralDPBudget | None, new: CentralDPBudget, requests: Sequence[Request]
) -> None:
    """Check a change of the budget. Raises ReleaseError.

    A budget is a promise: after the first release it can only be lowered, and not below the loss
    that is already spent.
    """
    epsilon, delta = total_loss(requests)
    for name, before, now, used in (
        ("epsilon", None if old is None else old.epsilon, new.epsilon, epsilon),
        ("delta", None if old is None else old.delta, new.delta, delta),
    ):
        if now < used:
            raise ReleaseError(
                name,
                "%(spent)s is already spent. Choose at least this value.",
                spent=translate_number(decimal_text(used)),
            )
        if requests and before is not None and now > before:
            raise ReleaseError(
                name,
                "The budget is %(budget)s now. After the first release, you can only lower it. "
                "Choose a smaller value.",
                budget=translate_number(decimal_text(before)),
            )
