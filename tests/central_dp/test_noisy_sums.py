"""Sums with noise: their number of answers, and sums that do not fit."""

import pytest

from survey.central_dp.bounded_sums import requested_sums
from survey.central_dp.dp_request import read_request
from survey.central_dp.noisy_sums import noises_of
from survey.core.errors import ReleaseError
from survey.definition.survey import parse_survey
from tests.central_dp.bounded_answers import SMALL, request
from tests.support.definitions import definition
from tests.support.every_type import asked

pytestmark = pytest.mark.fast


def test_the_number_of_answers_is_drawn_unless_everyone_gave_one():
    assert [part.name for part in requested_sums(SMALL, request("age", "mean"))] == ["sum"]
    assert [part.name for part in requested_sums(SMALL, request("cups", "mean"))] == [
        "sum",
        "count",
    ]
    grouped = request("age", "variance", group="region", member="n")
    assert [part.name for part in requested_sums(SMALL, grouped)] == ["sum", "variance", "count"]


def test_sums_that_do_not_fit_are_refused_before_they_are_drawn():
    wide = parse_survey(definition(asked("pay", "number", "none", min=0, max=1_000_000)))
    wanted = read_request(wide, {"question": "pay", "statistic": "variance", "epsilon": "1"})
    assert noises_of(wide, wanted, 1_000)
    with pytest.raises(ReleaseError, match="narrow"):
        noises_of(wide, wanted, 10**7)
