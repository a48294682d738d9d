"""The Titanic as a survey of non-private questions, and requests for its central DP trees."""

from survey.central_dp.dp_request import Request, read_request
from survey.definition.survey import parse_survey
from survey.web.titanic_people import NAMES
from tests.support.definitions import definition
from tests.support.every_type import asked, letters
from tests.support.titanic import people

ANSWERS = {"class": "123c", "sex": "mw", "age": "ac", "survived": "yn"}
SHIP = parse_survey(
    definition(
        *(asked(name, "select_one", "none", choices=letters(ANSWERS[name])) for name in NAMES)
    )
)
ROWS = [tuple(int(answer) for answer in person) for person in people()]


def wanted(depth: int) -> Request:
    """The request for a tree on survival with ε = 1."""
    typed = {"question": "survived", "statistic": "tree", "by": "class sex age", "epsilon": "1"}
    return read_request(SHIP, typed | {"depth": str(depth)})
