"""The picture of a decision tree, as SVG: commands draw it without templates."""

from dataclasses import dataclass, replace

from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.trees.tree_text import displayed_answers, people_text, rules, walked
from survey.analysis.trees.trees import DecisionTree, Node
from survey.core.text_widths import advance, length
from survey.web.charts.scale import Scale

TOP, TEXT_AT, LINE, BAR, GAP = 34, 12, 18, 22, 14
SIZE = 13  # of the letters; a text that is longer than its room has a title with the whole
ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
LOOK = """<style>
.tree { background: #fff; }
text { fill: #1d2421; font: 13px system-ui, "Noto Sans", "Noto Sans Thai", "Noto Sans SC", \
sans-serif; }
.soft { fill: #56605b; font-size: 12px; }
.axis { stroke: #c9cfca; }
.limit { stroke: #56605b; stroke-dasharray: 3 3; }
.way { stroke: #56605b; fill: none; }
.interval { stroke: #1d2421; stroke-width: 2; }
.estimate { fill: #0b5d56; stroke: #1d2421; }
</style>"""


@dataclass(frozen=True)
class Layout:
    """How wide a picture is, from where to where its axis goes, how far each branch is indented,
    the room for the names of answers beside the axis, and whether shares stand below the words."""

    width: int
    left: int
    right: int
    indent: int
    answers: int
    below: bool

    @property
    def x(self) -> Scale:
        """The axis of shares."""
        return Scale(0, 1, self.left, self.right)


WIDE = Layout(860, 470, 826, 22, 140, below=False)
NARROW = Layout(344, 140, 314, 11, 122, below=True)  # for a telephone


def tree_svg(tree: DecisionTree, look: str = LOOK, layout: Layout = WIDE) -> str:
    """The tree as SVG, by itself on white as paper is; a page has a look of its own for it.

    A row for each branch, indented: the answer that leads there, how many people are there, and
    what they are split by; beside it, or below, the share of each answer told, with its interval,
    on an axis from 0 to 100 %. Estimates outside are drawn at its ends.
    """
    if layout.below and len(displayed_answers(tree)) == 1:  # no names of answers beside the axis
        layout = replace(layout, left=2 * TEXT_AT)
    nodes = list(walked(tree.root))
    tops = [float(TOP)]
    for node, _ in nodes:
        tops.append(tops[-1] + height(node, tree, layout))
    bottom = tops.pop()
    label = escape_svg_text(f"{tree.target.label}: a decision tree of {tree.n:,} responses")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tree{" narrow" * layout.below}" '
        f'role="img" viewBox="0 0 {layout.width} {bottom + 44:g}" aria-label="{label}">',
        f"<title>{label}</title>",
        f"<desc>{escape_svg_text(' '.join(rules(tree)))}</desc>",
        look,
        *axis(tree, bottom, layout),
    ]
    ways: list[float] = []  # where the line down from each node on the way begins
    for (node, depth), top in zip(nodes, tops, strict=True):
        ways[depth:] = [top + 3 * LINE]
        left = TEXT_AT + layout.indent * depth
        if depth:
            elbow = left - layout.indent + 6
            parts.append(
                f'<path class="way" d="M{elbow} {ways[depth - 1]:g} V{top + 10:g} H{left - 3}"/>'
            )
        parts += row(node, tree, left, top, layout)
    return "\n".join([*parts, "</svg>", ""])


def row_line_count(node: Node) -> int:
    """How many lines of words a row has."""
    return 2 if node.split is None else 3


def height(node: Node, tree: DecisionTree, layout: Layout) -> float:
    words, bars = row_line_count(node) * LINE, len(displayed_answers(tree)) * BAR
    return (words + bars if layout.below else max(words, bars)) + GAP


