"""Settings: defaults that work, and errors that name the setting."""

import stat
import sys
from pathlib import Path

import pytest

from survey.core.errors import SettingsError
from survey.core.extras import MODULES
from survey.server.settings import SETTINGS, Settings, default_database

pytestmark = pytest.mark.fast


@pytest.fixture
def environment(tmp_path):
    return {"CANDOR_DATABASE": str(tmp_path / "new" / "candor.db")}


def test_the_defaults_serve_this_machine_alone(environment):
    settings = Settings.from_environment(environment)
    assert (settings.host, settings.port, settings.url) == (
        "127.0.0.1",
        8000,
        "http://127.0.0.1:8000",
    )
    assert not settings.https


def test_the_secret_key_is_made_once_and_only_its_owner_reads_it(environment, tmp_path):
    first = Settings.from_environment(environment).secret_key
    assert len(first) == 64
    assert Settings.from_environment(environment).secret_key == first
    mode = (tmp_path / "new" / "secret_key").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_an_empty_setting_is_the_default(environment):
    assert Settings.from_environment({**environment, "PORT": ""}).port == 8000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"PORT": "http"}, "PORT is 'http'"),
        ({"PORT": "70000"}, "1 to 65535"),
        ({"CANDOR_URL": "survey.example.org"}, "CANDOR_URL"),
        ({"CANDOR_URL": "https://a.org/path"}, "without a path"),
        ({"CANDOR_URL": "https://[a"}, "without a path"),
        ({"CANDOR_ADMIN_URL": "https://a.org/admin"}, "CANDOR_ADMIN_URL"),
        ({"CANDOR_URL": "https://a.org", "CANDOR_ADMIN_URL": "http://b.a.org"}, "to https"),
        ({"CANDOR_PROXIES": "-1"}, "CANDOR_PROXIES is '-1'"),
        ({"CANDOR_LOCAL_WEBHOOKS": "maybe"}, "yes or no"),
        ({"CANDOR_MAX_CERTAINTY": "100"}, "CANDOR_MAX_CERTAINTY is '100'"),
        ({"CANDOR_MAX_CERTAINTY": "50"}, "above 50"),
        ({"CANDOR_MAX_CERTAINTY": "1e1"}, "CANDOR_MAX_CERTAINTY"),
        ({"CANDOR_MAX_EPSILON": "0"}, "CANDOR_MAX_EPSILON is '0'"),
        ({"CANDOR_MAX_EPSILON": "inf"}, "CANDOR_MAX_EPSILON"),
        ({"CANDOR_SECRET_KEY": "short"}, "shorter than 32"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(environment, change, words):
    with pytest.raises(SettingsError, match=words):
        Settings.from_environment({**environment, **change})


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises((SettingsError, OSError)):
        Settings.from_environment({"CANDOR_DATABASE": str(tmp_path / "file" / "x" / "candor.db")})


def test_every_setting_has_a_sentence():
    for row in SETTINGS:
        assert row.sentence.endswith("."), row.name


def test_servers_that_share_a_database_are_told_one_key():
    address = {"CANDOR_DATABASE": "postgresql://candor@db.example.org/candor"}
    with pytest.raises(SettingsError, match="CANDOR_SECRET_KEY is empty"):
        Settings.from_environment(address)
    settings = Settings.from_environment(address | {"CANDOR_SECRET_KEY": "k" * 32})
    assert settings.database == address["CANDOR_DATABASE"]


def test_secrets_may_lie_in_files(environment, tmp_path):
    key = tmp_path / "key"
    key.write_text("k" * 40 + "\n")
    address = tmp_path / "address"
    address.write_text("postgresql://candor:secret@db.example.org/candor\n")
    files = {"CANDOR_SECRET_KEY_FILE": str(key), "CANDOR_DATABASE_FILE": str(address)}
    for name in ("CANDOR_SECRET_KEY_BEFORE", "CANDOR_METRICS_TOKEN"):
        (tmp_path / name).write_text(name.lower() * 2)
        files[f"{name}_FILE"] = str(tmp_path / name)
    settings = Settings.from_environment(files)
    assert settings.secret_key == "k" * 40
    assert settings.secret_key_before == "candor_secret_key_before" * 2
    assert settings.metrics_token == "candor_metrics_token" * 2
    assert settings.database == "postgresql://candor:secret@db.example.org/candor"
    with pytest.raises(SettingsError, match="CANDOR_DATABASE_FILE are both set"):
        Settings.from_environment({**environment, **files})


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff\xfe"])
def test_a_file_without_its_secret_is_refused(environment, tmp_path, content):
    """No generated key ever replaces it."""
    if content is not None:
        (tmp_path / "key").write_bytes(content)
    with pytest.raises(SettingsError, match="CANDOR_SECRET_KEY_FILE"):
        Settings.from_environment({**environment, "CANDOR_SECRET_KEY_FILE": str(tmp_path / "key")})
    assert not (tmp_path / "new").exists()


HOME = Path("/home/ada")


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, HOME / ".local" / "share"),
        ("linux", {"XDG_DATA_HOME": "/data"}, Path("/data")),
        ("linux", {"XDG_DATA_HOME": "relative"}, HOME / ".local" / "share"),
        ("freebsd14", {"XDG_DATA_HOME": ""}, HOME / ".local" / "share"),
        ("darwin", {"XDG_DATA_HOME": "/data"}, HOME / "Library" / "Application Support"),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local")),
        ("win32", {}, HOME / "AppData" / "Local"),
    ],
)
def test_an_installed_candor_keeps_its_data_where_the_platform_keeps_data(
    monkeypatch, platform, environment, folder
):
    monkeypatch.setattr(Path, "home", lambda: HOME)
    found = default_database(environment, in_clone=False, platform=platform)
    assert found == folder / "candor" / "candor.db"


def test_a_clone_keeps_its_data_in_its_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert Settings.from_environment({}).database == "instance/candor.db"
    assert (tmp_path / "instance" / "secret_key").exists()


def test_a_user_without_a_home_folder_is_told_what_to_set(monkeypatch):
    def missing() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", missing)
    with pytest.raises(SettingsError, match="Set CANDOR_DATABASE"):
        default_database({}, in_clone=False, platform="linux")


def test_metrics_without_their_package_are_refused(environment, monkeypatch):
    environment["CANDOR_METRICS_TOKEN"] = "t" * 32
    assert Settings.from_environment(environment).metrics_token
    monkeypatch.setitem(sys.modules, MODULES["metrics"], None)
    with pytest.raises(SettingsError, match="Run `make run`, or leave the setting empty"):
        Settings.from_environment(environment)
