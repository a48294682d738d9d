"""Surveys of SurveyJS become drafts, with notes that name questions and their properties."""

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
PLAIN = {"label": "Q?", "privacy": "none"}
IDENTIFIES = (
    "the answer identifies a person, and Candor stores nothing that does. Ask for something less "
    "exact, such as an age group. The question is omitted."
)
BOXES_NOTE = "question q, isRequired: respondents may leave a text empty, and boxes unticked."


def read(*elements, **survey):
    content = {"locale": "en", "title": "S", "elements": elements, **survey}
    return definition_and_notes(read_survey(json.dumps(content).encode()))


def choices(*texts):
    return [{"name": text.lower(), "label": text} for text in texts]


def numbers(first, last, low="", high=""):
    labels = [str(number) for number in range(first, last + 1)]
    found = [{"name": label, "label": label} for label in labels]
    found[0]["label"] += low
    found[-1]["label"] += high
    return found


ONE = {"type": "select_one", "choices": choices("Tea", "Milk")}
VALUES = [{"value": "tea", "text": "Tea"}, {"value": "milk", "text": "Milk"}]
BATTERY = {
    "section1": {"type": "section", "label": "Q?", "battery": True},
    "q_a": {
        "type": "select_one",
        "label": "A",
        "choices": choices("Tea", "Milk"),
        "privacy": "none",
    },
    "q_b": {
        "type": "select_one",
        "label": "B",
        "choices": choices("Tea", "Milk"),
        "privacy": "none",
    },
}


