"""Nothing stored reveals when people came: no column, and no trace in the order of the bytes.

The test of the order is strict. Two databases receive the same responses in different orders. After
compaction the files have the same bytes if no response waits for its batch. If some wait, the file
shows that these came last. tests/web/test_published_results.py shows that it reveals no more.
"""

import random
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path
from shutil import copyfile

import pytest
from flask import Flask

from app import create_app
from survey.definition.frozen import FrozenSurvey
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.server.settings import Settings
from survey.store import Store, open_store
from survey.store.sqlite import connections
from survey.store.sqlite.store import SQLiteStore
from tests.support.definitions import definition, opened
from tests.support.every_type import FIELDS, PICKED, SAMPLED, Row, drawn, sent, stored
from tests.support.lengths import soak
from tests.support.stored_order import N, drawn_responses, orders


def some_row() -> Row:
    return stored(drawn(random.Random(9), PICKED))


def twins_in(folder: Path) -> tuple[Path, Path]:
    """Two copies of one database with an open survey and no response."""
    origin, first, second = (folder / f"{name}.db" for name in ("origin", "first", "second"))
    store = open_store(str(origin))
    opened(store, SAMPLED)
    store.close()
    copyfile(origin, first)
    copyfile(origin, second)
    return first, second


@pytest.fixture
def twins(tmp_path: Path) -> tuple[Path, Path]:
    return twins_in(tmp_path)


def log_of(database: Path) -> bytes:
    """The write-ahead log, whose pages are in order of arrival, or nothing if there is none."""
    log = database.with_name(f"{database.name}-wal")
    return log.read_bytes() if log.exists() else b""


@pytest.fixture(scope="module")
def fed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two databases with the same responses in different orders, before compaction."""
    databases = twins_in(tmp_path_factory.mktemp("fed"))
    for database, arriving in zip(databases, orders(drawn_responses()), strict=True):
        store = open_store(str(database))
        for response in arriving:
            assert store.responses.add_response("health", response)
        store.close()
    return databases


def compacted(database: Path, folder: Path) -> Path:
    """A compacted copy, with no open connection."""
    copy = folder / database.name
    copyfile(database, copy)
    store = open_store(str(copy))
    store.compact()
    store.close()
    assert log_of(copy) == b""
    return copy


@pytest.mark.slow
@soak
def test_compacted_files_do_not_depend_on_the_order_of_arrival(
    fed: tuple[Path, Path], tmp_path: Path
) -> None:
    first, second = (compacted(database, tmp_path).read_bytes() for database in fed)
    assert len(first) > N * 16  # All responses are in it.
    assert first == second


def test_before_compaction_the_order_does_show(fed: tuple[Path, Path]) -> None:
    """A control: compaction is needed, and the comparison of bytes can fail."""
    assert fed[0].read_bytes() != fed[1].read_bytes()


@pytest.mark.slow
def test_the_same_over_http_where_retries_and_refusals_leave_no_mark(
    twins: tuple[Path, Path], settings: Settings
) -> None:
    """Only one of the two databases sees the retries and refusals."""
    responses = drawn_responses(3, 150)
    for database, arriving in zip(twins, orders(responses), strict=True):
        app = create_app(Settings(**{**vars(settings), "database": str(database)}))
        store = app.extensions["candor.store"]
        client = app.test_client()
        fingerprint = store.surveys.by_slug("health").frozen.fingerprint
        for number, response in enumerate(arriving):
            body = {
                "id": response.id.hex(),
                "fingerprint": fingerprint,
                "reports": sent(response.reports),
            }
            assert client.post("/s/health/responses", json=body).status_code == 201
            if database == twins[1] and number % 5 == 0:
                assert client.post("/s/health/responses", json=body).status_code == 200
                body["reports"]["remarks"] = "Something else."
                assert client.post("/s/health/responses", json=body).status_code == 409
                body["reports"]["sleep"] = "3"
                assert client.post("/s/health/responses", json=body).status_code == 422
        store.compact()
        store.close()
    assert twins[0].read_bytes() == twins[1].read_bytes()


def test_the_compact_command_compacts_while_other_connections_are_open(
    twins: tuple[Path, Path], settings: Settings
) -> None:
    """Like the machine of a running server, whose connections are open but idle."""
    for database, arriving in zip(twins, orders(drawn_responses(n=150)), strict=True):
        serving = open_store(str(database))
        for response in arriving:
            serving.responses.add_response("health", response)
        assert log_of(database)  # There is something to compact.
        app = create_app(Settings(**{**vars(settings), "database": str(database)}))
        result = app.test_cli_runner().invoke(args=["database", "compact"])
        assert (result.exit_code, result.output) == (0, "The database is compacted.\n")
        assert log_of(database) == b""
        assert serving.responses.add_response(
            "health", Response(bytes(16), some_row())
        )  # It continues.
        serving.compact()
        for store in (serving, app.extensions["candor.store"]):
            store.close()
    assert twins[0].read_bytes() == twins[1].read_bytes()


def test_a_compaction_that_cannot_empty_the_log_says_so(
    twins: tuple[Path, Path], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite keeps the log while a reader uses it."""
    monkeypatch.setattr(connections, "BUSY_SECONDS", 0.1)
    app = create_app(Settings(**{**vars(settings), "database": str(twins[0])}))
    store = app.extensions["candor.store"]
    for response in drawn_responses(n=50):
        store.responses.add_response("health", response)
    with closing(sqlite3.connect(twins[0])) as reader:
        reader.execute("BEGIN").execute("SELECT * FROM responses_health").fetchone()
        assert log_of(twins[0])
        result = app.test_cli_runner().invoke(args=["database", "compact"])
        assert log_of(twins[0])
        assert result.exit_code == 1
        assert "not compacted" in result.output
    assert app.test_cli_runner().invoke(args=["database", "compact"]).exit_code == 0
    assert log_of(twins[0]) == b""
    store.close()


