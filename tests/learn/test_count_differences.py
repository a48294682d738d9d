"""Differences of counts: the bound of a batch against enumeration."""

import itertools
import math

import numpy as np
import pytest

from survey.learn.attacks.count_differences import BATCHES, chances_of_count
from survey.learn.attacks.registry import run_attack
from survey.planning.shuffle_amplification import counted_deltas

pytestmark = pytest.mark.fast


def test_the_bound_of_a_batch_is_its_exact_divergence():
    """By the formula of Candor's checklist, and by enumeration of all reports of three people."""
    others = np.arange(25)
    if_no = [chances_of_count(k, 25, 0.75) for k in range(25)]
    if_yes = [chances_of_count(k + 1, 25, 0.75) for k in range(25)]
    best = np.maximum(if_yes, if_no).sum(axis=1) / 2
    assert best == pytest.approx((1 + counted_deltas(25, 3.0, 0.0, others)) / 2, abs=1e-9)
    chances = np.zeros(4)
    for reports in itertools.product((0, 1), repeat=3):
        kept = [report == answer for report, answer in zip(reports, (1, 1, 0), strict=True)]
        chances[sum(reports)] += math.prod(0.75 if each else 0.25 for each in kept)
    assert chances_of_count(2, 3, 0.75) == pytest.approx(chances)
    bounds = [step.bound for step in run_attack("counts", 240, 1.1, 2, 1).steps]
    assert bounds[0] == pytest.approx(0.75)
    assert bounds == sorted(bounds, reverse=True)
    assert BATCHES[-1] == 25
