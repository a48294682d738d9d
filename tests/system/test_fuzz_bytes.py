"""Bytes that are not HTTP, or hide one request in another, through the real front.

The tests check the number of answers and their statuses. The server never takes a body for a
request. If the length of a request is unclear, the connection ends.
"""

import json
import random
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from survey.store import open_store
from tests.support.every_type import drawn
from tests.support.fuzzing_world import made
from tests.support.lengths import length, soak
from tests.support.servers import serving

pytestmark = pytest.mark.fast

HOST = b"Host: 127.0.0.1\r\n"
LAST = b"GET /how HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
GET = b"GET /how HTTP/1.1\r\n" + HOST
POST = b"POST /s/health/responses HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
NONE = b"0\r\n\r\n"


def at(address: bytes) -> bytes:
    return b"GET " + address + b" HTTP/1.1\r\n" + HOST + b"\r\n" + LAST


# The sent bytes, and the status of each answer. LAST is a final request. If it gets no answer, the
# connection closed before. No part of a body is ever taken for a request.
BYTES: list[tuple[str, bytes, list[int]]] = [
    ("pipelined", GET + b"\r\n" + GET + b"\r\n" + LAST, [200, 200, 200]),
    ("both lengths", POST + b"Content-Length: 5\r\n" + CHUNKED + b"\r\n" + NONE + LAST, [400]),
    ("the other way", POST + CHUNKED + b"Content-Length: 5\r\n\r\n" + NONE + LAST, [400]),
    ("length twice", POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}" + LAST, [400]),
    ("two lengths", POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}" + LAST, [400]),
    ("a list", POST + b"Content-Length: 2, 2\r\n\r\n{}" + LAST, [400]),
    ("a sign", POST + b"Content-Length: +2\r\n\r\n{}" + LAST, [400]),
    ("a space", POST + b"Content-Length : 2\r\n\r\n{}" + LAST, [400]),
    ("too large", POST + b"Content-Length: 99999999999999999999999\r\n\r\n{}" + LAST, [400]),
    ("folded", POST + b"X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}" + LAST, [400]),
    ("folded coding", POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + NONE + LAST, [400]),
    ("unknown coding", POST + b"Transfer-Encoding: xchunked\r\n\r\n" + NONE + LAST, [400]),
    ("coding after", POST + b"Transfer-Encoding: chunked, identity\r\n\r\n" + NONE + LAST, [400]),
    ("tab for space", POST + b"Transfer-Encoding:\x0bchunked\r\n\r\n" + NONE + LAST, [400]),
    ("line ends", b"GET /how HTTP/1.1\nHost: x\n\n" + LAST, [400]),
    ("in a header", b"GET /how HTTP/1.1\r\nHost: x\nX: y\r\n\r\n" + LAST, [400]),
    ("bare return", b"GET /how HTTP/1.1\r\nHost: x\rX: y\r\n\r\n" + LAST, [400]),
    ("zero byte", GET + b"X: \0\r\n\r\n" + LAST, [400]),
    ("no host", b"GET /how HTTP/1.1\r\n\r\n" + LAST, [400]),
    ("two hosts", GET + HOST + b"\r\n" + LAST, [400]),
    ("odd host", b"GET / HTTP/1.1\r\nHost: " + b"x" * 300 + b"\r\n\r\n" + LAST, [421, 200]),
    ("whole address", at(b"http://evil.example/how"), [200, 200]),
    ("no address", at(b"http://"), [400]),
    ("odd port", at(b"http://x:99999/"), [400]),
    ("connect", b"CONNECT evil.example:80 HTTP/1.1\r\n" + HOST + b"\r\n" + LAST, [400]),
    ("asterisk", b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n" + LAST, [404, 200]),
    ("query of bytes", at(b"/how?\xc1\xff"), [400]),
    ("path of bytes", at(b"/s/\xff"), [400]),
    ("quoted zero", at(b"/s/%00"), [404, 200]),
    ("quoted bytes", at(b"/how?a=%FF&language=%C1"), [200, 200]),
    ("upwards", at(b"/static/../app.py"), [404, 200]),
    ("quoted", at(b"/static/%2e%2e/app.py"), [404, 200]),
    ("all quoted", at(b"/static/..%2f..%2fapp.py"), [404, 200]),
    ("back slash", at(b"/static/..\\app.py"), [404, 200]),
    ("another site", at(b"//evil.example/"), [404, 200]),
    ("HTTP/1.0", b"GET /how HTTP/1.0\r\n\r\n" + LAST, [200]),
    ("chunks in 1.0", b"POST /s/hand/responses HTTP/1.0\r\n" + CHUNKED + b"\r\n" + NONE + LAST,
     [415]),
    ("expect", POST + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}" + LAST,
     [100, 400, 200]),
    ("expect more", POST + b"Expect: 999\r\nContent-Length: 2\r\n\r\n{}" + LAST, [400, 200]),
    ("websocket", GET + b"Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n", [200]),
    ("HTTP/2", GET + b"Connection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n", [200]),
    ("small letters", b"get /how HTTP/1.1\r\n" + HOST + b"\r\n" + LAST, [400]),
    ("no method", b"FOO /how HTTP/1.1\r\n" + HOST + b"\r\n" + LAST, [400]),
    ("long", b"GET /" + b"a" * 60_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n" + LAST, [404, 200]),
    ("space within", b"GET /a b HTTP/1.1\r\n" + HOST + b"\r\n" + LAST, [400]),
    ("endless chunk", POST + CHUNKED + b"\r\n" + b"f" * 40 + b"\r\n" + LAST, [400]),
    ("chunk below", POST + CHUNKED + b"\r\n-2\r\n{}\r\n" + NONE + LAST, [400]),
    ("chunk by line", POST + CHUNKED + b"\r\n2\n{}\n0\n\n" + LAST, [400]),
    ("body of GET", GET + b"Content-Length: 5\r\n\r\nGET /" + LAST, [200, 200]),
    ("underscores", GET + b"Content_Length: 5\r\nTransfer_Encoding: chunked\r\n\r\n" + LAST,
     [200, 200]),
    ("head", GET.replace(b"GET", b"HEAD") + b"\r\n" + LAST, [200, 200]),
]  # fmt: skip
ANSWER = re.compile(rb"HTTP/1\.1 (\d{3}) ")


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    database = tmp_path_factory.mktemp("front") / "candor.db"
    database.write_bytes(made())
    with serving(database) as (address, _, _):
        yield int(address.rpartition(":")[2]), database


def exchange(port: int, sent: bytes, seconds: float = 5) -> bytes:
    """The answer until the server closes, or is silent for this long."""
    received = b""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection,
        suppress(ConnectionError, TimeoutError),
    ):
        connection.sendall(sent)
        while piece := connection.recv(65_536):
            received += piece
    return received


