"""This version opens the database of every earlier version, unchanged and complete at any moment.

tests/databases has one database for each earlier schema, and possibly one of the present schema.
The code of its time filled it and calculated the figures beside it. tests/databases/write.py made
them, in checkouts of the commits below.
"""

import json
import math
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import psycopg
import pytest

from app import create_app
from survey.core.errors import SpentInvitation, StoreUnavailable
from survey.definition.frozen import freeze
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.estimation.build_results import survey_results
from survey.estimation.share_intervals import METHOD
from survey.formats.csv_export import figures_of_question
from survey.server.secret_key import SecretKeys
from survey.server.settings import Settings
from survey.server.webhooks.messages import secret_of
from survey.store import ANALYST, EDITOR, MEMBER, OWNER, Account, Store, open_store
from survey.store.postgresql import migrations as postgresql_migrations
from survey.store.sqlite.migrations import migrations
from survey.web.second_factor import derive_totp_key
from tests.support.definitions import definition, opened
from tests.support.lengths import length, soak
from tests.support.old_databases import DATABASES, database_of
from tests.support.postgresql import Cluster, cluster
from tests.support.project import ROOT
from tests.support.stores import connected, is_postgresql, tables_with

VERSIONS = {  # each with the commit that made it
    "01_accounts_and_sessions": "6236211",  # the very first, with two types of questions
    "02_accounts_and_sessions": "963752a",  # every type
    "03_invitations": "bd113af",
    "04_roles": "43bdd94",
    "05_releases_and_limits": "30cab8e",
    "06_sharing": "9074862",
    "07_people": "3076691",
    "08_pilots": "a890a43",
    "09_other_programs": "c587117",
    "10_released_statistics": "42d759b",
    "11_designs": "27a1f62",
    "12_wrapped_key": "7927d46",
    "13_tables_of_drafts": "dfcba6f",
    "13_texts_apart": "aada9de",  # the same schema, with a survey that stores texts apart
    "14_saved_analyses_and_codes": "39b0af7",  # its commits were not kept
    "15_survey_roles": "669003c",
    "16_account_language": "a37fe24",
}
OF_POSTGRESQL = {
    "postgresql_1_first": "ccdb6c0",
    "postgresql_2_no_samples": "50b82cb",
    "postgresql_3_wrapped_key": "083b4c6",
    "postgresql_4_no_samples_at_all": "7927d46",
    "postgresql_5_tables_of_drafts": "dfcba6f",
    "postgresql_6_saved_analyses_and_codes": "39b0af7",
    "postgresql_7_survey_roles": "669003c",
    "postgresql_8_account_language": "a37fe24",
}


def on_postgresql(version: str) -> object:
    """Mark a version as a parameter that `make test` leaves out."""
    return pytest.param(version, marks=pytest.mark.needs_postgresql)


# These have surveys that were opened before ε had a limit.
UNLIMITED = ["12_wrapped_key", on_postgresql("postgresql_4_no_samples_at_all")]
# These have surveys that store texts next to private answers.
WITH_TEXTS = ["13_tables_of_drafts", on_postgresql("postgresql_5_tables_of_drafts")]
STEPS = [step.name for step in migrations._migrations]
ALL = pytest.mark.parametrize("version", [*VERSIONS, *map(on_postgresql, OF_POSTGRESQL)])


