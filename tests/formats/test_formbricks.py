"""Surveys of Formbricks become drafts, with notes that name questions by their headlines."""

import json

import pytest

from survey.core.errors import DataFileError
from survey.formats.definition_files import read_survey
from tests.support.check_each import check_each
from tests.support.other_surveys import definition_and_notes

pytestmark = pytest.mark.fast

UNPROTECTED = (
    "the form sets no protection, so answers are stored as given. Choose a protection in the draft "
    "if needed."
)
MADE_ID = "tbcmrcm2dhk4v8q9w7x3y1z0"


def said(text, **others):
    return {"default": text, **others}


def labelled(*texts):
    return [{"id": f"{MADE_ID[:-1]}{n}", "label": said(text)} for n, text in enumerate(texts)]


def choices(*texts):
    return [{"name": text.lower(), "label": text} for text in texts]


def numbers(first, last, low="", high=""):
    found = [{"name": str(n), "label": str(n)} for n in range(first, last + 1)]
    found[0]["label"] += low
    found[-1]["label"] += high
    return found


def read(*questions, **survey):
    languages = [{"default": True, "language": {"code": "en"}}]
    content = {"name": "S", "welcomeCard": {"enabled": False}, "languages": languages}
    return definition_and_notes(
        read_survey(json.dumps(content | {"questions": questions} | survey).encode())
    )


PLAIN = {"label": "Q?", "privacy": "none"}
TEA = labelled("tea", "milk")
TEXTS = "question “Q?”, required: respondents may leave a text empty, and boxes unticked."
IDENTIFIES = (
    "the answer identifies a person, and Candor stores nothing that does. Ask for something less "
    "exact, such as an age group. The question is omitted."
)
ENDS = {"lowerLabel": said("Never"), "upperLabel": said("Always")}
ROW = {"type": "select_one", "choices": choices("tea", "milk"), "privacy": "none"}
JUMPS = (
    "question “Q?”, logic: Candor has no jumps, so everyone is asked the questions that follow. "
    "Set their conditions in the draft."
)


@check_each(
    ("element", "questions", "notes"),
    [
        (
            {"type": "multipleChoiceSingle", "choices": TEA},
            {"q": PLAIN | {"type": "select_one", "choices": choices("tea", "milk")}},
            [],
        ),
        (
            {"type": "multipleChoiceSingle", "choices": TEA, "shuffleOption": "all"},
            {
                "q": PLAIN
                | {
                    "type": "select_one",
                    "choices": choices("tea", "milk"),
                    "random_order": True,
                }
            },
            [],
        ),
        (
            {"type": "multipleChoiceMulti", "choices": TEA, "required": False},
            {"q": PLAIN | {"type": "select_multiple", "choices": choices("tea", "milk")}},
            [],
        ),
        (
            {"type": "ranking", "choices": TEA},
            {"q": PLAIN | {"type": "ranking", "choices": choices("tea", "milk")}},
            [],
        ),
        (
            {"type": "rating", "range": 3, **ENDS},
            {"q": PLAIN | {"type": "scale", "choices": numbers(1, 3, " – Never", " – Always")}},
            [],
        ),
        ({"type": "rating"}, {"q": PLAIN | {"type": "scale", "choices": numbers(1, 5)}}, []),
        ({"type": "nps"}, {"q": PLAIN | {"type": "scale", "choices": numbers(0, 10)}}, []),
        (
            {"type": "openText", "subheader": said("<p>Hint</p>"), "required": False},
            {"q": PLAIN | {"type": "text", "hint": "Hint"}},
            [
                "question “Q?”, subheader: Candor’s pages show plain text, so markup such as <b> "
                "is removed."
            ],
        ),
        ({"type": "openText"}, {"q": PLAIN | {"type": "text"}}, [TEXTS]),
        (
            {"type": "consent", "label": said("I agree"), "required": False},
            {
                "q": PLAIN
                | {"type": "select_multiple", "choices": [{"name": "accepted", "label": "I agree"}]}
            },
            [],
        ),
        ({"type": "cta"}, {"q": {"type": "note", "label": "Q?"}}, []),
        (
            {"type": "matrix", "rows": [said("A"), said("B")], "columns": TEA},
            {
                "section1": {"type": "section", "label": "Q?", "battery": True},
                "q_a": ROW | {"label": "A"},
                "q_b": ROW | {"label": "B"},
            },
            [],
        ),
        ({"type": "cta", "logic": [{}]}, {"q": {"type": "note", "label": "Q?"}}, [JUMPS]),
        (
            {"type": "pictureSelection"},
            {},
            ["question “Q?”, type: Candor’s pages show only text. The question is omitted."],
        ),
        (
            {"type": "fileUpload"},
            {},
            ["question “Q?”, type: Candor accepts no files. The question is omitted."],
        ),
        (
            {"type": "cal"},
            {},
            ["question “Q?”, type: Candor makes no appointments. The question is omitted."],
        ),
        ({"type": "address"}, {}, [f"question “Q?”, type: {IDENTIFIES}"]),
        ({"type": "contactInfo"}, {}, [f"question “Q?”, type: {IDENTIFIES}"]),
        (
            {"type": "openText", "inputType": "email"},
            {},
            [f"question “Q?”, inputType: {IDENTIFIES}"],
        ),
    ],
)
def test_each_type_becomes_a_question_or_a_note(element, questions, notes):
    last = {"type": "openText", "id": "last", "headline": said("L?"), "required": False}
    whole = {"id": "q", "headline": said("Q?"), "required": True, **element}
    for survey in ({}, {"questions": [], "blocks": [{"elements": [whole, last]}]}):
        found, left_out = read(whole, last, **survey)
        assert found.pop("last") == {"type": "text", "label": "L?", "privacy": "none"}
        found.pop("section", None)
        assert found == questions
        assert [each for each in left_out if UNPROTECTED not in each] == notes


