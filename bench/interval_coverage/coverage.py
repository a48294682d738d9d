"""The coverage and width of each kind of interval.

It writes docs/evidence/coverage.md.

    python -m bench.interval_coverage.coverage

Every cell of a table has its own seed, made from its name. So any cell can be computed again alone,
as tests/estimation/test_interval_coverage.py does with some. With `--missing`, it computes only the
cells that are not on the page, and keeps the others.
"""

import os
import re
import sys
import textwrap
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from time import monotonic

import numpy as np

from . import rare
from .cases import PLAIN, Measured
from .kinds import TABLES, Table

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "evidence" / "coverage.md"
SEED = 20260101
NOMINAL, LEAST = 0.95, 0.94
# There are many reports with this many respondents, if this many of each kind are expected.
MANY_RESPONDENTS, MANY_REPORTS = 50, 5
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
    return case.measure(n, table.again, np.random.default_rng([SEED, name, table.again]), FULL)


def entry(found: Measured | None) -> str:
    """Coverage, and the median widths in percent of the range."""
    if found is None:
        return ""
    wald = "–" if found.wald is None else f"{100 * found.wald:.1f}"
    some = "" if found.told > 0.9995 else f", of {100 * found.told:.0f} %"
    return f"{found.coverage:.4f} ({100 * found.width:.1f} : {wald}{some})"


STATED = re.compile(r"(\d\.\d{4}) \(([\d.]+) : ([\d.]+|–)(?:, of (\d+) %)?\)")


def stated(text: str) -> dict[Cell, tuple[float, float, float | None]]:
    """The coverage, the width and Wald's width of every cell in the document."""
    found = {}
    for part in in_names(text).split("\n### ")[1:]:
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


def kept(text: str) -> dict[Cell, Measured]:
    """The cells of the page as results. What it does not state of them is not a number."""
    found = {}
    for cell, (coverage, width, wald) in stated(text).items():
        found[cell] = Measured(
            coverage, part_with_estimate(text, cell), width / 100,
            None if wald is None else wald / 100, np.nan, np.nan,
        )  # fmt: skip
    return found


def part_with_estimate(text: str, cell: Cell) -> float:
    """The part of the draws with an estimate, as the page rounds it."""
    table = in_names(text).partition(f"\n### {cell[0]}\n")[2].partition("\n### ")[0]
    sizes = next(t.sizes for t in TABLES if t.title == cell[0])
    (row,) = [line for line in table.splitlines() if line.startswith(f"| {cell[1]} | {cell[2]} |")]
    match = STATED.search(row.split("|")[3 + sizes.index(cell[3])])
    if match is None or match[4] is None:
        return 1.0
    # The page says "100 %" only if the part is slightly less.
    return min(float(match[4]) / 100, 0.999)


def has_many_reports(table: Table, epsilon: str, truth: str, n: int) -> bool:
    """Whether the coverage should not be much above its nominal value."""
    return n >= MANY_RESPONDENTS and n * least_chance(table, epsilon, truth) >= MANY_REPORTS


@cache
def least_chance(table: Table, epsilon: str, truth: str) -> float:
    """The smallest probability of a report; 0 if they are not listed."""
    case = None if table.case is None else table.case(epsilon, truth)
    if case is None or case.chances is None:
        return 0.0
    return float(np.min(case.chances))


# The seed of a cell depends on the names in the code. The page shows these words in their place.
WORDS = {
    "plain": "non-private",
    "all at the least": "all at the minimum",
    "half at either end": "half at each end",
    "one in fifty far out": "2 % far from the rest",
    "even": "uniform",
    "bell": "bell-shaped",
    "the parts of": "the bins of",
    "the first part": "first bin",
    "a part in the middle": "middle bin",
    "a random few": "a sample",
    "Shares by own tables": "Shares with custom randomizers",
    "all between two points": "all between two levels",
    "by one bit": "with the mechanism one_bit",
    "by the window": "with the mechanism window",
    "by the optimal table": "with the mechanism optimal_mean",
}


def in_words(text: str) -> str:
    """The text of the page, with its own words for the names in the code."""
    for name, words in WORDS.items():
        text = re.sub(rf"\b{name}\b", words, text)
    return text


def in_names(text: str) -> str:
    """The inverse of `in_words`."""
    for name, words in WORDS.items():
        text = re.sub(rf"\b{words}\b", name, text)
    return text


INTRODUCTION = """# Interval coverage

A 95 % interval should contain the true value in at least 95 of 100 surveys. The share of surveys
in which it contains the true value is its coverage. This page states the coverage of most kinds of
intervals on the results page and in analyses. The lowest coverage is {lowest:.4f}.

`make interval-coverage` repeats the study in about an hour, and writes this page. The tests in
tests/estimation/test_interval_coverage.py repeat a part of it.

## Coverage of each kind

Each row summarises one of the tables in [All cells](#all-cells). The column “cells” has the
number of its cells. The columns “where” name the cells with the smallest and with the largest
coverage. The column “largest” considers only cells with 50 or more respondents in which the
expected number of each possible report is at least five. In analyses of two questions or groups,
this rule applies to each combination of reports. A dash means that there is no such cell, or that
each coverage in the table is already the smallest over all true shares. Confidence sequences also
have a dash, because their coverage is that of all looks together. The last column is the ratio of
the width of Candor's interval to that of Wald's interval. It is the median over all cells with n ≥
200 in which Wald's interval exists.

| kind of interval | cells | smallest coverage | where | largest | where | relative width |
|---|---|---|---|---|---|---|
"""

