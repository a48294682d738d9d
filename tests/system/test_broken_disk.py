"""A disk that fails while the server runs loses no response, whatever the failure is.

strace makes the real server's system calls on its database fail, like a disk that is full, mounted
read-only or broken, and then stops. Meanwhile the server acknowledges nothing and still shows
pages. Afterwards everything succeeds within seconds, without a restart.
"""

import json
import random
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from survey.definition.responses.parse_response import Response
from survey.server.compaction import MIN_UNCOMPACTED_RESPONSES
from survey.store import OWNER, Account, open_store
from tests.support import powerloss
from tests.support.every_type import sent
from tests.support.ledger import Ledger, judge, open_survey, reports_of
from tests.support.lengths import length, soak
from tests.support.researchers import PASSWORD, password_hash
from tests.support.servers import serving, stop
from tests.support.stores import connected

pytestmark = pytest.mark.needs_strace

# The faults and their system calls. The suite runs the first two, `make soak` all.
WRITES = ("pwrite64", "write", "ftruncate", "fallocate")
FAULTS = {
    "full": (WRITES, "ENOSPC"),
    "not synced": (("fdatasync", "fsync"), "EIO"),
    "read-only": (WRITES, "EROFS"),
    "over quota": (WRITES, "EDQUOT"),
    "broken": (WRITES, "EIO"),
    "full when synced": (("fdatasync", "fsync"), "ENOSPC"),
}
# Only some faults, since attempts to sign in are limited to a few in a minute.
SIGNING_IN = ("full", "read-only")
BATCH = 10
# The production server, which compacts as often as possible.
PROGRAM = """
from survey.server import compaction
from app import create_app

_, *others = compaction.compacting.__defaults__
compaction.compacting.__defaults__ = (0.1, *others)
"""


class Server:
    """The real server, a respondent, and a signed-in researcher."""

    def __init__(self, address: str, process: int, database: Path, fingerprint: str):
        self.address, self.process = address, process
        self.database, self.fingerprint = database, fingerprint
        self.ledger = Ledger()
        self.numbers = iter(range(60_000))
        self.chance = random.Random(1)
        self.failed_from = 0.0  # the time at which its disk last began to fail
        self.browser = build_opener(HTTPCookieProcessor(CookieJar()))

    def responses(self, n: int) -> list[Response]:
        return [
            Response(self.chance.randbytes(16), reports_of(next(self.numbers))) for _ in range(n)
        ]

    def post(self, response: Response) -> tuple[int, dict[str, str], dict[str, str]]:
        body = {
            "id": response.id.hex(),
            "fingerprint": self.fingerprint,
            "reports": sent(response.reports),
        }
        self.ledger.send(response)
        port = int(self.address.rsplit(":", 1)[1])
        with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            connection.request(
                "POST",
                "/s/health/responses",
                json.dumps(body),
                {"Content-Type": "application/json"},
            )
            reply = connection.getresponse()
            content = json.loads(reply.read())
        if reply.status in (200, 201):
            self.ledger.acknowledge(response)
        return reply.status, {k.lower(): v for k, v in reply.getheaders()}, content

    def page(self, path: str, data: dict[str, str] | None = None) -> tuple[int, str]:
        sent = None if data is None else urlencode(data).encode()
        try:
            with self.browser.open(self.address + path, sent, timeout=30) as reply:
                return reply.status, reply.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    def form(self, path: str, action: str = "", **data: str) -> tuple[int, str]:
        """Send a form of a page with its token."""
        _, page = self.page(path)
        found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
        assert found, page
        return self.page(action or path, {**data, "csrf_token": found[1]})

    def sign_in(self) -> tuple[int, str]:
        return self.form("/admin/sign-in", name="ada", password=PASSWORD)

    @property
    def log(self) -> int:
        """The bytes in the log of the database."""
        return Path(f"{self.database}-wal").stat().st_size


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if not powerloss.works():
        pytest.skip("No strace that may look at processes; tools/strace.py says how to get one.")
    folder = tmp_path_factory.mktemp("broken")
    database, program = folder / "candor.db", folder / "program.py"
    program.write_text(PROGRAM)
    with closing(open_store(str(database))) as store:
        fingerprint = open_survey(store, BATCH).fingerprint
        store.accounts.add_account(Account(name="ada", role=OWNER, password_hash=password_hash()))
    with serving(database, str(program)) as (address, process, _):
        made = Server(address, process.pid, database, fingerprint)
        assert made.sign_in()[0] == 200
        yield made
        stop(process, signal.SIGKILL)
        # The database contains exactly the acknowledged responses, in spite of all faults.
        verdict = judge(database, made.ledger)
        assert (verdict.lost, verdict.double, verdict.strange) == (0, 0, 0)
        assert not verdict.counts_differ
        assert made.ledger.acknowledged == made.ledger.sent


