"""Averaging: each person responds many times, each time with a new draw."""

import numpy as np

from survey.learn.attacks.attempt import (
    AttackSetting,
    Attempt,
    Step,
    count_right,
    guess_bound,
    report_answers,
    share_right,
)

TIMES = (1, 3, 5, 9, 13, 19, 25)
HEADLINE_TIMES = 13


def take_majority(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """The majority of a person's reports is the guess. Candor accepts one response of each.

    The one report is then the best guess.
    """
    people = setting.people
    secrets = generator.integers(0, 2, people)
    reports = np.array(
        [report_answers(secrets, setting.ratio_bound, 2, generator) for _ in range(max(TIMES))]
    )
    bound = guess_bound(setting.ratio_bound)
    candor = reports[0]
    majorities = {
        times: (2 * reports[:times].sum(axis=0) > times).astype(np.int64) for times in TIMES
    }
    steps = [
        Step(times, share_right(guesses, secrets), share_right(candor, secrets), bound)
        for times, guesses in majorities.items()
    ]
    raw = count_right(majorities[HEADLINE_TIMES], secrets)
    right = count_right(candor, secrets)
    return Attempt(people, raw, right, right, bound, tuple(steps), {})
