"""Shuffled reports: published values, exact sums, and no epsilon that is too small."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from survey.core.randomizer import Randomizer, exp_below
from survey.definition.certainty import epsilon_text
from survey.definition.survey import parse_survey
from survey.planning.power import binomial_tail
from survey.planning.shuffle_amplification import (
    SLACK,
    STEPS_PER_EPSILON,
    central_epsilon,
    counted_deltas,
    counted_epsilon,
    shuffled_delta,
    shuffled_epsilon,
    shuffled_sentence,
    usual_delta,
)
from tests.support.batches import feed, plain
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.project import ROOT

pytestmark = pytest.mark.fast

PLAIN = yes_no("drinks", "none", "Do you drink?")
COIN = parse_survey(definition())


def coins(n: int, p: Fraction) -> list[Fraction]:
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def convolved(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    both = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            both[i + j] += x * y
    return both


def divergence(one: list[Fraction], other: list[Fraction], epsilon: float) -> Fraction:
    """The hockey-stick divergence in fractions; too small by less than one part in 10^39."""
    factor = exp_below(epsilon)
    ahead = (a - exp_factor for a, exp_factor in zip(one, (factor * b for b in other), strict=True))
    return sum((max(Fraction(0), each) for each in ahead), Fraction(0))


def exact_counted(n: int, odds: Fraction, epsilon: float, others: int) -> Fraction:
    p = odds / (odds + 1)
    rest = convolved(coins(others, p), coins(n - 1 - others, 1 - p))
    return divergence(convolved(rest, [1 - p, p]), convolved(rest, [p, 1 - p]), epsilon)


def exact_shuffled(n: int, odds: Fraction, epsilon: float) -> Fraction:
    p, near = odds / (odds + 1), 2 / (odds + 1)
    total = Fraction(0)
    for c, chance in enumerate(coins(n - 1, near)):
        half = coins(c, Fraction(1, 2))
        one, other = convolved(half, [1 - p, p]), convolved(half, [p, 1 - p])
        total += chance * divergence(one, other, epsilon)
    return total


def test_a_thousand_coin_flips_have_the_known_values():
    """0.168: the stronger clones, from two independent programs. 0.142: the exact value."""
    assert round(shuffled_epsilon(1000, 3.0, 1e-6), 3) == 0.168
    assert round(counted_epsilon(1000, 3.0, 1e-6), 3) == 0.142
    assert usual_delta(1000) == 1e-6
    assert central_epsilon(COIN, 1000) == counted_epsilon(1000, 3.0, 1e-6)


@pytest.mark.parametrize(("n", "clones", "exact"), [(300, 0.322, 0.283), (100, None, 0.550)])
def test_fewer_have_theirs(n, clones, exact):
    assert clones is None or round(shuffled_epsilon(n, 3.0, 1e-6), 3) == clones
    assert round(counted_epsilon(n, 3.0, 1e-6), 3) == exact


@check_each("n", [1, 2, 7, 30])
@check_each("odds", [Fraction(3), Fraction(8, 5), Fraction(20)])
@check_each("epsilon", [0.0, 0.1, 0.4])
def test_deltas_are_the_sums_in_fractions_and_never_below(n, odds, epsilon):
    exact = exact_shuffled(n, odds, epsilon)
    found = shuffled_delta(n, float(odds), epsilon)
    assert exact <= Fraction(found)
    assert found == pytest.approx(float(exact), rel=1e-6, abs=1e-12)
    deltas = counted_deltas(n, float(odds), epsilon, np.arange(n))
    for others, delta in enumerate(deltas):
        exact = exact_counted(n, odds, epsilon, others)
        assert exact <= Fraction(delta)
        assert delta == pytest.approx(float(exact), abs=1e-9)


TABLES = {
    "three answers": [[4, 1, 1], [1, 4, 1], [1, 1, 4]],
    "two coins": [[9, 3, 3, 1], [3, 9, 1, 3], [3, 1, 9, 3], [1, 3, 3, 9]],
    "lopsided": [[6, 2, 1, 1], [3, 3, 3, 1], [2, 1, 3, 4]],
    "subsets": [[3, 3, 3, 1, 1, 1], [3, 1, 1, 3, 3, 1], [1, 3, 1, 3, 1, 3], [1, 1, 3, 1, 3, 3]],
}


def shuffled(rows: list[list[int]], answers: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
    """The probabilities of the counts of each report, from respondents with these answers."""
    found = {(0,) * len(rows[0]): Fraction(1)}
    for answer in answers:
        after: dict[tuple[int, ...], Fraction] = {}
        for counts, chance in found.items():
            for report, weight in enumerate(rows[answer]):
                more = (*counts[:report], counts[report] + 1, *counts[report + 1 :])
                after[more] = after.get(more, Fraction(0)) + chance * weight
        found = after
    whole = sum(rows[0]) ** len(answers)
    return {counts: chance / whole for counts, chance in found.items()}


@check_each("name", TABLES)
@check_each("epsilon", [0.0, 0.2, 0.5])
def test_no_table_tells_more_than_the_clones(name, epsilon):
    """All combinations of four respondents' answers, and every other answer of one of them."""
    rows, n = TABLES[name], 4
    odds = Randomizer.from_rows(rows).ratio_bound
    k, worst = len(rows), Fraction(0)
    for others in itertools.combinations_with_replacement(range(k), n - 1):
        seen = [shuffled(rows, (*others, own)) for own in range(k)]
        for one, other in itertools.permutations(seen, 2):
            apart = divergence(list(one.values()), [other[c] for c in one], epsilon)
            worst = max(worst, apart)
    assert 0 < worst <= Fraction(shuffled_delta(n, float(odds), epsilon))


