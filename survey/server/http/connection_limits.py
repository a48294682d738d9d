"""Limits on the time and memory of connections, wide enough for every honest client.

A client has `CONNECTION_TIMEOUT_SECONDS` to send a whole request, and to accept each part of a
reply. Silence between requests counts too. If the server has no room for more waiting connections,
it closes the one that has waited longest. It does the same if unfinished requests use too much
memory. So a slow or silent client loses against a normal one.

A `Connection` stands between asyncio and uvicorn's HTTP protocol, and passes all calls on. It
learns from asyncio how many bytes come and go. The ASGI messages say which request the bytes belong
to. Both interfaces are public, so nothing here depends on the internals of uvicorn.
"""

import asyncio
import json
import resource
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from survey.server.http import security_headers
from survey.server.http.wsgi_environ import Message, Receive, Scope, Send

CONNECTION_TIMEOUT_SECONDS = 60
# A request line with its headers.
MAX_HEAD_BYTES = 64 * 1024
# All unfinished requests together.
MAX_UNFINISHED_BYTES = 256 * 1024 * 1024
# The system may allow fewer connections.
MAX_OPEN_CONNECTIONS = 16_000
# File descriptors for other uses: the database, pages and files that are written.
RESERVED_FILES = 200
# The key of the connection in the state of an ASGI scope.
STATE = "candor.connection"

ASGI = Callable[[Scope, Receive, Send], Awaitable[None]]


class ClientDisconnected(Exception):
    """The client hung up."""


def connections_allowed() -> int:
    """The number of connections that the system allows, after raising the limit of open files."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_CONNECTIONS + RESERVED_FILES
    soft = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))
    return min(MAX_OPEN_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED_FILES)


class ConnectionTable:
    """The connections that the server waits for, oldest first, and the bytes that they sent."""

    def __init__(self, most: int):
        self.most = most
        self.since: dict[Connection, float] = {}
        # Connections that do not accept our bytes, with the time since when.
        self.reading: dict[Connection, float] = {}
        self.unread = 0

    def begin(self, connection: "Connection", now: float) -> None:
        self.since.pop(connection, None)
        self.since[connection] = now
        if len(self.since) > self.most:
            self.drop(next(iter(self.since)))

    def take(self, connection: "Connection", size: int) -> None:
        """Count bytes of an unfinished request, and drop connections above the memory limit."""
        connection.unread += size
        self.unread += size
        while self.unread > MAX_UNFINISHED_BYTES and self.since:
            self.drop(next(iter(self.since)))

    def end(self, connection: "Connection") -> None:
        self.since.pop(connection, None)
        self.unread -= connection.unread
        connection.unread = 0

    def forget(self, connection: "Connection") -> None:
        self.end(connection)
        self.reading.pop(connection, None)

    def drop(self, connection: "Connection") -> None:
        self.forget(connection)
        connection.transport.abort()

    def look(self, now: float) -> None:
        """Close the connections that have reached the time limit."""
        for waiting in (self.since, self.reading):
            for connection, since in list(waiting.items()):
                if now - since < CONNECTION_TIMEOUT_SECONDS:
                    break
                self.drop(connection)


class HTTPTransport:
    """The transport that uvicorn sees. It replaces the text of uvicorn's own refusals."""

    def __init__(self, connection: "Connection"):
        self.connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection.transport, name)

    def write(self, data: bytes) -> None:
        # Tasks write the replies. What uvicorn writes while it receives bytes is a refusal.
        if self.connection.parsing:
            self.connection.refuse(HTTPStatus.BAD_REQUEST, "This is not an HTTP request. Send one.")
        # uvloop raises an error for a closed transport. Of several requests on one connection,
        # uvicorn tells only the last one that the client has left while it waited to write.
        elif not self.connection.transport.is_closing():
            self.connection.transport.write(data)


