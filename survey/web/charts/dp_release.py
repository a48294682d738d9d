"""The chart above the figures of a central DP release: columns, or a curve in a band.

`survey/central_dp/chart.py` has what is drawn, in hundredths of the axes. The texts at the ends of
an axis are in the language of the page, which gives the function that writes a number.
"""

from collections.abc import Callable

from survey.central_dp.chart import COLUMNS, CURVED, Picture
from survey.core.text_widths import room_for, shorten_middle
from survey.web.charts import svg
from survey.web.charts.scale import Scale

LEFT, RIGHT, TOP, BASE = 8, 352, 26, 186
X, Y = Scale(0, 100, LEFT, RIGHT), Scale(0, 100, BASE, TOP)


def release_chart(
    picture: Picture, number_text: Callable[[float], str], unit: str
) -> svg.Chart | None:
    """None of a release whose figures have a line each, in their table."""
    if picture.kind not in (COLUMNS, CURVED):
        return None
    first, last = (number_text(float(end)) for end in (picture.first, picture.last))
    # Both ends of the axis stand on one line if there is room.
    more = 16 if room_for(f"{first}{last}   {unit}") > RIGHT - LEFT else 0
    end = shorten_middle(f"{last} {unit}", 12, RIGHT - LEFT)
    # The upright axis has its numbers above and below, where those of any length have room.
    axes: list[svg.Shape] = [
        svg.Line("axis", LEFT, RIGHT, TOP, TOP),
        svg.Text(LEFT, TOP - 7, number_text(picture.high), "soft"),
        svg.Line("limit", LEFT, RIGHT, BASE, BASE),
        svg.Text(LEFT, BASE + 15, number_text(picture.low), "soft"),
        svg.Text(LEFT, BASE + 32, first, "soft"),
        svg.Text(RIGHT, BASE + 32 + more, end, "soft", "end"),
    ]
    shapes = release_columns(picture) if picture.kind == COLUMNS else release_curve(picture)
    return svg.Chart((*axes, *shapes), 226 + more)


def release_columns(picture: Picture) -> list[svg.Shape]:
    """How many respondents are in each part of a number's bounds."""
    width = (RIGHT - LEFT) / len(picture.marks)
    gap, half = min(width / 8, 1.5), min(width / 4, 4)
    shapes: list[svg.Shape] = []
    for place, mark in enumerate(picture.marks):
        start, top = LEFT + width * place, Y.at(mark.at)
        middle = round(start + width / 2, 1)
        column = (round(width - 2 * gap, 1), round(BASE - top, 1))
        shapes.append(svg.Rect("bar-share", round(start + gap, 1), top, *column))
        low, high = mark.ends
        cap = (round(middle - half, 1), round(middle + half, 1))
        shapes += svg.interval_upright(middle, (Y.at(low), Y.at(high)), cap)
    return shapes


def release_curve(picture: Picture) -> list[svg.Shape]:
    """Clipped sums against the bound: a line in the band that their ranges make."""
    start = f"M{LEFT} {Scale(picture.low, picture.high, BASE, TOP).at(0)}"
    places = [(X.at(mark.across), Y.at(mark.at)) for mark in picture.marks]
    low = [(X.at(mark.across), Y.at(mark.ends[0])) for mark in picture.marks]
    high = [(X.at(mark.across), Y.at(mark.ends[1])) for mark in picture.marks]
    band = "".join(f" L{x} {y}" for x, y in [*high, *reversed(low)])
    line = "".join(f" L{x} {y}" for x, y in places)
    return [
        svg.Outline("band", f"{start}{band} Z"),
        svg.Outline("way", f"{start}{line}"),
        *(svg.Circle("estimate", x, y, 3) for x, y in places),
    ]
