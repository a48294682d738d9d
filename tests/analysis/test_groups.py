"""Comparisons of groups, and correlations: textbook, closed forms, RRcor's formula, simulation."""

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2_contingency, pearsonr, t

from bench.examinations.arms import rows_of, survey_of
from survey.analysis import SurveyDesign, question_column
from survey.analysis.cells import amount_cell
from survey.analysis.changes.changes import compare_surveys
from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.groups.group_blocks import comparison_blocks, method_blocks
from survey.analysis.groups.groups import compare
from survey.analysis.indirect.compare_ways import split_by_way
from survey.analysis.sentences import comparison_sentence
from survey.analysis.tables.association import DESIGN_SCORE, MOVER, RAO_SCOTT, SCORE
from survey.analysis.tables.correlation import covariance_interval, gradient_of, pearson_correlation
from survey.analysis.tables.crosstabs import crosstab
from survey.analysis.tables.independence import score_test
from survey.analysis.tables.joint_shares import joint_shares
from survey.core.errors import UnanswerableQuestion
from survey.definition.survey import parse_survey
from survey.planning.simulation import reports_of
from tests.support.analysed import (
    COIN,
    FOUR,
    STRONG,
    THREE,
    column,
    drawn,
    plain,
    reported,
    through,
)
from tests.support.blocks import remarked, texts_in
from tests.support.definitions import definition
from tests.support.every_type import ONE_BIT, asked

pytestmark = pytest.mark.fast


# Groups.
def test_plain_groups_have_their_counted_shares_and_variances():
    r, n = np.random.default_rng(1), 600
    group, outcome = r.integers(0, 3, n), r.integers(0, 2, n)
    found = compare(plain(outcome, 2, "o"), plain(group, 3, "g"))
    shares = [np.mean(outcome[group == g] == 0) for g in range(3)]
    sizes = np.bincount(group)
    assert [g.figure.value for g in found.groups] == pytest.approx(shares)
    assert [g.size.value for g in found.groups] == pytest.approx(sizes / n)
    variances = [p * (1 - p) / size * n / (n - 1) for p, size in zip(shares, sizes, strict=True)]
    assert [g.figure.standard_error**2 for g in found.groups] == pytest.approx(variances)
    assert [(d.group, d.other) for d in found.differences] == [(1, 0), (2, 0), (2, 1)]
    for d in found.differences:
        assert d.figure.value == pytest.approx(shares[d.group] - shares[d.other])
        error = math.sqrt(variances[d.group] + variances[d.other])
        assert d.figure.standard_error == pytest.approx(error)
        # With many responses, exact methods agree with the normal distribution.
        assert d.p == pytest.approx(2 * t.sf(abs(d.figure.value) / error, n - 1), abs=0.01)
        half = t.ppf(1 - 0.05 / 3 / 2, n - 1) * error
        normal = d.figure.value - half, d.figure.value + half
        assert (d.low, d.high) == pytest.approx(normal, abs=0.01)
    assert found.measure.words == "share of o0"


def test_a_private_share_by_plain_group_has_its_closed_form():
    r, n = np.random.default_rng(2), 500
    group, reports = r.integers(0, 2, n), r.integers(0, 2, n)
    found = compare(column(reports, COIN, "o"), plain(group, 2, "g"), reference=0)
    for g in range(2):
        p, size = np.mean(reports[group == g] == 0), int(np.sum(group == g))
        assert found.groups[g].figure.value == pytest.approx(2 * p - 1 / 2, abs=1e-8)
        variance = 4 * p * (1 - p) / size * n / (n - 1)
        assert found.groups[g].figure.standard_error ** 2 == pytest.approx(variance, abs=1e-8)
    (difference,) = found.differences
    assert (difference.group, difference.other) == (1, 0)
    assert difference.adjusted == pytest.approx(difference.p)
    assert (difference.low, difference.high) == pytest.approx(
        (difference.figure.low, difference.figure.high)
    )
    table = np.array([np.bincount(reports[group == g], minlength=2) for g in range(2)])
    assert found.overall.statistic == pytest.approx(
        chi2_contingency(table, correction=False).statistic
    )
    assert found.overall.p == pytest.approx(difference.p)


