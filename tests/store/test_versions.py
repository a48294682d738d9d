"""Versions of public pages: they follow what the public knows."""

import pytest

from survey.definition.survey import parse_survey
from survey.store import Store
from tests.support.cached_pages import CONTENT
from tests.support.definitions import definition, opened


@pytest.mark.both_stores
def test_versions_are_of_what_the_public_knows(store: Store) -> None:
    opened(store, CONTENT)
    opened(store, definition(slug="other"))
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    found = store.public.versions(["health", "other", "draft", "nothing"], results=False)
    assert set(found) == {"health", "other"}
    assert found["health"] != found["other"]
    assert found["health"] == store.public.shown_survey("health")[2]
    assert store.public.shown_survey("health")[1] is False
    store.shares.publish("other", True)
    assert store.public.shown_survey("other")[1] is True
    assert store.public.shown_survey("health")[1] is False
    results = store.public.versions(["health"], results=True)
    assert results["health"] == store.public.shown_results("health")[2] != found["health"]
