"""A tree as sentences and as a picture, the same for the page, the terminal and files."""

import unicodedata
from collections.abc import Iterator

from ..wording import percent
from .figures import Figure
from .splits import Split
from .trees import Node, Tree

WIDTH, LEFT, RIGHT = 860, 470, 830  # of the picture; where its axis begins and ends
TEXT_AT, INDENT, LINE, BAR, GAP = 12, 22, 18, 22, 14
LETTERS = 48  # of a text beside the axis; the whole stands in its title
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


def shown(tree: Tree) -> tuple[int, ...]:
    """The places of the target's answers that are told; of two the second follows."""
    return (0,) if tree.target.listed == 2 else tuple(range(tree.target.listed))


def share_text(figure: Figure | None) -> str:
    if figure is None:
        return "not to be told"
    return f"{percent(figure.value)} ({percent(figure.low)} to {percent(figure.high)})"


def people_text(node: Node, tree: Tree) -> str:
    """How many of the respondents are here, as far as that can be estimated."""
    if node.share is None:
        return node.why or "nobody, as far as can be told"
    people = max(0, round(node.share.value * tree.n))
    known = not any(column.private for column, _ in node.conditions) and not tree.target.extras
    return f"{'' if known else 'about '}{people:,} respondents ({percent(node.share.value)})"


def split_text(split: Split) -> str:
    return (
        f"split by {split.column.label}: gain {split.gain:.3f} bits, "
        f"{split.noise:.3f} by chance, p {p_text(split.p)}"
    )


def p_text(p: float) -> str:
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"


def rules(tree: Tree) -> list[str]:
    """A sentence for each leaf, in the order of the picture.

    The interval has the tree's level, for that leaf by itself.
    """
    return [rule(leaf, tree) for leaf in tree.root.leaves]


def rule(leaf: Node, tree: Tree) -> str:
    told = ", ".join(
        f"“{tree.target.answers[place]}” {share_text(leaf.shares[place])}" for place in shown(tree)
    )
    conditions = [f"{c.label} is “{c.answers[answer]}”" for c, answer in leaf.conditions]
    who = f"If {' and '.join(conditions)}" if conditions else "Of all"
    return f"{who}: {told}; {people_text(leaf, tree)}."


def outline(tree: Tree) -> list[str]:
    """The tree as indented lines: each branch with its shares, and why it is split or not."""
    lines = []
    for node, depth in walked(tree.root):
        told = ", ".join(
            f"{tree.target.answers[place]} {share_text(node.shares[place])}"
            for place in shown(tree)
        )
        reason = f"not split: {node.why}" if node.split is None else split_text(node.split)
        lines.append(f"{'  ' * depth}{heading(node)}: {told}; {people_text(node, tree)}; {reason}")
    return lines


def walked(node: Node, depth: int = 0) -> Iterator[tuple[Node, int]]:
    yield node, depth
    for child in node.children:
        yield from walked(child, depth + 1)


def heading(node: Node) -> str:
    if not node.conditions:
        return "All respondents"
    column, answer = node.conditions[-1]
    return f"{column.label}: {column.answers[answer]}"


def picture(tree: Tree) -> str:
    """The tree as SVG, on white as paper is: a row for each branch, indented, with the share of
    each answer told and its interval on an axis from 0 to 100 %; estimates outside are drawn at
    its ends."""
    places = shown(tree)
    height = max(2 * LINE, len(places) * BAR) + GAP
    nodes = list(walked(tree.root))
    bottom = 34 + height * len(nodes)
    label = escaped(f"{tree.target.label}: a decision tree of {tree.n:,} responses")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tree" role="img" '
        f'viewBox="0 0 {WIDTH} {bottom + 44}" aria-label="{label}">',
        f"<title>{label}</title>",
        f"<desc>{escaped(' '.join(rules(tree)))}</desc>",
        LOOK,
    ]
    told = f"“{tree.target.answers[0]}”" if len(places) == 1 else "each answer"
    parts.append(text(TEXT_AT, 16, f"{tree.target.label}: share of {told}", letters=2 * LETTERS))
    for tick in (0, 25, 50, 75, 100):
        kind = "limit" if tick in (0, 100) else "axis"
        parts.append(f'<line class="{kind}" x1="{at(tick / 100)}" x2="{at(tick / 100)}" y1="26" '
                     f'y2="{bottom}"/>')  # fmt: skip
        parts.append(text(at(tick / 100), bottom + 16, f"{tick} %", "soft", "middle"))
    tops: list[float] = []  # of the row of each node on the way to this one
    for row, (node, depth) in enumerate(nodes):
        top = 34 + height * row
        tops[depth:] = [top]
        left = TEXT_AT + INDENT * depth
        if depth:
            elbow = left - INDENT + 6
            parts.append(f'<path class="way" d="M{elbow} {tops[depth - 1] + 2 * LINE + 2} '
                         f'V{top + 10} H{left - 3}"/>')  # fmt: skip
        parts.append(text(left, top + 14, heading(node)))
        what = "" if node.split is None else f"; gain {node.split.gain:.3f} bits"
        parts.append(text(left, top + 14 + LINE, people_text(node, tree) + what, "soft"))
        for line, place in enumerate(places):
            middle = top + BAR * line + (height - GAP - BAR * len(places)) / 2 + BAR / 2
            parts += bar(node.shares[place], middle)
            if len(places) > 1:
                answer = tree.target.answers[place]
                parts.append(text(LEFT - 6, middle + 4, answer, "soft", "end", 14))
    level = f"dot: estimate; line: {100 * tree.level:g} % interval"
    parts.append(text(LEFT, bottom + 36, level, "soft"))
    return "\n".join([*parts, "</svg>", ""])


def bar(figure: Figure | None, middle: float) -> list[str]:
    if figure is None:
        return [text(LEFT + 6, middle + 4, "cannot be told", "soft")]
    low, high = at(figure.low), at(figure.high)
    inside = min(max(figure.value, 0.0), 1.0)
    upright = f'y1="{middle - 5:.1f}" y2="{middle + 5:.1f}"'
    ends = [f'<line class="interval" x1="{x}" x2="{x}" {upright}/>' for x in (low, high)]
    return [
        f'<line class="interval" x1="{low}" x2="{high}" y1="{middle:.1f}" y2="{middle:.1f}"/>',
        *ends,
        f'<circle class="estimate" cx="{at(inside)}" cy="{middle:.1f}" r="5"/>',
    ]


def at(share: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * share, 1)


def escaped(words: str) -> str:
    return words.translate(ESCAPED)


def text(
    x: float, y: float, words: str, kind: str = "", anchor: str = "", letters: int = LETTERS
) -> str:
    """A text that is cut where it would run into the next; its title holds the whole."""
    cut = words if width(words) <= letters else shortened(words, letters - 1) + "…"
    title = "" if cut == words else f"<title>{escaped(words)}</title>"
    attributes = f' class="{kind}"' if kind else ""
    attributes += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}"{attributes}>{title}{escaped(cut)}</text>'


def width(words: str) -> int:
    """Letters that stand beside one another; Chinese ones count twice, marks above not at all."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in words)
    return len(words) + wide - sum(unicodedata.category(letter) == "Mn" for letter in words)


def shortened(words: str, letters: int) -> str:
    """The longest beginning that is no wider."""
    while width(words) > letters:
        words = words[:-1]
    return words
