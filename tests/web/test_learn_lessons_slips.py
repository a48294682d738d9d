"""The right lines of "Errors in the course texts", against closed forms."""

import html
import math

import pytest

from survey.web.learn.controls import read_values, usual_values
from survey.web.learn.lessons import LESSONS
from survey.web.learn.lessons.slips import SLIPS, Slips
from survey.web.learn.lessons.two_coins import YES, chance_of_trait

pytestmark = pytest.mark.fast


def test_the_right_lines_are_right():
    numbers = Slips().show(usual_values(Slips.controls)).numbers
    assert numbers["power"] == pytest.approx(7.389, abs=5e-4)
    assert numbers["ill"] == pytest.approx(0.13636, abs=5e-6)
    assert numbers["reach"] == pytest.approx(math.log(20))
    assert numbers["whole_reach"] == 3
    assert round(math.exp(10)) == 22_026
    # A gain is at most the entropy of two classes, which is at most 1 bit.
    assert max(-p * math.log2(p) - (1 - p) * math.log2(1 - p) for p in (0.1, 0.4, 0.5)) == 1


def test_the_slips_agree_with_the_truth_where_the_pictures_say_so():
    assert math.exp(1) == math.e * 1
    for epsilon in (0.1, 0.9, 1.1, 3):
        assert math.exp(epsilon) > math.e * epsilon
    assert chance_of_trait(0.5, YES) == 0.75
    shown = Slips().show(read_values(Slips.controls, {"share": "50", "beta": "0.5"}))
    assert shown.numbers["ill"] == 0.75


def test_each_slip_leads_to_a_lesson_and_stands_on_the_page(client):
    addresses = {lesson.address for lesson in LESSONS}
    page = html.unescape(client.get("/learn/slips").get_data(as_text=True)).replace("\u00a0", " ")
    for slip in SLIPS:
        assert slip.lesson in addresses
        assert slip.text in page
        assert slip.right in page


@pytest.mark.parametrize("address", [{"share": "50"}, {"epsilon": "1"}])
def test_the_sentence_is_right_where_both_values_agree(address):
    sentence = Slips().show(read_values(Slips.controls, address)).sentence
    assert "not" not in sentence
    assert "(course text: 75 %)" in sentence
