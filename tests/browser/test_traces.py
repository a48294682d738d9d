"""What stays of an answer on the device: nothing, in the page or on the disk.

Each test uses a browser profile of its own, answers, goes one of the ways that a visit can go,
and searches every file of the profile, also after the browser was killed without warning. No
cache may hold the page (no-store), so that not even the names of the choices may be found; and
because a radio button is saved as "on" without a name, it is searched for the very word "radio"
too, with which Chromium's session file begins the state of each one.

An absence proves little where nothing would be found anyway. So each visit adds a witness, an
ordinary text field, to the page, and waits until the browser has saved it: what the browser keeps
of that page is then on the disk. And the last tests find the answers to an ordinary form.
"""

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright

from setup.browser import installed
from tests.conftest import Live, answer, definition, opened, send, yes_no

CANARY = "zqx"  # in the name or label of every choice, and nowhere else
WITNESS = "witness-of-what-is-kept"
SECRET = {
    "name": "secret",
    "type": "select_one",
    "label": "Which one?",
    "choices": [{"name": f"zqx_{n}", "label": f"Label zqx {n}"} for n in ("one", "two", "three")],
    "privacy": {"mechanism": "coin_flip"},
}
HABIT = yes_no("habit") | {
    "choices": [{"name": "yes", "label": "zqx yes"}, {"name": "no", "label": "zqx no"}]
}
ANSWERS = ("Label zqx one", "zqx yes")
# The last ticket of each row: another report than the answers that are given here
OTHER_REPORT = """
Crypto.prototype.getRandomValues = (array) => array.fill(array instanceof Uint32Array ? 11 : 171);
"""
# Marks a page that is shown again as it was left
NOTE_STAY = """
const marks = () => document.documentElement.dataset;
addEventListener('pagehide', () => { delete marks().stayed; });
addEventListener('pageshow', (event) => { marks().stayed = event.persisted; });
"""
# All in which a page could keep something; sessionStorage is the one that it uses
KEPT = """async () => ({
  checked: document.querySelectorAll(':checked').length,
  reviewed: document.querySelector('#chosen').textContent,
  tabStops: [...document.querySelectorAll('fieldset')].map(
    (fieldset) => [...fieldset.querySelectorAll('input')].findIndex((i) => i.tabIndex === 0)),
  session: Object.values(sessionStorage),
  local: { ...localStorage },
  databases: await indexedDB.databases(),
  caches: await caches.keys(),
  workers: (await navigator.serviceWorker.getRegistrations()).length,
  state: history.state,
  windowName: window.name,
  cookie: document.cookie,
  address: location.pathname + location.search + location.hash,
})"""
NOTHING = {
    "checked": 0,
    "reviewed": "",
    "tabStops": [0, 0],
    "session": [],
    "local": {},
    "databases": [],
    "caches": [],
    "workers": 0,
    "state": None,
    "windowName": "",
    "cookie": "",
    "address": "/s/health",
}


Way = Callable[[Page], None]


@dataclass
class Device:
    """A browser with a profile on the disk."""

    profile: Path
    context: BrowserContext
    address: str

    @property
    def page(self) -> Page:
        return self.context.pages[0]

    def kill(self) -> None:
        """End the browser without giving it time for anything."""
        process = int(os.readlink(self.profile / "SingletonLock").rsplit("-", 1)[1])
        with self.context.expect_event("close"):
            os.kill(process, signal.SIGKILL)

    def files(self) -> Iterator[tuple[str, bytes]]:
        for path in sorted(self.profile.rglob("*")):
            try:
                if path.is_file():
                    yield str(path.relative_to(self.profile)), path.read_bytes()
            except FileNotFoundError:  # the browser tidies up meanwhile
                continue

    def find(self, text: str) -> set[str]:
        """The files that hold this text, with one byte or two for each letter."""
        codes = ("utf-8", "utf-16-le", "utf-16-be")
        spelled = re.compile(b"|".join(re.escape(text.encode(code)) for code in codes), re.I)
        return {name for name, content in self.files() if spelled.search(content)}

    def saved_controls(self, kind: str) -> set[str]:
        """The session files that hold the state of a form control of this kind."""
        word = kind.encode("utf-16-le")
        return {name for name, content in self.files() if "Sessions" in name and word in content}

    def wait_until_kept(self, text: str, seconds: int = 30) -> set[str]:
        """Until the browser has written this text; it does so with some delay."""
        for _ in range(seconds * 5):
            if found := self.find(text):
                return found
            self.page.wait_for_timeout(200)
        raise TimeoutError(f"{text!r} was not written within {seconds} s")

    def wait_for_witness(self) -> None:
        """Until what the browser keeps of this page is on the disk, as one more field shows."""
        self.page.evaluate("document.body.append(document.createElement('textarea'))")
        self.page.locator("textarea").fill(WITNESS)
        self.wait_until_kept(WITNESS)
        assert self.saved_controls("textarea")


