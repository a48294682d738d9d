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
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
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
    assert page.locator(".left-out li").count() == 8
    sound(page)
    too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(too_wide)
    page.get_by_role("link", name="Go to overview").press("Enter")
    with page.expect_download() as download:
        page.get_by_role("link", name="XLSForm").click()
    assert download.value.suggested_filename == "kap.xlsx"
    download.value.save_as(tmp_path / "kap.xlsx")
    assert (tmp_path / "kap.xlsx").read_bytes().startswith(b"PK")


def test_the_import_proposes_a_protection_with_one_press(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/import")
    field = page.get_by_label("File", exact=True)
    yes_no, label = "select_one yes_no", "label::English (en)"
    rows = [("smokes", "Do you smoke cannabis?", ""), ("often", "Every day?", "${smokes} = 'yes'"),
            ("tea", "Do you drink tea?", "")]  # fmt: skip
    survey = [{"type": yes_no, "name": name, label: text, "relevant": relevant, "required": "yes"}
              for name, text, relevant in rows]  # fmt: skip
    choices = [{"list_name": "yes_no", "name": n, label: n.title()} for n in ("yes", "no")]
    sheets = {"survey": survey, "choices": choices, "settings": [{"form_title": "Habits"}]}
    field.set_input_files({"name": "kap.xlsx", "mimeType": "", "buffer": workbook(sheets)})
    page.get_by_role("button", name="Import as draft").press("Enter")
    page.get_by_role("heading", name="Protection").wait_for()
    boxes = page.get_by_role("checkbox")
    ticked = [box.get_attribute("value") for box in boxes.all() if box.is_checked()]
    assert (ticked, boxes.count()) == (["smokes", "often"], 3)
    page.get_by_text("Sounds sensitive: cannabis").wait_for()
    page.get_by_text("so it would reveal these answers").wait_for()
    sound(page)
    page.get_by_role("button", name="Protect the ticked questions").click()
    page.get_by_text("2 questions have medium protection now.").wait_for()
    [stored] = live.store.surveys.all()
    assert [question.name for question in stored.survey.private] == ["smokes", "often"]


@pytest.mark.plain
def test_one_press_protects_all_questions_of_an_imported_form(page, site, live):
    sign_in(page, site)
    page.goto(f"{site}/admin/import")
    rows = [{"type": "integer", "name": n, "label": n, "constraint": ". >= 0 and . <= 9"}
            for n in ("cups", "plates")]  # fmt: skip
    form = {"survey": rows, "settings": [{"form_title": "Kitchen"}]}
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "k.xlsx", "mimeType": "", "buffer": workbook(form)}
    )
    page.get_by_role("button", name="Import as draft").click()
    page.get_by_text("No question sounds sensitive").wait_for()
    page.get_by_role("button", name="Protect all 2").click()
    page.get_by_text("2 questions have medium protection now.").wait_for()
    [stored] = live.store.surveys.all()
    assert len(stored.survey.private) == 2
