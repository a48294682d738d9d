"""Firth's regression: published figures, independent profiles, and verdicts that agree."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import chi2

from bench.interval_coverage.regressions import NO_SLOPES, SLOPES, Cell, Surveys, simulate
from survey.analysis.regression import regression
from tests.support.blocks import remarked
from tests.support.regressed import (
    COIN,
    YES_NO,
    Data,
    column,
    half_log_determinant,
    jeffreys,
    logistic,
    maximum,
    numbers,
    regress_penalised,
    reports,
    spread,
)

pytestmark = pytest.mark.fast

# Urinary tract infection in college women, as in the manual of LogXact and the R package logistf:
# age, oc, vic, vicl, vis, dia; cases and controls with these values.
SEX2 = """
111110 0 2  111000 3 1  110010 0 1  110000 5 14  101111 1 0  101110 0 4  101100 1 2  101011 1 0
101010 1 0  101000 2 0  011110 3 6  011100 7 5  011010 2 0  011001 1 0  011000 15 1  010010 0 1
010001 3 0  010000 44 42  001111 1 0  001110 12 18  001100 10 8  001010 3 1  001000 14 2
000010 1 1
"""
SEX2_NAMES = ("age", "oc", "vic", "vicl", "vis", "dia")
# From the documentation of logistf: coefficient, standard error, 95 % profile interval, p. It stops
# earlier than Candor, where the sixth digit of the least certain coefficient may still change.
SEX2_PUBLISHED = {
    "constant": (0.12025405, 0.4763429, -0.8185591, 1.0731512, 8.020268e-01),
    "age": (-1.10598131, 0.4149021, -1.9737884, -0.3074251, 6.143472e-03),
    "oc": (-0.06881673, 0.4344026, -0.9414363, 0.7892020, 8.751911e-01),
    "vic": (2.26887464, 0.5384872, 1.2730216, 3.4354327, 1.678877e-06),
    "vicl": (-2.11140817, 0.5320395, -3.2608611, -1.1177350, 1.237805e-05),
    "vis": (-0.78831694, 0.4089620, -1.6080879, 0.0151847, 5.449701e-02),
    "dia": (3.09601166, 1.5052197, 0.7745682, 8.0302935, 4.951873e-03),
}
# Heinze & Schemper, Stat. Med. 21 (2002) 2409: histology of the endometrium (HG), with
# neovascularisation (NV), pulsatility (PI) and height (EH). NV separates.
ENDOMETRIAL = """
0 13 1.64 0  0 16 2.26 0  0 8 3.14 0  0 34 2.68 0  0 20 1.28 0  0 5 2.31 0  0 17 1.8 0
0 10 1.68 0  0 26 1.56 0  0 17 2.31 0  0 8 2.01 0  0 7 1.89 0  0 20 3.15 0  0 10 1.23 0
0 18 1.27 0  0 16 1.76 0  0 18 2 0  0 8 2.64 1  0 29 0.88 1  0 12 1.27 1  0 20 1.37 1
1 38 0.97 1  1 22 1.14 1  1 7 0.88 1  1 25 0.91 1  1 15 0.58 1  0 7 0.97 1  0 28 1.5 0
0 11 1.33 0  0 19 2.37 0  0 10 1.82 0  0 10 3.13 0  0 18 1.31 0  0 14 1.92 0  0 21 1.64 0
0 11 2.01 0  0 17 1.88 0  0 25 1.93 0  0 16 2.11 0  0 19 1.29 0  0 15 1.72 0  0 33 0.75 0
0 24 1.92 0  0 48 1.84 1  0 12 1.11 1  0 19 1.61 1  0 2 1.18 1  1 22 1.44 1  1 40 1.18 1
1 5 0.93 1  1 0 1.17 1  0 21 1.19 1  0 15 1.06 1  0 29 2.02 0  0 15 2.29 0  0 12 2.33 0
0 3 2.9 0  0 20 1.7 0  0 23 1.41 0  0 12 2.25 0  0 22 1.54 0  0 42 1.97 0  0 15 1.75 0
0 13 2.16 0  0 14 2.57 0  0 19 1.37 0  0 12 3.61 0  0 13 2.04 0  0 10 2.17 0  0 12 1.69 1
1 49 0.27 1  0 6 1.84 1  0 5 1.3 1  0 17 0.96 1  1 11 1.01 1  1 21 0.98 1  0 5 0.35 1
1 19 1.02 1  0 33 0.85 1
"""
ENDOMETRIAL_PUBLISHED = {
    "constant": (3.77455951, 1.0825371, 7.2092805),
    "NV": (2.92927330, 0.6097244, 7.8546317),
    "PI": (-0.03475175, -0.1244587, 0.0404555),
    "EH": (-2.60416387, -4.3651832, -1.2327211),
}


def sex2():
    cells = SEX2.split()
    rows = []
    for values, cases, controls in zip(cells[::3], cells[1::3], cells[2::3], strict=True):
        row = [int(digit) for digit in values]
        rows += [[0, *row]] * int(cases) + [[1, *row]] * int(controls)
    return np.array(rows)


def test_it_agrees_with_the_published_figures_of_logistf():
    table = sex2()
    assert len(table) == 239
    predictors = [numbers(name, table[:, j + 1]) for j, name in enumerate(SEX2_NAMES)]
    found = regress_penalised(column("case", YES_NO, table[:, 0]), predictors)
    for row in found.coefficients:
        value, error, low, high, p = SEX2_PUBLISHED[row.name]
        assert row.value == pytest.approx(value, abs=1e-6)
        assert row.error == pytest.approx(error, abs=2e-6)
        assert (row.low, row.high) == pytest.approx((low, high), abs=1e-6)
        assert row.p == pytest.approx(p, rel=1e-5)
    assert found.tests[-1].statistic == pytest.approx(49.09064, abs=1e-5)
    assert found.tests[-1].p == pytest.approx(7.15089e-09, rel=1e-5)
    assert found.intervals == "profile likelihood"
    # All but one of the users of a diaphragm were cases.
    (remark,) = remarked(found)
    assert remark.startswith(
        "The data contain little information about these coefficients: “dia” (weakly identified)."
    )


def test_it_agrees_with_the_published_figures_where_the_maximum_is_infinite():
    rows = np.array(ENDOMETRIAL.split(), dtype=float).reshape(-1, 4)
    assert len(rows) == 79
    predictors = [numbers(name, rows[:, j]) for j, name in enumerate(("NV", "PI", "EH"))]
    found = regress_penalised(column("HG", YES_NO, 1 - rows[:, 3].astype(int)), predictors)
    for row in found.coefficients:
        value, low, high = ENDOMETRIAL_PUBLISHED[row.name]
        assert (row.value, row.low, row.high) == pytest.approx((value, low, high), abs=1e-6)


# --- profiles, by other methods


def two_columns(seed, kept, n=150):
    """A number and a group, and the reports on a rare trait."""
    r = np.random.default_rng(seed)
    x, group = np.round(r.normal(size=n), 1), r.integers(0, 2, n)
    y = (r.random(n) > logistic(-2 + 0.7 * x + 0.5 * (group == 0))).astype(int)
    table = spread(2, kept)
    codes = reports(r, table, y)
    design = np.column_stack([np.ones(n), x, group == 0]).astype(float)
    outcome = column("y", YES_NO, codes, None if kept == 1 else table)
    return design, table, outcome, [numbers("x", x), column("group", "ab", group)]


def height_above(value: float, profile: Callable[[float], float], least: float) -> float:
    """The height of a profile at a value, above the height at the ends of the interval."""
    return profile(value) - least


def profile_of(design, table, codes, place, less_penalised=False):
    """The highest penalised likelihood with one coefficient fixed.

    If it is less penalised, the penalty has the log-determinant of the Schur complement (the
    information about the slopes if the constant is unknown), and a quarter of the constant's.
    """
    others = [j for j in range(design.shape[1]) if j != place]

    def at(value, start=None):
        def height(b):
            whole = np.zeros(design.shape[1], dtype=b.dtype)
            whole[others], whole[place] = b, value
            yes = logistic(design @ whole)
            reported = np.log(yes * table[0, codes] + (1 - yes) * table[1, codes]).sum()
            if less_penalised:
                dense = yes * (1 - yes)
                apart = design[:, 1:] - dense @ design[:, 1:] / dense.sum()
                of_slopes = half_log_determinant(apart.T @ (dense[:, np.newaxis] * apart))
                return reported + of_slopes + np.log(dense.sum()) / 8
            return reported + jeffreys(design, yes[:, np.newaxis])

        return height(maximum(height, len(others), start))

    return at


@pytest.mark.parametrize(("seed", "kept"), [(1, 1.0), (2, 1.0), (3, 0.6), (4, 0.6), (5, 0.4)])
def test_intervals_and_p_values_are_those_of_the_profile(monkeypatch, seed, kept):
    """Without Bartlett's correction, which test_bartlett_correction.py has."""
    monkeypatch.setattr(regression, "can_be_corrected", lambda *_: False)
    design, table, outcome, predictors = two_columns(seed, kept)
    found = regress_penalised(outcome, predictors)
    assert found.coefficients[0].name == "constant"
    for place, row in enumerate(found.coefficients):
        # The constant of a private outcome has less penalty, and its maximum is not the estimate.
        less = kept < 1 and row.name == "constant"
        at = profile_of(design, table, outcome.reports, place, less)
        highest = at(row.value)
        if less:
            top = minimize_scalar(lambda b, at=at: -at(b), (row.low, row.value, row.high))
            highest = -top.fun
            assert row.low < top.x < row.value
        assert 2 * (highest - at(0.0)) == pytest.approx(chi2.isf(row.p, 1), abs=1e-6)
        fall = chi2.ppf(0.95, 1) / 2
        width = row.high - row.low
        for end in (row.low, row.high):
            low, high = sorted((end - 0.02 * width, end + 0.02 * width))
            exact = brentq(height_above, low, high, args=(at, highest - fall), xtol=1e-9)
            assert end == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("surveys", "least"), [(9, 3), pytest.param(60, 25, marks=pytest.mark.slow)]
)
def test_there_is_one_verdict_for_each_coefficient(surveys, least):
    """Surveys with few reports: the interval excludes 0 if and only if p is below 0.05."""
    excluded = 0
    for seed in range(surveys):
        _, _, outcome, predictors = two_columns(seed, (1.0, 0.6, 0.4)[seed % 3], n=100)
        found = regress_penalised(outcome, predictors)
        for row in found.coefficients:
            assert np.isfinite([row.value, row.error, row.low, row.high, row.p]).all()
            assert row.low < row.value < row.high
            assert (row.low > 0 or row.high < 0) == (row.p < 0.05)
            excluded += row.p < 0.05
        for test, row in zip(found.tests[:2], found.coefficients[1:], strict=True):
            assert test.p == pytest.approx(row.p, abs=1e-9)
        # The sign of an effect is that of its coefficient, and so is the verdict.
        effects = [effect for effect in found.effects if effect.answer == "Yes"]
        for effect, row in zip(effects, found.coefficients[1:], strict=True):
            assert effect.low <= effect.value <= effect.high
            assert (effect.low > 0 or effect.high < 0) == (row.p < 0.05)
    assert excluded > least


