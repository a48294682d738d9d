"""k-anonymity: tables that hide each person among four, joined (Ganta and others 2008)."""

from collections.abc import Sequence

import numpy as np

from survey.web.learn.attacks.attempt import (
    AttackSetting,
    Attempt,
    Integers,
    Step,
    count_right,
    guess_bound,
    report_answers,
    share_right,
)

GROUP = 4  # people in each group of each table
CODES = 1_000  # illnesses, as codes of three digits
TABLES, JOINED = 4, 2


def join_tables(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """Each hospital publishes the illnesses of groups of four, and groups its patients its own way.

    The attacker knows the group of a person in each table. With Candor, each hospital has a report
    on the illness, so the odds of the reports multiply.
    """
    people = setting.people
    secrets = generator.integers(0, CODES, people)
    orders = [generator.permutation(people) for _ in range(TABLES)]
    reports = [report_answers(secrets, setting.odds, CODES, generator) for _ in range(TABLES)]
    steps, right = [], {}
    for joined in range(1, TABLES + 1):
        raw = shared_codes(orders[:joined], [secrets] * joined)
        candor = shared_codes(orders[:joined], reports[:joined])
        bound = guess_bound(setting.odds**joined, CODES)
        steps.append(Step(joined, share_right(raw, secrets), share_right(candor, secrets), bound))
        right[joined] = (count_right(raw, secrets), count_right(candor, secrets), bound)
    return Attempt(people, *right[JOINED], tuple(steps), {"one_table": steps[0].raw})


def shared_codes(orders: Sequence[Integers], answers: Sequence[Integers]) -> Integers:
    """For each person, the code that most of the person's groups have, the smallest of several.

    In each table, four people in the table's order are a group.
    """
    people = len(orders[0])
    groups: list[list[Integers]] = [[] for _ in range(people)]
    for order, told in zip(orders, answers, strict=True):
        for members in order.reshape(-1, GROUP):
            codes = np.unique(told[members])
            for member in members:
                groups[member].append(codes)
    guesses = np.zeros(people, dtype=np.int64)
    for person, found in enumerate(groups):
        codes, times = np.unique(np.concatenate(found), return_counts=True)
        guesses[person] = codes[np.argmax(times)]
    return guesses