@contextmanager
def device(playwright: Playwright, profile: Path, live: Live, frozen: bool) -> Iterator[Device]:
    """A browser; `frozen` says whether it keeps pages that were left as they are, in memory."""
    context = playwright.chromium.launch_persistent_context(
        profile,
        executable_path=installed(),
        ignore_default_args=["--disable-back-forward-cache"] if frozen else [],
    )
    context.add_init_script(OTHER_REPORT)
    try:
        yield Device(profile, context, live.url)
    finally:
        context.close()


@pytest.fixture(params=[False], ids=["loaded again"])
def visitor(
    request: pytest.FixtureRequest, playwright: Playwright, live: Live, tmp_path: Path
) -> Iterator[Device]:
    """On the survey's page, after the home page, with both questions answered."""
    opened(live.store, definition(SECRET, HABIT))
    with device(playwright, tmp_path / "profile", live, request.param) as visitor:
        visitor.page.goto(f"{live.url}/")
        visitor.page.goto(f"{live.url}/s/health")
        answer(visitor.page, *ANSWERS)
        yield visitor


def review(page: Page) -> None:
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("heading", name="Check your answers").wait_for()


def leave(page: Page) -> None:
    page.goto(page.url.removesuffix("/s/health") + "/")


def go_back(page: Page) -> None:
    page.go_back(wait_until="commit")  # a page that stayed in memory is not loaded
    page.wait_for_selector("#loading", state="hidden")


def stay_at_the_questions(page: Page) -> None:
    pass


def send_and_reload(page: Page) -> None:
    send(page)
    page.reload()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()


def send_and_go_back(page: Page) -> None:
    """Back from the review's place in the history, then from the page, then forward again."""
    send(page)
    page.go_back()
    page.go_back()
    page.get_by_role("heading", name="Candor").wait_for()
    page.go_forward(wait_until="commit")
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()


def leave_and_return(page: Page) -> None:
    leave(page)
    go_back(page)


def leave_the_review_and_return(page: Page) -> None:
    review(page)
    leave_and_return(page)


def finds_empty_questions(page: Page) -> None:
    """Nothing is checked, nothing was kept anywhere, and the questions are what is shown."""
    assert page.evaluate(KEPT) == NOTHING
    assert page.locator("section:visible").count() == 1
    assert page.locator("#asking").is_visible()


def finds_only_that_it_was_sent(page: Page) -> None:
    """The tab keeps neither the answers nor, once they are confirmed, the reports."""
    kept = page.evaluate(KEPT)
    [session] = [json.loads(value) for value in kept["session"]]
    assert kept == NOTHING | {"session": kept["session"]}
    assert session == {"state": "sent"}
    assert page.locator("#left dd").all_text_contents() == []
    for chosen in ANSWERS:
        assert page.get_by_text(chosen, exact=True).filter(visible=True).count() == 0


def still_has_the_answers(page: Page) -> None:
    """They are on the page as long as they are neither sent nor left."""
    assert page.evaluate(KEPT)["checked"] == len(ANSWERS)


