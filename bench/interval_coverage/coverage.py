"""The coverage and width of each kind of interval.

It writes docs/evidence/coverage.md, and the data of this page in docs/evidence/data/.

    python -m bench.interval_coverage.coverage

Every cell has its own seed, made from its name. So any cell can be computed again alone, as
tests/estimation/test_interval_coverage.py does with some. With `--missing`, it computes only the
cells that are not in the data, and keeps the others. With `--page`, it only writes the page.
"""

import os
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from multiprocessing import Pool
from time import monotonic

import numpy as np

from bench.evidence import EVIDENCE, Row, markdown_table, read_rows, wrapped, write_rows

from . import rare
from .cases import Measured
from .kinds import TABLES

NAME = "coverage"
DOCUMENT = EVIDENCE / "coverage.md"
SEED = 20260101
NOMINAL, LEAST = 0.95, 0.94
# There are many reports with this many respondents, if this many of each kind are expected.
MANY_RESPONDENTS, MANY_REPORTS = 50, 5
# A cell with a lower coverage is drawn again, with this many draws.
SUSPICIOUS, AGAIN = 0.945, 40_000
FULL = 200  # draws whose intervals are computed completely, for widths

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


def row_of(cell: Cell, found: Measured) -> dict[str, object]:
    """A row of the data, with widths in percent of the range. Unknown numbers are empty."""
    kind, epsilon, truth, n = cell
    return {
        "kind of interval": in_words(kind),
        "epsilon": in_words(epsilon),
        "true answers": in_words(truth),
        "n": n,
        "coverage": f"{found.coverage:.4f}",
        "with an estimate": f"{found.told:.3f}",
        "width": f"{100 * found.width:.1f}",
        "width of Wald's": "" if found.wald is None else f"{100 * found.wald:.1f}",
        "narrowest": percent_or_nothing(found.narrowest),
        "outside": percent_or_nothing(found.outside),
        "rarest report": f"{n * least_chance(kind, epsilon, truth):.1f}",
    }


def percent_or_nothing(part: float) -> str:
    return "" if np.isnan(part) else f"{100 * part:.1f}"


def cell_of(row: Row) -> Cell:
    kind, epsilon, truth = (
        in_names(row[name]) for name in ("kind of interval", "epsilon", "true answers")
    )
    return kind, epsilon, truth, int(row["n"])


def stated() -> dict[Cell, Measured]:
    """The cells in the data."""
    return {
        cell_of(row): Measured(
            float(row["coverage"]),
            float(row["with an estimate"]),
            float(row["width"]) / 100,
            float(row["width of Wald's"]) / 100 if row["width of Wald's"] else None,
            float(row["narrowest"] or np.nan) / 100,
            float(row["outside"] or np.nan) / 100,
        )
        for row in read_rows(NAME)
    }


@cache
def least_chance(kind: str, epsilon: str, truth: str) -> float:
    """The smallest probability of a report; 0 if they are not listed."""
    table = next(table for table in TABLES if table.title == kind)
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
in which it contains the true value is its coverage. The study has {cells:,} combinations of kind of
interval, mechanism, privacy loss ε, true answers and number of respondents n. The requirement is a
coverage of at least {least}, and the lowest coverage is {lowest:.4f}.

