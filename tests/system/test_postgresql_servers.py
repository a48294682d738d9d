"""Several servers on one PostgreSQL store each response once and lose no acknowledged one.

That holds if a response reaches two servers at once, if PostgreSQL crashes, and if a standby takes
over from it. A server is a store with its own connections here, since servers share nothing else.
One test restarts real servers. A ledger outside records the acknowledged responses, and the judge
of tests/system/test_kill.py compares the database with it. Two controls must be found: a PostgreSQL
that acknowledges before it writes, and one that does not wait for its standby.
"""

import itertools
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from survey.core.errors import SpentInvitation, StoreUnavailable, SurveyClosed
from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.responses.parse_response import Response
from survey.store import Store, open_store
from survey.store.postgresql import connections
from tests.support.at_once import serving_at_once
from tests.support.definitions import definition, opened
from tests.support.ledger import Clients, Ledger, Verdict, judge, open_survey, reports_of
from tests.support.lengths import length, soak
from tests.support.postgresql import Cluster, cluster
from tests.support.servers import stop
from tests.support.stores import connected

pytestmark = pytest.mark.needs_postgresql

AT_TWO = length(300, 10_000)  # responses, each sent to two servers at once
CRASHES = length(4, 40)
FAILOVERS = length(2, 20)
LARGE = length(5_000, 200_000)  # responses in a table that is written again
THREADS = 12
BATCH = 25


@pytest.fixture
def database(postgresql_server: Cluster) -> Iterator[str]:
    with postgresql_server.database("template") as address:
        yield address


@pytest.fixture
def two(database: str) -> Iterator[tuple[Store, Store]]:
    stores = open_store(database), open_store(database)
    yield stores
    for store in stores:
        store.close()


def at_once(run: Callable[[int], None], n: int) -> None:
    """Run so many threads, and stop all of them after an error in one."""
    faults: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            run(number)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=guarded, args=[number]) for number in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults


@soak
@pytest.mark.parametrize("invited", [False, True])
def test_each_response_sent_to_two_servers_at_once_is_one(
    two: tuple[Store, Store], database: str, invited: bool
) -> None:
    """The same response and invitation on two servers: one records it, the other knows it.

    Eight pairs of threads send, each pair at the same moment.
    """
    pairs = 8
    frozen = opened(two[0], definition(batch=BATCH, invitations=invited))
    r = random.Random(1)
    hashes = [token_hash(code_from(r.randbytes(16))) for _ in range(AT_TWO)] if invited else []
    two[0].invitations.add_invitations("health", hashes)
    sending = [
        Response(r.randbytes(16), (number % 2,), hashes[number] if invited else None)
        for number in range(AT_TWO)
    ]
    barriers = [threading.Barrier(2, timeout=60) for _ in range(pairs)]
    new: list[list[bool]] = [[], []]

    def run(number: int) -> None:
        pair, side = divmod(number, 2)
        for response in sending[pair::pairs]:
            barriers[pair].wait()
            new[side].append(two[side].responses.add_response("health", response))

    at_once(run, 2 * pairs)
    assert frozen.survey.slug == "health"
    assert (
        sum(map(sum, new)) == AT_TWO == len(list(two[0].responses.rows("health"))) + AT_TWO % BATCH
    )
    assert all(map(any, new))  # Each server was sometimes first.
    waiting = AT_TWO % BATCH
    assert two[1].counts.published_and_waiting("health") == (AT_TWO - waiting, waiting)
    assert two[0].invitations.issued_and_spent("health") == (
        (AT_TWO, AT_TWO) if invited else (0, 0)
    )


def test_one_invitation_in_50_requests_to_two_servers_is_spent_once(
    two: tuple[Store, Store],
) -> None:
    opened(two[0], definition(batch=BATCH, invitations=True))
    codes = [token_hash(code_from(bytes([number] * 16))) for number in range(length(4, 200))]
    two[0].invitations.add_invitations("health", codes)
    together = threading.Barrier(50, timeout=60)
    accepted: list[bytes] = []

    def run(number: int) -> None:
        for code in codes:
            together.wait()
            with suppress(SpentInvitation):
                response = Response(random.Random(f"{number}{code!r}").randbytes(16), (1,), code)
                if two[number % 2].responses.add_response("health", response):
                    accepted.append(code)

    at_once(run, 50)
    assert sorted(accepted) == sorted(codes)
    assert two[0].invitations.issued_and_spent("health") == (len(codes), len(codes))
    assert two[0].counts.number_of_responses("health") == len(codes)


