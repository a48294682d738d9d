"""A test in words: p, its statistic, and its degrees of freedom."""

import pytest

from survey.analysis.tables.association import SCORE, Test
from survey.analysis.tables.result_text import result_of_test

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("degrees", "p", "words"),
    [
        (1, 0.0321, "p = 0.032 (χ² = 4.60, 1 degree of freedom)."),
        (3, 0.0001, "p < 0.001 (χ² = 4.60, 3 degrees of freedom)."),
    ],
)
def test_one_and_several_degrees(degrees, p, words):
    assert (
        result_of_test(
            Test(name=SCORE, hypothesis="nothing", statistic=4.598, degrees=degrees, p=p)
        )
        == words
    )
