"""Cohen's kappa: a published example, closed forms, and the coverage of the interval."""

import itertools
import math

import numpy as np
import pytest

from survey.analysis.tables.agreement import (
    agreement,
    kappa_interval,
    kappa_likelihood_ratio,
    limit_of,
)

pytestmark = pytest.mark.fast


def kappa_of(cells: tuple[float, ...]) -> float:
    """The definition, from the shares of the four cells."""
    both, first, second, neither = cells
    expected = (both + first) * (both + second) + (first + neither) * (second + neither)
    return (both + neither - expected) / (1 - expected)


def test_the_example_of_sim_and_wright() -> None:
    """Sim and Wright (2005), Physical Therapy 85, table 1: 39 patients, kappa 0.67."""
    found = agreement(22, 2, 4, 11)
    assert found.n == 39
    assert found.observed == pytest.approx(33 / 39)
    assert found.kappa == pytest.approx(2 / 3)
    # (0.8462 - 0.5385) / (1 - 0.5385), by hand
    assert found.kappa == pytest.approx((33 / 39 - 819 / 1521) / (1 - 819 / 1521))


@pytest.mark.parametrize("counts", [(20, 5, 10, 15), (3, 0, 1, 60), (0, 4, 2, 9), (7, 7, 7, 7)])
def test_kappa_is_its_definition_and_inside_its_interval(counts: tuple[int, ...]) -> None:
    found = agreement(*counts)
    n = sum(counts)
    assert found.kappa == pytest.approx(kappa_of(tuple(each / n for each in counts)))
    assert found.low < found.kappa < found.high
    # The coders in the other order, and a code that means the opposite, change nothing.
    both, first, second, neither = counts
    for other in (agreement(both, second, first, neither), agreement(neither, first, second, both)):
        assert (other.kappa, other.low, other.high) == pytest.approx(
            (found.kappa, found.low, found.high), abs=1e-4
        )


def test_with_many_texts_the_interval_is_that_of_fleiss_cohen_and_everitt() -> None:
    """The standard error of Fleiss, Cohen and Everitt (1969), which is right for many texts."""
    counts = np.array([8_000, 2_000, 4_000, 6_000])
    n, (a, b, c, d) = counts.sum(), counts / counts.sum()
    kappa = kappa_of((a, b, c, d))
    first, second = np.array([a + b, c + d]), np.array([a + c, b + d])
    expected = first @ second
    agreed = sum(p * (1 - (first[i] + second[i]) * (1 - kappa)) ** 2 for i, p in enumerate((a, d)))
    other = (1 - kappa) ** 2 * (b * (second[0] + first[1]) ** 2 + c * (second[1] + first[0]) ** 2)
    excess = (kappa - expected * (1 - kappa)) ** 2
    error = math.sqrt((agreed + other - excess) / n) / (1 - expected)
    low, high = kappa_interval(*map(int, counts))
    assert (low, high) == pytest.approx((kappa - 1.96 * error, kappa + 1.96 * error), abs=3e-4)


def test_perfect_agreement_on_few_texts_proves_little() -> None:
    found = agreement(1, 0, 0, 19)
    assert found.kappa == 1
    assert found.high == 1
    assert found.low < 0.3


@pytest.mark.parametrize("counts", [(5, 0, 0, 0), (0, 0, 0, 5)])
def test_a_code_that_both_always_or_never_give_has_no_kappa(counts: tuple[int, ...]) -> None:
    found = agreement(*counts)
    assert found.observed == 1
    assert (found.kappa, found.low, found.high) == (None, None, None)


def test_without_texts_there_is_nothing() -> None:
    found = agreement(0, 0, 0, 0)
    assert (found.n, found.observed, found.kappa) == (0, None, None)


def test_one_coder_who_never_gives_the_code_agrees_as_by_chance() -> None:
    assert agreement(0, 3, 0, 50).kappa == 0


@pytest.mark.parametrize(
    ("n", "cells"),
    [
        (10, (0.4, 0.1, 0.1, 0.4)),
        (10, (0.1, 0.02, 0.03, 0.85)),
        (20, (0.1, 0.02, 0.03, 0.85)),
        (20, (0.05, 0.05, 0.05, 0.85)),
        pytest.param(20, (0.25, 0.25, 0.25, 0.25), marks=pytest.mark.slow),
        pytest.param(20, (0.7, 0.05, 0.1, 0.15), marks=pytest.mark.slow),
        pytest.param(20, (0.48, 0.01, 0.01, 0.5), marks=pytest.mark.slow),
    ],
)
def test_the_interval_covers_by_enumeration(n: int, cells: tuple[float, ...]) -> None:
    """All outcomes with a kappa, each with its multinomial probability.

    Outcomes below 1e-7 are left out: at most 1,771 of them, so at most 0.0002 in all.
    """
    kappa = kappa_of(cells)
    total = covered = 0.0
    for three in itertools.product(range(n + 1), repeat=3):
        counts = (*three, n - sum(three))
        if counts[3] < 0 or n in (counts[0], counts[3]):
            continue
        logs = (k * math.log(p) - math.lgamma(k + 1) for k, p in zip(counts, cells, strict=True))
        chance = math.exp(math.lgamma(n + 1) + sum(logs))
        if chance < 1e-7:
            continue
        total += chance
        seen = np.array(counts, dtype=float)
        covered += chance * (kappa_likelihood_ratio(seen, kappa) <= limit_of(seen))
    assert 0.94 <= covered / total <= 1
