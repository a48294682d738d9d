"""Team, account, second factor and audit log in a browser: by keyboard only, and accessible."""

import re
import time
from datetime import date

import pyotp
import pytest
from playwright.sync_api import expect

from survey.definition.responses.invitation_codes import token_hash
from survey.definition.survey import parse_survey
from survey.store import ANALYST, EDITOR, MEMBER, OWNER, Account
from survey.store.sql.audit_log import Act
from survey.web import second_factor
from tests.browser.looks import looks, sound
from tests.support.definitions import definition, opened
from tests.support.researchers import PASSWORD, password_hash

NEW = "seven wet umbrellas dance"
LONG = "a-very-long-name.of-somebody@an-institute-with-many-words.example"[:64]


@pytest.fixture
def site(live):
    store = live.store
    store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    opened(store, definition())
    return live.url


@pytest.fixture
def full(site, live):
    """Many people, some of whom have not joined yet, and a long audit log."""
    store = live.store
    for n in range(12):
        store.accounts.add_account(
            Account(name=f"person{n}", role=EDITOR, password_hash=password_hash())
        )
    store.accounts.add_person(LONG, EDITOR, token_hash("token").hex(), int(time.time()) + 600)
    store.accounts.set_role("person1", MEMBER)
    store.accounts.set_survey_role("person1", "health", EDITOR)
    store.accounts.set_survey_role(LONG, "health", ANALYST)
    for n in range(60):
        draft = definition(slug=f"wave-{n}-with-a-long-address-of-a-survey", title=f"Wave {n}")
        store.surveys.save_draft(parse_survey(draft), creator=LONG, created=date(2026, 9, 30))
    store.factors.count_failed("person3")
    store.factors.count_failed("nobody")
    for n in range(60):
        slug = "health" if n % 2 else "a-survey-with-a-long-name-that-is-as-long-as-it-may"
        name = LONG if n % 5 == 0 else "ada"
        store.audit.record(
            Act(
                survey=slug,
                account=name,
                action="reset the password and second factor of ada",
                moment=1_800_000_000,
            )
        )
    return site


def enter(page):
    with page.expect_navigation():
        page.keyboard.press("Enter")


def follow(page, name):
    with page.expect_navigation():
        page.get_by_role("button", name=name).click()


def press(page, name):
    """Reach a link or button with the Tab key only, and press it."""
    for _ in range(40):
        page.keyboard.press("Tab")
        told = page.evaluate("document.activeElement.innerText || ''")
        if " ".join(told.split()) == name:
            enter(page)
            return
    raise AssertionError(f"{name!r} is not reached by Tab")


def reach(page, label):
    field = page.get_by_label(label, exact=True)
    for _ in range(40):
        if field.evaluate("(field) => field === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{label!r} is not reached by Tab")


def type_into(page, label, text):
    reach(page, label)
    page.keyboard.type(text)


def type_at_once(page, text):
    """Type into the field that a page gives the focus to.

    A browser does so when it first draws the page, which can be after the page is loaded.
    """
    expect(page.locator("[autofocus]")).to_be_focused()
    page.keyboard.type(text)


def sign_in(page, site, name, password):
    page.goto(f"{site}/admin/sign-in")
    type_into(page, "Sign-in name", name)
    type_into(page, "Password", password)
    enter(page)


def code_for(key, past):
    """The code of an unused step. Near the end of a step, the next one is valid as well."""
    now = int(time.time()) // 30
    return pyotp.TOTP(key).at(30 * max(now, past + 1)), max(now, past + 1)


@pytest.mark.slow
def test_from_a_new_person_to_two_steps_by_keyboard_alone(page, site, live):
    page.expected_problems += ["422", "401"]
    sign_in(page, site, "ada", PASSWORD)
    press(page, "Team")
    press(page, "Add team member")
    type_into(page, "Sign-in name", "bob")
    reach(page, "Role")
    page.keyboard.press("e")  # editor
    type_into(page, "Your password", PASSWORD)
    enter(page)
    link = page.locator("code.link").inner_text()
    assert live.store.accounts.by_name("bob").role == EDITOR
    press(page, "Sign out")

    page.goto(site + link.removeprefix("http://127.0.0.1:8000"))
    type_into(page, "Password, at least 12 characters", "password1234")
    type_into(page, "Repeat the password", "password1234")
    enter(page)
    assert page.get_by_text("This password is too easy to guess").is_visible()
    type_into(page, "Password, at least 12 characters", NEW)
    type_into(page, "Repeat the password", NEW)
    enter(page)
    page.get_by_role("heading", name="Surveys").wait_for()

    press(page, "Your account: bob")
    press(page, "Set up second factor")
    key = page.locator("code.key").inner_text().replace(" ", "")
    code, step = code_for(key, 0)
    type_into(page, "Code from the app", code)
    type_into(page, "Your password", NEW)
    enter(page)
    page.get_by_role("heading", name="The second factor is on").wait_for()
    assert page.locator(".codes code").count() == 10
    recovery = page.locator(".codes code").first.inner_text()
    page.context.grant_permissions(["clipboard-write"])
    # No page may read the clipboard, so the test reads what the button writes into it.
    button = page.get_by_role("button", name="Copy all codes")
    written = button.get_attribute("data-copy").split("\n")
    assert written == page.locator(".codes code").all_inner_texts()
    button.click()
    page.get_by_text("Copied.", exact=True).wait_for()
    press(page, "I have saved the codes")
    press(page, "Sign out")

    sign_in(page, site, "bob", NEW)
    page.get_by_role("heading", name="Second factor").wait_for()
    type_at_once(page, code)  # this code was used to turn the second factor on
    enter(page)
    assert "was already used" in page.get_by_role("alert").inner_text()
    type_at_once(page, code_for(key, step)[0])
    enter(page)
    page.get_by_role("heading", name="Surveys").wait_for()
    assert "1 failed attempt" in page.get_by_role("status").inner_text()

    press(page, "Your account: bob")
    press(page, "Turn off second factor")
    type_into(page, "Code from the app", recovery)
    type_into(page, "Your password", NEW)
    enter(page)
    assert "The second factor is off" in page.get_by_role("status").inner_text()
    assert live.store.factors.second_factor("bob") is None
    press(page, "Sign out everywhere")
    page.get_by_role("heading", name="Sign in").wait_for()


