"""The cache of pages: how much it keeps, and which page goes first."""

from contextlib import ExitStack, closing

from flask import Flask

from survey.server.http import public_pages, wsgi_threads
from survey.server.http.page_cache import Page, PageCache, PageReply, Variant
from survey.server.settings import Settings
from survey.store import Store
from tests.support.asgi_servers import started
from tests.support.cached_pages import settled
from tests.support.definitions import definition, opened, yes_no


def test_a_client_that_does_not_read_holds_no_page(
    app: Flask, settings: Settings, store: Store
) -> None:
    """It also uses no thread: the page is sent in pieces, as the client takes them."""
    questions = [
        yes_no(f"q{n}", privacy="none", label=f"Question {n} {'long ' * 120}") for n in range(190)
    ]
    with started(app, settings, opened(store, definition(*questions))) as running:
        page = running.ask("GET", "/s/health")[2]
        settled(running)
        assert len(page) > 4 * public_pages.PIECE_BYTES
        request = b"GET /s/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with ExitStack() as held:
            for _ in range(wsgi_threads.THREADS + 4):
                held.enter_context(closing(running.connect(request)))
            assert running.ask("GET", "/s/health")[2] == page
            assert running.front.threads.busy == 0


def reply_of(size: int) -> PageReply:
    return PageReply(200, [], b" " * size)


def test_the_address_that_was_asked_for_longest_ago_goes_first() -> None:
    cache, english = PageCache(100), Variant("en", gzip=False)
    for path in ("/a", "/b", "/c"):
        cache.keep(path, Page(b"1", ("en",)), english, reply_of(30))
    assert cache.find("/a", b"1") is not None
    cache.keep("/d", Page(b"1", ("en",)), english, reply_of(30))
    assert list(cache.pages) == ["/c", "/a", "/d"]
    assert cache.size == 90
    cache.keep("/c", Page(b"2", ("en",)), english, reply_of(10))  # The old version is removed.
    assert cache.find("/c", b"1") is None
    assert cache.size == 70
    cache.keep("/e", Page(b"1", ("en",)), english, reply_of(500))
    assert cache.size == 0


def test_a_reply_is_counted_once() -> None:
    cache, english = PageCache(100), Variant("en", gzip=False)
    for _ in range(5):
        cache.keep("/a", Page(b"1", ("en",)), english, reply_of(30))
    assert cache.size == 30
    cache.drop("/a")
    assert cache.size == 0
