"""The HTTP front: it reads each request whole, within limits, before the application runs.

It answers files from memory (survey/server/http/static_files.py), and public pages from a cache
(survey/server/http/public_pages.py). It records responses from
browsers in groups (survey/server/group_commit.py) and acknowledges them with the same bytes as the
route for responses (survey/respondent/routes.py). Both apply one rule to posted requests
(survey/server/http/posting_rule.py). The application answers everything else in a thread, and also
explains every refused response. An address that sends too many requests in a minute must wait.
"""

import json
import re
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from survey.core.errors import StoreUnavailable
from survey.definition.responses.admission import Verdict
from survey.definition.responses.parse_response import MAX_BODY_BYTES
from survey.server.clock import now
from survey.server.group_commit import GroupCommitQueue, gathering
from survey.server.health import ADDRESSES, HealthMonitor
from survey.server.http import security_headers
from survey.server.http.connection_limits import ClientDisconnected
from survey.server.http.hosts import KnownHosts
from survey.server.http.posting_rule import posting_refusal
from survey.server.http.public_pages import PublicPages
from survey.server.http.rate_limiter import FLOOD_SECONDS, RateLimit, RateLimiter, network
from survey.server.http.static_files import FileReplies
from survey.server.http.wsgi_environ import WSGI, Message, Receive, Scope, Send, environ_of
from survey.server.http.wsgi_threads import Threads
from survey.server.record_responses import PostedResponse, record_posted_responses
from survey.server.settings import Settings
from survey.store import Store

RESPONSES = re.compile(r"/s/([a-z0-9.-]+)/responses")
RETRY_SECONDS = 5
BUSY = "The database is not available now. Try again in a moment."
CROWDED = "Too many people use this server at this moment. Try again in a moment."
UNKNOWN_HOST = (
    "This server does not answer under the name in the Host header of this request. Open the "
    "address in its CANDOR_URL. If this name is right, set CANDOR_URL to it, and make the proxy "
    "pass on the Host header."
)
FLOOD = "Too many requests came from your network address. Wait a minute, then try again."


class BodyTooLong(Exception):
    pass


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """The body of a request. Raises BodyTooLong if its stated or actual length exceeds the limit,
    and ClientDisconnected."""
    announced = dict(scope["headers"]).get(b"content-length", b"0")
    if len(announced) > 12 or int(announced) > limit:
        raise BodyTooLong
    pieces, length = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnected
        pieces.append(message.get("body", b""))
        length += len(pieces[-1])
        if length > limit:
            raise BodyTooLong
        if not message.get("more_body"):
            return b"".join(pieces)


