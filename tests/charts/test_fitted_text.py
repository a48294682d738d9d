"""Texts of charts fit into their room, and lose nothing: the title has the whole text."""

import pytest

from survey.charts.fitted_text import SIZE, clip_text, fitted_text
from survey.core.text_widths import length

pytestmark = pytest.mark.fast


def test_a_text_that_fits_stays_as_it_is():
    assert clip_text("Yes", 100) == "Yes"
    assert fitted_text(0, 0, "Yes", 100).inside == ()


def test_a_longer_text_ends_in_an_ellipsis_and_has_a_title():
    words = "In which year do you study?"
    cut = clip_text(words, 100)
    assert cut.endswith("…")
    assert words.startswith(cut[:-1])
    assert length(cut) * SIZE <= 100 < length(words) * SIZE
    [title] = fitted_text(0, 0, words, 100).inside
    assert (title.tag, title.text) == ("title", words)
