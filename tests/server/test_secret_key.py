"""A new secret key disturbs nobody: second factors, webhooks and sessions stay valid."""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyotp
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from survey.definition.responses.invitation_codes import token_hash
from survey.server import secret_key
from survey.server.secret_key import OTHER_KEY_ADVICE, SecretKeys, unwrap_base_key, wrap_base_key
from survey.server.settings import Settings
from survey.server.webhooks.messages import secret_of
from survey.store import OWNER, Account, Session, Store, durable_files
from survey.store.backups import restore_backup, write_backup
from survey.store.postgresql.compaction import connection_warnings
from survey.web import auth, second_factor
from tests.support.cheaper import migrated
from tests.support.researchers import password_hash
from tests.support.stores import connected

pytestmark = pytest.mark.both_stores
PRODUCT_COST = secret_key.SCRYPT_COST

FERNET = b"gAAAA"  # the beginning of its tokens
FIRST, SECOND, THIRD = "k" * 64, "An operator's own second key, ữ ก 码", "3" * 32
SALT, WEBHOOK = bytes(range(16)), bytes(range(16, 32))


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are tried a hundred times here, and once or twice at the start of a server."""
    monkeypatch.setattr(secret_key, "SCRYPT_COST", PRODUCT_COST | {"n": 16})


@contextmanager
def running(
    settings: Settings, key: str, before: str = "", *, settled: bool = True
) -> Iterator[Flask]:
    """A server with this key, as `serve` starts it."""
    app = create_app(replace(settings, secret_key=key, secret_key_before=before))
    if settled:
        assert app.extensions["candor.keys"].settle()
    yield app
    app.extensions["candor.store"].close()


def with_factor(store: Store, name: str = "ada") -> None:
    store.accounts.add_account(Account(name=name, role=OWNER, password_hash=password_hash()))
    store.factors.begin_second_factor(name, SALT)
    store.factors.confirm_second_factor(name, 0, [])


def code_fits(app: Flask, secret_key: str, name: str = "ada") -> bool:
    """Whether the phone's app, set up under this key, still gives valid codes."""
    code = pyotp.TOTP(second_factor.derive_totp_key(secret_key, SALT)).at(time.time())
    with app.app_context():
        key = auth.account_totp_key(name)
        assert key is not None
        return second_factor.step_of(key, code, time.time()) is not None


def signed_in(app: Flask) -> str:
    """The cookie of a session."""
    now = int(time.time())
    store = app.extensions["candor.store"]
    store.accounts.add_session(token_hash("token").hex(), Session("ada", created=now, seen=now))
    client = app.test_client()
    with client.session_transaction(base_url="http://localhost/admin/") as session:
        session["token"] = "token"
    cookie = client.get_cookie("candor", path="/admin")
    assert cookie is not None
    return cookie.value


def is_in(app: Flask, cookie: str) -> bool:
    client: FlaskClient = app.test_client()
    client.set_cookie("candor", cookie, path="/admin")
    return client.get("/admin/account").status_code == 200


def test_second_factors_webhooks_and_sessions_outlive_two_keys(settings: Settings) -> None:
    with running(settings, FIRST) as app:
        with_factor(app.extensions["candor.store"])
        cookie = signed_in(app)
        secret = secret_of(app.extensions["candor.keys"].base, WEBHOOK)
        assert code_fits(app, FIRST)
    for key, before in ((SECOND, FIRST), (THIRD, SECOND)):
        with running(settings, key, before) as app:
            assert code_fits(app, FIRST)
            assert secret_of(app.extensions["candor.keys"].base, WEBHOOK) == secret
            assert is_in(app, cookie) == (before == FIRST)  # The cookie belongs to the first key.
        with running(settings, key) as app:  # the key before is removed
            assert code_fits(app, FIRST)
            assert secret_of(app.extensions["candor.keys"].base, WEBHOOK) == secret
            assert not is_in(app, cookie)


