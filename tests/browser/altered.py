"""The respondent's page with changed scripts, to check whether a test detects the change."""

import re

from playwright.sync_api import Page, Route

from survey.server.http.static_files import SOURCES, STATIC, SURVEY_SCRIPT, join_sources


def alter(page: Page, slug: str, changes: list[tuple[str, str]]) -> None:
    """Serve the script with these changes of its sources, and the page without checks that would
    stop it."""
    scripts = {name: (STATIC / name).read_text() for name in SOURCES}
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

    body = join_sources({name: text.encode() for name, text in scripts.items()})

    page.route(f"**/s/{slug}", without_integrity)
    page.route(
        f"**/static/{SURVEY_SCRIPT}",
        lambda route: route.fulfill(body=body, content_type="text/javascript; charset=utf-8"),
    )
