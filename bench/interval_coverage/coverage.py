"""The coverage and width of each kind of interval.

It writes docs/evidence/coverage.md.

    python -m bench.interval_coverage.coverage

Every cell of a table has its own seed, made from its name. So any cell can be computed again alone,
as tests/estimation/test_interval_coverage.py does with some.
"""

import os
import re
import sys
import textwrap
import zlib
from collections.abc import Iterator, Mapping
from multiprocessing import Pool
from pathlib import Path
from time import monotonic

import numpy as np

from .cases import PLAIN, Measured
from .kinds import TABLES

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "evidence" / "coverage.md"
SEED = 20260101
NOMINAL, LEAST = 0.95, 0.94
# A cell with a lower coverage is drawn again, with this many draws.
SUSPICIOUS, AGAIN = 0.945, 40_000
FULL = 200  # draws whose intervals are computed completely, for widths
MAX_LINE_CHARACTERS = 110  # of the text, outside tables

Cell = tuple[str, str, str, int]  # title, epsilon, truth, n


def cells() -> Iterator[Cell]:
    for table in TABLES:
        for epsilon, truth in table.rows:
            for n in table.sizes:
                yield table.title, epsilon, truth, n


def measured(cell: Cell) -> Measured | None:
    """The result of one cell; None if it has none."""
    title, epsilon, truth, n = cell
    table = next(table for table in TABLES if table.title == title)
    if table.enumerate is not None:
        return table.enumerate(epsilon, truth, n)
    case = table.case(epsilon, truth) if table.case else None
    if case is None:
        return None
    name = zlib.crc32("|".join(map(str, cell)).encode())
    found = case.measure(n, table.draws, np.random.default_rng([SEED, name]), FULL)
    if found.coverage >= SUSPICIOUS:
        return found
    return case.measure(n, AGAIN, np.random.default_rng([SEED, name, AGAIN]), FULL)


def entry(found: Measured | None) -> str:
    """Coverage, and the median widths in hundredths of the range."""
    if found is None:
        return ""
    wald = "–" if found.wald is None else f"{100 * found.wald:.1f}"
    some = "" if found.told > 0.9995 else f", of {100 * found.told:.0f} %"
    return f"{found.coverage:.4f} ({100 * found.width:.1f} : {wald}{some})"


STATED = re.compile(r"(\d\.\d{4}) \(([\d.]+) : ([\d.]+|–)(?:, of (\d+) %)?\)")


def stated(text: str) -> dict[Cell, tuple[float, float, float | None]]:
    """The coverage, the width and Wald's width of every cell in the document."""
    found = {}
    for part in text.split("\n### ")[1:]:
        lines = part.splitlines()
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
        for row in rows[2:]:
            for size, content in zip(rows[0][2:], row[2:], strict=True):
                match = STATED.fullmatch(content)
                if match:
                    wald = None if match[3] == "–" else float(match[3])
                    cell = lines[0], row[0], row[1], int(size)
                    found[cell] = float(match[1]), float(match[2]), wald
    return found


INTRODUCTION = """# Interval coverage

This page says how often an interval at the 95 % level contains the truth, and how wide it is. It
covers every kind of interval on the results page. The command
`python -m bench.interval_coverage.coverage` writes this page. The tests in
tests/estimation/test_interval_coverage.py compute some of it again.

* **Method.** Each cell is one distribution of true answers, one ε and one number of respondents n.
  The reports come from the table that Candor makes, with answers between two points rounded at
  random. Candor's own functions give the interval. If there are few outcomes, the study enumerates
  all of them, and nothing depends on chance. Otherwise numpy's default generator draws the counts
  of the reports. Each cell has its own seed, made from its name and {seed}. If the coverage of a
  cell is below {suspicious}, the study draws {again:,} times again and states that result.
* **Words.** In the tables, “plain” marks a non-private question. Its answers are stored as given.
* **Error of the simulation.** One standard error of a coverage of 0.95 is 0.0022 for 10,000 draws,
  0.0049 for 2,000 and 0.0011 for {again:,}. Among {simulated:,} simulated cells, some are three
  standard errors off.
* **Entries.** An entry such as 0.9570 (14.2 : 13.1) has the coverage first. In brackets are two
  median widths, in hundredths of the range: of the interval, and of value ± 1.96 standard errors,
  cut to the range. The words “of 85 %” mean that the other draws gave no estimate, because too few
  people seemed to have given a number. The coverage is then among the draws with an estimate.
* **Shortcut.** `mean_interval` and `deviation` invert two tests. These tests, applied at the truth,
  decide whether the interval contains it. For {full} draws of each cell the study also computes the
  interval, for its width. It must contain the truth whenever the tests say so. If an estimate is
  out of the range, the interval is longer, and covers more often than stated.
* **Narrowest interval.** None is empty or without width. The narrowest of all was {narrowest:.2f}
  hundredths of the range. Only a quantile, which is one of finitely many values, may have an
  interval of one value.

## Smallest coverage of each kind

| kind | cells | smallest coverage | where | width : Wald's, n of 200 or more |
|---|---|---|---|---|
"""

