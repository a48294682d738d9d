"""The parts of a form: groups, settings, names and languages."""

import re
import unicodedata

import pytest

from survey.core.errors import DefinitionError
from survey.definition.survey import parse_survey
from survey.formats.definition_files import slug_with_suffix
from survey.formats.xlsform.write_form import to_xlsform
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.xlsform_readings import (
    FAMILIAR,
    SECTIONS,
    YES_NO,
    from_xlsform,
    one,
    same,
    with_fault,
)
from tests.support.xlsforms import table

pytestmark = pytest.mark.fast


def test_sections_become_groups_and_come_back():
    survey = parse_survey(SECTIONS)
    rows = to_xlsform(survey)["survey"]
    groups = [
        (row["type"], row["name"], row["relevant"]) for row in rows if "_group" in row["type"]
    ]
    assert groups == [
        ("begin_group", "work", "${age} >= 18"), ("end_group", None, None),
        ("begin_group", "rest", None), ("end_group", None, None),
        ("begin_group", "rows", None), ("end_group", None, None),
    ]  # fmt: skip
    by_name = {row["name"]: row for row in rows}
    # The group already has the other half of the condition.
    assert by_name["hours"]["relevant"] == "${age} >= 18 and ${age} <= 65"
    assert by_name["paid"]["relevant"] is None
    assert (by_name["paid"]["required"], by_name["hours"]["required"]) == ("no", "yes")
    same(survey)


@check_each(
    ("label", "rows"),
    [
        ("Bạn làm điều này thường xuyên không?", ["Hút thuốc", "Uống rượu"]),
        ("บ่อยแค่ไหน", ["สูบบุหรี่", "ดื่มสุรา", "เล่นพนัน"]),
        ("多久一次？", ["吸烟", "喝酒"]),
        ("How often?", ["Smoke", "Drink"]),
    ],
)
def test_a_rating_matrix_becomes_a_section_with_a_battery(label, rows):
    matrix = [
        {"type": "begin_score", "name": "m", "label": label, "kobo--score-choices": "yn",
         "relevant": "${own} = 'yes'", "required": "yes"},
        *({"type": "score__row", "name": f"m_{n}", "label": row} for n, row in enumerate(rows)),
        {"type": "end_score"},
    ]  # fmt: skip
    first = {"type": "select_one yn", "name": "own", "label": "Own?", "required": "yes"}
    last = first | {"name": "z", "label": "Z"}
    read = from_xlsform({"survey": [first, *matrix, last], "choices": YES_NO, "settings": FAMILIAR})
    _, section, *battery, end, after = read.survey.questions
    assert (section.label, section.battery, section.relevant) == (label, True, {"own": ["yes"]})
    assert [each.label for each in battery] == rows
    assert {each.kind.name for each in battery} == {"yes_no"}
    assert {str(each.relevant) for each in battery} == {"{'own': ['yes']}"}
    assert (end.kind.name, after.name, after.relevant) == ("section", "z", None)
    assert not any("matrix" in each or "score" in each for each in read.left_out)
    same(read.survey)


def test_a_rating_matrix_in_a_group_keeps_its_questions_below_a_note():
    rows = table(
        ("type", "name", "label", "kobo--score-choices"),
        ("begin_group", "g", "G"), ("begin_score", "m", "How often?", "yn"),
        ("score__row", "a", "A"), ("end_score",), ("select_one yn", "b", "B"), ("end_group",),
    )  # fmt: skip
    read = from_xlsform({"survey": rows, "choices": YES_NO, "settings": FAMILIAR})
    assert [(each.name, each.kind.name) for each in read.survey.questions] == [
        ("g", "section"), ("m", "note"), ("a", "yes_no"), ("b", "yes_no"),
    ]  # fmt: skip


def test_a_section_loses_a_condition_that_a_question_of_it_cannot_have():
    rows = table(
        ("type", "name", "label", "required", "relevant", "privacy"),
        ("select_one yn", "smokes", "Do you smoke?", "yes", None, "medium"),
        ("begin_group", "more", "More", None, "${smokes} = 'yes'"),
        ("select_one yn", "often", "Often?", "yes", None, "medium"),
        ("text", "why", "Why?"),
        ("end_group",),
    )
    imported = from_xlsform({"survey": rows, "choices": YES_NO, "settings": FAMILIAR})
    conditions = {question.name: question.relevant for question in imported.survey.questions}
    assert conditions == {
        "smokes": None, "more": None, "often": {"smokes": ["yes"]}, "why": None,
    }  # fmt: skip
    assert "row 3, column relevant" not in " ".join(imported.left_out)
    assert any("row 5" in each and "'smokes'" in each for each in imported.left_out)


