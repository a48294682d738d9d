"""Conditions in whole forms: Candor asks the same respondents as other tools do."""

import re
from itertools import cycle, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from survey.formats.definition_files import read_survey, survey_xlsx
from survey.formats.xlsform.read_form import from_xlsform
from tests.browser.tape import DECLINED, answers_and_asked
from tests.formats.odk_calculation import Calculation, boolean, in_odk, xform
from tests.support.check_each import check_each
from tests.support.xlsforms import ENGLISH, table

pytestmark = pytest.mark.fast

ROWS = table(
    ("type", "name", "label", "required", "relevant", "constraint"),
    ("select_one abc", "a", "A", "yes"),
    ("select_one abc", "maybe", "Maybe", "yes", "${a} = 'x'"),
    ("select_multiple abc", "boxes", "Boxes"),
    ("integer", "n", "N", "yes", None, ". >= 0 and . <= 9"),
    ("select_one abc", "free", "Free", "no"),
)
ABC = table(("list_name", "name", "label"), *(("abc", each, each.upper()) for each in "xyz"))
SETTINGS = table(("form_title", "form_id", "default_language"), ("F", "f", ENGLISH))


def imported(*rows):
    return from_xlsform({"survey": [*ROWS, *rows], "choices": ABC, "settings": SETTINGS})


def conditional(text, kind="select_one abc", name="q"):
    return {"type": kind, "name": name, "label": name, "required": "yes", "relevant": text}


EVERYONE = [
    {"a": a, "maybe": maybe, "boxes": boxes, "n": n, "free": free}
    for (a, maybe, boxes, n), free in zip(
        product("xy", "xz", ([], ["x"], ["y", "z"]), "059"), cycle(("x", "z", DECLINED, "x", "z"))
    )
]
FREE = {"type": "select_one", "optional": True}


def asked_in_odk(text, answers):
    """Whether ODK asks a question with this condition."""
    texts = {name: in_odk(FREE if name == "free" else {"type": ""}, each)
             for name, each in answers.items()}  # fmt: skip
    if answers["a"] != "x":
        texts["maybe"] = ""
    found = Calculation(re.sub(r"\$\{(\w+)\}", r"/data/\1", text), texts, iter(())).level(0)
    return boolean(found)


ATOMS = st.sampled_from([
    "${a} = 'x'", "${a} != 'y'", "${maybe} = 'x'", "${maybe} != 'x'", "${maybe} = ''",
    "selected(${boxes}, 'x')", "selected(${boxes}, 'y')", "count-selected(${boxes}) > 0",
    "${boxes} = ''", "${n} > 4", "${n} <= 5", "${n} != 5", "${n} = 9", "${free} = 'x'",
    "${free} != 'z'", "1 = 2", "not(1 = 2)",
])  # fmt: skip
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: (
        st.tuples(inner, st.sampled_from([" and ", " or "]), inner).map(
            lambda parts: f"({''.join(parts)})"
        )
        | inner.map("not({})".format)
    ),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=40)
@given(EXPRESSIONS, st.none() | EXPRESSIONS)
def test_candor_asks_the_same_respondents_as_odk(own, of_group):
    rows = [conditional(own)]
    if of_group is not None:
        group = {"type": "begin_group", "name": "g", "label": "G", "relevant": of_group}
        rows = [group, *rows, {"type": "end_group"}]
    read = imported(*rows)
    questions = read.survey.as_definition()["questions"]
    is_there = any(each["name"] == "q" for each in questions)
    for answers in EVERYONE:
        _, asked = answers_and_asked(questions, answers | {"q": "x"})
        expected = all(asked_in_odk(text, answers) for text in (own, of_group) if text)
        assert (is_there and "q" in asked) == expected, (answers, read.left_out)
    back = read_survey(survey_xlsx(read.survey))
    assert (back.survey, back.left_out) == (read.survey, ())


def test_an_optional_question_that_is_left_empty_is_empty_in_a_condition_too():
    read = imported(conditional("${free} != ''"), conditional("${free} = ''", name="r"))
    one, other = read.survey.as_definition()["questions"][-2:]
    assert one["relevant"] == {"free": ["x", "y", "z"]}
    assert other["relevant"] == {"free": [DECLINED]}