@pytest.mark.slow
@pytest.mark.parametrize("slopes", [SLOPES, NO_SLOPES])
def test_intervals_cover_the_true_coefficients_of_a_rare_trait(slopes):
    """A smaller version of docs/evidence/regression.md, with 200 responses.

    If the coverage is 0.95, its standard error is 0.011 with 400 surveys. One of three is then
    outside 0.91 to 0.99 in less than 0.1 % of seeds. Likelihood-ratio intervals without the penalty
    cover the coefficient of the number in 0.83 to 0.89 of such surveys.
    """
    result = simulate(Cell(200, "1", 0.1, slopes), 400, 3)
    assert result.covered.min() >= 0.91
    assert result.covered.max() <= 0.995
    candor = result.by_candor
    assert candor.infinite == candor.contradictions == candor.differences == 0
    # The reports contain little information about the group, and its interval was too long.
    assert result.covered[1] < result.uncorrected[1]


@pytest.mark.slow
def test_the_interval_covers_the_constant_of_a_rare_trait():
    """600 surveys of 100 responses, with a prevalence of 5 %.

    If the coverage is 0.95, its standard error is 0.009, and it is outside 0.93 to 0.97 in 2.5 % of
    seeds. With the whole penalty of the constant, it is 0.907.
    """
    covered, _, whole_penalty = Surveys(Cell(100, "1", 0.05), 600).covered()
    assert 0.93 <= covered[:, 0].mean() <= 0.97
    assert whole_penalty.mean() < 0.92


