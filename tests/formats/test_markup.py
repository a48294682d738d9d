"""Markup of other tools: removed on import with a note, and escaped on export."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.definition.survey import parse_survey
from survey.formats.definition_files import read_survey, survey_xlsx
from survey.formats.xlsform.markup import escaped_markup, without_markup
from survey.formats.xlsform.read_form import from_xlsform
from tests.formats.odk_calculation import xform
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.every_type import asked
from tests.support.xlsforms import ENGLISH, table

pytestmark = pytest.mark.fast


@check_each(
    ("text", "plain"),
    [
        ("<b>Important:</b> read this<br/>first", "Important: read this\nfirst"),
        ('<font color="red">Bạn có hút thuốc không?</font>', "Bạn có hút thuốc không?"),
        ("**โปรดอ่าน** ก่อนตอบ", "โปรดอ่าน ก่อนตอบ"),
        ("# 关于健康\n_请_如实回答。", "关于健康\n_请_如实回答。"),
        ("<span style='color:#f00'>Attention</span> : *relire*", "Attention : relire"),
        ("<p>Uno</p><P>Dos</P>", "Uno\nDos"),
        ("[our site](https://example.org/a_b)", "our site (https://example.org/a_b)"),
        ('Voir <a href="https://example.org">ici</a>.', "Voir ici (https://example.org)."),
        ("R&amp;D &lt;b&gt; \\*\\*", "R&D <b> **"),
        ("<I class='fa'></i>Name", "Name"),
    ],
)
def test_markup_is_removed(text, plain):
    assert without_markup(text)[0] == plain


@check_each(
    "text",
    ["2 * 3 * 4 = 24", "snake_case_name and a__b__c", "x < 3 and y > 2", "R&D", "5 ** 2", "#1",
     "C:\\temp", "<name>", "[sic] (here)", "** nothing **", "giá <10 000₫ hoặc >20 000₫"],
)  # fmt: skip
def test_other_signs_are_no_markup(text):
    assert without_markup(text) == (text, False)
    assert escaped_markup(text) == text


PIECES = st.sampled_from(
    ["<b>", "</b>", "<br/>", "**", "*", "_", "__", "#", " ", "\n", "a", "ă", "&amp;", "&", "\\",
     "[", "](https://a.b)", "<", ">", "&#91;", "&nbsp;", "<a href='x'>", "</a>"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join))
def test_any_text_comes_back_after_it_was_escaped(text):
    back, had_markup = without_markup(escaped_markup(text))
    assert (back, had_markup) == (text, False)


MARKED = ["**Đọc** <b>kỹ</b>", "อ่าน_ก่อน_ <i>ตอบ</i>", "请**如实**回答&amp;", "\\*not bold\\* <br>"]


@check_each("text", MARKED)
def test_a_text_with_markup_of_candor_shows_as_it_is_elsewhere(text):
    survey = parse_survey(definition(asked("q", "text", "none", label=text, hint=text)))
    content = survey_xlsx(survey)
    back = read_survey(content)
    assert (back.survey, back.left_out) == (survey, ())
    assert "&lt;b&gt;" not in xform(content)


def test_notes_name_the_columns_with_markup_once():
    rows = table(
        ("type", "name", "label::English (en)", "label::Tiếng Việt (vi)", "hint::English (en)"),
        ("note", "n", "<b>Note</b>", "<b>Lưu ý</b>"),
        ("text", "t", "Why?", "Tại **sao**?", "**Think**"),
        ("hidden", "h", "<b>Hidden</b>"),
    )
    settings = table(("form_title", "form_id", "default_language"), ("F", "f", ENGLISH))
    read = from_xlsform({"survey": rows, "settings": settings})
    note = "Candor’s pages show plain text, so markup such as <b> is removed."
    assert [each for each in read.left_out if "markup" in each] == [
        f"survey, row 2, column label::English (en): {note}",
        f"survey, rows 2 and 3, column label::Tiếng Việt (vi): {note}",
        f"survey, row 3, column hint::English (en): {note}",
    ]
    assert [each.label for each in read.survey.in_language("vi").questions] == [
        "Lưu ý", "Tại sao?",
    ]  # fmt: skip
