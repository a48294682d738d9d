"""The 2,201 people of the Titanic, with names for their answers."""

import numpy as np

from survey.web.titanic_people import titanic_groups, titanic_people

FIRST, SECOND, THIRD, CREW = range(4)
MAN, WOMAN = 0, 1
ADULT, CHILD = 0, 1
PEOPLE = dict(titanic_groups())  # class, sex, age: survivors, deaths


def people() -> np.ndarray:
    """One row for each person, shape (2201, 4), with the columns of NAMES."""
    return titanic_people()
