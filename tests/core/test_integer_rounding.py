"""Tables of real numbers, rounded to integers, and tables with added answers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.core.errors import MechanismError
from survey.core.integer_rounding import add_special_answers, round_within_ratio_bound
from survey.core.mechanisms import build_randomizer
from survey.core.randomizer import Randomizer
from survey.core.scores import score_variances
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

SQUARE = Randomizer(((3, 1), (1, 3)))


def test_weights_become_integers_next_to_them():
    table = round_within_ratio_bound([[0.75, 0.25], [0.25, 0.75]], Fraction(3))
    assert table.ratio_bound <= 3
    np.testing.assert_allclose(
        np.array(table.rows) / table.total, [[0.75, 0.25], [0.25, 0.75]], atol=1e-3
    )


@given(
    st.integers(2, 6),
    st.integers(2, 9),
    st.floats(1.05, 200),
    st.integers(0, 2**32 - 1),
)
def test_rounding_never_lets_the_ratio_bound_exceed_the_limit(answers, reports, limit, seed):
    generator = np.random.default_rng(seed)
    floors = generator.uniform(0.01, 1, reports)
    weights = floors * limit ** generator.uniform(0, 1, (answers, reports))
    rows = weights / weights.sum(axis=1, keepdims=True)
    exact = Fraction(float((rows.max(axis=0) / rows.min(axis=0)).max()))
    table = round_within_ratio_bound(weights, exact)
    assert table.ratio_bound <= exact
    np.testing.assert_allclose(np.array(table.rows) / table.total, rows, rtol=2e-3, atol=1e-3)


def test_weights_far_beyond_the_limit_are_refused():
    with pytest.raises(MechanismError, match="cannot be rounded within the likelihood"):
        round_within_ratio_bound([[0.999, 0.001], [0.001, 0.999]], Fraction(2))


@check_each("special_answers", [1, 2, 5])
@check_each(
    "rows",
    [
        ((3, 1), (1, 3)),
        ((8, 3, 3), (3, 8, 3), (3, 3, 8)),
        ((5, 3, 2), (2, 3, 5)),
        ((9, 1), (5, 5), (1, 9)),  # one bit of a number
    ],
)
def test_further_answers_keep_the_ratio_bound_exactly(rows, special_answers):
    table = Randomizer(rows)
    more = add_special_answers(table, special_answers)
    assert more.ratio_bound == table.ratio_bound
    assert (more.answers, more.reports) == (
        table.answers + special_answers,
        table.reports + special_answers,
    )
    # The chances of an old answer's reports keep their ratios.
    for old, new in zip(table.rows, more.rows, strict=False):
        among = [Fraction(entry, sum(new[: table.reports])) for entry in new[: table.reports]]
        assert among == [Fraction(entry, table.total) for entry in old]
    # A new answer's own report is as likely as the odds allow.
    own, other = more.rows[-1][-1], more.rows[0][-1]
    assert Fraction(own, other) == table.ratio_bound


def test_k_ary_randomised_response_stays_what_it_is():
    for k in (2, 3, 7):
        rows = tuple(tuple(5 if x == y else 2 for y in range(k)) for x in range(k))
        more = add_special_answers(Randomizer(rows), 2)
        assert more.rows == tuple(
            tuple(5 if x == y else 2 for y in range(k + 2)) for x in range(k + 2)
        )


def test_no_further_answers_is_the_same_table():
    assert add_special_answers(SQUARE, 0) is SQUARE


def test_totals_near_the_limit_cost_a_hair_of_accuracy_and_no_ratio_bound():
    n = 2**29
    table = Randomizer(((n + 12345, n - 12345), (n - 12347, n + 12347)))
    more = add_special_answers(table, 1)
    assert more.ratio_bound <= table.ratio_bound
    assert float(more.ratio_bound) == pytest.approx(float(table.ratio_bound), rel=1e-8)
    assert more.total <= 2**32


@check_each("special_answers", [1, 2])
@check_each("points", [5, 11, 21])
@check_each("epsilon", [0.1, 1, 1.5, 6])
def test_who_may_decline_costs_a_mean_no_more_than_their_share(epsilon, points, special_answers):
    """Regression: a second rounding of such tables made the mean of the others incalculable."""
    privacy = {"epsilon": epsilon, "goal": "mean"}
    alone = build_randomizer(privacy, "numbers", points)
    more = build_randomizer(privacy, "numbers", points, special_answers)
    values = np.linspace(-1, 1, points)
    before = score_variances(alone, values[:, np.newaxis]).max()
    target = np.append(values, np.zeros(special_answers))[:, np.newaxis]
    after = score_variances(more, target)[:points].max()
    # Each old report is rarer by the share of the new reports.
    kept = sum(more.rows[0][:-special_answers]) / more.total
    assert after <= 1.2 * (before + 1) / kept**2


def test_a_table_without_a_finite_ratio_bound_takes_none():
    with pytest.raises(MechanismError, match="without a finite epsilon"):
        add_special_answers(Randomizer(((2, 0), (1, 1))), 1)
