"""Browsers that lack something: the survey is sent, or refused before the first question.

Each feature that browsers of the last ten years may lack is removed separately. The page must never
ask questions whose answers it cannot send. The oldest supported browsers are those with optional
chaining: Chrome 80, Firefox 74, Safari 13.1 (iOS 13.4), all of 2020.
"""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.survey import parse_survey
from survey.definition.translation import nest_texts
from survey.server.http.static_files import static_files
from tests.browser.altered import alter
from tests.support.definitions import definition, opened, yes_no
from tests.support.javascript import code
from tests.support.project import ROOT
from tests.support.respondent_page import FAST, begin, send
from tests.support.servers import Live

CODE = code_from(bytes(range(16)))
REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
PARTY = {
    "name": "party",
    "type": "select_one",
    "label": "Which party?",
    "choices": [{"name": n.lower(), "label": n} for n in ("Alder", "Birch", "Cedar")],
    "privacy": {"epsilon": 1},
    "relevant": {"smokes": "yes"},
}
EVERYTHING = definition(
    yes_no(), PARTY, REMARKS, slug="everything", series="habits", receipts=True, invitations=True
)
TEXTS = parse_survey(EVERYTHING).texts
TRANSLATED = EVERYTHING | {"translations": {"vi": nest_texts(TEXTS)}}
# Without these the survey is sent. The newest came in 2023.
DISPENSABLE = {
    "AbortSignal.timeout",
    "AbortSignal.any",
    "Array.fromAsync",
    "Array.prototype.at",
    "Array.prototype.findLast",
    "Array.prototype.toSorted",
    "BigInt",
    "CSS",
    "Crypto.prototype.randomUUID",
    "Crypto.prototype.subtle",
    "Element.prototype.checkVisibility",
    "Element.prototype.replaceChildren",
    "Document.prototype.replaceChildren",
    "Object.groupBy",
    "Object.hasOwn",
    "Promise.allSettled",
    "Promise.any",
    "Promise.withResolvers",
    "String.prototype.at",
    "String.prototype.isWellFormed",
    "String.prototype.matchAll",
    "String.prototype.replaceAll",
    # Only for waves, which then do not offer to remember the device.
    "TextEncoder",
    "localStorage",
    "queueMicrotask",
    "sessionStorage",
    "structuredClone",
    "trustedTypes",
}
SCRIPTS = ROOT / "static" / "respondent"
[LIST] = re.findall(r"NEEDED = \[(.*?)\];", (SCRIPTS / "browser.js").read_text(), re.DOTALL)
NEEDED = {*re.findall(r"'([\w.]+)'", LIST), "crypto.getRandomValues"}
REFUSED = "This browser cannot protect your answers, so this page stops here."
# Storage is removed as browsers block it: by throwing.
REMOVE = """(() => {
  const path = '%s'.split('.');
  const name = path.pop();
  const owner = path.reduce((object, part) => object[part], window);
  if (!(name in owner)) throw new Error('It was not there.');
  if (name.endsWith('Storage')) {
    Object.defineProperty(window, name, {
      get() { throw new DOMException('blocked', 'SecurityError'); },
    });
  } else {
    const own = Object.getOwnPropertyNames(owner).includes(name);
    delete (own ? owner : Object.getPrototypeOf(owner))[name];
    if (name in owner) throw new Error('It is still there.');
  }
})();"""


def invited(live: Live) -> None:
    opened(live.store, EVERYTHING)
    live.store.invitations.add_invitations("everything", [token_hash(CODE)])


def to_the_end(page: Page) -> None:
    page.locator("#start:visible").wait_for()
    begin(page, "No, only this time")
    page.locator("#answers").get_by_text("Yes", exact=True).click()
    page.locator("#answers").get_by_text("Birch", exact=True).click()
    page.locator("textarea").fill("None \U0001f44d")
    send(page)


def refused(page: Page) -> None:
    """Refused before any answer, with a sentence that blames nobody."""
    expect(page.locator("#refused")).to_be_visible()
    expect(page.locator("#refused")).to_contain_text(REFUSED)
    expect(page.locator("section:visible")).to_have_count(0)
    expect(page.locator("#loading")).to_be_hidden()
    assert page.locator("input:visible, textarea:visible").count() == 0


BY_ITSELF = [
    "AbortSignal.timeout",
    "Crypto.prototype.subtle",
    "Element.prototype.replaceChildren",
    "Object.hasOwn",
    "localStorage",
    "sessionStorage",
    "structuredClone",
]


@pytest.mark.parametrize(
    "names",
    [*(pytest.param([name], marks=pytest.mark.slow) for name in BY_ITSELF), sorted(DISPENSABLE)],
)
def test_without_it_the_survey_is_sent(live, page, names):
    invited(live)
    for name in names:
        page.add_init_script(REMOVE % name)
    page.goto(f"{live.url}/s/everything#{CODE}")
    to_the_end(page)
    assert len(list(live.store.responses.rows("everything"))) == 1
    assert live.store.invitations.issued_and_spent("everything") == (1, 1)
    expect(page.locator("#receipt")).to_be_visible(visible="Crypto.prototype.subtle" not in names)


