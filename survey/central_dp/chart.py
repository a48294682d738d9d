"""Where the figures of a release lie in a picture of it; the templates draw.

Places are hundredths of an axis that all figures of a release share. It is made of what is public
and of what was drawn, so a picture tells nothing that the figures do not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from survey.central_dp.bounded_sums import count_is_known, curve_bounds
from survey.central_dp.dp_request import ORDERED, Request, Statistic, bound_places, question_of
from survey.central_dp.figures import DPFigure
from survey.central_dp.ledger import Release
from survey.central_dp.selection import selection_of
from survey.central_dp.tree import DPTree, tree_of
from survey.definition.questions import Question
from survey.definition.survey import Survey

# each figure on a line of its own; bars beside one another; a line through them
LINES, COLUMNS, CURVED, BRANCHES = "lines", "columns", "curved", "branches"


@dataclass(frozen=True)
class Mark:
    """A figure on the axis; what lies beyond an end is placed at it, and not `inside`.

    Attributes
    ----------
    at : from 0 to 100
    low, high : where its range begins and ends; None where what is known is no range
    across : of columns and curves: where the column, or the bound, lies on the other axis
    """

    at: float
    low: float | None = None
    high: float | None = None
    inside: bool = True
    across: float = 0

    @property
    def ends(self) -> tuple[float, float]:
        """Of its range; both where it is itself if there is none."""
        if self.low is None or self.high is None:
            return self.at, self.at
        return self.low, self.high


@dataclass(frozen=True)
class Branch:
    """A node of a tree: the answer that leads to it, the question that it asks, and what follows;
    a leaf asks none, and has figures."""

    answer: str
    asked: str = ""
    branches: list["Branch"] = field(default_factory=list)
    leaf: list[tuple[str, DPFigure, Mark]] = field(default_factory=list)


@dataclass(frozen=True)
class Picture:
    """What is drawn of a release.

    Attributes
    ----------
    kind : LINES, COLUMNS, CURVED, BRANCHES
    low, high : the values at the ends of the axis
    marks : of the figures that are drawn
    beyond : whether any figure lies beyond what is possible, which noise alone can do
    filled : whether figures are counts, drawn as bars from 0 on
    first, last : of columns and curves, the values at the ends of the other axis
    rank : of a selected number, where it may lie among the answers from the least to the largest;
        None where how many there are is not public
    root : of a tree
    """

    kind: str
    low: float
    high: float
    marks: list[Mark]
    beyond: bool
    filled: bool = False
    first: str = ""
    last: str = ""
    rank: Mark | None = None
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
    marks = [mark_of(each, low, high) for each in figures]
    counts = request.statistic in (Statistic.COUNT, Statistic.HISTOGRAM, Statistic.TREE)
    least, most = (0.0, float(n)) if counts else (low, high)
    beyond = any(not least <= each.value <= most for each in figures)
    picture = Picture(LINES, low, high, marks, beyond, filled=counts)
    grid = question_of(survey, request.question).grid
    if request.statistic == Statistic.TREE:
        branches = grown(tree_of(survey, request), release, zip(figures, marks, strict=True))
        return replace(picture, kind=BRANCHES, root=branches)
    if request.statistic in ORDERED:
        return replace(picture, rank=rank_of(survey, request, n))
    if request.statistic == Statistic.HISTOGRAM and request.bins:
        columns = replace(picture, kind=COLUMNS, marks=marks[: request.bins])
        return replace(columns, first=request.low, last=request.high)
    if request.statistic == Statistic.CURVE and grid is not None:
        first, last = bound_places(grid, request.low, request.high)
        placed = [
            replace(mark, across=100 * (bound - first) / (last - first))
            for mark, bound in zip(marks, curve_bounds(first, last), strict=True)
        ]
        curve = replace(picture, kind=CURVED, marks=placed)
        return replace(curve, first=request.low, last=request.high)
    return picture


def axis_of(
    survey: Survey, request: Request, n: int, figures: Sequence[DPFigure]
) -> tuple[float, float]:
    """Its ends: what is possible where that is known, else as far as the ranges reach."""
    question = question_of(survey, request.question)
    reached = [0.0, *(end for each in figures for end in (each.low, each.high) if end is not None)]
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


def request_bounds(question: Question, request: Request) -> tuple[int, int]:
    if question.grid is None:
        raise TypeError("Only numbers have bounds.")
    return bound_places(question.grid, request.low, request.high)


def mark_of(figure: DPFigure, low: float, high: float) -> Mark:
    def place(value: float) -> float:
        return round(100 * min(max((value - low) / (high - low), 0.0), 1.0), 2)

    inside = low <= figure.value <= high
    if figure.low is None or figure.high is None:
        return Mark(place(figure.value), inside=inside)
    return Mark(place(figure.value), place(figure.low), place(figure.high), inside)


def rank_of(survey: Survey, request: Request, n: int) -> Mark | None:
    """Where what is selected may lie among n answers, in percent of them."""
    if not count_is_known(survey, request) or n == 0:
        return None
    selection = selection_of(survey, request)
    ends = {Statistic.MINIMUM.value: 0, Statistic.MAXIMUM.value: 100}
    middle = ends.get(request.statistic, selection.percent)
    off = 100 * selection.off_by / n
    return Mark(middle, max(0.0, round(middle - off, 2)), min(100.0, round(middle + off, 2)))


def grown(tree: DPTree, release: Release, figures: Iterator[tuple[DPFigure, Mark]]) -> Branch:
    """The tree from its nodes, each before its branches, and the figures of its leaves."""
    nodes = iter(release.drawn)

    def below(answer: str, depth: int) -> Branch:
        node = next(nodes)
        if depth == tree.depth:
            leaf = [(each.label, *next(figures)) for each in tree.question.answers]
            return Branch(answer, leaf=leaf)
        asked = tree.by[node[0]]
        return Branch(answer, asked.label, [below(one.label, depth + 1) for one in asked.answers])

    return below("", 0)
