"""HTTP requests to a host, as several different clients send them.

The requests use no proxy and follow no redirects. Replies have limits of size and time. Nothing
from a reply is executed or written to disk.
"""

import time
import zlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection

from survey.core.errors import CannotVerify

STEP_TIMEOUT_SECONDS, REPLY_TIMEOUT_SECONDS = 20, 60  # for a step, and for one reply
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
    """A client: its name, and the headers that it sends."""

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
    """The reply to one client. `path` has no host; `headers` keep the spelling of the reply."""

    client: str
    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """All values of a header, joined by commas, or None."""
        values = [value for other, value in self.headers if other.lower() == name.lower()]
        return ", ".join(values) if values else None


class Host:
    """The server of a survey: its scheme and host."""

    def __init__(self, origin: str):
        self.origin = origin
        self.scheme, _, self.netloc = origin.partition("://")

    def ask(self, client: Client, path: str, language: str | None = None) -> ClientReply:
        """The reply to one request. `language` replaces the client's languages.

        Raises CannotVerify if there is no reply, or one that is too long or too slow.
        """
        headers: dict[str, str] = {}
        if "Accept" not in client.headers:  # as all browsers do
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
                f"{self.origin}{path} could not be asked for: {error}. Try again later."
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
            raise CannotVerify(f"{url} is longer, or takes longer, than anything of Candor's.")
    return b"".join(parts)


def unpacked(body: bytes) -> bytes:
    """The body that a proxy compressed with gzip; any other body stays as it is."""
    packed = zlib.decompressobj(wbits=31)
    try:
        plain = packed.decompress(body, MAX_REPLY_BYTES)
    except zlib.error:
        return body  # then it is compared as it is, and found to be wrong
    return plain if packed.eof else body
