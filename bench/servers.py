"""Two servers on one PostgreSQL, relative to one: they must not delay each other.

On few cores the clients, the servers and PostgreSQL compete for processor time, so two normal
servers show little. Therefore a second measurement uses two servers that wait artificially, so that
each has less work than the machine can do. A third measures the processor time of each part for a
response. It shows how many servers one PostgreSQL can support.
"""

import os
import statistics
from collections.abc import Iterable
from contextlib import ExitStack, closing
from pathlib import Path

from survey.store import open_store
from tests.support.postgresql import PROGRAMS, Cluster, cluster

from .ingestion import GROUPS, SLOW, load, opened, requests, running
from .tables import Figure, Table

ROUNDS, SERVERS = 5, 2
TICK = os.sysconf("SC_CLK_TCK")
NAMES = {GROUPS: "unchanged", SLOW: "slowed down"}


def processor_seconds(processes: Iterable[int]) -> float:
    """The processor time so far of these processes and of their children, including ended ones."""
    total = 0
    for number in processes:
        try:
            fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # It has ended, and its parent has its time.
        total += sum(map(int, fields[11:15]))
    return total / TICK


def of_postgresql(server: Cluster) -> list[int]:
    first = server.process.pid if server.process is not None else 0
    found = [first]
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == first:
            found.append(int(entry.name))
    return found


def table(rounds: int = ROUNDS, seconds: float = 2.0) -> Table | None:
    """The median of the rounds; None without PostgreSQL or /proc."""
    if PROGRAMS is None or not Path("/proc/self/stat").exists():
        return None
    rows: list[list[str | float]] = []
    figures: list[Figure] = []
    with cluster(autovacuum="on") as postgresql:
        for mode in (GROUPS, SLOW):
            with postgresql.database("template") as database, ExitStack() as stack:
                with closing(open_store(database)) as store:
                    frozen = opened(store)
                servers = [stack.enter_context(running(mode, database)) for _ in range(SERVERS)]
                found: dict[int, list[tuple[float, float, float]]] = {}
                for seed in range(rounds):
                    for many in range(1, SERVERS + 1):
                        ports = [port for port, _ in servers[:many]]
                        ours = [process for _, process in servers[:many]]
                        theirs = of_postgresql(postgresql)
                        before = processor_seconds(ours), processor_seconds(theirs)
                        made = requests(frozen, 10 * seed + many)
                        speed = load(ports[0], made, seconds, ports[1:])
                        n = speed.per_second * seconds
                        spent = [
                            1e6 * (processor_seconds(those) - at) / n
                            for those, at in zip((ours, theirs), before, strict=True)
                        ]
                        found.setdefault(many, []).append((speed.per_second, spent[0], spent[1]))
            for many, measured in found.items():
                rows.append(
                    [
                        f"{many}, {NAMES[mode]}",
                        *(statistics.median(column) for column in zip(*measured, strict=True)),
                        statistics.median(
                            each[0] / alone[0]
                            for each, alone in zip(measured, found[1], strict=True)
                        ),
                    ]
                )
            least = 1.6 if mode == SLOW else None
            what = f"{SERVERS} servers on one PostgreSQL, {NAMES[mode]}"
            figures.append(
                Figure(what, "rate / rate of one server", float(rows[-1][-1]), least=least)
            )
    _, _, ours_each, theirs_each, _ = rows[1]
    figures.append(
        Figure("a server's processor time for a response", "time / PostgreSQL's time",
               float(ours_each) / float(theirs_each))
    )  # fmt: skip
    return Table(
        "Servers on one PostgreSQL",
        [
            "servers",
            "responses per second",
            "µs of a server",
            "µs of PostgreSQL",
            "rate / rate of one server",
        ],
        rows,
        figures,
    )
