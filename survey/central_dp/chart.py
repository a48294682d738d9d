"""The charts of releases, as data. `survey/charts/` computes positions.

All figures of a release share an axis. It depends only on public values and on the release, so a
chart reveals nothing beyond the figures.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from survey.central_dp.bounded_sums import count_is_known, curve_bounds
from survey.central_dp.budget import Release
from survey.central_dp.dp_request import ORDERED, Request, Statistic, question_of, request_bounds
from survey.central_dp.figures import DPFigure
from survey.central_dp.selection import selection_of
from survey.central_dp.tree import DPSplit, DPTree, tree_of
from survey.definition.survey import Survey

# Each figure on its own line; adjacent bars; a line through the figures; a tree.
LINES = "lines"
COLUMNS = "columns"
CURVED = "curved"
BRANCHES = "branches"


@dataclass(frozen=True)
class Branch:
    """A node of a tree: the answer that leads to it, its question, and its branches.

    A leaf has figures in place of a question.
    """

    answer: str
    asked: str = ""
    branches: list["Branch"] = field(default_factory=list)
    leaf: list[tuple[str, DPFigure]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The chart of a release.

    Attributes
    ----------
    kind : LINES, COLUMNS, CURVED, BRANCHES
    low, high : the values at the ends of the axis
    figures : the figures in the chart
    beyond : whether a figure is outside of the possible range, which only noise can cause
    filled : whether figures are counts, drawn as bars that begin at 0
    first, last : the requested bounds, which are the ends of the other axis
    bounds : for a curve, the position of each bound on the other axis, in percent
    rank : for a selected number, its possible position among the answers, in percent from the
        smallest to the largest; None if the number of answers is not public
    root : for a tree, its first node
    """

    kind: str
    low: float
    high: float
    figures: Sequence[DPFigure]
    beyond: bool
    filled: bool = False
    first: str = ""
    last: str = ""
    bounds: Sequence[float] = ()
    rank: DPFigure | None = None
    root: Branch | None = None


def picture_of(survey: Survey, release: Release, figures: Sequence[DPFigure]) -> Picture | None:
    """The chart of a release; None for the most frequent answer, which has no axis.

    Parameters
    ----------
    figures : the figures of survey/central_dp/figures.py, in the language of the survey
    """
    request, n = release.request, release.n
    if request.statistic == Statistic.MODE:
        return None
    low, high = axis_of(survey, request, n, figures)
    high = high if high > low else low + 1
    counts = request.statistic in (Statistic.COUNT, Statistic.HISTOGRAM, Statistic.TREE)
    least, most = (0.0, float(n)) if counts else (low, high)
    beyond = any(not least <= each.value <= most for each in figures)
    picture = Picture(kind=LINES, low=low, high=high, figures=figures, beyond=beyond, filled=counts)
    question = question_of(survey, request.question)
    if request.statistic == Statistic.TREE:
        branches = branches_of_release(tree_of(survey, request, n), release, iter(figures))
        return replace(picture, kind=BRANCHES, root=branches)
    if request.statistic in ORDERED:
        return replace(picture, rank=rank_of(survey, request, n))
    picture = replace(picture, first=request.low, last=request.high)
    if request.statistic == Statistic.HISTOGRAM and request.bins:
        return replace(picture, kind=COLUMNS, figures=figures[: request.bins])
    if request.statistic == Statistic.CURVE:
        first, last = request_bounds(question, request)
        bounds = [100 * (at - first) / (last - first) for at in curve_bounds(first, last)]
        return replace(picture, kind=CURVED, bounds=bounds)
    return picture


def axis_of(
    survey: Survey, request: Request, n: int, figures: Sequence[DPFigure]
) -> tuple[float, float]:
    """The ends of the axis: the possible range if it is known, else the range of the intervals."""
    question = question_of(survey, request.question)
    reached = [0.0, *(end for each in figures for end in each.ends)]
    if request.statistic == Statistic.COUNT:
        return 0.0, max(float(n), *reached)
    if request.statistic in (Statistic.HISTOGRAM, Statistic.TREE):
        return 0.0, max(1.0, *reached)
    if request.statistic in (Statistic.SUM, Statistic.CURVE):
        return min(reached), max(reached)
    if question.grid is None:
        return 1.0, float(len(question.choices))
    low, high = (float(question.grid.value(at)) for at in request_bounds(question, request))
    return (0.0, (high - low) ** 2 / 4) if request.statistic == Statistic.VARIANCE else (low, high)


def rank_of(survey: Survey, request: Request, n: int) -> DPFigure | None:
    """The possible position of the selected value among n answers, in percent."""
    if not count_is_known(survey, request) or n == 0:
        return None
    selection = selection_of(survey, request)
    ends = {Statistic.MINIMUM.value: 0, Statistic.MAXIMUM.value: 100}
    middle = ends.get(request.statistic, selection.percent)
    off = 100 * selection.off_by / n
    return DPFigure(
        label="", value=middle, low=max(0.0, middle - off), high=min(100.0, middle + off)
    )


def branches_of_release(tree: DPTree, release: Release, figures: Iterator[DPFigure]) -> Branch:
    """The tree, from its nodes in depth-first order and the figures of its leaves."""
    nodes = iter(release.drawn)

    def below(answer: str, way: list[tuple[DPSplit, int]]) -> Branch:
        node = tuple(next(nodes))
        split = tree.drawn_split(node, way)
        if split is None:
            leaf = [(each.label, next(figures)) for each in tree.question.answers]
            return Branch(answer, leaf=leaf)
        branches = [
            below(label, [*way, (split, branch)])
            for branch, label in enumerate(tree.branch_labels(split))
        ]
        return Branch(answer, tree.by[split.place].label, branches)

    return below("", [])