def test_a_number_and_a_date_get_wide_ranges_with_a_note():
    found, left_out = read(
        {"type": "openText", "inputType": "number", "id": "n", "headline": said("N?")},
        {"type": "date", "id": "d", "headline": said("D?")},
    )
    assert (found["n"]["type"], found["n"]["min"]) == ("number", 0)
    assert (found["d"]["earliest"], found["d"]["latest"]) == ("1900-01-01", "2100-12-31")
    assert sum("Set the true range in the draft." in each for each in left_out) == 3


def test_a_table_without_rows_is_omitted_and_the_note_on_its_jumps_names_no_other_question():
    table = {"type": "matrix", "id": "t", "rows": [], "columns": TEA, "logic": [{}]}
    found, left_out = read({"type": "nps", "id": "a", "headline": said("A?")}, table)
    assert [*found] == ["a"]
    assert left_out == [
        f"question “A?”: {UNPROTECTED}",
        "question “t”, type: the table has no rows, so it asks nothing. Add a row to it. The "
        "question is omitted.",
    ]


def test_a_question_without_a_headline_is_named_by_its_type():
    found, left_out = read({"type": "openText"})
    assert found["opentext"]["label"] == "opentext"
    assert "question “openText”, headline: is empty, so 'opentext' is used." in left_out


def test_a_made_identifier_is_replaced_by_a_name_from_the_headline():
    asked = {"type": "nps", "id": MADE_ID, "headline": said("Bạn có hài lòng không?")}
    found, left_out = read(asked)
    assert [*found] == ["ban_co_hai_long_khong"]
    assert left_out == [f"question “Bạn có hài lòng không?”: {UNPROTECTED}"]


def test_other_asks_for_a_text_and_keeps_its_label():
    other = [*TEA, {"id": "other", "label": said("Something else")}]
    found, _ = read(
        {"type": "multipleChoiceSingle", "id": "q", "headline": said("Q?"), "choices": other}
    )
    assert found["q"]["choices"][-1] == {"name": "other", "label": "Something else"}
    assert found["q_other"]["relevant"] == {"q": ["other"]}


def test_languages_and_the_welcome_card_come_in():
    languages = [
        {"default": False, "language": {"code": "en"}},
        {"default": True, "language": {"code": "vi"}},
    ]
    card = {"enabled": True, "html": said("<p>Chào</p>", en="Hello"), "headline": said("!")}
    content = {
        "data": {
            "name": "Hài lòng",
            "welcomeCard": card,
            "languages": languages,
            "slug": None,
            "questions": [
                {
                    "type": "multipleChoiceSingle",
                    "id": "q",
                    "headline": said("Thế nào?", en="How?"),
                    "choices": [
                        {"id": "a", "label": said("Tốt", en="Good", de="Gut")},
                        {"id": "b", "label": said("Xấu", en="Bad")},
                    ],
                }
            ],
        }
    }
    imported = read_survey(json.dumps(content).encode())
    assert imported.survey.as_definition() == {
        "slug": "hai-long",
        "title": "Hài lòng",
        "language": "vi",
        "introduction": "Chào",
        "questions": [
            {
                "name": "q",
                "type": "select_one",
                "label": "Thế nào?",
                "privacy": "none",
                "choices": [{"name": "tot", "label": "Tốt"}, {"name": "xau", "label": "Xấu"}],
            }
        ],
        "translations": {
            "en": {
                "introduction": "Hello",
                "questions": {"q": {"label": "How?", "choices": {"tot": "Good", "xau": "Bad"}}},
            }
        },
    }
    assert imported.left_out == (
        f"question “Thế nào?”: {UNPROTECTED}",
        "languages: texts in de are omitted. Candor’s pages for respondents are in English, ไทย, "
        "Tiếng Việt, 中文.",
    )


@check_each(
    "element",
    [
        {"type": ["nps"], "id": {}, "headline": 3},
        {"type": "rating", "range": 10**8, "headline": said("R?")},
        {"type": "rating", "range": "x", "headline": {"default": None}},
        {"type": "matrix", "rows": [None, [], 3], "columns": {}},
        {"type": "multipleChoiceSingle", "choices": [{"id": 1}, {"label": []}, "x"]},
    ],
)
def test_values_of_other_kinds_are_no_error(element):
    found, _ = read(element, {"type": "nps", "id": "last", "headline": said("L?")})
    assert found["last"]["label"] == "L?"


def test_a_file_without_questions_is_refused():
    with pytest.raises(DataFileError, match=r"This file has no questions."):
        read()
