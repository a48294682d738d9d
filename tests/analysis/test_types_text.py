"""Texts have no variables."""

import pytest

from survey.analysis.types import ANALYSIS
from survey.core.errors import UnanswerableQuestion
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast


def test_a_text_is_no_variable_but_may_be_a_stratum():
    analysis = ANALYSIS[question_of("text", "none")]
    assert analysis.variables(1, ()) == []
    assert not analysis.joins()
    assert not analysis.why_not_in_design()
    with pytest.raises(UnanswerableQuestion, match="is a text, which has no answers"):
        analysis.column([], None)