def order_of_storage(database: Path) -> list[bytes]:
    with closing(sqlite3.connect(database)) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM responses_health NOT INDEXED")]


def test_control_an_ordinary_table_would_show_the_order_even_when_compacted(
    twins: tuple[Path, Path],
) -> None:
    """The same responses in a table with a rowid keep their order after compaction."""
    for database, arriving in zip(twins, orders(drawn_responses(n=150)), strict=True):
        with closing(sqlite3.connect(database)) as connection, connection:
            [(statement,)] = connection.execute(
                "SELECT sql FROM sqlite_master WHERE name = 'responses_health'"
            ).fetchall()
            connection.execute("DROP TABLE responses_health")
            connection.execute(statement.replace(", WITHOUT ROWID", ""))
        store = open_store(str(database))
        for response in arriving:
            store.responses.add_response("health", response)
        store.compact()
        store.close()
        assert order_of_storage(database) == [response.id for response in arriving]
    assert twins[0].read_bytes() != twins[1].read_bytes()


def test_rows_lie_and_export_in_the_order_of_their_random_ids(
    fed: tuple[Path, Path], tmp_path: Path
) -> None:
    by_id = sorted(drawn_responses(), key=lambda response: response.id)
    assert by_id != drawn_responses()
    for database in fed:
        copy = compacted(database, tmp_path)
        assert order_of_storage(copy) == [response.id for response in by_id]
        store = open_store(str(copy))
        assert list(store.responses.rows("health")) == [response.reports for response in by_id]
        store.close()


def test_deleted_content_is_overwritten(tmp_path: Path) -> None:
    """A draft that is deleted for good cannot be read from the free pages of the file."""
    store = open_store(str(tmp_path / "candor.db"))
    store.surveys.save_draft(parse_survey(definition(introduction="canary " * 1_000)))
    opened(store, definition(slug="other"))
    store.deleted_drafts.delete_draft("health", date.today())
    store.deleted_drafts.drop_deleted(store.deleted_drafts.list_deleted(date.today())[0].number)
    store.close()  # not compacted, which would write the file again anyway
    assert b"canary" not in (tmp_path / "candor.db").read_bytes()


