"""A designer's texts cannot imitate Candor's own words, nor look like something else."""

import re
from copy import deepcopy
from typing import Any

import pytest

from survey.core.errors import DefinitionError
from survey.core.languages import LANGUAGES, Words, catalog
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.imitation import OWN_PHRASES, comparable_text, imitating_texts
from survey.definition.survey import parse_survey
from survey.planning.checklist import checks
from survey.planning.privacy_checks import LOOK, PASSED, STOPS
from survey.web.rendering import render_markdown
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened

PARTY = {
    "name": "party",
    "type": "select_one",
    "label": "Which party?",
    "hint": "The one that you like best.",
    "choices": [{"name": "a", "label": "Alder"}, {"name": "b", "label": "Birch"}],
    "privacy": {"mechanism": "coin_flip"},
}
WEIGHT = {
    **{"name": "weight", "type": "number", "label": "Your weight?", "unit": "kg"},
    **{"min": 0, "max": 100, "privacy": "none"},
}
NOTE = {"name": "note", "type": "note", "label": "Nearly there."}
VIETNAMESE = {
    "title": "Sức khỏe",
    "introduction": "Xin chào.",
    "asked_by": "Đại học",
    "support": "Gọi.",
    "questions": {
        "party": {
            "label": "Đảng nào?",
            "hint": "Một đảng.",
            "choices": {"a": "Cây trăn", "b": "Bạch dương"},
        },
        "weight": {"label": "Nặng bao nhiêu?"},
        "note": {"label": "Sắp xong."},
    },
}


def content(**rest: object) -> dict:
    return definition(
        PARTY, WEIGHT, NOTE, introduction="Hello.", asked_by="University", support="Call.",
        translations={"vi": VIETNAMESE}, **rest,
    )  # fmt: skip


def changed(place: str, text: str) -> dict:
    """The definition with another text at one place."""
    whole: Any = deepcopy(content())
    inner = whole
    *way, last = [int(step) if step.isdigit() else step for step in re.findall(r"\w+", place)]
    for step in way:
        inner = inner[step]
    inner[last] = text
    return whole


SHORT = [
    "title",
    "asked_by",
    "questions[0].label",
    "questions[0].choices[1].label",
    "questions[1].unit",
    "translations.vi.title",
    "translations.vi.questions.party.label",
    "translations.vi.questions.party.choices.b",
]
PARAGRAPHS = ["introduction", "support", "questions[0].hint", "questions[2].label"]
HIDDEN = {
    "reversed": "No \u202eseY",
    "zero-width space": "Yes\u200b!",
    "soft hyphen": "Yes\u00ad!",
    "byte order mark": "Yes\ufeff!",
    "a joiner after a Latin letter": "Yes\u200dNo",
    "tag of a flag": "Yes\U000e0067!",
    "combining grapheme joiner": "Yes\u034f!",
    "Hangul filler": "Yes\u3164!",
    "Hangul choseong filler": "Yes\u115f!",
    "half-width Hangul filler": "Yes\uffa0!",
    "Khmer inherent vowel": "Yes\u17b4!",
    "blank of braille": "Yes\u2800!",
    "null notehead": "Yes\U0001d159!",
    "unassigned and ignorable": "Yes\U000e0fff!",
    "variation selector after a Latin letter": "Yes\ufe0f!",
    "two variation selectors": "\u2764\ufe0f\ufe0f Yes",
    "nothing else": "\u3164",
}


@check_each("place", [*SHORT, *PARAGRAPHS])
@check_each("kind", HIDDEN)
def test_a_character_that_nobody_sees_keeps_a_survey_from_opening(place, kind):
    """Drafts can still be parsed, and so can surveys that are already frozen."""
    survey = parse_survey(changed(place, HIDDEN[kind]))
    with pytest.raises(DefinitionError, match=r"contains an invisible character, U\+") as error:
        freeze(survey)
    assert error.value.place == place
    old = freeze(survey, to_open=False)
    assert FrozenSurvey.from_json(old.to_json()).fingerprint == old.fingerprint


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\u2028", "\u2029"])
def test_a_short_text_is_one_line_and_a_paragraph_may_be_more(line_end):
    text = f"Yes{line_end}Mixed up"
    for place in SHORT:
        with pytest.raises(DefinitionError, match="contains a line break") as error:
            freeze(parse_survey(changed(place, text)))
        assert error.value.place == place
    for place in PARAGRAPHS:
        freeze(parse_survey(changed(place, text)))


@check_each(
    "text",
    [
        "می\u200cخواهم", "ക്\u200d", "👩\u200d👩\u200d👧", "👋🏽", "คุณสูบบุหรี่หรือไม่", "您吸烟吗？",
        "\u2764\ufe0f", "1\ufe0f\u20e3", "\u203c\ufe0f", "👁\ufe0f\u200d🗨\ufe0f", "葛\U000e0100",
        "ᠠ\u180b", "Bạn có hút thuốc không?", "Ba\u0323n co\u0301", "한국어", "50\u00a0%",
        "Yes,\u3000\u3000or  no",
    ],
)  # fmt: skip
def test_joiners_stand_where_scripts_and_emoji_need_them(text):
    for place in (*SHORT, *PARAGRAPHS):
        freeze(parse_survey(changed(place, text)))


