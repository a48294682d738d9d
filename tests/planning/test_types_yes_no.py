"""Plans for yes/no questions are about yes."""

import pytest

from survey.planning.precision import share_precision
from survey.planning.types import PLANNING
from tests.support.question_results import question_of

pytestmark = pytest.mark.fast
# With these odds, yes is reported with probability 0.9 or 0.4: no has another noise than yes.
UNEQUAL = question_of("yes_no", {"mechanism": "table", "rows": [[9, 1], [4, 6]]})


def test_people_deny_yes():
    denied = PLANNING[UNEQUAL].denied_precision(0.1, 1.0)
    assert denied == share_precision(UNEQUAL, 0.1, 1.0, 0)
    # P = 0.4 + 0.5 * 0.1, and the variance is P (1 - P) / 0.5^2.
    assert denied.variance == pytest.approx(0.45 * 0.55 / 0.25)


def test_the_sentence_names_yes():
    needs = {"margin": "5 points", "respondents": "100 respondents", "openly": "50"}
    assert "the share of Yes with a margin of 5 points" in PLANNING[UNEQUAL].needed_sentence(needs)