@pytest.mark.parametrize(
    ("go", "then"),
    [
        (stay_at_the_questions, still_has_the_answers),
        (review, still_has_the_answers),
        (leave_and_return, finds_empty_questions),
        (send_and_reload, finds_only_that_it_was_sent),
        (send_and_go_back, finds_only_that_it_was_sent),
    ],
)
def test_no_answer_is_on_the_disk(visitor: Device, go: Way, then: Way):
    """Nor, after leaving, in the page; neither while the browser runs nor after it was killed."""
    go(visitor.page)
    then(visitor.page)
    visitor.wait_for_witness()
    assert visitor.find(CANARY) == set()
    assert visitor.saved_controls("radio") == set()
    visitor.kill()
    assert visitor.find(WITNESS)
    assert visitor.find(CANARY) == set()
    assert visitor.saved_controls("radio") == set()


@pytest.mark.parametrize("visitor", [True], ids=["in memory"], indirect=True)
@pytest.mark.parametrize("go", [leave_and_return, leave_the_review_and_return])
def test_a_page_that_stayed_in_memory_holds_no_answer(visitor: Device, go: Way):
    """Browsers may keep a page that was left just as it was, and show it again on Back.

    Chromium does not do so once something was sent, because the reply is not to be stored.
    """
    page = visitor.page
    page.add_init_script(NOTE_STAY)
    for _ in range(5):  # the browser may decide otherwise, for instance when memory is short
        page.goto(f"{visitor.address}/s/health")
        answer(page, *ANSWERS)
        go(page)
        page.wait_for_selector("html[data-stayed]")
        if page.locator("html[data-stayed=true]").count():
            break
    else:
        pytest.fail("the browser never kept the page in memory")
    finds_empty_questions(page)


def test_leaving_erases_the_answers_from_the_page_itself(visitor: Device):
    """So that neither a page frozen in memory nor a dump of it holds them."""
    review(visitor.page)
    before = visitor.page.evaluate(KEPT)
    assert (before["checked"], before["reviewed"] != "") == (2, True)
    visitor.page.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide'))")
    assert visitor.page.evaluate(KEPT) == NOTHING


# An ordinary form, as it would be without the precautions
ORDINARY = """<!doctype html><title>Ordinary</title><form>
<input type="radio" name="secret" value="one"><input type="radio" name="secret" value="two">
<select name="place"><option>Here<option>Label zqx two</select>
<input name="word"></form>"""


@pytest.fixture
def ordinary(playwright: Playwright, live: Live, tmp_path: Path) -> Iterator[Device]:
    """An ordinary form, not to be stored either, that was filled in."""
    with device(playwright, tmp_path / "profile", live, False) as visitor:
        visitor.context.route(
            "**/ordinary",
            lambda route: route.fulfill(
                body=ORDINARY, content_type="text/html", headers={"Cache-Control": "no-store"}
            ),
        )
        page = visitor.page
        page.goto(f"{live.url}/ordinary")
        page.locator("input").first.check()
        page.locator("select").select_option("Label zqx two")
        page.locator("[name=word]").fill("a word")
        yield visitor


def test_the_search_finds_the_answers_to_an_ordinary_form(ordinary: Device):
    """Of each kind of control; and in the same files after the browser was killed."""
    found = ordinary.wait_until_kept(CANARY)
    assert found == ordinary.saved_controls("radio") == ordinary.saved_controls("select-one")
    ordinary.kill()
    assert ordinary.find(CANARY) >= found
    assert ordinary.find("a word") >= found
    assert ordinary.saved_controls("radio") >= found


def test_an_ordinary_form_has_its_answers_again_after_going_back(ordinary: Device):
    """What `checked` counts does come back with the Back button where nobody prevents it."""
    ordinary.page.goto(f"{ordinary.address}/")
    ordinary.page.go_back()
    assert ordinary.page.locator(":checked").count() == 2
    assert ordinary.page.locator("[name=word]").input_value() == "a word"
