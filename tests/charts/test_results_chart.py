"""The chart of each question's results."""

import pytest

from survey.charts.answer_shares import answer_shares_chart
from survey.charts.histogram import histogram_chart
from survey.charts.results_chart import results_chart
from tests.support.charted import question, results, share
from tests.support.definitions import yes_no
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("content", "build"),
    [
        (yes_no(), answer_shares_chart),
        (asked("a", "select_one", "none", choices=letters("ab")), answer_shares_chart),
        (asked("a", "select_multiple", "none", choices=letters("ab")), answer_shares_chart),
        (asked("a", "scale", "none", choices=letters("ab")), answer_shares_chart),
        (asked("a", "number", "none", min=0, max=1), histogram_chart),
    ],
)
def test_each_type_has_its_chart(content, build):
    found = results(question(content), share(0.25), share(0.75))
    assert results_chart(found) == build(found)


def test_nothing_is_drawn_of_nothing():
    with pytest.raises(ValueError, match="nothing to draw"):
        results_chart(results(question(yes_no())))
