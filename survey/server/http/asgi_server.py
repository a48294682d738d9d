"""The production server: uvicorn around survey/server/http/asgi_app.py.

Its connections have the limits of survey/server/http/connection_limits.py.

No access log is kept: a line with an address and a time beside each response would undo what the
store leaves out.
"""

import asyncio
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

BACKLOG_CONNECTIONS = 4_096  # connections that the system holds until they are taken
ENDING_SECONDS = 5  # for requests that are being answered when the server is stopped


class Server(uvicorn.Server):
    """Uvicorn's, which holds its port before it serves, looks after its connections, and says that
    it stops before it does. Raises OSError where the port is not to be had."""

    def __init__(self, app: Flask, settings: Settings, store: Store):
        self.front = Front(app, store, settings, longest=app.config["MAX_CONTENT_LENGTH"])
        self.waiting = ConnectionTable(connections_allowed())
        config = uvicorn.Config(
            on_connections(self.front),
            http="httptools",
            ws="none",
            lifespan="on",
            interface="asgi3",
            proxy_headers=False,  # app.py counts the proxies
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
        """Stop at once at Ctrl+C, and where this was asked for before."""
        if sig == signal.SIGTERM and self.front.watch.leaving is None:
            self.front.watch.leave()
        else:
            super().handle_exit(sig, frame)


def listen(app: Flask, settings: Settings, store: Store) -> Server:
    """A server that holds the port; raises SettingsError where the port is not to be had."""
    try:
        return Server(app, settings, store)
    except OSError as error:
        reason = str(error.strerror).partition(" (while")[0]  # without the address once more
        raise SettingsError(
            f"{settings.host}:{settings.port} cannot be listened on: {reason}. "
            "Stop what is using it, or set PORT to another number."
        ) from error


def bound_sockets(host: str, port: int) -> list[socket.socket]:
    """A socket for each address that a name such as localhost stands for."""
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
    """Print where to go, then serve until told to stop."""
    # what clients do wrong is no news; what goes wrong here is still said
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    # a crash would write down the memory, with addresses and answers to plain questions in it
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    click.echo(greeting)
    signal.signal(signal.SIGTERM, stop)
    with suppress(KeyboardInterrupt, SystemExit):
        server.run(server.listening)


def stop(*_: object) -> None:
    """Requests that are being answered were finished by now, as at Ctrl+C."""
    raise SystemExit
