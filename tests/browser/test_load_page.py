"""A researcher loads responses that were collected elsewhere, in a real browser."""

import pytest
from playwright.sync_api import expect

from survey.definition.survey import parse_survey
from survey.store import OWNER, Account
from tests.browser.looks import looks, sound
from tests.support.admin_pages import LONG_THAI, sign_in
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import password_hash

REGION = asked("region", "select_one", "none", choices=letters("nes"), label=LONG_THAI)
BOXES = asked("tried", "select_multiple", {"epsilon": 1}, choices=letters("abcd"))
HEAD = "region,smokes,tried/a,tried/b,tried/c,tried/d\n"
# Each response reports on one box, which the browser of a respondent would pick at random.
SOUND = HEAD + "n,yes,1,,,\n" * 6 + "e,no,,,0,\n" * 5
FAULTY = HEAD + "n,yes,1,,,\nwest,no,0,,,\nn,perhaps,0,,,\nn,yes,1,1,,\n"


@pytest.fixture
def site(live):
    live.store.surveys.save_draft(parse_survey(definition(REGION, yes_no(), BOXES)))
    live.store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    return live.url


def file(content):
    return {"name": "mine.csv", "mimeType": "text/csv", "buffer": content.encode()}


@pytest.mark.slow
@looks(375, 1280)
def test_a_file_is_corrected_previewed_and_loaded_by_keyboard(page, site, live, width, scheme):
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.expected_problems.append("422")

    def check():
        sound(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/health")
    page.get_by_role("link", name="Load responses").press("Enter")
    expect(page.get_by_role("heading", name="Load responses from a file")).to_be_visible()
    check()
    field = page.get_by_label("File", exact=True)
    field.set_input_files(file(FAULTY))
    page.get_by_role("button", name="Check file").press("Enter")
    box = page.get_by_role("alert").filter(has_text="Nothing was loaded.")
    expect(box).to_be_focused()
    expect(box).to_be_in_viewport()
    faults = box.get_by_role("listitem").all_inner_texts()
    assert [text.partition(",")[0].lower() for text in faults] == ["line 3", "line 4", "line 5"]
    assert "column region: 'west' is not a value of this column." in faults[0]
    assert "column smokes: 'perhaps' is not a value of this column." in faults[1]
    assert "column tried: fill exactly 1 cell of this question with 1 or 0" in faults[2]
    check()
    assert live.store.surveys.by_slug("health").state == "draft"

    field.set_input_files(file(SOUND))
    page.get_by_role("button", name="Check file").press("Enter")
    found = page.get_by_text("The file has 11 responses, and Candor found no error.")
    expect(found).to_be_visible()
    expect(page.get_by_role("region", name="Preview of the responses")).to_be_visible()
    assert page.locator("tbody tr").count() == 10
    expect(page.get_by_text("Loading closes this draft.")).to_be_visible()
    check()
    # The preview has stored nothing.
    assert live.store.surveys.by_slug("health").state == "draft"
    page.get_by_role("button", name="Load 11 responses").press("Enter")
    expect(page.get_by_text("Candor loaded 11 responses.")).to_be_in_viewport()
    expect(page.get_by_text("imported").first).to_be_visible()
    found = live.store.surveys.by_slug("health")
    assert (found.state, found.origin) == ("closed", "loaded")
    rows = sorted(live.store.responses.rows("health"))
    assert rows == sorted([(0, 0, "1---")] * 6 + [(1, 1, "--0-")] * 5)
    check()


@pytest.mark.plain
def test_a_second_file_is_added_and_the_same_preview_is_not_loaded_twice(page, site, live):
    page.expected_problems.append("409")
    sign_in(page, site)
    page.goto(f"{site}/admin/surveys/health/load")
    for n, said in ((11, "Loading closes this draft."), (22, "The survey has 11 imported")):
        page.get_by_label("File", exact=True).set_input_files(file(SOUND))
        page.get_by_role("button", name="Check file").click()
        expect(page.get_by_text(said)).to_be_visible()
        page.get_by_role("button", name="Load 11 responses").click()
        expect(page.get_by_text("Candor loaded 11 responses.")).to_be_visible()
        assert live.store.counts.number_of_responses("health") == n
        page.goto(f"{site}/admin/surveys/health/load")
    # Two tabs show the preview of the same file.
    for tab in (page, page.context.new_page()):
        tab.goto(f"{site}/admin/surveys/health/load")
        tab.get_by_label("File", exact=True).set_input_files(file(SOUND))
        tab.get_by_role("button", name="Check file").click()
        expect(tab.get_by_text("The survey has 22 imported")).to_be_visible()
    tab.get_by_role("button", name="Load 11 responses").click()
    expect(tab.get_by_text("Candor loaded 11 responses.")).to_be_visible()
    page.get_by_role("button", name="Load 11 responses").click()
    expect(page.get_by_text("Responses were loaded after you checked this file.")).to_be_visible()
    assert live.store.counts.number_of_responses("health") == 33


THAI = "q1;จังหวัดที่อยู่ปัจจุบันของท่าน\n" + "1;เชียงใหม่, ภาคเหนือ\n0;กรุงเทพมหานคร\n" * 5


@pytest.mark.plain
@looks(375, 1280)
def test_the_encoding_of_a_file_is_chosen_by_its_cells(page, site, live, width, scheme):
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.expected_problems.append("422")
    sign_in(page, site)
    page.goto(f"{site}/admin/import/responses")
    thai = {"name": "thai.csv", "mimeType": "text/csv", "buffer": THAI.encode("cp874")}
    page.get_by_label("File", exact=True).set_input_files(thai)
    page.get_by_label("Randomised columns and their designs").fill("q1=coin_flip")
    page.get_by_role("button", name="Check file").press("Enter")
    expect(page.get_by_role("heading", name="Which cells are right?")).to_be_visible()
    choice = page.get_by_role("radio", name="windows-874")
    expect(page.get_by_text("เชียงใหม่, ภาคเหนือ")).to_be_visible()
    page.get_by_text("Other encodings").press("Enter")
    expect(page.get_by_role("radio", name="koi8-r")).to_be_visible()
    (summary,) = page.locator("main summary").all()
    expect(summary).to_be_focused()
    ring = summary.evaluate(
        "e => e.getBoundingClientRect().bottom"
        " + parseFloat(getComputedStyle(e).outlineWidth)"
        " + parseFloat(getComputedStyle(e).outlineOffset)"
    )
    hint = page.get_by_text("These are less likely").bounding_box()["y"]
    assert ring < hint
    sound(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    choice.check()
    page.get_by_role("button", name="Check file").press("Enter")
    expect(
        page.get_by_text("The file has 10 responses, and Candor found no error.")
    ).to_be_visible()
    page.get_by_role("button", name="Make a survey with 10 responses").press("Enter")
    expect(page.get_by_text("Candor loaded 10 responses.")).to_be_visible()
    (_, region) = live.store.surveys.by_slug("thai").survey.fields
    assert [choice.label for choice in region.choices] == ["เชียงใหม่, ภาคเหนือ", "กรุงเทพมหานคร"]
