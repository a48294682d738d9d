"""The people of the Titanic by class, sex, age and survival, from two files in demo/.

titanic.csv counts all 2,201 people on board with an age group. The numbers are public facts from
the British inquiry's report of 1912, as tabulated by Dawson (J. Statistics Education 3 (3), 1995).

titanic-passengers.csv has 891 passengers with ages in whole years and without names, in the order
of the data set titanic_train of the R package "titanic" (Hendricks 2015, licence CC0).
"""

import csv
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from survey import PROJECT_FOLDER
from survey.core.translate import later

People = npt.NDArray[np.int64]
FILE = PROJECT_FOLDER / "demo" / "titanic.csv"
PASSENGERS_FILE = PROJECT_FOLDER / "demo" / "titanic-passengers.csv"
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
SURVIVED = 0
DIED = 1
# A range for ages that everyone knows. The oldest passenger is 80.
OLDEST = 99
UNKNOWN = OLDEST + 1


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
def passengers() -> People:
    """A row for each passenger, shape (891, 4): class, sex, age and survival. Nobody may change it.

    The age is in whole years, or UNKNOWN.
    """
    with PASSENGERS_FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    people = np.array(
        [
            (
                list(ANSWERS["class"]).index(row["class"]),
                list(ANSWERS["sex"]).index(row["sex"]),
                int(row["age"]) if row["age"] else UNKNOWN,
                SURVIVED if row["survived"] == "yes" else DIED,
            )
            for row in rows
        ],
        dtype=np.int64,
    )
    people.flags.writeable = False
    return people
