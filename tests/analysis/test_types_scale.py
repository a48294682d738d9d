"""A scale has the mean of its ranks, and shares."""

import pytest

from survey.analysis.types import ANALYSIS
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast
CHOICES = [{"name": name, "label": name.upper()} for name in "abc"]


def test_the_ranks_begin_with_one():
    analysis = ANALYSIS[question_of("scale", "none", choices=CHOICES)]
    assert [place for place, _ in analysis.measures()] == [None, 0, 1, 2]
    assert analysis.quantities() == ((None, ""),)
    assert analysis.values().tolist() == [1, 2, 3]
