"""`python -m bench`: print every table, and at the end all requirements.

`python -m bench shares means boxes` runs only these parts. `python -m bench --save` also writes
benchmarks.json, growth.svg and the tables of benchmarks.md in docs/evidence.
"""

import shutil
import sys
from collections.abc import Iterator
from functools import partial

from . import (
    boxes,
    browser,
    exporting,
    ingestion,
    means,
    pages,
    peers,
    regression,
    respondents,
    servers,
    shares,
    simulated,
    speed,
    summary,
)
from .tables import EPSILONS, Table

say = partial(print, file=sys.stderr, flush=True)
Libraries = dict[str, dict[str, peers.Run]]


def of_shares(libraries: Libraries) -> Iterator[Table]:
    yield shares.table(shares.cells())


def of_means(libraries: Libraries) -> Iterator[Table]:
    yield from means.tables(means.cells())
    yield means.table_beside([means.beside(name) for name in EPSILONS])


def of_respondents(libraries: Libraries) -> Iterator[Table]:
    yield respondents.table(respondents.cells())


def of_boxes(libraries: Libraries) -> Iterator[Table]:
    yield boxes.table(boxes.cells())
    yield boxes.table_of_gains(boxes.gains())


def of_simulations(libraries: Libraries) -> Iterator[Table]:
    yield simulated.table_of_clipping()
    if not libraries:
        return
    found = simulated.cells(libraries, say)
    for library in libraries:
        # Each library is compared by the estimates that it gives itself.
        way = "possible" if simulated.compared(found[0], library, "possible") else "unbiased"
        yield simulated.table(found, library, way)
    for way, (words, _, _) in simulated.WAYS.items():
        above = simulated.exceeding(found, way)
        print(f"Ours above theirs by more than random error, {words}: {len(above)} cells.")
        print("".join(f"\n* {line}" for line in above) + "\n" * bool(above))


def of_speed(libraries: Libraries) -> Iterator[Table]:
    yield speed.estimating(list(libraries))
    randomizing = speed.randomizing(list(libraries))
    if randomizing is None:
        print("There is no node here, so the script of the page is not timed.\n")
    else:
        yield randomizing


def of_browser(libraries: Libraries) -> Iterator[Table]:
    yield browser.weight()
    drawn = browser.randomizing()
    if drawn is None:
        print("There is no Chromium or no Playwright here, so nothing is timed in a browser.\n")
    else:
        yield drawn


def of_pages(libraries: Libraries) -> Iterator[Table]:
    yield pages.table()
    on_postgresql = pages.table_of_postgresql()
    if on_postgresql is None:
        print("There is no PostgreSQL here, so its pages are not timed.\n")
    else:
        yield on_postgresql


def of_export(libraries: Libraries) -> Iterator[Table]:
    if shutil.which("sqlite3") is None:
        print(
            "There is no sqlite3 shell to compare with. Install it (Debian: apt-get install "
            "sqlite3).\n"
        )
    yield exporting.table()


def of_regression(libraries: Libraries) -> Iterator[Table]:
    yield regression.table()


def of_ingestion(libraries: Libraries) -> Iterator[Table]:
    yield ingestion.table()


def of_servers(libraries: Libraries) -> Iterator[Table]:
    found = servers.table()
    if found is None:
        print("There is no PostgreSQL here, so shared servers are not timed.\n")
    else:
        yield found


PARTS = {
    "shares": of_shares,
    "means": of_means,
    "boxes": of_boxes,
    "respondents": of_respondents,
    "simulations": of_simulations,
    "speed": of_speed,
    "browser": of_browser,
    "pages": of_pages,
    "export": of_export,
    "regression": of_regression,
    "ingestion": of_ingestion,
    "servers": of_servers,
}


def main(arguments: list[str]) -> None:
    saving = "--save" in arguments
    wanted = [name for name in arguments if name != "--save"]
    unknown = set(wanted) - set(PARTS)
    if unknown:
        sys.exit(f"There is no part {', '.join(sorted(unknown))}. Use {', '.join(PARTS)}.")
    libraries = peers.installed()
    lacking = [name for name in peers.LIBRARIES if name not in libraries]
    if lacking:
        print(f"{' and '.join(lacking)} cannot be used here, so the tables omit them.\n")
    tables = []
    for name in wanted or PARTS:
        for table in PARTS[name](libraries):
            print(table, flush=True)
            tables.append(table)
    figures = [figure for table in tables for figure in table.figures]
    if figures:
        print(summary.table_of(figures))
    if saving:
        for title in summary.save(tables):
            say(f"docs/evidence/benchmarks.md has no table “{title}”.")


if __name__ == "__main__":
    main(sys.argv[1:])
