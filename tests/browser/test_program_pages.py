"""API tokens and webhooks in a real browser: by keyboard, at any width."""

import re

import pytest

from survey.server.webhooks.messages import new_webhook, read_thresholds
from survey.store import OWNER, Account
from survey.store.sql.webhooks import DELIVERED, GIVEN_UP, WAITING, Threshold
from survey.web import api_tokens
from tests.browser.looks import looks, sound
from tests.support.admin_pages import sign_in
from tests.support.definitions import definition, opened
from tests.support.researchers import PASSWORD, password_hash

LONG = "https://a-rather-long-name-of-a-host.department.university.example/told?of=thresholds"
TOKENS, TELL = "/admin/account/tokens", "/admin/surveys/health/webhooks"


@pytest.fixture
def site(live, app):
    """A survey with webhooks of each outcome, and an account with tokens, one of them expired."""
    store = live.store
    opened(store, definition(batch=25))
    opened(store, definition(slug="empty"))
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    with app.app_context():
        for label in ("Weekly report in R", "x" * 40):
            api_tokens.make_token("ada", label, 90)
    with store.database.transaction() as db:
        db.execute("UPDATE api_tokens SET expires = '2026-01-02' WHERE label LIKE 'x%'")
    webhook = new_webhook("health", LONG, read_thresholds("1 100 500 1000"))
    store.webhooks.add_webhook(webhook)
    store.webhooks.settle(webhook.id, Threshold(1, DELIVERED))
    store.webhooks.settle(
        webhook.id, Threshold(100, GIVEN_UP, 90_000, "The program did not answer in time.")
    )
    store.webhooks.settle(
        webhook.id, Threshold(500, WAITING, 60, "The program answered with the status 500.")
    )
    return live.url


def assert_fine(page):
    page.wait_for_load_state()  # with its style
    sound(page)
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, page.url


@pytest.mark.slow
@looks(375, 1280)
def test_no_page_breaks_an_accessibility_rule_or_scrolls_sideways(page, site, width, scheme):
    page.expected_problems.append("422")
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    sign_in(page, site)
    for path in (TOKENS, TELL, "/admin/surveys/health", "/admin/surveys/empty/webhooks"):
        page.goto(site + path)
        assert_fine(page)
    page.get_by_label("URL").fill("http://example.org/")
    page.get_by_label("Numbers of responses").fill("100")
    page.keyboard.press("Enter")
    page.get_by_text("The URL must start with https://").wait_for()
    assert_fine(page)
    page.goto(site + TOKENS)
    page.get_by_label("Name of the token").fill("Weekly report in R")
    page.get_by_label("Your password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_text("Choose another name").wait_for()
    assert_fine(page)
    page.get_by_label("Name of the token").fill("another")
    page.get_by_label("Your password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_text("only once").wait_for()
    assert_fine(page)


@pytest.mark.plain
def test_a_token_made_and_revoked_by_keyboard(page, site, live):
    sign_in(page, site)
    page.get_by_role("link", name="Your account").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="API tokens").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Name of the token").focus()
    page.keyboard.type("laptop")
    page.keyboard.press("Tab")
    page.keyboard.type("30")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_text("only once").wait_for()
    token = re.search(r"candor_[\w-]{43}", page.content())[0]
    asked = page.request.get(f"{site}/api/v1/surveys", headers={"Authorization": f"Bearer {token}"})
    assert [each["slug"] for each in asked.json()["surveys"]] == ["empty", "health"]
    page.get_by_role("button", name="Revoke laptop").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Candor revoked the token “laptop”.").wait_for()
    assert token not in page.content()
    assert [each.label for each in live.store.tokens.of_account("ada")] == [
        "Weekly report in R",
        "x" * 40,
    ]


def test_a_program_is_deleted_and_a_test_says_what_happened(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/health")
    page.get_by_role("link", name="Set up webhooks").click()
    page.get_by_text("not delivered within 24 hours").wait_for()
    # A host that never exists, so nothing is sent from here.
    store = live.store
    nobody = new_webhook("health", "https://nobody.invalid/", read_thresholds("7"))
    store.webhooks.add_webhook(nobody)
    page.reload()
    page.get_by_role("button", name="Send test message to https://nobody.invalid/").click()
    page.get_by_text("The test message to https://nobody.invalid/ failed.").wait_for()
    for url in ("https://nobody.invalid/", LONG):
        page.get_by_role("button", name=f"Delete {url}").click()
        page.get_by_text("The webhook is deleted").wait_for()
    page.get_by_text("No webhooks yet.").wait_for()
    assert store.webhooks.receivers("health") == []