def test_or_across_questions_goes_out_as_a_calculation_that_odk_reads():
    rows = [conditional("${a} = 'x' or ${n} > 4", kind, name) for kind, name in
            (("text", "why"), ("integer", "cost"))]  # fmt: skip
    read = imported(*rows)
    added, why, cost = read.survey.as_definition()["questions"][-3:]
    assert added["name"] == "why_if"
    assert added["derived"] == {"any": {"a": ["x"], "n": {"min": 5}}}
    assert added["privacy"] == "none"
    assert why["relevant"] == cost["relevant"] == {"why_if": ["yes"]}
    assert [each for each in read.left_out if "column relevant" in each] == [
        "survey, row 7, column relevant: the condition becomes the derived answer 'why_if', which "
        "the respondent’s page calculates."
    ]
    converted = xform(survey_xlsx(read.survey))
    assert "if( /data/a  = 'x' or  /data/n  &gt;= 5, 'yes', 'no')" in converted
    assert "relevant=\" /data/why_if  = 'yes'\"" in converted


@check_each(
    ("language", "label", "words"),
    [
        ("Tiếng Việt (vi)", "Bạn chi bao nhiêu tiền?", "hỏi"),
        ("ไทย (th)", "คุณจ่ายเท่าไร", "ถาม"),
        ("中文 (zh)", "您花了多少钱？", "问"),
    ],
)
def test_the_label_of_an_added_answer_is_in_the_language_of_the_form(language, label, words):
    row = conditional("${a} = 'x' or ${n} > 4", "text", "why") | {"label": label}
    settings = [SETTINGS[0] | {"default_language": language}]
    read = from_xlsform({"survey": [*ROWS, row], "choices": ABC, "settings": settings})
    added = read.survey.questions[-2]
    assert label in added.label
    assert words in added.label


def test_a_condition_across_private_answers_is_named_with_what_to_do():
    private = [row | {"privacy": "medium"} for row in ROWS]
    row = conditional("${a} = 'x' or ${n} > 4") | {"privacy": "medium"}
    form = {"survey": [*private, row], "choices": ABC, "settings": SETTINGS}
    read = from_xlsform(form)
    assert read.survey.questions[-1].relevant is None
    assert len(read.survey.questions) == len(ROWS) + 1
    assert any("because the answer to 'a' is private. Add a row of the type calculate" in each
               for each in read.left_out)  # fmt: skip


@check_each(
    ("text", "words"),
    [
        ("${lý_do} != ''", "depends on 'lý_do' in row 7, a text or a date, which no condition in"),
        ("../ngày > 3", "depends on 'ngày' in row 8, a text or a date"),
        ("${ที่ตั้ง} != ''", "depends on 'ที่ตั้ง' in row 9, which no condition in Candor can use"),
        (
            "${之后} = 'x'",
            "depends on '之后' in row 11. A condition can only use earlier questions",
        ),
        ("${nobody} = 1", "depends on 'nobody', which the form does not have"),
        ("${q} = 'x'", "depends on the answer to its own question. A condition can only use"),
    ],
)
def test_a_note_says_why_a_question_cannot_be_a_condition(text, words):
    read = imported(
        conditional(None, "text", "lý_do"), conditional(None, "date", "ngày"),
        conditional(None, "geopoint", "ที่ตั้ง"), conditional(text),
        conditional(None, name="之后"),
    )  # fmt: skip
    assert any(f"row 10, column relevant: {words}" in each for each in read.left_out)


def test_a_question_that_nobody_is_asked_is_left_out_with_all_that_depend_on_it():
    group = {"type": "begin_group", "name": "g", "label": "G", "relevant": "FALSE"}
    read = imported(
        conditional("false()", name="old"), conditional("${old} = 'x'", name="older"),
        conditional("${old} = '' or ${a} = 'x'", name="kept"),
        group, conditional(None, name="inside"), {"type": "end_group"},
    )  # fmt: skip
    assert [each.name for each in read.survey.questions] == [
        "a", "maybe", "boxes", "n", "free", "kept",
    ]  # fmt: skip
    assert read.survey.questions[-1].relevant is None
    assert [each for each in read.left_out if "never" in each] == [
        "survey, rows 7, 8 and 10, column relevant: is never true. The questions with this "
        "condition are omitted."
    ]


@check_each(
    ("label", "relevant", "words"),
    [
        ("Thói quen", "${a} = 'x'", "its condition holds for all questions below it. Add a row"),
        ("พฤติกรรม", "${n} > 4", "its condition holds for all questions below it. Add a row"),
        ("习惯", None, "all questions below it belong to it. Add a row end_group where it ends."),
        ("Habits", "../a = 'x'", "its condition holds for all questions below it. Add a row"),
    ],
)
def test_a_group_without_an_end_is_named(label, relevant, words):
    group = {"type": "begin group", "name": "g", "label": label, "relevant": relevant}
    read = imported(group, conditional(None))
    assert sum(words in each for each in read.left_out) == 1
    assert any(each.startswith("survey, row 7, column type: the group has no end")
               for each in read.left_out)  # fmt: skip
    closed = imported(group, conditional(None), {"type": "end group"})
    assert not any("no end" in each for each in closed.left_out)
