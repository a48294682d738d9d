"""The chart of the distribution of the noise, calculated by hand.

344 units go from 8 to 352, and 84 from 92 up to 8.
"""

import math
from fractions import Fraction

import pytest

from survey.central_dp.figure_noise import FigureNoise
from survey.charts import svg
from survey.charts.noise_density import noise_chart
from tests.support.charted import drawn, values, words

pytestmark = pytest.mark.fast

# q = exp(-1/b) = 1/2, so the standard deviation is 2.
HALF = FigureNoise(False, 1 / math.log(2), Fraction(1))


def written(value: float) -> str:
    return f"{value:g}"


def test_each_whole_number_has_a_column_of_its_probability():
    chart = noise_chart(HALF, written, "noise (kg)")
    assert chart is not None
    columns = drawn(chart, "rect")
    assert len(columns) == 15  # from -7 to 7, which is 3.2 standard deviations, rounded up
    heights = [float(each.attributes["height"]) for each in columns[7:]]
    assert heights == pytest.approx([84 / 2**k for k in range(8)], abs=0.06)
    assert [each.kind for each in columns[7:]].count("inside") in (4, 5)
    assert words(chart) == ["-4", "0", "4", "noise (kg)"]
    # Two standard deviations are 4 columns of 344/15 from the middle.
    assert values(drawn(chart, "line", "limit"), "x1") == [(88.3,), (271.7,)]


def test_wide_noise_is_a_curve_with_its_middle_filled():
    noise = FigureNoise(True, 50.0, Fraction(1, 2))
    chart = noise_chart(noise, written, "noise")
    assert chart is not None
    assert not drawn(chart, "rect")
    [area], [line] = drawn(chart, "polygon"), drawn(chart, "polyline")
    places = [tuple(map(float, each.split(","))) for each in line.attributes["points"].split()]
    assert places[48] == (180.0, 8.0)
    assert places[0][1] == pytest.approx(92 - 84 * math.exp(-(3.2**2) / 2), abs=0.1)
    filled = [tuple(map(float, each.split(","))) for each in area.attributes["points"].split()]
    # Two of the 3.21 standard deviations that the axis has on each side.
    assert filled[0] == (pytest.approx(180 - 172 * 100 / 160.5, abs=0.1), 92.0)
    assert filled[1][1] == pytest.approx(92 - 84 * math.exp(-2), abs=0.1)
    assert words(chart) == ["-50", "0", "50", "noise"]


def test_noise_that_is_0_has_no_chart():
    assert noise_chart(FigureNoise(False, 0.05, Fraction(1)), written, "noise") is None


def test_all_shapes_are_inside():
    for scale in (0.2, 1.0, 3.0, 7.0, 1e9):
        for gaussian in (False, True):
            chart = noise_chart(FigureNoise(gaussian, scale, Fraction(1)), written, "noise")
            assert chart is not None
            assert isinstance(chart.svg(), svg.Shape)
            for each in drawn(chart, "rect"):
                left, width = float(each.attributes["x"]), float(each.attributes["width"])
                assert 8 <= left <= left + width <= 352
