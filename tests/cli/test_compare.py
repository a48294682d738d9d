"""`candor verify` reports no correct file as wrong, and finds each planted change."""

import gzip
import json
import re
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import pytest
from flask import Flask
from flask.testing import FlaskCliRunner
from werkzeug.serving import make_server

from survey.cli.verify.compare import difference
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.web.demo import OPEN_SLUG, add_demo
from tests.cli.verified_pages import PAGE, two_languages
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened
from tests.support.every_type import EVERY_TYPE, SAMPLED
from tests.support.lying_host import Asked, Lie, Sent, Verified, truth, verified_behind
from tests.support.servers import serving

Headers = list[tuple[str, str]]
# The behaviour of a changed host: (path, requested language, agent, status, headers, body), each
# possibly changed.
Change = Callable[[dict, str, Headers, bytes], tuple[str, Headers, bytes]]


@contextmanager
def changed(app: Flask, change: Change) -> Iterator[str]:
    """The address of a server that changes the application's answers."""

    def answered(environ: dict) -> tuple[str, Headers, bytes]:
        got: list = []
        # not compressed, so that the content can be changed
        plain = {key: value for key, value in environ.items() if key != "HTTP_ACCEPT_ENCODING"}
        parts = app(plain, lambda status, headers, *_: got.append((status, list(headers))))
        try:
            body = b"".join(parts)
        finally:
            parts.close()
        return *got[0], body

    def wsgi(environ: dict, start_response: Callable) -> Iterable[bytes]:
        status, headers, body = change(environ, *answered(environ))
        headers = [(k, v) for k, v in headers if k.lower() != "content-length"]
        start_response(status, [*headers, ("Content-Length", str(len(body)))])
        return [body]

    server = make_server("127.0.0.1", 0, wsgi, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=[0.02])
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def runner(app: Flask) -> FlaskCliRunner:
    return app.test_cli_runner()


def verified(runner: FlaskCliRunner, url: str) -> Verified:
    """What the command finds over sockets."""
    return Verified.by(runner.invoke(args=["verify", url]))


def unchanged(environ, status, headers, body):
    return status, headers, body


def as_lie(change: Change) -> Lie:
    """The same change, in this process."""

    def lie(asked: Asked, sent: Sent) -> None:
        environ = {f"HTTP_{n.upper().replace('-', '_')}": v for n, v in asked.headers.items()}
        environ |= {"PATH_INFO": asked.path, "REQUEST_METHOD": asked.method}
        status, sent.headers, sent.body = change(environ, str(sent.status), sent.headers, sent.body)
        sent.status = int(status[:3])

    return lie


# Correct surveys
@pytest.mark.slow
@pytest.mark.parametrize("content", [definition(), two_languages(), EVERY_TYPE, SAMPLED])
def test_an_honest_host_is_right_in_everything(runner, store, monkeypatch, content):
    opened(store, content)
    found = verified_behind(truth, runner, monkeypatch, PAGE)
    assert found.honest
    right = found.right
    for language in (content.get("language", "en"), *content.get("translations", {})):
        assert any(f"{PAGE} ({language}): identical to this release" in line for line in right)
    for name in ("respondent/survey.js", "style.css"):
        assert any(f"/static/{name}: identical to this release" in line for line in right)


@pytest.mark.parametrize("public", [False, True])
def test_a_closed_survey_is_right_too(runner, store, monkeypatch, public):
    """Its page links to the results if these are public."""
    opened(store, definition(), "closed")
    store.shares.publish("health", public)
    assert verified_behind(truth, runner, monkeypatch, PAGE).honest


