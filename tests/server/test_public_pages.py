"""Public pages: cached, answered without the application, and always current."""

import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app import create_app
from survey.central_dp.budget import CentralDPBudget
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.server.http import public_pages, wsgi_threads
from survey.server.http.page_cache import PageReply
from survey.server.settings import Settings
from survey.store import Limits, Store
from tests.support.asgi_servers import Running, started
from tests.support.cached_pages import CONTENT, settled
from tests.support.definitions import definition, opened, yes_no
from tests.support.waiting import wait_until

PAGES = ["/s/health", "/s/health.json", "/s/health/how", "/s/health/verify", "/s/health/withdraw"]
RESULTS = "/s/health/results"
ANY = ["/", "/how", "/verify", "/help/", "/help/reference/glossary"]
LEARN = ["/learn/", "/learn/two-coins"]


class Asked:
    """The requests that the application gets while the fixture's server runs."""

    def __init__(self, app: Flask):
        self.app, self.wsgi = app, app.wsgi_app
        self.requests: list[dict[str, Any]] = []

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        self.requests.append(environ)
        return self.wsgi(environ, start)

    @property
    def paths(self) -> list[str]:
        return [environ["PATH_INFO"] for environ in self.requests]


@pytest.fixture
def asked(app: Flask) -> Asked:
    counted = Asked(app)
    app.wsgi_app = counted  # type: ignore[method-assign]
    return counted


@pytest.fixture
def there(app: Flask, settings: Settings, store: Store, asked: Asked) -> Iterator[Running]:
    frozen = opened(store, CONTENT)
    store.shares.publish("health", True)
    add(store, 7)
    with started(app, settings, frozen) as running:
        yield running


def add(store: Store, n: int, first: int = 0) -> None:
    for number in range(first, first + n):
        store.responses.add_response("health", Response(number.to_bytes(16), (number % 2,)))


