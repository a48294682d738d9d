"""Factored randomizers: unsound ones are refused, and the JSON round trip is exact."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from survey.core.errors import ShapeError, TotalTooLarge
from survey.core.factored_randomizers import (
    Boxes,
    SubsetPart,
    SubsetSelection,
    UnaryEncoding,
    from_json,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

COIN = ((3, 1), (1, 3))
ALL = [
    UnaryEncoding(8, ((2, 2), (1, 3))),
    SubsetSelection(16, 4, 106, 39),
    Boxes(10, 1, COIN),
    Boxes(4, 4, COIN),
]


@pytest.mark.parametrize("randomizer", ALL, ids=str)
def test_json_and_back(randomizer):
    assert from_json(randomizer.as_json()) == randomizer
    assert len(randomizer.sha256) == 64


def test_the_hash_tells_them_apart():
    assert len({randomizer.sha256 for randomizer in ALL}) == len(ALL)


def test_the_ratio_bounds():
    assert UnaryEncoding(8, ((2, 2), (1, 3))).ratio_bound == 3  # 2 set here, 3/2 clear there
    assert UnaryEncoding(8, COIN).ratio_bound == 9
    assert SubsetSelection(16, 4, 106, 39).ratio_bound == Fraction(106, 39)
    assert Boxes(10, 1, COIN).ratio_bound == 3
    assert Boxes(10, 4, COIN).ratio_bound == 81
    assert Boxes(10, 1, ((1, 0), (0, 1))).ratio_bound is None


def test_the_loss_of_very_many_boxes_is_still_a_number():
    assert Boxes(100, 100, ((160_000, 1), (1, 160_000))).epsilon == pytest.approx(1198.3, abs=0.1)


def test_subset_selection_has_the_chances_of_the_literature():
    """p = d e / (d e + k - d), q = (p (d - 1) + (1 - p) d) / (k - 1); Ye & Barg (2018)."""
    subset = SubsetSelection(16, 4, 3, 1)
    assert subset.p == Fraction(12, 24)
    assert subset.q == (subset.p * 3 + (1 - subset.p) * 4) / 15


def weights_of_part(part: SubsetPart) -> list[Counter]:
    """The weight of each vector of numbers, for each answer, by enumeration of all subsets."""
    answers = [y for y, size in enumerate(part.sizes) for _ in range(size)]
    truths = [answers.index(y) for y in range(part.answers)]
    found = [Counter() for _ in truths]
    for subset in combinations(range(part.whole.answers), part.whole.size):
        numbers = tuple(sum(answers[each] == y for each in subset) for y in range(part.answers))
        for counted, truth in zip(found, truths, strict=True):
            counted[numbers] += part.whole.near if truth in subset else part.whole.far
    return found


@check_each(
    "part",
    [
        SubsetPart(2, SubsetSelection(6, 2, 5, 2), (3, 3)),
        SubsetPart(3, SubsetSelection(6, 2, 5, 2), (1, 2, 3)),
        SubsetPart(2, SubsetSelection(8, 5, 3, 2), (6, 2)),
        SubsetPart(4, SubsetSelection(8, 4, 3, 2), (2, 2, 2, 2)),
    ],
)
def test_the_part_of_a_subset_has_the_chances_of_all_subsets(part):
    weights = weights_of_part(part)
    total = sum(weights[0].values())
    for y in range(part.answers):
        own, others = part.chances_of(y)
        for truth, counted in enumerate(weights):
            numbers = Counter()
            for vector, weight in counted.items():
                numbers[vector[y]] += Fraction(weight, total)
            expected = [float(numbers[number]) for number in range(part.sizes[y] + 1)]
            assert (own if truth == y else others) == pytest.approx(expected, abs=1e-15)
        seen = [vector[y] for vector in weights[0]]
        assert part.numbers_of(y) == (min(seen), max(seen))
    ratios = [
        Fraction(one[vector], other[vector])
        for one in weights
        for other in weights
        for vector in one
    ]
    assert max(ratios) <= part.ratio_bound == part.whole.ratio_bound


def test_optimised_unary_encoding_has_those_of_the_literature():
    unary = UnaryEncoding(8, ((4, 4), (2, 6)))  # odds 3: p = 1/2, q = 1/4
    assert (unary.p, unary.q) == (Fraction(1, 2), Fraction(1, 4))


@check_each(
    "build",
    [
        lambda: UnaryEncoding(1, COIN),
        lambda: UnaryEncoding(4, ((3, 1, 1), (1, 3, 1))),
        lambda: SubsetSelection(4, 4, 3, 1),
        lambda: SubsetSelection(4, 0, 3, 1),
        lambda: SubsetSelection(4, 2, 3, 3),
        lambda: SubsetSelection(4, 2, 2**31, 1),
        lambda: SubsetSelection(4, 2, 3, -1),
        lambda: Boxes(4, 0, COIN),
        lambda: Boxes(4, 5, COIN),
        lambda: from_json({"kind": "magic"}),
    ],
)
def test_what_is_no_randomizer_is_refused(build):
    with pytest.raises((ShapeError, TotalTooLarge)):
        build()
