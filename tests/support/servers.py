"""Real servers, each on its own port."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from survey.store import Store
from tests.support.project import ROOT


@dataclass(frozen=True)
class Live:
    """An application that answers on a real port."""

    url: str
    store: Store


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(
    database: Path, program: str = "app", under: Sequence[str] = (), command: str = "serve",
    **environment: str,
) -> Iterator[tuple[str, subprocess.Popen, str]]:  # fmt: skip
    """The real server in its own process group: its address, the process, its greeting.

    It may run under another command.
    """
    port = free_port()
    env = {
        **os.environ,
        "CANDOR_DATABASE": str(database),
        "PORT": str(port),
        "CANDOR_URL": "",
        **environment,
    }
    line = [*under, sys.executable, "-m", "flask", "--app", program, command]
    process = subprocess.Popen(
        line, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    with greeted(process, f"http://127.0.0.1:{port}") as started:
        yield started


@contextmanager
def greeted(process: subprocess.Popen, address: str) -> Iterator[tuple[str, subprocess.Popen, str]]:
    """A server that has just started, has printed its address to sign in, and answers."""
    try:
        assert process.stdout is not None
        greeting = ""
        for line in process.stdout:
            greeting += line
            if "/admin/" in line:
                break
        wait_for(address)
        yield address, process, greeting
    finally:
        stop(process)


def stop(process: subprocess.Popen, how: int = signal.SIGTERM) -> None:
    """End the whole process group, and close its output."""
    for last in (how, signal.SIGKILL):
        try:
            os.killpg(process.pid, last)
        except ProcessLookupError:
            break
        try:
            process.wait(10)
            break
        except subprocess.TimeoutExpired:
            continue
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # a worker that survived its parent
    process.wait()
    if process.stdout:
        process.stdout.close()


def wait_for(address: str, seconds: float = 60) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.02)
    raise TimeoutError(f"{address} did not answer within {seconds} s")
