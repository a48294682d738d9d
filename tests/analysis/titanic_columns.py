"""The answers of the Titanic as columns, for several test modules."""

from survey.web.titanic_people import NAMES
from tests.support.analysed import plain
from tests.support.titanic_trees import TITANIC


def columns(rows=TITANIC):
    known = [plain(rows[:, place], k, NAMES[place]) for place, k in ((0, 4), (1, 2), (2, 2))]
    return plain(rows[:, 3], 2, "survived"), known
