"""The days of Quinlan: the gains of the questions, and the tree."""

import pytest

from survey.learn.controls import read_values
from survey.learn.lessons.titanic_tree import TitanicTree
from survey.learn.trees.tree_nodes import number_right
from survey.learn.trees.tree_picture import picture_rows
from survey.learn.trees.tree_ways import exact_tree
from survey.learn.trees.weather import (
    DAY_ROWS,
    WEATHER,
    WEATHER_QUESTIONS,
    days_right,
    weather_gain,
)

pytestmark = pytest.mark.fast


def test_the_gains_of_the_weather_are_those_of_the_text():
    """Outlook before humidity before wind, as in Quinlan (1986) and in the text."""
    gains = {question: weather_gain(question) for question in WEATHER_QUESTIONS}
    expected = {"outlook": 0.247, "humidity": 0.152, "wind": 0.048, "temperature": 0.029}
    assert gains == pytest.approx(expected, abs=0.0005)
    # By the days that they predict, the outlook and the humidity cannot be told apart.
    assert [days_right(each) for each in WEATHER_QUESTIONS] == [10, 10, 9, 9]


def test_the_tree_of_the_weather_is_quinlans():
    """Outlook, then humidity on sunny days and wind on days of rain; each leaf is of one kind."""
    tree = exact_tree(DAY_ROWS, WEATHER, 4)
    assert tree.split == WEATHER.answer_split(0)
    sunny, overcast, rain = tree.children
    assert (sunny.counts, overcast.counts, rain.counts) == ((2, 3), (4, 0), (3, 2))
    assert sunny.split == WEATHER.answer_split(1)
    assert overcast.split is None
    assert rain.split == WEATHER.answer_split(2)
    assert [leaf.counts for leaf in (*sunny.children, *rain.children)] == [
        (0, 3), (2, 0), (3, 0), (0, 2),
    ]  # fmt: skip
    assert number_right(tree, DAY_ROWS, WEATHER) == 14
    labels = [(name, depth) for _, name, depth, _ in picture_rows(tree, WEATHER, "all days")]
    assert labels == [
        ("all days", 0), ("sunny", 1), ("high", 2), ("normal", 2), ("overcast", 1), ("rain", 1),
        ("weak", 2), ("strong", 2),
    ]  # fmt: skip
    [picture] = [str(TitanicTree().show(read_values(TitanicTree.controls, {})).more["weather"])]
    assert "all days, by outlook" in picture
    assert "4 days with a game, 0 without" in picture
