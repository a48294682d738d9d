"""Who took part, from where and with what: nowhere, whatever was asked of the server.

A real server is asked for everything that it has, well and badly, by people whose address,
browser, language, cookies, codes and receipts are easy to search for. Then all is searched that
could have kept them: what it printed, each file beside the database, a sealed copy, a backup, its
temporary files, and what a researcher downloads. The control is a server that betrays each of
them in another place and spelling: the search finds exactly that.

tests/system/test_faults.py looks at the door for responses more closely; here all doors are tried.
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
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from shutil import copyfile
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser

from app import MAX_FORM
from survey.definition.responses.invitation_codes import code_from, invitation_code_hash
from survey.definition.responses.parse_response import MAX_BODY
from survey.definition.survey import parse_survey
from survey.definition.translation import nested
from survey.store import OWNER, Account, open_store
from survey.store.backups import write_backup
from tests.conftest import PASSWORD, ROOT, begin, definition, opened, password_hash, send
from tests.conftest import yes_no as asked_yes_no
from tests.support.at_once import serving_at_once
from tests.support.canaries import Canary, address, sweep

PEER, CLIENT = "127.77.66.55", "203.0.113.77"  # all of 127.0.0.0/8 is this machine
CODES = [code_from(bytes([37 * place % 251 + turn for place in range(16)])) for turn in range(4)]
FIRST, UNKNOWN, VISITORS, SPARE = CODES
RECEIPT = sha256(b"a receipt").hexdigest()[:32]
NO_RECEIPT = sha256(b"of nobody").hexdigest()[:32]
PRIVATE_NUMBER, PLAIN_NUMBER = "739184111", "640217111"  # 111 and so many thousands
WHO: dict[str, Canary] = {
    "peer": address(PEER),
    "client": address(CLIENT),
    "agent": Canary("CanaryAgent", hashed=True),
    "language": Canary("canarytongue", hashed=True),
    "referer": Canary("canary-referer.example", hashed=True),
    "cookie": Canary("CanaryCookie", hashed=True),
    "other header": Canary("CanaryHeader"),
    "path": Canary("canarypath"),
    "query": Canary("CanaryQuery"),
    "method": Canary("CANARYMETHOD"),
    "refused": Canary("CanaryRefused"),  # in bodies that are not taken
    "name": Canary("CanaryName"),  # of who guesses at a password
    "answer": Canary(PRIVATE_NUMBER),
} | {f"code {place}": Canary(code) for place, code in enumerate(CODES)}
WHO |= {"receipt": Canary(RECEIPT), "no receipt": Canary(NO_RECEIPT)}
# what people were told is stored as they give it
GIVEN = {"plain text": Canary("CanaryText"), "by hand": Canary("CanaryHand")}
PLAIN = {"plain number": Canary(PLAIN_NUMBER)}  # in the database it is no text
HEADERS = {
    "User-Agent": "Mozilla/5.0 CanaryAgent/7.7",
    "Accept-Language": "vi, x-canarytongue;q=0.3",
    "Referer": "http://canary-referer.example/from",
    "Cookie": "candor=CanaryCookie; session=CanaryCookie",
    "X-Forwarded-For": CLIENT,
    "X-Real-IP": "CanaryHeader",
    "Forwarded": "for=CanaryHeader",
    "Origin-Trial": "CanaryHeader",
}
REGION = {
    "name": "region", "type": "select_one", "label": "Where do you live?", "privacy": "none",
    "choices": [{"name": "north", "label": "North"}, {"name": "south", "label": "South"}],
}  # fmt: skip
AMOUNT = {"type": "number", "min": 111, "max": 999_999_111, "step": 1_000}
SAVINGS = {"name": "savings", "label": "How much have you saved?", "privacy": {"epsilon": 1}}
YEARS = {"name": "years", "label": "How many minutes old are you?", "privacy": "none"}
REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
ENGLISH = definition(
    asked_yes_no(), SAVINGS | AMOUNT, REGION, YEARS | AMOUNT, REMARKS,
    invitations=True, receipts=True, comprehension=True,
)  # fmt: skip
TEXTS = parse_survey(ENGLISH).texts
TRANSLATED = {
    language: nested({path: f"{language}: {text}" for path, text in TEXTS.items()})
    for language in ("vi", "th", "zh")
}
HEALTH = ENGLISH | {"translations": TRANSLATED}
COINS = definition(asked_yes_no(), REGION, REMARKS, slug="coins", by_hand=True, receipts=True)
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass
class Reply:
    status: int
    text: str
    cookies: list[str]


@dataclass
class Asker:
    """Asks a server from the address that is searched for, with all the headers that are."""

    port: int
    cookie: str = ""
    statuses: dict[str, int] = field(default_factory=dict)

    def ask(
        self, method: str, path: str, body: object = None, kind: str = JSON, **more: str
    ) -> Reply:
        headers = HEADERS | {name.replace("_", "-"): value for name, value in more.items()}
        if self.cookie:
            headers["Cookie"] = f"{self.cookie}; other=CanaryCookie"
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        if content is not None:
            headers["Content-Type"] = kind
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20, source_address=(PEER, 0))
        with closing(connection):
            connection.request(method, path, content, headers)
            reply = connection.getresponse()
            cookies = [text.partition(";")[0] for text in reply.headers.get_all("Set-Cookie", [])]
            return Reply(reply.status, reply.read().decode(), cookies)

    def note(self, scenario: str, method: str, path: str, *body: object, **more: str) -> Reply:
        reply = self.ask(method, path, *body, **more)
        assert scenario not in self.statuses
        self.statuses[scenario] = reply.status
        return reply

    def raw(self, content: bytes) -> int:
        with socket.create_connection(
            ("127.0.0.1", self.port), source_address=(PEER, 0)
        ) as connection:
            connection.sendall(content)
            received = b""
            while more := connection.recv(65_536):
                received += more
        return int(received.split(b" ", 2)[1])


def id_of(receipt: str) -> str:
    return sha256(bytes.fromhex(receipt)).hexdigest()[:32]


def response(fingerprint: str) -> dict[str, object]:
    reports = {
        "smokes": "1", "savings": "00", "region": "1", "years": PLAIN_NUMBER[:6],
        "remarks": "CanaryText of mine",
    }  # fmt: skip
    content = {"id": id_of(RECEIPT), "fingerprint": fingerprint, "reports": reports}
    return content | {"invitation": FIRST}


def respond(asker: Asker, fingerprint: str) -> None:
    """The door for responses."""
    door = "/s/health/responses?from=CanaryQuery"
    good = response(fingerprint)

    def other(**change: object) -> dict[str, object]:
        return response(fingerprint) | {"id": "0f" * 16} | change

    ask = "/s/health/invited?from=CanaryQuery"
    asker.note("asked, good", "POST", ask, {"invitation": FIRST})
    asker.note("sent", "POST", door, good)
    asker.note("sent twice", "POST", door, good)
    asker.note("malformed", "POST", door, b'{"answer": "CanaryRefused"')
    asker.note("another member", "POST", door, good | {"answer": "CanaryRefused"})
    asker.note("wrong fingerprint", "POST", door, other(fingerprint="CanaryRefused"))
    asker.note("wrong report", "POST", door, other(reports={"CanaryRefused": "CanaryRefused"}))
    asker.note("spent invitation", "POST", door, other())
    asker.note("unknown invitation", "POST", door, other(invitation=UNKNOWN))
    asker.note("no invitation", "POST", door, other(invitation="CanaryRefused"))
    asker.note("asked, spent", "POST", ask, {"invitation": FIRST})
    asker.note("asked, unknown", "POST", ask, {"invitation": UNKNOWN})
    asker.note("asked, malformed", "POST", ask, {"invitation": "CanaryRefused"})
    asker.note("asked, closed", "POST", "/s/closed/invited", {"invitation": FIRST})
    asker.note("asked, none needed", "POST", "/s/coins/invited", {"invitation": FIRST})
    asker.note("asked, another site", "POST", ask, {"invitation": FIRST},
               Origin="http://CanaryRefused.example")  # fmt: skip
    closed = json.loads(asker.ask("GET", "/s/closed.json").text)["fingerprint"]
    asker.note("closed survey", "POST", "/s/closed/responses", good | {"fingerprint": closed})
    asker.note("unknown survey", "POST", "/s/canarypath/responses", good)
    asker.note("another type", "POST", door, b"CanaryRefused=1", FORM)
    asker.note("another site", "POST", door, good, Origin="http://CanaryRefused.example")
    asker.note("too long", "POST", door, b"CanaryRefused" * (MAX_BODY // 13 + 1))
    asker.statuses["far too long"] = asker.raw(
        f"POST {door} HTTP/1.1\r\nHost: here\r\nContent-Length: {MAX_FORM + 1}\r\n\r\n".encode()
        + b"CanaryRefused"
    )


def look(asker: Asker) -> None:
    """Pages, and what is no page."""
    for language in ("en", "vi", "th", "zh", "CanaryQuery"):
        asker.note(f"page in {language}", "GET", f"/s/health?language={language}&q=CanaryQuery")
    for path in ("/", "/how", "/verify", "/s/health/verify", "/s/health.json", "/s/closed",
                 "/s/health/withdraw", "/s/canarypath", "/canarypath", "/s/health.comprehension",
                 "/s/coins/by-hand", "/static/respondent/respond.js", "/static/canarypath.js",
                 "/s/health/responses", "/admin/", "/admin/setup?token=CanaryQuery"):  # fmt: skip
        asker.note(path, "GET", path)
    asker.note("put", "PUT", "/s/health", b"CanaryRefused")
    asker.note("strange method", "CANARYMETHOD", "/s/health")
    asker.statuses["no HTTP"] = asker.raw(b"\0CanaryRefused\r\n\r\n")
    asker.statuses["no header"] = asker.raw(
        b"GET /s/canarypath HTTP/1.1\r\nCanaryRefused\r\nCookie: CanaryCookie\r\n\r\n"
    )
    asker.statuses["no length"] = asker.raw(
        b"POST /s/health/responses HTTP/1.1\r\nContent-Length: CanaryRefused\r\n\r\n"
    )


def use_other_doors(asker: Asker) -> None:
    """Coins, the test of what was understood, receipts."""
    form = asker.ask("GET", "/s/coins/by-hand").text
    marks = dict(re.findall(r'name="([\w-]+)" value="([0-9a-f]{32,})"', form))
    chosen = {"smokes": "1", "region": "0", "remarks": "CanaryHand"}
    door = "/s/coins/by-hand?language=en"

    def filled(**change: str) -> bytes:
        return urlencode(marks | chosen | change).encode()

    faulty = filled(smokes="CanaryRefused", region="CanaryRefused")
    asker.note("by hand, faulty", "POST", door, faulty, FORM)
    asker.note("by hand, malformed", "POST", door, b"CanaryRefused=CanaryRefused", FORM)
    asker.note("by hand, a file", "POST", door, b"CanaryRefused", "multipart/form-data")
    asker.note("by hand", "POST", door, filled(), FORM)
    asker.note("by hand, twice", "POST", door, filled(smokes="0"), FORM)
    asker.note("by hand, thanks", "GET", "/s/coins/by-hand/thanks?q=CanaryQuery")
    test = json.loads(asker.ask("GET", "/s/health.comprehension.json").text)
    taken = {"id": "ab" * 16, "fingerprint": test["fingerprint"]}
    taken["reports"] = {entry["name"]: "1" for entry in test["definition"]["questions"]}
    asker.note("understood", "POST", "/s/health.comprehension/responses", taken)
    for slug in ("health", "closed", "canarypath"):
        door = f"/s/{slug}/withdrawals"
        asker.note(f"withdrawal from {slug}", "POST", door, {"receipt": NO_RECEIPT})
    asker.note("no withdrawal", "POST", "/s/health/withdrawals", {"receipt": "CanaryRefused"})


def withdraw(asker: Asker) -> None:
    asker.note("withdrawn", "POST", "/s/health/withdrawals", {"receipt": RECEIPT})
    asker.note("withdrawn twice", "POST", "/s/health/withdrawals", {"receipt": RECEIPT})


def crash(asker: Asker, fingerprint: str, database: Path) -> None:
    """Faults that nobody foresaw, so that a trace is logged, and a database that is not whole."""
    content = response(fingerprint) | {"id": "cd" * 16, "invitation": SPARE}
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
    """A researcher, from the same address, signs in, downloads all; somebody guesses passwords."""

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
    for slug in ("health", "coins", "coins.by-hand", "health.comprehension"):
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
    assert another.status == 401  # the last address is the one that the one proxy saw
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
    """A respondent with a real browser, who is told by all of the above, answers and sends a
    number of which only a mixed-up report leaves the page; what was sent."""
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
    """What a server left, by place, and what it replied."""

    places: dict[str, bytes]
    statuses: dict[str, int]
    sent: str


def opened_in(folder: Path) -> tuple[Path, str]:
    """A database with the surveys open, one closed, and a researcher's account."""
    database = folder / "kept" / "candor.db"
    database.parent.mkdir()
    return database, stocked(str(database))


