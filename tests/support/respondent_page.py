"""The steps of a respondent in a browser, from the start to the end of the page."""

from collections.abc import Callable

from playwright.sync_api import Page, Route


def begin(page: Page, remembered: str = "") -> None:
    """Go from the start to the questions.

    `remembered` is the label of a choice in the step of a series. An earlier choice is still there.
    """
    page.get_by_role("button", name="I agree: start").click()
    page.locator("#asking:visible, #remember:visible").wait_for()
    if page.locator("#remember").is_visible():
        if remembered:
            page.get_by_label(remembered).check()
        page.locator("#chosen-wave").click()
    page.locator("#asking:visible").wait_for()


def start(page: Page, address: str) -> None:
    """Open a survey and go on to its questions."""
    page.goto(address)
    begin(page)


def answer(page: Page, *choices: str) -> None:
    """Choose these labels, one for each question in order, from the start if necessary."""
    page.locator("#start:visible, #asking:visible").wait_for()
    if page.locator("#start").is_visible():
        begin(page)
    for fieldset, choice in zip(page.locator("#answers fieldset").all(), choices, strict=True):
        fieldset.get_by_text(choice, exact=True).click()


def send(page: Page) -> None:
    """Go from the answered questions through the review to the end."""
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()


# Waits are a hundredth as long. The 20 seconds for the answer of the server are 2, since a busy
# machine may take a fifth of a second. The script also records the waits and counts the draws.
FAST = """
globalThis.asked = [];
globalThis.draws = 0;
const wait = setTimeout;
globalThis.setTimeout = (call, time) => {
  asked.push(time);
  return wait(call, time === 20_000 ? 2_000 : time / 100);
};
const draw = Crypto.prototype.getRandomValues;
Crypto.prototype.getRandomValues = function (array) { draws += 1; return draw.call(this, array); };
"""


def lose_the_reply(route: Route) -> None:
    """The server records the response, but its reply does not arrive."""
    route.fetch()
    route.abort("connectionreset")


FAILURES: dict[str, Callable[[Route], None]] = {
    "no connection": lambda route: route.abort("connectionrefused"),
    "500": lambda route: route.fulfill(status=500),
    "503": lambda route: route.fulfill(status=503),
    "429": lambda route: route.fulfill(status=429),
    "408": lambda route: route.fulfill(status=408),
    "redirected": lambda route: route.fulfill(status=302, headers={"Location": "/"}),
    "never answered": lambda route: None,
    "reply lost": lose_the_reply,
}
