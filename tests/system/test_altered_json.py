"""Every reader of JSON accepts or refuses a member of any type, with its own error.

Researchers import definitions. A server that lies can send any frozen document, and anyone can send
a response. tests/support/altered_json.py puts each of some values in the place of each
member.
"""

import json
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from survey.cli.verify.compare import check_document, frozen_from_document
from survey.core.errors import DataFileError, DefinitionError, IntakeError
from survey.definition.frozen import freeze
from survey.definition.known_tables import KnownTables
from survey.definition.responses.parse_response import parse_response
from survey.definition.survey import KEYS, parse_survey, read_definition
from survey.formats.csv_import import read_groups
from tests.support.altered_json import altered, paths, small_surveys
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import EVERY_DERIVED
from tests.support.every_type import EVERY_TYPE, TRUTH, asked, drawn, letters

WHOLE: dict[str, Any] = definition(
    yes_no("first", {"epsilon": 1}),
    yes_no("second", {"epsilon": 1}),
    asked("region", "select_one", "none", choices=letters("ns")),
    language="en",
    introduction="Read this.",
    budget={"epsilon": 3, "per_respondent": {"sample": 1}},
    minutes=3,
    exit="https://www.example.org/",
    completion_link="https://www.example.org/done?id={ID}",
    series="waves",
    planned=300,
    results_about=1_000,
    translations={
        "vi": {"title": "Y", "questions": {"region": {"label": "V", "choices": {"n": "B"}}}}
    },
)


def unexpected(
    values: Iterable[tuple[str, Any]], read: Callable[[Any], object], refusal: type[Exception]
) -> list[str]:
    """What ends in another exception than the reader's own."""
    found = []
    for what, value in values:
        try:
            read(value)
        except refusal:
            pass
        except Exception as error:
            found.append(f"{what} {type(error).__name__}: {error}"[:300])
    return found


def faults_of_questions(share: float) -> list[str]:
    tables, found = KnownTables(max_work=None), []
    for content in (EVERY_TYPE, EVERY_DERIVED):
        for survey, places in small_surveys(content):
            parse_survey(survey, tables=tables)
            found += unexpected(
                altered(survey, places, share),
                lambda value: parse_survey(value, tables=tables),
                DefinitionError,
            )
    return found


def test_each_member_of_a_question_may_have_any_type() -> None:
    assert faults_of_questions(0.08) == []


@pytest.mark.slow
def test_each_member_of_each_question_may_have_each_value() -> None:
    assert faults_of_questions(1) == []


def test_each_member_of_a_survey_may_have_any_type() -> None:
    tables, places = KnownTables(), [*paths(WHOLE), *((key,) for key in KEYS - WHOLE.keys())]
    parse_survey(WHOLE, tables=tables)
    assert not unexpected(
        altered(WHOLE, sorted(places, key=str), 0.3),
        lambda value: parse_survey(value, tables=tables),
        DefinitionError,
    )


def test_a_list_of_joint_questions_has_names() -> None:
    for names in ([{}, "mood"], [["mood"], "sleep"], [None, "mood"]):
        questions = [
            entry | {"derived": {"joint": names}} if entry["type"] == "joint" else entry
            for entry in EVERY_DERIVED["questions"]
        ]
        with pytest.raises(DefinitionError, match=r"joint: must be a list of 2 to \d+ questions"):
            parse_survey(EVERY_DERIVED | {"questions": questions})


def test_what_is_not_json_is_refused_as_such_and_an_address_is_not() -> None:
    for text in ("", "{", "[" * 20_000, "[" * 60 + "]" * 60, "9" * 5_000):
        with pytest.raises(DefinitionError, match="This is not JSON: "):
            read_definition(text)
    content = json.dumps(WHOLE | {"exit": "https://[::1"})
    with pytest.raises(DefinitionError, match="exit: must be an address such as"):
        read_definition(content)


def test_each_member_of_a_frozen_document_may_have_any_type() -> None:
    document = json.loads(freeze(parse_survey(WHOLE), to_open=False).to_json())

    def verify(value: Any) -> None:
        frozen = frozen_from_document(value)
        if hasattr(frozen, "survey"):
            list(check_document(value, frozen))

    places = [path for path in paths(document) if path]
    assert not unexpected(altered(document, places, 0.2), verify, DefinitionError)


def test_each_member_of_a_response_may_have_any_type() -> None:
    frozen = freeze(parse_survey(EVERY_TYPE), to_open=False)
    response = {
        "id": "5" * 32,
        "fingerprint": frozen.fingerprint,
        "reports": drawn(random.Random(1)),
    }

    def read(value: Any) -> None:
        parse_response(json.dumps(value).encode(), frozen)

    read(response)
    assert not unexpected(altered(response, paths(response)), read, IntakeError)


def test_each_member_of_the_shares_of_a_simulation_may_have_any_type() -> None:
    survey = parse_survey(EVERY_TYPE)
    content = {"groups": [{"share": 1, "answers": TRUTH}]}
    read_groups(content, survey)
    assert not unexpected(
        altered(content, paths(content), 0.2),
        lambda value: read_groups(value, survey),
        DataFileError,
    )
