"""Cross-tabulations, compared with textbook and closed forms, another optimiser, simulations."""

import math
from collections import defaultdict

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from survey.analysis import AnalysisColumn, SurveyDesign, question_column
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.tables.association import phi, wald_test
from survey.analysis.tables.crosstabs import (
    ListedCells,
    crosstab,
    odds_ratios_and_phis,
    row_share_differences,
)
from survey.analysis.tables.independence import score_test
from survey.analysis.tables.joint_shares import joint_shares
from survey.core.errors import UnanswerableQuestion
from survey.core.randomizer import Randomizer
from tests.analysis.tables import TABLE, listed, pets, plain_pair
from tests.support.analysed import COIN, FOUR, THREE, column, drawn, plain, reported, through
from tests.support.blocks import remarked


def test_plain_percentages_and_their_differences_are_those_of_the_textbook():
    found = crosstab(plain_pair(TABLE))
    n, rows, columns = TABLE.sum(), TABLE.sum(axis=1), TABLE.sum(axis=0)
    of_row, of_column = TABLE / rows[:, np.newaxis], TABLE / columns
    assert [share.value for share in found.of_row] == pytest.approx(of_row.reshape(-1))
    assert [share.value for share in found.of_column] == pytest.approx(of_column.reshape(-1))
    # Given the rows: p (1 - p) / rows. All variances here divide by n - 1.
    variances = of_row * (1 - of_row) / rows[:, np.newaxis] * n / (n - 1)
    assert [share.standard_error**2 for share in found.of_row] == pytest.approx(
        variances.reshape(-1)
    )
    assert [d.value for d in found.differences] == pytest.approx(of_row[1] - of_row[0])
    assert [d.standard_error**2 for d in found.differences] == pytest.approx(variances.sum(axis=0))


@pytest.mark.slow
def test_a_difference_of_rows_is_covered_if_a_row_is_rare():
    """Two binary questions of 20 people, of whom 10 % are in the first row. All shares are 30 %.

    The interval covers 97 % or more. By Student's distribution, it covered 65 % or less. With other
    seeds, fewer than 90 % of 150 surveys are covered less than once in 1,000.
    """
    r, held, told = np.random.default_rng(12), 0, 0
    for _ in range(150):
        rows, yes = (r.random(20) < 0.9).astype(int), (r.random(20) < 0.7).astype(int)
        columns = [plain(rows, 2, "a"), plain(yes, 2, "b")]
        (figure, _) = row_share_differences(ListedCells(joint_shares(columns), 0.95))
        if figure is not None:
            told += 1
            held += figure.low <= 0 <= figure.high
    assert told > 100
    assert held / told >= 0.9


def test_private_by_plain_is_each_group_by_itself():
    a, b = listed(np.array([[40, 22, 9], [31, 27, 30]]))
    found = crosstab([column(a, COIN, "a"), plain(b, 3, "b")])
    for group in range(3):
        share = 2 * np.mean(a[b == group] == 0) - 1 / 2
        assert found.of_column[group].value == pytest.approx(share, abs=1e-12)


# Weights, strata, clusters.
def by_hand(columns, weights, strata, clusters):
    """Joint shares and covariance, response by response and cluster by cluster."""
    scores = [np.asarray(each.scores)[each.reports] for each in columns]
    product = np.einsum("ni,nj->nij", *scores).reshape(len(weights), -1)
    weights = weights / weights.sum()
    mean = weights @ product
    totals = defaultdict(lambda: defaultdict(lambda: np.zeros(len(mean))))
    for place in range(len(weights)):
        part = weights[place] * (product[place] - mean)
        totals[strata[place]][clusters[place]] += part
    covariance = np.zeros((len(mean), len(mean)))
    for of_stratum in totals.values():
        sums = np.array(list(of_stratum.values()))
        centred = sums - sums.mean(axis=0)
        covariance += len(sums) / (len(sums) - 1) * centred.T @ centred
    return mean, covariance


