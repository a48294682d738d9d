"""Differences between groups: false alarms and coverage, simulated with a seed."""

import numpy as np
import pytest

from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.groups.group_tests import group_tests, two_scores
from survey.analysis.groups.groups import compare
from survey.analysis.groups.measures import measure_of
from survey.analysis.multiple_comparisons import adjust_by_holm
from survey.core.randomizer import Randomizer
from tests.support.analysed import COIN, THREE, column, plain, reported

pytestmark = pytest.mark.fast

FORCED = Randomizer.from_rows([[11, 1], [1, 11]])

CASES = [
    # Sizes, the table of the outcome, that of the group or None, the share of "yes".
    ((8, 40), COIN, None, 0.05), ((8, 40), None, None, 0.1), ((5, 30), FORCED, None, 0.02),
    ((40, 40), COIN, COIN, 0.2), ((20, 100), FORCED, FORCED, 0.05),
    ((25, 25, 30), COIN, THREE, 0.3),
]  # fmt: skip


@pytest.mark.parametrize("sizes, table, group_table, share", CASES)
@pytest.mark.slow
def test_small_groups_are_covered_and_seldom_called_different(sizes, table, group_table, share):
    """150 surveys. With other seeds, coverage of 0.95 is below 0.88 once in 4,000."""
    r, surveys, held, alarms = np.random.default_rng(32), 150, 0, 0
    true_groups = np.repeat(np.arange(len(sizes)), sizes)
    for _ in range(surveys):
        answers = (r.random(len(true_groups)) > share).astype(int)
        outcome = (plain(answers, 2, "o") if table is None
                   else column(reported(r, table, answers), table, "o"))  # fmt: skip
        group = (plain(true_groups, len(sizes), "g") if group_table is None
                 else column(reported(r, group_table, true_groups), group_table, "g"))  # fmt: skip
        found = compare(outcome, group, answer=0)
        if not found.differences:
            held += 1
            continue
        held += all(d.low <= 0 <= d.high for d in found.differences)
        alarms += any(d.adjusted < 0.05 for d in found.differences)
        for d in found.differences:
            assert (d.p < 0.05) == (not d.figure.low <= 0 <= d.figure.high)
    assert held / surveys > 0.88
    assert alarms / surveys < 0.12


def test_special_answers_are_tested_by_permutations():
    """Random answers with "prefer not to say": at most 5.5 %, with 300 surveys below 9 %."""
    r, alarms = np.random.default_rng(33), 0
    for _ in range(300):
        answers = r.choice(3, size=60, p=[0.1, 0.75, 0.15])
        outcome = column(reported(r, THREE, answers), THREE, "o", special_answers=1)
        group = plain(np.repeat([0, 1], [12, 48]), 2, "g")
        measure, sample = measure_of(outcome, 0), complete_case_sample((outcome, group))
        assert two_scores(measure, group, sample) is None
        alarms += group_tests(measure, group, sample, [0, 1], [(1, 0)]).p < 0.05
    assert alarms / 300 < 0.09


def test_holm_needs_no_more_than_the_smallest_permutation_p():
    assert adjust_by_holm([1e-4] * 435)[0] < 0.05
