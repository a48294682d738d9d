"""The right lines of "Errors in the course texts", against closed forms."""

import html
import math

import numpy as np
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
        assert slip.quote in page


def slip_with(words):
    [slip] = [each for each in SLIPS if words in each.quote]
    return slip


def test_only_the_printed_equation_is_accused_and_not_its_result():
    """The Thai text prints 70 in place of 80, and concludes 40, which is right."""
    slip = slip_with("60 + 70 + 70")
    others, mean = (60, 70, 80), 62.5
    assert 4 * mean - sum(others) == 40
    assert 4 * mean - (60 + 70 + 70) == 50
    assert slip.quote == "(60 + 70 + 70 + x) / 4 = 62.5, x = 40"
    assert "40 kg. The text concludes this, too" in slip.right
    assert "printed equation would give 50 kg" in slip.right
    assert "50" not in slip.text


def entropy(*counts):
    return -sum(n / sum(counts) * math.log2(n / sum(counts)) for n in counts if n)


def test_the_accused_minus_sign_is_that_before_the_mean_of_the_branches():
    """The Vietnamese project writes the entropy itself with its minus sign."""
    slip = slip_with("H(x, S)")
    assert slip.quote == "H(x, S) = −Σ (m_k/N) H(S_k)"
    assert not [each for each in SLIPS if "without its minus sign" in each.text]
    # Quinlan's days: sunny 2 of 5, overcast 4 of 4, rain 3 of 5.
    whole, branches = entropy(9, 5), ((2, 3), (4, 0), (3, 2))
    mean = sum(sum(each) / 14 * entropy(*each) for each in branches)
    assert whole - mean == pytest.approx(0.247, abs=5e-4)
    assert whole - -mean > whole


def test_other_quotes_disagree_with_the_correction():
    assert math.log(1 / 0.05) == pytest.approx(3.0, abs=5e-3)  # and not 20
    assert chance_of_trait(0.05, YES) < 0.14 < 3 / 4
    assert entropy(1, 1) == 1 < 1e20
    with pytest.raises(TypeError, match="negative"):
        -np.array([True, False])


@pytest.mark.parametrize("address", [{"share": "50"}, {"epsilon": "1"}])
def test_the_sentence_is_right_where_both_values_agree(address):
    sentence = Slips().show(read_values(Slips.controls, address)).sentence
    assert "not" not in sentence
    assert "(course text: 75 %)" in sentence