@pytest.mark.parametrize("heavy_tails", [False, True])
def test_simulated_surveys_have_the_stated_prevalence(heavy_tails):
    """200,000 reports. The standard error of their share of Yes is 0.0011."""
    cell = Cell(100, "ln 3", 0.1, heavy_tails=heavy_tails)
    surveys = Surveys(cell, 2_000)
    assert surveys.yes.mean() == pytest.approx(0.1 * 0.75 + 0.9 * 0.25, abs=0.005)
    assert (np.abs(surveys.number).max() > 10) == heavy_tails


# --- where the reports have no maximum


def test_a_group_in_which_everybody_says_yes_has_a_finite_answer():
    data = Data()
    y = np.where(data.region == 2, 0, data.y)
    found = regress_penalised(column("y", YES_NO, y), data.plain)
    south = found.coefficients[-1]
    assert south.name == "region: S"
    assert 0 < south.low < south.value < south.high < 20
    assert "“region ‘S’”" in remarked(found)[-1]


def test_a_group_with_fewer_reports_than_chance_makes_has_a_finite_answer():
    """In the south one in ten reports Yes; the coin alone would give one in four."""
    data = Data()
    codes = reports(data.r, COIN, data.y)
    south = np.flatnonzero(data.region == 2)
    codes[south] = (np.arange(len(south)) % 10 > 0).astype(int)
    found = regress_penalised(column("y", YES_NO, codes, COIN), data.plain)
    row = found.coefficients[-1]
    assert -20 < row.low < row.value < 0
    assert "“region ‘S’”" in remarked(found)[-1]
    # The test without the region needs no maximum either.
    assert {test.name for test in found.tests} == {"x", "age", "region", "all predictors"}


