"""The text in a chart: its lines, and where they break."""

import pytest

from survey.charts import svg
from survey.charts.caption import (
    MAX_QUESTION_LINES,
    SIZES,
    add_caption,
    broken,
    caption_lines,
)
from survey.core.text_widths import LINE_WIDTH, length
from survey.definition.parse_question import parse_question
from survey.estimation.build_results import question_results
from tests.support.charted import drawn, values
from tests.support.definitions import yes_no

pytestmark = pytest.mark.fast

THAI = "คุณสูบบุหรี่หรือผลิตภัณฑ์ยาสูบอื่นๆในช่วงสามสิบวันที่ผ่านมาหรือไม่"
CHINESE = "在过去三十天里，您是否吸过香烟或使用过其他烟草制品？" * 3
WORDS = "In the last thirty days, have you smoked or used any other product with tobacco in it? "


def caption(label="Do you smoke?", slug="health", origin="browser", weighted_by=""):
    question = parse_question(yes_no(label=label), "", "en")
    found = question_results(question, {0: 900, 1: 334})
    return caption_lines(found, "Health", slug, origin, weighted_by)


def texts(found):
    return [text for _, text in found]


CHART = svg.Chart(shapes=(svg.circle("estimate", 10, 20),), height=100)


def test_a_picture_says_what_it_is_of():
    assert texts(caption()) == ["Do you smoke?", "Health · n = 1,234"]


@pytest.mark.parametrize(
    ("slug", "origin", "mark"),
    [
        ("health", "simulated", "Simulated: nobody was asked"),
        ("health", "loaded", "Collected elsewhere, imported from a file"),
        ("health.pilot", "simulated", "Simulation: nobody was asked"),
        ("health.practice", "browser", "Test mode: sent by people who tested the page"),
        ("health.by-hand", "browser", "Paper-and-coin mode"),
    ],
)
def test_a_picture_says_where_its_responses_come_from(slug, origin, mark):
    assert " ".join(texts(caption(slug=slug, origin=origin))[2:]) == mark


def test_a_weighted_picture_says_so():
    found = caption(origin="simulated", weighted_by="Age")
    assert texts(found)[2:] == ["Simulated: nobody was asked", "Weighted by “Age”"]


@pytest.mark.parametrize("label", [THAI * 2, CHINESE, WORDS * 2, "x" * 200, "ใช่ " * 60])
def test_lines_fit_and_nothing_is_lost(label):
    lines = broken(label, 15)
    assert len(lines) > 1
    assert all(0 < length(line) * 15 <= LINE_WIDTH for line in lines)
    assert "".join(lines).replace(" ", "") == label.replace(" ", "")
    whole = add_caption(CHART, caption(label))
    ys = [line.attributes["y"] for line in drawn(whole, "text")]
    assert ys == sorted(ys)
    assert whole.top + SIZES["question"] * 0.9 < ys[0]
    assert ys[-1] < -6


def test_a_line_breaks_between_words_and_never_before_a_mark():
    assert all(line in WORDS for line in broken(WORDS, 15))
    assert all(word in WORDS.split() for line in broken(WORDS, 15) for word in line.split())
    for line in broken(THAI * 4, 15):
        assert line[0] not in "ะาำๆ่้๊๋็์ิีึืุูั"
        assert line[-1] not in "เแโใไ"


def test_a_very_long_question_ends_in_an_ellipsis():
    lines = broken(WORDS * 20, 15)
    assert len(lines) == MAX_QUESTION_LINES
    assert lines[-1].endswith("…")


def test_a_caption_stands_above_its_chart():
    whole = add_caption(CHART, caption())
    # Two lines of 15 and 12 units, 1.35 times as far apart, with 12 above and below.
    assert (whole.top, whole.height) == (-60, 160)
    assert values(drawn(whole, "text"), "x", "y", "kind") == [
        (8, -33.5, "question"), (8, -16.2, "survey"),
    ]  # fmt: skip
    assert whole.shapes[2:] == CHART.shapes
