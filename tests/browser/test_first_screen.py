"""The first screen on a phone: at most 60 words, and all of it in view, in each language."""

import json
import re
from contextlib import suppress

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from survey import PROJECT_FOLDER
from survey.core.errors import AboveLimit
from survey.core.languages import LANGUAGES
from survey.web.rendering import survey_page
from tests.browser.looks import no_violations
from tests.support.certainty_grid import EPSILONS, GRID, all_designs, asked, content
from tests.support.classes import class_definition
from tests.support.definitions import WIDE, definition, opened, yes_no
from tests.support.servers import Live

MAX_WORDS, WIDTH, HEIGHT = 60, 375, 667
# A class has two more sentences, and one less about shared phones.
MAX_WORDS_IN_CLASS = 75
# The words in view, besides the title, the people who ask, and the buttons. The browser knows the
# words of each language, also where no spaces are between them. Of an introduction, only its first
# line counts, because the other lines are not in view.
WORDS = """() => {
  const left_out = 'h1, .who, .reach, button, .unseen, script';
  const words = new Intl.Segmenter(document.documentElement.lang, { granularity: 'word' });
  const count = (text) => [...words.segment(text)].filter((each) => each.isWordLike).length;
  const texts = [];
  let first_line = 0;
  const look = (node, folded) => {
    for (const { index, segment, isWordLike } of words.segment(node.data)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + segment.length);
      const middle = range.getBoundingClientRect();
      if (isWordLike && middle.top + middle.height / 2 < folded.bottom) first_line += 1;
    }
  };
  const read = (parent, folded) => {
    for (const node of parent.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) {
        if (folded) look(node, folded); else texts.push(node.data);
      }
      if (node.nodeType !== Node.ELEMENT_NODE || node.matches(left_out)) continue;
      if (!node.checkVisibility()) continue;
      const box = node.matches('.folded') ? node.getBoundingClientRect() : folded;
      read(node.matches('details:not([open])') ? node.querySelector('summary') : node, box);
    }
  };
  read(document.querySelector('main'), null);
  return count(texts.join(' ')) + first_line;
}"""
# The bar with the buttons covers the lower edge.
ABOVE_THE_BAR = """() => document.querySelector('#start').getBoundingClientRect().bottom
  <= document.querySelector('.exit').getBoundingClientRect().top"""
# A part of the page that says how many questions there are, or how well they are protected.
SAID = r'<p class="asker">.*?</p>|<div class="protection.*?</div>'


@pytest.fixture
def phone(live: Live, browser: Browser):
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, has_touch=True, is_mobile=True
    )
    yield context.new_page()
    context.close()


def show(page: Page, live: Live, slug: str, language: str) -> None:
    page.goto(f"{live.url}/s/{slug}?language={language}")
    page.locator("#start:visible").wait_for()


def fits(page: Page, most: int = MAX_WORDS) -> None:
    words = page.evaluate(WORDS)
    # A counter that finds nothing would be content with everything.
    assert 25 <= words <= most, page.locator("main").inner_text()
    expect(page.locator("#begin")).to_be_in_viewport(ratio=1)
    expect(page.locator("#leave")).to_be_in_viewport(ratio=1)
    assert page.evaluate(ABOVE_THE_BAR)
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH


def grid(live: Live, epsilon: float) -> list[str]:
    """The surveys of the grid whose words test_certainty.py compares with their tables."""
    slugs = []
    for count, sample, plain in GRID:
        questions = [*asked(epsilon, count), *(yes_no(f"p{n}", "none") for n in range(plain))]
        more = {} if sample is None else {"budget": {"per_respondent": {"sample": sample}}}
        slugs.append(f"s{len(slugs)}")
        opened(live.store, content(slugs[-1], questions, minutes=5, **more), limits=WIDE)
    return slugs


def first_screen(app: Flask, slug: str, language: str) -> str:
    """The first screen alone, because the questions after it take most of the time."""
    frozen = app.extensions["candor.store"].surveys.by_slug(slug)
    survey, work = frozen.survey, frozen.survey.fieldwork
    with app.test_request_context():
        return survey_page(
            "respondent/_start.html", frozen, language, work=work, private=survey.private,
            plain=survey.non_private, sample=survey.budget.sample, by_hand=work.by_hand,
        )  # fmt: skip


