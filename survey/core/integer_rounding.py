"""Conversion of real numbers into tables of integers, and tables with additional answers.

A mechanism that is defined by real numbers (an optimum, an exponential) becomes the integers that
are used for sampling. Their likelihood ratio bound never exceeds the limit: the stated privacy loss
is computed from these integers, and must not exceed the requested value.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from survey.core.errors import MechanismError
from survey.core.randomizer import MAX_TOTAL, Randomizer

# The weight of the rarest report is at least this, for ratio bounds of 2 and more.
FINENESS = 4_000
# The limits of a row's total.
MAX_ROW_TOTAL = 2**31
MIN_ROW_TOTAL = 2**12


def round_within_ratio_bound(
    weights: npt.ArrayLike, limit: Fraction, largest: int = MAX_ROW_TOTAL
) -> Randomizer:
    """A table of integers close to these probabilities whose ratio bound is not above the limit.

    Parameters
    ----------
    weights : array_like of positive float, shape (answers, reports)
        Each row is proportional to probabilities. Within a column the largest is about `limit`
        times the smallest, or less.
    limit : Fraction above 1
    largest : int
        The maximum total of a row.

    Raises
    ------
    MechanismError
        If the weights exceed the limit by too much.
    """
    chances = np.asarray(weights, dtype=np.float64)
    chances = chances / chances.sum(axis=1, keepdims=True)
    # This error of epsilon is at most a few 1/4000.
    fineness = FINENESS / min(1.0, float(limit - 1))
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
        # The sort is stable, so that equal entries have the same order on every computer.
        for y in np.argsort(
            -row, kind="stable"
        ):  # Change large entries, where a few units matter least.
            room = high[y] - entries[y] if missing > 0 else low[y] - entries[y]
            step = min(missing, room) if missing > 0 else max(missing, room)
            entries[y] += step
            missing -= step
        if missing:
            raise MechanismError(
                "These probabilities cannot be rounded within the likelihood ratio bound. "
                "Choose a larger epsilon."
            )
        rows.append(entries)
    return Randomizer.from_rows(rows)


def round_outwards(rows: Sequence[Sequence[Fraction]], total: int = MAX_TOTAL) -> Randomizer:
    """A table with this total, close to two rows of probabilities, for a stated design.

    In each column, the larger entry is rounded up and the smaller one down, so the likelihood ratio
    of the rare reports is never stated too small. A smaller entry below 1 becomes 0. The largest
    entry of a row takes the few units that remain.
    """
    columns = list(zip(*rows, strict=True))
    table = []
    for row in rows:
        entries = [
            math.ceil(chance * total) if chance == max(column) else math.floor(chance * total)
            for chance, column in zip(row, columns, strict=True)
        ]
        entries[entries.index(max(entries))] += total - sum(entries)
        table.append(entries)
    return Randomizer.from_rows(table)


def add_special_answers(table: Randomizer, special_answers: int) -> Randomizer:
    """The table with additional answers, each with its own report, at the same ratio bound.

    It serves answers outside of the order or scale, such as "prefer not to say" and "not asked".

    Notes
    -----
    Let l_y be the smallest entry of column y, L their sum, T the total, and t the ratio bound.
    Every row gets an entry a for each new report. The row of a new answer has the smallest entries
    l_y and an a for each new report. It has T - L more for its own report, so that all rows have
    one total. Its own report is then 1 + (T - L) / a times likelier than from any other answer.
    This is t for a = (T - L) / (t - 1), and all other ratios stay the same. k-ary randomised
    response becomes the same mechanism with more answers. If a is not an integer, the table is
    scaled as far as 2^32 allows, and a is rounded up. Derived here;
    tests/core/test_integer_rounding.py checks the ratio bound.
    """
    if not special_answers:
        return table
    ratio_bound = table.ratio_bound
    if ratio_bound is None:
        raise MechanismError(
            "A design without a finite epsilon cannot have additional answers. Choose another one."
        )
    least = [min(column) for column in zip(*table.rows, strict=True)]
    apart = table.total - sum(least)
    wanted = Fraction(apart) / (ratio_bound - 1)
    scale = wanted.denominator
    if scale * (table.total + special_answers * wanted) > MAX_TOTAL:
        scale = max(1, MAX_TOTAL // math.ceil(table.total + special_answers * (wanted + 1)))
    alone = math.ceil(scale * wanted)
    rows = [[*(scale * entry for entry in row), *[alone] * special_answers] for row in table.rows]
    for special in range(special_answers):
        own = [alone + scale * apart * (other == special) for other in range(special_answers)]
        rows.append([*(scale * entry for entry in least), *own])
    return Randomizer.from_rows(rows)
