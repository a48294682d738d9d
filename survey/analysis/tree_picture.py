"""A tree as an SVG picture."""

import unicodedata

from .figures import Figure
from .tree_words import people_text, rules, shown, walked
from .trees import Node, Tree

WIDTH, LEFT, RIGHT = 860, 470, 830  # of the picture; where its axis begins and ends
TOP, TEXT_AT, INDENT, LINE, BAR, GAP = 34, 12, 22, 18, 22, 14
ANSWERS = 104  # for the names of a target's answers, beside the axis
LETTER = 7.4  # the width of one; a text that is longer than its room has a title with the whole
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


def picture(tree: Tree, look: str = LOOK) -> str:
    """The tree as SVG, by itself on white as paper is; a page has a look of its own for it.

    A row for each branch, indented: the answer that leads there, how many people are there, and
    what they are split by; beside it the share of each answer told, with its interval, on an axis
    from 0 to 100 %. Estimates outside are drawn at its ends.
    """
    nodes = list(walked(tree.root))
    tops = [float(TOP)]
    for node, _ in nodes:
        tops.append(tops[-1] + height(node, tree))
    bottom = tops.pop()
    label = escaped(f"{tree.target.label}: a decision tree of {tree.n:,} responses")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tree" role="img" '
        f'viewBox="0 0 {WIDTH} {bottom + 44:g}" aria-label="{label}">',
        f"<title>{label}</title>",
        f"<desc>{escaped(' '.join(rules(tree)))}</desc>",
        look,
        *axis(tree, bottom),
    ]
    ways: list[float] = []  # where the line down from each node on the way begins
    for (node, depth), top in zip(nodes, tops, strict=True):
        ways[depth:] = [top + 3 * LINE]
        left = TEXT_AT + INDENT * depth
        if depth:
            elbow = left - INDENT + 6
            parts.append(
                f'<path class="way" d="M{elbow} {ways[depth - 1]:g} V{top + 10:g} H{left - 3}"/>'
            )
        parts += row(node, tree, left, top)
    return "\n".join([*parts, "</svg>", ""])


def height(node: Node, tree: Tree) -> float:
    lines = 2 if node.split is None else 3
    return max(lines * LINE, len(shown(tree)) * BAR) + GAP


def axis(tree: Tree, bottom: float) -> list[str]:
    places = shown(tree)
    told = f"“{tree.target.answers[0]}”" if len(places) == 1 else "each answer"
    parts = [text(TEXT_AT, 16, f"{tree.target.label}: share of {told}", RIGHT - TEXT_AT)]
    for tick in (0, 25, 50, 75, 100):
        kind, x = "limit" if tick in (0, 100) else "axis", at(tick / 100)
        parts.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="26" y2="{bottom:g}"/>')
        parts.append(text(x, bottom + 16, f"{tick} %", 60, "soft", "middle"))
    level = f"dot: estimate; line: {100 * tree.level:g} % interval"
    return [*parts, text(LEFT, bottom + 36, level, RIGHT - LEFT, "soft")]


def row(node: Node, tree: Tree, left: float, top: float) -> list[str]:
    places = shown(tree)
    room = LEFT - left - 12 - (ANSWERS if len(places) > 1 else 0)
    here = node.conditions[-1] if node.conditions else None
    name = "All respondents" if here is None else here[0].answers[here[1]]
    parts = [
        text(left, top + 14, name, room),
        text(left, top + 14 + LINE, people_text(node, tree), room, "soft"),
    ]
    if node.split is not None:
        asked = f"by {node.split.column.label}"
        gain = f" ({node.split.gain:.3f} bits)"
        cut = clipped(asked, room - LETTER * len(gain))
        parts.append(text(left, top + 14 + 2 * LINE, cut + gain, room + LETTER, "soft", "", asked))
    for line, place in enumerate(places):
        middle = top + 20 if len(places) == 1 else top + BAR * line + BAR / 2
        parts += bar(node.shares[place], middle)
        if len(places) > 1:
            answer = tree.target.answers[place]
            parts.append(text(LEFT - 6, middle + 4, answer, ANSWERS, "soft", "end"))
    return parts


def bar(figure: Figure | None, middle: float) -> list[str]:
    if figure is None:
        return [text(LEFT + 6, middle + 4, "cannot be told", RIGHT - LEFT, "soft")]
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
    x: float, y: float, words: str, room: float, kind: str = "", anchor: str = "", whole: str = ""
) -> str:
    """A text, cut to its room; its title is the whole of it, or what it is given as `whole`."""
    cut = clipped(words, room)
    title = f"<title>{escaped(whole or words)}</title>" if whole or cut != words else ""
    attributes = f' class="{kind}"' if kind else ""
    attributes += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}"{attributes}>{title}{escaped(cut)}</text>'


def clipped(words: str, room: float) -> str:
    """The words, or the longest beginning that fits with three dots."""
    if width(words) * LETTER <= room:
        return words
    while words and (width(words) + 1) * LETTER > room:
        words = words[:-1]
    return words + "…"


def width(words: str) -> int:
    """Letters that stand beside one another; Chinese ones count twice, marks above not at all."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in words)
    return len(words) + wide - sum(unicodedata.category(letter) == "Mn" for letter in words)