def said_on(app: Flask, slug: str, language: str) -> str:
    """What differs between the first screens of the grid."""
    said = re.findall(SAID, first_screen(app, slug, language), re.DOTALL)
    assert len(said) == 2
    return "".join(said)


def length(said: tuple[str, str]) -> int:
    return len(said[0])


@pytest.mark.parametrize("series", [{}, {"series": "panel"}], ids=["once", "waves"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_longest_first_screens_have_few_words_and_are_one_screen(live, phone, language, series):
    """Each level, with a second sentence on all answers, and with a question not mixed up."""
    for slug, epsilon, count in (("full", 0.5, 2), ("weak", 1, 10), ("hardly", 4, 2)):
        questions = [*asked(epsilon, count), yes_no("plain", privacy="none")]
        opened(live.store, content(slug, questions, minutes=5, **series), limits=WIDE)
        show(phone, live, slug, language)
        fits(phone)


# Results, an introduction, an asker, contact and help together, and experimental arms.
LONGEST = ("rich-1", "rich-2", "rich-waves", "rich-direct", "direct-2", "crosswise-mixed")


def test_the_longest_designs_have_few_words_and_are_one_screen(live, phone):
    designs = {design["slug"]: design for design in all_designs()}
    for slug in LONGEST:
        opened(live.store, designs[slug])
        for language in LANGUAGES:
            show(phone, live, slug, language)
            fits(phone)


@pytest.mark.slow
def test_each_design_has_few_words_and_is_one_screen(live, app, phone):
    """Of first screens that differ in digits alone, one is measured."""
    slugs = []
    for design in all_designs():
        with suppress(AboveLimit):
            slugs.append(opened(live.store, design).survey.slug)
    for language in LANGUAGES:
        texts = {slug: first_screen(app, slug, language) for slug in slugs}
        measured = {re.sub(r"\d", "0", text): slug for slug, text in texts.items()}
        assert len(measured) >= 20
        for slug in measured.values():
            show(phone, live, slug, language)
            fits(phone)


def test_the_shipped_examples_are_one_screen(live, phone):
    """Their introductions are long, and some have contact and help."""
    folder = PROJECT_FOLDER / "demo"
    for path in (folder / "smoking-and-exams.json", *sorted((folder / "examples").glob("*.json"))):
        frozen = opened(live.store, json.loads(path.read_text(encoding="utf-8")))
        for language in frozen.survey.languages:
            show(phone, live, frozen.survey.slug, language)
            fits(phone)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_screen_of_a_class_is_one_screen(live, phone, language):
    questions = [yes_no(), yes_no("more"), yes_no("plain", privacy="none")]
    work = {"minutes": 5, "asked_by": "A teacher", "language": language}
    opened(live.store, class_definition(*questions, slug="class", **work))
    show(phone, live, "class", language)
    expect(phone.locator(".class-note")).to_be_in_viewport(ratio=1)
    fits(phone, MAX_WORDS_IN_CLASS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_buttons_are_next_to_each_other_on_the_smallest_phones(live, phone, language):
    opened(live.store, content("s", asked(1, 1)))
    for width in (320, 360, 375):
        phone.set_viewport_size({"width": width, "height": 568})
        show(phone, live, "s", language)
        start, leave = (phone.locator(css).bounding_box() for css in ("#begin", "#leave"))
        assert start["x"] + start["width"] < leave["x"]
        # Neither has two lines, which would rise above the bar.
        assert start["height"] < 50 > leave["height"]
        assert start["y"] >= phone.locator(".exit").bounding_box()["y"]


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_each_first_screen_of_the_grid_has_few_words_and_is_one_screen(live, app, phone, epsilon):
    """Of first screens that differ in numbers alone, the longest is measured."""
    slugs = grid(live, epsilon)
    for language in LANGUAGES:
        said = sorted(((said_on(app, slug, language), slug) for slug in slugs), key=length)
        longest = {re.sub(r"[\d.,]+", "0", text): slug for text, slug in said}
        assert len(longest) >= 4
        for slug in longest.values():
            show(phone, live, slug, language)
            fits(phone)


def test_the_words_are_counted_as_a_reader_would(live, phone):
    opened(live.store, definition(slug="s", asked_by="Four words too many", support="Call."))
    show(phone, live, "s", "en")
    before = phone.evaluate(WORDS)
    for text, words in (("three more words", 3), ("ฉันกินข้าว", 3), ("我们学习", 2), ("", 0)):
        phone.evaluate("(text) => { document.querySelector('#start > .hint').append(text); }", text)
        assert phone.evaluate(WORDS) == before + words
        before += words
    phone.get_by_text("How does it work?").click()
    expect(phone.get_by_text("What are the numbers?")).to_be_visible()
    assert phone.evaluate(WORDS) > before + 30


INTRODUCTION = (
    "# What we study\n\nWe ask how students deal with exams, and what they do when they are afraid "
    "to fail. Please read this carefully.\n\nIt has a [second part](https://example.org/more)."
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_introduction_shows_its_first_words_and_can_be_read_in_full(live, phone, language):
    said = {"title": "Work, money and substances", "asked_by": "University of Somewhere"}
    said["introduction"] = INTRODUCTION
    survey = content("s", [*asked(1, 10), yes_no("p", privacy="none")], minutes=5) | said
    for texts in survey["translations"].values():
        texts |= said
    opened(live.store, survey)
    show(phone, live, "s", language)
    text, more = phone.locator("#introduced"), phone.locator("#more")
    height = text.bounding_box()["height"]
    line = text.evaluate("(each) => parseFloat(getComputedStyle(each).lineHeight)")
    # No line is cut in the middle.
    assert height == pytest.approx(line, abs=1)
    expect(more).to_have_attribute("aria-expanded", "false")
    expect(more).to_have_attribute("aria-controls", "introduced")
    fits(phone)
    more.focus()
    phone.keyboard.press("Enter")
    expect(more).to_have_attribute("aria-expanded", "true")
    expect(text.get_by_role("link")).to_be_in_viewport()
    assert text.bounding_box()["height"] > height
    no_violations(phone)
    # The button stays in view, however long the text is.
    expect(phone.locator("#begin")).to_be_in_viewport(ratio=1)
    phone.keyboard.press("Enter")
    assert text.bounding_box()["height"] == height


SMALL = """() => [...document.querySelectorAll('a, button, summary')]
  .filter((each) => each.checkVisibility())
  .filter((each) => {
    const { height, width } = each.getBoundingClientRect();
    return height < 44 || width < 44;
  })
  .map((each) => each.textContent)"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_to_press_is_as_wide_as_a_finger(live, phone, language):
    opened(live.store, content("s", [*asked(1, 2), yes_no("p", privacy="none")]))
    show(phone, live, "s", language)
    for summary in phone.locator("#start summary").all():
        summary.click()
    assert phone.evaluate(SMALL) == []
    phone.locator("#begin").click()
    phone.locator("#asking:visible").wait_for()
    assert phone.evaluate(SMALL) == []
    for number in range(2):
        phone.locator(f"[data-question=q{number}] .choice").first.click()
    phone.locator("[data-question=p] .choice").first.click()
    phone.locator("#check").click()
    phone.locator("#review:visible").wait_for()
    assert phone.evaluate(SMALL) == []
    phone.locator("#send").click()
    phone.locator("#done:visible").wait_for()
    assert phone.evaluate(SMALL) == []


def test_a_short_introduction_has_nothing_to_unfold(live, phone):
    opened(live.store, definition(slug="s", introduction="Short."))
    show(phone, live, "s", "en")
    expect(phone.get_by_text("Short.")).to_be_visible()
    expect(phone.locator("#more")).to_be_hidden()


def test_a_link_in_the_folded_part_scrolls_into_view_by_keyboard(live, phone):
    opened(live.store, definition(slug="s", introduction=INTRODUCTION))
    show(phone, live, "s", "en")
    phone.locator("#introduced a").focus()
    expect(phone.locator("#introduced a")).to_be_in_viewport()


def test_a_consent_text_has_a_screen_of_its_own_in_full(live, phone):
    texts = {"introduction": INTRODUCTION * 9, "introduction_in_full": True}
    opened(live.store, definition(slug="s", **texts))
    phone.goto(f"{live.url}/s/s")
    phone.locator("#consent:visible").wait_for()
    expect(phone.locator("section:visible")).to_have_count(1)
    expect(phone.locator("#consent").get_by_role("link").last).to_be_visible()
    no_violations(phone)
    phone.get_by_role("button", name="Continue").click()
    expect(phone.locator("section:visible")).to_have_count(1)
    expect(phone.locator("#start h2").first).to_be_focused()
    assert phone.locator("#introduction").count() == 0
    fits(phone)
    phone.locator("#begin").click()
    phone.locator("#asking:visible").wait_for()
    phone.go_back()
    expect(phone.locator("#start")).to_be_visible()


def test_the_next_person_at_a_kiosk_reads_the_consent_text_again(live, phone):
    opened(live.store, definition(slug="s", introduction="Hello.", introduction_in_full=True))
    phone.clock.install()
    phone.goto(f"{live.url}/s/s#kiosk")
    phone.get_by_role("button", name="Continue").click()
    phone.clock.run_for(1000 * 61)
    phone.locator("#idle:visible").wait_for()
    phone.clock.run_for(1000 * 21)
    expect(phone.locator("#consent")).to_be_visible()
    expect(phone.locator("#start")).to_be_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("epsilon", [1, 2, 4])
def test_each_level_has_a_sign_and_a_colour_of_its_own(live, phone, scheme, epsilon):
    phone.emulate_media(color_scheme=scheme)
    opened(live.store, content("s", [*asked(epsilon, 2), yes_no("p", privacy="none")]))
    opened(live.store, content("none", [yes_no("p", privacy="none")]))
    looks = set()
    for slug in ("s", "none"):
        show(phone, live, slug, "en")
        no_violations(phone, slug)
        for summary in phone.locator("#start summary").all():
            assert summary.bounding_box()["height"] >= 44
            summary.click()
        no_violations(phone, f"{slug}, all open")
        looks.add(
            phone.locator(".protection h2").evaluate(
                "(each) => [getComputedStyle(each, '::before').content,"
                " getComputedStyle(each).color, each.textContent].join()"
            )
        )
    # A weak survey and one without protection may have one colour, but never one heading.
    assert len(looks) == 2


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("epsilon", [1, 2, 4])
def test_a_question_has_the_colour_of_its_level_on_the_first_screen(live, phone, scheme, epsilon):
    """The warning colour stands for what someone can be almost sure of, and for nothing else."""
    phone.emulate_media(color_scheme=scheme)
    opened(live.store, content("s", [*asked(epsilon, 1), yes_no("p", privacy="none")]))
    opened(live.store, content("none", [yes_no("p", privacy="none")]))
    colour = "(each) => getComputedStyle(each).color"
    show(phone, live, "none", "en")
    warning = phone.locator(".protection h2").evaluate(colour)
    show(phone, live, "s", "en")
    heading = phone.locator(".protection h2").evaluate(colour)
    assert (heading == warning) == (epsilon == 4)
    phone.locator("#begin").click()
    marks = phone.locator("#answers .mark")
    assert [mark.evaluate(colour) for mark in marks.all()] == [heading, warning]
    no_violations(phone)


@pytest.mark.slow
def test_a_page_on_its_way_shows_no_alarm(live, phone):
    """The sentence about a page that did not load waits five seconds."""
    opened(live.store, content("s", asked(1, 1)))
    phone.route("**/survey.js", lambda route: None)
    phone.goto(f"{live.url}/s/s", wait_until="commit")
    loading = phone.locator("#loading")
    loading.wait_for(state="attached")
    # Nothing is painted before the style sheet is there.
    phone.wait_for_function(
        "() => document.querySelector('#loading').getAnimations().length > 0", polling=50
    )
    at = """(each, time) => {
      const [appears] = each.getAnimations();
      appears.pause();
      appears.currentTime = time;
      return getComputedStyle(each).visibility;
    }"""
    assert loading.evaluate(at, 4_900) == "hidden"
    assert loading.evaluate(at, 5_100) == "visible"
