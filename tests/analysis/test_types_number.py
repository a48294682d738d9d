"""A number has a mean, and its values."""

import pytest

from survey.analysis.types import ANALYSIS
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast


def test_a_number_has_a_mean_alone():
    question = question_of("number", "none", min=0, max=10)
    analysis = ANALYSIS[question]
    assert [place for place, _ in analysis.measures()] == [None]
    assert analysis.quantities() == ((None, ""),)
    assert (analysis.usual_points(), analysis.answer_names()) == (1, [])


def test_only_a_private_number_has_levels():
    privacy = {"epsilon": 1, "goal": "mean"}
    private, given = (
        ANALYSIS[question_of("number", each, min=0, max=10)].values() for each in (privacy, "none")
    )
    assert given is None
    assert (private[0], private[-1]) == (0, 10)
