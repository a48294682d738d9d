"""Pages that `candor verify` expects: they are those that are served."""

import json

from survey.cli.verify.expected_pages import pages_of
from tests.cli.verified_pages import PAGE, two_languages
from tests.support.definitions import opened


def test_the_page_made_here_is_the_page_that_is_served(app, client, store):
    frozen = opened(store, two_languages())
    document = json.loads(client.get(f"{PAGE}.json").data)
    made = pages_of(app, frozen, document, closed=False)[PAGE]
    assert made == {
        language: client.get(f"{PAGE}?language={language}").data for language in ("en", "vi")
    }
    assert made["en"] != made["vi"]
