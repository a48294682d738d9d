"""Weights from known totals: closed forms, and coverage."""

import itertools
import math
import random
import re

import numpy as np
import pytest
from scipy.stats import binom

from survey.core.errors import UnanswerableQuestion
from survey.definition.frozen import freeze
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results, survey_results
from survey.estimation.manipulation import moved_at_most
from survey.estimation.poststratification import (
    groups_of,
    weighing_questions,
    weighted_question,
    weighted_results,
)
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_reports
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, TRUTH

AGE = {
    "name": "age",
    "type": "select_one",
    "label": "How old are you?",
    "choices": [{"name": "young", "label": "Under 40"}, {"name": "old", "label": "40 or over"}],
    "privacy": "none",
}
SMOKES = definition(AGE, yes_no())


def respondents(store, slug, rows, first=0):
    for number, reports in enumerate(rows, first):
        store.responses.add_response(slug, Response(number.to_bytes(16), reports))


# 6 of 8 young respondents say Yes, and 1 of 4 old ones.
ROWS = [(0, 0)] * 6 + [(0, 1)] * 2 + [(1, 0)] + [(1, 1)] * 3


@pytest.fixture
def filled(store):
    opened(store, SMOKES)
    respondents(store, "health", ROWS)
    return store


def weighted(store, totals, slug="health"):
    found = store.surveys.by_slug(slug)
    by = weighing_questions(found.survey)[0]
    results = survey_results(found.frozen, store.counts.by_question(slug), "browser")
    return weighted_results(results, by, groups_of(by, totals, store.counts.by_group(slug, by)))


# --- counts within groups


@pytest.mark.both_stores
def test_counts_within_groups_add_up_to_the_counts(store):
    """For every type of question, in groups of a non-private one."""
    survey = opened(store, EVERY_TYPE, "closed").survey
    columns = simulate_reports(survey, read_truth(TRUTH, survey), 300, np.random.default_rng(1))
    r = random.Random(1)
    batch = [Response(r.randbytes(16), row) for row in zip(*columns, strict=True)]
    store.responses.add_batches(survey.slug, [batch], "simulated")
    counts = store.counts.by_question(survey.slug)
    asked = weighing_questions(survey)
    assert asked
    for by in asked:
        groups = store.counts.by_group(survey.slug, by)
        assert {code: sum(g[by.name].values()) for code, g in groups.items()} == counts[by.name]
        for name, together in counts.items():
            total: dict[int, int] = {}
            for group in groups.values():
                for code, times in group.get(name, {}).items():
                    total[code] = total.get(code, 0) + times
            assert total == together, name


@pytest.mark.both_stores
def test_what_waits_is_in_no_group(store):
    opened(store, SMOKES | {"batch": 10})
    by = parse_survey(SMOKES).questions[0]
    respondents(store, "health", ROWS[:9])
    assert store.counts.by_group("health", by) == {}
    respondents(store, "health", ROWS[9:], first=9)
    found = store.counts.by_group("health", by)
    assert sum(sum(group["age"].values()) for group in found.values()) == 10


# --- weighted estimates


def test_a_weighted_share_is_the_mean_of_the_groups_shares(filled):
    share = weighted(filled, {"young": 30, "old": 70}).questions[1].answers[0]
    young, old = 2 * 6 / 8 - 1 / 2, 2 * 1 / 4 - 1 / 2
    assert share.value == pytest.approx(0.3 * young + 0.7 * old, abs=1e-12)
    # The sample variance of scores of 3/2 and -1/2 is 4 P (1 - P) n / (n - 1).
    variance = 0.3**2 * 4 * 0.75 * 0.25 / 7 + 0.7**2 * 4 * 0.25 * 0.75 / 3
    assert share.standard_error == pytest.approx(math.sqrt(variance), abs=1e-12)
    assert share.observed == pytest.approx(0.3 * 6 / 8 + 0.7 * 1 / 4, abs=1e-12)
    assert share.low == 0
    assert share.high == 1
    assert "0.3" in share.formula.numbers