def own_reply(app: Flask, method: str, path: str, **headers: str) -> tuple[Any, ...]:
    """The application's own answer, as the server would send it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with app.test_client().open(path, method=method, headers=named) as reply:
        sent = {name.lower(): value for name, value in reply.headers.items()}
        return reply.status_code, sent, reply.data


def same(running: Running, app: Flask, path: str, method: str = "GET", **headers: str) -> bytes:
    """The reply of the server.

    It has the bytes of the application's answer, apart from the date.
    """
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    status, sent, content = running.ask(method, path, **named)
    sent.pop("date")
    assert (status, sent, content) == own_reply(app, method, path, **headers), path
    return content


# --- cached pages
@pytest.mark.parametrize("path", [*PAGES, RESULTS, *ANY, *LEARN])
def test_a_second_request_asks_the_application_nothing(
    there: Running, asked: Asked, path: str
) -> None:
    first = there.ask("GET", path)
    assert first[0] == 200
    settled(there)
    before = len(asked.requests)
    assert before >= 1
    again = there.ask("GET", path)
    assert again[1].pop("date")
    assert first[1].pop("date")
    assert again == first
    assert there.ask("HEAD", path)[0] == 200
    assert len(asked.requests) == before


@pytest.mark.parametrize("path", LEARN)
def test_a_lesson_is_kept_as_it_begins_in_each_language(
    there: Running, app: Flask, asked: Asked, path: str
) -> None:
    """A language in the address is repeated in the links, and one of the browser is not."""
    ways = [("", {}), ("", {"Accept_Language": "vi"}), ("?language=vi", {}), ("?language=en", {})]
    pages = [same(there, app, path + query, **way) for query, way in ways]
    assert len(set(pages)) == 4
    before = len(asked.requests)
    for (query, way), page in zip(ways, pages, strict=True):
        named = {name.replace("_", "-"): value for name, value in way.items()}
        assert there.ask("GET", path + query, **named)[2] == page
    assert len(asked.requests) == before


def test_a_lesson_with_a_value_in_its_address_is_calculated(there: Running, app: Flask) -> None:
    usual = same(there, app, "/learn/two-coins")
    for query in ("n=1000", "language=vi&n=1000", "answer-share=1", "language=xx", "again=1"):
        same(there, app, f"/learn/two-coins?{query}", Accept_Language="th")
        same(there, app, f"/learn/two-coins?{query}")
    assert same(there, app, "/learn/two-coins?n=1000") != usual
    assert same(there, app, "/learn/two-coins") == usual


def test_a_page_is_not_made_for_each_way_to_ask_for_a_language(
    there: Running, asked: Asked, app: Flask
) -> None:
    """Results can take seconds to make. A stranger could request them in any number of ways."""
    free, begun = threading.Event(), threading.Event()
    wsgi = asked.wsgi

    def slow(environ: Any, start: Any) -> Any:
        begun.set()
        free.wait(60)
        return wsgi(environ, start)

    asked.wsgi = slow  # type: ignore[assignment]
    arrived = []
    find = there.front.pages.version_of

    async def counted(address: Any) -> Any:
        version = await find(address)
        arrived.append(1)
        return version

    there.front.pages.version_of = counted
    ways = [{"Accept-Language": f"en;q=0.{n}"} for n in range(1, 13)]
    clients = [threading.Thread(target=lambda w=w: there.ask("GET", RESULTS, **w)) for w in ways]
    for client in clients:
        client.start()
    wait_until(lambda: len(arrived) == len(ways) and begun.is_set(), 60)
    free.set()
    for client in clients:
        client.join()
    assert asked.paths.count(RESULTS) == 1


@pytest.mark.parametrize("path", ["/help/search?q=privacy", "/help/images/candor.png"])
def test_a_search_of_the_help_and_its_images_are_not_kept(
    there: Running, asked: Asked, path: str
) -> None:
    assert there.ask("GET", path)[2] == there.ask("GET", path)[2]
    assert len(asked.requests) == 2


@pytest.mark.slow
@pytest.mark.parametrize("path", [*PAGES, RESULTS, *ANY, *LEARN])
def test_what_is_kept_is_the_applications_reply_to_the_byte(
    there: Running, app: Flask, path: str
) -> None:
    ways: list[dict[str, str]] = [
        {},
        {"Accept_Encoding": "gzip"},
        {"Accept_Encoding": "gzip;q=0, br"},
        {"Accept_Language": "vi"},
        {"Accept_Language": "th;q=0.9, vi;q=0.5", "Accept_Encoding": "gzip, deflate, br"},
        {"Accept_Language": "nonsense;;,q=", "Cookie": "candor=x; a=b"},
    ]
    for query in ("", "?language=vi", "?language=en&language=vi", "?language=xx", "?a=%FF&b"):
        for way in ways:
            for method in ("GET", "HEAD", "GET"):
                same(there, app, path + query, method, **way)


def test_what_is_compressed_is_the_page(there: Running) -> None:
    _, headers, packed = there.ask("GET", "/s/health", **{"Accept-Encoding": "gzip"})
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed) == there.ask("GET", "/s/health")[2]


def test_the_application_learns_nothing_of_who_asks(there: Running, asked: Asked) -> None:
    told = {
        "Cookie": "candor=zweig-cookie",
        "User-Agent": "zweig-browser",
        "Referer": "https://zweig.example",
        "X-Forwarded-For": "198.51.100.77",
        "Accept-Language": "vi",
        "X-Anything": "zweig-header",
    }
    asking = [f"{path}?zweig-query=1&language=vi" for path in [*PAGES, RESULTS, *ANY]]
    for path in [*asking, *LEARN, *(f"{path}?language=vi" for path in LEARN)]:
        assert there.ask("GET", path, **told)[0] == 200
    settled(there)
    assert asked.requests
    for environ in asked.requests:
        seen = repr({name: environ[name] for name in environ if not name.startswith("wsgi.")})
        assert "zweig" not in seen
        assert environ["REMOTE_ADDR"] == ""
        assert "198.51.100.77" not in seen
    kept = repr(list(there.front.pages.cache.pages.values()))
    assert "zweig" not in kept


def test_all_languages_and_encodings_are_made_with_the_first(there: Running, asked: Asked) -> None:
    """Otherwise the speed of a page would reveal the language of its readers."""
    assert there.ask("GET", "/s/health?language=vi")[0] == 200
    settled(there)
    before = len(asked.requests)
    assert before == 4  # two languages, two encodings
    for language in ("en", "vi"):
        for encoding in ("gzip", "identity"):
            path = f"/s/health?language={language}"
            assert there.ask("GET", path, **{"Accept-Encoding": encoding})[0] == 200
    assert len(asked.requests) == before


def test_many_who_ask_for_one_page_at_once_have_it_made_once(
    there: Running, asked: Asked, app: Flask
) -> None:
    free, came = threading.Event(), threading.Event()
    wsgi = asked.wsgi

    def slow(environ: Any, start: Any) -> Any:
        came.set()
        free.wait(60)
        return wsgi(environ, start)

    asked.wsgi = slow  # type: ignore[assignment]
    replies: list[tuple[int, bytes]] = []

    def ask() -> None:
        status, _, content = there.ask("GET", RESULTS)
        replies.append((status, content))

    clients = [threading.Thread(target=ask) for _ in range(20)]
    for client in clients:
        client.start()
    assert came.wait(60)
    assert there.front.threads.respondents.busy <= public_pages.MAX_MADE_AT_ONCE
    free.set()
    for client in clients:
        client.join()
    assert len(replies) == 20
    assert len(set(replies)) == 1
    # Requests after the first one get the cached page.
    assert asked.paths.count(RESULTS) == 1


MARKS = [
    "x=1",
    "?",
    "&",
    "src=mail&src=x",
    "Language=vi",
    "language=xx",
    "token=a%00",
    "%ff=%",
    "q",
]


def test_every_query_but_a_language_is_ignored(there: Running, asked: Asked, app: Flask) -> None:
    """The bytes are the same, and the application makes nothing for them."""
    kept = [*PAGES, RESULTS, "/", "/how", "/verify"]
    plain = {path: there.ask("GET", path) for path in kept}
    vietnamese = {path: there.ask("GET", f"{path}?language=vi")[2] for path in kept}
    settled(there)
    before, size = len(asked.requests), there.front.pages.cache.size
    for path in kept:
        for mark in MARKS:
            status, headers, content = there.ask("GET", f"{path}?{mark}")
            assert (status, content) == (200, plain[path][2]), (path, mark)
            assert headers | {"date": ""} == plain[path][1] | {"date": ""}
            first, last = (f"language=vi&{mark}", f"{mark}&language=vi")
            assert there.ask("GET", f"{path}?{first}")[2] == vietnamese[path]
            # Of two languages, the first one counts.
            wanted = plain[path][2] if mark == "language=xx" else vietnamese[path]
            assert there.ask("GET", f"{path}?{last}")[2] == wanted
    assert (len(asked.requests), there.front.pages.cache.size) == (before, size)
    refused = there.ask("GET", "/s/nothing"), there.ask("GET", "/s/nothing?x=1&language=xx")
    assert refused[0][2] == refused[1][2]
    assert own_reply(app, "GET", "/s/health") == own_reply(app, "GET", "/s/health?x=1&y")


def test_unknown_languages_share_one_page_that_is_being_made(
    there: Running, asked: Asked, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed surveys have no cached page, so each name of a language would have it made again."""
    store.lifecycle.set_state("health", "closed")
    free, pages, came = threading.Event(), there.front.pages, []
    wsgi, made = asked.wsgi, pages.made

    def slow(environ: Any, start: Any) -> Any:
        free.wait(60)
        return wsgi(environ, start)

    def counted(*arguments: Any) -> Any:
        came.append(arguments)
        return made(*arguments)

    asked.wsgi = slow  # type: ignore[assignment]
    monkeypatch.setattr(pages, "made", counted)
    paths = [f"/s/health?language=x{n}&y={n}" for n in range(10)]
    clients = [threading.Thread(target=there.ask, args=["GET", path]) for path in paths]
    for client in clients:
        client.start()
    wait_until(lambda: len(came) == len(paths) and pages.making, 60)
    most = len(pages.making)
    free.set()
    for client in clients:
        client.join()
    assert most == 1


