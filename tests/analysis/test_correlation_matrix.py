"""Correlations of each pair of questions: p-values, false alarms, and refusals."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from survey.analysis import SurveyDesign
from survey.analysis.multiple_comparisons import adjust_by_holm
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.correlation_matrix import MAX_CORRELATED_QUESTIONS, correlations
from survey.core.errors import UnanswerableQuestion
from tests.support.analysed import COIN, column, plain, through
from tests.support.blocks import remarked


def test_p_is_pearsons_for_non_private_numbers():
    """The p-value of permutations is that of Pearson's test, up to its standard error."""
    generator = np.random.default_rng(3)
    x = generator.integers(0, 10, 400)
    y = (x + generator.integers(0, 140, 400)) // 15
    columns = [plain(each, 10, name, values=np.arange(10.0)) for each, name in ((x, "x"), (y, "y"))]
    found = pearson_correlation(*columns)
    exact = pearsonr(x, y)
    assert found.figure.value == pytest.approx(exact.statistic, abs=1e-12)
    assert 0.005 < exact.pvalue < 0.5
    assert found.p == pytest.approx(exact.pvalue, abs=0.03)


def test_p_is_below_the_rest_of_the_level_where_the_interval_leaves_out_zero():
    generator = np.random.default_rng(5)
    agreed = []
    for _ in range(60):
        x = generator.integers(0, 2, 120)
        y = np.where(generator.random(120) < 0.7, x, 1 - x)
        found = pearson_correlation(
            through(generator, COIN, x, "x"), through(generator, COIN, y, "y")
        )
        outside = not found.figure.low <= 0 <= found.figure.high
        assert (found.p < 0.05) == outside
        agreed.append(outside)
    assert set(agreed) == {True, False}  # both occur
    assert False in agreed


def test_a_perfect_correlation_has_no_test_and_no_interval():
    same = pearson_correlation(plain([0, 1] * 4, 2, "x"), plain([0, 1] * 4, 2, "y"))
    assert same.figure.value == pytest.approx(1)
    assert (same.figure.low, same.figure.high) == (-1, 1)
    assert same.p is None


@pytest.mark.slow
def test_no_correlation_is_a_false_alarm_in_one_of_20():
    """1,000 surveys of 100: at 5 %, outside 3.3 to 6.9 % once in 100 runs."""
    generator = np.random.default_rng(6)
    alarms = sum(
        pearson_correlation(
            through(generator, COIN, generator.integers(0, 2, 100), "x"),
            plain(generator.integers(0, 3, 100), 3, "y", values=np.arange(3.0)),
        ).p < 0.05
        for _ in range(1000)
    )  # fmt: skip
    assert 33 <= alarms <= 69


def several(n: int = 200, seed: int = 1):
    generator = np.random.default_rng(seed)
    x = generator.integers(0, 2, n)
    return [
        plain(x, 2, "x"),
        through(generator, COIN, x, "y"),
        plain(generator.integers(0, 4, n), 4, "z", values=np.arange(4.0)),
        plain(np.zeros(n, dtype=int), 2, "flat"),
    ]


def test_every_pair_is_the_correlation_of_the_two():
    columns = several()
    design = SurveyDesign(weights=np.linspace(1, 2, 200))
    found = correlations(columns, design, level=0.9)
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)
    ]  # fmt: skip
    for pair in found.pairs:
        if 3 in (pair.first, pair.second):
            assert pair.found is None
            assert "The variance of “What of flat?” is estimated at zero or less" in pair.refusal
        else:
            both = columns[pair.first], columns[pair.second]
            alone = pearson_correlation(*both, design, level=0.9)
            assert (pair.found.figure, pair.found.p) == (alone.figure, alone.p)
    told = [pair for pair in found.pairs if pair.found]
    assert [pair.adjusted for pair in told] == list(adjust_by_holm([pair.found.p for pair in told]))
    assert found.of(2, 0) is found.pairs[1]
    assert remarked(found) == ()


def test_what_cannot_be_correlated_at_all_is_refused():
    columns = several()
    with pytest.raises(UnanswerableQuestion, match=r"needs two questions\. Choose another"):
        correlations(columns[:1])
    many = [plain([0, 1] * 5, 2, f"q{place}") for place in range(MAX_CORRELATED_QUESTIONS + 1)]
    with pytest.raises(UnanswerableQuestion, match="13 questions make 78 pairs"):
        correlations(many)
    alike = [column([0] * 5, COIN, name) for name in "abc"]
    with pytest.raises(
        UnanswerableQuestion, match="Candor cannot estimate the correlation of any other pair"
    ):
        correlations(alike)


def test_remarks_say_when_it_is_wrong():
    generator = np.random.default_rng(2)
    few = [plain(generator.integers(0, 2, 12), 2, name) for name in "ab"]
    assert any("fewer than 30 responses" in remark for remark in remarked(correlations(few)))
    beyond = next(
        found
        for found in (
            correlations([plain([0, 1] * 30, 2, "x"), through(generator, COIN, [0, 1] * 30, "y")])
            for _ in range(100)
        )
        if abs(found.pairs[0].found.figure.value) > 1
    )
    assert any("coefficient below −1 or above 1" in remark for remark in remarked(beyond))
