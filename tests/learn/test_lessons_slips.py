"""The right lines of "Errors in the course texts", against closed forms."""

import html
import json
import math
import re
import unicodedata

import pytest

from survey.learn.controls import read_values
from survey.learn.lessons import LESSONS
from survey.learn.lessons.slips import (
    AGENCY,
    BLOG,
    NOTES,
    PROJECT,
    REPORT,
    SLIPS,
    Slips,
)
from survey.learn.yes_no_reports import YES, chance_of_trait
from tools.slips import PRINTED

pytestmark = pytest.mark.fast


def test_the_right_lines_are_right():
    numbers = Slips().show(read_values(Slips.controls, {})).numbers
    assert numbers["power"] == pytest.approx(7.389, abs=5e-4)
    assert numbers["ill"] == pytest.approx(0.13636, abs=5e-6)
    assert numbers["reach"] == pytest.approx(math.log(20))
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
        assert slip.lesson in addresses | {""}
        for text in (slip.text, slip.right, slip.printed):
            assert text in page, text
        for text, section in slip.places:
            assert text.name in page
            assert section in page


def test_no_slip_prints_a_sentence():
    """A formula, a number, a line of code, or at most seven words."""
    for slip in SLIPS:
        assert len(slip.printed) <= 80
        if slip.words:
            assert len(slip.printed.split()) <= 7
            assert not slip.printed.endswith((".", "。"))


NAMES = {"blog": BLOG, "report": REPORT, "notes": NOTES, "project": PROJECT, "agency": AGENCY}
# LaTeX's names of signs, and of what is only layout.
SIGNS = {
    r"\varepsilon": "ε", r"\epsilon": "ε", r"\alpha": "α", r"\theta": "θ", r"\Delta": "Δ",
    r"\sum": "Σ", r"\prod": "∏", r"\leq": "≤", r"\le": "≤", r"\in": "∈", "-": "−", "'": "′",
}  # fmt: skip
LAYOUT = re.compile(r"\\(frac|left|right|mathcal|textrm)|[\\\s{}()_^/$&,]")


def signs_of(formula: str) -> str:
    """The signs of a formula in their order, without layout: 1/2 is the same as \\frac{1}{2}."""
    for name, sign in SIGNS.items():
        formula = re.sub(re.escape(name) + ("(?![a-z])" if name[0] == "\\" else ""), sign, formula)
    return LAYOUT.sub("", unicodedata.normalize("NFKC", formula)).replace("′", "'")


def test_the_page_shows_the_signs_that_the_text_prints():
    """`python -m tools.slips` looks the stored ones up in the files of the texts."""
    stored = json.loads(PRINTED.read_text(encoding="utf-8"))["slips"]
    for slip in SLIPS:
        mine = [each for each in stored if each["slip"] == slip.name]
        places = list(dict.fromkeys((NAMES[each["text"]], each["section"]) for each in mine))
        assert tuple(places) == slip.places, slip.name
        for text, section in places:
            pieces = [
                each["printed"]
                for each in mine
                if (NAMES[each["text"]], each["section"]) == (text, section)
            ]
            assert signs_of(" ".join(pieces)) == signs_of(slip.printed), slip.name
    assert {each["slip"] for each in stored} == {slip.name for slip in SLIPS}


def test_another_sign_is_noticed():
    printed = r"H(x,S) = -\sum_{i=1}^{k} \frac{m_k}{N} H(S_k)"
    assert signs_of(printed) == signs_of(slip_with("H(x, S)").printed)
    assert signs_of(printed.replace("= -", "= ")) != signs_of(printed)
    assert signs_of(r"p - 20 \leq f(X)") != signs_of("p + 20 ≤ f(X)")


def slip_with(words):
    [slip] = [each for each in SLIPS if words in each.printed]
    return slip


def test_only_the_printed_equation_is_accused_and_not_its_result():
    """The Thai text prints 70 in place of 80, and concludes 40, which is right."""
    slip = slip_with("60 + 70 + 70")
    others, mean = (60, 70, 80), 62.5
    assert 4 * mean - sum(others) == 40
    assert 4 * mean - (60 + 70 + 70) == 50
    assert slip.printed == "(60 + 70 + 70 + x)/4 = 62.5, x = 40"
    assert "40 kg. The text concludes this, too" in slip.right
    assert "printed equation would give 50 kg" in slip.right
    assert "50" not in slip.text


def entropy(*counts):
    return -sum(n / sum(counts) * math.log2(n / sum(counts)) for n in counts if n)


def test_the_accused_minus_sign_is_that_before_the_mean_of_the_branches():
    """The Vietnamese project writes the entropy itself with its minus sign."""
    slip = slip_with("H(x, S)")
    assert slip.printed == "H(x, S) = −Σᵢ₌₁ᵏ (m_k/N) H(S_k)"
    assert not [each for each in SLIPS if "without its minus sign" in each.text]
    # Quinlan's days: sunny 2 of 5, overcast 4 of 4, rain 3 of 5.
    whole, branches = entropy(9, 5), ((2, 3), (4, 0), (3, 2))
    mean = sum(sum(each) / 14 * entropy(*each) for each in branches)
    assert whole - mean == pytest.approx(0.247, abs=5e-4)
    assert whole - -mean > whole


def test_other_printed_lines_disagree_with_the_correction():
    assert math.log(1 / 0.05) == pytest.approx(3.0, abs=5e-3)  # and not 20
    assert chance_of_trait(0.05, YES) < 0.14 < 3 / 4
    assert entropy(1, 1) == 1 < 1e20
    # The mean that the report prints, times the count that it prints in place of the sum.
    assert math.isclose(15_772 * 40.267562769464874, 635_100)


def test_a_clipped_sum_changes_by_u_minus_l_only_if_an_answer_changes_or_a_bound_is_0():
    for low, high in ((30, 150), (0, 125), (-5, 5)):
        answers = range(low, high + 1)
        changed = max(abs(x - y) for x in (low, high) for y in (low, high))
        removed = max(abs(x) for x in answers)
        assert changed == high - low
        assert removed == max(abs(low), abs(high))
    assert max(range(30, 151)) == 150 > 150 - 30


def test_with_the_score_of_r_in_each_term_all_results_are_equally_likely():
    weights = [math.exp(score / 2) for score in (0, -1, -3)]
    right = [weight / sum(weights) for weight in weights]
    printed = [weight / sum(weight for _ in weights) for weight in weights]
    assert sum(right) == pytest.approx(1)
    assert right[0] > right[1] > right[2]
    assert printed == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("address", [{"share": "50"}, {"epsilon": "1"}])
def test_the_sentence_is_right_where_both_values_agree(address):
    sentence = Slips().show(read_values(Slips.controls, address)).sentence
    assert "not" not in sentence
    assert "(course text: 75 %)" in sentence
