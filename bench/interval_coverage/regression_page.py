"""Writes docs/evidence/regression.md: the coverage of the intervals of regressions.

`make regression-coverage` runs it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.interval_coverage.regressions import (
    HEAVY_EPSILON,
    HEAVY_TAILS,
    LEVEL,
    NO_SLOPES,
    SLOPES,
    WITHOUT_SLOPES,
    Cell,
    CellResult,
    cells,
    heavy_tailed_cells,
    simulate,
)
from survey.analysis.regression.bartlett_correction import SURVEYS as SIMULATED
from survey.analysis.regression.models import Array
from survey.analysis.regression.regression import CONSTANTS_SHARE

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "evidence" / "regression.md"
SURVEYS, FITTED = 2_400, 10
LOW, HIGH = 0.93, 0.97
HEADINGS = (
    "n", "ε", "prevalence", "constant", "group", "number", "group, uncorrected",
    "number, uncorrected", "constant, whole penalty", "width: constant",
    "width: group", "width: number",
)  # fmt: skip


def coverage_text(rates: Array) -> list[str]:
    """Coverage in percent. Rates outside the target are bold."""
    return [
        f"{100 * rate:.1f}" if LOW <= rate <= HIGH else f"**{100 * rate:.1f}**" for rate in rates
    ]


def rows_of(results: dict[Cell, CellResult]) -> list[list[str]]:
    return [
        [
            f"{cell.n}", cell.epsilon, f"{100 * cell.prevalence:g} %",
            *coverage_text(result.covered), *coverage_text(result.uncorrected[1:]),
            *coverage_text(np.array([result.with_firth])),
            *(f"{width:.1f}" for width in result.by_candor.widths),
        ]
        for cell, result in results.items()
    ]  # fmt: skip


def markdown(rows: list[list[str]], headings: Sequence[str] = HEADINGS) -> str:
    lines = ["| " + " | ".join(headings) + " |", "|" + "---:|" * len(headings)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def write_page(
    results: dict[Cell, CellResult], heavy: dict[Cell, CellResult], count: int, fitted: int
) -> None:
    """Write docs/evidence/regression.md. `heavy` are the results of the cells with heavy tails."""
    with_slopes, without_slopes = (
        {cell: result for cell, result in results.items() if cell.slopes == slopes}
        for slopes in (SLOPES, NO_SLOPES)
    )
    heavy_covered, heavy_uncorrected = (
        np.array([getattr(result, name) for result in heavy.values()])
        for name in ("covered", "uncorrected")
    )
    covered, uncorrected = (
        np.array([getattr(result, name) for result in results.values()])
        for name in ("covered", "uncorrected")
    )
    whole = np.array([result.with_firth for result in results.values()])
    candor = [result.by_candor for result in results.values()]
    group, number_rate = np.mean([each.effects for each in candor], axis=0) / fitted
    DOCUMENT.write_text(
        PAGE.format(
            surveys=f"{count:,}", error=f"{100 * np.sqrt(LEVEL * (1 - LEVEL) / count):.1f}",
            fitted=fitted, all_fitted=f"{fitted * len(candor):,}", simulated=SIMULATED,
            infinite=sum(each.infinite for each in candor),
            contradictions=sum(each.contradictions for each in candor),
            differences=sum(each.differences for each in candor),
            checked=f"{3 * fitted * len(candor):,}", rates=covered.size,
            below=int((covered < LOW).sum()), above=int((covered > HIGH).sum()),
            inside=int(((covered >= LOW) & (covered <= HIGH)).sum()),
            least=f"{100 * covered.min():.1f}", most=f"{100 * covered.max():.1f}",
            uncorrected_above=int((uncorrected > HIGH).sum()),
            uncorrected_most=f"{100 * uncorrected.max():.1f}",
            group=f"{100 * group:.1f}", number=f"{100 * number_rate:.1f}",
            low_rows=int((whole < LOW).sum()), whole_least=f"{100 * whole.min():.1f}",
            constant_least=f"{100 * covered[:, 0].min():.1f}",
            constant_most=f"{100 * covered[:, 0].max():.1f}", without_n=WITHOUT_SLOPES,
            share=f"{100 * CONSTANTS_SHARE:g}",
            table=markdown(rows_of(with_slopes)), without=markdown(rows_of(without_slopes)),
            freedom=HEAVY_TAILS, heavy_epsilon=HEAVY_EPSILON, heavy=markdown(rows_of(heavy)),
            heavy_least=f"{100 * heavy_covered[:, 2].min():.1f}",
            heavy_most=f"{100 * heavy_covered[:, 2].max():.1f}",
            plain_least=f"{100 * heavy_uncorrected[:, 2].min():.1f}",
            plain_most=f"{100 * heavy_uncorrected[:, 2].max():.1f}",
            rest_least=f"{100 * heavy_covered[:, :2].min():.1f}",
            rest_most=f"{100 * heavy_covered[:, :2].max():.1f}",
        ),
        encoding="utf-8",
    )  # fmt: skip


PAGE = """# Intervals of regressions

