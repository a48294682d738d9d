"""The finite population correction: exact variances, coverage by enumeration, and refusals."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from survey.analysis.columns.finite_covariance import FiniteCorrection, contract
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.design_estimates import design_estimates
from survey.analysis.groups.groups import compare
from survey.analysis.regression.regression import regress
from survey.analysis.tables.correlation import pearson_correlation
from survey.analysis.tables.crosstabs import crosstab
from survey.analysis.trees.trees import build_decision_tree
from survey.core.errors import UnanswerableQuestion
from tests.support.regressed import COIN, YES_NO, column, spread

pytestmark = pytest.mark.fast

QUARTER = Fraction(1, 4)


def sized(*sizes, strata=None, weights=None):
    """The design of responses in populations of these sizes."""
    return SurveyDesign(weights=weights, strata=strata, populations=np.array(sizes, dtype=float))


def first_share(codes, table, design):
    asked = column("y", YES_NO, np.array(codes), table)
    return next(iter(design_estimates([asked], design))).figure


# --- the variance


def every_sample(populations, sizes):
    """Each choice of people without replacement, as lists of answers by stratum."""
    return product(
        *(combinations(people, size) for people, size in zip(populations, sizes, strict=True))
    )


@pytest.mark.parametrize(
    ("populations", "sizes"), [([(0, 0, 1, 1, 1, 1, 0)], [5]), ([(0, 1, 1, 0), (1, 1, 1)], [3, 2])]
)
def test_the_variance_is_unbiased_over_all_samples_and_all_reports(populations, sizes):
    """Two coins: the randomisation variance is equal for both answers, so nothing is estimated.

    All probabilities are fractions: each report is the answer with 3/4.
    """
    total = sum(map(len, populations))
    strata = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.repeat([len(p) / n for p, n in zip(populations, sizes, strict=True)], sizes)
    design = sized(*np.repeat([len(p) for p in populations], sizes), strata=strata, weights=weights)
    samples = list(every_sample(populations, sizes))
    mean = square = estimated = 0.0
    for reports in product((0, 1), repeat=sum(sizes)):
        chance = Fraction(0)
        for sample in samples:
            answers = [answer for part in sample for answer in part]
            same = sum(a == r for a, r in zip(answers, reports, strict=True))
            chance += (1 - QUARTER) ** same * QUARTER ** (len(answers) - same)
        probability = float(chance / len(samples))
        figure = first_share(reports, COIN, design)
        mean += probability * figure.value
        square += probability * figure.value**2
        estimated += probability * figure.standard_error**2
    assert mean == pytest.approx(sum(p.count(0) for p in populations) / total, abs=1e-12)
    assert estimated == pytest.approx(square - mean**2, abs=1e-12)


def test_if_everyone_was_asked_only_the_randomisation_is_left():
    """A report of two coins has the scores 3/2 and -1/2, with the variance 3/4 given the answer."""
    for yes in (0, 3, 11, 20):
        found = first_share([0] * yes + [1] * (20 - yes), COIN, sized(*[20] * 20))
        assert found.standard_error == pytest.approx(np.sqrt(0.75 / 20), abs=1e-12)


def test_non_private_answers_have_the_textbook_variance():
    """(1 - n / N) s^2 / n (Cochran, Sampling Techniques (1977), 3.2)."""
    codes = np.array([0] * 7 + [1] * 13)
    found = first_share(codes, None, sized(*[50] * 20))
    expected = (1 - 20 / 50) * np.var(codes, ddof=1) / 20
    assert found.standard_error**2 == pytest.approx(expected, rel=1e-12)


def test_a_huge_population_changes_nothing():
    codes = np.array([0] * 7 + [1] * 13)
    design = SurveyDesign(weights=np.linspace(1, 2, 20), strata=np.arange(20) % 2)
    huge = SurveyDesign(weights=design.weights, strata=design.strata, populations=np.full(20, 1e12))
    for table in (None, COIN, spread(2, 0.2)):
        one, other = (first_share(codes, table, each) for each in (design, huge))
        assert other.standard_error == pytest.approx(one.standard_error, rel=1e-9)
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-9)


def test_the_part_of_the_randomisation_is_the_covariance_given_the_answers():
    """For products of scores of two private questions and a non-private one, by enumeration."""
    r = np.random.default_rng(1)
    tables = (spread(2, 0.4), spread(3, 0.6), None)
    shape, people = (2, 3, 2), [(0, 2, 1), (1, 1, 0), (1, 0, 1), (0, 2, 0)]
    deviations = r.normal(size=(12, 4))
    cells = np.zeros(shape)
    for person in people:
        cells[person] += 1 / 16
    turned = tuple(None if table is None else table.T for table in tables)
    correction = FiniteCorrection(
        fractions=np.ones(1),
        tables=tables,
        shape=shape,
        reports=contract(cells, turned).ravel(),
        answers=cells.ravel(),
    )
    expected = np.zeros((4, 4))
    for one, two, three in people:
        chances = np.zeros(shape)
        chances[:, :, three] = np.outer(tables[0][one], tables[1][two])
        chance = chances.ravel()
        mean = chance @ deviations
        expected += ((deviations.T * chance) @ deviations - np.outer(mean, mean)) / 16
    assert correction.noise(deviations) == pytest.approx(expected, abs=1e-14)


def test_tables_groups_and_correlations_shrink_between_their_two_parts():
    """Between the randomisation alone (everyone was asked) and no correction."""
    r = np.random.default_rng(2)
    smokes, drinks = (
        replace(
            column(name, YES_NO, r.integers(0, 2, 300), table, values=[1.0, 0.0]),
            report_names=YES_NO,
        )
        for name, table in (("smokes", spread(2, 0.7)), ("drinks", COIN))
    )

    def errors(design):
        table = crosstab([smokes, drinks], design)
        groups = compare(smokes, drinks, design)
        return np.array([
            *(cell.standard_error for cell in table.cells),
            groups.groups[0].figure.standard_error,
            pearson_correlation(smokes, drinks, design).figure.standard_error,
        ])  # fmt: skip

    half, everyone, none = (errors(sized(*[n] * 300)) for n in (600, 300, 1e12))
    assert np.all(everyone < half)
    assert np.all(half < none)
    # The squares are linear in the sampling fraction.
    assert half**2 == pytest.approx((everyone**2 + none**2) / 2, rel=1e-9)


# --- coverage


def coverage(n, population, table):
    """The coverage of the interval of a share, for each number of people with the answer."""
    intervals = [
        first_share([0] * yes + [1] * (n - yes), table, sized(*[population] * n))
        for yes in range(n + 1)
    ]
    covered = []
    for people in range(population + 1):
        chances = np.zeros(n + 1)
        for sampled, chance in enumerate(hypergeom(population, people, n).pmf(np.arange(n + 1))):
            if chance < 1e-14:
                continue
            if table is None:
                chances[sampled] += chance
                continue
            from_yes = binom(sampled, table[0, 0]).pmf(np.arange(sampled + 1))
            from_no = binom(n - sampled, table[1, 0]).pmf(np.arange(n - sampled + 1))
            chances += chance * np.convolve(from_yes, from_no)
        share = people / population
        covered.append(sum(
            chance for chance, figure in zip(chances, intervals, strict=True)
            if figure.low - 1e-12 <= share <= figure.high + 1e-12
        ))  # fmt: skip
    return np.array(covered)


@pytest.mark.parametrize(
    ("n", "population", "kept", "least"),
    # By exact enumeration: the numbers are the minima over all shares, rounded down.
    [
        (10, 12, 0.5, 0.98), (20, 20, 0.5, 0.976), (20, 40, 0.5, 0.981),
        pytest.param(50, 60, 0.5, 0.971, marks=pytest.mark.slow),
        (10, 12, 0.8, 0.983), (20, 40, 0.8, 0.971),
        pytest.param(50, 60, 0.8, 0.955, marks=pytest.mark.slow),
        pytest.param(100, 120, 0.8, 0.959, marks=pytest.mark.slow),
        (10, 12, None, 0.99), (20, 40, None, 0.974), (50, 60, None, 0.967), (100, 120, None, 0.959),
    ],
)  # fmt: skip
def test_the_interval_of_a_share_covers_it(n, population, kept, least):
    assert coverage(n, population, None if kept is None else spread(2, kept)).min() >= least


# --- refusals


def test_sizes_that_cannot_be_right_are_refused():
    asked = column("y", YES_NO, np.arange(12) % 2, COIN)
    with pytest.raises(UnanswerableQuestion, match="12 responses but a population of 11"):
        list(design_estimates([asked], sized(*[11] * 12)))
    several = sized(*[20] * 6, *[21] * 6)
    with pytest.raises(UnanswerableQuestion, match="the population sizes 20 and 21"):
        list(design_estimates([asked], several))
    strata = np.repeat(["north", "south"], 6)
    with pytest.raises(UnanswerableQuestion, match="Stratum “south” has 6 responses but"):
        list(design_estimates([asked], sized(*[20] * 6, *[5] * 6, strata=strata)))
    assert list(design_estimates([asked], sized(*[20] * 6, *[21] * 6, strata=strata)))
    clusters = SurveyDesign(clusters=np.arange(12) // 2, populations=np.full(12, 50.0))
    with pytest.raises(UnanswerableQuestion, match="not of clusters"):
        list(design_estimates([asked], clusters))
    with pytest.raises(UnanswerableQuestion, match="The populations need one value for each"):
        list(design_estimates([asked], sized(20)))


def test_nothing_is_random_if_everyone_answered_without_randomisation():
    with pytest.raises(UnanswerableQuestion, match="nothing is random"):
        first_share(np.arange(12) % 2, None, sized(*[12] * 12))


def test_analyses_without_the_correction_refuse_the_sizes():
    outcome = column("y", YES_NO, np.arange(30) % 2, COIN)
    group = column("g", YES_NO, np.arange(30) // 3 % 2)
    design = sized(*[40] * 30)
    for analysis in (
        lambda: regress(outcome, [group], design=design),
        lambda: build_decision_tree(outcome, [group], design),
        lambda: complete_case_sample([outcome], design),
    ):
        with pytest.raises(UnanswerableQuestion, match="no finite population correction"):
            analysis()


def test_reports_of_bits_have_no_table():
    group = column("g", YES_NO, np.arange(30) // 3 % 2)
    bits = replace(column("y", YES_NO, np.arange(30) % 2, COIN), all_listed=False)
    with pytest.raises(UnanswerableQuestion, match="its reports have no single table"):
        compare(bits, group, sized(*[40] * 30))
    # A table of all estimates has this one without the correction, and says so.
    found = list(design_estimates([bits, group], sized(*[40] * 30)))
    assert [each.corrected for each in found] == [False, False, True, True]
    simple = SurveyDesign(strata=np.zeros(30))
    assert found[0].figure.standard_error == pytest.approx(
        next(iter(design_estimates([bits], simple))).figure.standard_error, rel=1e-12
    )
