"""Traces of an answer on the device: none, neither in the page nor on the disk.

Each test uses its own browser profile, answers, and takes one of the possible paths of a visit. It
then searches every file of the profile, also after the browser was killed. No cache may contain the
page (no-store), so the test also searches for the names of the choices.

Browsers save a radio button as "on" without a name. The test therefore searches for the word
"radio", with which Chromium's session file begins the state of each one. It also searches for the
words for boxes and long texts. Typed answers are searched for as typed. The number has so many
zeros that nothing else resembles it.

An absence proves little if the search could find nothing. Each visit therefore adds a witness to
the page, an ordinary search field, and waits until the browser has saved it. All data that the
browser keeps of the page are then on the disk. The last tests find the answers to an ordinary form.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, Route

from survey.definition.responses.invitation_codes import code_from, token_hash
from tests.support.definitions import definition, opened, yes_no
from tests.support.device_traces import CANARY, CONTROLS, TYPED_NUMBER, WITNESS, Device, device
from tests.support.lengths import SOAK, soak
from tests.support.respondent_page import begin, send, start
from tests.support.servers import Live

SECRET = {
    "name": "secret",
    "type": "select_one",
    "label": "Which one?",
    "choices": [
        {"name": f"zqxwvut_{n}", "label": f"Label zqxwvut {n}"} for n in ("one", "two", "three")
    ],
    "privacy": {"mechanism": "coin_flip"},
}
HABIT = yes_no("habit") | {
    "choices": [{"name": "yes", "label": "zqxwvut yes"}, {"name": "no", "label": "zqxwvut no"}]
}
TRIED = {
    "name": "tried",
    "type": "select_multiple",
    "label": "Which have you tried?",
    "choices": [{"name": f"zqxwvut_{n}", "label": f"Box zqxwvut {n}"} for n in ("ale", "gin")],
    "privacy": {"epsilon": 1},
}
SAVINGS = {
    "name": "savings",
    "type": "number",
    "label": "How much have you put aside?",
    "min": 0,
    "max": 1_000_000,
    "relevant": {"habit": "yes"},
    "privacy": {"epsilon": 1},
}
REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
# Two answers that stay in the page, and what it calculates from them.
MOOD = {
    "name": "mood",
    "type": "select_one",
    "label": "How do you feel?",
    "choices": [{"name": f"zqxwvut_{n}", "label": f"Mood zqxwvut {n}"} for n in ("low", "high")],
    "privacy": "not_sent",
}
DEBTS = {
    "name": "debts",
    "type": "number",
    "label": "How much do you owe?",
    "min": 0,
    "max": 1_000_000,
    "privacy": "not_sent",
}
STRAINED = yes_no("strained", {"epsilon": 1}) | {
    "choices": [
        {"name": "yes", "label": "Strained zqxwvut"},
        {"name": "no", "label": "Calm zqxwvut"},
    ],
    "derived": {"all": {"mood": ["zqxwvut_low"], "debts": {"min": 1_000}}},
}
CONTENT = definition(SECRET, HABIT, TRIED, MOOD, SAVINGS, DEBTS, STRAINED, REMARKS)
TYPED_TEXT = "zqxwvut remark"
ANSWERS = ("Label zqxwvut one", "zqxwvut yes", "Box zqxwvut gin", "Mood zqxwvut low")
# The device calculates it, and the review shows it.
CALCULATED = "Strained zqxwvut"
TYPED = 2 * TYPED_NUMBER + TYPED_TEXT
# Marks a page that is shown again from memory.
NOTE_STAY = """
const marks = () => document.documentElement.dataset;
addEventListener('pagehide', () => { delete marks().stayed; });
addEventListener('pageshow', (event) => { marks().stayed = event.persisted; });
"""
# All places where a page could store something. It uses sessionStorage.
KEPT = """async () => ({
  checked: document.querySelectorAll(':checked').length,
  typed: [...document.querySelectorAll('input:not([type=radio], [type=checkbox]), textarea')]
    .map((input) => input.value).join(''),
  reviewed: document.querySelector('#chosen').textContent,
  said: document.querySelector('#further').textContent,
  hidden: [...document.querySelectorAll('[data-question][hidden]')].map((e) => e.dataset.question),
  tabStops: [...document.querySelectorAll('fieldset')].map((fieldset) =>
    [...fieldset.querySelectorAll('input, textarea')].findIndex((i) => i.tabIndex === 0)),
  session: Object.values(sessionStorage),
  local: { ...localStorage },
  databases: await indexedDB.databases(),
  caches: await caches.keys(),
  workers: (await navigator.serviceWorker.getRegistrations()).length,
  step: history.state?.step ?? 0,
  windowName: window.name,
  cookie: document.cookie,
  address: location.pathname + location.search + location.hash,
})"""
NOTHING = {
    "checked": 0,
    "typed": "",
    "reviewed": "",
    "said": "",
    "hidden": ["savings", "strained"],
    "tabStops": [0, 0, 0, 0, 0, 0, 0],
    "session": [],
    "local": {},
    "databases": [],
    "caches": [],
    "workers": 0,
    "step": 0,
    "windowName": "",
    "cookie": "",
    "address": "/s/health",
}


Way = Callable[[Page], None]


@pytest.fixture(params=[False], ids=["loaded again"])
def visitor(
    request: pytest.FixtureRequest, playwright: Playwright, live: Live, tmp_path: Path
) -> Iterator[Device]:
    """The survey's page, after the home page, with all questions answered."""
    opened(live.store, CONTENT)
    with device(playwright, tmp_path / "profile", live, request.param) as visitor:
        visitor.page.goto(f"{live.url}/")
        start(visitor.page, f"{live.url}/s/health")
        answer(visitor.page)
        yield visitor


