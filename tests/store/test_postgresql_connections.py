"""Connections to PostgreSQL: durable commits or a refusal, and no password in a message."""

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from survey.core.errors import SettingsError, StoreUnavailable, SurveyClosed
from survey.definition.responses.parse_response import Response
from survey.store import Limits, Store, open_store
from survey.store.postgresql import connections
from tests.store.postgresql_names import name_of
from tests.support.definitions import definition, opened
from tests.support.every_type import FIELDS, PICKED, SAMPLED, drawn, stored
from tests.support.postgresql import Cluster, cluster

pytestmark = pytest.mark.needs_postgresql


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    store = open_store(database)
    yield store
    store.close()


@pytest.mark.parametrize("value", ["off", "local", "remote_write"])
def test_a_server_that_acknowledges_what_it_may_lose_is_refused(
    postgresql_server: Cluster, database: str, value: str
) -> None:
    name = name_of(database)
    postgresql_server.administer(f"ALTER DATABASE {name} SET synchronous_commit = {value}")
    with pytest.raises(SettingsError, match="synchronous_commit = on"):
        open_store(database)
    postgresql_server.administer(f"ALTER DATABASE {name} SET synchronous_commit = remote_apply")
    open_store(database).close()


@pytest.mark.parametrize("name", ["fsync", "full_page_writes"])
def test_a_server_that_does_not_write_to_the_disk_is_refused(name: str) -> None:
    with cluster() as made:
        made.stop()
        made.start(**{name: "off"})
        with pytest.raises(SettingsError, match=f"{name} = off, and could lose"):
            open_store(made.url("template"))


def test_no_server_is_a_sentence_and_no_trace_of_the_password(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be used just now") as refused:
        open_store(f"postgresql://candor:open-sesame@/nowhere?host={tmp_path}")
    assert "sesame" not in str(refused.value)


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_what_a_transaction_reads_after_it_waited_is_what_is_there_then(
    postgresql_server: Cluster, database: str, level: str
) -> None:
    """This holds with any setting of the database. Otherwise a survey of two would accept three."""
    name = name_of(database)
    postgresql_server.administer(
        f"ALTER DATABASE {name} SET default_transaction_isolation = '{level}'"
    )
    stores = [open_store(database) for _ in range(2)]
    opened(stores[0], definition())
    stores[0].lifecycle.set_limits("health", Limits(cap=2))
    together = threading.Barrier(8, timeout=60)

    def send(number: int) -> bool:
        together.wait()
        with suppress(SurveyClosed):
            return stores[number % 2].responses.add_response(
                "health", Response(bytes([number] * 16), (1,))
            )
        return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(send, range(8))) == 2
    assert stores[0].counts.number_of_responses("health") == 2
    for store in stores:
        store.close()


def test_what_postgresql_says_of_a_row_that_it_refuses_is_not_passed_on(
    store: Store,
) -> None:
    opened(store, SAMPLED)
    row = stored(drawn(random.Random(9), PICKED))
    remarks = FIELDS.index("remarks")
    for value, constraint in ((None, "remarks"), ("Canary\0Text", "no constraint")):
        odd = Response(b"CanaryCanaryCana", (*row[:remarks], value, *row[remarks + 1 :]))
        with pytest.raises(psycopg.Error, match=constraint) as refused:
            store.responses.add_response("health", odd)
        assert "Canary" not in str(refused.value)
        assert refused.value.__suppress_context__  # nor does its message contain it
    assert store.counts.number_of_responses("health") == 0


@pytest.mark.parametrize("password", ["se%zzame", "sesame sesame", "sesame/sesame"])
def test_an_address_that_cannot_be_read_is_not_shown(password: str) -> None:
    with pytest.raises(SettingsError, match="not a valid PostgreSQL address") as refused:
        open_store(f"postgresql://candor:{password}@localhost/candor")
    assert "ame" not in str(refused.value).replace("NAME", "")


def test_a_machine_that_is_gone_is_noticed_within_seconds(database: str) -> None:
    """The network would not show it: TCP would wait for a quarter of an hour, or two hours."""
    store = open_store(f"{database}&keepalives_idle=7")
    with store.database.reading() as db:
        said = db.connection.info.get_parameters()
    expected = connections.NETWORK_TIMEOUTS | {"keepalives_idle": "7"}
    assert {name: said[name] for name in expected} == expected
    store.close()


def test_a_server_that_takes_over_and_would_lose_responses_is_not_used(
    postgresql_server: Cluster, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Like a standby with other settings.

    Existing connections stay usable. New ones are refused until the settings are corrected.
    """
    monkeypatch.setattr(connections, "BUSY_SECONDS", 0.6)
    name = name_of(database)
    store = open_store(database)
    opened(store, definition())
    postgresql_server.administer(f"ALTER DATABASE {name} SET synchronous_commit = off")
    with store.database.reading() as db:
        assert db.execute("SHOW synchronous_commit").fetchone() == ("on",)
    assert store.responses.add_response("health", Response(bytes(16), (1,)))
    everyone = f"pg_stat_activity WHERE datname = '{name}'"
    postgresql_server.administer(f"SELECT pg_terminate_backend(pid) FROM {everyone}")
    with pytest.raises(StoreUnavailable):
        store.responses.add_response("health", Response(bytes([1] * 16), (1,)))
    postgresql_server.administer(f"ALTER DATABASE {name} RESET synchronous_commit")
    for _ in range(40):
        with suppress(StoreUnavailable):
            store.responses.add_response("health", Response(bytes([1] * 16), (1,)))
            break
    assert store.counts.number_of_responses("health") == 2
    store.close()
