"""The 2,201 people of the Titanic by class, sex, age and survival, from demo/titanic.csv.

The numbers are public facts from the British inquiry's report of 1912, as tabulated by Dawson (J.
Statistics Education 3 (3), 1995).
"""

import csv
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from survey import PROJECT_FOLDER
from survey.core.translate import later
from survey.definition.survey import Survey, parse_survey

People = npt.NDArray[np.int64]
FILE = PROJECT_FOLDER / "demo" / "titanic.csv"
# The answers in the order of their numbers, with their labels.
ANSWERS = {
    "class": {
        "first": later("first class"),
        "second": later("second class"),
        "third": later("third class"),
        "crew": later("crew"),
    },
    "sex": {"man": later("man"), "woman": later("woman")},
    "age": {"adult": later("adult"), "child": later("child")},
    "survived": {"survived": later("survived"), "died": later("died")},
}
LABELS = {
    "class": later("class"),
    "sex": later("sex"),
    "age": later("age"),
    "survived": later("survival"),
}
NAMES = tuple(ANSWERS)
SPLITS = NAMES[:-1]
SURVIVAL = len(SPLITS)  # its place in a row
SURVIVED, DIED = 0, 1


@lru_cache
def titanic_groups() -> tuple[tuple[tuple[int, int, int], tuple[int, int]], ...]:
    """Class, sex and age of each group, with its numbers of survivors and of deaths."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    groups = []
    for row in rows:
        place, sex, age = (list(ANSWERS[name]).index(row[name]) for name in SPLITS)
        groups.append(((place, sex, age), (int(row["survived"]), int(row["died"]))))
    return tuple(groups)


def titanic_people() -> People:
    """A row for each person, shape (2201, 4): class, sex, age and survival."""
    return np.array(
        [
            (*who, fate)
            for who, numbers in titanic_groups()
            for fate, many in enumerate(numbers)
            for _ in range(many)
        ],
        dtype=np.int64,
    )


@lru_cache
def titanic_survey(mechanism: str = "") -> Survey:
    """A survey that asks for all four. Survival is private if there is a mechanism."""
    questions = [
        {
            "name": name,
            "type": "select_one",
            "label": name,
            "choices": [{"name": answer, "label": answer} for answer in answers],
            "privacy": {"mechanism": mechanism}
            if mechanism and name == NAMES[SURVIVAL]
            else "none",
        }
        for name, answers in ANSWERS.items()
    ]
    return parse_survey({"title": "Titanic", "slug": "titanic", "questions": questions})