def test_only_the_proportions_of_the_totals_matter(filled):
    once = weighted(filled, {"young": 30, "old": 70}).questions
    assert weighted(filled, {"young": 3e6, "old": 7e6}).questions == once


def test_the_groups_own_proportions_as_weights_change_no_share(filled):
    """With these weights, the weighted estimate of every answer is the unweighted one."""
    found = filled.surveys.by_slug("health")
    plain = survey_results(found.frozen, filled.counts.by_question("health"), "browser").questions[
        1
    ]
    for before, after in zip(
        plain.answers, weighted(filled, {"young": 8, "old": 4}).questions[1].answers, strict=True
    ):
        assert after.value == pytest.approx(before.value, abs=1e-12)


def test_the_weighing_question_itself_is_no_finding(filled):
    """Its shares are the typed totals. They are not estimated and have no interval."""
    known = weighted(filled, {"young": 30, "old": 70}).questions[0]
    assert known.answers == ()
    assert known.sentence == (
        "These results are weighted by this question. Its shares are the totals that you entered, "
        "not estimates, so they have no interval. Population: Under 40 (30.0 %), 40 or over "
        "(70.0 %)."
    )
    assert known.remark_codes == ["weighting_question"]
    assert known.explanations == ()


def test_a_weighted_estimate_out_of_the_range_keeps_an_interval(store):
    """Nobody reports Yes in either group: unclipped, both ends would be below 0."""
    opened(store, SMOKES)
    respondents(store, "health", [(0, 1)] * 300 + [(1, 1)] * 299 + [(1, 0)])
    share = weighted(store, {"young": 1, "old": 1}).questions[1].answers[0]
    assert share.value + 1.96 * share.standard_error < 0
    assert share.low == 0
    assert 1.959964 * share.standard_error < share.high < 0.01


def test_the_interval_of_a_weighted_mean_has_possible_means_only(store):
    """With few responses and a small ε, the standard errors reach far beyond the range."""
    glasses = {"name": "glasses", "type": "number", "label": "Glasses?", "min": 0, "max": 40,
               "privacy": {"epsilon": 0.5}}  # fmt: skip
    items = [{"name": name, "label": name} for name in "abc"]
    order = {"name": "order", "type": "ranking", "label": "Order?", "choices": items,
             "privacy": {"epsilon": 0.5, "mechanism": "k_randomized_response"}}  # fmt: skip
    opened(store, definition(AGE, glasses, order))
    respondents(store, "health", [(n % 2, n % 11, n % 6) for n in range(16)])
    _, number, ranking = weighted(store, {"young": 1, "old": 1}).questions
    [mean] = number.quantities
    assert mean.value - 1.96 * mean.standard_error < 0
    assert 0 <= mean.low < mean.high <= 40
    assert "−" not in number.sentence
    for rank in ranking.quantities[:3]:
        assert 1 <= rank.low < rank.high <= 3


def test_a_group_of_which_there_are_none_in_the_population_is_left_out(filled):
    share = weighted(filled, {"young": 1, "old": 0}).questions[1].answers[0]
    assert share.value == pytest.approx(1.0, abs=1e-12)
    assert share.n == 8


def test_a_group_with_one_respondent_cannot_be_weighed(store):
    opened(store, SMOKES)
    respondents(store, "health", [(0, 0)] * 3 + [(1, 0)])
    with pytest.raises(UnanswerableQuestion, match=r"Fewer than 2 respondents.*40 or over"):
        weighted(store, {"young": 1, "old": 1})


def test_every_type_of_question_can_be_weighed(store):
    survey = opened(store, EVERY_TYPE, "closed").survey
    columns = simulate_reports(survey, read_truth(TRUTH, survey), 4000, np.random.default_rng(2))
    r = random.Random(2)
    batch = [Response(r.randbytes(16), row) for row in zip(*columns, strict=True)]
    store.responses.add_batches(survey.slug, [batch], "simulated")
    by = weighing_questions(survey)[0]
    found = store.surveys.by_slug(survey.slug)
    plain = survey_results(found.frozen, store.counts.by_question(survey.slug), "simulated")
    totals = {choice.name: 1.0 for choice in by.choices}
    groups = groups_of(by, totals, store.counts.by_group(survey.slug, by))
    result = weighted_results(plain, by, groups)
    for before, after in zip(plain.questions, result.questions, strict=True):
        if before.question == by:
            continue
        assert len(after.answers) == len(before.answers)
        assert [q.name for q in after.quantities] == ["mean"] * bool(before.quantities)
        for answer in after.answers:
            assert math.isfinite(answer.value)
            assert 0 <= answer.low <= answer.high <= 1
            assert 0 <= answer.possible <= 1


