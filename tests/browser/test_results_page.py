"""The results page in a real browser: finding a question, weights, charts to download."""

import re
import struct
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from survey.definition.responses.parse_response import Response
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_responses
from survey.store import OWNER, Account
from tests.browser.looks import looks, sound
from tests.support.admin_pages import sign_in
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import password_hash
from tests.support.servers import Live

THAI = "คุณสูบบุหรี่หรือผลิตภัณฑ์ยาสูบอื่นๆในช่วงสามสิบวันที่ผ่านมาหรือไม่"
AGE = {
    "name": "age", "type": "select_one", "label": "อายุ", "privacy": "none",
    "choices": [{"name": "young", "label": "Under 40"}, {"name": "old", "label": THAI}],
}  # fmt: skip
QUESTIONS = [AGE, *(yes_no(f"q{n}", label=f"{THAI} {n}?") for n in range(6))]


@pytest.fixture
def site(live: Live, page: Page) -> str:
    """The results of a survey with a non-private question, for a signed-in researcher."""
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    survey = opened(live.store, definition(*QUESTIONS, language="th"), "closed").survey
    truth = {"age": {"young": 0.6, "old": 0.4}} | {f"q{n}": {"yes": 0.3} for n in range(6)}
    truth = {
        name: shares if name == "age" else {"yes": 0.3, "no": 0.7} for name, shares in truth.items()
    }
    responses = simulate_responses(survey, read_truth(truth, survey), 200, seed=1)
    live.store.responses.add_batches("health", responses, "simulated")
    sign_in(page, live.url)
    page.goto(f"{live.url}/admin/surveys/health/results")
    return live.url


@pytest.mark.plain
def test_a_question_is_found_by_its_words_and_jumped_to(site, page):
    sections = page.locator(".question-results")
    expect(sections).to_have_count(7)
    page.get_by_label("Find a question").fill(" 3?")
    expect(sections.locator("visible=true").locator("h3")).to_have_text([f"5. {THAI} 3?"])
    expect(page.locator("#found")).to_have_text("1 of 7 questions")
    page.keyboard.press("Enter")
    shown = sections.locator("visible=true")
    expect(shown.locator("summary")).to_be_focused()
    expect(shown.get_by_role("table")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(shown.get_by_role("table")).to_be_visible()
    page.get_by_label("Find a question").fill("")
    expect(page.locator(".question-results:visible")).to_have_count(7)
    expect(page.locator("#found")).to_be_empty()


@pytest.mark.slow
def test_results_are_weighed_by_keyboard(site, page):
    page.locator("#weighing summary").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Weight by").select_option("age")
    page.get_by_role("button", name="Choose").press("Enter")
    page.get_by_label("Under 40", exact=True).fill("1200")
    page.get_by_label(THAI, exact=True).fill("2,800")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Weighted by")).to_contain_text("30.0 %")
    known = page.locator(".question-results").first
    expect(known).to_contain_text("Its shares are the totals that you entered, not estimates")
    expect(known).to_contain_text("Under 40 (30.0 %)")
    page.get_by_role("link", name="Remove the weights").click()
    expect(page.get_by_text("Weighted by")).to_have_count(0)


@pytest.mark.slow
def test_a_picture_comes_down_as_svg_and_as_png(site, page, tmp_path):
    section = page.locator(".question-results").nth(1)
    section.locator("summary").click()
    with page.expect_download() as download:
        section.get_by_role("link", name="Download chart (SVG)").click()
    assert download.value.suggested_filename == "health-q0.svg"
    svg = Path(download.value.path()).read_text()
    # The file names its subject. On the page, this text is next to the chart.
    texts = re.findall(r'<text class="(?:question|survey|mark)"[^>]*>([^<]+)<', svg)
    assert " ".join(texts).replace(" ", "") == (
        f"{THAI}0?Health·n=200Simulated:nobodywasasked".replace(" ", "")
    )
    expect(section.locator(".chart .mark")).to_have_count(0)
    with page.expect_download() as download:
        section.get_by_role("button", name="Download chart (PNG)").click()
    assert download.value.suggested_filename == "health-q0.png"
    path = tmp_path / "picture.png"
    download.value.save_as(path)
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    chart = section.locator("details .chart").evaluate("chart => chart.height.baseVal.value")
    whole = int(re.search(r'width="360" height="(\d+)"', svg)[1])
    assert chart + 60 < whole
    assert (width, height) == (1080, 3 * whole)
    # It has content: the file of a white picture of this size is far smaller.
    assert len(content) > 8_000
    # The colours are those of the page, not the black of a picture without its style.
    colours = page.evaluate(
        """async (bytes) => {
            const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
            const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
            const context = canvas.getContext('2d');
            context.drawImage(bitmap, 0, 0);
            const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
            let accent = 0;
            for (let at = 0; at < data.length; at += 4) {
                accent += data[at] === 11 && data[at + 1] === 93 && data[at + 2] === 86;
            }
            return accent;
        }""",
        list(content),
    )
    assert colours > 200


def test_every_question_opens_at_one_press_and_in_print(site, page):
    figures = page.locator(".question-results > details")
    expect(figures).to_have_count(7)
    expect(page.locator(".question-results > details[open]")).to_have_count(0)
    # Each question has its sentence, and the estimate of every answer.
    expect(page.locator(".question-results > .said:visible")).to_have_count(7)
    expect(page.locator(".question-results .answers .track:visible")).to_have_count(14)
    # The formula and the bound of two answers need no press.
    said = page.locator(".question-results > .calculation").filter(has_text="2P − 1/2").first
    expect(said).to_be_visible()
    expect(said).to_contain_text("at most 1/(16γ²n)")
    page.get_by_role("button", name="Expand all questions").click()
    expect(page.locator(".question-results > details[open]")).to_have_count(7)
    first = figures.nth(1)
    for text in ("Standard error", "Estimated variance P(1 − P) / (4γ²n)"):
        expect(first.get_by_text(text).first).to_be_visible()
    page.get_by_role("button", name="Collapse all questions").click()
    expect(page.locator(".question-results > details[open]")).to_have_count(0)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".question-results > details[open]")).to_have_count(7)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".question-results > details[open]")).to_have_count(0)


