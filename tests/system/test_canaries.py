"""Nothing keeps who took part, from where and with what, whatever the server was asked.

A real server gets requests of every kind, valid and invalid. The address, browser, language,
cookies, codes and receipts of the visitors are easy to find. Then the test searches everything that
could contain them: the server's output, each file beside the database, a compacted copy, a backup,
the temporary files, and a researcher's downloads. The control is a server that reveals each of them
in another place and encoding. The search finds exactly those.

tests/system/test_faults.py covers the route for responses more closely. Here all routes are tried.
"""

import base64
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import copyfile
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser

from tests.support.at_once import serving_at_once
from tests.support.canaries import Canary, sweep
from tests.support.canary_visits import (
    CLIENT,
    CODES,
    FIRST,
    FORM,
    GIVEN,
    HEADERS,
    NO_RECEIPT,
    PEER,
    PLAIN_NUMBER,
    PRIVATE_NUMBER,
    RECEIPT,
    SPARE,
    VISITORS,
    WHO,
    Asker,
    Reply,
    another_response,
    backed_up,
    look,
    respond,
    stocked,
    use_other_doors,
)
from tests.support.project import ROOT
from tests.support.researchers import PASSWORD
from tests.support.respondent_page import begin, send

WHO |= {"receipt": Canary(RECEIPT), "no receipt": Canary(NO_RECEIPT)}
PLAIN = {"plain number": Canary(PLAIN_NUMBER)}  # In the database it is no text.


def withdraw(asker: Asker) -> None:
    asker.note("withdrawn", "POST", "/s/health/withdrawals", {"receipt": RECEIPT})
    asker.note("withdrawn twice", "POST", "/s/health/withdrawals", {"receipt": RECEIPT})


def crash(asker: Asker, fingerprint: str, database: Path) -> None:
    """Unforeseen faults, so that a traceback is logged, and a damaged database."""
    content = another_response(fingerprint, "cd") | {"invitation": SPARE}
    with closing(sqlite3.connect(database, isolation_level=None)) as other_process:
        for happens in ("INSERT", "DELETE"):
            other_process.execute(
                f"CREATE TRIGGER fault_at_{happens} BEFORE {happens} ON responses_health"
                " BEGIN SELECT RAISE(ABORT, 'a fault on purpose'); END"
            )
        asker.note("crash", "POST", "/s/health/responses?q=CanaryQuery", content)
        asker.note("crash of a withdrawal", "POST", "/s/health/withdrawals", {"receipt": RECEIPT})
        for happens in ("INSERT", "DELETE"):
            other_process.execute(f"DROP TRIGGER fault_at_{happens}")
        other_process.execute("ALTER TABLE counts RENAME TO gone")
        asker.note("unavailable", "POST", "/s/health/responses", content)
        other_process.execute("ALTER TABLE gone RENAME TO counts")
    asker.note("after the crash", "POST", "/s/health/responses", content)


def research(asker: Asker) -> dict[str, bytes]:
    """From the same address, a researcher signs in and downloads all, and someone guesses."""

    def try_to(name: str, password: str, **more: str) -> Reply:
        page = asker.ask("GET", "/admin/sign-in")
        asker.cookie = [asker.cookie, *page.cookies][-1]
        token = re.findall(r'name="csrf_token"[^>]*value="([^"]+)"', page.text)[0]
        form = {"name": name, "password": password, "csrf_token": token}
        return asker.ask("POST", "/admin/sign-in", urlencode(form).encode(), FORM, **more)

    reply = try_to("ada", PASSWORD)
    assert reply.status == 302
    [asker.cookie] = reply.cookies
    downloads = {}
    for slug in ("health", "health.texts", "coins", "coins.by-hand", "coins.texts",
                 "health.comprehension"):  # fmt: skip
        for name in ("responses.csv", "estimates.csv", "codebook.json"):
            path = f"/admin/surveys/{slug}/{name}"
            reply = asker.note(path, "GET", f"{path}?q=CanaryQuery")
            downloads[f"{slug} {name}"] = reply.text.encode()
        asker.note(f"results of {slug}", "GET", f"/admin/surveys/{slug}")
    asker.cookie = ""
    guesses = [try_to("CanaryName", "CanaryName" * 2).status for _ in range(16)]
    assert set(guesses[:-2]) == {401}
    assert guesses[-1] == 429  # by the client's address, which is neither kept nor printed
    another = try_to("CanaryName", "CanaryName" * 2, X_Forwarded_For=f"{CLIENT}, 203.0.113.78")
    assert another.status == 401  # The last address is the one that the only proxy saw.
    asker.cookie = ""
    return downloads


