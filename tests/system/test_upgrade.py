"""A later version opens the database of the present schema, unchanged and complete at any moment.

tests/databases has this database and the figures that it showed. tests/databases/write.py writes
both. The later version is this one with one step more (tests/support/next_step.py).
"""

import json
import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import psycopg
import pytest

from survey.core.errors import SpentInvitation, StoreUnavailable
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.server.secret_key import SecretKeys
from survey.server.webhooks.messages import secret_of
from survey.store import ANALYST, EDITOR, MEMBER, OWNER, Account, open_store
from survey.store.baseline import BASELINE
from survey.web.second_factor import derive_totp_key
from tests.databases.write import write_database
from tests.support.definitions import definition, opened
from tests.support.lengths import length, soak
from tests.support.next_step import NEXT, add_next_step
from tests.support.postgresql import Cluster, cluster
from tests.support.present_database import FIGURES, figures, fill_from_present, present_database
from tests.support.project import ROOT
from tests.support.stores import connected, is_postgresql, tables_with

pytestmark = pytest.mark.both_stores

# Tables with random numbers or with encrypted values.
RANDOM = {"_sqlite_migrations", "wrapped_key", "saved_analyses", "codes", "deleted_drafts"}


@pytest.fixture
def database(fresh_database: str, tmp_path: Path) -> str:
    """The database of the present schema."""
    fill_from_present(fresh_database, tmp_path)
    return fresh_database


def steps_of(database: Path | str) -> list[str]:
    table = "migrations" if is_postgresql(database) else "_sqlite_migrations"
    with connected(database) as db:
        return sorted(name for (name,) in db.execute(f"SELECT name FROM {table}").fetchall())


def rows(database: Path | str) -> dict[str, tuple[list[str], list[tuple[object, ...]]]]:
    """The columns and all rows of each table."""
    found = {}
    tables = sorted(tables_with(database))
    with connected(database) as db:
        for name in tables:
            cursor = db.execute(f'SELECT * FROM "{name}"')
            content = sorted(cursor.fetchall(), key=repr)
            found[name] = [each[0] for each in cursor.description], content
    return found


def require_same_figures(now: dict[str, list[list[object]]]) -> None:
    """They are those of the present database.

    Rounding in linear algebra depends on the processor, in the 16th digit. A fault in a program
    changes much earlier digits. A missing figure is None.
    """
    then = json.loads(FIGURES.read_text())
    assert now.keys() == then.keys()
    assert len(now) == 9
    for slug, shown in then.items():
        for one, other in zip(now[slug], shown, strict=True):
            assert one[0] == other[0], slug
            for mine, theirs in zip(one[1:], other[1:], strict=True):
                close = None if theirs is None else pytest.approx(theirs, rel=1e-9, abs=1e-12)
                assert mine == close, (slug, one, other)


def test_the_script_writes_this_database_again(tmp_path: Path) -> None:
    require_same_figures(write_database(tmp_path / "new.db"))
    new, kept = rows(tmp_path / "new.db"), rows(present_database(tmp_path / "kept.db"))
    assert new.keys() == kept.keys()
    for name, (columns, content) in kept.items():
        assert new[name][0] == columns, name
        assert name in RANDOM or new[name][1] == content, name
        assert content or name in ("responses_remarks.comprehension", "setup"), name


