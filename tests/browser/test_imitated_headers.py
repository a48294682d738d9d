"""Chromium, as it is installed here, sends no header that the Chrome of `verify` does not send."""

from playwright.sync_api import Browser

from survey.cli.verify.browsers import CLIENTS
from tests.support.definitions import definition, opened

CHROME = next(client for client in CLIENTS if client.name == "Chrome on Windows")
KINDS = {"document": "page", "script": "script", "stylesheet": "style", "fetch": "fetch"}
# The browser itself adds Host and the length of a body. `verify` does so as well.
OF_ALL = {"host", "content-length"}


def test_chromium_sends_no_header_that_is_not_imitated(browser: Browser, live):
    opened(live.store, definition())
    requests, page = [], browser.new_page()
    page.on("request", lambda request: requests.append(request))
    page.goto(f"{live.url}/s/health")
    posted = "{method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}"
    fetched = page.evaluate(
        f"fetch('/s/health/responses', {{...{posted}, credentials: 'omit', cache: 'no-store'}})"
        ".then((reply) => reply.status)"
    )
    assert fetched == 400
    seen = set()
    for request in requests:
        kind = KINDS.get(request.resource_type)
        if kind is None:
            continue
        imitated = {name.lower(): value for name, value in CHROME.headers(kind, live.url).items()}
        sent = {name: value for name, value in request.all_headers().items() if name not in OF_ALL}
        assert sent.keys() <= imitated.keys(), kind
        for name in sent.keys() - {"user-agent", "accept-language", "sec-ch-ua"}:
            if not name.startswith("sec-ch-ua") and name != "accept":
                assert sent[name] == imitated[name], (kind, name)
        seen.add(kind)
    assert seen == {*KINDS.values()}
    page.context.close()
