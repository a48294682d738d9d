"""Make a central DP release: find it in the ledger, or draw it and charge the budget.

The argument. A drawn value leaves this module only as the store returns it, after the charge is on
disk. If the server stops before, it has shown nothing; if it stops after, the release is in the
ledger. If two people request the same release at the same time, both get the one stored first. If
the budget refuses a draw, the value is discarded, and the refusal depends only on the budget.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from survey.central_dp.accuracy import accuracy_of
from survey.central_dp.bounded_sums import count_answers
from survey.central_dp.budget import Loss, Release, RunningLoss, require_within_budget
from survey.central_dp.chart import Picture, picture_of
from survey.central_dp.dp_request import SELECTED, Request, Statistic
from survey.central_dp.figure_noise import FigureNoise, common_noise
from survey.central_dp.figures import DPFigure, dp_figures
from survey.central_dp.noisy_sums import noises_of
from survey.central_dp.selection import selection_of
from survey.central_dp.tree import answer_combination_counts, tree_of
from survey.core.errors import MissingExtra
from survey.core.extras import has_extra, install_command
from survey.core.translate import later, translate
from survey.definition.report_formats import Stored
from survey.definition.survey import Survey
from survey.store import StoredSurvey
from survey.store.stored import not_closed
from survey.web.extensions import store

ENGINE_MISSING = later(
    "Central DP releases need OpenDP (about 270 MB), which is not installed on this server. "
    "Run `%(command)s` there, then try again. You can still read earlier releases."
)


@dataclass(frozen=True, kw_only=True)
class ReleasePreview:
    """The cost and accuracy of a release. `before` is the same release, if it exists."""

    request: Request
    cost: Loss
    accuracy: list[str]
    noise: FigureNoise | None
    before: Release | None


def has_engine() -> bool:
    """Whether OpenDP is installed. It is not loaded."""
    return has_extra("central-dp")


def engine_fault() -> str:
    """The sentence that explains how to install OpenDP, or "" if it is installed."""
    if has_engine():
        return ""
    return translate(ENGINE_MISSING, command=install_command("central-dp"))


def require_engine() -> None:
    """Raises MissingExtra, which explains how to install OpenDP."""
    if fault := engine_fault():
        raise MissingExtra(fault)


def ready(slug: str) -> StoredSurvey:
    """The survey, if it is closed. Raises StateError."""
    stored = store().surveys.by_slug(slug)
    if stored.state != "closed":
        raise not_closed(slug, stored.state)
    return stored


def preview_release(slug: str, request: Request) -> ReleasePreview:
    """The cost and accuracy of a release. Raises OverBudget if it does not fit the budget."""
    stored = ready(slug)
    before = store().releases.find_release(slug, request)
    spent = RunningLoss(store().releases.requests(slug))
    if before is None:
        require_within_budget(store().releases.budget(slug), request, spent)
    n = store().counts.published_and_waiting(slug)[0]
    n = n if before is None else before.n
    return ReleasePreview(
        request=request,
        cost=spent.cost(request),
        accuracy=accuracy_of(stored.survey, request, n),
        noise=common_noise(stored.survey, request, n),
        before=before,
    )


def release_statistic(slug: str, request: Request, day: date) -> Release:
    """Return the release, and draw it if it does not exist.

    Raises OverBudget with the remaining budget, StateError for a survey that is not closed, and
    MissingExtra without OpenDP.
    """
    stored = ready(slug)
    before = store().releases.find_release(slug, request)
    if before is not None:
        return before
    require_engine()
    # If the budget refuses here, nothing is drawn. The store checks again when it charges it.
    releases = store().releases
    spent = RunningLoss(releases.requests(slug))
    require_within_budget(releases.budget(slug), request, spent)
    n, drawn = draw_release(stored.survey, request)
    return releases.add_release(slug, request, n, drawn, day)


def draw_release(survey: Survey, request: Request) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """The number of responses, and the drawn values of each part. Do not show them before they are
    charged to the budget."""
    # OpenDP is optional. `release_statistic` has checked that it is installed.
    from survey.central_dp.opendp_sampler import draw_selection, draw_sums, draw_tree

    n = 0

    def counted() -> Iterator[tuple[Stored | None, ...]]:
        nonlocal n
        for row in store().responses.rows(survey.slug):
            n += 1
            yield row

    if request.statistic == Statistic.TREE:
        table = answer_combination_counts(survey, request, counted())
        return n, draw_tree(request, tree_of(survey, request, n), table)
    answers = count_answers(survey, request, counted())
    if request.statistic in SELECTED:
        selection = selection_of(survey, request)
        return n, draw_selection(request, selection, selection.scores(answers))
    noises = noises_of(survey, request, n)
    return n, draw_sums(request, noises, [each.part.sum_of(answers) for each in noises])


def release_figures(survey: Survey, release: Release) -> list[DPFigure]:
    return dp_figures(survey, release.request, release.n, release.drawn)


def figures_and_picture(survey: Survey, release: Release) -> tuple[list[DPFigure], Picture | None]:
    figures = release_figures(survey, release)
    return figures, picture_of(survey, release, figures)
