"""Trying a survey in a real browser: the form of the simulation, and test mode to the end."""

import re

import pytest
from playwright.sync_api import expect

from survey.definition.frozen import freeze
from survey.definition.sub_surveys import practice_of
from survey.definition.survey import parse_survey
from survey.store import OWNER, Account
from tests.browser.looks import looks, sound
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE
from tests.support.researchers import PASSWORD, password_hash
from tests.support.respondent_page import answer, send

LONG_THAI = "คุณสูบบุหรี่หรือผลิตภัณฑ์ยาสูบอื่นๆในช่วงสามสิบวันที่ผ่านมาหรือไม่" * 2
TEXTS = {"title": "สุขภาพ", "questions": {"smokes": {"label": "คุณสูบบุหรี่ไหม"}}}
MARK = "Test mode: what you send here is not part of the survey."


@pytest.fixture
def site(live):
    store = live.store
    for content in (
        definition(translations={"th": TEXTS}),
        EVERY_TYPE | {"slug": "every", "texts_apart": True},
        definition(yes_no(label=LONG_THAI), slug="thai", title=LONG_THAI, language="th"),
    ):
        store.surveys.save_draft(parse_survey(content))
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    return live


def sign_in(page, site):
    page.goto(f"{site.url}/admin/sign-in")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.slow
def test_from_a_draft_to_a_pilot_and_to_practice_and_back(page, site):
    sign_in(page, site)
    page.goto(f"{site.url}/admin/surveys/health")
    page.get_by_role("link", name="Test", exact=True).click()
    page.get_by_label("Number of respondents").fill("2000")
    page.get_by_label("Yes").fill("30")
    page.get_by_label("No", exact=True).fill("70")
    page.get_by_role("button", name="Run simulation").click()
    expect(page.get_by_text("Simulation: nobody was asked.")).to_be_visible()
    expect(page.locator('[data-assumed="yes"]')).to_contain_text(re.compile("yes|no"))
    page.get_by_role("link", name="Change simulation").click()
    assert page.get_by_label("Yes").input_value() == "30"
    page.get_by_role("button", name="Start test mode").click()
    page.get_by_text("/s/health.practice").wait_for()

    page.goto(f"{site.url}/s/health.practice")
    expect(page.get_by_text(MARK)).to_be_visible()
    answer(page, "Yes")
    expect(page.get_by_text(MARK)).to_be_visible()
    send(page)
    expect(page.get_by_text(MARK)).to_be_visible()
    assert list(site.store.responses.rows("health.practice")) in ([(0,)], [(1,)])

    page.goto(f"{site.url}/admin/surveys/health/try-out/practice")
    expect(page.get_by_text("These results are from 1 test response.")).to_be_visible()
    page.get_by_role("button", name="Delete test responses").click()
    page.get_by_role("button", name="Delete simulation").click()
    page.get_by_role("button", name="Start test mode").wait_for()
    assert site.store.surveys.by_slug("health").state == "draft"


@pytest.mark.slow
@pytest.mark.parametrize("width", [375, 1280])
def test_what_was_pressed_is_answered_in_sight(page, site, width):
    page.set_viewport_size({"width": width, "height": 640})
    page.expected_problems += ["422"]
    sign_in(page, site)
    page.goto(f"{site.url}/admin/surveys/every/try-out")
    page.get_by_role("button", name="Start test mode").click()
    expect(page.get_by_text("Test mode is on.")).to_be_in_viewport()
    page.get_by_label("Number of respondents").fill("none")
    page.get_by_role("button", name="Run simulation").click()
    box = page.get_by_role("alert").filter(has_text="The simulation did not run.")
    expect(box).to_be_focused()
    expect(box).to_be_in_viewport()
    box.get_by_role("link", name="Number of respondents").press("Enter")
    expect(page.get_by_label("Number of respondents")).to_be_in_viewport()


@pytest.mark.slow
@looks(375, 1280)
def test_related_answers_are_simulated_and_analysed(page, site, width, scheme):
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)

    def check():
        sound(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    both = definition(yes_no("drinks", label="Drinks?"), yes_no(label="Smokes?"), slug="both")
    site.store.surveys.save_draft(parse_survey(both))
    sign_in(page, site)
    page.goto(f"{site.url}/admin/surveys/both/try-out")
    page.get_by_label("Number of respondents").fill("3000")
    for question in ("drinks", "smokes"):
        page.locator(f"[name='{question}:yes']").fill("90")
        page.locator(f"[name='{question}:no']").fill("10")
    page.get_by_role("button", name="Add group 2").press("Enter")
    expect(page.get_by_label("Share of group 2")).to_be_in_viewport()
    assert page.get_by_label("Number of respondents").input_value() == "3000"
    for question in ("drinks", "smokes"):
        box = page.locator(f"[name='2:{question}:yes']")
        assert box.input_value() == "90"
        box.fill("10")
        page.locator(f"[name='2:{question}:no']").fill("90")
    check()
    # The Enter key in a field runs the simulation, and adds no group.
    box.press("Enter")
    expect(page.get_by_role("heading", name="Results of the simulation")).to_be_visible()
    page.get_by_role("link", name="Analyse the simulation").click()
    page.get_by_label("Rows").select_option(label="1. Drinks?")
    page.get_by_label("Columns").select_option(label="2. Smokes?")
    page.get_by_role("button", name="Show analysis").click()
    expect(page.get_by_text("Simulation: nobody was asked.")).to_be_visible()
    # Of 100 respondents, 41 drink and smoke, and 50 drink. So the reports have a correlation of
    # 0.16, which is 8.8 standard errors. Chance hides it in 1 of 10^11 simulations.
    expect(page.locator("#finding")).to_contain_text("are related")
    expect(page.get_by_role("heading", name="Comparison with the true answers")).to_be_visible()
    assert page.locator("#true-figures tbody tr").count() > 8
    check()
    with page.expect_download() as download:
        page.get_by_role("link", name="Table (CSV)").click()
    assert download.value.suggested_filename == "both.pilot-simulated-crosstab.csv"


@pytest.mark.plain
def test_the_mark_changes_with_the_language_in_place(page, site):
    site.store.rehearsals.start_practice(
        freeze(practice_of(site.store.surveys.by_slug("health").survey))
    )
    page.goto(f"{site.url}/s/health.practice")
    page.get_by_role("link", name="ไทย").click()
    expect(page.locator(".practice")).to_contain_text("โหมดทดสอบ")
    expect(page.get_by_text(MARK)).to_have_count(0)


@pytest.mark.slow
@looks(375, 1280)
def test_the_pages_are_accessible_and_as_wide_as_the_window(page, site, width, scheme):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.expected_problems = ["422"]
    sign_in(page, site)

    def check():
        sound(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    for slug in ("every", "thai"):
        page.goto(f"{site.url}/admin/surveys/{slug}/try-out")
        check()
        page.get_by_role("button", name="Start test mode").click()
        page.get_by_label("Number of respondents").fill("none")
        page.get_by_role("button", name="Run simulation").click()
        expect(page.get_by_role("alert")).to_contain_text("The simulation did not run.")
        check()
        page.get_by_label("Number of respondents").fill("300")
        page.get_by_role("button", name="Run simulation").click()
        expect(page.get_by_role("heading", name="Results of the simulation")).to_be_visible()
        check()
        page.goto(f"{site.url}/s/{slug}.practice")
        check()
