"""A WSGI application behind an asynchronous server: each request, read whole, runs in a thread.

A reply that says how long it is, and is no longer than `LONGEST_AT_ONCE`, is handed over whole;
the thread is free then, however slowly the client reads. Of any other, such as an export, a thread
makes one piece at a time, and the next when the client has taken it.
"""

import asyncio
import contextvars
import io
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import unquote_to_bytes

THREADS = 8  # more lengthened the slowest answers in measurements
ROOM = 500  # requests that wait for a thread
LONGEST_AT_ONCE = 1024 * 1024  # bytes

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
WSGI = Callable[..., Iterable[bytes]]


def environ_of(scope: Scope, body: bytes) -> dict[str, Any]:
    """What WSGI calls the environment of a request (PEP 3333)."""
    host, port = scope["server"] or ("localhost", None)
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port or 80),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": scope["client"][0] if scope["client"] else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1").upper()
        if "_" in name:  # would pass for another header, one that a proxy sets
            continue
        key = name.replace("-", "_")
        if key == "TRANSFER_ENCODING":  # the body is whole here, and its length known
            environ["CONTENT_LENGTH"] = str(len(body))
            continue
        if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            key = f"HTTP_{key}"
        value = raw_value.decode("latin-1")
        if key in environ:
            value = environ[key] + ("; " if key == "HTTP_COOKIE" else ",") + value
        environ[key] = value
    return environ


class Reply:
    """One request in the application: everything but the sending, for threads."""

    def __init__(self, app: WSGI, environ: dict[str, Any]):
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.begun = bytearray()  # what was written before the first piece
        self.pieces: Iterable[bytes] = app(environ, self.start)
        self.rest: Iterator[bytes] = iter(self.pieces)

    def start(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> Callable[[bytes], object]:
        self.status = int(status.split(" ", 1)[0])
        self.headers = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in headers]
        return self.begun.extend

    def first(self) -> tuple[bytes, bool]:
        """The reply's first bytes, and whether they are all."""
        length = dict(self.headers).get(b"Content-Length")
        if length is not None and int(length) <= LONGEST_AT_ONCE:
            whole = b"".join(self.rest)
            self.close()
            return bytes(self.begun) + whole, True
        return bytes(self.begun) + next(self.rest, b""), False

    def next(self) -> bytes | None:
        return next(self.rest, None)

    def close(self) -> None:
        if hasattr(self.pieces, "close"):
            self.pieces.close()


class Threads:
    """The application, and the threads that it runs in."""

    def __init__(self, app: WSGI):
        self.app = app
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="page")
        self.busy = 0

    @property
    def full(self) -> bool:
        return self.busy >= THREADS + ROOM

    async def answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Have the application answer a request that was read whole."""
        self.busy += 1
        try:
            await self.run(environ_of(scope, body), receive, send)
        finally:
            self.busy -= 1

    async def run(self, environ: dict[str, Any], receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        # a new one, or requests would share what the command that serves has put into its own:
        # Flask's g, with the token of whoever came first
        context = contextvars.Context()

        async def threaded(work: Callable[[], Any]) -> Any:
            return await loop.run_in_executor(self.pool, context.run, work)

        def begin() -> tuple[Reply, bytes, bool]:
            reply = Reply(self.app, environ)
            return reply, *reply.first()

        reply, content, whole = await threaded(begin)
        head = {"status": reply.status, "headers": reply.headers}
        await send({"type": "http.response.start", **head})
        if whole:
            await send({"type": "http.response.body", "body": content})
            return
        gone = asyncio.ensure_future(receive())  # done when the client is
        try:
            piece: bytes | None = content
            while piece is not None and not gone.done():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                piece = await threaded(reply.next)
            if not gone.done():
                await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            await threaded(reply.close)
