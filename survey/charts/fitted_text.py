"""Texts of charts that are shortened to fit. A shortened text has the whole text as its title."""

from dataclasses import replace

from survey.charts import svg
from survey.core.text_widths import advance, length

# The font size of texts in charts.
SIZE = 13


def fitted_text(
    x: float, y: float, words: str, room: float, kind: str = "", anchor: str = ""
) -> svg.Shape:
    """A text that fits. If it is shortened, its title has the whole text."""
    cut = clip_text(words, room)
    shape = svg.text(x, y, cut, kind, anchor)
    return shape if cut == words else add_title(shape, words)


def add_title(shape: svg.Shape, title: str) -> svg.Shape:
    return replace(shape, inside=(svg.Shape(tag="title", kind="", attributes={}, text=title),))


def clip_text(words: str, room: float) -> str:
    """The text, or the longest beginning that fits with an ellipsis."""
    left = room - length("…") * SIZE
    if length(words) * SIZE <= room:
        return words
    for end, letter in enumerate(words):
        left -= advance(letter) * SIZE
        if left < -1e-9:
            return words[:end] + "…"
    return words