def stocked(database: str) -> str:
    """The fingerprint of the survey that is open."""
    store = open_store(database)
    fingerprint = opened(store, HEALTH).fingerprint
    opened(store, COINS)
    opened(store, HEALTH | {"slug": "closed"})
    store.set_state("closed", "closed")
    store.add_invitations("health", [invitation_code_hash(c) for c in (FIRST, VISITORS, SPARE)])
    store.add_account(Account("ada", OWNER, password_hash()))
    store.close()
    return fingerprint


def read_all(folder: Path, named: str) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {f"{named}{file.relative_to(folder)}": file.read_bytes() for file in files}


def copies(database: Path, folder: Path) -> Iterator[tuple[str, bytes]]:
    """A backup, as SQLite makes one while the server runs, a copy sealed by the command, and
    what `database backup` makes of that."""
    backup, sealed = folder / "backup.db", folder / "sealed.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("VACUUM INTO ?", [str(backup)])
    copyfile(database, sealed)
    if (log := Path(f"{database}-wal")).exists():
        copyfile(log, f"{sealed}-wal")
    environment = {**os.environ, "CANDOR_DATABASE": str(sealed)}
    command = [sys.executable, "-m", "flask", "--app", "app", "database", "compact"]
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    yield "backup", backup.read_bytes()
    yield "sealed copy", sealed.read_bytes()
    yield "printed while sealing", said.stdout + said.stderr
    yield "database backup", backed_up(str(sealed), folder)


