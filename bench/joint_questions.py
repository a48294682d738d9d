"""Coverage and false positives for the items of a joint question.

It writes docs/evidence/joint-questions.md and its data. Each row has a seed made from its name.

    python -m bench.joint_questions

With `--page`, it only writes the page.
"""

import math
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bench.evidence import EVIDENCE, Row, markdown_table, read_rows, wrapped, write_rows
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.figures import IntervalEstimate
from survey.analysis.regression.maximum_likelihood import fit
from survey.analysis.regression.outcomes import LOGISTIC, outcome_of_rows
from survey.analysis.regression.predictors import predictors_of
from survey.analysis.regression.profile_likelihood import linear_ends, usual_reaches
from survey.analysis.regression.standard_errors import errors_of
from survey.analysis.tables.association import wald_test
from survey.analysis.tables.crosstabs import ListedCells, odds_ratios_and_phis
from survey.analysis.tables.independence import score_test
from survey.analysis.tables.joint_shares import JointShares, joint_shares
from survey.core.errors import UnanswerableQuestion
from survey.core.factored_randomizers import SubsetPart, SubsetSelection
from survey.core.mechanisms import JOINT, build_randomizer
from survey.core.mechanisms.randomized_response import variance_of_subsets
from survey.core.scores import Array
from survey.estimation.share_estimates import one_hot_interval
from tests.support.joint_reports import (
    columns_of,
    combinations_of,
    report_on,
    survey_of_items,
    transitions,
)
from tests.support.regressed import YES_NO, CountedPrivateLikelihood, column

DOCUMENT = EVIDENCE / "joint-questions.md"
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
    of_outcome = outcome_of_rows(outcome, LOGISTIC, rows)
    if design.private is None:
        raise TypeError("A predictor must be private.")
    likelihood = CountedPrivateLikelihood(
        model=of_outcome.model,
        outcome=of_outcome.reported,
        non_private=design.non_private,
        weights=counts.astype(np.float64),
        private=design.private,
    )
    best = fit(likelihood)
    direction = np.eye(likelihood.size)[1]
    low, high = linear_ends(
        likelihood, best, direction, errors_of(likelihood, best, None).covariance,
        usual_reaches(LEVEL),
    )  # fmt: skip
    return low.value, high.value


# The variance of each figure, relative to the least possible one.
PRECISION_SIZES = (4, 8, 16, 25, 64)
PRECISION_EPSILONS = {"0.5": 0.5, "1": 1.0, "ln 3": LN3, "2": 2.0, "3 ln 3": 3 * LN3}
# Combinations, and those with one answer to one question.
SHARES = ((4, 2), (8, 2), (8, 4), (16, 4), (25, 5), (64, 8), (64, 32))


def precision_table() -> str:
    """The variance by Candor's integers and by k-ary randomised response, as closed forms."""
    lines = []
    for k in PRECISION_SIZES:
        cells = []
        for value in PRECISION_EPSILONS.values():
            drawn = build_randomizer({"epsilon": value}, JOINT, k)
            odds, size = float(drawn.ratio_bound or 1), getattr(drawn, "size", 1)
            best = min(variance_of_subsets(k, d, math.exp(value)) for d in range(1, k))
            ours = variance_of_subsets(k, size, odds) / best
            single = variance_of_subsets(k, 1, math.exp(value)) / best
            cells.append(f"{ours:.3f} ({single:.2f})")
        lines.append([str(k), *cells])
    return markdown_table(["combinations", *(f"ε = {each}" for each in PRECISION_EPSILONS)], lines)


def share_rows() -> Iterator[list[str]]:
    """The coverage of the interval of a share from sets, by enumeration: no simulation."""
    for k, c in SHARES:
        for epsilon, value in PRECISION_EPSILONS.items():
            whole = build_randomizer({"epsilon": value}, JOINT, k)
            if not isinstance(whole, SubsetSelection):
                continue
            part = SubsetPart(2, whole, (c, k - c))
            own, others = map(np.array, part.chances_of(0))
            for n in (20, 200, 1_000):
                ends = [one_hot_interval(part, 0, y, n, None, LEVEL) for y in range(c * n + 1)]
                low, high = np.array([(each.low, each.high) for each in ends]).T
                covered = [
                    sums_of(share * own + (1 - share) * others, n)
                    @ ((low <= share) & (share <= high))
                    for share in np.linspace(0, 1, 101)
                ]
                found = (f"{100 * each:.2f}" for each in (min(covered), max(covered)))
                yield [str(k), str(c), epsilon, str(n), *found]


