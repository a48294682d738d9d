"""The shipped files for servers: containers, units of systemd, PostgreSQL's settings.

The tests have no engine for containers, so they do not build the images. They compare the files
with the claims about them. tests/system/test_deploy_proxy.py runs the proxy.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import yaml

from survey.definition.responses.parse_response import Response
from survey.server.settings import SETTINGS, Settings, default_database
from survey.store import open_store
from tests.support.confined import possible, service
from tests.support.definitions import definition, opened
from tests.support.postgresql import PROGRAMS, Cluster, other_user
from tests.support.project import ROOT
from tests.support.proxied import certificate
from tests.support.servers import free_port
from tools.haproxy import installed

DEPLOY = ROOT / "deploy"
UNITS = {"candor": 15, "candor-backup": 10, "candor-proxy": 20}  # maximum exposure, in tenths
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
SEVERAL, SMALL = ("proxy", "one", "two", "database"), ("candor", "caddy")
OURS = (*SEVERAL, *SMALL)
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()


# --- systemd --------------------------------------------------------------------------------------


def analyse(*arguments: str) -> tuple[int, str]:
    """The verdict of systemd itself: 0 if all is well, and its output."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("No systemd-analyze here; the units are not looked at.")
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def here(unit: str, folder: Path, change: tuple[str, str] = ("", "")) -> str:
    """A copy of a unit whose programs exist."""
    text = (DEPLOY / unit).read_text().replace(*change)
    text = text.replace("/srv/candor/.venv/bin/candor", sys.executable)
    (folder / unit).write_text(text.replace("/usr/sbin/haproxy", installed() or sys.executable))
    return str(folder / unit)


def verified(folder: Path, unit: str, change: tuple[str, str] = ("", "")) -> str:
    """The faults that systemd finds in our unit. It also checks the machine's own units."""
    _, said = analyse("verify", "--man=no", here(unit, folder, change))
    return "\n".join(line for line in said.splitlines() if "candor" in line)


@pytest.mark.parametrize("unit", [*(f"{name}.service" for name in UNITS), "candor-backup.timer"])
def test_systemd_understands_each_unit(tmp_path, unit):
    here("candor-backup.service", tmp_path)
    assert verified(tmp_path, unit) == ""


def test_control_systemd_finds_what_it_does_not_know(tmp_path):
    assert "ProtectEverything" in verified(
        tmp_path, "candor.service", ("ProtectHome=", "ProtectEverything=")
    )


@pytest.mark.parametrize("name", UNITS)
def test_each_service_is_exposed_no_more_than_so(tmp_path, name):
    most = f"--threshold={UNITS[name]}"
    unit = here(f"{name}.service", tmp_path)
    assert analyse("security", "--offline=true", most, unit)[0] == 0
    weaker = here(f"{name}.service", tmp_path, ("\nSystemCallFilter=", "\n# "))
    assert analyse("security", "--offline=true", most, weaker)[0] != 0


def test_the_backup_may_do_what_the_server_may_but_for_the_network():
    server, backup = service(DEPLOY / "candor.service"), service(DEPLOY / "candor-backup.service")
    network = {"RestrictAddressFamilies", "IPAddressDeny", "IPAddressAllow", "PrivateNetwork"}
    words = ("Protect", "Private", "Restrict", "SystemCall", "Memory", "Capability", "NoNew")
    words = (*words, "Lock", "User", "DynamicUser", "Proc", "Inaccessible", "UMask", "Load")
    kept = {name for name in server if name.startswith(words)} - network
    assert len(kept) > 20
    for name in kept:
        assert backup[name] == server[name], name
    assert backup["PrivateNetwork"] == ["yes"]
    assert backup["RestrictAddressFamilies"] == ["AF_UNIX"]


