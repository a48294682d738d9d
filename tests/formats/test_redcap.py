"""Data dictionaries of REDCap become drafts, with notes that name their rows and columns."""

import pytest

from survey.core.errors import DataFileError
from survey.formats.definition_files import read_survey
from tests.support.check_each import check_each
from tests.support.other_surveys import definition_and_notes, dictionary

pytestmark = pytest.mark.fast

UNPROTECTED = (
    "the form sets no protection, so answers are stored as given. Choose a protection in the draft "
    "if needed."
)
ENGLISH = "language: is missing, so the main language is English."
NO_RECORD = (
    "row 2, Variable / Field Name: this is the number of a record, and Candor has no such "
    "numbers. The question is omitted."
)
RECORD = {"name": "record_id", "label": "Record ID"}
AGE = {"name": "age", "label": "Age", "validation": "integer", "min": "18", "max": "99"}
AGE |= {"required": "y"}


def read(*fields, **more):
    return definition_and_notes(read_survey(dictionary(*fields, **more)))


def one(field):
    """The question of a field, and the notes without those that most fields have."""
    questions, notes = read(RECORD, AGE, {"required": "y", "label": "?", **field})
    usual = {ENGLISH, NO_RECORD, f"row 3: {UNPROTECTED}", f"rows 3 and 4: {UNPROTECTED}"}
    return questions.get(field["name"]), [note for note in notes if note not in usual]


def choices(**labels):
    return [{"name": name.lstrip("_"), "label": label} for name, label in labels.items()]


PLAIN = {"label": "?", "privacy": "none"}
LIMITS = "Text Validation Min/Max"
IDENTIFIES = (
    "the answer identifies a person, and Candor stores nothing that does. Ask for something less "
    "exact, such as an age group. The question is omitted."
)


@check_each(
    ("field", "question", "notes"),
    [
        (
            {"type": "notes"},
            PLAIN | {"type": "text"},
            ["row 4, Required Field?: respondents may leave a text empty, and boxes unticked."],
        ),
        ({"type": "descriptive", "required": ""}, {"label": "?", "type": "note"}, []),
        (
            {"type": "radio", "choices": "1, Yes, often | 2, No"},
            PLAIN | {"type": "select_one", "choices": choices(_1="Yes, often", _2="No")},
            [],
        ),
        (
            {"type": "dropdown", "choices": "a, A \\n b, B"},
            PLAIN | {"type": "select_one", "choices": choices(a="A", b="B")},
            [],
        ),
        (
            {"type": "checkbox", "choices": "1, A | 2, B", "required": ""},
            PLAIN | {"type": "select_multiple", "choices": choices(_1="A", _2="B")},
            [],
        ),
        ({"type": "yesno"}, PLAIN | {"type": "yes_no", "choices": choices(yes="Yes", no="No")}, []),
        (
            {"type": "truefalse"},
            PLAIN | {"type": "select_one", "choices": choices(_1="True", _0="False")},
            [],
        ),
        (
            {"type": "slider", "choices": "Bad | So-so | Good", "note": "Move it."},
            PLAIN
            | {
                "type": "number",
                "min": 0,
                "max": 100,
                "step": 1,
                "hint": "Move it. Bad – So-so – Good",
            },
            [],
        ),
        (
            {"type": "slider", "min": "1", "max": "7"},
            PLAIN | {"type": "number", "min": 1, "max": 7, "step": 1},
            [],
        ),
        (
            {"validation": "integer", "min": "0", "max": "12"},
            PLAIN | {"type": "number", "min": 0, "max": 12, "step": 1},
            [],
        ),
        (
            {"validation": "number_2dp_comma_decimal", "min": "0,5", "max": "2"},
            PLAIN | {"type": "number", "min": 0.5, "max": 2, "step": 0.01},
            ["row 4, Field Type: Candor set the step to 0.01. Change it in the draft if needed."],
        ),
        (
            {"validation": "date_dmy", "min": "2020-01-31", "max": "2026-12-31", "required": ""},
            PLAIN | {"type": "date", "earliest": "2020-01-31", "latest": "2026-12-31"},
            [],
        ),
        (
            {"validation": "date_ymd", "min": "2020-01-31", "max": "today", "required": ""},
            PLAIN | {"type": "date", "earliest": "2020-01-31", "latest": "2100-12-31"},
            [
                f"row 4, {LIMITS}: the form does not limit the date on both sides, so Candor set "
                "2020-01-31 to 2100-12-31. Set the true range in the draft.",
                "row 4, Text Validation Max: is not supported.",
            ],
        ),
        ({"required": ""}, PLAIN | {"type": "text"}, []),
        (
            {"type": "radio", "choices": "1, A | 2, B", "required": ""},
            PLAIN
            | {
                "type": "select_one",
                "choices": choices(_1="A", _2="B"),
                "optional": True,
                "prefer_not_to_say": True,
            },
            [
                "row 4, Required Field?: Respondents may skip the question. This counts as "
                "“prefer not "
                "to say”, which Candor adds as an answer."
            ],
        ),
        (
            {"type": "radio", "choices": "1, A | 2, B", "annotation": "@DEFAULT='1'"},
            PLAIN | {"type": "select_one", "choices": choices(_1="A", _2="B")},
            ["row 4, Field Annotation: is not supported."],
        ),
        (
            {"label": "Hello [age], do you smoke?", "type": "yesno"},
            PLAIN
            | {
                "type": "yes_no",
                "choices": choices(yes="Yes", no="No"),
                "label": "Hello [age], do you smoke?",
            },
            ["row 4, Field Label: Candor shows […] as text and does not fill it in."],
        ),
        (
            {"label": "<b># of cups</b> &eacute;<script>x()</script><input>", "required": ""},
            {"label": "# of cups é", "type": "text", "privacy": "none"},
            [
                "row 4, Field Label: Candor’s pages show plain text, so markup such as <b> is "
                "removed."
            ],
        ),
        ({"identifier": "y"}, None, [f"row 4, Identifier?: {IDENTIFIES}"]),
        ({"validation": "email"}, None, [f"row 4, Field Type: {IDENTIFIES}"]),
        (
            {"validation": "datetime_ymd"},
            None,
            ["row 4, Field Type: Candor asks for no times. The question is omitted."],
        ),
        (
            {"validation": "time"},
            None,
            ["row 4, Field Type: Candor asks for no times. The question is omitted."],
        ),
        (
            {"type": "file", "validation": "signature"},
            None,
            ["row 4, Field Type: Candor accepts no files. The question is omitted."],
        ),
        (
            {"type": "sql", "choices": "select 1"},
            None,
            [
                "row 4, Field Type: Candor reads no choices from a database. Write them into "
                "the field. "
                "The question is omitted."
            ],
        ),
        (
            {"annotation": "@HIDDEN"},
            None,
            [
                "row 4, Field Annotation: respondents never see this question. The question is "
                "omitted."
            ],
        ),
        (
            {"type": "radio", "choices": ""},
            None,
            [
                "row 4, Field Type: the list 'q' has no choices, but Candor needs 1 to 1,000. The "
                "question is omitted."
            ],
        ),
        (
            {"type": "calc", "choices": "round([age] / 2, 0)"},
            None,
            [
                "row 4, Choices, Calculations, OR Slider Labels: uses 'round', which Candor "
                "does not "
                "compute. Candor does not understand this calculation. The question is omitted."
            ],
        ),
        (
            {"type": "calc", "choices": "[age]^2"},
            None,
            [
                "row 4, Choices, Calculations, OR Slider Labels: cannot be parsed from '^2' "
                "on. Candor "
                "does not calculate this. The question is omitted."
            ],
        ),
    ],
)
def test_a_field_becomes_a_question_or_a_note(field, question, notes):
    assert one({"name": "q", **field}) == (question, notes)


