"""The summary of dates, compared with a count of all days."""

from datetime import date, timedelta
from functools import partial

import numpy as np

from survey.core.scores import Array
from survey.estimation.types.date_summary import summarise_dates

from .answers import SIZES
from .study import Case, Finding, Study

# The first and the last possible day.
SPANS = {
    "a month": (date(2026, 1, 1), date(2026, 1, 31)),
    "24 months": (date(2024, 3, 1), date(2026, 2, 28)),
    "25 months": (date(2024, 2, 29), date(2026, 2, 28)),
    "a century": (date(1926, 12, 31), date(2026, 1, 1)),
}
# Days have equal shares, or half of the people give one of the first hundredth.
EVEN, EARLY = "even", "half of them early"
MAX_MONTHS = 24
# Of so few dates, the earliest and the latest are the middle.
FEW = (1, 2)


def chances_of(days: int, shape: str) -> Array:
    chances = np.ones(days)
    if shape == EARLY:
        early = max(1, days // 100)
        chances[:early] = days / early
    return chances / chances.sum()


def draw(span: tuple[date, date], shape: str, n: int, generator: np.random.Generator) -> Finding:
    """Whether any figure differs from the count of each day of the span."""
    first, last = span
    days = (last - first).days + 1
    chosen = generator.choice(days, n, p=chances_of(days, shape))
    found = summarise_dates([first + timedelta(days=int(each)) for each in chosen])
    if found is None:
        return Finding(alarm=True)
    counts = np.bincount(chosen, minlength=days)
    given = np.flatnonzero(counts)
    # The earliest day by which at least half of the dates are given.
    median = int(np.argmax(2 * counts.cumsum() >= n))
    calendar = np.datetime64(first) + np.arange(days)
    months = calendar.astype("datetime64[M]")
    unit = "M" if (months[given[-1]] - months[given[0]]).astype(int) < MAX_MONTHS else "Y"
    periods = calendar.astype(f"datetime64[{unit}]")
    every = np.arange(periods[given[0]], periods[given[-1]] + 1)
    expected = tuple((str(each), int(counts[periods == each].sum())) for each in every)
    true = tuple(first + timedelta(days=int(place)) for place in (given[0], median, given[-1]))
    differs = (found.earliest, found.median, found.latest) != true
    differs |= found.n != n or found.periods != expected
    differs |= found.most != max(count for _, count in expected)
    return Finding(alarm=bool(differs))


def cases() -> list[Case]:
    return [
        Case(f"{span}, {shape}", n, partial(draw, ends, shape, n), 400)
        for span, ends in SPANS.items()
        for shape in (EVEN, EARLY)
        for n in (*FEW, *SIZES)
    ]


STUDY = Study(
    "Dates",
    """Dates are stored as given and counted, without an estimate for other people. The page has
    their number, the earliest, the middle and the latest one, and the number in each
    month, or in each year for 25 months or more. A false alarm is a survey in which one of these
    differs from a count of every day.""",
    cases,
    """Two date questions with the same label were summarised as one.""",
)
