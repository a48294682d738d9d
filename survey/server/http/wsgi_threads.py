"""A WSGI application behind an asynchronous server: each request, read whole, runs in a thread.

Respondents, researchers and strangers have separate threads. A simulation can take half a minute of
processor time, and respondents' pages must not wait for it. Long analyses have a process of their
own (survey/web/analyses/background.py). Strangers are all who read pages that
explain or show results: lessons, help and public results. Anyone may choose what a lesson
calculates, so such a request has a shorter limit of processor time than one of a researcher. The
limit holds up to the first piece of the reply (survey/core/processor_time.py). Later pieces are
made one at a time as the client accepts them, and each takes little time.

A reply with a stated length of at most `MAX_BUFFERED_REPLY_BYTES` is handed over whole. Its thread
is then free, however slowly the client reads. For any other reply, such as an export, a thread
makes one piece at a time, and the next one after the client has accepted it.
"""

import asyncio
import contextvars
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from werkzeug.wrappers import Response

from survey.core.processor_time import limit_time
from survey.server.http.wsgi_environ import WSGI, Receive, Scope, Send, environ_of

# Threads for respondents. In measurements, more threads slowed the slowest replies.
THREADS = 8
# Requests that wait for one of these threads.
MAX_WAITING_REQUESTS = 500
# Threads for researchers. Each may compute for long, and all share the processors.
RESEARCHERS_THREADS = 3
MAX_WAITING_RESEARCHER_REQUESTS = 100
RESEARCHERS_PATHS = ("/admin", "/api/", "/shared")
# Threads for strangers, the requests that wait for them, and the processor time of each request.
STRANGERS_THREADS = 1
MAX_WAITING_STRANGER_REQUESTS = 100
STRANGERS_SECONDS = 5
STRANGERS_PATHS = re.compile(r"/(learn|help)(/.*)?|(/s/[^/]+)?/(how|verify)|/s/[^/]+/results")
MAX_BUFFERED_REPLY_BYTES = 1024 * 1024


class ApplicationReply(Response):
    """The reply of the application, without any default header."""

    default_mimetype = None


def raw_headers(reply: Response) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]


class WorkerPool:
    """The threads of one side, and the number of their requests.

    Parameters
    ----------
    name : the prefix of the thread names
    threads : the number of requests that run at once
    room : the number of further requests that may wait
    seconds : the processor time that one request may take; 0 for no limit
    """

    def __init__(self, name: str, threads: int, room: int, seconds: float = 0):
        self.executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self.most = threads + room
        self.seconds = seconds
        self.busy = 0  # requests that run or wait

    @property
    def full(self) -> bool:
        return self.busy >= self.most


class Threads:
    """The application, and the threads that it runs in.

    Parameters
    ----------
    app : the WSGI application
    seconds : the processor time that a researcher's request may take; 0 for no limit
    """

    def __init__(self, app: WSGI, seconds: float = 0):
        self.app = app
        self.respondents = WorkerPool("page", THREADS, MAX_WAITING_REQUESTS)
        self.researchers = WorkerPool(
            "researcher", RESEARCHERS_THREADS, MAX_WAITING_RESEARCHER_REQUESTS, seconds
        )
        self.strangers = WorkerPool(
            "stranger", STRANGERS_THREADS, MAX_WAITING_STRANGER_REQUESTS, STRANGERS_SECONDS
        )

    def pool_of(self, path: str) -> WorkerPool:
        """The threads for requests to this path."""
        if path.startswith(RESEARCHERS_PATHS):
            return self.researchers
        return self.strangers if STRANGERS_PATHS.fullmatch(path) else self.respondents

    @property
    def busy(self) -> int:
        return self.respondents.busy + self.researchers.busy + self.strangers.busy

    async def answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Let the application answer a request that was read whole."""
        pool = self.pool_of(scope["path"])
        pool.busy += 1
        try:
            await self.run(pool, environ_of(scope, body), receive, send)
        finally:
            pool.busy -= 1

    async def make(
        self, scope: Scope, more: dict[str, Any]
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """The application's reply to a request that the server itself makes, for its cache.

        Its address leaves no choice, and its reply is kept. So it may take as long as a
        researcher's request.

        Parameters
        ----------
        more : additional entries of the WSGI environment

        Returns
        -------
        The status, the headers and the whole content.
        """

        def whole() -> tuple[int, list[tuple[bytes, bytes]], bytes]:
            environ = environ_of(scope, b"") | more
            with limit_time(self.researchers.seconds, time.thread_time):
                reply = ApplicationReply.from_app(self.app, environ, buffered=True)
            return reply.status_code, raw_headers(reply), reply.get_data()

        pool = self.pool_of(scope["path"])
        pool.busy += 1
        try:
            loop, context = asyncio.get_running_loop(), contextvars.Context()
            return await loop.run_in_executor(pool.executor, context.run, whole)
        finally:
            pool.busy -= 1

    async def run(
        self, pool: WorkerPool, environ: dict[str, Any], receive: Receive, send: Send
    ) -> None:
        loop = asyncio.get_running_loop()
        # A fresh context. Otherwise requests would share the context of the command that serves,
        # and with it Flask's g, which holds the token of the first visitor.
        context = contextvars.Context()

        async def threaded(work: Callable[[], Any]) -> Any:
            return await loop.run_in_executor(pool.executor, context.run, work)

        def begin() -> tuple[Response, Iterator[bytes], bytes | None]:
            """The reply, its pieces, and the whole content if the reply is short."""
            with limit_time(pool.seconds, time.thread_time):
                reply = ApplicationReply.from_app(self.app, environ)
                length = reply.content_length
                if length is None or length > MAX_BUFFERED_REPLY_BYTES:
                    return reply, reply.iter_encoded(), None
                with reply:
                    return reply, iter(()), reply.get_data()

        reply, pieces, whole = await threaded(begin)
        start = {
            "type": "http.response.start",
            "status": reply.status_code,
            "headers": raw_headers(reply),
        }
        if whole is not None:
            await send(start)
            await send({"type": "http.response.body", "body": whole})
            return
        gone = asyncio.ensure_future(receive())  # done when the client disconnects
        try:
            await send(start)
            while not gone.done():
                piece = await threaded(lambda: next(pieces, None))
                if piece is None:
                    break
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            if not gone.done():
                await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            await threaded(reply.close)
