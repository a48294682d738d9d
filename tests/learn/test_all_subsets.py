"""Counts of all subsets: the theorem of Dinur and Nissim."""

import numpy as np
import pytest

from survey.learn.attacks.all_subsets import BITS, MEMBERS, SMALL, candidates_within, rounded_counts

pytestmark = pytest.mark.fast


def test_a_count_is_within_the_error():
    for error in range(5):
        for table in MEMBERS[:: 2**SMALL // 50]:
            exact = MEMBERS @ table
            assert np.abs(rounded_counts(table, error) - exact).max() <= error
    assert BITS[5] == 2


@pytest.mark.parametrize("error", [1, 2, 3])
def test_at_most_4e_answers_are_wrong(error):
    """The theorem, for rounded and for random answers: each candidate that fits is near."""
    generator = np.random.default_rng(error)
    for table in generator.integers(0, 2, (4, SMALL)):
        exact = MEMBERS @ table
        noisy = exact + generator.integers(-error, error + 1, 2**SMALL)
        for answers in (rounded_counts(table, error), noisy):
            fits = candidates_within(answers, error)
            slow = [k for k in range(0, 2**SMALL, 7)
                    if np.abs(BITS[k & np.arange(2**SMALL)] - answers).max() <= error]  # fmt: skip
            if len(fits) > 1:
                assert {*slow} <= {*fits.tolist()}
            wrong = np.abs(MEMBERS[fits] - table).sum(axis=1)
            assert 0 in wrong
            assert wrong.max() <= 4 * error


def test_4e_is_the_best_possible():
    """Answers halfway between two tables fit both, which differ in 4E places."""
    error = 2
    one = np.array([1] * 4 + [0] * 8)
    other = np.array([0] * 4 + [1] * 4 + [0] * 4)
    halfway = (MEMBERS @ one + MEMBERS @ other) // 2
    assert np.abs(MEMBERS @ one - halfway).max() <= error
    assert np.abs(MEMBERS @ other - halfway).max() <= error
    fits = candidates_within(halfway, error).tolist()
    places = [int(table @ (1 << np.arange(SMALL))) for table in (one, other)]
    assert {*places} <= {*fits}
    assert int(np.abs(one - other).sum()) == 4 * error
