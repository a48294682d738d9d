"""The widths of texts in a picture, and how they are broken and shortened to fit."""

import pytest

from survey.core.text_widths import (
    advance,
    breakable_pieces,
    length,
    room_for,
    shorten_middle,
    wrapped_lines,
)

pytestmark = pytest.mark.fast

THAI = "คุณสูบบุหรี่หรือผลิตภัณฑ์ยาสูบอื่นๆในช่วงสามสิบวันที่ผ่านมาหรือไม่"


def test_long_labels_that_are_alike_stay_apart():
    found = [shorten_middle(f"{THAI} {number}", 13, 250) for number in range(40)]
    assert len(set(found)) == 40
    assert all("…" in text and length(text) * 13 <= 250 for text in found)
    assert all(text.endswith(f" {number}") for number, text in enumerate(found))
    assert shorten_middle("Never") == "Never"
    assert length(shorten_middle("x" * 300)) * 13 <= 300


def test_marks_take_no_room_and_wide_letters_more_than_narrow_ones():
    assert advance("\u0e48") == advance("\u0301") == advance("\u200b") == 0
    assert 0 < advance("i") < advance("a") < advance("A") < advance("W") == advance("中")
    assert advance("ก") < advance("中")


def test_a_text_is_as_wide_as_its_letters_together():
    assert length("Wi") == pytest.approx(advance("W") + advance("i"))
    assert room_for("Wi", 20) == pytest.approx(20 * length("Wi"))
    # By hand: one capital at 0.79 and two others at 0.64, each 1.3 times as wide.
    assert room_for("Abc", 10) == pytest.approx(10 * 1.3 * (0.79 + 2 * 0.64))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("two  words", ["two ", "words"]),
        ("中文字。好", ["中", "文", "字。", "好"]),
        ("เก่า", ["เก่า"]),
        ("กขา", ["ก", "ขา"]),
        ("「中」文", ["「中」", "文"]),
    ],
)
def test_a_line_may_end_after_a_word_or_after_a_letter_with_its_marks(text, parts):
    assert list(breakable_pieces(text)) == parts


@pytest.mark.parametrize("text", [THAI * 3, "one two three " * 12, "x" * 150, "中" * 90])
def test_lines_fit_and_only_a_text_for_more_of_them_is_shortened(text):
    lines = wrapped_lines(text, 13, 200, 30)
    assert len(lines) > 2
    assert all(length(line) * 13 <= 200 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    first, last = wrapped_lines(text, 13, 200, 2)
    assert first == lines[0]
    assert "…" in last
    assert length(last) * 13 <= 200


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "สัญญาณรบกวนของผู้ดูแลข้อมูล (แบบรวมศูนย์)",
            ["สัญญาณรบกวนของผู้ดูแลข้อมูล", "(แบบรวมศูนย์)"],
        ),
        # The only space is too near the beginning.
        ("ก " + "ข" * 40, ["ก " + "ข" * 28, "ข" * 12]),
        # A line more would be necessary, and the text would be shortened.
        ("ข" * 15 + " " + "ค" * 40, ["ข" * 15 + " " + "ค" * 14, "ค" * 26]),
    ],
)
def test_a_line_of_thai_ends_at_a_space_between_phrases(text, lines):
    assert wrapped_lines(text, 13, 344) == lines
