"""The page of a class in a real browser: phones in the room, the projector, and the end."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from survey.definition.survey import parse_survey
from survey.store import OWNER, Account
from tests.browser.looks import looks, no_violations, sound
from tests.support.admin_pages import sign_in
from tests.support.classes import class_definition, is_erased, send
from tests.support.definitions import opened
from tests.support.researchers import password_hash
from tests.support.respondent_page import answer
from tests.support.respondent_page import send as send_page
from tests.support.servers import Live

PAGE = "/admin/surveys/health/class"


@pytest.fixture
def projector(live: Live, page: Page) -> Page:
    """The page of a class, for a signed-in teacher."""
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    opened(live.store, class_definition())
    page.set_viewport_size({"width": 1280, "height": 900})
    sign_in(page, live.url)
    return page


def dots(page: Page):
    return page.locator("#shown svg.chart circle.estimate")


def news(page: Page) -> None:
    """Let the script ask for the number of responses."""
    with page.expect_response("**/monitor.json?*"):
        page.clock.run_for(10_000)


@pytest.mark.plain
def test_the_chart_grows_without_a_reload(live, projector):
    page = projector
    page.clock.install()
    page.goto(f"{live.url}{PAGE}")
    expect(page.get_by_text("No estimate yet.")).to_be_visible()
    expect(page.get_by_role("button", name="Update")).to_be_hidden()
    send(live.store, 0, 0, 1)
    news(page)
    expect(page.locator(".arrived")).to_have_text("Responses: 3")
    send(live.store, 0, 1, seed=2)
    news(page)
    expect(page.locator(".estimate-now")).to_have_text(re.compile(r"Yes: 70\s%"))
    expect(dots(page)).to_have_count(1)
    page.get_by_label("Raised hands").fill("7")
    page.get_by_label("People asked").fill("20")
    page.get_by_label("People asked").press("Tab")
    expect(page.locator("#shown")).to_contain_text("7 of 20 people raised a hand")
    expect(page.locator("#shown svg.chart line.hands")).to_have_count(1)
    send(live.store, 0, 1, 0, 1, 0, seed=3)
    news(page)
    expect(dots(page)).to_have_count(2)
    # What the teacher typed is still there.
    expect(page.get_by_label("Raised hands")).to_have_value("7")
    expect(page.locator("#shown")).to_contain_text("7 of 20 people raised a hand")
    page.expected_problems.append("422")
    page.get_by_label("Raised hands").fill("21")
    page.get_by_label("Raised hands").press("Enter")
    expect(page.locator("#error-asked")).to_contain_text("More people raised a hand")
    expect(dots(page)).to_have_count(2)


def test_a_server_that_does_not_answer_is_reported(live, projector):
    page = projector
    page.goto(f"{live.url}{PAGE}")
    page.expected_problems.append("Failed to load resource")
    page.route(f"**{PAGE}", lambda route: route.abort())
    page.get_by_label("Raised hands").fill("7")
    page.get_by_label("Raised hands").press("Tab")
    expect(page.locator("#said")).to_contain_text("The estimate was not updated")
    page.unroute(f"**{PAGE}")
    page.get_by_label("People asked").fill("9")
    page.get_by_label("People asked").press("Tab")
    expect(page.locator("#shown")).to_contain_text("7 of 9 people raised a hand")
    expect(page.locator("#said")).to_be_empty()


@pytest.mark.slow
def test_a_class_from_the_first_phone_to_the_end(live, projector, settings, browser: Browser):
    page = projector
    phone = browser.new_page(viewport={"width": 375, "height": 667})
    phone.goto(f"{live.url}/s/health?language=en")
    expect(phone.locator(".class-note")).to_contain_text("everyone sees results after every 5")
    answer(phone, "Yes")
    send_page(phone)
    page.goto(f"{live.url}{PAGE}")
    expect(page.locator(".arrived")).to_have_text("Responses: 1")
    page.get_by_role("link", name="End the class…").click()
    no_violations(page)
    page.get_by_role("button", name="End the class and erase everything").click()
    expect(page.get_by_role("heading", name="The class is over")).to_be_visible()
    expect(page.get_by_text("“Health” is erased, with 1 response.")).to_be_visible()
    no_violations(page)
    assert is_erased(settings.database)
    assert phone.goto(f"{live.url}/s/health").status == 404
    phone.close()


@pytest.mark.slow
@looks(375, 1280)
def test_the_page_is_sound(live, projector, width, scheme):
    page = projector
    for seed in range(4):
        send(live.store, 0, 0, 1, 0, 1, seed=seed)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{live.url}{PAGE}")
    page.get_by_label("Raised hands").fill("9")
    page.get_by_label("People asked").fill("20")
    page.get_by_label("People asked").press("Tab")
    expect(page.locator("#shown svg.chart line.hands")).to_have_count(1)
    sound(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.slow
@looks(375, 1280)
def test_the_page_of_the_privacy_loss_is_sound(live, page, width, scheme):
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    live.store.surveys.save_draft(parse_survey(class_definition()))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    sign_in(page, live.url)
    page.goto(f"{live.url}{PAGE}-loss")
    page.get_by_label("Another ε").fill("1.5")
    page.get_by_role("button", name="Show its intervals").click()
    page.get_by_label("ε = 1.5").check()
    sound(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name="Use this privacy loss").click()
    expect(page.get_by_text("1 private question has the chosen privacy loss now.")).to_be_visible()


@pytest.mark.slow
def test_without_scripts_a_button_updates_the_page(live, projector, browser: Browser):
    state = projector.context.storage_state()
    context = browser.new_context(java_script_enabled=False, storage_state=state)
    page = context.new_page()
    page.goto(f"{live.url}{PAGE}")
    for seed in range(2):
        send(live.store, 0, 0, 1, 0, 1, seed=seed)
        page.get_by_role("button", name="Update").click()
        expect(dots(page)).to_have_count(seed + 1)
    context.close()
