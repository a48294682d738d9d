"""The route for responses answers every request with a sentence and records no invalid one.

The generators are seeded, so each run sends the same bytes.
"""

import io
import json
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import EnvironBuilder, TestResponse, run_wsgi_app

from app import MAX_FORM_BYTES, create_app
from survey.definition.frozen import FrozenSurvey, freeze
from survey.definition.responses.parse_response import MAX_BODY_BYTES, Response
from survey.definition.survey import parse_survey
from survey.server.http.security_headers import HEADERS
from survey.server.settings import Settings
from survey.store import Store, open_store
from tests.support.at_once import serving_at_once
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened
from tests.support.every_type import (
    COUNTS,
    DASHES,
    EVERY_TYPE,
    FIELDS,
    PICKED,
    PRIVATE_FIELDS,
    SAMPLED,
    Row,
    drawn,
    sent,
    sound,
    stored,
    tallied,
)
from tests.support.lengths import length, soak

PATH = "/s/health/responses"
RECORDED = {"status": "recorded"}
# A sentence repeats at most 63 sent characters. Python writes an unprintable character as at most
# 10 (\U000e0001).
LONGEST_SENTENCE = 63 * 10 + 120
SIGNS_OF_A_TRACE = ("Traceback", 'File "', ".py", "sqlite", "Exception", "Error(")


def good_content(r: random.Random, fingerprint: str, sample: int | None = None) -> dict[str, Any]:
    """The response of a correct browser: a new random id each time."""
    return {
        "id": r.randbytes(16).hex(),
        "fingerprint": fingerprint,
        "reports": drawn(r, sample),
    }


def written(content: Any) -> bytes:
    return json.dumps(content).encode()


def fault_of(status: int, kind: str, body: bytes) -> str | None:
    """The fault in an answer, or None: the rule for all answers."""
    if status >= 500:
        return f"status {status}"
    if kind != "application/json":
        return f"content type {kind}"
    content = json.loads(body)
    if status in (200, 201):
        return None if content == RECORDED else "recorded, but does not say so"
    if set(content) != {"error"}:
        return "no member error, or others beside it"
    sentence = content["error"]
    if not (sentence.endswith(".") and sentence.count(" ") > 2):
        return "no sentence"
    if len(sentence) > LONGEST_SENTENCE:
        return "repeats a long part of what was sent"
    if any(sign in sentence for sign in SIGNS_OF_A_TRACE):
        return "a trace"
    return None


# --- invalid bodies -------------------------------------------------------------------------------

LONE_SURROGATE = "\ud800"
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, "", "0", "yes", "\0", "é", LONE_SURROGATE, LONE_SURROGATE * 100),
    *(-1, 2, 4, 99, 2**31, 2**63, 2**64, 10**400, -(10**400), 0.0, 1.0, 0.5, 1e308, -0.0),
    *(float("nan"), float("inf"), float("-inf")),
    *([], {}, [0], [[]], {"0": 0}, {"__proto__": 1}, {"constructor": {"prototype": 1}}),
    *("__proto__", "a" * 500, "=1+1", "'; DROP TABLE surveys; --", "<script>", "{{7*7}}"),
    *("-", "--", "-----", "--------", "1", "01", "11111111", "00000000", "-1--0", "0101", "+1"),
    *("1-", " 1", "1 ", "1\n", "٣", "๑๒", "²", "１", "0" * 8, "1" * 4_000, "\ud83d\ude00" * 400),
)
ODD_KEYS = (
    *("__proto__", "constructor", "prototype", "toString", "id", "Smokes", "smokes ", "\0", ""),
    *("smoke\u0455", LONE_SURROGATE, "\U000e0001" * 100, "x" * 5_000, "$where", "party[]", "0"),
)
NUMBERS_AS_TEXT = (
    *("9" * 4_000, "9" * 10_000, "-" + "1" * 5_000, "1e999", "-1e999", "1e-999", "0x1", "01", "+1"),
    *(".5", "1.", "1_0", "NaN", "Infinity", "-Infinity", "-0", "1e0", "--1", "١", "true", "None"),
)
ODD_IDS = (
    *("", "0" * 31, "0" * 33, "A" * 32, "g" * 32, "0" * 32 + "\n", " " + "0" * 31, "0x" + "0" * 30),
    *("١" * 32, "０" * 32, "00000000-0000-0000-0000-000000000000", "0" * 60_000, "\0" * 32),
)

Maker = Callable[[random.Random, dict[str, Any]], bytes]
MAKERS: list[Maker] = []


def maker(function: Maker) -> Maker:
    MAKERS.append(function)
    return function


@maker
def noise(r: random.Random, good: dict[str, Any]) -> bytes:
    return r.randbytes(r.randrange(300))


@maker
def cut_off(r: random.Random, good: dict[str, Any]) -> bytes:
    body = written(good)
    return body[: r.randrange(len(body))]


