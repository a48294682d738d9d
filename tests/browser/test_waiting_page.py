"""The page that waits for an analysis in the background."""

import pickle
import time

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from survey.admin.analysis import pages
from survey.store import OWNER, Account
from survey.web.analyses.background import background_analyses
from tests.browser.looks import sound
from tests.support.admin_pages import sign_in
from tests.support.batches import feed, plain
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import password_hash
from tests.support.servers import Live

ADDRESS = "/admin/surveys/health/analysis/validity?asked=smokes:0&denied=10&false=0&random=0"


@pytest.mark.plain
def test_the_page_waits_shows_the_result_and_can_stop(
    app: Flask, live: Live, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "RETRY_SECONDS", 60)
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    opened(live.store, definition(yes_no(), batch=1))
    feed(live.store, plain(40))
    with app.app_context():
        analyses = background_analyses()
    analyses.request_seconds = 0.0
    sign_in(page, live.url)
    with analyses.turn:
        page.goto(live.url + ADDRESS)
        notice = page.locator(".notice[role=status]")
        expect(notice).to_contain_text("It has not started yet")
        page.get_by_role("button", name="Stop calculation").click()
        expect(notice).to_contain_text("The calculation was stopped.")
        assert not analyses.tasks
        page.get_by_role("button", name="Show analysis").click()
        expect(notice).to_contain_text("Candor is calculating this analysis")
        sound(page)
        monkeypatch.setattr(pages, "RETRY_SECONDS", 1)
        page.get_by_role("link", name="Load again").click()
        # From here on, the page loads itself again.
        (task,) = {*analyses.tasks.values()}
        computation = pickle.loads(task.sent)["en"]
        task.outcomes["en"], task.ended = computation.result(), time.monotonic()
        expect(page.locator("#finding")).to_be_visible()
        task.stopped = True