def answer(page: Page) -> None:
    """Answer by mouse and keyboard."""
    for label in ANSWERS:
        page.get_by_text(label, exact=True).click()
    for name in ("savings", "debts"):
        page.locator(f"[data-question={name}] input").press_sequentially(TYPED_NUMBER)
    page.locator("[data-question=remarks] textarea").press_sequentially(TYPED_TEXT)


def review(page: Page) -> None:
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("heading", name="Check your answers").wait_for()
    assert page.locator("#chosen").get_by_text(CALCULATED, exact=True).is_visible()


def leave(page: Page) -> None:
    page.goto(page.url.removesuffix("/s/health") + "/")


def go_back(page: Page) -> None:
    # A page that stayed in memory is not loaded.
    page.go_back(wait_until="commit")
    # Scripts show the start. Without them the sign of loading may be missing as well.
    page.wait_for_selector("#start", state="visible")


def stay_at_the_questions(page: Page) -> None:
    pass


def send_and_reload(page: Page) -> None:
    send(page)
    page.reload()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()


def send_and_go_back(page: Page) -> None:
    send(page)
    go_back_and_forward(page)


def go_back_and_forward(page: Page) -> None:
    """Back from the end, which leads away from the page, then forward again."""
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
    """Nothing is checked or stored, and the start is shown."""
    assert page.evaluate(KEPT) == NOTHING
    assert page.locator("section:visible").count() == 1
    assert page.locator("#start").is_visible()


def finds_only_that_it_was_sent(page: Page) -> None:
    """The tab keeps neither the answers nor, after confirmation, the reports."""
    kept = page.evaluate(KEPT)
    [session] = [json.loads(value) for value in kept["session"]]
    assert kept == NOTHING | {"session": kept["session"]}
    assert session == {"state": "sent"}
    assert page.locator("#left dd").all_text_contents() == []
    content = page.content()
    assert TYPED_NUMBER not in content and "739184" not in content
    assert TYPED_TEXT not in content
    for chosen in (*ANSWERS, CALCULATED):
        assert page.get_by_text(chosen, exact=True).filter(visible=True).count() == 0


def still_has_the_answers(page: Page) -> None:
    """The answers are on the page until they are sent or left."""
    kept = page.evaluate(KEPT)
    assert (kept["checked"], kept["typed"]) == (len(ANSWERS), TYPED)


STEPS = {
    "from the questions over the review away": [
        (stay_at_the_questions, still_has_the_answers),
        (review, still_has_the_answers),
        (leave_and_return, finds_empty_questions),
    ],
    "to the end": [
        (send_and_reload, finds_only_that_it_was_sent),
        (go_back_and_forward, finds_only_that_it_was_sent),
    ],
}
# In the full run each of them alone, with the browser killed there.
ALONE = {
    go.__name__: [(go, then)]
    for go, then in [
        (stay_at_the_questions, still_has_the_answers),
        (review, still_has_the_answers),
        (send_and_reload, finds_only_that_it_was_sent),
        (send_and_go_back, finds_only_that_it_was_sent),
    ]
}
JOURNEYS = STEPS | ALONE if SOAK else STEPS


