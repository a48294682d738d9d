"""Fieldwork settings of a definition: parsed, written if not the default, and refused."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from tests.support.definitions import definition

pytestmark = pytest.mark.fast


def fault(content: dict) -> DefinitionError:
    with pytest.raises(DefinitionError) as raised:
        parse_survey(content)
    return raised.value


def test_fieldwork_is_read_and_written_as_far_as_it_differs():
    members = {
        "asked_by": "University of Example", "contact": "survey@example.org", "support": "**111**",
        "minutes": 5, "layout": "one_at_a_time", "exit": "https://www.example.org/weather",
        "series": "smoking", "invitations": True, "receipts": True, "comprehension": True,
    }  # fmt: skip
    written = parse_survey(definition(**members)).as_definition()
    assert {key: written[key] for key in members} == members
    plain = parse_survey(definition(batch=25)).as_definition()
    assert set(plain) == {"slug", "title", "language", "introduction", "questions"}


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("asked_by", 3), ("minutes", 0), ("minutes", True), ("layout", "both"),
        ("exit", "javascript:alert(1)"), ("exit", "javascript://example.org/%0aalert(1)"),
        ("exit", "https://"), ("series", "Ü"), ("series", 3),
        ("invitations", 1), ("receipts", "yes"), ("by_hand", None), ("comprehension", []),
    ],
)  # fmt: skip
def test_a_fault_in_the_fieldwork_is_named(member, value):
    assert fault(definition(**{member: value})).place == member
