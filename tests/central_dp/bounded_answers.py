"""A small survey with all its statistics, for several test modules."""

from itertools import product

from scipy.stats import binom

from survey.central_dp.dp_request import (
    SELECTED,
    Request,
    Statistic,
    available_statistics,
    read_request,
)
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no
from tests.support.every_type import TOGETHER, asked, letters

SMALL = parse_survey(
    definition(
        yes_no(),  # private
        asked("age", "number", "none", min=-1, max=2, step=0.5, unit="years"),
        asked("cups", "number", "none", min=0, max=3, prefer_not_to_say=True),
        asked("region", "select_one", "none", choices=letters("nes"), prefer_not_to_say=True),
        asked("news", "select_multiple", "none", choices=letters("prt")),
        asked("sleep", "scale", "none", choices=letters("1234")),
        asked("remarks", "text", "none"),
        **TOGETHER,
    )
)
PLAIN = [question for question in SMALL.fields if question.non_private]
STORED = {  # every possible value of each question
    "age": range(7),
    "cups": range(5),
    "region": range(4),
    "news": ["".join(bits) for bits in product("01", repeat=3)],
    "sleep": range(4),
    "remarks": ["", " ", "x"],
}
ALL = [
    (question.name, statistic) for question in PLAIN for statistic in available_statistics(question)
]
NO_SUMS = (*SELECTED, Statistic.TREE)
SUMS = [(name, statistic) for name, statistic in ALL if statistic not in NO_SUMS]
BETA_OF_TESTS = 1e-8  # the largest probability of a false alarm in a statistical test


def request(name: str, statistic: str, **more: str) -> Request:
    typed = {"question": name, "statistic": statistic, "epsilon": "1", "percent": "30"}
    if statistic == Statistic.TREE:
        typed["by"] = " ".join({"region", "sleep"} - {name})
    return read_request(SMALL, typed | more)


def times_within(found: int, n: int, at_least: float) -> bool:
    """Whether this many of n hits are no evidence, at BETA_OF_TESTS, of a smaller probability."""
    return binom.cdf(found, n, at_least) > BETA_OF_TESTS
