"""Releases a statistic: looked up, or drawn and spent. Whatever is shown was committed before.

The argument. What is drawn leaves this module only as the store returns it, which it does after
the spend is on the disk; a server that dies before has shown nothing, one that dies after has it
in the ledger. Two who ask for the same at once both get what was stored first. A draw that the
budget refuses is forgotten, and the refusal depends on the budget alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec

from survey.central_dp.accuracy import accuracy_of
from survey.central_dp.bounded_sums import answers_of
from survey.central_dp.chart import Picture, picture_of
from survey.central_dp.dp_request import SELECTED, TREE, Request
from survey.central_dp.figures import Figure, figures_of
from survey.central_dp.ledger import Loss, Release, check, cost
from survey.central_dp.noisy_sums import noises_of
from survey.central_dp.selection import selection_of
from survey.central_dp.tree import table_of, tree_of
from survey.core.errors import EngineMissing, StateError
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey
from survey.store import StoredSurvey
from survey.web.extensions import store

ENGINE_MISSING = (
    "The engine of central DP releases (OpenDP, about 270 MB) is not installed on this server. "
    "Run `make central-dp` there, then try again. What was released before stays readable."
)


@dataclass(frozen=True)
class Preview:
    """What a release would cost and how exact it would be; `before` is one that is there."""

    request: Request
    cost: Loss
    accuracy: list[str]
    before: Release | None


def has_engine() -> bool:
    """Whether releases can be drawn here; looks for OpenDP without loading it."""
    return find_spec("opendp") is not None


def require_engine() -> None:
    """Raises EngineMissing, which says how to install it."""
    if not has_engine():
        raise EngineMissing(ENGINE_MISSING)


def ready(slug: str) -> StoredSurvey:
    """A survey whose figures can be released; raises StateError for others."""
    found = store().survey(slug)
    if found.state != "closed":
        raise StateError(
            f"Survey {slug!r} is {'a draft' if found.frozen is None else 'open'}; figures are "
            "released when its fieldwork is over."
        )
    return found


def preview(slug: str, request: Request) -> Preview:
    """Raises OverBudget where it does not fit."""
    found = ready(slug)
    before = store().find_release(slug, request)
    requests = [each.request for each in store().releases(slug)]
    if before is None:
        check(store().release_budget(slug), request, requests)
    n = store().released_and_waiting(slug)[0]
    about = accuracy_of(found.survey, request, n if before is None else before.n)
    return Preview(request, cost(request, requests), about, before)


def release(slug: str, request: Request, day: date) -> Release:
    """Raises OverBudget, with what is left; StateError for a survey that is not closed;
    EngineMissing where nothing can be drawn."""
    found = ready(slug)
    before = store().find_release(slug, request)
    if before is not None:
        return before
    require_engine()
    # refused here, nothing is drawn; the store looks again when it spends
    check(store().release_budget(slug), request, [each.request for each in store().releases(slug)])
    n, drawn = draw(found.survey, request)
    return store().add_release(slug, request, n, drawn, day)


def draw(survey: Survey, request: Request) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """How many responses there are, and what came of each part; not to be shown before it is
    spent."""
    # OpenDP is an extra, which `release` has looked for
    from survey.central_dp.opendp_sampler import draw_selection, draw_sums, draw_tree

    n = 0

    def counted() -> Iterator[tuple[Stored | None, ...]]:
        nonlocal n
        for row in store().responses(survey.slug):
            n += 1
            yield row

    if request.statistic == TREE:
        table = table_of(survey, request, counted())
        return n, draw_tree(request, tree_of(survey, request), table)
    answers = answers_of(survey, request, counted())
    if request.statistic in SELECTED:
        selection = selection_of(survey, request)
        return n, draw_selection(request, selection, selection.scores(answers))
    noises = noises_of(survey, request, n)
    return n, draw_sums(request, noises, [each.part.sum_of(answers) for each in noises])


def shown(survey: Survey, release: Release) -> list[Figure]:
    return figures_of(survey, release.request, release.n, release.drawn)


def pictured(survey: Survey, release: Release) -> tuple[list[Figure], Picture | None]:
    figures = shown(survey, release)
    return figures, picture_of(survey, release, figures)
