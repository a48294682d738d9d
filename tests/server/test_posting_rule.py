"""One rule for posted requests: the front and the route judge every request in the same way."""

import re
import socket
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from flask import Flask

from survey.definition.responses.parse_response import MAX_BODY_BYTES
from survey.server.http.posting_rule import PostingRefusal, posting_refusal
from survey.server.settings import Settings
from survey.store import Store
from tests.support.asgi_servers import PATH, Running, started
from tests.support.definitions import definition, opened, yes_no

JSON = "Content-Type: application/json"
LENGTH = "Content-Length: {length}"
OURS, SAME = "Origin: http://{host}", "Sec-Fetch-Site: same-origin"
OTHER, CROSS = "Origin: http://evil.example", "Sec-Fetch-Site: cross-site"

# The headers of a request without Host, and the status of its reply.
ORIGINS = [
    ([], 201),
    ([SAME], 201),
    (["sec-fetch-site:same-origin"], 201),
    ([CROSS], 403),
    (["Sec-Fetch-Site: same-site"], 403),
    (["Sec-Fetch-Site: none"], 403),
    (["Sec-Fetch-Site:"], 403),
    (["Sec-Fetch-Site: Same-Origin"], 403),
    ([SAME, SAME], 403),
    ([SAME, CROSS], 403),
    ([CROSS, SAME], 403),
    ([OURS], 201),
    (["Origin: https://{host}"], 201),
    ([OURS, OURS], 403),
    ([OURS, OTHER], 403),
    ([OTHER, OURS], 403),
    ([OTHER], 403),
    (["Origin: null"], 403),
    (["Origin:"], 403),
    (["Origin: http://"], 403),
    (["Origin: {host}"], 403),
    (["Origin: http://{host}."], 403),
    (["Origin: http://{host}/"], 403),
    (["Origin: http://{host}, http://{host}"], 403),
    (["Origin: http://x@{host}"], 403),
    (["Origin: http://127.0.0.1"], 403),
    (["Origin: http://127.0.0.1:1"], 403),
    (["Origin: http://["], 403),
    ([SAME, OTHER], 201),
    ([CROSS, OURS], 403),
    # Headers with underscores belong to another program and do not count.
    (["Sec_Fetch_Site: same-origin", OTHER], 403),
    (["Sec_Fetch_Site: cross-site"], 201),
    (["Cookie: a=b", "Cookie: c=d", "Accept: a", "Accept: b"], 201),
    (["X-Forwarded-Host: evil.example", OTHER], 403),
    (["X-Forwarded-Host: evil.example", OURS], 201),
]
TYPES = [
    (["Content-Type: application/json; charset=utf-8"], 201),
    (["Content-Type: application/json;charset=utf-16"], 201),
    (["Content-Type: application/json ;"], 201),
    (["Content-Type: Application/JSON"], 201),
    (["content-type:application/json"], 201),
    ([], 415),
    (["Content-Type:"], 415),
    (["Content-Type: ;application/json"], 415),
    (["Content-Type: text/plain"], 415),
    (["Content-Type: text/plain; application/json"], 415),
    (["Content-Type: application/jsonp"], 415),
    (["Content-Type: application/json, text/plain"], 415),
    (["Content-Type: application/x-www-form-urlencoded"], 415),
    (["Content_Type: application/json"], 415),
    ([JSON, JSON], 415),
    ([JSON, "Content-Type: text/plain"], 415),
    (["Content-Type: text/plain", JSON], 415),
]
ENCODINGS = [
    ["Content-Encoding: gzip"],
    ["Content-Encoding: identity"],
    ["Content-Encoding:"],
    ["Content-Encoding: gzip", "Content-Encoding: identity"],
]
LENGTHS = [
    ([LENGTH], 0, 201),
    ([LENGTH], MAX_BODY_BYTES, 201),
    ([LENGTH], MAX_BODY_BYTES + 1, 413),
    ([LENGTH], 2 * MAX_BODY_BYTES, 413),
    (["Transfer-Encoding: chunked"], 0, 201),
    (["Transfer-Encoding: chunked"], MAX_BODY_BYTES, 201),
    (["Transfer-Encoding: chunked"], MAX_BODY_BYTES + 1, 413),
    (["Transfer-Encoding: Chunked"], 0, 201),
    ([], 0, 400),
    (["Content-Length: 0"], 0, 400),
]
CASES = [
    *(([JSON, LENGTH, *headers], 0, status) for headers, status in ORIGINS),
    *(([LENGTH, *headers], 0, status) for headers, status in TYPES),
    *(([JSON, LENGTH, *headers], 0, 415) for headers in ENCODINGS),
    *(([JSON, *headers], size, status) for headers, size, status in LENGTHS),
]


