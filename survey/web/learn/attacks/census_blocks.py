"""Census reconstruction: ages from counts, means and medians with suppressed cells.

The way of the search is that of Garfinkel, Abowd and Martindale (2019, ACM Queue).
"""

import math
from typing import NamedTuple

import numpy as np

from survey.web.learn.attacks.attempt import AttackSetting, Attempt, Integers, Step
from survey.web.learn.dp_draws import draw_discrete_laplace

OLDEST = 89
WOMEN, MEN = 3, 2
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
        int(ages[:WOMEN].sum()), int(np.sort(ages[:WOMEN])[1]), total, int(np.sort(ages)[2]),
        tuple(total - int(ages[person]) for person in traits),
    )  # fmt: skip


def release_block(
    ages: Integers, traits: Integers, epsilon: float, generator: np.random.Generator
) -> BlockFigures:
    """The same figures as central DP releases, which share ε equally.

    Sums count half years from the middle of the range, so one person adds at most 89 of them. A
    median is selected by permute-and-flip with ranks as scores.
    """
    exact, part = publish_block(ages, traits), epsilon / STATISTICS
    noise = np.rint(draw_discrete_laplace(OLDEST / part, 2 + TRAITS, generator) / 2)
    women, everyone, *others = noise.astype(np.int64).tolist()
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


def ages_of_three(total: int, median: int) -> Integers:
    """All ascending triples of ages with this sum and median, a row for each."""
    rest = min(max(total - median, median), median + OLDEST)
    lowest = np.arange(max(0, rest - OLDEST), min(median, rest - median) + 1)
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


def rebuild_blocks(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """A guess is right if all five ages of a block are right. It is one of the blocks that fit."""
    blocks = setting.people // BLOCK
    raw, candor = np.zeros((blocks, STATISTICS - 2)), np.zeros((blocks, STATISTICS - 2))
    hits, single, fits = [0, 0], 0, 0
    for place in range(blocks):
        ages = generator.integers(0, OLDEST + 1, BLOCK)
        traits = generator.integers(0, BLOCK, TRAITS)
        truth = np.concatenate([np.sort(ages[:WOMEN]), np.sort(ages[WOMEN:])])
        picks = generator.random(2)
        both = (publish_block(ages, traits),
                release_block(ages, traits, setting.epsilon, generator))  # fmt: skip
        for side, (figures, chances) in enumerate(zip(both, (raw, candor), strict=True)):
            found = fitting_blocks(figures)
            chances[place] = [(each == truth).all(axis=1).mean() for each in found]
            hits[side] += bool((found[-1][int(picks[side] * len(found[-1]))] == truth).all())
            if side == 0:
                single, fits = single + (len(found[-1]) == 1), fits + len(found[-1])
    # Twelve orders lead to the same block, and ten steps of one person more or less to any other.
    bound = min(1.0, 12 / (OLDEST + 1) ** BLOCK * math.exp(min(10 * setting.epsilon, 40.0)))
    steps = tuple(
        Step(place + 3, float(raw[:, place].mean()), float(candor[:, place].mean()), bound)
        for place in range(STATISTICS - 2)
    )
    more = {"single": float(single), "fits": fits / blocks}
    return Attempt(blocks, hits[0], hits[1], bound, steps, more)