OUTSIDE = """
## Estimates out of the range

Noise can put an unbiased estimate where no share or mean can be. Its interval begins at the end of
the range. It is at least as long as the interval of an estimate at that end. So an impossible
estimate never looks precise. All answers at the least value, the first {full} draws:

| kind | ε | n | estimates outside | coverage | narrowest interval, in hundredths of the range |
|---|---|---|---|---|---|
"""


def document(results: Mapping[Cell, Measured]) -> str:
    """The whole page."""
    simulated = {t.title for t in TABLES if t.draws}
    quantile_tables = [t.title for t in TABLES if t.title.startswith(("Quantiles", "Median"))]
    wide = [found.narrowest for cell, found in results.items() if cell[0] not in quantile_tables]
    parts = [
        INTRODUCTION.format(
            seed=SEED, suspicious=SUSPICIOUS, again=AGAIN, full=FULL, narrowest=100 * min(wide),
            simulated=sum(cell[0] in simulated for cell in results),
        )
    ]  # fmt: skip
    for table in TABLES:
        mine = {cell: found for cell, found in results.items() if cell[0] == table.title}
        worst = min(mine, key=lambda cell: mine[cell].coverage)
        ratios = [f.width / f.wald for c, f in mine.items() if f.wald and c[3] >= 200]
        usual = f"{np.median(ratios):.2f}" if ratios else "–"
        parts.append(
            f"| {table.title} | {len(mine)} | {mine[worst].coverage:.4f} "
            f"| ε {worst[1]}, {worst[2]}, n = {worst[3]} | {usual} |\n"
        )
    parts.append(OUTSIDE.format(full=FULL))
    for cell, found in results.items():
        least = cell[2].endswith(("all at the least", "all at the least: the first part"))
        if cell[0] in simulated and least and cell[1] in ("1", PLAIN) and cell[3] in (50, 1000):
            parts.append(
                f"| {cell[0]} | {cell[1]} | {cell[3]} | {100 * found.outside:.0f} % "
                f"| {found.coverage:.4f} | {100 * found.narrowest:.1f} |\n"
            )
    parts.append("\n## Tables\n")
    for table in TABLES:
        drawn = f" {table.draws:,} draws for each cell." if table.draws else ""
        about = textwrap.fill(table.about + drawn, MAX_LINE_CHARACTERS, break_on_hyphens=False)
        parts.append(f"\n### {table.title}\n\n{about}\n\n")
        parts.append(f"| ε | {'truth' if table.draws else 'of'} |" + header(table.sizes))
        for epsilon, truth in table.rows:
            row = [entry(results.get((table.title, epsilon, truth, n))) for n in table.sizes]
            if any(row):
                parts.append(f"| {epsilon} | {truth} | {' | '.join(row)} |\n")
    return "".join(parts)


def header(sizes: tuple[int, ...]) -> str:
    return f" {' | '.join(map(str, sizes))} |\n|{'---|' * (len(sizes) + 2)}\n"


def timed(cell: Cell) -> tuple[Cell, Measured | None, float]:
    begun = monotonic()
    return cell, measured(cell), monotonic() - begun


def main() -> None:
    everything, results, begun = list(cells()), {}, monotonic()
    with Pool(os.cpu_count()) as pool:
        for done, (cell, found, took) in enumerate(pool.imap(timed, everything, chunksize=4), 1):
            if found is not None:
                results[cell] = found
                print(f"{done}/{len(everything)}", *cell, entry(found), f"{took:.1f} s", flush=True)
    DOCUMENT.write_text(document(results))
    low = {cell: found.coverage for cell, found in results.items() if found.coverage < LEAST}
    print(f"{len(results)} cells in {(monotonic() - begun) / 60:.0f} min; below {LEAST}: {low}")
    sys.exit(bool(low))


if __name__ == "__main__":
    main()
