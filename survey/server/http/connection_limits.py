"""Connections, each with so much time and room as an honest client needs.

Whoever connects has `CONNECTION_TIMEOUT_SECONDS` to send a whole request, and to take each part of
a reply; silence between requests counts, too. Where there are more that wait than the server has
room for, or where what they have sent of their requests takes too much memory, the one that has
waited longest is closed: a client that sends slowly, or nothing, loses against one that does not.

A connection stands between asyncio and uvicorn's protocol for HTTP, and passes on what it is called
with. It learns from asyncio how many bytes come and go, and from the messages of ASGI which request
they belong to. Both interfaces are public, so nothing here depends on how uvicorn works inside.
"""

import asyncio
import json
import resource
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from survey.server.http import security_headers
from survey.server.http.wsgi_threads import Message, Receive, Scope, Send

CONNECTION_TIMEOUT_SECONDS = 60
MAX_HEAD_BYTES = 64 * 1024  # bytes of a request line with its headers
MAX_UNFINISHED_BYTES = 256 * 1024 * 1024  # bytes of unfinished requests, all together
MAX_OPEN_CONNECTIONS = 16_000  # connections, if the system allows so many
RESERVED_FILES = 200  # that are no connections: the database, pages, what is written
STATE = "candor.connection"  # where a request has its connection, in the state of its scope

ASGI = Callable[[Scope, Receive, Send], Awaitable[None]]


class ClientDisconnected(Exception):
    """The client hung up."""


def connections_allowed() -> int:
    """As many as this process may have, after it has asked for all that the system gives it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_CONNECTIONS + RESERVED_FILES
    soft = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))
    return min(MAX_OPEN_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED_FILES)


class ConnectionTable:
    """The connections that are waited for, the longest first; and how much they have sent."""

    def __init__(self, most: int):
        self.most = most
        self.since: dict[Connection, float] = {}
        self.reading: dict[Connection, float] = {}  # since when they have not taken what we sent
        self.unread = 0

    def begin(self, connection: "Connection", now: float) -> None:
        self.since.pop(connection, None)
        self.since[connection] = now
        if len(self.since) > self.most:
            self.drop(next(iter(self.since)))

    def take(self, connection: "Connection", size: int) -> None:
        """So many bytes of its request have come."""
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
        """Close those that have been waited for too long."""
        for waiting in (self.since, self.reading):
            for connection, since in list(waiting.items()):
                if now - since < CONNECTION_TIMEOUT_SECONDS:
                    break
                self.drop(connection)


class HTTPTransport:
    """A connection's transport as uvicorn has it, with our words where it refuses a request."""

    def __init__(self, connection: "Connection"):
        self.connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection.transport, name)

    def write(self, data: bytes) -> None:
        # Replies are written by tasks. What uvicorn writes while it is given bytes is a refusal.
        if self.connection.parsing:
            self.connection.refuse(HTTPStatus.BAD_REQUEST, "This is no HTTP request.")
        # uvloop raises an error for a closed transport. Of several requests on one connection,
        # uvicorn tells only the last one that the client has left while it waited to write.
        elif not self.connection.transport.is_closing():
            self.connection.transport.write(data)


class Connection(asyncio.Protocol):
    """A client's connection under the rules of this module, in front of uvicorn's protocol."""

    waiting: ConnectionTable  # the server's, as are the next two, set by `connections`
    https: bool
    http_class: Any
    transport: asyncio.Transport

    def __init__(self, *, app_state: dict[str, Any], **named: Any):
        self.loop = asyncio.get_running_loop()
        self.unread = 0
        self.parsing = False
        self.lost = False
        self.reading_body: Scope | None = None  # the request whose body has not come to its end
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
            # Where these bytes have completed a head, uvicorn's task for the request runs first.
            self.loop.call_soon(self.limit_head)

    def limit_head(self) -> None:
        """Read no head that is too long; while a request is answered, no more of the next one."""
        if self.reading_body or self.unread <= MAX_HEAD_BYTES or self.transport.is_closing():
            return
        if self.answering:
            self.transport.pause_reading()
        else:
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            self.refuse(status, "The headers are too long.")

    def pause_writing(self) -> None:
        self.http.pause_writing()
        self.waiting.reading[self] = self.loop.time()

    def resume_writing(self) -> None:
        self.http.resume_writing()
        self.waiting.reading.pop(self, None)

    async def answer(self, app: ASGI, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the application answer a request of this connection."""

        async def receive_part() -> Message:
            message = await receive()
            if not message.get("more_body") and self.reading_body is scope:
                self.reading_body = None
                self.waiting.end(self)
            return message

        async def send_part(message: Message) -> None:
            if self.lost:  # uvicorn tells only the last of several requests
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
        """Begin to wait for the request after this one, unless that was done."""
        if self.answering is not answered:
            return
        self.answering = None
        if self.lost:
            return
        if self.reading_body:  # nobody will read the rest, which looks like another request
            self.transport.close()
        elif not self.transport.is_closing():
            self.transport.resume_reading()
        self.waiting.begin(self, self.loop.time())

    def refuse(self, status: HTTPStatus, sentence: str) -> None:
        """Refuse in the application's manner what never reaches it."""
        content = json.dumps({"error": sentence}).encode()
        lines = [
            f"HTTP/1.1 {status.value} {status.phrase}",
            "Content-Type: application/json",
            f"Content-Length: {len(content)}",
            *(
                f"{name}: {value}"
                for name, value in security_headers.respondents(self.https).items()
            ),
            "Connection: close",
        ]
        self.transport.write("\r\n".join([*lines, "", ""]).encode() + content)
        self.transport.close()


def connections(http_class: Any, waiting: ConnectionTable, *, https: bool) -> type[Connection]:
    """The kind of connection of one server, in front of uvicorn's `http_class`."""
    members = {"http_class": http_class, "waiting": waiting, "https": https}
    return type("Connection", (Connection,), members)


def on_connections(app: ASGI) -> ASGI:
    """An ASGI application that tells each connection what becomes of its requests."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        connection: Connection | None = scope.get("state", {}).get(STATE)
        if connection is None:  # the server's start and end
            await app(scope, receive, send)
        else:
            await connection.answer(app, scope, receive, send)

    return answer
