"""Real servers as `serving` starts them, for tests that start a server many times.

The imports take one to two seconds of processor time, most of the time of a start. One process
imports everything once, and each server is forked from it (tests/support/forking.py). Each server
has its own environment, process group and outputs. From the command `flask serve` on, it behaves
like any other start. The tests that use `serving` cover a start from nothing.
"""

import atexit
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from tests.support.forking import Server, servers
from tests.support.project import ROOT
from tests.support.servers import free_port, greeted, serving


class Forked:
    """The methods of a process that `stop` and the tests use.

    The server is no child of this process, so a descriptor watches it.
    """

    def __init__(self, pid: int, stdout: TextIO):
        self.pid, self.stdout = pid, stdout
        self.watched: int | None = None
        with suppress(ProcessLookupError):  # It may have ended already.
            self.watched = os.pidfd_open(pid)

    def wait(self, timeout: float | None = None) -> None:
        if self.watched is None:
            return
        if not select.select([self.watched], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("flask serve", timeout or 0)
        os.close(self.watched)
        self.watched = None

    def send_signal(self, how: int) -> None:
        if self.watched is not None:
            signal.pidfd_send_signal(self.watched, how)


@cache
def source() -> Server:
    """One source for all tests of this process. It ignores their settings."""
    made = ExitStack()
    atexit.register(made.close)
    with clean_surroundings():
        return made.enter_context(servers(ROOT, [], {}))[0]


@contextmanager
def clean_surroundings() -> Iterator[None]:
    """The environment without the settings of a test."""
    before = dict(os.environ)
    for name in before:
        if name.startswith("CANDOR_") or name in ("PORT", "TMPDIR"):
            del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(before)


@contextmanager
def serving_at_once(
    database: Path, program: str = "app", **environment: str
) -> Iterator[tuple[str, Forked | subprocess.Popen, str]]:
    """Like `serving`."""
    if sys.platform != "linux":
        with serving(database, program, **environment) as started:
            yield started
        return
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with TemporaryDirectory() as folder:
        printed = Path(folder) / "printed"
        os.mkfifo(printed)
        server = source()
        server.environment = {
            **os.environ,
            "CANDOR_DATABASE": str(database),
            "PORT": str(port),
            "CANDOR_URL": "",
            **environment,
            "PRINTED": str(printed),
            "ERRORS": f"/proc/{os.getpid()}/fd/2",  # our own standard error at this moment
            "PROGRAM": program,
        }
        server.start()
        process = Forked(server.pid, printed.open())
        server.pid = 0  # It has ended here.
    with greeted(process, address) as started:
        yield started