def test_a_survey_closes_between_responses_to_two_servers(two: tuple[Store, Store]) -> None:
    """A refused response is absent and an accepted one present, at any moment."""
    opened(two[0], definition())
    taken: list[bytes] = []

    def run(number: int) -> None:
        if number == 0:
            time.sleep(0.05)
            two[0].lifecycle.set_state("health", "closed")
            return
        for turn in itertools.count():
            id = random.Random(f"{number} {turn}").randbytes(16)
            try:
                two[number % 2].responses.add_response("health", Response(id, (1,)))
            except SurveyClosed:
                return
            taken.append(id)

    at_once(run, 7)
    assert two[1].counts.published_and_waiting("health") == (len(taken), 0)
    assert two[1].counts.by_question("health") == ({"smokes": {1: len(taken)}} if taken else {})


@soak
def test_compactions_of_a_large_table_under_load_lose_nothing_and_no_reader_sees_less(
    two: tuple[Store, Store], database: str
) -> None:
    """Four writers and a reader on two servers, while both compact repeatedly.

    A client that waits too long gets an error, and comes again.
    """
    opened(two[0], definition(batch=BATCH))
    with connected(database) as db:  # earlier responses, which are not counted
        rows = f"SELECT decode(md5(n::text), 'hex'), 1 FROM generate_series(1, {LARGE}) AS n"
        db.execute(f"INSERT INTO responses_health {rows}")
    writing, compacted, seen = [4], [0, 0], [0]
    sent = length(30, 150)  # groups of each writer

    def run(number: int) -> None:
        store = two[number % 2]
        if number < 4:
            r = random.Random(number)
            for _ in range(sent):
                group = [("health", Response(r.randbytes(16), (1,))) for _ in range(10)]
                while True:
                    with suppress(StoreUnavailable):
                        store.responses.add_all(group)
                        break
            writing[0] -= 1
        while writing[0] > 0:
            if number == 4:
                seen.append(store.counts.number_of_responses("health"))
            elif number > 4:
                with suppress(StoreUnavailable):  # The other server is compacting.
                    store.compact()
                    compacted[number % 2] += 1
                time.sleep(0.2)  # Otherwise writers would hardly get a turn.

    at_once(run, 7)
    assert sum(compacted) >= 2
    assert seen == sorted(seen)
    n = 4 * 10 * sent
    two[0].compact()
    assert two[1].counts.published_and_waiting("health") == (n - n % BATCH, n % BATCH)
    with connected(database) as db:
        [there] = db.execute("SELECT count(*) FROM responses_health").fetchone()
    assert there == LARGE + n


def test_one_server_leads_and_when_it_is_gone_another_one(
    two: tuple[Store, Store], database: str
) -> None:
    """One server alone sends webhooks, since it remembers when to repeat."""
    assert two[0].database.leads()
    assert not two[1].database.leads()
    assert two[0].database.leads()
    third = open_store(database)
    two[0].close()
    for _ in range(100):  # until PostgreSQL has noticed
        if two[1].database.leads():
            break
        time.sleep(0.05)
    assert two[1].database.leads()
    assert not third.database.leads()
    with psycopg.connect(database, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
            f" AND classid = {connections.LEADING}"
        )
    with pytest.raises(StoreUnavailable):
        two[1].database.leads()
    assert {third.database.leads(), two[1].database.leads()} == {True, False}
    third.close()


# --- real servers, restarted one after the other


