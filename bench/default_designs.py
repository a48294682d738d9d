"""Regressions whose outcome and predictors are private, with and without "prefer not to say".

It writes docs/evidence/private-predictors.md and its data. Each row has a seed made from its name.

    python -m bench.default_designs

With `--page`, it only writes the page.
"""

import sys
import time
import tracemalloc
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from bench.evidence import EVIDENCE, Row, markdown_table, read_rows, wrapped, write_rows
from survey.analysis.columns.variables import AnalysisColumn, Codes
from survey.analysis.regression.coefficients import Regression
from survey.analysis.regression.regression import regress
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array, scores_of_table
from tests.support.regressed import column

DOCUMENT = EVIDENCE / "private-predictors.md"
SEED, EPSILON, LEVEL = 20261129, 2.0, 0.05
YES_NO = ("Yes", "No")
DECLINED = "Prefer not to say"
# The surveys of a row of each table.
DECLINING, SEVERAL, FIVE = 2_000, 500, 60
# The sample sizes, and log odds ratios that lead to a power of about one half.
SIZES = {200: 1.2, 1_000: 0.55}
DECLINING_SHARES = (0.0, 0.02)
# The correlation of the normal variables behind the answers to private predictors.
RELATED = 0.3
DESIGNS: dict[str, tuple[tuple[int, ...], tuple[int, ...], int]] = {
    "2 and 3 answers": ((2, 3), (200, 1_000), SEVERAL),
    "three with 3 answers": ((3, 3, 3), (200, 1_000), SEVERAL),
    "five with 3, 4, 5, 6 and 4 answers": ((3, 4, 5, 6, 4), (1_000,), FIVE),
}
TIMED = {
    "five with 4 answers": (4,) * 5,
    "five with 3, 4, 5, 6 and 4 answers": (3, 4, 5, 6, 4),
}
TIMED_SIZES = (500, 2_000, 10_000, 100_000)


def table_of(answers: int, epsilon: float) -> Array:
    """k-ary randomised response."""
    odds = np.exp(epsilon)
    return np.asarray((1 + (odds - 1) * np.eye(answers)) / (odds + answers - 1))


def reports_of(random: np.random.Generator, table: Array, answers: Codes) -> Codes:
    borders = table.cumsum(axis=1)[answers, :-1]
    return np.asarray((random.random((len(answers), 1)) >= borders).sum(axis=1))


def private(name: str, table: Array, codes: Codes, special_answers: int = 0) -> AnalysisColumn:
    labels = [*map(str, range(len(table) - special_answers)), *[DECLINED] * special_answers]
    return column(name, labels, codes, table, special_answers=special_answers)


def without_declining(of: AnalysisColumn) -> AnalysisColumn:
    """The same reports, if it is known that nobody declined."""
    chances = of.chances[: of.listed]
    return replace(
        of, answers=of.answers[: of.listed], chances=chances, special_answers=0,
        scores=scores_of_table(chances, np.eye(of.listed)),
    )  # fmt: skip


def declining_survey(
    random: np.random.Generator, n: int, slope: float, share: float
) -> tuple[AnalysisColumn, AnalysisColumn]:
    """An outcome and a predictor, yes/no questions that this share declines to answer."""
    z = random.integers(0, 2, n)
    y = (random.random(n) >= 1 / (1 + np.exp(0.4 - slope * (z == 0)))).astype(np.int64)
    table = table_of(3, EPSILON)
    return tuple(
        private(
            name, table, reports_of(random, table, np.where(random.random(n) < share, 2, own)), 1
        )
        for name, own in (("y", y), ("z", z))
    )  # type: ignore[return-value]


def declining_rows() -> Iterator[Sequence[object]]:
    for n, slope in SIZES.items():
        for share in DECLINING_SHARES:
            random = np.random.default_rng(zlib.crc32(f"{n} {share}".encode()) + SEED)
            false, power, known, covered, refused = 0, 0, 0, 0, 0
            for _ in range(DECLINING):
                try:
                    false += (
                        regress(*split(declining_survey(random, n, 0.0, share))).tests[0].p < LEVEL
                    )
                    survey = declining_survey(random, n, slope, share)
                    found = regress(*split(survey))
                    ideal = regress(*split(tuple(map(without_declining, survey))))
                except UnanswerableQuestion:
                    refused += 1
                    continue
                power += found.tests[0].p < LEVEL
                known += ideal.tests[0].p < LEVEL
                covered += holds(found, "z: 0", slope)
            done = DECLINING - refused
            yield n, share, slope, *(
                f"{each / done:.4f}" for each in (false, covered, power, known)
            ), refused  # fmt: skip


def split(
    columns: Sequence[AnalysisColumn],
) -> tuple[AnalysisColumn, Sequence[AnalysisColumn]]:
    return columns[0], columns[1:]


def holds(found: Regression, name: str, value: float) -> bool:
    """Whether the interval of a coefficient contains the value."""
    row = next(row for row in found.coefficients if row.name == name)
    return row.low <= value <= row.high


def related_survey(
    random: np.random.Generator, n: int, sizes: Sequence[int], slope: float
) -> tuple[AnalysisColumn, list[AnalysisColumn]]:
    """A yes/no outcome that depends on the first predictor, and predictors that are related.

    `slope` is the log odds ratio of each answer against the one before.
    """
    common, predictors = random.normal(size=n), []
    eta = np.full(n, -0.5)
    for place, size in enumerate(sizes):
        own = np.sqrt(RELATED) * common + np.sqrt(1 - RELATED) * random.normal(size=n)
        borders = [NormalDist().inv_cdf(k / size) for k in range(1, size)]
        answers = np.digitize(own, borders)
        if not place:
            eta += slope * answers
        table = table_of(size, EPSILON)
        predictors.append(private(f"q{place}", table, reports_of(random, table, answers)))
    yes = (random.random(n) >= 1 / (1 + np.exp(-eta))).astype(np.int64)
    table = table_of(2, EPSILON)
    return private("y", table, reports_of(random, table, yes)), predictors


