"""Nothing keeps who took part or the researchers' secrets, with PostgreSQL behind the server.

The visitors are those of tests/system/test_canaries.py for SQLite. A real server gets requests of
every kind, valid and invalid. Meanwhile PostgreSQL refuses rows, closes connections and is killed.
Then the test searches PostgreSQL's whole folder with its log, and the server's output. It also
searches for the secrets that a researcher sees once: keys, codes, tokens, links.

The control is a PostgreSQL that logs the rows that it refuses, which is its default. There the
search finds people's answers in the log, and still nothing about who they are.
"""

import re
import signal
import time
from pathlib import Path
from urllib.parse import urlencode

import pyotp
import pytest

from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.store import open_store
from tests.support.at_once import serving_at_once
from tests.support.canaries import Canary, sweep
from tests.support.canary_visits import (
    FORM,
    GIVEN,
    RECEIPT,
    SPARE,
    WHO,
    Asker,
    Reply,
    another_response,
    backed_up,
    look,
    respond,
    response,
    stocked,
    use_other_doors,
)
from tests.support.postgresql import PROGRAMS, Cluster, cluster
from tests.support.researchers import PASSWORD
from tests.support.stores import connected

pytestmark = pytest.mark.needs_postgresql

FOURTH = code_from(bytes(range(16)))
SECRET_KEY, DATABASE_PASSWORD = "CanaryKey" * 8, "CanaryDatabase"
STATUSES = {"refused row": 500, "no table": 503, "killed": 503, "refused aloud": 500}


class SignedIn:
    """A researcher over HTTP who collects every secret that was displayed or sent."""

    def __init__(self, asker: Asker):
        self.asker = asker
        self.secrets = {"password": PASSWORD}

    def get(self, path: str) -> str:
        reply = self.asker.ask("GET", path)
        assert reply.status == 200, (path, reply.status)
        self.take(reply)
        return reply.text

    def take(self, reply: Reply) -> None:
        for cookie in reply.cookies:
            self.asker.cookie = cookie
            self.secrets["session"] = cookie.partition("=")[2]

    def post(self, path: str, page: str = "", **form: str) -> str:
        token = re.findall(r'name="csrf_token"[^>]*value="([^"]+)"', self.get(page or path))[0]
        content = urlencode(form | {"csrf_token": token}).encode()
        reply = self.asker.ask("POST", path, content, FORM)
        assert reply.status in (200, 302), (path, reply.status)
        self.take(reply)
        return reply.text

    def sign_in(self) -> None:
        self.asker.cookie = ""
        self.post("/admin/sign-in", name="ada", password=PASSWORD)

    def keep(self, name: str, pattern: str, page: str) -> str:
        found = re.search(pattern, page)
        assert found, name
        self.secrets[name] = found[1]
        return found[1]

    def use_everything(self) -> None:
        """A second factor, a token, a shared link and a link for a colleague, each of them used."""
        self.sign_in()
        made = self.post("/admin/account/tokens", label="script", days="90", own=PASSWORD)
        token = self.keep("token", r"<code[^>]*>([\w-]{40,})</code>", made)
        reply = self.asker.ask("GET", "/api/v1/surveys", Authorization=f"Bearer {token}")
        assert reply.status == 200
        shared = self.post("/admin/surveys/health/share", name="a friend")
        token = self.keep("shared link", r"/shared\?token=([\w-]{43})", shared)
        self.get(f"/shared?token={token}")
        added = self.post("/admin/people/add", name="bob", role="analyst", own=PASSWORD)
        self.keep("colleague's link", r"token=([\w-]{43})", added)
        self.post("/admin/account/second-factor/begin", "/admin/account", own=PASSWORD)
        shown = self.get("/admin/account/second-factor")
        spaced = re.findall(r'class="key">([A-Z2-7 ]+)<', shown)[0]
        key = self.secrets["key"] = spaced.replace(" ", "")
        # A code is valid for a step before and after its own. So both have half a minute left, also
        # if a step ends between these requests.
        step = int(time.time()) // 30
        codes = [pyotp.TOTP(key).at(30 * each) for each in (step, step + 1)]
        path = "/admin/account/second-factor"
        turned_on = self.post(f"{path}/on", path, own=PASSWORD, code=codes[0])
        for place, found in enumerate(re.findall(r"<code>([0-9A-Z ]+)</code>", turned_on)[:2]):
            self.secrets[f"recovery {place}"] = found.replace(" ", "")
        assert len(self.secrets) == 8  # one of each kind, and two recovery codes
        self.sign_in()
        self.post("/admin/sign-in/code", code=codes[1])
        self.post("/admin/surveys/coins/close", "/admin/surveys/coins")

    def download(self) -> dict[str, bytes]:
        files = [f"{slug}/responses.csv" for slug in ("health.texts", "coins.texts")]
        return {file: self.get(f"/admin/surveys/{file}").encode() for file in files}


