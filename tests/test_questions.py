"""Definitions: parsed, refused with the place of the fault, frozen with a fingerprint."""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.definition import (
    fingerprint_of,
    freeze,
    parse_survey,
    read_definition,
    thaw,
)
from survey.errors import DefinitionError, ZeroEntry
from survey.randomizer import Randomizer
from tests.conftest import definition, yes_no

PARTY = {
    "name": "party",
    "type": "select_one",
    "label": "Which party?",
    "choices": [
        {"name": "a", "label": "A"},
        {"name": "b", "label": "B"},
        {"name": "c", "label": "C"},
    ],
    "privacy": {"epsilon": 1.0},
}
REGION = {**PARTY, "name": "region", "privacy": "none"}


def changed(question, **change):
    return {key: value for key, value in {**question, **change}.items() if value is not ...}


def test_it_reads_the_whole_of_a_definition():
    survey = parse_survey(
        definition(yes_no(), PARTY, REGION, language="vi", budget={"epsilon": 3}, introduction="Hi")
    )
    assert [question.name for question in survey.questions] == ["smokes", "party", "region"]
    assert [choice.label for choice in survey.questions[0].choices] == ["Có", "Không"]
    assert survey.questions[1].randomizer.odds.denominator <= 100
    assert survey.questions[2].plain
    assert survey.epsilon == pytest.approx(math.log(3) + math.log(106 / 39))
    assert parse_survey(survey.as_definition()) == survey


def test_yes_and_no_may_be_worded():
    words = [{"name": "yes", "label": "Often"}, {"name": "no", "label": "Never"}]
    survey = parse_survey(definition({**yes_no(), "choices": words}))
    assert [choice.label for choice in survey.questions[0].choices] == ["Often", "Never"]


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        ([], "", "is a JSON object"),
        (definition(slug="Health!"), "slug", "small letters"),
        (definition(slug="-a"), "slug", "small letters"),
        (definition(slug="a" * 64), "slug", "at most 63"),
        (definition(slug=7), "slug", "is a text"),
        ({"slug": "a", "questions": [yes_no()]}, "title", "is missing"),
        (definition(title=" "), "title", "is empty"),
        (definition(title="x" * 301), "title", "longer than 300"),
        (definition(title="\ud800"), "title", "lone surrogate"),
        (definition(language="xx"), "language", "is one of en, vi, th, zh"),
        (definition(questions=[]), "questions", "1 to 200 questions"),
        (definition(questions={}), "questions", "1 to 200 questions"),
        (definition(colour="red"), "colour", "is not known here"),
        (definition(budget=3), "budget", "is an object"),
        (definition(budget={"epsilon": -1}), "budget.epsilon", "above 0"),
        (definition(budget={"epsilon": "x"}), "budget.epsilon", "a number"),
        (definition(budget={"epsilon": 1}), "budget.epsilon", "add up to 1.0986"),
        (
            definition(budget={"epsilon": 9, "per_respondent": {"sample": 1}}),
            "budget.per_respondent",
            "every question",
        ),
        (definition("smokes?"), "questions[0]", "is an object"),
        (definition(yes_no("Smokes")), "questions[0].name", "small letter"),
        (definition(yes_no("id")), "questions[0].name", "do not use id"),
        (definition(yes_no(), yes_no()), "questions[1].name", "twice"),
        (definition(changed(yes_no(), type="rank")), "questions[0].type", "'rank' is not known"),
        (definition(changed(yes_no(), label=...)), "questions[0].label", "is missing"),
        (definition(changed(yes_no(), relevant={})), "questions[0].relevant", "not known"),
        (definition(changed(yes_no(), privacy=...)), "questions[0].privacy", 'is "none"'),
        (
            definition(changed(yes_no(), privacy={"epsilon": 99})),
            "questions[0].privacy",
            "at most 12",
        ),
        (
            definition(changed(yes_no(), choices=PARTY["choices"])),
            "questions[0].choices",
            "named yes and no",
        ),
        (definition(changed(PARTY, choices=...)), "questions[0].choices", "2 to 100 choices"),
        (
            definition(changed(PARTY, choices=PARTY["choices"][:1])),
            "questions[0].choices",
            "2 to 100 choices",
        ),
        (
            definition(changed(PARTY, choices=["a", "b"])),
            "questions[0].choices[0]",
            "is an object",
        ),
        (
            definition(changed(PARTY, choices=[{"name": "=1", "label": "A"}, *PARTY["choices"]])),
            "questions[0].choices[0].name",
            "letters without accents",
        ),
        (
            definition(changed(PARTY, choices=[*PARTY["choices"], {"name": "a", "label": "D"}])),
            "questions[0].choices[3].name",
            "twice",
        ),
        (
            definition(changed(PARTY, choices=[*PARTY["choices"], {"name": "d", "label": "A"}])),
            "questions[0].choices[3].label",
            "twice",
        ),
        (
            definition(changed(PARTY, privacy={"mechanism": "table", "rows": [[3, 1], [1, 4]]})),
            "questions[0].privacy",
            "adds up to 5",
        ),
    ],
)
def test_a_fault_is_refused_with_its_place(content, place, words):
    with pytest.raises(DefinitionError, match=words) as refused:
        parse_survey(content)
    assert refused.value.place == place


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, b"\xff", '{"slug": NaN'])
def test_what_is_not_json_is_refused(text):
    with pytest.raises(DefinitionError, match="not JSON"):
        read_definition(text)