def test_pages_that_are_slow_to_make_leave_threads_for_others(
    there: Running, asked: Asked, app: Flask
) -> None:
    """Any number of different pages can be requested. Of respondents' pages two are made at a time,
    and of strangers' one."""
    free = threading.Event()
    wsgi = asked.wsgi
    begun: list[str] = []

    def slow(environ: Any, start: Any) -> Any:
        if environ["PATH_INFO"].endswith(("/results", "/verify", ".json", "/withdraw", "/health")):
            begun.append(environ["PATH_INFO"])
            free.wait(60)
        return wsgi(environ, start)

    asked.wsgi = slow  # type: ignore[assignment]
    different = [
        (path, {"Accept-Language": language, "Accept-Encoding": encoding})
        for path in (RESULTS, *PAGES)
        for language in ("en", "vi", "th")
        for encoding in ("gzip", "identity")
    ]
    clients = [
        threading.Thread(target=lambda path=path, named=named: there.ask("GET", path, **named))
        for path, named in different
    ]
    for client in clients:
        client.start()
    most = public_pages.MAX_MADE_AT_ONCE + wsgi_threads.STRANGERS_THREADS
    wait_until(lambda: len(there.front.pages.making) == 6 and len(begun) >= most, 60)
    assert len(begun) == most
    assert there.ask("GET", "/s/health/by-hand")[0] == 404
    assert there.ask("GET", "/static/respondent/respond.js")[0] == 200
    assert there.post(there.body(id=f"{901:032x}"))[0] == 201
    free.set()
    for client in clients:
        client.join()


