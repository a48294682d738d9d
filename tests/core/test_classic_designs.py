"""Designs of the survey literature: their tables by hand, and refused arguments."""

import numpy as np
import pytest

from survey.core.errors import DependentRows, UnequalTotals
from survey.core.scores import unbiased_scores
from tests.support.check_each import check_each
from tests.support.mechanisms import built

pytestmark = pytest.mark.fast


def test_a_faulty_own_table_keeps_its_own_error():
    with pytest.raises(UnequalTotals):
        built({"mechanism": "table", "rows": [[3, 1], [1, 4]]}, 2)


@pytest.mark.parametrize(
    "rows", [[[1, 1], [1, 1]], [[3, 1], [2, 2], [1, 3]], [[2, 1, 1], [2, 1, 1]]]
)
def test_a_table_that_does_not_tell_the_shares_is_refused(rows):
    with pytest.raises(DependentRows, match="depend on one another"):
        built({"mechanism": "table", "rows": rows}, len(rows))


def test_a_table_that_tells_them_barely_is_accepted():
    n = 2**31
    table = built({"mechanism": "table", "rows": [[n + 1, n - 1], [n - 1, n + 1]]}, 2)
    scores = unbiased_scores(table, np.eye(2))
    assert scores[0, 0] == pytest.approx(2**30 + 0.5, rel=1e-6)


def test_numbers_mean_the_decimal_they_show():
    assert built({"mechanism": "warner", "p": 0.1}, 2).ratio_bound == 9


@check_each(
    ("privacy", "expected"),
    [
        ({"mechanism": "warner", "p": "2/3"}, ((2, 1), (1, 2))),
        ({"mechanism": "warner", "p": 0.25}, ((1, 3), (3, 1))),
        ({"mechanism": "crosswise", "p": 0.25}, ((1, 3), (3, 1))),
        ({"mechanism": "unrelated_question", "p": 0.7, "prevalence": 0.25}, ((31, 9), (3, 37))),
        ({"mechanism": "kuk", "p_yes": 0.8, "p_no": 0.2}, ((4, 1), (1, 4))),
        (
            {"mechanism": "kuk", "p_yes": "2/3", "p_no": "1/3", "draws": 2},
            ((4, 4, 1), (1, 4, 4)),
        ),
        (
            {"mechanism": "forced_response", "p_truth": "2/3", "p_yes": "1/6", "p_no": "1/6"},
            ((5, 1), (1, 5)),
        ),
        (
            {"mechanism": "forced_response", "p_truth": 0.6, "p_yes": 0.3, "p_no": 0.1},
            ((9, 1), (3, 7)),
        ),
        ({"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]}, ((5, 3, 2), (2, 3, 5))),
    ],
)
def test_a_design_is_its_table_by_hand(privacy, expected):
    assert built(privacy).rows == expected
