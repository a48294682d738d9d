"""What stays of an answer on the device: nothing, in the page or on the disk.

Each test uses a browser profile of its own, answers, goes one of the ways that a visit can go,
and searches every file of the profile, also after the browser was killed without warning. No
cache may hold the page (no-store), so that not even the names of the choices may be found; and
because a radio button is saved as "on" without a name, it is searched for the very word "radio"
too, with which Chromium's session file begins the state of each one, and for those of boxes and
of long texts. What is typed is searched for as it is typed: a number with so many zeros that
nothing else looks like it.

An absence proves little where nothing would be found anyway. So each visit adds a witness, an
ordinary search field, to the page, and waits until the browser has saved it: what the browser
keeps of that page is then on the disk. And the last tests find the answers to an ordinary form.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright

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
    "choices": [{"name": f"zqx_{n}", "label": f"Label zqx {n}"} for n in ("one", "two", "three")],
    "privacy": {"mechanism": "coin_flip"},
}
HABIT = yes_no("habit") | {
    "choices": [{"name": "yes", "label": "zqx yes"}, {"name": "no", "label": "zqx no"}]
}
TRIED = {
    "name": "tried",
    "type": "select_multiple",
    "label": "Which have you tried?",
    "choices": [{"name": f"zqx_{n}", "label": f"Box zqx {n}"} for n in ("ale", "gin")],
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
CONTENT = definition(SECRET, HABIT, TRIED, SAVINGS, REMARKS)
TYPED_TEXT = "zqx remark"
ANSWERS = ("Label zqx one", "zqx yes", "Box zqx gin")
# Marks a page that is shown again as it was left
NOTE_STAY = """
const marks = () => document.documentElement.dataset;
addEventListener('pagehide', () => { delete marks().stayed; });
addEventListener('pageshow', (event) => { marks().stayed = event.persisted; });
"""
# All in which a page could keep something; sessionStorage is the one that it uses
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
  state: history.state,
  windowName: window.name,
  cookie: document.cookie,
  address: location.pathname + location.search + location.hash,
})"""
NOTHING = {
    "checked": 0,
    "typed": "",
    "reviewed": "",
    "said": "",
    "hidden": ["savings"],
    "tabStops": [0, 0, 0, 0, 0],
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


@pytest.fixture(params=[False], ids=["loaded again"])
def visitor(
    request: pytest.FixtureRequest, playwright: Playwright, live: Live, tmp_path: Path
) -> Iterator[Device]:
    """On the survey's page, after the home page, with all questions answered."""
    opened(live.store, CONTENT)
    with device(playwright, tmp_path / "profile", live, request.param) as visitor:
        visitor.page.goto(f"{live.url}/")
        start(visitor.page, f"{live.url}/s/health")
        answer(visitor.page)
        yield visitor


def answer(page: Page) -> None:
    """By mouse and keyboard."""
    for label in ANSWERS:
        page.get_by_text(label, exact=True).click()
    page.locator("[data-question=savings] input").press_sequentially(TYPED_NUMBER)
    page.locator("[data-question=remarks] textarea").press_sequentially(TYPED_TEXT)


def review(page: Page) -> None:
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("heading", name="Check your answers").wait_for()


def leave(page: Page) -> None:
    page.goto(page.url.removesuffix("/s/health") + "/")


def go_back(page: Page) -> None:
    page.go_back(wait_until="commit")  # a page that stayed in memory is not loaded
    page.wait_for_function("document.readyState === 'complete'")
    page.wait_for_selector("#loading", state="hidden")


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
    """Nothing is checked, nothing was kept anywhere, and the start is what is shown."""
    assert page.evaluate(KEPT) == NOTHING
    assert page.locator("section:visible").count() == 1
    assert page.locator("#start").is_visible()


def finds_only_that_it_was_sent(page: Page) -> None:
    """The tab keeps neither the answers nor, once they are confirmed, the reports."""
    kept = page.evaluate(KEPT)
    [session] = [json.loads(value) for value in kept["session"]]
    assert kept == NOTHING | {"session": kept["session"]}
    assert session == {"state": "sent"}
    assert page.locator("#left dd").all_text_contents() == []
    content = page.content()
    assert TYPED_NUMBER not in content and "739184" not in content
    assert TYPED_TEXT not in content
    for chosen in ANSWERS:
        assert page.get_by_text(chosen, exact=True).filter(visible=True).count() == 0


def still_has_the_answers(page: Page) -> None:
    """They are on the page as long as they are neither sent nor left."""
    kept = page.evaluate(KEPT)
    assert (kept["checked"], kept["typed"]) == (len(ANSWERS), TYPED_NUMBER + TYPED_TEXT)


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
# and in full each of them by itself, with the browser killed there
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
    """Nor, after leaving, in the page: neither at any step while the browser runs, nor after it was
    killed at the last one."""
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
    """The frozen reports, and with them the plain text; but no answer to a private question."""
    visitor.page.route("**/responses", lambda route: route.abort())
    review(visitor.page)
    visitor.page.get_by_role("button", name="Mix up and send").click()
    [kept] = visitor.wait_until_kept('"reports')
    assert visitor.find(TYPED_TEXT) == {kept}
    for private in (*ANSWERS, "zqx_", TYPED_NUMBER, TYPED_NUMBER.strip("0")):
        assert visitor.find(private) == set()
    assert not any(map(visitor.saved_controls, CONTROLS))


@pytest.mark.slow
@pytest.mark.parametrize("visitor", [True], ids=["in memory"], indirect=True)
def test_a_page_that_stayed_in_memory_holds_no_answer(visitor: Device):
    """Browsers may keep a page that was left just as it was, and show it again on Back.

    Chromium does not do so once something was sent, because the reply is not to be stored.
    """
    visitor.page.add_init_script(NOTE_STAY)
    for go in (leave_and_return, leave_the_review_and_return):
        leave_a_page_that_stays_in_memory(visitor, go)


def leave_a_page_that_stays_in_memory(visitor: Device, go: Way) -> None:
    page = visitor.page
    for _ in range(5):  # the browser may decide otherwise, for instance when memory is short
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
    for _ in range(3):  # nor is there anything to undo
        page.locator("[data-question=remarks] textarea").press("Control+z")
    page.get_by_text("zqx yes", exact=True).click()
    page.locator("[data-question=savings] input").press("Control+z")
    assert page.evaluate(KEPT)["typed"] == ""


def test_leaving_erases_the_answers_from_the_page_itself(page: Page, live: Live):
    """So that neither a page frozen in memory nor a dump of it holds them."""
    opened(live.store, CONTENT)
    start(page, f"{live.url}/s/health")
    answer(page)
    review(page)
    before = page.evaluate(KEPT)
    assert (before["checked"], before["typed"]) == (3, TYPED_NUMBER + TYPED_TEXT)
    assert before["reviewed"] != ""
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide'))")
    # the history says that this was the review, whatever was answered
    assert page.evaluate(KEPT) == NOTHING | {"state": {"step": 2}}


RECEIPT = "() => document.querySelector('#code').textContent"
INVITED = CONTENT | {"slug": "invited", "invitations": True, "receipts": True}
CODES = [code_from(bytes([number] * 16)) for number in (5, 9)]
HISTORY = "/History"


@pytest.fixture
def invitee(playwright: Playwright, live: Live, tmp_path: Path) -> Iterator[Device]:
    """Before a survey with invitations and receipts."""
    opened(live.store, INVITED)
    live.store.invitations.add_invitations("invited", map(token_hash, CODES))
    with device(playwright, tmp_path / "profile", live, False) as invitee:
        yield invitee


def send_and_take_back(page: Page) -> tuple[str, str]:
    """The receipt, as it is shown and without spaces."""
    begin(page)
    answer(page)
    send(page)
    shown = page.evaluate(RECEIPT)
    page.get_by_text("Take back what was sent", exact=True).click()
    page.get_by_role("button", name="Withdraw what I sent").click()
    page.get_by_text("Done. What you sent is removed").wait_for()
    return shown, shown.replace(" ", "")


def in_history(visitor: Device, text: str) -> bool:
    return any(f"/{name}".endswith(HISTORY) for name in visitor.find(text))


@pytest.mark.slow
def test_a_receipt_is_in_no_file_and_a_typed_code_in_no_history(invitee: Device):
    """The browser has written its history by the time that it has written a later address."""
    page = invitee.page
    page.goto(f"{invitee.address}/s/invited")
    page.get_by_label("The code on your invitation").fill(CODES[0])
    receipts = send_and_take_back(page)
    invitee.wait_for_witness()
    page.goto(f"{invitee.address}/s/invited/withdraw?{WITNESS}-later")
    page.get_by_label("Your receipt").fill(receipts[1])
    page.get_by_role("button", name="Withdraw what I sent").click()
    page.get_by_text("There is no response for this receipt").wait_for()
    page.goto(f"{invitee.address}/")
    invitee.wait_until_kept(f"{WITNESS}-later")
    invitee.context.close()
    assert in_history(invitee, f"{WITNESS}-later")
    assert [invitee.find(receipt) for receipt in receipts] == [set(), set()]
    assert {name.split("/")[1] for name in invitee.find(CODES[0])} <= {"Session Storage"}


@pytest.mark.slow
def test_a_link_with_a_code_stays_in_the_history_as_the_page_says(invitee: Device):
    """No page can prevent that, and this is how it shows. The receipt is in no file."""
    page = invitee.page
    page.goto(f"{invitee.address}/s/invited#{CODES[1]}")
    said = page.locator("#about-invited").inner_text()
    assert "this browser’s history keeps that link" in said
    receipts = send_and_take_back(page)
    invitee.wait_for_witness()
    invitee.context.close()
    assert in_history(invitee, CODES[1])
    assert [invitee.find(receipt) for receipt in receipts] == [set(), set()]


# An ordinary form, as it would be without the precautions; inputs without a name are in it too
ORDINARY = """<!doctype html><title>Ordinary</title><form>
<input type="radio" name="secret" value="one"><input type="radio" name="secret" value="two">
<select name="place"><option>Here<option>Label zqx two</select>
<input name="word"><input type="checkbox"><input class="number"><textarea></textarea></form>"""


@pytest.fixture
def ordinary(playwright: Playwright, live: Live, tmp_path: Path) -> Iterator[Device]:
    """An ordinary form, not to be stored either, that was filled in."""
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
    page.locator("select").select_option("Label zqx two")
    page.locator("[name=word]").fill("a word")
    page.locator("[type=checkbox]").check()
    page.locator(".number").press_sequentially(TYPED_NUMBER)
    page.locator("textarea").press_sequentially("a long text")


@pytest.mark.slow
def test_the_search_finds_the_answers_to_an_ordinary_form(ordinary: Device):
    """Of each kind of control; and in the same files after the browser was killed."""
    found = ordinary.wait_until_kept("a long text")
    assert found == ordinary.saved_controls("radio") == ordinary.saved_controls("select-one")
    ordinary.kill()
    assert ordinary.find(CANARY) >= found
    for typed in ("a word", TYPED_NUMBER, TYPED_NUMBER.strip("0"), "a long text"):
        assert ordinary.find(typed) >= found
    for kind in CONTROLS:
        assert ordinary.saved_controls(kind) >= found


def test_an_ordinary_form_has_its_answers_again_after_going_back(page: Page, live: Live):
    """What `checked` counts does come back with the Back button where nobody prevents it."""
    fill_in_an_ordinary_form(page, live)
    page.goto(f"{live.url}/")
    page.go_back()
    assert page.locator(":checked").count() == 3
    assert page.locator("[name=word]").input_value() == "a word"
    assert page.locator(".number").input_value() == TYPED_NUMBER
