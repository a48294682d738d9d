"""Ratings joined by dates: a few public ratings lead to a row (Narayanan and Shmatikov 2008)."""

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

FILMS = 100
DAYS = 365
RATED = 0.2
SLACK = 3  # The public date is off by up to this many days.
MAX_KNOWN = 8
KNOWN = 4
NEVER = -100  # in place of a day, if the film is not rated


def match_ratings(setting: AttackSetting, generator: np.random.Generator) -> Attempt:
    """The attacker knows films that a person rated, and roughly when. The row that agrees most is
    taken for this person's. The secret is another answer in the row.

    Candor stores no dates, so only the films remain, and the answer is a report. The best attacker
    knows all films of a person, which few others share, and so finds the row.
    """
    people = setting.people
    rated = generator.random((people, FILMS)) < RATED
    days = np.where(rated, generator.integers(1, DAYS + 1, (people, FILMS)), NEVER)
    # Films in a random order, those that the person rated first.
    films = np.argsort(generator.random((people, FILMS)) + ~rated, axis=1)[:, :MAX_KNOWN]
    shifts = generator.integers(-SLACK, SLACK + 1, (people, MAX_KNOWN))
    secrets = generator.integers(0, 2, people)
    reports = report_answers(secrets, setting.ratio_bound, 2, generator)
    by_date = np.zeros((people, MAX_KNOWN), dtype=np.int64)
    by_film = np.zeros((people, MAX_KNOWN), dtype=np.int64)
    for person in range(people):
        known = films[person]
        near = np.abs(days[:, known] - (days[person, known] + shifts[person])) <= SLACK
        # Column m has the rows that agree most on the first m + 1 films.
        by_date[person] = near.cumsum(axis=1).argmax(axis=0)
        by_film[person] = rated[:, known].cumsum(axis=1).argmax(axis=0)
    # The first row with the same films.
    _, first, groups = np.unique(rated, axis=0, return_index=True, return_inverse=True)
    all_films = first[groups]
    bound = guess_bound(setting.ratio_bound)
    steps = [
        Step(
            m + 1,
            share_right(secrets[by_date[:, m]], secrets),
            share_right(reports[by_film[:, m]], secrets),
            bound,
        )
        for m in range(MAX_KNOWN)
    ]
    place = KNOWN - 1
    return Attempt(
        people,
        count_right(secrets[by_date[:, place]], secrets),
        count_right(reports[by_film[:, place]], secrets),
        count_right(reports[all_films], secrets),
        bound,
        tuple(steps),
        {"found": float(np.sum(by_date[:, place] == np.arange(people)))},
    )