@pytest.mark.slow
@soak
@pytest.mark.parametrize("journey", JOURNEYS)
def test_no_answer_is_on_the_disk(visitor: Device, journey: str):
    """No answer is on the disk at any step, nor after the browser was killed at the last one.

    After leaving, no answer is in the page either.
    """
    for number, (go, then) in enumerate(JOURNEYS[journey]):
        go(visitor.page)
        then(visitor.page)
        visitor.wait_for_witness(number)
        assert visitor.holds_no_answer()
    visitor.kill()
    assert visitor.find(WITNESS)
    assert visitor.holds_no_answer()


@pytest.mark.slow
def test_what_waits_for_the_network_is_on_the_disk_as_it_is_sent(visitor: Device):
    """The frozen reports are on the disk, including the free text as given.

    No answer to a private question is.
    """
    visitor.page.route("**/responses", lambda route: route.abort())
    review(visitor.page)
    visitor.page.get_by_role("button", name="Mix up and send").click()
    [kept] = visitor.wait_until_kept('"reports')
    assert visitor.find(TYPED_TEXT) == {kept}
    for private in (*ANSWERS, "zqxwvut_", TYPED_NUMBER, TYPED_NUMBER.strip("0")):
        assert visitor.find(private) == set()
    assert not any(map(visitor.saved_controls, CONTROLS))


@pytest.mark.slow
@pytest.mark.parametrize("visitor", [True], ids=["in memory"], indirect=True)
def test_a_page_that_stayed_in_memory_holds_no_answer(visitor: Device):
    """Browsers may keep a page in memory and show it again on Back.

    Chromium does not do so with a page that is not to be stored and that has sent a request, but
    other browsers do. So the test removes this header.
    """

    def without_header(route: Route) -> None:
        if route.request.method != "GET":
            route.continue_()
            return
        reply = route.fetch()
        headers = {name: value for name, value in reply.headers.items() if name != "cache-control"}
        route.fulfill(response=reply, headers=headers)

    visitor.page.route(f"{visitor.address}/s/health", without_header)
    visitor.page.add_init_script(NOTE_STAY)
    for go in (leave_and_return, leave_the_review_and_return):
        leave_a_page_that_stays_in_memory(visitor, go)


def leave_a_page_that_stays_in_memory(visitor: Device, go: Way) -> None:
    page = visitor.page
    # The browser may decide otherwise, for example if memory is low.
    for _ in range(5):
        start(page, f"{visitor.address}/s/health")
        answer(page)
        go(page)
        page.wait_for_selector("html[data-stayed]")
        if page.locator("html[data-stayed=true]").count():
            break
    else:
        pytest.fail("the browser never kept the page in memory")
    finds_empty_questions(page)
    begin(page)
    # There is nothing to undo either.
    for _ in range(3):
        page.locator("[data-question=remarks] textarea").press("Control+z")
    page.get_by_text("zqxwvut yes", exact=True).click()
    page.locator("[data-question=savings] input").press("Control+z")
    assert page.evaluate(KEPT)["typed"] == ""


@pytest.mark.plain
def test_leaving_erases_the_answers_from_the_page_itself(page: Page, live: Live):
    """Neither a page frozen in memory nor a dump of it then contains them."""
    opened(live.store, CONTENT)
    start(page, f"{live.url}/s/health")
    answer(page)
    review(page)
    before = page.evaluate(KEPT)
    assert (before["checked"], before["typed"]) == (len(ANSWERS), TYPED)
    assert before["reviewed"] != ""
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide'))")
    # The history says only that the questions had begun, for all answers.
    assert page.evaluate(KEPT) == NOTHING | {"step": 1}


RECEIPT = "() => document.querySelector('#code').textContent"
INVITED = CONTENT | {"slug": "invited", "invitations": True, "receipts": True}
CODES = [code_from(bytes([number] * 16)) for number in (5, 9)]
HISTORY = "/History"


@pytest.fixture
def invitee(playwright: Playwright, live: Live, tmp_path: Path) -> Iterator[Device]:
    """A survey with invitations and receipts, before the start."""
    opened(live.store, INVITED)
    live.store.invitations.add_invitations("invited", map(token_hash, CODES))
    with device(playwright, tmp_path / "profile", live, False) as invitee:
        yield invitee