@maker
def bytes_changed(r: random.Random, good: dict[str, Any]) -> bytes:
    body = bytearray(written(good))
    for _ in range(r.randint(1, 4)):
        body[r.randrange(len(body))] = r.randrange(256)
    return bytes(body)


@maker
def pieces_moved(r: random.Random, good: dict[str, Any]) -> bytes:
    body = written(good)
    start, end = sorted(r.sample(range(len(body)), 2))
    place = r.randrange(len(body))
    return body[:place] + body[start:end] + body[place + r.randrange(5) :]


@maker
def nested_deep(r: random.Random, good: dict[str, Any]) -> bytes:
    opening, closing = r.choice(
        (("[", "]"), ('{"a":', "}"), ('[{"id":', "}]"), ('{"reports":', "}"))
    )
    depth = r.choice((10, 900, 1_100, 5_000, 9_000, MAX_BODY_BYTES // len(opening), 100_000))
    return (opening * depth + r.choice(("", "0" + closing * depth))).encode()


@maker
def nested_within(r: random.Random, good: dict[str, Any]) -> bytes:
    depth = r.choice((900, 1_100, 20_000))
    return replaced_text(r, good, "[" * depth + "]" * depth)


@maker
def number_written_oddly(r: random.Random, good: dict[str, Any]) -> bytes:
    return replaced_text(r, good, r.choice(NUMBERS_AS_TEXT))


def replaced_text(r: random.Random, good: dict[str, Any], text: str) -> bytes:
    """The valid body with one report, or the id, written as this text."""
    marked = json.loads(written(good))
    if r.random() < 0.8:
        marked["reports"][r.choice(FIELDS)] = "here"
    else:
        marked[r.choice(("id", "fingerprint", "reports"))] = "here"
    return json.dumps(marked).replace('"here"', text).encode()


@maker
def key_twice(r: random.Random, good: dict[str, Any]) -> bytes:
    body = json.dumps(good)
    key = r.choice([*good, *good["reports"]])
    value = r.choice(("0", "1", '"x"', "{}", json.dumps(good.get(key, good["reports"].get(key)))))
    return body.replace(f'"{key}":', f'"{key}": {value}, "{key}":', 1).encode()


@maker
def wrong_types(r: random.Random, good: dict[str, Any]) -> bytes:
    for _ in range(r.randint(1, 3)):
        if r.random() < 0.6:
            good["reports"][r.choice(FIELDS)] = r.choice(ODD_VALUES)
        else:
            good[r.choice(("id", "fingerprint"))] = r.choice(ODD_VALUES)
    if r.random() < 0.1:
        good["reports"] = r.choice((*ODD_VALUES, list(good["reports"].values())))
    return written(good)


@maker
def odd_keys(r: random.Random, good: dict[str, Any]) -> bytes:
    inside = r.choice((good, good["reports"]))
    if r.random() < 0.5:
        inside.pop(r.choice(list(inside)))
    if r.random() < 0.8:
        inside[r.choice(ODD_KEYS)] = r.choice((0, 1, *ODD_VALUES))
    return written(good)


@maker
def broken_encoding(r: random.Random, good: dict[str, Any]) -> bytes:
    if r.random() < 0.3:
        text = json.dumps(good)
        return r.choice(
            (
                text.encode("utf-8-sig"),
                text.encode("utf-16"),
                text.encode("utf-32"),
                text.encode("utf-16-le"),
                text.encode("cp037"),
            )
        )
    body = written(good)
    place = r.randrange(len(body))
    bad = (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\x00", b"\xef\xbb\xbf")
    return body[:place] + r.choice(bad) + body[place:]


@maker
def report_outside_its_table(r: random.Random, good: dict[str, Any]) -> bytes:
    name = r.choice(list(COUNTS))
    n = COUNTS[name]
    outside = (-1, n, 10 * n, 255, 2**63, f"-{n}", f" {n - 1}", str(n), str(n - 1) + "0", n - 1)
    good["reports"][name] = r.choice((*outside, "-" * r.randint(1, 4), float(n - 1), None))
    return written(good)


@maker
def characters_changed(r: random.Random, good: dict[str, Any]) -> bytes:
    """A report of the right length, or nearly, from the characters of reports."""
    name = r.choice(FIELDS)
    text = list(good["reports"][name][:50])
    for _ in range(r.randint(1, 3)):
        match r.randrange(3):
            case 0 if text:
                text[r.randrange(len(text))] = r.choice("01-2")
            case 1 if text:
                del text[r.randrange(len(text))]
            case _:
                text.insert(r.randrange(len(text) + 1), r.choice("01-2 +\n๑\0"))
    good["reports"][name] = "".join(text)
    return written(good)


@maker
def reports_swapped(r: random.Random, good: dict[str, Any]) -> bytes:
    one, other = r.sample(FIELDS, 2)
    reports = good["reports"]
    reports[one], reports[other] = reports[other], reports[one]
    return written(good)


@maker
def not_picked(r: random.Random, good: dict[str, Any]) -> bytes:
    """Dashes, as for questions that chance does not pick. Here all questions are asked."""
    for name in r.sample(PRIVATE_FIELDS, r.randint(1, len(PRIVATE_FIELDS))):
        good["reports"][name] = DASHES[name]
    return written(good)


@maker
def odd_id(r: random.Random, good: dict[str, Any]) -> bytes:
    good["id"] = r.choice((*ODD_IDS, good["id"].upper() + "G", good["id"][:-1], good["id"] + "0"))
    return written(good)


@maker
def other_fingerprint(r: random.Random, good: dict[str, Any]) -> bytes:
    old = good["fingerprint"]
    good["fingerprint"] = r.choice((old[::-1], old.upper() + " ", old[:-1], "", "0" * 50_000))
    return written(good)


@maker
def too_long(r: random.Random, good: dict[str, Any]) -> bytes:
    padding = r.choice((b" ", b"\n", b"[", b"9", b"\0")) * r.randint(
        MAX_BODY_BYTES, 2 * MAX_BODY_BYTES
    )
    return r.choice((written(good) + padding, padding + written(good)))


@maker
def no_object(r: random.Random, good: dict[str, Any]) -> bytes:
    return written(r.choice((*ODD_VALUES, [good], json.dumps(good), list(good.items()))))


# --- invalid requests around bodies ---------------------------------------------------------------


@dataclass
class Request:
    body: bytes
    method: str = "POST"
    path: bytes = PATH.encode()
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    length: str | None = None  # a false Content-Length, if it is set


CONTENT_TYPES = (
    *("", "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data"),
    *("application/json, text/plain", "application/ json", "application/jsonx", "\xff/\xfe", ";"),
    *("application/json; charset=utf-16", "APPLICATION/JSON", "a" * 5_000, "application/json;;;=="),
)
ORIGINS = (
    *("null", "", "http://", "http://evil.example", "http://localhost.evil.example", "//localhost"),
    *("http://[", "http://[::1", "http://localhost:x", "http://\u2100.example", "a" * 5_000, "[]"),
)
SLUGS = (
    *(b"", b"HEALTH", b"health ", b"health\0", b"nowhere", b"..", b"a/b", b"%", b"%2e%2e", b"\xff"),
    *(b"\xed\xa0\x80", b"'; DROP TABLE surveys; --", b"<script>", b"{{7*7}}", b"a" * 3_000),
    *(b"\xf3\xa0\x80\x81" * 300, b"h\xc3\xa9alth", b"\r\nSet-Cookie: a=b", b"responses_health"),
)
METHODS = ("GET", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "post", "P\xd6ST", "")


def spoiled(r: random.Random, request: Request) -> Request:
    """The same request with one unusual thing around its body."""
    match r.randrange(6):
        case 0:
            request.headers["Content-Type"] = r.choice(CONTENT_TYPES)
        case 1:
            request.headers["Content-Encoding"] = r.choice(("gzip", "br", "identity", "", "x"))
        case 2:
            truth = len(request.body)
            lies = (
                0,
                truth - 1,
                truth + 1,
                truth + 10_000,
                MAX_BODY_BYTES,
                MAX_BODY_BYTES + 1,
                10**30,
                -1,
            )
            request.length = r.choice((*map(str, lies), "", "x", "1e3", "１", "+5", "5, 5"))
        case 3:
            request.method = r.choice(METHODS)
        case 4:
            random_slug = r.randbytes(r.randint(1, 30)).replace(b"/", b"-")
            request.path = b"/s/" + r.choice((*SLUGS, random_slug)) + b"/responses"
        case 5:
            if r.random() < 0.5:
                request.headers["Origin"] = r.choice(ORIGINS)
            else:
                sites = (
                    "cross-site",
                    "same-site",
                    "none",
                    "",
                    "same-origin, cross-site",
                    "x" * 999,
                )
                request.headers["Sec-Fetch-Site"] = r.choice(sites)
    return request


def requests(r: random.Random, n: int, fingerprint: str, sample: int | None) -> Iterator[Request]:
    """n requests: 1 % are those of a correct browser, the others are invalid in some way.

    A few of the others are valid after all, for example with a changed byte within the random id.
    Therefore the tests compare the records with the answers, not with intentions.
    """
    earlier: list[bytes] = []
    for number in range(n):
        good = good_content(r, fingerprint, sample)
        if number % 100 == 0:
            body = written(good)
            earlier.append(body)
            yield Request(body)
        elif number % 100 == 1:
            # a recorded id again, mostly with other reports
            again = json.loads(r.choice(earlier))
            if r.random() < 0.8:
                again["reports"] = good["reports"]
            yield Request(written(again))
        elif r.random() < 0.12:
            whole = written(good) if r.random() < 0.5 else r.choice(MAKERS)(r, good)
            yield spoiled(r, Request(whole))
        else:
            yield Request(r.choice(MAKERS)(r, good))


ENVIRON = EnvironBuilder(method="POST", path="/").get_environ()


def ask(app: Flask, request: Request) -> tuple[int, str, bytes]:
    """The application's answer without a socket, in about 0.2 ms."""
    environ = {
        **ENVIRON,
        "REQUEST_METHOD": request.method,
        "PATH_INFO": request.path.decode("latin-1"),  # WSGI writes bytes like this.
        "CONTENT_LENGTH": str(len(request.body)) if request.length is None else request.length,
        "wsgi.input": io.BytesIO(request.body),
    }
    for name, value in request.headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
    pieces, status, headers = run_wsgi_app(app, environ)
    return int(status.split()[0]), headers.get("Content-Type", ""), b"".join(pieces)


@pytest.fixture
def frozen(store: Store) -> FrozenSurvey:
    return opened(store, EVERY_TYPE)


def rows(store: Store, slug: str = "health") -> list[Row]:
    return list(store.responses.rows(slug))


def assert_recorded(store: Store, ledger: dict[str, dict[str, str]], slug: str = "health") -> None:
    """The table and the counts have exactly the responses of the ledger."""
    expected = [stored(ledger[identity]) for identity in sorted(ledger)]
    assert rows(store, slug) == expected  # in the order of their random ids
    assert store.counts.by_question(slug) == tallied(expected)


REQUESTS = length(2_000, 50_000)


@pytest.mark.slow
@soak
@pytest.mark.parametrize(
    ("survey", "sample"), [(EVERY_TYPE, None), (SAMPLED, PICKED)], ids=["all", "three picked"]
)
def test_thousands_of_malformed_requests_get_a_sentence_and_record_nothing(
    settings: Settings, survey: dict[str, Any], sample: int | None
) -> None:
    # Testing mode is off, since Flask would pass exceptions on in place of answering with 500.
    app = create_app(settings)
    store = app.extensions["candor.store"]
    frozen = opened(store, survey)
    generator = random.Random(20_241)
    ledger: dict[str, dict[str, str]] = {}
    faults: dict[str, Request] = {}
    seen: set[int] = set()
    slowest = 0.0
    for request in requests(generator, REQUESTS, frozen.fingerprint, sample):
        start = time.perf_counter()
        status, kind, body = ask(app, request)
        slowest = max(slowest, time.perf_counter() - start)
        seen.add(status)
        fault = fault_of(status, kind, body)
        if fault is not None:
            faults.setdefault(fault, request)
        elif status == 201:
            content = json.loads(request.body)
            assert content["id"] not in ledger
            if not sound(content["reports"], sample):
                faults.setdefault("no report, and taken", request)
            ledger[content["id"]] = content["reports"]
    last = good_content(generator, frozen.fingerprint, sample)
    try:
        assert {fault: repr(request)[:500] for fault, request in faults.items()} == {}
        assert slowest < 2
        assert len(ledger) >= REQUESTS // 100  # All valid ones among them were accepted.
        # The requests met every kind of refusal.
        assert seen == {200, 201, 400, 403, 404, 405, 409, 413, 415, 422}
        assert_recorded(store, ledger)
        assert ask(app, Request(written(last)))[0] == 201
        assert_recorded(store, {**ledger, last["id"]: last["reports"]})
    finally:
        store.close()


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (500, "application/json", b'{"error": "The server is at a loss."}'),
        (400, "text/html", b"<p>That is not JSON at all.</p>"),
        (400, "application/json", b'{"error": "no"}'),
        (400, "application/json", b'{"error": "It is so.", "body": "it is so"}'),
        (400, "application/json", b'{"error": "There is no survey called %s."}' % (b"a" * 3_000)),
        (400, "application/json", b'{"error": "Traceback (most recent call last)."}'),
        (201, "application/json", b'{"error": "It is not recorded."}'),
    ],
)
def test_the_rule_for_answers_finds_faults(status: int, kind: str, body: bytes) -> None:
    """A control: without it, a rule that accepts everything could pass the test of thousands."""
    assert fault_of(status, kind, body) is not None


# --- the same over a real socket ---------------------------------------------------------------


@dataclass
class Server:
    port: int
    fingerprint: str

    def connect(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def exchange(self, sent: bytes, *, hang_up: bool = False) -> bytes:
        """The answer until the server closes.

        A reset during sending is an answer too, since the server may stop reading a request that it
        refuses.
        """
        received = b""
        with self.connect() as connection:
            try:
                connection.sendall(sent)
                if hang_up:
                    with suppress(OSError):  # The server may have closed by now.
                        connection.shutdown(socket.SHUT_WR)
                while piece := connection.recv(65_536):
                    received += piece
            except ConnectionError:
                pass
        return received

    def post(self, body: bytes) -> tuple[int, bytes]:
        status, _, answer = parsed(self.exchange(with_length(body)))
        return status, answer


def head(*headers: str, path: str = PATH) -> bytes:
    lines = (
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Connection: close",
        "Content-Type: application/json",
        *headers,
    )
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"


def with_length(body: bytes) -> bytes:
    return head(f"Content-Length: {len(body)}") + body


def chunked(pieces: list[bytes], end: bytes = b"0\r\n\r\n") -> bytes:
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces if piece)
    return head("Transfer-Encoding: chunked") + chunks + end


def parsed(answer: bytes) -> tuple[int, str, bytes]:
    """The status, content type and body of the last answer in these bytes."""
    top, _, body = answer.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").partition(b"\r\n\r\n")
    first, *lines = top.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split()[1]), headers.get("content-type", ""), body


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    database = tmp_path_factory.mktemp("malformed") / "candor.db"
    store = open_store(str(database))
    frozen = opened(store, EVERY_TYPE)
    store.close()
    with serving_at_once(database) as (address, _, _):
        yield Server(int(address.rsplit(":", 1)[1]), frozen.fingerprint), database


