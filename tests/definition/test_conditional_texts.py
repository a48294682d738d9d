"""No text that depends on a private answer has an address that would tell the answer."""

from typing import Any

import pytest

from survey.core.errors import DefinitionError
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.planning.checklist import checks
from survey.planning.privacy_checks import LOOK, PASSED, STOPS
from tests.support.definitions import definition, yes_no
from tests.support.derived_survey import derived, unsent
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast

EVIL_CHOICES = [*letters("a"), {"name": "b", "label": "evil.example"}]
HIV = yes_no("hiv", {"epsilon": 1}, "HIV?")
ADDRESSES = (
    "https://evil.example/yes", "Go to evil.example.", "EVIL.COM", "evil．com", "evil。com",
    "write to me@mail.evil.is", "mailto:me", "www.evil", "evil.is/yes", "evil.zz:8000/yes",
    "http://[::1]/", "203.0.113.7", "ví-dụ.vn", "例子.com", "tel+x://1", "(evil.org)",
)  # fmt: skip
SENTENCES = (
    "Thank you.", "e.g. at 10 a.m., 3.5 kg, Ph.D.", "18.30–19.00 on 1.2.2026", "Xin chào.Bạn có",
    "您吸烟吗？是。否", "คุณสูบบุหรี่หรือไม่ พ.ศ. 2569", "https is a protocol", "Call 113 now",
    "... and more",
)  # fmt: skip
PERHAPS = ("TP.HCM", "Stop.It is", "B.Sc. or evil.is")


def note(text: str, condition: Any) -> dict[str, Any]:
    return asked("told", "note", label=text, relevant=condition)


def verdict(content: dict[str, Any]) -> list[str]:
    return [each.verdict for each in checks(parse_survey(content)) if each.name == "addresses"]


def test_an_address_after_a_private_answer_keeps_a_survey_from_opening() -> None:
    for text in ADDRESSES:
        content = definition(HIV, note(text, {"hiv": "yes"}))
        with pytest.raises(DefinitionError, match="contains an address") as error:
            freeze(parse_survey(content))
        assert error.value.place == "questions[1].label"
        assert verdict(content) == [STOPS]
        freeze(parse_survey(content), to_open=False)


def test_ordinary_sentences_open_and_words_with_a_dot_are_to_be_looked_at() -> None:
    for texts, expected in ((SENTENCES, PASSED), (PERHAPS, LOOK)):
        for text in texts:
            content = definition(HIV, note(text, {"hiv": "yes"}))
            freeze(parse_survey(content))
            assert verdict(content) == [expected], text


@pytest.mark.parametrize(
    ("place", "questions"),
    [
        ("questions[1].hint", [HIV | {"hint": ""}, yes_no("more", {"epsilon": 1})
         | {"relevant": {"hiv": "yes"}, "hint": "evil.example"}]),
        ("questions[1].choices[1].label", [HIV, asked("more", "select_one", {"epsilon": 1},
         relevant={"hiv": "yes"}, choices=EVIL_CHOICES)]),
        ("questions[1].unit", [HIV, asked("more", "number", {"epsilon": 1}, min=0, max=9,
         unit="evil.example", relevant={"hiv": "yes"})]),
        ("questions[1].label", [HIV, asked("part", "section", label="evil.example",
         relevant={"hiv": "yes"}), yes_no("more", {"epsilon": 1})]),
        ("questions[2].label", [HIV, asked("part", "section", label="More",
         relevant={"hiv": "yes"}), asked("told", "note", label="evil.example")]),
        ("questions[2].label", [unsent("mood", "yes_no"), derived("low", {"any": {"mood": ["yes"]}},
         prefer_not_to_say=False), note("evil.example", {"low": ["yes"]})]),
        ("questions[2].label", [unsent("mood", "yes_no"), HIV,
         note("evil.example", {"mood": ["yes"]})]),
    ],
)  # fmt: skip
def test_every_text_of_every_kind_of_question_is_checked(place: str, questions: list[Any]) -> None:
    with pytest.raises(DefinitionError, match="contains an address") as error:
        freeze(parse_survey(definition(*questions)))
    assert error.value.place == place


def test_translations_are_checked() -> None:
    vietnamese = {"title": "Y", "questions": {"hiv": {"label": "?"}, "told": {"label": "evil.vn"}}}
    content = definition(HIV, note("Thanks", {"hiv": "yes"}), translations={"vi": vietnamese})
    with pytest.raises(DefinitionError, match="contains an address") as error:
        freeze(parse_survey(content))
    assert error.value.place == "translations.vi.questions.told.label"


def test_texts_for_everyone_may_have_addresses() -> None:
    region = asked("region", "select_one", "none", choices=letters("ns"))
    arm = asked("arm", "select_one", "none", choices=letters("ab"),
                derived={"random": {"a": 1, "b": 1}})  # fmt: skip
    for condition in ({"region": "n"}, {"arm": "a"}):
        content = definition(HIV, region, arm, note("https://a.example", condition))
        freeze(parse_survey(content))
        assert verdict(content) == []
    everyone = asked("told", "note", label="https://a.example")
    freeze(parse_survey(definition(HIV, everyone, support="https://a.example")))
