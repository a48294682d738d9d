"""The files under /static/, kept in memory and compressed once.

The server answers them before the application, so they wait for no thread. The application gives
the same replies, for development and for tests.

A survey's page loads one script, `SURVEY_SCRIPT`. It is in no folder. It is the files of `SOURCES`
one after the other, without any other change than a line before each that names it. So all surveys
have the same script, one hash is enough to publish, and everyone can join the sources again.
"""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from flask import Flask, Response, abort, request

from survey import PROJECT_FOLDER
from survey.server.http.compression import GZIP_LEVEL, takes_gzip
from survey.server.http.page_cache import PageReply, languages_asked
from survey.server.http.security_headers import file_headers
from survey.server.http.wsgi_environ import Scope

STATIC = PROJECT_FOLDER / "static"
ADDRESS = "/static/"
# Other files, such as those of an editor or an operating system, are not served.
CONTENT_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}
SURVEY_SCRIPT = "respondent/survey.js"
# The exit works even if a later source fails. browser.js refuses old browsers before the others
# use what these lack. Each of the others runs after those that it uses.
SOURCES = (
    "respondent/leave.js",
    "respondent/browser.js",
    "respondent/randomizer.js",
    "respondent/waves.js",
    "respondent/numbers.js",
    "respondent/derived.js",
    "respondent/questions.js",
    "respondent/post.js",
    "respondent/sender.js",
    "respondent/language.js",
    "respondent/practice.js",
    "respondent/withdrawal.js",
    "respondent/receipts.js",
    "respondent/completion.js",
    "respondent/travel.js",
    "respondent/kiosk.js",
    "respondent/losses.js",
    "respondent/start.js",
    "respondent/respond.js",
)


def join_sources(sources: Mapping[str, bytes]) -> bytes:
    """One script from its sources, by their names in static/, each below a line with its path."""
    return b"".join(f"// static/{name}\n".encode() + content for name, content in sources.items())


@dataclass(frozen=True)
class StaticFile:
    """A file as it is sent.

    Parameters
    ----------
    compressed : the content in gzip; None if that is not shorter
    """

    content: bytes
    content_type: str
    compressed: bytes | None

    def variant(self, *, gzip: bool) -> tuple[bytes, dict[str, str]]:
        """The body for a client that takes gzip or does not, and the headers that describe it."""
        headers = {"Content-Type": self.content_type}
        if not gzip or self.compressed is None:
            return self.content, headers
        return self.compressed, headers | {"Content-Encoding": "gzip"}


def static_file(name: str, content: bytes) -> StaticFile:
    """The file with this name in static/."""
    compressed = gzip.compress(content, GZIP_LEVEL, mtime=0)
    shorter = compressed if len(compressed) < len(content) else None
    return StaticFile(content, CONTENT_TYPES[name[name.rindex(".") :]], shorter)


@lru_cache(maxsize=1)
def static_files() -> Mapping[str, StaticFile]:
    """All files that the server sends under /static/, by their names there."""
    contents = {
        path.relative_to(STATIC).as_posix(): path.read_bytes()
        for path in sorted(STATIC.rglob("*"))
        if path.suffix in CONTENT_TYPES and path.is_file()
    }
    contents[SURVEY_SCRIPT] = join_sources({name: contents[name] for name in SOURCES})
    return MappingProxyType(
        {name: static_file(name, content) for name, content in contents.items()}
    )


class FileReplies:
    """The server's replies to requests for files.

    Parameters
    ----------
    https : whether browsers are told to use https only
    """

    def __init__(self, *, https: bool):
        self.headers = file_headers(https)
        self.files = static_files()

    def answer(self, scope: Scope) -> PageReply | None:
        """The reply to this request; None if the application must answer."""
        path, method = scope["path"], scope["method"]
        if method not in ("GET", "HEAD") or not path.startswith(ADDRESS):
            return None
        file = self.files.get(path.removeprefix(ADDRESS))
        if file is None:
            return None
        content, described = file.variant(gzip=takes_gzip(languages_asked(scope)))
        headers = described | {"Content-Length": str(len(content))} | self.headers
        sent = [(name.encode(), value.encode()) for name, value in headers.items()]
        return PageReply(200, sent, b"" if method == "HEAD" else content)


def init_app(app: Flask) -> None:
    """Let the application answer the same files."""

    @app.get(f"{ADDRESS}<path:filename>", endpoint="static")
    def send(filename: str) -> Response:
        file = static_files().get(filename)
        if file is None:
            abort(404)
        content, headers = file.variant(gzip=takes_gzip(request))
        return Response(content, headers=headers)
