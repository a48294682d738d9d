"""An experiment that asks one question directly, randomised, and in a list."""

from collections.abc import Sequence

import numpy as np

from survey.definition.survey import Survey, parse_survey
from survey.store import Store
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked
from tests.support.indirect import store_rows

WAYS = ("randomised", "direct", "list", "list_with")
ARM = {
    "name": "arm", "type": "select_one", "label": "Version", "privacy": "none",
    "choices": [{"name": name, "label": name} for name in WAYS],
    "derived": {"random": dict.fromkeys(WAYS, 1)},
}  # fmt: skip
# The true shares of the numbers of true control statements.
CONTROL_SHARES = np.array([0.10, 0.35, 0.40, 0.15])
# The code of a respondent who was not asked, in the direct question and in the two lists.
DIRECT_NOT_ASKED, LIST_NOT_ASKED, LONG_LIST_NOT_ASKED = 2, 4, 5


def in_arm(question: dict, arm: str) -> dict:
    return question | {"relevant": {"arm": [arm]}}


WAYS_SURVEY = definition(
    ARM,
    in_arm(yes_no("smokes", {"mechanism": "coin_flip"}), "randomised"),
    in_arm(yes_no("smokes_direct", "none"), "direct"),
    in_arm(asked("list", "number", "none", min=0, max=3, label="How many?"), "list"),
    in_arm(asked("list_with", "number", "none", min=0, max=4, label="How many?"), "list_with"),
    slug="ways",
)


def ways_survey() -> Survey:
    return parse_survey(WAYS_SURVEY)


def simulated_rows(
    survey: Survey, n: int, shares: Sequence[float], generator: np.random.Generator
) -> list[tuple[int, ...]]:
    """The stored rows of n respondents in each arm.

    `shares` are the true shares of Yes if asked randomised, directly, and by a list.
    """
    table = survey.questions[1].table
    assert table is not None
    chances = np.array([[float(each) for each in row] for row in table.rows])
    reached = chances.cumsum(axis=1)
    reached /= reached[:, -1:]
    traits = [generator.random(n) >= share for share in shares]
    answers = [traits[0].astype(int), *(np.full(n, 2) for _ in range(3))]
    rows = []
    for arm in range(4):
        reports = (generator.random((n, 1)) >= reached[answers[arm]]).sum(axis=1)
        control = generator.choice(4, size=n, p=CONTROL_SHARES)
        direct = traits[1].astype(int) if arm == 1 else np.full(n, DIRECT_NOT_ASKED)
        short = control if arm == 2 else np.full(n, LIST_NOT_ASKED)
        long = control + ~traits[2] if arm == 3 else np.full(n, LONG_LIST_NOT_ASKED)
        columns = (np.full(n, arm), reports, direct, short, long)
        rows += zip(*(column.tolist() for column in columns), strict=True)
    return rows


def store_ways(
    store: Store, n: int = 400, shares: Sequence[float] = (0.3, 0.2, 0.3), seed: int = 24
) -> list[tuple[int, ...]]:
    """A closed survey with n simulated respondents in each arm."""
    generator = np.random.default_rng(seed)
    rows = simulated_rows(ways_survey(), n, shares, generator)
    generator.shuffle(rows)  # Responses have the order of their random ids.
    store_rows(store, WAYS_SURVEY, rows)
    return rows