def test_the_print_has_every_table_and_no_buttons(site, page):
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".question-results table:visible")).to_have_count(7)
    expect(page.locator("button:visible, .tabs:visible, .bar:visible")).to_have_count(0)
    # Nothing is cut at the width of A4 with margins of a centimetre.
    page.set_viewport_size({"width": 718, "height": 1000})
    assert page.evaluate("document.documentElement.scrollWidth") <= 718


def test_charts_use_the_width_of_the_page_and_their_texts_keep_their_size(site, page):
    for width in (375, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.get_by_role("button", name="questions").click()
        column = page.locator("#questions").bounding_box()["width"]
        charts = page.locator(".question-results details .chart:visible")
        for chart in charts.all():
            assert chart.bounding_box()["width"] == pytest.approx(column, abs=1)
        sizes = charts.first.evaluate(
            "chart => [...chart.querySelectorAll('text')].map("
            "text => getComputedStyle(text).fontSize)"
        )
        assert set(sizes) == {"12px", "13px"}
        page.reload()


@pytest.fixture
def many(live: Live, page: Page) -> Page:
    """The results of ten questions in two sections, one of which may not be used."""
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    provinces = [{"name": f"p{n}", "label": f"Province {n}"} for n in range(14)]
    where = {"name": "where", "type": "select_one", "label": "Where?", "privacy": "none"}
    age = {"name": "age", "type": "number", "label": "Age?", "privacy": "none"}
    long = "A rather long question on the habit number"
    content = definition(
        {"name": "health", "type": "section", "label": "Health"},
        *(yes_no(f"q{n}", label=f"{long} {n}?") for n in range(5)),
        {"name": "life", "type": "section", "label": "Life"},
        where | {"choices": provinces},
        age | {"min": 0, "max": 99},
        *(yes_no(f"q{n}", label=f"Question {n}?") for n in range(5, 8)),
    )
    survey = opened(live.store, content, "closed").survey
    truth = {f"q{n}": {"yes": 0.3, "no": 0.7} for n in range(8)}
    truth |= {"where": {f"p{n}": (n + 1) / 105 for n in range(14)}, "age": {"mean": 40, "sd": 9}}
    responses = simulate_responses(survey, read_truth(truth, survey), 900, seed=1)
    # All reports on the first question are No, which is impossible.
    responses = [
        [Response(each.id, (1, *each.reports[1:])) for each in batch] for batch in responses
    ]
    live.store.responses.add_batches("health", responses, "simulated")
    sign_in(page, live.url)
    page.goto(f"{live.url}/admin/surveys/health/results")
    return page


@pytest.mark.plain
def test_eight_questions_are_compared_on_the_first_screen(many):
    many.set_viewport_size({"width": 1280, "height": 800})
    many.reload()
    # The warning is first, and names the question.
    expect(many.locator("#not-to-use a")).to_have_text(
        ["1. A rather long question on the habit number 0?"]
    )
    lines = many.locator(".compared li[data-place]")
    expect(lines).to_have_count(10)
    eighth = lines.nth(7).bounding_box()
    assert eighth["y"] + eighth["height"] <= 800
    expect(lines.nth(0)).to_contain_text("Do not use: the reports do not fit the design")
    expect(lines.nth(0).locator("svg")).to_have_count(0)
    # The same share is at the same place of every line.
    marks = [lines.nth(place).locator(".track").bounding_box() for place in (1, 5, 7)]
    assert len({(round(each["x"]), round(each["width"])) for each in marks}) == 1
    lines.nth(5).get_by_role("link").press("Enter")
    expect(many.locator("#q-6")).to_be_in_viewport()


def test_the_twelve_largest_answers_are_in_view_and_the_table_has_the_others(many):
    section = many.locator(".question-results").nth(5)
    expect(section.locator(".answers li:not(.scale)")).to_have_count(12)
    names = section.locator(".answers .name").all_inner_texts()
    assert {"Province 12", "Province 13"} < {*names}
    assert "Province 0" not in names
    expect(section.get_by_text("2 more answers are in the table.")).to_be_visible()


def test_one_click_shows_the_whole_range_without_a_script(many, browser, live):
    context = browser.new_context(
        java_script_enabled=False, storage_state=many.context.storage_state()
    )
    page = context.new_page()
    page.goto(f"{live.url}/admin/surveys/health/results")
    section = page.locator(".question-results").nth(5)
    dot = section.locator(".estimate").first
    at, labels = dot.bounding_box()["x"], section.locator("svg.fitted")
    expect(labels).to_be_visible()
    section.get_by_label("Show 0\u00a0% to 100\u00a0%").check()
    expect(labels).to_be_hidden()
    expect(section.locator("svg.whole")).to_be_visible()
    assert dot.bounding_box()["x"] < at
    # Without the script, all questions are shown, and there is no field that does nothing.
    expect(page.locator(".question-results:visible")).to_have_count(10)
    expect(page.get_by_label("Find a question")).to_be_hidden()
    context.close()


@pytest.mark.plain
def test_questions_are_filtered_by_words_and_section(many):
    shown = many.locator("#questions > .question-results:visible")
    many.get_by_label("Section").select_option("Life")
    expect(shown).to_have_count(5)
    expect(many.locator(".compared li[data-place]:visible")).to_have_count(5)
    expect(many.locator("#found")).to_have_text("5 of 10 questions")
    many.get_by_label("Find a question").fill("7 QUESTION")
    expect(shown).to_have_count(1)
    many.get_by_label("Find a question").fill("habit")
    expect(shown).to_have_count(0)
    expect(many.locator("#found")).to_have_text("0 of 10 questions")
    many.get_by_role("button", name="Show all questions").press("Enter")
    expect(shown).to_have_count(10)
    expect(many.get_by_label("Find a question")).to_be_focused()
    expect(many.locator("#none-found")).to_be_hidden()


@pytest.mark.plain
def test_on_a_phone_the_tabs_are_one_row_with_the_current_one_in_view(many):
    many.set_viewport_size({"width": 375, "height": 667})
    for page in ("results", "log"):
        many.goto(many.url.rpartition("/")[0] + f"/{page}")
        assert many.evaluate("document.documentElement.scrollWidth") <= 375
        for row in (".tabs", ".bar nav"):
            places = many.locator(f"{row} a").evaluate_all(
                "links => links.map(link => link.getBoundingClientRect().top)"
            )
            assert max(places) - min(places) < 8
        current = many.locator(".tabs [aria-current]").bounding_box()
        assert current["x"] >= 0
        assert current["x"] + current["width"] <= 375


@pytest.mark.slow
@looks(375, 1280)
def test_the_page_is_accessible_and_fits(site, page, width, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{site}/admin/surveys/health/results?by=age&total-young=1&total-old=x&fake=z")
    sound(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.locator("[aria-invalid=true]")).to_have_count(2)