class Front:
    """An ASGI application in front of the WSGI application.

    Parameters
    ----------
    app : the WSGI application
    store : the store of the application
    settings : the settings of the server
    longest : the maximum body of a researcher's request, in bytes; a respondent's is shorter
    """

    def __init__(self, app: WSGI, store: Store, settings: Settings, *, longest: int):
        self.threads = Threads(app, settings.processor_seconds)
        self.longest = longest
        self.proxies = settings.proxies
        self.limiter = RateLimiter()
        self.limit = RateLimit("requests", settings.requests_a_minute, FLOOD_SECONDS)
        self.pages = PublicPages(self.threads, store, settings)
        self.files = FileReplies(https=settings.https)
        self.hosts = KnownHosts(settings.url, settings.admin_url)
        self.researchers = b""  # the Host that only researchers use
        if settings.admin_url not in ("", settings.url):
            self.researchers = urlsplit(settings.admin_url).netloc.lower().encode()
        self.store = store
        self.watch = HealthMonitor(store, settings.metrics_token)
        self.metrics = self.watch.metrics
        self.gathering = GroupCommitQueue(self.commit)
        self.headers = [
            (name.encode(), value.encode())
            for name, value in security_headers.respondent_headers(settings.https).items()
        ]
        self.recorded = json.dumps({"status": "recorded"}, separators=(",", ":")).encode() + b"\n"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.live(receive, send)
            return
        if scope["path"] in ADDRESSES:
            authorization = dict(scope["headers"]).get(b"authorization", b"")
            crowded = self.gathering.full
            reply = self.watch.answer(
                scope["method"], scope["path"], authorization, crowded=crowded
            )
            if reply is not None:
                await self.send(send, reply.status, reply.content, reply.headers, reply.kind)
                return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.metrics.request(scope["path"], message["status"])
            await send(message)

        try:
            await self.answer(scope, receive, counted)
        except ClientDisconnected:
            return

    async def live(self, receive: Receive, send: Send) -> None:
        """Run from the start of the server to its end."""
        await receive()
        with gathering(self.gathering), self.pages.answering(), self.watch.looking():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.is_over_limit(self.sender(scope)):
            self.watch.held_back()
            await self.refuse(send, 429, FLOOD, wait=FLOOD_SECONDS)
            return
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 and scope["http_version"] == "1.1":  # RFC 9112, 3.2
            await self.refuse(
                send,
                400,
                "The request must name exactly one host. Send one Host header.",
                close=True,
            )
            return
        researchers = scope["path"].startswith("/admin")
        try:
            body = await read_body(
                scope, receive, self.longest if researchers else 2 * MAX_BODY_BYTES
            )
        except BodyTooLong:
            await self.refuse(
                send, 413, "The request is too long. Send a shorter request.", close=True
            )
            return
        if not all(self.hosts.include(host.decode("latin-1")) for host in hosts):
            await self.refuse(send, 421, UNKNOWN_HOST)
            return
        file = self.files.answer(scope)
        if file is not None:
            start = {"status": file.status, "headers": file.headers}
            await send({"type": "http.response.start", **start})
            await send({"type": "http.response.body", "body": file.content})
            return
        if self.for_respondents(hosts) and await self.pages.answer(scope, send):
            return
        posted = self.read_posted(scope, body) if self.for_respondents(hosts) else None
        if posted is not None and await self.acknowledged(posted, send):
            return
        if self.threads.pool_of(scope["path"]).full:
            await self.refuse(send, 503, CROWDED, wait=RETRY_SECONDS)
            return
        await self.threads.answer(scope, body, receive, send)

    def sender(self, scope: Scope) -> str:
        """The address that sent a request; "" if it is this machine.

        A request from this machine may come through a proxy that the settings do not mention.
        """
        address = scope["client"][0] if scope["client"] else ""
        if self.proxies:
            forwarded = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
            listed = b",".join(forwarded).decode("latin-1").split(",")
            if len(listed) >= self.proxies and listed[-self.proxies].strip():
                return listed[-self.proxies].strip()
        return "" if address in ("127.0.0.1", "::1") else address

    def is_over_limit(self, address: str) -> bool:
        """Count a request. Those from this machine, whose address is "", have no limit."""
        if not address:
            return False
        return self.limiter.seconds_to_wait(self.limit, network(address), time.monotonic()) > 0

    def for_respondents(self, hosts: Sequence[bytes]) -> bool:
        """Whether this Host is not the one that only researchers use."""
        return not self.researchers or self.researchers not in [host.lower() for host in hosts]

    def read_posted(self, scope: Scope, body: bytes) -> PostedResponse | None:
        """The response in a request, if the route for responses would read it too."""
        place = RESPONSES.fullmatch(scope["path"])
        if place is None or scope["method"] != "POST":
            return None
        refusal = posting_refusal(environ_of(scope, body), "Response", MAX_BODY_BYTES)
        return PostedResponse(place[1], body) if refusal is None else None

    def commit(self, group: Sequence[PostedResponse]) -> list[Verdict]:
        began = time.perf_counter()
        verdicts = record_posted_responses(self.store, group, now())
        if True in verdicts:
            self.metrics.observe("candor_commit_seconds", time.perf_counter() - began)
            self.metrics.observe("candor_group_size", len(group))
        return verdicts

    def sample(self, connections: int) -> None:
        """Record how many responses, pages and connections there are at this moment."""
        waiting = len(self.gathering.waiting)
        self.metrics.sample(queue=waiting, pages=self.threads.busy, connections=connections)

    async def acknowledged(self, posted: PostedResponse, send: Send) -> bool:
        """Record a response and acknowledge it; False if the application must explain a refusal."""
        future = self.gathering.add(posted)
        if future is None:
            self.metrics.count("candor_responses", "put off")
            await self.refuse(send, 503, CROWDED, wait=RETRY_SECONDS)
            return True
        verdict = await future
        if isinstance(verdict, StoreUnavailable):
            self.metrics.count("candor_responses", "put off")
            await self.refuse(send, 503, BUSY, wait=RETRY_SECONDS)
        elif isinstance(verdict, bool):
            self.metrics.count("candor_responses", "recorded" if verdict else "known")
            await self.send(send, 201 if verdict else 200, self.recorded)
        else:
            self.metrics.count("candor_responses", "refused")
            return False
        return True

    async def refuse(
        self, send: Send, status: int, sentence: str, *, wait: int = 0, close: bool = False
    ) -> None:
        more = [(b"Retry-After", str(wait).encode())] if wait else []
        more += [(b"Connection", b"close")] if close else []
        await self.send(send, status, json.dumps({"error": sentence}).encode(), more)

    async def send(
        self,
        send: Send,
        status: int,
        content: bytes,
        more: Sequence[tuple[bytes, bytes]] = (),
        kind: bytes = b"application/json",
    ) -> None:
        about = [
            (b"Content-Type", kind),
            (b"Content-Length", str(len(content)).encode()),
        ]
        sent = [*about, *self.headers, *more]
        await send({"type": "http.response.start", "status": status, "headers": sent})
        await send({"type": "http.response.body", "body": content})
