"""For whoever looks after the server: is it alive, can it take responses, how does it do.

`/healthz` says that the process answers, and asks nothing of anything. `/readyz` says whether
responses can be taken now: the database was found to be there and writable a moment ago, the queue
has room, and the server is not about to stop. A thread looks at the database every few seconds, so
that the reply costs nothing, comes at once, and can be asked for by anyone without being counted or
held back. `/metrics` is for whoever has the token (survey/server/metrics.py says what it tells).

All three are answered by the front, before anything else and whatever the Host; no page, header or
log tells which version this is, or anything about people. A server that is told to stop says so at
`/readyz` first, for `LEAVING_SECONDS`, if anyone has asked there lately: a proxy then sends nobody
here any more, and nobody finds the door shut.
"""

import hmac
import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from survey.core.errors import StoreUnavailable
from survey.server import logs
from survey.server.http import flood_limit
from survey.server.metrics import Metrics
from survey.server.periodic import repeating
from survey.store import Store

ADDRESSES = ("/healthz", "/readyz", "/metrics")
LOOK_SECONDS = 2.0
STALE_SECONDS = 30.0  # a look takes at most half of this, and fails then
LEAVING_SECONDS = 10.0
LATELY_SECONDS = 60.0  # whoever asked at /readyz is expected to ask again
STARTING = "The server is starting."
STOPPING = "The server is being stopped."
NO_DATABASE = "The database cannot be written just now."
CROWDED = "Too many people are here at this moment."


@dataclass(frozen=True)
class HealthReply:
    """A reply: of text, or of JSON."""

    status: int
    content: bytes
    kind: bytes = b"application/json"
    headers: tuple[tuple[bytes, bytes], ...] = ()


def json_health_reply(status: int, /, *headers: tuple[bytes, bytes], **content: str) -> HealthReply:
    return HealthReply(status, json.dumps(content).encode(), headers=headers)


class HealthMonitor:
    """What is known of the server's state.

    Parameters
    ----------
    token : what whoever reads the figures has to know; "" for nobody
    clock : seconds that never go back, of no meaning otherwise
    """

    def __init__(self, store: Store, token: str = "", clock: Callable[[], float] = time.monotonic):
        self.store, self.token, self.clock = store, token.encode(), clock
        self.metrics = Metrics(clock)
        self.fault = STARTING
        self.looked = clock()
        self.asked: float | None = None
        self.leaving: float | None = None
        self.refused = self.refused_before = 0  # requests from whom too many came
        self.began: int | None = None  # how many they were when they began to come
        self.last_refused = 0.0

    def looking(self) -> AbstractContextManager[None]:
        """A thread looks again and again, for as long as the block lasts."""
        self.look()
        return repeating("watching", self.look, LOOK_SECONDS)

    def look(self) -> None:
        """Try whether the database can be written, without writing. Says when it is lost, or back:
        at a moment of the server's own, and not when somebody came."""
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

    def sealed(self, seconds: float) -> None:
        self.metrics.observe("candor_seal_seconds", seconds)
        logs.note("sealed", seconds=round(seconds, 3))

    def held_back(self) -> None:
        """A request was refused, since too many came from its address."""
        self.metrics.count("candor_throttled_requests")
        self.refused += 1

    def look_at_throttling(self, refused: int) -> None:
        """Say when it has begun, and when there was none for a while."""
        if refused > self.refused_before:
            if self.began is None:
                self.began = self.refused_before
                logs.warn("throttling began")
            self.refused_before, self.last_refused = refused, self.looked
        elif self.began is not None and self.looked - self.last_refused > flood_limit.SECONDS:
            logs.note("throttling ended", requests=refused - self.began)
            self.began = None

    def unready(self, crowded: bool) -> str:
        """Why no response can be taken now; "" if one can."""
        if self.leaving is not None:
            return STOPPING
        if self.clock() - self.looked > STALE_SECONDS:
            return NO_DATABASE
        return self.fault or (CROWDED if crowded else "")

    def leave(self) -> None:
        """The server was told to stop."""
        if self.leaving is None:
            self.leaving = self.clock()

    @property
    def may_stop(self) -> bool:
        """Whether whoever asks at /readyz has had time to learn of it."""
        now = self.clock()
        if self.leaving is None:
            return False
        if self.asked is None or self.leaving - self.asked > LATELY_SECONDS:
            return True
        return now - self.leaving >= LEAVING_SECONDS

    def answer(
        self, method: str, path: str, authorization: bytes, *, crowded: bool
    ) -> HealthReply | None:
        """The reply to a request for one of the three addresses; None where there is none."""
        if path == "/metrics" and not self.token:
            return None
        if method not in ("GET", "HEAD"):
            return json_health_reply(
                405, (b"Allow", b"GET, HEAD"), error="This address is only read."
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
            sentence = "The figures are for whoever has the token."
            return json_health_reply(401, (b"WWW-Authenticate", b"Bearer"), error=sentence)
        return HealthReply(200, self.metrics.text(), b"text/plain; version=1.0.0; charset=utf-8")
