"""Tables out of real numbers: rounded to integers within given odds, and with answers added.

A mechanism that is defined by real numbers (an optimum, an exponential) ends here as the integers
that are really used. Rounding never lets the odds exceed the limit, since what is stated as the
privacy loss is computed from these integers and must not be above what was asked for.
"""

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from survey.core.errors import MechanismError
from survey.core.randomizer import MAX_TOTAL, Randomizer

FINENESS = 4_000  # what the rarest report counts at least, for odds of 2 and more
MAX_ROW_TOTAL, MIN_ROW_TOTAL = 2**31, 2**12  # row totals


def round_within_odds(
    weights: npt.ArrayLike, limit: Fraction, largest: int = MAX_ROW_TOTAL
) -> Randomizer:
    """The integers next to these probabilities whose odds are not above the limit.

    Parameters
    ----------
    weights : array_like of positive float, shape (answers, reports)
        Each row in proportion to the probabilities; within a column the largest is about at
        most `limit` times the smallest.
    limit : Fraction above 1
    largest : int
        The most that a row may add up to.

    Raises
    ------
    MechanismError
        If they are too far beyond the limit to be kept within it.
    """
    chances = np.asarray(weights, dtype=np.float64)
    chances = chances / chances.sum(axis=1, keepdims=True)
    fineness = FINENESS / min(1.0, float(limit - 1))  # so that epsilon is met to a few 1/4000
    total = int(min(largest, max(MIN_ROW_TOTAL, math.ceil(fineness / chances.min()))))
    low = [max(1, round(float(least) * total)) for least in chances.min(axis=0)]
    high = [math.floor(limit * least) for least in low]
    rows = []
    for row in chances:
        entries = [
            min(max(round(float(chance) * total), least), most)
            for chance, least, most in zip(row, low, high, strict=True)
        ]
        missing = total - sum(entries)
        for y in np.argsort(-row):  # a few units, where they weigh least
            room = high[y] - entries[y] if missing > 0 else low[y] - entries[y]
            step = min(missing, room) if missing > 0 else max(missing, room)
            entries[y] += step
            missing -= step
        if missing:
            raise MechanismError("These probabilities do not fit the odds.")
        rows.append(entries)
    return Randomizer.from_rows(rows)


def with_extra_answers(table: Randomizer, extras: int) -> Randomizer:
    """The table with further answers, each with a report of its own, at the same odds.

    For answers outside the table's own order or scale: "prefer not to say", "not asked".

    Notes
    -----
    Let l_y be the least entry of column y, L their sum, T the total, t the odds. Every row gets an
    entry a for each new report; a new answer's row has the least entries, a for each new report,
    and T - L more for its own, so that all rows add up alike. Its own report is 1 + (T - L) / a
    times likelier than from any other answer: t times with a = (T - L) / (t - 1), and all other
    ratios are those there were. k-ary randomised response becomes the same on k + extras answers.
    Where a is no whole number the table is scaled, as far as 2^32 allows, then a rounded up.
    Derived here; tests/core/test_integer_rounding.py checks the odds.
    """
    if not extras:
        return table
    odds = table.odds
    if odds is None:
        raise MechanismError("A design without a finite epsilon cannot take further answers.")
    least = [min(column) for column in zip(*table.rows, strict=True)]
    apart = table.total - sum(least)
    wanted = Fraction(apart) / (odds - 1)
    scale = wanted.denominator
    if scale * (table.total + extras * wanted) > MAX_TOTAL:
        scale = max(1, MAX_TOTAL // math.ceil(table.total + extras * (wanted + 1)))
    alone = math.ceil(scale * wanted)
    rows = [[*(scale * entry for entry in row), *[alone] * extras] for row in table.rows]
    for extra in range(extras):
        own = [alone + scale * apart * (other == extra) for other in range(extras)]
        rows.append([*(scale * entry for entry in least), *own])
    return Randomizer.from_rows(rows)