def backed_up(database: str, folder: Path) -> bytes:
    """What `database backup` makes of it."""
    store = open_store(database)
    file, _ = write_backup(store, folder, datetime.now(UTC))
    store.close()
    return file.read_bytes()


def assert_no_core_dump(pid: int) -> None:
    """A crash leaves no copy of the server's memory; where Linux says so."""
    limits = Path(f"/proc/{pid}/limits")
    if limits.exists():
        [line] = [text for text in limits.read_text().splitlines() if "core file" in text]
        assert line.split()[4:6] == ["0", "0"]


def served(folder: Path, program: str, browser: Browser | None, capfd) -> Searched:
    """All that a server leaves after everything was asked of it."""
    database, fingerprint = opened_in(folder)
    temporary, elsewhere = folder / "temporary", folder / "elsewhere"
    temporary.mkdir()
    elsewhere.mkdir()
    kept = database.parent
    environment = {"CANDOR_DEMO": "no", "CANDOR_PROXIES": "1", "TMPDIR": str(temporary)}
    with serving_at_once(database, program, **environment) as (url, process, greeting):
        assert_no_core_dump(process.pid)
        asker = Asker(int(url.rsplit(":", 1)[1]))
        look(asker)
        respond(asker, fingerprint)
        use_other_doors(asker)
        sent = visit(browser, url) if browser else ""
        crash(asker, fingerprint, database)
        downloads = research(asker)
        places = read_all(kept, "while it ran: ")  # with the log and what is shared of it
        withdraw(asker)
        places |= read_all(kept, "after a withdrawal: ")
        places |= dict(copies(database, elsewhere))
        process.send_signal(signal.SIGTERM)  # not SIGKILL: what it says at the end counts too
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
    # what is searched is all there and holds what it must
    for name in ("candor.db", "candor.db-wal", "candor.db-shm", "secret_key"):
        assert f"while it ran: {name}" in places
    assert not [name for name in places if name.startswith("temporary")]
    assert b"Candor is running" in places["printed"]
    assert places["printed"].count(b"SQLITE_CONSTRAINT_TRIGGER") >= 2
    assert json.loads(honest.sent)["invitation"] == VISITORS
    assert b"The database is sealed." in places["printed while sealing"]
    assert sweep(places, WHO) == {}
    # the search does find what people were told is stored as they give it, and only there
    found = sweep(places, GIVEN)
    databases = {"backup", "sealed copy", "database backup", "at the end: candor.db"}
    downloads = {"health responses.csv", "coins.by-hand responses.csv"}
    running = {name for name in found if name.startswith(("while it ran", "after a with"))}
    assert set(found) == databases | downloads | running
    assert found["sealed copy"] == found["backup"] == {"plain text", "by hand"}
    # a backup has the estimates in it, to be compared with when it is restored
    figures = {"health responses.csv", "health estimates.csv", "database backup"}
    assert sweep(places, PLAIN) == {name: {"plain number"} for name in figures}


# A server that tells on its visitors. Each betrayal is another canary, another place, another
# spelling; the search has to find these and nothing else
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
    once = environ["PATH_INFO"] == "/static/respondent/respond.js"
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
        elif kind.startswith("candor.db") or kind in ("backup", "sealed copy"):
            kind = "database"
        found.setdefault(kind, set()).update(hits)
    assert found == BETRAYED
    agents = {place for place, hits in sweep(left.places, WHO).items() if "agent" in hits}
    assert {"backup", "sealed copy", "at the end: candor.db"} <= agents


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