@pytest.mark.parametrize("what", ["weights", "strata", "clusters", "all", "weights clusters"])
def test_a_design_gives_the_variance_between_its_clusters(what):
    r, n = np.random.default_rng(3), 400
    columns = [
        column(r.integers(0, 2, n), COIN, "a"),
        column(r.integers(0, 3, n), THREE, "b"),
    ]
    weights = r.uniform(0.5, 3, n) if what in ("weights", "all", "weights clusters") else None
    strata = r.choice(["n", "s", "w"], n) if what in ("strata", "all") else None
    clusters = r.integers(0, 30, n) if "clusters" in what or what == "all" else None
    joint = joint_shares(columns, SurveyDesign(weights=weights, strata=strata, clusters=clusters))
    mean, covariance = by_hand(
        columns,
        np.ones(n) if weights is None else weights,
        np.zeros(n) if strata is None else strata,
        np.arange(n) if clusters is None else clusters,
    )
    assert joint.shares == pytest.approx(mean, abs=1e-12)
    assert joint.covariance == pytest.approx(covariance, abs=1e-12)
    units = {
        (s, c)
        for s, c in zip(
            np.zeros(n) if strata is None else strata,
            np.arange(n) if clusters is None else clusters,
            strict=True,
        )
    }
    assert joint.sample.degrees == len(units) - (3 if strata is not None else 1)


def test_equal_weights_change_nothing_and_many_clusters_are_summed_in_pieces(monkeypatch):
    r, n = np.random.default_rng(4), 300
    columns = [column(r.integers(0, 2, n), COIN, name) for name in "ab"]
    simple = joint_shares(columns)
    equal = joint_shares(columns, SurveyDesign(weights=np.full(n, 7)))
    assert equal.covariance == pytest.approx(simple.covariance, abs=1e-15)
    own = joint_shares(columns, SurveyDesign(clusters=np.arange(n)))
    assert own.covariance == pytest.approx(simple.covariance, abs=1e-15)
    monkeypatch.setattr("survey.analysis.columns.sample_means.CLUSTERS_AT_ONCE", 7)
    pieces = joint_shares(columns, SurveyDesign(clusters=np.arange(n)))
    assert pieces.covariance == pytest.approx(simple.covariance, abs=1e-15)


def test_everyone_twice_in_one_cluster_is_no_more_information():
    r, n = np.random.default_rng(5), 200
    reports = r.integers(0, 2, (2, n))
    pair = [column(row, COIN, name) for row, name in zip(reports, "ab", strict=True)]
    once = crosstab(pair)
    twice = [column(np.repeat(row, 2), COIN, name) for row, name in zip(reports, "ab", strict=True)]
    clustered = crosstab(twice, SurveyDesign(clusters=np.repeat(np.arange(n), 2)))
    for one, other in zip(once.cells, clustered.cells, strict=True):
        assert one.standard_error == pytest.approx(other.standard_error)
    assert clustered.tests[0].name == "Wald"  # the only test
    assert any(
        "No score test is available with weights" in remark for remark in remarked(clustered)
    )
    assert clustered.tests[0].statistic == pytest.approx(wald_test(joint_shares(pair)).statistic)
    # With a score test, Wald's would be a second test of the same that is wrong with few responses.
    assert [test.name for test in once.tests] == ["score"]


def test_who_has_no_weight_or_no_report_is_left_out():
    r, n = np.random.default_rng(6), 100
    reports = r.integers(0, 2, (2, n))
    reports[1, :10] = -1
    weights = np.ones(n)
    weights[10:20] = 0
    columns = [column(row, COIN, name) for row, name in zip(reports, "ab", strict=True)]
    found = crosstab(columns, SurveyDesign(weights=weights))
    rest = crosstab([column(row[20:], COIN, name) for row, name in zip(reports, "ab", strict=True)])
    assert (found.n, found.left_out) == (80, 20)
    assert found.cells[0].value == pytest.approx(rest.cells[0].value)
    assert found.cells[0].standard_error == pytest.approx(rest.cells[0].standard_error)


# Simulation.
@pytest.mark.slow
def test_intervals_hold_where_the_people_of_a_cluster_are_alike():
    """400 surveys of 60 clusters, with weights.

    A coverage of .95 is below .906 once in 32,000. If the 600 people were treated as independent,
    coverage would be about 85 %, so the test can fail.
    """
    r, surveys, clusters, of_each = np.random.default_rng(12), 400, 60, 10
    strong = Randomizer.from_rows([[9, 1], [1, 9]])
    held, naive = defaultdict(int), defaultdict(int)
    place = np.repeat(np.arange(clusters), of_each)
    for _ in range(surveys):
        # A share of .2 in one half of the clusters and .6 in the other; b depends on a.
        shares = np.where(r.random(clusters) < 0.5, 0.2, 0.6)
        a = np.array(r.random(len(place)) > shares[place], dtype=int)
        b = np.array(r.random(len(place)) > np.where(a == 0, 0.7, 0.3), dtype=int)
        columns = through(r, strong, a, "a"), through(r, strong, b, "b")
        weights = r.uniform(1, 3, clusters)[place]
        for design, into in (
            (SurveyDesign(weights=weights, strata=None, clusters=place), held),
            (SurveyDesign(weights=weights), naive),
        ):
            table = ListedCells(joint_shares(columns, design), 0.95)
            for name, figure, true in (
                ("cell", table.share([0], table.all), 0.4 * 0.7),
                ("of_row", table.share([0], [0, 1]), 0.7),
                ("column", table.share([0, 2], table.all), 0.4 * 0.7 + 0.6 * 0.3),
                ("row", table.share([0, 1], table.all), 0.4),
            ):
                into[name] += figure.low <= true <= figure.high
    for name, times in held.items():
        assert times / surveys > 0.906, (name, times / surveys)
    assert naive["row"] / surveys < 0.906


