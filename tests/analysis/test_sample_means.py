"""The common sample of several columns: boxes that no response has together."""

import pytest

from survey.analysis import question_column
from survey.analysis.columns.sample_means import complete_case_sample
from survey.core.errors import UnanswerableQuestion
from survey.definition.survey import parse_survey
from tests.analysis.columns_of_types import all_reports
from tests.support.definitions import definition
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast


def test_boxes_that_no_response_has_together_are_refused_with_the_reason():
    """Two of five boxes are reported, so no number of responses can relate three of them."""
    privacy = {"mechanism": "sampled_boxes", "epsilon": 1, "sample": 2}
    boxes = asked("boxes", "select_multiple", privacy, choices=letters("abcde"))
    question = parse_survey(definition(boxes)).fields[0]
    sample, boxes = question.randomizer.sample, len(question.answers)
    reports = [report for report in all_reports(question) if report.count("-") == boxes - sample]
    columns = [question_column(question, reports * 2, each.name) for each in question.answers]
    assert complete_case_sample(columns[:sample]).n
    with pytest.raises(UnanswerableQuestion) as refusal:
        complete_case_sample(columns[: sample + 1])
    assert str(refusal.value) == (
        f"Each respondent reports on {sample} of the {boxes} boxes of “{question.label}”, chosen "
        f"at random. So no response has reports on {sample + 1} boxes, and these cannot be "
        "analysed together."
    )