def test_private_groups_are_the_columns_of_the_cross_tabulation():
    r, n = np.random.default_rng(3), 900
    a, b = drawn(r, np.array([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]]), n)
    outcome, group = through(r, STRONG, a, "o"), through(r, THREE, b, "g")
    found, table = compare(outcome, group), crosstab([outcome, group])
    for g in range(3):
        assert found.groups[g].figure.value == pytest.approx(table.of_column[g].value)
        assert found.groups[g].figure.standard_error == pytest.approx(
            table.of_column[g].standard_error
        )
    other = crosstab([group, outcome])
    # The differences from the first group.
    for place, d in enumerate(found.differences[:2]):
        assert d.figure.value == pytest.approx(other.differences[2 * place].value)
        assert d.figure.standard_error == pytest.approx(other.differences[2 * place].standard_error)


def test_a_mean_by_group_leaves_out_who_gave_no_number():
    r, n = np.random.default_rng(4), 400
    group, answers = r.integers(0, 2, n), r.integers(0, 4, n)
    values = [1.0, 2, 3, np.nan]
    found = compare(plain(answers, 4, "o", values, special_answers=1), plain(group, 2, "g"))
    for g in range(2):
        given = answers[(group == g) & (answers < 3)] + 1
        assert found.groups[g].figure.value == pytest.approx(given.mean())
    assert found.measure.words == "mean"
    assert (found.measure.low, found.measure.high) == (1, 3)


def test_a_number_that_tells_its_mean_alone_has_one_in_each_group():
    """One bit on a weight with "prefer not to say".

    3 standard errors are missed once in 370.
    """
    r, n = np.random.default_rng(5), 40_000
    question = parse_survey(
        definition(
            asked("w", "number", ONE_BIT, min=0, max=10, prefer_not_to_say=True),
            budget={"epsilon": 9, "per_respondent": "all"},
        )
    ).fields[0]
    group = r.integers(0, 2, n)
    answers = np.where(r.random(n) < 0.1, 11, r.integers(0, 6, n) + 4 * group)
    weights = question_column(question, reports_of(question, answers, r))
    found = compare(weights, plain(group, 2, "g"))
    for g in range(2):
        true = answers[(group == g) & (answers < 11)].mean()
        figure = found.groups[g].figure
        assert abs(figure.value - true) < 3 * figure.standard_error
    with pytest.raises(UnanswerableQuestion, match="allow an estimate of the mean only"):
        pearson_correlation(weights, plain(group, 2, "g"))


@pytest.mark.slow
def test_groups_of_a_private_question_are_unbiased_and_covered():
    """300 surveys of 800 people.

    Means miss by 4 of their standard errors once in 16,000, and coverage of .95 is below .899 as
    rarely.
    """
    r, surveys, n = np.random.default_rng(7), 300, 800
    truth = np.array([[0.2, 0.05], [0.3, 0.45]])
    values, held = defaultdict(list), defaultdict(int)
    for _ in range(surveys):
        a, b = drawn(r, truth, n)
        found = compare(through(r, STRONG, a, "o"), through(r, STRONG, b, "g"))
        for g, share in enumerate((0.4, 0.1)):
            figure = found.groups[g].figure
            values[g].append(figure.value)
            held[g] += figure.low <= share <= figure.high
        (d,) = found.differences
        values["d"].append(d.figure.value)
        held["d"] += d.low <= -0.3 <= d.high
    for name, true in ((0, 0.4), (1, 0.1), ("d", -0.3)):
        assert abs(np.mean(values[name]) - true) < 4 * np.std(values[name]) / math.sqrt(surveys)
        assert held[name] / surveys > 0.899


