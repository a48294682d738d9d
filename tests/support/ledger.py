"""The requests and answers of clients, compared with the database afterwards."""

import json
import random
import threading
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.parse_response import Response
from survey.store import Store
from tests.support.definitions import opened
from tests.support.every_type import COUNTS, FIELDS, PRIVATE_FIELDS, SAMPLED, Row, sent, tallied
from tests.support.stores import connected, is_postgresql

CLIENTS = 16
NUMBERS = 16  # bits of the number that each respondent has


def open_survey(store: Store, batch: int = 1) -> FrozenSurvey:
    """A survey of every type, of whose private questions chance picks three."""
    return opened(store, SAMPLED | {"batch": batch})


def reports_of(number: int) -> Row:
    """What is stored of the respondent of this number, in every form of report: whole numbers,
    bits, texts, and nothing where it is not picked. No two have the same, so that one row too
    many is seen even if it came under another id."""
    chosen = {number % 8, (number + 1) % 8, (number + 3) % 8}
    bits = {"party": "10010000", "colour": f"{number % 16:04b}", "tried": "0--1-"}
    bits |= {"news": f"{number % 8:03b}", "remarks": f"I am number {number}."}
    values = {name: bits.get(name, number % COUNTS.get(name, 1)) for name in FIELDS}
    for place, name in enumerate(PRIVATE_FIELDS):
        if place not in chosen:
            values[name] = None
    return tuple(values[name] for name in FIELDS)


@dataclass
class Ledger:
    """What clients know: kept outside of the server, and never told by it."""

    sent: dict[bytes, Row] = field(default_factory=dict)
    acknowledged: dict[bytes, Row] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, response: Response) -> None:
        with self.lock:
            self.sent[response.id] = response.reports

    def acknowledge(self, response: Response) -> None:
        with self.lock:
            self.acknowledged[response.id] = response.reports


@dataclass(frozen=True)
class Verdict:
    lost: int  # acknowledged, but not in the table, or there with other reports
    double: int  # rows beyond the first with the same respondent's reports
    strange: int  # rows that nobody sent
    counts_differ: bool  # from what the rows that do not wait add up to
    rows: int
    waiting: int = 0


def judge(database: Path | str, ledger: Ledger) -> Verdict:
    """Hold the database against the ledger, by SQL of its own: the store is not asked."""
    with connected(database) as connection:
        if not is_postgresql(database):
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = connection.execute("SELECT * FROM responses_health").fetchall()
        counts = connection.execute("SELECT question, report, responses FROM counts").fetchall()
        waiting = {row[0] for row in connection.execute("SELECT id FROM waiting").fetchall()}
    table = {identity: tuple(reports) for identity, *reports in rows}
    assert len(table) == len(rows)
    tally = {
        (name, code, n)
        for name, codes in tallied(table[each] for each in table.keys() - waiting).items()
        for code, n in codes.items()
    }
    return Verdict(
        lost=sum(table.get(i) != reports for i, reports in ledger.acknowledged.items()),
        double=len(table) - len(set(table.values())),
        strange=sum(ledger.sent.get(i) != reports for i, reports in table.items()),
        counts_differ=set(counts) != tally or len(counts) != len(tally),
        rows=len(table),
        waiting=len(waiting),
    )


class Clients:
    """Sixteen threads, each of which sends one response after another until the end.

    Where the connection breaks, the same bytes are sent again to wherever the server is by then,
    until they are acknowledged: what the respondent's page does.
    """

    def __init__(self, fingerprint: str, seed: int):
        self.fingerprint = fingerprint
        self.ledger = Ledger()
        self.seed = seed
        self.news = threading.Condition()  # guards the four below
        self.port: int | None = None  # of the server, while there is one
        self.since_start = 0  # acknowledged since the server was last started
        self.broken = 0  # exchanges that ended without an answer
        self.repeated = 0  # answers 200: the kill came after the commit, before the reply
        self.ending = False
        self.faults: list[str] = []
        self.threads = [threading.Thread(target=self.run, args=[k]) for k in range(CLIENTS)]

    def run(self, client: int) -> None:
        generator = random.Random(f"{self.seed} {client}")
        try:
            for number in range(client, 2**NUMBERS, CLIENTS):
                if self.ending:
                    return
                response = Response(generator.randbytes(16), reports_of(number))
                self.ledger.send(response)
                while not self.attempt(response):
                    pass
            self.faults.append("more responses than numbers")
        except Exception as error:
            self.faults.append(repr(error))
            raise

    def attempt(self, response: Response) -> bool:
        """One try: False if it has to be made again."""
        with self.news:
            self.news.wait_for(lambda: self.port is not None or self.ending)
            if self.port is None:
                return True  # the test is over before its time
            port = self.port
        body = {
            "id": response.id.hex(),
            "fingerprint": self.fingerprint,
            "reports": sent(response.reports),
        }
        with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
            try:
                connection.request(
                    "POST",
                    "/s/health/responses",
                    json.dumps(body),
                    {"Content-Type": "application/json"},
                )
                reply = connection.getresponse()
                answer = reply.read()
            except (OSError, HTTPException):
                with self.news:
                    self.broken += 1
                    # this server is gone: wait for the next, unless it is there already
                    if self.port == port:
                        self.port = None
                return False
        if reply.status not in (200, 201):
            self.faults.append(f"{reply.status} {answer!r}")
            return True
        self.ledger.acknowledge(response)
        with self.news:
            self.since_start += 1
            self.repeated += reply.status == 200
            self.news.notify_all()
        return True

    def serve(self, port: int | None) -> None:
        with self.news:
            self.port = port
            self.since_start = 0
            self.news.notify_all()

    def wait_for_load(self, acknowledgements: int) -> None:
        with self.news:
            enough = self.news.wait_for(
                lambda: self.since_start >= acknowledgements or self.faults, timeout=60
            )
        assert enough
        assert not self.faults

    def end(self) -> None:
        with self.news:
            self.ending = True
            self.news.notify_all()
        for thread in self.threads:
            thread.join()


# The production server, but what waits for a commit is told before it that all went well; the disk
# is slow, so that a kill on a busy machine meets the time between, too
EARLY = """
import time
from survey.server import group_commit
from app import create_app

def early(gathered, group):
    items, futures = zip(*group)
    loop = futures[0].get_loop()
    loop.call_soon_threadsafe(group_commit.resolve_futures, futures, [True] * len(group))
    time.sleep(0.1)
    gathered.work(items)

group_commit.GroupCommitQueue.do = early
"""
