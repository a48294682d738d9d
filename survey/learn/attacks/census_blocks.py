"""Census reconstruction: ages from counts, means and medians with suppressed cells.

The way of the search is that of Garfinkel, Abowd and Martindale (2019, ACM Queue).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from survey.learn.attacks.attempt import AttackSetting, Attempt, Integers, Reals, Step
from survey.learn.dp_draws import draw_discrete_laplace

OLDEST = 89
WOMEN = 3
MEN = 2
BLOCK = WOMEN + MEN
TRAITS = 6  # Each is of one person, such as the one without a job.
STATISTICS = 4 + TRAITS


class BlockFigures(NamedTuple):
    """What a block publishes: sums (mean times count) and medians.

    The cells of two men and of single people are suppressed. `others` has, for each trait, the sum
    of the four people without it.
    """

    women: int
    women_median: int
    everyone: int
    everyone_median: int
    others: tuple[int, ...]


def publish_block(ages: Integers, traits: Integers) -> BlockFigures:
    """The exact figures. The first three ages are those of women, in any order."""
    total = int(ages.sum())
    return BlockFigures(
        int(ages[:WOMEN].sum()),
        int(np.sort(ages[:WOMEN])[1]),
        total,
        int(np.sort(ages)[2]),
        tuple(total - int(ages[person]) for person in traits),
    )


def release_block(
    ages: Integers, traits: Integers, epsilon: float, generator: np.random.Generator
) -> BlockFigures:
    """The same figures as central DP releases, which share ε equally.

    Sums count half years from the middle of the range, so one person adds at most 89 of them. The
    noisy sums are rounded up to whole years. A median is selected by permute-and-flip with ranks as
    scores.
    """
    exact, part = publish_block(ages, traits), epsilon / STATISTICS
    # Rounding halves to even numbers would show whether a sum is odd.
    noise = (draw_discrete_laplace(OLDEST / part, 2 + TRAITS, generator) + 1) // 2
    women, everyone, *others = noise.tolist()
    return BlockFigures(
        exact.women + women,
        select_median(ages[:WOMEN], part, generator),
        exact.everyone + everyone,
        select_median(ages, part, generator),
        tuple(each + more for each, more in zip(exact.others, others, strict=True)),
    )


def select_median(ages: Integers, epsilon: float, generator: np.random.Generator) -> int:
    """An age whose numbers of younger and older people differ little. One person moves it by 1."""
    candidates = np.arange(OLDEST + 1)[:, np.newaxis]
    scores = -np.abs((ages < candidates).sum(axis=1) - (ages > candidates).sum(axis=1))
    return int(np.argmax(scores * epsilon / 2 + generator.exponential(1.0, OLDEST + 1)))


def ages_of_three(
    total: int, median: int, youngest: int = 0, oldest: int | None = None
) -> Integers:
    """All ascending triples of ages with this sum and median, a row for each.

    Ages are between `youngest` and `oldest`, which is OLDEST if it is None.
    """
    highest = OLDEST if oldest is None else oldest
    rest = min(max(total - median, youngest + median), median + highest)
    lowest = np.arange(max(youngest, rest - highest), min(median, rest - median) + 1)
    return np.column_stack([lowest, np.full(len(lowest), median), rest - lowest])


def ages_of_two(total: int) -> Integers:
    """All ascending pairs of ages with this sum."""
    total = min(max(total, 0), 2 * OLDEST)
    lower = np.arange(max(0, total - OLDEST), total // 2 + 1)
    return np.column_stack([lower, total - lower])


def fitting_blocks(figures: BlockFigures) -> list[Integers]:
    """The blocks that fit the first figures: women and subtraction, then one more each time.

    If no block fits one more figure, that figure is left out. A row has the women's ages and the
    men's, each in ascending order.
    """
    women = ages_of_three(figures.women, figures.women_median)
    men = ages_of_two(figures.everyone - figures.women)
    blocks = np.column_stack([np.repeat(women, len(men), axis=0), np.tile(men, (len(women), 1))])
    found = [blocks]
    tests = [np.sort(blocks, axis=1)[:, 2] == figures.everyone_median]
    tests += [(blocks == figures.everyone - others).any(axis=1) for others in figures.others]
    kept = np.ones(len(blocks), dtype=bool)
    for test in tests:
        kept = kept & test if (kept & test).any() else kept
        found.append(blocks[kept])
    return found


def block_bound(epsilon: float) -> float:
    """A bound on the share of blocks that any guess finds from the releases.

    Twelve orders lead to the same block, so it has a probability of at most 12 / 90^5 beforehand.
    The releases multiply this by at most the sum, over all their values, of the largest probability
    of a value with any block. For a noisy sum of m ages, which varies by D = 178 m half years, this
    is 1 + D (1 − a) / (1 + a) with a = exp(−1 / scale). For a median of m ages it is at most
    exp(m ε / 10), by comparison with an empty block. Together, it is below exp(4ε).
    """
    part = epsilon / STATISTICS
    gain = math.exp((WOMEN + BLOCK) * part)
    for people in (WOMEN, BLOCK, *[BLOCK - 1] * TRAITS):
        gain *= 1 + 2 * OLDEST * people * math.tanh(part / (2 * OLDEST))
    return min(1.0, gain * math.perm(3) * math.perm(2) / float(OLDEST + 1) ** BLOCK)


def log_likelihoods(released: Sequence[BlockFigures], blocks: Integers, epsilon: float) -> Reals:
    """ln Pr(block | released figures), up to a constant, for several blocks of each release.

    `blocks` has, for each release, a row of five ages for each block. The traits may be those of
    any person. A median counts by its score alone, without the constant that makes the
    probabilities of all ages add up to 1.
    """
    part = epsilon / STATISTICS
    step = 2 * part / OLDEST
    logs: Reals
    total, women = blocks.sum(axis=2), blocks[:, :, :WOMEN].sum(axis=2)
    logs = -step * np.abs(upright([each.women for each in released]) - women)
    logs -= step * np.abs(upright([each.everyone for each in released]) - total)
    for trait in range(TRAITS):
        left = upright([each.others[trait] for each in released]) - total
        off = step * np.abs(left[:, :, np.newaxis] + blocks)
        nearest = off.min(axis=2)
        logs += np.log(np.exp(nearest[:, :, np.newaxis] - off).sum(axis=2)) - nearest
    for ages, medians in (
        (blocks[:, :, :WOMEN], [each.women_median for each in released]),
        (blocks, [each.everyone_median for each in released]),
    ):
        middle = upright(medians)[:, :, np.newaxis]
        logs -= np.abs(np.sign(ages - middle).sum(axis=2)) * part / 2
    # Several orders lead to the same block, fewer if ages are equal.
    one, two, three, four, five = np.moveaxis(blocks, 2, 0)
    equal = np.array([one == two, one == three, two == three]).sum(axis=0)
    logs += np.log(np.array([6, 3, 3, 1]))[equal] + np.log(np.array([2, 1]))[1 * (four == five)]
    return logs


def upright(values: Sequence[int]) -> Integers:
    return np.array(values)[:, np.newaxis]


def climb_to_blocks(released: Sequence[BlockFigures], starts: Integers, epsilon: float) -> Integers:
    """For each release, a block that is at least as likely as the one in this row of `starts`.

    One age after another takes its most likely value, twice.
    """
    found = starts.copy()
    for person in [*range(BLOCK)] * 2:
        blocks = np.repeat(found[:, np.newaxis], OLDEST + 1, axis=1)
        blocks[:, :, person] = np.arange(OLDEST + 1)
        found[:, person] = log_likelihoods(released, blocks, epsilon).argmax(axis=1)
    return np.hstack([np.sort(found[:, :WOMEN]), np.sort(found[:, WOMEN:])])


def rebuild_blocks(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """A guess is right if all five ages of a block are right. It is one of the blocks that fit.

    Noisy figures of Candor often fit no block. The best attacker climbs from the guess to a more
    likely block.
    """
    blocks = setting.people // BLOCK
    raw, candor = np.zeros((blocks, STATISTICS - 2)), np.zeros((blocks, STATISTICS - 2))
    hits, single, fits = [0, 0], 0, 0
    truths, guesses = np.zeros((2, blocks, BLOCK), dtype=np.int64)
    released = []
    for place in range(blocks):
        ages = generator.integers(0, OLDEST + 1, BLOCK)
        traits = generator.integers(0, BLOCK, TRAITS)
        truth = np.concatenate([np.sort(ages[:WOMEN]), np.sort(ages[WOMEN:])])
        picks = generator.random(2)
        both = (
            publish_block(ages, traits),
            release_block(ages, traits, setting.epsilon, generator),
        )
        for side, (figures, chances) in enumerate(zip(both, (raw, candor), strict=True)):
            found = fitting_blocks(figures)
            chances[place] = [(each == truth).all(axis=1).mean() for each in found]
            guesses[place] = found[-1][int(picks[side] * len(found[-1]))]
            hits[side] += bool((guesses[place] == truth).all())
            if side == 0:
                single, fits = single + (len(found[-1]) == 1), fits + len(found[-1])
        truths[place] = truth
        released.append(both[1])
    best = int((climb_to_blocks(released, guesses, setting.epsilon) == truths).all(axis=1).sum())
    bound = block_bound(setting.epsilon)
    steps = tuple(
        Step(place + 3, float(raw[:, place].mean()), float(candor[:, place].mean()), bound)
        for place in range(STATISTICS - 2)
    )
    more = {"single": float(single), "fits": fits / blocks}
    return Attempt(blocks, hits[0], hits[1], best, bound, steps, more)
