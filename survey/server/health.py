"""Health checks for the operator: is the process alive, can it accept responses, and metrics.

`/healthz` says that the process answers. It checks nothing else. `/readyz` says whether the server
can accept responses now: the database was writable a moment ago, the queue has room, and the server
is not stopping. A thread checks the database every few seconds. So a reply is cheap and immediate,
and anyone can ask without a rate limit. `/metrics` needs the token (survey/server/metrics.py
explains its content).

The front answers all three before anything else, for any Host. No page, header or log names the
version or says anything about people.

A server that receives the signal to stop first reports it at `/readyz` for `LEAVING_SECONDS`, if
anyone has asked there recently. A proxy then sends no more clients to this server, and no client
meets a closed port.
"""

import hmac
import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from survey.core.errors import StoreUnavailable
from survey.server import logs
from survey.server.http.rate_limiter import FLOOD_SECONDS
from survey.server.metrics import Metrics
from survey.server.periodic import repeating
from survey.store import Store

ADDRESSES = ("/healthz", "/readyz", "/metrics")
LOOK_SECONDS = 2.0
# A check takes at most half of this time, and then fails.
STALE_SECONDS = 30.0
LEAVING_SECONDS = 10.0
# A client that asked at /readyz within this time is expected to ask again.
LATELY_SECONDS = 60.0
STARTING = "The server is starting."
STOPPING = "The server is being stopped."
NO_DATABASE = "The database cannot be written just now."
CROWDED = "Too many people are here at this moment."


@dataclass(frozen=True)
class HealthReply:
    """A reply, as text or as JSON."""

    status: int
    content: bytes
    kind: bytes = b"application/json"
    headers: tuple[tuple[bytes, bytes], ...] = ()


def json_health_reply(status: int, /, *headers: tuple[bytes, bytes], **content: str) -> HealthReply:
    return HealthReply(status, json.dumps(content).encode(), headers=headers)


class HealthMonitor:
    """The state of the server, as far as it is known.

    Parameters
    ----------
    token : the bearer token for the metrics; "" if nobody may read them
    clock : a monotonic clock in seconds
    """

    def __init__(self, store: Store, token: str = "", clock: Callable[[], float] = time.monotonic):
        self.store, self.token, self.clock = store, token.encode(), clock
        self.metrics = Metrics(clock)
        self.fault = STARTING
        self.looked = clock()
        self.asked: float | None = None
        self.leaving: float | None = None
        # Requests that were refused because too many came from one address.
        self.refused = self.refused_before = 0
        # The value of `refused` when the current period of throttling began.
        self.began: int | None = None
        self.last_refused = 0.0

    def looking(self) -> AbstractContextManager[None]:
        """During the block a thread checks the database regularly."""
        self.look()
        return repeating("watching", self.look, LOOK_SECONDS)

    def look(self) -> None:
        """Check whether the database is writable, without writing.

        Logs when the database is lost, and when it is back. The time of the line is that of the
        check, not that of a visit.
        """
        try:
            self.store.responses.require_writable()
            fault = ""
        except StoreUnavailable as error:
            fault = NO_DATABASE
            self.metrics.failed_looks += 1
            if self.fault != fault:
                logs.warn("database lost", why=logs.cause_of(error))
        if not fault and self.fault == NO_DATABASE:
            logs.note("database back")
        self.fault, self.looked = fault, self.clock()
        self.metrics.ready = not fault
        self.look_at_throttling(self.refused)

    def record_compaction(self, seconds: float) -> None:
        self.metrics.observe("candor_compaction_seconds", seconds)
        logs.note("compacted", seconds=round(seconds, 3))

    def held_back(self) -> None:
        """Count a request that was refused because too many came from its address."""
        self.metrics.count("candor_throttled_requests")
        self.refused += 1

    def look_at_throttling(self, refused: int) -> None:
        """Log when throttling begins, and when it has stopped for a while."""
        if refused > self.refused_before:
            if self.began is None:
                self.began = self.refused_before
                logs.warn("throttling began")
            self.refused_before, self.last_refused = refused, self.looked
        elif self.began is not None and self.looked - self.last_refused > FLOOD_SECONDS:
            logs.note("throttling ended", requests=refused - self.began)
            self.began = None

    def unready(self, crowded: bool) -> str:
        """Why the server cannot accept responses now; "" if it can."""
        if self.leaving is not None:
            return STOPPING
        if self.clock() - self.looked > STALE_SECONDS:
            return NO_DATABASE
        return self.fault or (CROWDED if crowded else "")

    def leave(self) -> None:
        """Note that the server received the signal to stop."""
        if self.leaving is None:
            self.leaving = self.clock()

    @property
    def may_stop(self) -> bool:
        """Whether a client that asks at /readyz has had time to see that the server stops."""
        now = self.clock()
        if self.leaving is None:
            return False
        if self.asked is None or self.leaving - self.asked > LATELY_SECONDS:
            return True
        return now - self.leaving >= LEAVING_SECONDS

    def answer(
        self, method: str, path: str, authorization: bytes, *, crowded: bool
    ) -> HealthReply | None:
        """The reply to a request for one of the three addresses; None for any other address."""
        if path == "/metrics" and not self.token:
            return None
        if method not in ("GET", "HEAD"):
            return json_health_reply(
                405,
                (b"Allow", b"GET, HEAD"),
                error="This address accepts only GET and HEAD. Send one of them.",
            )
        if path == "/healthz":
            return json_health_reply(200, status="alive")
        if path == "/metrics":
            return self.figures(authorization)
        self.asked = self.clock()
        why = self.unready(crowded)
        if why:
            return json_health_reply(503, (b"Retry-After", b"5"), error=why)
        return json_health_reply(200, status="ready")

    def figures(self, authorization: bytes) -> HealthReply:
        scheme, _, token = authorization.partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(token.strip(b" "), self.token):
            sentence = "The token is missing or wrong. Send it as a bearer token."
            return json_health_reply(401, (b"WWW-Authenticate", b"Bearer"), error=sentence)
        return HealthReply(200, self.metrics.text(), b"text/plain; version=1.0.0; charset=utf-8")