class Connection(asyncio.Protocol):
    """A client's connection with the limits of this module, in front of uvicorn's protocol."""

    # `connections` sets these three for each server.
    waiting: ConnectionTable
    https: bool
    http_class: Any
    transport: asyncio.Transport

    def __init__(self, *, app_state: dict[str, Any], **named: Any):
        self.loop = asyncio.get_running_loop()
        self.unread = 0
        self.parsing = False
        self.lost = False
        self.reading_body: Scope | None = None  # the request whose body is incomplete
        self.answering: Scope | None = None
        self.http = self.http_class(app_state=app_state | {STATE: self}, **named)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.transport = transport
        self.http.connection_made(HTTPTransport(self))
        self.waiting.begin(self, self.loop.time())

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        self.waiting.forget(self)
        self.http.connection_lost(exc)

    def eof_received(self) -> bool | None:
        return bool(self.http.eof_received())

    def data_received(self, data: bytes) -> None:
        self.waiting.take(self, len(data))
        self.parsing = True
        self.http.data_received(data)
        self.parsing = False
        if self.unread > MAX_HEAD_BYTES:
            # If these bytes complete a head, uvicorn's task for the request must run first.
            self.loop.call_soon(self.limit_head)

    def limit_head(self) -> None:
        """Refuse a head that is too long. While a request is answered, pause reading instead."""
        if self.reading_body or self.unread <= MAX_HEAD_BYTES or self.transport.is_closing():
            return
        if self.answering:
            self.transport.pause_reading()
        else:
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            self.refuse(status, "The headers are too long. Send shorter ones.")

    def pause_writing(self) -> None:
        self.http.pause_writing()
        self.waiting.reading[self] = self.loop.time()

    def resume_writing(self) -> None:
        self.http.resume_writing()
        self.waiting.reading.pop(self, None)

    async def answer(self, app: ASGI, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer a request of this connection."""

        async def receive_part() -> Message:
            message = await receive()
            if not message.get("more_body") and self.reading_body is scope:
                self.reading_body = None
                self.waiting.end(self)
            return message

        async def send_part(message: Message) -> None:
            if self.lost:  # Uvicorn reports this only to the last of several requests.
                raise ClientDisconnected
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                self.wait_for_next(scope)

        self.answering = self.reading_body = scope
        if not {b"content-length", b"transfer-encoding"} & {name for name, _ in scope["headers"]}:
            self.reading_body = None
            self.waiting.end(self)
        try:
            await app(scope, receive_part, send_part)
        finally:
            self.wait_for_next(scope)

    def wait_for_next(self, answered: Scope) -> None:
        """Start waiting for the next request, unless this was already done."""
        if self.answering is not answered:
            return
        self.answering = None
        if self.lost:
            return
        if self.reading_body:  # Nobody reads the rest of the body; it would look like a request.
            self.transport.close()
        elif not self.transport.is_closing():
            self.transport.resume_reading()
        self.waiting.begin(self, self.loop.time())

    def refuse(self, status: HTTPStatus, sentence: str) -> None:
        """Send a refusal, in the format of the application, to a request that never reaches it."""
        content = json.dumps({"error": sentence}).encode()
        lines = [
            f"HTTP/1.1 {status.value} {status.phrase}",
            "Content-Type: application/json",
            f"Content-Length: {len(content)}",
            *(
                f"{name}: {value}"
                for name, value in security_headers.respondent_headers(self.https).items()
            ),
            "Connection: close",
        ]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + content)
        self.transport.close()


def connections(http_class: Any, waiting: ConnectionTable, *, https: bool) -> type[Connection]:
    """The connection class of one server, in front of uvicorn's `http_class`."""
    members = {"http_class": http_class, "waiting": waiting, "https": https}
    return type("Connection", (Connection,), members)


def on_connections(app: ASGI) -> ASGI:
    """An ASGI application that lets each connection follow its own requests."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        connection: Connection | None = scope.get("state", {}).get(STATE)
        if connection is None:  # The lifespan messages have no connection.
            await app(scope, receive, send)
        else:
            await connection.answer(app, scope, receive, send)

    return answer