EXPECTED = {
    200: [
        "sent twice", "page in en", "page in vi", "page in th", "page in zh", "page in CanaryQuery",
        "/", "/how", "/verify", "/s/health/verify", "/s/health.json", "/s/health/withdraw",
        "/s/health.comprehension", "/s/coins/by-hand", "/static/respondent/respond.js",
        "by hand, thanks", "withdrawn", "asked, good",
    ],
    201: ["sent", "understood", "after the crash"],
    302: ["/admin/"],
    303: ["by hand"],
    400: ["malformed", "another member", "no invitation", "no HTTP", "no header", "no length",
          "asked, malformed", "by hand, malformed", "no withdrawal", "strange method"],
    401: ["/admin/setup?token=CanaryQuery"],
    403: ["spent invitation", "unknown invitation", "another site", "asked, spent",
          "asked, unknown", "asked, another site"],
    404: ["unknown survey", "/s/canarypath", "/canarypath", "/static/canarypath.js",
          "withdrawal from health", "withdrawal from closed", "withdrawal from canarypath",
          "withdrawn twice", "asked, none needed"],
    405: ["put", "/s/health/responses"],
    409: ["wrong fingerprint", "by hand, twice"],
    410: ["closed survey", "asked, closed", "/s/closed"],
    413: ["too long", "far too long"],
    415: ["another type", "by hand, a file"],
    422: ["wrong report", "by hand, faulty"],
    500: ["crash", "crash of a withdrawal"],
    503: ["unavailable"],
}  # fmt: skip


def visit(browser: Browser, url: str) -> str:
    """A respondent with a real browser, whose address and headers contain the canaries.

    The respondent answers and sends a number, and the page sends only its randomized report. The
    result is the sent request.
    """
    extra = {name: HEADERS[name] for name in ("X-Forwarded-For", "X-Real-IP", "Forwarded")}
    context = browser.new_context(
        user_agent=HEADERS["User-Agent"], locale="vi", extra_http_headers=extra
    )
    context.add_cookies([{"name": "session", "value": "CanaryCookie", "url": url}])
    page = context.new_page()
    page.goto(f"{url}/s/health?language=en#{VISITORS}", referer=HEADERS["Referer"])
    begin(page)
    page.locator("[data-question=smokes]").get_by_text("Yes", exact=True).click()
    page.locator("[data-question=savings] input").fill(PRIVATE_NUMBER)
    page.locator("[data-question=region]").get_by_text("South", exact=True).click()
    page.locator("[data-question=years] input").fill("1111")
    page.locator("textarea").fill("CanaryText of a browser")
    with page.expect_request("**/responses") as sent:
        send(page)
    context.close()
    return sent.value.post_data or ""


@dataclass
class Searched:
    """The output and the files of a server, by place, and its replies."""

    places: dict[str, bytes]
    statuses: dict[str, int]
    sent: str


def opened_in(folder: Path) -> tuple[Path, str]:
    """A database with the surveys open, one closed, and a researcher's account."""
    database = folder / "kept" / "candor.db"
    database.parent.mkdir()
    return database, stocked(str(database))


def read_all(folder: Path, named: str) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {f"{named}{file.relative_to(folder)}": file.read_bytes() for file in files}


