"""Export of a million responses as CSV, relative to the sqlite3 shell on the same file.

The shell exports the stored numbers, which is less work than an export with names, and then the
same file. Times are processor time. Memory is the growth of the process while it exports.
`python -m bench.exporting DATABASE SLUG FILE` is that process.
"""

import filecmp
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from survey.definition.responses.packed_columns import packs_of
from survey.formats.csv_export import responses_csv
from survey.formats.report_labels import RANDOMISED
from survey.store import open_store

from .filled import fill
from .tables import Figure, Table

SIZES, QUESTIONS, ROUNDS = (10_000, 100_000, 1_000_000), 10, 3
NAMES = [f"q{place}" for place in range(QUESTIONS)]
MEGABYTE = 1_000_000


def definition(slug: str) -> dict[str, object]:
    questions = [
        {"name": name, "type": "yes_no", "label": "Yes?", "privacy": {"epsilon": 1}}
        for name in NAMES
    ]
    return {"slug": slug, "title": "Export", "questions": questions}


def export(database: str, slug: str, file: str) -> dict[str, float]:
    """Export like the route, into a file: processor seconds, and bytes of memory."""
    with closing(open_store(database)) as store:
        found = store.surveys.by_slug(slug)
        packs = packs_of(found.survey)
        before = memory("VmRSS")
        start = time.process_time()
        with Path(file).open("w", newline="") as written:
            written.writelines(
                responses_csv(found.frozen, store.responses.rows(slug, packs), packs)
            )
        spent = time.process_time() - start
        grown = memory("VmHWM") - before
    return {"seconds": spent, "memory": grown}


def memory(which: str) -> int:
    """The memory of this process in bytes: VmRSS is the present value, VmHWM the maximum so far."""
    status = Path("/proc/self/status")
    if not status.exists():  # Other systems than Linux only report the maximum.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 1_024 * int(status.read_text().partition(f"{which}:")[2].split()[0])


def ours(database: str, slug: str, file: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.exporting", database, slug, file]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def by_shell(database: str, slug: str, file: str, columns: str) -> float:
    """The processor time of the sqlite3 shell in seconds."""
    select = f"SELECT {columns} FROM responses_{slug} ORDER BY id"
    with Path(file).open("wb") as written:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            ["sqlite3", "-readonly", "-header", "-csv", "-newline", "\r\n", database, select],  # noqa: S607
            stdout=written, check=True,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def table(sizes: tuple[int, ...] = SIZES) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        database, one, other = (str(Path(folder, name)) for name in ("db", "one.csv", "other.csv"))
        rows: list[list[str | float]] = []
        took: dict[int, float] = {}
        with closing(open_store(database)) as store:
            for n in sizes:
                shares = {name: {"yes": 0.3, "no": 0.7} for name in NAMES}
                fill(store, definition(f"n{n}"), shares, n - n % 25)  # only full batches
        shell = shutil.which("sqlite3") is not None
        for n in sizes:
            found = [ours(database, f"n{n}", one) for _ in range(ROUNDS)]
            took[n] = min(each["seconds"] for each in found)
            grown = max(each["memory"] for each in found) / MEGABYTE
            row: list[str | float] = [f"{n:,}", took[n], grown]
            if shell:
                numbers = same = float("inf")
                words = ", ".join(
                    f"CASE {name} WHEN 0 THEN 'yes' ELSE 'no' END AS '{name}{RANDOMISED}'"
                    for name in NAMES
                )
                for _ in range(ROUNDS):
                    same = min(same, by_shell(database, f"n{n}", other, words))
                    if not filecmp.cmp(one, other, shallow=False):
                        raise RuntimeError("The export of the shell differs from ours.")
                    numbers = min(numbers, by_shell(database, f"n{n}", other, ", ".join(NAMES)))
                row.append(took[n] / numbers)
                times_same = took[n] / same
            rows.append(row)
    growth = {n: spent / n / (took[sizes[0]] / sizes[0]) for n, spent in took.items()}
    last = f"{sizes[-1]:,} responses"
    figures = [
        Figure(f"export of {last}", "MB of memory", grown, most=100),
        Figure("export, each response", "longest time / time with the fewest",
               max(growth.values()), growth=growth),
    ]  # fmt: skip
    columns = ["responses", "seconds", "MB of memory"]
    if shell:
        columns.append("time / time of the sqlite3 shell")
        figures[:0] = [
            Figure(f"export of {last}", "time / time of the sqlite3 shell", row[3], most=1.5),
            Figure(f"export of {last}", "time / time of the sqlite3 shell, with names", times_same),
        ]
    return Table(f"Export of responses to {QUESTIONS} questions as CSV", columns, rows, figures)


if __name__ == "__main__":
    print(json.dumps(export(*sys.argv[1:])))
