"""Joint shares of several questions: closed forms, another optimiser, and boxes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binomtest

from survey.analysis import question_column
from survey.analysis.tables.crosstabs import crosstab
from survey.analysis.tables.joint_shares import chances_of, joint_shares, likeliest
from survey.core.randomizer import Randomizer
from survey.definition.survey import parse_survey
from tests.analysis.tables import TABLE, listed, pets, plain_pair
from tests.support.analysed import COIN, FOUR, THREE, WIDE, column, drawn, plain, through
from tests.support.blocks import remarked
from tests.support.definitions import definition
from tests.support.every_type import UNARY, asked, letters


# Two non-private questions: the textbook formulas.
def test_plain_shares_are_counted_with_their_covariance():
    found = crosstab(plain_pair(TABLE))
    p, n = TABLE.reshape(-1) / TABLE.sum(), TABLE.sum()
    assert [cell.value for cell in found.cells] == pytest.approx(p, abs=1e-14)
    expected = (np.diag(p) - np.outer(p, p)) / (n - 1)
    assert found.covariance == pytest.approx(expected, abs=1e-15)
    for cell, count in zip(found.cells, TABLE.reshape(-1), strict=True):
        exact = binomtest(int(count), int(n)).proportion_ci(0.95, "exact")
        assert (cell.low, cell.high) == pytest.approx((exact.low, exact.high), abs=1e-5)
    assert found.n == n
    assert found.given is None
    assert not found.negative
    assert found.likeliest == pytest.approx(p)


# Private questions: closed forms.
def test_two_coin_flips_have_their_closed_form():
    counts = np.array([[40, 22], [31, 27]])
    a, b = listed(counts)
    found = crosstab([column(a, COIN, "a"), column(b, COIN, "b")])
    f, n = counts / counts.sum(), counts.sum()
    value = 4 * f[0, 0] - f[0].sum() - f[:, 0].sum() + 1 / 4
    assert found.cells[0].value == pytest.approx(value, abs=1e-8)
    # Scores 9/4, -3/4, -3/4, 1/4 of the four combinations.
    second = f[0, 0] * 81 / 16 + (f[0, 1] + f[1, 0]) * 9 / 16 + f[1, 1] / 16
    assert found.cells[0].standard_error == pytest.approx(
        math.sqrt((second - value**2) / (n - 1)), abs=1e-8
    )


@pytest.mark.parametrize("first, second", [(THREE, FOUR), (COIN, THREE), (FOUR, COIN)])
def test_k_ary_questions_have_their_closed_form(first, second):
    """The closed form is pi = (A')^-1 f B^-1.

    With t against k - 1 others, it is (f - q) / (p - q) in each direction.
    """
    r = np.random.default_rng(1)
    counts = r.integers(20, 60, (first.answers, second.answers))
    a, b = listed(counts)
    joint = joint_shares([column(a, first, "a"), column(b, second, "b")])
    inverse = []
    for table in (first, second):
        p, q = (table.rows[0][y] / table.total for y in (0, 1))
        inverse.append((np.eye(table.answers) - q) / (p - q))
    expected = inverse[0] @ (counts / counts.sum()) @ inverse[1].T
    assert joint.shares == pytest.approx(expected.reshape(-1), abs=1e-8)
    assert joint.shares.sum() == pytest.approx(1)
    product = np.kron(*inverse)
    f = counts.reshape(-1) / counts.sum()
    variance = (product * f) @ product.T - np.outer(product @ f, product @ f)
    assert joint.covariance == pytest.approx(variance / (counts.sum() - 1), abs=1e-8)


def test_the_margins_are_those_of_each_question_alone():
    r = np.random.default_rng(2)
    counts = r.integers(5, 60, (2, 4, 3))
    a, b, c = listed(counts)
    columns = [column(a, COIN, "a"), column(b, WIDE, "b"), column(c, THREE, "c")]
    shares = joint_shares(columns).shares.reshape(2, 2, 3)
    for axis, each in enumerate(columns):
        others = tuple(other for other in range(3) if other != axis)
        alone = np.bincount(each.reports) / counts.sum() @ each.scores
        assert shares.sum(axis=others) == pytest.approx(alone, abs=1e-12)


# Maximum-likelihood shares.
def log_likelihood(shares, chances, counts):
    return float(counts @ np.log(shares @ chances))


def by_scipy(chances, counts):
    """The maximum-likelihood shares by another method: SLSQP on the simplex, from the middle."""
    k = len(chances)
    found = minimize(
        lambda s: -log_likelihood(s, chances, counts / counts.sum()),
        np.full(k, 1 / k),
        jac=lambda s: -chances @ (counts / counts.sum() / (s @ chances)),
        method="SLSQP",
        bounds=[(0, 1)] * k,
        constraints={"type": "eq", "fun": lambda s: s.sum() - 1, "jac": lambda s: np.ones(k)},
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    return np.maximum(found.x, 0) / np.maximum(found.x, 0).sum()


@pytest.mark.parametrize("seed", range(6))
def test_the_most_likely_shares_are_those_of_another_optimiser(seed):
    r = np.random.default_rng(seed)
    tables = [(COIN, THREE), (COIN, COIN), (THREE, WIDE), (WIDE, WIDE), (FOUR, THREE), (COIN, FOUR)]
    first, second = tables[seed]
    truth = r.dirichlet(np.full(first.answers * second.answers, 0.3))
    a, b = drawn(r, truth.reshape(first.answers, second.answers), 400)
    joint = joint_shares([through(r, first, a, "a"), through(r, second, b, "b")])
    chances = chances_of(joint, joint.sample.reports)
    ours, theirs = likeliest(joint), by_scipy(chances, joint.sample.counts)
    n = joint.sample.n
    assert (
        n * log_likelihood(ours, chances, joint.sample.counts / n)
        >= n * log_likelihood(theirs, chances, joint.sample.counts / n) - 1e-9
    )
    assert ours == pytest.approx(theirs, abs=1e-6)
    assert ours.min() >= 0
    assert ours.sum() == pytest.approx(1)


def test_as_many_kinds_of_bits_as_answers_by_chance_are_no_square_table():
    """Three of eight kinds of reports occur.

    The unbiased shares are possible, but they do not fit best.
    """
    question = parse_survey(
        definition(asked("c", "select_one", UNARY, choices=letters("abc")),
                   budget={"epsilon": 9, "per_respondent": "all"})
    ).fields[0]  # fmt: skip
    bits = question_column(question, ["100"] * 20 + ["010"] * 14 + ["001"] * 14)
    assert bits.chances.shape == (3, 3)
    joint = joint_shares([bits, plain([0, 1] * 24, 2, "b")])
    assert joint.shares.min() > 0.08
    chances = chances_of(joint, joint.sample.reports)
    theirs = by_scipy(chances, joint.sample.counts)
    assert likeliest(joint) == pytest.approx(theirs, abs=1e-5)
    assert likeliest(joint)[0] < joint.shares[0] - 0.05


def test_the_most_likely_shares_are_where_expectation_maximisation_ends():
    """A negative cell, with the EM algorithm, which never reduces the likelihood."""
    a, b = listed(np.array([[30, 8], [10, 14]]))
    joint = joint_shares([column(a, COIN, "a"), column(b, COIN, "b")])
    assert joint.shares.min() < 0
    chances = chances_of(joint, joint.sample.reports)
    shares, before = np.full(4, 0.25), -np.inf
    for _ in range(20_000):
        here = log_likelihood(shares, chances, joint.sample.counts)
        assert here >= before - 1e-9
        before = here
        shares = shares * (chances @ (joint.sample.shares / (shares @ chances)))
    assert likeliest(joint) == pytest.approx(shares, abs=1e-6)
    assert crosstab(joint.columns).negative


def test_possible_unbiased_shares_of_square_tables_are_the_most_likely():
    a, b = listed(np.array([[40, 22], [31, 27]]))
    joint = joint_shares([column(a, COIN, "a"), column(b, COIN, "b")])
    assert joint.shares.min() >= 0
    assert likeliest(joint) == pytest.approx(joint.shares, abs=1e-12)


def test_two_boxes_of_one_table_have_the_scores_of_the_table():
    """An independent sum of the unbiased shares of the nine answers."""
    r = np.random.default_rng(20)
    question, reports = pets(r, r.choice(9, 500, p=[3, 1, 1, 4, 1, 1, 1, 6, 2] / np.array(20)))
    pair = [question_column(question, reports, box) for box in "cf"]
    joint = joint_shares(pair)
    table = column(reports, question.table).scores
    alone = np.bincount(reports, minlength=9) / 500 @ table
    expected = np.zeros((3, 3))
    for combination in range(8):
        expected[1 - (combination & 1), 1 - (combination >> 2 & 1)] += alone[combination]
    expected[2, 2] = alone[8]
    assert joint.shares == pytest.approx(expected.reshape(-1), abs=1e-12)
    variance = np.cov(table[reports][:, [5, 7]].sum(axis=1)) / 500
    assert joint.covariance[0, 0] == pytest.approx(variance)
    found = crosstab(pair)
    assert found.cells[0].value == pytest.approx(expected[0, 0] / (1 - alone[8]))
    assert ("Ticked", "Not ticked") in [names for names, _ in found.raw]
    assert sum(count for _, count in found.raw) == 500
    assert [test.name for test in found.tests] == ["score"]
    assert remarked(found) == ()


def test_the_most_likely_shares_of_two_boxes_add_up_those_of_the_table():
    r = np.random.default_rng(21)
    question, reports = pets(r, r.choice(8, 300, p=[6, 3, 3, 3, 2, 1, 1, 1] / np.array(20)), False)
    joint = joint_shares([question_column(question, reports, box) for box in "cd"])
    # All shares are inside the range.
    assert likeliest(joint) == pytest.approx(joint.shares, abs=1e-12)
    chances = chances_of(joint, joint.sample.reports)
    assert chances.sum(axis=1) == pytest.approx(np.ones(4))


def test_two_boxes_of_any_table_have_its_scores():
    """Reports on two boxes depend on a third.

    There is then no likelihood, but the estimates are unbiased.
    """
    r = np.random.default_rng(25)
    question, _ = pets(r, np.array([0]), False)
    rows = r.integers(1, 9, (8, 8)) + 40 * np.eye(8, dtype=int)
    rows[:, 0] += rows.sum(axis=1).max() - rows.sum(axis=1)
    question = replace(question, randomizer=Randomizer.from_rows(rows.tolist()))
    pair = [question_column(question, list(range(8)) * 2, box) for box in "cd"]
    assert not pair[0].tabled
    joint = joint_shares(pair)
    expected = np.eye(4)[[2 * (1 - (c & 1)) + 1 - (c >> 1 & 1) for c in range(8)]]
    assert rows / rows[0].sum() @ joint.scores == pytest.approx(expected, abs=1e-9)
    found = crosstab(pair)
    assert found.likeliest is None
    assert any("There are no transition probabilities" in remark for remark in remarked(found))
    assert any("there is no complete table" in remark for remark in remarked(found))
    assert found.raw[3] == (("C, D", "C, D"), 2)