@pytest.mark.sqlite_only
def test_who_had_no_factor_before_gets_one_that_outlives_the_next_key(settings: Settings) -> None:
    with running(settings, FIRST):
        pass
    with running(settings, SECOND, FIRST) as app:
        with_factor(app.extensions["candor.store"])
        key = app.extensions["candor.keys"].base
    with running(settings, THIRD, SECOND) as app:
        assert code_fits(app, key)


@pytest.mark.sqlite_only
def test_without_the_key_before_factors_are_lost_and_it_is_said(settings: Settings) -> None:
    """The control. The operator may still supply the key, or declare it lost."""
    with running(settings, FIRST) as app:
        with_factor(app.extensions["candor.store"])
    with running(settings, SECOND, settled=False) as app:
        keys = app.extensions["candor.keys"]
        assert not keys.settle()
        assert not code_fits(app, FIRST)
        assert code_fits(app, SECOND)  # A new second factor uses this key.
        assert (
            OTHER_KEY_ADVICE in app.test_cli_runner().invoke(args=["database", "rotate-key"]).output
            or keys.file is None
        )
    with running(settings, SECOND, FIRST) as app:
        assert code_fits(app, FIRST)
        refused = app.test_cli_runner().invoke(args=["database", "rotate-key", "--lost"])
        assert (refused.exit_code, "no key is lost" in refused.output) == (1, True)
    with running(settings, THIRD, settled=False) as app:
        done = app.test_cli_runner().invoke(args=["database", "rotate-key", "--lost"])
        assert done.exit_code == 0
        assert app.extensions["candor.keys"].settle()
        assert code_fits(app, THIRD)
    with running(settings, FIRST, THIRD) as app:
        assert code_fits(app, THIRD)


@pytest.mark.sqlite_only
def test_servers_that_still_have_the_key_before_go_on(settings: Settings) -> None:
    """The servers restart in turn, twice. A sign-in at any of them is valid at all."""
    with running(settings, FIRST) as old:
        with_factor(old.extensions["candor.store"])
        with running(settings, SECOND, FIRST) as new:
            assert code_fits(old, FIRST)
            assert code_fits(new, FIRST)
            with running(settings, THIRD, SECOND) as newest:
                assert [code_fits(app, FIRST) for app in (old, new, newest)] == [True] * 3


