"""Requests of releases: what cannot be released is refused at its field."""

import pytest

from survey.central_dp.dp_request import read_request
from survey.core.errors import ReleaseError
from tests.central_dp.bounded_answers import SMALL
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each(
    ("field", "typed"),
    [
        ("question", {"question": "smokes"}),  # private
        ("question", {"question": "nothing"}),
        ("statistic", {"statistic": "histogram", "question": "remarks"}),
        ("statistic", {"statistic": ""}),
        ("mechanism", {"mechanism": "exponential"}),
        ("epsilon", {"epsilon": ""}),
        ("epsilon", {"epsilon": "0"}),
        ("epsilon", {"epsilon": "-1"}),
        ("epsilon", {"epsilon": "nan"}),
        ("epsilon", {"epsilon": "1e9"}),
        ("epsilon", {"epsilon": "1/3"}),
        ("delta", {"mechanism": "gaussian", "delta": "0"}),
        ("delta", {"mechanism": "gaussian", "delta": "0.5"}),
        ("low", {"low": "0.25"}),
        ("low", {"low": "x"}),
        ("high", {"high": "3"}),
        ("high", {"low": "1", "high": "1"}),
        ("group", {"group": "age", "member": "1"}),
        ("group", {"group": "smokes", "member": "yes"}),
        ("member", {"group": "region", "member": "west"}),
        ("percent", {"statistic": "quantile", "percent": "100"}),
        ("percent", {"statistic": "quantile", "percent": "²"}),
        ("bins", {"statistic": "histogram", "bins": "8"}),
        ("answer", {"statistic": "count", "answer": "yes"}),
        ("by", {"question": "sleep", "statistic": "tree"}),
        ("by", {"question": "sleep", "statistic": "tree", "by": "region nobody"}),
        ("by", {"question": "sleep", "statistic": "tree", "by": "sleep"}),
        ("depth", {"question": "sleep", "statistic": "tree", "by": "region", "depth": "5"}),
    ],
)
def test_a_request_that_cannot_be_is_refused_at_its_field(field, typed):
    with pytest.raises(ReleaseError) as caught:
        read_request(SMALL, {"question": "age", "statistic": "mean", "epsilon": "1"} | typed)
    assert caught.value.field == field
