"""False alarms, coverage and power of tests between groups, of independence and of correlation.

It compares today's tests with those that came before, which are written out here. It writes
docs/evidence/group-tests.md.

    python -m bench.group_tests
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import scipy

from survey.analysis.columns.sample_means import Sample
from survey.analysis.columns.variables import AnalysisColumn
from survey.analysis.groups.differences import difference_p_value, holm
from survey.analysis.groups.equal_probabilities import (
    SupportingCounts,
    binomial_chances,
    equal_pair_p,
    equal_probabilities,
)
from survey.analysis.groups.figures import t_interval_estimate
from survey.analysis.groups.group_bounds import MeasuredGroup, difference_interval
from survey.analysis.groups.groups import compare
from survey.analysis.tables.association import on_fisher_scale, quadratic_test
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.independence import score_test
from survey.analysis.tables.joint_shares import JointShares, chances_of, joint_shares, likeliest
from survey.core.errors import UnanswerableQuestion
from survey.core.randomizer import Randomizer
from survey.core.scores import Array, most_likely
from tests.support.analysed import COIN, FOUR, THREE, column, plain, reported

DOCUMENT = Path(__file__).parent.parent / "docs" / "evidence" / "group-tests.md"
SEED, LEVEL, ACCEPTED, COVERED = 20261123, 0.95, 0.055, 0.94
# The probability of a supporting report from those who have the answer, and from the others.
MECHANISMS = {
    "non-private": (1.0, 0.0), "coin flips": (0.75, 0.25), "gamma design": (0.6, 0.4),
    "k-ary": (0.4, 0.15), "subset selection": (0.55, 0.35), "forced response": (11 / 12, 1 / 12),
}  # fmt: skip
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
SIZES = ((5, 5), (5, 30), (20, 20), (30, 200), (5, 500))
LARGE, LARGE_SHARES, LARGE_DRAWS = (500, 500), ((0.05, 0.05), (0.2, 0.3)), 400
FOUR_SIZES, FOUR_SHARES, FOUR_DRAWS = ((5, 10, 20, 30), (100, 100, 100, 100)), (0.02, 0.2), 1_000
TABLE_DRAWS, CORRELATION_DRAWS, COMPARED_DRAWS = 500, 500, 300
FORCED = Randomizer.from_rows([[11, 1], [1, 11]])
SUBSET = Randomizer.from_rows(
    [[5 if row in pair else 2 for pair in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))]
     for row in range(4)]
)  # fmt: skip
RARE = {2: [0.2, 0.8], 3: [0.05, 0.35, 0.6], 4: [0.05, 0.15, 0.3, 0.5]}
Row = list[str]


class Two:
    """p-values and intervals of two groups, by the test before and by today's.

    Attributes
    ----------
    p : ndarray, shape (outcomes, 2)
    ends : ndarray, shape (outcomes, 2, 2)
        The intervals.
    """

    def __init__(self, sizes: tuple[int, int], design: tuple[float, float], found: Array) -> None:
        rows = [outcome(sizes, design, row) for row in found]
        self.p = np.array([row[0] for row in rows])
        self.ends = np.array([row[1] for row in rows])

    def rates(self, chances: Array, difference: float) -> tuple[Array, Array]:
        """How often each rejects, and how often its interval contains the true difference."""
        held = (self.ends[:, :, 0] <= difference) & (difference <= self.ends[:, :, 1])
        return np.asarray(chances @ (self.p < 1 - LEVEL)), np.asarray(chances @ held)


def outcome(
    sizes: tuple[int, int], design: tuple[float, float], supporting: Array
) -> tuple[list[float], list[tuple[float, float]]]:
    """Both p-values and both intervals of one outcome."""
    p, q = design
    n, shares = np.array(sizes, dtype=float), supporting / np.array(sizes)
    values = (shares - q) / (p - q)
    spread = n.sum() / (n.sum() - 1) * shares * (1 - shares) / n / (p - q) ** 2
    value, error, degrees = float(values[0] - values[1]), float(spread.sum() ** 0.5), sum(sizes) - 1
    before = t_interval_estimate(value, error, degrees, -1, 1, LEVEL)
    counts = SupportingCounts(supporting, n, q, p)
    two_scores = -q / (p - q), (1 - q) / (p - q)
    # With counts, the bounds use nothing else of the sample.
    one, other = (
        MeasuredGroup(cast(Sample, None), n, n, float(values[place]), n, 1.0, True,
                      counts.of([place]), two_scores)
        for place in (0, 1)
    )  # fmt: skip
    now = equal_pair_p(counts)
    after = difference_interval((one, other), error, 0.0, now, LEVEL)
    old = difference_p_value(value, error, degrees)
    return [old, now], [(before.low, before.high), (after.low, after.high)]


def percent(rate: float) -> str:
    return f"{100 * rate:.1f}"


def both(before: float, after: float) -> str:
    return f"{percent(before)} → {percent(after)}"


def enumerated(name: str, sizes: tuple[int, int]) -> tuple[Row, Array]:
    """A row of the table of two groups, and its figures."""
    (p, q), axes = MECHANISMS[name], [np.arange(n + 1.0) for n in sizes]
    found = Two(sizes, (p, q), np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2))
    supported = q + (p - q) * np.array(SHARES)
    first, second = (binomial_chances(axis, len(axis) - 1, supported) for axis in axes)
    alarms, covered = [], []
    power = np.zeros((len(SHARES), len(SHARES), 2))
    for one, other in np.ndindex(len(SHARES), len(SHARES)):
        chances = np.outer(first[one], second[other]).reshape(-1)
        power[one, other], held = found.rates(chances, SHARES[one] - SHARES[other])
        covered.append(held)
        if one == other:
            alarms.append(power[one, other])
    # Where the test before had few false alarms for both shares.
    fair = np.array(alarms)[:, 0] <= ACCEPTED
    compared = fair[:, np.newaxis] & fair & ~np.eye(len(SHARES), dtype=bool)
    losses = (power[:, :, 0] - power[:, :, 1])[compared]
    loss = float(losses.max()) if len(losses) else float("nan")
    most, least = np.max(alarms, axis=0), np.min(covered, axis=0)
    one, other = SHARES.index(0.1), SHARES.index(0.5)
    row = [
        name, f"{sizes[0]}, {sizes[1]}", both(*most), both(*least), both(*power[one, other]),
        percent(loss) if len(losses) else "–",
    ]  # fmt: skip
    return row, np.array([*most, *least, loss])


def drawn_pairs(generator: np.random.Generator, name: str) -> Row:
    """Two groups of 500."""
    p, q = MECHANISMS[name]
    cells = []
    for pair in LARGE_SHARES:
        supported = q + (p - q) * np.array(pair)
        draws = generator.binomial(LARGE, supported, (LARGE_DRAWS, 2)).astype(float)
        outcomes, times = np.unique(draws, axis=0, return_counts=True)
        rejected, held = Two(LARGE, (p, q), outcomes).rates(times / LARGE_DRAWS, pair[0] - pair[1])
        cells += [both(*rejected), both(*held)]
    return [name, *cells]


def old_overall_p(sizes: Array, design: tuple[float, float], supporting: Array) -> float:
    """Wald's test of several groups; 1 without a test."""
    p, q = design
    shares, n = supporting / sizes, sizes.sum()
    spread = np.diag(n / (n - 1) * shares * (1 - shares) / sizes / (p - q) ** 2)
    contrasts = np.eye(len(sizes))[1:] - np.eye(len(sizes))[0]
    try:
        return quadratic_test(
            contrasts @ (shares - q) / (p - q), contrasts @ spread @ contrasts.T, int(n) - 1, ""
        ).p
    except UnanswerableQuestion:
        return 1.0


