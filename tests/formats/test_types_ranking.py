"""Rankings in files."""

from itertools import permutations

import pytest

from survey.formats.types import FORMATS
from tests.support.question_results import MANY, question_of

pytestmark = pytest.mark.fast


def test_a_ranking_has_a_mean_rank_and_a_share_of_first_places_for_each_item():
    question = question_of("ranking", "none", choices=MANY[:3], prefer_not_to_say=True)
    orders = [*permutations(["c0", "c1", "c2"])]
    expected = []
    for item in ("c0", "c1", "c2"):
        expected += [("mean_rank", item, [order.index(item) + 1 for order in orders])]
        expected += [("ranked_first", item, [int(order[0] == item) for order in orders])]
    assert FORMATS[question].means() == expected


def test_the_list_of_a_ranking_has_only_its_items():
    question = question_of("ranking", "none", choices=MANY[:3], prefer_not_to_say=True)
    assert FORMATS[question].special_choices() == []
    assert FORMATS[question].list_members({"prefer_not_to_say": True}) == {
        "prefer_not_to_say": True
    }
