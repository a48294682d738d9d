"""Writes docs/evidence/regression.md: the coverage of the intervals of regressions.

`make regression-coverage` runs it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.interval_coverage import bartlett
from bench.interval_coverage.regressions import (
    LEVEL,
    NO_SLOPES,
    SLOPES,
    WITHOUT_SLOPES,
    Cell,
    CellResult,
    cells,
    simulate,
)
from survey.analysis.regression.models import Array

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "evidence" / "regression.md"
SURVEYS, FITTED = 2_400, 10
LOW, HIGH = 0.93, 0.97
HEADINGS = (
    "n", "ε", "prevalence", "constant", "group", "number", "constant, whole penalty",
    "width: constant", "width: group", "width: number",
)  # fmt: skip
BARTLETT_HEADINGS = (
    "n", "ε", "prevalence", "true slopes", "coefficient", "mean", "without correction", "true mean",
    "estimated mean",
)  # fmt: skip


def coverage_text(rates: Array) -> list[str]:
    """Coverage in percent. Rates outside the target are bold."""
    return [
        f"{100 * rate:.1f}" if LOW <= rate <= HIGH else f"**{100 * rate:.1f}**" for rate in rates
    ]


def rows_of(results: dict[Cell, CellResult], slopes: tuple[float, float]) -> list[list[str]]:
    return [
        [
            f"{cell.n}", cell.epsilon, f"{100 * cell.prevalence:g} %",
            *coverage_text(result.covered), *coverage_text(np.array([result.with_firth])),
            *(f"{width:.1f}" for width in result.by_candor.widths),
        ]
        for cell, result in results.items()
        if cell.slopes == slopes
    ]  # fmt: skip


def bartlett_rows(rates: dict[Cell, Array]) -> list[list[str]]:
    return [
        [
            f"{cell.n}", cell.epsilon, f"{100 * cell.prevalence:g} %",
            ", ".join(f"{slope:g}" for slope in cell.slopes), name, f"{row[0]:.2f}",
            *coverage_text(row[1:]),
        ]
        for cell, three in rates.items()
        for name, row in zip(("constant", "group", "number"), three, strict=True)
    ]  # fmt: skip


def markdown(rows: list[list[str]], headings: Sequence[str] = HEADINGS) -> str:
    lines = ["| " + " | ".join(headings) + " |", "|" + "---:|" * len(headings)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def outside(rates: Array) -> int:
    return int(((rates < LOW) | (rates > HIGH)).sum())


def extremes(rates: Array) -> tuple[float, float]:
    return float(rates.min()), float(rates.max())


def write_page(
    results: dict[Cell, CellResult], corrected: dict[Cell, Array], count: int, fitted: int
) -> None:
    """Write docs/evidence/regression.md."""
    by_statistic = np.concatenate(list(corrected.values())).T
    covered = np.array([result.covered for result in results.values()])
    whole = np.array([result.with_firth for result in results.values()])
    inside = int(((covered >= LOW) & (covered <= HIGH)).sum())
    candor = [result.by_candor for result in results.values()]
    group, number_rate = np.mean([each.effects for each in candor], axis=0) / fitted
    DOCUMENT.write_text(
        PAGE.format(
            surveys=f"{count:,}", error=f"{100 * np.sqrt(LEVEL * (1 - LEVEL) / count):.1f}",
            fitted=fitted, all_fitted=f"{fitted * len(candor):,}",
            infinite=sum(each.infinite for each in candor),
            contradictions=sum(each.contradictions for each in candor),
            differences=sum(each.differences for each in candor),
            checked=f"{3 * fitted * len(candor):,}", inside=inside, rates=covered.size,
            least=f"{100 * covered.min():.1f}", most=f"{100 * covered.max():.1f}",
            group=f"{100 * group:.1f}", number=f"{100 * number_rate:.1f}",
            low_rows=int((whole < LOW).sum()), whole_least=f"{100 * whole.min():.1f}",
            constant_least=f"{100 * covered[:, 0].min():.1f}",
            constant_most=f"{100 * covered[:, 0].max():.1f}", without_n=WITHOUT_SLOPES,
            table=markdown(rows_of(results, SLOPES)),
            without=markdown(rows_of(results, NO_SLOPES)),
            above=int((covered > HIGH).sum()), below=int((covered < LOW).sum()),
            above_slopes=int((covered[:, 1:] > HIGH).sum()),
            bartlett=markdown(bartlett_rows(corrected), BARTLETT_HEADINGS),
            bartlett_surveys=bartlett.SURVEYS, copies=bartlett.COPIES,
            known=" to ".join(f"{100 * rate:.1f}" for rate in extremes(by_statistic[2])),
            estimated=" to ".join(f"{100 * rate:.1f}" for rate in extremes(by_statistic[3])),
            corrected_outside=outside(by_statistic[3]), corrected_rates=by_statistic[3].size,
            uncorrected_outside=outside(by_statistic[1]),
            bartlett_error=f"{100 * np.sqrt(LEVEL * (1 - LEVEL) / bartlett.SURVEYS):.1f}",
        ),
        encoding="utf-8",
    )  # fmt: skip


PAGE = """# Intervals of regressions