def four_groups(generator: np.random.Generator, name: str, sizes: tuple[int, ...]) -> Row:
    """The test of four groups, and Holm's of their pairs, at each of the shares."""
    (p, q), n = MECHANISMS[name], np.array(sizes, dtype=float)
    pairs = [(one, other) for one in range(4) for other in range(one)]
    known: dict[tuple[float, ...], float] = {}
    cells = []
    for share in FOUR_SHARES:
        alarms = np.zeros(4)
        for supporting in generator.binomial(
            np.array(sizes), q + (p - q) * share, (FOUR_DRAWS, 4)
        ).astype(float):
            counts = SupportingCounts(supporting, n, q, p)
            old, now = [], []
            for pair in map(list, pairs):
                key = (*supporting[pair], *n[pair])
                if key not in known:
                    known[key] = equal_pair_p(counts.of(pair))
                now.append(known[key])
                shares = supporting[pair] / n[pair]
                error = (n.sum() / (n.sum() - 1) * (shares * (1 - shares) / n[pair]).sum()) ** 0.5
                old.append(difference_p_value(shares[0] - shares[1], error, int(n.sum()) - 1))
            alarms += [
                old_overall_p(n, (p, q), supporting) < 0.05,
                equal_probabilities(counts)[1] < 0.05, min(holm(old)) < 0.05, min(holm(now)) < 0.05,
            ]  # fmt: skip
        rates = alarms / FOUR_DRAWS
        cells += [both(*rates[:2]), both(*rates[2:])]
    return [name, ", ".join(map(str, sizes)), *cells]