@pytest.mark.slow
def test_intervals_hold_the_truth_of_the_population_as_often_as_they_say():
    """2,000 samples of 300 young respondents with 60 % and 100 old ones with 20 %.

    In the population both groups have equal size, so the true share is 40 %. If the coverage is
    94.9 %, fewer than 1,868 of 2,000 intervals at 95 % cover it with probability 1e-3 (normal
    approximation). Unweighted intervals, about 50 %, would almost never cover it.
    """
    survey = freeze(parse_survey(SMOKES)).survey
    by, smokes = survey.questions
    generator = np.random.default_rng(3)
    held = unweighted = 0
    for _ in range(2_000):
        counts = {}
        for code, (n, share) in enumerate([(300, 0.6), (100, 0.2)]):
            yes = int(generator.binomial(n, 0.25 + share / 2))
            counts[code] = {"age": {code: n}, "smokes": {0: yes, 1: n - yes}}
        groups = groups_of(by, {"young": 1.0, "old": 1.0}, counts)
        whole = {c: sum(counts[g]["smokes"][c] for g in counts) for c in (0, 1)}
        plain = question_results(smokes, whole)
        share = weighted_question(smokes, groups).answers[0]
        held += share.low <= 0.4 <= share.high
        unweighted += plain.answers[0].low <= 0.4 <= plain.answers[0].high
    assert held >= 1_868
    assert unweighted < 1_200


def chance_to_hold(truths, sizes, weights):
    """The coverage of a weighted interval of a direct share, over all outcomes."""
    survey = parse_survey(definition(AGE, yes_no(privacy="none")))
    by, smokes = survey.questions
    totals = dict(zip(("young", "old"), weights, strict=True))
    truth = sum(w * t for w, t in zip(weights, truths, strict=True)) / sum(weights)
    held = 0.0
    for outcome in itertools.product(*(range(n + 1) for n in sizes)):
        counts = {
            code: {"age": {code: n}, "smokes": {0: yes, 1: n - yes}}
            for code, (n, yes) in enumerate(zip(sizes, outcome, strict=True))
        }
        share = weighted_question(smokes, groups_of(by, totals, counts)).answers[0]
        chances = (binom.pmf(y, n, t) for y, n, t in zip(outcome, sizes, truths, strict=True))
        held += math.prod(chances) * (share.low - 1e-9 <= truth <= share.high + 1e-9)
    return held


@check_each("truths", [(0.05, 0.02), (0.6, 0.2), (0.5, 0.5), (0.0, 1.0)])
@check_each("weights", [(1, 1), (9, 1)])
def test_weighted_intervals_of_small_groups_are_no_illusion(truths, weights):
    """With standard errors alone, they covered 0.05 and 0.02 in one sample of three.

    The reason is that the standard error of six No is 0. All outcomes are enumerated, so the test
    is exact.
    """
    assert chance_to_hold(truths, (6, 6), weights) > 0.95


# --- the page


def page(researcher, query=""):
    reply = researcher.client.get(f"/admin/surveys/health/results{query}")
    assert reply.status_code == 200
    return " ".join(reply.get_data(as_text=True).replace("\u00a0", " ").split())


