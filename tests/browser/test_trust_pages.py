"""The pages that make Candor understood and checked, as people meet them in a browser."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.conftest import Live

WIDTHS = (320, 768, 1280)
# Chance gives these words, the last one for ever, instead of random ones
GIVEN = """
globalThis.words = %s;
Crypto.prototype.getRandomValues = function (array) {
  return array.fill(words.length > 1 ? words.shift() : words[0]);
};
null;
"""


def button(page: Page, name: str):
    return page.get_by_role("button", name=name, exact=True)


def fits(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def axe_finds_nothing(page: Page) -> None:
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


@pytest.fixture(params=["light", "dark"])
def themed(request, browser: Browser) -> Iterator[Page]:
    context: BrowserContext = browser.new_context(
        color_scheme=request.param, reduced_motion="reduce"
    )
    yield context.new_page()
    context.close()


@pytest.fixture
def still(live: Live, browser: Browser) -> Iterator[Page]:
    """A page on which nothing moves."""
    context = browser.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


# How it works: one person


@pytest.mark.parametrize(
    ("words", "said", "first", "second", "sent"),
    [
        ([0], "Yes", "heads", "none", "Yes"),
        ([0], "No", "heads", "none", "No"),
        ([1, 0], "No", "tails", "heads", "Yes"),
        ([1, 1], "Yes", "tails", "tails", "No"),
    ],
)
def test_two_coins_decide_what_would_be_sent(page, live, words, said, first, second, sent):
    page.goto(live.url + "/how")
    page.evaluate(GIVEN % words)
    button(page, said).click()
    assert page.locator("#first").get_attribute("data-side") == first
    assert page.locator("#second").get_attribute("data-side") == second
    expect(page.locator("#said-first")).to_contain_text(first)
    expect(page.locator("#said-second")).to_contain_text(
        second if second != "none" else "No second coin"
    )
    expect(page.locator("#said-sent")).to_have_text(f"You said {said}. What would be sent: {sent}.")
    rows = ["Yes", "No"]
    cell = f"{rows.index(said)}{rows.index(sent)}"
    for other in ("00", "01", "10", "11"):
        expected = "1" if other == cell else "0"
        expect(page.locator(f"[data-tally='{other}']")).to_have_text(expected)


def test_the_tally_adds_up_and_nothing_is_sent(page, live):
    requests: list[str] = []
    page.goto(live.url + "/how", wait_until="networkidle")
    page.on("request", lambda request: requests.append(request.url))
    for _ in range(6):
        button(page, "Yes").click()
        button(page, "No").click()
    counts = [int(cell) for cell in page.locator("[data-tally]").all_text_contents()]
    assert counts[0] + counts[1] == counts[2] + counts[3] == 6
    assert requests == []


# How it works: a thousand people


def shown(page: Page) -> tuple[int, float, float, float]:
    """The numbers of the sentence: how many sent Yes, their share, the estimate, the truth."""
    sentence = page.locator("#result p").first.inner_text().replace("\u00a0", " ")
    found = re.fullmatch(
        r"Of 1,000 people, ([\d,]+) sent Yes\. 2 × ([\d.]+) % − 50 % = (−?[\d.]+) %\. "
        r"The truth you set was ([\d.]+) %\.",
        sentence,
    )
    assert found, sentence
    count, *shares = (float(each.replace(",", "").replace("−", "-")) for each in found.groups())
    return int(count), *shares


def drawn(page: Page, css: str) -> int:
    return (page.locator(f"#people {css}").get_attribute("d") or "").count("M")


def test_a_thousand_toss_and_the_sentence_is_what_the_dots_show(still, live):
    still.goto(live.url + "/how")
    assert drawn(still, ".waiting") == 1000
    still.get_by_role("spinbutton").fill("30.5")
    button(still, "Everyone tosses").click()
    count, share, estimate, truth = shown(still)
    assert drawn(still, ".sent-yes") == count
    assert drawn(still, ".sent-no") == 1000 - count
    assert drawn(still, ".waiting") == 0
    assert share == pytest.approx(count / 10)
    assert estimate == pytest.approx(2 * share - 50)
    assert truth == 30.5
    # binomial, at most 16 standard deviations from what is expected: never by chance
    assert abs(count - (250 + 305 / 2)) < 16 * 13.7
    first = still.locator("#chart .home").get_attribute("d")
    assert first.count("L") == 99
    button(still, "Everyone tosses again").click()
    assert still.locator("#chart .home").get_attribute("d") != first


@pytest.mark.parametrize(("word", "count", "estimate"), [(0, 1000, 150), (3, 0, -50)])
def test_the_estimate_is_unclipped(still, live, word, count, estimate):
    """All words 0 (or 3) make every table's first (or last) column, whatever the answer."""
    still.goto(live.url + "/how")
    still.evaluate(GIVEN % [word])
    button(still, "Everyone tosses").click()
    assert shown(still)[::2] == (count, estimate)


