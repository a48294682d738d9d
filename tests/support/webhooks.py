"""Receivers of webhooks, for several test modules."""

import json
import random
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from survey.definition.responses.parse_response import Response
from survey.server.webhooks.messages import new_webhook, read_thresholds
from survey.store import Store
from survey.store.sql.webhooks import Webhook

KEY = "k" * 64  # as in the fixture `settings`


@dataclass
class Receiver:
    """A receiver of webhooks: its requests, and its answers."""

    url: str
    status: int = 204
    location: str | None = None
    came: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    before: Callable[[], None] = lambda: None

    @property
    def said(self) -> list[dict[str, Any]]:
        """The messages without the parts that distinguish attempts."""
        found = [json.loads(body) for _, _, body in self.came]
        for each in found:
            assert re.fullmatch("[0-9a-f]{32}", each.pop("delivery"))
            assert abs(each.pop("sent") - time.time()) < 3_600
        return found


@contextmanager
def receiving(context: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.came.append((self.path, dict(self.headers), body))
            receiver.before()
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("Location", receiver.location)
            self.end_headers()

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((host, 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # refused handshakes
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    scheme = "http" if context is None else "https"
    receiver = Receiver(f"{scheme}://localhost:{server.server_port}/told?by=candor")
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def responses(n: int, seed: int = 1) -> list[Response]:
    r = random.Random(seed)
    return [Response(r.randbytes(16), (r.randrange(2),)) for _ in range(n)]


def feed(store: Store, n: int, seed: int) -> None:
    for response in responses(n, seed):
        assert store.responses.add_response("health", response)


def added(store: Store, url: str, numbers: str) -> Webhook:
    webhook = new_webhook("health", url, read_thresholds(numbers))
    store.webhooks.add_webhook(webhook)
    return webhook


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now
