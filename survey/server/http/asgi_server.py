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
from contextlib import suppress
from dataclasses import dataclass
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


@dataclass(frozen=True)
class BoundServer:
    """A server that holds its port, and does not serve yet."""

    config: uvicorn.Config
    waiting: ConnectionTable
    sockets: list[socket.socket]
    front: Front


class Server(uvicorn.Server):
    """Uvicorn's, which also looks after its connections, and says that it stops before it does."""

    def __init__(
        self, config: uvicorn.Config, waiting: ConnectionTable, front: Front | None = None
    ):
        super().__init__(config)
        self.waiting = waiting
        self.front = front

    async def on_tick(self, counter: int) -> bool:
        self.waiting.look(asyncio.get_running_loop().time())
        if self.front is not None:
            self.front.sample(len(self.server_state.connections))
            self.should_exit |= self.front.watch.may_stop
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at once at Ctrl+C, and where this was asked for before."""
        if sig == signal.SIGTERM and self.front is not None and self.front.watch.leaving is None:
            self.front.watch.leave()
        else:
            super().handle_exit(sig, frame)


def listen(app: Flask, settings: Settings, store: Store) -> BoundServer:
    """A server that holds the port; raises SettingsError where the port is not to be had."""
    front = Front(app, store, settings, longest=app.config["MAX_CONTENT_LENGTH"])
    waiting = ConnectionTable(connections_allowed())
    config = uvicorn.Config(
        on_connections(front),
        http="httptools",
        ws="none",
        lifespan="on",
        interface="asgi3",
        proxy_headers=False,  # app.py counts the proxies
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_keep_alive=CONNECTION_TIMEOUT_SECONDS,
        timeout_graceful_shutdown=ENDING_SECONDS,
    )
    config.load()
    config.http_protocol_class = connections(
        config.http_protocol_class, waiting, https=settings.https
    )
    try:
        return BoundServer(config, waiting, bound_sockets(settings.host, settings.port), front)
    except OSError as error:
        raise SettingsError(
            f"{settings.host}:{settings.port} cannot be listened on: {error.strerror}. "
            "Stop what is using it, or set PORT to another number."
        ) from error


def bound_sockets(host: str, port: int) -> list[socket.socket]:
    """A socket for each address that a name such as localhost stands for."""
    address_infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(address_infos):
            sockets.append(listener := socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind(address)
            listener.listen(BACKLOG_CONNECTIONS)
    except OSError:
        for each in sockets:
            each.close()
        raise
    return sockets


def run(listening: BoundServer, greeting: str) -> None:
    """Print where to go, then serve until told to stop."""
    # what clients do wrong is no news; what goes wrong here is still said
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    # a crash would write down the memory, with addresses and answers to plain questions in it
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    click.echo(greeting)
    signal.signal(signal.SIGTERM, stop)
    with suppress(KeyboardInterrupt, SystemExit):
        Server(listening.config, listening.waiting, listening.front).run(listening.sockets)


def stop(*_: object) -> None:
    """Requests that are being answered were finished by now, as at Ctrl+C."""
    raise SystemExit
