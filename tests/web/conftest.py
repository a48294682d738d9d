"""Fixtures of several test modules."""

import pytest

from survey.store import Store
from tests.support.indirect import store_crosswise, store_list, store_two_lists
from tests.support.three_ways import store_ways


@pytest.fixture
def stored(store: Store) -> None:
    store_crosswise(store)
    store_list(store)
    store_two_lists(store)
    store_ways(store)
