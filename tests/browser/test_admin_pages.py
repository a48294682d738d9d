"""The researchers' pages in a real browser: usable, accessible, at any width, light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from survey import auth
from survey.definition import parse_survey
from survey.demo import add_demo
from survey.intake import Response
from tests.conftest import PASSWORD, definition, opened, yes_no

LONG_THAI = "คุณสูบบุหรี่หรือผลิตภัณฑ์ยาสูบอื่นๆในช่วงสามสิบวันที่ผ่านมาหรือไม่" * 2


@pytest.fixture
def site(live):
    """Drafts, open and closed surveys: empty, tiny with a negative estimate, simulated, in Thai."""
    store = live.store
    add_demo(store)
    choices = [{"name": f"c{n}", "label": f"{LONG_THAI[: 10 * n]} {n}"} for n in range(1, 9)]
    thai = definition(
        yes_no(label=LONG_THAI),
        {
            "name": "party",
            "type": "select_one",
            "label": LONG_THAI,
            "choices": choices,
            "privacy": {"epsilon": 1},
        },
        yes_no("plain", privacy="none"),
        yes_no("wide", privacy={"mechanism": "table", "rows": [[5, 3, 2], [2, 3, 5]]}),
        language="th",
        title=LONG_THAI,
    )
    opened(store, thai)
    store.add_response("health", Response(b"\1" * 16, (1, 3, 0, 2)))
    store.add_response("health", Response(b"\2" * 16, (1, 3, 1, 2)))
    store.save_draft(parse_survey({**thai, "slug": "draft"}))
    store.add_account("ada", auth.hash_password(PASSWORD))
    store.set_setup_token(auth.token_hash("token"))
    return live.url


def sign_in(page, site):
    page.goto(f"{site}/admin/sign-in")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin/")


STRANGERS = ["/admin/setup?token=token", "/admin/setup?token=used", "/admin/sign-in"]
PAGES = [
    "/admin/",
    "/admin/surveys/new",
    "/admin/surveys/draft",
    "/admin/surveys/draft/edit",
    "/admin/surveys/draft/preview",
    "/admin/surveys/smoking-and-exams",
    "/admin/surveys/smoking-and-exams-simulated",
    "/admin/surveys/health",
    "/admin/surveys/nothing",
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_no_page_breaks_an_accessibility_rule_or_scrolls_sideways(page, site, width, scheme):
    page.expected_problems += ["401", "404"]
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)

    def look(path):
        page.goto(site + path)
        page.wait_for_load_state("networkidle")
        for summary in page.locator("summary").all():
            if summary.is_visible():
                summary.click()
        found = Axe().run(page)
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"
        too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(too_wide), path

    for path in STRANGERS:
        look(path)
    sign_in(page, site)
    for path in PAGES:
        look(path)


def test_the_axe_check_can_fail(page, site):
    sign_in(page, site)
    page.evaluate("document.querySelector('h1').insertAdjacentElement('afterend', new Image())")
    assert Axe().run(page).violations_count > 0


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
    page.keyboard.press("o")  # Own gamma
    tab_to("gamma, between 0 and 1/2")
    page.keyboard.press("Control+a")
    page.keyboard.type("0.3")
    tab_to("Save draft")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Made by keyboard").wait_for()
    question = live.store.survey("made-by-keyboard").survey.questions[0]
    assert question.randomizer.rows == ((4, 1), (1, 4))


def test_the_odds_follow_what_is_typed(page, site):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/new")
    odds = page.locator(".preview-odds")
    odds.get_by_text("Of 100 people whose answer is Yes, 75 send Yes and 25 send No.").wait_for()
    page.get_by_label("Protection").select_option("gamma")
    page.get_by_label("gamma, between").fill("0.3")
    odds.get_by_text("Of 100 people whose answer is Yes, 80 send Yes and 20 send No.").wait_for()
    page.get_by_label("gamma, between").fill("0.6")
    odds.get_by_text("gamma is above 0 and below 1/2").wait_for()
    page.get_by_label("Kind").select_option("select_one")
    page.get_by_label("Protection").select_option("epsilon")
    page.get_by_label("Choices, one a line").fill("Never\nSometimes\nOften")
    odds.get_by_text("Of 100 people whose answer is Never, about 58 send Never").wait_for()


def test_enter_in_a_text_field_saves_and_does_not_press_another_button(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/new")
    page.get_by_label("Question", exact=True).fill("Do you smoke?")
    page.get_by_label("Title").fill("Entered")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Entered").wait_for()
    assert len(live.store.survey("entered").survey.questions) == 1


def test_pressing_save_twice_saves_once(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/new")
    page.get_by_label("Title").fill("Twice")
    page.get_by_label("Question", exact=True).fill("Do you smoke?")
    page.get_by_role("button", name="Save draft").dblclick()
    page.get_by_role("heading", name="Twice").wait_for()
    page.get_by_text("Draft saved.").wait_for()


def test_from_opening_to_results_by_mouse(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/draft")
    page.get_by_role("button", name="Open for responses").click()
    page.get_by_text("The survey is open.").wait_for()
    assert page.get_by_role("link", name="/s/draft").is_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="estimates.csv").click()
    assert download.value.suggested_filename == "draft-estimates.csv"
    page.get_by_role("button", name="Close").click()
    page.get_by_text("The survey is closed.").wait_for()
    page.get_by_role("button", name="Open again").click()
    page.get_by_text("The survey is open again.").wait_for()


def test_the_preview_goes_to_the_end_and_sends_nothing(page, site, live):
    sign_in(page, site)
    sent = []
    page.on("request", lambda request: sent.append(request.method))
    page.goto(f"{site}/admin/surveys/smoking-and-exams/preview")
    for fieldset in page.locator("fieldset").all():
        fieldset.get_by_text("Yes", exact=True).click()
    page.get_by_role("button", name="Check my answers").click()
    page.get_by_role("button", name="Mix up and send").click()
    page.get_by_role("heading", name="Preview: nothing was sent.").wait_for()
    assert set(sent) == {"GET"}
    assert sum(live.store.counts("smoking-and-exams")["smokes"]) == 0


def test_the_results_page_is_legible_in_print(page, site):
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/smoking-and-exams-simulated")
    page.emulate_media(media="print")
    colours = page.evaluate(
        """() => [...document.querySelectorAll('.chart .estimate, .chart .interval, h1, td')]
            .map((e) => getComputedStyle(e)).map((s) => s.color)"""
    )
    assert set(colours) == {"rgb(0, 0, 0)"}
    # what is folded on the screen is on the paper: formula, bound, n
    folded = page.locator(".formula").first
    assert folded.evaluate("(e) => e.checkVisibility({ contentVisibilityAuto: true })")
    page.emulate_media(media="screen")
    assert not folded.evaluate("(e) => e.checkVisibility({ contentVisibilityAuto: true })")
    page.emulate_media(media="print")
    assert not page.locator(".actions").first.is_visible()
