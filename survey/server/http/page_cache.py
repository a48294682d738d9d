"""The cache of respondents' pages, public results, help and lessons.

The argument, in four parts.

*The cache holds nothing of a visitor.* The application does not receive the visitor's request. It
receives one that `made_request` builds from the address, the language and whether gzip is accepted,
without any cookie, network address or other header. Only its reply is kept, and only if it has
status 200 and sets no cookie.

*No page is out of date.* Each request reads a version from the store: a digest of all data behind
the page. The application renders the page from the rows with this digest, and states the digest
(`note_source`). The cache keeps the page under it. So a page under the version that was just read
is the page that the application would render now. This holds for any number of servers on one
database, and for a database that is restored or replaced.

*Memory is bounded.* All pages together take at most `MAX_BYTES`. The address that was not requested
for the longest time is dropped first, in all its languages.

*Timing reveals little.* A page from the cache arrives sooner. So a stranger can find out whether
somebody requested the same page since it last changed. The frozen documents in memory revealed the
same before. The stranger does not learn the language of that visitor: after the first request for a
page of a survey, the server renders the other languages too (survey/server/http/public_pages.py).
Results change with each batch, so their other languages are rendered on request.
"""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from flask import Request, request

from survey.core.languages import LANGUAGES
from survey.server.http.compression import takes_gzip
from survey.server.http.tolerant_request import TolerantRequest
from survey.server.http.wsgi_environ import Scope, environ_of

MAX_BYTES = 64 * 1024 * 1024
# A browser may send these in any length. Reading more of them would delay all other requests.
MAX_QUERY_BYTES = 2_000
MAX_HEADER_BYTES = 1_000
CACHEABLE_PATH = re.compile(r"/s/([a-z0-9.-]+?)(\.json|/how|/verify|/results|/withdraw|)")
WITHOUT_SURVEY = re.compile(r"/(blank|how|verify|help/(?!search$)[a-z0-9/-]*)?")
# Only as the lesson begins. A query with a value of a control is calculated for its reader.
LESSON = re.compile(r"/learn/[a-z0-9-]*")
LESSON_QUERY = re.compile(rf"(language=({'|'.join(LANGUAGES)}))?".encode())
PAGE_KEY = "candor.page"

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Address:
    """An address whose page can be cached.

    Attributes
    ----------
    slug : "" for pages without a survey
    language : a language in the address that the links of the page repeat, or ""
    """

    path: str
    slug: str
    language: str = ""

    @property
    def key(self) -> str:
        return f"{self.path}?{self.language}"

    @property
    def lesson(self) -> bool:
        return LESSON.fullmatch(self.path) is not None

    @property
    def results(self) -> bool:
        return self.path.endswith("/results")


@dataclass(frozen=True)
class Variant:
    """The language and encoding of a page."""

    language: str
    gzip: bool


@dataclass(frozen=True)
class PageReply:
    """A page with its headers, as it is sent."""

    status: int
    headers: Headers
    content: bytes

    @property
    def may_be_kept(self) -> bool:
        return self.status == 200 and b"set-cookie" not in {n.lower() for n, _ in self.headers}


@dataclass
class Page:
    """The cached replies of one address, all of the same version.

    The application states the version and the available languages. Until then both are empty.
    """

    version: bytes = b""
    offered: tuple[str, ...] = ()
    replies: dict[Variant, PageReply] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(len(reply.content) for reply in self.replies.values())


def cacheable_address(scope: Scope) -> Address | None:
    """The address of this request, if its page can be cached."""
    if scope["method"] not in ("GET", "HEAD"):
        return None
    path = scope["path"]
    if WITHOUT_SURVEY.fullmatch(path):
        return Address(path, "")
    if LESSON.fullmatch(path):
        query = LESSON_QUERY.fullmatch(scope["query_string"])
        return None if query is None else Address(path, "", (query[2] or b"").decode())
    match = CACHEABLE_PATH.fullmatch(path)
    return None if match is None else Address(path, match[1])


def languages_asked(scope: Scope) -> Request:
    """The part of a request that states the language and the encoding."""
    kept = (b"accept-language", b"accept-encoding")
    headers = [(name, value[:MAX_HEADER_BYTES]) for name, value in scope["headers"] if name in kept]
    query = scope["query_string"][:MAX_QUERY_BYTES]
    return TolerantRequest(
        environ_of({**scope, "headers": headers[:10], "query_string": query}, b"")
    )


def language_named(request: Request) -> str:
    """The language that the query of a request names, or "". Pages ignore everything else in it."""
    named = request.args.get("language", "")
    return named if named in LANGUAGES else ""


def preferred_by(request: Request, offered: Sequence[str]) -> str:
    """The language that a request prefers among those offered."""
    named = language_named(request)
    if named in offered:
        return named
    return request.accept_languages.best_match(offered) or offered[0]


def variant_of(asked: Request, offered: Sequence[str]) -> Variant:
    """The variant for this request, given the languages offered."""
    return Variant(preferred_by(asked, offered), takes_gzip(asked))


def made_request(path: str, host: str, language: str, accepted: str, gzip: bool) -> Scope:
    """The request that the application receives in place of the visitor's.

    Parameters
    ----------
    host : the host name of respondents' pages, from the settings
    language : the requested language, or ""
    accepted : an Accept-Language value, used if no language is requested by name
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
    """A view calls this to state that its page depends only on this version and the language."""
    made = request.environ.get(PAGE_KEY)
    if made is not None:
        made.version, made.offered = version, tuple(offered)


class PageCache:
    """Cached pages, the most recently requested at the end."""

    def __init__(self, max_bytes: int = MAX_BYTES):
        self.max_bytes = max_bytes
        self.size = 0
        self.pages: OrderedDict[str, Page] = OrderedDict()

    def find(self, key: str, version: bytes) -> Page | None:
        """The cached page of an address (`Address.key`), if it has this version."""
        page = self.pages.get(key)
        if page is None or page.version != version:
            return None
        self.pages.move_to_end(key)
        return page

    def keep(self, key: str, made: Page, variant: Variant, reply: PageReply) -> None:
        """Keep a reply of this page, and drop the replies of other versions of the address."""
        page = self.find(key, made.version)
        if page is None:
            self.drop(key)
            page = self.pages[key] = made
        if variant not in page.replies:
            page.replies[variant] = reply
            self.size += len(reply.content)
        while self.size > self.max_bytes:
            self.drop(next(iter(self.pages)))

    def drop(self, key: str) -> None:
        page = self.pages.pop(key, None)
        if page is not None:
            self.size -= page.size
