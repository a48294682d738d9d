"""Nothing is planned for texts."""

import pytest

from survey.core.errors import UnanswerableQuestion
from survey.planning.precision import precisions
from survey.planning.types import PLANNING
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast


def test_a_text_has_no_precision():
    text = question_of("text", "none")
    assert PLANNING[text].denied_precision(0.1, 1.0) is None
    with pytest.raises(UnanswerableQuestion, match="Nothing can be estimated"):
        precisions(text)
