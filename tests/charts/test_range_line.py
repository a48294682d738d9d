"""An estimate on a line of its own, calculated by hand: 100 units from 2 to 102."""

import pytest

from survey.central_dp.figures import DPFigure
from survey.charts import svg
from survey.charts.range_line import AXIS, range_of_figure, range_of_share
from tests.support.charted import drawn, share, values

pytestmark = pytest.mark.fast

BAR_START = svg.line("limit", 2, 2, 0, 8)


def circles(chart: svg.Chart) -> list[float]:
    return [dot.attributes["cx"] for dot in drawn(chart, "circle", "estimate")]


@pytest.mark.parametrize(
    ("answer", "ends", "dots"),
    [
        (share(0.25, 0.125, 0.5), (14.5, 52), [27]),
        (share(0, 0, 1), (2, 102), [2]),
        (share(1, 1, 1), (102, 102), [102]),
        (share(-0.1, 0, 0.2), (2, 22), []),
        (share(1.1, 0.9, 1), (92, 102), []),
    ],
)
def test_a_share_lies_between_0_and_100_percent(answer, ends, dots):
    chart = range_of_share(answer)
    assert drawn(chart, "line") == [AXIS, svg.line("interval", *ends, 4, 4)]
    assert circles(chart) == dots


@pytest.mark.parametrize(
    ("figure", "filled", "ends", "dots", "bars"),
    [
        ((25, 12.34, 50), False, (14.34, 52), [27], []),
        ((25, 12.34, 50), True, (14.34, 52), [], [(2, 25)]),
        ((0, None, None), False, None, [2], []),
        ((100.1, None, None), False, None, [], []),  # beyond the possible range
        ((-1, -20, 120), True, (2, 102), [], [(2, 0)]),
    ],
)
def test_a_count_is_a_bar_and_another_figure_a_dot_if_it_is_possible(
    figure, filled, ends, dots, bars
):
    value, low, high = figure
    chart = range_of_figure(DPFigure(label="", value=value, low=low, high=high), filled=filled)
    assert drawn(chart, "line", "limit") == [BAR_START if filled else AXIS]
    interval = svg.interval_across(*ends, 4, 1.5) if ends else []
    assert drawn(chart, "line", "interval") == interval
    assert circles(chart) == dots
    assert values(drawn(chart, "rect"), "x", "width") == bars


def test_a_figure_lies_on_the_axis_of_its_release():
    chart = range_of_figure(DPFigure(label="", value=15, low=12.5, high=20), 10, 20)
    assert circles(chart) == [52]
    assert drawn(chart, "line", "interval")[0] == svg.line("interval", 27, 102, 4, 4)


def test_readers_that_read_aloud_pass_it_over():
    printed = range_of_figure(DPFigure(label="", value=25, low=None, high=None)).svg().__html__()
    assert printed.startswith('<svg class="range" viewBox="0 0 104 8" aria-hidden="true">')