@pytest.fixture
def there(app: Flask, settings: Settings, store: Store) -> Iterator[Running]:
    frozen = opened(store, definition(yes_no(), batch=1))
    with started(app, settings, frozen) as running:
        yield running


def exchange(there: Running, lines: list[str], size: int) -> bytes:
    """The whole reply to a response with these headers, without its date.

    `size` is the smallest length of the response in bytes.
    """
    body = there.body().ljust(size)
    host = f"127.0.0.1:{there.port}"
    written = [line.format(host=host, length=len(body)) for line in lines]
    if any("chunked" in line.lower() for line in lines):
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    elif LENGTH not in lines:
        body = b""
    head = [f"POST {PATH} HTTP/1.1", f"Host: {host}", "Connection: close", *written, "", ""]
    received = b""
    with closing(socket.create_connection(("127.0.0.1", there.port), timeout=20)) as connection:
        connection.sendall("\r\n".join(head).encode() + body)
        while piece := connection.recv(65_536):
            received += piece
    return re.sub(rb"(?m)^date: .*\r\n", b"", received)


def test_the_front_and_the_route_answer_with_the_same_bytes(
    there: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both fronts give the same answers.

    The first is the usual front, which acknowledges every response that the route would accept. The
    second leaves all responses to the route.
    """
    asked = []
    answer = there.front.threads.answer

    async def counted(*arguments: Any) -> None:
        asked.append(1)
        await answer(*arguments)

    monkeypatch.setattr(there.front.threads, "answer", counted)
    of_front = [exchange(there, lines, size) for lines, size, _ in CASES]
    assert [int(reply[9:12]) for reply in of_front] == [status for _, _, status in CASES]
    assert len(asked) == sum(status != 201 for _, _, status in CASES)
    asked.clear()
    monkeypatch.setattr(there.front, "read_posted", lambda *_: None)
    for (lines, size, _), reply in zip(CASES, of_front, strict=True):
        assert exchange(there, lines, size) == reply, (lines, size)
    assert len(asked) == len(CASES)


def test_what_the_front_reads_is_the_body_that_came(there: Running) -> None:
    """Two lengths, or a length and chunks, can be read in two ways. Such a request is refused."""
    chunks = "Transfer-Encoding: chunked"
    for lines in ([JSON, LENGTH, "Content-Length: 1"], [JSON, LENGTH, chunks]):
        assert exchange(there, lines, 0).startswith(b"HTTP/1.1 400 ")


# --- the rule alone -------------------------------------------------------------------------------

GOOD = {
    "wsgi.url_scheme": "http",
    "SERVER_NAME": "127.0.0.1",
    "SERVER_PORT": "8000",
    "HTTP_HOST": "survey.example.org",
    "CONTENT_TYPE": "application/json",
    "CONTENT_LENGTH": "10",
}


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({}, None),
        (
            {"HTTP_SEC_FETCH_SITE": "cross-site", "CONTENT_TYPE": "text/plain"},
            PostingRefusal(403, "Responses are accepted only from this site's own pages."),
        ),
        (
            {"CONTENT_TYPE": "text/plain", "CONTENT_LENGTH": "11"},
            PostingRefusal(
                415, "A response must have the type application/json and no content encoding."
            ),
        ),
        (
            {"CONTENT_LENGTH": None},
            PostingRefusal(400, "A response must state its length in Content-Length."),
        ),
        (
            {"CONTENT_LENGTH": "11"},
            PostingRefusal(413, "A response must be at most 10 bytes long."),
        ),
        ({"HTTP_ORIGIN": "https://survey.example.org"}, None),
        ({"HTTP_ORIGIN": "http://survey.example.org", "HTTP_HOST": "survey.example.org:80"}, None),
    ],
)
def test_each_refusal_has_its_sentence(
    changes: dict[str, str | None], refusal: PostingRefusal | None
) -> None:
    environ = {name: value for name, value in (GOOD | changes).items() if value is not None}
    assert posting_refusal(environ, "Response", 10) == refusal


@pytest.mark.parametrize("origin", ["null", "http://", "bad host", "http://bad host"])
def test_a_host_that_cannot_be_read_is_no_page_of_this_site(origin: str) -> None:
    refusal = posting_refusal(
        GOOD | {"HTTP_HOST": "bad host", "HTTP_ORIGIN": origin}, "Response", 10
    )
    assert refusal is not None
    assert refusal.status == 403