Survey = Callable[[np.random.Generator], tuple[AnalysisColumn, AnalysisColumn]]


def a_survey(
    sizes: Sequence[int], table: Randomizer, groups: Randomizer | None, scale: bool
) -> Survey:
    """A survey with the same distribution of answers in every group."""

    def draw(generator: np.random.Generator) -> tuple[AnalysisColumn, AnalysisColumn]:
        places, k = np.repeat(np.arange(len(sizes)), sizes), table.answers
        answers = generator.choice(k, len(places), p=RARE[k])
        worth = np.arange(float(k)) if scale else None
        outcomes = column(reported(generator, table, answers), table, "o", values=worth)
        if groups is None:
            return outcomes, plain(places, len(sizes), "g")
        return outcomes, column(reported(generator, groups, places), groups, "g")

    return draw


COMPARED = {
    "share, coin flips; groups of 40 and 40 by coin flips": a_survey((40, 40), COIN, COIN, False),
    "share, coin flips; groups of 25, 25 and 30 by k-ary": a_survey(
        (25, 25, 30), COIN, THREE, False
    ),
    "share, forced response; groups of 20 and 100 by forced response": a_survey(
        (20, 100), FORCED, FORCED, False
    ),
    "mean, k-ary; non-private groups of 10 and 40": a_survey((10, 40), FOUR, None, True),
}


def compared(generator: np.random.Generator, name: str) -> Row:
    """Private groups and means, by the whole analysis."""
    alarms, held = np.zeros(2), np.zeros(2)
    for _ in range(COMPARED_DRAWS):
        outcome, group = COMPARED[name](generator)
        found = compare(outcome, group, answer=None if outcome.values is not None else 0)
        width = found.measure.high - found.measure.low
        for now in found.differences[:1]:
            figure = now.figure
            error, degrees = figure.standard_error, found.n - 1
            old = t_interval_estimate(figure.value, error, degrees, -width, width, LEVEL)
            alarms += [difference_p_value(figure.value, error, degrees) < 0.05, now.p < 0.05]
            held += [old.low <= 0 <= old.high, figure.low <= 0 <= figure.high]
        if not found.differences:
            held += 1
    return [name, both(*alarms / COMPARED_DRAWS), both(*held / COMPARED_DRAWS)]


def old_independence_p(joint: JointShares) -> float:
    """The likelihood-ratio test with maximum-likelihood shares."""
    sample, alone, answers = joint.sample, 0.0, []
    came = sample.counts > 0
    chances = chances_of(joint, sample.reports[came])
    together = float(sample.counts[came] @ np.log(likeliest(joint) @ chances))
    for place, each in enumerate(joint.columns):
        tally = np.bincount(sample.reports[:, place], sample.counts, each.chances.shape[1])
        k, seen = len(each.answers), tally > 0
        shares = most_likely(each.chances, tally / tally.sum(), np.full(k, 1 / k))
        alone += float(tally[seen] @ np.log(shares @ each.chances[:, seen]))
        answers.append(k)
    degrees = (answers[0] - 1) * (answers[1] - 1)
    return float(scipy.special.chdtrc(degrees, max(0.0, 2 * (together - alone))))


def related(
    generator: np.random.Generator, table: Randomizer, n: int, relation: float, scale: bool = False
) -> list[AnalysisColumn]:
    """Two questions. A respondent gives the same answer to both with an extra chance `relation`."""
    k = table.answers
    first, second = generator.choice(k, (2, n), p=RARE[k])
    second = np.where(generator.random(n) < relation, first, second)
    worth = np.arange(float(k)) if scale else None
    return [
        column(reported(generator, table, each), table, name, values=worth)
        for each, name in ((first, "a"), (second, "b"))
    ]