def test_an_answer_that_nobody_seems_to_have_given_has_a_finite_logit():
    """Counts 412, 301, 155, 92, 40 by forced response: the last share is estimated at -0.0154."""
    table = 0.65 * np.eye(5) + np.array([0.1, 0.1, 0.05, 0.05, 0.05])
    codes = np.repeat(np.arange(5), [412, 301, 155, 92, 40])
    x = column("x", "ab", np.arange(1_000) % 2)
    found = regress_penalised(column("q", "abcde", codes, table), [x])
    last = [row for row in found.coefficients if row.equation == "e"]
    assert all(-20 < row.low < row.high < 20 for row in last)
    assert "e: constant" in remarked(found)[0]


@pytest.mark.parametrize(
    "counts", [(0, 4, 10), pytest.param(range(0, 11, 2), marks=pytest.mark.slow)]
)
def test_with_twenty_responses_there_is_an_answer(counts):
    """Some or all even numbers of reports of Yes in two groups of ten, by symmetric coins."""
    group = column("group", "ab", np.repeat([0, 1], 10))
    for one in counts:
        for other in counts:
            codes = np.concatenate([np.arange(10) >= one, np.arange(10) >= other]).astype(int)
            found = regress_penalised(column("y", YES_NO, codes, COIN), [group])
            rows = found.coefficients
            assert np.isfinite([(r.value, r.error, r.low, r.high, r.p) for r in rows]).all()
            # Twenty coins alone say little.
            assert rows[1].low < 0 < rows[1].high or abs(one - other) >= 6
