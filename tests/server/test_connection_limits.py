"""Connections: what they may send, and how several requests on one connection are handled.

tests/server/test_asgi_app.py covers clients that are too slow, too many or too long.
"""

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from survey.server.http.connection_limits import MAX_HEAD_BYTES, HTTPTransport
from survey.server.settings import Settings
from survey.store import Store
from tests.support.asgi_servers import PATH, Running, started
from tests.support.definitions import definition, opened, yes_no
from tests.support.waiting import wait_until

GET = b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGEST_READ = 256 * 1024  # bytes that the event loop reads from a socket in one step


@pytest.fixture
def there(app: Flask, settings: Settings, store: Store) -> Iterator[Running]:
    with started(app, settings, opened(store, definition(yes_no(), batch=1))) as running:
        yield running


def received(connection: socket.socket, end: bytes) -> bytes:
    """The answer up to these bytes, or to its end."""
    content = b""
    while end not in content and (piece := connection.recv(65_536)):
        content += piece
    return content


def test_requests_on_one_connection_are_answered_in_order(there: Running) -> None:
    """Requests one after another and all at once, with a body and without."""
    post = b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    response = post % PATH.encode() + b"Content-Length: %d\r\n\r\n%b"
    bodies = [there.body() for _ in range(4)]
    sent = [response % (len(body), body) for body in bodies]
    with closing(there.connect()) as connection:
        for request in sent[:2]:
            connection.sendall(request)
            assert received(connection, b"recorded").startswith(b"HTTP/1.1 201")
        last = (GET % b"/").replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        connection.sendall(GET % b"/healthz" + sent[2] + GET % b"/nowhere" + sent[3] + last)
        content = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert re.findall(rb"HTTP/1\.1 (\d{3}) ", content) == [b"200", b"201", b"404", b"201", b"200"]
    assert there.listening.waiting.unread == 0


def test_a_body_that_nobody_reads_ends_the_connection(there: Running) -> None:
    """The rest of it would count as the next request, and would have no end."""
    with closing(there.connect(GET % b"/healthz")) as connection:
        assert b" 200 OK" in received(connection, b"alive")
        connection.sendall(b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")
        assert b" 405 " in received(connection, b"accepts only GET")
        with suppress(ConnectionError):
            assert received(connection, b"never") in (b"", b'."}')


def test_while_a_request_is_answered_little_is_read_of_the_next(there: Running, app: Flask) -> None:
    free = threading.Event()

    @app.get("/slow")
    def slow() -> str:
        free.wait(20)
        return "done"

    with closing(there.connect(GET % b"/slow")) as connection:
        connection.settimeout(1)
        with suppress(TimeoutError):
            connection.sendall(b"GET / HTTP/1.1\r\n")
            for _ in range(50_000):
                connection.sendall(b"X-A: " + b"a" * 1_000 + b"\r\n")
        wait_until(lambda: there.listening.waiting.unread > MAX_HEAD_BYTES)
        assert there.listening.waiting.unread < MAX_HEAD_BYTES + 2 * LARGEST_READ
        assert there.post()[0] == 201
        free.set()
        connection.settimeout(20)
        with suppress(ConnectionError):
            content = received(connection, b"done")
            assert content.startswith(b"HTTP/1.1 200")
            assert b" 431 " in content + received(connection, b" 431 ")
    end = time.monotonic() + 20
    while there.listening.waiting.unread and time.monotonic() < end:
        time.sleep(0.02)
    assert there.listening.waiting.unread == 0


def test_who_leaves_is_made_no_more_pieces_though_another_request_waits(
    there: Running, app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    made = []

    @app.get("/endless")
    def endless() -> Any:
        def pieces() -> Iterator[bytes]:
            try:
                while True:
                    made.append(1)
                    yield b" " * 100_000
            finally:
                made.append(0)

        return app.response_class(pieces())

    with closing(there.connect(GET % b"/endless" + GET % b"/")) as connection:
        assert connection.recv(1_000).startswith(b"HTTP/1.1 200")
    end = time.monotonic() + 15
    while not made or made[-1]:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert there.post()[0] == 201
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("closing_now", (True, False))
def test_nothing_is_written_to_a_connection_that_is_closed(closing_now: bool) -> None:
    """uvloop raises an error there, which happened once on a busy machine: uvicorn had waited for
    room to write, and did not know that the client had left meanwhile."""
    written: list[bytes] = []
    transport = SimpleNamespace(is_closing=lambda: closing_now, write=written.append)
    connection: Any = SimpleNamespace(parsing=False, transport=transport)
    HTTPTransport(connection).write(b"a piece")
    assert written == ([] if closing_now else [b"a piece"])