SMOKES = {"name": "smokes", "type": "radio", "choices": "1, Yes | 2, Sometimes | 3, No"}
DRINKS = {"name": "drinks", "type": "checkbox", "choices": "1, Tea | 2, Coffee"}
TOLD = {"name": "told", "type": "yesno"}


@check_each(
    ("logic", "relevant", "note"),
    [
        ("[smokes] = '1'", {"smokes": ["1"]}, ""),
        ('[smokes]<>"3"', {"smokes": ["1", "2"]}, ""),
        ("[smokes] = '1' or [smokes] = '2'", {"smokes": ["1", "2"]}, ""),
        ("[smokes] < 3", {"smokes": ["1", "2"]}, ""),
        ("[drinks(2)] = '1'", {"drinks": ["2"]}, ""),
        (
            "[drinks(2)] = '1' and [told] = '0' and [age] >= 20",
            {"drinks": ["2"], "told": ["no"], "age": {"min": 20}},
            "",
        ),
        (
            "[smokes] = '1' or [told] = '1'",
            {"q_if": ["yes"]},
            "the condition becomes the derived answer 'q_if', which the respondent’s page "
            "calculates.",
        ),
        (
            "[age] > 20 and [nobody] = '1'",
            {"age": {"min": 21}},
            "“[nobody] = '1'” depends on 'nobody', which the form does not have. The questions "
            "with "
            "this condition are asked without it.",
        ),
        (
            "[age] > 20 and [later] = '1'",
            {"age": {"min": 21}},
            "“[later] = '1'” depends on 'later' in row 7. A condition can only use earlier "
            "questions, "
            "so move that question up. The questions with this condition are asked without it.",
        ),
        (
            "[visit_1][age] > 20",
            None,
            "depends on '[visit_1][age]', which the form does not have. The questions with this "
            "condition are asked without it.",
        ),
        (
            "[smokes] = '7'",
            None,
            "names '7', which is not a choice of 'smokes'. The questions with this condition "
            "are asked "
            "without it.",
        ),
        (
            "[age] > ",
            None,
            "cannot be parsed at its end. The questions with this condition are asked without it.",
        ),
    ],
)
def test_a_branching_logic_becomes_a_condition(logic, relevant, note):
    fields = [{"label": "?", "required": "y", **each} for each in (SMOKES, DRINKS, TOLD)]
    asked = {"name": "q", "label": "Q?", "type": "yesno", "required": "y", "logic": logic}
    after = {"name": "later", "label": "L?", "type": "yesno", "required": "y"}
    questions, notes = read(AGE, *fields, asked, after)
    assert questions["q"].get("relevant") == relevant
    found = [each for each in notes if "Branching Logic" in each]
    assert found == ([f"row 6, Branching Logic: {note}"] if note else [])


