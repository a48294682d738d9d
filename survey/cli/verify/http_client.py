"""Requests to a host over HTTP, in the manner of several different clients.

The requests use no proxy and follow no redirect. Replies have limits of size and time. Nothing in a
reply is run or written to disk.
"""

import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Self

from survey.cli.verify.browsers import CLIENTS, VISITS, Client, Visit
from survey.core.errors import CannotVerify

# The time for one network step, and for one whole reply.
STEP_TIMEOUT_SECONDS = 20
REPLY_TIMEOUT_SECONDS = 60
MAX_REPLY_BYTES = 16 * 1024 * 1024
# Stands for a line among the headers that is no header. Browsers skip such a line and read on.
NO_HEADER = "(no header)"
ENCODING = "content-encoding"

Headers = list[tuple[str, str]]
Received = tuple[int, Headers, bytes]  # the status, the headers and the body


@dataclass(frozen=True)
class ClientRequest:
    """One request of one client."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes | None


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One request that every client sends.

    Attributes
    ----------
    target : the path and the query
    kind : how browsers send it (survey/cli/verify/browsers.py)
    language : the only language that the client requests, or None for its own
    from_here : whether a page of this host has the link
    visits : the visits at which each client sends it
    """

    target: str
    kind: str = "page"
    method: str = "GET"
    body: bytes | None = None
    language: str | None = None
    from_here: bool = False
    visits: Sequence[Visit] = VISITS


@dataclass(frozen=True, kw_only=True)
class ClientReply:
    """What one client received: the `path` with the query, and header names as sent."""

    client: str
    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @cached_property
    def by_name(self) -> dict[str, Headers]:
        """The headers by their name in lower case."""
        groups: dict[str, Headers] = {}
        for name, value in self.headers:
            groups.setdefault(name.lower(), []).append((name, value))
        return groups

    def header(self, name: str) -> str | None:
        """All values of a header, joined by commas; None if it is missing."""
        named = self.by_name.get(name.lower())
        return None if named is None else ", ".join(value for _, value in named)


class Host:
    """The host of a survey, with one connection for each client, as browsers keep it.

    Parameters
    ----------
    origin : the scheme and the host name, such as https://survey.example.org
    """

    def __init__(self, origin: str):
        self.origin = origin
        self.connections: dict[str, HTTPConnection] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.connections.values():
            connection.close()

    def ask_all(self, ask: Ask) -> list[ClientReply]:
        """The replies to all clients, at each of their visits."""
        return [self.ask(ask, client, visit) for visit in ask.visits for client in CLIENTS]

    def ask(self, ask: Ask, client: Client = CLIENTS[0], visit: Visit = VISITS[0]) -> ClientReply:
        """The reply to one request.

        Raises CannotVerify if there is no reply, or if it is far too long.
        """
        target = ask.target
        # The addresses of files are in the page, so nothing can append a mark to them.
        if visit.mark and ask.kind == "page":
            target += f"{'&' if '?' in target else '?'}{visit.mark}"
        sent = client.headers(ask.kind, self.origin, ask.language, from_here=ask.from_here)
        more = {**visit.of_all, **(visit.of_pages if ask.kind == "page" else {})}
        try:
            status, headers, body = self.exchange(
                client, ClientRequest(ask.method, target, sent | more, ask.body)
            )
        except (OSError, HTTPException, ValueError) as error:
            raise CannotVerify(
                f"The request for {self.origin}{target} failed: {error}. Try again later."
            ) from error
        if "gzip" in [value.lower() for name, value in headers if name.lower() == ENCODING]:
            body = unpack_body(body)
        return ClientReply(
            client=client.name, path=target, status=status, headers=tuple(headers), body=body
        )

    def exchange(self, client: Client, request: ClientRequest) -> Received:
        """The reply as received, over the connection of this client."""
        connection = self.connections.get(client.name)
        if connection is None:
            connection = self.connections[client.name] = self.connect()
        try:
            return receive_response(connection, request)
        except ConnectionError:
            # The host may close a connection that was idle. It then opens again.
            connection.close()
            return receive_response(connection, request)

    def connect(self) -> HTTPConnection:
        scheme, _, netloc = self.origin.partition("://")
        of_scheme = HTTPSConnection if scheme == "https" else HTTPConnection
        return of_scheme(netloc, timeout=STEP_TIMEOUT_SECONDS)


def receive_response(connection: HTTPConnection, request: ClientRequest) -> Received:
    connection.request(request.method, request.target, request.body, request.headers)
    with connection.getresponse() as response:
        # The parser takes a line that is no header for the end of the headers.
        rest = response.headers.get_unixfrom() or response.headers.get_payload()
        headers = response.getheaders() + ([(NO_HEADER, str(rest))] if rest else [])
        return response.status, headers, read_all(response)


def read_all(response: HTTPResponse) -> bytes:
    parts, size, end = [], 0, time.monotonic() + REPLY_TIMEOUT_SECONDS
    while part := response.read1(65_536):
        parts.append(part)
        size += len(part)
        if size > MAX_REPLY_BYTES or time.monotonic() > end:
            raise ValueError("the reply is too long or too slow for Candor")
    return b"".join(parts)


def unpack_body(body: bytes) -> bytes:
    """The decompressed body, as proxies and browsers see it."""
    packed = zlib.decompressobj(wbits=31)
    try:
        plain = packed.decompress(body, MAX_REPLY_BYTES)
    except zlib.error:
        return body  # It is then compared as it is, and found to differ.
    # Some browsers read on after the end, others do not.
    return plain if packed.eof and not packed.unused_data else body
