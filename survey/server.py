"""The production server: waitress, which reads a request whole before it takes up a thread.

Clients that send slowly, or stop halfway, so hold a socket but keep nobody waiting. No access log
is kept: a line with an address and a time beside each response would undo what the store leaves
out.
"""

import json
import logging
import signal
from typing import Any

import click
from flask import Flask
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask

from . import headers
from .errors import SettingsError
from .settings import Settings

THREADS = 8  # more lengthened the slowest answers in measurements
CONNECTIONS = 4_000  # most of them idle or slow; waitress stops accepting beyond
SILENT_SECONDS = 30  # after which a connection on which nothing happens is closed


class Refusal(ErrorTask):
    """What never reaches the application (too long, no HTTP) is refused in its manner."""

    def execute(self) -> None:
        error = self.request.error
        body = json.dumps({"error": f"{error.reason}: {error.body}."}).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.response_headers.append(("Content-Security-Policy", headers.written(headers.POLICY)))
        self.response_headers.extend(headers.HEADERS.items())
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class Channel(HTTPChannel):
    """A connection."""

    error_task_class = Refusal


def listen(app: Flask, settings: Settings) -> Any:
    """A server that holds the port; raises SettingsError where the port is not to be had."""
    limit = app.config["MAX_CONTENT_LENGTH"]
    try:
        server = create_server(
            app,
            host=settings.host,
            port=settings.port,
            threads=THREADS,
            connection_limit=CONNECTIONS,
            channel_timeout=SILENT_SECONDS,
            cleanup_interval=SILENT_SECONDS // 3,
            asyncore_use_poll=True,  # select() ends at 1,024 sockets
            max_request_body_size=limit,
            inbuf_overflow=2 * limit,  # no request body is ever written to a temporary file
            # or X-Forwarded-For never gets to ProxyFix, which counts the proxies (app.py)
            clear_untrusted_proxy_headers=settings.proxies == 0,
            ident=None,
        )
    except OSError as error:
        raise SettingsError(
            f"{settings.host}:{settings.port} cannot be listened on: {error.strerror}. "
            "Stop what is using it, or set PORT to another number."
        ) from error
    # a name such as localhost may stand for several addresses, each with a server of its own
    for each in [server, *getattr(server, "map", {}).values()]:
        each.channel_class = Channel
    return server


def run(server: Any, greeting: str) -> None:
    """Print where to go, then serve until told to stop."""
    # a queue of requests is no news; what goes wrong is still said
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    click.echo(greeting)
    signal.signal(signal.SIGTERM, stop)
    server.run()


def stop(*_: object) -> None:
    """Let requests that are being answered finish, as at Ctrl+C."""
    raise SystemExit