def test_sections_and_matrices_keep_their_headings():
    cell = {"type": "radio", "choices": "0, Không | 1, Có", "matrix": "m", "required": "y"}
    imported = read_survey(
        dictionary(
            AGE | {"header": "Về bạn", "label": "Tuổi"},
            cell | {"name": "a", "label": "Trà?", "header": "Bạn có uống không?"},
            cell | {"name": "b", "label": "Cà phê?"},
            {"name": "why", "label": "Vì sao?"},
            {"name": "end", "label": "Hết", "type": "descriptive", "form": "thanks"},
        )
    )
    questions, notes = definition_and_notes(imported)
    asked = {"type": "select_one", "privacy": "none", "choices": choices(_0="Không", _1="Có")}
    assert questions == {
        "section1": {"type": "section", "label": "Về bạn"},
        "age": {
            "type": "number",
            "label": "Tuổi",
            "min": 18,
            "max": 99,
            "step": 1,
            "privacy": "none",
        },
        "section2": {"type": "section", "label": "Bạn có uống không?", "battery": True},
        "a": asked | {"label": "Trà?"},
        "b": asked | {"label": "Cà phê?"},
        "section": {"type": "section", "label": ""},
        "why": {"type": "text", "label": "Vì sao?", "privacy": "none"},
        "end": {"type": "note", "label": "Hết"},
    }
    assert notes == [
        f"rows 2, 3 and 4: {UNPROTECTED}",
        "language: is missing, so the main language is Tiếng Việt, the language of the texts.",
    ]
    assert imported.survey.language == "vi"
    assert (imported.survey.slug, imported.survey.title) == ("health", "Health")


def test_a_calculated_field_becomes_a_derived_answer():
    cell = {"type": "radio", "choices": "0, No | 1, Yes", "required": "y"}
    questions, notes = read(
        cell | {"name": "a", "label": "A?"},
        cell | {"name": "b", "label": "B?"},
        {"name": "score", "type": "calc", "label": "Score", "choices": "sum([a], [b])"},
    )
    points = {"0": 0, "1": 1}
    assert questions["score"]["derived"] == {"sum": {"a": points, "b": points}}
    assert [questions[name]["privacy"] for name in "ab"] == ["not_sent"] * 2
    assert any(note.startswith("rows 2 and 3: only calculations use the answers") for note in notes)


@check_each(
    "more",
    [
        {"separator": ";"},
        {"separator": "\t", "end": "\n"},
        {"encoding": "utf-8-sig"},
        {"encoding": "utf-16"},
    ],
)
def test_a_dictionary_can_have_any_separator_and_unicode(more):
    questions, _ = read(AGE | {"label": "Bạn bao nhiêu tuổi?"}, **more)
    assert questions["age"]["label"] == "Bạn bao nhiêu tuổi?"


def test_an_export_of_the_api_has_other_headings():
    content = (
        b"field_name,form_name,field_type,field_label,select_choices_or_calculations\n"
        b'q,f,radio,Q?,"1, A | 2, B"\n'
    )
    questions, _ = definition_and_notes(read_survey(content))
    assert questions["q"]["choices"] == choices(_1="A", _2="B")


@check_each(
    ("content", "words"),
    [
        (dictionary(), "This file has no questions. Add one, and export it again."),
        (dictionary(RECORD), "Candor can store no answer to this form. row 2, Variable"),
        (
            dictionary(*[AGE | {"name": f"a{n}"} for n in range(300)]),
            "The form has 300 questions, notes and groups, but Candor takes 200. Delete some, or",
        ),
        (dictionary(*[{"name": "a"}] * 6_000), "more than 5,000 questions or choices. Split it."),
        (dictionary(AGE)[:-5] + b',"', "is not CSV"),
        (dictionary(AGE | {"label": "Größe"}, encoding="latin-1"), "The file is not UTF-8."),
    ],
)
def test_a_file_without_a_survey_is_refused(content, words):
    with pytest.raises(DataFileError, match=words):
        read_survey(content)


def test_a_hidden_field_does_not_divide_a_matrix():
    cell = {"type": "radio", "choices": "0, No | 1, Yes", "matrix": "m", "required": "y"}
    questions, _ = read(
        cell | {"name": "a", "label": "A?"},
        cell | {"name": "b", "label": "B?", "annotation": "@HIDDEN"},
        cell | {"name": "c", "label": "C?", "identifier": "y"},
        cell | {"name": "d", "label": "D?"},
    )
    assert [*questions] == ["section1", "a", "d"]