def send_and_take_back(page: Page) -> tuple[str, str]:
    """The receipt, as shown and without spaces."""
    begin(page)
    answer(page)
    send(page)
    shown = page.evaluate(RECEIPT)
    page.get_by_text("Withdraw my answers", exact=True).click()
    page.get_by_role("button", name="Withdraw what I sent").click()
    page.get_by_text("Done. What you sent is deleted").wait_for()
    return shown, shown.replace(" ", "")


def in_history(visitor: Device, text: str) -> bool:
    return any(f"/{name}".endswith(HISTORY) for name in visitor.find(text))


@pytest.mark.slow
def test_a_receipt_is_in_no_file_and_a_typed_code_in_no_history(invitee: Device):
    """The browser has saved its history when it has saved a later address."""
    page = invitee.page
    page.goto(f"{invitee.address}/s/invited")
    page.get_by_label("The code on your invitation").fill(CODES[0])
    receipts = send_and_take_back(page)
    invitee.wait_for_witness()
    page.goto(f"{invitee.address}/s/invited/withdraw?{WITNESS}-later")
    page.get_by_label("Your receipt").fill(receipts[1])
    page.get_by_role("button", name="Withdraw what I sent").click()
    page.get_by_text("No response to this survey has this receipt").wait_for()
    page.goto(f"{invitee.address}/")
    invitee.wait_until_kept(f"{WITNESS}-later")
    invitee.context.close()
    assert in_history(invitee, f"{WITNESS}-later")
    assert [invitee.find(receipt) for receipt in receipts] == [set(), set()]
    assert {name.split("/")[1] for name in invitee.find(CODES[0])} <= {"Session Storage"}


@pytest.mark.slow
def test_a_link_with_a_code_stays_in_the_history_as_the_page_says(invitee: Device):
    """No page can prevent this, and the test shows it.

    The receipt is in no file.
    """
    page = invitee.page
    page.goto(f"{invitee.address}/s/invited#{CODES[1]}")
    page.get_by_text("Who can see my answers?").click()
    page.get_by_text("this browser’s history keeps that link").wait_for()
    receipts = send_and_take_back(page)
    invitee.wait_for_witness()
    invitee.context.close()
    assert in_history(invitee, CODES[1])
    assert [invitee.find(receipt) for receipt in receipts] == [set(), set()]


# A whole visit, as the history and all other files show it.


TITLE = "Subject vwq"
EXIT = "https://weather.example/today"


def listed(visitor: Device) -> dict[str, tuple[str, int]]:
    """The title and the number of visits of each address in the history, without the site."""
    with closing(sqlite3.connect(visitor.profile / "Default" / "History")) as history:
        rows = history.execute("SELECT url, title, visit_count FROM urls").fetchall()
    return {url.removeprefix(visitor.address): (title, count) for url, title, count in rows}


def answer_one_at_a_time(page: Page) -> None:
    for label in ANSWERS:
        page.get_by_text(label, exact=True).click()
        page.locator("#next").click()
    for name in ("savings", "debts"):
        page.locator(f"[data-question={name}] input").press_sequentially(TYPED_NUMBER)
        page.locator("#next").click()
    page.locator("[data-question=remarks] textarea").press_sequentially(TYPED_TEXT)


def whole_visit(visitor: Device, live: Live, end: str, **members: object) -> str:
    """A visit with all pages of a survey, each question twice. The result is the receipt."""
    content = CONTENT | {
        "title": TITLE, "receipts": True, "layout": "one_at_a_time", "exit": EXIT, **members,
    }  # fmt: skip
    opened(live.store, content)
    page = visitor.page
    page.route(EXIT, lambda route: route.fulfill(body="<title>Rain</title>Rain."))
    page.goto(f"{visitor.address}/")
    start(page, f"{visitor.address}/s/health")
    answer_one_at_a_time(page)
    for name in ("debts", "savings", "mood"):
        page.go_back()
        page.locator(f"[data-question={name}]:visible").wait_for()
    for _ in range(3):
        page.wait_for_function("() => history.state?.step === 1")
        page.locator("#next").click()
    send(page)
    receipt = page.locator("#code").inner_text()
    page.goto(f"{visitor.address}/s/health/withdraw")
    page.get_by_label("Your receipt").fill(receipt)
    page.get_by_role("button", name="Withdraw what I sent").click()
    page.get_by_text("Done. What you sent is deleted").wait_for()
    if end == "leave now":
        page.get_by_role("link", name="Leave now").click()
        page.wait_for_url(EXIT)
        page.goto(f"{visitor.address}/how?{WITNESS}-later")
    visitor.wait_for_witness()
    visitor.context.close()
    return receipt


