"""Linkage: sex, region and birth date lead to a person's row (Sweeney 2000)."""

import numpy as np

from survey.learn.attacks.attempt import (
    AttackSetting,
    Attempt,
    Integers,
    Step,
    count_right,
    guess_bound,
    report_answers,
    share_right,
)

FACTS = (2, 10, 66 * 365)  # the possible values of sex, region and birth date


def link_rows(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """The attacker knows some facts about each person, and guesses the commonest answer."""
    people = setting.people
    facts = [generator.integers(0, size, people) for size in FACTS]
    secrets = generator.integers(0, 2, people)
    reports = report_answers(secrets, setting.ratio_bound, 2, generator)
    bound = guess_bound(setting.ratio_bound)
    keys = np.zeros(people, dtype=np.int64)
    steps = []
    for known in range(len(FACTS) + 1):
        raw, candor = commonest_answers(keys, secrets), commonest_answers(keys, reports)
        steps.append(Step(known, share_right(raw, secrets), share_right(candor, secrets), bound))
        if known < len(FACTS):
            keys = keys * FACTS[known] + facts[known]
    _, sizes = np.unique(keys, return_counts=True)
    # The best attacker knows which row is the person's, even if others share the facts.
    return Attempt(
        people,
        count_right(raw, secrets),
        count_right(candor, secrets),
        count_right(reports, secrets),
        bound,
        tuple(steps),
        {"alone": float(np.sum(sizes == 1))},
    )


def commonest_answers(keys: Integers, answers: Integers) -> Integers:
    """For each row, the commonest of the answers 0 and 1 among the rows with the same key."""
    _, groups, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    ones = np.bincount(groups, answers)
    commonest: Integers = (2 * ones > sizes)[groups].astype(np.int64)
    return commonest
