"""Connections, each with so much time and room as an honest client needs.

Whoever connects has `CONNECTION_TIMEOUT_SECONDS` to send a whole request, and to take each part of
a reply; silence between requests counts, too. Where there are more that wait than the server has
room for, or where what they have sent of their requests takes too much memory, the one that has
waited longest is closed: a client that sends slowly, or nothing, loses against one that does not.
"""

import asyncio
import json
import resource
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from survey.server.http import security_headers

CONNECTION_TIMEOUT_SECONDS = 60
MAX_HEAD_BYTES = 64 * 1024  # bytes of a request line with its headers
MAX_UNFINISHED_BYTES = 256 * 1024 * 1024  # bytes of unfinished requests, all together
MAX_OPEN_CONNECTIONS = 16_000  # connections, if the system allows so many
RESERVED_FILES = 200  # that are no connections: the database, pages, what is written


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

    def drop(self, connection: "Connection") -> None:
        self.end(connection)
        self.reading.pop(connection, None)
        connection.transport.abort()

    def look(self, now: float) -> None:
        """Close those that have been waited for too long."""
        for waiting in (self.since, self.reading):
            for connection, since in list(waiting.items()):
                if now - since < CONNECTION_TIMEOUT_SECONDS:
                    break
                self.drop(connection)


class Connection(HttpToolsProtocol):
    """Uvicorn's, under the rules of this module."""

    waiting: ConnectionTable  # the server's, as is the next, set by `connections`
    https: bool

    def __init__(self, *arguments: Any, **named: Any):
        super().__init__(*arguments, **named)
        self.unread = 0
        self.in_head = True
        self.answering: list[RequestResponseCycle] = []  # requests sent one after the other

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.waiting.begin(self, self.loop.time())

    def connection_lost(self, exc: Exception | None) -> None:
        self.waiting.end(self)
        self.waiting.reading.pop(self, None)
        super().connection_lost(exc)
        for each in self.answering:  # uvicorn tells the last alone that nobody reads its answer
            each.disconnected = True

    def data_received(self, data: bytes) -> None:
        self.waiting.take(self, len(data))
        super().data_received(data)
        if self.in_head and self.unread > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too long.")

    def on_message_begin(self) -> None:
        self.in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self.in_head = False
        super().on_headers_complete()
        self.answering = [each for each in self.answering if not each.response_complete]
        self.answering.append(self.cycle)

    def on_message_complete(self) -> None:
        self.waiting.end(self)
        self.in_head = True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self.waiting.begin(self, self.loop.time())
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.waiting.reading[self] = self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self.waiting.reading.pop(self, None)

    def send_400_response(self, msg: str) -> None:
        self.refuse(HTTPStatus.BAD_REQUEST, "This is no HTTP request.")

    def refuse(self, status: HTTPStatus, sentence: str) -> None:
        """What never reaches the application is refused in its manner."""
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


def connections(waiting: ConnectionTable, *, https: bool) -> type[Connection]:
    """The kind of connection of one server."""
    return type("Connection", (Connection,), {"waiting": waiting, "https": https})