def test_people_arrive_in_steps_and_the_numbers_come_at_the_end(page, live):
    page.goto(live.url + "/how")
    button(page, "Everyone tosses").click()
    expect(page.locator("#result p")).to_have_count(0)
    assert drawn(page, ".waiting") > 0
    expect(page.locator("#result p")).to_have_count(2)
    assert drawn(page, ".waiting") == 0


def test_a_share_that_is_none_gets_a_sentence(still, live):
    still.goto(live.url + "/how")
    typed = still.get_by_role("spinbutton")
    for wrong in ("101", "-1", "", "10.25"):
        typed.fill(wrong)
        button(still, "Everyone tosses").click()
        expect(still.get_by_text("Give a number from 0 to 100")).to_be_visible()
        expect(typed).to_be_focused()
        expect(typed).to_have_attribute("aria-invalid", "true")
        typed.fill("20")
        expect(still.get_by_text("Give a number")).to_be_hidden()
        expect(typed).to_have_attribute("aria-invalid", "false")
        expect(still.get_by_role("slider")).to_have_value("20")


def test_the_keyboard_alone_does_all(still, live):
    still.goto(live.url + "/how")
    focus = still.locator(":focus")

    def tab_to(target) -> None:
        for _ in range(20):
            still.keyboard.press("Tab")
            if focus.count() and focus.and_(target).count():
                return
        raise AssertionError(f"{target} is not reached with Tab")

    tab_to(button(still, "No"))
    still.keyboard.press("Space")
    expect(still.locator("#said-sent")).to_contain_text("You said No")
    tab_to(still.get_by_role("slider"))
    still.keyboard.press("ArrowRight")
    expect(still.get_by_role("spinbutton")).to_have_value("11")
    tab_to(button(still, "Everyone tosses"))
    still.keyboard.press("Enter")
    assert shown(still)[3] == 11


def test_axe_finds_nothing_on_how_it_works(live, themed):
    themed.goto(live.url + "/how")
    axe_finds_nothing(themed)
    button(themed, "Yes").click()
    button(themed, "Everyone tosses").click()
    themed.locator("#result p").first.wait_for()
    axe_finds_nothing(themed)
    themed.get_by_role("spinbutton").fill("200")
    button(themed, "Everyone tosses again").click()
    axe_finds_nothing(themed)


@pytest.mark.parametrize("width", WIDTHS)
def test_how_it_works_fits_any_screen_and_is_easy_to_touch(still, live, width):
    still.set_viewport_size({"width": width, "height": 700})
    still.goto(live.url + "/how")
    button(still, "Yes").click()
    button(still, "Everyone tosses").click()
    still.locator("#result p").first.wait_for()
    assert fits(still)
    for control in still.locator("button:visible, input:visible").all():
        assert control.bounding_box()["height"] >= 44


def test_without_javascript_how_it_works_is_a_text_with_pictures(live, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live.url + "/how")
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.locator(".story li:visible")).to_have_count(4)
    expect(page.locator("main")).to_contain_text("A Yes in the data does not mean")
    expect(page.locator("main")).to_contain_text("of 1,000 people 312 send Yes")
    context.close()


def test_how_it_works_weighs_little_and_comes_from_here_alone(page, live):
    weights: dict[str, int] = {}
    page.on("response", lambda reply: weights.update({reply.url: len(reply.body())}))
    page.goto(live.url + "/how", wait_until="networkidle")
    assert all(url.startswith(live.url) for url in weights)
    assert sum(weights.values()) < 40_000
    assert page.context.cookies() == []
