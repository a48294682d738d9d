"""The requests of `verify` over sockets, and replies that hide something from their parser."""

import gzip
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from survey.cli.verify.browsers import CLIENTS
from survey.cli.verify.headers import faults_of_headers
from survey.cli.verify.http_client import Ask, Host, unpack_body

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
EMPTY = HEAD + b"Content-Length: 0\r\n\r\n"


@contextmanager
def replying(*replies: bytes, closes: bool = False) -> Iterator[tuple[Host, list[bytes]]]:
    """A host with these replies, one after the other, and the requests that it gets."""
    left, requests = list(replies), []

    def serve(connection: socket.socket) -> None:
        with closing(connection), connection.makefile("rb") as lines:
            while left:
                request = b"".join(iter(lines.readline, b"\r\n"))
                if not request:
                    return
                requests.append(request)
                connection.sendall(left.pop(0))
                if closes:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            while left:
                serve(listening.accept()[0])

        thread = threading.Thread(target=accept)
        thread.start()
        with Host(f"http://127.0.0.1:{listening.getsockname()[1]}") as host:
            yield host, requests
        thread.join()


@pytest.mark.parametrize("closes", [False, True])
def test_a_client_keeps_its_connection_and_opens_another_one_when_it_is_closed(closes):
    with replying(EMPTY, EMPTY, closes=closes) as (host, requests):
        assert [host.ask(Ask(target="/s/x?y")).status for _ in range(2)] == [200, 200]
    assert len(requests) == 2
    first, *rest = requests[0].decode().splitlines()
    assert first == "GET /s/x?y HTTP/1.1"
    sent = dict(line.split(": ", 1) for line in rest)
    assert sent.pop("Host") == host.origin.removeprefix("http://")
    assert sent == CLIENTS[0].headers("page", host.origin)
    assert [*sent] == [*CLIENTS[0].headers("page", host.origin)]


HIDING = {
    "a line that is no header": b"No header\r\nClear-Site-Data: *",
    "a space before the colon": b"Clear-Site-Data : *",
    "a line with a space before all": b" Clear-Site-Data: *\r\nX",
    "a lone carriage return": b"Server: x\rno header\r\nClear-Site-Data: *",
    "the first line of a mailbox": b"From x\r\nClear-Site-Data: *",
    "a continued line": b"Server: x\r\n Clear-Site-Data: *",
}


@pytest.mark.parametrize("hidden", HIDING.values(), ids=HIDING)
def test_no_header_is_hidden_from_the_parser(hidden):
    with replying(HEAD + hidden + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") as (
        host,
        _,
    ):
        reply = host.ask(Ask(target="/s/x"))
    faults = [fault for fault in faults_of_headers(reply, https=False) if "missing" not in fault]
    assert faults


def test_an_early_reply_is_not_passed_over():
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n"
    with replying(early + EMPTY) as (host, _):
        assert host.ask(Ask(target="/s/x")).status == 103


def test_what_follows_the_compressed_page_is_seen():
    page, more = gzip.compress(b"page"), gzip.compress(b"<script>")
    assert unpack_body(page) == b"page"
    for odd in (page + more, page + b"\0", page[:-1], b"page"):
        assert unpack_body(odd) == odd


def test_an_encoding_that_was_not_decoded_is_named():
    reply = HEAD + b"Content-Encoding: br\r\nContent-Length: 4\r\n\r\npage"
    with replying(reply) as (host, _):
        got = host.ask(Ask(target="/s/x"))
    assert got.body == b"page"
    [fault] = [each for each in faults_of_headers(got, https=False) if "Encoding" in each]
    assert fault == "The header Content-Encoding has a value that is not permitted: 'br'"