def test_a_budget_that_is_kept_to_the_last_digit_is_accepted():
    assert parse_survey(definition(budget={"epsilon": math.log(3)})).budget == math.log(3)


def test_freezing_fixes_tables_and_fingerprint():
    frozen = freeze(parse_survey(definition(yes_no(), PARTY, REGION)))
    document = frozen.document()
    assert set(document["tables"]) == {"smokes", "party"}
    assert document["tables"]["smokes"]["rows"] == ((3, 1), (1, 3))
    assert document["tables"]["smokes"]["reports"] == ["yes", "no"]
    assert document["epsilon"] == frozen.survey.epsilon
    assert thaw(frozen.to_json()) == frozen


def test_another_table_is_another_fingerprint():
    first = fingerprint_of(parse_survey(definition(yes_no())))
    other = fingerprint_of(parse_survey(definition(yes_no(privacy={"epsilon": 1}))))
    assert first != other


def test_a_stored_table_is_used_and_not_computed_anew():
    document = freeze(parse_survey(definition(yes_no()))).document()
    document["tables"]["smokes"]["rows"] = [[30, 10], [10, 30]]
    survey = parse_survey(definition(yes_no()))
    question = survey.questions[0]
    stored = replace(
        survey, questions=(replace(question, randomizer=Randomizer(((30, 10), (10, 30)))),)
    )
    document["fingerprint"] = fingerprint_of(stored)
    assert thaw(json.dumps(document)).survey.questions[0].randomizer.rows == ((30, 10), (10, 30))


def test_a_tampered_document_is_refused():
    document = freeze(parse_survey(definition(yes_no()))).document()
    document["tables"]["smokes"]["rows"] = [[99, 1], [1, 99]]
    with pytest.raises(DefinitionError, match="fingerprint"):
        thaw(json.dumps(document))


def test_a_survey_without_finite_epsilon_cannot_be_frozen_for_opening():
    one_sided = yes_no(privacy={"mechanism": "table", "rows": [[2, 0], [1, 1]]})
    survey = parse_survey(definition(one_sided))
    with pytest.raises(ZeroEntry, match="Question 'smokes': Row 1, column 2"):
        freeze(survey)
    assert freeze(survey, allow_infinite=True).document()["epsilon"] is None


@given(st.text(min_size=1, max_size=200), st.text(max_size=300))
def test_any_texts_survive_freezing_or_are_refused(title, introduction):
    try:
        survey = parse_survey(definition(title=title, introduction=introduction))
    except DefinitionError:
        return
    assert thaw(freeze(survey).to_json()).survey == survey