`.venv/bin/python -m bench.interval_coverage.coverage` repeats the study in about an hour, and
writes this page and its data:
[coverage.csv](data/coverage.csv) has each combination, and [rare-traits.csv](data/rare-traits.csv)
the lengths for [rare traits](#rare-traits). The module `bench/interval_coverage/kinds.py` describes
each kind of interval. tests/estimation/test_interval_coverage.py repeats a part of the study.

Where few outcomes are possible, the study enumerates all of them, and the coverage is exact.
Otherwise, it simulates 10,000 or 2,000 surveys, and 1,000 for analyses of several questions. If the
coverage is below {suspicious}, it simulates {again:,} other surveys, or 5,000 for analyses, and
uses only these. At a true coverage of 0.95, the standard errors are 0.0022, 0.0049, 0.0069, 0.0011
and 0.0031, in this order. For means, bins and standard deviations, a fast test decides whether the
interval contains the true value. Where an estimate is outside its range, the stated coverage is
therefore a little too low.

## Coverage of each kind

The column “n” belongs to the smallest coverage. The column “largest” considers only combinations
with 50 or more respondents in which each possible report is expected five times or more. A dash
means that there are none. The last column is the width of Candor's interval, divided by that of
Wald's: the estimate ± 1.96 standard errors, cut off at the ends of the range. It is the median over
all combinations with n ≥ 200 in which Wald's interval always exists.

"""

NOTES = """
The coverage in the column “largest” should be at most {most}. It is larger for these kinds, so some
of these intervals are longer than necessary:

{notes}

[Tests between groups](group-tests.md) has the coverage for differences between groups. Shares of
correct answers to the comprehension test have the interval of a non-private question. Bounds for
denial and for fake responses move the ends of the interval of a share outwards, so their coverage
is at least as high.

## Columns of the data

Widths are medians, in percent of the range. Shares range from 0 to 1, numbers from 0 to 100, and
their standard deviations from 0 to 50. The column “with an estimate” has the part of the simulated
surveys with an estimate, and the coverage is that among these. “Narrowest” is the smallest width,
and “outside” the percentage of estimates outside the range. “Rarest report” is the expected number
of the rarest report, or 0 if reports are not listed. The column “true answers” can also name the
mechanism, the quantile or the bin. The distributions are:

| name | true answers |
|---|---|
| all at the minimum, all in the middle | everybody has the smallest or the middle value |
| all between two levels | everybody has the value 45, rounded to 40 or 50 with 11 levels |
| half at each end | half of the people have the smallest value, the others the largest |
| skewed | the share of people falls exponentially with the value |
| uniform | all values are equally common |
| bell | a normal distribution with mean 45 and standard deviation 15, truncated to 0 to 100 |
| 2 % far from the rest | 98 % of the people have the smallest value, 2 % the largest |
| all means | any answers: the smallest coverage over all true means |

## Estimates outside the range

Randomisation can move an estimate outside its range: an estimated share can be −3 %. One end of the
interval is then the nearest end of the range, and the interval is at least as long as that of an
estimate at this end. If everybody has the smallest value, and ε is 1, {outside} % of the estimates
are outside. The coverage is then {outside_coverage}. The narrowest interval is {narrowest_few} % of
the range or more for n = 50, and {narrowest_many} % or more for n = 1,000.

## Rare traits

The table is about a rare answer to a non-private question, with the expected number of respondents
who have it. Lengths are expected lengths, divided by that of Blaker's interval, a short exact
interval (Can. J. Stat. 28, 2000, 783). All are calculated by enumeration of all outcomes.
{rare_spread}
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
HEADS = ("kind of interval", "combinations", "smallest coverage", "n", "largest", "relative width")


def has_many_reports(row: Row) -> bool:
    """Whether the coverage should not be much above its nominal value."""
    return int(row["n"]) >= MANY_RESPONDENTS and float(row["rarest report"]) >= MANY_REPORTS


def summary(kind: str, rows: Sequence[Row]) -> list[str]:
    """The row of one kind of interval."""
    worst = min(rows, key=lambda row: float(row["coverage"]))
    widths = [
        float(row["width"]) / float(row["width of Wald's"])
        for row in rows
        if float(row["width of Wald's"] or 0) and int(row["n"]) >= 200
    ]
    return [
        kind, str(len(rows)), worst["coverage"], worst["n"],
        max((row["coverage"] for row in rows if has_many_reports(row)), default="–"),
        f"{np.median(widths):.2f}" if widths else "–",
    ]  # fmt: skip


def document(rows: Sequence[Row], rare_rows: Sequence[Row]) -> str:
    """The page that these rows of data lead to."""
    kinds = list(dict.fromkeys(row["kind of interval"] for row in rows))
    table = markdown_table(
        HEADS, [summary(k, [row for row in rows if row["kind of interval"] == k]) for k in kinds]
    )
    outside = [row for row in rows if is_clearly_outside(row)]
    few, many = (
        min(float(row["narrowest"]) for row in outside if row["n"] == n) for n in ("50", "1000")
    )
    introduction = INTRODUCTION.format(
        cells=len(rows), lowest=min(float(row["coverage"]) for row in rows), least=LEAST,
        suspicious=SUSPICIOUS, again=AGAIN,
    )  # fmt: skip
    notes = NOTES.format(
        most=MOST, notes="\n".join(f"* **{in_words(k)}:** {v}" for k, v in OUTSIDE_LIMITS.items()),
        outside=span([f"{float(row['outside']):.0f}" for row in outside]),
        outside_coverage=span([row["coverage"] for row in outside]),
        narrowest_few=few, narrowest_many=many, rare_spread=rare.spread(rare_rows),
    )  # fmt: skip
    page = wrapped(f"{introduction}\n\n{table}\n\n{in_words(notes)}")
    return f"{page}\n{rare.table(rare_rows)}\n"


def is_clearly_outside(row: Row) -> bool:
    """Whether estimates outside the range are common, among cells in which that is possible."""
    at_the_least = row["true answers"].endswith(("all at the minimum", "minimum: first bin"))
    return (
        at_the_least
        and row["epsilon"] == "1"
        and row["n"] in ("50", "1000")
        and float(row["outside"] or 0) >= 0.5
    )


def span(numbers: Sequence[str]) -> str:
    return f"{min(numbers, key=float)} to {max(numbers, key=float)}"


def timed(cell: Cell) -> tuple[Cell, Measured | None, float]:
    begun = monotonic()
    return cell, measured(cell), monotonic() - begun


def main() -> None:
    begun = monotonic()
    if "--page" not in sys.argv:
        results = stated() if "--missing" in sys.argv else {}
        everything = [cell for cell in cells() if cell not in results]
        with Pool(os.cpu_count()) as pool:
            done = enumerate(pool.imap(timed, everything, chunksize=4), 1)
            for place, (cell, found, took) in done:
                if found is not None:
                    results[cell] = found
                    print(f"{place}/{len(everything)}", *cell, found.coverage, f"{took:.1f} s")
        order = {cell: place for place, cell in enumerate(cells())}
        write_rows(NAME, [row_of(cell, results[cell]) for cell in sorted(results, key=order.get)])
        write_rows(rare.NAME, rare.rows())
    rows = read_rows(NAME)
    DOCUMENT.write_text(document(rows, read_rows(rare.NAME)), encoding="utf-8")
    low = [row for row in rows if float(row["coverage"]) < LEAST]
    print(f"{len(rows)} cells in {(monotonic() - begun) / 60:.0f} min; below {LEAST}: {low}")
    sys.exit(bool(low))


if __name__ == "__main__":
    main()
