"""Respondents' pages and public results as bytes that are kept, and how they are known to be right.

The argument, in four parts.

*Nothing of a visitor is kept.* The application is not given the visitor's request. It is given one
that is made from the address, the language and whether gzip is taken, and has no cookie, network
address or other header (`made_request`). Only its reply is kept, and only one with status 200 and
without a cookie.

*No page is out of date.* Each request reads a version from the store: a digest of all that the page
is made of. The application makes a page from the rows that it has the digest of, and says which
digest that is (`note_source`); the page is kept under that one. So a page that is found under the
version that was just read is the page that the application would make now. This holds for any
number of servers on one database, and for a database that is restored or exchanged.

*Memory is bounded.* All pages together take at most `MAX_BYTES`. The address that nobody has asked
for the longest is dropped first, in all its languages.

*Timing says little.* A page that was kept comes sooner, so a stranger can find out whether somebody
had asked for the same page since it last changed, as the frozen documents that are kept in memory
told before. Which language that visitor reads is not told: after the first request for a page of a
survey the others are made as well (survey/server/http/public_pages.py). Results change with each
batch, so their other languages are made when they are asked for.
"""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from flask import Request, request

from survey.server.http.compression import takes_gzip
from survey.server.http.tolerant_request import TolerantRequest
from survey.server.http.wsgi_threads import Scope, environ_of

MAX_BYTES = 64 * 1024 * 1024
# Of what a browser may send in any length; reading more of it would hold up all others
MAX_QUERY_BYTES, MAX_HEADER_BYTES = 2_000, 1_000
CACHEABLE_PATH = re.compile(r"/s/([a-z0-9.-]+?)(\.json|/verify|/results|/withdraw|)")
WITHOUT_SURVEY = re.compile(r"/(how|verify|help/(?!search$)[a-z0-9/-]*)?")
PAGE_KEY = "candor.page"

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Address:
    """An address whose page is kept; `slug` is "" for pages that are not of a survey."""

    path: str
    slug: str

    @property
    def results(self) -> bool:
        return self.path.endswith("/results")


@dataclass(frozen=True)
class Variant:
    """In which language and encoding a page is given."""

    language: str
    gzip: bool


@dataclass(frozen=True)
class PageReply:
    """A page as it is sent, its headers included."""

    status: int
    headers: Headers
    content: bytes

    @property
    def may_be_kept(self) -> bool:
        return self.status == 200 and b"set-cookie" not in {n.lower() for n, _ in self.headers}


@dataclass
class Page:
    """What is kept of one address: replies that were made from the same, as the application says:
    the version, and the languages that there are. Empty until it has said so."""

    version: bytes = b""
    offered: tuple[str, ...] = ()
    replies: dict[Variant, PageReply] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(len(reply.content) for reply in self.replies.values())


def cacheable_address(scope: Scope) -> Address | None:
    """The address of this request, if it is one whose page is kept."""
    if scope["method"] not in ("GET", "HEAD"):
        return None
    path = scope["path"]
    if WITHOUT_SURVEY.fullmatch(path):
        return Address(path, "")
    match = CACHEABLE_PATH.fullmatch(path)
    return None if match is None else Address(path, match[1])


def languages_asked(scope: Scope) -> Request:
    """The part of a request that says which language and encoding are wanted."""
    kept = (b"accept-language", b"accept-encoding")
    headers = [(name, value[:MAX_HEADER_BYTES]) for name, value in scope["headers"] if name in kept]
    query = scope["query_string"][:MAX_QUERY_BYTES]
    return TolerantRequest(
        environ_of({**scope, "headers": headers[:10], "query_string": query}, b"")
    )


def preferred_by(request: Request, offered: Sequence[str]) -> str:
    """The language that a request asks for, of those offered."""
    asked = request.args.get("language", "")
    if asked in offered:
        return asked
    return request.accept_languages.best_match(offered) or offered[0]


def variant_of(asked: Request, offered: Sequence[str]) -> Variant:
    """What this request is given, of the languages that there are."""
    return Variant(preferred_by(asked, offered), takes_gzip(asked))


def made_request(path: str, host: str, language: str, accepted: str, gzip: bool) -> Scope:
    """The request that the application is given.

    Parameters
    ----------
    host : the name of respondents' pages, as in the settings
    language : the one that is asked for, or ""
    accepted : languages as in Accept-Language, where none is asked for by its name
    """
    headers = [(b"host", host.encode()), (b"accept-language", accepted.encode("latin-1"))]
    return {
        "method": "GET",
        "raw_path": quote(path).encode(),
        "path": path,
        "query_string": f"language={quote(language)}".encode() if language else b"",
        "headers": [*headers, *([(b"accept-encoding", b"gzip")] if gzip else [])],
        "http_version": "1.1",
        "scheme": "http",
        "server": None,
        "client": None,
    }


def note_source(version: bytes, offered: Sequence[str]) -> None:
    """From a view: this page is made from what has this version, and from the language alone."""
    made = request.environ.get(PAGE_KEY)
    if made is not None:
        made.version, made.offered = version, tuple(offered)


class PageCache:
    """Pages that are kept, those that were asked for last at the end."""

    def __init__(self, max_bytes: int = MAX_BYTES):
        self.max_bytes = max_bytes
        self.size = 0
        self.pages: OrderedDict[str, Page] = OrderedDict()

    def find(self, path: str, version: bytes) -> Page | None:
        """What is kept of an address, if it was made from what has this version."""
        page = self.pages.get(path)
        if page is None or page.version != version:
            return None
        self.pages.move_to_end(path)
        return page

    def keep(self, path: str, made: Page, variant: Variant, reply: PageReply) -> None:
        """Keep a reply of this page, and nothing of the address that was made from another one."""
        page = self.find(path, made.version)
        if page is None:
            self.drop(path)
            page = self.pages[path] = made
        if variant not in page.replies:
            page.replies[variant] = reply
            self.size += len(reply.content)
        while self.size > self.max_bytes:
            self.drop(next(iter(self.pages)))

    def drop(self, path: str) -> None:
        page = self.pages.pop(path, None)
        if page is not None:
            self.size -= page.size
