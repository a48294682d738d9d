"""A host between `verify` and the application, in this process, that changes what it sends.

It remembers the application's replies, which depend only on the request's method, target and
language. So an inspection costs little more than its comparisons.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from click.testing import Result
from flask import Flask
from flask.testing import FlaskCliRunner

from survey.cli.verify.browsers import Client
from survey.cli.verify.http_client import ClientRequest, Headers, Host, Received

ORIGIN = "http://survey.localhost"


@dataclass(frozen=True)
class Asked:
    """A request that a host could answer with a lie.

    Attributes
    ----------
    client : the name of the client
    times : how often this client has sent a request for this path, now included
    """

    method: str
    path: str
    query: str
    headers: dict[str, str]
    client: str
    times: int


@dataclass
class Sent:
    """A reply, which a lie changes in place."""

    status: int
    headers: Headers
    body: bytes

    def replace(self, old: bytes, new: bytes) -> None:
        assert old in self.body
        self.body = self.body.replace(old, new, 1)

    def add(self, name: str, value: str) -> None:
        self.headers.append((name, value))


@dataclass(frozen=True)
class Verified:
    """The exit status of the command, and its right and wrong findings."""

    status: int
    right: list[str]
    wrong: list[str]

    @classmethod
    def by(cls, result: Result) -> "Verified":
        if not isinstance(result.exception, SystemExit | None):
            raise result.exception
        lines = result.output.splitlines()
        return cls(
            result.exit_code,
            [line for line in lines if line.startswith("ok")],
            [line for line in lines if line.startswith("WRONG")],
        )

    @property
    def honest(self) -> bool:
        return self.status == 0 and not self.wrong


def truth(*_: object) -> None:
    """The lie of an honest host."""


Lie = Callable[[Asked, Sent], object]


class LyingHost:
    """The application behind a lie. `known` are its replies, which tests can share."""

    def __init__(self, app: Flask, lie: Lie, known: dict[tuple, Received] | None = None):
        self.client = app.test_client()
        self.lie = lie
        self.known = {} if known is None else known
        self.times: Counter[tuple[str, str]] = Counter()

    def exchange(self, client: Client, request: ClientRequest) -> Received:
        path, _, query = request.target.partition("?")
        self.times[client.name, path] += 1
        status, headers, body = self.reply(request)
        sent = Sent(status, [*headers], body)
        times = self.times[client.name, path]
        self.lie(Asked(request.method, path, query, request.headers, client.name, times), sent)
        return sent.status, sent.headers, sent.body

    def reply(self, request: ClientRequest) -> Received:
        wanted = {"Content-Type", "Accept-Language", "Origin"}
        key = request.method, request.target, request.headers.get("Accept-Language")
        if key not in self.known:
            headers = {name: value for name, value in request.headers.items() if name in wanted}
            got = self.client.open(
                request.target, ORIGIN, method=request.method, data=request.body, headers=headers,
                buffered=True,
            )  # fmt: skip
            self.known[key] = got.status_code, [*got.headers], got.data
        return self.known[key]


def verified_behind(
    lie: Lie, runner: FlaskCliRunner, monkeypatch: pytest.MonkeyPatch, target: str,
    known: dict[tuple, Received] | None = None,
) -> Verified:  # fmt: skip
    """What `verify` finds at a lying host."""
    host = LyingHost(runner.app, lie, known)
    monkeypatch.setattr(Host, "exchange", lambda _, *asked: host.exchange(*asked))
    result = runner.invoke(args=["verify", ORIGIN + target])
    return Verified.by(result)
