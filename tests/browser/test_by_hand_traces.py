"""Traces of paper-and-coin mode on the device: nothing that was chosen, once it is sent.

The search is that of test_traces.py: every file of a browser's profile, after the browser has saved
its state of the page.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright

from tests.support.definitions import definition, opened, yes_no
from tests.support.device_traces import Device, device
from tests.support.every_type import asked
from tests.support.servers import Live

PAGE = "/s/health/by-hand"
TYPED = "zqxwvut remark"
CANARY = "zqxwvut"


@pytest.fixture
def survey(live: Live) -> str:
    """The address of the page."""
    remarks = asked("remarks", "text", "none")
    smokes = yes_no() | {
        "choices": [{"name": "yes", "label": "zqxwvut yes"}, {"name": "no", "label": "zqxwvut no"}]
    }
    opened(live.store, definition(smokes, yes_no("drinks"), remarks, by_hand=True))
    return live.url + PAGE


@pytest.fixture
def visitor(playwright: Playwright, live: Live, survey: str, tmp_path: Path) -> Iterator[Device]:
    """The form with everything chosen and typed, before sending."""
    with device(playwright, tmp_path / "profile", live, False) as visitor:
        visitor.page.goto(f"{live.url}/")
        visitor.page.goto(survey)
        fill_in(visitor.page)
        yield visitor


def fill_in(page: Page) -> None:
    page.locator("fieldset#smokes input").first.check()
    page.locator("fieldset#drinks input").last.check()
    page.locator("textarea").fill(TYPED)


def is_empty(page: Page) -> bool:
    return page.locator(":checked").count() == 0 and page.locator("textarea").input_value() == ""


def holds_nothing(visitor: Device) -> bool:
    kinds = ("radio", "textarea")
    return not visitor.find(CANARY) and not any(map(visitor.saved_controls, kinds))


def send(page: Page, live: Live) -> None:
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/thanks**")
    assert len(list(live.store.responses.rows("health.by-hand"))) == 1


@pytest.mark.slow
def test_what_is_chosen_is_kept_nowhere_before_and_after_it_is_sent(visitor, live):
    visitor.wait_for_witness(1)
    assert holds_nothing(visitor)
    visitor.page.reload()
    assert is_empty(visitor.page)
    fill_in(visitor.page)
    send(visitor.page, live)
    visitor.wait_for_witness(2)
    visitor.kill()
    assert holds_nothing(visitor)


@pytest.mark.slow
def test_what_was_sent_is_kept_nowhere_after_the_browser_is_closed(visitor, live):
    send(visitor.page, live)
    visitor.wait_for_witness()
    visitor.context.close()
    assert holds_nothing(visitor)


def test_back_from_the_end_leads_to_an_empty_form(page, survey, live):
    page.goto(f"{live.url}/")
    page.goto(survey)
    fill_in(page)
    send(page, live)
    page.go_back()
    page.wait_for_url("**/by-hand")
    assert is_empty(page)


@pytest.mark.slow
def test_the_search_finds_what_a_form_leaves_that_came_back(visitor):
    """Browsers keep the data sent to a page that is shown, to restore the tab.

    These are reports and answers as given, so the form checks required fields before sending. The
    test also shows that the tests above search in the right places.
    """
    visitor.page.locator("textarea").evaluate("(box) => { box.maxLength = 2000; }")
    visitor.page.locator("textarea").fill(TYPED + "." * 1000)
    visitor.page.get_by_role("button", name="Send").click()
    visitor.page.get_by_role("alert").wait_for()
    visitor.wait_for_witness()
    assert visitor.find(CANARY)