def test_every_row_stays_and_a_new_step_is_added(
    database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = rows(database)
    with closing(open_store(database)) as store:
        assert store.database.migrated == ()
    assert rows(database) == before
    add_next_step(monkeypatch)
    with closing(open_store(database)) as store:
        assert store.database.migrated == (NEXT,)
    assert steps_of(database) == [BASELINE, NEXT]
    after = rows(database)
    assert after.pop("mottos") == (["motto"], [])
    assert after.pop("published") == (["survey", "motto"], [("coins", "hello")])
    for name in ("published", "migrations", "_sqlite_migrations"):
        before.pop(name, None)
        after.pop(name, None)
    assert after == before
    with closing(open_store(database)) as store:
        assert store.database.migrated == ()


def test_a_new_database_has_the_new_step_too(
    fresh_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_next_step(monkeypatch)
    open_store(fresh_database).close()
    assert steps_of(fresh_database) == [BASELINE, NEXT]
    assert "mottos" in tables_with(fresh_database)


def test_every_estimate_is_the_same_but_for_rounding(database: str) -> None:
    with closing(open_store(database)) as store:
        require_same_figures(figures(store))


def test_the_check_finds_no_damage_but_a_changed_count_a_lost_and_an_invented_one(
    database: str,
) -> None:
    lost = "DELETE FROM counts WHERE survey = 'coins' AND responses > 0 AND report = 0"
    damages = (
        ("UPDATE counts SET responses = responses + 1 WHERE survey = 'coins'", "counts"),
        (lost, "counts"),
        ("INSERT INTO counts VALUES ('coins', 'party', 9, 1)", "counts"),
        ("INSERT INTO counts VALUES ('coins', 'party', 9, -1)", "counts"),
    )
    with closing(open_store(database)) as store:
        assert list(store.integrity.faults()) == []
        with store.database.transaction() as db:
            table = db.execute("SELECT survey, question, report, responses FROM counts").fetchall()
        for damage, word in damages:
            with store.database.transaction() as db:
                db.execute(damage)
            [fault] = store.integrity.faults()
            assert word in fault
            assert "'coins'" in fault
            with store.database.transaction() as db:
                db.execute("DELETE FROM counts")
                for row in table:
                    db.execute("INSERT INTO counts VALUES (?, ?, ?, ?)", row)
        assert list(store.integrity.faults()) == []


def test_it_goes_on(database: str) -> None:
    with closing(open_store(database)) as store:
        arrived, few = (
            store.counts.number_of_responses("coins"),
            store.counts.published_and_waiting("coins")[1],
        )
        for number in range(25):
            assert store.responses.add_response(
                "coins", Response(bytes([number]) * 16, (1, number % 3))
            )
        assert store.responses.add_response("coins", Response(bytes(16), (1, 0))) is False
        assert store.counts.number_of_responses("coins") == arrived + 25
        store.lifecycle.set_state("coins", "closed")
        assert store.counts.published_and_waiting("coins") == (arrived + 25 - few, few)
        if store.surveys.by_slug("closed").archived:
            store.lifecycle.set_archived("closed", False)
        store.lifecycle.set_state("closed", "open")
        assert store.surveys.by_slug("later").state == "draft"
        account = store.accounts.by_name("ada")
        assert account is not None
        assert (account.role, account.password_hash) == ("owner", "scrypt:not-a-hash")
        opened(store, definition())
        store.lifecycle.delete_survey("coins")
        store.compact()


def test_accounts_keep_their_reach(database: str) -> None:
    """Every account has its role on every survey, and another account can be narrowed."""
    roles = {"ada": OWNER, "bob": ANALYST, "mia": MEMBER}
    with closing(open_store(database)) as store:
        slugs = [each.slug for each in store.surveys.list_surveys()]
        for name, role in roles.items():
            account = store.accounts.by_name(name)
            assert account is not None
            for slug in slugs:
                expected = EDITOR if (name, slug) == ("mia", "coins") else role
                assert account.role_on(slug) == expected
        store.accounts.add_account(Account(name="eve", role=MEMBER, password_hash="hash"))
        store.accounts.set_survey_role("eve", "coins", ANALYST)
        eve = store.accounts.by_name("eve")
        assert eve is not None
        assert [slug for slug in slugs if eve.role_on(slug) != MEMBER] == ["coins"]


def test_receipts_invitations_and_second_factors_are_as_they_were(database: str) -> None:
    with closing(open_store(database)) as store:
        assert store.invitations.issued_and_spent("receipts") == (20, 14)
        assert store.counts.published_and_waiting("receipts") == (9, 4)
        spent, unspent = (token_hash(f"{number:026d}") for number in (100, 119))
        with pytest.raises(SpentInvitation):
            store.invitations.check_invitation("receipts", spent)
        store.invitations.check_invitation("receipts", unspent)
        with connected(database) as db:
            ids = [id for (id,) in db.execute("SELECT id FROM responses_receipts").fetchall()]
        assert [store.responses.withdraw("receipts", id) for id in ids] == [True] * 13
        factor = store.factors.second_factor("ada")
        assert factor is not None
        assert (factor.on, factor.last_step) == (True, 5)


def test_second_factors_and_webhooks_outlive_a_new_key_as_well(database: str) -> None:
    """The server starts on it, first with the key of its time, and then with another one."""
    with closing(open_store(database)) as store:
        factor, [webhook] = store.factors.second_factor("ada"), store.webhooks.receivers("coins")
        assert factor is not None
        assert store.factors.wrapped_key() is not None
        for keys in (SecretKeys(store, "k" * 64), SecretKeys(store, "3" * 64, "k" * 64)):
            assert keys.settle()
            assert keys.base == "k" * 64
            assert derive_totp_key(keys.base, factor.salt) == "RIUXN2XV7HHMHRP2ZEMZKUGB2MZMSLJZ"
            assert secret_of(keys.base, webhook.id) == (
                "728e30ff9f1cabd9090f09eb5334dbad704401892eb1d527483c64510a737ffd"
            )


# --- killed in between


def upgraded(database: Path, *shares: float, apart: bool = False) -> list[Path]:
    """Upgraded copies, each killed after a share of all steps. The first was not killed."""
    arguments = ["apart"] * apart + [str(database), *map(str, (0, *shares))]
    subprocess.run(
        [sys.executable, "-m", "tests.support.upgrading", *arguments], cwd=ROOT, check=True
    )
    return [Path(f"{database}.{share}") for share in (0, *shares)]


def content_of(path: Path) -> list[object]:
    """The readable contents of a database, without the moments of its migrations."""
    found: list[object] = []
    with connected(path) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        found += db.execute("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2").fetchall()
    for name, (columns, content) in sorted(rows(path).items()):
        found += [name, columns, steps_of(path) if name == "_sqlite_migrations" else content]
    return found


@pytest.mark.slow
@pytest.mark.sqlite_only
@soak
def test_killed_at_any_moment_it_is_as_before_or_whole_and_opens_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moments between any two steps of SQLite's machine, with any part of the log on the disk.

    A kill within the commit itself may cut off the last writes.
    """
    present, chance = present_database(tmp_path / "candor.db"), random.Random(3)
    before = content_of(present)
    finished, *ends = upgraded(present, *(chance.random() for _ in range(length(5, 50))), 1)
    log = finished.with_name(f"{finished.name}-wal").read_bytes()
    for n in (*chance.sample(range(len(log)), length(5, 50)), len(log)):
        cut = Path(copyfile(finished, f"{present}.cut.{n}"))
        cut.with_name(f"{cut.name}-wal").write_bytes(log[:n])
        ends.append(cut)
    after = None
    seen = {"old": 0, "new": 0}
    add_next_step(monkeypatch)
    for end in ends:
        found = content_of(end)
        open_store(str(end)).close()
        after = after or content_of(end)
        assert found in (before, after), end
        assert content_of(end) == after
        seen["old" if found == before else "new"] += 1
    assert seen["old"] >= length(5, 50)  # The single transaction ends with the last few steps.
    assert seen["new"] >= 1  # the complete log


@pytest.mark.slow
@pytest.mark.sqlite_only
def test_control_statements_that_are_transactions_of_their_own_are_found_half_way(
    tmp_path: Path,
) -> None:
    present = present_database(tmp_path / "candor.db")
    before = content_of(present)
    finished, *ends = upgraded(present, *(n / 10 for n in range(1, 10)), apart=True)
    after = content_of(finished)
    assert any(content_of(end) not in (before, after) for end in ends)


# --- PostgreSQL: a migration that breaks off, and a crash within it


def state_of(database: str) -> tuple[list[object], list[object]]:
    with psycopg.connect(database) as connection:
        columns = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = 'public' ORDER BY 1, 2"
        ).fetchall()
        return columns, connection.execute("SELECT name FROM migrations ORDER BY 1").fetchall()


@pytest.mark.needs_postgresql
def test_an_upgrade_of_postgresql_that_breaks_off_changes_nothing(
    postgresql_server: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgresql_server.database("template") as database:
        with closing(open_store(database)) as store:
            opened(store, definition())
            store.shares.publish("health", True)
        before = state_of(database)
        with monkeypatch.context() as patch:
            add_next_step(patch, "SELECT pg_terminate_backend(pg_backend_pid());")
            with pytest.raises(StoreUnavailable):
                open_store(database)
        assert state_of(database) == before
        add_next_step(monkeypatch)
        with closing(open_store(database)) as store:
            assert store.shares.is_published("health")
        assert state_of(database) != before


@pytest.mark.needs_postgresql
@soak
def test_a_server_of_postgresql_that_crashes_amid_an_upgrade_has_done_none_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An immediate stop while the next statement waits."""
    with cluster() as server:
        database = server.url("template")
        before = state_of(database)
        for _ in range(length(1, 20)):
            with monkeypatch.context() as patch:
                add_next_step(patch, "CREATE TABLE half (way words); SELECT pg_sleep(30);")
                crash = subprocess.Popen(
                    ["sh", "-c", f"sleep 0.4; kill -QUIT {server.process.pid}"]
                )
                with pytest.raises(StoreUnavailable):
                    open_store(database)
                assert crash.wait() == 0
            server.process.wait(60)
            server.start()
            assert state_of(database) == before
        add_next_step(monkeypatch)
        open_store(database).close()
        assert (NEXT,) in state_of(database)[1]
