"""The table of integers: refused tables, and exact consequences of a table."""

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.core.errors import (
    NegativeEntry,
    ShapeError,
    TotalTooLarge,
    UnequalTotals,
    UnusedReport,
    ZeroEntry,
)
from survey.core.randomizer import MAX_TOTAL, Randomizer, exp_below
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

COIN_FLIP = Randomizer(((3, 1), (1, 3)))


def test_the_coin_flip_is_ln_3_exactly():
    assert COIN_FLIP.ratio_bound == 3
    assert COIN_FLIP.epsilon == math.log(3)
    assert COIN_FLIP.total == 4
    assert COIN_FLIP.probability(report=0, answer=0) == Fraction(3, 4)


@check_each(
    ("rows", "error", "words"),
    [
        ([[1]], ShapeError, "at least two answers"),
        ([[1, 1]], ShapeError, "at least two answers"),
        ([[1], [1]], ShapeError, "at least two answers"),
        ([[3, 1], [1, 2, 1]], ShapeError, "Row 2 of the table has 3 entries"),
        ([[3, 1], [1, 3.0]], ShapeError, "whole numbers"),
        ([[3, 1], [True, 3]], ShapeError, "whole numbers"),
        ([[3, 1], "13"], ShapeError, "list of rows"),
        ("no rows", ShapeError, "list of rows"),
        ([[3, 1], [5, -1]], NegativeEntry, "Row 2, column 2 of the table is negative"),
        ([[3, 1], [1, 4]], UnequalTotals, "Row 2 of the table adds up to 5, but row 1 to 4"),
        ([[MAX_TOTAL, 1], [1, MAX_TOTAL]], TotalTooLarge, "The maximum is 4,294,967,296"),
        ([[3, 1, 0], [1, 3, 0]], UnusedReport, "Column 3 of the table is all zero"),
    ],
)
def test_bad_tables_are_refused_each_with_its_own_error(rows, error, words):
    with pytest.raises(error, match=words):
        Randomizer.from_rows(rows)


def test_the_largest_total_is_accepted():
    assert Randomizer(((MAX_TOTAL - 1, 1), (1, MAX_TOTAL - 1))).total == MAX_TOTAL


def test_a_zero_beside_a_positive_entry_has_no_finite_epsilon():
    one_sided = Randomizer(((2, 0), (1, 1)))
    assert one_sided.ratio_bound is None
    assert one_sided.epsilon == math.inf
    with pytest.raises(ZeroEntry, match="Row 1, column 2 of the table is zero"):
        one_sided.require_finite()
    COIN_FLIP.require_finite()


def test_delta_is_nothing_at_epsilon_and_something_just_below():
    assert COIN_FLIP.delta(math.log(3) + 1e-12) == 0
    below = COIN_FLIP.delta(math.log(3) - 1e-3)
    assert below == pytest.approx(3 / 4 - math.exp(math.log(3) - 1e-3) / 4, abs=1e-15)
    # At odds of 1, it is the total variation distance, 3/4 - 1/4.
    assert COIN_FLIP.delta(0) == pytest.approx(1 / 2, abs=1e-15)


def test_delta_of_a_table_without_finite_epsilon():
    one_sided = Randomizer(((2, 0), (1, 1)))
    assert one_sided.delta(100) == pytest.approx(1 / 2)


@pytest.mark.parametrize("epsilon", [0, 0.1, 1, math.log(3), 5, 12])
def test_exp_below_is_below_and_near(epsilon):
    # e has 60 digits, in exact arithmetic. The result is below it by less than one part in 10^38.
    from decimal import Decimal, localcontext

    with localcontext(prec=80):
        true = Fraction(Decimal(str(epsilon)).exp())
    assert exp_below(epsilon) < true < exp_below(epsilon) * (1 + Fraction(1, 10**38))


tables = st.integers(2, 6).flatmap(
    lambda reports: st.lists(
        st.lists(st.integers(1, 20), min_size=reports, max_size=reports), min_size=2, max_size=4
    )
).map(
    lambda rows: Randomizer.from_probabilities(
        [[Fraction(entry, sum(row)) for entry in row] for row in rows]
    )
)  # fmt: skip


@given(tables)
def test_json_round_trip_keeps_the_table_and_its_hash(table):
    again = Randomizer.from_rows(json.loads(table.to_json()))
    assert again == table
    assert again.sha256 == table.sha256


@given(tables)
def test_epsilon_is_the_largest_log_ratio_of_any_column(table):
    brute = max(
        Fraction(table.rows[x][y], table.rows[other][y])
        for y in range(table.reports)
        for x in range(table.answers)
        for other in range(table.answers)
    )
    assert table.ratio_bound == brute
    assert table.delta(table.epsilon + 1e-9) == 0


def test_the_hash_is_that_of_the_rows_as_plain_json():
    assert COIN_FLIP.to_json() == "[[3,1],[1,3]]"
    assert json.loads(COIN_FLIP.to_json()) == [[3, 1], [1, 3]]
    # the sha256sum of those thirteen bytes
    assert COIN_FLIP.sha256 == "fb08651546957434622b61898e3a58585471d85b84c996249ed1a5811b16b2ee"