This page measures how often 95 % intervals of a logistic regression contain the true coefficients
(their coverage). The intervals are profile likelihood intervals with Firth's penalty. For the
constant, the penalty is only [that of the slopes](../explanation/regression.md#penalty).

`make regression-coverage` repeats the study and writes this page. All seeds are fixed.

## Method

For each row, the study simulates {surveys} surveys. The outcome is a yes/no question with
randomised response and the privacy loss ε. The predictors are non-private: a group that half of
the respondents belong to, and a number with a normal distribution and a standard deviation of 1.
The true coefficients are 0.7 for the group and 0.5 for the number. The constant is the value that
leads to the prevalence in the table.

Separate code in `bench/interval_coverage/regressions.py` calculates the coverage from all surveys.
Candor analyses only the first {fitted} surveys of each row. In the tables, coverage is in percent.
The widths are medians over these {fitted} surveys, in logits.

The target is a coverage of 93 to 97 %. Values outside this range are bold. The standard error of
a coverage of 95 % is {error} percentage points, so some of the {rates} values are outside the
target by chance.

## Results

* Of {rates} coverages, {inside} are in the target, {below} are below 93 %, and {above} are above
  97 %. Of those above 97 %, {above_slopes} are for the group or the number. The lowest coverage is
  {least} %, the highest {most} %.
* In the {all_fitted} surveys that Candor analysed in all rows, {infinite} coefficients and
  intervals were infinite or undefined.
* For {contradictions} of {checked} coefficients, the interval and the p-value contradicted each
  other.
* For {differences} of {checked} coefficients, the separate code and Candor disagreed on whether
  the interval contains the true value.
* Intervals of average marginal effects contained the true effect in {group} % (group) and
  {number} % (number) of these surveys.

Coverage is above 97 % where the reports contain little information about a coefficient. Then
the likelihood ratio statistic has a smaller mean than the chi-squared distribution. The
[last section](#bartletts-correction) measures a correction.

The column “constant, whole penalty” has the coverage in the same surveys if the penalty also
included the constant, as in earlier versions. The whole penalty moves the share of a rare answer
towards one half, so this coverage is below 93 % in {low_rows} rows, and as low as {whole_least} %.
With the penalty of the slopes, the coverage of the constant is {constant_least} to
{constant_most} %.

## Coefficients

{table}

## Coefficients of zero

In this table, the true coefficients of both predictors are 0, and there are {without_n}
responses. The test of a coefficient finds a false positive if the interval does not contain 0. So
the false positive rate is 100 % minus the coverage of the group or of the number.

{without}

## Bartlett's correction

The intervals assume that the likelihood ratio statistic has the chi-squared distribution, whose
mean is 1. Bartlett's correction divides the statistic by its mean under the hypothesis. This mean
depends on the true coefficients, which nobody knows. The table compares three coverages:

* **without correction**: the coverage of Candor's intervals,
* **true mean**: with the mean of the statistic in these surveys, which is in the column “mean”,
* **estimated mean**: for each survey, with the mean in {copies} surveys that are simulated under
  the hypothesis (a parametric bootstrap). The coefficient then has the true value, and the others
  have their estimates in this survey.

Of the five designs, four have some of the highest coverages, and one has some of the lowest. The
column “true
slopes” has those of the group and of the number. Each row is based on {bartlett_surveys} simulated
surveys, so near 95 % the standard error is {bartlett_error} percentage points.

{bartlett}

With the true mean, the coverage would be {known} %. With the estimated mean, it would be
{estimated} %: {corrected_outside} of {corrected_rates} coverages are outside the target. Without
correction, {uncorrected_outside} of them are. The correction needs {copies} simulated surveys for
each end of each interval and for each p-value, and fits each of these surveys twice. Candor does
not use it.
"""


def main() -> None:
    results = {cell: simulate(cell, SURVEYS, FITTED) for cell in cells()}
    write_page(results, bartlett.simulated_coverages(), SURVEYS, FITTED)


if __name__ == "__main__":
    main()
