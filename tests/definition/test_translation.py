"""Survey texts in several languages."""

import pytest

from survey.core.errors import DefinitionError
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.survey import parse_survey
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast

OFTEN = {
    "name": "often",
    "type": "scale",
    "label": "How often?",
    "hint": "In a week.",
    "prefer_not_to_say": True,
    "choices": [{"name": "never", "label": "Never"}, {"name": "daily", "label": "Daily"}],
    "privacy": {"epsilon": 1},
}
WEIGHT = {
    "name": "weight", "type": "number", "label": "Your weight?", "min": 30, "max": 150,
    "unit": "kg", "privacy": {"epsilon": 1},
}  # fmt: skip
VIETNAMESE = {
    "title": "Sức khỏe",
    "introduction": "Vài lời.",
    "support": "Gọi 111.",
    "questions": {
        "smokes": {"label": "Bạn có hút thuốc không?"},
        "often": {
            "label": "Bao lâu một lần?",
            "hint": "Trong một tuần.",
            "choices": {"never": "Không bao giờ", "daily": "Hằng ngày"},
        },
        "weight": {"label": "Bạn nặng bao nhiêu?"},
    },
}


def both(translation: dict = VIETNAMESE, **rest: object) -> dict:
    return definition(
        yes_no(), OFTEN, WEIGHT, introduction="A few words.", support="Call 111.",
        translations={"vi": translation}, **rest,
    )  # fmt: skip


def fault(content: dict) -> DefinitionError:
    with pytest.raises(DefinitionError) as raised:
        parse_survey(content)
    return raised.value


def test_a_survey_is_read_in_each_of_its_languages():
    survey = parse_survey(both())
    assert survey.languages == ("en", "vi")
    vietnamese = survey.in_language("vi")
    smokes, often, weight = vietnamese.questions
    assert (vietnamese.title, vietnamese.language) == ("Sức khỏe", "vi")
    assert vietnamese.introduction == "Vài lời."
    assert vietnamese.fieldwork.support == "Gọi 111."
    assert [choice.label for choice in smokes.choices] == ["Có", "Không"]
    assert [choice.label for choice in often.offered] == [
        "Không bao giờ", "Hằng ngày", "Không muốn trả lời",
    ]  # fmt: skip
    assert often.hint == "Trong một tuần."
    assert weight.grid is not None and weight.grid.unit == "kg"
    assert survey.in_language("en") is survey
    assert survey.questions[0].label == "Do you smoke?"


def test_reports_are_the_same_in_every_language():
    survey = parse_survey(both())
    for question, other in zip(survey.questions, survey.in_language("vi").questions, strict=True):
        assert question.randomizer == other.randomizer
        assert [c.name for c in question.reports] == [c.name for c in other.reports]


def test_a_translation_survives_freezing():
    frozen = freeze(parse_survey(both()))
    again = FrozenSurvey.from_json(frozen.to_json())
    assert again == frozen
    assert again.survey.in_language("vi") == frozen.survey.in_language("vi")


def test_a_draft_may_lack_texts_but_does_not_open():
    lacking = VIETNAMESE | {"questions": {"smokes": {"label": "Bạn có hút thuốc không?"}}}
    survey = parse_survey(both(lacking))
    assert survey.in_language("vi").questions[1].label == "How often?"
    with pytest.raises(DefinitionError, match=r"translations.vi.questions.often.label.*4 more"):
        freeze(survey)
    assert freeze(survey, to_open=False).survey == survey


def test_own_words_for_yes_and_no_are_to_be_translated():
    own = yes_no() | {
        "choices": [{"name": "yes", "label": "I do"}, {"name": "no", "label": "I do not"}]
    }
    entry = {"title": "t", "questions": {"smokes": {"label": "?", "choices": {"yes": "Có ạ"}}}}
    survey = parse_survey(definition(own, translations={"vi": entry}))
    assert survey.untranslated == {"vi": [("questions", "smokes", "choices", "no")]}


@check_each(
    ("translations", "place"),
    [
        ([], "translations"),
        ({"vi": "x"}, "translations"),
        ({"en": {"title": "x"}}, "translations.en"),
        ({"fr": {"title": "x"}}, "translations.fr"),
        ({"vi": {"titel": "x"}}, "translations.vi.titel"),
        (
            {"vi": {"questions": {"drinks": {"label": "x"}}}},
            "translations.vi.questions.drinks.label",
        ),
        ({"vi": {"questions": {"smokes": {"hint": "x"}}}}, "translations.vi.questions.smokes.hint"),
        ({"vi": {"title": 3}}, "translations.vi.title"),
        ({"vi": {"title": "\0"}}, "translations.vi.title"),
    ],
)
def test_a_fault_in_a_translation_is_named(translations, place):
    assert fault(definition(translations=translations)).place == place


def test_translations_that_are_not_offered_are_kept_and_shown_to_nobody():
    content = definition(yes_no(), translations_not_offered={"vi": {"title": "Sức khỏe"}})
    survey = parse_survey(content)
    assert survey.languages == ("en",)
    assert not survey.untranslated
    assert survey.as_definition()["translations_not_offered"] == {"vi": {"title": "Sức khỏe"}}
    assert FrozenSurvey.from_json(freeze(survey).to_json()).survey.not_offered == survey.not_offered
    # A definition without them has the fingerprint that it always had.
    plain = parse_survey(definition(yes_no()))
    assert "translations_not_offered" not in plain.as_definition()


def test_a_language_is_offered_or_not():
    both = definition(yes_no(), translations={"vi": {}}, translations_not_offered={"vi": {}})
    assert fault(both).place == "translations_not_offered.vi"
    other = definition(yes_no(), translations_not_offered={"vi": {"titel": "x"}})
    assert fault(other).place == "translations_not_offered.vi.titel"
