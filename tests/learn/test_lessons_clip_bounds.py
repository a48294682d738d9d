"""The numbers of "Sensitivity and clipping", against closed forms."""

import math

import numpy as np
import pytest

from survey.learn.controls import read_values
from survey.learn.lessons.clip_bounds import (
    ADULT,
    ADULT_FILE,
    COARSE,
    FINE,
    HUNDRED,
    PASSENGERS,
    TABLES,
    THOUSAND,
    Clipping,
    age_counts,
    best_bound,
    clipped_bias,
    draw_curve,
    draw_mean,
    draw_separately,
    mean_noise,
    people_of,
    separate_deviation,
    sum_of_ages,
    sums_at,
    total_error,
    vector_deviation,
)

pytestmark = pytest.mark.fast


def ages_of(table: str) -> np.ndarray:
    """The age of each person."""
    counts = age_counts(table)
    return np.repeat(list(counts), list(counts.values()))


def test_the_figures_of_the_text():
    """The count and the mean that it prints, and the sum that it does not print."""
    ages = ages_of(ADULT)
    assert len(ages) == people_of(ADULT) == 15_772
    assert float(ages.mean()) == 40.267562769464874
    assert int(ages.sum()) == sum_of_ages(ADULT) == 635_100
    shown = Clipping().show(read_values(Clipping.controls, {}))
    texts = [figure.number for figure in shown.figures]
    assert texts[:3] == ["15,772", "635,100 years", "40.2676 years"]


def test_the_bias_is_zero_above_the_oldest_and_grows_below():
    for table, oldest in ((ADULT, 90), (HUNDRED, 77), (PASSENGERS, 80)):
        assert clipped_bias(table, oldest) == 0 > clipped_bias(table, oldest - 1)
        biases = [clipped_bias(table, bound) for bound in range(10, oldest, 10)]
        assert biases == sorted(biases)
        ages = ages_of(table)
        by_hand = np.minimum(ages, 50).mean() - ages.mean()
        assert clipped_bias(table, 50) == pytest.approx(by_hand)


def test_a_mean_with_noise_is_a_sum_by_a_count_with_half_of_epsilon_each():
    # The noise of 4,000 counts of scale 4 has a standard deviation of 5.66, with a relative error
    # of √5 / √(4 × 4,000) = 1.8 %. 4.5 standard errors fail by chance once in 100,000 times.
    generator = np.random.default_rng(3)
    drawn = np.array([draw_mean(ADULT, 90, 0.5, generator) for _ in range(4_000)])
    noise = drawn[:, :2] - (15_772, 635_100)
    assert noise.std(axis=0) / math.sqrt(2) == pytest.approx((4, 360), rel=4.5 * 0.018)
    assert drawn[:, 2] == pytest.approx(drawn[:, 1] / drawn[:, 0])


@pytest.mark.parametrize("table", TABLES)
def test_no_address_does_much_work(monkeypatch, table):
    """The sums run over the different ages, not over 15,772 people."""
    rows = 0

    def counted(asked: str) -> dict[int, int]:
        nonlocal rows
        counts = dict(age_counts(asked))
        rows += len(counts)
        return counts

    monkeypatch.setattr("survey.learn.lessons.clip_bounds.age_counts", counted)
    best_bound.cache_clear()
    Clipping().show(read_values(Clipping.controls, {"table": table}))
    # Sums at 150 bounds are 150 steps for each age, three times.
    assert 0 < rows + 3 * 150 * len(age_counts(table)) < 200_000


def test_the_noise_is_that_of_a_sum_divided_by_n():
    assert mean_noise(1_000, 90, 0.5) == pytest.approx(math.sqrt(2) * 90 / 0.5 / 1_000)
    assert total_error(HUNDRED, 60, 1.0) == pytest.approx(
        math.sqrt(clipped_bias(HUNDRED, 60) ** 2 + 2 * 0.6**2)
    )


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.5])
def test_no_bound_is_better_than_the_best(table, epsilon):
    best = best_bound(table, epsilon)
    least = total_error(table, best, epsilon)
    assert all(least <= total_error(table, bound, epsilon) for bound in range(1, 151))
    # A larger ε allows a higher bound.
    assert best_bound(table, 2 * epsilon) >= best


