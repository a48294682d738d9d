"""Dated ratings: a few of them identify everyone."""

import pytest

from survey.learn.attacks.registry import run_attack

pytestmark = pytest.mark.fast


def test_a_few_dates_find_everyone():
    found = run_attack("ratings", 240, 1.1, 2, 1)
    assert found.more["found"] >= 0.99 * 240
    shares = [step.raw for step in found.steps]
    assert shares[0] < shares[3] == pytest.approx(1, abs=0.01)
