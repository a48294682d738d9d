"""The start page of the site: its picture counts what it says."""

import re

import pytest

pytestmark = pytest.mark.fast


def test_the_picture_shows_what_two_coins_do_on_average(client):
    page = client.get("/").get_data(as_text=True)
    given, sent, total = re.findall(r"<svg.*?</svg>", page[page.index('class="mixing"') :], re.S)
    people = [re.findall(r"<circle[^>]*?( class=\"yes\")?/>", each) for each in (given, sent)]
    first, second = ([bool(each) for each in answers] for answers in people)
    assert (len(first), len(second)) == (40, 40)
    assert (sum(first), sum(second)) == (12, 16)
    # A quarter of each answer is turned: 3 of 12, and 7 of 28.
    assert sum(one and not other for one, other in zip(first, second, strict=True)) == 3
    assert sum(other and not one for one, other in zip(first, second, strict=True)) == 7
    assert 2 * sum(second) - 40 / 2 == sum(first)
    squares = re.findall(r"<rect[^>]*?( class=\"yes\")?/>", total)
    assert (len(squares), sum(map(bool, squares))) == (40, 12)
