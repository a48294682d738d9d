"""Coverage and false positives for the items of a joint question.

It writes docs/evidence/joint-questions.md. Each row has a seed made from its name.

    python -m bench.joint_questions
"""

import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.outcomes import LOGISTIC, modelled
from survey.analysis.regression.predictors import predictors_of
from survey.analysis.regression.profile_likelihood import linear_ends, usual_reaches
from survey.analysis.regression.standard_errors import errors_of
from survey.analysis.tables.association import wald_test
from survey.analysis.tables.crosstabs import ListedCells, odds_ratios_and_phis
from survey.analysis.tables.independence import score_test
from survey.analysis.tables.joint_shares import JointShares, joint_shares
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import Array
from tests.support.joint_reports import columns_of, combinations_of, survey_of_items, transitions
from tests.support.regressed import YES_NO, CountedPrivateLikelihood, column

DOCUMENT = Path(__file__).parent.parent / "docs" / "evidence" / "joint-questions.md"
SEED, LEVEL = 20261126, 0.95
# The simulated surveys for each row of a table.
CROSSTABS, TESTS, REGRESSIONS = 500, 500, 200
LN3 = float(np.log(3))
EPSILONS = {"ln 3": LN3, "3 ln 3": 3 * LN3}
SIZES = (20, 50, 200, 1_000)
# Power is measured for this n. Combinations with one Yes are rarer by this factor.
POWER_SIZE, RARER = 200, 0.4
Items = dict[str, int]
# The largest possible values of the figures of `crosstab_figures`.
MAXIMA = (1.0, 1.0, np.inf, 1.0)
TWO: Items = {"drinks": 2, "smokes": 2}
# Shares of Yes and Yes, Yes and No, No and Yes, No and No.
TRUTHS = {
    "30 % and 40 %, unrelated": (0.12, 0.18, 0.28, 0.42),
    "30 % and 40 %, odds ratio 8": (0.22, 0.08, 0.18, 0.52),
    "5 % and 10 %, related": (0.03, 0.02, 0.07, 0.88),
    "2 % and 50 %, unrelated": (0.01, 0.01, 0.49, 0.49),
}
# The items, and the shares of their answers, which are independent.
INDEPENDENT: dict[str, tuple[Items, list[tuple[float, ...]]]] = {
    "two questions": (TWO, [(0.3, 0.7), (0.4, 0.6)]),
    "two questions, one answer rare": (TWO, [(0.03, 0.97), (0.4, 0.6)]),
    "three questions": (TWO | {"drives": 2}, [(0.3, 0.7), (0.4, 0.6), (0.2, 0.8)]),
    "two questions, 10 % decline one": (
        {"drinks?": 2, "smokes": 2},
        [(0.3, 0.6, 0.1), (0.4, 0.6)],
    ),
}
Counts = npt.NDArray[np.int64]
Rows = list[list[str]]


def row_generator(*names: object) -> np.random.Generator:
    return np.random.default_rng([SEED, zlib.crc32(" ".join(map(str, names)).encode())])


class JointTables:
    """Tables of the items of one joint question, for many surveys."""

    def __init__(self, items: Items, epsilon: float):
        self.survey, self.question = survey_of_items(items, epsilon)
        self.names = [name.rstrip("?") for name in items]
        each = np.arange(self.question.table.answers)
        self.columns = columns_of(self.survey, self.question, each, self.names)
        # The same with enough responses for a table.
        many = columns_of(self.survey, self.question, np.repeat(each, 5), self.names)
        self.joint = joint_shares(many)
        self.code_of = self.joint.sample.codes[::5]

    def of_codes(self, shares: Array) -> Array:
        """The probability of each code of a report, for the shares of the combinations."""
        chances = np.zeros(len(self.joint.sample.counts))
        np.add.at(chances, self.code_of, shares @ transitions(self.question))
        return chances / chances.sum()

    def shares(self, counts: Counts) -> JointShares:
        """The joint shares in a survey with these counts of reports."""
        n = int(counts.sum())
        sample = replace(
            self.joint.sample,
            counts=counts.astype(np.float64),
            shares=counts / n,
            codes=np.repeat(np.arange(len(counts)), counts),
        )
        found = sample.mean(self.joint.scores)
        covariance = sample.covariance(self.joint.scores - found)
        return replace(self.joint, sample=sample, shares=found, covariance=covariance)


def crosstab_figures(joint: JointShares) -> dict[str, IntervalEstimate | None]:
    """The figures of a cross-tabulation whose coverage is measured."""
    table = ListedCells(joint, LEVEL)
    ratios, phis, _ = odds_ratios_and_phis(table)
    return {
        "cell": table.share([0], table.all),
        "share of row": table.share_in_line(0, 1),
        "odds ratio": ratios[0],
        "φ, correlation": phis[0],
    }


