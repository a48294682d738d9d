"""An acknowledged response survives a loss of power at any moment.

The real server runs under strace, from its first start on an empty folder, through compactions,
checkpoints and the end of its survey. Clients keep a ledger of the acknowledged responses. Then the
test rebuilds the disk as it may have been at many moments (tests/support/powerloss.py). Our own
`open_store` recovers it, and the judge of tests/system/test_kill.py compares it with the ledger.

Three controls must be found: a server that syncs like `synchronous=NORMAL`, one that never syncs,
and one that acknowledges before it commits.
"""

import json
import random
import shutil
import threading
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import pytest

from survey.core.errors import SurveyError
from survey.definition.responses.parse_response import Response
from survey.server.settings import kept_secret_key
from survey.store import open_store
from tests.support import powerloss
from tests.support.every_type import sent
from tests.support.ledger import EARLY as ACKNOWLEDGES_EARLY
from tests.support.ledger import Ledger, Verdict, judge, reports_of
from tests.support.lengths import SOAK, length, soak
from tests.support.powerloss import NEVER, Recording, Spared, Step
from tests.support.servers import serving

pytestmark = pytest.mark.needs_strace

CLIENTS = 8
RESPONSES = length(240, 4_000)
POINTS = length(10, 100)
BATCH = 25

# The production server. Its survey exists before it listens, and it compacts often. The survey
# closes by itself with the last response.
PROGRAM = f"""
import app
from survey.server import compaction
from survey.store import Limits
from tests.support.ledger import open_survey

_, *others = compaction.compacting.__defaults__
compaction.compacting.__defaults__ = ({length(30, 1_500) / 1_000}, *others)

def create_app():
    made = app.create_app()
    store = made.extensions["candor.store"]
    open_survey(store, {BATCH})
    store.lifecycle.set_limits("health", Limits(cap={RESPONSES}))
    return made
"""
UNSYNCED = """
from survey.store.sqlite import connections

connect = connections.SQLiteDatabase.connect

def careless(self):
    db = connect(self)
    db.execute("PRAGMA synchronous={}")
    return db

connections.SQLiteDatabase.connect = careless
"""
BUGS = {
    "NORMAL": UNSYNCED.format("NORMAL"),
    "OFF": UNSYNCED.format("OFF"),
    "early": ACKNOWLEDGES_EARLY.replace("from app import create_app", ""),
}


@pytest.fixture(autouse=True, scope="module")
def strace() -> None:
    if not powerloss.works():
        pytest.skip("No strace that may look at processes; tools/strace.py says how to get one.")