def arrived(database: Path) -> int:
    store = open_store(str(database))
    found = store.counts.number_of_responses("health")
    store.close()
    return found


def whole(database: Path, number: int) -> bytes:
    """A valid response, as bytes that could be smuggled."""
    store = open_store(str(database))
    frozen = store.surveys.by_slug("health").frozen
    store.close()
    content = {
        "id": f"{number:032x}",
        "fingerprint": "" if frozen is None else frozen.fingerprint,
        "reports": drawn(random.Random(number)),
    }
    body = json.dumps(content).encode()
    return POST + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "statuses"), [(b, s) for _, b, s in BYTES],
                         ids=[name for name, _, _ in BYTES])  # fmt: skip
def test_bytes_are_one_request_or_none(
    front: tuple[int, Path], sent: bytes, statuses: list[int]
) -> None:
    answer = exchange(front[0], sent)
    assert [int(status) for status in ANSWER.findall(answer)] == statuses


@pytest.mark.slow
@pytest.mark.parametrize(
    "around",
    [
        b"Content-Length: %(half)d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n%(inner)s",
        CHUNKED + b"Content-Length: 4\r\n\r\n%(size)x\r\n%(inner)s\r\n0\r\n\r\n",
        b"Content-Length: 0\r\nContent-Length: %(size)d\r\n\r\n%(inner)s",
        b"Content-Length: %(size)d\r\n\r\n%(inner)s",
        CHUNKED + b"\r\n%(size)x\r\n%(inner)s\r\n0\r\n\r\n",
        CHUNKED + b"\r\n%(size)x;\r\n%(inner)s\n0\r\n\r\n",
        b"X: y\n\n%(inner)s",
    ],
)
def test_a_response_within_the_body_of_another_is_not_taken(
    front: tuple[int, Path], around: bytes
) -> None:
    port, database = front
    before = arrived(database)
    inner = whole(database, 77)
    sent = POST + around % {b"size": len(inner), b"half": len(inner) // 2, b"inner": inner}
    assert b" 201 " not in exchange(port, sent, 0.3 if b"close" not in around else 5)
    assert arrived(database) == before


def spoiled_bytes(r: random.Random) -> bytes:
    sent = bytearray(r.choice(BYTES)[1][:3_000])
    for _ in range(r.randint(1, 4)):
        place = r.randrange(len(sent))
        match r.randrange(4):
            case 0:
                sent[place] = r.choice(b"\r\n\t \0:;,/%?#\xff0aZ")
            case 1:
                del sent[place : place + r.randint(1, 9)]
            case 2:
                sent[place:place] = r.choice(
                    (b"\r\n", b"\n", b" ", b"\0", b"Content-Length: 3\r\n")
                )
            case _:
                other = r.choice(BYTES)[1]
                start = r.randrange(len(other))
                sent[place:place] = other[start : start + r.randrange(40)]
        sent = sent or bytearray(b"\n")
    return bytes(sent)


@soak
def test_bytes_by_chance(front: tuple[int, Path]) -> None:
    """No 5xx, no answer without a status, no more answers than requests."""
    port, database = front
    r, before, faults = random.Random(3_141), arrived(database), {}
    for _ in range(length(100, 20_000)):
        sent = spoiled_bytes(r) + b"\r\n\r\n"
        answer = exchange(port, sent, 0.02)  # An incomplete request is abandoned after a moment.
        statuses = [int(status) for status in ANSWER.findall(answer)]
        if any(status >= 500 for status in statuses):
            faults["5xx"] = sent
        # Bytes that are no request are refused once.
        requests = len(re.findall(rb"[A-Za-z]+[ \t]", sent)) or 1
        if len([s for s in statuses if s != 100]) > requests:
            faults["more answers than requests"] = sent
        if answer and not answer.startswith(b"HTTP/1.1 "):
            faults["no HTTP"] = sent
    assert faults == {}
    assert arrived(database) == before
    assert b" 201 " in exchange(port, whole(database, 88))
