"""The form of a simulation: assumed answers, groups of respondents, and results."""

import pytest

from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_groups, read_truth
from survey.planning.pilot_form import (
    MAX_GROUPS,
    most_respondents,
    read_typed,
    typed_form,
    with_group,
    without_group,
)
from survey.planning.types import PLANNING
from tests.support.definitions import definition
from tests.support.pilots import SCORED, SHARES, SURVEY

pytestmark = pytest.mark.both_stores


# --- the form
def test_what_is_assumed_at_first_is_a_truth():
    truth = {q.name: PLANNING[q].usual_truth() for q in SURVEY.fields if q.name in SHARES}
    assert read_truth(truth, SURVEY).keys() == SHARES.keys()


def test_the_form_comes_back_as_it_was_sent():
    truth, typed = read_typed(SURVEY, typed_form(SURVEY).fields)
    assert not typed.wrong
    assert typed_form(SURVEY, truth) == typed_form(SURVEY)


def test_more_questions_and_choices_allow_fewer_respondents():
    assert most_respondents(parse_survey(definition())) == 100_000
    many = {
        "type": "select_one", "label": "?", "privacy": {"epsilon": 1},
        "choices": [{"name": f"c{i}", "label": f"C{i}"} for i in range(40)],
    }  # fmt: skip
    large = parse_survey(definition(*({"name": f"q{i}"} | many for i in range(60))))
    assert most_respondents(large) == 10_000_000 // (60 * 42)


# --- groups of respondents
def test_a_new_group_begins_as_a_copy_of_the_last_one():
    survey = parse_survey(definition())
    form = with_group(survey, {"smokes:yes": "30", "smokes:no": "70"})
    assert form == {
        "smokes:yes": "30", "smokes:no": "70", "2:smokes:yes": "30", "2:smokes:no": "70",
        "groups": "2", "share-1": "50", "share-2": "50",
    }  # fmt: skip
    form = with_group(survey, form | {"2:smokes:yes": "90", "2:smokes:no": "10"})
    assert (form["3:smokes:yes"], form["share-3"], form["groups"]) == ("90", "34", "3")
    fewer = without_group(without_group(form))
    assert fewer["groups"] == "1"
    assert read_typed(survey, fewer)[0] == {"smokes": {"yes": 0.3, "no": 0.7}}
    assert without_group(fewer)["groups"] == "1"
    most = with_group(survey, form)
    assert most["groups"] == str(MAX_GROUPS) == "4"
    assert with_group(survey, most) == most


def test_the_form_of_groups_comes_back_as_it_was_sent():
    form = with_group(SURVEY, typed_form(SURVEY).fields) | {"share-1": "33.3", "share-2": "66.6"}
    content, typed = read_typed(SURVEY, form)
    assert not typed.wrong
    groups = read_groups(content, SURVEY)
    assert [group.share for group in groups] == pytest.approx([333 / 999, 666 / 999])
    [single] = read_groups(read_typed(SURVEY, form | {"groups": "1"})[0], SURVEY)
    assert groups[0].truth == groups[1].truth == single.truth
    again, _ = read_typed(SURVEY, typed_form(SURVEY, content).fields)
    assert [each["answers"] for each in again["groups"]] == [
        each["answers"] for each in content["groups"]
    ]


@pytest.mark.parametrize(
    ("change", "fault", "of_question"),
    [
        ({"share-1": "60"}, "The shares add up to 110 %. Change them to add up to 100 %.", ""),
        ({"share-2": "x"}, "Type a number from 0 to 100 for “Share of group 2”.", ""),
        ({"2:smokes:yes": "80"}, "", "Group 2: The shares add up to 150 %."),
    ],
)
def test_faults_of_groups_are_named(change, fault, of_question):
    survey = parse_survey(definition())
    form = with_group(survey, {"smokes:yes": "30", "smokes:no": "70"})
    _, typed = read_typed(survey, form | change)
    assert typed.wrong
    assert typed.fault == fault
    assert typed.questions[0].fault.startswith(of_question)
    assert bool(typed.questions[0].fault) == bool(of_question)


@pytest.mark.parametrize("groups", ["0", "5", "x", "", "²"])
def test_an_impossible_number_of_groups_is_one(groups):
    truth, typed = read_typed(
        parse_survey(definition()), {"groups": groups, "smokes:yes": "30", "smokes:no": "70"}
    )
    assert truth == {"smokes": {"yes": 0.3, "no": 0.7}}
    assert len(typed.shares) == 1


def test_the_form_has_answers_that_are_not_sent_and_no_arms():
    """The inputs of results are empty at first."""
    survey = parse_survey(SCORED)
    fields = typed_form(survey).fields
    prefixes = {field.partition(":")[0] for field in fields if ":" in field}
    assert prefixes == {"sad", "tired", "high", "days", "help", "first"}
    assert {fields[name] for name in fields if name.startswith(("high:", "days:"))} == {""}
    truth, typed = read_typed(survey, fields)
    assert not typed.wrong
    assert set(truth) == {"sad", "tired", "help", "first"}
    assert typed_form(survey, truth) == typed_form(survey)
    assert most_respondents(survey) == 100_000


def test_a_typed_share_of_a_result_is_kept_for_each_group():
    survey = parse_survey(SCORED)
    fields = typed_form(survey).fields | {"high:yes": "12", "high:no": "88"}
    truth, typed = read_typed(survey, fields)
    assert not typed.wrong
    assert truth["high"] == pytest.approx({"yes": 0.12, "no": 0.88, "prefer_not_to_say": 0})
    assert typed_form(survey, truth).fields["high:yes"] == "12"
    # The second group leaves it to the calculation.
    emptied = {"2:high:yes": "", "2:high:no": "", "2:high:prefer_not_to_say": ""}
    content, typed = read_typed(survey, with_group(survey, fields) | emptied)
    assert not typed.wrong
    assert ["high" in each["answers"] for each in content["groups"]] == [True, False]
    assert ["high" in group.truth for group in read_groups(content, survey)] == [True, False]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"high:yes": "12"}, "The shares add up to 12 %. Change them to add up to 100 %."),
        ({"days:mean": "2"}, "Type a number for the mean and for the standard deviation."),
        ({"days:mean": "9", "days:sd": "1"}, "Type a mean from 0 to 4."),
    ],
)
def test_an_incomplete_result_is_named(change, fault):
    survey = parse_survey(SCORED)
    _, typed = read_typed(survey, typed_form(survey).fields | change)
    assert [each.fault for each in typed.questions if each.fault] == [fault]
