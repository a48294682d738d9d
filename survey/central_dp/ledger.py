"""What a survey may spend, what it has spent, and whether a request still fits.

Losses are exact decimals, so that a budget can be used up to the last digit and never beyond.
They add up (Dwork and Roth 2014, chapter 3). Releases about groups that cannot overlap, the
answers to one plain question, are different: a respondent is in one of them, so only the group on
which most was spent counts (parallel composition, McSherry 2009).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from survey.central_dp.dp_request import MAX_RELEASE_DELTA, Request, parse_loss
from survey.core.errors import OverBudget, ReleaseError
from survey.core.number_grid import decimal_text

MAX_BUDGET_EPSILON = Fraction(1000)
Loss = tuple[Fraction, Fraction]  # epsilon, delta
ZERO_LOSS: Loss = (Fraction(0), Fraction(0))


@dataclass(frozen=True)
class CentralDPBudget:
    """The most that a survey's releases may add up to; `public` says whether everyone sees them."""

    epsilon: Fraction
    delta: Fraction
    public: bool = False


@dataclass(frozen=True)
class Release:
    """A statistic that was released.

    Attributes
    ----------
    number : its place in the ledger
    n : how many responses there were
    drawn : for each part what came of it (survey/central_dp/figures.py)
    day : in UTC, such as 2026-11-21; no moment is kept
    """

    number: int
    request: Request
    n: int
    drawn: tuple[tuple[int, ...], ...]
    day: str


def spent(requests: Iterable[Request]) -> Loss:
    """What these releases add up to for the respondent who loses most."""
    everyone, groups = ZERO_LOSS, dict[str, dict[str, Loss]]()
    for request in requests:
        if not request.group:
            everyone = plus(everyone, request.loss)
            continue
        members = groups.setdefault(request.group, {})
        members[request.member] = plus(members.get(request.member, ZERO_LOSS), request.loss)
    for members in groups.values():
        # each of the two by itself: at least as much as any one member's pair
        worst = (
            max(epsilon for epsilon, _ in members.values()),
            max(delta for _, delta in members.values()),
        )
        everyone = plus(everyone, worst)
    return everyone


def plus(one: Loss, other: Loss) -> Loss:
    return one[0] + other[0], one[1] + other[1]


def cost(request: Request, before: Sequence[Request]) -> Loss:
    """How much more is spent with it; nothing where another group had as much already."""
    now, then = spent(before), spent([*before, request])
    return then[0] - now[0], then[1] - now[1]


def left(budget: CentralDPBudget, requests: Iterable[Request]) -> Loss:
    epsilon, delta = spent(requests)
    return budget.epsilon - epsilon, budget.delta - delta


def require_within_budget(
    budget: CentralDPBudget | None, request: Request, before: Sequence[Request]
) -> None:
    """Raises OverBudget unless the request fits beside those before it."""
    if budget is None:
        raise OverBudget("epsilon", "This survey has no budget for releases yet. Set one first.")
    remaining, more = left(budget, before), cost(request, before)
    for name, has, needs in zip(("epsilon", "delta"), remaining, more, strict=True):
        if needs > has:
            raise OverBudget(
                name,
                f"That costs {name} {decimal_text(needs)}, and {decimal_text(has)} of the budget "
                "is left. Nothing was released.",
            )


def read_budget(epsilon: str, delta: str) -> CentralDPBudget:
    """Raises ReleaseError with the field at fault."""
    most = Fraction(parse_loss(epsilon.strip(), "epsilon", Fraction(0), MAX_BUDGET_EPSILON))
    if not most:
        raise ReleaseError("epsilon", "With epsilon 0 nothing could be released: type more than 0.")
    most_delta = parse_loss(delta.strip(), "delta", Fraction(0), MAX_RELEASE_DELTA)
    return CentralDPBudget(most, Fraction(most_delta))


def check_change(
    old: CentralDPBudget | None, new: CentralDPBudget, requests: Sequence[Request]
) -> None:
    """A budget is a promise: once something was released it can only be lowered, and not below
    what is spent. Raises ReleaseError."""
    epsilon, delta = spent(requests)
    for name, before, now, used in (
        ("epsilon", None if old is None else old.epsilon, new.epsilon, epsilon),
        ("delta", None if old is None else old.delta, new.delta, delta),
    ):
        if now < used:
            raise ReleaseError(name, f"{decimal_text(used)} of it is spent already.")
        if requests and before is not None and now > before:
            raise ReleaseError(
                name,
                f"It was {decimal_text(before)} when something was released, and can only be "
                "lowered since.",
            )