OVER_A_SOCKET = length(1_000, 3_000)


def recorded(database: Path) -> int:
    store = open_store(str(database))
    found = rows(store)
    assert store.counts.by_question("health") == tallied(found)
    assert all(sound(sent(row)) for row in found)
    store.close()
    return len(found)


def split(r: random.Random, body: bytes) -> list[bytes]:
    places = sorted(r.randrange(len(body) + 1) for _ in range(r.randrange(6)))
    return [body[a:b] for a, b in zip([0, *places], [*places, len(body)], strict=True)]


@pytest.mark.slow
@soak
def test_thousands_of_malformed_requests_over_a_socket(server: tuple[Server, Path]) -> None:
    there, database = server
    before = recorded(database)
    r = random.Random(61_803)
    accepted = unanswered = 0
    faults: dict[str, bytes] = {}
    for number in range(OVER_A_SOCKET):
        good = good_content(r, there.fingerprint)
        body = written(good) if number % 20 == 0 else r.choice(MAKERS)(r, good)
        # whether the HTTP around the body is valid, and whether the client closes the connection
        sound, hang_up = True, False
        match r.randrange(6):
            case 0 | 1 | 2:
                sent = with_length(body)
            case 3:
                sent = chunked(split(r, body))
            case 4:
                sound, hang_up = False, True
                ends = (b"", b"zz\r\n", b"-1\r\n", b"ffffffffffffffffff\r\n", b"5\r\nab", b"\0")
                sent = chunked(split(r, body), end=r.choice(ends))
            case _:
                sound, hang_up = False, True
                lie = r.choice((0, 1, len(body) + 1, len(body) + 500, MAX_BODY_BYTES, -1, 10**30))
                sent = head(f"Content-Length: {lie}") + body
        start = time.perf_counter()
        answer = there.exchange(sent, hang_up=hang_up)
        if time.perf_counter() - start > 2:
            faults.setdefault("over 2 s", sent)
        if not answer:
            # The server closed without an answer. That is right for bytes that are no HTTP, or that
            # never ended.
            unanswered += 1
            if sound and len(body) <= MAX_BODY_BYTES:
                faults.setdefault("no answer", sent)
            continue
        status, kind, content = parsed(answer)
        # The server itself refuses bytes that are no HTTP, without a body.
        if sound or kind or status >= 500:
            fault = fault_of(status, kind, content) if hang_up is False else None
            if fault is not None or status >= 500:
                faults.setdefault(fault or f"status {status}", sent)
        accepted += status == 201
        if status == 201 and len(body) > MAX_BODY_BYTES and sound:
            faults.setdefault("over-long and taken", sent)
    assert {fault: sent[:300] for fault, sent in faults.items()} == {}
    assert accepted >= OVER_A_SOCKET // 60  # a part of the valid ones, which are a 20th
    # The client may not know about a recorded response if it closed the connection early.
    assert accepted <= recorded(database) - before <= accepted + unanswered
    assert there.post(written(good_content(r, there.fingerprint)))[0] == 201