@pytest.mark.slow
@pytest.mark.parametrize("end", ["leave now", "closed"])
def test_a_whole_visit_leaves_neither_title_nor_receipt_nor_answer(
    playwright: Playwright, live: Live, tmp_path: Path, end: str
):
    with device(playwright, tmp_path / "profile", live, False) as visitor:
        receipt = whole_visit(visitor, live, end)
        assert visitor.find(WITNESS)
        for trace in (TITLE, receipt, receipt.replace(" ", "")):
            assert visitor.find(trace) == set()
        assert visitor.holds_no_answer()
        pages = listed(visitor)
        assert pages["/s/health"][0] == pages["/s/health/withdraw"][0] == "Survey"
        assert {title for title, _ in pages.values()} <= {
            "Survey",
            "Candor",
            "How it works",
            "Rain",
            "",
        }
        # For a survey of seven questions, of which three were shown twice.
        assert pages["/s/health"][1] == 3


@pytest.mark.slow
def test_the_title_is_in_the_history_if_the_designer_chooses_so(
    playwright: Playwright, live: Live, tmp_path: Path
):
    """So the search above can find a title."""
    with device(playwright, tmp_path / "profile", live, False) as visitor:
        whole_visit(visitor, live, "closed", title_in_history=True)
        assert listed(visitor)["/s/health"][0] == TITLE
        assert any(f"/{name}".endswith(HISTORY) for name in visitor.find(TITLE))


# An ordinary form without these precautions. It has inputs without a name, too.
ORDINARY = """<!doctype html><title>Ordinary</title><form>
<input type="radio" name="secret" value="one"><input type="radio" name="secret" value="two">
<select name="place"><option>Here<option>Label zqxwvut two</select>
<input name="word"><input type="checkbox"><input class="number"><textarea></textarea></form>"""


@pytest.fixture
def ordinary(playwright: Playwright, live: Live, tmp_path: Path) -> Iterator[Device]:
    """A completed ordinary form, which is not to be stored either."""
    with device(playwright, tmp_path / "profile", live, False) as visitor:
        fill_in_an_ordinary_form(visitor.page, live)
        yield visitor


def fill_in_an_ordinary_form(page: Page, live: Live) -> None:
    page.route(
        "**/ordinary",
        lambda route: route.fulfill(
            body=ORDINARY, content_type="text/html", headers={"Cache-Control": "no-store"}
        ),
    )
    page.goto(f"{live.url}/ordinary")
    page.locator("input").first.check()
    page.locator("select").select_option("Label zqxwvut two")
    page.locator("[name=word]").fill("a word")
    page.locator("[type=checkbox]").check()
    page.locator(".number").press_sequentially(TYPED_NUMBER)
    page.locator("textarea").press_sequentially("a long text")


@pytest.mark.slow
def test_the_search_finds_the_answers_to_an_ordinary_form(ordinary: Device):
    """For each kind of control, and in the same files after the browser was killed."""
    found = ordinary.wait_until_kept("a long text")
    assert found == ordinary.saved_controls("radio") == ordinary.saved_controls("select-one")
    ordinary.kill()
    assert ordinary.find(CANARY) >= found
    for typed in ("a word", TYPED_NUMBER, TYPED_NUMBER.strip("0"), "a long text"):
        assert ordinary.find(typed) >= found
    for kind in CONTROLS:
        assert ordinary.saved_controls(kind) >= found


def test_an_ordinary_form_has_its_answers_again_after_going_back(page: Page, live: Live):
    """Without precautions, the state that `checked` counts returns with the Back button."""
    fill_in_an_ordinary_form(page, live)
    page.goto(f"{live.url}/")
    page.go_back()
    assert page.locator(":checked").count() == 3
    assert page.locator("[name=word]").input_value() == "a word"
    assert page.locator(".number").input_value() == TYPED_NUMBER
