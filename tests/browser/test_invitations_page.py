"""Creating invitations on a survey's page in a real browser, and the printed slips."""

import re
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from survey.definition.responses.invitation_codes import canonical_code
from survey.store import OWNER, Account
from tests.browser.looks import looks
from tests.support.admin_pages import sign_in
from tests.support.definitions import definition, opened
from tests.support.researchers import password_hash
from tests.support.servers import Live

TITLE = "คุณสูบบุหรี่หรือผลิตภัณฑ์ยาสูบอื่นๆในช่วงสามสิบวันที่ผ่านมาหรือไม่" * 2


@pytest.fixture
def site(live: Live, page: Page) -> str:
    """A survey with invitations, a signed-in researcher, and its page."""
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    opened(live.store, definition(invitations=True, title=TITLE, language="th"))
    sign_in(page, live.url)
    page.goto(f"{live.url}/admin/surveys/health")
    return live.url


def made(page: Page, count: int, folder) -> zipfile.ZipFile:
    """Create invitations by keyboard only."""
    field = page.get_by_label("Number of invitations (1 to 1,000)")
    field.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(str(count))
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "health-invitations.zip"
    path = folder / f"{count}.zip"
    download.value.save_as(path)
    return zipfile.ZipFile(path)


@pytest.mark.plain
def test_invitations_come_down_and_are_counted_when_the_page_is_loaded_again(
    site, page, live, tmp_path
):
    for count, issued in ((3, "3"), (12, "15")):
        with made(page, count, tmp_path) as archive:
            assert len(archive.namelist()) == count + 2
        page.reload()
        shown = page.locator(".facts div").filter(has_text="Issued").locator("dd")
        expect(shown).to_have_text(issued)
    assert live.store.invitations.issued_and_spent("health") == (15, 0)


@pytest.mark.parametrize("count", ["0", "1001", ""])
def test_the_field_itself_keeps_to_the_range(site, page, live, count):
    field = page.get_by_label("Number of invitations (1 to 1,000)")
    field.fill(count)
    page.get_by_role("button", name="Create invitations").click()
    assert field.evaluate("field => !field.checkValidity()")
    assert live.store.invitations.issued_and_spent("health") == (0, 0)


@pytest.mark.slow
@looks(320, 1280)
def test_the_form_is_accessible_and_fits(site, page, width, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    results = Axe().run(page, context=".admin main")
    assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for control in page.locator(".invitations button, .invitations [type=number]").all():
        assert control.bounding_box()["height"] >= 44


@pytest.mark.slow
def test_the_slips_print_whole_and_load_nothing(site, page, browser: Browser, tmp_path):
    """Each code is on its slip once, in groups of four. No page break cuts a slip."""
    with made(page, 23, tmp_path) as archive:
        archive.extract("slips.html", tmp_path)
    slips = browser.new_page()
    asked: list[str] = []
    slips.on("request", lambda request: asked.append(request.url))
    slips.goto((tmp_path / "slips.html").as_uri())
    assert len(asked) == 1  # the file itself
    codes = slips.locator(".code").all_inner_texts()
    assert len({canonical_code(code) for code in codes}) == 23
    for code in codes:
        assert re.fullmatch("([0-9A-Z]{4} ){6}[0-9A-Z]{2}", code)
    results = Axe().run(slips, options={"rules": {"page-has-heading-one": {"enabled": False},
                                                  "landmark-one-main": {"enabled": False},
                                                  "region": {"enabled": False}}})  # fmt: skip
    assert results.violations_count == 0, results.generate_report()
    slips.set_viewport_size({"width": 320, "height": 700})
    assert slips.evaluate("document.documentElement.scrollWidth") <= 320
    sheets = slips.pdf(format="A4", prefer_css_page_size=True).count(b"/Type /Page\n")
    # Five slips of 55 mm fit on a page of 297 mm minus its margins. Longer slips need more room.
    assert 5 <= sheets <= 8
    slips.emulate_media(media="print")
    assert slips.locator("li").first.evaluate("li => getComputedStyle(li).breakInside") == "avoid"
    slips.close()
