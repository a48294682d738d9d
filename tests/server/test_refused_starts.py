"""The server refuses to start if it would lose or damage responses, and a sentence says why."""

import errno
import os
import random
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app import Application, create_app
from survey.core.errors import SettingsError, StoreUnavailable, SurveyError
from survey.definition.responses.parse_response import Response
from survey.server.http.asgi_server import listen
from survey.server.settings import Settings
from survey.store import Store, open_store
from survey.store.sqlite.connections import SQLiteDatabase, report_sqlite_errors
from tests.support.definitions import definition, opened, yes_no
from tests.support.project import ROOT

RESPONSES = 3_000


def refused(database: Path, **environment: str) -> str:
    """The output of `serve` on a database on which it must not start."""
    done = subprocess.run(
        [sys.executable, "-m", "flask", "--app", "app", "serve"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "CANDOR_DATABASE": str(database), "PORT": "0"} | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Candor is running" not in done.stdout
    return done.stderr.strip()


@pytest.fixture
def filled(settings: Settings, store: Store) -> Path:
    """A database with responses, compacted and closed."""
    opened(store, definition(yes_no(), batch=1), state="closed")
    generator = random.Random(1)
    batch = [Response(generator.randbytes(16), (k % 2,)) for k in range(RESPONSES)]
    store.responses.add_batches("health", [batch], "simulated")
    store.compact()
    store.close()
    return Path(settings.database)


@pytest.mark.slow
def test_a_key_that_is_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret_key").write_text("")
    said = refused(tmp_path / "candor.db", PORT="8000")
    assert said == (
        "Candor cannot start. CANDOR_SECRET_KEY is shorter than 32 characters. Set a longer key."
    )


@pytest.mark.parametrize(
    ("host", "fault", "advice"),
    [
        ("127.0.0.1", errno.EADDRINUSE, "Stop the program that uses it, or set PORT to another"),
        ("127.0.0.1", errno.EACCES, "Set PORT to a number above 1023."),
        ("192.0.2.1", None, "Set HOST to an address of this machine."),
    ],
)
def test_an_address_that_cannot_be_bound_is_refused(
    app: Application, monkeypatch: pytest.MonkeyPatch, host: str, fault: int | None, advice: str
) -> None:
    """Two faults of a port, and an address that no machine has."""

    def bind(*_: object, **__: object) -> socket.socket:
        assert fault is not None
        raise OSError(fault, os.strerror(fault))

    if fault is not None:
        monkeypatch.setattr(socket, "create_server", bind)
    settings = replace(app.settings, host=host, port=8000)
    with pytest.raises(SettingsError, match=f"^Cannot listen on {host}:8000: .*{advice}"):
        listen(app, settings, app.extensions["candor.store"])


def test_a_database_without_permissions_is_refused(tmp_path: Path) -> None:
    """A folder in its place cannot be opened, and a connection that only reads cannot write."""
    (tmp_path / "candor.db").mkdir()
    advice = r"\. Check the permissions of the file and its folder\.$"
    with pytest.raises(StoreUnavailable, match=f"unable to open database file{advice}"):
        open_store(str(tmp_path / "candor.db"))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA query_only = 1")
        with pytest.raises(StoreUnavailable, match=advice), report_sqlite_errors():
            connection.execute("CREATE TABLE t (a)")


def test_what_is_no_database_is_refused(settings: Settings) -> None:
    """Without its own process: the message of the factory is the one above."""
    Path(settings.database).write_bytes(b"This is a letter, and no database at all. " * 100)
    with pytest.raises(SystemExit) as refusal:
        create_app(settings)
    said = str(refusal.value)
    assert said.startswith("Candor cannot start. The database cannot be used just now")
    assert said.endswith("file is not a database.")


def test_a_database_of_a_newer_version_is_refused_and_not_touched(filled: Path) -> None:
    with closing(sqlite3.connect(filled)) as connection, connection:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
            " VALUES ('candor', 'telepathy', '2099-01-01')"
        )
    before = filled.read_bytes()
    with pytest.raises(SettingsError, match=r"A newer version of Candor wrote .* \(telepathy\)"):
        open_store(str(filled))
    assert filled.read_bytes() == before


def test_a_connection_that_does_not_wait_for_the_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted bug: FULL is missing from the pragmas."""
    import survey.store.sqlite.connections as module

    source = Path(module.__file__).read_text()
    assert source.count('"synchronous=FULL"') == 1
    spoiled = source.replace('"synchronous=FULL"', '"synchronous=OFF"')
    namespace = {"__name__": module.__name__, "__package__": module.__package__}
    exec(compile(spoiled, "spoiled", "exec"), namespace)
    kind: type[SQLiteDatabase] = namespace["SQLiteDatabase"]  # type: ignore[assignment]
    with pytest.raises(SettingsError, match="does not accept synchronous=FULL"):
        kind(tmp_path / "candor.db")


def test_a_damaged_database_is_refused_or_tells_the_same(filled: Path, tmp_path: Path) -> None:
    """Forty files, each with ten changed bytes: the check finds them, or the results stay the same.

    The bytes may be in free space, or in a header without meaning.
    """
    sound = open_store(str(filled))
    expected = sorted(sound.responses.rows("health")), sound.counts.by_question("health")
    sound.close()
    content, r, found = filled.read_bytes(), random.Random(2), 0
    for number in range(40):
        spoiled = bytearray(content)
        for _ in range(10):
            spoiled[r.randrange(len(spoiled))] ^= 1 << r.randrange(8)
        database = tmp_path / f"{number}.db"
        database.write_bytes(spoiled)
        try:
            store = open_store(str(database))
        except SurveyError:
            found += 1
            continue
        try:
            store.integrity.require_sound()
        except (SettingsError, StoreUnavailable):
            found += 1
        else:
            assert (
                sorted(store.responses.rows("health")),
                store.counts.by_question("health"),
            ) == expected
        finally:
            store.close()
    assert found > 0


def test_a_damaged_database_is_refused_in_a_sentence(filled: Path) -> None:
    content = bytearray(filled.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = bytes(4096)
    filled.write_bytes(content)
    said = refused(filled, PORT="8000")
    assert said.startswith("Error: ")
    assert said.endswith(".")
    assert "malformed" in said or "damaged" in said