@contextmanager
def failing(server: Server, calls: tuple[str, ...], error: str, first: int = 1) -> Iterator[None]:
    """Make these system calls on the database fail, in each thread from this call on."""
    paths = [f"-P{server.database}{end}" for end in ("", "-wal", "-journal")]
    listed = ",".join(calls)
    command = ["strace", "-f", "-o", "/dev/null", *paths, f"-etrace={listed}"]
    command += [f"-einject={listed}:error={error}:when={first}+", "-p", str(server.process)]
    attached = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert attached.stderr is not None
    try:
        while "attached" not in attached.stderr.readline():
            assert attached.poll() is None
        server.failed_from = time.monotonic()
        yield
    finally:
        attached.terminate()
        attached.wait(20)
        attached.stderr.close()


def assert_all_goes_well_again(server: Server, missed: list[Response]) -> None:
    start = time.monotonic()
    told = [server.post(each)[0] for each in missed]
    assert set(told) <= {200, 201}
    assert time.monotonic() - start < 5 + 0.1 * len(told)
    for _ in range(MIN_UNCOMPACTED_RESPONSES):
        assert server.post(server.responses(1)[0])[0] == 201
    # The server tried to compact less and less often. The next attempt comes after up to twice the
    # time of the fault.
    end = time.monotonic() + 120 + 3 * (time.monotonic() - server.failed_from)
    pause = 0.15
    while server.log:  # Responses after a compaction wait for more.
        assert time.monotonic() < end
        assert server.post(server.responses(1)[0])[0] == 201
        # Long enough, on a busy machine, for the compact that this response may have begun.
        time.sleep(pause)
        pause = min(0.6, pause * 1.02)


@soak
@pytest.mark.parametrize("fault", list(FAULTS)[: length(2, len(FAULTS))])
def test_nothing_is_acknowledged_pages_are_read_and_then_all_goes_well(
    server: Server, fault: str
) -> None:
    calls, error = FAULTS[fault]
    assert server.post(server.responses(1)[0])[0] == 201
    with connected(server.database) as db:  # so that their use would be recorded
        db.execute("UPDATE sessions SET seen = seen - 120")
    missed = server.responses(length(8, 40))
    with failing(server, calls, error):
        for each in missed:
            status, headers, content = server.post(each)
            assert (status, headers["retry-after"]) == (503, "5")
            assert content["error"].endswith("Try again in a moment.")
        for path in ("/s/health", "/s/health.json", "/admin/", "/admin/surveys/health"):
            assert server.page(path)[0] == 200
        refused = [server.form("/admin/surveys/health", "/admin/surveys/health/close")]
        if fault in SIGNING_IN:
            refused.append(server.sign_in())
        for status, page in refused:
            assert status == 503
            assert "The database is not available now." in page
    assert_all_goes_well_again(server, missed)
    if fault in SIGNING_IN:
        assert server.sign_in()[0] == 200


@soak
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"][: length(1, 2)])
def test_a_disk_that_fails_in_the_midst_of_a_commit_a_compaction_or_a_checkpoint(
    server: Server, error: str
) -> None:
    """A commit is a dozen writes.

    A compaction is a few hundred, in the log and then in the file.
    """
    chance = random.Random(error)
    stages = [chance.randrange(1, 400) for _ in range(length(1, 60))]
    for first in stages:
        responses = server.responses(2 * MIN_UNCOMPACTED_RESPONSES)
        with failing(server, (*WRITES, "fdatasync"), error, first):
            told = [server.post(each)[0] for each in responses]
            assert set(told) <= {201, 503}
            time.sleep(0.3)  # for a compaction
        missed = [each for each, status in zip(responses, told, strict=True) if status == 503]
        assert_all_goes_well_again(server, missed)
