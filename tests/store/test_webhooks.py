"""Webhooks in the store: which surveys have them, and how many."""

import pytest

from survey.core.errors import StateError
from survey.definition.survey import parse_survey
from survey.server.settings import Settings
from survey.server.webhooks.messages import new_webhook, read_thresholds
from survey.store import Store
from survey.store.sql.webhooks import MAX_WEBHOOKS_PER_SURVEY
from tests.support.definitions import definition, opened
from tests.support.stores import connected
from tests.support.webhooks import added, responses

pytestmark = pytest.mark.both_stores


def test_only_a_survey_that_browsers_answer_is_told_of(store: Store) -> None:
    thresholds = read_thresholds("1")
    url = "https://example.org/"
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    opened(store, definition(by_hand=True))
    opened(store, definition(slug="loaded"), "closed")
    store.responses.add_batches("loaded", [responses(2)], "loaded")
    for slug, words in [
        ("draft", "is a draft"),
        ("health.by-hand", "is a part"),
        ("loaded", "holds simulated or imported responses"),
    ]:
        with pytest.raises(StateError, match=words):
            store.webhooks.add_webhook(new_webhook(slug, url, thresholds))
    for _ in range(MAX_WEBHOOKS_PER_SURVEY):
        added(store, url, "1")
    with pytest.raises(StateError, match="the maximum"):
        added(store, url, "1")


def test_they_go_with_their_survey(store: Store, settings: Settings) -> None:
    opened(store, definition())
    added(store, "https://example.org/", "1, 2")
    store.lifecycle.set_state("health", "closed")
    store.lifecycle.delete_survey("health")
    with connected(settings.database) as connection:
        for table in ("webhooks", "thresholds"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert store.webhooks.reached_thresholds() == []


def test_no_moment_is_stored(store: Store, settings: Settings) -> None:
    opened(store, definition())
    added(store, "https://example.org/", "1")
    with connected(settings.database) as connection:
        columns = {
            table: [each[0] for each in connection.execute(f"SELECT * FROM {table}").description]
            for table in ("webhooks", "thresholds", "api_tokens")
        }
    assert columns == {
        "webhooks": ["id", "survey", "url"],
        "thresholds": ["webhook", "survey", "responses", "state", "waited", "outcome"],
        "api_tokens": ["token_hash", "account", "label", "made", "expires", "used"],
    }