@pytest.mark.parametrize(
    "sent",
    [
        b"\0\xff" * 100 + b"\r\n\r\n",
        b"POST\r\n\r\n",
        b"POST /s/health/responses\r\n\r\n",
        b"POST /s/health/responses HTTP/9.9\r\n\r\n",
        b"POST /s/h\xff/responses HTTP/1.1\r\nHost: x\r\n\r\n",
        head("Content-Length: 3", "Content-Length: 5") + b"{}   ",
        head("Content-Length: x") + b"{}",
        head("Transfer-Encoding: gzip") + b"{}",
        head("Transfer-Encoding: chunked", "Transfer-Encoding: identity") + b"0\r\n\r\n",
        head("no colon here") + b"{}",
        head("X: " + "a" * 1_000_000),
        head(*(f"X-{number}: a" for number in range(1_000))),
        head(path="/s/" + "a" * 100_000 + "/responses"),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 500,  # a TLS greeting
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0" * 100,
    ],
    ids=lambda sent: repr(sent[:30]),
)
def test_what_is_no_http_is_refused_or_dropped(server: tuple[Server, Path], sent: bytes) -> None:
    there, _ = server
    answer = there.exchange(sent, hang_up=True)
    if answer.startswith(b"HTTP/1.1 "):
        # 501 is the status for an unknown transfer coding.
        assert 400 <= parsed(answer)[0] < 500 or parsed(answer)[0] == 501
    good = good_content(random.Random(sent), there.fingerprint)
    assert there.post(written(good))[0] == 201


