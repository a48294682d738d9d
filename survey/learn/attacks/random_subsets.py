"""Dinur and Nissim's second attack: random subset counts with errors of α√n (PODS 2003)."""

import math
from functools import lru_cache

import numpy as np

from survey.learn.attacks.attempt import (
    AttackSetting,
    Attempt,
    Integers,
    Reals,
    Step,
    count_right,
    share_right,
)
from survey.learn.dp_draws import draw_discrete_laplace

QUERIES_EACH = 4  # subset counts for each person
ALPHAS = (0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2)
SIZES = (60, 120, 240)


def rebuild_by_least_squares(subsets: Reals, counts: Reals) -> Integers:
    """The answers 0 or 1 that are nearest to the best fit, a column for each column of counts.

    `subsets` has a row of 0 and 1 for each count. More counts than people are needed. Least squares
    take the place of the linear programme of the paper (Dwork, McSherry and Talwar 2007).
    """
    fit = np.linalg.solve(subsets.T @ subsets, subsets.T @ counts)
    rebuilt: Integers = (fit > 1 / 2).astype(np.int64)
    return rebuilt


def draw_subset_counts(
    people: int, generator: np.random.Generator
) -> tuple[Integers, Reals, Reals]:
    """Answers, 4n random subsets as rows of 0 and 1, and their exact counts."""
    secrets = generator.integers(0, 2, people)
    subsets = generator.integers(0, 2, (QUERIES_EACH * people, people)).astype(np.float64)
    return secrets, subsets, subsets @ secrets


@lru_cache(maxsize=2_048)
def majority_share(reports: int, ratio_bound: float) -> float:
    """How often the majority of some reports is right. A coin decides between equal numbers."""
    kept = ratio_bound / (1 + ratio_bound)
    logs = [
        math.lgamma(reports + 1)
        - math.lgamma(k + 1)
        - math.lgamma(reports - k + 1)
        + k * math.log(kept)
        + (reports - k) * math.log1p(-kept)
        for k in range(reports + 1)
    ]
    return sum(
        math.exp(log) * (1 if 2 * k > reports else 0.5 if 2 * k == reports else 0)
        for k, log in enumerate(logs)
    )


def guess_each(
    secrets: Integers, subsets: Reals, noise: Integers, generator: np.random.Generator
) -> Integers:
    """The guess about each person by someone who knows all other answers.

    A noisy count without the known Yes answers is the noise, plus 1 for Yes. It is at least 1
    rather than at most 0 with a ratio of e^(1/scale) if the answer is Yes, and its exact value says
    no more. So each count with this person is a report, and the majority is the best guess.
    """
    left = noise[:, np.newaxis] + secrets
    votes = (subsets * np.where(left >= 1, 1, -1)).sum(axis=0)
    coins = generator.integers(0, 2, len(secrets))
    guesses: Integers = np.where(votes == 0, coins, votes > 0).astype(np.int64)
    return guesses


def sweep_errors(people: int, generator: np.random.Generator) -> tuple[float, ...]:
    """The share that is rebuilt for each α, with whole errors of up to α√n."""
    secrets, subsets, counts = draw_subset_counts(people, generator)
    errors = [round(alpha * math.sqrt(people)) for alpha in ALPHAS]
    noises = [generator.integers(-error, error + 1, len(counts)) for error in errors]
    rebuilt = rebuild_by_least_squares(subsets, np.column_stack([counts + each for each in noises]))
    return tuple(share_right(column, secrets) for column in rebuilt.T)


def solve_random_subsets(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """The attacker asks for 4n counts of random subsets, and solves for the answers.

    With Candor, each count is a central DP release, and all of them share ε. The best attacker
    knows all other answers.
    """
    people = setting.people
    secrets, subsets, counts = draw_subset_counts(people, generator)
    queries = len(counts)
    wrong_by = generator.integers(-setting.error, setting.error + 1, queries)
    noise = draw_discrete_laplace(queries / setting.epsilon, queries, generator)
    rebuilt = rebuild_by_least_squares(
        subsets, np.column_stack([counts + wrong_by, counts + noise])
    )
    best = count_right(guess_each(secrets, subsets, noise, generator), secrets)
    asked = subsets.sum(axis=0).astype(np.int64).tolist()
    ratio_bound = math.exp(setting.epsilon / queries)
    bound = sum(majority_share(each, ratio_bound) for each in asked) / people
    candor = share_right(rebuilt[:, 1], secrets)
    shares = {size: sweep_errors(size, generator) for size in SIZES}
    steps = tuple(
        Step(alpha, share, candor, bound)
        for alpha, share in zip(ALPHAS, shares[people], strict=True)
    )
    sizes = tuple((size, shares[size]) for size in SIZES if size != people)
    right = [count_right(column, secrets) for column in rebuilt.T]
    more = {
        "queries": float(queries),
        "alpha": setting.error / math.sqrt(people),
        "wrong": float(people - right[0]),
        "share": 1 - right[0] / people,
    }
    return Attempt(people, right[0], right[1], best, bound, steps, more, sizes)
