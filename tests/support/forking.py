"""Real servers that start quickly: each is a fork of one process that has imported everything.

As a script, it reads lines of JSON, one environment of a server on each line. For each line it
starts a server and prints the process id. The environment also has PRINTED, the file for the
standard output of the server, and may have ERRORS, the file for its errors, and PROGRAM, its app.
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
        """Send it a signal, and wait until it has ended."""
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
    """Servers that have not started yet, one for each environment.

    Their program is the one in `folder`. The command `within` restricts them.
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


def fork_for(line: str) -> None:
    """Fork a process that becomes a server and prints its id. It leads its own process group."""
    if os.fork():
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    print(os.getpid(), flush=True)
    environment = json.loads(line)
    printed = environment.pop("PRINTED")
    errors, program = environment.pop("ERRORS", printed), environment.pop("PROGRAM", "app")
    written = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    for number, path, how in ((0, os.devnull, 0), (1, printed, written), (2, errors, written)):
        opened = os.open(path, how, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.update(environment)
    from flask.cli import main

    sys.argv = ["flask", "--app", program, "serve"]
    sys.exit(main())  # In the child, the normal end of a program writes its output.


if __name__ == "__main__":
    sys.path[0] = os.getcwd()  # like `python -m flask`
    import app  # noqa: F401 # what takes its time is done once

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for the children.
    for asked_for in sys.stdin:
        fork_for(asked_for)