@pytest.fixture
def old(version: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of that version."""
    if version in VERSIONS:
        yield str(database_of(version, tmp_path))
        return
    server: Cluster = request.getfixturevalue("postgresql_server")
    with server.database() as address:
        with psycopg.connect(address) as connection:
            connection.execute((DATABASES / f"{version}.sql").read_bytes())
        yield address


@pytest.fixture
def new(version: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """An empty database of the present version."""
    if version in OF_POSTGRESQL:
        server: Cluster = request.getfixturevalue("postgresql_server")
        return server.url("template")
    open_store(str(tmp_path / "new.db")).close()
    return str(tmp_path / "new.db")


def steps_of(database: Path | str) -> list[str]:
    table = "migrations" if is_postgresql(database) else "_sqlite_migrations ORDER BY id"
    with connected(database) as db:
        return [name for (name,) in db.execute(f"SELECT name FROM {table}").fetchall()]


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


def schema(database: str) -> set[tuple[object, ...]]:
    """The structure of the tables that all surveys share.

    It is every column with its type and its default, every index and every trigger.
    """
    with connected(database) as db:
        if is_postgresql(database):
            found = db.execute(
                "SELECT table_name, column_name, domain_name, data_type, column_default,"
                " is_nullable FROM information_schema.columns WHERE table_schema = 'public'"
                " UNION SELECT tablename, indexname, indexdef, '', '', '' FROM pg_indexes"
                " WHERE schemaname = 'public'"
                " UNION SELECT event_object_table, trigger_name, event_manipulation, '', '', ''"
                " FROM information_schema.triggers"
            ).fetchall()
            return {row for row in found if not row[0].startswith("responses_")}
        columns = db.execute(
            "SELECT t.name, c.name, c.type, c.[notnull], c.dflt_value, c.pk"
            " FROM sqlite_master t JOIN pragma_table_xinfo(t.name) c"
            " WHERE t.type = 'table' AND t.name NOT LIKE 'responses%'"
        ).fetchall()
        others = db.execute(
            "SELECT name, sql FROM sqlite_master WHERE type <> 'table' AND sql IS NOT NULL"
        ).fetchall()
    return set(columns) | set(others)


def test_there_is_a_database_of_every_schema_before_this_one(tmp_path: Path) -> None:
    found = [steps_of(database_of(version, tmp_path)) for version in VERSIONS]
    # The first two steps came together.
    for n in range(2, len(STEPS)):
        assert STEPS[:n] in found
    assert {path.stem for path in DATABASES.glob("[0-9]*.*")} == set(VERSIONS)
    steps = list(postgresql_migrations.STEPS)
    named = [f"{n}_{step.replace(' ', '_')}" for n, step in enumerate(steps, 1)]
    of_postgresql = [name.partition("_")[2] for name in OF_POSTGRESQL]
    assert of_postgresql in (named[:-1], named)


@ALL
def test_every_row_is_as_it_was_and_the_schema_is_that_of_a_new_database(
    old: str, new: str
) -> None:
    before, steps = rows(old), steps_of(old)
    open_store(old).close()
    after = rows(old)
    for table, (columns, content) in before.items():
        names, now = after[table]
        assert names[: len(columns)] == columns
        kept = [tuple(row[: len(columns)]) for row in now]
        if not table.endswith("migrations"):
            assert sorted(kept, key=repr) == content
    assert schema(old) == schema(new)
    assert steps_of(old) == steps_of(new)
    assert steps_of(old)[: len(steps)] == steps
    if "closed_before" not in before["surveys"][0]:
        names, surveys = after["surveys"]
        for survey in (dict(zip(names, row, strict=True)) for row in surveys):
            assert survey["closed_before"] == (survey["state"] == "closed"), survey["slug"]


def shown(store: Store, slug: str) -> Iterator[list[object]]:
    """The results, as in tests/databases/write.py, and the methods of the intervals."""
    found = store.surveys.by_slug(slug)
    assert found.frozen is not None
    for question in survey_results(
        found.frozen, store.counts.by_question(slug), found.origin
    ).questions:
        for one in figures_of_question(question):
            ends = one["low"], one["high"]
            figures = [question.question.name, one["estimate"], one["standard_error"], *ends]
            yield [*figures, one["method"]]


@ALL
def test_every_estimate_is_the_same_but_for_rounding(old: str, version: str) -> None:
    then = json.loads((DATABASES / f"{version}.json").read_text())
    with closing(open_store(old)) as store:
        assert len(then) == len([each for each in store.surveys.all() if each.frozen]) >= 3
        for slug, figures in then.items():
            now = list(shown(store, slug))
            assert [each[0] for each in now] == [each[0] for each in figures], slug
            # Rounding in linear algebra depends on the processor, in the 16th digit. A fault in a
            # program changes much earlier digits. A missing figure is None.
            for one, other in zip(now, figures, strict=True):
                for mine, theirs in zip(one[1:3], other[1:3], strict=True):
                    close = (
                        pytest.approx(theirs, rel=1e-9, abs=1e-12) if theirs is not None else None
                    )
                    assert mine == close, (slug, one, other)
            # This version calculates ends of intervals more exactly. Versions up to now found those
            # of exact intervals on a grid of 2,001 shares, one or two steps on the safe side. The
            # first version did so for all intervals.
            for one, other in zip(now, figures, strict=True):
                on_grid = one[5] == METHOD or version < "02"
                assert one[3:5] == pytest.approx(other[3:5], abs=1e-3 if on_grid else 1e-5)


@ALL
def test_the_check_finds_no_damage_but_a_changed_count_a_lost_and_an_invented_one(old: str) -> None:
    lost = "DELETE FROM counts WHERE survey = 'coins' AND responses > 0 AND report = 0"
    damages = (
        ("UPDATE counts SET responses = responses + 1 WHERE survey = 'coins'", "counts"),
        (lost, "counts"),
        ("INSERT INTO counts VALUES ('coins', 'party', 9, 1)", "counts"),
        ("INSERT INTO counts VALUES ('coins', 'party', 9, -1)", "counts"),
    )
    with closing(open_store(old)) as store:
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


@ALL
def test_it_goes_on(old: str) -> None:
    with closing(open_store(old)) as store:
        arrived, few = store.counts.arrived("coins"), store.counts.released_and_waiting("coins")[1]
        for number in range(25):
            assert store.responses.add_response(
                "coins", Response(bytes([number]) * 16, (1, number % 3))
            )
        assert store.responses.add_response("coins", Response(bytes(16), (1, 0))) is False
        assert store.counts.arrived("coins") == arrived + 25
        store.lifecycle.set_state("coins", "closed")
        assert store.counts.released_and_waiting("coins") == (arrived + 25 - few, few)
        if store.surveys.by_slug("closed").archived:
            store.lifecycle.set_archived("closed", False)
        store.lifecycle.set_state("closed", "open")
        assert store.surveys.by_slug("later").state == "draft"
        account = store.accounts.by_name("ada")
        assert account is not None
        assert (account.role, account.password_hash) == ("owner", "scrypt:not-a-hash")
        opened(store, definition())
        store.lifecycle.delete_survey("coins")
        store.seal()


@ALL
def test_accounts_keep_their_reach(old: str) -> None:
    """Every account has the same role on every survey as before, and can be narrowed."""
    with connected(old) as db:
        names = [each[0] for each in db.execute("SELECT * FROM accounts").description]
        stored = db.execute(f"SELECT name, {'role' if 'role' in names else 'NULL'} FROM accounts")
        roles = {name: role or OWNER for name, role in stored.fetchall()}
        if "member" in names:
            members = db.execute("SELECT name FROM accounts WHERE member = 1").fetchall()
            roles |= {name: MEMBER for (name,) in members}
    # A role on a single survey, in the databases that have one.
    single = {("mia", "coins"): EDITOR, ("mia", None): EDITOR}
    with closing(open_store(old)) as store:
        slugs = [each.slug for each in store.surveys.listed()]
        for name, role in roles.items():
            account = store.accounts.by_name(name)
            assert account is not None
            for slug in (*slugs, None):
                assert account.role_on(slug) == single.get((name, slug), role)
        store.accounts.add_account(Account("eve", MEMBER, "hash"))
        store.accounts.set_survey_role("eve", "coins", ANALYST)
        eve = store.accounts.by_name("eve")
        assert eve is not None
        assert [slug for slug in slugs if eve.role_on(slug) != MEMBER] == ["coins"]


@pytest.mark.parametrize("version", UNLIMITED)
def test_a_survey_that_is_open_stays_open_whatever_its_epsilon(
    old: str, settings: Settings
) -> None:
    """One question of 999:1, by a mechanism and by a table, and seven questions of 7:1 each."""
    app = create_app(replace(settings, database=old))
    with closing(app.extensions["candor.store"]) as store:
        for slug, least in (
            ("one-nearly-certain", math.log(999)),
            ("one-table", math.log(999)),
            ("many-questions", 12),
        ):
            found = store.surveys.by_slug(slug)
            assert found.state == "open"
            assert found.frozen.survey.epsilon >= least
            arrived = store.counts.arrived(slug)
            sent = {
                "id": "5" * 32,
                "fingerprint": found.frozen.fingerprint,
                "reports": {question.name: "0" for question in found.survey.fields},
            }
            client = app.test_client()
            assert client.get(f"/s/{slug}").status_code == 200
            assert client.post(f"/s/{slug}/responses", json=sent).status_code == 201
            assert store.counts.arrived(slug) == arrived + 1


@pytest.mark.parametrize("version", WITH_TEXTS)
def test_texts_stay_with_the_answers_of_surveys_that_are_open(old: str, settings: Settings) -> None:
    """They keep their tables, requests, forms and receipts. Surveys that open now do not."""
    app = create_app(replace(settings, database=old))
    client = app.test_client()
    with closing(app.extensions["candor.store"]) as store:
        for slug, reports in (
            ("remarks", {"smokes": "0", "remarks": "New"}),
            ("remarks.practice", {"smokes": "0", "remarks": "New"}),
            ("remarks-alone", {"region": "0", "remarks": "New"}),
        ):
            found = store.surveys.by_slug(slug)
            assert found.frozen is not None
            assert found.survey.texts_apart is None
            assert [question.name for question in found.survey.fields] == list(reports)
            assert "texts_apart" not in found.frozen.document()["definition"]
            page = client.get(f"/s/{slug}").get_data(as_text=True)
            told = page.count("What you write is stored with your other answers.")
            # On the first page and at the question.
            assert told == (0 if slug == "remarks-alone" else 2)
            assert "stored apart" not in page
            arrived = store.counts.arrived(slug)
            sent = {"id": "5" * 32, "fingerprint": found.frozen.fingerprint, "reports": reports}
            texts = {"texts": {"id": "6" * 32, "reports": {"remarks": "New"}}}
            assert client.post(f"/s/{slug}/responses", json=sent | texts).status_code == 400
            assert client.post(f"/s/{slug}/responses", json=sent).status_code == 201
            assert client.post(f"/s/{slug}/responses", json=sent).status_code == 200
            assert store.counts.arrived(slug) == arrived + 1
        assert store.responses.withdraw("remarks", bytes.fromhex("5" * 32), bytes(16)) is True
        form = client.get("/s/remarks/by-hand").get_data(as_text=True)
        marks = dict(re.findall(r'name="([\w-]+)" value="([0-9a-f]{32,})"', form))
        assert marks.keys() == {"response-id", "survey-fingerprint"}
        arrived = store.counts.arrived("remarks.by-hand")
        given = marks | {"smokes": "0", "remarks": "By hand"}
        assert client.post("/s/remarks/by-hand", data=given).status_code == 303
        assert store.counts.arrived("remarks.by-hand") == arrived + 1
        store.lifecycle.set_state("remarks", "closed")
        store.lifecycle.set_state("remarks", "open")
        assert list(store.integrity.faults()) == []
        later = store.surveys.by_slug("remarks-later").survey
        assert later.texts_apart is True
        store.surveys.freeze(freeze(later), "open")
        assert store.surveys.by_slug("remarks-later.texts").state == "open"


@pytest.mark.parametrize("version", UNLIMITED)
def test_receipts_invitations_and_second_factors_are_as_they_were(old: str) -> None:
    with closing(open_store(old)) as store:
        assert store.invitations.issued_and_spent("receipts") == (20, 14)
        assert store.counts.released_and_waiting("receipts") == (9, 4)
        spent, unspent = (token_hash(f"{number:026d}") for number in (100, 119))
        with pytest.raises(SpentInvitation):
            store.invitations.check_invitation("receipts", spent)
        store.invitations.check_invitation("receipts", unspent)
        with connected(old) as db:
            ids = [id for (id,) in db.execute("SELECT id FROM responses_receipts").fetchall()]
        assert [store.responses.withdraw("receipts", id) for id in ids] == [True] * 13
        factor = store.factors.second_factor("ada")
        assert factor is not None
        assert (factor.on, factor.last_step) == (True, 5)


@ALL
def test_second_factors_and_webhooks_outlive_a_new_key_as_well(old: str, version: str) -> None:
    """The server starts on it, first with the key of its time, and then with another one."""
    with closing(open_store(old)) as store:
        factor, webhooks = store.factors.second_factor("ada"), store.webhooks.receivers("coins")
        assert (factor is None, not webhooks) == (version < "07", version < "09")
        # These contain values that AES-GCM encrypted.
        wrapped = version >= "12" and version not in list(OF_POSTGRESQL)[:3]
        assert wrapped == (store.factors.wrapped_key() is not None)
        for keys in (SecretKeys(store, "k" * 64), SecretKeys(store, "3" * 64, "k" * 64)):
            assert keys.settle()
            stored = store.factors.wrapped_key()
            assert stored is not None
            assert stored.startswith(b"gAAAA", 16)  # the prefix of every Fernet token
            assert keys.base == "k" * 64
            if factor is not None:
                assert derive_totp_key(keys.base, factor.salt) == "RIUXN2XV7HHMHRP2ZEMZKUGB2MZMSLJZ"
            for webhook in webhooks:
                assert secret_of(keys.base, webhook.id) == (
                    "728e30ff9f1cabd9090f09eb5334dbad704401892eb1d527483c64510a737ffd"
                )


# --- killed in between ----------------------------------------------------------------------------


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
@soak
@pytest.mark.parametrize("version", list(VERSIONS)[: length(1, len(VERSIONS))])
def test_killed_at_any_moment_it_is_as_before_or_whole_and_opens_again(
    version: str, tmp_path: Path
) -> None:
    """Moments between any two steps of SQLite's machine, with any part of the log on the disk.

    A kill within the commit itself may cut off the last writes.
    """
    old = database_of(version, tmp_path)
    before, chance = content_of(old), random.Random(3)
    finished, *ends = upgraded(old, *(chance.random() for _ in range(length(5, 50))), 1)
    log = finished.with_name(f"{finished.name}-wal").read_bytes()
    for n in (*chance.sample(range(len(log)), length(5, 50)), len(log)):
        cut = Path(copyfile(finished, f"{old}.cut.{n}"))
        cut.with_name(f"{cut.name}-wal").write_bytes(log[:n])
        ends.append(cut)
    after = None
    seen = {"old": 0, "new": 0}
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
def test_control_steps_that_are_transactions_of_their_own_are_found_half_way(
    tmp_path: Path,
) -> None:
    old = database_of("01_accounts_and_sessions", tmp_path)
    before = content_of(old)
    _, found = upgraded(old, 0.5, apart=True)
    half, done = content_of(found), len(steps_of(found))
    open_store(str(found)).close()
    assert half not in (before, content_of(found))
    assert 2 < done < len(STEPS)


# --- PostgreSQL: a migration that breaks off, and a crash within it -------------------------------

NEXT = (
    "CREATE TABLE mottos (motto words PRIMARY KEY); {}"
    "ALTER TABLE published ADD COLUMN motto words NOT NULL DEFAULT 'hello'"
)


def next_step(monkeypatch: pytest.MonkeyPatch, amid: str = "") -> None:
    steps = {**postgresql_migrations.STEPS, "next": NEXT.format(amid)}
    monkeypatch.setattr(postgresql_migrations, "STEPS", steps)


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
            next_step(patch, "SELECT pg_terminate_backend(pg_backend_pid());")
            with pytest.raises(StoreUnavailable):
                open_store(database)
        assert state_of(database) == before
        next_step(monkeypatch)
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
                next_step(patch, "CREATE TABLE half (way words); SELECT pg_sleep(30);")
                crash = subprocess.Popen(
                    ["sh", "-c", f"sleep 0.4; kill -QUIT {server.process.pid}"]
                )
                with pytest.raises(StoreUnavailable):
                    open_store(database)
                assert crash.wait() == 0
            server.process.wait(60)
            server.start()
            assert state_of(database) == before
        next_step(monkeypatch)
        open_store(database).close()
        assert ("next",) in state_of(database)[1]
