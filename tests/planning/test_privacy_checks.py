"""Checks of protection: what stops a survey, and totals that are weak."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.certainty import protection_of_survey
from survey.definition.frozen import freeze
from survey.planning.checklist import LOOK, PASSED, STOPS
from survey.planning.privacy_text import example_table
from tests.support.checked_surveys import found, survey_of
from tests.support.definitions import yes_no

pytestmark = pytest.mark.fast


def wide_table(columns):
    """Two answers and this many reports: 3 to 1 in half of them, 1 to 3 in the others."""
    half = columns // 2
    row = [3] * half + [1] * half
    return yes_no("wide", {"mechanism": "table", "rows": [row, row[::-1]]})


def test_a_report_that_proves_an_answer_stops():
    certain = yes_no("certain", {"mechanism": "table", "rows": [[1, 1, 0], [1, 0, 1]]}, "Ever?")
    check = found(survey_of(yes_no(), certain), "finite")
    assert (check.verdict, check.details) == (STOPS, ("Ever?",))


def test_one_table_beyond_the_limit_is_no_definition_and_many_are_to_be_looked_at():
    # The names of its reports are about 70 KB after compression.
    half = wide_table(30_000)
    assert found(survey_of(half | {"name": "one"}), "tables").verdict == PASSED
    two = survey_of(half, half | {"name": "again"})
    assert found(two, "tables").verdict == LOOK
    assert freeze(two).survey == two
    with pytest.raises(DefinitionError, match="The maximum is 600,000"):
        survey_of(wide_table(160_000))


@pytest.mark.parametrize(("questions", "verdict"), [(2, PASSED), (3, LOOK)])
def test_a_total_that_respondents_read_as_weak_is_to_be_looked_at(questions, verdict):
    """ln 3 = 1.0986 each: 2.20 and 3.30. The limit is ln 19 = 2.944, rounded up."""
    survey = survey_of(*(yes_no(f"q{number}") for number in range(questions)))
    check = found(survey, "total")
    assert check.verdict == verdict
    assert (protection_of_survey(survey) == "weak") == (verdict == LOOK)
    heading = "Respondents read “Weakly protected” on the first page."
    assert check.sentence.endswith(heading) == (verdict == LOOK)
    assert "A total above 2.95 is a weak guarantee." in check.why


@pytest.mark.parametrize(
    ("rows", "verdict", "level"),
    [([[19, 1], [1, 19]], PASSED, "weak"), ([[20, 1], [1, 20]], LOOK, "hardly")],
)
def test_the_limit_of_the_total_is_exact(rows, verdict, level):
    survey = survey_of(yes_no(privacy={"mechanism": "table", "rows": rows}))
    assert found(survey, "total").verdict == verdict
    assert protection_of_survey(survey) == level
    assert ("Respondents read “Hardly protected”" in found(survey, "total").sentence) == (
        level == "hardly"
    )


def test_only_what_one_respondent_reports_on_counts():
    questions = [yes_no(f"q{number}") for number in range(9)]
    sampled = survey_of(*questions, budget={"per_respondent": {"sample": 2}})
    assert found(survey_of(*questions), "total").verdict == LOOK
    assert found(sampled, "total").verdict == PASSED


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ([[19, 1], [1, 19]], PASSED),
        ([[20, 1], [1, 20]], LOOK),
        ([[99, 1], [1, 99]], LOOK),
        ([[100, 1], [1, 100]], STOPS),
    ],
)
def test_ratio_bounds_above_nineteen_nearly_tell_and_above_ninety_nine_stop(rows, verdict):
    survey = survey_of(yes_no(privacy={"mechanism": "table", "rows": rows}))
    assert found(survey, "single").verdict == verdict


def test_reports_that_together_nearly_tell_an_answer_are_named():
    """7 : 1 for each report, and 49 : 1 for the answer that decides who is asked the other."""
    odds = {"mechanism": "randomized_response", "odds": 7}
    child = yes_no("daily", odds, "Daily?") | {"relevant": {"smokes": "yes"}, "otherwise": "no"}
    survey = survey_of(yes_no("smokes", odds), child)
    check = found(survey, "single")
    assert check.verdict == LOOK
    (detail,) = check.details
    assert detail.startswith("“Do you smoke?”") and "at most 49 times more likely" in detail
    assert example_table(survey) == ((7, 1), (1, 7))
    # Results of one answer that is not sent, each of them well protected.
    results = [yes_no(name, odds) | {"derived": {"any": {"item": ["yes"]}}} for name in ("a", "b")]
    check = found(survey_of(yes_no("item", "not_sent", "Item?"), *results), "single")
    (detail,) = check.details
    assert (check.verdict, detail.startswith("“Item?”")) == (LOOK, True)


@pytest.mark.parametrize(("points", "verdict"), [(21, PASSED), (22, LOOK)])
def test_a_number_on_many_points_is_to_be_looked_at(points, verdict):
    number = {
        "name": "age", "type": "number", "label": "?", "min": 0, "max": 1000,
        "privacy": {"mechanism": "window", "epsilon": 1, "points": points},
    }  # fmt: skip
    assert found(survey_of(number), "points").verdict == verdict
