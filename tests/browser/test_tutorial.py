"""The first tutorial, walked as it is written.

What its numbered steps have in **bold** is clicked or filled in, in this order, and what they quote
is looked for. So the tutorial and the pages cannot drift apart.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from survey.core.languages import LANGUAGES, MAIN
from survey.definition.responses.invitation_codes import token_hash
from tests.support.project import ROOT
from tests.support.servers import Live
from tests.support.tutorials import Step, steps

TUTORIALS = ROOT / "docs" / "tutorials"
PATHS = {
    language: TUTORIALS / ("" if language == MAIN else language) / "first-survey.md"
    for language in LANGUAGES
}
ON_A_PHONE = "Answer the survey"
PHONE = {"width": 375, "height": 667}


def field(page: Page, label: str) -> Locator:
    """The last field of this label: the builder adds questions at the end."""
    exact = re.compile(rf"^\s*{re.escape(label)}\s*([(（][^()（）]*[)）])?\s*$")
    return page.get_by_label(exact).filter(visible=True).last


def clickable(page: Page, label: str) -> Locator:
    """The button, link, tick box, choice or folded part of this label."""
    exact = re.compile(rf"^\s*{re.escape(label)}\s*$".replace(r"\ ", r"\s+"))
    found = page.get_by_role("button", name=label, exact=True)
    found = found.or_(page.get_by_role("link", name=label, exact=True))
    for element in ("label", "summary"):
        found = found.or_(page.locator(element).filter(has_text=exact))
    # Each question of the builder has the same tick boxes. The builder adds questions at the end.
    boxes = page.locator(".question label").filter(has_text=exact).filter(visible=True)
    return boxes.last if boxes.count() else found.filter(visible=True)


def do(page: Page, step: Step, files: list[str]) -> None:
    if step.seen:
        expect(page.get_by_text(step.seen).filter(visible=True).first).to_be_visible()
    elif not step.values:
        target = clickable(page, step.label)
        if target.evaluate("(element) => element.matches('[download], [href$=csv], [href*=zip]')"):
            with page.expect_download() as download:
                target.click()
            files.append(download.value.suggested_filename)
        else:
            target.click()
    elif field(page, step.label).evaluate("(element) => element.localName") == "select":
        field(page, step.label).select_option(label=step.values[0])
    else:
        field(page, step.label).fill("\n".join(step.values))


def headings(path: Path) -> list[str]:
    return re.findall(r"^##+ (.+)$", path.read_text(), re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_tutorial_leads_to_an_open_survey(language: str, live: Live, browser: Browser):
    """tests/browser/test_builder.py and test_respond_page.py have its pages one by one."""
    tutorial = PATHS[language]
    on_a_phone = headings(tutorial)[headings(PATHS[MAIN]).index(ON_A_PHONE)]
    page = browser.new_context(locale=language).new_page()
    live.store.accounts.set_setup_token(token_hash("token").hex())
    page.set_default_timeout(6000)
    page.goto(f"{live.url}/admin/setup?token=token")
    files: list[str] = []
    phone = None
    for step in steps(tutorial):
        if step.heading == on_a_phone and phone is None:
            address = page.locator(".copied a").first.get_attribute("href")
            assert address is not None
            phone = browser.new_context(viewport=PHONE, locale=language).new_page()
            # The application names its own address, which is not that of the test's server.
            phone.goto(live.url + address[address.index("/s/") :])
        here = phone if step.heading == on_a_phone and phone is not None else page
        do(here, step, files)
    assert phone is not None
    phone.context.close()
    page.context.close()
    [survey] = live.store.surveys.list_surveys()
    assert survey.state == "open"
    assert live.store.counts.number_of_responses(survey.slug) == 1
    assert [Path(name).suffix for name in files] == [".csv", ".zip"]
