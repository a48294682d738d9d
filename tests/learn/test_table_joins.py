"""Joins of k-anonymous tables: who is found, by hand and by chance."""

import itertools
import math

import numpy as np
import pytest

from survey.learn.attacks import table_joins
from survey.learn.attacks.attempt import guess_bound
from tests.learn.attempts import tried

pytestmark = pytest.mark.fast


def test_each_group_of_each_table_has_four_people():
    order = np.random.default_rng(3).permutation(60)
    groups = order.reshape(-1, table_joins.GROUP)
    assert groups.shape == (15, 4)
    assert sorted(groups.ravel().tolist()) == list(range(60))


def test_the_join_finds_the_shared_code():
    orders = [np.arange(8), np.array([0, 4, 5, 6, 1, 2, 3, 7])]
    codes = np.array([900, 11, 12, 13, 14, 15, 16, 17])
    joined = table_joins.shared_codes(orders, [codes, codes])
    # Person 0 shares no group with anyone twice. Persons 1 to 3 share both groups.
    assert joined[0] == 900
    assert joined[1:4].tolist() == [11, 11, 11]
    assert table_joins.shared_codes(orders[:1], [codes])[0] == 11


def test_a_person_is_missed_if_another_is_in_both_groups():
    # By chance, another person shares both groups with 1 − C(n − 4, 3) / C(n − 1, 3), and has the
    # smaller code half of the time. Sharing happens in pairs, so the standard error is that of
    # half as many people. 4.5 of them fail by chance once in 150,000 times.
    attempts = tried("k-anonymity", 1.1)
    shares = sum(each.raw for each in attempts) / 960
    chance = 1 - (1 - math.comb(236, 3) / math.comb(239, 3)) / 2
    assert abs(shares - chance) < 4.5 * math.sqrt(chance * (1 - chance) / 480)


@pytest.mark.parametrize("reports", [1, 2, 3, 4])
def test_the_most_frequent_report_is_right_as_often_as_all_lists_say(reports):
    """Four codes: the largest of the probabilities of each list, and the reports of the code."""
    for odds in (1.2, 3.0, 20.0):
        p = guess_bound(odds, 4)
        other = (1 - p) / 3
        best = 0.0
        for each in itertools.product(range(4), repeat=reports):
            best += max(
                math.prod(p if report == code else other for report in each) for code in range(4)
            )
        assert table_joins.most_frequent_share(reports, odds, 4) == pytest.approx(best / 4)
    if reports < 3:
        assert table_joins.most_frequent_share(reports, 3.0) == pytest.approx(3 / 1_002)


def test_the_most_frequent_report_of_each_person():
    reports = np.array([[5, 1, 7], [6, 2, 8], [6, 3, 7]])
    assert table_joins.frequent_codes(reports).tolist() == [6, 1, 7]