def test_two_servers_that_start_at_once_agree(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(settings, FIRST):
        pass
    with running(settings, SECOND, FIRST, settled=False) as app:
        store = app.extensions["candor.store"]
        keep, other = store.factors.keep_wrapped_key, SecretKeys(store, SECOND, FIRST)

        def overtaken(before: bytes | None, content: bytes) -> bool:
            monkeypatch.setattr(store.factors, "keep_wrapped_key", keep)
            assert other.settle()
            return keep(before, content)

        monkeypatch.setattr(store.factors, "keep_wrapped_key", overtaken)
        mine = app.extensions["candor.keys"]
        assert mine.settle()
        assert mine.base == other.base == FIRST
    with running(settings, SECOND) as app:
        assert app.extensions["candor.keys"].base == FIRST


def test_the_database_alone_holds_no_key(settings: Settings) -> None:
    with running(settings, FIRST), running(settings, SECOND, FIRST):
        pass
    with connected(settings.database) as db:
        [(stored,)] = db.execute("SELECT content FROM wrapped_key").fetchall()
    assert bytes(stored).startswith(FERNET, 16)
    for key in (FIRST, SECOND):
        assert key.encode() not in bytes(stored)
    assert unwrap_base_key(bytes(stored), SECOND) == FIRST
    assert unwrap_base_key(bytes(stored), THIRD, SECOND) == FIRST
    assert unwrap_base_key(bytes(stored), FIRST) is None


@pytest.mark.sqlite_only
def test_what_is_wrapped_is_opened_by_its_key_alone_and_never_twice_the_same() -> None:
    assert PRODUCT_COST == {"n": 2**14, "r": 8, "p": 1}
    one, other = wrap_base_key(FIRST, SECOND), wrap_base_key(FIRST, SECOND)
    assert unwrap_base_key(one, SECOND) == unwrap_base_key(other, SECOND) == FIRST
    assert one[:16] != other[:16]
    assert one[16:] != other[16:]
    assert unwrap_base_key(one, THIRD) is None
    for place in (0, 16, 60, len(one) - 1):  # salt, and the encrypted value to its end
        changed = bytearray(one)
        changed[place] ^= 1
        assert unwrap_base_key(bytes(changed), SECOND) is None
    # A value of another kind is refused, and so is a shortened one.
    for wrong in (one[:16] + other[16:], one[:-1], one[:16], b""):
        assert unwrap_base_key(wrong, SECOND) is None


@pytest.mark.sqlite_only
def test_a_backup_from_before_the_key_was_replaced_is_opened_by_the_key_of_its_time(
    settings: Settings, tmp_path: Path
) -> None:
    with running(settings, FIRST, settled=False) as app:
        store = app.extensions["candor.store"]
        with_factor(store)
        assert store.factors.keep_wrapped_key(None, wrap_base_key(FIRST, FIRST))
        file, _ = write_backup(store, tmp_path / "backups", datetime.now(UTC))
    with running(settings, SECOND, FIRST):
        pass
    restored = replace(settings, database=str(tmp_path / "restored.db"))
    with running(restored, SECOND, settled=False) as app:
        restore_backup(file, app.extensions["candor.store"])
        assert not app.extensions["candor.keys"].settle()
        assert not code_fits(app, FIRST)
    for before in (FIRST, ""):
        with running(restored, SECOND, before) as app:
            assert code_fits(app, FIRST)
            assert secret_of(app.extensions["candor.keys"].base, WEBHOOK) == secret_of(
                FIRST, WEBHOOK
            )


# --- the file -------------------------------------------------------------------------------------


def settings_of(folder: Path) -> Settings:
    return Settings.from_environment({"CANDOR_DATABASE": str(folder / "candor.db")})


@contextmanager
def at(folder: Path) -> Iterator[Flask]:
    """A server on the existing files, as `serve` starts it."""
    if not (folder / "candor.db").exists():
        (folder / "candor.db").write_bytes(migrated())
    app = create_app(settings_of(folder))
    keys = app.extensions["candor.keys"]
    assert keys.settle()
    keys.forget_file_before()
    yield app
    app.extensions["candor.store"].close()


@pytest.mark.sqlite_only
def test_the_command_replaces_the_file_and_sessions_stay(tmp_path: Path) -> None:
    with at(tmp_path) as app:
        first = (tmp_path / "secret_key").read_text()
        with_factor(app.extensions["candor.store"])
        cookie = signed_in(app)
        done = app.test_cli_runner().invoke(args=["database", "rotate-key"])
        assert (done.exit_code, "Restart the server" in done.output) == (0, True)
        assert first not in done.output
        assert code_fits(app, first)  # It continues.
    second = (tmp_path / "secret_key").read_text()
    assert len(second) == 64
    assert second != first
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600
    assert (tmp_path / "secret_key_before").read_text() == first
    assert stat.S_IMODE((tmp_path / "secret_key_before").stat().st_mode) == 0o600
    with at(tmp_path) as app:
        assert not (tmp_path / "secret_key_before").exists()
        assert code_fits(app, first)
        assert is_in(app, cookie)
        acts = [act.action for act in app.extensions["candor.store"].audit.acts()]
        assert acts[0] == "replaced the secret key"
    with at(tmp_path) as app:
        assert code_fits(app, first)
        assert not is_in(app, cookie)
    assert not [path for path in tmp_path.iterdir() if first.encode() in path.read_bytes()]


class Killed(Exception):
    pass


@pytest.mark.slow
@pytest.mark.sqlite_only
@pytest.mark.parametrize("after", range(11))
def test_killed_at_any_moment_the_keys_that_lie_there_open_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    with at(tmp_path) as app:
        first = (tmp_path / "secret_key").read_text()
        with_factor(app.extensions["candor.store"])
        left = [after]

        def dies(change):
            def changed(*arguments, **named):
                if not left[0]:
                    raise Killed
                left[0] -= 1
                return change(*arguments, **named)

            return changed

        with monkeypatch.context() as patched:
            patched.setattr(os, "open", dies(os.open))
            patched.setattr(os, "fsync", dies(os.fsync))
            patched.setattr(Path, "replace", dies(Path.replace))
            patched.setattr(SecretKeys, "settle", dies(SecretKeys.settle))
            died = app.test_cli_runner().invoke(args=["database", "rotate-key"])
        assert isinstance(died.exception, Killed)
    with at(tmp_path) as app:
        assert code_fits(app, first)
        assert app.test_cli_runner().invoke(args=["database", "rotate-key"]).exit_code == 0
    with at(tmp_path) as app:
        assert code_fits(app, first)


@pytest.mark.sqlite_only
def test_each_file_is_on_the_disk_before_anything_counts_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a loss of power would leave a database under a lost key."""
    steps: list[str] = []
    rename, sync, settle = Path.replace, durable_files.sync_to_disk, SecretKeys.settle

    def renamed(draft: Path, path: Path) -> Path:
        steps.append(path.name)
        return rename(draft, path)

    def synced(path: Path) -> None:
        steps.append(f"sync {path.name}")
        sync(path)

    def settled(keys: SecretKeys) -> bool:
        steps.append("settle")
        return settle(keys)

    with at(tmp_path) as app, monkeypatch.context() as patched:
        patched.setattr(Path, "replace", renamed)
        patched.setattr(durable_files, "sync_to_disk", synced)
        patched.setattr(SecretKeys, "settle", settled)
        assert app.test_cli_runner().invoke(args=["database", "rotate-key"]).exit_code == 0
    folder = f"sync {tmp_path.name}"
    files = ("secret_key_before", folder, "secret_key", folder)
    assert steps == ["settle", *files, "settle"]


@pytest.mark.sqlite_only
def test_a_key_that_the_operator_gives_is_the_operators_to_replace(
    app: Flask, tmp_path: Path
) -> None:
    refused = app.test_cli_runner().invoke(args=["database", "rotate-key"])
    assert refused.exit_code == 1
    assert "Set CANDOR_SECRET_KEY_BEFORE to it" in refused.output
    surroundings = {
        "CANDOR_DATABASE": str(tmp_path / "other.db"),
        "CANDOR_SECRET_KEY": SECOND,
        "CANDOR_SECRET_KEY_BEFORE": FIRST,
    }
    settings = Settings.from_environment(surroundings)
    assert (settings.secret_key, settings.secret_key_before) == (SECOND, FIRST)
    assert settings.secret_key_file is None
    same = Settings.from_environment(surroundings | {"CANDOR_SECRET_KEY_BEFORE": SECOND})
    assert same.secret_key_before == ""


# --- the password of PostgreSQL on the network ----------------------------------------------------


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("host", "mode", "encrypted", "said"),
    [
        ("/var/run/postgresql", "prefer", False, ""),
        ("127.0.0.1", "prefer", False, ""),
        ("db.example", "prefer", False, "unencrypted"),
        ("db.example", "require", True, "Another machine could pretend to be db.example"),
        ("db.example", "verify-full", True, ""),
    ],
)
def test_a_way_to_the_database_that_is_not_protected_is_told(
    host: str, mode: str, encrypted: bool, said: str
) -> None:
    found = connection_warnings(host, {"sslmode": mode}, encrypted)
    assert len(found) == bool(said)
    assert said in "".join(found)