def true_figures(shares: Array) -> list[float]:
    a, b, c, d = shares
    phi = (a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    return [a, a / (a + b), a * d / (b * c), float(phi)]


def coverage_rows() -> Iterator[list[str]]:
    for epsilon, value in EPSILONS.items():
        tables = JointTables(TWO, value)
        for name, shares in TRUTHS.items():
            chances = tables.of_codes(np.array(shares))
            for n in SIZES:
                held, there, known = np.zeros(4), np.zeros(4), np.zeros(4)
                for counts in row_generator("coverage", epsilon, name, n).multinomial(
                    n, chances, CROSSTABS
                ):
                    found = crosstab_figures(tables.shares(counts)).values()
                    for place, (figure, true) in enumerate(
                        zip(found, true_figures(np.array(shares)), strict=True)
                    ):
                        if figure is not None:
                            there[place] += 1
                            held[place] += figure.low - 1e-9 <= true <= figure.high + 1e-9
                            known[place] += figure.low > 0 or figure.high < MAXIMA[place]
                cells = [percent_of(h, t) for h, t in zip(held, there, strict=True)]
                yield [
                    epsilon,
                    name,
                    str(n),
                    *cells,
                    percent_of(known[1], CROSSTABS),
                    percent_of(there[2], CROSSTABS),
                    percent_of(known[2], CROSSTABS),
                    f"{n * chances.min():.1f}",
                ]


def test_rows() -> Iterator[list[str]]:
    """False positives, and with 200 responses power."""
    for name, (items, margins) in INDEPENDENT.items():
        for epsilon, value in EPSILONS.items():
            tables = JointTables(items, value)
            combinations = combinations_of(tables.question)
            shares = np.prod(
                [np.array(each)[combinations[:, i]] for i, each in enumerate(margins)], axis=0
            )
            for n in (200, 1_000):
                draws = row_generator("test", name, epsilon, n)
                alarms = rejections(tables, draws.multinomial(n, tables.of_codes(shares), TESTS))
                found = [percent_of(each, TESTS) for each in alarms] + ["–", "–"]
                if n == POWER_SIZE:
                    lift = np.where((combinations[:, :2] < 1).sum(axis=1) == 1, RARER, 1.0)
                    related = shares * lift / (shares @ lift)
                    surveys = draws.multinomial(n, tables.of_codes(related), TESTS)
                    power = rejections(tables, surveys)
                    found[2:] = [percent_of(each, TESTS) for each in power]
                yield [name, epsilon, str(n), *found]


def rejections(tables: JointTables, surveys: Counts) -> list[int]:
    """The number of surveys in which the score test and Wald's reject at 5 %."""
    rejected = [0, 0]
    for counts in surveys:
        joint = tables.shares(counts)
        for place, test in enumerate((score_test, wald_test)):
            try:
                rejected[place] += test(joint).p < 1 - LEVEL
            except UnanswerableQuestion:
                continue
    return rejected


def regression_rows() -> Iterator[list[str]]:
    for name, case in (
        ("outcome and predictor", same_draw),
        ("two predictors", two_predictors),
    ):
        for n in (200, 500):
            for slope in (0.0, 1.0):
                outcome, predictors, chances = case(slope)
                draws = row_generator("regression", name, n, slope)
                held = 0
                for counts in draws.multinomial(n, chances, REGRESSIONS):
                    low, high = coefficient_interval(outcome, predictors, counts)
                    held += low <= slope <= high
                yield [name, str(n), f"{slope:g}", percent_of(held, REGRESSIONS)]


Case = tuple[AnalysisColumn, list[AnalysisColumn], Array]


def same_draw(slope: float) -> Case:
    """A logit of -0.5 + slope x for two items; 40 % have x."""
    tables = JointTables(TWO, 2.0)
    y, x = combinations_of(tables.question).T == 0
    yes = 1 / (1 + np.exp(0.5 - slope * x))
    shares = np.where(x, 0.4, 0.6) * np.where(y, yes, 1 - yes)
    return tables.columns[0], tables.columns[1:], shares @ transitions(tables.question)


def two_predictors(slope: float) -> Case:
    """A non-private outcome with the logit -0.5 + slope x + 0.5 z for two related items."""
    tables = JointTables(TWO, 2.0)
    x, z = combinations_of(tables.question).T == 0
    shares = np.array([0.3, 0.15, 0.15, 0.4])
    yes = 1 / (1 + np.exp(0.5 - slope * x - 0.5 * z))
    chances = [shares * part @ transitions(tables.question) for part in (yes, 1 - yes)]
    reports = np.tile(np.arange(4), 2)
    predictors = columns_of(tables.survey, tables.question, reports, tables.names)
    return column("y", YES_NO, np.repeat([0, 1], 4)), predictors, np.concatenate(chances)


def coefficient_interval(
    outcome: AnalysisColumn, predictors: list[AnalysisColumn], counts: Counts
) -> tuple[float, float]:
    """The profile interval of the first predictor's coefficient."""
    rows = np.ones(len(counts), dtype=bool)
    design = predictors_of(predictors, rows, outcome=outcome)
    of_outcome = modelled(outcome, LOGISTIC, rows)
    if design.private is None:
        raise TypeError("A predictor must be private.")
    likelihood = CountedPrivateLikelihood(
        of_outcome.model, of_outcome.reported, design.plain, counts.astype(np.float64),
        private=design.private,
    )  # fmt: skip
    best = fit(likelihood)
    direction = np.eye(likelihood.size)[1]
    low, high = linear_ends(
        likelihood, best, direction, errors_of(likelihood, best, None).covariance,
        usual_reaches(LEVEL),
    )  # fmt: skip
    return low.value, high.value


def percent_of(count: float, of: float) -> str:
    return f"{100 * count / of:.1f}" if of else "–"


def markdown_table(heads: list[str], rows: Rows) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


TEXT = """# Joint questions

The answers to the items of a [joint question](../reference/definition.md#joint-questions) are
randomised together. This page shows how often intervals contain the true value, and how often tests
find a relation that does not exist. All numbers are from simulated surveys, with fixed seeds.

The module `bench/joint_questions.py` repeats the study and writes this page, in about five minutes:

```sh
.venv/bin/python -m bench.joint_questions
```

## Cross-tabulation

The table has the coverage of 95 % intervals in {crosstabs} surveys for each row, in percent. The
standard error of a coverage of 95 % is 1.0 percentage points. There are two questions with the
answers Yes and No. “Cell” is the share of people with Yes to both questions. “Share of row” is the
share of people with Yes to the second question among those with Yes to the first. Candor shows no
share of a row that is estimated at zero or less. It shows no φ if a row or column is, and no odds
ratio if two cells in one row or column are. “Has odds ratio” is the percentage of surveys with an
odds ratio. Each coverage is that among the surveys with the figure.

“Share known” and “Odds ratio known” are the percentages of all surveys whose interval excludes some
values. In the other surveys, Candor shows the interval from 0 to 100 %, the odds ratio from 0 to ∞,
or no figure. The last column is the expected number of times that the rarest report occurs.

{coverage}

* If the number of respondents in a row is hardly distinguishable from zero, the reports say nothing
  about shares in this row, or about the odds ratio. An interval that excluded values would then be
  wrong too often. The columns with “known” show how rarely there are other intervals.
* The odds ratio has the interval of a score test: see [the
  formulas](../explanation/analyses.md#association).
* The interval of the share of the row is too long in small rows. It is from Gaffke's bounds, for
  which no case is known where they cover less than 95 %. The interval of a score test would be
  shorter, but sometimes wrong too often. For non-private answers, it is Wilson's. In a row of 50
  respondents, Wilson's interval of a share of 0.35 % covers only 84 %.
* With 20 responses, the interval of φ can be too short.

## Independence

The columns have the percentage of {tests} surveys in which a test rejects independence at the level
of 5 %. Near 5 %, the standard error is 1.0 percentage points. For false positives, the answers are
independent. For power, the combinations with exactly one Yes to the first two questions are rarer
by the factor 0.4. A dash means that the study does not simulate the power.

{test_table}

For three questions, the score test is a test of the independence of all three. Wald's test is a
test of the independence of the first two, given the third.

## Regression

The table has the coverage of the 95 % profile interval of a coefficient of a logistic regression in
{regressions} surveys, in percent, for ε = 2. Near 95 %, the standard error is 1.5 percentage
points. In the first rows,
the outcome and the predictor are items of one joint question. In the others, the outcome is not
private, and two related items are its predictors.

{regression_table}
"""


def main() -> None:
    DOCUMENT.write_text(
        joint_questions_page(*map(list, (coverage_rows(), test_rows(), regression_rows())))
    )


def joint_questions_page(coverage: Rows, tests: Rows, regressions: Rows) -> str:
    return TEXT.format(
        crosstabs=f"{CROSSTABS:,}", tests=f"{TESTS:,}", regressions=f"{REGRESSIONS:,}",
        coverage=markdown_table(
            ["ε", "True shares of Yes", "n", "Cell", "Share of row", "Odds ratio",
             "φ, correlation", "Share known", "Has odds ratio", "Odds ratio known",
             "Rarest report"],
            coverage,
        ),
        test_table=markdown_table(
            ["Questions", "ε", "n", "Score: false positives", "Wald: false positives",
             "Score: power", "Wald: power"],
            tests,
        ),
        regression_table=markdown_table(
            ["Items", "n", "True coefficient", "Coverage"],
            regressions,
        ),
    )  # fmt: skip


if __name__ == "__main__":
    main()
