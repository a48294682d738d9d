"""Responses per second, relative to the same server with less to store.

There are ten yes/no questions, and 32 connections that each send one request after another. The
servers of all modes run together, and in each round one after another is used while the rest is
idle. So other load on the machine affects all of them alike, and ratios are taken within a round.
"""

import json
import multiprocessing
import random
import selectors
import socket
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from app import create_app
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.responses.admission import Verdict
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.server import group_commit
from survey.server.http import asgi_server
from survey.server.http.asgi_app import Front
from survey.server.http.wsgi_threads import Receive, Scope, Send
from survey.server.settings import Settings
from survey.store import Store, open_store

from .tables import Figure, Table

CONNECTIONS, SECONDS, ROUNDS = 32, 2.0, 7
WARM = 0.3  # seconds before the measurement
QUESTIONS = 10
NOTHING, VALIDATED, EACH, GROUPS, SLOW = "204", "validated", "each", "groups", "slow"
SLOWER = 0.005  # seconds of waiting for each response, in place of computing
MODES = {
    NOTHING: "answers 204",
    VALIDATED: "validates, does not store",
    EACH: "one commit for each response",
    GROUPS: "group commit",
}


@dataclass(frozen=True)
class Speed:
    per_second: float
    slowest: float  # milliseconds, the 99th percentile


# --- the server -----------------------------------------------------------------------------------


def serve(mode: str, port: int, database: str) -> None:
    """Run the production server on an existing database, in one of the modes."""
    settings = Settings(
        database=database,
        host="127.0.0.1",
        port=port,
        url="http://127.0.0.1",
        secret_key="k" * 64,
        proxies=0,
    )
    app = create_app(settings)
    store = app.extensions["candor.store"]
    record = store.responses.add_all
    if mode == NOTHING:
        Front.answer = no_content  # type: ignore[method-assign]
    elif mode == VALIDATED:
        store.responses.add_all = lambda sent: [True] * len(sent)
    elif mode == EACH:
        group_commit.MAX_GROUP_ITEMS, group_commit.WINDOW_SECONDS = 1, 0.0
    elif mode == SLOW:

        def slowly(sent: Sequence[tuple[str, Response]]) -> list[Verdict]:
            time.sleep(SLOWER * len(sent))
            return record(sent)

        store.responses.add_all = slowly
    server = asgi_server.listen(app, settings, store)
    server.run(server.listening)


async def no_content(front: Front, scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


# --- the clients ----------------------------------------------------------------------------------


def opened(store: Store) -> FrozenSurvey:
    """Open a survey of ten questions."""
    questions = [
        {"name": f"q{k}", "type": "yes_no", "label": "Yes?", "privacy": {"epsilon": 1}}
        for k in range(QUESTIONS)
    ]
    survey = parse_survey({"slug": "ten", "title": "Ten", "questions": questions})
    frozen = freeze(survey)
    store.surveys.save_draft(survey)
    store.surveys.freeze(frozen, "open")
    return frozen


def requests(frozen: FrozenSurvey, seed: int) -> Callable[[], bytes]:
    """A function that makes requests, each with a new id."""
    r = random.Random(seed)  # noqa: S311 # not secret
    names = [question.name for question in frozen.survey.fields]

    def request() -> bytes:
        reports = {name: str(r.randrange(2)) for name in names}
        content = {
            "id": r.randbytes(16).hex(),
            "fingerprint": frozen.fingerprint,
            "reports": reports,
        }
        body = json.dumps(content).encode()
        return (
            b"POST /s/ten/responses HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        )

    return request


def load(
    port: int, request: Callable[[], bytes], seconds: float = SECONDS, others: Sequence[int] = ()
) -> Speed:
    """The speed of a server, and others, with `CONNECTIONS` clients each that await each reply."""
    ports = [port, *others]
    prepared = [request() for _ in range(2_000)]
    with selectors.DefaultSelector() as selector:
        sent: dict[socket.socket, float] = {}
        for number in range(CONNECTIONS * len(ports)):
            address = "127.0.0.1", ports[number % len(ports)]
            connection = socket.create_connection(address, timeout=20)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(connection, selectors.EVENT_READ)
            sent[connection] = time.perf_counter()
            connection.sendall(prepared.pop())
        start = time.perf_counter() + WARM
        took: list[float] = []
        answers: dict[socket.socket, bytes] = {}  # incomplete replies
        while (now := time.perf_counter()) < start + seconds:
            for key, _ in selector.select(1):
                connection = key.fileobj  # type: ignore[assignment]
                answer = answers.pop(connection, b"") + connection.recv(65_536)
                if not whole(answer):
                    answers[connection] = answer
                    continue
                now = time.perf_counter()
                if now > start:
                    took.append(now - sent[connection])
                sent[connection] = now
                connection.sendall(prepared.pop() if prepared else request())
        for connection in sent:
            connection.close()
    return Speed(len(took) / seconds, 1_000 * statistics.quantiles(took, n=100)[98])


def whole(answer: bytes) -> bool:
    """Whether a reply is complete. Raises RuntimeError for an unexpected one."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        return False
    if head[9:12] == b"204":
        return True
    if head[9:12] != b"201":
        raise RuntimeError(f"The server answered {answer[:200]!r}.")
    length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    return len(body) >= int(length)


@contextmanager
def serving(mode: str, folder: str) -> Iterator[tuple[int, FrozenSurvey]]:
    """A server of this mode, with its own database."""
    database = str(Path(folder) / f"{mode}.db")
    store = open_store(database)
    frozen = opened(store)
    store.close()
    with running(mode, database) as (port, _):
        yield port, frozen


@contextmanager
def running(mode: str, database: str) -> Iterator[tuple[int, int]]:
    """A server of this mode: its port, and its process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # Forked, because all modules are loaded here already.
    process = multiprocessing.get_context("fork").Process(target=serve, args=[mode, port, database])
    process.start()
    try:
        await_server(port)
        yield port, process.pid or 0
    finally:
        process.terminate()
        process.join()


def await_server(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("The server did not start.")


def table(rounds: int = ROUNDS) -> Table:
    """The median of the rounds, and of the ratios within a round."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        servers = {mode: stack.enter_context(serving(mode, folder)) for mode in MODES}
        found = [
            {mode: load(port, requests(frozen, seed)) for mode, (port, frozen) in servers.items()}
            for seed in range(rounds)
        ]
    speeds = {mode: [each[mode] for each in found] for mode in MODES}

    def of(mode: str, other: str) -> float:
        return statistics.median(
            one.per_second / two.per_second
            for one, two in zip(speeds[mode], speeds[other], strict=True)
        )

    slowest = {mode: statistics.median(speed.slowest for speed in speeds[mode]) for mode in MODES}
    rows: list[list[str | float]] = [
        [
            name,
            statistics.median(speed.per_second for speed in speeds[mode]),
            *(slowest[mode], of(mode, VALIDATED), of(mode, EACH)),
        ]
        for mode, name in MODES.items()
    ]
    what = "responses per second, group commit"
    figures = [
        Figure(what, "rate / rate without storing", of(GROUPS, VALIDATED), least=0.55),
        Figure(what, "rate / rate with a commit for each", of(GROUPS, EACH), least=2.5),
        Figure(what, "rate / rate of answering 204", of(GROUPS, NOTHING)),
        Figure("a response, group commit", "99th percentile, ms", slowest[GROUPS], most=25),
    ]
    return Table(
        "Receiving responses",
        [
            "server",
            "responses per second",
            "99th percentile, ms",
            "rate / rate without storing",
            "rate / rate with a commit for each",
        ],
        rows,
        figures,
    )
