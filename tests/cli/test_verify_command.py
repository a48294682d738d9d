"""`candor verify` finds 30 planted lies, five of each kind, and no fault in the truth.

tests/cli/test_compare.py has further lies, told over sockets.
"""

import gzip
from collections.abc import Callable

import pytest

from survey.cli.verify.command import SurveyAddress, parse_survey_address
from tests.support.asgi_servers import started
from tests.support.database_contents import contents
from tests.support.definitions import definition, opened
from tests.support.lying_host import Asked, Lie, Sent, Verified, truth, verified_behind

PAGE = "/s/health"
RANDOMIZER = "/static/respondent/survey.js"
TRANSLATED = {"vi": {"title": "Sức khoẻ", "questions": {"smokes": {"label": "Bạn hút thuốc?"}}}}
CHANGED = b"Do you smoke", b"Do you  smoke"


def survey() -> dict:
    return definition(translations=TRANSLATED, receipts=True, by_hand=True)


def told(condition: Callable[[Asked], object], change: Callable[[Sent], object]) -> Lie:
    """A lie that changes the replies to some requests."""

    def lie(asked: Asked, sent: Sent) -> None:
        if condition(asked):
            change(sent)

    return lie


def at(path: str, method: str = "GET") -> Callable[[Asked], bool]:
    return lambda asked: (asked.path, asked.method) == (path, method)


def page_if(condition: Callable[[Asked], object]) -> Lie:
    """Another question on the page."""
    return told(
        lambda asked: at(PAGE)(asked) and condition(asked),
        lambda sent: sent.replace(*CHANGED) if CHANGED[0] in sent.body else sent.add("X-Y", "z"),
    )


def header(condition: Callable[[Asked], object], name: str, value: str) -> Lie:
    return told(condition, lambda sent: sent.add(name, value))


def has(name: str, part: str = "") -> Callable[[Asked], bool]:
    return lambda asked: part in asked.headers.get(name, "\0" if not part else "")


def sends(name: str) -> Callable[[Asked], bool]:
    return lambda asked: name in asked.headers


def became(status: int, body: bytes, *headers: tuple[str, str]) -> Callable[[Sent], None]:
    def change(sent: Sent) -> None:
        sent.status, sent.body = status, body
        sent.headers += headers

    return change


def in_vietnamese(asked: Asked) -> bool:
    return asked.headers.get("Accept-Language") == "vi"


def browser_without_refreshing(asked: Asked) -> bool:
    return asked.headers.get("Sec-Fetch-User") == "?1" and "Cache-Control" not in asked.headers


def packed_twice(sent: Sent) -> None:
    """Programs stop at the end of the first part. Some browsers read on."""
    sent.body = gzip.compress(sent.body) + gzip.compress(b"<script>x()</script>")
    sent.add("Content-Encoding", "gzip")