def test_a_group_with_a_fault_loses_its_heading_and_keeps_its_questions():
    group = {"type": "begin_group", "name": "g", "label": "x" * 2001, "relevant": "${a} = 'yes'"}
    read = with_fault(
        {"type": "select_one yn", "name": "a"}, group, {"type": "text", "name": "t"},
        {"type": "end_group", "name": None},
    )  # fmt: skip
    assert [each.name for each in read.survey.questions] == ["first", "a", "g", "t"]
    assert read.survey.questions[2].label == ""
    assert read.survey.questions[3].relevant == {"a": ["yes"]}
    assert any(each.startswith("survey, row 4, column label: is longer than 2,000 characters. The "
                               "heading") for each in read.left_out)  # fmt: skip


@check_each(
    ("column", "value", "words"),
    [
        ("candor::minutes", "soon", "settings, column candor::minutes: must be a whole number"),
        ("form_title", "x" * 301, "settings, column form_title: is longer than 300"),
        ("candor::budget", -1, "settings, column candor::budget: must be above 0"),
        ("candor::per_respondent", 3, "settings, column candor::per_respondent: must be a whole"),
    ],
)
def test_a_fault_of_the_settings_names_their_columns(column, value, words):
    with pytest.raises(DefinitionError, match=re.escape(words)):
        with_fault(columns=[FAMILIAR[0] | {column: value}])


def test_a_form_without_an_address_gets_one():
    rows = table(("type", "name", "label"), ("text", "q", "?"))
    imported = from_xlsform({"survey": rows})
    assert imported.survey.slug == "imported"
    assert imported.left_out[-1] == (
        "settings, column form_id: the form states no address, so the address is 'imported'."
    )


def vietnamese_form(yes, no, question, *words):
    """A form with a private question and another one that depends on it, with texts as written."""
    rows = table(
        ("type", "name", "label::Tiếng Việt", "relevant"),
        ("select_one yn", question, words[0], ""),
        ("text", words[1], words[1], f"${{{question}}} = '{yes}'"),
    )
    choices = table(
        ("list_name", "name", "label::Tiếng Việt"), ("yn", yes, words[2]), ("yn", no, words[3])
    )
    return {"survey": rows, "choices": choices, "settings": [{"form_id": "f"}]}


@check_each(
    ("written", "names"),
    [
        (("có", "không", "hút_thuốc", "Hút?", "lần", "Có", "Không"),
         ["hut_thuoc", "lan", "co", "khong"]),
        (("ใช่", "ไม่", "สูบบุหรี่", "สูบไหม", "กี่ครั้ง", "ใช่", "ไม่"),
         ["subbuhri", "kikhrang", "aich", "aim"]),
        (("是", "否", "吸烟", "吸烟吗", "次数", "是", "否"), ["xiyan", "cishu", "shi", "fou"]),
        (("да", "нет", "курит", "Курит?", "ещё", "Да", "Нет"), ["kurit", "eshche", "da", "net"]),
        (("예", "아니요", "흡연", "흡연?", "횟수", "예", "아니요"),
         ["heubyeon", "hoessu", "ye", "aniyo"]),
    ],
)  # fmt: skip
def test_names_of_any_script_are_transliterated_and_labels_stay(written, names):
    """The form is also read decomposed, as macOS writes it, and gives the same."""
    imported = from_xlsform(vietnamese_form(*written))
    first, second = imported.survey.questions
    assert [first.name, second.name, *(choice.name for choice in first.choices)] == names
    assert (first.label, second.label) == written[3:5]
    assert [choice.label for choice in first.choices] == [*written[5:]]
    assert second.relevant == {first.name: [names[2]]}


@check_each("tag", ["Tiếng Việt", "Tiếng Việt (vi)", "tiếng việt", "TIẾNG VIỆT", "Việt (vi)"])
def test_a_decomposed_tag_of_a_language_is_that_language(tag):
    """In headings of both sheets and in the settings, as different programs on macOS write it."""
    apart = unicodedata.normalize("NFD", tag)
    assert apart != tag
    rows = table(
        (
            "type",
            "name",
            *(f"{each}::{t}" for each in ("label", "hint") for t in ("English", apart)),
        ),
        ("select_one ab", "q", "Why?", "Tại sao?", "Hint", "Gợi ý"),
    )
    choices = table(
        ("list_name", "name", "label::English", f"label::{apart}"),
        ("ab", "a", "This", "Này"),
        ("ab", "b", "That", "Đó"),
    )
    settings = [{"form_id": "f", "default_language": apart}]
    for tags in (FAMILIAR, settings):
        read = from_xlsform({"survey": rows, "choices": choices, "settings": tags})
        question = read.survey.in_language("vi").questions[0]
        assert (question.label, question.hint) == ("Tại sao?", "Gợi ý")
        assert [each.label for each in question.choices] == ["Này", "Đó"]
        assert not [note for note in read.left_out if "Việt" in unicodedata.normalize("NFC", note)]
    assert read.survey.language == "vi"


