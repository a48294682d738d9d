"""The controls of a lesson: values in the address, and what is refused."""

from decimal import Decimal

import pytest

from survey.core.translate import in_language
from survey.learn.controls import (
    MAX_DRAW,
    Draw,
    NumberChoice,
    Slider,
    TypedNumber,
    ValueRefused,
    WordChoice,
    read_answer,
    read_decimal,
    read_values,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

SHARE = Slider(
    name="share", label="True share", low="0", high="100", step="0.5", start="5", unit="%"
)
SIZE = NumberChoice("n", "People", (100, 1_000), 100)
KIND = WordChoice("kind", "Kind", {"sum": "A sum", "mean": "A mean"}, "mean")
ALL = (SHARE, SIZE, KIND, Draw())


def test_values_come_from_the_address_and_else_are_the_usual_ones():
    usual = read_values(ALL, {})
    assert (usual["share"], usual["n"], usual.words["kind"], usual["draw"]) == (5, 100, "mean", 1)
    typed = read_values(ALL, {"share": "12,5", "n": "1000", "kind": "sum", "draw": "7", "x": "1"})
    assert (typed["share"], typed.whole("n"), typed.words["kind"]) == (12.5, 1_000, "sum")
    assert typed.whole("draw") == 7
    assert typed.refused == ()


def test_a_slider_goes_to_the_nearest_step():
    assert SHARE.read("12.7") == 12.5
    assert SHARE.field_text(12.5) == "12.5"
    assert SHARE.field_text(5) == "5.0"
    assert SHARE.shown_value(12.5) == "12.5 %"
    assert (
        Slider(
            name="kg", label="Weight", low="-10", high="10", step="1", start="0", unit="kg"
        ).shown_value(-3)
        == "−3 kg"
    )


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        *(
            ("share", typed)
            for typed in ("", "x", "101", "-1", "nan", "inf", "1e9999999", "1" * 99)
        ),
        *(("n", typed) for typed in ("99", "100.5", "")),
        *(("kind", typed) for typed in ("", "SUM", "median")),
        *(("draw", typed) for typed in ("0", "1.5", "-3", str(MAX_DRAW + 1))),
    ],
)
def test_a_value_that_no_control_offers_is_replaced_and_named(name, typed):
    values = read_values(ALL, {name: typed})
    usual = read_values(ALL, {})
    assert (values.numbers, values.words) == (usual.numbers, usual.words)
    [sentence] = values.refused
    assert sentence == f"“{typed[:40]}” is not possible here. The page shows its usual value."


def test_draw_again_takes_the_next_draw_and_begins_again_after_the_last():
    assert read_values(ALL, {"draw": "7", "again": "1"})["draw"] == 8
    assert read_values(ALL, {"again": "1"})["draw"] == 2
    assert read_values(ALL, {"draw": str(MAX_DRAW), "again": "1"})["draw"] == 1


def test_numbers_are_read_as_people_type_them():
    assert [float(read_decimal(text)) for text in (" 1,5 ", "−2", "1e1")] == [1.5, -2, 10]
    with pytest.raises(ValueRefused):
        read_decimal("1,000.5")


LANGUAGES_OF_PAGES = ("en", "vi", "th", "zh")


@check_each(
    ("typed", "english", "vietnamese"),
    [
        ("26.000", [26, 26_000], [26_000, 26]),
        ("26,000", [26_000, 26], [26, 26_000]),
        ("2.996", [2.996, 2_996], [2_996, 2.996]),
        ("1.234.567,5", [1_234_567.5], [1_234_567.5]),
        ("1,234.5", [1_234.5], [1_234.5]),
        ("−1.000", [-1, -1_000], [-1_000, -1]),
        ("0.250", [0.25], [0.25]),
        ("0,250", [0.25], [0.25]),
        ("12.5", [12.5], [12.5]),
        ("12,5", [12.5], [12.5]),
        ("1,4142", [1.4142], [1.4142]),
        ("1,000/4", [250, 0.25], [0.25, 250]),
    ],
)
def test_a_sign_is_read_both_ways_the_one_of_the_page_first(typed, english, vietnamese):
    """Thai and Chinese write numbers as English does."""
    for language in LANGUAGES_OF_PAGES:
        with in_language(language):
            wanted = vietnamese if language == "vi" else english
            assert [float(each) for each in read_answer(typed)] == wanted


@pytest.mark.parametrize("language", LANGUAGES_OF_PAGES)
def test_fractions_spaces_and_the_unit_are_read_in_every_language(language):
    with in_language(language):
        for typed in ("26 000", "26\u00a0000", "26\u202f000", "26000"):
            assert read_answer(typed) == (26_000,)
        for typed in (" 1 / 4 ", "130/520", "¼", "1⁄4", "１／４", "0.25", "25%", "25 %", "２５％"):
            assert read_answer(typed) == (Decimal("0.25"),)
        assert read_answer("40 kg", "kg") == read_answer("40KG", "kg") == (40,)
        for typed in ("25 %", "25%", "25", "２５％"):
            assert read_answer(typed, "%") == (25,)
        for typed in ("1/0", "1/2/3", "40 kg", "/4", "kg", "26 00", "1 2", "%", "1,00,000"):
            with pytest.raises(ValueRefused):
                read_answer(typed)


@pytest.mark.parametrize("language", LANGUAGES_OF_PAGES)
def test_signs_of_other_scripts_are_read_in_every_language(language):
    with in_language(language):
        for typed in ("๓", "３", "３．０", "6/2", "๖/๒", "+3", "＋３"):
            assert read_answer(typed) == (3,)
        for typed in ("2.5", "๒.๕", "２，５", "2½", "2 ½", "5/2"):
            assert read_answer(typed) == (Decimal("2.5"),)
        for typed in ("-½", "−½", "–½", "－½", "- 0.5", "-1/2"):
            assert read_answer(typed) == (Decimal("-0.5"),)


@pytest.mark.parametrize("language", LANGUAGES_OF_PAGES)
def test_what_is_no_number_or_too_long_is_refused(language):
    """A power that would take for ever, signs that look like digits, and a value without an end."""
    with in_language(language):
        for typed in ("1e999999", "9" * 41, "1" * 10_000, "nan", "inf", "10²", "½½", "1½5", "⅟2",
                      "一", "0x1f", "1_000"):  # fmt: skip
            with pytest.raises(ValueRefused):
                read_answer(typed)


def test_the_unit_may_be_in_the_language_of_the_page():
    with in_language("zh"):
        assert read_answer("40 千克", "kg") == read_answer("40kg", "kg") == (40,)


def test_a_number_field_may_be_empty_and_has_limits():
    fields = (TypedNumber(name="mean", label="Mean", low="-100", high="100", unit="kg"), Draw())
    for typed, value in (("63,75", 63.75), ("-2", -2.0), (" 63.0 ", 63.0)):
        values = read_values(fields, {"mean": typed})
        assert values["mean"] == value
        assert float(values.written["mean"]) == value
    for typed in ("", " "):
        assert "mean" not in read_values(fields, {"mean": typed}).numbers
    for typed in ("101", "x", "1e99"):
        refused = read_values(fields, {"mean": typed})
        assert refused.refused
        assert "mean" not in refused.numbers
    assert read_values(fields, {}).written["mean"] == ""
    with in_language("vi"):
        assert fields[0].shown_value("63.75") == "63,75"
    assert "mean" not in read_values(fields, {"mean": "63", "again": "1"}).numbers
