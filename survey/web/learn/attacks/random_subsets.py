"""Dinur and Nissim's second attack: random subset counts with errors of α√n (PODS 2003)."""

import math

import numpy as np

from survey.web.learn.attacks.attempt import (
    AttackSetting,
    Attempt,
    Integers,
    Reals,
    Step,
    count_right,
    share_right,
)
from survey.web.learn.dp_draws import draw_discrete_laplace

QUERIES_EACH = 4  # subset counts for each person
ALPHAS = (0, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2)


def rebuild_by_least_squares(subsets: Reals, counts: Reals) -> Integers:
    """The answers 0 or 1 that are nearest to the best fit, a column for each column of counts.

    `subsets` has a row of 0 and 1 for each count. More counts than people are needed. Least squares
    take the place of the linear programme of the paper (Dwork, McSherry and Talwar 2007).
    """
    fit = np.linalg.solve(subsets.T @ subsets, subsets.T @ counts)
    rebuilt: Integers = (fit > 1 / 2).astype(np.int64)
    return rebuilt


def solve_random_subsets(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """The attacker asks for 4n counts of random subsets, and solves for the answers.

    With Candor, each count is a central DP release, and all of them share ε.
    """
    people = setting.people
    queries = QUERIES_EACH * people
    secrets = generator.integers(0, 2, people)
    subsets = generator.integers(0, 2, (queries, people)).astype(np.float64)
    counts = subsets @ secrets
    errors = sorted({round(alpha * math.sqrt(people)) for alpha in ALPHAS} | {setting.error})
    noises = [generator.integers(-error, error + 1, queries) for error in errors]
    noises.append(draw_discrete_laplace(queries / setting.epsilon, queries, generator))
    rebuilt = rebuild_by_least_squares(subsets, np.column_stack([counts + each for each in noises]))
    bound = 1 / (1 + math.exp(-setting.epsilon))
    candor = rebuilt[:, -1]
    steps = tuple(
        Step(error, share_right(rebuilt[:, place], secrets), share_right(candor, secrets), bound)
        for place, error in enumerate(errors)
    )
    raw = count_right(rebuilt[:, errors.index(setting.error)], secrets)
    more = {"queries": float(queries), "alpha": setting.error / math.sqrt(people)}
    return Attempt(people, raw, count_right(candor, secrets), bound, steps, more)