@pytest.mark.slow
def test_without_what_is_needed_the_page_says_so_before_the_first_question(live, browser):
    """It also links to another way to take part."""
    assert {"fetch", "AbortController", "history.pushState"} <= NEEDED
    opened(live.store, definition(by_hand=True))
    context = browser.new_context()
    posts: list[str] = []
    context.on("request", lambda r: posts.append(r.url) if r.method == "POST" else None)
    for name in sorted(NEEDED):
        page = context.new_page()
        page.add_init_script(REMOVE % name)
        page.goto(f"{live.url}/s/health")
        refused(page)
        page.close()
    page = context.new_page()
    page.add_init_script(REMOVE % "fetch")
    page.goto(f"{live.url}/s/health")
    page.get_by_role("link", name="Take part in this browser, with your own coin").click()
    page.get_by_role("heading", name="Health").wait_for()
    assert "/by-hand" in page.url
    assert posts == []
    context.close()


@pytest.mark.plain
def test_a_browser_that_cannot_read_the_script_asks_nothing(live, page):
    """A browser without optional chaining runs nothing of the script.

    After five seconds, the page says what to do, without any script.
    """
    opened(live.store, definition(by_hand=True))
    page.expected_problems += ["SyntaxError", "Unexpected"]
    first_line = (SCRIPTS / "respond.js").read_text().splitlines()[0]
    alter(page, "health", [(first_line, "a language of tomorrow;")])
    page.goto(f"{live.url}/s/health")
    loading = page.locator("#loading")
    loading.evaluate("(each) => { for (const one of each.getAnimations()) one.finish(); }")
    expect(loading).to_be_visible()
    expect(loading).to_contain_text("If that does not help, use a newer browser.")
    expect(page.locator("section:visible")).to_have_count(0)
    assert page.locator("input:visible, textarea:visible").count() == 0
    loading.get_by_role("link", name="Take part in this browser, with your own coin").click()
    assert "/by-hand" in page.url


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("vi", "không bảo vệ được câu trả lời của bạn"),
        ("th", "เบราว์เซอร์นี้ปกป้องคำตอบของคุณไม่ได้"),
        ("zh", "这个浏览器无法保护您的答案"),
    ],
)
def test_the_refusal_is_in_every_language(live, page, language, words):
    opened(live.store, definition(language=language))
    page.add_init_script(REMOVE % "AbortController")
    page.goto(f"{live.url}/s/health")
    expect(page.locator("#refused")).to_contain_text(words)
    expect(page.locator("section:visible")).to_have_count(0)


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_asked_again_without_a_signal_that_times_out(live, page):
    """Neither the check of a code nor sending waits for ever."""
    invited(live)
    page.add_init_script(REMOVE % "AbortSignal.timeout" + FAST)
    page.route("**/invited", lambda route: None, times=2)
    page.route("**/responses", lambda route: None, times=1)
    page.goto(f"{live.url}/s/everything#{CODE}")
    page.locator("#begin").click()
    page.locator("[data-refusal=unchecked]:visible").wait_for()
    to_the_end(page)
    assert live.store.invitations.issued_and_spent("everything") == (1, 1)
    assert page.evaluate("asked") == [20_000, 20_000, 20_000, 20_000, 1_000, 20_000]


# The source of the scripts.


def loaded(browser: Browser, live: Live, address: str) -> dict[str, str]:
    """The scripts of a page, without comments."""
    page = browser.new_page()
    page.goto(live.url + address)
    names = page.evaluate("[...document.scripts].filter((s) => s.src).map((s) => s.src)")
    page.close()
    return {
        name: code(static_files()[f"respondent/{name}"].content.decode())
        for name in (source.rsplit("/", 1)[1] for source in names)
    }


YOUNG = {
    "assignment of ??= and its like": r"\?\?=|\|\|=|&&=",
    "private members": r"[\s.]#\w+\b(?=\s*[=(;])",
    "static blocks": r"\bstatic\s*\{",
    "numbers with _": r"\b\d+_\d",
    "looking behind": r"\(\?<[=!]",
    "classes of characters": r"\\p\{",
    "flags v and d": r"/[gimsuy]*[vd][gimsuy]*[,;)]",
    "await outside a function": r"^await\b",
    "import": r"\bimport\b",
}


def test_the_scripts_are_in_the_language_of_2020(browser, live):
    opened(live.store, TRANSLATED)
    for address in ("/s/everything", "/s/everything/withdraw"):
        for name, text in loaded(browser, live, address).items():
            used = [what for what, sign in YOUNG.items() if re.search(sign, text, re.MULTILINE)]
            assert used == [], name
    assert loaded(browser, live, "/s/everything").keys() == {"survey.js"}


def test_the_first_script_is_in_the_language_of_2009():
    text = code((SCRIPTS / "browser.js").read_text())
    assert re.findall(r"\b(?:const|let|class|async|await|of)\b|=>|`|\?\.|\?\?|\.\.\.", text) == []
    assert not re.search(r"catch\s*\{", text)