This page measures how often 95 % intervals of a logistic regression contain the true coefficients
(their coverage). The intervals are profile likelihood intervals with Firth's penalty and
[Bartlett's correction](../explanation/regression.md#bartletts-correction). For the constant, the
penalty is [smaller](../explanation/regression.md#penalty).

`make regression-coverage` repeats the study and writes this page. All seeds are fixed.

## Method

For each row, the study simulates {surveys} surveys. The outcome is a yes/no question with
randomised response and the privacy loss ε. The predictors are non-private: a group that half of
the respondents belong to, and a number with a normal distribution and a standard deviation of 1.
The true coefficients are 0.7 for the group and 0.5 for the number. The constant is the value that
leads to the prevalence in the table.

Separate code in `bench/interval_coverage/regressions.py` calculates the coverage from all surveys.
It tests the true coefficient, with Candor's correction of this test. Candor itself corrects the
tests at both ends of the first interval and at 0, and interpolates. To compare, Candor analyses the
first {fitted} surveys of each row. In the tables, coverage is in percent.
The widths are medians over these {fitted} surveys, in logits.

The target is a coverage of 93 to 97 %. Values outside this range are bold. The standard error of
a coverage of 95 % is {error} percentage points.

## Results

* Of {rates} coverages, {inside} are in the target, {below} are below 93 %, and {above} are above
  97 %. The lowest coverage is {least} %, the highest {most} %.
* Without Bartlett's correction, {uncorrected_above} coverages would be above 97 %, and the highest
  would be {uncorrected_most} %.
* In the {all_fitted} surveys that Candor analysed in all rows, {infinite} coefficients and
  intervals were infinite or undefined.
* For {contradictions} of {checked} coefficients, the interval and the p-value contradicted each
  other.
* For {differences} of {checked} coefficients, the separate code and Candor disagreed on whether
  the interval contains the true value.
* Intervals of average marginal effects contained the true effect in {group} % (group) and
  {number} % (number) of these surveys.

The correction matters where the reports contain little information about a coefficient. Then the
likelihood ratio statistic has a smaller mean than the chi-squared distribution. Candor estimates
this mean from {simulated} simulated surveys. The correction only makes intervals shorter. The
columns “uncorrected” have the coverage in the same surveys without it.

The interval of the constant uses {share} % of Firth's penalty of the constant. The whole penalty
moves the share of a rare answer towards one half. With it, coverage would be below 93 % in
{low_rows} rows, and as low as {whole_least} % (column “constant, whole penalty”, uncorrected).
With the smaller penalty, the coverage of the constant is {constant_least} to {constant_most} %.

## Coefficients

{table}

## Coefficients of zero

In this table, the true coefficients of both predictors are 0, and there are {without_n}
responses. The test of a coefficient finds a false positive if the interval does not contain 0. So
the false positive rate is 100 % minus the coverage of the group or of the number.

{without}

## A number with heavy tails

In this table, the number has Student's t distribution with {freedom} degrees of freedom, so some
respondents have extreme values. The other settings are those of the first table, with
ε = {heavy_epsilon}. These rows do not count in the results above.

The coverage for the number is {heavy_least} to {heavy_most} %, and {plain_least} to {plain_most} %
without the correction. For the constant and the group, it is {rest_least} to {rest_most} %.

{heavy}
"""


def main() -> None:
    results, heavy = (
        {cell: simulate(cell, SURVEYS, FITTED) for cell in each}
        for each in (cells(), heavy_tailed_cells())
    )
    write_page(results, heavy, SURVEYS, FITTED)


if __name__ == "__main__":
    main()
