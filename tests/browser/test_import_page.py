"""A researcher imports a file, in a real browser."""

import pytest

from survey.definition.responses.invitation_codes import token_hash
from survey.store import OWNER, Account
from tests.browser.looks import sound
from tests.support.admin_pages import sign_in
from tests.support.researchers import password_hash
from tests.support.xlsforms import HEALTH, workbook


@pytest.fixture
def site(live):
    live.store.accounts.add_account(Account("ada", OWNER, password_hash()))
    live.store.accounts.set_setup_token(token_hash("token").hex())
    return live.url


@pytest.mark.parametrize(("width", "scheme"), [(375, "light"), (1280, "dark")])
def test_a_form_is_brought_by_keyboard_and_taken_home_again(
    page, site, live, width, scheme, tmp_path
):
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.expected_problems.append("422")
    sign_in(page, site)
    page.get_by_role("link", name="Import a file").focus()
    page.keyboard.press("Enter")
    field = page.get_by_label("File", exact=True)
    field.set_input_files({"name": "x.xlsx", "mimeType": "", "buffer": b"PK\x03\x04"})
    page.get_by_role("button", name="Import as draft").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Candor cannot read this file.").wait_for()
    sound(page)
    field.set_input_files({"name": "kap.xlsx", "mimeType": "", "buffer": workbook(HEALTH)})
    page.get_by_role("button", name="Import as draft").press("Enter")
    page.get_by_role("heading", name="Draft imported: Knowledge").wait_for()
    assert page.locator(".left-out li").count() == 10
    sound(page)
    too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(too_wide)
    page.get_by_role("link", name="Go to overview").press("Enter")
    with page.expect_download() as download:
        page.get_by_role("link", name="XLSForm").click()
    assert download.value.suggested_filename == "kap.xlsx"
    download.value.save_as(tmp_path / "kap.xlsx")
    assert (tmp_path / "kap.xlsx").read_bytes().startswith(b"PK")
