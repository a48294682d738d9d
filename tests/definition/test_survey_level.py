"""The level of protection in a definition, which the parser enforces."""

import json

import pytest

from survey.core.errors import DefinitionError
from survey.definition.frozen import freeze
from survey.definition.sub_surveys import pilot_answers_of, practice_of, sub_surveys_of
from survey.definition.survey import parse_survey
from survey.definition.survey_level import SURVEY_LEVELS, SurveyProtection
from survey.formats.xlsform.read_form import from_xlsform
from survey.formats.xlsform.write_form import to_xlsform
from tests.support.definitions import definition, yes_no

QUESTIONS = [yes_no(f"q{n}", {"epsilon": 0.69}) for n in range(2)]


def survey_with(protection, *questions, **members):
    return parse_survey(definition(*(questions or QUESTIONS), protection=protection, **members))


def test_a_level_survives_every_form_of_a_definition():
    stated = {"level": "protected", "main": [["q0"], ["q0", "q1"]], "kept": ["q1"]}
    survey = survey_with(stated)
    assert survey.protection == SurveyProtection(
        level="protected", main=(("q0",), ("q0", "q1")), kept=("q1",)
    )
    assert survey.as_definition()["protection"] == stated
    assert parse_survey(json.loads(json.dumps(survey.as_definition()))) == survey
    assert from_xlsform(to_xlsform(survey)).survey == survey
    assert freeze(survey).survey.protection == survey.protection
    for part in (*sub_surveys_of(survey), practice_of(survey), pilot_answers_of(survey)):
        assert part.protection is None


@pytest.mark.parametrize(
    ("epsilons", "lowest"),
    [
        # Ratios of 2 and 2 make 4, of 3 and 3 make 9, of 4 and 4 make 16. One answer: at most 4.
        ((0.693, 0.693), "strong"),
        ((1.0986, 1.0986), "protected"),
        ((1.386, 1.386), "light"),
        ((1.5, 0.1), None),
        ((1.386, 1.386, 0.2), None),
    ],
)
def test_a_definition_keeps_its_level_or_is_refused(epsilons, lowest):
    questions = [yes_no(f"q{n}", {"epsilon": each}) for n, each in enumerate(epsilons)]
    kept = False
    for level in SURVEY_LEVELS:
        kept = kept or level == lowest
        if kept:
            assert survey_with({"level": level}, *questions).protection.level == level
        else:
            with pytest.raises(
                DefinitionError, match="reveal more than this level allows"
            ) as error:
                survey_with({"level": level}, *questions)
            assert error.value.place == "protection.level"


def test_a_crosswise_question_counts_and_a_survey_without_protection_keeps_each_level():
    crosswise = {
        "name": "x", "type": "crosswise", "label": "?", "hint": "?", "known_share": "1/6",
        "privacy": "none",
    }  # fmt: skip
    with pytest.raises(DefinitionError, match="reveal more"):
        survey_with({"level": "light"}, crosswise)
    assert survey_with({"level": "strong"}, yes_no("open", "none")).protection.level == "strong"


@pytest.mark.parametrize(
    ("stated", "place", "message"),
    [
        ("protected", "protection", "must be an object"),
        ({}, "protection.level", "must be one of strong, protected, light"),
        ({"level": "medium"}, "protection.level", "must be one of"),
        ({"level": "light", "x": 1}, "protection", "x"),
        ({"level": "light", "kept": "q0"}, "protection.kept", "must be a list of names"),
        ({"level": "light", "kept": ["open"]}, "protection.kept", "names 'open', which is not a"),
        ({"level": "light", "kept": ["q0", "q0"]}, "protection.kept", "names a question twice"),
        ({"level": "light", "main": "q0"}, "protection.main", "must be a list of lists"),
        ({"level": "light", "main": ["q0"]}, "protection.main", "must be a list of names"),
        ({"level": "light", "main": [[]]}, "protection.main", "one or two names"),
        ({"level": "light", "main": [["q0", "gone"]]}, "protection.main", "names 'gone'"),
    ],
)
def test_a_fault_has_its_place(stated, place, message):
    with pytest.raises(DefinitionError, match=message) as error:
        survey_with(stated, *QUESTIONS, yes_no("open", "none"))
    assert error.value.place.startswith(place)


def test_a_form_with_a_row_too_many_for_its_level_is_refused_at_its_column():
    """Candor lowers no level silently."""
    survey = survey_with({"level": "strong"})
    sheets = {name: [*rows] for name, rows in to_xlsform(survey).items()}
    sheets["survey"].append({**sheets["survey"][-1], "name": "q9"})
    with pytest.raises(DefinitionError, match="reveal more than this level allows") as error:
        from_xlsform(sheets)
    assert error.value.place == "settings, column candor::protection"