@check_each(
    ("element", "questions", "notes"),
    [
        ({"type": "radiogroup", "choices": VALUES}, {"q": PLAIN | ONE}, []),
        (
            {"type": "dropdown", "choices": VALUES, "choicesOrder": "random"},
            {"q": PLAIN | ONE | {"random_order": True}},
            [],
        ),
        (
            {"type": "dropdown", "choicesMin": 1, "choicesMax": 3},
            {"q": PLAIN | {"type": "select_one", "choices": numbers(1, 3)}},
            [],
        ),
        (
            {"type": "radiogroup", "choices": [1, 2, True]},
            {"q": PLAIN | {"type": "select_one", "choices": choices("1", "2", "true")}},
            [],
        ),
        (
            {"type": "radiogroup", "choices": VALUES, "showNoneItem": True, "noneText": "None"},
            {"q": PLAIN | {"type": "select_one", "choices": choices("Tea", "Milk", "None")}},
            [],
        ),
        (
            {"type": "checkbox", "choices": VALUES},
            {"q": PLAIN | {"type": "select_multiple", "choices": choices("Tea", "Milk")}},
            [BOXES_NOTE],
        ),
        (
            {"type": "tagbox", "choices": VALUES, "maxSelectedChoices": 1},
            {"q": PLAIN | {"type": "select_multiple", "choices": choices("Tea", "Milk")}},
            ["question q, maxSelectedChoices: is not supported.", BOXES_NOTE],
        ),
        (
            {"type": "ranking", "choices": VALUES},
            {"q": PLAIN | {"type": "ranking", "choices": choices("Tea", "Milk")}},
            [],
        ),
        (
            {"type": "boolean"},
            {"q": PLAIN | {"type": "yes_no", "choices": choices("Yes", "No")}},
            [],
        ),
        (
            {"type": "boolean", "labelTrue": "Agree", "labelFalse": "Refuse"},
            {
                "q": PLAIN
                | {
                    "type": "select_one",
                    "choices": [
                        {"name": "true", "label": "Agree"},
                        {"name": "false", "label": "Refuse"},
                    ],
                }
            },
            [],
        ),
        ({"type": "rating"}, {"q": PLAIN | {"type": "scale", "choices": numbers(1, 5)}}, []),
        (
            {
                "type": "rating",
                "rateMin": 0,
                "rateMax": 10,
                "minRateDescription": "Never",
                "maxRateDescription": "Always",
            },
            {"q": PLAIN | {"type": "scale", "choices": numbers(0, 10, " – Never", " – Always")}},
            [],
        ),
        (
            {"type": "rating", "rateCount": 3},
            {"q": PLAIN | {"type": "scale", "choices": numbers(1, 3)}},
            [],
        ),
        (
            {"type": "rating", "rateValues": VALUES},
            {"q": PLAIN | {"type": "scale", "choices": choices("Tea", "Milk")}},
            [],
        ),
        (
            {"type": "text", "inputType": "number", "min": 0, "max": 12},
            {"q": PLAIN | {"type": "number", "min": 0, "max": 12, "step": 1}},
            [],
        ),
        (
            {"type": "text", "inputType": "number", "min": 0, "max": 2, "step": 0.5},
            {"q": PLAIN | {"type": "number", "min": 0, "max": 2, "step": 0.1}},
            ["question q, type: Candor set the step to 0.1. Change it in the draft if needed."],
        ),
        (
            {"type": "text", "inputType": "range", "min": 1, "max": 7},
            {"q": PLAIN | {"type": "number", "min": 1, "max": 7, "step": 1}},
            [],
        ),
        (
            {"type": "text", "inputType": "date", "min": "2020-01-31", "max": "2026-12-31"},
            {"q": PLAIN | {"type": "date", "earliest": "2020-01-31", "latest": "2026-12-31"}},
            [BOXES_NOTE],
        ),
        (
            {"type": "comment", "description": "Optional."},
            {"q": PLAIN | {"type": "text", "hint": "Optional."}},
            [BOXES_NOTE],
        ),
        (
            {"type": "html", "html": "<p>Read <i>this</i>.</p>"},
            {"q": {"type": "note", "label": "Read this."}},
            [
                "question q, title: Candor’s pages show plain text, so markup such as <b> is "
                "removed."
            ],
        ),
        (
            {
                "type": "matrix",
                "rows": [{"value": "a", "text": "A"}, {"value": "b", "text": "B"}],
                "columns": VALUES,
            },
            BATTERY,
            [],
        ),
        (
            {"type": "text", "inputType": "date", "min": "2020-01-31", "max": "today()"},
            {"q": PLAIN | {"type": "date", "earliest": "2020-01-31", "latest": "2100-12-31"}},
            [
                "question q, min/max: the form does not limit the date on both sides, so Candor "
                "set 2020-01-31 to 2100-12-31. Set the true range in the draft.",
                "question q, max: is not supported.",
                BOXES_NOTE,
            ],
        ),
        ({"type": "matrix", "columns": VALUES}, {"q": PLAIN | ONE}, []),
        (
            {"type": "multipletext", "items": [{"name": "a", "title": "A"}]},
            {
                "q": {"type": "note", "label": "Q?"},
                "q_a": {"type": "text", "label": "A", "privacy": "none"},
            },
            [BOXES_NOTE.replace("question q,", "question q_a,")],
        ),
        ({"type": "text", "inputType": "email"}, {}, [f"question q, inputType: {IDENTIFIES}"]),
        (
            {"type": "file"},
            {},
            ["question q, type: Candor accepts no files. The question is omitted."],
        ),
        (
            {"type": "paneldynamic"},
            {},
            [
                "question q, type: Candor has no repeats. Ask a fixed number of questions. The "
                "question is omitted."
            ],
        ),
        (
            {"type": "matrixdynamic"},
            {},
            [
                "question q, type: Candor has no tables to which respondents add rows. Ask a fixed "
                "number of questions. The question is omitted."
            ],
        ),
        (
            {"type": "dropdown", "choicesByUrl": {"url": "https://example.org"}},
            {},
            [
                "question q, choices: Candor reads no choices from elsewhere. Write them into the "
                "question. The question is omitted."
            ],
        ),
        (
            {"type": "multipletext", "items": []},
            {},
            [
                "question q, items: the table has no rows, so it asks nothing. Add a row to it. "
                "The question is omitted."
            ],
        ),
        (
            {"type": "radiogroup", "choices": VALUES, "visible": False},
            {},
            ["question q, visible: respondents never see this question. The question is omitted."],
        ),
        (
            {
                "type": "radiogroup",
                "choices": VALUES,
                "validators": [{"type": "expression"}],
                "defaultValue": "tea",
            },
            {"q": PLAIN | ONE},
            [
                "question q, validators: is not supported.",
                "question q, defaultValue: Candor fills in no answers.",
            ],
        ),
        (
            {"type": "star-widget"},
            {},
            [
                "question q, type: 'star-widget' is not a question type of Candor. The question is "
                "omitted."
            ],
        ),
    ],
)
def test_each_type_becomes_a_question_or_a_note(element, questions, notes):
    last = {"type": "comment", "name": "last", "title": "L?"}
    element = {"name": "q", "title": "Q?", "isRequired": True, **element}
    found, said = read(element, last)
    assert found.pop("last") == {"type": "text", "label": "L?", "privacy": "none"}
    found.pop("section", None)
    assert found == questions
    assert [each for each in said if UNPROTECTED not in each] == notes


