"""Dates: never randomised, between two ends, stored where texts are."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.sub_surveys import texts_sub_survey
from survey.definition.survey import parse_survey
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast


def visit(**rest):
    ends = {"earliest": "2024-02-28", "latest": "2026-01-31"}
    return {"name": "visit", "type": "date", "label": "When?", "privacy": "none"} | ends | rest


def test_the_definition_comes_back():
    frozen = freeze(parse_survey(definition(visit())))
    [entry] = frozen.survey.as_definition()["questions"]
    assert (entry["earliest"], entry["latest"]) == ("2024-02-28", "2026-01-31")
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen


@check_each(
    ("question", "place", "fault"),
    [
        (visit(earliest="28.02.2024"), "questions[0].earliest", "must be a date such as"),
        (visit(earliest="20240228"), "questions[0].earliest", "must be a date such as"),
        (visit(latest="2025-02-29"), "questions[0].latest", "must be a date such as"),
        (visit(latest=2026), "questions[0].latest", "must be a text"),
        (visit(latest="2024-02-28"), "questions[0].latest", "after the earliest"),
        ({k: v for k, v in visit().items() if k != "latest"}, "questions[0].latest", "is missing"),
        (visit(prefer_not_to_say=True), "questions[0].prefer_not_to_say", "no such field"),
        (yes_no() | {"earliest": "2024-01-01"}, "questions[0].earliest", "no such field"),
    ],
)
def test_faults_are_named(question, place, fault):
    with pytest.raises(DefinitionError, match=fault) as refused:
        parse_survey(definition(question))
    assert refused.value.place == place


def test_a_randomised_date_is_refused_with_what_to_do():
    with pytest.raises(DefinitionError, match="private question with periods") as refused:
        parse_survey(definition(visit(privacy={"epsilon": 1})))
    assert refused.value.place == "questions[0].privacy"


def test_no_condition_depends_on_a_date():
    with pytest.raises(DefinitionError, match="not an earlier question"):
        parse_survey(definition(visit(), yes_no() | {"relevant": {"visit": "2025-01-01"}}))


def test_dates_are_stored_apart_from_private_answers():
    survey = parse_survey(definition(yes_no(), visit()))
    assert survey.texts_apart is True
    assert [question.name for question in survey.fields] == ["smokes"]
    assert [question.name for question in texts_sub_survey(survey).fields] == ["visit"]
    assert parse_survey(definition(visit())).texts_apart is None


@pytest.mark.parametrize("text", ["", "2024-02-28", "2024-02-29", "2026-01-31"])
def test_a_valid_date_is_read(text):
    [question] = parse_survey(definition(visit())).questions
    assert question.form.read(text) == text
    assert question.form.codes(text) == [0 if text else 1]


@check_each(
    "text",
    [
        "2024-02-27",
        "2026-02-01",
        "2025-02-29",
        "2025-2-1",
        "20250201",
        "x",
        " 2025-02-01",
        "٢٠٢٥-٠١-٠١",
    ],
)
def test_another_text_is_refused(text):
    [question] = parse_survey(definition(visit())).questions
    with pytest.raises(ValueError, match="a date from 2024-02-28 to 2026-01-31"):
        question.form.read(text)
