"""Fieldwork settings of a definition: parsed, written if not the default, and refused."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.frozen import FrozenSurvey, fingerprint_of, freeze
from survey.definition.sub_surveys import pilot_of, practice_of
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
        "recruitment": "2,000 adults,\ndrawn at random",
        "minutes": 5, "layout": "one_at_a_time", "exit": "https://www.example.org/weather",
        "completion_link": "https://panel.example/done?cc=C1&id={PROLIFIC_PID}",
        "completion_code": "C1A2-b_3", "title_in_history": True,
        "series": "smoking", "invitations": True, "receipts": True, "comprehension": True,
    }  # fmt: skip
    written = parse_survey(definition(**members)).as_definition()
    assert {key: written[key] for key in members} == members
    plain = parse_survey(definition(batch=25)).as_definition()
    assert set(plain) == {"slug", "title", "language", "introduction", "questions"}


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("asked_by", 3), ("recruitment", 3), ("recruitment", "a" * 1_001), ("minutes", 0),
        ("minutes", True), ("layout", "both"),
        ("exit", "javascript:alert(1)"), ("exit", "javascript://example.org/%0aalert(1)"),
        ("exit", "https://"), ("series", "Ü"), ("series", 3),
        ("completion_link", 3), ("completion_link", ""), ("completion_link", "https://"),
        ("completion_link", "http://panel.example/"), ("completion_link", "javascript:alert(1)"),
        ("completion_link", "data:text/html,x"), ("completion_link", "//panel.example/"),
        ("completion_link", "https://{HOST}/"), ("completion_link", "https://{A}.example/"),
        ("completion_link", "https://panel.example:{PORT}/"),
        ("completion_link", "https://panel.example@{A}/"),
        ("completion_link", "https://name@panel.example/"),
        ("completion_link", "https://panel.example\\\\{A}"),
        ("completion_link", "https://panel.example/a b"),
        ("completion_link", "https://panel.example/{A"),
        ("completion_link", "https://panel.example/{}"),
        ("completion_link", "https://panel.example/{{A}}"),
        ("completion_link", "https://panel.example/{A-B}"),
        ("completion_link", "https://panel.example/" + "a" * 500),
        ("completion_code", "two words"), ("completion_code", "<b>"), ("completion_code", "a" * 61),
        ("completion_code", ""), ("completion_code", 7), ("title_in_history", "yes"),
        ("invitations", 1), ("receipts", "yes"), ("by_hand", None), ("comprehension", []),
    ],
)  # fmt: skip
def test_a_fault_in_the_fieldwork_is_named(member, value):
    assert fault(definition(**{member: value})).place == member


@pytest.mark.parametrize(
    "link",
    [
        "https://app.prolific.com/submissions/complete?cc=C1A2B3",
        "https://panel.example", "https://panel.example:8443/{A}/{b_2}?x={A}#{c}",
        "https://bücher.example/?q=%7B",
    ],
)  # fmt: skip
def test_a_completion_link_has_placeholders_behind_the_site(link):
    work = parse_survey(definition(completion_link=link)).fieldwork
    assert work.completion_link == link
    assert not set("{}") & set(work.completion_without_parameters)


def test_the_default_exit_is_no_member_of_the_definition():
    """So the fingerprints of surveys that do not set one stay, whatever the default is."""
    assert parse_survey(definition()).fieldwork.exit is None
    assert "exit" not in parse_survey(definition()).as_definition()
    own = definition(exit="https://www.wikipedia.org/")
    assert parse_survey(own).as_definition()["exit"] == "https://www.wikipedia.org/"


def test_a_class_has_batches_of_five_and_plans_thirty_responses():
    content = definition(class_mode=True)
    del content["batch"]
    survey = parse_survey(content)
    assert (survey.fieldwork.batch, survey.fieldwork.planned) == (5, 30)
    assert parse_survey(survey.as_definition()) == survey
    assert parse_survey(content | {"batch": 5, "planned": 80}).fieldwork.planned == 80


@pytest.mark.parametrize("off", [{}, {"class_mode": False}])
def test_class_mode_is_in_the_fingerprint_only_if_it_is_on(off):
    """So it changes no fingerprint of a survey without it."""
    definitions = [parse_survey(definition(batch=5, planned=30, **each)) for each in (off, {})]
    assert fingerprint_of(definitions[0]) == fingerprint_of(definitions[1])
    in_class = parse_survey(definition(batch=5, planned=30, class_mode=True))
    assert fingerprint_of(in_class) != fingerprint_of(definitions[0])


@pytest.mark.parametrize(
    ("members", "place", "words"),
    [
        ({"class_mode": "yes"}, "class_mode", "true or false"),
        ({"class_mode": True, "batch": 25}, "batch", "must be 5 in class mode"),
        ({"class_mode": True, "batch": 5, "series": "waves"}, "class_mode", "not fit a series"),
    ],
)
def test_a_fault_in_class_mode_is_named(members, place, words):
    found = fault(definition(**members))
    assert found.place == place
    assert words in str(found)


def test_a_rehearsal_of_a_class_publishes_at_once():
    for part in (practice_of, pilot_of):
        rehearsal = part(parse_survey(definition(class_mode=True, batch=5)))
        document = freeze(rehearsal, to_open=False).to_json()
        assert FrozenSurvey.from_json(document).survey.fieldwork.batch == 1
