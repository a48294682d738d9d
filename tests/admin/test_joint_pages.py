"""Joint questions on the researchers' pages, and in the files that these pages offer."""

import re

import pytest

from tests.support.definitions import definition
from tests.support.joint_responses import WITH_OTHERS, with_responses
from tests.support.researchers import signed_in

# Pages that need more than a survey, or that other tests open.
ELSEWHERE = {"add_person"}


@pytest.fixture
def researcher(app):
    return signed_in(app)


def get(researcher, path, status=200):
    reply = researcher.client.get(f"/admin/surveys/joint/{path}", follow_redirects=True)
    assert reply.status_code == status, (path, reply.get_data(as_text=True)[-2000:])
    return reply


def addresses(app):
    """Every page of a single survey, without further arguments."""
    return sorted(
        rule.rule.removeprefix("/admin/surveys/<slug>").lstrip("/")
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/admin/surveys/<slug>")
        and rule.arguments == {"slug"}
        and "GET" in rule.methods
    )


@pytest.mark.parametrize("n", [0, 3, 300])
@pytest.mark.parametrize("language", ["en", "vi"])
def test_every_page_of_a_survey_opens(app, store, researcher, n, language):
    with_responses(store, definition(*WITH_OTHERS, slug="joint"), n)
    store.accounts.set_language("ada", language)
    found = addresses(app)
    assert len(found) > 30
    for address in found:
        get(researcher, address)
