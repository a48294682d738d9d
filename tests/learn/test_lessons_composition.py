"""The numbers of "Composition", by hand and against closed forms."""

import math
from fractions import Fraction

import numpy as np
import pytest

from survey.central_dp.dp_request import Request
from survey.central_dp.figure_noise import discrete_laplace_deviation
from survey.learn.controls import read_values
from survey.learn.lessons.composition import (
    AGAIN,
    GROUPS,
    TRUTH,
    Composition,
    allowed_queries,
    loss_of_queries,
    running_averages,
)

pytestmark = pytest.mark.fast


def test_losses_add_up_about_the_same_people_and_not_about_groups():
    tenth = Fraction(1, 10)
    assert loss_of_queries(30, AGAIN, tenth) == 3
    assert loss_of_queries(30, GROUPS, tenth) == tenth
    assert loss_of_queries(0, AGAIN, tenth) == 0


def test_the_ledger_uses_the_budget_up_to_the_last_digit():
    tenth = Fraction(1, 10)
    assert allowed_queries(100, AGAIN, tenth, Fraction(3)) == 30
    assert allowed_queries(100, AGAIN, Fraction(7, 20), Fraction(3)) == 8
    assert allowed_queries(5, AGAIN, Fraction(1), Fraction(1, 2)) == 0
    assert allowed_queries(100, GROUPS, tenth, Fraction(1, 2)) == 100


def test_a_ledger_charges_each_query_as_often_however_many_came_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Anyone can ask for 200 queries. If each summed up all before it, that took over a second."""
    read = Request.loss.fget
    charged = []

    def counted(request: Request):
        charged.append(1)
        return read(request)

    monkeypatch.setattr(Request, "loss", property(counted))
    for kind in (AGAIN, GROUPS):
        charges = []
        for queries in (10, 200):
            charged.clear()
            assert allowed_queries(queries, kind, Fraction(1, 20), Fraction(20)) == queries
            charges.append(len(charged))
        assert charges[0] > 0
        assert charges[1] == 20 * charges[0]


def test_the_error_is_that_of_discrete_laplace_noise():
    # The variance of one count, by summation.
    chances = [math.exp(-0.1 * abs(x)) for x in range(-600, 601)]
    variance = sum(x * x * c for x, c in zip(range(-600, 601), chances, strict=True)) / sum(chances)
    values = read_values(Composition.controls, {"epsilon": "0.1", "queries": "49"})
    numbers = Composition().show(values).numbers
    assert numbers["one"] == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert numbers["average"] == pytest.approx(numbers["one"] / 7)


def test_averages_find_the_truth():
    # 4.5 standard errors fail by chance once in 150,000 times.
    last = running_averages(0.1, 20_000, np.random.default_rng(1))[-1]
    assert abs(last - TRUTH) < 4.5 * discrete_laplace_deviation(10) / math.sqrt(20_000)


def test_the_sentence_says_what_the_ledger_accepts():
    def sentence(**address: str) -> str:
        return Composition().show(read_values(Composition.controls, address)).sentence

    assert sentence() == (
        "100 queries would cost ε = 10.00. The ledger accepts 30 of them, and refuses the rest."
    )
    assert sentence(kind="groups") == (
        "All 100 queries cost ε = 0.10. This is within the budget of ε = 3.00."
    )
    assert sentence(epsilon="1", budget="0.5", queries="2") == (
        "2 queries would cost ε = 2.00. The ledger accepts 0 of them, and refuses the rest."
    )