def test_everyone_has_the_weighted_share_of_a_coin_flip_with_strata_and_clusters():
    """The linearised ratio (Wolter 2007, 6.11), added up cluster by cluster."""
    r, n = np.random.default_rng(11), 240
    reports, groups = r.integers(0, 2, n), r.integers(0, 2, n)
    weights, clusters = r.uniform(0.5, 3, n), np.arange(n) // 8
    strata = clusters % 3
    design = SurveyDesign(weights=weights, strata=strata, clusters=clusters)
    found = compare(column(reports, COIN, "o"), plain(groups, 2, "g"), design)
    scores = np.where(reports == 0, 1.5, -0.5)  # 2 [Yes] - 1/2
    value = np.average(scores, weights=weights)
    assert found.everyone.value == pytest.approx(value, abs=1e-12)
    deviations = weights / weights.sum() * (scores - value)
    variance = 0.0
    for stratum in range(3):
        u = np.array([deviations[clusters == c].sum() for c in range(30) if c % 3 == stratum])
        variance += len(u) / (len(u) - 1) * np.sum((u - u.mean()) ** 2)
    assert found.everyone.standard_error**2 == pytest.approx(variance, rel=1e-10)
    assert found.everyone.low < value < found.everyone.high


def test_without_a_design_everyone_is_the_estimate_of_the_results():
    r = np.random.default_rng(12)
    reports = r.integers(0, 2, 500)
    everyone = compare(column(reports, COIN, "o"), plain(r.integers(0, 3, 500), 3, "g")).everyone
    p = np.mean(reports == 0)
    assert everyone.value == pytest.approx(2 * p - 1 / 2, abs=1e-12)
    assert everyone.standard_error**2 == pytest.approx(4 * p * (1 - p) / 499, rel=1e-10)


def test_weights_and_clusters_reach_the_groups():
    r, n = np.random.default_rng(8), 300
    reports = r.integers(0, 2, (2, n))
    outcome, group = column(reports[0], COIN, "o"), plain(reports[1], 2, "g")
    once = compare(outcome, group)
    twice = compare(
        column(np.repeat(reports[0], 2), COIN, "o"),
        plain(np.repeat(reports[1], 2), 2, "g"),
        SurveyDesign(weights=np.full(2 * n, 3.0), clusters=np.repeat(np.arange(n), 2)),
    )
    for one, other in zip(once.groups, twice.groups, strict=True):
        assert one.figure.value == pytest.approx(other.figure.value)
        assert one.figure.standard_error == pytest.approx(other.figure.standard_error)
        assert other.figure.method == "Clopper-Pearson of an effective sample size"
    (single,), (difference,) = once.differences, twice.differences
    error = single.figure.standard_error
    assert difference.figure.standard_error == pytest.approx(error)
    # Two equal reports in a cluster are one. Student's quantile has n - 1 degrees of freedom.
    assert difference.p == pytest.approx(single.p, rel=0.03)
    assert (difference.low, difference.high) == pytest.approx((single.low, single.high), rel=0.02)
    assert difference.figure.method == "MOVER, Clopper-Pearson of an effective sample size"


def test_with_weights_shares_of_everyone_and_plain_groups_have_an_effective_size():
    r, n = np.random.default_rng(3), 200
    outcome, weights = (
        column(r.integers(0, 2, n), COIN, "o"),
        SurveyDesign(weights=r.uniform(0.5, 2, n)),
    )
    effective = "Clopper-Pearson of an effective sample size"
    codes = r.integers(0, 2, n)
    for group, method, test in (
        (plain(codes, 2, "g"), effective, RAO_SCOTT),
        (column(codes, COIN, "g"), "Fieller, Student", DESIGN_SCORE),
    ):
        found = compare(outcome, group, weights, 0)
        assert found.everyone.method == effective
        assert [each.figure.method for each in found.groups] == [method] * 2
        assert found.overall.name == test
        assert "shares of everyone and of non-private groups" in texts_in(method_blocks(found))


