"""The chart above the figures of a central DP release: columns, or a curve in a band.

`survey/central_dp/chart.py` has the values. The texts at the ends of an axis are in the language of
the page, which provides the function that formats a number.
"""

from collections.abc import Callable

from survey.central_dp.chart import COLUMNS, CURVED, Picture
from survey.charts import svg
from survey.charts.scale import Scale
from survey.core.text_widths import room_for, shorten_middle

LEFT = 8
RIGHT = 352
TOP = 26
BASE = 186
X = Scale(low=0, high=100, start=LEFT, end=RIGHT)
Y = Scale(low=0, high=100, start=BASE, end=TOP)


def release_chart(
    picture: Picture, number_text: Callable[[float], str], unit: str
) -> svg.Chart | None:
    """The chart, or None for a release whose table has a line for each figure."""
    if picture.kind not in (COLUMNS, CURVED):
        return None
    first, last = (number_text(float(end)) for end in (picture.first, picture.last))
    # Both ends of the axis are on one line if they fit.
    more = 16 if room_for(f"{first}{last}   {unit}") > RIGHT - LEFT else 0
    end = shorten_middle(f"{last} {unit}", 12, RIGHT - LEFT)
    # The vertical axis has its numbers above and below, where numbers of any length fit.
    axes = [
        svg.line("axis", LEFT, RIGHT, TOP, TOP),
        svg.text(LEFT, TOP - 7, number_text(picture.high), "soft"),
        svg.line("limit", LEFT, RIGHT, BASE, BASE),
        svg.text(LEFT, BASE + 15, number_text(picture.low), "soft"),
        svg.text(LEFT, BASE + 32, first, "soft"),
        svg.text(RIGHT, BASE + 32 + more, end, "soft", "end"),
    ]
    shapes = release_columns(picture) if picture.kind == COLUMNS else release_curve(picture)
    return svg.Chart(shapes=(*axes, *shapes), height=226 + more)


def release_columns(picture: Picture) -> list[svg.Shape]:
    """Columns for the number of respondents in each part of the range."""
    width = (RIGHT - LEFT) / len(picture.figures)
    tops = [(top, (low, high)) for top, low, high in upright_places(picture)]
    return svg.columns(tops, LEFT, RIGHT, BASE, min(width / 8, 1.5), min(width / 4, 4))


def release_curve(picture: Picture) -> list[svg.Shape]:
    """Clipped sums by bound: a line within the band of their ranges. Both begin where the sum
    is 0."""
    start = (float(LEFT), Scale(low=picture.low, high=picture.high, start=BASE, end=TOP).at(0))
    across = [X.at(bound) for bound in picture.bounds]
    places, low, high = (
        list(zip(across, heights, strict=True))
        for heights in zip(*upright_places(picture), strict=True)
    )
    return [
        svg.polygon("band", [start, *high, *reversed(low)]),
        svg.polyline("way", [start, *places]),
        *(svg.circle("estimate", x, y, 3) for x, y in places),
    ]


def upright_places(picture: Picture) -> list[tuple[float, float, float]]:
    """The places of each figure and of the ends of its range, limited to the axis."""
    hundredths = Scale(low=picture.low, high=picture.high, start=0, end=100, decimals=2)

    def place(value: float) -> float:
        return Y.at(hundredths.within(value))

    return [
        (place(figure.value), place(figure.ends[0]), place(figure.ends[1]))
        for figure in picture.figures
    ]