def several_rows() -> Iterator[Sequence[object]]:
    for name, (sizes, ns, surveys) in DESIGNS.items():
        for n in ns:
            random = np.random.default_rng(zlib.crc32(f"{name} {n}".encode()) + SEED)
            single: list[bool] = []
            several: list[bool] = []
            together: list[bool] = []
            covered: list[bool] = []
            refused = 0
            for _ in range(surveys):
                try:
                    found = regress(*related_survey(random, n, sizes, 0.0))
                except UnanswerableQuestion:
                    refused += 1
                    continue
                for test in found.tests[:-1]:
                    (single if test.degrees == 1 else several).append(test.p < LEVEL)
                together.append(found.tests[-1].p < LEVEL)
                covered += [row.low <= 0 <= row.high for row in found.coefficients[1:]]
            yield name, n, surveys, *(
                f"{np.mean(each):.4f}" if each else ""
                for each in (single, several, together, covered)
            ), refused  # fmt: skip


def timed_rows() -> Iterator[Sequence[object]]:
    for name, sizes in TIMED.items():
        for n in TIMED_SIZES:
            outcome, predictors = related_survey(np.random.default_rng(SEED), n, sizes, 0.5)
            start = time.process_time()
            found = regress(outcome, predictors)
            took = time.process_time() - start
            tracemalloc.start()
            regress(outcome, predictors)
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            yield name, n, f"{took:.2f}", f"{most / 1e6:.0f}", found.intervals


PARTS = {
    "private-declining": (
        (
            "n",
            "declined",
            "slope",
            "false_positives",
            "coverage",
            "power",
            "power_if_known",
            "refused",
        ),
        declining_rows,
    ),
    "private-several": (
        ("predictors", "n", "surveys", "single", "several", "together", "coverage", "refused"),
        several_rows,
    ),
    "private-times": (("predictors", "n", "seconds", "megabytes", "intervals"), timed_rows),
}


def percent(text: str) -> str:
    return f"{100 * float(text):.1f} %" if text else ""


def page_of(declining: list[Row], several: list[Row], times: list[Row]) -> str:
    """docs/evidence/private-predictors.md."""
    gap = max(
        abs(float(row["power_if_known"]) - float(row["power"]))
        for row in declining
        if not float(row["declined"])
    )
    compared = f"differ by at most {100 * gap:.2f} points" if gap else "are the same"
    return wrapped(f"""# Regressions with private predictors

This page measures [regressions](../explanation/regression.md#private-predictors). The outcome
and all predictors are private, with ε = {EPSILON:g} for each. They have randomised response.
`.venv/bin/python -m bench.default_designs` repeats the study with fixed seeds, and writes this
page and its data: [private-declining.csv](data/private-declining.csv),
[private-several.csv](data/private-several.csv) and [private-times.csv](data/private-times.csv).
The standard error of 5 % is {100 * np.sqrt(0.05 * 0.95 / DECLINING):.1f} points with
{DECLINING:,} surveys.

## Prefer not to say

Both questions are yes/no questions that respondents can decline to answer. Each row has
{DECLINING:,} surveys without a relation, and as many with the log odds ratio in the third
column. The last column is the power of the same test of the same reports, if it were known that
nobody declines. In the rows in which nobody does, both powers {compared} in these surveys.

{
        markdown_table(
            [
                "n",
                "declined",
                "log odds ratio",
                "false positives",
                "coverage",
                "power",
                "power if known",
            ],
            [
                [
                    f"{int(row['n']):,}",
                    f"{100 * float(row['declined']):g} %",
                    row["slope"],
                    *(
                        percent(row[name])
                        for name in ("false_positives", "coverage", "power", "power_if_known")
                    ),
                ]
                for row in declining
            ],
        )
    }

If some decline, the test without this answer has more power, but its coefficients describe
other people: its reports of those who declined count as reports on Yes or No.

## Several predictors

The outcome depends on none of the predictors, which are related to each other. Their answers
come from normal variables with the correlation {RELATED:g}. The columns have the false positives
of three kinds of tests: of one coefficient, of several coefficients of one predictor, and of all
predictors together. The last one is the coverage of the intervals of all coefficients.

{
        markdown_table(
            [
                "predictors",
                "n",
                "surveys",
                "one coefficient",
                "several",
                "all predictors",
                "coverage",
            ],
            [
                [
                    row["predictors"],
                    f"{int(row['n']):,}",
                    row["surveys"],
                    *(percent(row[name]) for name in ("single", "several", "together", "coverage")),
                ]
                for row in several
            ],
        )
    }

## Time and memory

The processor time and the maximum memory of one regression, on a computer that did other work
at the same time. An analysis that takes longer than two seconds goes on in the background.

{
        markdown_table(
            ["predictors", "n", "seconds", "MB", "intervals"],
            [
                [
                    row["predictors"],
                    f"{int(row['n']):,}",
                    row["seconds"],
                    row["megabytes"],
                    row["intervals"],
                ]
                for row in times
            ],
        )
    }
""")


def main() -> None:
    """Write the data and the page; with `--page`, only the page."""
    if "--page" not in sys.argv:
        wanted = [name for name in sys.argv[1:] if name in PARTS] or PARTS
        for name in wanted:
            heads, rows = PARTS[name]
            write_rows(name, [dict(zip(heads, row, strict=True)) for row in rows()])
    DOCUMENT.write_text(page_of(*map(read_rows, PARTS)), encoding="utf-8")


if __name__ == "__main__":
    main()
