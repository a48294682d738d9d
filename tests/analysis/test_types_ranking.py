"""A ranking is a choice of one order."""

import pytest

from survey.analysis.types import ANALYSIS
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast
CHOICES = [{"name": name, "label": name.upper()} for name in "abc"]


def test_orders_have_shares_and_no_points():
    analysis = ANALYSIS[question_of("ranking", "none", choices=CHOICES)]
    assert len(analysis.measures()) == 6
    assert not analysis.can_be_summed()