def sums_of(chances: Array, n: int) -> Array:
    """The distribution of a sum of n independent numbers."""
    length = n * (len(chances) - 1) + 1
    size = 1 << length.bit_length()
    found = np.fft.irfft(np.fft.rfft(chances, size) ** n, size)[:length]
    return np.maximum(found, 0)


def set_rows() -> Iterator[list[str]]:
    """False positives of the tests of independence for sets of combinations."""
    items, margins = (
        {"drinks": 2, "smokes": 3, "drives": 2},
        [(0.3, 0.7), (0.4, 0.3, 0.3), (0.2, 0.8)],
    )
    for name, used in (
        ("two of three questions", ["drinks", "smokes"]),
        ("three questions", [*items]),
    ):
        for epsilon in ("1", "2"):
            survey, question = survey_of_items(
                items, PRECISION_EPSILONS[epsilon], mechanism="subset_selection"
            )
            places = combinations_of(question)
            shares = np.prod([np.array(m)[places[:, i]] for i, m in enumerate(margins)], axis=0)
            for n in (200, 1_000):
                draws, rejected = row_generator("sets", name, epsilon, n), np.zeros(2)
                for _ in range(TESTS):
                    reports = report_on(draws, question, draws.choice(len(shares), n, p=shares))
                    joint = joint_shares(columns_of(survey, question, reports, used))
                    rejected += [score_test(joint).p < 1 - LEVEL, wald_test(joint).p < 1 - LEVEL]
                yield [name, epsilon, str(n), *(percent_of(each, TESTS) for each in rejected)]


def percent_of(count: float, of: float) -> str:
    return f"{100 * count / of:.1f}" if of else "–"


COVERAGE_HEADS = (
    "epsilon", "true shares of Yes", "n", "cell", "share of row", "odds ratio", "phi",
    "share known", "has odds ratio", "odds ratio known", "rarest report",
)  # fmt: skip
TEST_HEADS = (
    "questions", "epsilon", "n", "score: false positives", "Wald: false positives",
    "score: power", "Wald: power",
)  # fmt: skip
REGRESSION_HEADS = ("items", "n", "true coefficient", "coverage")
SHARE_HEADS = (
    "combinations",
    "with the answer",
    "epsilon",
    "n",
    "least coverage",
    "largest coverage",
)
SET_HEADS = ("questions", "epsilon", "n", "score: false positives", "Wald: false positives")


def span(rows: Sequence[Row], *heads: str) -> str:
    """The smallest and the largest number in these columns; a dash if there is none."""
    numbers = [row[head] for head in heads for row in rows if row[head] != "–"]
    return "–".join([min(numbers, key=float), max(numbers, key=float)]) if numbers else "–"


def coverage_table(rows: Sequence[Row]) -> str:
    """The ranges over all true shares, for each ε and n."""
    figures = ("cell", "share of row", "odds ratio", "phi", "share known", "odds ratio known")
    lines = []
    for epsilon in EPSILONS:
        for n in map(str, SIZES):
            found = [row for row in rows if (row["epsilon"], row["n"]) == (epsilon, n)]
            lines.append([epsilon, n, *(span(found, figure) for figure in figures)])
    return markdown_table(["ε", "n", *figures], lines)


def independence_table(rows: Sequence[Row]) -> str:
    """The ranges over all ε and n."""
    lines = []
    for questions in INDEPENDENT:
        found = [row for row in rows if row["questions"] == questions]
        lines.append([questions, *(span(found, head) for head in TEST_HEADS[3:])])
    return markdown_table(["questions", *TEST_HEADS[3:]], lines)


