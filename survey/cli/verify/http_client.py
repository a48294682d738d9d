"""Requests to a host over HTTP, in the manner of several different clients.

The requests use no proxy and follow no redirect. Replies have limits of size and time. Nothing in a
reply is run or written to disk.
"""

import time
import zlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection

from survey.core.errors import CannotVerify

# The time for one network step, and for one whole reply.
STEP_TIMEOUT_SECONDS, REPLY_TIMEOUT_SECONDS = 20, 60
MAX_REPLY_BYTES = 16 * 1024 * 1024
COOKIES = "session=eyJ0b2tlbiI6ICJub3RoaW5nIn0.canary; theme=dark; id=7"
VISIT = {"Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none"}
LOADED = {"Sec-Fetch-Dest": "script", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin"}
ACCEPT = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Encoding": "gzip",
}
FIREFOX = "Mozilla/5.0 ({0}; rv:128.0) Gecko/20100101 Firefox/128.0"
WEBKIT = "Mozilla/5.0 ({0}) AppleWebKit/{1} (KHTML, like Gecko) {2} Safari/{1}"


@dataclass(frozen=True)
class Client:
    """A client that this command imitates: its name, and its request headers."""

    name: str
    headers: Mapping[str, str]


CLIENTS = (
    Client(
        "Firefox on Linux",
        {"User-Agent": FIREFOX.format("X11; Linux x86_64"), "Accept-Language": "en-US,en;q=0.5"},
    ),
    Client(
        "Chrome on Android",
        {
            "User-Agent": WEBKIT.format("Linux; Android 10; K", "537.36", "Chrome/130.0 Mobile"),
            "Accept-Language": "vi-VN,vi;q=0.9,en;q=0.8",
            "Referer": "https://www.facebook.com/",
        },
    ),
    Client(
        "Safari on an iPhone, with cookies",
        {
            "User-Agent": WEBKIT.format(
                "iPhone; CPU iPhone OS 18_0 like Mac OS X", "605.1.15", "Version/18.0 Mobile"
            ),
            "Accept-Language": "th-TH,th;q=0.9",
            "Cookie": COOKIES,
        },
    ),
    Client(
        "Tor Browser",
        {
            "User-Agent": FIREFOX.format("Windows NT 10.0; Win64; x64"),
            "Accept-Language": "en-US,en;q=0.5",
            "Sec-GPC": "1",
        },
    ),
    Client(
        "Chrome on Windows, with cookies, from another site",
        {
            "User-Agent": WEBKIT.format("Windows NT 10.0; Win64; x64", "537.36", "Chrome/130.0"),
            "Accept-Language": "zh-CN,zh;q=0.9",
            "Cookie": COOKIES,
            "Referer": "https://www.google.com/",
            "Sec-Fetch-Site": "cross-site",
        },
    ),
    Client("curl", {"User-Agent": "curl/8.5.0", "Accept": "*/*"}),
)


@dataclass(frozen=True)
class ClientReply:
    """What one client received: the `path` without the host, and header names as sent."""

    client: str
    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """All values of a header, joined by commas; None if it is missing."""
        values = [value for other, value in self.headers if other.lower() == name.lower()]
        return ", ".join(values) if values else None


class Host:
    """The host of a survey: its scheme and name."""

    def __init__(self, origin: str):
        self.origin = origin
        self.scheme, _, self.netloc = origin.partition("://")

    def ask(self, client: Client, path: str, language: str | None = None) -> ClientReply:
        """The reply to one request, optionally for one language only.

        Raises CannotVerify if there is no reply, or if it is far too long.
        """
        headers: dict[str, str] = {}
        if "Accept" not in client.headers:  # Every browser sends this header.
            headers = ACCEPT | (LOADED if path.startswith("/static/") else VISIT)
        headers |= client.headers
        if language is not None:
            headers["Accept-Language"] = language
        connect = HTTPSConnection if self.scheme == "https" else HTTPConnection
        try:
            with closing(connect(self.netloc, timeout=STEP_TIMEOUT_SECONDS)) as connection:
                connection.request("GET", path, headers=headers)
                with connection.getresponse() as response:
                    body = read_all(response, self.origin + path)
        except (OSError, HTTPException, ValueError) as error:
            raise CannotVerify(
                f"The request for {self.origin}{path} failed: {error}. Try again later."
            ) from error
        received_headers = tuple(response.getheaders())
        if (response.getheader("Content-Encoding") or "").lower() == "gzip":
            body = unpacked(body)
        return ClientReply(client.name, path, response.status, received_headers, body)


def read_all(response: HTTPResponse, url: str) -> bytes:
    parts, size, end = [], 0, time.monotonic() + REPLY_TIMEOUT_SECONDS
    while part := response.read1(65_536):
        parts.append(part)
        size += len(part)
        if size > MAX_REPLY_BYTES or time.monotonic() > end:
            raise CannotVerify(f"{url} is too long or too slow for Candor. Check the address.")
    return b"".join(parts)


def unpacked(body: bytes) -> bytes:
    """The decompressed body, as proxies and browsers see it."""
    packed = zlib.decompressobj(wbits=31)
    try:
        plain = packed.decompress(body, MAX_REPLY_BYTES)
    except zlib.error:
        return body  # It is then compared as it is, and found to differ.
    return plain if packed.eof else body
