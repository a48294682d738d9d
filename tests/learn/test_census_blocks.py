"""Census blocks: the search against enumeration, and the bound against exact sums."""

import itertools
import math

import numpy as np
import pytest

from survey.learn.attacks import census_blocks
from survey.learn.dp_draws import selection_chances

pytestmark = pytest.mark.fast


def test_the_search_finds_exactly_the_blocks_that_fit(monkeypatch):
    """All blocks with ages from 0 to 5, by enumeration of every block with the same figures."""
    monkeypatch.setattr(census_blocks, "OLDEST", 5)
    blocks = [
        np.array([*women, *men])
        for women in itertools.combinations_with_replacement(range(6), 3)
        for men in itertools.combinations_with_replacement(range(6), 2)
    ]
    traits = np.array([0, 4])

    def kept(figures, other):
        """Whether the block has the same figures, and someone of each age that is left over."""
        own = census_blocks.publish_block(other, np.array([], dtype=int))
        left = [figures.everyone - others for others in figures.others]
        return own[:4] == figures[:4] and all(age in other for age in left)

    for block in blocks[::40]:
        figures = census_blocks.publish_block(block, traits)
        found = census_blocks.fitting_blocks(figures)[-1].tolist()
        expected = [other.tolist() for other in blocks if kept(figures, other)]
        assert sorted(found) == sorted(expected)
        assert block.tolist() in found


def test_the_true_block_always_fits():
    generator = np.random.default_rng(6)
    for _ in range(50):
        ages = generator.integers(0, 90, 5)
        figures = census_blocks.publish_block(ages, generator.integers(0, 5, 6))
        truth = [*sorted(ages[:3].tolist()), *sorted(ages[3:].tolist())]
        for found in census_blocks.fitting_blocks(figures):
            assert truth in found.tolist()


def test_triples_with_a_mean_and_a_median():
    triples = [
        (a, 30, b) for a in range(31) for b in range(30, 90) if a + 30 + b == 132
    ]  # fmt: skip
    assert census_blocks.ages_of_three(132, 30).tolist() == [list(each) for each in triples]
    assert len(triples) == 18


def test_the_block_of_the_text_has_no_upper_age():
    """30 as in the text, with ages from 1 and without a limit; 18 with ages of at most 89."""
    triples = [(a, 30, 102 - a) for a in range(1, 31)]
    found = census_blocks.ages_of_three(132, 30, youngest=1, oldest=132)
    assert found.tolist() == [list(each) for each in triples]
    assert len(triples) == 30
    assert sum(highest <= 89 for _, _, highest in triples) == 18
    assert sorted(highest for _, _, highest in triples if highest > 89) == [*range(90, 102)]


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_the_bound_of_the_census_is_a_product_of_exact_sums(epsilon):
    """Each noisy sum, by adding up its largest probabilities; each median by e^(m ε / 10)."""
    part = epsilon / 10
    a = math.exp(-part / 89)
    gain = math.exp((3 + 5) * part)
    for people in (3, 5, *[4] * 6):
        width = 2 * 89 * people
        values = np.arange(-30_000, width + 30_000)
        nearest = np.maximum(0, np.maximum(-values, values - width))
        gain *= float(((1 - a) / (1 + a) * a**nearest).sum())
    assert census_blocks.block_bound(epsilon) == pytest.approx(12 / 90**5 * gain, rel=1e-6)
    assert gain <= math.exp(4 * epsilon)


def test_the_bound_of_a_median_holds_for_all_ages_of_three_people(monkeypatch):
    """Ages from 0 to 4: the sum of the largest probabilities, by the exact selection."""
    monkeypatch.setattr(census_blocks, "OLDEST", 4)
    loss = 0.7
    largest = np.zeros(5)
    for ages in itertools.combinations_with_replacement(range(5), 3):
        scores = [
            -abs(sum(age < each for age in ages) - sum(age > each for age in ages))
            for each in range(5)
        ]
        chances = selection_chances(scores, 2 / loss)
        assert chances.sum() == pytest.approx(1)
        largest = np.maximum(largest, chances)
    assert largest.sum() <= math.exp(3 * loss)


def test_a_rounded_sum_does_not_show_whether_it_is_odd():
    """Rounding halves to even numbers did: the noise was even three times as often as odd."""
    generator = np.random.default_rng(8)
    ages, traits = np.array([20, 30, 40, 50, 60]), np.zeros(6, dtype=int)
    exact = census_blocks.publish_block(ages, traits)
    odd = 0
    for _ in range(400):
        found = census_blocks.release_block(ages, traits, 2.0, generator)
        odd += sum((a - b) % 2 for a, b in zip(found.others, exact.others, strict=True))
    # 2,400 numbers: 4.5 standard errors fail by chance once in 150,000 times.
    assert abs(odd / 2_400 - 0.5) < 4.5 * 0.5 / math.sqrt(2_400)


def test_climbing_never_ends_at_a_less_likely_block():
    generator = np.random.default_rng(3)
    released, starts = [], generator.integers(0, 90, (20, 5))
    for _ in range(20):
        ages, traits = generator.integers(0, 90, 5), generator.integers(0, 5, 6)
        released.append(census_blocks.release_block(ages, traits, 3.0, generator))
    found = census_blocks.climb_to_blocks(released, starts, 3.0)
    before, after = (
        census_blocks.log_likelihoods(released, blocks[:, np.newaxis], 3.0)
        for blocks in (starts, found)
    )
    assert (after >= before - 1e-9).all()
    assert (after > before).any()


def test_one_person_changes_each_released_figure_by_its_sensitivity():
    """A sum in half years from the middle changes by at most 89, and a score by 1."""
    for age in range(90):
        assert abs(2 * age - census_blocks.OLDEST) <= census_blocks.OLDEST
    candidates = np.arange(90)[:, np.newaxis]

    def scores(ages):
        return -np.abs((ages < candidates).sum(axis=1) - (ages > candidates).sum(axis=1))

    ages = np.array([3, 40, 40, 77, 89])
    for more in range(90):
        assert np.abs(scores(np.append(ages, more)) - scores(ages)).max() <= 1
