"""The checks that every answer must pass, whatever the request was."""

import io
import json
import re
import sqlite3
import time
from dataclasses import dataclass, field
from typing import Any

from flask import got_request_exception
from werkzeug.test import EnvironBuilder, run_wsgi_app

from survey.definition.sub_surveys import REHEARSALS, sub_survey_kind
from survey.server.http.security_headers import file_headers, respondent_headers
from tests.support.fuzzing_world import World

LONGEST_SECONDS = 2.0  # processor time of the thread that answers
# A thousand QR codes at 4 ms each, the maximum of one request.
LONGER = {b"/invitations": 8.0}
TRACES = (b"Traceback (most recent", b'File "/', b"jinja2.exceptions", b"sqlite3.")
# These tables change without a change of data: sessions are used, and attempts to sign in counted.
OF_USE = {"sessions", "failed_sign_ins", "api_tokens", "links"}
ENVIRON = EnvironBuilder(method="GET", path="/").get_environ()


@dataclass
class Sent:
    """A request. `path` is raw bytes without quoting. `who` is a role, or NOBODY."""

    method: str
    path: bytes
    query: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    who: str = ""
    length: str | None = None  # a false Content-Length, if it is set

    @property
    def at(self) -> bytes:
        """The path that the application sees."""
        return b"/" + self.path.lstrip(b"/")

    def __str__(self) -> str:
        return (
            f"{self.method} {self.path[:200]!r}?{self.query[:600]!r} as {self.who or 'nobody'} "
            f"{ {k: v[:80] for k, v in self.headers.items() if k != 'Cookie'} } "
            f"{len(self.body)}: {self.body[:1500]!r}"
        )


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float


def ask(world: World, sent: Sent) -> Answer:
    """The application's answer, without a socket."""
    environ = {
        **ENVIRON,
        "REQUEST_METHOD": sent.method,
        "PATH_INFO": sent.path.decode("latin-1"),
        "QUERY_STRING": sent.query.decode("latin-1"),
        "CONTENT_LENGTH": str(len(sent.body)) if sent.length is None else sent.length,
        "wsgi.input": io.BytesIO(sent.body),
    }
    for name, value in sent.headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
    start = time.thread_time()
    try:
        pieces, status, headers = run_wsgi_app(world.app, environ)
        body = b"".join(pieces)
    except Exception as error:  # A server would answer with 500, without our headers.
        return Answer(599, {}, repr(error).encode(), time.thread_time() - start)
    close = getattr(pieces, "close", None)
    if close is not None:
        close()
    took = time.thread_time() - start
    return Answer(int(status.split()[0]), dict(headers), body, took)


class Watch:
    """Checks a world from outside, and keeps the first request for each kind of fault."""

    def __init__(self, world: World):
        self.world = world
        self.faults: dict[str, str] = {}
        self.slowest = 0.0
        self.seen: dict[int, int] = {}
        self.raised: str = ""
        got_request_exception.connect(self.remember, world.app)
        self.db = sqlite3.connect(world.path)
        self.version = self.data_version()
        self.tables = self.content()

    def close(self) -> None:
        self.db.close()
        got_request_exception.disconnect(self.remember, self.world.app)

    def remember(self, sender: Any, exception: BaseException, **more: Any) -> None:
        at = exception.__traceback__
        lines = []
        while at is not None:
            lines.append(f"{at.tb_frame.f_code.co_filename.rpartition('/')[2]}:{at.tb_lineno}")
            at = at.tb_next
        self.raised = (
            f"{type(exception).__name__}: {str(exception)[:100]} at {' '.join(lines[-3:])}"
        )

    def data_version(self) -> int:
        return int(self.db.execute("PRAGMA data_version").fetchone()[0])

    def content(self) -> dict[str, tuple[Any, ...]]:
        """The rows of each table that is not empty."""
        names = self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        found = {}
        for (name,) in names:
            rows = tuple(self.db.execute(f'SELECT * FROM "{name}"'))
            if rows:
                found[name] = rows
        return found

    def fault(self, kind: str, sent: Sent) -> None:
        self.faults.setdefault(kind, str(sent))

    def look(self, sent: Sent, answer: Answer) -> None:
        self.seen[answer.status] = self.seen.get(answer.status, 0) + 1
        self.slowest = max(self.slowest, answer.seconds)
        if answer.status >= 500:
            self.fault(f"status {answer.status}: {self.raised}", sent)
            self.raised = ""
        longest = LONGER.get(sent.path[sent.path.rfind(b"/") :], LONGEST_SECONDS)
        if answer.seconds > longest:
            where = re.sub(rb"/surveys/[^/]*", b"/surveys/X", sent.path)[:80]
            self.fault(f"over {longest} s: {sent.method} {where!r}", sent)
        if any(sign in answer.body for sign in TRACES):
            self.fault("a trace", sent)
        kind = answer.headers.get("Content-Type", "")
        whole = "Content-Encoding" not in answer.headers and sent.method != "HEAD"
        if kind == "application/json" and whole:
            try:
                json.loads(answer.body)
            except ValueError:
                self.fault("no JSON", sent)
        if "Set-Cookie" in answer.headers and not sent.at.startswith(b"/admin"):
            self.fault("a cookie", sent)
        # A file has no policy of its own: that of its page holds.
        is_file = answer.status == 200 and sent.at.startswith(b"/static/")
        wanted = file_headers(https=False) if is_file else respondent_headers(https=False)
        if not wanted.keys() <= answer.headers.keys():
            self.fault("without headers", sent)
        before = self.tables
        changed = self.changed()
        if changed:
            self.look_at_changes(sent, answer, before, changed)

    def changed(self) -> set[str]:
        """The tables that changed since the last call."""
        version = self.data_version()
        if version == self.version:
            return set()
        self.version = version
        before, self.tables = self.tables, self.content()
        names = before.keys() | self.tables.keys()
        return {name for name in names if before.get(name) != self.tables.get(name)} - OF_USE

    def look_at_changes(
        self, sent: Sent, answer: Answer, before: dict[str, tuple[Any, ...]], changed: set[str]
    ) -> None:
        now = self.tables
        frozen = frozen_of(before)
        kept = {slug: text for slug, text in frozen_of(now).items() if slug in frozen}
        if any(frozen[slug] != text for slug, text in kept.items()):
            self.fault("a frozen survey has changed", sent)
        if answer.status >= 400:
            self.fault(f"refused with {answer.status}, and changed {sorted(changed)}", sent)
        if sent.method in ("GET", "HEAD", "OPTIONS") and changed - {"acts", "api_tokens"}:
            self.fault(f"{sent.method} changed {sorted(changed)}", sent)
        of_researchers = sent.at.startswith(b"/admin")
        prepared = {"second_factors"} if sent.path.endswith(b"/second-factor/begin") else set()
        if of_researchers and changed - prepared and "acts" not in changed:
            self.fault(f"changed {sorted(changed)} without an act", sent)
        if not of_researchers and not sent.at.startswith(b"/api/") and "acts" in changed:
            self.fault("an act of a respondent", sent)
        acts = {name: tables.get("acts", ()) for name, tables in (("b", before), ("n", now))}
        if acts["n"][: len(acts["b"])] != acts["b"]:
            self.fault("an act was changed or removed", sent)


def frozen_of(tables: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    """The slug and the document by the number of a survey, which keeps its number.

    Rehearsals are left out: a new one replaces the old one, with the draft as it is by then.
    """
    return {
        row[0]: (row[1], row[2], row[3])
        for row in tables.get("surveys", ())
        if row[3] is not None and sub_survey_kind(row[1]) not in REHEARSALS
    }
