"""The 2,201 people of the Titanic by class, sex, age and survival.

The numbers are public facts from the British inquiry's report of 1912, as tabulated by Dawson (J.
Statistics Education 3 (3), 1995).
"""

import numpy as np

FIRST, SECOND, THIRD, CREW = range(4)
MAN, WOMAN = 0, 1
ADULT, CHILD = 0, 1
SURVIVED, DIED = 0, 1
PEOPLE = {  # class, sex, age: survivors, deaths
    (FIRST, MAN, ADULT): (57, 118),
    (FIRST, MAN, CHILD): (5, 0),
    (FIRST, WOMAN, ADULT): (140, 4),
    (FIRST, WOMAN, CHILD): (1, 0),
    (SECOND, MAN, ADULT): (14, 154),
    (SECOND, MAN, CHILD): (11, 0),
    (SECOND, WOMAN, ADULT): (80, 13),
    (SECOND, WOMAN, CHILD): (13, 0),
    (THIRD, MAN, ADULT): (75, 387),
    (THIRD, MAN, CHILD): (13, 35),
    (THIRD, WOMAN, ADULT): (76, 89),
    (THIRD, WOMAN, CHILD): (14, 17),
    (CREW, MAN, ADULT): (192, 670),
    (CREW, WOMAN, ADULT): (20, 3),
}
NAMES = ("class", "sex", "age", "survived")


def people() -> np.ndarray:
    """One row for each person, shape (2201, 4), with the columns of NAMES."""
    rows = [
        (*who, fate)
        for who, fates in PEOPLE.items()
        for fate, many in zip((SURVIVED, DIED), fates, strict=True)
        for _ in range(many)
    ]
    return np.array(rows)
