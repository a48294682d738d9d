"""The heat map: a square for each pair, and a colour only for clear coefficients."""

import numpy as np
import pytest

from survey.analysis.sentences import correlated_pairs
from survey.analysis.tables.correlation_matrix import correlations
from survey.charts.heat_map import heat_map
from tests.support.analysed import plain
from tests.support.charted import drawn, words

pytestmark = pytest.mark.fast

GENERATOR = np.random.default_rng(5)
X = GENERATOR.integers(2, size=400)
SAME = np.where(GENERATOR.random(400) < 0.9, X, 1 - X)
OTHER = GENERATOR.integers(2, size=400)
FOUND = correlations(
    [plain(X, 2, "x"), plain(SAME, 2, "y"), plain(1 - SAME, 2, "z"), plain(OTHER, 2, "o")]
)
NAMES = [(letter, f"Question {letter}") for letter in "ABCD"]


@pytest.mark.parametrize("narrow", [False, True])
def test_only_clear_pairs_have_a_colour(narrow):
    chart = heat_map(FOUND, NAMES, narrow)
    clear = correlated_pairs(FOUND)
    assert (0, 1) in clear
    assert (0, 3) not in clear
    signs = [
        np.sign(pair.found.figure.value)
        for pair in FOUND.pairs
        if (pair.first, pair.second) in clear
    ]
    # Each legend has one more square of each kind.
    assert len(drawn(chart, "rect", "positive")) == signs.count(1) + 1
    assert len(drawn(chart, "rect", "negative")) == signs.count(-1) + 1
    assert len(drawn(chart, "rect")) == 6 + 3
    assert all(0 <= shape.attributes["fill-opacity"] <= 0.5 for shape in drawn(chart, "rect"))


def test_each_square_has_its_number_and_all_questions_have_a_name():
    chart = heat_map(FOUND, NAMES)
    numbers = [f"{pair.found.figure.value:.2f}".replace("-", "−") for pair in FOUND.pairs]
    assert sorted(each for each in words(chart) if each in numbers) == sorted(numbers)
    for letter, label in NAMES:
        assert f"{letter}  {label}" in words(chart)
    for letter, label in NAMES:
        assert f"{letter} {label}" in [
            " ".join(each.split()) for each in words(heat_map(FOUND, NAMES, True))
        ]


def test_a_pair_without_a_coefficient_has_a_dash():
    constant = plain(np.zeros(400, dtype=int), 2, "c")
    found = correlations([plain(X, 2, "x"), plain(SAME, 2, "y"), constant])
    assert words(heat_map(found, NAMES[:3])).count("–") == 2