def test_names_become_sound_and_different():
    before = [{"type": "text", "name": name} for name in ("Q-1", "q_1", "1st", "id", "")]
    entry, left_out = one({"type": "text", "name": "ไทย"}, *before)
    names = [said.partition(": ")[2] for said in left_out if "column name" in said]
    assert names == [
        "'Q-1' is now 'q_1'.", "'q_1' is now 'q_1_2'.", "'1st' is now 'q1st'.",
        "'id' is now 'id_2'.", "is missing, so 'q6' is used.", "'ไทย' is now 'aithy'.",
    ]  # fmt: skip
    assert entry["name"] == "aithy"


@check_each(
    ("columns", "default", "languages", "labels", "said"),
    [
        (["label"], None, ("en",), "A", ["language is English"]),
        (["label"], "English", ("en",), "A", []),
        (["label", "label::Vietnamese (vi)"], "English (en)", ("en", "vi"), "A", []),
        (["label:English", "label:Vietnamese"], "Vietnamese", ("vi", "en"), "B", []),
        (["label::zh-CN", "label::th"], None, ("zh", "th"), "A", []),
        (["label::French (fr)", "label::English (en)"], "French (fr)", ("en",), "B",
         ["label::French (fr): is omitted"]),
        (["label::French (fr)"], "French (fr)", ("en",), "A",
         ["not translated into 'French (fr)'"]),
        (["label", "label::English (en)"], "French", ("en",), "B", ["column label: is omitted"]),
    ],
)  # fmt: skip
def test_languages(columns, default, languages, labels, said):
    row = {"type": "text", "name": "q"} | dict(zip(columns, "AB", strict=False))
    settings = [{"form_id": "f", "default_language": default}]
    imported = from_xlsform({"survey": [row], "settings": settings})
    assert imported.survey.languages == languages
    assert imported.survey.questions[0].label == labels
    assert len(imported.left_out) == len(said)
    for sentence, part in zip(imported.left_out, said, strict=True):
        assert part in sentence


@check_each(
    ("column", "first", "second"),
    [
        ("label::English (en)", "Age", "Age in years"),
        ("label::Tiếng Việt (vi)", "Tuổi", "Bao nhiêu tuổi?"),
        ("label::ไทย (th)", "อายุ", "อายุเท่าไร"),
        ("label::中文 (zh)", "年龄", "您多大年龄？"),
    ],
)
def test_a_second_text_in_the_same_language_is_named(column, first, second):
    language = column.removeprefix("label::")
    rows = [
        {"type": "text", "name": "a", "label": second, column: first},
        {"type": "text", "name": "b", "label": first, column: first},
    ]
    read = from_xlsform(
        {"survey": rows, "settings": [FAMILIAR[0] | {"default_language": language}]}
    )
    assert [each.label for each in read.survey.questions] == [first, first]
    assert read.left_out == (
        f"survey, row 2, column label: is omitted, because {column} has another text in the same "
        "language. Delete one of them.",
    )


def test_columns_of_languages_that_candor_does_not_have_are_one_note_for_each_sheet():
    row = {"type": "text", "name": "q", "label::English (en)": "A", "label::French (fr)": "B",
           "hint::French (fr)": "C", "label::Kiswahili (sw)": "D"}  # fmt: skip
    read = from_xlsform({"survey": [row], "settings": FAMILIAR})
    assert read.left_out == (
        "survey, column label::French (fr), hint::French (fr), label::Kiswahili (sw): are omitted. "
        "Candor’s pages for respondents are in English, ไทย, Tiếng Việt, 中文.",
    )


@check_each(
    ("main", "other"),
    [
        ("English (en)", "Tiếng Việt (vi)"),
        ("ไทย (th)", "English (en)"),
        ("中文 (zh)", "ไทย (th)"),
        ("Tiếng Việt (vi)", "中文 (zh)"),
    ],
)
def test_a_label_that_only_the_main_language_lacks_names_its_own_column(main, other):
    row = {"type": "select_one yn", "name": "q", f"label::{main}": None, f"label::{other}": "B"}
    choices = [{"list_name": "yn", "name": name, f"label::{main}": None, f"label::{other}": name}
               for name in ("a", "b")]  # fmt: skip
    settings = [FAMILIAR[0] | {"default_language": main}]
    read = from_xlsform({"survey": [row], "choices": choices, "settings": settings})
    empty = [each for each in read.left_out if "is empty" in each]
    assert empty == [
        f"survey, row 2, column label::{main}: is empty, so 'q' is used.",
        f"choices, row 2, column label::{main}: is empty, so 'a' is used.",
        f"choices, row 3, column label::{main}: is empty, so 'b' is used.",
    ]


@pytest.mark.parametrize(
    ("slug", "taken", "free"),
    [
        ("health", [], "health"),
        ("health", ["health"], "health-2"),
        ("health", ["health", "health-2", "health-3"], "health-4"),
        ("a" * 63, ["a" * 63], "a" * 61 + "-2"),
        ("a" * 60 + "-bc", ["a" * 60 + "-bc"], "a" * 60 + "-2"),
    ],
)
def test_a_free_address_is_found(slug, taken, free):
    assert slug_with_suffix(slug, taken) == free
    parse_survey(definition(slug=free))