POSTS = {f"{PAGE}/responses", f"{PAGE}/withdrawals"}
# For each kind: what is typed, and the lie.
LIES: dict[str, list[tuple[str, Lie]]] = {
    "header": [
        (PAGE, header(at(PAGE), "Clear-Site-Data", '"storage"')),
        (PAGE, header(at("/static/style.css"), "Alt-Svc", 'h3="evil.example:443"')),
        (PAGE, header(at(f"{PAGE}/how"), "Speculation-Rules", '"/rules.json"')),
        (PAGE, header(at("/favicon.ico"), "Origin-Trial", "A1b2")),
        (PAGE, header(at(f"{PAGE}/by-hand"), "X-Header-Of-The-Next-Year", "?1")),
    ],
    "query": [
        (f"{PAGE}?src=mail", page_if(lambda asked: asked.query == "src=mail")),
        (
            f"{PAGE}?name=Hoà x",
            page_if(lambda a: a.query[:5] == "name=" and in_vietnamese(a)),
        ),
        (PAGE, page_if(lambda asked: "fbclid=" in asked.query)),
        (PAGE, page_if(lambda asked: "language=en" in asked.query)),
        (f"{PAGE}?language=vi&to=ada", header(lambda a: "to=ada" in a.query, "Refresh", "1")),
    ],
    "header set of a browser": [
        (PAGE, page_if(sends("Upgrade-Insecure-Requests"))),
        (PAGE, page_if(browser_without_refreshing)),
        (PAGE, page_if(has("Accept-Encoding", "br, zstd"))),
        (PAGE, page_if(has("sec-ch-ua-platform", '"Android"'))),
        (PAGE, page_if(has("Priority", "u=0, i"))),
    ],
    "second visit": [
        (PAGE, page_if(lambda asked: asked.times == 2)),
        (PAGE, page_if(sends("Cookie"))),
        (PAGE, page_if(has("Cache-Control", "max-age=0"))),
        (PAGE, told(sends("If-None-Match"), became(304, b""))),
        (
            PAGE,
            header(
                lambda a: a.path == RANDOMIZER and a.times > 1 and "iPhone" in a.client,
                "Set-Cookie",
                "id=1",
            ),
        ),
    ],
    "reply to a POST": [
        (PAGE, header(at(f"{PAGE}/responses", "POST"), "Clear-Site-Data", '"*"')),
        (PAGE, header(at(f"{PAGE}/by-hand", "POST"), "Link", "</x>; rel=preload")),
        (
            PAGE,
            told(
                lambda a: a.path in POSTS and "Android" in a.client,
                became(307, b"", ("Location", "https://evil.example/")),
            ),
        ),
        (PAGE, told(at(f"{PAGE}/responses", "POST"), became(201, b'{"status":"recorded"}\n'))),
        (
            PAGE,
            told(at(f"{PAGE}/withdrawals", "POST"), lambda sent: sent.replace(b"error", b"reason")),
        ),
    ],
    "file": [
        (PAGE, told(at(RANDOMIZER), lambda sent: sent.replace(b"2 ** 32", b"2 ** 31"))),
        (PAGE, told(at("/static/style.css"), lambda sent: sent.replace(b"#fbfaf6", b"#fbfaf5"))),
        (PAGE, told(at("/static/icon.svg"), lambda sent: sent.replace(b"<svg", b"<svg "))),
        (
            PAGE,
            told(
                lambda a: a.path == f"{PAGE}.json" and "Safari" in a.client,
                lambda sent: sent.replace(b"Do you smoke", b"Do you drink"),
            ),
        ),
        (PAGE, told(lambda a: a.path == RANDOMIZER and a.client == "curl", packed_twice)),
    ],
}


@pytest.fixture(scope="module")
def known() -> dict:
    """The application's replies for one survey."""
    return {}


@pytest.mark.parametrize("number", range(5))
def test_each_of_thirty_lies_is_found(app, store, monkeypatch, known, number):
    opened(store, survey())
    for kind, lies in LIES.items():
        assert len(lies) == 5
        typed, lie = lies[number]
        found = verified_behind(lie, app.test_cli_runner(), monkeypatch, typed, known)
        assert (found.status, bool(found.wrong)) == (1, True), kind


def test_the_truth_is_found_true_under_any_query(app, store, monkeypatch, known):
    """A control of the lies. The query is named, because it has no effect."""
    opened(store, survey())
    for query in ("", "?src=mail&language=vi&src", "?language=th&language=vi", "?Hoà='<#x"):
        found = verified_behind(truth, app.test_cli_runner(), monkeypatch, PAGE + query, known)
        assert found.honest, found.wrong
        named = [line for line in found.right if "ignores everything after the question" in line]
        assert len(named) == ("src" in query or "Ho" in query)


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        ("", ""),
        ("#x?y", ""),
        ("?", "?"),
        ("?language=vi#x", "?language=vi"),
        ("?a b='é\"", "?a%20b=%27%C3%A9%22"),
    ],
)
def test_the_query_is_sent_as_browsers_send_it(typed, query):
    address = parse_survey_address(f"https://example.org:8443/s/health{typed}")
    assert address == SurveyAddress("https://example.org:8443", "health", query)


@pytest.mark.slow
def test_an_inspection_stores_counts_and_logs_nothing(app, settings, store, capfd):
    """The production server refuses what the command posts, and nobody has to wait for it."""
    invited = definition(slug="invited", invitations=True)
    for content in (survey(), invited):
        frozen = opened(store, content)
    with started(app, settings, frozen) as running:
        before = contents(settings.database)
        capfd.readouterr()
        for slug in ("health", "invited"):
            url = f"http://127.0.0.1:{running.port}/s/{slug}"
            found = Verified.by(app.test_cli_runner().invoke(args=["verify", url]))
            assert found.honest, found.wrong
        counts = running.front.metrics.counts["candor_responses"]
        assert {place: n for place, n in counts.items() if n} == {("refused",): 48}
        assert contents(settings.database) == before
    assert capfd.readouterr().err == ""
