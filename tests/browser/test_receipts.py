"""The receipt on the last page: copied, saved, and never lost or written where nobody asked."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import answer, send
from tests.support.servers import Live

CONTENT = definition(
    yes_no(), receipts=True, comprehension=True, support="Call [us](https://help.example/)."
)


@pytest.fixture
def end(live: Live, page: Page) -> Page:
    """The last page of a survey with receipts."""
    opened(live.store, CONTENT)
    page.goto(f"{live.url}/s/health?language=en")
    answer(page, "Yes")
    send(page)
    return page


def receipt(page: Page) -> str:
    return page.locator("#code").inner_text()


def counted(live: Live) -> int:
    return sum(live.store.counts.by_question("health").get("smokes", {}).values())


def withdraw(page: Page, live: Live, typed: str | None = None) -> None:
    """With a typed receipt, or with the one that was copied."""
    page.goto(f"{live.url}/s/health/withdraw")
    field = page.get_by_label("Your receipt")
    if typed is None:
        field.press("ControlOrMeta+v")
    else:
        field.fill(typed)
    page.get_by_role("button", name="Withdraw what I sent").click()
    page.get_by_text("Done. What you sent is deleted").wait_for()


@pytest.mark.plain
def test_it_is_copied_as_it_is_shown(end, live):
    end.context.grant_permissions(["clipboard-write"])
    assert len(receipt(end).split(" ")) == 8  # in groups of four
    expect(end.locator("#copied")).to_have_text("")
    end.get_by_role("button", name="Copy").click()
    expect(end.locator("#copied[role=status]")).to_have_text("Copied.")
    withdraw(end, live)
    assert counted(live) == 0


def test_if_it_cannot_be_copied_the_page_says_so(end):
    for clipboard in ("{ writeText: () => Promise.reject(new Error('no')) }", "undefined"):
        end.evaluate(
            f"void Object.defineProperty(navigator, 'clipboard',"
            f" {{ value: {clipboard}, configurable: true }})"
        )
        end.get_by_role("button", name="Copy").click()
        expect(end.locator("#copied")).to_contain_text("Select it and copy it.")


def test_it_is_saved_under_a_name_that_tells_nothing(end, live):
    """The browser lists downloads with their addresses, so the address does not have it, either."""
    code = receipt(end)
    with end.expect_download() as saving:
        end.get_by_role("button", name="Save as a file").click()
    download = saving.value
    assert download.suggested_filename == "note.txt"
    assert download.url.startswith(f"blob:{live.url}/")
    assert not set(code.split(" ")) & set(download.url.split("-"))
    written = Path(download.path()).read_text(encoding="utf-8").splitlines()
    assert written == [f"{live.url}/s/health/withdraw", code]
    withdraw(end, live, written[1])
    assert counted(live) == 0


def test_no_link_of_the_last_page_leads_away_from_it(end):
    """Each one opens a tab that cannot reach this page and does not learn its address."""
    code = receipt(end)
    links = end.locator("main a:visible").all()
    assert len(links) == 3  # to withdraw, for help, and to the comprehension test
    for link in links:
        assert link.get_attribute("target") == "_blank"
        assert {"noopener", "noreferrer"} <= set(link.get_attribute("rel").split())
    end.context.route("https://help.example/", lambda route: route.fulfill(body="Help."))
    for link in links:
        with end.context.expect_page() as opening:
            link.click()
        assert opening.value.evaluate("[opener, document.referrer]") == [None, ""]
        opening.value.close()
        assert receipt(end) == code


def test_withdrawing_on_the_last_page_changes_no_address(end, live):
    code, address = receipt(end), end.url
    length = end.evaluate("history.length")
    requests: list[str] = []
    end.on("request", lambda request: requests.append(request.url))
    end.get_by_text("Withdraw my answers", exact=True).click()
    end.get_by_role("button", name="Withdraw what I sent").click()
    expect(end.locator("#outcome")).to_be_focused()
    expect(end.locator("#usable")).to_be_hidden()
    assert counted(live) == 0
    assert requests == [f"{live.url}/s/health/withdrawals"]
    assert code.replace(" ", "") not in "".join(requests)
    assert (end.url, end.evaluate("history.length")) == (address, length)
