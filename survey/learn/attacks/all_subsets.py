"""Dinur and Nissim's first attack: all subset counts of 12 people, each within E (PODS 2003)."""

from functools import lru_cache

import numpy as np

from survey.learn.attacks.attempt import (
    AttackSetting,
    Attempt,
    Integers,
    Reals,
    Step,
    count_right,
    guess_bound,
    report_answers,
    share_right,
)

SMALL = 12  # people in each table
MAX_ERROR = 4
SWEPT = 5  # tables for each error of the sweep
CHUNK = 16  # subsets that are checked together
# Row k has the members of subset k, which is also candidate k for the answers.
MEMBERS = np.arange(2**SMALL)[:, np.newaxis] >> np.arange(SMALL) & 1
# The number of bits of each number that a row stands for.
BITS = MEMBERS.sum(axis=1).astype(np.int8)
# An odd factor visits each subset once, in an order that soon excludes most candidates.
ORDER = np.arange(2**SMALL) * 2_741 % 2**SMALL


def rounded_counts(secrets: Integers, error: int) -> Integers:
    """The counts of all subsets, rounded to the nearest multiple of 2E + 1, so within E."""
    step = 2 * error + 1
    answers: Integers = (MEMBERS @ secrets + error) // step * step
    return answers


def candidates_within(answers: Integers, error: int) -> Integers:
    """Every candidate whose counts are within the error for all 4,096 subsets.

    The answers are those of some table within the error. So the last candidate needs no more tests.
    """
    return search_candidates(answers.astype(np.int8).tobytes(), error)


# Tables with few Yes have the same rounded counts, and their search takes longest.
@lru_cache(maxsize=128)
def search_candidates(packed: bytes, error: int) -> Integers:
    answers = np.frombuffer(packed, dtype=np.int8)
    left = np.arange(2**SMALL)
    for start in range(0, 2**SMALL, CHUNK):
        if len(left) == 1:
            break
        subsets = ORDER[start : start + CHUNK]
        # A bit is set in both numbers for each member of the subset with a 1 in the candidate.
        counts = BITS[left[:, np.newaxis] & subsets]
        left = left[(np.abs(counts - answers[subsets]) <= error).all(axis=1)]
    return left


def pick_candidates(secrets: Integers, error: int, picks: Reals) -> tuple[Integers, int]:
    """For each table one of the candidates that fit, and the most wrong entries of any of them."""
    chosen, worst = np.zeros(secrets.shape, dtype=np.int64), 0
    for place, table in enumerate(secrets):
        fits = MEMBERS[candidates_within(rounded_counts(table, error), error)]
        chosen[place] = fits[int(picks[place] * len(fits))]
        worst = max(worst, int(np.abs(fits - table).sum(axis=1).max()))
    return chosen, worst


def search_all_subsets(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """The attacker takes any candidate that fits. At most 4E of its 12 entries are wrong.

    With Candor, the attacker counts reports, so the search finds the reports. These are the best
    guesses.
    """
    tables = setting.people // SMALL
    secrets = generator.integers(0, 2, (tables, SMALL))
    reports = report_answers(secrets.ravel(), setting.ratio_bound, 2, generator)
    reports = reports.reshape(secrets.shape)
    picks = generator.random(tables)
    bound = guess_bound(setting.ratio_bound)
    raw, worst = pick_candidates(secrets, setting.error, picks)
    candor, _ = pick_candidates(reports, 0, picks)
    steps = []
    for error in range(MAX_ERROR + 1):
        swept, _ = pick_candidates(secrets[:SWEPT], error, picks)
        steps.append(
            Step(
                error,
                share_right(swept, secrets[:SWEPT]),
                share_right(candor, secrets),
                bound,
                max(0.0, 1 - 4 * error / SMALL),
            )
        )
    more = {"worst": float(worst), "allowed": float(min(SMALL, 4 * setting.error))}
    return Attempt(
        tables * SMALL,
        count_right(raw, secrets),
        count_right(candor, secrets),
        count_right(reports, secrets),
        bound,
        tuple(steps),
        more,
    )
