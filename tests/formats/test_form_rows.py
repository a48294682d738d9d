"""Rows of a form that another program's survey becomes: texts, places of notes, and sections."""

import pytest

from survey.core.errors import DataFileError
from survey.formats.other_programs.condition_language import OtherExpression, token_pattern
from survey.formats.other_programs.form_rows import (
    FilePlaces,
    FormRows,
    NamedSection,
    clean_text,
    guess_language,
    limit_cells,
)
from survey.formats.xlsform.read_form import from_xlsform
from survey.formats.xlsform.vocabulary import CHOICES, SETTINGS, SURVEY
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


class Simple(OtherExpression):
    """Expressions in which names begin with an at sign."""

    token = token_pattern(r"@\w+")

    @staticmethod
    def name_of(written):
        return written[1:]


@check_each(
    ("text", "cleaned"),
    [
        ("<b>a</b> &eacute; &#7841; &amp; b", "<b>a</b> é ạ &amp; b"),
        ("<script>alert('<b>')</script>a<style>p{}</style>", "a"),
        ("a <input value='x'>b<custom-tag/>", "a b"),
        ("5 < 6 and <c", "5 < 6 and <c"),
        ("# of *cups* a_b [x]", "\\# of \\*cups\\* a\\_b &#91;x]"),
        ("&lt;b&gt;", "&lt;b&gt;"),
        ("&nothing; & &#99999999;", "&nothing; & &\\#99999999;"),
        (" a ", "a"),
    ],
)
def test_html_becomes_the_text_of_a_cell(text, cleaned):
    assert clean_text(text) == cleaned


@check_each("text", ["<" * 400_000, "<script>" * 100_000, "&" * 400_000, "[" * 400_000])
def test_a_long_text_takes_no_long_time(text):
    assert len(clean_text(text)) <= 4_000


@check_each(
    ("text", "language"),
    [
        ("Bạn có hút thuốc không?", "vi"),
        ("คุณสูบบุหรี่ไหม", "th"),
        ("你抽烟吗？", "zh"),
        ("Do you smoke?", ""),
        ("Où êtes-vous né ?", ""),
        ("Ești bolnav? 12", ""),
        ("How often do you eat phở, the Vietnamese soup with noodles, herbs and beef? " * 3, ""),
        ("", ""),
    ],
)
def test_letters_show_the_language(text, language):
    assert guess_language(text) == language


PLACES = FilePlaces(
    {
        SURVEY: [2, 3, 4, "a", "b", NamedSection("P"), NamedSection("Q"), ""],
        CHOICES: ["a"],
        SETTINGS: [""],
    },
    {"label": "title", "default_language": "locale"},
    "choices",
)


@check_each(
    ("sheet", "rows", "column", "words"),
    [
        (SURVEY, [2], "label", "row 2, title"),
        (SURVEY, [2, 3, 4], "label::vi", "rows 2, 3 and 4, title"),
        (SURVEY, [5], "validators", "question a, validators"),
        (SURVEY, [5, 6], "", "questions a, b"),
        (SURVEY, [7], "label", "section P, title"),
        (SURVEY, [7, 8], "", "sections P, Q"),
        (SURVEY, [5, 7], "", "questions and sections a, P"),
        (SURVEY, [9], "label", "title"),
        (CHOICES, [2], "label", "question a, choices"),
        (SETTINGS, [2], "default_language", "locale"),
        (SETTINGS, [], "", ""),
    ],
)
def test_notes_name_the_places_of_the_file(sheet, rows, column, words):
    assert PLACES.words(sheet, rows, column) == words


@check_each(
    ("word", "low", "high", "cells"),
    [
        ("integer", "18", "-5.5", {"constraint": ". >= 18 and . <= -5.5"}),
        ("decimal", "", "0.5", {"constraint": ". <= 0.5"}),
        ("integer", "{age}", "1e5", {"min": "{age}", "max": "1e5"}),
        (
            "date",
            "2020-01-31",
            "today()",
            {"constraint": ". >= date('2020-01-31')"} | {"max": "today()"},
        ),
        ("text", "", "3", {"max": "3"}),
        ("date", "", "", {}),
    ],
)
def test_limits_are_numbers_or_dates_and_others_become_notes(word, low, high, cells):
    assert limit_cells(word, {">=": ("min", low), "<=": ("max", high)}) == cells


def names(form):
    sheets, origin = form.finish(Simple)
    return [question.name for question in from_xlsform(sheets, origin).survey.questions]


def test_a_section_goes_on_after_a_table():
    form = FormRows({}, "choices", main="en")
    form.title({"en": "S"}, {})
    ask = {"label": {"en": "?"}, "cells": {"required": "no"}}
    form.add("a", "text", "a", **ask)
    form.section(NamedSection("s"), {"en": "Heading"}, conditions=[])
    form.matrix(
        "m",
        "m",
        {"en": "Table"},
        [("x", {"en": "X"}), ("y", {"en": "Y"})],
        [("1", {"en": "1"}), ("2", {"en": "2"})],
    )
    form.add("b", "text", "b", **ask)
    form.section(NamedSection(""), {})
    form.add("c", "text", "c", **ask)
    assert names(form) == ["a", "section1", "section2", "m_x", "m_y", "section", "b", "c"]


def test_a_file_can_have_as_many_rows_as_a_workbook():
    form = FormRows({}, "choices")
    for number in range(5_000):
        form.add(number, "note", label={"": "?"})
    with pytest.raises(DataFileError, match=r"more than 5,000 questions or choices. Split it."):
        form.add(5_001, "note")


def test_one_language_of_candor_becomes_the_main_one_of_a_survey_in_another():
    form = FormRows(
        {"default_language": "locale"}, "choices", main="de", languages=["vi", "zh-Hans"]
    )
    form.title({"de": "Umfrage", "vi": "Khảo sát"}, {})
    form.add("a", "text", "a", {"de": "Warum?", "vi": "Vì sao?"}, cells={"required": "no"})
    form.add("b", "text", "b", {"de": "Wer?"}, cells={"required": "no"})
    sheets, origin = form.finish(Simple)
    survey = from_xlsform(sheets, origin).survey
    assert (survey.language, survey.title) == ("vi", "Khảo sát")
    assert [question.label for question in survey.questions] == ["Vì sao?", "Wer?"]
