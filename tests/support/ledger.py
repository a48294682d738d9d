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
NUMBERS = 16  # bits of each respondent's number


def open_survey(store: Store, batch: int = 1) -> FrozenSurvey:
    """A survey of every type. Chance picks three of its private questions."""
    return opened(store, SAMPLED | {"batch": batch})


def reports_of(number: int) -> Row:
    """The stored row of the respondent of this number, in every form of report.

    It has integers, bits, texts, and nothing for questions that were not picked. No two rows are
    the same, so an additional row is found even under another id.
    """
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
    """The knowledge of the clients, kept outside the server."""

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
    lost: int  # acknowledged, but missing in the table or with other reports
    double: int  # further rows with the same respondent's reports
    strange: int  # rows that no client sent
    counts_differ: bool  # whether they differ from the sums of the released rows
    rows: int
    waiting: int = 0


def judge(database: Path | str, ledger: Ledger) -> Verdict:
    """Compare the database with the ledger by direct SQL, without the store."""
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

    If the connection breaks, the same bytes are sent again to the server's next port until they are
    acknowledged. The respondent's page does the same.
    """

    def __init__(self, fingerprint: str, seed: int):
        self.fingerprint = fingerprint
        self.ledger = Ledger()
        self.seed = seed
        self.news = threading.Condition()  # guards the four fields below
        self.port: int | None = None  # the port of the server while it runs
        self.since_start = 0  # acknowledged since the last start of the server
        self.broken = 0  # exchanges without an answer
        self.repeated = 0  # answers 200: the kill came after the commit and before the reply
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
        """One attempt. False means that it has to be repeated."""
        with self.news:
            self.news.wait_for(lambda: self.port is not None or self.ending)
            if self.port is None:
                return True  # The test ended early.
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
                    # This server has ended. Wait for the next, unless it runs already.
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


# The production server, except that it acknowledges before the commit. The disk is slow. Therefore
# a kill on a busy machine also falls between the two.
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
