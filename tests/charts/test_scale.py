"""The positions of values on an axis: at both ends, between them, and beyond."""

import numpy as np
import pytest

from survey.charts.scale import Scale, round_numbers

pytestmark = pytest.mark.fast


def test_a_value_lies_between_the_ends_as_it_does_between_the_values():
    x = Scale(low=10, high=20, start=100, end=300)
    assert [x.at(value) for value in (10, 12.5, 15, 20)] == [100, 150, 200, 300]
    assert [x.at(value) for value in (9, 21)] == [80, 320]  # beyond the ends
    assert x.length(2.5) == 50


def test_an_upright_axis_starts_below():
    y = Scale(low=0, high=0.5, start=210, end=30)
    assert [y.at(value) for value in (0, 0.1, 0.25, 0.5)] == [210, 174, 120, 30]


def test_what_lies_beyond_an_end_is_placed_at_it():
    x = Scale(low=-1, high=1, start=0, end=10)
    assert [x.within(value) for value in (-7, -1, 0, 1, 1.001)] == [0, 0, 5, 10, 10]


def test_places_have_as_many_decimals_as_are_printed():
    assert Scale(low=0, high=3, start=0, end=100).at(1) == 33.3
    assert Scale(low=0, high=3, start=0, end=100, decimals=2).at(2) == 66.67


def test_a_number_of_numpy_is_rounded_like_any_other():
    """0.15 is slightly below 15 hundredths. Multiplied by ten first, it would become 0.2."""
    place = Scale(low=0, high=1, start=0, end=1).at(np.float64(0.15))
    assert str(place) == "0.1"
    assert type(place) is float


@pytest.mark.parametrize(
    ("low", "high", "numbers"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (-1.3, 2.1, [-1, 0, 1, 2]),
        (19, 22.2, [19, 20, 21, 22]),
        (-1, 1, [-1, -0.5, 0, 0.5, 1]),
        (0, 3e-7, [0, 1e-7, 2e-7, 3e-7]),
        (1e9, 1.4e9, [1e9, 1.1e9, 1.2e9, 1.3e9, 1.4e9]),
    ],
)
def test_ticks_are_round_numbers_between_the_ends(low, high, numbers):
    assert round_numbers(low, high) == pytest.approx(numbers)
    assert Scale(low=low, high=high, start=0, end=100).ticks() == pytest.approx(numbers)
    assert len(round_numbers(low, high, 3)) <= 4


@pytest.mark.parametrize("ends", [(0, 0), (1, 0), (0, float("inf")), (float("nan"), 1)])
def test_an_axis_needs_two_finite_ends(ends):
    with pytest.raises(ValueError, match="two different finite ends"):
        round_numbers(*ends)