# --- the schema -----------------------------------------------------------------------------------


@pytest.fixture
def frozen(store: Store) -> FrozenSurvey:
    return opened(store, SAMPLED)


@pytest.fixture
def schema(frozen: FrozenSurvey, settings: Settings) -> dict[str, tuple[str, list[str]]]:
    """Each table's statement and the names of its columns, from a separate connection."""
    with closing(sqlite3.connect(settings.database)) as connection:
        tables = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        return {
            name: (
                sql,
                [row[1] for row in connection.execute(f'PRAGMA table_xinfo("{name}")')],
            )
            for name, sql in tables.fetchall()
        }


# Tables of researchers and of the program, which never hold responses. A session has moments so
# that it can expire. An action of a researcher has its moment, and none is a respondent's
# (tests/web/test_audit_log.py). A migration has one so that operators know when it ran.
NOT_ABOUT_RESPONSES = {
    *("accounts", "sessions", "setup", "links", "second_factors", "recovery_codes"),
    *("failed_sign_ins", "acts", "shares", "published", "pilots", "_sqlite_migrations"),
    *("api_tokens", "webhooks", "thresholds"),  # dates without times
    *("release_budgets", "releases"),  # noisy figures of all responses, and the date
    "wrapped_key",  # one row, of the server itself
    "designs",  # a researcher's knowledge of combinations of plain answers
    *("saved_analyses", "codes"),
    "deleted_drafts",  # a draft has no responses
    "coded_texts",  # what a researcher thinks of a text, with a hash of its id
    "survey_roles",
}
# The researcher who made a survey, and two days. They are known before there is any response.
SET_BEFORE_RESPONSES = ("creator", "created", "opened")
FORBIDDEN = re.compile(
    r"ip|addr|host|geo|countr|time|date|day|hour|moment|stamp|when|creat|updat|_at$|seen|age|agent"
    r"|browser|device|platform|screen|token|session|cookie|user|account|person|email|phone|invit"
    r"|referr|refer|language|lang|locale|sequence|serial|order|position|rank|rowid|previous|next"
    r"|header|request|nonce|hash|signature"
)


def test_a_response_is_an_id_and_the_questions_names_and_nothing_else(
    schema: dict[str, tuple[str, list[str]]],
) -> None:
    assert schema["responses_health"][1] == ["id", *FIELDS]


def test_no_table_can_link_a_response_to_a_person_a_device_or_a_moment(
    schema: dict[str, tuple[str, list[str]]],
) -> None:
    about_responses = {name: schema[name][1] for name in schema if name not in NOT_ABOUT_RESPONSES}
    # Anyone who adds a table decides here on which side it is.
    assert about_responses == {
        "surveys": [
            *("number", "slug", "definition", "document", "state", "origin"),
            *("closed_before", "archived", "cap", "target", "closes", "tables", "epsilon"),
            *SET_BEFORE_RESPONSES,
            # The number of texts at the last reopening, in the row of a sub-survey. No row of a
            # text says whether it is among them: see survey/store/sql/texts_apart.py.
            "texts_published",
        ],
        "counts": ["survey", "question", "report", "responses"],
        "responses_health": ["id", *FIELDS],
        # It shows which responses came last, until their batch is full: see
        # tests/web/test_published_results.py.
        "waiting": ["survey", "id"],
        # It is about the people who may respond, so it has no column in common with responses.
        "invitations": ["survey", "token_hash", "spent"],
    }
    assert all(name in schema for name in NOT_ABOUT_RESPONSES)
    for name, columns in about_responses.items():
        if name == "invitations":
            assert not set(columns) & set(about_responses["responses_health"])
            continue
        for column in columns:
            if name != "surveys" or column not in SET_BEFORE_RESPONSES:
                assert not FORBIDDEN.search(column), f"{name}.{column}"


@pytest.mark.parametrize(
    "column",
    [
        *("ip", "ip_address", "remote_addr", "created", "submitted_at", "time", "on_date", "day"),
        *("user_agent", "device", "token", "session_id", "cookie", "invitation", "account"),
        *("referrer", "referer", "language", "sequence", "order_of_arrival", "previous_id"),
    ],
)
def test_control_a_column_that_links_would_be_found(column: str) -> None:
    assert FORBIDDEN.search(column)