def test_servers_that_are_restarted_in_turn_lose_nothing_and_answer_all_the_time(
    database: str,
) -> None:
    store = open_store(database)
    clients = Clients(open_survey(store, BATCH).fingerprint, seed=5)
    store.close()
    surroundings = {"CANDOR_SECRET_KEY": "k" * 64}
    for thread in clients.threads:
        thread.start()
    try:
        running = serving_at_once(Path("/"), **surroundings | {"CANDOR_DATABASE": database})
        address, process, _ = running.__enter__()
        clients.serve(int(address.rsplit(":", 1)[1]))
        for _ in range(3):
            clients.wait_for_load(40)
            following = serving_at_once(Path("/"), **surroundings | {"CANDOR_DATABASE": database})
            address, next_process, _ = following.__enter__()
            clients.serve(int(address.rsplit(":", 1)[1]))
            stop(process, signal.SIGTERM)
            running.__exit__(None, None, None)
            running, process = following, next_process
        clients.wait_for_load(40)
        clients.end()
        running.__exit__(None, None, None)
    finally:
        clients.end()
    assert not clients.faults
    ledger = clients.ledger
    assert ledger.acknowledged == ledger.sent
    n = len(ledger.sent)
    assert judge(database, ledger) == Verdict(0, 0, 0, False, rows=n, waiting=n % BATCH)


# --- PostgreSQL crashes


@dataclass
class Load:
    """Threads that send responses to two stores, each until it is acknowledged."""

    stores: tuple[Store, Store]
    ledger: Ledger = field(default_factory=Ledger)
    ending: bool = False
    refused: int = 0
    known: int = 0  # recorded by an attempt that was never acknowledged

    def run(self, number: int) -> None:
        generator = random.Random(f"load {number}")
        for turn in itertools.count(number, THREADS):
            if self.ending:
                return
            response = Response(generator.randbytes(16), reports_of(turn))
            self.ledger.send(response)
            while True:
                try:
                    new = self.stores[turn % 2].responses.add_response("health", response)
                    break
                except StoreUnavailable:
                    self.refused += 1
                    time.sleep(0.02)
            self.ledger.acknowledge(response)
            self.known += not new

    def wait_for(self, more: int) -> None:
        enough, deadline = len(self.ledger.acknowledged) + more, time.monotonic() + 60
        while len(self.ledger.acknowledged) < enough:
            assert time.monotonic() < deadline
            time.sleep(0.005)