@pytest.mark.parametrize("size", [MAX_BODY_BYTES + 1, 1_000_000], ids=["a byte too long", "1 MB"])
@pytest.mark.parametrize("way", ["announced", "chunked"])
def test_a_body_that_is_too_long_is_refused_however_it_comes(
    server: tuple[Server, Path], size: int, way: str
) -> None:
    """White space follows a valid response, so a reader of the beginning alone would accept it."""
    there, database = server
    before = recorded(database)
    body = written(good_content(random.Random(f"{size}{way}"), there.fingerprint)).ljust(size)
    pieces = [body[start : start + 8_192] for start in range(0, size, 8_192)]
    answer = there.exchange(with_length(body) if way == "announced" else chunked(pieces))
    if answer:  # Otherwise the server closed while the client was sending.
        status, kind, content = parsed(answer)
        assert status == 413
        assert fault_of(status, kind, content) is None
    assert recorded(database) == before


def test_what_the_server_itself_refuses_is_a_sentence_in_json_too(
    server: tuple[Server, Path],
) -> None:
    """The front answers bodies beyond the longest form without the application."""
    there, _ = server
    answer = there.exchange(
        head(f"Content-Length: {MAX_FORM_BYTES + 1}") + b" " * 1_000, hang_up=True
    )
    status, kind, content = parsed(answer)
    assert status == 413
    assert fault_of(status, kind, content) is None
    for name in HEADERS:
        assert f"\r\n{name.lower()}: ".encode() in answer  # in lower case, as HTTP allows