@pytest.mark.parametrize(
    "path",
    ["/s/nothing", "/s/nothing/results", "/s/draft", "/s/draft.json", "/s/health.pilot", "/s/a/b"],
)
def test_what_there_is_not_is_refused_by_the_application_and_not_kept(
    there: Running, app: Flask, store: Store, path: str
) -> None:
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    for _ in range(2):
        assert same(there, app, path, "HEAD") == b""
        same(there, app, path)
    assert there.front.pages.cache.size == 0


def test_pages_with_what_is_drawn_for_one_visitor_are_not_kept(
    app: Flask, settings: Settings, store: Store
) -> None:
    by_hand = definition(yes_no(), by_hand=True)
    with started(app, settings, opened(store, by_hand)) as running:
        first, second = (running.ask("GET", "/s/health/by-hand") for _ in range(2))
        assert first[0] == second[0] == 200
        assert first[2] != second[2]
        assert running.front.pages.cache.size == 0


def test_a_reply_with_a_cookie_is_never_kept() -> None:
    assert not PageReply(200, [(b"Set-Cookie", b"a=b")], b"").may_be_kept
    assert not PageReply(404, [], b"").may_be_kept
    assert PageReply(200, [(b"Content-Type", b"text/html")], b"").may_be_kept


def test_a_query_without_an_end_is_read_to_its_bound(there: Running, asked: Asked) -> None:
    """It does not bypass the cache, and does not delay the others for long."""
    page = there.ask("GET", "/s/health")[2]
    settled(there)
    before = len(asked.requests)
    query = "&".join(f"a{n}=b" for n in range(5_000))
    assert there.ask("GET", f"/s/health?{query}")[2] == page
    assert there.ask("GET", "/s/health", **{"Accept-Language": "en," * 10_000})[2] == page
    assert len(asked.requests) == before


# --- a page is always current
def test_a_survey_that_is_closed_and_opened_again_is_so_at_once(
    there: Running, app: Flask, store: Store
) -> None:
    open_page = same(there, app, "/s/health")
    store.lifecycle.set_state("health", "closed")
    assert same(there, app, "/s/health") != open_page
    assert there.ask("GET", "/s/health")[0] == 410
    store.lifecycle.set_state("health", "open")
    assert same(there, app, "/s/health") == open_page
    assert same(there, app, "/s/health", "HEAD") == b""


