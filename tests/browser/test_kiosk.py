"""Kiosk mode: after each respondent, the page is as if nobody had used it.

The test controls the page's clock.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.survey import parse_survey
from survey.definition.translation import nest_texts
from tests.browser.looks import no_violations
from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import begin, send
from tests.support.servers import Live

IDLE, WARNING, SENT = 60, 20, 30  # seconds
REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
FOLLOW_UP = yes_no("stop", label="Would you like to stop?") | {"relevant": {"smokes": "yes"}}
CONTENT = definition(yes_no(), FOLLOW_UP, REMARKS)
CODE = code_from(bytes(range(16)))
STATE = """() => ({
  checked: document.querySelectorAll(':checked').length,
  typed: [...document.querySelectorAll('input[type=text], textarea')].map((e) => e.value).join(''),
  written: ['chosen', 'left', 'bytes', 'code', 'tossed', 'further']
    .map((id) => document.getElementById(id)?.textContent ?? '').join(''),
  open: document.querySelectorAll('details[open]').length,
  wrong: document.querySelectorAll('[aria-invalid], .error:not([hidden])').length,
  followUp: document.querySelector('[data-question=stop]')?.hidden ?? true,
  session: Object.values(sessionStorage).map(JSON.parse),
  local: { ...localStorage },
  step: history.state?.step ?? 0,
})"""
CLEAN = {
    "checked": 0, "typed": "", "written": "", "open": 0, "wrong": 0, "followUp": True,
    "session": [], "local": {}, "step": 0,
}  # fmt: skip


@pytest.fixture
def posted(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.method == "POST" and not request.url.endswith("/invited"):
            found.append(json.loads(request.post_data or ""))

    page.on("request", note)
    return found


def visit(page: Page, live: Live, content: dict, fragment: str = "#kiosk") -> Page:
    opened(live.store, content)
    page.clock.install()
    page.goto(f"{live.url}/s/health{fragment}")
    page.locator("#start:visible").wait_for()
    return page


@pytest.fixture
def kiosk(live: Live, page: Page) -> Page:
    return visit(page, live, CONTENT)


def answer(page: Page, choice: str) -> None:
    page.locator("[data-question=smokes]").get_by_text(choice, exact=True).click()
    if choice == "Yes":
        page.locator("[data-question=stop]").get_by_text("No", exact=True).click()
    page.locator("textarea").fill(f"Remark of who said {choice}")


def expect_clean_start(page: Page) -> None:
    expect(page.locator("section:visible")).to_have_count(1)
    expect(page.locator("#start")).to_be_visible()
    expect(page.locator("#idle")).to_be_hidden()
    assert page.evaluate(STATE) == CLEAN
    assert page.evaluate("scrollY") == 0


def wait(page: Page, seconds: float) -> None:
    page.clock.run_for(int(seconds * 1000))


def next_person(page: Page) -> None:
    page.get_by_role("button", name="Next person").click()


# After sending.


@pytest.mark.plain
def test_two_people_one_after_the_other_give_two_responses(kiosk, posted, live):
    for choice in ("Yes", "No"):
        begin(kiosk)
        answer(kiosk, choice)
        send(kiosk)
        next_person(kiosk)
        expect_clean_start(kiosk)
    assert [body["texts"]["reports"]["remarks"] for body in posted] == [
        "Remark of who said Yes", "Remark of who said No",
    ]  # fmt: skip
    assert posted[0]["id"] != posted[1]["id"]
    assert len(list(live.store.responses.rows("health"))) == 2


def test_by_itself_it_goes_back_to_the_start(kiosk):
    begin(kiosk)
    answer(kiosk, "Yes")
    send(kiosk)
    wait(kiosk, SENT - 5)
    expect(kiosk.locator("#done")).to_be_visible()
    wait(kiosk, 10)
    expect_clean_start(kiosk)


@pytest.mark.parametrize("again", [1, 3])
def test_who_reads_what_was_sent_has_more_time_and_then_it_goes_back_all_the_same(kiosk, again):
    """A touch must not keep the sent reports on the screen for ever."""
    begin(kiosk)
    answer(kiosk, "Yes")
    send(kiosk)
    for _ in range(again):
        wait(kiosk, SENT - 5)
        kiosk.locator("#sent summary").click()
        expect(kiosk.locator("#done")).to_be_visible()
    wait(kiosk, SENT - 5)
    expect(kiosk.locator("#done")).to_be_visible()
    wait(kiosk, 10)
    expect_clean_start(kiosk)


def test_a_refusal_does_not_block_the_device(kiosk, posted):
    kiosk.expected_problems.append("Failed to load resource")
    kiosk.route("**/responses", lambda route: route.fulfill(status=422), times=1)
    begin(kiosk)
    answer(kiosk, "Yes")
    kiosk.get_by_role("button", name="Check my answers").click()
    kiosk.get_by_role("button", name="Mix up and send").click()
    kiosk.get_by_role("heading", name="Not recorded").wait_for()
    wait(kiosk, SENT + 5)
    expect_clean_start(kiosk)
    begin(kiosk)
    answer(kiosk, "No")
    send(kiosk)
    assert len({body["id"] for body in posted}) == 2


def test_a_response_that_cannot_be_sent_yet_stays_until_it_is(kiosk, posted, live):
    """It belongs to a respondent: neither time nor a reload deletes it."""
    kiosk.expected_problems += ["Failed to load resource", "net::"]
    kiosk.route("**/responses", lambda route: route.abort())
    begin(kiosk)
    answer(kiosk, "Yes")
    kiosk.get_by_role("button", name="Check my answers").click()
    kiosk.get_by_role("button", name="Mix up and send").click()
    for _ in range(8):
        wait(kiosk, 20)
    kiosk.locator("#retry:visible").wait_for()
    wait(kiosk, IDLE + WARNING + SENT)
    expect(kiosk.locator("#sending")).to_be_visible()
    kiosk.unroute("**/responses")
    kiosk.reload()
    kiosk.locator("#done:visible").wait_for()
    assert len({json.dumps(body) for body in posted}) == 1
    next_person(kiosk)
    expect_clean_start(kiosk)
    assert len(list(live.store.responses.rows("health"))) == 1


@pytest.mark.slow
def test_after_the_next_person_nothing_leads_to_the_one_before(kiosk):
    """Back leads away from the survey, to the page before it."""
    begin(kiosk)
    answer(kiosk, "Yes")
    send(kiosk)
    next_person(kiosk)
    kiosk.go_back()
    assert kiosk.url == "about:blank"
    for go in (Page.go_forward, Page.reload):
        go(kiosk)
        expect_clean_start_but_for_history(kiosk)
    begin(kiosk)
    assert kiosk.locator(":checked").count() == 0
    kiosk.go_back()
    expect(kiosk.locator("#start")).to_be_visible()


def expect_clean_start_but_for_history(page: Page) -> None:
    expect(page.locator("#start")).to_be_visible()
    expect(page.locator("section:visible")).to_have_count(1)
    state = page.evaluate(STATE)
    assert state | {"step": 0} == CLEAN


def test_a_reload_at_the_end_is_a_start(kiosk):
    begin(kiosk)
    answer(kiosk, "Yes")
    send(kiosk)
    kiosk.reload()
    expect_clean_start(kiosk)


# Without any touch.


def at_the_questions(page: Page) -> None:
    begin(page)
    answer(page, "Yes")


def at_the_review(page: Page) -> None:
    at_the_questions(page)
    page.get_by_role("button", name="Check my answers").click()
    page.locator("#review:visible").wait_for()


def back_at_the_start(page: Page) -> None:
    at_the_questions(page)
    page.go_back()
    page.locator("#start:visible").wait_for()


PLACES = [at_the_questions, at_the_review, back_at_the_start]


@pytest.mark.parametrize("go", PLACES)
def test_it_asks_and_then_clears(kiosk, posted, go):
    """This includes a return to the start, because the answers are still behind it."""
    go(kiosk)
    wait(kiosk, IDLE - 5)
    expect(kiosk.locator("#idle")).to_be_hidden()
    wait(kiosk, 10)
    expect(kiosk.get_by_role("alertdialog", name="Still there?")).to_be_visible()
    expect(kiosk.get_by_role("button", name="I am still here")).to_be_focused()
    assert kiosk.evaluate(STATE)["checked"] == 2
    wait(kiosk, WARNING)
    expect_clean_start(kiosk)
    assert posted == []
    begin(kiosk)
    assert kiosk.evaluate(STATE)["checked"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("go", PLACES)
@pytest.mark.parametrize(
    "stay",
    [
        lambda page: page.get_by_role("button", name="I am still here").click(),
        lambda page: page.keyboard.press("Enter"),
        lambda page: page.keyboard.press("Space"),
        lambda page: page.evaluate("document.querySelector('#stay').click()"),
        lambda page: page.mouse.click(3, 3),
    ],
    ids=["click", "Enter", "Space", "screen reader", "elsewhere"],
)
def test_whoever_is_still_there_goes_on(kiosk, posted, go, stay):
    """The page asks again the next time.

    A key press that confirms the presence has no other effect.
    """
    go(kiosk)
    where = kiosk.locator("section:visible").get_attribute("id")
    wait(kiosk, IDLE + 5)
    for _ in range(2):
        expect(kiosk.locator("#idle")).to_be_visible()
        stay(kiosk)
        expect(kiosk.locator("#idle")).to_be_hidden()
        wait(kiosk, WARNING + 5)
        expect(kiosk.locator("section:visible")).to_have_attribute("id", where)
        assert kiosk.evaluate(STATE)["checked"] == 2
        wait(kiosk, IDLE - WARNING)
    assert posted == []


def test_the_focus_goes_back_to_where_it_was(kiosk):
    at_the_questions(kiosk)
    kiosk.locator("textarea").focus()
    wait(kiosk, IDLE + 5)
    expect(kiosk.locator("#stay")).to_be_focused()
    kiosk.keyboard.press("Enter")
    expect(kiosk.locator("textarea")).to_be_focused()
    expect(kiosk.locator("textarea")).to_have_value("Remark of who said Yes")


def test_whoever_types_is_not_asked(kiosk):
    at_the_questions(kiosk)
    for _ in range(5):
        wait(kiosk, IDLE - 5)
        kiosk.locator("textarea").press("x")
        expect(kiosk.locator("#idle")).to_be_hidden()


def test_at_a_start_that_nobody_used_it_waits_without_a_word(kiosk):
    kiosk.mouse.click(3, 3)
    for _ in range(5):
        wait(kiosk, IDLE)
        expect(kiosk.locator("#idle")).to_be_hidden()
    expect_clean_start(kiosk)


def test_the_toss_and_what_was_opened_are_cleared_too(kiosk):
    kiosk.get_by_text("How does it work?").click()
    for _ in range(3):
        kiosk.locator("[data-toss='0']").click()
    begin(kiosk)
    kiosk.locator("details.odds summary").first.click()
    wait(kiosk, IDLE + WARNING + 5)
    expect_clean_start(kiosk)
    kiosk.get_by_text("How does it work?").click()
    kiosk.locator("[data-toss='0']").click()
    expect(kiosk.locator("#tossed")).to_contain_text("of 1 tries")


def test_an_introduction_that_was_unfolded_is_folded_again(live, page):
    """After a pause and by "Leave now"."""
    visit(page, live, CONTENT | {"introduction": "A long text. " * 60})
    more = page.get_by_role("button", name="Read more")
    height = page.locator("#introduced").bounding_box()["height"]
    for pause in (True, False):
        more.click()
        assert page.locator("#introduced").bounding_box()["height"] > 2 * height
        if pause:
            begin(page)
            wait(page, IDLE + WARNING + 5)
        else:
            page.get_by_role("link", name="Leave now").click()
        expect_clean_start(page)
        expect(more).to_have_attribute("aria-expanded", "false")
        expect(more).to_be_visible()
        assert page.locator("#introduced").bounding_box()["height"] == height


# The data of one respondent.


@pytest.mark.slow
def test_nobody_is_remembered_in_a_series(live, page, posted):
    """A secret from another visit is not used either, because it belongs to somebody."""
    page.add_init_script(f"localStorage.setItem('candor series habits', '{'0f' * 32}');")
    page.add_init_script(
        "globalThis.signed = 0; const sign = SubtleCrypto.prototype.sign;"
        "SubtleCrypto.prototype.sign = function (...all) { signed += 1; "
        "return sign.apply(this, all); };"
    )
    visit(page, live, CONTENT | {"series": "habits"})
    expect(page.locator("#wave")).to_be_hidden()
    for _ in range(2):
        begin(page)
        answer(page, "Yes")
        send(page)
        next_person(page)
    assert len(posted) == 2
    assert page.evaluate("signed") == 0


def test_nothing_of_a_series_is_kept(live, page):
    visit(page, live, CONTENT | {"series": "habits"})
    begin(page)
    answer(page, "Yes")
    send(page)
    next_person(page)
    expect_clean_start(page)


@pytest.mark.slow
def test_each_person_has_a_code_and_a_receipt_of_their_own(live, page, posted):
    visit(page, live, CONTENT | {"invitations": True, "receipts": True})
    codes = [code_from(bytes([number] * 16)) for number in (1, 2)]
    live.store.invitations.add_invitations("health", map(token_hash, codes))
    receipts = set()
    for code in codes:
        page.locator("#begin").click()
        # The earlier code is deleted.
        expect(page.locator("#invitation .error:visible")).to_have_count(1)
        page.locator("#invited").fill(code)
        begin(page)
        answer(page, "Yes")
        send(page)
        receipts.add(page.locator("#code").inner_text())
        next_person(page)
        expect_clean_start(page)
    assert [body["invitation"] for body in posted] == codes
    assert len(receipts) == 2
    assert not any(receipt.replace(" ", "") in page.content() for receipt in receipts)


def test_what_was_said_of_a_code_is_gone_when_the_next_one_starts(live, page):
    """This includes a failed check: for the next respondent it is the first attempt."""
    visit(page, live, CONTENT | {"invitations": True})
    page.expected_problems.append("Failed to load resource")
    for fail in (None, lambda route: route.abort()):
        if fail:
            page.route("**/invited", fail)
        page.locator("#invited").fill(CODE)
        page.locator("#begin").click()
        expect(page.locator("#invitation .error:visible")).to_have_count(1)
        wait(page, IDLE + 5)
        wait(page, WARNING)
        expect_clean_start(page)
        expect(page.locator("#invitation .error:visible")).to_have_count(0)
    page.locator("#invited").fill(CODE)
    page.locator("#begin").click()
    expect(page.locator("[data-refusal=unchecked]")).to_be_visible()
    expect(page.locator("#asking")).to_be_hidden()


def test_a_code_that_was_typed_and_left_is_cleared(live, page):
    visit(page, live, CONTENT | {"invitations": True})
    page.locator("#invited").fill(CODE)
    wait(page, IDLE + 5)
    expect(page.locator("#idle")).to_be_visible()
    wait(page, WARNING)
    expect_clean_start(page)


def test_each_person_is_asked_what_chance_picks_for_them(live, page):
    """The data of the earlier respondent are deleted.

    Twenty respondents do not get the same of four questions by chance.
    """
    questions = [yes_no(), *(yes_no(name) for name in ("b", "c", "d"))]
    visit(page, live, definition(*questions, budget={"per_respondent": {"sample": 1}}))
    picked = set()
    for _ in range(20):
        begin(page)
        picked.add(page.locator("[data-question]:visible").get_attribute("data-question"))
        page.locator("[data-question]:visible").get_by_text("Yes", exact=True).click()
        send(page)
        next_person(page)
        if len(picked) > 1:
            break
    assert len(picked) > 1


def test_without_the_sign_in_the_address_there_is_no_kiosk(live, page):
    visit(page, live, CONTENT, "")
    begin(page)
    answer(page, "Yes")
    wait(page, IDLE + WARNING + SENT)
    expect(page.locator("#idle")).to_be_hidden()
    assert page.evaluate(STATE)["checked"] == 2
    send(page)
    wait(page, IDLE + WARNING + SENT)
    expect(page.locator("#done")).to_be_visible()
    expect(page.locator("#next-person")).to_be_hidden()


def test_after_another_language_it_is_still_a_kiosk(live, page):
    translation = {
        "title": "Sức khỏe",
        "questions": {
            "smokes": {"label": "Hút thuốc?"}, "stop": {"label": "Bỏ?"},
            "remarks": {"label": "Gì nữa?"},
        },
    }  # fmt: skip
    visit(page, live, CONTENT | {"comprehension": True, "translations": {"vi": translation}})
    begin(page)
    answer(page, "Yes")
    page.get_by_role("link", name="Tiếng Việt").click()
    expect(page.locator("h1")).to_have_text("Sức khỏe")
    assert page.evaluate(STATE)["checked"] == 2
    expect(page).to_have_url(f"{live.url}/s/health#kiosk")
    expect(page.locator("#understood")).to_be_hidden()
    wait(page, IDLE + WARNING + 5)
    expect_clean_start(page)
    # The next person reads the language of the link, also after a reload in another one.
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("h1")).to_have_text("Health")
    page.get_by_role("link", name="Tiếng Việt").click()
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.goto(f"{live.url}/s/health?language=vi#kiosk")
    page.get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    at_the_end(page)
    next_person(page)
    expect(page.locator("html")).to_have_attribute("lang", "vi")


# On a device of others.


def stuck(page: Page) -> None:
    page.expected_problems += ["Failed to load resource", "net::"]
    page.route("**/responses", lambda route: route.abort())
    at_the_review(page)
    page.get_by_role("button", name="Mix up and send").click()
    page.get_by_text("No connection yet.").wait_for()


def at_the_end(page: Page) -> None:
    at_the_questions(page)
    send(page)


@pytest.mark.parametrize("go", [*PLACES, stuck, at_the_end])
@pytest.mark.parametrize("key", [None, "Shift"])
def test_leave_now_clears_the_page_and_stays(kiosk, posted, live, go, key):
    """A response that was not sent is deleted: its page sends nothing later."""
    go(kiosk)
    address, sent = kiosk.url, len(posted)
    if key:
        for _ in range(3):
            kiosk.keyboard.press(key)
    else:
        kiosk.get_by_role("link", name="Leave now").click()
    expect_clean_start(kiosk)
    kiosk.unroute("**/responses")
    wait(kiosk, 120)
    expect_clean_start(kiosk)
    assert (kiosk.url, len(posted)) == (address, sent)
    begin(kiosk)
    answer(kiosk, "No")
    send(kiosk)
    assert posted[-1]["texts"]["reports"]["remarks"] == "Remark of who said No"


def test_it_links_to_no_other_page_and_keeps_no_copy(live, page):
    """The address for a withdrawal is there to be written down."""
    content = CONTENT | {
        "receipts": True, "comprehension": True, "support": "Call [us](https://help.example/).",
        "introduction": "Read [this](https://help.example/).", "completion_code": "C1",
        "translations": {"vi": nest_texts(parse_survey(CONTENT).texts) | {
            "support": "[a](https://help.example/)", "introduction": "[b](https://help.example/)",
        }},
    }  # fmt: skip
    visit(page, live, content)
    page.get_by_role("link", name="Tiếng Việt").click()
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    page.get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    for_links = page.locator("main").get_by_role("link")
    expect(for_links).to_have_count(0)
    at_the_end(page)
    expect(for_links).to_have_count(0)
    expect(page.locator("#later")).to_have_text(f"{live.url}/s/health/withdraw")
    expect(page.locator("#later")).to_be_visible()
    for css in ("#copy", "#save", "#completion", "#understood"):
        expect(page.locator(css)).to_be_hidden()
    expect(page.get_by_text("You can close this page now.")).to_be_hidden()
    expect(page.get_by_text("Call us.").last).to_be_visible()


@pytest.fixture
def small(live: Live, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 320, "height": 600})
    yield context.new_page()
    context.close()


def test_axe_finds_nothing_in_the_question_whether_somebody_is_there(live, small):
    visit(small, live, CONTENT)
    begin(small)
    answer(small, "Yes")
    wait(small, IDLE + 5)
    small.locator("#idle:visible").wait_for()
    no_violations(small)
    box = small.locator("#stay").bounding_box()
    assert box["height"] >= 44
    assert box["y"] + box["height"] <= 600
