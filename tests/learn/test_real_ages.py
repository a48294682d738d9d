"""The ages of the course texts' data sets, against what their authors publish."""

import pytest

from survey.learn.real_ages import (
    ADULT,
    ADULT_FILE,
    HUNDRED,
    PASSENGERS,
    TABLES,
    THOUSAND,
    age_counts,
)

pytestmark = pytest.mark.fast


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
