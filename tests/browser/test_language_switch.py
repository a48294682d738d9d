"""Another language while answering: no choice is lost, and every text is in the new language.

The test marks the page in the other language: each of its texts begins with a tilde. It therefore
detects texts that were not replaced, regardless of the state of the translations.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from survey.core.languages import Words
from tests.support.definitions import definition, opened, yes_no
from tests.support.respondent_page import FAST, answer, begin, start
from tests.support.servers import Live

VIETNAMESE = Words("vi")
OFTEN = {
    "name": "often", "type": "select_multiple", "label": "Which?", "relevant": {"smokes": "yes"},
    "choices": [{"name": "pipe", "label": "Pipe"}, {"name": "cigar", "label": "Cigar"}],
    "prefer_not_to_say": True, "privacy": "none", "hint": "Of these.",
}  # fmt: skip
WEIGHT = {
    "name": "weight", "type": "number", "label": "Your weight?", "min": 30, "max": 150,
    "step": 0.5, "unit": "kg", "privacy": {"epsilon": 1},
}  # fmt: skip
REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
TRANSLATION = {
    "title": "Sức khỏe",
    "questions": {
        "smokes": {"label": "Bạn có hút thuốc không?"},
        "often": {
            "label": "Loại nào?", "hint": "Trong số này.",
            "choices": {"pipe": "Tẩu", "cigar": "Xì gà"},
        },
        "weight": {"label": "Bạn nặng bao nhiêu?", "unit": "kí"},
        "remarks": {"label": "Còn gì nữa không?"},
    },
}  # fmt: skip

CONTENT = definition(
    yes_no(privacy="none"), OFTEN, WEIGHT, REMARKS, yes_no("drinks", label="Do you drink?"),
    translations={"vi": {
        "title": "Sức khỏe",
        "questions": TRANSLATION["questions"] | {"drinks": {"label": "Bạn có uống không?"}},
    }},
)  # fmt: skip
LABELS = [
    "Bạn có hút thuốc không?", "Loại nào?", "Bạn nặng bao nhiêu?", "Còn gì nữa không?",
    "Bạn có uống không?",
]  # fmt: skip
# Lists have the answers that are mixed up first.
BY_PROTECTION = [LABELS[2], LABELS[4], LABELS[0], LABELS[1], LABELS[3]]
PATH = "/s/health"


@pytest.fixture
def survey(live: Live, page: Page) -> Page:
    """The questions in English. If the page is loaded again, the mark is lost."""
    opened(live.store, CONTENT)
    page.add_init_script(FAST)
    start(page, live.url + PATH)
    page.evaluate("globalThis.mark = 'still the same page'")
    return page


def switch(page: Page, name: str = "Tiếng Việt", code: str = "vi") -> None:
    page.get_by_role("link", name=name).click()
    page.locator(f"html[lang={code}]").wait_for()


def fill(page: Page) -> None:
    page.locator("[data-question=smokes] label").first.click()
    page.locator("[data-question=often] label").nth(1).click()
    page.locator("[data-question=weight] input").fill("62,5")
    page.locator("[data-question=remarks] textarea").fill("Nothing more.")
    page.locator("[data-question=drinks] label").last.click()


def filled(page: Page) -> bool:
    checked = page.locator("#answers input").evaluate_all("(all) => all.map((e) => e.checked)")
    return (
        checked == [True, False, False, True, False, False, False, True]
        and page.locator("[data-question=weight] input").input_value() == "62,5"
        and page.locator("textarea").input_value() == "Nothing more."
    )


def is_the_same_page(page: Page) -> bool:
    return bool(page.evaluate("globalThis.mark === 'still the same page'"))


def reviewed(page: Page) -> dict[str, str]:
    terms = page.locator("#chosen dt .label").all_text_contents()
    return dict(
        zip(terms, page.locator("#chosen dd:not(.change)").all_text_contents(), strict=True)
    )


REVIEWED = dict(zip(LABELS, ["Có", "Xì gà", "62,5 kí", "Nothing more.", "Không"], strict=True))


@pytest.mark.plain
def test_in_the_middle_of_answering_nothing_chosen_is_lost(survey, live):
    fill(survey)
    requests: list[tuple[str, str, str | None]] = []

    def note(each: Request) -> None:
        # The icon, which the browser requests at any time.
        if each.resource_type != "other":
            requests.append((each.method, each.url.removeprefix(live.url), each.post_data))

    survey.on("request", note)
    switch(survey)
    assert requests == [("GET", f"{PATH}?language=vi", None)]
    assert filled(survey)
    assert is_the_same_page(survey)
    assert survey.locator("legend .label").all_inner_texts() == LABELS
    assert survey.title() == VIETNAMESE.say("Survey")
    assert survey.locator("h1").inner_text() == "Sức khỏe"
    boxes = survey.locator("[data-question=often] .choice").all_inner_texts()
    assert boxes == ["Tẩu", "Xì gà", VIETNAMESE.say("Prefer not to say")]
    assert survey.locator("[data-question=weight] .unit").inner_text() == "kí"
    expect(survey.locator("#check")).to_have_text(VIETNAMESE.say("Check my answers"))
    expect(survey).to_have_url(f"{live.url}{PATH}?language=vi")
    assert survey.evaluate("history.state") == {"step": 1}
    current = survey.locator("nav [aria-current]")
    expect(current).to_have_count(1)
    expect(current).to_have_text("Tiếng Việt")
    expect(current).to_be_focused()


def test_and_back_again_all_is_as_it_was(survey, live):
    """Regression: the links came from the other page.

    A second click then loaded the page again.
    """
    before = survey.locator("main").inner_text()
    switch(survey)
    assert survey.locator("main").inner_text() != before
    switch(survey, "English", "en")
    assert survey.locator("main").inner_text() == before
    expect(survey).to_have_url(f"{live.url}{PATH}?language=en")
    assert is_the_same_page(survey)


def test_errors_and_follow_ups_stay_where_they_were(survey):
    """Regression: hidden sentences replaced the errors, which were then invisible."""
    survey.locator("#check").click()
    wrong = survey.locator(".error:visible")
    count = wrong.count()
    switch(survey)
    expect(wrong).to_have_count(count)
    assert count == 3
    expect(survey.locator("[aria-invalid]")).to_have_count(count)
    expect(survey.locator("[data-question=often]")).to_be_hidden()
    survey.locator("[data-question=smokes] label").first.click()
    expect(survey.locator("[data-question=often]")).to_be_visible()
    said = f"{VIETNAMESE.say('One more question:')} Loại nào?"
    expect(survey.locator("#further")).to_have_text(said)
    fill(survey)
    survey.locator("#check").click()
    assert reviewed(survey) == REVIEWED


@pytest.mark.slow
def test_in_the_review_the_list_is_in_the_other_language(survey):
    fill(survey)
    survey.locator("#check").click()
    assert [*reviewed(survey).values()] == ["62.5 kg", "No", "Yes", "Cigar", "Nothing more."]
    switch(survey)
    assert reviewed(survey) == REVIEWED
    buttons = survey.locator("#chosen button")
    change = VIETNAMESE.say("Change")
    assert buttons.first.inner_text() == change
    names = [each.get_attribute("aria-label") for each in buttons.all()]
    assert names == [f"{change}: {label}" for label in BY_PROTECTION]
    ways = [VIETNAMESE.say(text) for text in ("Will be mixed up", "Will be sent as you gave them")]
    assert survey.locator("#chosen h3").all_text_contents() == ways
    expect(survey.locator("#send")).to_have_text(VIETNAMESE.say("Mix up and send"))
    survey.go_back()
    expect(survey.locator("#asking")).to_be_visible()
    assert filled(survey)
    assert is_the_same_page(survey)


@pytest.mark.slow
def test_after_sending_it_tells_in_the_other_language_what_was_sent(survey, live):
    fill(survey)
    survey.locator("#check").click()
    survey.locator("#send").click()
    survey.locator("#done:visible").wait_for()
    survey.locator("#sent summary").click()
    told = survey.locator("#left dd").all_inner_texts()
    sent = survey.locator("#bytes").inner_text()
    switch(survey)
    assert survey.locator("#left dt .label").all_text_contents() == BY_PROTECTION
    other = survey.locator("#left dd").all_text_contents()
    assert other[2:4] == ["Có", "Xì gà"]
    assert other[1] == {"Yes": "Có", "No": "Không"}[told[1]]
    assert survey.locator("#bytes").text_content() == sent
    assert len(list(live.store.responses.rows("health"))) == 1
    survey.reload()
    expect(survey.locator("#again")).to_be_visible()
    assert survey.evaluate("document.documentElement.lang") == "vi"


@pytest.mark.slow
def test_while_it_cannot_be_sent_it_says_so_in_the_other_language(survey):
    survey.expected_problems.append("Failed to load resource")
    survey.route("**/responses", lambda route: route.fulfill(status=503))
    fill(survey)
    survey.locator("#check").click()
    survey.locator("#send").click()
    survey.locator("#retry:visible").wait_for()
    stuck = "Not sent yet. Keep this tab open: it is tried again by itself every half minute."
    expect(survey.locator("#progress")).to_have_text(stuck)
    survey.route("**/s/health?language=vi", marked)
    switch(survey)
    stuck_there = f"~{VIETNAMESE.say(stuck)}"
    expect(survey.locator("#progress")).to_have_text(stuck_there)
    expect(survey.locator("#retry")).to_be_visible()
    survey.unroute("**/responses")
    # The page may try again by itself first, and then the button is gone.
    survey.locator("#retry").dispatch_event("click")
    survey.locator("#done:visible").wait_for()


def marked(route: Route) -> None:
    """The page with a tilde before each text, in elements and in the texts of scripts."""
    response = route.fetch()
    body = re.sub(r">(\s*)([^<>{\s][^<>]*)<", r">\1~\2<", response.text())
    body = re.sub(r'( (?:data-(?:stuck|words|change)|aria-label)=")', r"\1~", body)
    route.fulfill(response=response, body=body)


EVERYTHING = {
    "asked_by": "University of Example", "contact": "a@example.org", "minutes": 3,
    "introduction": "A few words.", "support": "Call 111.", "series": "habits",
    "invitations": True, "receipts": True, "comprehension": True,
    "budget": {"per_respondent": {"sample": 1}},
}  # fmt: skip
PARTS = """() => {
  const body = document.body.cloneNode(true);
  body.querySelectorAll('script, noscript').forEach((each) => each.remove());
  return body.outerHTML.replace(/\\s+/g, ' ').replaceAll('> ', '>').replaceAll(' <', '<');
}"""


@pytest.mark.parametrize("layout", ["all_on_one_page", "one_at_a_time"])
def test_every_text_is_taken_over(live, page, layout):
    """After a switch at the start, the page equals the one loaded in the language, tag for tag."""
    translation = CONTENT["translations"]["vi"]
    texts = {"introduction": "Vài lời.", "support": "Gọi 111.", "asked_by": "Đại học",
             "contact": "a@example.org"}  # fmt: skip
    opened(
        live.store,
        CONTENT | EVERYTHING | {"layout": layout, "translations": {"vi": translation | texts}},
    )
    page.goto(live.url + PATH)
    page.locator("#start:visible").wait_for()
    page.route("**/s/health?language=vi", marked)
    switch(page)
    switched = page.evaluate(PARTS)
    page.reload()
    page.locator("#start:visible").wait_for()
    assert page.evaluate(PARTS) == switched
    assert switched.count("~") > 100


def test_what_was_tossed_and_forgotten_is_said_in_the_other_language(live, page):
    opened(live.store, CONTENT | {"series": "habits"})
    page.goto(live.url + PATH)
    page.evaluate(f"localStorage.setItem('candor series habits', '{'0f' * 32}')")
    page.reload()
    page.locator("#begin").click()
    page.locator("#forget").click()
    page.locator("#unstart").click()
    page.get_by_text("How does it work?").click()
    page.locator("[data-toss='0']").click()
    expect(page.locator("#tossed")).to_contain_text("of 1 tries")
    page.route("**/s/health?language=vi", marked)
    switch(page)
    expect(page.locator("#tossed")).to_have_text(re.compile("^~"))
    expect(page.locator("#forgotten")).to_have_text(re.compile("^~"))


def test_one_at_a_time_the_place_stays_and_is_said_in_the_other_language(live, page):
    opened(live.store, CONTENT | {"layout": "one_at_a_time"})
    start(page, live.url + PATH)
    page.locator("[data-question=smokes] label").first.click()
    page.locator("#next").click()
    page.locator("[data-question=often] label").first.click()
    switch(page)
    expect(page.locator("[data-question]:visible")).to_have_attribute("data-question", "often")
    expect(page.locator("[data-question=often] .label")).to_have_text("Loại nào?")
    bar = page.get_by_role("progressbar", name=VIETNAMESE.say("Progress"))
    assert bar.evaluate("(bar) => bar.value") == 2
    page.locator("#previous").click()
    expect(page.locator("[data-question=smokes] :checked")).to_have_count(1)


# If the page cannot be fetched, everything stays, with a message.


@pytest.fixture
def failing(live: Live, browser: Browser) -> Iterator[Page]:
    opened(live.store, CONTENT)
    context = browser.new_context()
    yield context.new_page()
    context.close()


FAILURES = {
    "no connection": lambda route: route.abort(),
    "500": lambda route: route.fulfill(status=500),
    "another page": lambda route: route.fulfill(
        body="<!doctype html><html lang=vi><body><main></main>", content_type="text/html"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("fragment", ["", "#kiosk"])
def test_where_the_fetch_fails_nothing_is_lost_and_it_is_said(live, failing, failure, fragment):
    """The respondent can try again."""

    def fail(route: Route) -> None:
        if route.request.resource_type == "xhr":
            FAILURES[failure](route)
        else:
            route.continue_()

    failing.route("**/s/health?language=vi", fail)
    start(failing, live.url + PATH + fragment)
    failing.locator("#answers input").first.check()
    failing.locator("[data-language][lang=vi]").click()
    expect(failing.locator("#unchanged")).to_contain_text("could not be loaded")
    assert failing.url == f"{live.url}{PATH}{fragment}"
    assert failing.locator(":checked").count() == 1
    failing.unroute_all()
    switch(failing)
    expect(failing.locator("#unchanged")).to_be_hidden()
    # A kiosk keeps the address, so that a reload returns to the language of its link.
    query = "" if fragment else "?language=vi"
    expect(failing).to_have_url(f"{live.url}{PATH}{query}{fragment}")
    assert failing.locator(":checked").count() == 1


def test_a_survey_in_one_language_offers_no_other(live, page):
    opened(live.store, definition())
    page.goto(live.url + PATH)
    begin(page)
    assert page.locator("nav, [data-language]").count() == 0
    answer(page, "Yes")


def test_a_refusal_stays_and_is_told_in_the_other_language(survey):
    survey.expected_problems.append("Failed to load resource")
    survey.route("**/responses", lambda route: route.fulfill(status=410))
    fill(survey)
    survey.locator("#check").click()
    survey.locator("#send").click()
    survey.locator("#rejected:visible").wait_for()
    switch(survey)
    expect(survey.locator("[data-status]:visible")).to_have_count(1)
    expect(survey.locator("[data-status]:visible")).to_have_attribute("data-status", "410")


def test_what_a_survey_lacks_stays_silent_in_the_script_that_all_surveys_share(live, page):
    """Nothing is mixed up, and there is no receipt and no completion link.

    A part of the script that missed its elements would stop the parts after it, or be an error at
    the change of the language.
    """
    questions = {"smokes": TRANSLATION["questions"]["smokes"]}
    translation = {"title": TRANSLATION["title"], "questions": questions}
    opened(live.store, definition(yes_no(privacy="none"), translations={"vi": translation}))
    page.goto(live.url + PATH)
    for absent in ("practice", "complete", "usable", "outcome"):
        assert page.locator(f"#{absent}").count() == 0
    begin(page)
    page.get_by_role("link", name="Tiếng Việt").click()
    page.locator("#answers").get_by_text(LABELS[0]).wait_for()