@contextmanager
def loaded(address: str) -> Iterator[Load]:
    load = Load((open_store(address), open_store(address)))
    open_survey(load.stores[0], BATCH)
    threads = [threading.Thread(target=load.run, args=[number]) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    try:
        yield load
    finally:
        load.ending = True
        for thread in threads:
            thread.join()
        for store in load.stores:
            store.close()


def verdict_of(address: str, load: Load) -> Verdict:
    return judge(address, load.ledger)


@soak
def test_crashes_of_postgresql_under_load_lose_nothing() -> None:
    moments = random.Random(6)
    with cluster() as server:
        address = server.url("template")
        with loaded(address) as load:
            for _ in range(CRASHES):
                load.wait_for(moments.randint(20, 100))
                time.sleep(moments.uniform(0, 0.02))
                server.stop(signal.SIGQUIT)
                stopped = time.monotonic()
                server.start()
                load.wait_for(1)
                assert time.monotonic() - stopped < 30  # 5 seconds on an idle machine
            load.wait_for(50)
        n = len(load.ledger.sent)
        verdict = verdict_of(address, load)
        store = open_store(address)
        store.lifecycle.set_state("health", "closed")
        store.close()
        after = verdict_of(address, load)
    assert load.ledger.acknowledged == load.ledger.sent
    assert (verdict.lost, verdict.double, verdict.strange, verdict.rows) == (0, 0, 0, n)
    assert not verdict.counts_differ
    assert (after.counts_differ, after.rows) == (False, n)
    assert load.refused >= CRASHES


def test_control_a_postgresql_that_acknowledges_before_it_writes_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The check at the start is omitted, and the log is written every ten seconds."""
    monkeypatch.setattr(connections, "require_durable", lambda db: None)
    with cluster(synchronous_commit="off", wal_writer_delay="10s") as server:
        address = server.url("template")
        with loaded(address) as load:
            lost = 0
            for _ in range(20):  # A crash just after the log is written loses nothing.
                load.wait_for(100)
                server.stop(signal.SIGQUIT)
                acknowledged = set(load.ledger.acknowledged)
                server.start()
                with psycopg.connect(address) as connection:
                    rows = connection.execute("SELECT id FROM responses_health").fetchall()
                lost = len(acknowledged - {id for (id,) in rows})
                if lost:
                    break
            load.ending = True
    assert lost


# --- a standby takes over


class Pair:
    """A server and its standby, which change roles. The primary is always in the same address."""

    def __init__(self, folder: Path, synchronous: bool):
        self.folder, self.synchronous = folder, synchronous
        self.names = itertools.count()

    def standby(self, primary: Cluster) -> Cluster:
        made = Cluster(primary.folder, 5433 if primary.port == 5432 else 5432)
        made.data = primary.folder / f"data{next(self.names)}"
        made.run(
            "pg_basebackup", "--pgdata", str(made.data), "--write-recovery-conf", "--no-sync",
            "--checkpoint=fast", "--dbname", primary.url("postgres") + "&application_name=standby",
        )  # fmt: skip
        made.start(**self.settings)
        return made

    @property
    def settings(self) -> dict[str, str]:
        return {"synchronous_standby_names": "*"} if self.synchronous else {}


def attached(primary: Cluster) -> None:
    """Wait until commits wait for the standby."""
    with psycopg.connect(primary.url("postgres"), autocommit=True) as connection:
        while True:
            rows = connection.execute("SELECT sync_state FROM pg_stat_replication").fetchall()
            if ("sync",) in rows or ("async",) in rows:
                return
            time.sleep(0.05)


def senders_of(primary: Cluster) -> list[int]:
    with psycopg.connect(primary.url("postgres")) as connection:
        return [pid for (pid,) in connection.execute("SELECT pid FROM pg_stat_replication")]


def writing(folder: Path, database: str) -> str:
    """The address of the one that accepts writes."""
    return (
        f"postgresql://candor@/{database}?host={folder},{folder}&port=5432,5433"
        "&target_session_attrs=read-write"
    )


@soak
def test_failovers_to_a_synchronous_standby_lose_nothing() -> None:
    moments = random.Random(7)
    with cluster() as primary:
        pair = Pair(primary.folder, synchronous=True)
        running = [primary]
        try:
            standby = pair.standby(primary)
            running.append(standby)
            primary.administer("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.administer("SELECT pg_reload_conf()")
            attached(primary)
            address = writing(primary.folder, "template")
            with loaded(address) as load:
                for _ in range(FAILOVERS):
                    load.wait_for(moments.randint(20, 60))
                    primary.stop(signal.SIGKILL)
                    standby.run("pg_ctl", "promote", "--pgdata", str(standby.data))
                    primary, standby = standby, pair.standby(standby)
                    running.append(standby)
                    attached(primary)
                load.wait_for(50)
            verdict, n = verdict_of(address, load), len(load.ledger.sent)
        finally:
            for each in running:
                each.stop()
    assert load.ledger.acknowledged == load.ledger.sent
    assert (verdict.lost, verdict.double, verdict.strange, verdict.rows) == (0, 0, 0, n)
    assert not verdict.counts_differ
    assert load.refused >= FAILOVERS


def test_control_a_standby_that_is_not_waited_for_loses_what_was_acknowledged() -> None:
    with cluster() as primary:
        pair = Pair(primary.folder, synchronous=False)
        standby = pair.standby(primary)
        try:
            attached(primary)
            with loaded(writing(primary.folder, "template")) as load:
                load.wait_for(20)
                # The standby falls behind, as with a slow connection between them.
                senders = senders_of(primary)
                for pid in senders:
                    os.kill(pid, signal.SIGSTOP)
                load.wait_for(30)
                acknowledged = dict(load.ledger.acknowledged)
                primary.stop(signal.SIGKILL)
                for pid in senders:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                standby.run("pg_ctl", "promote", "--pgdata", str(standby.data))
                load.ending = True
            with psycopg.connect(writing(primary.folder, "template")) as connection:
                rows = connection.execute("SELECT id FROM responses_health").fetchall()
        finally:
            standby.stop()
    assert set(acknowledged) - {id for (id,) in rows}
