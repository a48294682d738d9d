"""Writes docs/evidence/regression.md and its data: the coverage of the intervals of regressions.

    python -m bench.interval_coverage.regression_page

With `--page`, it only writes the page.
"""

import sys
from collections.abc import Sequence

import numpy as np

from bench.evidence import EVIDENCE, Row, markdown_table, read_rows, wrapped, write_rows
from bench.interval_coverage.automatic import (
    AutomaticCell,
    AutomaticResult,
    automatic_cells,
    simulate_automatic,
)
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
from survey.analysis.regression.estimators import NEARLY_EQUAL
from survey.analysis.regression.regression import CONSTANTS_SHARE

DOCUMENT = EVIDENCE / "regression.md"
CELLS, TOTALS, AUTOMATIC = "regression", "regression-totals", "regression-automatic"
SURVEYS, FITTED = 2_400, 10
AUTOMATIC_SURVEYS, AUTOMATIC_FITTED = 600, 1
LOW, HIGH = 93, 97
COEFFICIENTS = ("constant", "group", "number")
UNCORRECTED = ("group, uncorrected", "number, uncorrected")
WHOLE = "constant, whole penalty"
HEAVY = "heavy tails"
NAMES = {SLOPES: "coefficients 0.7 and 0.5", NO_SLOPES: "coefficients of zero"}


def row_of(cell: Cell, result: CellResult) -> dict[str, object]:
    """A row of the data: coverages in percent, and median widths in logits."""
    rates = (*result.covered, *result.uncorrected[1:], result.with_whole)
    heads = (*COEFFICIENTS, *UNCORRECTED, WHOLE)
    widths = zip(COEFFICIENTS, result.by_candor.widths, strict=True)
    return {
        "study": HEAVY if cell.heavy_tails else NAMES[cell.slopes],
        "n": cell.n,
        "epsilon": cell.epsilon,
        "prevalence": f"{100 * cell.prevalence:g}",
        **{head: f"{100 * rate:.2f}" for head, rate in zip(heads, rates, strict=True)},
        **{f"width: {name}": f"{width:.1f}" for name, width in widths},
    }


def automatic_row(cell: AutomaticCell, result: AutomaticResult) -> dict[str, object]:
    """A row of the data: the coverage of each estimator, and how often the choice is which."""
    coverages = {
        "automatic": result.covered, "penalised": result.penalised,
        "maximum likelihood": result.likeliest,
    }  # fmt: skip
    return {
        "n": cell.n,
        "epsilon": cell.epsilon,
        "prevalence": f"{100 * cell.prevalence:g}",
        "chosen": f"{100 * result.chosen:.1f}",
        **{
            f"{name}, {coefficient}": f"{100 * rate:.2f}"
            for name, rates in coverages.items()
            for coefficient, rate in zip(COEFFICIENTS, rates, strict=True)
        },
        "differences": result.differences,
    }


def totals_of(results: Sequence[CellResult], fitted: int) -> dict[str, object]:
    """What Candor gave for its surveys of all cells with a normal number."""
    candor = [result.by_candor for result in results]
    group, number = np.mean([each.effects for each in candor], axis=0) / fitted
    return {
        "surveys": fitted * len(candor),
        "infinite": sum(each.infinite for each in candor),
        "contradictions": sum(each.contradictions for each in candor),
        "differences": sum(each.differences for each in candor),
        "effect of group": f"{100 * group:.1f}",
        "effect of number": f"{100 * number:.1f}",
    }


def span(rows: Sequence[Row], *heads: str) -> str:
    """The smallest and the largest number in these columns. Bold if one is outside the target."""
    numbers = sorted(float(row[head]) for row in rows for head in heads)
    text = f"{numbers[0]:.1f}–{numbers[-1]:.1f}"
    coverage = not heads[0].startswith("width")
    return f"**{text}**" if coverage and not LOW <= numbers[0] <= numbers[-1] <= HIGH else text


def table(rows: Sequence[Row]) -> str:
    """Ranges over all prevalences, for each n and ε of each study."""
    heads = (*COEFFICIENTS, *UNCORRECTED, WHOLE, "width: group", "width: number")
    keys = list(dict.fromkeys((row["study"], row["n"], row["epsilon"]) for row in rows))
    lines = []
    for key in keys:
        found = [row for row in rows if (row["study"], row["n"], row["epsilon"]) == key]
        lines.append([*key[1:], *(span(found, head) for head in heads)])
    return markdown_table(["n", "ε", *heads], lines)