TABLES = {"coin flips": COIN, "k-ary": FOUR, "subset selection": SUBSET, "forced response": FORCED}


def independence(generator: np.random.Generator, name: str, n: int) -> Row:
    cells = []
    for relation in (0.0, 0.4):
        rejected = np.zeros(2)
        for _ in range(TABLE_DRAWS):
            joint = joint_shares(related(generator, TABLES[name], n, relation))
            rejected += [old_independence_p(joint) < 0.05, score_test(joint).p < 0.05]
        cells.append(both(*rejected / TABLE_DRAWS))
    return [name, f"{n:,}", *cells]


SCALES = {"coin flips": COIN, "k-ary, three levels": THREE, "k-ary, four levels": FOUR}


def correlation(generator: np.random.Generator, name: str, relation: float) -> Row:
    """Rejections of both tests of correlation and of the cross-tabulation, and coverage.

    The answers have the same distribution, so their correlation is `relation`.
    """
    rejected, held, refused = np.zeros(3), np.zeros(2), 0
    for _ in range(CORRELATION_DRAWS):
        columns = related(generator, SCALES[name], 200, relation, scale=True)
        rejected[2] += score_test(joint_shares(columns)).p < 0.05
        try:
            found = pearson_correlation(columns[0], columns[1])
        except UnanswerableQuestion:
            refused += 1
            continue
        value, error = found.figure.value, found.figure.standard_error
        off = value if abs(value) >= 1 else np.arctanh(value) * (1 - value**2)
        old = on_fisher_scale(value, error, found.n - 1, LEVEL)
        old_p = 2 * scipy.special.stdtr(found.n - 1, -abs(off) / error)
        rejected[:2] += [old_p < 0.05, found.p is not None and found.p < 0.05]
        held += [
            old.low <= relation <= old.high, found.figure.low <= relation <= found.figure.high,
        ]  # fmt: skip
    told = max(1, CORRELATION_DRAWS - refused)
    rates = rejected / CORRELATION_DRAWS
    return [
        name, f"{relation:g}", both(*rates[:2]), percent(rates[2]), both(*held / told),
        percent(refused / CORRELATION_DRAWS),
    ]  # fmt: skip


