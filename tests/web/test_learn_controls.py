"""The controls of a lesson: values in the address, and what is refused."""

import pytest

from survey.core.translate import in_language
from survey.web.learn.controls import (
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
    usual_values,
)
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast

SHARE = Slider("share", "True share", "0", "100", "0.5", "5", "%")
SIZE = NumberChoice("n", "People", (100, 1_000), 100)
KIND = WordChoice("kind", "Kind", {"sum": "A sum", "mean": "A mean"}, "mean")
ALL = (SHARE, SIZE, KIND, Draw())


def test_values_come_from_the_address_and_else_are_the_usual_ones():
    usual = usual_values(ALL)
    assert (usual["share"], usual["n"], usual.words["kind"], usual["draw"]) == (5, 100, "mean", 1)
    typed = read_values(ALL, {"share": "12,5", "n": "1000", "kind": "sum", "draw": "7", "x": "1"})
    assert (typed["share"], typed.whole("n"), typed.words["kind"]) == (12.5, 1_000, "sum")
    assert typed.whole("draw") == 7
    assert typed.refused == ()


def test_a_slider_goes_to_the_nearest_step():
    assert SHARE.read("12.7") == 12.5
    assert SHARE.written(12.5) == "12.5"
    assert SHARE.written(5) == "5.0"
    assert SHARE.shown(12.5) == "12.5 %"
    assert Slider("kg", "Weight", "-10", "10", "1", "0", "kg").shown(-3) == "−3 kg"


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
    usual = usual_values(ALL)
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


@check_each(
    ("language", "typed", "number"),
    [
        ("vi", "26.000", 26_000), ("en", "26.000", 26), ("th", "26.000", 26), ("zh", "26.000", 26),
        ("vi", "26,000", 26), ("en", "26,000", 26_000), ("th", "26,000", 26_000),
        ("zh", "26,000", 26_000), ("vi", "1.234.567,5", 1_234_567.5), ("en", "1,234.5", 1_234.5),
        ("vi", "0.250", 0.25), ("en", "0,250", 0.25), ("vi", "12.5", 12.5), ("en", "12,5", 12.5),
        ("en", "1,4142", 1.4142), ("vi", "−1.000", -1_000),
    ],
)  # fmt: skip
def test_answers_are_read_in_the_language_of_the_page(language, typed, number):
    with in_language(language):
        assert float(read_answer(typed)) == number


@pytest.mark.parametrize("language", ["en", "vi", "th", "zh"])
def test_fractions_spaces_and_the_unit_are_read_in_every_language(language):
    with in_language(language):
        for typed in ("26 000", "26\u00a0000", "26\u202f000", "26000"):
            assert read_answer(typed) == 26_000
        assert float(read_answer(" 1 / 4 ")) == float(read_answer("130/520")) == 0.25
        assert read_answer("40 kg", "kg") == read_answer("40KG", "kg") == 40
        assert read_answer("25 %", "%") == read_answer("25%", "%") == 25
        for typed in ("1/0", "1/2/3", "40 kg", "/4", "kg", "26 00", "1 2"):
            with pytest.raises(ValueRefused):
                read_answer(typed)


def test_the_unit_may_be_in_the_language_of_the_page():
    with in_language("zh"):
        assert read_answer("40 千克", "kg") == read_answer("40kg", "kg") == 40


def test_a_number_field_may_be_empty_and_has_limits():
    fields = (TypedNumber("mean", "Mean", "-100", "100", "kg"), Draw())
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
    assert usual_values(fields).written["mean"] == ""
    with in_language("vi"):
        assert fields[0].shown("63.75") == "63,75"
    assert "mean" not in read_values(fields, {"mean": "63", "again": "1"}).numbers