NOTES = """
The requirement is a coverage of at least 0.94, and all cells meet it. The coverage in the column
“largest” should be at most 0.985. It exceeds 0.985 for the following kinds, so some of these
intervals are longer than necessary:

{notes}

[Tests between groups](group-tests.md) has the coverage for differences between groups, also for
means and private groups. Shares of correct answers to the comprehension test have the same kind of
interval as shares of a non-private question. Bounds for denial and for fake responses move the ends
of a share's interval outwards. So the coverage of these bounds is at least as high as that of the
interval.
"""

METHOD = """
## Method

The study has {cells:,} combinations of true answers, mechanism, privacy loss ε and number of
respondents n. Each of them is a cell in a table. Where few outcomes are possible, the study
enumerates all of them, and the coverage is exact. Otherwise, it simulates 2,000 or 10,000
surveys. If the coverage is below {suspicious}, the study simulates {again:,} other surveys and
uses only these. Analyses take longer, so for them the study simulates 1,000 surveys, and 5,000
others if the coverage is low.

Simulated coverages have a random error, so a coverage slightly below 0.95 can be due to chance. At
a true coverage of 0.95, the standard error is 0.0069 for 1,000 simulated surveys, 0.0049 for
2,000, 0.0031 for 5,000, 0.0022 for 10,000 and 0.0011 for {again:,}.

For some kinds of intervals, a fast test shows whether the interval contains the true value. The
study then computes the interval itself, and so its width, only for the first 200 different
outcomes. If an estimate is outside its range, Candor's interval can be longer than the interval
that the fast test uses. The stated coverage is then a little too low.

## How to read the tables

The column headings 10, 20, ... are numbers of respondents n. An entry such as 0.9570 (14.2 : 13.1)
has three numbers:

1. the coverage of Candor's interval
2. the median width of Candor's interval
3. the median width of Wald's interval, for comparison. Wald's interval is the estimate ± 1.96
   standard errors, cut off at the ends of the range. A dash means that Wald's interval does not
   exist in at least one simulated survey.

Widths are percentages of the range. Shares range from 0 to 1. Numbers are integers from 0 to 100,
and their standard deviations range from 0 to 50. If a question offers “prefer not to say”, some
simulated surveys have too few answers for an estimate. An entry with “of 85 %” has the coverage
among the 85 % of the surveys that gave an estimate. This percentage is rounded, so “of 100 %” can
be slightly less. An entry is empty if the study has no result for it.

In the column ε, “non-private” means that answers are stored as given. A dash in this column means
that the mechanism has no setting ε. [Mechanisms](../reference/mechanisms.md) describes mechanisms
such as “window”. The column “true answers” names one of the distributions below. In some tables,
it also names the mechanism, the quantile or the bin of the histogram.

| name | true answers |
|---|---|
| all at the minimum | everybody has the smallest value |
| all in the middle | everybody has the middle value |
| all between two levels | everybody has the value 45. With 11 levels, it is rounded to 40 or 50 |
| half at each end | half of the people have the smallest value, the others the largest |
| skewed | small values are common: the share of people falls exponentially with the value |
| uniform | all values are equally common |
| bell | a normal distribution with mean 45 and standard deviation 15, truncated to 0 to 100 |
| 2 % far from the rest | 98 % of the people have the smallest value, 2 % the largest |
| all means | any answers: the entry is the smallest coverage over all true means |
"""

# Kinds whose largest coverage is above MOST, and why.
MOST = 0.985
RATIO = "The share is that of a small group of respondents, whose size is an estimate, too."
OUTSIDE_LIMITS = {
    "Standard deviation by the window": "Rounding adds a variance that depends on the exact "
    "numbers, which are unknown. The interval allows for all possible numbers.",
    "Quantiles by the window": "The interval comes from the inversion of a test of the whole "
    "distribution.",
    "Percentage of a row": RATIO,
    "Share among those asked": RATIO,
    "Share weighted by known totals": "For each group, the calculation uses "
    "the longer half of the interval on both sides of the estimate.",
}

OUTSIDE = """
## Estimates outside the range

Randomisation can move an estimate outside its range. For example, an estimated share can be −3 %.
One end of the interval is then the nearest end of the range. The interval is at least as long as
that of an estimate at this end. The table is about surveys in which everybody has the smallest
value. “Estimates outside” is the share of simulated surveys whose estimate is outside the range.
“Narrowest interval” is the smallest width of an interval, in percent of the range. Both can be
based on only a part of the simulated surveys ([Method](#method)).

| kind of interval | ε | n | estimates outside | coverage | narrowest interval |
|---|---|---|---|---|---|
"""


