"""A figure on a line of its own, by hand: 100 units from 2 to 102."""

import pytest

from survey.central_dp.chart import Mark
from survey.web.charts.range_line import RangeLine, range_of_mark, range_of_share
from tests.support.charted import share

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (share(0.25, 0.125, 0.5), RangeLine((14.5, 52), False, 27)),
        (share(0, 0, 1), RangeLine((2, 102), False, 2)),
        (share(1, 1, 1), RangeLine((102, 102), False, 102)),
        (share(-0.1, 0, 0.2), RangeLine((2, 22), False, None)),
        (share(1.1, 0.9, 1), RangeLine((92, 102), False, None)),
    ],
)
def test_a_share_lies_between_0_and_100_percent(answer, expected):
    assert range_of_share(answer) == expected


@pytest.mark.parametrize(
    ("mark", "filled", "expected"),
    [
        (Mark(25, 12.34, 50), False, RangeLine((14.34, 52), True, 27)),
        (Mark(25, 12.34, 50), True, RangeLine((14.34, 52), True, None, 25)),
        (Mark(0), False, RangeLine(None, True, 2)),
        (Mark(100, inside=False), False, RangeLine(None, True, None)),
        (Mark(0, 0, 100), True, RangeLine((2, 102), True, None, 0)),
    ],
)
def test_a_count_is_a_bar_and_another_figure_a_dot_if_it_is_possible(mark, filled, expected):
    assert range_of_mark(mark, filled) == expected
