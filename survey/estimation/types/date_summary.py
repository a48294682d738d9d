"""Summaries of dates, which are counted and not estimated."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

# With a longer span, the periods are years.
MAX_MONTHS = 24


@dataclass(frozen=True, kw_only=True)
class DateSummary:
    """The dates that respondents gave.

    Attributes
    ----------
    n : the number of dates, at least 1
    median : the middle date; of an even number, the earlier one of the two in the middle
    periods : each month or year from the earliest to the latest date, as 2026-01 or 2026, with the
        number of dates in it
    """

    n: int
    earliest: date
    median: date
    latest: date
    periods: tuple[tuple[str, int], ...]

    @property
    def most(self) -> int:
        """The number of dates in the fullest period."""
        return max(count for _, count in self.periods)


def summarise_dates(dates: Sequence[date]) -> DateSummary | None:
    """The summary of these dates; None if there are none."""
    if not dates:
        return None
    ordered = sorted(dates)
    first, last = ordered[0], ordered[-1]
    start, end = (12 * each.year + each.month - 1 for each in (first, last))
    if end - start < MAX_MONTHS:
        names = [f"{month // 12:04}-{month % 12 + 1:02}" for month in range(start, end + 1)]
        counts = Counter(each.isoformat()[:7] for each in ordered)
    else:
        names = [f"{year:04}" for year in range(first.year, last.year + 1)]
        counts = Counter(each.isoformat()[:4] for each in ordered)
    return DateSummary(
        n=len(ordered),
        earliest=first,
        median=ordered[(len(ordered) - 1) // 2],
        latest=last,
        periods=tuple((name, counts[name]) for name in names),
    )
