"""The production server: uvicorn around survey/server/http/asgi_app.py.

survey/server/http/connection_limits.py limits its connections.

It keeps no access log. A line with an address and a time for each response would undo what the
store leaves out.
"""

import asyncio
import errno
import logging
import resource
import signal
import socket
from contextlib import ExitStack, suppress
from types import FrameType

import click
import uvicorn
from flask import Flask

from survey.core.errors import SettingsError
from survey.server.http.asgi_app import Front
from survey.server.http.connection_limits import (
    CONNECTION_TIMEOUT_SECONDS,
    ConnectionTable,
    connections,
    connections_allowed,
    on_connections,
)
from survey.server.settings import Settings
from survey.store import Store

# Connections that the system holds until the server accepts them.
BACKLOG_CONNECTIONS = 4_096
# The time for unfinished requests when the server stops.
ENDING_SECONDS = 5


class Server(uvicorn.Server):
    """A uvicorn server that binds its port early, limits its connections and announces its stop.

    Raises OSError if the port is not available.
    """

    def __init__(self, app: Flask, settings: Settings, store: Store):
        self.front = Front(app, store, settings, longest=app.config["MAX_CONTENT_LENGTH"])
        self.waiting = ConnectionTable(connections_allowed())
        config = uvicorn.Config(
            on_connections(self.front),
            http="auto",  # httptools of the extra "fast", else h11
            ws="none",
            lifespan="on",
            interface="asgi3",
            proxy_headers=False,  # app.py handles the proxies.
            access_log=False,
            log_config=None,
            server_header=False,
            backlog=BACKLOG_CONNECTIONS,
            timeout_keep_alive=CONNECTION_TIMEOUT_SECONDS,
            timeout_graceful_shutdown=ENDING_SECONDS,
        )
        config.load()
        config.http_protocol_class = connections(
            config.http_protocol_class, self.waiting, https=settings.https
        )
        super().__init__(config)
        self.listening = bound_sockets(settings.host, settings.port)

    async def on_tick(self, counter: int) -> bool:
        self.waiting.look(asyncio.get_running_loop().time())
        self.front.sample(len(self.server_state.connections))
        self.should_exit |= self.front.watch.may_stop
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at once at Ctrl+C, and at the second SIGTERM."""
        if sig == signal.SIGTERM and self.front.watch.leaving is None:
            self.front.watch.leave()
        else:
            super().handle_exit(sig, frame)


def listen(app: Flask, settings: Settings, store: Store) -> Server:
    """A server that has bound its port. Raises SettingsError if the port is not available."""
    try:
        return Server(app, settings, store)
    except OSError as error:
        # Omit the part of the message that repeats the address.
        reason = str(error.strerror).partition(" (while")[0]
        advice = {
            errno.EADDRINUSE: "Stop the program that uses it, or set PORT to another number.",
            errno.EACCES: "Set PORT to a number above 1023.",
        }.get(error.errno or 0, "Set HOST to an address of this machine.")
        raise SettingsError(
            f"Cannot listen on {settings.host}:{settings.port}: {reason}. {advice}"
        ) from error


def bound_sockets(host: str, port: int) -> list[socket.socket]:
    """A socket for each address of the host; localhost, for example, has two."""
    address_infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    with ExitStack() as unless_all:
        sockets = [
            unless_all.enter_context(
                socket.create_server(address, family=family, backlog=BACKLOG_CONNECTIONS)
            )
            for family, _, _, _, address in dict.fromkeys(address_infos)
        ]
        unless_all.pop_all()
    return sockets


def run(server: Server, greeting: str) -> None:
    """Print the address, then serve until the server is stopped."""
    # Errors of clients need no log line. Errors of the server are still logged.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    # A core dump would contain addresses and answers to non-private questions.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    click.echo(greeting)
    signal.signal(signal.SIGTERM, stop)
    with suppress(KeyboardInterrupt, SystemExit):
        server.run(server.listening)


def stop(*_: object) -> None:
    """Exit the process. Uvicorn has already finished the open requests, as at Ctrl+C."""
    raise SystemExit
