"""Summaries of dates."""

from datetime import date, timedelta

import pytest

from survey.estimation.date_summary import summarise_dates

pytestmark = pytest.mark.fast


def test_periods_are_months_up_to_two_years_and_then_years():
    found = summarise_dates([date(2025, 12, 31), date(2026, 2, 1), date(2026, 2, 3)])
    assert (found.n, found.earliest, found.median, found.latest) == (
        3, date(2025, 12, 31), date(2026, 2, 1), date(2026, 2, 3),
    )  # fmt: skip
    assert found.periods == (("2025-12", 1), ("2026-01", 0), ("2026-02", 2))
    assert found.most == 2
    assert len(summarise_dates([date(2024, 1, 31), date(2025, 12, 1)]).periods) == 24
    years = summarise_dates([date(2023, 12, 31), date(2025, 12, 1)])
    assert years.periods == (("2023", 1), ("2024", 0), ("2025", 1))


def test_each_date_is_in_one_period_and_half_are_at_most_the_median():
    dates = [date(1950, 1, 1) + timedelta(days=97 * k * k % 20_000) for k in range(101)]
    found = summarise_dates(dates)
    assert sum(count for _, count in found.periods) == found.n == 101
    assert sum(each <= found.median for each in dates) >= 51
    assert sum(each >= found.median for each in dates) >= 51
    assert summarise_dates(dates[:2]).median == min(dates[:2])
    assert summarise_dates([]) is None
