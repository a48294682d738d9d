"""The numbers of "γ", against the closed forms."""

import math
from fractions import Fraction

import pytest

from survey.learn.controls import read_values
from survey.learn.lessons.gamma import Gamma, leaning, people_needed, table_of

pytestmark = pytest.mark.fast


def numbers(**address: str) -> dict[str, float]:
    return dict(Gamma().show(read_values(Gamma.controls, address)).numbers)


def test_the_table_has_exactly_this_gamma():
    for hundredths in range(1, 50):
        gamma = Fraction(hundredths, 100)
        assert leaning(gamma).probability(0, 0) == Fraction(1, 2) + gamma
        assert leaning(gamma).probability(0, 1) == Fraction(1, 2) - gamma
    assert table_of(Fraction(0)) is None
    assert math.isinf(table_of(Fraction(1, 2)).epsilon)


def test_the_variance_is_that_of_the_text_and_never_above_its_bound():
    # 2P - 1/2 with P = 0.35 and n = 1,000: variance 4 x 0.35 x 0.65 / 1,000
    assert numbers(share="20")["exact"] ** 2 == pytest.approx(4 * 0.35 * 0.65 / 1_000)
    for gamma in (0.05, 0.25, 0.5):
        for share in (0, 20, 50, 100):
            found = numbers(gamma=str(gamma), share=str(share), n="100")
            assert found["largest"] == pytest.approx(math.sqrt(1 / (16 * gamma**2 * 100)))
            assert found["exact"] <= found["largest"] * (1 + 1e-12)
    assert numbers(gamma="0.1", share="50")["exact"] == pytest.approx(
        math.sqrt(1 / (16 * 0.1**2 * 1_000))
    )


def test_simulated_estimates_spread_as_the_formula_says():
    # The standard deviation of 1,000 normal estimates has a relative error of 2.2 %, 1/√2,000.
    # 12 comparisons at 4 standard errors fail by chance once in 1,300 times.
    for gamma in ("0.1", "0.25", "0.5"):
        for draw in ("1", "2", "3", "4"):
            found = numbers(gamma=gamma, draw=draw)
            assert found["spread"] == pytest.approx(found["exact"], rel=4 * 0.0224)
            assert abs(found["mean"] - 0.2) < 4 * found["exact"] / math.sqrt(1_000)


def test_the_size_for_five_points():
    # 1.96 sqrt(1/(16 x 1/16 x n)) = 0.05 at n = 1,537
    assert people_needed(0.25) == 1_537
    assert numbers(gamma="0.5")["needed"] == 385


def test_both_ends_have_their_own_sentences():
    shown = Gamma().show(read_values(Gamma.controls, {"gamma": "0"}))
    assert shown.sentence.startswith("γ = 0: every report is a fair coin")
    shown = Gamma().show(read_values(Gamma.controls, {"gamma": "0.5"}))
    assert shown.sentence.startswith("γ = 1/2: every report is the answer itself.")
    assert shown.figures[0].number == "∞"


def test_without_gamma_no_number_of_people_is_enough():
    for gamma, words in (("0", "no number of people"), ("0.01", "more than 40,000 people")):
        shown = Gamma().show(read_values(Gamma.controls, {"gamma": gamma}))
        assert words in shown.pictures[-1].description
