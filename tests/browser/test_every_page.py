"""Every page opens in a browser: without an error, with its closed parts, on a phone too."""

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page

from survey.definition.frozen import freeze
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.sub_surveys import practice_of
from survey.definition.survey import parse_survey
from survey.learn.lessons import LESSONS
from survey.store.sql.result_links import Share
from tests.support.admin_pages import OPEN, PAGES, RESULTS, STRANGERS, sign_in
from tests.support.classes import class_definition
from tests.support.coin_surveys import EVERY
from tests.support.definitions import definition, opened, yes_no
from tests.support.servers import Live

# Pages of respondents, readers and learners.
PUBLIC = [
    "/",
    "/how",
    "/verify",
    "/shared?token=token",
    "/help/",
    "/help/tutorials/first-survey",
    "/help/search?q=epsilon",
    "/learn/",
    "/learn/exercises",
    "/learn/answers",
    *(f"/learn/{lesson.address}" for lesson in LESSONS),
    "/s/health",
    "/s/coins/by-hand",
    "/s/coins/by-hand/thanks",
    "/s/health/how",
    "/s/health/results",
    "/s/health/verify",
    "/s/receipts/withdraw",
]
# These need a survey in class mode, or with a translation, and are not in PAGES.
MORE = [
    "/admin/surveys/class/class",
    "/admin/surveys/class/class/end",
    "/admin/class-ended",
    "/admin/surveys/translated/translations/vi",
]
# The replies of these are no pages.
FILES = {
    *("static", "respond.document", "help.image", "learn.notebook"),
    "paper_and_coin.at_its_slug",  # It only leads to the form.
    "respond.blank",  # It is empty, because people who leave at once may land on it.
}
WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
HEADINGS = "[...document.querySelectorAll('h1')].filter((each) => each.checkVisibility()).length"


def one_of_each(app: Flask, paths: list[str]) -> dict[str, str]:
    """The first address of each route. Each lesson and each analysis is a page of its own."""
    routes = app.url_map.bind("localhost")
    found: dict[str, str] = {}
    for path in paths:
        endpoint, values = routes.match(path.partition("?")[0], method="GET")
        part = {"learn.lesson": "address", "admin.analysis": "name"}.get(endpoint)
        found.setdefault(endpoint + (values[part] if part else ""), path)
    return found


def test_every_public_page_is_among_these(app: Flask):
    """tests/browser/test_admin_pages.py checks the list of the researchers' pages."""
    routes = app.url_map.bind("localhost")
    found = {routes.match(path.partition("?")[0], method="GET")[0] for path in PUBLIC}
    pages = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if "GET" in rule.methods and not rule.endpoint.startswith(("admin.", "api."))
    }
    assert found == pages - FILES


@pytest.fixture(scope="module")
def pages(shared_site: Live) -> Live:
    """A server with all that the pages need."""
    store = shared_site.store
    opened(store, EVERY | {"slug": "coins"})
    opened(store, class_definition(slug="class"))
    opened(store, definition(yes_no(), receipts=True, slug="receipts"))
    store.surveys.save_draft(parse_survey(EVERY | {"slug": "translated"}))
    practice = freeze(practice_of(store.surveys.by_slug("health").survey), confirmed=True)
    store.rehearsals.start_practice(practice)
    store.shares.publish("health", True)
    store.shares.add_share(Share("every-type", "the paper"), token_hash("token"))
    return shared_site


def look(page: Page, address: str) -> list[str]:
    """Open a page and its closed parts, wide and narrow. What is wrong with it."""
    faults: list[str] = []
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(address)
    page.evaluate(OPEN)
    for width in (1280, 375):
        page.set_viewport_size({"width": width, "height": 800})
        if page.evaluate(WIDE):
            faults.append(f"It is wider than {width} pixels.")
    if page.evaluate(HEADINGS) != 1:
        faults.append("It has not one heading.")
    page.keyboard.press("Tab")
    if page.evaluate("document.activeElement === document.body"):
        faults.append("The keyboard reaches nothing.")
    return faults


@pytest.fixture
def visitor(pages: Live, browser: Browser) -> Iterator[Page]:
    """A page whose errors are among its faults."""
    context = browser.new_context(reduced_motion="reduce", base_url=pages.url)
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda said: page.errors.append(said.text) if said.type == "error" else None)
    yield page
    context.close()


def found(page: Page, paths: list[str]) -> dict[str, list[str]]:
    """The faults of each page that has some."""
    faults = {}
    for path in paths:
        page.errors.clear()
        # A link that was used has a page too, which says so with status 401.
        faults[path] = look(page, path)
        errors = [each for each in page.errors if "401" not in each or "used" not in path]
        faults[path] += errors
    return {path: these for path, these in faults.items() if these}


@pytest.mark.plain
def test_each_public_page_opens(visitor: Page, app: Flask):
    assert found(visitor, [*one_of_each(app, PUBLIC).values()]) == {}


@pytest.mark.plain
def test_each_page_of_researchers_opens(visitor: Page, app: Flask):
    assert found(visitor, [*one_of_each(app, STRANGERS).values()]) == {}
    sign_in(visitor, "")
    assert found(visitor, [*one_of_each(app, [*MORE, *PAGES, *RESULTS]).values()]) == {}


@pytest.mark.plain
def test_a_page_that_is_wrong_is_found(visitor: Page):
    """The check can fail."""
    visitor.route(
        "**/how",
        lambda route: route.fulfill(
            content_type="text/html",
            body="<title>How</title><div style='width: 2000px'>no heading</div><script>x</script>",
        ),
    )
    [(path, faults)] = found(visitor, ["/how"]).items()
    assert path == "/how"
    assert faults[:4] == [
        "It is wider than 1280 pixels.",
        "It is wider than 375 pixels.",
        "It has not one heading.",
        "The keyboard reaches nothing.",
    ]
    assert any("x is not defined" in fault for fault in faults)