def refuse_rows(address: str) -> None:
    with connected(address) as db:
        # This error contains the row's values.
        db.execute(
            "ALTER TABLE \"responses_health.texts\" ADD CONSTRAINT refused CHECK (remarks = '')"
            " NOT VALID"
        )


def take_rows(address: str) -> None:
    with connected(address) as db:
        db.execute('ALTER TABLE "responses_health.texts" DROP CONSTRAINT refused')


def break_things(asker: Asker, fingerprint: str, server: Cluster, address: str) -> None:
    """Refused rows, a missing table, closed connections, and PostgreSQL killed during requests."""
    content = another_response(fingerprint, "cd") | {"invitation": SPARE}
    door = "/s/health/responses?q=CanaryQuery"
    refuse_rows(address)
    asker.note("refused row", "POST", door, content)
    take_rows(address)
    with connected(address) as db:
        db.execute("ALTER TABLE counts RENAME TO gone")
    asker.note("no table", "POST", "/s/health/withdrawals", {"receipt": RECEIPT})
    with connected(address) as db:
        db.execute("ALTER TABLE gone RENAME TO counts")
    server.administer(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'template'"
    )
    asker.note("cut off", "POST", door, response(fingerprint))
    server.stop(signal.SIGQUIT)
    asker.note("killed", "POST", door, content)
    server.start(**LOGGING)
    for _ in range(100):
        if asker.ask("POST", door, content).status in (200, 201):
            return
        time.sleep(0.1)
    raise AssertionError("the server did not come back")


# As in docs/how-to/use-postgresql.md. All other settings of the log are PostgreSQL's defaults.
LOGGING = {"log_error_verbosity": "terse", "autovacuum": "on", "autovacuum_naptime": "1s"}


def changed_since(folder: Path, moment: float) -> dict[str, bytes]:
    """The later log. The rest of PostgreSQL's folder contained nobody."""
    files = [f for f in folder.rglob("*") if f.is_file() and f.stat().st_mtime >= moment]
    # Pages are mostly empty.
    return {str(f.relative_to(folder)): f.read_bytes().replace(bytes(64), b"") for f in files}


@pytest.mark.skipif(PROGRAMS is None, reason="No PostgreSQL here")
def test_nothing_that_postgresql_and_the_server_leave_tells_who_was_there(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with cluster(**LOGGING) as server:
        begun = time.time()
        address = server.url("template").replace("candor@", f"candor:{DATABASE_PASSWORD}@")
        fingerprint = stocked(address)
        store = open_store(address)
        store.invitations.add_invitations("health", [token_hash(FOURTH)])
        store.close()
        surroundings = {
            "CANDOR_PROXIES": "1", "CANDOR_DATABASE": address,
            "CANDOR_SECRET_KEY": SECRET_KEY, "TMPDIR": str(tmp_path),
        }  # fmt: skip
        with serving_at_once(Path("/"), **surroundings) as (url, process, greeting):
            asker = Asker(int(url.rsplit(":", 1)[1]))
            look(asker)
            respond(asker, fingerprint)
            use_other_doors(asker)
            researcher = SignedIn(asker)
            researcher.use_everything()
            downloads = researcher.download()
            asker.cookie = ""
            break_things(asker, fingerprint, server, address)
            asker.note("withdrawn", "POST", "/s/health/withdrawals", {"receipt": RECEIPT})
            silent = (server.folder / "log").read_bytes()
            server.administer("ALTER DATABASE template SET log_error_verbosity = 'default'")
            server.administer(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'template'"
            )
            refuse_rows(address)
            other = another_response(fingerprint, "ef") | {"invitation": FOURTH}
            asker.note("refused aloud", "POST", "/s/health/responses", other)
            take_rows(address)
            process.send_signal(signal.SIGTERM)
            process.wait(20)
            assert process.stdout is not None
            assert not list(tmp_path.iterdir())  # It left no temporary files.
            printed = greeting + process.stdout.read() + capfd.readouterr().err
        server.administer("CHECKPOINT")
        backup = backed_up(address, tmp_path)
        places = changed_since(server.folder, begun)
        places |= {"printed": printed.encode(), "silent log": silent, "backup": backup} | downloads
    assert {name: asker.statuses[name] for name in STATUSES} == STATUSES
    # Everything that the search covers exists.
    assert any(name.startswith("data/pg_wal/") for name in places)
    assert b"violates check constraint" in places["silent log"]
    assert b"terminating connection" in places["silent log"]
    assert "CheckViolation 23514" in printed
    secrets = researcher.secrets | {"secret key": SECRET_KEY, "of the database": DATABASE_PASSWORD}
    assert sweep(places, WHO | {name: Canary(text) for name, text in secrets.items()}) == {}
    found = set(sweep(places, GIVEN))
    assert "log" in found  # The log contains the rows if the setting allows it.
    assert not {"silent log", "printed"} & found
    kept = {name for name in found if name.startswith(("data/base/", "data/pg_wal/"))}
    # Too few people wrote texts, so nobody can download them.
    assert found - kept == {"log", "backup"}
