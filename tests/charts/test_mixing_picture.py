"""The picture on the start page counts what its sentences say."""

import re

import pytest

from survey.charts.mixing_picture import GIVEN, PEOPLE, SENT, mixing_pictures

pytestmark = pytest.mark.fast


def test_the_picture_shows_what_two_coins_do_on_average():
    """A quarter of each answer is turned: 3 of 12, and 7 of 28."""
    assert (PEOPLE, len(GIVEN), len(SENT)) == (40, 12, 16)
    assert len(GIVEN - SENT) == 12 / 4
    assert len(SENT - GIVEN) == 28 / 4
    assert 2 * len(SENT) - PEOPLE / 2 == len(GIVEN)


def test_the_page_has_a_mark_for_each_person(client):
    page = client.get("/").get_data(as_text=True)
    drawn = re.findall(r'<svg class="answers".*?</svg>', page, re.DOTALL)
    assert [each.count('class="yes"') for each in drawn] == [12, 16, 12]
    assert [each.count('class="no"') for each in drawn] == [28, 24, 28]
    for number in ("Of 40 people, 12", "16 times", "9 of these are real, and 7", "about 12 people"):
        assert number in page
    first = mixing_pictures()[0].__html__()
    assert 'cx="10.0" cy="10.0" r="7.0"' in first
    assert 'viewBox="0 0 160 100"' in first