def test_a_survey_is_closed_from_its_last_moment_on(
    there: Running, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = int(time.time()) + 100_000
    store.lifecycle.set_limits("health", Limits(closes=moment))
    assert there.ask("GET", "/s/health")[0] == 200
    monkeypatch.setattr(public_pages, "now", lambda: moment - 1)
    assert there.ask("GET", "/s/health")[0] == 200
    monkeypatch.setattr(public_pages, "now", lambda: moment)
    assert there.ask("GET", "/s/health")[0] == 410
    assert store.surveys.by_slug("health").state == "closed"


def test_a_survey_whose_cap_is_reached_is_closed_at_once(there: Running, store: Store) -> None:
    store.lifecycle.set_limits("health", Limits(cap=8))
    assert there.ask("GET", "/s/health")[0] == 200
    assert there.post(there.body(id=f"{900:032x}"))[0] == 201
    assert there.ask("GET", "/s/health")[0] == 410


def test_another_survey_under_the_same_address_has_its_own_page(
    there: Running, app: Flask, store: Store
) -> None:
    before = {path: same(there, app, path) for path in PAGES}
    store.lifecycle.set_state("health", "closed")
    store.lifecycle.delete_survey("health")
    assert there.ask("GET", "/s/health")[0] == 404
    other = definition(yes_no(label="Do you smoke today?"), receipts=True, batch=5)
    opened(store, other)
    after = {path: same(there, app, path) for path in PAGES}
    assert b"Do you smoke today?" in after["/s/health"]
    assert all(before[path] != after[path] for path in PAGES if path != "/s/health/withdraw")


def test_results_change_with_the_batch_and_not_before(
    there: Running, app: Flask, store: Store, asked: Asked
) -> None:
    first = same(there, app, RESULTS)
    assert b"From 5 responses" in first
    before = asked.paths.count(RESULTS)
    add(store, 2, first=100)  # This is the ninth. Five are published, and four wait.
    assert there.ask("GET", RESULTS)[2] == first
    assert asked.paths.count(RESULTS) == before
    add(store, 1, first=200)
    assert b"From 10 responses" in same(there, app, RESULTS)


def test_a_withdrawal_is_out_of_the_results_at_once_also_where_the_number_stays(
    app: Flask, settings: Settings, store: Store
) -> None:
    """The number of responses is no version, since one may leave while another comes."""
    frozen = opened(store, definition(yes_no(), receipts=True, batch=1))
    store.shares.publish("health", True)
    add(store, 20)
    with started(app, settings, frozen) as running:
        first = same(running, app, RESULTS)
        assert store.responses.withdraw("health", (0).to_bytes(16))  # the respondent who reported 0
        assert same(running, app, RESULTS) != first
        store.responses.add_response("health", Response((99).to_bytes(16), (1,)))
        second = same(running, app, RESULTS)
        assert b"From 20 responses" in first
        assert b"From 20 responses" in second
        assert first != second


def test_results_that_withdrawals_leave_with_one_response_are_shown_no_more(
    there: Running, app: Flask, store: Store
) -> None:
    assert b"From 5 responses" in same(there, app, RESULTS)
    for number in range(7):
        if number != 3:
            assert store.responses.withdraw("health", number.to_bytes(16))
    assert b"no results yet" in same(there, app, RESULTS)


def test_results_that_are_public_no_more_are_gone_at_once(
    there: Running, app: Flask, store: Store
) -> None:
    first = same(there, app, RESULTS)
    store.shares.publish("health", False)
    same(there, app, RESULTS)
    assert there.ask("GET", RESULTS)[0] == 404
    store.shares.publish("health", True)
    assert same(there, app, RESULTS) == first


def test_the_page_of_a_closed_survey_links_to_results_while_they_are_public(
    there: Running, app: Flask, store: Store
) -> None:
    link = RESULTS.encode()
    assert link not in same(there, app, PAGES[0])
    store.lifecycle.set_state("health", "closed")
    assert link in same(there, app, PAGES[0])
    store.shares.publish("health", False)
    assert link not in same(there, app, PAGES[0])


def test_releases_appear_and_go_with_the_press_that_shows_them(store: Store) -> None:
    opened(store, CONTENT)
    seen = [store.public.versions(["health"], results=True)["health"]]
    for change in (
        lambda: store.releases.set_budget("health", CentralDPBudget(Fraction(1), Fraction(0))),
        lambda: store.releases.publish_releases("health", True),
        lambda: store.releases.publish_releases("health", False),
        lambda: store.shares.publish("health", True),
        lambda: add(store, 5),
        lambda: store.lifecycle.set_state("health", "closed"),
    ):
        change()
        seen.append(store.public.versions(["health"], results=True)["health"])
    # A private budget changes nothing.
    assert seen[0] == seen[1] == seen[3]
    assert len(set(seen)) == 5


def test_a_page_that_was_overtaken_while_it_was_made_is_not_kept_as_the_new_one(
    there: Running, app: Flask, store: Store, asked: Asked
) -> None:
    """A batch is withdrawn again while a page is made.

    The version was read, the batch came, and the page was made with it. The page must be stored
    under the version of that batch.
    """
    wsgi, ids = asked.wsgi, [n.to_bytes(16) for n in range(300, 303)]
    same_as_before = store.public.versions(["health"], results=True)

    def overtaken(environ: Any, start: Any) -> Any:
        add(store, 3, first=300)
        try:
            return wsgi(environ, start)
        finally:
            for each in ids:
                store.responses.withdraw("health", each)
            waited = [n.to_bytes(16) for n in (5, 6)]
            assert all(store.responses.withdraw("health", each) for each in waited)

    asked.wsgi = overtaken  # type: ignore[assignment]
    ten = there.ask("GET", RESULTS)[2]
    assert b"From 10 responses" in ten
    asked.wsgi = wsgi
    assert store.public.versions(["health"], results=True) == same_as_before
    assert b"From 5 responses" in same(there, app, RESULTS)


@contextmanager
def two_servers(settings: Settings) -> Iterator[tuple[Running, Running, Store]]:
    with ExitStack() as both:
        apps = [create_app(settings), create_app(settings)]
        stores = [app.extensions["candor.store"] for app in apps]
        for store in stores:
            both.callback(store.close)
        frozen = opened(stores[0], CONTENT)
        stores[0].shares.publish("health", True)
        one, other = (both.enter_context(started(app, settings, frozen)) for app in apps)
        yield one, other, stores[0]


@pytest.mark.both_stores
def test_what_one_server_changes_another_shows_at_once(settings: Settings) -> None:
    with two_servers(settings) as (one, other, store):
        for running in (one, other):
            assert running.ask("GET", "/s/health")[0] == 200
            assert b"no results yet" in running.ask("GET", RESULTS)[2]
        add(store, 5)
        assert b"From 5 responses" in other.ask("GET", RESULTS)[2]
        store.lifecycle.set_state("health", "closed")
        assert one.ask("GET", "/s/health")[0] == other.ask("GET", "/s/health")[0] == 410


# --- refused requests
def test_a_database_that_is_gone_is_said_and_nothing_kept_is_shown_instead(
    there: Running, settings: Settings
) -> None:
    page = there.ask("GET", "/s/health")[2]
    database = Path(settings.database)
    away = database.rename(database.with_suffix(".away"))
    assert there.ask("GET", "/s/health")[0] == 503
    away.rename(database)
    assert there.ask("GET", "/s/health")[2] == page


def test_on_the_host_of_researchers_no_page_of_respondents_is_shown(
    settings: Settings, store: Store
) -> None:
    apart = replace(settings, url="http://survey.example", admin_url="http://Office.example")
    app = create_app(apart)
    with started(app, apart, opened(store, CONTENT)) as running:
        assert running.ask("GET", "/s/health", Host="survey.example")[0] == 200
        assert running.ask("GET", "/s/health", Host="office.example")[0] == 404
        assert running.post(Host="office.example")[0] == 404
    app.extensions["candor.store"].close()
