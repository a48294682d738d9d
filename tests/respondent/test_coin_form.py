"""Forms with tossed coins: what is read from them, and numbers as people type them."""

import re
from fractions import Fraction

import pytest
from hypothesis import given as drawn_by
from hypothesis import strategies as st

from survey.core.errors import MalformedResponse
from survey.core.languages import ENGLISH
from survey.core.number_grid import Grid
from survey.respondent.coin_form import nearest_place, number_from_field, read_coin_form
from tests.respondent.chosen_answers import CHOSEN, FROZEN, ID, TEXTS_ID
from tests.support.check_each import check_each

TEXT = st.text(max_size=6) | st.sampled_from(["0", "1", "4", "61", "6.5", "-1", "−3", "๑", "1,5"])
FORMS = st.fixed_dictionaries({}, optional={name: st.lists(TEXT, max_size=3) for name in CHOSEN})


@drawn_by(FORMS)
def test_nothing_is_taken_that_the_tables_do_not_have(fields):
    marks = {"response-id": [ID], "texts-id": [TEXTS_ID]}
    marks |= {"survey-fingerprint": [FROZEN.fingerprint]}
    sent = read_coin_form(FROZEN, marks | fields, ENGLISH)
    good = [q for q in FROZEN.survey.asked if q.name not in sent.faults]
    assert sent.stored.keys() == {question.name for question in good}
    for question, stored in zip(good, sent.stored.values(), strict=True):
        if question.type == "text":
            assert isinstance(stored, str)
            assert "\0" not in stored
        elif question.name == "news":
            assert re.fullmatch("[01]{4}", stored)
        else:
            most = {"smokes": 2, "party": 5, "mood": 3, "region": 3, "years": 122, "weight": 3021}
            assert 0 <= stored < most[question.name]


def test_a_form_without_its_marks_is_no_form():
    with pytest.raises(MalformedResponse):
        read_coin_form(FROZEN, {}, ENGLISH)


@check_each(
    ("typed", "value"),
    [
        ("62", 62), ("62.5", Fraction(125, 2)), ("62,5", Fraction(125, 2)), (" 6 2 ", 62),
        ("๖๒", 62), ("６２", 62), ("−3", -3), ("–3", -3), ("+3", 3), (".5", Fraction(1, 2)),
        ("5.", 5), ("1000", 1000), ("0,500", Fraction(1, 2)), ("1,000", None), ("1.000", None),
        ("1e3", None), ("2/3", None), ("", None), ("-", None), ("1.2.3", None), ("1,2,3", None),
        ("0x1f", None), ("nan", None), ("9" * 21, None), ("9" * 20, 10**20 - 1),
    ],
)  # fmt: skip
def test_numbers_are_read_as_people_type_them(typed, value):
    assert number_from_field(typed, Grid.between(-99, 99, 1)) == value


@pytest.mark.parametrize(
    ("low", "high", "step", "value"),
    [(0, 1000, 1, None), (-1000, 0, "0.5", None), (0, 999, 1, "1.255"), (0, 1000, ".005", "1.255")],
)
def test_a_number_is_ambiguous_where_it_could_be_a_thousand(low, high, step, value):
    """As in static/respondent/numbers.js."""
    read = number_from_field("1,255", Grid.between(low, high, step))
    assert read == (None if value is None else Fraction(value))


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ("350", 4),
        ("349.9", 3),
        ("-0", 0),
        ("4999", 50),
        ("5000", 50),
        ("5000.1", None),
        ("-1", None),
    ],
)
def test_a_number_is_rounded_to_the_nearest_step(typed, place):
    """Halves are rounded up, as by Math.round in the browser."""
    grid = Grid.between(0, 5000, 100)
    assert nearest_place(grid, number_from_field(typed, grid)) == place