def everything_on() -> dict:
    return two_languages() | {
        "receipts": True, "comprehension": True, "invitations": True,
        "series": "health", "layout": "one_at_a_time", "contact": "us@example.org",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("state", ["open", "closed"])
def test_the_pages_beside_the_survey_are_compared_too(runner, store, monkeypatch, state):
    """Withdrawals, and the comprehension test, which is its own survey."""
    opened(store, everything_on(), state)
    found = verified_behind(truth, runner, monkeypatch, PAGE)
    assert found.honest
    right = found.right
    for language in ("en", "vi"):
        for path in (PAGE, f"{PAGE}/withdraw", f"{PAGE}.comprehension"):
            assert any(
                f"{path} ({language}): identical to this release" in line for line in right
            ), path


@pytest.mark.slow
@pytest.mark.parametrize("path", [f"{PAGE}/withdraw", f"{PAGE}.comprehension"])
def test_a_change_of_a_page_beside_the_survey_is_found(runner, store, monkeypatch, path):
    opened(store, everything_on())
    lie = as_lie(replaced(b"</main>", b" </main>", path, "iPhone"))
    found = verified_behind(lie, runner, monkeypatch, PAGE)
    assert found.status == 1
    assert len(found.wrong) == 2, "in each language"
    assert all(f"{path} (" in line and "Safari on an iPhone" in line for line in found.wrong)


@pytest.mark.slow
def test_the_command_of_the_readme_works_against_the_server_of_the_readme(runner, tmp_path):
    with serving(tmp_path / "demo.db", command="demo") as (url, _, _):
        found = verified(runner, f"{url}/s/{OPEN_SLUG}")
    assert found.honest
    assert len(found.right) >= 8


@pytest.mark.slow
def test_every_demo_survey_is_right(runner, store, monkeypatch):
    add_demo(store)
    for stored in store.surveys.all():
        found = verified_behind(truth, runner, monkeypatch, f"/s/{stored.survey.slug}")
        assert found.honest, found.wrong


@pytest.mark.slow
def test_a_proxy_that_packs_is_right(runner, app, store):
    opened(store, definition())

    def packed(environ, status, headers, body):
        if "gzip" not in environ.get("HTTP_ACCEPT_ENCODING", ""):
            return status, headers, body
        return status, [*headers, ("Content-Encoding", "gzip")], gzip.compress(body)

    with changed(app, packed) as url:
        assert verified(runner, url + PAGE).honest


def test_the_last_digit_of_another_machines_logarithm_is_no_finding(runner, store, monkeypatch):
    opened(store, definition())
    stated = re.compile(rb'"epsilon":(1\.09861228866810\d+)')

    def other_digit(environ, status, headers, body):
        return status, headers, stated.sub(b'"epsilon":1.0986122886681093', body)

    assert verified_behind(as_lie(other_digit), runner, monkeypatch, PAGE).honest


# Planted changes
def replaced(old: bytes, new: bytes, path: str, agent: str = "") -> Change:
    def change(environ, status, headers, body):
        of_path = (environ["PATH_INFO"], environ["REQUEST_METHOD"]) == (path, "GET")
        if of_path and agent in environ["HTTP_USER_AGENT"]:
            body = body.replace(old, new)
        return status, headers, body

    return change


def without_header(name: str, path: str) -> Change:
    def change(environ, status, headers, body):
        if environ["PATH_INFO"] == path:
            assert any(k == name for k, _ in headers)
            headers = [(k, v) for k, v in headers if k != name]
        return status, headers, body

    return change


def with_header(name: str, value: str, path: str, condition: str = "") -> Change:
    def change(environ, status, headers, body):
        if environ["PATH_INFO"] == path and (not condition or environ.get(condition)):
            headers = [*headers, (name, value)]
        return status, headers, body

    return change


def in_one_language(environ, status, headers, body):
    if environ["PATH_INFO"] == PAGE and "hút thuốc".encode() in body:
        body = body.replace("hút thuốc".encode(), "hút  thuốc".encode())
    return status, headers, body


def only_the_second_time() -> Change:
    seen: dict[str, int] = {}

    def change(environ, status, headers, body):
        if environ["PATH_INFO"] == "/static/respondent/survey.js":
            agent = environ["HTTP_USER_AGENT"]
            seen[agent] = seen.get(agent, 0) + 1
            if "curl" in agent and seen[agent] == 2:
                body += b" "
        return status, headers, body

    return change


def table_changed(document: dict) -> None:
    """A weaker table with a consistent definition, except for the stated loss."""
    document["tables"]["smokes"]["rows"] = [[9, 1], [1, 9]]


def fingerprint_fits(document: dict) -> None:
    """A weaker table with its own fingerprint and the old stated loss."""
    content = document["definition"] | {}
    content["questions"] = [
        {**q, "privacy": {"mechanism": "randomized_response", "gamma": 0.4}}
        if q["name"] == "smokes"
        else q
        for q in content["questions"]
    ]
    fresh = json.loads(freeze(parse_survey(content)).to_json())
    stated = {"epsilon": document["tables"]["smokes"]["epsilon"]}
    document |= fresh | {"epsilon": document["epsilon"]}
    document["tables"]["smokes"] |= stated


def document_changed(edit: Callable[[dict], None]) -> Change:
    def change(environ, status, headers, body):
        if environ["PATH_INFO"] == f"{PAGE}.json":
            document = json.loads(body)
            edit(document)
            body = json.dumps(document).encode()
        return status, headers, body

    return change


def elsewhere(environ, status, headers, body):
    if environ["PATH_INFO"] == PAGE and "Android" in environ["HTTP_USER_AGENT"]:
        return "302 FOUND", [*headers, ("Location", "https://example.org/s/health")], b""
    return status, headers, body


TAG = b"</title>"
ADDED = TAG + b'<script src="https://example.org/x.js"></script>'
RESEARCHERS = TAG + b'<script src="/static/admin/copy.js"></script>'
PLANTED: dict[str, tuple[Change, str]] = {
    "a page for one user agent": (
        replaced(b"Do you smoke", b"Do you  smoke", PAGE, "rv:153.0"),
        r"\(en\) is not the same for everyone: 7 of 56 replies differed, for Firefox on Linux\.",
    ),
    "a page for everyone": (
        replaced(b"Do you smoke", b"Do You smoke", PAGE),
        r"/s/health \(en\) differs from this release.*'You smoke.*instead of 'you smoke",
    ),
    "a page in one language only": (in_one_language, r"/s/health \(vi\) differs from this release"),
    "one byte of a script": (
        replaced(
            b"const WORDS = 2 ** 32", b"const WORDS = 2 ** 31", "/static/respondent/survey.js"
        ),
        r"survey.js differs from this release.*'1;\\n",
    ),
    "a script for phones": (
        replaced(b"'use strict'", b"'use  strict'", "/static/respondent/survey.js", "iPhone"),
        r"survey.js is not the same for everyone: 3 of 24.*Safari on an iPhone",
    ),
    "a script, once": (only_the_second_time(), r"1 of 24 replies differed, for curl"),
    "the style sheet": (
        replaced(b"#fbfaf6", b"#fbfaf5", "/static/style.css"),
        "style.css differs from this release",
    ),
    "a table": (document_changed(table_changed), "document: fingerprint: does not fit"),
    "a table with its fingerprint": (
        document_changed(fingerprint_fits),
        r"table of smokes states values .*: epsilon .*2\.197",
    ),
    "the stated sum": (
        document_changed(lambda document: document.update(epsilon=1.0)),
        r"The sum of epsilon is 1\.0986122886681\d+, but the document states 1\.0",
    ),
    "a missing header": (
        without_header("Content-Security-Policy", PAGE),
        "Content-Security-Policy is missing: 128 of",
    ),
    "a missing header of a script": (
        without_header("Cache-Control", "/static/respondent/survey.js"),
        "Cache-Control is missing: 24 of .* first for /static/respondent/survey.js",
    ),
    "a second policy": (
        with_header("Referrer-Policy", "unsafe-url", PAGE),
        "Referrer-Policy is 'no-referrer, unsafe-url' instead of 'no-referrer'",
    ),
    "a cookie": (with_header("Set-Cookie", "id=1", PAGE), "never sends the header Set-Cookie"),
    "a cookie for who comes with cookies": (
        with_header("Set-Cookie", "id=1", "/static/style.css", "HTTP_COOKIE"),
        r"Set-Cookie.*: 8 of .* for Firefox on Linux, Chrome on Android",
    ),
    "a report to elsewhere": (
        with_header("NEL", "{}", PAGE, "HTTP_REFERER"),
        "never sends the header NEL.*: 12 of .* for Chrome on Android, from another site, Edge on",
    ),
    "an added script": (
        replaced(TAG, ADDED, PAGE),
        """differs from this release.*'<script src="https://example.org/x.js">""",
    ),
    "a researchers' script": (
        replaced(TAG, RESEARCHERS, PAGE),
        """differs from this release.*'<script src="/static/admin/copy.js">""",
    ),
    "an added inline script": (
        replaced(TAG, TAG + b"<script>x()</script>", PAGE, "curl"),
        r"not the same for everyone: .*, for curl.* differs from this release.*'<script>x\(\)",
    ),
    "a script without its hash": (
        replaced(b" integrity=", b" data-x=", PAGE),
        "differs from this release.*'data-x=.* instead of 'integrity=",
    ),
    "a script with another hash": (
        replaced(b"sha384-", b"sha384-A", PAGE),
        r"/s/health \(en\) differs from this release",
    ),
    "a redirect for phones": (
        elsewhere,
        "answered with status 302 and redirects to 'https://example.org/s/health' instead of 200",
    ),
}


@pytest.fixture(scope="module")
def known() -> dict:
    """The application's replies for one survey. The tests plant their changes into them."""
    return {}


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_each_planted_change_is_found(runner, store, monkeypatch, known, name):
    opened(store, two_languages())
    change, finding = PLANTED[name]
    found = verified_behind(as_lie(change), runner, monkeypatch, PAGE, known)
    assert found.status == 1
    assert any(re.search(finding, line) for line in found.wrong), found.wrong


@pytest.mark.slow
def test_the_changing_server_itself_changes_nothing(runner, app, store):
    """A control: without it, the tests could find the server in place of the change."""
    opened(store, definition())
    with changed(app, unchanged) as url:
        assert verified(runner, url + PAGE).honest


@pytest.mark.slow
def test_every_static_file_of_the_page_is_compared(runner, live):
    opened(live.store, definition())
    page = live.url + PAGE
    right = " ".join(verified(runner, page).right)
    with urllib.request.urlopen(page, timeout=20) as reply:
        named = re.findall(r'(?:href|src)="(/static/[^"]+)"', reply.read().decode())
    assert len(named) == 3
    for path in named:
        assert f"{path}: identical to this release" in right


# Addresses that are no survey
def said(runner: FlaskCliRunner, url: str) -> str:
    result = runner.invoke(args=["verify", url])
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    return result.output


@check_each(
    "url",
    [
        "ftp://example.org/s/health",
        "file:///s/health",
        "example.org/s/health",
        "https:///s/health",
        "https://example.org/",
        "https://example.org/admin/",
        "https://example.org/s/Health",
        "https://example.org/s/a/b",
        "https://example.org/s/health/",
        "https://ada:secret@example.org/s/health",
        "https://example.org:notaport/s/health",
        "https://[/s/health",
        "https://exam\nple.org\t/s/he\u0000alth",
        "",
    ],
)
def test_what_is_no_address_of_a_survey_is_not_asked(runner, url):
    assert "is not the address of a survey. Use one such as https://" in said(runner, url)


def test_an_unknown_survey_and_another_site_get_a_sentence(runner, app, live):
    assert "no Candor survey at that address" in said(runner, live.url + "/s/nothing")
    for body in (b"<html>", b"[]", b'{"definition": 1}', b"[" * 100_000):
        with changed(app, lambda e, s, h, b, body=body: ("200 OK", [], body)) as url:
            assert "no Candor survey at that address" in said(runner, url + PAGE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "tables", [[], {}, {"smokes": 7}, {"smokes": {"answers": 2}}, {"smokes": {"kind": "x"}}]
)
def test_a_document_in_another_form_is_wrong_and_no_trace_is_shown(
    runner, store, monkeypatch, tables
):
    opened(store, definition())
    lie = as_lie(document_changed(lambda d: d.update(tables=tables)))
    found = verified_behind(lie, runner, monkeypatch, PAGE)
    assert found.status == 1
    sentences = ("survey's document", "tables do not belong to")
    assert any(sentence in line for line in found.wrong for sentence in sentences)


def test_a_host_that_does_not_answer_gets_a_sentence(runner):
    with socket.socket() as bound:  # It does not listen.
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        assert "The request for" in said(runner, url + PAGE)


def test_a_host_that_never_stops_answering_is_left(runner, app, store, monkeypatch):
    monkeypatch.setattr("survey.cli.verify.http_client.MAX_REPLY_BYTES", 100_000)
    opened(store, definition())
    with changed(app, lambda e, s, h, b: (s, h, b * 1_000)) as url:
        assert "is too long or too slow" in said(runner, url + PAGE)


@pytest.mark.slow
def test_nothing_served_can_speak_to_the_terminal(runner, app, store):
    opened(store, definition())
    escape = b"\x1b]0;owned\x07"
    with changed(app, replaced(b"Do you smoke", escape, PAGE)) as url:
        output = runner.invoke(args=["verify", url + PAGE]).output
    assert "\x1b" not in output
    assert "\\x1b]0;owned" in output


# The command alone
def test_a_difference_is_named_by_its_place():
    assert difference(b"abcX", b"abcd") == "From byte 4, it has 'X' instead of 'd'."
    assert difference(b"abc", b"abcd") == "From byte 4, it has '' instead of 'd'."
