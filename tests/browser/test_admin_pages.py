"""The researchers' pages in a real browser: usable, accessible, at any width, light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from survey.core.languages import LANGUAGES, MAIN, Words
from tests.browser.looks import OF_WHAT_IS_SEEN, sound
from tests.support.admin_pages import LOOKS, OPEN, OUTSIDE, PAGES, RESULTS, STRANGERS, sign_in
from tests.support.builder_page import protect_by_hand
from tests.support.lengths import SOAK, soak
from tests.support.respondent_page import begin


def test_every_page_for_researchers_is_among_these(app):
    """Downloads and figures are not pages."""
    found = {
        app.url_map.bind("localhost").match(path.partition("?")[0], method="GET")[0]
        for path in [*STRANGERS, *PAGES, *RESULTS]
    }
    files = {
        *("admin.log_csv", "admin.survey_log_csv", "admin.responses", "admin.estimates"),
        *("admin.codebook_json", "admin.definition_json", "admin.definition_xlsx"),
        *("admin.export", "admin.picture", "admin.monitor", "admin.link_svg", "admin.link_png"),
        *("admin.releases_file", "admin.analysis_download", "admin.data_file"),
        "admin.coded_texts",
    }
    # These need a survey in class mode (tests/browser/test_class_page.py).
    files |= {"admin.class_page", "admin.end_class", "admin.class_ended"}
    routes = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("admin.") and "GET" in rule.methods
    }
    assert routes - files == found


@pytest.mark.slow
@soak
@pytest.mark.parametrize("part", range(2))
def test_no_page_breaks_an_accessibility_rule_or_scrolls_sideways(page, every_type, part):
    """Narrow and wide, light and dark, with half of the pages at a time."""
    page.expected_problems += ["401", "404"]

    def wear(width, scheme):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # without transitions

    def look(path):
        wear(*LOOKS[0][:2])
        page.goto(every_type + path)
        if path.endswith(("new", "edit", "preview")):  # scripts add to these pages
            page.wait_for_load_state("networkidle")
        check(path)

    def check(path):
        for width, scheme, thoroughly in LOOKS:
            wear(width, scheme)
            page.evaluate(OPEN)
            if thoroughly:
                # A narrow page shows less than a wide one.
                sound(page, path, OF_WHAT_IS_SEEN if width == 375 and not SOAK else ())
            too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
            assert not page.evaluate(too_wide), (path, width, scheme)
            if path in RESULTS:
                assert page.locator(".chart").count() > 0, path
                assert page.evaluate(OUTSIDE) == [], path

    for path in STRANGERS[part::2]:
        look(path)
    sign_in(page, every_type)
    for path in PAGES[part::2]:
        look(path)
        if path.endswith("preview"):
            page.locator("#begin").click()
            page.locator("#asking:visible").wait_for()
            check(f"{path}, the questions")
    for path in RESULTS[part::2]:
        look(path)


@pytest.mark.slow
@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != MAIN])
def test_a_phone_has_room_for_every_page_in_every_language(page, every_type, live, language):
    """axe finds nothing either. The test above has the other widths and colours."""
    page.expected_problems += ["401", "404"]
    page.set_viewport_size({"width": 375, "height": 800})
    page.emulate_media(reduced_motion="reduce")

    def look(path):
        page.goto(every_type + path)
        if path.endswith(("new", "edit")):
            page.wait_for_load_state("networkidle")
        assert page.locator("html").get_attribute("lang") == Words(language).tag, path
        page.evaluate(OPEN)
        sound(page, f"{path} in {language}")
        over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(over) <= 0, (path, language)
        if path in RESULTS:
            assert page.evaluate(OUTSIDE) == [], (path, language)

    sign_in(page, every_type)
    live.store.accounts.set_language("ada", language)
    for path in (*PAGES, *RESULTS):
        if not path.endswith("/preview"):
            look(path)
    page.context.clear_cookies()
    page.set_extra_http_headers({"Accept-Language": language})
    for path in STRANGERS:
        look(path)


@pytest.mark.slow
def test_the_check_of_charts_can_fail(page, site):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/thai-weights/results")
    word = "document.querySelector('.chart .soft')"  # every font has the digits
    assert page.evaluate(OUTSIDE) == []
    page.evaluate(f"{word}.setAttribute('x', '103%')")  # its right end
    assert len(page.evaluate(OUTSIDE)) == 1
    page.evaluate(f"{word}.setAttribute('x', 36); {word}.after({word}.cloneNode(true))")
    assert len(page.evaluate(OUTSIDE)) == 1


def test_the_axe_check_can_fail(page, site):
    sign_in(page, site)
    page.evaluate("document.querySelector('h1').insertAdjacentElement('afterend', new Image())")
    assert Axe().run(page).violations_count > 0


@pytest.mark.slow
def test_a_survey_is_built_by_keyboard_alone(page, site, live):
    sign_in(page, site)
    page.get_by_role("link", name="New survey").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Title").wait_for()

    def tab_to(label):
        for _ in range(40):
            page.keyboard.press("Tab")
            focused = page.evaluate(
                "((at) => at.labels?.[0]?.textContent ?? at.textContent)(document.activeElement)"
            )
            if focused.strip() == label:
                return
        raise AssertionError(f"Tab does not reach {label!r}")

    tab_to("Title")
    page.keyboard.type("Made by keyboard")
    tab_to("Question")
    page.keyboard.type("Do you smoke?")
    tab_to("Protection")
    page.keyboard.type("Set")  # ε, then γ: the one for the mean does not fit two answers
    page.keyboard.press("ArrowDown")
    tab_to("γ, between 0 and 1/2")
    page.keyboard.press("Control+a")
    page.keyboard.type("0.3")
    tab_to("Save and close")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Made by keyboard").wait_for()
    question = saved(page, live).questions[0]
    # "Prefer not to say" is on, so there are three answers.
    assert question.randomizer.rows == ((4, 1, 1), (1, 4, 1), (1, 1, 4))


def saved(page, live):
    """The survey whose page is open. A new survey has a random address."""
    return live.store.surveys.by_slug(page.url.rsplit("/", 1)[1]).survey


@pytest.mark.slow
def test_the_ratio_bounds_follow_what_is_typed(page, site):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/new")
    protect_by_hand(page)
    page.get_by_label("prefer not to say").uncheck()
    odds = page.locator(".preview-odds")
    odds.get_by_text("Of 100 people who answer “Yes”, 75 send “Yes” and 25 send “No”.").wait_for(
        state="attached"
    )
    page.get_by_label("Protection", exact=True).select_option("gamma")
    page.get_by_label("γ, between").fill("0.3")
    odds.get_by_text("Of 100 people who answer “Yes”, 80 send “Yes” and 20 send “No”.").wait_for(
        state="attached"
    )
    page.get_by_label("γ, between").fill("0.6")
    odds.get_by_text("type a number above 0 and below 1/2").wait_for()
    page.get_by_label("Type", exact=True).select_option("select_one")
    page.get_by_label("Protection", exact=True).select_option("epsilon")
    page.get_by_label("Choices, one per line").fill("Never\nSometimes\nOften")
    odds.get_by_text("Of 100 people who answer “Never”, about 58 send “Never”").wait_for(
        state="attached"
    )


FIRST = ["Question", "Type", "Hint (optional)"]
LAST = ["Asked only if (optional)", "Column name in the CSV file (optional)"]
DECLINED = "Offer “prefer not to say”"
OFFERED_IF = [LAST[0], "Choices offered only if (optional)", LAST[1]]
ANSWERED = ["Protection", DECLINED, "Respondents may skip the question", *LAST]
FOR_MEAN = ["Protection", "Main goal", *ANSWERED[1:]]
RANGE = ["Smallest value", "Largest value", "Step", "Unit (optional)"]
CHOICES = ["Choices, one per line"]
ORDER = "Show the choices in random order"
SHUFFLE = "Show the questions of this section in random order"
ROWS = "Show the questions of this section as rows with the same choices"
SOURCE = "Source of the answer"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("yes_no", [*FIRST, SOURCE, *ANSWERED]),
        ("select_one", [*FIRST, *CHOICES, ORDER, SOURCE, *ANSWERED[:-2], *OFFERED_IF]),
        ("select_multiple", [*FIRST, *CHOICES, ORDER, "Protection", DECLINED, *OFFERED_IF]),
        ("scale", [*FIRST, *CHOICES, SOURCE, *FOR_MEAN]),
        ("number", [*FIRST, *RANGE, SOURCE, *FOR_MEAN]),
        ("ranking", [*FIRST, *CHOICES, ORDER, *ANSWERED]),
        ("date", [*FIRST, "Earliest date", "Latest date", *LAST]),
        ("text", [*FIRST, *LAST]),
        ("note", [*FIRST, *LAST]),
        ("section", ["Heading", *FIRST[1:], SHUFFLE, ROWS, *LAST]),
    ],
)
def test_each_kind_of_question_shows_the_fields_that_it_has(page, site, kind, fields):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/new")
    page.get_by_label("Type", exact=True).select_option(kind)
    page.get_by_text("Conditions and column name").click()
    labels = page.locator(".question label:visible")
    assert [label.strip() for label in labels.all_inner_texts()] == fields
    page.locator(".preview-odds").wait_for(
        state="hidden" if kind in ("note", "section") else "visible"
    )


PROTECTIONS = {
    "strong": [],
    "medium": [],
    "light": [],
    "coin_flip": [],
    "gamma": ["γ, between 0 and 1/2"],
    "epsilon": ["Privacy loss ε"],
    "other": ["Mechanism as JSON"],
    "none": [],
    "mean": ["Privacy loss ε"],
}


def test_each_protection_shows_its_own_field(page, site):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/new")
    for protection, fields in PROTECTIONS.items():
        if protection == "mean":  # is not offered for yes and no
            page.get_by_label("Type", exact=True).select_option("number")
        page.get_by_label("Protection", exact=True).select_option(protection)
        labels = page.locator(".columns [data-for=protected] label:visible").all_inner_texts()
        assert labels == ["Protection", *fields]


def settings(page):
    """Unfold the rarely used settings."""
    page.get_by_text("Languages and privacy budget").click()


@pytest.mark.slow
def test_a_survey_of_many_types_is_built_by_hand_and_edited(page, site, live):
    page.expected_problems += ["422"]
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/new")
    protect_by_hand(page)
    page.get_by_label("Title").fill("By hand")

    def question(number, **fields):
        if number > 1:
            page.get_by_role("button", name="Add question").click()
        block = page.locator(f"#question-{number}")
        block.wait_for()
        block.get_by_text("Conditions and column name").click()
        if fields.pop("decline", False):
            block.get_by_label("prefer not to say").check()
        if "relevant" in fields:
            # By key, because a sentence that arrives meanwhile moves the button under a mouse.
            block.get_by_role("button", name="Write the conditions as text").press("Enter")
            expect(block.locator("[name$='-relevant']")).to_be_visible()
        for name in ("type", "privacy"):  # first, because they show other fields
            if name in fields:
                block.locator(f"[name$='-{name}']").select_option(fields.pop(name))
        for name, value in fields.items():
            block.locator(f"[name$='-{name}']").fill(value)
        return block

    question(1, label="Do you drink?", name="drinks", decline=True)
    question(2, label="How much?", name="litres", type="number", min="0", max="5", step="0.5",
             unit="litres", privacy="mean", relevant="drinks: yes", otherwise="0")  # fmt: skip
    question(3, label="How old are you?", name="years", type="number", min="10", max="90",
             unit="years", privacy="none")  # fmt: skip
    block = question(4, label="Which?", name="which", type="select_multiple",
                     choices="Beer\nWine\nSpirits", privacy="epsilon")  # fmt: skip
    block.get_by_text("Of 100 people with the same ticks").or_(
        block.get_by_text("of 100 people who ticked it")
    ).first.wait_for(state="attached")
    question(5, label="Thank you for coming so far.", type="note", relevant="years: at least 18")
    question(6, label="How do you feel?", name="mood", type="scale", choices="Low\nHigh",
             privacy="epsilon", relevant="years: 18 to 65\ndrinks: yes, no")  # fmt: skip
    question(7, label="Anything else?", type="text", name="remarks")
    settings(page)
    page.get_by_label("Private questions per respondent").fill("4")
    page.get_by_role("button", name="Save and close").click()
    page.get_by_text(
        "type a whole number below the number of private questions, or leave it empty."
    ).first.wait_for()
    page.get_by_label("Private questions per respondent").fill("2")
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("heading", name="By hand").wait_for()
    page.get_by_text(
        "Each respondent reports on 2 of the 4 private questions, chosen at random."
    ).first.wait_for(state="attached")
    survey = saved(page, live)
    assert [(q.name, q.type) for q in survey.questions] == [
        ("drinks", "yes_no"), ("litres", "number"), ("years", "number"),
        ("which", "select_multiple"), ("q5", "note"), ("mood", "scale"), ("remarks", "text"),
    ]  # fmt: skip
    assert [q.relevant for q in survey.questions] == [
        None, {"drinks": ["yes"]}, None, None, {"years": {"min": 18}},
        {"years": {"min": 18, "max": 65}, "drinks": ["yes", "no"]}, None,
    ]  # fmt: skip
    assert survey.questions[0].offers_to_decline
    assert [q.non_private for q in survey.asked] == [False, False, True, False, False, True]
    # edited: what was typed is there, also what is folded away elsewhere
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("button", name="Expand all").click()
    assert page.locator("#question-2 [name$=relevant]").input_value() == "drinks: yes"
    assert page.locator("#question-2 [name$=otherwise]").is_visible()
    assert not page.locator("#question-3 [name$=relevant]").is_visible()
    page.locator("#question-2 [name$=max]").fill("4.75")
    page.get_by_role("button", name="Save and close").click()
    fault = page.get_by_role("link", name="Question 2, Step: the largest value is not a whole")
    expect(page.get_by_role("button", name="Save and close")).to_be_enabled()  # questions are drawn
    fault.click()
    assert page.evaluate("document.activeElement.name") == "questions-1-step"
    page.locator("#question-2 [name$=max]").fill("4.5")
    page.get_by_role("button", name="Save and close").click()
    page.get_by_role("link", name="Preview").wait_for()
    assert saved(page, live).questions[1].grid.high == 4.5


@pytest.mark.slow
def test_faults_and_ratio_bounds_follow_a_number_as_it_is_typed(page, site):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/new")
    protect_by_hand(page)
    odds = page.locator(".preview-odds")
    page.get_by_label("Type", exact=True).select_option("number")
    odds.get_by_text("Smallest value: type a number").wait_for()
    page.get_by_label("Smallest value").fill("30")
    page.get_by_label("Largest value").fill("150")
    page.get_by_label("Unit").fill("kg")
    odds.get_by_text("one of a few codes").first.wait_for(state="attached")
    page.get_by_label("Main goal").select_option("shares")
    odds.get_by_text("send a value at most 24 kg away from it").first.wait_for(state="attached")
    page.get_by_label("Question", exact=True).fill("How heavy are you?")
    page.get_by_label("Title").fill("Weights")
    # It affects the reports whether somebody may not be asked.
    page.get_by_role("button", name="Add question").click()
    second = page.locator("#question-2")
    second.get_by_label("prefer not to say").uncheck()
    odds = second.locator(".preview-odds")
    odds.get_by_text("75 send “Yes” and 25 send “No”").first.wait_for(state="attached")
    second.get_by_text("Conditions and column name").click()
    second.get_by_role("button", name="Write the conditions as text").click()
    second.get_by_label("Asked only if").fill("q1: at least 40")
    odds.get_by_text("60 send “Yes”, 20 send “No” and 20 send “Not asked”").first.wait_for(
        state="attached"
    )
    second.get_by_label("Answer for people who are not asked").fill("no")
    odds.get_by_text("75 send “Yes” and 25 send “No”").first.wait_for(state="attached")
    second.get_by_label("prefer not to say").check()
    odds.get_by_text("60 send “Yes”, 20 send “No” and 20 send “Prefer not to say”.").first.wait_for(
        state="attached"
    )


def test_enter_in_a_text_field_saves_and_does_not_press_another_button(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/new")
    page.get_by_label("Question", exact=True).fill("Do you smoke?")
    page.get_by_text("Introduction and address").click()
    page.get_by_label("Address").fill("entered")
    page.get_by_label("Title").fill("Entered")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Entered").wait_for()
    assert len(live.store.surveys.by_slug("entered").survey.questions) == 1


def test_pressing_save_twice_saves_once(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/new")
    page.get_by_label("Title").fill("Twice")
    page.get_by_label("Question", exact=True).fill("Do you smoke?")
    page.get_by_role("button", name="Save and close").dblclick()
    page.get_by_role("heading", name="Twice").wait_for()
    page.get_by_text("Draft saved.").wait_for()


@pytest.mark.slow
def test_from_opening_to_results_by_mouse(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/draft")
    page.get_by_role("checkbox", name="I have checked the").check()
    page.get_by_role("button", name="Open survey").click()
    page.get_by_text("The survey is open.").wait_for()
    assert page.get_by_role("link", name="/s/draft").is_visible()
    page.get_by_role("link", name="Results").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="estimates.csv").click()
    assert download.value.suggested_filename == "draft-estimates.csv"
    page.get_by_role("link", name="Overview", exact=True).click()
    page.get_by_role("button", name="Close").click()
    page.get_by_text("The survey is closed.").wait_for()
    page.get_by_text("Reopen survey").first.click()
    page.get_by_role("button", name="Reopen survey").click()
    page.get_by_text("The survey is open again.").wait_for()


@pytest.mark.slow
def test_the_preview_goes_to_the_end_and_sends_nothing(page, site, live):
    sign_in(page, site)
    sent = []
    page.on("request", lambda request: sent.append(request.method))
    page.goto(f"{site}/admin/surveys/smoking-and-exams/preview")
    begin(page)
    check, following = page.locator("#check"), page.locator("#next")
    while True:  # the demo asks one question at a time
        page.locator("#answers fieldset:visible").get_by_text("Yes", exact=True).click()
        if check.is_visible():
            break
        following.click()
    check.click()
    page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Preview: nothing was sent.").wait_for()
    assert set(sent) == {"GET"}
    assert live.store.counts.by_question("smoking-and-exams") == {}


def test_the_results_page_is_legible_in_print(page, site):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/smoking-and-exams-simulated/results")
    page.emulate_media(media="print")
    colours = page.evaluate(
        """() => [...document.querySelectorAll('.chart .estimate, .chart .interval, h1, td')]
            .map((e) => getComputedStyle(e)).map((s) => s.color)"""
    )
    assert set(colours) == {"rgb(0, 0, 0)"}
    # The paper shows what is folded on the screen: formula, bound, n.
    folded = page.locator(".formula").first
    assert folded.evaluate("(e) => e.checkVisibility({ contentVisibilityAuto: true })")
    page.emulate_media(media="screen")
    assert not folded.evaluate("(e) => e.checkVisibility({ contentVisibilityAuto: true })")
    page.emulate_media(media="print")
    assert not page.locator(".actions").first.is_visible()
