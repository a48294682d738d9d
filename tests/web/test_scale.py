"""The positions of values on an axis: at both ends, between them, and beyond."""

import numpy as np
import pytest

from survey.web.charts.scale import Scale

pytestmark = pytest.mark.fast


def test_a_value_lies_between_the_ends_as_it_does_between_the_values():
    x = Scale(10, 20, 100, 300)
    assert [x.at(value) for value in (10, 12.5, 15, 20)] == [100, 150, 200, 300]
    assert [x.at(value) for value in (9, 21)] == [80, 320]  # beyond the ends
    assert x.length(2.5) == 50


def test_an_upright_axis_starts_below():
    y = Scale(0, 0.5, 210, 30)
    assert [y.at(value) for value in (0, 0.1, 0.25, 0.5)] == [210, 174, 120, 30]


def test_what_lies_beyond_an_end_is_placed_at_it():
    x = Scale(-1, 1, 0, 10)
    assert [x.within(value) for value in (-7, -1, 0, 1, 1.001)] == [0, 0, 5, 10, 10]


def test_places_have_as_many_decimals_as_are_printed():
    assert Scale(0, 3, 0, 100).at(1) == 33.3
    assert Scale(0, 3, 0, 100, decimals=2).at(2) == 66.67


def test_a_number_of_numpy_is_rounded_like_any_other():
    """0.15 is slightly below 15 hundredths. Multiplied by ten first, it would become 0.2."""
    place = Scale(0, 1, 0, 1).at(np.float64(0.15))
    assert str(place) == "0.1"
    assert type(place) is float