def test_commands_run_as_the_server_does():
    script = DEPLOY / "candor-command"
    assert subprocess.run(["sh", "-n", script]).returncode == 0
    text, server = script.read_text(), service(DEPLOY / "candor.service")
    properties = re.findall(r"--property=(\w+)=(\S+)", text)
    for name, value in properties:
        assert server[name] == [value], name
    assert {"User", "DynamicUser", "StateDirectory", "LoadCredential"} <= {n for n, _ in properties}
    assert server["ExecStart"][0].removesuffix("serve").strip() in text


def test_the_units_name_settings_that_there_are():
    named = {row.name for row in SETTINGS} | {"PYTHONDONTWRITEBYTECODE"}
    proxys = set(re.findall(r"presetenv (\w+)", (DEPLOY / "haproxy.cfg").read_text()))
    for name in ("candor", "candor-backup"):
        for line in service(DEPLOY / f"{name}.service")["Environment"]:
            assert {each.partition("=")[0] for each in line.split()} <= named
    example = (DEPLOY / "settings.example").read_text()
    assert set(re.findall(r"^(\w+)=", example, re.MULTILINE)) <= named | proxys


def test_a_confined_program_can_do_what_it_has_to_and_not_the_rest():
    """Otherwise the confined tests of the proxy would show nothing."""
    if not possible():
        pytest.skip(
            "This system cannot confine programs; tests/support/confined.py says what it takes."
        )
    tries = (
        "import mmap, os, socket, resource\n"
        "socket.socket().close(); resource.getrlimit(resource.RLIMIT_NOFILE); os.nice(1)\n"
        "for attempt in (lambda: mmap.mmap(-1, 4096, prot=7),\n"
        "                lambda: os.sched_setaffinity(0, {0}), lambda: os.chroot('/')):\n"
        "    try: attempt()\n"
        "    except OSError as error: print(error.strerror)\n"
    )
    command = [
        sys.executable,
        str(ROOT / "tests/support/confined.py"),
        str(DEPLOY / "candor.service"),
    ]
    done = subprocess.run([*command, sys.executable, "-c", tries], capture_output=True, text=True)
    refused = "Permission denied\nOperation not permitted\nOperation not permitted\n"
    assert (done.stdout, done.stderr) == (refused, "")