def test_a_body_of_the_longest_allowed_length_is_taken(server: tuple[Server, Path]) -> None:
    there, _ = server
    body = written(good_content(random.Random(5), there.fingerprint)).ljust(MAX_BODY_BYTES)
    assert there.post(body)[0] == 201


@pytest.mark.parametrize("coding", ["chunked", "Chunked", " CHUNKED"])
@pytest.mark.parametrize(
    ("size", "status"), [(0, 201), (2 * MAX_BODY_BYTES, 413)], ids=["short", "long"]
)
def test_a_body_in_chunks_is_read_to_its_end(
    server: tuple[Server, Path], coding: str, size: int, status: int
) -> None:
    there, database = server
    before = recorded(database)
    good = good_content(random.Random(f"{coding}{size}"), there.fingerprint)
    body = written(good).ljust(size)
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    answer = there.exchange(head(f"Transfer-Encoding: {coding}") + chunks)
    assert parsed(answer)[0] == status
    assert fault_of(*parsed(answer)) is None
    assert recorded(database) - before == (status == 201)


def test_a_body_of_no_stated_length_is_400(server: tuple[Server, Path]) -> None:
    there, _ = server
    status, kind, content = parsed(there.exchange(head() + b"{}"))
    assert status == 400
    assert fault_of(status, kind, content) is None


@pytest.mark.parametrize(
    "half",
    [
        head("Content-Length: 200")[:-20],
        head("Content-Length: 200") + b'{"id": "0123',
        head("Transfer-Encoding: chunked") + b'c8\r\n{"id": "0123',
    ],
    ids=["headers", "body", "chunk"],
)
def test_half_sent_requests_do_not_keep_others_waiting(
    server: tuple[Server, Path], half: bytes
) -> None:
    there, _ = server
    held = [there.connect() for _ in range(64)]
    try:
        for connection in held:
            connection.sendall(half)
        for number in range(5):
            start = time.perf_counter()
            good = good_content(random.Random(f"{half!r}{number}"), there.fingerprint)
            assert there.post(written(good))[0] == 201
            assert time.perf_counter() - start < 5
    finally:
        for connection in held:
            connection.close()
    good = good_content(random.Random(half), there.fingerprint)
    assert there.post(written(good))[0] == 201


# --- every documented status ----------------------------------------------------------------------

GOOD = {
    "smokes": "1", "party": "00100010", "colour": "0110", "tried": "1---0", "pets": "5",
    "mood": "3", "glasses": "07", "weight": "1", "years": "044", "region": "3", "news": "010",
    "sleep": "2", "remarks": "Nothing",
}  # fmt: skip
OTHER = {
    "smokes": "2", "party": "00100001", "colour": "0111", "tried": "1--0-", "pets": "8",
    "mood": "0", "glasses": "08", "weight": "2", "years": "045", "region": "4", "news": "011",
    "sleep": "0", "remarks": "",
}  # fmt: skip
ROW = (1, "00100010", "0110", "1---0", 5, 3, 7, 1, 44, 3, "010", 2, "Nothing")


@pytest.fixture
def content(frozen: FrozenSurvey) -> dict[str, Any]:
    return {
        "id": "0123456789abcdef" * 2,
        "fingerprint": frozen.fingerprint,
        "reports": dict(GOOD),
    }


