"""The surveys of the demo: their estimates are near the truth that they are drawn from."""

import json
import re
from collections import Counter

import numpy as np
import pytest

from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.tables.crosstabs import crosstab
from survey.central_dp.bounded_sums import count_answers
from survey.central_dp.noisy_sums import noises_of
from survey.cli import greeting
from survey.definition.frozen import freeze
from survey.estimation.build_results import survey_results
from survey.web.demo import (
    CURATORS,
    DEPRESSION,
    DEPRESSION_RESPONDENTS,
    HEALTH_SLUG,
    OPEN_SLUG,
    SEED,
    YEARS,
    add_demo,
    depression_answers,
    draw_phq9,
)
from survey.web.titanic_people import titanic_groups


def test_the_demo_is_two_open_surveys_and_nine_simulated_ones(run, store, settings):
    add_demo(store)
    assert run("survey", "list").splitlines() == [
        "smoking-and-exams: open, 0 responses, epsilon 2.49",
        "health-habits: open, 0 responses, epsilon 4.00 + 2 non-private questions",
        "smoking-and-exams-simulated: closed, simulated, 2000 responses, epsilon 2.49",
        "health-habits-simulated: closed, simulated, 5000 responses, epsilon 4.00 + 2 "
        "non-private questions",
        "thai-weights: closed, simulated, 10000 responses, epsilon 2.00",
        "vietnamese-smokers: closed, simulated, 10000 responses, epsilon 1.00",
        "thai-weights-curator: closed, simulated, 1000 responses, not protected",
        "vietnamese-smokers-curator: closed, simulated, 10000 responses, not protected",
        "drinking-and-driving: closed, simulated, 3000 responses, epsilon 2.20",
        "depression-scores: closed, simulated, 3000 responses, epsilon 2.00 + 1 non-private "
        "question",
        "titanic: closed, simulated, 2201 responses, epsilon 1.10 + 4 non-private questions",
    ]
    text = greeting(store, settings, "token")
    for slug in (OPEN_SLUG, HEALTH_SLUG):
        assert f"http://127.0.0.1:8000/s/{slug}\n" in text
    assert "simulated" not in text
    assert "http://127.0.0.1:8000/admin/setup?token=token" in text
    assert "Warning" not in text


def test_the_demos_estimates_are_near_the_truth_they_are_drawn_from(run, store):
    """The demo contains its seed, so the draws are the same each time.

    Each interval has a probability of 95 %, and here all of them contain the truth.
    """
    add_demo(store)
    smokers = json.loads(run("analyse", "estimate", "vietnamese-smokers", "--json"))["questions"][0]
    assert_holds(smokers["estimates"][0], 0.225)
    weight = json.loads(run("analyse", "estimate", "thai-weights", "--json"))["questions"][0]
    assert_holds(next(e for e in weight["estimates"] if e["measure"] == "mean"), 62.5)
    deviation = next(e for e in weight["estimates"] if e["measure"] == "deviation")
    assert 8 < deviation["estimate"] < 14
    score = json.loads(run("analyse", "estimate", "depression-scores", "--json"))["questions"][-1]
    assert_holds(score["estimates"][0], 0.232)
    # At ε = 2, the variance of a share is at most 0.431 / n. The estimate divides by n - 1.
    assert score["estimates"][0]["standard_error"] <= (0.431 / 2_999) ** 0.5


def test_the_demo_of_two_habits_has_its_shares_and_cross_table(store):
    """Four intervals of 95 % that all hold the truth, for the seed of the demo."""
    add_demo(store)
    stored = store.surveys.by_slug("drinking-and-driving")
    rows = list(store.responses.rows(stored.survey.slug))
    counts = {"habits": Counter(report for (report,) in rows)}
    habits = survey_results(freeze(stored.survey), counts, "simulated").questions[-1]
    for item, true in zip(habits.items, (0.4, 0.15), strict=True):
        assert item.answers[0].low < true < item.answers[0].high
    columns, _ = columns_and_design(stored.survey, rows, ["habits/drunk", "habits/drove"])
    table = crosstab(columns)
    for cell, true in ((0, 0.3), (2, 0.05)):
        share = table.of_row[cell]
        assert share is not None and share.low < true < share.high
    # The odds ratio is (0.3 / 0.7) / (0.05 / 0.95).
    (ratio,) = table.odds_ratios
    assert ratio is not None and ratio.low < 8.14 < ratio.high


def test_the_scores_of_the_demo_are_those_of_correlated_items():
    """The introduction states the true share, and the published α is 0.89."""
    generator = np.random.default_rng(SEED)
    years = generator.choice(len(YEARS), size=DEPRESSION_RESPONDENTS, p=list(YEARS.values()))
    points = draw_phq9(years, generator)
    assert points.shape == (DEPRESSION_RESPONDENTS, 9)
    assert set(np.unique(points)) == {0, 1, 2, 3}
    scores = points.sum(axis=1)
    answers = depression_answers(np.random.default_rng(SEED))
    assert np.array_equal(answers["phq9_10_or_more"] == 0, scores >= 10)
    share = f"{100 * np.mean(scores >= 10):.1f} %"
    assert share in DEPRESSION["introduction"]
    alpha = 9 / 8 * (1 - points.var(axis=0).sum() / scores.var())
    assert alpha == pytest.approx(0.89, abs=0.01)


def test_the_demos_of_a_curator_have_a_release_with_noise_within_a_budget(store):
    """The drawn values are stored, and they are near the sums of the simulated answers."""
    add_demo(store)
    for demo, within in zip(CURATORS, (3, 3_595), strict=True):
        slug = demo.definition["slug"]
        stored = store.surveys.by_slug(slug)
        [release] = store.releases.ledger(slug)
        answers = count_answers(stored.survey, release.request, store.responses.rows(slug))
        [noise] = noises_of(stored.survey, release.request, release.n)
        assert noise.within == within
        [total] = noise.part.sum_of(answers)
        # The draws keep the bound that holds with a probability of 95 %, and are not the sums.
        assert 0 < abs(release.drawn[0][0] - total) <= within
        assert store.releases.budget(slug) == demo.budget


def test_the_titanic_of_the_demo_has_its_people_and_a_tree_either_way(run, store):
    """Each group has its numbers of the table, and both trees split by sex first.

    The reports are drawn with a seed, so they are the same each time. Of 711 survivors and 1,490
    others, 3/4 and 1/4 report Yes, 905.75 on average with a standard deviation of 20.3. Here the
    number is within two of these, and the interval of the estimate contains the true share.
    """
    add_demo(store)
    rows = [tuple(map(int, row)) for row in store.responses.rows("titanic")]
    # Rows of the database are in no order. Yes is 0.
    people = Counter(row[:4] for row in rows)
    expected = Counter(
        {(*who, fate): many for who, fates in titanic_groups() for fate, many in enumerate(fates)}
    )
    assert people == +expected
    assert abs(sum(row[4] == 0 for row in rows) - 905.75) < 2 * 20.3
    coins = json.loads(run("analyse", "estimate", "titanic", "--json"))["questions"][-1]
    assert_holds(next(e for e in coins["estimates"] if e["answer"] == "yes"), 711 / 2201)
    for target in ("survived", "survived_by_coins"):
        predictors = [f"--predictors={each}" for each in ("class", "sex", "age")]
        grown = run("analyse", "tree", "titanic", "--target", target, *predictors)
        assert re.search(r"All respondents +Sex +100\.0 % .* 0\.1\d\d +0\.\d\d\d +below 0", grown)


def assert_holds(estimate, truth):
    assert estimate["low"] <= truth <= estimate["high"]
