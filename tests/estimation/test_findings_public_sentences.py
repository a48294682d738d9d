"""The remarks and findings in the words of respondents."""

import pytest

from survey.core.languages import Words
from survey.estimation.findings.public_sentences import (
    codes_for_readers,
    percentage,
    possible_mean,
    public_finding,
    public_remarks,
    remarks_to_cite,
    sentences_on_asked,
)
from survey.estimation.findings.remarks import MISFIT, SHARE_OUTSIDE, TOO_FEW
from survey.estimation.results import QuantityResults
from tests.support.question_results import asked, results

pytestmark = pytest.mark.fast

ENGLISH = Words()
CHOICES = [{"name": name, "label": name.upper()} for name in "abc"]


def test_readers_get_the_verdict_and_no_chance():
    shown = results([60, 940])
    assert codes_for_readers(shown) == [MISFIT]
    [sentence] = public_remarks(shown, ENGLISH).values()
    assert sentence.endswith("Chance does not explain this. So no estimate is shown.")
    [cited] = remarks_to_cite(shown, shown.question, ENGLISH).values()
    assert cited.endswith("There is no estimate to cite.")
    assert public_finding(shown.question, shown, ENGLISH) == ""


def test_an_estimate_outside_comes_from_chance_if_the_reports_fit():
    shown = results([20, 80])
    assert [*public_remarks(shown, ENGLISH)] == [SHARE_OUTSIDE]
    assert "Hãy xem khoảng" in public_remarks(shown, Words("vi"))[SHARE_OUTSIDE]
    few = results([1, 0])
    assert [*public_remarks(few, ENGLISH)] == [TOO_FEW]


def test_parts_of_a_number_are_not_on_a_public_page():
    shown = asked("number", {0: 6, 10: 6}, {"epsilon": 2}, min=0, max=10)
    assert SHARE_OUTSIDE in shown.remark_codes
    assert SHARE_OUTSIDE not in codes_for_readers(shown)


def test_a_finding_names_the_answers_in_the_language_of_the_page():
    shown = results([100, 700, 200], {"epsilon": 2}, type="select_one", choices=CHOICES)
    assert public_finding(shown.question, shown, ENGLISH) == "“B” comes first."
    assert public_finding(shown.question, shown, Words("vi")) == "“B” đứng đầu."


def test_percentages_have_the_signs_of_the_language():
    assert percentage(ENGLISH, "12.5 %") == "12.5 %"
    assert percentage(Words("vi"), "12.5 %") == "12,5%"


def test_a_question_without_a_condition_was_asked_of_all():
    assert [*sentences_on_asked(results([40, 60]), ENGLISH)] == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(-5.7, "at most 9.8 kg"), (12.0, "at least 3.0 kg"), (4.25, "4.3 kg"), (9.84, "9.8 kg")],
)
def test_a_mean_that_no_mean_can_have_is_an_end_of_its_interval(value, text):
    low, high = (0.0, 9.8) if value < 10 else (3.0, 9.8)
    mean = QuantityResults(
        name="mean",
        label="Mean",
        value=value,
        standard_error=2.0,
        low=low,
        high=high,
        method="",
        formula="",
    )
    assert possible_mean(mean, "kg", ENGLISH) == text
    assert possible_mean(mean, "", Words("vi")) == {
        "at most 9.8 kg": "tối đa 9,8",
        "at least 3.0 kg": "ít nhất 3,0",
    }.get(text, text.removesuffix(" kg").replace(".", ","))