def automatic_table(rows: Sequence[Row]) -> str:
    """A line for each combination: the choice, and the coverage of each estimator."""
    heads = ["n", "ε", "prevalence", "maximum likelihood chosen"]
    names = ("automatic", "penalised", "maximum likelihood")
    lines = [
        [
            row["n"], row["epsilon"], f"{row['prevalence']} %", f"{float(row['chosen']):.0f} %",
            *(
                " ".join(f"{float(row[f'{name}, {each}']):.1f}" for each in COEFFICIENTS)
                for name in names
            ),
        ]
        for row in rows
    ]  # fmt: skip
    return markdown_table([*heads, *names], lines)


def coverages(rows: Sequence[Row], name: str) -> list[float]:
    """The coverages of an estimator, in percent."""
    return [float(row[f"{name}, {each}"]) for row in rows for each in COEFFICIENTS]


def page(rows: Sequence[Row], totals: Row, automatic: Sequence[Row]) -> str:
    """The page that these rows of data lead to."""
    chosen, penalised = (coverages(automatic, name) for name in ("automatic", "penalised"))
    usual = [row for row in rows if row["study"] != HEAVY]
    heavy = [row for row in rows if row["study"] == HEAVY]
    rates = [float(row[name]) for row in usual for name in COEFFICIENTS]
    uncorrected = [float(row[name]) for row in usual for name in UNCORRECTED]
    whole = [float(row[WHOLE]) for row in usual]
    return wrapped(
        PAGE.format(
            surveys=f"{SURVEYS:,}", error=f"{100 * np.sqrt(LEVEL * (1 - LEVEL) / SURVEYS):.1f}",
            fitted=FITTED, simulated=SIMULATED, checked=f"{3 * int(totals['surveys']):,}",
            rates=len(rates), inside=sum(LOW <= rate <= HIGH for rate in rates),
            least=f"{min(rates):.1f}", most=f"{max(rates):.1f}",
            uncorrected_above=sum(rate > HIGH for rate in uncorrected),
            uncorrected_most=f"{max(uncorrected):.1f}",
            low_rows=sum(rate < LOW for rate in whole), whole_least=f"{min(whole):.1f}",
            constant=span(usual, "constant"), share=f"{100 * CONSTANTS_SHARE:g}",
            freedom=HEAVY_TAILS, heavy_epsilon=HEAVY_EPSILON, without_n=WITHOUT_SLOPES,
            heavy_number=span(heavy, "number").strip("*"),
            heavy_rest=span(heavy, "constant", "group"),
            with_slopes=table([row for row in usual if row["study"] == NAMES[SLOPES]]),
            without_slopes=table([row for row in usual if row["study"] == NAMES[NO_SLOPES]]),
            heavy=table(heavy), group=totals["effect of group"], number=totals["effect of number"],
            automatic_error=f"{100 * np.sqrt(LEVEL * (1 - LEVEL) / AUTOMATIC_SURVEYS):.1f}",
            automatic=automatic_table(automatic), automatic_surveys=f"{AUTOMATIC_SURVEYS:,}",
            nearly_equal=f"{NEARLY_EQUAL:g}", automatic_least=f"{min(chosen):.1f}",
            automatic_mean=f"{np.mean(chosen):.2f}", penalised_least=f"{min(penalised):.1f}",
            penalised_mean=f"{np.mean(penalised):.2f}", automatic_fitted=AUTOMATIC_FITTED,
            automatic_candor=AUTOMATIC_FITTED * len(automatic),
            automatic_checked=3 * AUTOMATIC_FITTED * len(automatic),
            automatic_differences=sum(int(row["differences"]) for row in automatic),
            **{name: totals[name] for name in ("infinite", "contradictions", "differences")},
        )
    )  # fmt: skip