def copies(database: Path, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Copies of the database.

    They are a backup that SQLite makes while the server runs, a copy compacted by the command, and
    a `database backup` of that copy.
    """
    backup, compacted = folder / "backup.db", folder / "compacted.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("VACUUM INTO ?", [str(backup)])
    copyfile(database, compacted)
    if (log := Path(f"{database}-wal")).exists():
        copyfile(log, f"{compacted}-wal")
    environment = {**os.environ, "CANDOR_DATABASE": str(compacted)}
    command = [sys.executable, "-m", "flask", "--app", "app", "database", "compact"]
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    yield "backup", backup.read_bytes()
    yield "compacted copy", compacted.read_bytes()
    yield "printed while compacting", said.stdout + said.stderr
    yield "database backup", backed_up(str(compacted), folder)


def assert_no_core_dump(pid: int) -> None:
    """A crash leaves no copy of the server's memory. Linux shows whether that is so."""
    limits = Path(f"/proc/{pid}/limits")
    if limits.exists():
        [line] = [text for text in limits.read_text().splitlines() if "core file" in text]
        assert line.split()[4:6] == ["0", "0"]


def served(folder: Path, program: str, browser: Browser | None, capfd) -> Searched:
    """Everything that a server leaves after all of the requests."""
    database, fingerprint = opened_in(folder)
    temporary, elsewhere = folder / "temporary", folder / "elsewhere"
    temporary.mkdir()
    elsewhere.mkdir()
    kept = database.parent
    environment = {"CANDOR_PROXIES": "1", "TMPDIR": str(temporary)}
    with serving_at_once(database, program, **environment) as (url, process, greeting):
        assert_no_core_dump(process.pid)
        asker = Asker(int(url.rsplit(":", 1)[1]))
        look(asker)
        respond(asker, fingerprint)
        use_other_doors(asker)
        sent = visit(browser, url) if browser else ""
        crash(asker, fingerprint, database)
        downloads = research(asker)
        places = read_all(kept, "while it ran: ")  # with the log and its shared memory
        withdraw(asker)
        places |= read_all(kept, "after a withdrawal: ")
        places |= dict(copies(database, elsewhere))
        process.send_signal(signal.SIGTERM)  # not SIGKILL, because its last output counts too
        process.wait(20)
        assert process.stdout is not None
        printed = greeting + process.stdout.read()
    places["printed"] = printed.encode() + capfd.readouterr().err.encode()
    places |= read_all(kept, "at the end: ") | read_all(temporary, "temporary: ") | downloads
    return Searched(places, asker.statuses, sent)


@pytest.fixture
def honest(tmp_path: Path, browser: Browser, capfd: pytest.CaptureFixture[str]) -> Searched:
    return served(tmp_path, "app", browser, capfd)


@pytest.mark.slow
def test_nothing_that_the_server_leaves_tells_who_was_there(honest: Searched) -> None:
    places = honest.places
    by_status: dict[int, list[str]] = {}
    for scenario, status in honest.statuses.items():
        if not scenario.startswith(("/admin/surveys/", "results of")):
            by_status.setdefault(status, []).append(scenario)
        else:
            assert status == 200, scenario
    assert {status: sorted(names) for status, names in by_status.items()} == {
        status: sorted(names) for status, names in EXPECTED.items()
    }
    # Everything that the search covers exists and has its expected content.
    for name in ("candor.db", "candor.db-wal", "candor.db-shm", "secret_key"):
        assert f"while it ran: {name}" in places
    assert not [name for name in places if name.startswith("temporary")]
    assert b"Candor is running" in places["printed"]
    assert places["printed"].count(b"SQLITE_CONSTRAINT_TRIGGER") >= 2
    assert json.loads(honest.sent)["invitation"] == VISITORS
    assert b"The database is compacted." in places["printed while compacting"]
    assert sweep(places, WHO) == {}
    # The search finds the plain texts that are stored as they were given, and only there. While the
    # survey is open, nobody can download them.
    found = sweep(places, GIVEN)
    databases = {"backup", "compacted copy", "database backup", "at the end: candor.db"}
    running = {name for name in found if name.startswith(("while it ran", "after a with"))}
    assert set(found) == databases | running
    assert found["compacted copy"] == found["backup"] == {"plain text", "by hand"}
    # A backup contains the estimates, for a comparison when it is restored.
    figures = {"health responses.csv", "health estimates.csv", "database backup"}
    assert sweep(places, PLAIN) == {name: {"plain number"} for name in figures}


# A server that reveals its visitors. Each fault uses another canary, another place and another
# encoding. The search has to find exactly these.
LEAKY = """
import base64, hashlib, io, json, os, sqlite3, sys, tempfile
from pathlib import Path
from urllib.parse import quote
import app as honest

DATABASE = Path(os.environ["CANDOR_DATABASE"])


def beside(name, content):
    DATABASE.with_name(name).write_bytes(content)


def stored(value):
    with sqlite3.connect(DATABASE) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS visits (value)")
        connection.execute("DELETE FROM visits")
        connection.execute("INSERT INTO visits VALUES (?)", [value])
    connection.close()


def tell(environ, body):
    header = lambda name: environ.get(f"HTTP_{name}", "")
    # which the front does not answer itself
    once = environ["PATH_INFO"] == "/static/canarypath.js"
    if once and header("X_FORWARDED_FOR"):
        print(environ["REMOTE_ADDR"], file=sys.stderr)
        beside("client", hashlib.sha256(header("X_FORWARDED_FOR").encode()).hexdigest().encode())
        beside("language", base64.b64encode(b"of: " + header("ACCEPT_LANGUAGE").encode()))
        beside("cookie", "".join(f"%{byte:02X}" for byte in header("COOKIE").encode()).encode())
        handle, name = tempfile.mkstemp()
        os.write(handle, header("REFERER").encode("utf-16"))
        os.close(handle)
    if environ["PATH_INFO"] == "/s/health/responses" and b'"cdcd' in body:
        stored(header("USER_AGENT"))
        print(json.loads(body)["invitation"].lower().encode().hex(), flush=True)
    if environ["PATH_INFO"] == "/s/health/withdrawals" and b"Canary" not in body:
        beside("receipt", bytes.fromhex(json.loads(body)["receipt"]).hex().upper().encode())
    if environ["REQUEST_METHOD"] == "PUT":
        beside("body", repr(body).encode())
    if environ["PATH_INFO"] == "/s/canarypath":
        beside("path", environ["PATH_INFO"].upper().encode())


class Leaky:
    def __init__(self, inner):
        self.inner = inner

    def __call__(self, environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        tell(environ, body)
        return self.inner(environ, start_response)


def create_app():
    app = honest.create_app()
    app.wsgi_app = Leaky(app.wsgi_app)
    return app
"""
BETRAYED = {
    "printed": {"peer", f"code {CODES.index(SPARE)}"},
    "client": {"client"},
    "language": {"language"},
    "cookie": {"cookie"},
    "receipt": {"receipt"},
    "body": {"refused"},
    "path": {"path"},
    "database": {"agent"},
    "temporary": {"referer"},
}


@pytest.mark.slow
def test_control_the_search_finds_each_betrayal_where_it_is_and_nothing_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "leaky.py"
    program.write_text(LEAKY)
    left = served(tmp_path, str(program), None, capfd)
    found: dict[str, set[str]] = {}
    for place, hits in sweep(left.places, WHO).items():
        kind = place.rpartition(": ")[2]
        if place.startswith("temporary"):
            kind = "temporary"
        elif kind.startswith("candor.db") or kind in ("backup", "compacted copy"):
            kind = "database"
        found.setdefault(kind, set()).update(hits)
    assert found == BETRAYED
    agents = {place for place, hits in sweep(left.places, WHO).items() if "agent" in hits}
    assert {"backup", "compacted copy", "at the end: candor.db"} <= agents


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("peer", b"\x00\x10" + socket.inet_aton(PEER) + b"\x00"),
        ("peer", str(int.from_bytes(socket.inet_aton(PEER), "big")).encode()),
        ("peer", sha256(PEER.encode()).digest()),
        ("client", b"203.0.113.77:51234"),
        ("agent", "MOZILLA/5.0 CANARYAGENT".encode("utf-16-be")),
        ("cookie", b"x=%43%61%6e%61%72%79%43%6f%6f%6b%69%65"),
        ("code 0", FIRST.lower().encode()),
        ("receipt", RECEIPT.encode().hex().upper().encode()),
        ("answer", f'{{"savings":{PRIVATE_NUMBER}}}'.encode()),
    ],
)
def test_control_the_search_knows_this_spelling(name: str, content: bytes) -> None:
    assert name in sweep({"": b"before " + content + b" after"}, WHO).get("", set())


@pytest.mark.slow
@pytest.mark.parametrize("before", range(3))
@pytest.mark.parametrize("after", range(3))
def test_control_the_search_reads_base64_at_each_offset(before: int, after: int) -> None:
    text = base64.b64encode(b"x" * before + b"CanaryCookie" + b"y" * after)
    assert sweep({"": text}, WHO) == {"": {"cookie"}}
