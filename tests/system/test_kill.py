"""An acknowledged response is stored exactly once, however often the server is killed.

Sixteen clients send responses to the real server. Meanwhile SIGKILL ends its whole process group,
and it starts again on the same database. A ledger outside the server records each acknowledged
response (201 or 200). At the end the test compares the database with the ledger. This does not
cover a loss of power, where the operating system forgets too: that needs `synchronous=FULL`, which
test_compact.py reads.

Two controls must be found: a client that takes a new id for each retry, and a store that
acknowledges before it commits.
"""

import json
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response, parse_response
from survey.definition.survey import parse_survey
from survey.store import Store, open_store
from tests.support.at_once import serving_at_once
from tests.support.every_type import (
    PICKED,
    SAMPLED,
    sent,
)
from tests.support.ledger import (
    CLIENTS,
    EARLY,
    Clients,
    Ledger,
    Verdict,
    judge,
    open_survey,
    reports_of,
)
from tests.support.lengths import length, soak
from tests.support.servers import stop

KILLS = length(12, 200)
BATCH = 25  # responses in a published batch


def killed(database: Path, seed: int, kills: int, program: str = "app") -> Clients:
    """Clients of a server that was killed this often. In the end all of them got through.

    If no kill came between a commit and its reply, up to three times as many follow.
    """
    store = open_store(str(database))
    clients = Clients(open_survey(store, BATCH).fingerprint, seed)
    store.close()
    moments = random.Random(2)
    for thread in clients.threads:
        thread.start()
    try:
        for number in range(3 * kills):
            if number >= kills and clients.repeated:
                break
            with serving_at_once(database, program) as (address, process, _):
                clients.serve(int(address.rsplit(":", 1)[1]))
                # Under load, the kill comes after some answers. Otherwise it comes after a random
                # number of answers and up to 20 ms later. That time has a few commits, so a kill
                # meets each of their stages.
                clients.wait_for_load(moments.randint(1, 100))
                time.sleep(moments.uniform(0, 0.02))
                stop(process, signal.SIGKILL)
                clients.serve(None)
        # The last server is not killed. It gets the unfinished responses again, and acknowledges
        # them.
        with serving_at_once(database, program) as (address, _, _):
            clients.serve(int(address.rsplit(":", 1)[1]))
            clients.wait_for_load(10 * CLIENTS)
            clients.end()
    finally:
        clients.end()
    return clients


@pytest.mark.slow
@soak
def test_killed_again_and_again_under_load_nothing_acknowledged_is_lost_or_counted_twice(
    tmp_path: Path,
) -> None:
    database = tmp_path / "candor.db"
    clients = killed(database, 1, KILLS)
    assert not clients.faults
    ledger = clients.ledger
    # In the end every respondent got through, so the database has exactly the sent responses.
    assert ledger.acknowledged == ledger.sent
    n = len(ledger.sent)
    assert judge(database, ledger) == Verdict(0, 0, 0, False, rows=n, waiting=n % BATCH)
    assert len(ledger.sent) > KILLS * 30
    assert clients.broken > KILLS  # The kills met requests that were not answered yet.
    # They also met the worst moment. That happened 40 times in 50 kills before group commits, so
    # none of 36 kills would meet it once in 10^12 runs.
    assert clients.repeated > 0


def test_each_respondent_reports_in_every_form_and_on_three_private_questions() -> None:
    """The oracle needs reports that all differ, and the survey accepts them."""
    frozen = freeze(parse_survey(SAMPLED), to_open=False)
    rows = [reports_of(number) for number in range(5_000)]
    assert len(set(rows)) == 5_000
    for row in rows[:500]:
        body = {"id": "0" * 32, "fingerprint": frozen.fingerprint, "reports": sent(row)}
        assert parse_response(json.dumps(body).encode(), frozen).reports == row
        assert sum(value is not None for value in row[:8]) == PICKED
    by_column = list(zip(*rows, strict=True))
    assert all({type(value) for value in column} > {type(None)} for column in by_column[:8])


# --- controls: the judge must find each fault -----------------------------------------------------


class ReplyLost(Exception):
    """The response was committed, but the respondent never read the reply."""