@pytest.mark.slow
def test_the_qr_code_is_drawn_dark_on_light_in_both_schemes(page, site):
    """Phones can read it only this way.

    The content security policy refuses no part of it.
    """
    sign_in(page, site, "ada", PASSWORD)
    page.goto(f"{site}/admin/account")
    follow(page, "Set up second factor")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture = page.locator(".code-picture")
        paper = picture.evaluate("(e) => getComputedStyle(e).backgroundColor")
        ink = picture.locator("path").evaluate("(e) => getComputedStyle(e).stroke")
        assert (paper, ink) == ("rgb(255, 255, 255)", "rgb(0, 0, 0)")
        assert picture.bounding_box()["width"] >= 180


@pytest.mark.slow
@looks(375, 1280)
def test_no_page_breaks_an_accessibility_rule_or_scrolls_sideways(page, full, live, width, scheme):
    page.expected_problems += ["401", "404", "409", "422"]
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)

    def check(name):
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        sound(page, name)

    for path in ("/admin/join?token=token", "/admin/join?token=used", "/admin/sign-in"):
        page.goto(full + path)
        check(path)
    sign_in(page, full, "ada", PASSWORD)
    paths = [
        *("/admin/people", "/admin/people/add", "/admin/people/ada/role"),
        *(f"/admin/people/{LONG}/reset", f"/admin/people/{LONG}/remove"),
        *("/admin/people/ada/reset", "/admin/people/nobody/role"),
        *("/admin/log", "/admin/log?account=eve", "/admin/surveys/health/log"),
        *("/admin/surveys/health/team", "/admin/", "/admin/?q=none", "/admin/?q=wave&state=draft"),
        *("/admin/account", "/admin/account/password"),
    ]
    for path in paths:
        page.goto(full + path)
        check(path)
    page.goto(f"{full}/admin/people/{LONG}/reset")
    follow(page, "Reset password and show link")
    check("with its faults")
    page.get_by_label("Your password").fill(PASSWORD)
    follow(page, "Reset password and show link")
    check("the link")
    page.goto(f"{full}/admin/account")
    follow(page, "Set up second factor")
    check("the key")
    page.get_by_label("Code from the app").fill("000000")
    page.get_by_label("Your password").fill("wrong")
    follow(page, "Turn on second factor")
    check("the key, with its faults")
    key = re.sub(r"\s", "", page.locator("code.key").inner_text())
    assert key == second_factor.derive_totp_key(
        "k" * 64, live.store.factors.second_factor("ada").salt
    )
    page.get_by_label("Code from the app").fill(code_for(key, 0)[0])
    page.get_by_label("Your password").fill(PASSWORD)
    follow(page, "Turn on second factor")
    check("the recovery codes")
    for path in ("/admin/account", "/admin/account/second-factor", "/admin/people"):
        page.goto(full + path)
        check(path)
    follow(page, "Sign out")
    sign_in(page, full, "ada", PASSWORD)
    check("the second step")
    page.get_by_label("Code from the app, or a recovery code").fill("000000")
    enter(page)
    check("the second step, with its fault")


@pytest.mark.plain
def test_a_role_on_one_survey_is_given_with_the_keyboard_and_opens_only_this_survey(
    page, site, live
):
    store = live.store
    store.accounts.add_account(Account(name="bob", role=MEMBER, password_hash=password_hash()))
    opened(store, definition(slug="other", title="Other"))
    sign_in(page, site, "bob", PASSWORD)
    assert "You have no role in a survey yet." in page.inner_text("main")
    follow(page, "Sign out")
    sign_in(page, site, "ada", PASSWORD)
    page.goto(f"{site}/admin/surveys/health")
    press(page, "Team")
    page.goto(f"{site}/admin/surveys/health/team")
    reach(page, "Team member")
    page.keyboard.type("bob")
    reach(page, "Role in this survey")
    page.keyboard.type("editor")
    type_into(page, "Your password", PASSWORD)
    enter(page)
    assert page.get_by_role("status").inner_text() == "bob is now editor of this survey."
    row = page.locator("tr", has_text="bob")
    assert row.locator("td").all_inner_texts() == ["–", "editor"]
    follow(page, "Sign out")
    sign_in(page, site, "bob", PASSWORD)
    assert page.locator(".surveys tbody th a").all_inner_texts() == ["Health"]
    page.expected_problems.append("404")
    page.goto(f"{site}/admin/surveys/other")
    assert "There is no survey 'other'." in page.inner_text("main")


def test_a_survey_among_many_is_found_with_the_keyboard(page, full):
    sign_in(page, full, "ada", PASSWORD)
    assert page.locator(".surveys tbody tr").count() == 50
    type_into(page, "Title, address or creator", "wave 17")
    enter(page)
    assert page.locator(".surveys tbody th a").all_inner_texts() == ["Wave 17"]
    assert page.get_by_role("status").inner_text() == "1 of 61 surveys matches. Show all"
    assert "by a-very-long-name" in page.inner_text(".surveys")
    press(page, "Show all")
    # It is the link after those of 50 surveys.
    page.get_by_role("link", name="Next page").focus()
    enter(page)
    assert page.locator(".surveys tbody tr").count() == 11