def table(heads: Sequence[str], rows: Sequence[Row]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Measure everything, and write the page."""
    r = np.random.default_rng(SEED)
    pairs = [enumerated(name, sizes) for name in MECHANISMS for sizes in SIZES]
    figures = np.array([each for _, each in pairs])
    most, least = figures[:, :2].max(axis=0), figures[:, 2:4].min(axis=0)
    large = [drawn_pairs(r, name) for name in MECHANISMS]
    four = [four_groups(r, name, sizes) for name in MECHANISMS for sizes in FOUR_SIZES]
    private = [compared(r, name) for name in COMPARED]
    tables = [independence(r, name, n) for name in TABLES for n in (200, 1_000)]
    scales = [correlation(r, name, relation) for name in SCALES for relation in (0.0, 0.4)]
    DOCUMENT.write_text(
        PAGE.format(
            old_alarm=percent(most[0]), alarm=percent(most[1]),
            old_cover=percent(least[0]), cover=percent(least[1]),
            loss=percent(np.nanmax(figures[:, 4])),
            large_draws=LARGE_DRAWS, four_draws=f"{FOUR_DRAWS:,}", table_draws=TABLE_DRAWS,
            compared_draws=COMPARED_DRAWS, correlation_draws=CORRELATION_DRAWS,
            pairs=table(
                ("Mechanism", "Sizes", "False alarms", "Coverage", "Power", "Loss"),
                [row for row, _ in pairs],
            ),
            large=table(
                ("Mechanism", "Rejects 5 : 5 %", "Covers", "Rejects 20 : 30 %", "Covers"), large
            ),
            four=table(
                ("Mechanism", "Sizes", "All, 2 %", "Holm, 2 %", "All, 20 %", "Holm, 20 %"), four
            ),
            private=table(("Comparison", "False alarms", "Coverage"), private),
            tables=table(("Mechanism", "n", "False alarms", "Power"), tables),
            scales=table(
                ("Mechanism", "Correlation", "Rejects", "Cross-tabulation", "Coverage", "Refused"),
                scales,
            ),
        ),
        encoding="utf-8",
    )  # fmt: skip


PAGE = """# Tests between groups

Candor's tests of groups, of independence and of correlation changed in November 2026. This page
compares the tests before and after this change, at the level of 5 %. If a test finds a difference
or a relation that does not exist, this is a false alarm. It should happen in at most about 5 % of
the surveys. A 95 % interval should contain the true value in at least about 95 % of the surveys
(its coverage). Power is how often a test finds a true difference or relation.

`make group-tests` measures everything again and writes this page. All seeds are fixed.

## How to read the tables

All figures in the tables are in percent, except sizes, n and correlations. In 40.1 → 5.2, the
first number belongs to the test before, and the second to today's test. Before, groups had
Student's and Wald's tests, and independence had the likelihood-ratio test. The test of a
correlation used the standard error at the estimated correlation. The module
`bench/group_tests.py` contains these earlier tests.

The column “Sizes” has the number of respondents in each group. A report supports an answer with
the probability p if a person has this answer, and with q otherwise. In the tables of two and of
four groups, the mechanisms have these probabilities:

| Mechanism | p | q |
| --- | --- | --- |
| non-private | 1 | 0 |
| coin flips | 0.75 | 0.25 |
| gamma design: the report equals the answer with probability 1/2 + γ | 0.6 | 0.4 |
| k-ary randomised response | 0.4 | 0.15 |
| subset selection | 0.55 | 0.35 |
| forced response | 11/12 | 1/12 |

## Two groups

Each row enumerates all outcomes, so these figures are exact. The true shares are 1, 2, 5, 10, 20,
30 and 50 %, in every combination. The columns are:

* **False alarms**: the largest percentage, over all shares that are equal in both groups.
* **Coverage**: the smallest percentage, over all combinations of shares.
* **Power**: for the shares 10 % and 50 %.
* **Loss**: the largest loss of power from the test before to today's test, in percentage points. It
  compares only shares for which the test before had at most 5.5 % false alarms. A test that rejects
  too often finds more true differences, too, so its power says little. A dash means that there are
  no two such shares.

Over all rows, the largest percentage of false alarms was {old_alarm} % before, and is {alarm} %
today. The lowest coverage was {old_cover} % before, and is {cover} % today. The largest loss of
power is {loss} percentage points.

{pairs}

Groups of 500 are simulated, with {large_draws} surveys for each figure. Near 5 %, the standard
error is 1.1 percentage points. “Rejects” is how often the test calls the groups different, and
“Covers” is the coverage. The first two columns with figures are for a share of 5 % in both
groups. The last two are for the shares 20 % and 30 %.

{large}

## Four groups

All groups have the same share, 2 % or 20 %, so each rejection is a false alarm. “All” is the test
of all groups at once. “Holm” counts surveys in which at least one of the six pairs of groups has
an adjusted p-value below 0.05. There are {four_draws} surveys for each figure, so near 5 % the
standard error is 0.7 percentage points.

{four}

## Private groups and means

The study analyses these simulated surveys with the function that the page uses. Equal groups have
{compared_draws} surveys each, so near 5 % the standard error is 1.3 percentage points. With more
than two groups, the figures are for the first difference.

{private}

## Independence

Two questions have the same mechanism and the same shares of answers, of which the rarest is 20 %
(two answers) or 5 % (four answers). For false alarms, the two answers of a respondent are
independent. For power, 40 % of the respondents answer the second question as the first, and the
others answer independently. There are {table_draws} surveys for each figure. The standard error
is 1.0 percentage points near 5 %, and at most 2.2 elsewhere.

{tables}

## Correlation

There are 200 responses to two questions, whose answers have the true correlation in the table.
“Rejects” is how often the test finds a correlation: a false alarm if the true one is 0, otherwise
power. “Cross-tabulation” is the same rate for today's test of independence. “Refused” is how often
Candor gives no correlation, because an estimated variance is not positive. A refusal counts as no
rejection. The coverage is that of the surveys with a correlation.
There are {correlation_draws} surveys for each figure, so the standard error is 1.0 percentage
points near 5 %, and at most 2.2 elsewhere.

{scales}
"""

if __name__ == "__main__":
    main()
