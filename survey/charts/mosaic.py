"""The mosaic of a cross-tabulation: a band for each row, divided by the shares of the columns.

The area of a part is the estimated share of respondents with both answers. An area cannot be below
zero, so the mosaic shows maximum likelihood shares where they exist.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from survey.analysis.tables.crosstabs import Crosstab
from survey.charts import svg
from survey.charts.fitted_text import SIZE, add_title, clip_text, fitted_text
from survey.charts.scale import Scale
from survey.core.text_widths import length, wrapped_lines
from survey.core.translate import translate_number

LINE = 16
MIN_SLOT = 22
TOTAL_HEIGHT = 240
MIN_OPACITY = 0.06
MAX_OPACITY = 0.5

# A bold text is up to 1.15 times as wide as the same text in regular weight.
BOLD = 1.15


@dataclass(frozen=True)
class MosaicLayout:
    """The width of a chart and the ends of its bands. If `below`, a label is above its band."""

    width: int
    left: int
    right: int
    below: bool


WIDE = MosaicLayout(860, 290, 840, below=False)
# For a phone.
NARROW = MosaicLayout(344, 12, 332, below=True)


def mosaic_shares(table: Crosstab) -> tuple[list[float], bool]:
    """The share of each cell, none below zero, and whether they are maximum likelihood shares.

    They add up to one. Without maximum likelihood shares, a cell below zero becomes zero, and all
    are divided by their sum.
    """
    if table.likeliest is not None:
        return [max(0.0, share) for share in table.likeliest], True
    cells = [max(0.0, cell.value) for cell in table.cells]
    return [cell / sum(cells) for cell in cells], False


def mosaic_chart(table: Crosstab, layout: MosaicLayout = WIDE) -> svg.Chart:
    """The chart; for three questions, one mosaic for each answer to the third."""
    first, second = table.columns[:2]
    third = table.columns[2] if len(table.columns) > 2 else None
    layers = third.answers[: third.listed] if third else ("",)
    shares, _ = mosaic_shares(table)
    shapes: list[svg.Shape] = []
    x = Scale(low=0, high=1, start=layout.left, end=layout.right)
    # Both questions can have the same answers, so the chart names the question of each.
    question, top = question_lines(first.label, 8.0, layout)
    shapes += question
    for place, layer in enumerate(layers):
        cells = shares[place :: len(layers)]
        rows = [
            cells[row * second.listed : (row + 1) * second.listed] for row in range(first.listed)
        ]
        if third:
            room = (layout.width - 24) / BOLD
            words = with_answer(third.label, layer, room)
            heading = fitted_text(12, top + 13, words, room, "mark")
            shapes.append(add_title(heading, f"{third.label} “{layer}”"))
            top += LINE + 6
        drawn, top = bands(rows, first.answers, second.answers, x, top, layout)
        shapes += drawn
        for tick in (0, 0.25, 0.5, 0.75, 1):
            anchor = "end" if tick == 1 else "start" if not tick else "middle"
            shapes.append(
                svg.text(
                    x.at(tick), top + 12, translate_number(f"{100 * tick:g} %"), "soft", anchor
                )
            )
        top += 30
    question, top = question_lines(second.label, top, layout)
    shapes += question
    for place in range(second.listed):
        box = part("part", 12, top, 16, 12, opacity_of(place, second.listed))
        lines = wrapped_lines(second.answers[place], 13, layout.width - 50)
        shapes += [box, *svg.label_lines(lines, 36, top + 11)]
        top += LINE * len(lines) + 4
    kind = "tree narrow" if layout.below else "tree"
    return svg.Chart(shapes=tuple(shapes), height=round(top + 4, 1), width=layout.width, kind=kind)


def with_answer(question: str, answer: str, room: float) -> str:
    """A question with its answer. A long question is shortened, so that the answer stays."""
    ending = f" “{answer}”"
    return clip_text(question, max(0.0, room - length(ending) * SIZE)) + ending


def question_lines(
    label: str, top: float, layout: MosaicLayout
) -> tuple[Sequence[svg.Shape], float]:
    """The label of a question on one or two lines, and where they end."""
    lines = wrapped_lines(label, 13, layout.width - 24)
    shapes = svg.label_lines(lines, 12, top + 13)
    return [add_title(shape, label) for shape in shapes], top + LINE * len(lines) + 6


def bands(
    rows: Sequence[Sequence[float]],
    labels: Sequence[str],
    answers: Sequence[str],
    x: Scale,
    top: float,
    layout: MosaicLayout,
) -> tuple[list[svg.Shape], float]:
    """The bands, whose heights are the shares of the rows, and where they end."""
    total = sum(sum(row) for row in rows) or 1.0
    shapes: list[svg.Shape] = []
    for row, label in zip(rows, labels, strict=False):
        size = sum(row)
        height = max(1.0, TOTAL_HEIGHT * size / total) if size else 0.0
        if layout.below:
            shapes.append(fitted_text(layout.left, top + 13, label, layout.width - 24))
            top += LINE + 3
            slot = height
        else:
            slot = max(height, MIN_SLOT)
            room = layout.left - 24
            shapes.append(fitted_text(12, top + slot / 2 + 4, label, room))
        start, y = 0.0, round(top + (slot - height) / 2, 1)
        for place, share in enumerate(row):
            if size and share > 0:
                width = x.length(share / size)
                shape = part(
                    "part", x.at(start), y, width, round(height, 1), opacity_of(place, len(row))
                )
                shapes.append(add_title(shape, f"{label}: {answers[place]}"))
                start += share / size
        top += slot + 5
    return shapes, top


def opacity_of(place: int, count: int) -> float:
    """How dark a part is, from the first answer, which is darkest, to the last."""
    return round(MAX_OPACITY - (MAX_OPACITY - MIN_OPACITY) * place / max(1, count - 1), 2)


def part(kind: str, x: float, y: float, width: float, height: float, opacity: float) -> svg.Shape:
    shape = svg.rect(kind, x, y, width, height)
    return replace(shape, attributes={**shape.attributes, "fill-opacity": opacity})