def axis(tree: DecisionTree, bottom: float, layout: Layout) -> list[str]:
    """Title, ticks and legend; of a narrow picture each row draws its own part of the ticks."""
    places = displayed_answers(tree)
    subject = f"“{tree.target.answers[0]}”" if len(places) == 1 else "each answer"
    title = f"Share of {subject}" if layout.below else f"{tree.target.label}: share of {subject}"
    parts = [svg_text(TEXT_AT, 16, title, layout.right - TEXT_AT)]
    if not layout.below:
        parts += ticks(26, bottom, layout)
    for tick in (0, 50, 100) if layout.below else (0, 25, 50, 75, 100):
        parts.append(
            svg_text(layout.x.at(tick / 100), bottom + 16, f"{tick} %", 60, "soft", "middle")
        )
    level = f"dot: estimate; line: {100 * tree.level:g} % interval"
    start = TEXT_AT if layout.below else layout.left
    return [*parts, svg_text(start, bottom + 36, level, layout.right - start, "soft")]


def ticks(top: float, bottom: float, layout: Layout) -> list[str]:
    lines = []
    for quarter in range(5):
        kind, x = "limit" if quarter in (0, 4) else "axis", layout.x.at(quarter / 4)
        lines.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="{top:g}" y2="{bottom:g}"/>')
    return lines


def row(node: Node, tree: DecisionTree, left: float, top: float, layout: Layout) -> list[str]:
    places = displayed_answers(tree)
    beside = layout.answers if len(places) > 1 else 0
    room = (layout.right if layout.below else layout.left - 12 - beside) - left
    here = node.conditions[-1] if node.conditions else None
    name = "All respondents" if here is None else here[0].answers[here[1]]
    parts = [
        svg_text(left, top + 14, name, room),
        svg_text(left, top + 14 + LINE, people_text(node, tree), room, "soft"),
    ]
    if node.split is not None:
        asked = f"by {node.split.column.label}"
        gain = f" ({node.split.gain:.3f} bits)"
        cut = clipped(asked, room - length(gain) * SIZE)
        parts.append(svg_text(left, top + 14 + 2 * LINE, cut + gain, room + 1, "soft", "", asked))
    start = top + row_line_count(node) * LINE + 2 if layout.below else top
    if layout.below:
        parts += ticks(start, start + BAR * len(places), layout)
    for line, place in enumerate(places):
        alone = len(places) == 1 and not layout.below
        middle = start + 20 if alone else start + BAR * line + BAR / 2
        parts += bar(node.shares[place], middle, layout)
        if len(places) > 1:
            answer = tree.target.answers[place]
            room = min(layout.answers, layout.left - 6 - left) if layout.below else layout.answers
            parts.append(svg_text(layout.left - 6, middle + 4, answer, room, "soft", "end"))
    return parts


def bar(figure: IntervalEstimate | None, middle: float, layout: Layout) -> list[str]:
    if figure is None:
        room = layout.right - layout.left
        return [svg_text(layout.left + 6, middle + 4, "cannot be told", room, "soft")]
    low, high = layout.x.at(figure.low), layout.x.at(figure.high)
    upright = f'y1="{middle - 5:.1f}" y2="{middle + 5:.1f}"'
    ends = [f'<line class="interval" x1="{x}" x2="{x}" {upright}/>' for x in (low, high)]
    return [
        f'<line class="interval" x1="{low}" x2="{high}" y1="{middle:.1f}" y2="{middle:.1f}"/>',
        *ends,
        f'<circle class="estimate" cx="{layout.x.within(figure.value)}" cy="{middle:.1f}" r="5"/>',
    ]


def escape_svg_text(words: str) -> str:
    return words.translate(ESCAPED)


def svg_text(
    x: float, y: float, words: str, room: float, kind: str = "", anchor: str = "", whole: str = ""
) -> str:
    """A text, cut to its room; its title is the whole of it, or what it is given as `whole`."""
    cut = clipped(words, room)
    title = f"<title>{escape_svg_text(whole or words)}</title>" if whole or cut != words else ""
    attributes = f' class="{kind}"' if kind else ""
    attributes += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}"{attributes}>{title}{escape_svg_text(cut)}</text>'


def clipped(words: str, room: float) -> str:
    """The words, or the longest beginning that fits with three dots."""
    left = room - length("…") * SIZE
    if length(words) * SIZE <= room:
        return words
    for end, letter in enumerate(words):
        left -= advance(letter) * SIZE
        if left < -1e-9:
            return words[:end] + "…"
    return words