@pytest.mark.slow
def test_estimates_are_unbiased_and_intervals_hold_their_level():
    """400 surveys of 300 respondents each, with special answers and dependence.

    A mean misses by 4 of its standard errors once in 16,000, and a coverage of .95 is below .906 as
    rarely. Gaffke's bounds, and those of ratios near an end, cover more: 2,000 surveys had .9625,
    .9635, .950, .966, .9705.
    """
    r, surveys, n = np.random.default_rng(7), 400, 300
    truth = np.array([[0.25, 0.1, 0.05], [0.1, 0.35, 0.05], [0.04, 0.03, 0.03]])
    inside = truth[:2, :2] / truth[:2, :2].sum()
    expected = {
        "cell": inside[0, 0],
        "of_row": inside[0, 0] / inside[0].sum(),
        "difference": inside[1, 0] / inside[1].sum() - inside[0, 0] / inside[0].sum(),
        "log odds": math.log(inside[0, 0] * inside[1, 1] / inside[0, 1] / inside[1, 0]),
        "phi": phi(inside.reshape(-1), np.eye(4), 9, 0.95).value,
    }
    strong = Randomizer.from_rows([[9 if x == y else 1 for y in range(3)] for x in range(3)])
    held = defaultdict(int)
    values = defaultdict(list)
    for _ in range(surveys):
        a, b = drawn(r, truth, n)
        columns = [
            through(r, strong, answers, x, special_answers=1) for answers, x in ((a, "a"), (b, "b"))
        ]
        table = ListedCells(joint_shares(columns), 0.95)
        ratios, phis, _ = odds_ratios_and_phis(table)
        figures = {
            "cell": table.share([0], table.all),
            "of_row": table.share([0], [0, 1]),
            "difference": row_share_differences(table)[0],
            "phi": phis[0],
            "log odds": ratios[0],
        }
        for name, figure in figures.items():
            # Two cells are below zero, so there is no odds ratio, which counts as a miss.
            if figure is None:
                continue
            target = math.exp(expected[name]) if name == "log odds" else expected[name]
            held[name] += figure.low <= target <= figure.high
            values[name].append(figure.value)
    for name in ("cell", "of_row", "difference"):
        miss = np.mean(values[name]) - expected[name]
        # Ratios have a bias of order 1/n, here less than a twentieth of the standard deviation.
        assert abs(miss) < 4 * np.std(values[name]) / math.sqrt(surveys) + 0.05 * np.std(
            values[name]
        )
    for name, times in held.items():
        assert times / surveys > 0.906, (name, times / surveys)


def test_one_missing_cell_does_not_remove_the_test():
    """Nobody reports the third answer with the second. The test is that of the other reports."""
    counts = np.array([[30, 20, 0], [20, 35, 6]])
    a, b = listed(counts)
    with_nobody = column(np.append(a, 0), COIN, "a"), column(np.append(b, 3), FOUR, "b")
    for columns in (plain_pair(counts), with_nobody):
        (test,) = [each for each in crosstab(columns).tests if each.name == "score"]
        assert 0.001 < test.p < 0.05


# Three questions.
def test_three_questions_are_the_two_in_each_layer():
    r = np.random.default_rng(9)
    counts = r.integers(5, 60, (2, 2, 3))
    a, b, c = listed(counts)
    found = crosstab([plain(a, 2, "a"), plain(b, 2, "b"), plain(c, 3, "c")])
    for layer in range(3):
        alone = crosstab(plain_pair(counts[:, :, layer]))
        ours = [share.value for share in found.of_row[layer::3]]
        assert ours == pytest.approx([share.value for share in alone.of_row])
        assert found.odds_ratios[layer].value == pytest.approx(alone.odds_ratios[0].value)
        assert found.phis[layer].value == pytest.approx(alone.phis[0].value)
        ours = [share.value for share in found.differences[layer::3]]
        assert ours == pytest.approx([share.value for share in alone.differences])
    by_name = {test.name: test for test in found.tests}
    expected = chi2_contingency(counts, correction=False)
    assert by_name["score"].statistic == pytest.approx(expected.statistic)
    assert by_name["score"].degrees == expected.dof == 7
    assert by_name["score"].hypothesis == (
        "“What of a?”, “What of b?” and “What of c?” are independent"
    )
    assert by_name["Wald"].degrees == 3
    assert by_name["Wald"].hypothesis == (
        "“What of a?” and “What of b?” are independent given “What of c?”"
    )


