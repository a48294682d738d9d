"""The WSGI environment of an ASGI request: what the application learns of a request."""

from typing import Any

import pytest

from survey.server.http.wsgi_environ import environ_of

pytestmark = pytest.mark.fast


def scope(*headers: tuple[bytes, bytes], **more: Any) -> dict[str, Any]:
    whole = {
        "method": "POST",
        "raw_path": b"/s/%C3%A9",
        "query_string": b"language=vi",
        "http_version": "1.1",
        "scheme": "https",
        "server": ("127.0.0.1", 8000),
        "client": ("203.0.113.7", 50_000),
        "headers": headers,
    }
    return whole | more


def test_the_request_line_the_addresses_and_the_body() -> None:
    environ = environ_of(scope((b"content-type", b"text/plain")), b"body")
    assert environ["REQUEST_METHOD"] == "POST"
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/s/é"
    assert environ["QUERY_STRING"] == "language=vi"
    assert environ["SERVER_PROTOCOL"] == "HTTP/1.1"
    assert environ["wsgi.url_scheme"] == "https"
    assert (environ["SERVER_NAME"], environ["SERVER_PORT"]) == ("127.0.0.1", "8000")
    assert environ["REMOTE_ADDR"] == "203.0.113.7"
    assert environ["CONTENT_TYPE"] == "text/plain"
    assert environ["wsgi.input"].read() == b"body"


def test_a_request_over_a_socket_file_has_no_addresses() -> None:
    environ = environ_of(scope(server=None, client=None), b"")
    assert (environ["SERVER_NAME"], environ["SERVER_PORT"]) == ("localhost", "80")
    assert environ["REMOTE_ADDR"] == ""


def test_the_length_is_that_of_the_body_whatever_the_headers_say() -> None:
    for header in ((b"content-length", b"99"), (b"transfer-encoding", b"chunked")):
        environ = environ_of(scope(header), b"body")
        assert environ["CONTENT_LENGTH"] == "4"
        assert "HTTP_TRANSFER_ENCODING" not in environ


def test_repeated_headers_are_joined_and_names_with_an_underscore_left_out() -> None:
    headers = (
        *((b"cookie", b"a=1"), (b"cookie", b"b=2")),
        *((b"x-forwarded-for", b"192.0.2.1"), (b"x-forwarded-for", b"192.0.2.2")),
        (b"x_forwarded_for", b"192.0.2.3"),
    )
    environ = environ_of(scope(*headers), b"")
    assert environ["HTTP_COOKIE"] == "a=1; b=2"
    assert environ["HTTP_X_FORWARDED_FOR"] == "192.0.2.1,192.0.2.2"
