"""The questions behind a joint question: their tables, estimates and intervals."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from bench.interval_coverage.enumerated import binomial
from survey.core.factored_randomizers import SubsetPart, SubsetSelection
from survey.core.mechanisms.randomized_response import variance_of_subsets
from survey.definition.frozen import freeze
from survey.definition.report_formats import tally_codes
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results, survey_results
from survey.estimation.share_estimates import (
    covariance_of_bits,
    estimate_one_hot,
    one_hot_interval,
    share_noise,
)
from survey.estimation.types.joint_items import item_counts, item_question, item_questions
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.joint_reports import TRUTH, joint_reports
from tests.support.joint_survey import joint_questions, joint_survey
from tests.support.share_coverage import worst_coverage

pytestmark = pytest.mark.fast
SURVEY = parse_survey(joint_survey())
JOINT = SURVEY.fields[0]
ITEMS = item_questions(SURVEY, JOINT)


def yes_no_survey(questions, privacy):
    """Questions with two answers that everyone is asked, and their joint question."""
    names = [f"q{place}" for place in range(questions)]
    items = [
        {"name": name, "type": "yes_no", "label": f"Did you {name}?", "privacy": "not_sent"}
        for name in names
    ]
    joint = {"name": "all", "type": "joint", "label": "All", "derived": {"joint": names}}
    return parse_survey(definition(*items, {**joint, "privacy": privacy}, slug="joint"))


# The tables.


@pytest.mark.parametrize("odds", ["3", "19/2", "1000"])
def test_the_probability_of_a_part_depends_on_the_answer_to_its_question_alone(odds):
    survey = parse_survey(
        definition(
            *joint_questions(privacy={"mechanism": "k_randomized_response", "odds": odds}),
            slug="joint",
        )
    )
    joint = survey.fields[0]
    m, answers = len(joint.choices), [choice.parts for choice in joint.choices]
    t = Fraction(odds)
    for place, item in enumerate(survey.items_of(joint)):
        table = item_question(joint, item, place).table
        for x, given in enumerate(answers):
            chances = Counter()
            for y, reported in enumerate(answers):
                chances[reported[place]] += joint.table.probability(y, x)
            row = item.answers.index(given[place])
            for column, answer in enumerate(item.answers):
                c = sum(parts[place] == answer for parts in answers)
                closed = (c + (t - 1) * (row == column)) / (t + m - 1)
                assert table.probability(column, row) == chances[answer] == closed


def test_items_have_the_names_of_analyses_and_the_protection_of_the_joint_question():
    assert [item.name for item in ITEMS] == ["habits/drinks", "habits/drives", "habits/smokes"]
    results = survey_results(freeze(SURVEY, to_open=False), {}, "browser").questions[0]
    assert [each.epsilon for each in results.items] == [pytest.approx(math.log(9.5))] * 3
    for item, result in zip(ITEMS, results.items, strict=True):
        # The table of one part has a smaller loss.
        assert item.epsilon < math.log(9.5) / 1.5
        assert result.drawn == JOINT
        assert result.joint == JOINT
    assert results.with_items == (*results.items, results)


def test_counts_of_parts_are_sums_of_counts_of_combinations():
    counts = {code: 10 + code for code in range(12)}
    drinks, _, smokes = SURVEY.items_of(JOINT)
    assert item_counts(JOINT, drinks, 0, counts) == {
        0: sum(range(10, 16)),
        1: sum(range(16, 19)),
        2: sum(range(19, 22)),
    }
    assert item_counts(JOINT, smokes, 2, counts) == {
        part: sum(10 + code for code in range(12) if code % 3 == part) for part in range(3)
    }


# The estimates.


@pytest.mark.parametrize(
    ("epsilon", "questions", "of_share", "of_cell"),
    [
        (math.log(3), 2, 2.25, 1.69),
        (2 * math.log(3), 2, 0.56, 0.42),
        (2 * math.log(3), 3, 1.00, 0.44),
        (3 * math.log(3), 3, 0.43, 0.19),
        (4.0, 3, 0.33, 0.14),
    ],
)
def test_variances_are_those_of_the_closed_forms(epsilon, questions, of_share, of_cell):
    """If all combinations are equally common, n Var = P (1 - P) / (p - q)^2.

    The published figures have two decimals, so they are compared within half a unit of the last.
    """
    survey = yes_no_survey(questions, {"epsilon": epsilon})
    joint, m, n = survey.fields[0], 2**questions, 8_000_000
    results = survey_results(
        freeze(survey, to_open=False), {"all": dict.fromkeys(range(m), n // m)}, "browser"
    ).questions[0]
    t = float(max(joint.table.rows[0])) / float(min(joint.table.rows[0]))
    assert t == pytest.approx(math.exp(epsilon), rel=0.01)
    step = (t - 1) / (t + m - 1)
    closed = 1 / 4 / step**2, (1 / m) * (1 - 1 / m) / step**2
    for item in results.items:
        for answer in item.answers:
            assert (n - 1) * answer.standard_error**2 == pytest.approx(closed[0], rel=1e-9)
    for answer in results.answers:
        assert (n - 1) * answer.standard_error**2 == pytest.approx(closed[1], rel=1e-9)
    assert closed[0] == pytest.approx(of_share, rel=0.01, abs=0.005)
    assert closed[1] == pytest.approx(of_cell, rel=0.01, abs=0.005)


@check_each("code", range(12))
def test_estimates_are_unbiased(code):
    """With the counts of a row of the table, each estimate is its expectation: 1 or 0."""
    counts = {"habits": dict(enumerate(JOINT.table.rows[code]))}
    results = survey_results(freeze(SURVEY, to_open=False), counts, "browser").questions[0]
    for place, item in enumerate(results.items):
        for answer in item.answers:
            own = answer.choice == JOINT.choices[code].parts[place]
            assert answer.value == pytest.approx(float(own), abs=1e-9)


def test_a_cross_table_has_a_cell_for_each_possible_combination():
    """The second question follows the first, so three of six combinations are impossible."""
    two = [each for each in joint_questions() if each["name"] != "smokes"]
    two[-1] = two[-1] | {"derived": {"joint": ["drinks", "drives"]}}
    survey = parse_survey(definition(*two, slug="joint"))
    counts = {"habits": {0: 30, 1: 40, 2: 50, 3: 20}}
    results = survey_results(freeze(survey, to_open=False), counts, "browser").questions[0]
    names = [[cell and cell.choice.name for cell in row] for row in results.cross_table]
    assert names == [
        ["yes+yes", "yes+no", None],
        [None, None, "no+not_asked"],
        [None, None, "prefer_not_to_say+not_asked"],
    ]
    whole = survey_results(freeze(SURVEY, to_open=False), {"habits": {0: 40}}, "browser")
    assert whole.questions[0].cross_table == ()


# The intervals.


@cache
def intervals_of(place, code, n):
    """The interval for each number of reports of an answer.

    `place` is that of an item, or None for the combinations.
    """
    question = JOINT if place is None else ITEMS[place]
    other = (code + 1) % len(question.answers)
    return [question_results(question, {code: y, other: n - y}).answers[code] for y in range(n + 1)]


def chances_of(place, code):
    """The probability of a report of an answer: for people with this answer, and with others."""
    table = (JOINT if place is None else ITEMS[place]).table
    other = (code + 1) % table.answers
    return float(table.probability(code, code)), float(table.probability(code, other))


# An answer of each item, and a combination.
CASES = [(0, 0), (0, 2), (1, 0), (2, 1), (None, 0)]


@check_each("n", [20, 50])
@check_each(("place", "code"), CASES)
def test_the_interval_of_a_share_covers_every_true_share(place, code, n):
    """Exactly, by enumeration of the number of reports. Rare answers are among the shares."""
    p, q = chances_of(place, code)
    intervals = intervals_of(place, code, n)
    assert worst_coverage(intervals, n, p, q) >= 0.95 - 1e-9
    if n < 50:
        return
    low, high = np.array([(each.low, each.high) for each in intervals]).T
    shares = np.linspace(0, 1, 401)
    expected = n * (q + (p - q) * shares)
    coverages = [
        binomial(n, q + (p - q) * share) @ ((low <= share) & (share <= high))
        for share, reports in zip(shares, expected, strict=True)
        if min(reports, n - reports) >= 5
    ]
    assert max(coverages) <= 0.985


RARE = dict.fromkeys(TRUTH, 0.0) | {
    "no+not_asked+never": 0.97,
    "yes+yes+often": 0.01,
    "yes+no+never": 0.01,
    "prefer_not_to_say+not_asked+some": 0.01,
}


@pytest.mark.parametrize("n", [20, 50])
@pytest.mark.parametrize("truth", [TRUTH, RARE])
def test_intervals_of_simulated_responses_contain_the_true_shares(truth, n):
    """The parts of joint reports depend on each other, and each part alone is as its table says.

    Each of 20,000 simulations is a draw of all combinations. If an interval covers the true share
    with a probability of 0.95, the number of misses has the mean 1,000 and the standard deviation
    31. It is above 1,190 (coverage below 0.9405) with a probability below 1e-8, in 20 comparisons
    below 2e-7.
    """
    generator = np.random.default_rng(1)
    chances = np.array([*truth.values()]) @ (np.array(JOINT.table.rows) / JOINT.table.total)
    draws = generator.multinomial(n, chances, 20_000)
    names = [choice.parts for choice in JOINT.choices]
    for place, code in CASES:
        if place is None:
            own = np.arange(len(names)) == code
        else:
            own = np.array([parts[place] == ITEMS[place].answers[code] for parts in names])
        share = float(np.array([*truth.values()])[own].sum())
        low, high = np.array([(i.low, i.high) for i in intervals_of(place, code, n)]).T
        reports = draws @ own
        covered = ((low[reports] <= share) & (share <= high[reports])).mean()
        assert covered >= 0.9405, (place, code)


def test_the_interval_of_a_share_depends_on_the_number_of_its_reports_alone():
    """The tests above use one outcome for each number of reports."""
    for seed in range(3):
        counts = Counter(joint_reports(SURVEY, 50, seed).tolist())
        results = survey_results(freeze(SURVEY, to_open=False), {"habits": counts}, "browser")
        joint = results.questions[0]
        for place, code in CASES:
            result = joint if place is None else joint.items[place]
            found = result.answers[code]
            same = intervals_of(place, code, 50)[result.counts[code]]
            assert (found.low, found.high) == pytest.approx((same.low, same.high), abs=1e-9)


# Sets of combinations, by subset selection.


def joint_of(*answers, epsilon):
    """A frozen survey with a joint question of questions with these numbers of answers."""
    names = [f"q{place}" for place in range(len(answers))]
    items = [
        {
            "name": name,
            "type": "select_one",
            "label": f"{name}?",
            "privacy": "not_sent",
            "choices": [{"name": f"a{n}", "label": f"A {n}"} for n in range(count)],
        }
        for name, count in zip(names, answers, strict=True)
    ]
    joint = {"name": "all", "type": "joint", "label": "All", "derived": {"joint": names}}
    content = definition(
        *items, {**joint, "privacy": {"epsilon": epsilon}}, budget={"epsilon": 12}, slug="joint"
    )
    return freeze(parse_survey(content), to_open=False).survey


def noise_at_even_shares(randomizer):
    """n times the variance of each share if all combinations are equally common."""
    if isinstance(randomizer, SubsetSelection | SubsetPart):
        sizes = np.array(randomizer.sizes)
        return np.diag(covariance_of_bits(randomizer, sizes / sizes.sum()))
    p, q = (float(randomizer.probability(0, x)) for x in (0, 1))
    seen = p / randomizer.answers + q * (randomizer.answers - 1) / randomizer.answers
    return np.array([seen * (1 - seen) / (p - q) ** 2])


@check_each("epsilon", ["0.5", "1", str(math.log(3)), "2", str(3 * math.log(3))])
@check_each("answers", [(2, 2), (2, 4), (2, 2, 2), (4, 4), (2, 2, 4), (5, 5), (8, 8), (2, 32)])
def test_every_share_has_at_most_1_02_times_the_least_variance(answers, epsilon):
    """The least variance is that of the best size of Ye and Barg at exactly this ε.

    All combinations are equally common. If v is the variance of one, the covariance of two is
    -v / (m - 1), and the variance of c together is c (m - c) v / (m - 1).
    """
    survey = joint_of(*answers, epsilon=epsilon)
    joint, m = survey.fields[0], math.prod(answers)
    odds = math.exp(float(epsilon))
    best = min(variance_of_subsets(m, size, odds) for size in range(1, m)) / m
    (cell, *_) = noise_at_even_shares(joint.randomizer)
    assert best * (1 - 1e-9) <= cell <= 1.02 * best
    for item, count in zip(item_questions(survey, joint), answers, strict=True):
        c = m // count
        least = c * (m - c) / (m - 1) * best
        if isinstance(item.randomizer, SubsetPart):
            assert noise_at_even_shares(item.randomizer).max() <= 1.02 * least
        else:
            p, q = (float(item.table.probability(0, x)) for x in (0, 1))
            seen = q + (p - q) / count
            assert seen * (1 - seen) / (p - q) ** 2 <= 1.02 * least


SETS = parse_survey(definition(*joint_questions(privacy={"epsilon": 1}), slug="joint"))


def reports_by_weight(question):
    """Each set of combinations as a report, with the set."""
    k, size = question.randomizer.answers, question.randomizer.size
    for chosen in combinations(range(k), size):
        yield "".join(str(int(place in chosen)) for place in range(k)), chosen


def test_estimates_from_sets_are_unbiased_and_sums_of_those_of_the_combinations():
    """By enumeration of all reports, with the weights of a true combination."""
    joint = SETS.fields[0]
    drawn = joint.randomizer
    for truth, choice in enumerate(joint.choices):
        counts = Counter()
        for report, chosen in reports_by_weight(joint):
            weight = drawn.near if truth in chosen else drawn.far
            for code in joint.form.codes(report):
                counts[code] += weight
        results = survey_results(freeze(SETS, to_open=False), {"habits": counts}, "browser")
        whole = results.questions[0]
        for place, item in enumerate(whole.items):
            assert item.n == whole.n
            for answer in item.answers:
                own = answer.choice == choice.parts[place]
                assert answer.value == pytest.approx(float(own), abs=1e-9)
    reports = joint_reports(SETS, 300, 1).tolist()
    whole = survey_results(
        freeze(SETS, to_open=False), {"habits": tally_codes(joint.form, reports)}, "browser"
    ).questions[0]
    covariance = np.array(whole.covariance)
    for place, item in enumerate(whole.items):
        sums = np.array(
            [
                [float(each.parts[place] == answer.choice) for each in joint.choices]
                for answer in item.answers
            ]
        )
        values = sums @ [answer.value for answer in whole.answers]
        assert [answer.value for answer in item.answers] == pytest.approx(values)
        assert np.array(item.covariance) == pytest.approx(sums @ covariance @ sums.T)
        assert item.design_fit.fits


def test_reports_that_no_answers_can_give_do_not_fit():
    """All reports have the same set, so one answer would be far more common than everyone."""
    joint = SETS.fields[0]
    report = next(reports_by_weight(joint))[0]
    counts = dict.fromkeys(joint.form.codes(report), 2000)
    whole = survey_results(freeze(SETS, to_open=False), {"habits": counts}, "browser").questions[0]
    assert not whole.items[0].design_fit.fits


PARTS = [
    (SubsetPart(2, SubsetSelection(8, 2, 271, 100), (4, 4)), 0),
    (SubsetPart(2, SubsetSelection(64, 17, 271, 100), (2, 62)), 0),
    (SubsetPart(2, SubsetSelection(64, 17, 271, 100), (20, 44)), 0),
    (SubsetPart(2, SubsetSelection(64, 2, 2699, 100), (8, 56)), 0),
    (SubsetPart(3, SubsetSelection(12, 5, 164, 100), (6, 3, 3)), 1),
]


def sums_of(chances, n):
    """The distribution of a sum of n independent numbers."""
    length = n * (len(chances) - 1) + 1
    size = 1 << length.bit_length()
    found = np.fft.irfft(np.fft.rfft(chances, size) ** n, size)[:length]
    return np.maximum(found, 0)


def coverages_of_part(part, answer, n):
    """By enumeration of the number of chosen combinations with the answer, rare and common."""
    own, others = map(np.array, part.chances_of(answer))
    numbers = range(n * part.sizes[answer] + 1)
    intervals = [one_hot_interval(part, answer, ones, n, None, 0.95) for ones in numbers]
    low, high = np.array([(each.low, each.high) for each in intervals]).T
    return {
        share: sums_of(share * own + (1 - share) * others, n) @ ((low <= share) & (share <= high))
        for share in (0.0, 0.01, 0.03, 0.1, 0.3, 0.5, 0.9, 1.0)
    }


@check_each("n", [2, 20, 200])
@check_each(("part", "answer"), PARTS)
def test_the_interval_of_a_share_from_sets_covers(part, answer, n):
    assert min(coverages_of_part(part, answer, n).values()) >= 0.95 - 1e-4


@pytest.mark.slow
@check_each(("part", "answer"), PARTS)
def test_the_interval_of_a_share_from_many_sets_covers_and_is_not_too_long(part, answer):
    """With few reports, some intervals contain every share, so only the lower limit is checked."""
    found = coverages_of_part(part, answer, 1_000)
    assert min(found.values()) >= 0.95 - 1e-4
    assert max(found[share] for share in (0.1, 0.3, 0.5, 0.9)) <= 0.985


@check_each(("part", "answer"), PARTS)
def test_the_variances_from_sets_are_those_of_the_numbers_of_combinations(part, answer):
    size, apart = part.sizes[answer], float(part.p - part.q)
    numbers, rows = np.arange(size + 1), part.chances_of(answer)
    spreads = [row @ numbers**2 - (row @ numbers) ** 2 for row in map(np.array, rows)]
    assert share_noise(part, answer) == pytest.approx([each / apart**2 for each in spreads])
    shares = np.array(part.sizes) / sum(part.sizes)
    mixed = shares[answer] * np.array(rows[0]) + (1 - shares[answer]) * np.array(rows[1])
    spread = mixed @ numbers**2 - (mixed @ numbers) ** 2
    found = covariance_of_bits(part, shares)
    assert found[answer, answer] == pytest.approx(spread / apart**2)
    assert found.sum() == pytest.approx(0, abs=1e-9)


def test_one_response_has_no_error_and_any_share():
    part = PARTS[0][0]
    found = estimate_one_hot(part, (1, 3, 1, 3))
    assert (found.n, found.covariance) == (1, None)
    assert (found.shares[0].interval.low, found.shares[0].interval.high) == (0, 1)