def lossy(store: Store, response: Response, chance: random.Random) -> None:
    store.responses.add_response("health", response)
    if chance.random() < 0.2:
        raise ReplyLost


def retried(
    store: Store, ledger: Ledger, seed: int, new_id: Callable[[bytes, random.Random], bytes]
) -> None:
    """300 responses, each sent until its reply arrives. `new_id` gives the id of a retry."""
    chance = random.Random(seed)
    for number in range(300):
        response = Response(chance.randbytes(16), reports_of(number))
        while True:
            ledger.send(response)
            try:
                lossy(store, response, chance)
                break
            except ReplyLost:
                response = Response(new_id(response.id, chance), response.reports)
        ledger.acknowledge(response)


@pytest.mark.slow
@soak
def test_control_a_server_that_acknowledges_before_it_commits_is_found_out(tmp_path: Path) -> None:
    program = tmp_path / "early.py"
    program.write_text(EARLY)
    clients = killed(tmp_path / "candor.db", 5, length(3, 10), str(program))
    verdict = judge(tmp_path / "candor.db", clients.ledger)
    # Most of the sixteen clients of each kill are in that gap. The last server is not killed.
    assert verdict.lost > 0
    assert verdict.double == verdict.strange == 0


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def database(settings, store: Store) -> Path:
    """The file of a store with an open survey."""
    open_survey(store)
    return Path(settings.database)


def test_a_reply_lost_after_the_commit_is_made_good_by_sending_the_same_id(
    store: Store, database: Path, ledger: Ledger
) -> None:
    retried(store, ledger, 3, new_id=lambda old, _: old)
    assert judge(database, ledger) == Verdict(0, 0, 0, False, rows=300)


def test_control_a_client_with_a_new_id_for_each_retry_is_found_out(
    store: Store, database: Path, ledger: Ledger
) -> None:
    retried(store, ledger, 3, new_id=lambda _, chance: chance.randbytes(16))
    verdict = judge(database, ledger)
    assert verdict.double == verdict.rows - 300
    # A fifth of the replies is lost, so about 75 are expected. The seed is fixed.
    assert verdict.double > 30
    assert verdict.lost == verdict.strange == 0


def test_control_a_store_that_acknowledges_before_it_commits_is_found_out(
    store: Store, database: Path, ledger: Ledger
) -> None:
    """Ten responses share one transaction here, and the kill comes before the last is done.

    A group commit that answers too early would have this effect.
    """
    chance = random.Random(4)
    group: list[Response] = []
    for number in range(95):
        response = Response(chance.randbytes(16), reports_of(number))
        ledger.send(response)
        ledger.acknowledge(response)  # This is the fault: the commit follows only now.
        group.append(response)
        if len(group) == 10:
            for held in group:
                store.responses.add_response("health", held)
            group.clear()
    # The kill comes here: the five in `group` are lost with the process.
    verdict = judge(database, ledger)
    assert (verdict.lost, verdict.double, verdict.rows) == (5, 0, 90)


def test_control_counts_that_do_not_fit_the_rows_are_found_out(
    store: Store, database: Path, ledger: Ledger
) -> None:
    response = Response(bytes(16), reports_of(1))
    ledger.send(response)
    store.responses.add_response("health", response)
    assert not judge(database, ledger).counts_differ
    for change in (
        "UPDATE counts SET responses = 2 WHERE question = 'remarks'",
        "UPDATE counts SET responses = 1",  # repaired afterwards; then a count of one bit is lost
        "DELETE FROM counts WHERE question = 'news' AND report = 1",
    ):
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute(change)
        assert judge(database, ledger).counts_differ == ("SET responses = 1" not in change)


def test_control_a_row_with_other_reports_or_that_nobody_sent_is_found_out(
    store: Store, database: Path, ledger: Ledger
) -> None:
    first = Response(bytes(16), reports_of(1))
    second = Response(bytes([1] * 16), reports_of(2))
    ledger.send(first)
    ledger.acknowledge(Response(first.id, reports_of(3)))
    for response in (first, second):
        store.responses.add_response("health", response)
    verdict = judge(database, ledger)
    assert (verdict.lost, verdict.strange) == (1, 1)