PAGE = """# Intervals of regressions

This page measures how often 95 % intervals of a logistic regression contain the true coefficients
(their coverage). The intervals are profile likelihood intervals. Except in the [last
section](#automatic-choice), they are those of the penalised estimator, with its
[penalty](../explanation/regression.md#penalty) and [Bartlett's
correction](../explanation/regression.md#bartletts-correction).

`.venv/bin/python -m bench.interval_coverage.regression_page` repeats the study with fixed
seeds in about an hour, and writes this page
and its data: [regression.csv](data/regression.csv) has each combination, and
[regression-totals.csv](data/regression-totals.csv) the numbers of the list below.

For each combination, the study simulates {surveys} surveys. The outcome is a yes/no question with
randomised response. The predictors are non-private: a group of half of the respondents, and a
number with a normal distribution and a standard deviation of 1. The true coefficients are 0.7 and
0.5, and the constant leads to a prevalence of 5, 10, 20, 35 or 50 %. Separate code in
`bench/interval_coverage/regressions.py` tests the true coefficient in all surveys. To compare,
Candor analyses the first {fitted} surveys of each combination. The target is a coverage of {{LOW}}
to {{HIGH}} %. The standard error of 95 % is {error} percentage points.

## Results

* Of {rates} coverages, {inside} are in the target. The lowest is {least} %, the highest {most} %.
* Without Bartlett's correction, {uncorrected_above} coverages for the group and the number would be
  above {{HIGH}} %, and the highest would be {uncorrected_most} %. The correction, from {simulated}
  simulated surveys, matters where reports contain little information about a coefficient.
* With the whole penalty of the constant, its coverage would be below {{LOW}} % in {low_rows}
  combinations, and as low as {whole_least} %. With {share} % of it, coverage is {constant} %.
* Among {checked} coefficients that Candor analysed, {infinite} were infinite or undefined,
  {contradictions} had an interval that contradicted the p-value, and for {differences}, the
  separate code disagreed with Candor.
* Intervals of average marginal effects contained the true effect in {group} % (group) and
  {number} % (number) of these surveys.

## Coefficients

Each entry is the range over all prevalences: coverage in percent, bold if it leaves the target, and
median widths of Candor's intervals in logits.

{with_slopes}

## Coefficients of zero

The true coefficients of both predictors are 0, so the false positive rate is 100 % minus the
coverage. There are {without_n} responses.

{without_slopes}

## A number with heavy tails

The number has Student's t distribution with {freedom} degrees of freedom, so some respondents have
extreme values, and ε = {heavy_epsilon}. The coverage for the number is {heavy_number} %, and for
the constant and the group {heavy_rest} %. These combinations do not count in the results above.

{heavy}

## Automatic choice

The [automatic estimator](../explanation/regression.md#estimators) is maximum likelihood if it is
finite, and if no estimate or standard error differs from the penalised one by more than
{nearly_equal} standard errors. Its intervals must be finite, too. For each combination,
{automatic_surveys} surveys have the same group, and a number with the values −1.5, −1, …, 1.5.
[regression-automatic.csv](data/regression-automatic.csv) has the data.

The lowest coverage of the automatic intervals is {automatic_least} %, and their mean
{automatic_mean} %. For the penalised estimator, these are {penalised_least} % and
{penalised_mean} %. The standard error of 95 % is {automatic_error} percentage points for one
coverage. Separate code in `bench/interval_coverage/automatic.py` made the choices and tested the
true coefficients in all surveys. To compare, Candor analysed {automatic_candor} of them,
{automatic_fitted} of each combination. Of its {automatic_candor} choices, and its
{automatic_checked} decisions whether an interval contains the true coefficient,
{automatic_differences} differ from the separate code.

The three numbers of an estimator are the coverage of the constant, of the group and of the number,
in percent. Where maximum likelihood is not finite, its intervals count as not containing the true
coefficient.

{automatic}
""".replace("{{LOW}}", str(LOW)).replace("{{HIGH}}", str(HIGH))


def main() -> None:
    """Write the data and the page; with `--page`, only the page.

    With `--automatic`, only the data of the automatic choice are measured again.
    """
    if "--page" not in sys.argv:
        measured = {
            cell: simulate_automatic(cell, AUTOMATIC_SURVEYS, AUTOMATIC_FITTED)
            for cell in automatic_cells()
        }
        write_rows(AUTOMATIC, [automatic_row(cell, found) for cell, found in measured.items()])
    if not {"--page", "--automatic"} & set(sys.argv):
        results, heavy = (
            {cell: simulate(cell, SURVEYS, FITTED) for cell in each}
            for each in (cells(), heavy_tailed_cells())
        )
        write_rows(CELLS, [row_of(cell, found) for cell, found in (results | heavy).items()])
        write_rows(TOTALS, [totals_of(list(results.values()), FITTED)])
    DOCUMENT.write_text(
        page(read_rows(CELLS), read_rows(TOTALS)[0], read_rows(AUTOMATIC)), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
