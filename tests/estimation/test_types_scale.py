"""Scales have shares and a mean."""

import numpy as np
import pytest

from tests.support.question_results import LEVELS, asked

pytestmark = pytest.mark.fast

SPREAD = {0: 91, 1: 89, 2: 240, 3: 89, 4: 91}


def test_a_scale_has_shares_and_a_mean():
    shown = asked("scale", {0: 10, 1: 20, 2: 40, 3: 20, 4: 10}, "none", choices=LEVELS)
    assert [answer.value for answer in shown.answers] == [0.1, 0.2, 0.4, 0.2, 0.1]
    (mean,) = shown.quantities
    assert mean.value == pytest.approx(3)
    assert mean.standard_error == pytest.approx(np.sqrt(1.2 / 99))
    assert mean.low < 3 < mean.high
    assert mean.label == "Mean, 1 = Level 1, 5 = Level 5"


def test_a_scale_by_subset_selection_has_a_mean_from_its_shares():
    choices = [{"name": f"l{n}", "label": f"L{n}"} for n in range(9)]
    bits = dict.fromkeys(range(18), 100)
    shown = asked("scale", bits, {"epsilon": 1}, choices=choices)
    assert shown.question.mechanism == "subset_selection"
    assert shown.quantities[0].value == pytest.approx(5)
    assert shown.answers[0].possible_by == "nearest shares that add up to one"


@pytest.mark.parametrize(
    "privacy", [{"mechanism": "one_bit", "epsilon": 1}, {"epsilon": 4, "goal": "mean"}]
)
def test_a_scale_that_tells_the_mean_alone_says_so(privacy):
    choices = [{"name": f"l{n}", "label": f"L{n}"} for n in range(7)]
    # With five reports, these are the expected counts of equally common answers.
    counts = {0: 250, 1: 350} if privacy.get("mechanism") == "one_bit" else SPREAD
    shown = asked("scale", counts, privacy, choices=choices)
    assert shown.n == 600
    assert [quantity.name for quantity in shown.quantities] == ["mean"]
    if not shown.answers:
        assert "allow an estimate of the mean only" in shown.notes[0].sentence
        assert shown.sentence.startswith("The estimated mean for people like these respondents")
