"""Files under /static/: the joined script, few headers, no work for the application, few bytes."""

import gzip
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from survey.server.http import static_files
from survey.server.http.static_files import SOURCES, STATIC, SURVEY_SCRIPT
from survey.server.settings import Settings
from survey.store import Store
from tests.support.asgi_servers import Running, started
from tests.support.definitions import definition, opened, yes_no
from tests.support.project import ROOT

SCRIPT = f"/static/{SURVEY_SCRIPT}"
LOADED = re.compile(rb'<(?:script|link)\b[^>]*?(?:src|href)="(/static/[^"]+)"')
# The first visit to a survey of two questions, headers included.
MOST_BYTES = 50_000
HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}


@pytest.fixture
def there(app: Flask, settings: Settings, store: Store) -> Iterator[Running]:
    """A server whose application counts its requests."""
    questions = yes_no(), yes_no("drinks", label="Do you drink alcohol?")
    frozen = opened(store, definition(*questions))
    wsgi = app.wsgi_app

    def counted(environ, start):
        asked.append(environ["PATH_INFO"])
        return wsgi(environ, start)

    asked: list[str] = []
    app.wsgi_app = counted  # type: ignore[method-assign]
    with started(app, settings, frozen) as running:
        running.asked = asked  # type: ignore[attr-defined]
        yield running


# The joined script


def test_the_script_of_surveys_is_its_sources_and_a_line_before_each(client) -> None:
    """Everyone can join them again. The lines tell which files there are, and in what order."""
    served = client.get(SCRIPT).data
    named = re.findall(rb"^// (static/respondent/[a-z]+\.js)$", served, re.MULTILINE)
    rebuilt = b"".join(
        b"// " + name + b"\n" + (ROOT / name.decode()).read_bytes() for name in named
    )
    assert served == rebuilt
    assert [name.decode() for name in named] == [f"static/{name}" for name in SOURCES]
    assert len(set(SOURCES)) == len(SOURCES)


def test_only_scripts_styles_and_pictures_of_the_tree_are_sent(monkeypatch, tmp_path: Path) -> None:
    """A copy that an editor left in the folder could hold anything."""
    folder = tmp_path / "static"
    shutil.copytree(STATIC, folder)
    for name in ("style.css~", ".DS_Store", "respondent/respond.js.orig", "notes.txt"):
        (folder / name).write_text("secret")
    monkeypatch.setattr(static_files, "STATIC", folder)
    in_tree = {p.relative_to(STATIC).as_posix() for p in STATIC.rglob("*") if p.suffix in TYPES}
    assert static_files.static_files.__wrapped__().keys() == in_tree | {SURVEY_SCRIPT}


# Replies


def test_each_file_has_these_headers_alone_from_the_server_and_the_application(
    there: Running, app: Flask
) -> None:
    names = static_files.static_files().keys()
    assert {Path(name).suffix for name in names} == TYPES.keys()
    cases = [(name, encoding) for name in names for encoding in ("identity", "gzip")]
    client = app.test_client()
    own = {
        (name, encoding): client.get(f"/static/{name}", headers={"Accept-Encoding": encoding})
        for name, encoding in cases
    }
    there.asked.clear()  # type: ignore[attr-defined]
    for name, encoding in cases:
        accepted = {"Accept-Encoding": encoding}
        status, headers, content = there.ask("GET", f"/static/{name}", **accepted)
        assert there.ask("HEAD", f"/static/{name}", **accepted)[2] == b""
        assert headers.pop("date")
        reply = own[name, encoding]
        sent = {key.lower(): value for key, value in reply.headers.items()}
        assert (status, headers, content) == (reply.status_code, sent, reply.data), name
        assert int(headers.pop("content-length")) == len(content)
        assert headers.pop("content-type") == TYPES[Path(name).suffix]
        if headers.pop("content-encoding", None) == "gzip":
            assert encoding == "gzip"
            assert len(content) < len(own[name, "identity"].data)
            content = gzip.decompress(content)
        assert content == own[name, "identity"].data
        assert (status, headers) == (200, HEADERS)
    assert there.asked == []  # type: ignore[attr-defined]


def test_the_application_is_asked_nothing_for_a_file(there: Running) -> None:
    for method in ("GET", "HEAD"):
        assert there.ask(method, SCRIPT)[0] == 200
    assert there.asked == []  # type: ignore[attr-defined]
    # It explains what is not there.
    for method, path, status in (
        ("POST", SCRIPT, 405),
        ("GET", "/static/nothing.js", 404),
        ("GET", "/static/", 404),
        ("GET", "/static/../app.py", 404),
        ("GET", "/static//respondent/survey.js", 404),
        ("GET", "/Static/style.css", 404),
    ):
        found, headers, _ = there.ask(method, path)
        assert found == status, path
        assert "content-security-policy" in headers
    assert len(there.asked) == 6  # type: ignore[attr-defined]


def test_a_site_with_https_says_so_with_each_file(settings: Settings) -> None:
    scope = {
        "method": "GET",
        "path": SCRIPT,
        "raw_path": SCRIPT.encode(),
        "query_string": b"",
        "headers": [],
        "http_version": "1.1",
        "scheme": "http",
        "server": None,
        "client": None,
    }
    for https in (True, False):
        reply = static_files.FileReplies(https=https).answer(scope)
        assert reply is not None
        names = [name.lower() for name, _ in reply.headers]
        assert (b"strict-transport-security" in names) is https


# Weight


def received(port: int, path: str, encoding: str) -> bytes:
    """All bytes of a reply, with its status line and headers."""
    request = (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: {encoding}\r\n"
        "Connection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(request.encode())
        with connection.makefile("rb") as stream:
            return stream.read()


def test_the_first_visit_to_a_survey_of_two_questions_is_light(there: Running) -> None:
    page = received(there.port, "/s/health", "identity")
    loaded = LOADED.findall(page)
    assert loaded == [b"/static/icon.svg", b"/static/style.css", SCRIPT.encode()]
    sizes = {
        path: len(received(there.port, path, "gzip"))
        for path in ("/s/health", *(each.decode() for each in loaded))
    }
    print(sizes, sum(sizes.values()))
    assert sum(sizes.values()) <= MOST_BYTES
