"""The chart of a decision tree."""

from dataclasses import dataclass, replace

from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.trees.tree_text import (
    displayed_answers,
    nodes_with_depth,
    people_text,
    share_text,
)
from survey.analysis.trees.trees import DecisionTree, Node
from survey.charts import svg
from survey.charts.fitted_text import SIZE, add_title, clip_text, fitted_text
from survey.charts.scale import Scale
from survey.core.text_widths import length, wrapped_lines
from survey.core.translate import translate, translate_number

TOP = 34
TEXT_AT = 12
LINE = 18
BAR = 22
GAP = 14


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The layout of a chart: its width, the ends of the axis, and the indentation of each branch.
    Also the space for answers next to the axis, and whether shares are below the text."""

    width: int
    left: int
    right: int
    indent: int
    answers: int
    below: bool

    @property
    def x(self) -> Scale:
        """The axis of shares."""
        return Scale(low=0, high=1, start=self.left, end=self.right)


WIDE = Layout(width=860, left=470, right=826, indent=22, answers=140, below=False)
# For a phone.
NARROW = Layout(width=344, left=140, right=314, indent=11, answers=122, below=True)


def tree_chart(tree: DecisionTree, layout: Layout = WIDE) -> svg.Chart:
    """The tree as a chart.

    Each branch is an indented row, with the answer that leads to it, the number of people, and the
    question that splits it. Next to it, or below, is the share of each answer, with its interval,
    on an axis from 0 to 100 %. Estimates outside are drawn at its ends.
    """
    if layout.below and len(displayed_answers(tree)) == 1:  # no answers next to the axis
        layout = replace(layout, left=2 * TEXT_AT)
    nodes = list(nodes_with_depth(tree.root))
    tops = [TOP]
    for node, _ in nodes:
        tops.append(tops[-1] + height(node, tree, layout))
    bottom = tops.pop()
    shapes = axis(tree, bottom, layout)
    ways: list[int] = []  # where the line down from each node on the way begins
    for (node, depth), top in zip(nodes, tops, strict=True):
        ways[depth:] = [top + 3 * LINE]
        left = TEXT_AT + layout.indent * depth
        if depth:
            elbow, level = left - layout.indent + 6, top + 10
            way = [(elbow, ways[depth - 1]), (elbow, level), (left - 3, level)]
            shapes.append(svg.polyline("way", way))
        shapes += row(node, tree, left, top, layout)
    kind = "tree narrow" if layout.below else "tree"
    total = bottom + 26 + LINE * len(legend_lines(tree, layout))
    return svg.Chart(shapes=tuple(shapes), height=total, width=layout.width, kind=kind)


def row_line_count(node: Node) -> int:
    """The number of text lines in a row."""
    return 2 if node.split is None else 3


def height(node: Node, tree: DecisionTree, layout: Layout) -> int:
    words, bars = row_line_count(node) * LINE, len(displayed_answers(tree)) * BAR
    return (words + bars if layout.below else max(words, bars)) + GAP


def axis(tree: DecisionTree, bottom: float, layout: Layout) -> list[svg.Shape]:
    """Title, ticks and legend. In a narrow chart, each row draws its own part of the ticks."""
    shapes = [fitted_text(TEXT_AT, 16, axis_title(tree, layout), layout.right - TEXT_AT)]
    if not layout.below:
        shapes += quarter_lines(26, bottom, layout)
    for tick in (0, 50, 100) if layout.below else (0, 25, 50, 75, 100):
        at = layout.x.at(tick / 100)
        shapes.append(svg.text(at, bottom + 16, translate_number(f"{tick} %"), "soft", "middle"))
    start = TEXT_AT if layout.below else layout.left
    legend = enumerate(legend_lines(tree, layout))
    return [*shapes, *(svg.text(start, bottom + 36 + LINE * n, line, "soft") for n, line in legend)]


def legend_lines(tree: DecisionTree, layout: Layout) -> list[str]:
    """What the dots and lines are. In some languages this needs two lines on a phone."""
    level = translate_number(f"{100 * tree.level:g}")
    legend = translate("estimate and %(level)s %% interval", level=level)
    room = layout.right - (TEXT_AT if layout.below else layout.left)
    return wrapped_lines(legend, SIZE, room)


def axis_title(tree: DecisionTree, layout: Layout) -> str:
    facts = {"question": tree.target.label, "answer": tree.target.answers[0]}
    if len(displayed_answers(tree)) > 1:
        if layout.below:
            return translate("Share of each answer")
        return translate("%(question)s: share of each answer", **facts)
    if layout.below:
        return translate("Share of “%(answer)s”", **facts)
    return translate("%(question)s: share of “%(answer)s”", **facts)


def quarter_lines(top: float, bottom: float, layout: Layout) -> list[svg.Shape]:
    places = [layout.x.at(quarter / 4) for quarter in range(5)]
    kinds = ("limit", "axis", "axis", "axis", "limit")
    return [svg.line(kind, x, x, top, bottom) for kind, x in zip(kinds, places, strict=True)]


def row(node: Node, tree: DecisionTree, left: int, top: int, layout: Layout) -> list[svg.Shape]:
    places = displayed_answers(tree)
    beside = layout.answers if len(places) > 1 else 0
    room = (layout.right if layout.below else layout.left - 12 - beside) - left
    here = node.conditions[-1] if node.conditions else None
    name = translate("All respondents") if here is None else here[0].answers[here[1]]
    shapes = [
        fitted_text(left, top + 14, name, room),
        fitted_text(left, top + 14 + LINE, people_text(node, tree, "people"), room, "soft"),
    ]
    if node.split is not None:
        asked = translate("by %(question)s", question=node.split.column.label)
        gain = translate_number(f"{node.split.gain:.3f}")
        gain = f" ({translate('%(gain)s bits', gain=gain)})"
        cut = clip_text(asked, room - length(gain) * SIZE)
        words = svg.text(left, top + 14 + 2 * LINE, cut + gain, "soft")
        shapes.append(add_title(words, asked))
    start = top + row_line_count(node) * LINE + 2 if layout.below else top
    if layout.below:
        shapes += quarter_lines(start, start + BAR * len(places), layout)
    for line, place in enumerate(places):
        alone = len(places) == 1 and not layout.below
        middle = start + 20 if alone else start + BAR * line + BAR // 2
        shapes += bar(node.shares[place], middle, layout)
        if len(places) > 1:
            answer = tree.target.answers[place]
            room = min(layout.answers, layout.left - 6 - left) if layout.below else layout.answers
            shapes.append(fitted_text(layout.left - 6, middle + 4, answer, room, "soft", "end"))
    return shapes


def bar(figure: IntervalEstimate | None, middle: int, layout: Layout) -> list[svg.Shape]:
    if figure is None or figure.any_share:
        room = layout.right - layout.left
        return [fitted_text(layout.left + 6, middle + 4, share_text(figure), room, "soft")]
    low, high = layout.x.at(figure.low), layout.x.at(figure.high)
    dot = svg.circle("estimate", layout.x.within(figure.value), middle)
    return [*svg.interval_across(low, high, middle, 5), dot]