# Refusals and their messages.
def refusal(columns, design=None):
    with pytest.raises(UnanswerableQuestion) as refused:
        crosstab(columns, design)
    return str(refused.value)


def test_five_responses_give_what_they_can_and_fewer_nothing():
    a, b = np.array([0, 0, 1, 1, 0]), np.array([0, 1, 1, 1, 0])
    few = crosstab([column(a, COIN, "a"), column(b, COIN, "b")])
    for figure in (*few.cells, *(f for f in (*few.of_row, *few.differences) if f)):
        assert figure.low <= figure.high
        assert all(map(math.isfinite, (figure.value, figure.low, figure.high)))
    four = [column(row[:4], COIN, name) for row, name in ((a, "a"), (b, "b"))]
    assert refusal(four) == (
        "Responses with an answer or report for “What of a?” and “What of b?”: 4 of 4. An analysis "
        "needs at least 5."
    )


def test_everyone_alike_is_told_and_not_tested():
    found = crosstab([plain(np.zeros(30, int), 2, "a"), plain(np.arange(30) % 2, 2, "b")])
    assert found.tests == ()
    assert remarked(found)[0].startswith("No test is possible: the answers to one")
    assert any("zero or less, so there is no odds ratio" in remark for remark in remarked(found))
    assert found.odds_ratios == (None,)


@pytest.mark.parametrize(
    "sentence, columns, design",
    [
        ("No responses are published yet.", [plain([], 2, "a"), plain([], 2, "b")], None),
        (
            "Responses with an answer or report for “What of a?” and “What of b?”: 0 of 2.",
            [plain([0, -1], 2, "a"), plain([-1, 1], 2, "b")],
            None,
        ),
        (
            "“What of a?” is chosen twice. Choose different questions.",
            [plain([0, 1], 2, "a")] * 2,
            None,
        ),
        ("two or three questions", [plain([0, 1], 2, "a")], None),
        ("make 441 cells, more than 400", [plain([0, 1], 21, "a"), plain([0, 1], 21, "b")], None),
        ("The columns are of different responses.", [plain([0], 2), plain([0, 1], 2, "b")], None),
        (
            "Stratum “s” has a single response",
            [plain([0, 1, 1] * 2, 2, "a"), plain([0, 1, 0] * 2, 2, "b")],
            SurveyDesign(strata=np.array(["n"] * 5 + ["s"])),
        ),
        (
            "Stratum “s” has a single cluster",
            [plain([0, 1, 1, 0] * 2, 2, "a"), plain([0] * 8, 2, "b")],
            SurveyDesign(
                strata=np.array(["n", "n", "s", "s"] * 2), clusters=np.array([1, 2, 3, 3] * 2)
            ),
        ),
        (
            "All respondents are in one cluster, so the variance cannot be estimated. Use a design",
            [plain([0, 1, 1] * 2, 2, "a"), plain([0, 1, 0] * 2, 2, "b")],
            SurveyDesign(clusters=np.ones(6)),
        ),
        (
            "The weights need one value for each response",
            [plain([0], 2, "a"), plain([0], 2, "b")],
            SurveyDesign(weights=np.ones(2)),
        ),
        (
            "nobody answered all these questions without a special answer",
            [plain([2] * 6, 3, "a", special_answers=1), plain([0, 1] * 3, 2, "b")],
            None,
        ),
    ],
)
def test_what_cannot_be_told_is_refused_in_a_sentence(sentence, columns, design):
    assert sentence in refusal(columns, design)


def test_a_question_that_tells_its_mean_alone_is_refused():
    both = np.array([0, 1])
    mean_only = AnalysisColumn(
        name="w",
        label="Weight",
        answers=("30", "40"),
        values=both + 30.0,
        chances=np.full((2, 2), 0.5),
        scores=None,
        value_scores=np.array([0.0, 1]),
        reports=both,
        private=True,
        ordered=True,
        draw="w",
    )
    assert "“Weight” allow an estimate of the mean only" in refusal(
        [mean_only, plain([0, 1], 2, "b")]
    )
    many = AnalysisColumn(
        name="y",
        label="Years",
        answers=("1", "2"),
        values=np.array([1.0, 2]),
        chances=np.empty((2, 0)),
        scores=None,
        value_scores=np.array([1.0, 2]),
        reports=np.array([0, 1]),
        private=False,
        ordered=True,
        draw="y",
    )
    assert "too many for a table" in refusal([many, plain([0, 1], 2, "b")])