@check_each(
    ("condition", "relevant", "note"),
    [
        ("{one} = 'tea'", {"one": ["tea"]}, ""),
        ("{one} <> 'tea'", {"one": ["milk"]}, ""),
        ("{boxes} contains 'milk'", {"boxes": ["milk"]}, ""),
        ("{boxes} anyof ['tea', 'milk']", {"boxes": ["tea", "milk"]}, ""),
        ("{boxes} notempty", {"boxes": ["tea", "milk"]}, ""),
        ("{told} = true and {age} >= 18", {"told": ["yes"], "age": {"min": 18}}, ""),
        ("{table.A row} = 'tea'", {"table_a_row": ["tea"]}, ""),
        (
            "{one} = 'tea' or {told}",
            {"q_if": ["yes"]},
            "the condition becomes the derived answer 'q_if', which the respondent’s page "
            "calculates.",
        ),
        (
            "{age} > 3 and {row.x} = 1",
            {"age": {"min": 4}},
            "“{row.x} = 1” depends on 'row.x', which the form does not have. The questions "
            "with this "
            "condition are asked without it.",
        ),
        (
            "{age} > 3 and age({born}) > 3",
            {"age": {"min": 4}},
            "“age({born}) > 3” uses 'age', which Candor does not compute. The questions with this "
            "condition are asked without it.",
        ),
        (
            "{q} = 1",
            None,
            "depends on the answer to its own question. A condition can only use earlier "
            "questions. "
            "The questions with this condition are asked without it.",
        ),
    ],
)
def test_visible_if_becomes_a_condition(condition, relevant, note):
    asked = {"isRequired": True, "choices": VALUES}
    found, said = read(
        asked | {"type": "radiogroup", "name": "one"},
        asked | {"type": "checkbox", "name": "boxes"},
        asked | {"type": "boolean", "name": "told"},
        {
            "type": "text",
            "inputType": "number",
            "name": "age",
            "min": 0,
            "max": 99,
            "isRequired": True,
        },
        {
            "type": "matrix",
            "name": "table",
            "rows": ["A row", "B row"],
            "columns": VALUES,
            "isRequired": True,
        },
        asked | {"type": "radiogroup", "name": "q", "visibleIf": condition},
    )
    assert found["q"].get("relevant") == relevant
    notes = [each for each in said if "visibleIf" in each]
    assert notes == ([f"question q, visibleIf: {note}"] if note else [])


