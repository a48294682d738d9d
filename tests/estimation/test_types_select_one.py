"""The defaults of all types."""

import pytest

from tests.support.question_results import MANY, asked

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("kind", ["scale", "select_multiple", "number", "text", "select_one"])
def test_without_responses_every_kind_says_so(kind):
    more = {"min": 0, "max": 9} if kind == "number" else {"choices": MANY}
    privacy = "none" if kind == "text" else {"epsilon": 1}
    shown = asked(kind, {}, privacy, **({} if kind == "text" else more))
    assert shown.sentence == "There are no responses yet."
    assert shown.n == 0
