"""The production server in a thread of this process, and a client of it."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPResponse
from typing import Any

from flask import Flask

from survey.definition.frozen import FrozenSurvey
from survey.server.http import asgi_server
from survey.server.settings import Settings
from tests.support.servers import free_port

PATH = "/s/health/responses"
JSON = {"Content-Type": "application/json"}


@dataclass
class Client:
    """A client of a server with one survey."""

    port: int
    fingerprint: str
    number: int = 0

    def body(self, **members: Any) -> bytes:
        """Send a new response."""
        self.number += 1
        content = {"id": f"{self.number:032x}", "fingerprint": self.fingerprint}
        return json.dumps(content | {"reports": {"smokes": "1"}} | members).encode()

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, path, body, headers)
            reply: HTTPResponse = connection.getresponse()
            return reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read()

    def post(self, body: bytes | None = None, path: str = PATH, **headers: str) -> Any:
        sent = self.body() if body is None else body
        named = {name.replace("_", "-"): value for name, value in (JSON | headers).items()}
        return self.ask("POST", path, sent, **named)

    def connect(self, half: bytes = b"") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        connection.sendall(half)
        return connection


@dataclass
class Running(Client):
    """The production server in a thread of this process, so that tests can inspect it."""

    listening: Any = None

    @property
    def front(self) -> Any:
        return self.listening.front


@contextmanager
def started(app: Flask, settings: Settings, frozen: FrozenSurvey) -> Iterator[Running]:
    settings = replace(settings, port=free_port())
    running = asgi_server.listen(app, settings, app.extensions["candor.store"])
    with app.app_context():  # like the command that serves
        context = copy_context()
    thread = threading.Thread(target=context.run, args=[running.run, running.listening])
    thread.start()
    try:
        end = time.monotonic() + 20
        while not running.started:
            assert time.monotonic() < end
            time.sleep(0.01)
        yield Running(settings.port, frozen.fingerprint, listening=running)
    finally:
        running.should_exit = True
        thread.join()


HALVES = {
    "idle": b"",
    "head": b"POST /s/health/responses HTTP/1.1\r\nHost: x\r\nContent-",
    "body": b"POST /s/health/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n\r\n{",
    "chunk": b"POST /s/health/responses HTTP/1.1\r\nHost: x\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nc8\r\n{",
}
