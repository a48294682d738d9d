"""Backups: online, compacted, complete or absent, and restored exactly."""

import os
import random
import re
import shlex
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copyfile

import pytest

from app import create_app
from survey.core.errors import BackupError, MoveError, StoreUnavailable
from survey.definition.responses.parse_response import Response
from survey.server.settings import Settings
from survey.store import Store, backups, copy_database, open_store
from survey.store.backups import TABLES_LEFT_OUT, remove_old, restore_backup, write_backup
from survey.store.copy_database import CopySummary
from tests.support.database_contents import contents, figures, fill_all
from tests.support.definitions import definition, opened
from tests.support.every_type import SAMPLED
from tests.support.ledger import Ledger, reports_of
from tests.support.lengths import SOAK, length, soak
from tests.support.next_step import add_next_step
from tests.support.postgresql import Cluster
from tests.support.project import ROOT
from tests.support.servers import serving, wait_for
from tests.support.stored_order import drawn_responses, orders
from tests.support.stores import connected, is_postgresql

NOW = datetime(2026, 11, 21, 21, 33, tzinfo=UTC)
NAME = "candor-20261121T213300Z.db"
KINDS = ["sqlite", "postgresql"]


@pytest.fixture
def databases(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """An empty database of each kind."""
    server: Cluster = request.getfixturevalue("postgresql_server")
    with server.database("template") as address:
        yield {"sqlite": str(tmp_path / "other.db"), "postgresql": address}


def backed_up(database: str, folder: Path, now: datetime = NOW) -> Path:
    with closing(open_store(database)) as store:
        return write_backup(store, folder, now)[0]


def restored(file: Path, database: str, **rest: bool) -> CopySummary:
    with closing(open_store(database)) as store:
        return restore_backup(file, store, **rest)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A SQLite database with something in almost every table. Tests only read it."""
    database = str(tmp_path_factory.mktemp("original") / "candor.db")
    with closing(open_store(database)) as store:
        fill_all(store)
    return database


@pytest.fixture(scope="module")
def good(original: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of it. Tests only read it."""
    return backed_up(original, tmp_path_factory.mktemp("good"))


@pytest.mark.needs_postgresql
def test_restored_to_either_database_everything_is_as_it_was_but_nobody_is_signed_in(
    original: str, good: Path, databases: dict[str, str]
) -> None:
    before = contents(original)
    assert all(before[table] for table in TABLES_LEFT_OUT)
    for database in databases.values():
        copied = restored(good, database)
        assert (copied.surveys, copied.responses) == (5, 67)
        assert contents(database) == before | {table: [] for table in TABLES_LEFT_OUT}
        assert figures(database) == figures(original)
    with closing(open_store(databases["sqlite"])) as store:
        assert store.responses.add_response("other", Response(b"later" + bytes(11), (1,)))
        opened(store, definition(slug="newest"))
        assert store.surveys.all()[0].survey.slug == "newest"


def test_a_backup_is_one_file_for_its_owner_which_any_sqlite_reads(good: Path) -> None:
    assert [file.name for file in good.parent.iterdir()] == [NAME]
    assert stat.S_IMODE(good.stat().st_mode) == 0o600
    assert good.read_bytes()[18:20] == b"\1\1"  # the bytes of a SQLite file without a log
    with closing(sqlite3.connect(f"file:{good}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
        ids = [id for (id,) in connection.execute("SELECT id FROM responses_health NOT INDEXED")]
        moments = connection.execute("SELECT applied_at FROM _sqlite_migrations").fetchall()
    assert ids == sorted(ids)
    assert set(moments) == {("",)}
    assert [file.name for file in good.parent.iterdir()] == [NAME]


@pytest.mark.needs_postgresql
def test_what_is_in_it_depends_on_no_order_of_arrival_nor_on_the_kind_of_database(
    tmp_path: Path, databases: dict[str, str]
) -> None:
    """The same responses in three orders, the last of which wait."""
    folder, files = tmp_path / "unfilled", []
    with closing(open_store(str(tmp_path / "origin.db"))) as store:
        opened(store, SAMPLED | {"batch": 25})
    template = backed_up(str(tmp_path / "origin.db"), folder)
    published, late = drawn_responses(n=50), drawn_responses(seed=8, n=10)
    three = [*orders(published), published]
    targets = [str(tmp_path / "first.db"), *databases.values()]
    live = []
    for place, (database, arriving) in enumerate(zip(targets, three, strict=True)):
        restored(template, database)
        with closing(open_store(database)) as store:
            coming = [("health", each) for each in (*arriving, *late[place:], *late[:place])]
            for first in range(0, len(coming), 10):  # A commit waits for the disk.
                store.responses.add_all(coming[first : first + 10])
            assert store.counts.published_and_waiting("health") == (50, 10)
        if not is_postgresql(database):
            live.append(Path(database).read_bytes())
        files.append(backed_up(database, tmp_path / f"{place}").read_bytes())
    assert files[0] == files[1] == files[2]
    assert live[0] != live[1]  # A control: before the backup, the files show the order.


def test_a_day_later_the_same_contents_are_the_same_file(
    original: str, good: Path, tmp_path: Path
) -> None:
    later = backed_up(original, tmp_path, NOW + timedelta(days=1))
    assert later.name == "candor-20261122T213300Z.db"
    assert later.read_bytes() == good.read_bytes()


# --- complete, or nothing -------------------------------------------------------------------------


def refused(file: Path, folder: Path, match: str) -> None:
    """Nothing of this file is restored."""
    database = str(folder / "target.db")
    with pytest.raises(BackupError, match=match):
        restored(file, database)
    assert not any(contents(database).values())


@soak
def test_a_damaged_backup_is_refused_or_nothing_of_what_it_holds_is_damaged(
    good: Path, tmp_path: Path
) -> None:
    """One byte is changed at a time.

    Changes without effect are in the bookkeeping of the file, such as the version of SQLite that
    wrote it.
    """
    content, target = good.read_bytes(), tmp_path / "damaged.db"
    chance, found = random.Random(1), 0
    tries = length(60, 4_000)
    for _ in range(tries):
        place = chance.randrange(len(content))
        damaged = bytearray(content)
        damaged[place] ^= chance.randrange(1, 256)
        target.write_bytes(damaged)
        try:
            backups.require_whole(target)
        except BackupError:
            found += 1
        else:
            with closing(sqlite3.connect(good)) as one, closing(sqlite3.connect(target)) as other:
                assert list(one.iterdump()) == list(other.iterdump())
    # Most bytes of this small file are free space within pages.
    assert found > tries / 10


def test_a_backup_that_is_cut_or_none_is_refused(good: Path, tmp_path: Path) -> None:
    content, cut = good.read_bytes(), tmp_path / "cut.db"
    for n in (0, 1, 99, 100, 4_096, len(content) // 2, len(content) - 4_096, len(content) - 1):
        cut.write_bytes(content[:n])
        refused(cut, tmp_path, "not a backup of Candor, or it is damaged|is damaged")
    cut.write_bytes(content + content[:5_000])  # as is what goes on after its end, or not at all
    cut.write_text("Dear all, here is the backup.")
    refused(cut, tmp_path, "not a backup of Candor")
    refused(tmp_path / "missing.db", tmp_path, "missing.db: No such file or directory")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE accounts SET password_hash = 'another' WHERE name = 'ada'",
        "UPDATE counts SET responses = responses + 1 WHERE survey = 'other'",
        "UPDATE responses_other SET smokes = 1 - smokes",
        "DELETE FROM waiting",
        "DELETE FROM acts WHERE number = (SELECT max(number) FROM acts)",
        "DROP TABLE designs",
        "DROP TABLE responses_other",
        "CREATE TABLE more (id PRIMARY KEY)",
        "UPDATE backup SET contents = replace(contents, '0', '1')",
        "DROP TRIGGER acts_no_update",
    ],
)
def test_a_changed_cell_a_missing_row_and_another_figure_are_found(
    good: Path, tmp_path: Path, change: str
) -> None:
    changed = Path(copyfile(good, tmp_path / "changed.db"))
    with closing(sqlite3.connect(changed)) as connection, connection:
        [(trigger,)] = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'acts_no_delete'"
        )
        connection.execute("DROP TRIGGER acts_no_delete")
        assert connection.execute(change).rowcount
        connection.execute(trigger)
    refused(changed, tmp_path, "is damaged")


def test_a_database_that_is_no_backup_is_refused(original: str, tmp_path: Path) -> None:
    copy = copyfile(original, tmp_path / "copy.db")
    refused(Path(copy), tmp_path, "not a backup of Candor")


def test_nothing_is_restored_over_anything(original: str, good: Path, tmp_path: Path) -> None:
    database = str(tmp_path / "target.db")
    with closing(open_store(database)) as store:
        store.accounts.set_setup_token("what a first start leaves")
    with pytest.raises(MoveError, match="is not empty"):
        restored(good, database)
    assert {table for table, rows in contents(database).items() if rows} == {"setup"}


def test_other_figures_from_the_same_rows_are_refused_unless_they_are_asked_for(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = copy_database.survey_results

    def another_version(frozen, counts, origin):
        return plain(frozen, {name: {0: 4} for name in counts}, origin)

    monkeypatch.setattr(copy_database, "survey_results", another_version)
    refused(good, tmp_path, "computes other results")
    assert restored(good, str(tmp_path / "target.db"), other_figures=True).responses == 67


@pytest.fixture
def tomorrow(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A later version, whose schema has one step more."""
    with monkeypatch.context() as patch:
        add_next_step(patch)
        yield patch


def test_a_backup_of_an_older_version_is_brought_up_to_date(
    good: Path, tmp_path: Path, tomorrow: pytest.MonkeyPatch
) -> None:
    before = good.read_bytes()
    restored(good, str(tmp_path / "target.db"))
    with connected(tmp_path / "target.db") as db:
        assert db.execute("SELECT * FROM published").fetchall() == [("health", "hello")]
    assert good.read_bytes() == before


def test_one_of_a_newer_version_is_refused(
    original: str, tmp_path: Path, tomorrow: pytest.MonkeyPatch
) -> None:
    newer = backed_up(str(copyfile(original, tmp_path / "newer.db")), tmp_path / "newer")
    tomorrow.undo()
    refused(newer, tmp_path, "A newer version of Candor wrote this backup")


def test_one_of_an_early_commit_is_refused(good: Path, tmp_path: Path) -> None:
    with connected(good) as db:
        db.execute("UPDATE _sqlite_migrations SET name = 'surveys_and_counts'")
    refused(good, tmp_path, "An early commit wrote this backup.")


def test_a_backup_that_fails_leaves_nothing_and_one_that_is_named_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, steps, full = tmp_path / "backups", list[str](), list[str]()

    def noted(step: str, plain):
        def doing(*arguments):
            steps.append(step)
            if [step] == full:
                raise OSError(28, "No space left on device")
            return plain(*arguments)

        return doing

    for owner, name in ((backups, "finish_backup"), (backups, "sync_to_disk"), (Path, "rename")):
        monkeypatch.setattr(owner, name, noted(name, getattr(owner, name)))
    with closing(open_store(str(tmp_path / "candor.db"))) as store:
        for full[:] in (["finish_backup"], ["sync_to_disk"], ["rename"]):
            with pytest.raises(BackupError, match="No space left on device"):
                write_backup(store, folder, NOW)
            assert list(folder.iterdir()) == []
        full.clear()
        steps.clear()
        write_backup(store, folder, NOW)
        assert steps == [
            "finish_backup",
            "sync_to_disk",
            "rename",
            "sync_to_disk",
        ]  # the file, then its name
        with pytest.raises(BackupError, match="exists already"):
            write_backup(store, folder, NOW)
    assert [file.name for file in folder.iterdir()] == [NAME]


def test_a_copy_that_is_not_the_same_gets_no_name(
    original: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finish(db, copied, plain=backups.finish_backup):
        plain(db, copied)
        db.execute("DELETE FROM waiting")  # like a loss by the disk

    monkeypatch.setattr(backups, "finish_backup", finish)
    with pytest.raises(BackupError, match="damaged"):
        backed_up(original, tmp_path / "backups")
    assert list((tmp_path / "backups").iterdir()) == []


# --- during other work ----------------------------------------------------------------------------


@pytest.mark.needs_postgresql
@soak
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_acknowledged_before_a_backup_is_in_it_and_the_same_elsewhere(
    kind: str, tmp_path: Path, databases: dict[str, str]
) -> None:
    """Four threads send responses without a pause, and the server compacts, during the backups."""
    database, ledger = databases[kind], Ledger()
    with closing(open_store(database)) as store:
        opened(store, SAMPLED | {"batch": 25})
    ending, faults, chance = threading.Event(), [], random.Random(5)
    ids = [chance.randbytes(16) for _ in range(2**16)]

    def send(store: Store, first: int) -> None:
        try:
            for number in range(first, len(ids), 4):
                if ending.is_set():
                    return
                response = Response(ids[number], reports_of(number))
                ledger.send(response)
                store.responses.add_response("health", response)
                ledger.acknowledge(response)
        except BaseException as error:
            faults.append(error)
            raise

    def compact(store: Store) -> None:
        while not ending.wait(0.2):
            try:
                store.compact(0.05)
            except StoreUnavailable:
                continue

    with closing(open_store(database)) as server, closing(open_store(database)) as own:
        threads = [threading.Thread(target=send, args=[server, first]) for first in range(4)]
        threads.append(threading.Thread(target=compact, args=[server]))
        for thread in threads:
            thread.start()
        try:
            for time in range(length(2, 20)):
                known = len(ledger.acknowledged)
                while len(ledger.acknowledged) < known + length(30, 60) and not faults:
                    ending.wait(0.005)
                before = dict(ledger.acknowledged)
                moment = NOW + timedelta(seconds=time)
                file, copied = write_backup(own, tmp_path / "backups", moment)
                sent, elsewhere = dict(ledger.sent), str(tmp_path / f"elsewhere-{time}.db")
                assert restored(file, elsewhere) == copied
                with closing(open_store(elsewhere)) as store:
                    there = rows_of(elsewhere)
                    assert (
                        len(there) == copied.responses == store.counts.number_of_responses("health")
                    )
                assert before.items() <= there.items() <= sent.items()
        finally:
            ending.set()
            for thread in threads:
                thread.join()
    assert not faults


def rows_of(database: str) -> dict[bytes, tuple[object, ...]]:
    with connected(database) as db:
        rows = db.execute("SELECT * FROM responses_health").fetchall()
    return {id: tuple(reports) for id, *reports in rows}


@pytest.mark.needs_postgresql
def test_no_compaction_of_postgresql_empties_what_is_being_copied(
    databases: dict[str, str],
) -> None:
    """For a transaction that began before, a table that is filled again is empty."""
    with (
        closing(open_store(databases["postgresql"])) as store,
        closing(open_store(databases["postgresql"])) as other,
    ):
        opened(store, definition())
        for number in range(3):
            store.responses.add_response("health", Response(bytes([number]) * 16, (1,)))
        with store.database.everything() as db:
            assert db.execute("SELECT count(*) FROM surveys").fetchone() == (1,)
            with pytest.raises(StoreUnavailable, match="is compacting"):
                other.compact(0.05)
            assert other.responses.add_response("health", Response(bytes([9]) * 16, (1,)))
            assert db.execute("SELECT count(*) FROM responses_health").fetchone() == (3,)
        other.compact()
        with store.database.everything() as db:
            assert db.execute("SELECT count(*) FROM responses_health").fetchone() == (4,)


# --- the commands ---------------------------------------------------------------------------------


def test_old_backups_are_deleted_and_nothing_else(original: str, tmp_path: Path) -> None:
    old, unfinished = "candor-20261022T213259Z.db", "candor-20261020T000000Z.db.part-wal"
    kept = ["candor-20261022T213300Z.db", "candor-20261120T000000Z.db", "candor.db", "notes.txt"]
    kept += ["candor-20261022T213259Z.db.gpg", "my-candor-20261022T213259Z.db", "candor-.db"]
    for name in (old, unfinished, *kept):
        (tmp_path / name).write_text("kept")
    assert remove_old(tmp_path, 30, NOW) == [unfinished, old]
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(kept)


def test_what_an_old_backup_held_is_overwritten_before_it_is_deleted(tmp_path: Path) -> None:
    """It may contain responses that were withdrawn later."""
    old = tmp_path / "candor-20200101T000000Z.db"
    old.write_bytes(b"x" * 5_000)
    with old.open("rb") as kept_open:
        assert remove_old(tmp_path, 30, NOW) == [old.name]
        assert kept_open.read() == bytes(5_000)


def test_the_commands_say_what_they_did(app, store: Store, tmp_path: Path) -> None:
    fill_all(store)
    runner, folder = app.test_cli_runner(), tmp_path / "backups"
    folder.mkdir()
    (folder / "candor-20200101T000000Z.db").touch()
    made = runner.invoke(args=["database", "backup", str(folder), "--keep", "30"])
    assert made.exit_code == 0, made.output
    [file] = folder.iterdir()
    assert "5 surveys, 67 responses and " in made.output
    assert f" other rows are in {file}, and every estimate is identical" in made.output
    assert "Deleted candor-20200101T000000Z.db, which is older than 30 days." in made.output
    assert store.audit.acts()[0].action == "created a backup"
    again = runner.invoke(args=["database", "restore", str(file)])
    assert (again.exit_code, "is not empty" in again.output) == (1, True)


@soak
def test_the_page_on_backups_is_right_word_for_word(tmp_path: Path, settings: Settings) -> None:
    """The commands of the document in their order: a backup, the loss of everything, the restore.

    In full, each command is its own process, and the server starts and answers.
    """
    page = (ROOT / "docs" / "how-to" / "back-up-and-restore.md").read_text()
    commands = re.findall(r"^ +candor (.*)$", page, re.MULTILINE)
    assert commands.pop() == "serve"
    folder, database = tmp_path / "backups", tmp_path / "candor.db"
    with closing(open_store(str(database))) as store:
        fill_all(store)
    before = figures(str(database))
    own = Settings(**{**vars(settings), "database": str(database)})
    said = []
    for command in commands:
        command = command.replace("/backups", str(folder))
        if " restore " in command:
            for lost in tmp_path.glob("candor.db*"):
                lost.unlink()
            [file] = folder.iterdir()
            command = re.sub(r"candor-\w+\.db", file.name, command)
        said.append(run(command, own))
    backup, restore, listed = said
    assert "5 surveys, 67 responses and " in backup
    assert restore.startswith("5 surveys, 67 responses and ")
    assert "health: closed, 31 responses" in listed
    assert figures(str(database)) == before
    if SOAK:
        with serving(database) as (address, _, _):
            wait_for(f"{address}/s/other")


def run(command: str, settings: Settings) -> str:
    """The output of a command of the page."""
    if SOAK:
        environment = {**os.environ, "CANDOR_DATABASE": settings.database}
        line = [sys.executable, "-m", "flask", "--app", "app", *shlex.split(command)]
        return subprocess.run(
            line, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        ).stdout
    app = create_app(settings)
    result = app.test_cli_runner().invoke(args=shlex.split(command))
    app.extensions["candor.store"].close()
    assert result.exit_code == 0, result.output
    return result.output