def test_more_people_allow_a_higher_bound():
    bounds = [best_bound(table, 0.5) for table in (HUNDRED, THOUSAND, ADULT)]
    assert bounds == sorted(bounds) == [58, 73, 88]


def test_the_differences_add_up_to_the_clipped_sums_and_one_person_changes_them_by_the_bound():
    for bounds in (COARSE, FINE):
        part = sums_at(bounds)
        assert part.l1 == 150
        sums = np.cumsum(part.sum_of({17: 2, 90: 1, 64: 3}))
        for bound, total in zip(bounds, sums.tolist(), strict=True):
            assert total == 2 * min(17, bound) + min(90, bound) + 3 * min(64, bound)


def test_the_noise_of_the_text_and_of_one_vector():
    """At ε = 1.5 and the bound 90."""
    assert separate_deviation(90, 150, 1.5) == pytest.approx(math.sqrt(2) * 9_000)
    assert vector_deviation(FINE.index(90), FINE, 1.5) == pytest.approx(math.sqrt(2 * 90) * 100)
    assert vector_deviation(COARSE.index(90), COARSE, 1.5) == pytest.approx(math.sqrt(12) * 100)


def test_drawn_sums_have_this_noise():
    # A standard deviation of 2,000 draws of sums of Laplace noise has a relative error below 2.5 %,
    # sqrt((kurtosis + 2) / (4 x 2,000)) with an excess kurtosis of at most 3. 4.5 standard errors
    # fail by chance less than once in 10,000 times.
    generator = np.random.default_rng(11)
    true = np.minimum(ages_of(HUNDRED), 90).sum()
    curves = np.array([draw_curve(COARSE, HUNDRED, 1.5, generator)[5] for _ in range(2_000)])
    assert np.sqrt(np.mean((curves - true) ** 2)) == pytest.approx(
        vector_deviation(5, COARSE, 1.5), rel=4.5 * 0.025
    )
    alone = np.array([draw_separately((90,), HUNDRED, 1.5, generator)[0] for _ in range(2_000)])
    assert np.sqrt(np.mean((alone - true) ** 2)) == pytest.approx(
        separate_deviation(90, 1, 1.5), rel=4.5 * 0.025
    )


# --- the ages


def test_the_adult_data_have_48842_people_and_these_levels_of_education():
    """8,025 with a bachelor's degree, 2,657 with a master's, 834, 594, 2,061 and 1,601 more."""
    rows = [line.split(",") for line in ADULT_FILE.read_text(encoding="utf-8").splitlines()[1:]]
    assert sum(int(above) + int(others) for _, above, others in rows) == 48_842
    above = age_counts(ADULT)
    assert sum(above.values()) == 8_025 + 2_657 + 834 + 594 + 2_061 + 1_601
    assert (min(above), max(above)) == (18, 90)


def test_smaller_tables_have_the_ages_of_the_large_one():
    for table, n in ((THOUSAND, 1_000), (HUNDRED, 100)):
        counts = age_counts(table)
        assert sum(counts.values()) == n
        mean = sum(age * people for age, people in counts.items()) / n
        assert mean == pytest.approx(40.2676, abs=0.01)
        assert set(counts) <= set(age_counts(ADULT))


def test_714_passengers_have_an_age_and_the_oldest_is_80():
    ages = age_counts(PASSENGERS)
    assert sum(ages.values()) == 714
    assert max(ages) == 80
    # The mean of the ages with months is 29.699 (R package titanic); whole years are smaller.
    assert 29.2 < sum(age * people for age, people in ages.items()) / 714 < 29.7


def test_each_table_has_a_name():
    assert set(TABLES) == {ADULT, THOUSAND, HUNDRED, PASSENGERS}