def test_nothing_but_tables_holds_responses(frozen: FrozenSurvey, settings: Settings) -> None:
    """A trigger, a view or an index could keep an order or a link that no table shows."""
    with closing(sqlite3.connect(settings.database)) as connection:
        others = connection.execute(
            "SELECT type, tbl_name FROM sqlite_master WHERE type <> 'table'"
        ).fetchall()
    # The index of SQLite for a UNIQUE slug, and those of researchers' tables.
    assert {(kind, table) for kind, table in others if table not in NOT_ABOUT_RESPONSES} == {
        ("index", "surveys")
    }


@pytest.mark.parametrize("table", ["responses_health", "counts", "invitations", "waiting"])
def test_the_tables_of_responses_are_strict_and_have_no_rowid(
    schema: dict[str, tuple[str, list[str]]], settings: Settings, table: str
) -> None:
    options = schema[table][0].rpartition(")")[2]
    assert {option.strip() for option in options.split(",")} == {"STRICT", "WITHOUT ROWID"}
    with closing(sqlite3.connect(settings.database)) as connection:
        for hidden in ("rowid", "oid", "_rowid_"):
            with pytest.raises(sqlite3.OperationalError, match="no such column"):
                connection.execute(f"SELECT {hidden} FROM {table}")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id", b"short"),
        ("id", bytes(17)),
        ("id", "0" * 16),
        ("id", None),
        ("smokes", "yes"),
        ("smokes", 0.5),
        ("smokes", b"127.0.0.1"),
        ("party", b"127.0.0.1"),
        ("glasses", "12:30"),
        ("remarks", b"127.0.0.1"),
        ("remarks", None),  # Every response has a report for a plain question.
        ("years", None),
    ],
)
def test_the_table_itself_refuses_what_is_no_response(
    frozen: FrozenSurvey, settings: Settings, column: str, value: object
) -> None:
    good: dict[str, object] = {"id": bytes(16), **dict(zip(FIELDS, some_row(), strict=True))}
    with closing(sqlite3.connect(settings.database)) as connection:
        insert = f"INSERT INTO responses_health VALUES ({', '.join('?' * len(good))})"
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(insert, list((good | {column: value}).values()))
        connection.rollback()
        connection.execute(insert, list(good.values()))  # a control
        connection.rollback()


# --- the connections that are really used -----------------------------------------------------


def reading(store: SQLiteStore) -> sqlite3.Connection:
    with store.database.reading() as db:
        return db.conn


def writing(store: SQLiteStore) -> sqlite3.Connection:
    with store.database.transaction() as db:
        return db.conn


@pytest.mark.parametrize("use", [reading, writing])
def test_connections_are_durable_and_overwrite_what_they_delete(
    store: SQLiteStore, use: Callable[[SQLiteStore], sqlite3.Connection]
) -> None:
    def pragma(name: str) -> object:
        return use(store).execute(f"PRAGMA {name}").fetchone()[0]

    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == 2  # FULL: each commit is on the disk before it is acknowledged.
    assert pragma("secure_delete") == 1


def test_so_is_each_connection_that_a_request_opens(
    app: Flask, store: SQLiteStore, frozen: FrozenSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every statement of an accepted request runs on a connection with these settings."""
    made: list[sqlite3.Connection] = []
    plain_connect = store.database.connect

    def connect():
        db = plain_connect()
        made.append(db.conn)
        return db

    monkeypatch.setattr(store.database, "connect", connect)
    store.database.pool.close_free()  # like a server that has just started
    body = {
        "id": "0" * 32,
        "fingerprint": frozen.fingerprint,
        "reports": sent(some_row()),
    }
    assert app.test_client().post("/s/health/responses", json=body).status_code == 201
    assert len(made) == 1
    settings = [
        made[0].execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "secure_delete")
    ]
    assert settings == ["wal", 2, 1]