def assert_refused(reply: TestResponse, status: int, words: str) -> None:
    assert reply.status_code == status
    assert fault_of(status, reply.content_type, reply.data) is None
    assert words in reply.get_json()["error"]


def test_a_new_response_is_201_and_the_same_again_is_200_with_equal_answers(
    client: FlaskClient, store: Store, content: dict[str, Any]
) -> None:
    first = client.post(PATH, json=content)
    again = client.post(PATH, json=content)
    # The same reports with another order of keys and with white space are the same response.
    content["reports"] = dict(reversed(content["reports"].items()))
    other = client.post(PATH, data=json.dumps(content, indent=8), content_type="application/json")
    assert [first.status_code, again.status_code, other.status_code] == [201, 200, 200]
    assert first.data == again.data == other.data
    assert first.headers == again.headers == other.headers
    assert json.loads(first.data) == RECORDED
    assert rows(store) == [ROW]


def test_non_private_answers_are_stored_and_counted_as_given(
    client: FlaskClient, store: Store, content: dict[str, Any]
) -> None:
    assert client.post(PATH, json=content).status_code == 201
    counts = store.counts.by_question("health")
    assert {name: counts[name] for name in ("years", "region", "news", "remarks")} == {
        "years": {44: 1},
        "region": {3: 1},  # the fourth choice
        # The first box is unticked, the second is ticked, the third is not.
        "news": {1: 1, 2: 1, 5: 1},
        "remarks": {0: 1},  # the text is not empty
    }


@pytest.mark.parametrize("name", FIELDS)
def test_the_same_id_with_other_reports_is_409_and_the_first_stay(
    client: FlaskClient, store: Store, content: dict[str, Any], name: str
) -> None:
    assert client.post(PATH, json=content).status_code == 201
    other = {**GOOD, name: OTHER[name]}
    assert_refused(client.post(PATH, json={**content, "reports": other}), 409, "the first stays")
    assert rows(store) == [ROW]


WRONG_REPORTS: list[tuple[str, Any, str]] = [
    ("smokes", value, "a report is a text") for value in (0, 1, 1.0, True, None, ["1"], {})
]
WRONG_REPORTS += [
    ("smokes", "3", "from 0 to 2"),
    ("smokes", "01", "from 0 to 2"),
    ("smokes", "-", "from 0 to 2"),
    ("smokes", "๑", "from 0 to 2"),
    ("glasses", "+1", "from 00 to"),
    ("years", "122", "from 000 to 121"),
    ("party", "11100000", "2 times 1"),
    ("tried", "-----", "2 characters that are not -"),
    ("news", "0-1", "3 characters that are not -"),
    ("remarks", "x" * 1_001, "at most 1000 characters"),
    ("remarks", "a\0", "zero character"),
    ("remarks", LONE_SURROGATE, "half characters"),
    ("welcome", "0", "no such question"),  # a note, which has no report
    ("__proto__", "0", "no such question"),
    ("Smokes", "1", "no such question"),
]


@check_each(("name", "value", "words"), WRONG_REPORTS)
def test_a_wrong_or_unknown_report_is_422_and_names_the_question(
    client: FlaskClient, store: Store, content: dict[str, Any], name: str, value: Any, words: str
) -> None:
    reports = content["reports"] | {name: value}
    reply = client.post(PATH, json=content | {"reports": reports})
    assert_refused(reply, 422, words)
    assert repr(name) in reply.get_json()["error"]
    assert rows(store) == []


@check_each("name", FIELDS)
def test_a_missing_report_is_422_and_names_the_question(
    client: FlaskClient, store: Store, content: dict[str, Any], name: str
) -> None:
    reports = {each: text for each, text in content["reports"].items() if each != name}
    reply = client.post(PATH, json=content | {"reports": reports})
    assert_refused(reply, 422, "missing")
    assert repr(name) in reply.get_json()["error"]
    assert rows(store) == []


@check_each(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"{",
        b"\xff",
        b"[" * 10_000,
        b"9" * 5_000,
        b'{"id": "x", "fingerprint": "x", "reports": {}}',
        b'{"id": "x", "fingerprint": "x", "reports": {}, "time": 1}',
    ],
    ids=lambda body: repr(body[:30]),
)
def test_what_is_no_response_is_400(
    client: FlaskClient, store: Store, frozen: FrozenSurvey, body: bytes
) -> None:
    assert_refused(client.post(PATH, data=body, content_type="application/json"), 400, "")
    assert rows(store) == []


@check_each("identity", ODD_IDS, ids=lambda identity: repr(identity[:34]))
def test_an_id_of_another_shape_is_400(
    client: FlaskClient, store: Store, content: dict[str, Any], identity: str
) -> None:
    reply = client.post(PATH, json=content | {"id": identity})
    assert_refused(reply, 400, "32 hexadecimal digits")
    assert rows(store) == []


