"""Scores that make the mean of the reports unbiased, and the most likely shares."""

import numpy as np
import pytest

from survey.core.mechanisms import build_randomizer
from survey.core.scores import most_likely_shares, probabilities, support_of, unbiased_scores

pytestmark = pytest.mark.fast


def built(privacy, answers=2, kind="choices"):
    return build_randomizer(privacy, kind, answers)


COIN_FLIP = built({"mechanism": "coin_flip"}, 2)
FIVE = built(
    {"mechanism": "forced_response", "p_truth": 0.65, "p_forced": [0.1, 0.1, 0.05, 0.05, 0.05]}, 5
)
MANY_REPORTS = built({"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]}, 2)


def test_least_variance_scores_of_a_table_with_more_reports_than_answers():
    # By symmetry, the best scores are antisymmetric about 1/2: (1/2 + s, 1/2, 1/2 - s).
    scores = unbiased_scores(MANY_REPORTS, np.eye(2))
    np.testing.assert_allclose(scores[:, 0], [1 / 2 + 5 / 3, 1 / 2, 1 / 2 - 5 / 3], atol=1e-12)
    assert support_of(MANY_REPORTS, scores[:, 0], 0) is None


@pytest.mark.parametrize("counts", [[0, 100], [100, 0], [1, 0], [30, 70], [26, 74]])
def test_maximum_likelihood_for_two_answers_is_the_clipped_estimate(counts):
    clipped = min(1, max(0, 2 * counts[0] / sum(counts) - 1 / 2))
    assert most_likely_shares(COIN_FLIP, counts)[0] == pytest.approx(clipped, abs=1e-9)


@pytest.mark.parametrize(("answers", "epsilon"), [(2, 0.05), (10, 0.1), (100, 0.05), (30, 12)])
def test_the_most_likely_shares_are_found_for_flat_and_steep_tables(answers, epsilon):
    table = built({"mechanism": "k_randomized_response", "epsilon": epsilon}, answers)
    generator = np.random.default_rng(3)
    for n in (1, 50, 20_000):
        truth = generator.dirichlet(np.ones(answers) * 0.3)
        counts = generator.multinomial(n, truth @ probabilities(table))
        shares = most_likely_shares(table, counts)
        seen = counts > 0
        chances = shares @ probabilities(table)
        gain = probabilities(table)[:, seen] @ (counts[seen] / n / chances[seen])
        assert gain.max() - 1 < 1e-9  # No answer deserves a larger share.
        assert shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("table", [FIVE, MANY_REPORTS, COIN_FLIP], ids=["five", "wide", "coin"])
def test_no_shares_nearby_are_likelier_than_the_most_likely(table):
    generator = np.random.default_rng(7)
    for _ in range(20):
        counts = generator.multinomial(200, generator.dirichlet(np.ones(table.reports)))
        best = most_likely_shares(table, counts)
        assert best.min() >= 0
        assert best.sum() == pytest.approx(1)

        def log_likelihood(shares, counts=counts):
            return counts @ np.log(shares @ probabilities(table))

        for _ in range(50):
            other = generator.dirichlet(np.ones(table.answers))
            step = 10.0 ** -generator.uniform(0, 4)
            nearby = (1 - step) * best + step * other
            # The stopping rule limits the deficit to 1e-9 for each response.
            assert log_likelihood(nearby) <= log_likelihood(best) + 200 * 1e-9
