"""The respondent's page with changed scripts, to check whether a test detects the change."""

import re

from playwright.sync_api import Page, Route

from tests.support.project import ROOT

SCRIPTS = (
    "derived.js",
    "questions.js",
    "post.js",
    "sender.js",
    "start.js",
    "respond.js",
    "language.js",
)


def alter(page: Page, slug: str, changes: list[tuple[str, str]]) -> None:
    """Serve the scripts with these changes, and the page without checks that would stop them."""
    scripts = {name: (ROOT / "static" / "respondent" / name).read_text() for name in SCRIPTS}
    for old, new in changes:
        [name] = [name for name, script in scripts.items() if script.count(old)]
        assert scripts[name].count(old) == 1, f"{name} no longer holds {old!r} once"
        scripts[name] = scripts[name].replace(old, new)

    def without_integrity(route: Route) -> None:
        if route.request.method != "GET":
            route.continue_()
            return
        response = route.fetch()
        headers = {k: v for k, v in response.headers.items() if k != "integrity-policy"}
        body = re.sub(r' integrity="[^"]*"', "", response.text())
        assert body != response.text()
        route.fulfill(response=response, headers=headers, body=body)

    def altered(route: Route) -> None:
        name = route.request.url.rsplit("/", 1)[1]
        route.fulfill(body=scripts[name], content_type="text/javascript")

    page.route(f"**/s/{slug}", without_integrity)
    for name in SCRIPTS:
        page.route(f"**/static/respondent/{name}", altered)
