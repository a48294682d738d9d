"""The chart of the distribution of the noise in a figure of a central DP release.

Heights are probabilities of whole numbers, as multiples of the most frequent one. The part within
two standard deviations is filled. The chart is small, and has the numbers −2, 0 and 2 standard
deviations on its axis, in the unit of the figure.
"""

import math
from collections.abc import Callable

from survey.central_dp.figure_noise import FigureNoise
from survey.charts import svg
from survey.charts.scale import Scale
from survey.core.text_widths import shorten_middle

LEFT = 8
RIGHT = 352
TOP = 8
BASE = 92
# The axis goes to this number of standard deviations.
REACH = 3.2
# Up to this number on each side, every whole number has its own column.
MAX_COLUMNS = 20
PARTS = 48


def noise_chart(
    noise: FigureNoise, number_text: Callable[[float], str], title: str
) -> svg.Chart | None:
    """The chart, or None if the noise is 0 almost always. `title` is that of the axis."""
    if noise.is_almost_zero:
        return None
    two = 2 * noise.whole_deviation
    reach = max(1, math.ceil(REACH / 2 * two))
    x, y = (
        Scale(low=-reach - 0.5, high=reach + 0.5, start=LEFT, end=RIGHT),
        Scale(low=0, high=1, start=BASE, end=TOP),
    )
    draw = noise_columns if reach <= MAX_COLUMNS else noise_curve
    shapes = draw(noise, two, reach, x, y)
    shapes.append(svg.line("axis", LEFT, RIGHT, BASE, BASE))
    shown = float(f"{2 * noise.deviation:.3g}")
    for place, value in ((-two, -shown), (0.0, 0.0), (two, shown)):
        at = x.at(place)
        if place:
            shapes.append(svg.line("limit", at, at, TOP, BASE))
        shapes.append(svg.text(at, BASE + 16, number_text(value), "soft", "middle"))
    shapes.append(
        svg.text(RIGHT, BASE + 34, shorten_middle(title, 12, RIGHT - LEFT), "soft", "end")
    )
    return svg.Chart(shapes=tuple(shapes), height=BASE + 40)


def noise_columns(
    noise: FigureNoise, two: float, reach: int, x: Scale, y: Scale
) -> list[svg.Shape]:
    """A column for each whole number."""
    width = x.length(0.8)
    shapes = []
    for whole in range(-reach, reach + 1):
        top = y.at(noise.relative_probability(whole))
        kind = "inside" if abs(whole) <= two else "outside"
        shapes.append(svg.rect(kind, x.at(whole - 0.4), top, width, round(BASE - top, 1)))
    return shapes


def noise_curve(noise: FigureNoise, two: float, reach: int, x: Scale, y: Scale) -> list[svg.Shape]:
    """A line through the probabilities, and the filled area below its middle part."""

    def places(far: float) -> list[svg.Place]:
        values = [far * part / PARTS for part in range(-PARTS, PARTS + 1)]
        return [(x.at(each), y.at(noise.relative_probability(each))) for each in values]

    area = [(x.at(-two), float(BASE)), *places(two), (x.at(two), float(BASE))]
    return [svg.polygon("inside", area), svg.polyline("way", places(reach))]
