"""The production server: waitress, which reads a request whole before it takes up a thread.

Clients that send slowly, or stop halfway, so hold a socket but keep nobody waiting. No access log
is kept: a line with an address and a time beside each response would undo what the store leaves
out.
"""

import logging
import signal

import click
from flask import Flask
from waitress.server import create_server

from .errors import SettingsError
from .settings import Settings

THREADS = 8  # more lengthened the slowest answers in measurements
CONNECTIONS = 4_000  # most of them idle or slow; waitress stops accepting beyond
SILENT_SECONDS = 30  # after which a connection on which nothing happens is closed


def serve(app: Flask, settings: Settings, greeting: str) -> None:
    """Serve until told to stop; `greeting` is printed once the port is ours."""
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
            ident=None,
        )
    except OSError as error:
        raise SettingsError(
            f"{settings.host}:{settings.port} cannot be listened on: {error.strerror}. "
            "Stop what is using it, or set PORT to another number."
        ) from error
    # a queue of requests is no news; what goes wrong is still said
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    click.echo(greeting)
    signal.signal(signal.SIGTERM, stop)
    server.run()


def stop(*_: object) -> None:
    """Let requests that are being answered finish, as at Ctrl+C."""
    raise SystemExit