def joint_questions_page(
    coverage: Sequence[Row],
    tests: Sequence[Row],
    regressions: Sequence[Row],
    shares: Sequence[Row],
    sets: Sequence[Row],
) -> str:
    """The page that these rows of data lead to."""
    return wrapped(f"""# Joint questions

The answers to the items of a [joint question](../reference/definition.md#joint-questions) are
randomised together. This page shows how often intervals contain the true value, and how often tests
find a relation that does not exist. The command `.venv/bin/python -m bench.joint_questions` repeats
the simulations with fixed seeds in about five minutes. It writes this page and its data:
[joint-coverage.csv](data/joint-coverage.csv), [joint-tests.csv](data/joint-tests.csv),
[joint-regressions.csv](data/joint-regressions.csv), [joint-shares.csv](data/joint-shares.csv) and
[joint-sets.csv](data/joint-sets.csv). Percentages are from {CROSSTABS} surveys, with a standard
error of 1.0 percentage points near 95 % and 5 %.

## Precision

The table has the variance of the share of one combination, relative to the least possible one of
Ye and Barg (2018), if all combinations are equally common. The ratio is the same for the share of
an answer to one question. The number in parentheses is the ratio of k-ary randomised response.
Above 1.000, the difference is from rounding e^ε to a ratio of integers.

{precision_table()}

## Shares of one question

If reports are sets of combinations, the interval of the share of an answer covered the true share
with a probability of {span(shares, "least coverage", "largest coverage")} %. The coverages are
exact, because all numbers of chosen combinations are enumerated. The cases have n = 20, 200 and
1,000, and true shares from 0 to 100 %. {len(SHARES)} pairs of numbers say how many of all
combinations have the answer. ε has the values above for which reports are sets. If the reports say
little, some intervals are 0 to 100 %.

## Cross-tabulation

Reports are single combinations here.

The table is about two yes/no questions, with ranges over {len(TRUTHS)} pairs of true shares from 2
to 50 %. “Cell” is the share of people with Yes to both, and “share of row” that of Yes to the
second question among people with Yes to the first. These columns have the coverage of 95 %
intervals in percent, among the surveys in which Candor shows the figure. “Known” is the percentage
of all surveys whose interval excludes some values. In the others, Candor shows 0 to 100 %, 0 to ∞,
or no figure. If the number of people in a row is hardly distinguishable from zero, the reports say
nothing about the row.

{coverage_table(coverage)}

The interval of the share of a row is too long in small rows. Its [Gaffke's
bounds](../explanation/mathematics.md#general-scores) have no known case in which they fail, and the
shorter interval of a score test sometimes does. For non-private answers, it is Wilson's: in a row
of 50 respondents, it covers only 84 % for a share of 0.35 %. With 20 responses, the interval of φ
can be too short. The odds ratio has the interval of a [score
test](../explanation/analyses.md#association).

## Independence

The table has the percentage of surveys in which a test rejects independence at the level of 5 %.
The ranges are over ε = ln 3 and 3 ln 3, and n = 200 and 1,000. Power is for n = 200, where the
combinations with exactly one Yes are rarer by the factor {RARER}. For three questions, Wald's test
is of the independence of the first two, given the third.

{independence_table(tests)}

These reports are single combinations. Others are sets of the 12 combinations of three questions,
with ε = 1 and 2. The score test then rejected in {span(sets, "score: false positives")} % of
{TESTS} surveys without a relation, and Wald's test in {span(sets, "Wald: false positives")} %.

## Regression

The 95 % profile interval of a coefficient of a logistic regression covered the true value in
{span(regressions, "coverage")} % of {REGRESSIONS} surveys for each case. These have ε = 2, n = 200
and 500, and the coefficients 0 and 1. Near 95 %, the standard error is 1.5 percentage points.
Outcome and predictor are items of one joint question, or two items are the predictors of a
non-private outcome.
""")


PARTS = {
    "joint-coverage": (COVERAGE_HEADS, coverage_rows),
    "joint-tests": (TEST_HEADS, test_rows),
    "joint-regressions": (REGRESSION_HEADS, regression_rows),
    "joint-shares": (SHARE_HEADS, share_rows),
    "joint-sets": (SET_HEADS, set_rows),
}


def main() -> None:
    """Write the data and the page; with `--page`, only the page."""
    if "--page" not in sys.argv:
        for name, (heads, rows) in PARTS.items():
            write_rows(name, [dict(zip(heads, row, strict=True)) for row in rows()])
    page = joint_questions_page(*map(read_rows, PARTS))
    DOCUMENT.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
