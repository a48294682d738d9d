"""Forms with tossed coins: what is read from them, and numbers as people type them."""

import re

import pytest
from hypothesis import given as drawn_by
from hypothesis import strategies as st

from survey.core.errors import MalformedResponse
from survey.core.languages import ENGLISH
from survey.respondent.coin_form import read_coin_form
from tests.respondent.chosen_answers import CHOSEN, FROZEN, ID, TEXTS_ID

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