def test_the_page_weighs_by_totals_and_says_so(filled, researcher):
    chosen = page(researcher, "?by=age")
    assert "Size of each group in the population" in chosen
    assert "Weighted by" not in chosen
    shown = page(researcher, "?by=age&total-young=30&total-old=70")
    assert (
        "Weighted by “How old are you?”</strong>: Under 40 (30.0 %), 40 or over (70.0 %)." in shown
    )
    assert "30 %" in re.search('data-answer="yes">.*?</tr>', shown)[0]
    assert 'value="70"' in shown


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?by=age&total-young=many&total-old=1", "Type a number, 0 or more"),
        ("?by=age&total-young=1", "Type a number, 0 or more"),
        ("?by=age&total-young=-1&total-old=1", "Type a number, 0 or more"),
        ("?by=age&total-young=nan&total-old=1", "Type a number, 0 or more"),
        ("?by=age&total-young=0&total-old=0", "Type at least one total above 0."),
        ("?fake=90", "Type a number from 0 to 50."),
        ("?fake=x", "Type a number from 0 to 50."),
    ],
)
def test_what_cannot_be_is_said_beside_the_field(filled, researcher, query, words):
    shown = page(researcher, query)
    assert words in shown
    assert "Weighted by" not in shown


def test_a_group_too_small_is_said_on_the_page(store, researcher):
    opened(store, SMOKES)
    respondents(store, "health", [(0, 0)] * 3 + [(1, 0)])
    assert "Fewer than 2 respondents" in page(researcher, "?by=age&total-young=1&total-old=1")
    # Because it is private.
    assert "How many are there" not in page(researcher, "?by=smokes")


def test_the_share_of_fakes_is_as_typed(filled, researcher):
    assert (
        "If 2 % of the responses were fake, they could have changed each share by at most"
        in page(researcher)
    )
    more = page(researcher, "?fake=10")
    value = float(
        re.search(r"they could have changed each share by at most ([\d.]+) points", more)[1]
    )
    answer = question_results(
        filled.surveys.by_slug("health").survey.questions[1], {0: 7, 1: 5}
    ).answers[0]
    assert value == round(100 * moved_at_most(answer, 0.1, 12), 1)


def test_pictures_come_as_files(filled, researcher):
    shown = page(researcher, "?by=age&total-young=30&total-old=70")
    address = re.search(r'href="([^"]+smokes\.svg[^"]*)"', shown)[1].replace("&amp;", "&")
    reply = researcher.client.get(address)
    assert reply.mimetype == "image/svg+xml"
    assert 'filename="health-smokes.svg"' in reply.headers["Content-Disposition"]
    picture = reply.get_data(as_text=True)
    assert picture.startswith("<svg xmlns=")
    assert "<title>Do you smoke?</title>" in picture
    assert ">Health · n = 12</text>" in picture
    assert ">Weighted by “How old are you?”</text>" in picture
    estimate = weighted(filled, {"young": 30, "old": 70}).questions[1].sentence
    assert estimate in picture
    assert researcher.client.get("/admin/surveys/health/pictures/no.svg").status_code == 404
    known = researcher.client.get(address.replace("smokes.svg", "age.svg"))
    # There is no chart for the weighting question.
    assert known.status_code == 404


def test_the_question_that_is_weighed_by_is_said_to_be_no_finding(filled, researcher):
    shown = page(researcher, "?by=age&total-young=30&total-old=70")
    section = shown.split('<section class="question-results"')[1]
    assert "Its shares are the totals that you entered, not estimates" in section
    assert "Population: Under 40 (30.0 %), 40 or over (70.0 %)." in section
    assert "interval</th>" not in section
    assert "<svg" not in section
    assert "Formulas and methods" not in section


def test_of_few_responses_the_page_shows_no_estimate(store, researcher):
    opened(store, SMOKES)
    respondents(store, "health", [(0, 0)] * 4)
    shown = page(researcher)
    assert shown.count("4 responses are too few to show an estimate. Here, Candor shows") == 2
    for absent in (
        "<svg",
        "150 %",
        "Standard error",
        "Formulas and methods",
        "could have changed",
    ):
        assert absent not in shown
    client = researcher.client
    assert client.get("/admin/surveys/health/pictures/smokes.svg").status_code == 404
    assert ",1.5" in client.get("/admin/surveys/health/estimates.csv").get_data(as_text=True)
    respondents(store, "health", [(0, 0)], first=4)
    assert "150 %" in page(researcher)