@dataclass
class Run:
    """The trace, and by the port of each client its sent responses in order."""

    recording: Recording
    sent: dict[int, list[Response]]

    def ledger(self, moment: int) -> Ledger:
        """The responses acknowledged before this moment."""
        ledger = Ledger()
        for port, responses in self.sent.items():
            for response in responses:
                ledger.send(response)
            told = self.recording.acknowledged[port]
            for response, line in zip(responses, told, strict=True):
                if line < moment:
                    ledger.acknowledge(response)
        return ledger

    def moments(self, n: int) -> list[int]:
        """Moments for a loss: half of them just after an acknowledgement, half anywhere else."""
        chance = random.Random(7)
        told = told_by(self)
        after = [line + 1 for line in chance.sample(told, n - n // 2)]
        return sorted(after + chance.sample(self.recording.marks, n // 2))


def told_by(made: Run) -> list[int]:
    """The lines of acknowledgements."""
    return [line for lines in made.recording.acknowledged.values() for line in lines]


def run(folder: Path, bug: str = "") -> Run:
    """A server from its first start until its survey is full."""
    program = folder / "program.py"
    program.write_text(PROGRAM + bug)
    trace, home = folder / "trace", folder / "home"
    home.mkdir()
    database = home / "instance" / "candor.db"
    responses: dict[int, list[Response]] = {}
    faults: list[str] = []
    with serving(database, str(program), powerloss.command(trace)) as (
        address,
        _,
        _,
    ):
        port = int(address.rsplit(":", 1)[1])
        fingerprint = fingerprint_of(port)

        def feed(client: int) -> None:
            chance = random.Random(client)
            with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
                connection.connect()
                own = responses.setdefault(connection.sock.getsockname()[1], [])
                for number in range(client, RESPONSES, CLIENTS):
                    response = Response(chance.randbytes(16), reports_of(number))
                    own.append(response)
                    body = {
                        "id": response.id.hex(),
                        "fingerprint": fingerprint,
                        "reports": sent(response.reports),
                    }
                    json_type = {"Content-Type": "application/json"}
                    connection.request("POST", "/s/health/responses", json.dumps(body), json_type)
                    reply = connection.getresponse()
                    reply.read()
                    if reply.status != 201:
                        faults.append(f"{number}: {reply.status}")
                        return

        clients = [threading.Thread(target=feed, args=[k]) for k in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    assert not faults
    recording = powerloss.read(trace, home)
    of_clients = {k: v for k, v in recording.acknowledged.items() if k in responses}
    recording.acknowledged = of_clients
    trace.unlink()
    return Run(recording, responses)


def fingerprint_of(port: int) -> str:
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("GET", "/s/health.json")
        return str(json.loads(connection.getresponse().read())["fingerprint"])


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(tmp_path_factory.mktemp("sound"))


def spared(moment: int) -> list[Spared]:
    """What a loss of power may leave of the changes without a sync.

    It leaves nothing, half of them in sectors or in pages, or everything.
    """
    chance = random.Random(moment)
    return [Spared(0), Spared(0.5, 512, chance), Spared(0.5, 4096, chance), Spared(1)]


@dataclass(frozen=True)
class Left:
    """The state after the power is back."""

    verdict: Verdict
    acknowledged: int
    state: str | None  # the state of the survey, or None without a survey
    key: str  # the key that signs cookies and makes the keys of second factors


def after(made: Run, moment: int, kind: Spared, home: Path) -> Left:
    """Cut the power at this moment, recover the database with our own store, and judge it."""
    shutil.rmtree(home, ignore_errors=True)
    made.recording.image(moment, kind, home)
    ledger = made.ledger(moment)
    acknowledged, state = len(ledger.acknowledged), None
    database = home / "instance" / "candor.db"
    key = kept_secret_key(database.parent)
    store = open_store(str(database))
    try:
        store.integrity.require_sound()
        if store.surveys.all():
            state = store.surveys.by_slug("health").state
        if state == "open":  # The survey continues.
            more = Response(bytes(16), reports_of(60_000))
            assert store.responses.add_response("health", more) is True
            ledger.send(more)
            ledger.acknowledge(more)
    finally:
        store.close()
    if state in ("open", "closed"):
        return Left(judge(database, ledger), acknowledged, state, key)
    return Left(Verdict(acknowledged, 0, 0, False, rows=0), acknowledged, state, key)


@soak
def test_at_any_moment_nothing_acknowledged_is_lost_or_counted_twice(
    sound: Run, tmp_path: Path
) -> None:
    final = after(sound, NEVER, Spared(1), tmp_path / "home")
    assert (final.acknowledged, final.state, final.verdict.rows) == (RESPONSES, "closed", RESPONSES)
    at_work = 0
    for moment in sound.moments(POINTS):
        for kind in spared(moment):
            left = after(sound, moment, kind, tmp_path / "home")
            rows, waiting = left.verdict.rows, left.verdict.waiting
            assert left.verdict == Verdict(0, 0, 0, False, rows=rows, waiting=waiting)
            assert len(left.key) == len(final.key)
            if left.acknowledged:
                assert left.key == final.key
                at_work += 1
            if left.acknowledged == RESPONSES:
                assert (left.state, waiting) == ("closed", 0)
    assert at_work > POINTS


def test_every_byte_that_was_written_was_seen_and_every_stage_passed(sound: Run) -> None:
    """With everything that the server wrote, the rebuilt disk is the server's disk."""
    home = sound.recording.folder
    again = home.with_name("again")
    sound.recording.image(NEVER, Spared(1), again)
    found = {path.name: path.read_bytes() for path in (home / "instance").iterdir()}
    rebuilt = {path.name: path.read_bytes() for path in (again / "instance").iterdir()}
    found.pop("candor.db-shm", None)
    assert rebuilt == found
    told = told_by(sound)
    assert len(told) == RESPONSES

    def steps(name: str) -> list[Step]:
        files = sound.recording.once(home / "instance" / name)
        return [step for file in files for step in file.steps if min(told) < step.begin < max(told)]

    # Compacted while it served: each compaction empties the log twice and writes a new file.
    assert sum(step.data is None for step in steps("candor.db-wal")) >= 2
    assert any(step.data for step in steps("candor.db"))


# --- controls: faults that a loss of power must reveal --------------------------------------------


def found_out(made: Run, folder: Path, points: int) -> int:
    """The number of these moments, each just after an acknowledgement, with a fault."""
    found = 0
    chance = random.Random(8)
    for line in chance.sample(told_by(made), points):
        try:
            left = after(made, line + 1, Spared(0), folder)
        except SurveyError:  # damaged, and therefore not served
            found += 1
        else:
            assert left.verdict.double == left.verdict.strange == 0
            found += left.verdict.lost > 0
    return found


def without_syncs_of_the_log(made: Run) -> Run:
    """The same run, as if the log had no sync at commits."""
    careless, told = deepcopy(made), told_by(made)
    for log in careless.recording.once(made.recording.folder / "instance" / "candor.db-wal"):
        log.syncs = [(begin, end) for begin, end in log.syncs if not min(told) < end < max(told)]
    return careless


# `make soak` also runs servers with the fault, each of which takes its time.
@soak
@pytest.mark.parametrize("bug", ["without syncs", *(BUGS if SOAK else ())])
def test_control_a_server_with_this_bug_is_found_out(bug: str, sound: Run, tmp_path: Path) -> None:
    careless = run(tmp_path, BUGS[bug]) if bug in BUGS else without_syncs_of_the_log(sound)
    assert found_out(careless, tmp_path / "again", POINTS) >= POINTS / 2