@pytest.mark.parametrize(
    "sentence, arguments",
    [
        ("No responses are published yet.", (plain([], 2, "o"), plain([], 2, "g"))),
        ("“What of o?” has no mean. Choose an answer: o0, o1, o2.",
         (plain([0, 1], 3, "o"), plain([0, 1], 2, "g"))),
        ("“What of o?” has no such answer.",
         (plain([0, 1], 2, "o"), plain([0, 1], 2, "g"), None, 2)),
        ("“What of g?” has no such group.",
         (plain([0, 1], 2, "o"), plain([0, 1], 2, "g"), None, 0, 5)),
        ("“What of g?” makes 31 groups. The maximum is 30",
         (plain([0, 1], 2, "o"), plain([0, 1], 31, "g"))),
        ("The estimated size of all groups is zero.",
         (plain([0, 1] * 3, 2, "o"), plain([2] * 6, 3, "g", special_answers=1))),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_in_a_sentence(sentence, arguments):
    with pytest.raises(UnanswerableQuestion) as refused:
        compare(*arguments)
    assert sentence in str(refused.value)


def test_few_responses_and_empty_groups_are_named():
    columns = plain([0, 1, 0, 1, 0], 2, "o"), plain([0, 0, 1, 1, 1], 3, "g")
    found = compare(*columns)
    assert found.groups[2].figure is None
    empty = ("Groups with an estimated size of zero: “g2”.",)
    # The methods are valid for few responses, with a design too.
    assert remarked(found) == remarked(compare(*columns, SurveyDesign(weights=np.ones(5)))) == empty
    one = compare(plain([0, 1, 1] * 2, 2, "o"), plain([0] * 6, 2, "g"))
    assert one.differences == ()
    assert "A single group cannot be compared." in remarked(one)


@pytest.mark.parametrize("table", [None, COIN], ids=["non-private", "coin flips"])
def test_equal_weights_have_nearly_the_test_of_no_weights(table):
    """Nobody of 40 gave the answer in one group, and 4 in the other."""
    answers, groups = np.array([1] * 40 + [0] * 4 + [1] * 36), plain([0] * 40 + [1] * 40, 2, "g")
    outcome = plain(answers, 2, "o") if table is None else column(answers, table, "o")
    bare, weighted = (
        compare(outcome, groups),
        compare(outcome, groups, SurveyDesign(weights=np.ones(80))),
    )
    (one,), (other,) = bare.differences, weighted.differences
    assert 0.03 < one.p < 0.05
    assert other.p == pytest.approx(one.p, abs=0.005)
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=0.005)
    assert weighted.overall.p == other.p
    assert "is higher for" in comparison_sentence(weighted)


# Correlation.
def test_plain_numbers_have_pearsons_correlation():
    r, n = np.random.default_rng(9), 300
    x = r.integers(0, 5, n)
    y = np.clip(x + r.integers(-2, 3, n), 0, 4)
    found = pearson_correlation(plain(x, 5, "x", range(5)), plain(y, 5, "y", [10, 20, 40, 80, 160]))
    expected = pearsonr(x, np.array([10, 20, 40, 80, 160])[y])
    assert found.figure.value == pytest.approx(expected.statistic, abs=1e-12)
    # The delta method's variance of moments: of z_x z_y - r (z_x^2 + z_y^2) / 2.
    z, w = (x - x.mean()) / x.std(), np.array([10, 20, 40, 80, 160])[y]
    w = (w - w.mean()) / w.std()
    influence = z * w - expected.statistic * (z**2 + w**2) / 2
    assert found.figure.standard_error == pytest.approx(influence.std(ddof=1) / math.sqrt(n))
    middle = math.atanh(found.figure.low) + math.atanh(found.figure.high)
    assert middle / 2 == pytest.approx(math.atanh(found.figure.value))


def test_two_answers_each_have_phi():
    r, n = np.random.default_rng(10), 900
    a, b = drawn(r, np.array([[0.3, 0.1], [0.2, 0.4]]), n)
    for first, second in ((plain(a, 2, "a"), plain(b, 2, "b")),
                          (through(r, STRONG, a, "a"), through(r, COIN, b, "b"))):  # fmt: skip
        found, table = pearson_correlation(first, second), crosstab([first, second])
        assert found.figure.value == pytest.approx(table.phis[0].value, abs=1e-10)
        assert found.figure.standard_error == pytest.approx(table.phis[0].standard_error)
        assert table.tests[0] == score_test(joint_shares([first, second]))


def fox_and_tracy(x, y, chance_x, chance_y):
    """The correlation of the reports of Warner's design, corrected for noise.

    Each variable multiplies it by the root of observed over true variance. The noise is a
    measurement error with known variance.
    """
    raised = 1.0
    for reports, chance in ((x, chance_x), (y, chance_y)):
        share = (np.mean(reports == 0) - (1 - chance)) / (2 * chance - 1)
        told = 2 * chance - 1
        mask = (1 - told) / told * (share * (1 - share) + 0.25 / told + (share - 0.5) ** 2)
        raised *= 1 + mask / (share * (1 - share))
    return np.corrcoef(x, y)[0, 1] * math.sqrt(raised)


@pytest.mark.parametrize("seed", range(5))
def test_warners_design_has_the_correlation_of_fox_and_tracy(seed):
    """As RRreg's RRcor computes it for two Warner questions (p = 3/4 and 9/10)."""
    r, n = np.random.default_rng(seed), 2000
    a, b = drawn(r, np.array([[0.3, 0.1], [0.2, 0.4]]), n)
    x, y = reported(r, COIN, a), reported(r, STRONG, b)
    found = pearson_correlation(column(x, COIN, "x"), column(y, STRONG, "y"))
    assert found.figure.value == pytest.approx(fox_and_tracy(x, y, 0.75, 0.9), abs=1e-8)


def test_the_gradient_is_that_of_finite_differences():
    def value(moments):
        x, y, xx, yy, xy = moments
        return (xy - x * y) / math.sqrt((xx - x * x) * (yy - y * y))

    here = np.array([0.4, 2.0, 0.5, 5.0, 0.9])
    variances = (0.5 - 0.16, 5.0 - 4.0)
    slopes = gradient_of(0.4, 2.0, value(here), variances, math.sqrt(math.prod(variances)))
    for place in range(5):
        step = np.eye(5)[place] * 1e-6
        numeric = (value(here + step) - value(here - step)) / 2e-6
        assert slopes[place] == pytest.approx(numeric, abs=1e-7)


@pytest.mark.slow
def test_a_correlation_of_private_scales_is_unbiased_and_covered():
    """500 surveys of 1,500 people.

    Coverage of .95 is between .911 and .989, except once in 16,000. The mean may differ by 4 of its
    standard errors and a bias of order 1/n, a tenth of one standard deviation.
    """
    r, surveys, n = np.random.default_rng(11), 500, 1500
    truth = np.array([[4, 2, 1, 0], [2, 4, 2, 1], [1, 2, 4, 2], [0, 1, 2, 4]]) / 32
    grid = np.arange(1, 5)
    mean = (truth.sum(axis=1) * grid).sum()
    variance = (truth.sum(axis=1) * (grid - mean) ** 2).sum()
    true = (truth * np.outer(grid - mean, grid - mean)).sum() / variance
    values, held = [], 0
    for _ in range(surveys):
        a, b = drawn(r, truth, n)
        found = pearson_correlation(
            through(r, FOUR, a, "a", grid), through(r, FOUR, b, "b", grid)
        ).figure
        values.append(found.value)
        held += found.low <= true <= found.high
    assert abs(np.mean(values) - true) < (4 / math.sqrt(surveys) + 0.1) * np.std(values)
    assert 0.911 < held / surveys < 0.989


@pytest.mark.slow
def test_a_private_correlation_has_the_power_of_the_cross_tabulation():
    """Two related coin flips of 200 people: 200 surveys, and the same without a relation.

    The cross-tabulation has `score_test`. The two tests differ in their permutations only. 5 % are
    more than 10 % once in 900.
    """
    r, found = np.random.default_rng(34), defaultdict(int)
    for relation, truth in (("none", [[0.06, 0.24], [0.14, 0.56]]),
                            ("some", [[0.15, 0.15], [0.05, 0.65]])):  # fmt: skip
        for _ in range(200):
            a, b = drawn(r, np.array(truth), 200)
            columns = through(r, COIN, a, "a"), through(r, COIN, b, "b")
            try:
                correlation = pearson_correlation(*columns)
            except UnanswerableQuestion:
                continue
            found["table", relation] += score_test(joint_shares(columns)).p < 0.05
            figure = correlation.figure
            assert (correlation.p < 0.05) == (not figure.low <= 0 <= figure.high)
            found["correlation", relation] += correlation.p < 0.05
    assert found["correlation", "none"] < 20
    assert found["correlation", "some"] > 0.8 * found["table", "some"] > 20


@pytest.mark.parametrize(
    "edges, spread", [((0.3, 0.1), 0.04), ((2.5, -2.0), 0.3), ((0.0, 3.0), 2.0)]
)
def test_the_interval_of_the_covariance_holds_what_is_not_rejected(edges, spread):
    """Each ρ with |value - ρ| <= t x error(ρ), on a grid; the far part of two is left out."""
    gradients = [np.array([1.0, 0.0]), np.array([1.0, edges[1]])]
    covariance = np.diag([spread, spread * (0.1 + edges[0])])
    value, times = 0.4, t.ppf(0.975, 99)
    found = covariance_interval(value, 0.1, gradients, covariance, 99, 0.95)
    grid = np.linspace(-1, 1, 2001)
    lines = [gradients[0] + rho * (gradients[1] - gradients[0]) for rho in grid]
    errors = [math.sqrt(line @ covariance @ line) for line in lines]
    held = grid[np.abs(value - grid) <= times * np.array(errors)]
    assert (found.low, found.high) == pytest.approx((held.min(), held.max()), abs=2e-3)


def test_a_design_tests_a_correlation_by_its_covariance():
    r, n = np.random.default_rng(35), 400
    a, b = drawn(r, np.array([[0.3, 0.1], [0.2, 0.4]]), n)
    columns = through(r, STRONG, a, "a"), through(r, COIN, b, "b")
    alone = pearson_correlation(*columns)
    weighted = pearson_correlation(*columns, SurveyDesign(weights=np.ones(n)))
    assert weighted.figure.value == pytest.approx(alone.figure.value)
    assert weighted.p == pytest.approx(alone.p, abs=0.02)


def test_rounding_by_chance_does_not_weaken_a_correlation():
    """A number of 41 values on 11 points: 4 standard errors are missed once in 16,000."""
    r, n = np.random.default_rng(12), 40_000
    question = parse_survey(
        definition(asked("x", "number", {"epsilon": 4}, min=0, max=40), budget={"epsilon": 9})
    ).fields[0]
    answers = r.integers(0, 41, n)
    y = answers + r.integers(-10, 11, n)
    told = question_column(question, reports_of(question, answers, r))
    assert told.rounding == pytest.approx((4**2 - 1) / 6)
    places = y - y.min()
    other = plain(places, int(places.max()) + 1, "y", np.arange(places.max() + 1))
    found = pearson_correlation(told, other)
    expected = np.corrcoef(answers, y)[0, 1]
    assert abs(found.figure.value - expected) < 4 * found.figure.standard_error
    assert found.deviations[0] == pytest.approx(answers.std(), rel=0.02)


@pytest.mark.parametrize(
    "sentence, columns",
    [
        ("The variance of “What of x?” is estimated at zero or less",
         (plain([0] * 9, 2), plain([0, 1, 1] * 3, 2, "y"))),
        ("Responses with an answer or report for “What of x?” and “What of y?”: 2 of 2.",
         (plain([0, 1], 2), plain([0, 1], 2, "y"))),
        ("No responses are published yet.", (plain([], 2), plain([], 2, "y"))),
        ("“What of x?” has no mean. Choose an answer",
         (plain([0, 1, 2], 3), plain([0, 1, 1], 2, "y"))),
        ("nobody answered all these questions without a special answer",
         (plain([2] * 6, 3, "x", special_answers=1), plain([0, 1, 1] * 2, 2, "y"))),
    ],
)  # fmt: skip
def test_what_has_no_correlation_is_refused_in_a_sentence(sentence, columns):
    with pytest.raises(UnanswerableQuestion) as refused:
        pearson_correlation(*columns)
    assert sentence in str(refused.value)


# Intervals if nothing varies, or if not all possible reports are listed.
@pytest.mark.parametrize("n", [6, 29])
def test_few_reports_made_of_bits_tell_nothing_where_they_are_alike(n):
    """Their scores do not vary, but this is no information: others were possible."""
    choices = [{"name": f"c{k}", "label": f"{k}"} for k in range(8)]
    question = asked("party", "select_one", {"epsilon": 1}, choices=choices)
    (party,) = parse_survey(definition(question)).fields
    report = "1" * party.form.ones + "0" * (8 - party.form.ones)
    found = compare(question_column(party, [report] * n), plain(np.arange(n) % 2, 2, "g"), answer=0)
    for group in found.groups:
        assert (group.figure.low, group.figure.high) == (0.0, 1.0)


def test_numbers_that_are_all_the_same_could_have_been_others():
    (days,) = parse_survey(
        definition(asked("days", "number", "none", min=0, max=60, step=1))
    ).fields
    found = compare(question_column(days, [5] * 20), plain(np.arange(20) % 2, 2, "g"))
    for group in found.groups:
        assert group.figure.value == 5
        assert (group.figure.low, group.figure.high) == (0.0, 60.0)


def test_answers_that_are_all_the_same_have_an_exact_interval_with_weights_too():
    said, group = plain(np.zeros(40, int), 2, "said"), plain(np.arange(40) % 2, 2, "g")
    bare = compare(said, group, answer=0)
    weighted = compare(said, group, SurveyDesign(weights=np.arange(1.0, 41)), answer=0)
    for one, other in zip(bare.groups, weighted.groups, strict=True):
        # 20 members with weights that increase from 0 count for about 15.
        assert 0.025 ** (1 / 14) < other.figure.low < 0.025 ** (1 / 15.5)
        assert other.figure.low < one.figure.low
        assert other.figure.high == one.figure.high == 1


def test_groups_that_are_the_clusters_have_no_p_value():
    """Their variance consists of rounding errors: p was below 0.001 next to the whole range, χ² was
    1.8 · 10^11, and a mean had six decimals."""
    generator = np.random.default_rng(3)
    year = generator.integers(0, 3, 3_000)
    answers = generator.integers(0, 4, 3_000)
    outcome = through(generator, FOUR, answers, "o", values=[2.0, 4.0, 6.0, 8.0])
    found = compare(outcome, plain(year, 3, "g"), SurveyDesign(clusters=year))
    assert [(each.p, each.low, each.high) for each in found.differences] == [(1.0, -6.0, 6.0)] * 3
    assert found.overall is None
    assert [amount_cell(group.figure).text for group in found.groups] == ["5.0", "5.1", "4.8"]
    assert "All respondents of these groups are in one cluster" in " ".join(remarked(found))


@pytest.mark.parametrize(
    ("second", "method"), [("direct", "MOVER, Gaffke and exact"), ("ε = 2", "MOVER, Gaffke")]
)
def test_arms_asked_in_different_ways_have_the_interval_of_two_surveys(second, method):
    """Their reports differ without a difference of the shares, so no permutation is a test."""
    survey = survey_of("ln 3", second, declines=False)
    rows = rows_of(survey, (0.3, 0.1), 120, np.random.default_rng(46))
    (joined, arm), design = columns_and_design(survey, rows, ["a+b", "arm"])
    found = compare(joined, arm, design, 0)
    alone = split_by_way(joined)
    [change] = compare_surveys(alone[::-1], ("b", "a"), [design] * 2, 0).differences
    [difference] = found.differences
    sign = 1 if difference.group == 0 else -1
    ends = sorted(sign * end for end in (difference.figure.low, difference.figure.high))
    assert ends == pytest.approx([change.figure.low, change.figure.high], abs=1e-9)
    assert difference.p == pytest.approx(change.p, rel=1e-4)
    assert difference.figure.method == method
    assert found.overall.name == MOVER
    assert found.overall.p == difference.p
    texts = texts_in(comparison_blocks(found))
    assert "This p is the smallest significance level" in texts


def test_ways_of_asking_that_all_groups_share_have_permutations():
    survey = survey_of("ln 3", "direct", declines=False)
    rows = rows_of(survey, (0.3, 0.1), 120, np.random.default_rng(46))
    (joined, arm), _ = columns_and_design(survey, rows, ["a+b", "arm"])
    shuffled = replace(arm, reports=np.arange(120) % 2)
    assert compare(joined, shuffled, None, 0).overall.name == SCORE