def test_extras_are_left_out_by_their_estimated_share():
    r, n = np.random.default_rng(10), 1000
    a, b = r.choice(3, n, p=[0.4, 0.4, 0.2]), r.integers(0, 2, n)
    found = crosstab([plain(a, 3, "a", special_answers=1), plain(b, 2, "b")])
    rest = crosstab([plain(a[a < 2], 2, "a"), plain(b[a < 2], 2, "b")])
    assert found.given.value == pytest.approx(np.mean(a < 2))
    for one, other in zip(found.cells, rest.cells, strict=True):
        assert one.value == pytest.approx(other.value)
        # The number of respondents with an answer is random here, which adds a relative 1/n.
        assert one.standard_error == pytest.approx(other.standard_error, rel=2e-3)
    # The score test has the variance of the products, and Pearson's that of independent answers.
    ours, theirs = found.tests[0], rest.tests[0]
    assert (ours.name, ours.degrees) == ("score", 1)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=0.01)
    three = joint_shares([plain(a, 3, "a", special_answers=1), plain(b, 2, "b"), plain(b, 2, "c")])
    with pytest.raises(UnanswerableQuestion, match="exclude special answers"):
        score_test(three)


def test_a_million_responses_take_no_long_while():
    r, n = np.random.default_rng(11), 1_000_000
    a, b = drawn(r, np.full((4, 3), 1 / 12), n)
    columns = [column(reported(r, FOUR, a), FOUR, "a"), column(reported(r, THREE, b), THREE, "b")]
    found = crosstab(
        columns,
        SurveyDesign(
            weights=r.uniform(1, 2, n), strata=r.integers(0, 9, n), clusters=np.arange(n) // 3
        ),
    )
    assert found.n == n
    assert complete_case_sample(columns).counts.sum() == n


def test_boxes_of_one_table_stand_in_any_order_beside_another_question():
    r, n = np.random.default_rng(22), 2000
    combination = r.choice(8, n, p=[6, 3, 3, 3, 2, 1, 1, 1] / np.array(20))
    question, reports = pets(r, combination, False)
    region = r.integers(0, 2, n)
    c, d = (question_column(question, reports, box) for box in "cd")
    by = plain(region, 2, "g")
    tables = {}
    for name, order in (("cgd", [c, by, d]), ("gcd", [by, c, d]), ("dcg", [d, c, by])):
        tables[name] = joint_shares(order).shares.reshape(2, 2, 2)
    assert tables["cgd"].transpose(1, 0, 2) == pytest.approx(tables["gcd"])
    assert tables["dcg"].transpose(2, 1, 0) == pytest.approx(tables["gcd"])
    for group in range(2):
        part = [reports[place] for place in np.flatnonzero(region == group)]
        pair = joint_shares([question_column(question, part, box) for box in "cd"]).shares
        share = np.mean(region == group)
        assert tables["gcd"][group].reshape(-1) == pytest.approx(pair * share, abs=1e-12)


@pytest.mark.slow
def test_a_pair_of_boxes_is_unbiased_and_its_interval_covers():
    """400 surveys: a mean misses by 4 standard errors once in 16,000.

    Coverage is below .906 as rarely. Products of the boxes' own scores would have a much larger
    error.
    """
    r, surveys, n = np.random.default_rng(23), 400, 400
    shares = np.array([6, 1, 1, 6, 2, 2, 1, 1]) / 20
    true = shares[[3, 7]].sum()
    values, held = [], 0
    question, _ = pets(r, np.array([0]), False)
    for _ in range(surveys):
        reports = reported(r, question.table, r.choice(8, n, p=shares)).tolist()
        table = ListedCells(
            joint_shares([question_column(question, reports, box) for box in "cd"]), 0.95
        )
        figure = table.share([0], table.all)
        values.append(figure.value)
        held += figure.low <= true <= figure.high
    assert abs(np.mean(values) - true) < 4 * np.std(values) / math.sqrt(surveys)
    assert held / surveys > 0.906


def test_one_box_twice_is_refused():
    r = np.random.default_rng(24)
    question, reports = pets(r, r.integers(0, 9, 50))
    box = question_column(question, reports, "c")
    assert "“What of pets?: C” is chosen twice" in refusal([box, box])