def noted(kind: str) -> str:
    text = in_words(f"**{kind}:** {OUTSIDE_LIMITS[kind]}")
    return textwrap.fill(
        text, MAX_LINE_CHARACTERS, initial_indent="* ", subsequent_indent="  ",
        break_on_hyphens=False,
    )  # fmt: skip


def where(cell: Cell) -> str:
    loss = cell[1] if cell[1] == PLAIN else f"ε {cell[1]}"
    return f"{loss}, {cell[2]}, n = {cell[3]}"


def document(results: Mapping[Cell, Measured], before: str = "") -> str:
    """The whole page.

    With `before`, the page as it was, sections with more than the coverage of cells are kept.
    """
    simulated = {t.title for t in TABLES if t.draws}
    introduction = INTRODUCTION.format(lowest=min(found.coverage for found in results.values()))
    parts = []
    for table in TABLES:
        mine = {cell: found for cell, found in results.items() if cell[0] == table.title}
        worst = min(mine, key=lambda cell: mine[cell].coverage)
        ratios = [f.width / f.wald for c, f in mine.items() if f.wald and c[3] >= 200]
        usual = f"{np.median(ratios):.2f}" if ratios else "–"
        many = {cell: mine[cell] for cell in mine if has_many_reports(table, *cell[1:])}
        largest = "– | –"
        if many:
            best = max(many, key=lambda cell: many[cell].coverage)
            largest = f"{many[best].coverage:.4f} | {where(best)}"
        parts.append(
            f"| {table.title} | {len(mine)} | {mine[worst].coverage:.4f} | {where(worst)} "
            f"| {largest} | {usual} |\n"
        )
    parts.append(NOTES.format(notes="\n".join(map(noted, OUTSIDE_LIMITS))))
    parts.append(METHOD.format(suspicious=SUSPICIOUS, again=AGAIN, cells=len(results)))
    parts += [section_of(before)] if before else outside_and_rare(results, simulated)
    parts.append("\n## All cells\n")
    parts += tables_of_cells(results)
    return introduction + in_words("".join(parts))


def section_of(page: str) -> str:
    """The sections on estimates outside the range and on rare traits, in the code's names."""
    start, end = page.index("\n## Estimates outside"), page.index("\n## All cells")
    return in_names(page[start:end])


def outside_and_rare(results: Mapping[Cell, Measured], simulated: set[str]) -> list[str]:
    parts = [OUTSIDE]
    for cell, found in results.items():
        least = cell[2].endswith(("all at the least", "all at the least: the first part"))
        some = least and cell[1] in ("1", PLAIN) and cell[3] in (50, 1000)
        if cell[0] in simulated and some and found.outside >= 0.005:
            detail = "" if cell[2].startswith("all") else f": {cell[2].partition(':')[0]}"
            parts.append(
                f"| {cell[0]}{detail} | {cell[1]} | {cell[3]} | {100 * found.outside:.0f} % "
                f"| {found.coverage:.4f} | {100 * found.narrowest:.1f} |\n"
            )
    return [*parts, rare.document()]


def tables_of_cells(results: Mapping[Cell, Measured]) -> list[str]:
    parts = []
    for table in TABLES:
        drawn = f" Each cell is based on {table.draws:,} simulated surveys." if table.draws else ""
        about = textwrap.fill(table.about + drawn, MAX_LINE_CHARACTERS, break_on_hyphens=False)
        parts.append(f"\n### {table.title}\n\n{about}\n\n")
        rows = (
            "mechanism" if table.title.startswith("Shares") and not table.draws else "true answers"
        )
        parts.append(f"| ε | {rows} |" + header(table.sizes))
        for epsilon, truth in table.rows:
            row = [entry(results.get((table.title, epsilon, truth, n))) for n in table.sizes]
            if any(row):
                parts.append(f"| {epsilon} | {truth} | {' | '.join(row)} |\n")
    return parts


def header(sizes: tuple[int, ...]) -> str:
    return f" {' | '.join(map(str, sizes))} |\n|{'---|' * (len(sizes) + 2)}\n"


def timed(cell: Cell) -> tuple[Cell, Measured | None, float]:
    begun = monotonic()
    return cell, measured(cell), monotonic() - begun


def main() -> None:
    begun, before = monotonic(), DOCUMENT.read_text() if "--missing" in sys.argv else ""
    results = kept(before) if before else {}
    everything = [cell for cell in cells() if cell not in results]
    with Pool(os.cpu_count()) as pool:
        for done, (cell, found, took) in enumerate(pool.imap(timed, everything, chunksize=4), 1):
            if found is not None:
                results[cell] = found
                print(f"{done}/{len(everything)}", *cell, entry(found), f"{took:.1f} s", flush=True)
    DOCUMENT.write_text(document(results, before))
    low = {cell: found.coverage for cell, found in results.items() if found.coverage < LEAST}
    print(f"{len(results)} cells in {(monotonic() - begun) / 60:.0f} min; below {LEAST}: {low}")
    sys.exit(bool(low))


if __name__ == "__main__":
    main()
