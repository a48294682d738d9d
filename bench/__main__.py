"""`python -m bench`: every table. `python -m bench shares means boxes`: only those parts."""

import sys
from collections.abc import Iterator
from functools import partial

from . import boxes, ingestion, means, pages, peers, regression, shares, simulated, speed
from .tables import EPSILONS, Table

say = partial(print, file=sys.stderr, flush=True)
Libraries = dict[str, dict[str, peers.Run]]


def of_shares(libraries: Libraries) -> Iterator[Table]:
    yield shares.table(shares.cells())


def of_means(libraries: Libraries) -> Iterator[Table]:
    yield from means.tables(means.cells())
    yield means.table_beside([means.beside(name) for name in EPSILONS])


def of_boxes(libraries: Libraries) -> Iterator[Table]:
    yield boxes.table(boxes.cells())
    yield boxes.table_of_gains(boxes.gains())


def of_simulations(libraries: Libraries) -> Iterator[Table]:
    yield simulated.table_of_clipping()
    if not libraries:
        return
    found = simulated.cells(libraries, say)
    for library in libraries:
        for way in simulated.WAYS:
            if simulated.compared(found[0], library, way):
                yield simulated.table(found, library, way)
    for way, (words, _, _) in simulated.WAYS.items():
        above = simulated.exceeding(found, way)
        print(f"Ours above theirs by more than chance explains, {words}: {len(above)} cells.")
        print("".join(f"\n* {line}" for line in above) + "\n" * bool(above))


def of_speed(libraries: Libraries) -> Iterator[Table]:
    yield speed.estimating(list(libraries))
    yield speed.solving()
    randomizing = speed.randomizing(list(libraries))
    if randomizing is None:
        print("There is no node here, so the page's script is not timed.\n")
    else:
        yield randomizing


def of_pages(libraries: Libraries) -> Iterator[Table]:
    yield pages.table()


def of_regression(libraries: Libraries) -> Iterator[Table]:
    yield regression.table()


def of_ingestion(libraries: Libraries) -> Iterator[Table]:
    yield ingestion.table()


PARTS = {
    "shares": of_shares,
    "means": of_means,
    "boxes": of_boxes,
    "simulations": of_simulations,
    "speed": of_speed,
    "pages": of_pages,
    "regression": of_regression,
    "ingestion": of_ingestion,
}


def main(wanted: list[str]) -> None:
    unknown = set(wanted) - set(PARTS)
    if unknown:
        sys.exit(f"There is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}.")
    libraries = peers.installed()
    lacking = [name for name in peers.LIBRARIES if name not in libraries]
    if lacking:
        print(f"{' and '.join(lacking)} cannot be used here; the tables are without them.\n")
    for name in wanted or PARTS:
        for table in PARTS[name](libraries):
            print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
