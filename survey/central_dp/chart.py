"""What is drawn of a release; `survey/web/charts/` computes places.

All figures of a release share an axis. It is made of what is public and of what was drawn, so a
picture tells nothing that the figures do not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from survey.central_dp.bounded_sums import count_is_known, curve_bounds
from survey.central_dp.dp_request import ORDERED, Request, Statistic, question_of, request_bounds
from survey.central_dp.figures import DPFigure
from survey.central_dp.ledger import Release
from survey.central_dp.selection import selection_of
from survey.central_dp.tree import DPTree, tree_of
from survey.definition.survey import Survey

# each figure on a line of its own; bars beside one another; a line through them
LINES, COLUMNS, CURVED, BRANCHES = "lines", "columns", "curved", "branches"


@dataclass(frozen=True)
class Branch:
    """A node of a tree: the answer that leads to it, the question that it asks, and what follows;
    a leaf asks none, and has figures."""

    answer: str
    asked: str = ""
    branches: list["Branch"] = field(default_factory=list)
    leaf: list[tuple[str, DPFigure]] = field(default_factory=list)


@dataclass(frozen=True)
class Picture:
    """What is drawn of a release.

    Attributes
    ----------
    kind : LINES, COLUMNS, CURVED, BRANCHES
    low, high : the values at the ends of the axis
    figures : those that are drawn
    beyond : whether any figure lies beyond what is possible, which noise alone can do
    filled : whether figures are counts, drawn as bars from 0 on
    first, last : the bounds that were asked for, which are the ends of the other axis
    bounds : of a curve, where each lies on the other axis, in percent of it
    rank : of a selected number, where it may lie among the answers, in percent from the least to
        the largest; None where how many there are is not public
    root : of a tree
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
    """The picture of a release; None of the most frequent answer, which has no axis.

    Parameters
    ----------
    figures : those of survey/central_dp/figures.py, in the language of the survey
    """
    request, n = release.request, release.n
    if request.statistic == Statistic.MODE:
        return None
    low, high = axis_of(survey, request, n, figures)
    high = high if high > low else low + 1
    counts = request.statistic in (Statistic.COUNT, Statistic.HISTOGRAM, Statistic.TREE)
    least, most = (0.0, float(n)) if counts else (low, high)
    beyond = any(not least <= each.value <= most for each in figures)
    picture = Picture(LINES, low, high, figures, beyond, filled=counts)
    question = question_of(survey, request.question)
    if request.statistic == Statistic.TREE:
        branches = grown(tree_of(survey, request), release, iter(figures))
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
    """Its ends: what is possible where that is known, else as far as the ranges reach."""
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
    """Where what is selected may lie among n answers, in percent of them."""
    if not count_is_known(survey, request) or n == 0:
        return None
    selection = selection_of(survey, request)
    ends = {Statistic.MINIMUM.value: 0, Statistic.MAXIMUM.value: 100}
    middle = ends.get(request.statistic, selection.percent)
    off = 100 * selection.off_by / n
    return DPFigure("", middle, max(0.0, middle - off), min(100.0, middle + off))


def grown(tree: DPTree, release: Release, figures: Iterator[DPFigure]) -> Branch:
    """The tree from its nodes, each before its branches, and the figures of its leaves."""
    nodes = iter(release.drawn)

    def below(answer: str, depth: int) -> Branch:
        node = next(nodes)
        if depth == tree.depth:
            leaf = [(each.label, next(figures)) for each in tree.question.answers]
            return Branch(answer, leaf=leaf)
        asked = tree.by[node[0]]
        return Branch(answer, asked.label, [below(one.label, depth + 1) for one in asked.answers])

    return below("", 0)
