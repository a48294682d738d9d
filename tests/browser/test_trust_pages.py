"""The pages for understanding and verifying Candor, in a browser."""

import math
import re
from collections.abc import Iterator
from fractions import Fraction

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from scipy.stats import binom

from survey.core.factored_randomizers import Boxes, OneHot
from survey.definition.questions import Question
from tests.browser.looks import no_violations
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, SAMPLED
from tests.support.lengths import length, soak
from tests.support.project import ROOT
from tests.support.servers import Live

WIDTHS = (320, 768, 1280)
# The randomness has these words, and repeats the last one for ever.
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


@pytest.fixture
def still(live: Live, browser: Browser) -> Iterator[Page]:
    """A page without animations."""
    context = browser.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


# How it works: one person.


@pytest.mark.parametrize(
    ("words", "said", "first", "second", "sent"),
    [
        ([0], "Yes", "heads", "none", "Yes"),
        ([0], "No", "heads", "none", "No"),
        ([2, 0], "No", "tails", "heads", "Yes"),
        ([2, 1], "Yes", "tails", "tails", "No"),
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
    expect(page.locator("#said-sent")).to_have_text(
        f"You said “{said}”. Your device would send “{sent}”."
    )
    rows = ["Yes", "No"]
    cell = f"{rows.index(said)}{rows.index(sent)}"
    for other in ("00", "01", "10", "11"):
        expected = "1" if other == cell else "0"
        expect(page.locator(f"[data-tally='{other}']")).to_have_text(expected)


UNEVEN = yes_no(privacy={"mechanism": "table", "rows": [[8, 2], [4, 6]]})


@pytest.mark.parametrize(
    ("words", "said", "second", "sent"),
    [
        # Of 5 tickets, 2 keep the answer. Otherwise 2 of 3 say Yes.
        ([0], "Yes", "No second draw", "Yes"),
        ([1], "No", "No second draw", "No"),
        ([2, 1], "No", "“Yes”", "Yes"),
        ([4, 2], "Yes", "“No”", "No"),
    ],
)
def test_the_draws_of_a_survey_are_those_of_its_table(page, live, words, said, second, sent):
    opened(live.store, definition(UNEVEN))
    page.goto(live.url + "/s/health/how")
    page.evaluate(GIVEN % words)
    button(page, said).click()
    kept = "your own answer is kept" if second == "No second draw" else "a second draw decides"
    expect(page.locator("#said-first")).to_contain_text(kept)
    expect(page.locator("#said-second")).to_contain_text(second)
    expect(page.locator("#said-sent")).to_have_text(
        f"You said “{said}”. Your device would send “{sent}”."
    )


@pytest.mark.parametrize(("word", "count", "estimate"), [(0, 1000, 150), (4, 0, -100)])
def test_a_thousand_people_of_a_survey_are_estimated_with_its_table(
    still, live, word, count, estimate
):
    """The estimate is (share - 40 %) / 40 %, as all send the first report, or the last."""
    opened(live.store, definition(UNEVEN))
    still.goto(live.url + "/s/health/how")
    still.evaluate(GIVEN % [word])
    button(still, "Everyone answers").click()
    sentence = still.locator("#result p").first.inner_text().replace("\u00a0", " ")
    number = f"{estimate}".replace("-", "−")
    assert sentence.startswith(
        f"Of 1,000 people, {count:,} sent “Yes”. The estimate is {number} %."
    )


@pytest.mark.slow
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


# How it works: a thousand people.


def shown(page: Page) -> tuple[int, float, float, float]:
    """The numbers of the sentence: reports of Yes, their share, the estimate, the truth."""
    sentence = page.locator("#result p").first.inner_text().replace("\u00a0", " ")
    found = re.fullmatch(
        r"Of 1,000 people, ([\d,]+) sent “Yes”\. 2 × ([\d.]+) % − 50 % = (−?[\d.]+) %\. "
        r"The real percentage you set is ([\d.]+) %\.",
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
    button(still, "Everyone answers").click()
    count, share, estimate, truth = shown(still)
    assert drawn(still, ".sent-yes") == count
    assert drawn(still, ".sent-no") == 1000 - count
    assert drawn(still, ".waiting") == 0
    assert share == pytest.approx(count / 10)
    assert estimate == pytest.approx(2 * share - 50)
    assert truth == 30.5
    # Binomial, at most 16 standard deviations from the expectation: never by chance.
    assert abs(count - (250 + 305 / 2)) < 16 * 13.7
    first = still.locator("#chart .home").get_attribute("d")
    assert first.count("L") == 99
    button(still, "Everyone answers again").click()
    assert still.locator("#chart .home").get_attribute("d") != first


@pytest.mark.parametrize(("word", "count", "estimate"), [(0, 1000, 150), (3, 0, -50)])
def test_the_estimate_is_unclipped(still, live, word, count, estimate):
    """If all words are 0 (or 3), every answer gives the table's first (or last) report."""
    still.goto(live.url + "/how")
    still.evaluate(GIVEN % [word])
    button(still, "Everyone answers").click()
    assert shown(still)[::2] == (count, estimate)


@pytest.mark.slow
def test_people_arrive_in_steps_and_the_numbers_come_at_the_end(page, live):
    page.goto(live.url + "/how")
    button(page, "Everyone answers").click()
    expect(page.locator("#result p")).to_have_count(0)
    assert drawn(page, ".waiting") > 0
    expect(page.locator("#result p")).to_have_count(2)
    assert drawn(page, ".waiting") == 0


def test_a_share_that_is_none_gets_a_sentence(still, live):
    still.goto(live.url + "/how")
    typed = still.get_by_role("spinbutton")
    for wrong in ("101", "-1", "", "10.25"):
        typed.fill(wrong)
        button(still, "Everyone answers").click()
        expect(still.get_by_text("Type a number from 0 to 100")).to_be_visible()
        expect(typed).to_be_focused()
        expect(typed).to_have_attribute("aria-invalid", "true")
        typed.fill("20")
        expect(still.get_by_text("Type a number")).to_be_hidden()
        expect(typed).to_have_attribute("aria-invalid", "false")
        expect(still.get_by_role("slider")).to_have_value("20")


@pytest.mark.plain
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
    expect(still.locator("#said-sent")).to_contain_text("You said “No”")
    tab_to(still.get_by_role("slider"))
    still.keyboard.press("ArrowRight")
    expect(still.get_by_role("spinbutton")).to_have_value("11")
    tab_to(button(still, "Everyone answers"))
    still.keyboard.press("Enter")
    assert shown(still)[3] == 11


@pytest.mark.slow
def test_axe_finds_nothing_on_how_it_works(live, still):
    still.goto(live.url + "/how")
    opened(live.store, definition(UNEVEN))
    still.goto(live.url + "/s/health/how")
    no_violations(still, "of a survey")
    still.goto(live.url + "/how")
    no_violations(still)
    button(still, "Yes").click()
    button(still, "Everyone answers").click()
    still.locator("#result p").first.wait_for()
    no_violations(still)
    still.get_by_role("spinbutton").fill("200")
    button(still, "Everyone answers again").click()
    no_violations(still)


@pytest.mark.parametrize("width", WIDTHS)
def test_how_it_works_fits_any_screen_and_is_easy_to_touch(still, live, width):
    still.set_viewport_size({"width": width, "height": 700})
    still.goto(live.url + "/how")
    button(still, "Yes").click()
    button(still, "Everyone answers").click()
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
    expect(page.locator("main")).to_contain_text("A “Yes” in the data does not mean")
    expect(page.locator("main")).to_contain_text("312 of 1,000 people send “Yes”")
    context.close()


def test_how_it_works_weighs_little_and_comes_from_here_alone(page, live):
    weights: dict[str, int] = {}
    page.on("response", lambda reply: weights.update({reply.url: len(reply.body())}))
    page.goto(live.url + "/how", wait_until="networkidle")
    assert all(url.startswith(live.url) for url in weights)
    assert sum(weights.values()) < 50_000
    assert page.context.cookies() == []


# "Test this page": the same random words in each run, so each finding is reproducible.

SEEDED = """
globalThis.state = 2463534242;
Crypto.prototype.getRandomValues = function (array) {
  for (let i = 0; i < array.length; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    array[i] = state >>> 0;
  }
  return array;
};
"""


def verdict_of(page: Page, question: str, dummy: str | None = None) -> str:
    """The verdict of a test of one question, with the first simulated answer by default."""
    page.get_by_label("Question", exact=True).select_option(label=question)
    if dummy is not None:
        page.get_by_label("Made-up answer", exact=True).select_option(label=dummy)
    page.locator("#verdict").evaluate("(verdict) => verdict.replaceChildren()")
    button(page, "Test this page").click()
    page.locator("#verdict p + p").wait_for()
    return page.locator("#verdict p").first.inner_text()


def measured(page: Page) -> dict[str, list[float]]:
    """The table: promised, measured, and both limits of random variation, in percent."""
    rows = {}
    for row in page.locator("#measured tr").all():
        cells = [cell.replace("\u00a0", " ") for cell in row.locator("th, td").all_text_contents()]
        rows[cells[0]] = [float(n) for cell in cells[1:] for n in re.findall(r"[\d.]+", cell)]
    return rows


def promised(question: Question, dummy: int) -> dict[str, Fraction]:
    """The probabilities that the survey's randomizer promises for a row, or for no ticked box."""
    randomizer = question.randomizer
    labels = [report.label for report in question.reports]
    if isinstance(randomizer, OneHot):
        return {
            label: randomizer.p if place == dummy else randomizer.q
            for place, label in enumerate(labels)
        }
    if isinstance(randomizer, Boxes):
        share = Fraction(randomizer.sample, randomizer.answers)
        ticked = share * randomizer.table.probability(0, 1)
        out = dict.fromkeys(labels, ticked)
        return out | {f"{label} (left out by chance)": 1 - share for label in labels}
    return {
        label.replace("Report", "Code"): randomizer.probability(y, dummy)
        for y, label in enumerate(labels)
    }


def chance_of_beyond(p: float, low: float, high: float, n: int = 10_000) -> float:
    """The exact binomial probability outside the two shares."""
    counts = binom(n, p)
    return counts.cdf(math.ceil(low * n) - 1) + counts.sf(math.floor(high * n))


@pytest.mark.slow
@pytest.mark.parametrize("content", [EVERY_TYPE, SAMPLED], ids=["all", "sampled"])
def test_every_question_is_measured_beside_what_its_table_promises(page, live, content):
    """A correct page fails at most once in 10,000 tests.

    The test adds up the exact tails of the binomial distribution over the shares. The limits are
    widened by the page's rounding.
    """
    survey = opened(live.store, content).survey
    page.add_init_script(SEEDED)
    page.goto(live.url + "/s/health/verify")
    told = f"each of the {len(survey.private)} mixed-up answers tells about you."
    checked = f"{told} None of them tells more"
    expect(page.locator("#checked")).to_contain_text(checked)
    for question in survey.private:
        assert verdict_of(page, question.label).startswith("As promised"), question.name
        found = measured(page)
        expected = promised(question, 0)
        assert found.keys() == expected.keys()
        for label, (chance, share, low, high) in found.items():
            assert chance == pytest.approx(100 * float(expected[label]), abs=0.00501)
            assert low <= share <= high
            assert low < chance < high
        wrong = sum(
            chance_of_beyond(chance / 100, low / 100 + 5e-5, high / 100 - 5e-5)
            for chance, _, low, high in found.values()
        )
        assert wrong < 1.2 / 10_000, question.name


def test_a_number_between_two_points_is_promised_the_mixture_of_both(page, live):
    question = opened(live.store, EVERY_TYPE).survey.private[-1]
    page.add_init_script(SEEDED)
    page.goto(live.url + "/s/health/verify")
    table, width = question.randomizer, question.grid.width(question.levels.size)
    steps = 80
    low, part = steps // width, Fraction(steps % width, width)
    assert part, "70 kg is no point of this table"
    assert verdict_of(page, question.label, "70 kg").startswith("As promised")
    for y, (chance, *_) in enumerate(measured(page).values()):
        mixed = (1 - part) * table.probability(y, low) + part * table.probability(y, low + 1)
        assert chance == pytest.approx(100 * float(mixed), abs=0.00501)


CHANGES = {
    # It ignores the answer's row.
    "What of mood?": ("String(randomize(rows, answer,", "String(randomize(rows, 4,"),
    "What of colour?": ("set ? 0 : 1", "set ? 0 : 0"),
    "What of party?": ("others.splice(answer, 0, inside)", "others.unshift(inside)"),
    # The sample is not uniform: always the first.
    "What of tried?": ("words) < missing;", "words) < missing || missing > 0;"),
    # It rounds down instead of at random.
    "What of glasses?": ("< steps % width ? 1 : 0", "< 0 ? 1 : 0"),
}


@pytest.mark.slow
@pytest.mark.parametrize("question", CHANGES)
def test_a_randomizer_that_keeps_no_promise_is_found(page, live, question):
    opened(live.store, EVERY_TYPE)
    old, new = CHANGES[question]
    source = (ROOT / "static" / "respondent" / "randomizer.js").read_text()
    assert source.count(old) == 1

    def without_integrity(route: Route) -> None:
        reply = route.fetch()
        headers = {k: v for k, v in reply.headers.items() if k != "integrity-policy"}
        body = re.sub(r' integrity="[^"]*"', "", reply.text())
        route.fulfill(response=reply, headers=headers, body=body)

    page.route("**/verify", without_integrity)
    page.route(
        "**/randomizer.js",
        lambda route: route.fulfill(body=source.replace(old, new), content_type="text/javascript"),
    )
    page.add_init_script(SEEDED)
    page.goto(live.url + "/s/health/verify")
    dummy = {"What of glasses?": "26", "What of party?": "H"}.get(question)
    assert verdict_of(page, question, dummy).startswith("Not as promised")
    assert page.locator("#measured").inner_text().count("✗") >= 1


def test_a_table_that_tells_more_than_is_stated_is_named(page, live):
    opened(live.store, EVERY_TYPE)

    def changed(route: Route) -> None:
        reply = route.fetch()
        body = re.sub(r'("label":"Do you smoke.*?"epsilon":)[\d.]+', r"\g<1>0.5", reply.text())
        assert body != reply.text()
        route.fulfill(response=reply, body=body)

    page.route("**/verify", changed)
    page.goto(live.url + "/s/health/verify")
    expect(page.locator("#checked .warn")).to_contain_text("more than the survey says")


# For each update of the figures: whether they are those of the tenth choice.
NOTE_WHAT_IS_SHOWN = """
globalThis.shown = [];
globalThis.press = (place) => {
  document.getElementById('dummy').selectedIndex = place;
  document.getElementById('test').click();
};
const promised = (n) => parseFloat(
  document.querySelector(`#measured tr:nth-child(${n}) td`).textContent);
new MutationObserver(() => { shown.push(promised(10) > promised(1)); })
  .observe(document.getElementById('measured'), { childList: true });
null;
"""


@pytest.mark.slow
@soak
def test_a_test_of_many_choices_does_not_hold_up_the_page(page, live):
    """The full run has a million words, some seconds on a slow machine. The last click counts."""
    many = length(40, 100)
    choices = [{"name": f"c{n}", "label": f"Choice {n}"} for n in range(many)]
    kinds = {
        "subset": {"mechanism": "subset_selection", "epsilon": 1, "size": many * 27 // 100},
        "unary": {"mechanism": "symmetric_unary_encoding", "epsilon": 1},
    }
    opened(live.store, definition(*(
        {"name": name, "type": "select_one", "label": name, "choices": choices, "privacy": privacy}
        for name, privacy in kinds.items()
    )))  # fmt: skip
    page.goto(live.url + "/s/health/verify")
    page.set_default_timeout(60_000)
    page.evaluate(NOTE_WHAT_IS_SHOWN)
    for name in kinds:
        page.get_by_label("Question", exact=True).select_option(label=name)
        page.evaluate("[7, 9].forEach(press)")  # at once, on every machine
        expect(page.locator("#verdict p")).to_have_text("Testing…")
        expect(page.locator("#results")).to_be_hidden()
        page.locator("#verdict p + p").wait_for()
        assert page.locator("#verdict p").first.inner_text().startswith("As promised")
        highest = max(measured(page).items(), key=lambda row: row[1][0])
        assert highest[0] == "Choice 9"
        assert page.evaluate("shown.splice(0)") == [True]  # nothing of the earlier press


@pytest.mark.plain
def test_the_keyboard_alone_tests_the_page(page, live):
    opened(live.store, EVERY_TYPE)
    page.goto(live.url + "/s/health/verify")
    page.get_by_role("link", name="Health", exact=True).focus()
    focused = page.locator(":focus")
    page.keyboard.press("Tab")
    expect(focused).to_have_id("question")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    expect(focused).to_have_id("dummy")
    expect(focused.locator("option").first).to_have_text("A")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("As promised")


@pytest.mark.slow
def test_axe_finds_nothing_on_the_pages_for_checking(live, still):
    opened(live.store, EVERY_TYPE)
    still.goto(live.url + "/verify")
    no_violations(still)
    still.goto(live.url + "/s/health/verify")
    no_violations(still)
    verdict_of(still, "What of tried?")
    for summary in still.locator("summary").all():
        summary.click()
    no_violations(still)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", ["/verify", "/s/health/verify"])
def test_the_pages_for_checking_fit_any_screen(page, live, width, path):
    opened(live.store, EVERY_TYPE)
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(live.url + path)
    if page.locator("#test").count():
        verdict_of(page, "What of tried?")
        for summary in page.locator("summary").all():
            summary.click()
    assert fits(page)
    for control in page.locator("button:visible, select:visible").all():
        assert control.bounding_box()["height"] >= 44


def test_without_javascript_the_checks_can_be_read_and_the_test_says_what_it_needs(live, browser):
    opened(live.store, EVERY_TYPE)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live.url + "/s/health/verify")
    expect(page.locator("noscript p")).to_contain_text("The test needs JavaScript")
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("sha256sum")
    context.close()


@pytest.mark.slow
def test_testing_sends_nothing(page, live):
    opened(live.store, EVERY_TYPE)
    requests: list[str] = []
    page.goto(live.url + "/s/health/verify", wait_until="networkidle")
    page.on("request", lambda request: requests.append(request.url))
    verdict_of(page, "What of tried?")
    assert requests == []
    assert page.context.cookies() == []
