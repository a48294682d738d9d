"""k-anonymity: tables that hide each person among four, joined (Ganta and others 2008)."""

import math
from collections.abc import Sequence

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

GROUP = 4  # people in each group of each table
CODES = 1_000  # illnesses, as codes of three digits
TABLES = 4
JOINED = 2


def most_frequent_share(reports: int, ratio_bound: float, codes: int = CODES) -> float:
    """How often the most frequent of up to four reports of a person is the answer.

    No guess from these reports is right more often: a code is as likely as t^(its reports), with
    the ratio bound t. Each line counts the lists of reports in which the most frequent code stands
    `times` times.
    """
    kept = guess_bound(ratio_bound, codes)
    other = (1 - kept) / (codes - 1)
    lists = {
        1: {1: codes},
        2: {2: codes, 1: math.perm(codes, 2)},
        3: {3: codes, 2: 3 * math.perm(codes, 2), 1: math.perm(codes, 3)},
        4: {
            4: codes,
            3: 4 * math.perm(codes, 2),
            2: 6 * math.perm(codes, 3) + 3 * math.perm(codes, 2),
            1: math.perm(codes, 4),
        },
    }[reports]
    return (
        sum(number * kept**times * other ** (reports - times) for times, number in lists.items())
        / codes
    )


def join_tables(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """Each hospital publishes the illnesses of groups of four, and groups its patients its own way.

    The attacker knows the group of a person in each table. With Candor, each hospital has a report
    on the illness. The best attacker knows which reports are the person's.
    """
    people = setting.people
    secrets = generator.integers(0, CODES, people)
    orders = [generator.permutation(people) for _ in range(TABLES)]
    reports = [
        report_answers(secrets, setting.ratio_bound, CODES, generator) for _ in range(TABLES)
    ]
    steps: list[Step] = []
    right: dict[int, tuple[int, int, int, float]] = {}
    for joined in range(1, TABLES + 1):
        raw = shared_codes(orders[:joined], [secrets] * joined)
        candor = shared_codes(orders[:joined], reports[:joined])
        best = frequent_codes(np.array(reports[:joined]))
        bound = most_frequent_share(joined, setting.ratio_bound)
        steps.append(Step(joined, share_right(raw, secrets), share_right(candor, secrets), bound))
        right[joined] = (
            count_right(raw, secrets),
            count_right(candor, secrets),
            count_right(best, secrets),
            bound,
        )
    return Attempt(people, *right[JOINED], tuple(steps), {"one_table": steps[0].raw})


def frequent_codes(reports: Integers) -> Integers:
    """The most frequent report in each column, the first of several."""
    times = (reports[:, np.newaxis] == reports).sum(axis=0)
    first: Integers = times.argmax(axis=0)
    return reports[first, np.arange(reports.shape[1])]


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