# --- containers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_each_container_is_hardened(name):
    content = SERVICES[name]
    assert set(SERVICES) == set(OURS)
    assert content["read_only"] is True
    assert content["cap_drop"] == ["ALL"]
    assert content["security_opt"] == ["no-new-privileges:true"]
    assert set(content["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}
    assert content["logging"]["options"]["max-size"]
    assert not {"privileged", "network_mode", "pid", "ipc", "devices"} & set(content)
    # Without it, the kernel does not start the program of Caddy's image: it has this capability as
    # a file attribute (https://github.com/caddyserver/caddy-docker/issues/396).
    assert content.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "caddy" else [])
    assert "latest" not in content["image"]
    assert re.search(r":\d+\.\d+" if "build" not in content else ":local$", content["image"])
    assert content["profiles"] == ["small" if name in SMALL else "several"]
    for place in content.get("volumes", []):
        assert place.endswith(":ro") or place.partition(":")[0] in COMPOSE["volumes"]


def test_only_the_proxy_is_reached_from_outside_and_it_does_not_reach_the_database():
    networks = {name: set(content["networks"]) for name, content in SERVICES.items()}
    assert [name for name in OURS if "ports" in SERVICES[name]] == ["proxy", "caddy"]
    assert not networks["proxy"] & networks["database"]
    assert networks["one"] == networks["two"] == {"front", "back"}
    open_ones = {name for name, how in COMPOSE["networks"].items() if not how.get("internal")}
    assert open_ones == {"outside"}
    assert [name for name in OURS if networks[name] & open_ones] == ["proxy", "caddy"]
    assert networks["candor"] == {"front"}


def test_secrets_are_files_and_each_goes_where_it_is_needed():
    given = {name: set(content.get("secrets", [])) for name, content in SERVICES.items()}
    assert given == {
        "proxy": {"certificate"},
        "one": {"database_address", "database_certificate", "secret_key"},
        "two": {"database_address", "database_certificate", "secret_key"},
        "database": {
            "superuser_password",
            "database_password",
            "database_certificate",
            "database_key",
        },
        "candor": set(),
        "caddy": set(),
    }
    assert set.union(*given.values()) == set(COMPOSE["secrets"])
    for name, content in SERVICES.items():
        for setting, value in content["environment"].items():
            if re.search("SECRET|PASSWORD|KEY|DATABASE|CERTIFICATE", setting):
                assert value.removeprefix("/run/secrets/") in given[name], setting


@pytest.fixture
def made(tmp_path):
    """Secrets, made as the instructions say."""
    folder = tmp_path / "secrets"
    for _ in range(2):
        subprocess.run([DEPLOY / "secrets.sh", folder], check=True, capture_output=True)
    return folder


def test_the_secrets_are_made_once_and_are_nobodys_business(made):
    before = {path.name: path.read_text() for path in made.iterdir()}
    subprocess.run([DEPLOY / "secrets.sh", made], check=True, capture_output=True)
    assert {path.name: path.read_text() for path in made.iterdir()} == before
    assert {f"./secrets/{name}" for name in before} | {"./secrets/certificate.pem"} == {
        each["file"] for each in COMPOSE["secrets"].values()
    }
    assert len(set(before.values())) == 6
    open_to_all = made / "database_certificate.pem"
    for path in made.iterdir():
        assert path.stat().st_mode & 0o777 == (0o444 if path == open_to_all else 0o600)
        assert len(path.read_text()) >= 64
    if os.getuid() == 0:
        owners = {each.name: each.stat().st_uid for each in made.iterdir() if each != open_to_all}
        for name, owner in owners.items():
            databases = name in SERVICES["database"]["secrets"]
            user = SERVICES["database"]["user"] if databases else "10001:10001"
            assert user == f"{owner}:{owner}"
    assert "deploy/secrets/" in (ROOT / ".gitignore").read_text().splitlines()


def test_a_server_starts_with_what_compose_tells_it(made):
    named = {row.name for row in SETTINGS}
    told = {}
    for name, value in SERVICES["one"]["environment"].items():
        assert name in named
        value = value.replace("${CANDOR_ADMIN_HOST:-${CANDOR_HOST}}", "admin_host.example.org")
        value = re.sub(r"\$\{CANDOR_HOST:\?[^}]*\}", "host.example.org", value)
        value = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", value)
        told[name] = value.replace("/run/secrets", str(made)).lower().replace("_host", "-host")
    told |= {key: str(made / key.split("_FILE")[0].lower().replace("candor_", ""))
             for key in told if key.endswith("_FILE")}  # fmt: skip
    told["CANDOR_DATABASE_FILE"] = str(made / "database_address")
    settings = Settings.from_environment(told)
    assert settings.https
    assert settings.proxies == 1
    assert settings.url != settings.admin_url
    assert settings.secret_key == (made / "secret_key").read_text()
    password = (made / "database_password").read_text()
    certificate = "sslmode=verify-full&sslrootcert=/run/secrets/database_certificate"
    assert settings.database == f"postgresql://candor:{password}@database/candor?{certificate}"


def test_a_small_server_starts_with_what_compose_tells_it_and_one_name(tmp_path):
    """Its data and its secret key are in the volume."""
    named = {row.name for row in SETTINGS}
    told = dict(re.findall(r"(XDG_\w+|HOST|PORT)=(\S+)", CONTAINERFILE))
    assert told["XDG_DATA_HOME"] == "/data"
    assert SERVICES["candor"]["volumes"] == [f"candor:{told['XDG_DATA_HOME']}"]
    assert "VOLUME /data\n" in CONTAINERFILE
    for name, value in SERVICES["candor"]["environment"].items():
        assert name in named
        for host in ("${CANDOR_ADMIN_HOST:-${CANDOR_HOST}}", "${CANDOR_HOST}"):
            value = value.replace(host, "a.example.org")
        told[name] = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", value)
    database = default_database(told, in_clone=False, platform="linux")
    assert database == Path("/data/candor/candor.db")
    settings = Settings.from_environment(told | {"CANDOR_DATABASE": str(tmp_path / "candor.db")})
    assert settings.url == settings.admin_url == "https://a.example.org"
    assert settings.secret_key_file == tmp_path / "secret_key"


def test_the_guide_writes_the_settings_of_a_small_server_where_compose_reads_them(tmp_path):
    """Compose reads .env in the folder of compose.yaml, also for later commands."""
    guide = (ROOT / "docs" / "how-to" / "install-on-one-machine.md").read_text()
    [command] = re.findall(r"^ +(printf .*)$", guide, re.MULTILINE)
    [second] = re.findall(r"also write `(CANDOR_ADMIN_HOST=\S+)`", guide)
    (tmp_path / "deploy").mkdir()
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    written = (tmp_path / "deploy" / ".env").read_text() + second
    values = dict(line.split("=") for line in written.splitlines())
    assert values.pop("COMPOSE_PROFILES") in SERVICES["candor"]["profiles"]
    assert set(values) == set(SERVICES["caddy"]["environment"])
    assert "deploy/.env" in (ROOT / ".gitignore").read_text().splitlines()


def test_the_proxy_of_a_small_server_logs_no_request():
    text = (DEPLOY / "Caddyfile").read_text()
    assert re.search(r"^\tlog \{\n\t\texclude http\n\t\}$", text, re.MULTILINE)
    assert text.count("log") == 2  # The comment, and these lines.
    names = re.findall(r"\{\$(\w+)", text)
    assert names[:2] == ["CANDOR_HOST", "CANDOR_ADMIN_HOST"]
    assert {*names[:2]} == {*SERVICES["caddy"]["environment"]}


def test_the_images_hold_what_is_listed_and_run_as_nobody():
    stages = dict(re.findall(r"^FROM (\S+) AS (\w+)$", CONTAINERFILE, re.MULTILINE))
    assert all(re.search(r"[:}]", image) and "latest" not in image for image in stages)
    assert re.search(r"^ARG PYTHON=3\.\d+\.\d+-slim-\w+$", CONTAINERFILE, re.MULTILINE)
    assert re.findall(r"^USER (\S+)$", CONTAINERFILE, re.MULTILINE) == [
        "10002:10002",
        "10001:10001",
    ]
    assert "--require-hashes --only-binary :all: -r /${LOCK}\n" in CONTAINERFILE
    [lock] = re.findall(r"^ARG LOCK=(\S+)$", CONTAINERFILE, re.MULTILINE)
    [locks] = re.findall(r"^COPY (requirements.*) /$", CONTAINERFILE, re.MULTILINE)
    assert locks.split() == [lock, "requirements-central-dp.txt"]
    for command in re.findall(r"^(?:    )?CMD (.*)$", CONTAINERFILE, re.MULTILINE):
        assert command.startswith("[")  # No shell is needed.
    admitted = (ROOT / ".dockerignore").read_text().splitlines()
    for sources in re.findall(r"^COPY (?!--from)(.+) \S+$", CONTAINERFILE, re.MULTILINE):
        assert {f"!{source}" for source in sources.split()} <= set(admitted)
    assert admitted[1] == "*"


@pytest.mark.needs_haproxy
def test_the_proxy_takes_what_compose_and_one_machine_tell_it(tmp_path):
    """The configuration with the names of containers, and with one server."""
    program = installed()
    if program is None:
        pytest.skip("No HAProxy here; tools/haproxy.py says how to get one.")
    told = dict(SERVICES["proxy"]["environment"])
    told |= {"CANDOR_CERTIFICATE": str(certificate(tmp_path)), "CANDOR_CONNECTIONS": "1000"}
    text = (DEPLOY / "haproxy.cfg").read_text()
    for lines in (text, re.sub(r"    server two .*\n", "", text)):
        (tmp_path / "haproxy.cfg").write_text(lines)
        command = [program, "-c", "-q", "-f", str(tmp_path / "haproxy.cfg")]
        done = subprocess.run(command, env=os.environ | told, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        assert "WARNING" not in done.stderr


# --- PostgreSQL -----------------------------------------------------------------------------------


def settings_of_compose() -> dict[str, str]:
    command = SERVICES["database"]["command"]
    assert command[0] == "postgres"
    pairs = [each.removeprefix("-c").partition("=") for each in command[1:]]
    return {name: value for name, _, value in pairs}


@contextmanager
def as_shipped(secrets: Path, port: int) -> Iterator[Cluster]:
    """A server with the settings of compose.yaml, with its certificate and key in its folder."""
    folder = Path(tempfile.mkdtemp(prefix="candor-shipped-"))  # pytest's folder belongs to root
    settings = settings_of_compose() | {"listen_addresses": "127.0.0.1"}
    for name, setting in (("certificate", "ssl_cert_file"), ("key", "ssl_key_file")):
        assert settings[setting] == f"/run/secrets/database_{name}"
        [source] = secrets.glob(f"database_{name}*")
        settings[setting] = str(shutil.copy(source, folder / f"database_{name}"))
    user = other_user()
    for path in (folder, *folder.iterdir()) if user else ():
        shutil.chown(path, user)
    made = Cluster(folder, port)
    try:
        made.make()
        made.start(**settings)
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder)


def as_keeper(server: Cluster, file: Path, password: Path) -> None:
    """Run a file as a superuser with another name than candor, the cluster's own superuser."""
    server.administer("CREATE ROLE keeper SUPERUSER LOGIN")
    address = server.url("postgres").replace("candor@", "keeper@")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER ROLE candor RENAME TO first")
    subprocess.run(
        [server.program("psql"), "--quiet", "--no-psqlrc", f"--file={file}", address],
        env=os.environ | {"CANDOR_PASSWORD_FILE": str(password)}, check=True, capture_output=True,
    )  # fmt: skip


@pytest.mark.needs_postgresql
@pytest.mark.skipif(
    PROGRAMS is None, reason="No PostgreSQL; tools/postgresql.py says how to get one."
)
def test_postgresql_as_it_is_shipped_leaves_no_trace_and_lets_the_role_do_no_more(made):
    port = free_port()
    with as_shipped(made, port) as server:
        as_keeper(server, DEPLOY / "postgresql.sql", made / "database_password")
        told = (made / "database_address").read_text().strip()
        address = told.replace("/run/secrets", str(server.folder))
        address += f"&hostaddr=127.0.0.1&port={port}"
        store = open_store(address)
        assert store.database.cautions() == []
        opened(store, definition())
        response = Response(bytes(range(16)), (1,))
        assert store.responses.add_response("health", response)
        store.compact()
        assert [each for each, *_ in store.responses.rows("health")]
        store.close()
        with pytest.raises(psycopg.OperationalError, match="does not match host name"):
            psycopg.connect(address.replace("@database/", "@elsewhere/"))
        with psycopg.connect(address, autocommit=True) as role:
            assert role.pgconn.ssl_in_use
            for more in (
                "CREATE DATABASE more", "CREATE ROLE more", "ALTER SYSTEM SET fsync = off",
                "COPY (SELECT 1) TO PROGRAM 'true'", "SELECT pg_read_file('/etc/passwd')",
                "SELECT * FROM pg_authid", "SET log_statement = 'all'",
            ):  # fmt: skip
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    role.execute(more.encode())
            canary = "c0ffee" * 5 + "00"
            for wrong in ("SELECT %s::integer", "INSERT INTO responses_health VALUES (%s, %s)"):
                with pytest.raises(psycopg.Error):
                    role.execute(wrong.encode(), [canary] * wrong.count("%s"))
            with pytest.raises(psycopg.Error):
                role.execute(f"SELECT '{canary}'::integer".encode())
        log = (server.folder / "log").read_text(errors="replace")
        assert "database system is ready" in log
        assert "c0ffee" not in log
