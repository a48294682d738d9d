"""Means behind scrambled reports: R's package RRTCS, closed forms, enumeration, and coverage."""

import csv
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from survey.analysis import SurveyDesign
from survey.analysis.scrambled_reports import Scrambling, mean_behind_reports
from survey.core.errors import UnanswerableQuestion
from tests.support.analysed import COIN, column, plain

pytestmark = pytest.mark.fast

DATA = Path(__file__).parent / "published" / "scrambled.csv"
SAHA = Scrambling(0, 1.5, 1.5 * 5.5)
DIANA_PERRI = Scrambling(0.6, 5 / 3, 25 / 9)
ERIKSSON = Scrambling(0.5, 0, 3.4)
EICHHORN_HAYRE = Scrambling(0, 1.111111, 0)


def numbers(reports, special_answers=0):
    """A column with a number for each response."""
    return plain(
        np.arange(len(reports)), len(reports), values=reports, special_answers=special_answers
    )


def data_set(name):
    """The reports, weights and strata of a data set of RRTCS."""
    with DATA.open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["design"] == name]
    weights = np.array([float(row["weight"]) for row in rows])
    strata = np.unique([row["stratum"] for row in rows], return_inverse=True)[1]
    return np.array([float(row["z"]) for row in rows]), weights, strata


@pytest.mark.parametrize(
    ("name", "scrambling", "estimate", "variance"),
    [
        ("Saha", SAHA, 6.18567785900288, 0.948593340148609),
        ("DianaPerri1", DIANA_PERRI, 6411.93979442949, 1776274.04324287),
    ],
)
def test_rrtcs_has_the_same_mean_and_variance(name, scrambling, estimate, variance):
    """For samples with replacement. RRTCS uses the normal distribution for intervals."""
    reports, weights, _ = data_set(name)
    found = mean_behind_reports(numbers(reports), scrambling, SurveyDesign(weights=weights))
    assert found.figure.value == pytest.approx(estimate, rel=1e-12)
    assert found.figure.standard_error**2 == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "scrambling", "people", "estimate"),
    [
        ("Eriksson", ERIKSSON, 53376, 4.44307034748967),
        ("EichhornHayre", EICHHORN_HAYRE, 1500, 38048.7914236707),
    ],
)
def test_stratified_samples_of_rrtcs(name, scrambling, people, estimate):
    """RRTCS divides by the number of people, and Candor by the sum of weights."""
    reports, weights, strata = data_set(name)
    found = mean_behind_reports(
        numbers(reports), scrambling, SurveyDesign(weights=weights, strata=strata)
    )
    assert found.figure.value * weights.sum() / people == pytest.approx(estimate, rel=1e-12)
    scores = (reports - scrambling.shift) / scrambling.slope
    variance = 0.0
    for stratum in range(strata.max() + 1):
        inside = strata == stratum
        # Weights are the same in each stratum, so this is the textbook variance.
        assert np.ptp(weights[inside]) < 1e-9 * weights[inside][0]
        share = weights[inside].sum() / weights.sum()
        variance += share**2 * scores[inside].var(ddof=1) / inside.sum()
    assert found.figure.standard_error**2 == pytest.approx(variance, rel=1e-9)


def test_the_score_is_unbiased_for_every_answer():
    """All outcomes of a rule, weighted by their probabilities. Its random numbers are dependent."""
    for answer in (-2.0, 0.0, 7.0):
        outcomes = [(answer, 0.25)] + [
            (factor * answer + factor * added, 0.75 * chance / 2)
            for (factor, chance), added in product(((1, 0.5), (-3, 0.1), (4, 0.4)), (2, 5))
        ]
        reports, chances = map(np.array, zip(*outcomes, strict=True))
        mean_factor = 0.5 - 0.3 + 1.6
        rule = Scrambling(0.25, mean_factor, mean_factor * 3.5)
        found = mean_behind_reports(numbers(reports), rule, SurveyDesign(weights=chances))
        assert found.figure.value == pytest.approx(answer, abs=1e-12)


def test_intervals_cover_the_mean_of_the_answers():
    """Diana & Perri's first design with clusters: 2,000 surveys, of which 95 % should be covered.

    The answers of a cluster are alike. Three standard errors of a share of 2,000 are 1.5 points.
    """
    generator = np.random.default_rng(45)
    clusters = np.repeat(np.arange(40), 3)
    blank, covered = numbers(np.zeros(120)), 0
    for _ in range(2_000):
        answers = np.repeat(generator.gamma(4, 1, 40), 3) + generator.gamma(4, 1, 120)
        factors, added = generator.uniform(1, 2, 120), generator.uniform(0, 4, 120)
        scrambled = factors * (answers + added)
        reports = np.where(generator.random(120) < 0.3, answers, scrambled)
        found = mean_behind_reports(
            replace(blank, values=reports), Scrambling(0.3, 1.5, 3), SurveyDesign(clusters=clusters)
        )
        covered += found.figure.low <= 8 <= found.figure.high
    assert covered / 2_000 == pytest.approx(0.95, abs=0.015)


def test_special_answers_and_population_sizes_change_nothing():
    reports = np.array([3.0, 8, 1, 0, 8, 3])
    alone = mean_behind_reports(numbers(reports), ERIKSSON, SurveyDesign())
    more = numbers(np.append(reports, np.nan), special_answers=1)
    found = mean_behind_reports(more, ERIKSSON, SurveyDesign(populations=np.full(7, 10)))
    assert (found.n, found.figure, found.corrected) == (6, alone.figure, False)


@pytest.mark.parametrize(
    ("reported", "scrambling", "fault"),
    [
        (column([0, 1] * 5, COIN, values=[0, 1]), SAHA, "is not a non-private number"),
        (plain([0, 1] * 5, 2), SAHA, "is not a non-private number"),
        (numbers(np.arange(10.0)), Scrambling(0, 0, 3), "does not depend on the answers"),
        (numbers(np.arange(10.0)), Scrambling(1 / 3, -0.5, 3), "does not depend on the answers"),
        (plain([1] * 10, 2, values=[0, 1]), SAHA, "are the same"),
        (numbers(np.arange(4.0)), SAHA, "at least 5"),
    ],
)
def test_refusals(reported, scrambling, fault):
    with pytest.raises(UnanswerableQuestion, match=fault):
        mean_behind_reports(reported, scrambling, SurveyDesign())