def test_pages_panels_and_languages_come_in():
    survey = {
        "locale": "vi",
        "title": {"default": "Khảo sát", "en": "Survey", "fr": "Enquête"},
        "description": "Chào bạn",
        "pages": [
            {
                "name": "p1",
                "title": {"default": "Về bạn", "en": "About you"},
                "elements": [
                    {
                        "type": "boolean",
                        "name": "hút thuốc",
                        "title": "Bạn có hút thuốc không?",
                        "isRequired": True,
                    },
                    {
                        "type": "panel",
                        "name": "more",
                        "title": "Thêm",
                        "visibleIf": "{hút thuốc} = true",
                        "elements": [{"type": "comment", "name": "why", "title": "Vì sao?"}],
                    },
                    {
                        "type": "comment",
                        "name": "end",
                        "title": {"default": "Hết?", "en": "The end?"},
                    },
                ],
            },
        ],
    }
    imported = read_survey(json.dumps(survey).encode())
    told = {"relevant": {"hut_thuoc": ["yes"]}}
    assert imported.survey.as_definition() == {
        "slug": "khao-sat",
        "title": "Khảo sát",
        "language": "vi",
        "introduction": "Chào bạn",
        "questions": [
            {"name": "section1", "type": "section", "label": "Về bạn"},
            {
                "name": "hut_thuoc",
                "type": "yes_no",
                "label": "Bạn có hút thuốc không?",
                "choices": [{"name": "yes", "label": "Có"}, {"name": "no", "label": "Không"}],
                "privacy": "none",
            },
            {"name": "section2", "type": "section", "label": "Thêm"} | told,
            {"name": "why", "type": "text", "label": "Vì sao?", "privacy": "none"} | told,
            {"name": "section", "type": "section", "label": ""},
            {"name": "end", "type": "text", "label": "Hết?", "privacy": "none"},
        ],
        "translations": {
            "en": {
                "title": "Survey",
                "questions": {"section1": {"label": "About you"}, "end": {"label": "The end?"}},
            }
        },
    }
    assert imported.left_out == (
        f"question hút thuốc: {UNPROTECTED}",
        "locale: texts in fr are omitted. Candor’s pages for respondents are in English, ไทย, "
        "Tiếng Việt, 中文.",
        "name: names in Candor have only small letters, digits and _, so these names change: hút "
        "thuốc → hut_thuoc.",
    )


def test_an_expression_becomes_a_derived_answer():
    rating = {"type": "rating", "rateMax": 2, "isRequired": True}
    found, _ = read(
        rating | {"name": "a"},
        rating | {"name": "b"},
        {"type": "expression", "name": "sum", "title": "Sum", "expression": "{a} + {b}"},
    )
    assert found["sum"]["derived"] == {"sum": {"a": {"1": 1, "2": 2}, "b": {"1": 1, "2": 2}}}


def test_equal_names_become_different_ones_and_conditions_mean_the_first():
    asked = {"type": "boolean", "name": "a", "title": "A?", "isRequired": True}
    found, said = read(asked, asked, asked, {**asked, "name": "b", "visibleIf": "{a} = true"})
    assert [*found] == ["a", "a_2", "a_3", "b"]
    assert found["b"]["relevant"] == {"a": ["yes"]}
    assert any(each.endswith("these names change: a → a_2, a → a_3.") for each in said)


@check_each(
    ("survey", "words"),
    [
        ({"elements": [{"type": "panel", "elements": []}]}, "This file has no questions."),
        (
            {"elements": [{"type": "boolean", "name": f"q{n}"} for n in range(300)]},
            "The form has 300 questions, notes and groups, but Candor takes 200. Delete some, or",
        ),
        (
            {"elements": [{"type": "dropdown", "name": "q", "choices": [*range(4_000)]}]},
            "The question is omitted.",
        ),
        (
            {"elements": [{"type": "rating", "name": "q", "rateMax": 10**8}]},
            "has 1,001 choices, but Candor needs 1 to 1,000",
        ),
    ],
)
def test_a_file_without_a_survey_is_refused(survey, words):
    with pytest.raises(DataFileError, match=words):
        read_survey(json.dumps({"title": "S", "widthMode": "static", **survey}).encode())


@check_each(
    "element",
    [
        {"type": ["radiogroup"], "name": {"a": 1}, "title": [1]},
        {"type": "radiogroup", "name": "q", "choices": {"a": 1}},
        {"type": "radiogroup", "name": "q", "choices": [None, [], {"text": "x"}, {"value": {}}]},
        {"type": "rating", "name": "q", "rateMin": "a", "rateMax": None, "rateStep": -1},
        {"type": "rating", "name": "q", "rateMin": 5, "rateMax": 1},
        {"type": "matrix", "name": "q", "rows": "x", "columns": [[]]},
        {"type": "text", "name": "q", "inputType": "number", "min": "{a}", "max": [1]},
        {"type": "boolean", "name": "q", "visibleIf": {"a": 1}, "valueTrue": None},
        {"type": "panel", "elements": [None, 1, {"type": "panel", "elements": "x"}]},
        {"name": "q" * 10_000, "type": "boolean", "title": "{" * 100_000},
    ],
)
def test_values_of_other_kinds_are_no_error(element):
    last = {"type": "boolean", "name": "last", "title": "L?"}
    found, _ = read(element, last)
    assert found["last"]["label"] == "L?"
