"""A PostgreSQL server for the tests: a folder, a socket in it, and temporary databases.

PostgreSQL refuses to run as root, so the tests of root start it as another user.
"""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from survey.store import open_store
from tests.support.stores import connected
from tools.postgresql import installed

PROGRAMS = installed()
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "wal_recycle": "off",
    "log_error_verbosity": "terse",
    "dynamic_shared_memory_type": "mmap",  # in the folder, so that nothing remains after a crash
    "autovacuum": "off",  # so that the tests see only the effects of the store
}
MEMORY = "/dev/shm"
NUMBERS = itertools.count()


def other_user() -> str | None:
    """The user who runs the server: the user of the tests, unless that is root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


class Cluster:
    """A server that can start, stop and lose its connections."""

    def __init__(self, folder: Path, port: int = 5432):
        self.folder, self.port = folder, port
        self.data = folder / "data"
        self.process: subprocess.Popen | None = None

    def program(self, name: str) -> str:
        assert PROGRAMS is not None
        return str(PROGRAMS / name)

    def run(self, name: str, *arguments: str) -> None:
        command = [self.program(name), *arguments]
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            command, user=other_user(), cwd=self.folder, env=environment, capture_output=True
        )
        assert done.returncode == 0, done.stderr.decode()

    def make(self) -> None:
        self.run(
            "initdb", "--auth=trust", "--username=candor", "--no-sync", "--wal-segsize=1",
            "--encoding=UTF8", "--pgdata", str(self.data),
        )  # fmt: skip

    def start(self, **settings: str) -> None:
        given = [f"-c{name}={value}" for name, value in (SETTINGS | settings).items()]
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            [
                *(self.program("postgres"), "-D", str(self.data), "-p", str(self.port)),
                *("-k", str(self.folder), *given),
            ],
            user=other_user(), cwd=self.folder, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        log.close()
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < deadline
                time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server. SIGINT is a fast stop, and SIGQUIT is an immediate one like a crash."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(60)

    def url(self, database: str) -> str:
        return f"postgresql://candor@/{database}?host={self.folder}&port={self.port}"

    def administer(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    @contextmanager
    def database(self, template: str = "template1") -> Iterator[str]:
        """The address of a new database, which is removed afterwards."""
        name = f"candor_{next(NUMBERS)}"
        self.administer(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield self.url(name)
        finally:
            self.administer(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def cluster(**settings: str) -> Iterator[Cluster]:
    """A server that runs within the block. Its database `template` has the present schema."""
    # The folder is outside pytest's folder, which only root can read. It is in memory if possible,
    # since the store requires fsync.
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="candor-postgresql-", dir=memory))
    user = other_user()
    if user is not None:
        shutil.chown(folder, user)
    made = Cluster(folder)
    try:
        made.make()
        made.start(**settings)
        made.administer("CREATE DATABASE template")
        open_store(made.url("template")).close()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder)


def files_of(server: Cluster, database: str) -> Path:
    with connected(database) as db:
        [oid] = db.execute(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).fetchone()
    return server.data / "base" / str(oid)