def test_a_key_that_is_there_twice_is_400(
    client: FlaskClient, store: Store, content: dict[str, Any]
) -> None:
    """JSON does not define which of the two counts, so the browser and we might disagree."""
    body = json.dumps(content).replace('"smokes": "1"', '"smokes": "1", "smokes": "1"')
    assert body.count('"smokes"') == 2
    assert_refused(client.post(PATH, data=body, content_type="application/json"), 400, "JSON")
    assert rows(store) == []


def test_an_older_fingerprint_is_409(
    client: FlaskClient, store: Store, content: dict[str, Any]
) -> None:
    content["fingerprint"] = freeze(parse_survey(definition())).fingerprint
    assert_refused(client.post(PATH, json=content), 409, "another version")
    assert rows(store) == []


def test_a_closed_survey_is_410_but_acknowledges_what_it_holds(
    client: FlaskClient, store: Store, content: dict[str, Any]
) -> None:
    """The retry of a recorded response whose answer was lost before the survey closed."""
    assert client.post(PATH, json=content).status_code == 201
    store.lifecycle.set_state("health", "closed")
    assert client.post(PATH, json=content).status_code == 200
    content["id"] = "f" * 32
    assert_refused(client.post(PATH, json=content), 410, "closed")
    assert rows(store) == [ROW]


@pytest.mark.parametrize("origin", ["loaded", "simulated"])
def test_a_survey_of_other_data_is_410(
    client: FlaskClient, store: Store, content: dict[str, Any], origin: str
) -> None:
    store.lifecycle.set_state("health", "closed")
    store.responses.add_batches("health", [[Response(b"0" * 16, ROW)]], origin)
    assert_refused(client.post(PATH, json=content), 410, "takes none")
    assert rows(store) == [ROW]


def test_an_unknown_survey_and_a_draft_are_404_and_look_alike(
    client: FlaskClient, store: Store, content: dict[str, Any]
) -> None:
    store.surveys.save_draft(parse_survey(definition(slug="secret-draft")))
    sentences = []
    for slug in ("secret-draft", "secret-other"):
        reply = client.post(f"/s/{slug}/responses", json=content)
        assert_refused(reply, 404, "no survey")
        sentences.append(reply.get_json()["error"].replace(slug, ""))
    assert sentences[0] == sentences[1]


def test_a_long_slug_is_not_repeated(
    client: FlaskClient, frozen: FrozenSurvey, content: dict[str, Any]
) -> None:
    reply = client.post(f"/s/{'x' * 1_000}/responses", json=content)
    assert reply.status_code == 404
    assert "x" * 64 not in reply.get_json()["error"]


def test_a_long_name_of_a_question_is_not_repeated(
    client: FlaskClient, content: dict[str, Any]
) -> None:
    content["reports"] = {**GOOD, "x" * 1_000: "0"}
    reply = client.post(PATH, json=content)
    assert reply.status_code == 422
    assert "x" * 64 not in reply.get_json()["error"]


def test_a_body_that_is_too_long_is_413(client: FlaskClient, content: dict[str, Any]) -> None:
    body = written(content).ljust(MAX_BODY_BYTES + 1)
    reply = client.post(PATH, data=body, content_type="application/json")
    assert_refused(reply, 413, f"{MAX_BODY_BYTES} bytes")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": ""},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        {"Content-Type": "application/json", "Content-Encoding": "identity"},
    ],
    ids=str,
)
def test_another_type_or_an_encoding_is_415(
    client: FlaskClient, store: Store, content: dict[str, Any], headers: dict[str, str]
) -> None:
    assert_refused(client.post(PATH, data=written(content), headers=headers), 415, "json")
    assert rows(store) == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost.evil.example"},
        {"Origin": "http://localhost:81"},
        {"Origin": "null"},
        {"Origin": "http://["},  # Python's urlsplit raises an error for this address.
    ],
    ids=str,
)
def test_another_site_is_403(
    client: FlaskClient, store: Store, content: dict[str, Any], headers: dict[str, str]
) -> None:
    assert_refused(client.post(PATH, json=content, headers=headers), 403, "this site")
    assert rows(store) == []


@pytest.mark.parametrize(
    "headers",
    [{"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://localhost"}, {}],
    ids=str,
)
def test_this_site_and_programs_that_are_no_browser_are_served(
    client: FlaskClient, content: dict[str, Any], headers: dict[str, str]
) -> None:
    assert client.post(PATH, json=content, headers=headers).status_code == 201


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])
def test_other_methods_are_405(
    client: FlaskClient, frozen: FrozenSurvey, content: dict[str, Any], method: str
) -> None:
    assert_refused(
        client.open(PATH, method=method, json=content), 405, "does not accept the method"
    )


def test_every_refusal_says_the_same_to_each_that_sends_it(
    client: FlaskClient, content: dict[str, Any]
) -> None:
    """It contains no number, moment or token that would distinguish senders."""
    content["reports"] = {**GOOD, "smokes": "7"}
    first, second = client.post(PATH, json=content), client.post(PATH, json=content)
    assert first.data == second.data
    assert first.headers == second.headers
