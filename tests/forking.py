"""Real servers that start at once: each is forked from one process that has imported everything.

As a script it reads lines of JSON, the environment of a server each, and prints the number of the
process that it starts with it.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO


@dataclass
class Server:
    """One server, which can be stopped, killed and started again."""

    source: subprocess.Popen
    environment: dict[str, str]
    pid: int = 0

    def start(self) -> None:
        asked, told = self.source.stdin, self.source.stdout
        assert asked is not None
        assert told is not None
        asked.write(json.dumps(self.environment) + "\n")
        asked.flush()
        self.pid = int(told.readline())

    def tell(self, what: signal.Signals) -> None:
        os.kill(self.pid, what)

    def end(self, how: signal.Signals = signal.SIGTERM, seconds: float = 20) -> None:
        """Send it a signal, and wait until it is gone."""
        self.tell(how)
        deadline = time.monotonic() + seconds
        while Path(f"/proc/{self.pid}").exists():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        self.pid = 0


@contextmanager
def servers(
    folder: Path, within: list[str], *environments: dict[str, str]
) -> Iterator[list[Server]]:
    """Servers that are not started yet, one for each environment.

    Their program is that in `folder`, and they run within what the command `within` lets them.
    """
    source = subprocess.Popen(
        [*within, sys.executable, __file__], cwd=folder, env=os.environ | {"PYTHONPATH": "."},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    made = [Server(source, environment) for environment in environments]
    try:
        yield made
    finally:
        for server in made:
            if server.pid:
                server.end(signal.SIGKILL)
        assert source.stdin is not None
        assert source.stdout is not None
        source.stdin.close()
        source.wait(20)
        source.stdout.close()


def fork_for(line: str) -> int:
    """The number of a process that becomes a server; it ends with this function, in the child."""
    if pid := os.fork():
        return pid
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    environment = json.loads(line)
    printed: TextIO = open(environment.pop("PRINTED"), "a")  # noqa: SIM115 # its process ends soon
    os.dup2(printed.fileno(), 1)
    os.dup2(printed.fileno(), 2)
    os.environ.update(environment)
    from flask.cli import main

    sys.argv = ["flask", "--app", "app", "serve"]
    try:
        main()
    finally:
        os._exit(0)


if __name__ == "__main__":
    import app  # noqa: F401 # what takes its time is done once

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    for asked_for in sys.stdin:
        print(fork_for(asked_for), flush=True)