def test_many_wide_spaces_are_refused_and_those_of_a_keyboard_are_shown_as_one():
    for space in "\u3000\u00a0\u2003\u205f":
        survey = parse_survey(changed("questions[0].choices[1].label", f"No{space * 300}Mixed up"))
        with pytest.raises(DefinitionError, match="contains several wide spaces in a row"):
            freeze(survey)
    freeze(parse_survey(changed("questions[0].choices[1].label", "No" + " " * 300 + "Never")))


@pytest.mark.parametrize(
    ("label", "other"),
    [
        ("ใช่", "ใช่\u200d"), ("\u2764", "\u2764\ufe0f"), ("葛", "葛\U000e0100"),
        ("No one", "No  one"), ("No one", "No\u00a0one"), ("Co\u0301", "C\u00f3"),
    ],
)  # fmt: skip
def test_two_choices_that_differ_in_what_nobody_sees_alone_are_refused(label, other):
    choices = [{"name": "a", "label": label}, {"name": "b", "label": other}]
    survey = parse_survey(definition(PARTY | {"choices": choices}))
    with pytest.raises(DefinitionError, match="looks like another choice") as error:
        freeze(survey)
    assert error.value.place == "questions[0].choices[1].label"


def test_two_choices_may_differ_in_marks_and_in_the_width_of_signs():
    for label, other in (("ma", "mà"), ("ไก", "ไก่"), ("x2", "x²"), ("A", "Ａ")):
        choices = [{"name": "a", "label": label}, {"name": "b", "label": other}]
        freeze(parse_survey(definition(PARTY | {"choices": choices})))


def found(survey_content: dict, name: str):
    [check] = [c for c in checks(parse_survey(survey_content)) if c.name == name]
    return check


def test_the_checklist_names_the_text_and_where_it_is_corrected():
    assert found(content(), "characters").verdict == PASSED
    check = found(changed("questions[0].choices[1].label", "B\u200b"), "characters")
    assert (check.verdict, check.places) == (STOPS, ("question:party",))
    assert "questions[0].choices[1].label contains an invisible character" in check.details[0]
    check = found(changed("translations.vi.title", "B\u200b"), "characters")
    assert (check.verdict, check.places) == (STOPS, ("translation:vi",))


@check_each("language", LANGUAGES)
@check_each("phrase", OWN_PHRASES)
def test_the_checklist_advises_against_candors_own_phrases(phrase, language):
    """In every language of the survey, and with every disguise."""
    said = Words(language).say(phrase)
    check = found(changed("questions[0].hint", f"Note: **{said.upper()}** (ε = 0.10)"), "imitation")
    assert (check.verdict, check.places) == (LOOK, ("question:party",))
    assert found(content(), "imitation").verdict == PASSED


def test_a_phrase_in_an_introduction_is_found_though_spaces_and_stress_differ():
    survey = parse_survey(changed("introduction", "## Who  can\nlearn *your real* answers?"))
    [(written, phrase)] = imitating_texts(survey)
    assert (written.place, phrase) == ("introduction", "Who can learn your real answers?")


def test_the_phrases_are_those_that_the_pages_say():
    """In each catalog. If a phrase changes there, it must change in the list too."""
    for language in LANGUAGES:
        if language != "en":
            for phrase in OWN_PHRASES:
                assert catalog(language).gettext(phrase) != phrase, (language, phrase)
    assert len({comparable_text(phrase) for phrase in OWN_PHRASES}) == len(OWN_PHRASES)


# On the page.


def test_headings_of_a_designer_begin_below_those_of_the_page():
    html = render_markdown("# A\n## B\n### C\n#### D\n###### E\n\nF\n===")
    assert re.findall(r"<h(\d)>(\w)</h\1>", html) == [
        ("4", "A"), ("4", "B"), ("5", "C"), ("6", "D"), ("6", "E"), ("4", "F"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "From the people running this survey"),
        ("vi", "Lời của những người thực hiện khảo sát này"),
    ],
)
def test_what_a_designer_writes_stands_in_a_box_that_says_whose_it_is(
    client, store, language, words
):
    opened(store, content())
    page = client.get(f"/s/health?language={language}").get_data(as_text=True)
    texts = ("Hello.", "Nearly there.", "Call.")
    if language == "vi":
        texts = (VIETNAMESE["introduction"], "Sắp xong.", VIETNAMESE["support"])
    for text in texts:
        before = page.partition(f">{text}<")[0]
        assert before != page
        box = before.rpartition("theirs")[2]
        assert words in box
        assert "</fieldset>" not in box and "<section" not in box