@pytest.mark.parametrize("n", [60, 120])
def test_the_epsilon_stated_holds_and_one_step_less_does_not(n):
    """In fractions, for the worst others. The stated epsilon is a bound only if this holds."""
    epsilon = counted_epsilon(n, 3.0, 1e-6)
    deltas = [exact_counted(n, Fraction(3), epsilon, k) for k in (0, n // 2, n - 2, n - 1)]
    assert max(deltas) <= Fraction(1, 10**6) < exact_counted(n, Fraction(3), epsilon - 2 /
                                                             STEPS_PER_EPSILON, n - 1)  # fmt: skip
    above = shuffled_epsilon(n, 3.0, 1e-6)
    assert exact_shuffled(60, Fraction(3), shuffled_epsilon(60, 3.0, 1e-6)) <= Fraction(1, 10**6)
    assert above >= epsilon


@pytest.mark.parametrize("n", [257, 600, 1999])
def test_the_chances_of_many_coins_are_binomial(n):
    """For others who all have the answer, or none, compared with scipy's binomial."""
    counts = np.arange(n)
    found = counted_deltas(n, 3.0, 0.05, np.array([0, n - 1]))
    for delta, p in zip(found, (1 / 4, 3 / 4), strict=True):
        chances = np.pad(binom.pmf(counts, n - 1, p), 1)
        one = 3 / 4 * chances[:-1] + 1 / 4 * chances[1:]
        other = 1 / 4 * chances[:-1] + 3 / 4 * chances[1:]
        exact = np.maximum(one - math.exp(0.05) * other, 0).sum()
        assert exact <= delta <= exact + 1e-8


@check_each("n", [0, 1, 50, 10**6])
@check_each("chance", [1e-9, 0.3, 0.5])
def test_tails_are_those_of_scipy_stats_well_within_the_slack(n, chance):
    """scipy.stats takes half a second to import, so the product does not use it."""
    counts = np.array([-2, -1, 0, 1, n // 7, n // 2, n - 1, n, n + 1])
    near = {"rel": SLACK / 10, "abs": 1e-280}
    assert binomial_tail(counts, n, chance) == pytest.approx(binom.cdf(counts, n, chance), **near)
    assert binomial_tail(counts, n, chance, upper=True) == pytest.approx(
        binom.sf(counts, n, chance), **near
    )


def test_blocks_of_clones_are_hardly_larger_than_their_sum():
    n, odds, epsilon = 20_000, 3.0, 0.03
    clones = np.arange(9_000, 11_000)
    edge = np.floor((math.exp(epsilon) * 3 - 1) / (2 * (1 + math.exp(epsilon))) * (clones + 1)) + 1
    apart = (3 - math.exp(epsilon)) / 4 * binom.sf(edge - 2, clones, 0.5) - (
        3 * math.exp(epsilon) - 1
    ) / 4 * binom.sf(edge - 1, clones, 0.5)
    exact = (binom.pmf(clones, n - 1, 0.5) * np.maximum(apart, 0)).sum()
    assert exact <= shuffled_delta(n, odds, epsilon) <= 1.005 * exact


def test_large_numbers_agree_with_their_sums_by_logarithms():
    """A sum of 40,000 terms, with probabilities from the logarithm of the gamma function."""
    n, odds, epsilon = 40_001, 3.0, 0.02

    def chance(k: int, n: int, p: float) -> float:
        if not 0 <= k <= n:
            return 0.0
        choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        return math.exp(choose + k * math.log(p) + (n - k) * math.log1p(-p))

    # Given C = 20,000, the mean of C.
    c, p = 20_000, 0.75
    half = [chance(k, c, 0.5) for k in range(c + 1)]
    apart = [
        (p * a + (1 - p) * b) - math.exp(epsilon) * ((1 - p) * a + p * b)
        for a, b in zip([0.0, *half], [*half, 0.0], strict=True)
    ]
    given = math.fsum(max(0.0, each) for each in apart)
    assert shuffled_delta(n, odds, epsilon) == pytest.approx(given, rel=2e-3)


def test_more_respondents_hide_more_and_nothing_is_worse_than_alone():
    found = [shuffled_epsilon(n, 3.0, 1e-6) for n in (1, 2, 25, 100, 1000, 10**4, 10**6)]
    assert found == sorted(found, reverse=True)
    assert found[0] == math.log(3)
    for odds in (1.0, 1e13, 1e300):
        assert shuffled_epsilon(1000, odds, 1e-6) == math.log(odds)
    for n in range(2, 40):
        assert counted_epsilon(n, 3.0, 1e-6) <= math.log(3)


def test_questions_together_count_with_the_product_of_their_ratio_bounds():
    two = parse_survey(definition(yes_no(), yes_no("cheats")))
    assert central_epsilon(two, 5000) == shuffled_epsilon(5000, 9.0, usual_delta(5000))
    assert central_epsilon(two, 3) == pytest.approx(two.epsilon)
    assert central_epsilon(COIN, 5000) == shuffled_epsilon(5000, 3.0, usual_delta(5000))


def test_the_sentence_says_what_it_supposes():
    batched = parse_survey(definition(batch=25))
    sentence = shuffled_sentence(batched, 1000)
    assert "ε = 0.15" in sentence
    assert "with δ = 1 in 1,000,000" in sentence
    assert "the observer does not know the order of arrival" in sentence
    assert "compare the results after different batches" in sentence
    assert "Respondents are promised ε = 1.10" in sentence
    assert "alone" not in sentence
    waves = parse_survey(definition(series="yearly"))
    assert "one respondent in this wave alone is at most" in shuffled_sentence(waves, 1000)
    assert "batches" not in shuffled_sentence(parse_survey(definition(batch=1000)), 1000)


def test_non_private_answers_take_it_away_and_so_does_being_few():
    assert "adds no reliable protection" in shuffled_sentence(
        parse_survey(definition(yes_no(), PLAIN)), 1000
    )
    assert "too few" in shuffled_sentence(parse_survey(definition(yes_no(), yes_no("cheats"))), 3)
    assert shuffled_sentence(COIN, 1) == ""
    assert shuffled_sentence(parse_survey(definition(PLAIN)), 1000) == ""


def test_the_results_page_and_the_command_say_it(app, store, researcher):
    opened(store, definition())
    feed(store, plain(120))
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    # The page links δ to the glossary.
    assert re.search(r'<a href="[^"]*#delta">δ</a>', page)
    assert shuffled_sentence(COIN, 120) in re.sub("<[^>]*>", "", page)
    said = app.test_cli_runner().invoke(args=["survey", "privacy", "health"])
    assert said.exit_code == 0
    assert shuffled_sentence(COIN, 120) in said.stdout
    assert (
        "Do you smoke?: epsilon 1.10, likelihood ratio at most 3, at worst 75 % sure" in said.stdout
    )
    said = app.test_cli_runner().invoke(args=["survey", "privacy", "health", "--n", "1000"])
    assert "ε = 0.15" in said.stdout


def test_the_document_has_these_values():
    text = (ROOT / "docs" / "explanation" / "mathematics.md").read_text()
    any_table = " | ".join(
        epsilon_text(shuffled_epsilon(n, 3.0, 1e-6)) for n in (100, 300, 1000, 10**4)
    )
    one_coin = " | ".join(epsilon_text(counted_epsilon(n, 3.0, 1e-6)) for n in (100, 300, 1000))
    assert f"| any table | {any_table} |" in text
    assert f"| one coin-flip question, exact | {one_coin} | not calculated |" in text
