"""The heat map of correlations: a square for each pair of questions, with its coefficient.

A square has a colour only if the coefficient is distinguishable from zero, so that random error
draws no pattern.
"""

from collections.abc import Sequence
from dataclasses import replace

from survey.analysis.sentences import correlated_pairs
from survey.analysis.tables.correlation_matrix import Correlations, Pair
from survey.charts import svg
from survey.charts.fitted_text import add_title, clip_text
from survey.core.text_widths import wrapped_lines
from survey.core.translate import translate, translate_number

LINE = 16
LETTER = 24
# The largest opacity, with which a text on the square is still readable.
MAX_OPACITY = 0.5
# In a smaller square, a number has one decimal.
MIN_TWO_DECIMALS = 44


def heat_map(
    found: Correlations, names: Sequence[tuple[str, str]], narrow: bool = False
) -> svg.Chart:
    """The lower half of the matrix.

    Parameters
    ----------
    names : a letter and a label for each question
    narrow : whether the labels stand above the matrix, for a phone
    """
    clear = correlated_pairs(found)
    count = len(names) - 1
    width, left = (344, 12 + LETTER) if narrow else (860, max(290, 480 - 30 * count))
    side = min(64.0, (width - left - 12) / count)
    shapes: list[svg.Shape] = []
    top = 8.0
    if narrow:
        for letter, label in names:
            lines = wrapped_lines(f"{letter}  {label}", 13, width - 24)
            shapes += svg.label_lines(lines, 12, top + 13)
            top += LINE * len(lines)
        top += 8
    else:
        letter, label = names[0]
        words = clip_text(f"{letter}  {label}", left - 24)
        shapes.append(add_title(svg.text(12, top + 13, words), label))
    for place, (letter, _) in enumerate(names[:-1]):
        shapes.append(
            svg.text(round(left + side * (place + 0.5), 1), top + 13, letter, "soft", "middle")
        )
    top += 20
    for row, (letter, label) in enumerate(names[1:], start=1):
        y = top + side * (row - 1)
        words = letter if narrow else clip_text(f"{letter}  {label}", left - 24)
        shapes.append(add_title(svg.text(12, round(y + side / 2 + 5, 1), words), label))
        for column in range(row):
            pair = found.of(row, column)
            shapes += square(pair, (column, row) in clear, left + side * column, y, side, names)
    bottom = top + side * count
    legend = [
        (square_shape("positive", 8, bottom + 12, 16, 0.4), translate("above 0")),
        (square_shape("negative", 118, bottom + 12, 16, 0.4), translate("below 0")),
        (square_shape("cell", 228, bottom + 12, 16, 0), translate("not clear")),
    ]
    for shape, meaning in legend:
        start = float(shape.attributes["x"])
        shapes += [shape, svg.text(start + 22, bottom + 25, meaning, "soft")]
    kind = "tree narrow" if narrow else "tree"
    return svg.Chart(shapes=tuple(shapes), height=round(bottom + 40, 1), width=width, kind=kind)


def square(
    pair: Pair, clear: bool, x: float, y: float, side: float, names: Sequence[tuple[str, str]]
) -> list[svg.Shape]:
    value = None if pair.found is None else pair.found.figure.value
    kind, opacity = "cell", 0.0
    if value is not None and clear:
        kind = "positive" if value > 0 else "negative"
        opacity = round(0.1 + (MAX_OPACITY - 0.1) * min(1.0, abs(value)), 2)
    decimals = 2 if side >= MIN_TWO_DECIMALS else 1
    words = "–" if value is None else shown_decimals(value, decimals)
    title = f"{names[pair.first][1]} × {names[pair.second][1]}: {words}"
    shape = square_shape(kind, round(x + 1, 1), round(y + 1, 1), round(side - 2, 1), opacity)
    middle = (round(x + side / 2, 1), round(y + side / 2 + 4, 1))
    return [
        add_title(shape, title),
        svg.text(*middle, words, "soft" if kind == "cell" else "", "middle"),
    ]


def shown_decimals(value: float, decimals: int) -> str:
    return translate_number(f"{value + 0.0:.{decimals}f}".replace("-", "−"))


def square_shape(kind: str, x: float, y: float, side: float, opacity: float) -> svg.Shape:
    shape = svg.rect(kind, x, y, side, side)
    return replace(shape, attributes={**shape.attributes, "fill-opacity": opacity})
