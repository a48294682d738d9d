"""Simulated surveys: reports have the theoretical variance, and respondents follow the rules.

There are a million reports of every mechanism. The rules of the definition decide who is asked, who
declines and who is sampled.
"""

import math
from collections import Counter
from itertools import chain, combinations

import numpy as np
import pytest
from scipy.stats import chi2

from survey.core.factored_randomizers import Boxes, OneHot
from survey.core.mechanisms import BOXES, CHOICES, MECHANISMS, NUMBERS
from survey.core.scores import probabilities, unbiased_scores
from survey.definition.report_formats import Bits
from survey.definition.responses.offered_choices import require_offered
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results
from survey.formats.csv_import import read_truth
from survey.planning.simulation import draw_answers, simulate_reports, simulate_responses
from tests.support import cascades
from tests.support.definitions import definition, yes_no

REPORTS, AT_ONCE, GROUP = 1_000_000, 50_000, 10
RARE = 1e-9
MECHANISM_EXAMPLES = [
    pytest.param(entry, answers, parameters, id=f"{entry.name}-{answers}-{number}")
    for entry in MECHANISMS.values()
    for number, (answers, parameters) in enumerate(entry.examples)
]


def choices(count):
    return [{"name": f"c{place}", "label": f"C{place}"} for place in range(count)]


def asked(entry, answers, parameters):
    """A question with this number of answers and this mechanism.

    A number has this number of points, four steps apart, except where all answers are points.
    """
    privacy = {"mechanism": entry.name, **parameters}
    if BOXES in entry.serves:
        return {"type": "select_multiple", "choices": choices(answers), "privacy": privacy}
    if NUMBERS in entry.serves:
        top = (1 if entry.name == "optimal_quantiles" else 4) * (answers - 1)
        return {"type": "number", "min": 0, "max": top, "privacy": {**privacy, "points": answers}}
    kind = "select_one" if CHOICES in entry.serves else "scale"
    return {"type": kind, "choices": choices(answers), "privacy": privacy}


def survey_of(question, **rest):
    return parse_survey(definition({"name": "x", "label": "?", **question}, **rest))


def simulated(survey, truth, n, generator):
    """The stored reports of n respondents, a list for each question, drawn as in the product."""
    columns = [[] for _ in survey.fields]
    for start in range(0, n, AT_ONCE):
        drawn = simulate_reports(survey, truth, min(AT_ONCE, n - start), generator)
        for column, more in zip(columns, drawn, strict=True):
            column.extend(more)
    return columns


def tally(question, column):
    """Codes, counted as the store counts them.

    Bits are counted place by place, because most of a million reports of bits occur only once.
    """
    stored = [report for report in column if report is not None]
    counts, form = Counter(), question.form
    if isinstance(form, Bits):
        for place, said in enumerate(letters(stored).T):
            for bit in "01":
                (code,) = form.codes(bit.rjust(place + 1, "-"))
                counts[code] += int((said == bit).sum())
        return counts
    for report, times in Counter(stored).items():
        for code in form.codes(report):
            counts[code] += times
    return counts


def letters(column):
    return np.array(column).view("U1").reshape(len(column), -1)


def decreasing(size):
    """Different shares, none tiny."""
    return np.arange(size + 1, 1, -1) / np.arange(size + 1, 1, -1).sum()


def single_estimates(question, column):
    """For each quantity, the estimate of every single report, and its exact distribution.

    The distribution has the estimates and probabilities of its reports.
    """
    randomizer = question.randomizer
    if isinstance(randomizer, Boxes):
        every = letters(column)
        shares = 0.3 + 0.4 * np.arange(randomizer.answers) / randomizer.answers
        p, q = (float(randomizer.table.probability(0, x)) for x in (0, 1))
        for box, share in enumerate(shares):
            said = every[:, box]
            chance = q + (p - q) * share
            estimates = np.array([1 - q, -q]) / (p - q)
            yield (
                np.where(said[said != "-"] == "1", *estimates), share,
                (estimates, np.array([chance, 1 - chance])),
            )  # fmt: skip
        return
    if isinstance(randomizer, OneHot):
        p, q = float(randomizer.p), float(randomizer.q)
        bits = letters(column) == "1"
        for place, share in enumerate(decreasing(randomizer.answers)):
            chance = q + (p - q) * share
            estimates = np.array([1 - q, -q]) / (p - q)
            law = estimates, np.array([chance, 1 - chance])
            yield np.where(bits[:, place], *estimates), share, law
        return
    target, shares = target_of(question)
    scores = unbiased_scores(question.table, target)
    chances = shares @ probabilities(question.table)
    reports = np.array(column)
    for of_report, true in zip(scores.T, shares @ target, strict=True):
        yield of_report[reports], true, (of_report, chances)


def target_of(question):
    """The target of a table: shares of answers or boxes, or the mean; and the true rows."""
    rows = question.table.answers
    if question.type == "select_multiple":
        ticked = 0.3 + 0.4 * np.arange(len(question.choices)) / len(question.choices)
        boxes = np.array([[n >> b & 1 for b in range(len(ticked))] for n in range(rows)])
        return boxes, np.where(boxes == 1, ticked, 1 - ticked).prod(axis=1)
    if question.type == "number" and question.grid.size == rows:
        return np.arange(float(rows))[:, np.newaxis], decreasing(rows)
    if question.type == "number":
        shares = np.zeros(rows)
        for answer, share in enumerate(decreasing(question.grid.size)):
            shares[answer // 4] += share * (1 - answer % 4 / 4)
            shares[min(answer // 4 + 1, rows - 1)] += share * (answer % 4 / 4)
        return 4.0 * np.arange(rows)[:, np.newaxis], shares
    return np.eye(rows), decreasing(rows)


def truth_of(question):
    if question.type == "select_multiple":
        return 0.3 + 0.4 * np.arange(len(question.choices)) / len(question.choices)
    size = question.grid.size if question.grid else len(question.choices)
    return decreasing(size)


@pytest.mark.slow
@pytest.mark.parametrize(("entry", "answers", "parameters"), MECHANISM_EXAMPLES)
def test_a_million_reports_have_the_mean_squared_error_of_the_closed_form(
    entry, answers, parameters
):
    """The mean squared error agrees with the exact variance of one report's estimate.

    There are 100,000 groups of ten reports, each with an estimate. Ten times their mean squared
    error is compared with the exact variance.

    For a mean of ten, the relative variance of its squared error is 2 + (kurtosis - 3) / 10, which
    the table gives exactly. The standard error of the comparison is therefore known. The tolerance
    of 3 % is more than 5.2 of them for every mechanism (asserted). A false alarm has a probability
    below 2e-7 for each, if the shares' errors vary together. The seeds are fixed. The test detects
    a table that is sampled, decoded or rounded wrongly by a few percent in any report.
    """
    survey = survey_of(asked(entry, answers, parameters), budget={"epsilon": 50})
    question = survey.questions[0]
    (column,) = simulated(
        survey, {"x": truth_of(question)}, REPORTS, np.random.default_rng(answers)
    )
    found, expected, worst = 0.0, 0.0, 0.0
    together = []
    for estimates, true, (values, chances) in single_estimates(question, column):
        assert chances @ values == pytest.approx(true, abs=1e-9 * np.ptp(values))
        variance = chances @ (values - true) ** 2
        kurtosis = chances @ (values - true) ** 4 / variance**2
        groups = len(estimates) // GROUP
        means = estimates[: groups * GROUP].reshape(groups, GROUP).mean(axis=1)
        found += GROUP * np.mean((means - true) ** 2)
        expected += variance
        error = variance * math.sqrt((2 + (kurtosis - 3) / GROUP) / groups)
        worst = (
            math.hypot(worst, error) if isinstance(question.randomizer, Boxes) else worst + error
        )
        together.append((estimates.mean(), math.sqrt(variance / len(estimates)), true))
    assert 5.2 * worst < 0.03 * expected
    assert found == pytest.approx(expected, rel=0.03)
    # The estimate from all reports is correct within 6.5 standard errors, 1e-10 each.
    for value, error, true in together:
        assert abs(value - true) < 6.5 * error
    same_as_the_results(question, column, [value for value, _, _ in together])


def same_as_the_results(question, column, values):
    """The product's own estimates, from the counted codes."""
    results = question_results(question, tally(question, column))
    assert results.n == len(column)
    if question.type == "number":
        assert results.quantities[0].value == pytest.approx(values[0], abs=1e-6)
        return
    for answer, value in zip(results.answers, values, strict=True):
        assert answer.value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(("entry", "answers", "parameters"), MECHANISM_EXAMPLES)
def test_simulated_reports_follow_the_table(entry, answers, parameters):
    """Chi-square over the reports, with a false-alarm rate of 1e-9 each and fixed seeds.

    For bits, it is over the pairs of bits, with the probabilities behind the covariance.
    """
    survey = survey_of(asked(entry, answers, parameters), budget={"epsilon": 50})
    question, n = survey.questions[0], 100_000
    randomizer = question.randomizer
    (column,) = simulated(survey, {"x": truth_of(question)}, n, np.random.default_rng(answers))
    if isinstance(randomizer, Boxes):
        picked = Counter("".join("-" if c == "-" else "x" for c in row) for row in column)
        subsets = math.comb(randomizer.answers, randomizer.sample)
        assert all(row.count("x") == randomizer.sample for row in picked)
        follows(np.array(list(picked.values())), np.full(subsets, 1 / subsets))
        return
    if isinstance(randomizer, OneHot):
        bits = letters(column) == "1"
        shares = decreasing(randomizer.answers)
        both, other = float(randomizer.both_own), float(randomizer.both_other)
        for i, j in combinations(range(randomizer.answers), 2):
            chance = (shares[i] + shares[j]) * both + (1 - shares[i] - shares[j]) * other
            follows(np.bincount(bits[:, i] & bits[:, j], minlength=2), [1 - chance, chance])
        return
    _, shares = target_of(question)
    seen = np.bincount(column, minlength=question.table.reports)
    follows(seen, shares @ probabilities(question.table))


def follows(seen, chances):
    """Whether counts are consistent with these probabilities, with a false-alarm rate of 1e-9."""
    expected = np.asarray(chances) * seen.sum()
    there = expected > 0
    assert len(seen) == len(expected)
    assert not seen[~there].any()
    off = ((seen - expected)[there] ** 2 / expected[there]).sum()
    assert off < chi2.isf(RARE, max(1, there.sum() - 1)), (seen, expected)


def test_the_check_would_catch_a_slightly_wrong_table():
    """3:1 instead of 2.8:1 differs by 1.3 points, nine standard errors of 100,000 reports."""
    survey = survey_of({"type": "yes_no", "privacy": {"mechanism": "coin_flip"}})
    (column,) = simulated(survey, {"x": [1.0, 0.0]}, 100_000, np.random.default_rng(1))
    seen = np.bincount(column, minlength=2)
    follows(seen, [0.75, 0.25])
    with pytest.raises(AssertionError):
        follows(seen, [2.8 / 3.8, 1 / 3.8])


# Who is asked which question.


HOUSE = {
    "slug": "house",
    "title": "House",
    "questions": [
        {"name": "smokes", "type": "yes_no", "label": "?", "privacy": "none",
         "prefer_not_to_say": True},
        {"name": "a_day", "type": "number", "label": "?", "min": 0, "max": 40, "privacy": "none",
         "relevant": {"smokes": "yes"}},
        {"name": "quit", "type": "yes_no", "label": "?", "privacy": "none",
         "relevant": {"smokes": ["yes", "prefer_not_to_say"], "a_day": {"min": 10, "max": 30}}},
        {"name": "why", "type": "select_one", "label": "?", "choices": choices(3),
         "privacy": "none", "relevant": {"quit": "yes"}, "otherwise": "c1"},
        {"name": "note", "type": "note", "label": "Now for something else."},
        {"name": "tried", "type": "select_multiple", "label": "?", "choices": choices(3),
         "privacy": "none", "relevant": {"smokes": "yes"}, "prefer_not_to_say": True},
        {"name": "again", "type": "number", "label": "?", "min": 0, "max": 10, "privacy": "none",
         "relevant": {"tried": ["c0", "c2"]}, "otherwise": 3},
        {"name": "boxes", "type": "select_multiple", "label": "?", "choices": choices(4),
         "privacy": "none", "relevant": {"again": {"min": 5}}, "otherwise": ["c1", "c3"]},
        {"name": "words", "type": "text", "label": "?", "privacy": "none"},
    ],
    "budget": {"epsilon": 1},
}  # fmt: skip
HOUSE_TRUTH = {
    "smokes": {"yes": 0.5, "no": 0.3, "prefer_not_to_say": 0.2},
    "a_day": {"mean": 20, "sd": 12},
    "quit": {"yes": 0.6},
    "why": {"c0": 0.3, "c1": 0.3, "c2": 0.4},
    "tried": {"c0": 0.3, "c1": 0.5, "c2": 0.2, "prefer_not_to_say": 0.1},
    "again": {"0": 0.3, "7": 0.7},
    "boxes": {"c0": 0.5, "c1": 0.5, "c2": 0.5, "c3": 0.5},
}


def test_every_simulated_respondent_follows_the_rules():
    """With non-private questions the reports are the answers, so each respondent can be checked."""
    survey = parse_survey(HOUSE)
    truth = read_truth(HOUSE_TRUTH, survey)
    columns = simulated(survey, truth, 20_000, np.random.default_rng(1))
    yes, no, declined = 0, 1, 2
    seen = Counter()
    for smokes, a_day, quits, why, tried, again, boxes, words in zip(*columns, strict=True):
        # 0 to 40, then "not asked".
        assert (a_day == 41) == (smokes != yes)
        # A number that is not asked satisfies no condition, so declining leads to no further
        # question.
        assert (quits == 2) == (not (smokes == yes and 10 <= a_day <= 30))
        assert why == 1 or quits == yes
        asked = smokes == yes
        # Choices, "prefer not to say", "not asked".
        assert tried[4] == ("0" if asked else "1")
        if not asked or tried[3] == "1":
            assert tried[:3] == "000"
        goes_on = asked and (tried[0] == "1" or tried[2] == "1")
        assert again in ((0, 7) if goes_on else (3,))
        assert boxes == "0101" or (goes_on and again == 7)
        assert words == ""
        seen[smokes, quits, again] += 1
    assert {smokes for smokes, _, _ in seen} == {yes, no, declined}
    # Every path occurs.
    assert len(seen) > 8


def test_the_simulated_shares_are_those_asked_for():
    """Binomial counts within 6.5 standard errors, 1e-10 each, with fixed seeds."""
    survey = parse_survey(HOUSE)
    truth = read_truth(HOUSE_TRUTH, survey)
    n = 100_000
    columns = simulated(survey, truth, n, np.random.default_rng(2))
    smokes, tried = np.array(columns[0]), letters(columns[4])
    among = smokes == 0
    expected = [
        (smokes == 0, n, 0.5),
        (smokes == 2, n, 0.2),
        (among & (tried[:, 3] == "1"), among.sum(), 0.1),
        # Respondents who decline tick no other box.
        (among & (tried[:, 0] == "1"), among.sum(), 0.3 * 0.9),
        (among & (tried[:, 1] == "1"), among.sum(), 0.5 * 0.9),
    ]
    for event, of, chance in expected:
        assert abs(event.sum() - of * chance) < 6.5 * math.sqrt(of * chance * (1 - chance))
    numbers = np.array(columns[1])[among]
    assert abs(numbers.mean() - 20) < 6.5 * 12 / math.sqrt(len(numbers)) + 0.1


PRIVATE_HOUSE = {
    "slug": "house",
    "title": "House",
    "questions": [
        yes_no(),
        {"name": "a_day", "type": "number", "label": "?", "min": 0, "max": 40,
         "privacy": {"epsilon": 2}, "relevant": {"smokes": "yes"}, "prefer_not_to_say": True},
        {"name": "why", "type": "select_one", "label": "?", "choices": choices(3),
         "privacy": {"epsilon": 2}, "relevant": {"smokes": "yes"}, "otherwise": "c1"},
        {"name": "tried", "type": "select_multiple", "label": "?", "choices": choices(8),
         "privacy": {"epsilon": 2}, "relevant": {"smokes": "yes"}, "prefer_not_to_say": True},
        {"name": "party", "type": "select_one", "label": "?", "choices": choices(12),
         "privacy": {"epsilon": 1}, "relevant": {"smokes": "no"}},
    ],
    "budget": {"epsilon": 9},
}  # fmt: skip


def test_private_questions_that_are_hidden_report_what_the_definition_says():
    """Estimates within 6.5 standard errors, 1e-10 each, with fixed seeds.

    Half of the respondents smoke.
    """
    survey = parse_survey(PRIVATE_HOUSE)
    truth = read_truth(
        {
            "smokes": {"yes": 0.5},
            "a_day": {"10": 0.8, "prefer_not_to_say": 0.2},
            "why": {"c0": 0.6, "c1": 0.2, "c2": 0.2},
            "tried": {"c0": 0.5, "c7": 0.2, "prefer_not_to_say": 0.4},
            "party": {"c3": 1.0, **{f"c{x}": 0.0 for x in range(12) if x != 3}},
        },
        survey,
    )
    columns = simulated(survey, truth, 100_000, np.random.default_rng(3))
    assert all(report is not None for column in columns for report in column)
    expected = {
        "a_day": {"prefer_not_to_say": 0.1, "not_asked": 0.5, "8-10": None},
        "why": {"c0": 0.3, "c1": 0.1 + 0.5, "c2": 0.1},
        "tried": {"c0": 0.15, "c1": 0, "c7": 0.06, "prefer_not_to_say": 0.2, "not_asked": 0.5},
        "party": {"c3": 0.5, "c0": 0, "not_asked": 0.5},
    }
    for question, column in zip(survey.questions, columns, strict=True):
        results = question_results(question, tally(question, column))
        answers = {answer.choice.name: answer for answer in results.answers}
        for name, share in expected.get(question.name, {}).items():
            if share is not None:
                assert abs(answers[name].value - share) < 6.5 * answers[name].standard_error, name
    numbers = question_results(survey.questions[1], tally(survey.questions[1], columns[1]))
    mean = numbers.quantities[0]
    assert abs(mean.value - 10) < 6.5 * mean.standard_error


# Who reports on which question.


def test_chance_picks_each_set_of_questions_equally_often():
    """Two of four private questions: six sets, chi-square with a false-alarm rate of 1e-9.

    The sample does not depend on the answers either, at the same rate.
    """
    questions = [yes_no(name) for name in "abcd"]
    plain = {"name": "e", "type": "yes_no", "label": "?", "privacy": "none"}
    survey = parse_survey(
        definition(questions[0], plain, *questions[1:], budget={"per_respondent": {"sample": 2}})
    )
    truth = {name: [0.9, 0.1] for name in "abcde"}
    columns = simulated(survey, truth, 120_000, np.random.default_rng(4))
    assert None not in columns[1]
    private = [column for place, column in enumerate(columns) if place != 1]
    here = np.array([[report is not None for report in column] for column in private])
    assert (here.sum(axis=0) == 2).all()
    sets = Counter("".join(map(str, np.flatnonzero(row))) for row in here.T)
    assert len(sets) == 6
    follows(np.array(list(sets.values())), np.full(6, 1 / 6))
    picked = np.array([report for report in private[0] if report is not None])
    follows(np.bincount(picked, minlength=2), [0.9 * 0.75 + 0.1 * 0.25, 0.1 * 0.75 + 0.9 * 0.25])


def test_chance_picks_each_set_of_boxes_equally_often():
    """Three of six boxes: twenty sets, chi-square with a false-alarm rate of 1e-9.

    Each box's reports are tested separately.
    """
    privacy = {"mechanism": "sampled_boxes", "odds": 3, "sample": 3}
    survey = survey_of(
        {"type": "select_multiple", "choices": choices(6), "privacy": privacy},
        budget={"epsilon": 4},
    )
    shares = [0.0, 1.0, 0.5, 0.2, 0.9, 0.3]
    (column,) = simulated(survey, {"x": shares}, 100_000, np.random.default_rng(5))
    sets = Counter("".join("-" if letter == "-" else "x" for letter in row) for row in column)
    assert len(sets) == 20
    follows(np.array(list(sets.values())), np.full(20, 1 / 20))
    every = letters(column)
    for box, share in enumerate(shares):
        said = Counter(every[:, box].tolist())
        chance = 0.25 + 0.5 * share
        follows(np.array([said["1"], said["0"]]), [chance, 1 - chance])


TEN_BOXES = {
    "type": "select_multiple",
    "choices": choices(10),
    "privacy": {"epsilon": "1.0986122886681098"},
}


@pytest.mark.slow
def test_ten_boxes_at_ln_3_have_a_standard_error_of_the_root_of_ten_over_n():
    """The standard errors in the results.

    10,000 reports are distributed over the ten boxes, 1,000 +- 30 each. One box's standard error
    then has a relative deviation of 1.5 %, and their mean one of 0.1 %. The false-alarm rate is
    6e-7 for each box at 7.5 %, and negligible for the mean.
    """
    survey = survey_of(TEN_BOXES, budget={"epsilon": 1.1})
    question, n = survey.questions[0], 10_000
    assert question.randomizer == Boxes(10, 1, ((3, 1), (1, 3)))
    (column,) = simulated(survey, {"x": [0.5] * 10}, n, np.random.default_rng(6))
    results = question_results(question, tally(question, column))
    errors = [answer.standard_error for answer in results.answers]
    assert sum(answer.n for answer in results.answers) == results.n == n
    assert np.mean(errors) == pytest.approx(math.sqrt(10 / n), rel=0.05)
    for error in errors:
        assert error == pytest.approx(math.sqrt(10 / n), rel=0.075)


@pytest.mark.slow
def test_ten_boxes_at_ln_3_vary_by_the_root_of_ten_over_n():
    """The observed errors in 500 surveys of 10,000 respondents, with ten boxes each.

    The root mean square of 5,000 errors has a relative deviation of 1 %, so a difference of 5 % has
    probability 1 in 2e6. The seeds are fixed.
    """
    survey = survey_of(TEN_BOXES, budget={"epsilon": 1.1})
    n, surveys, shares = 10_000, 500, np.full(10, 0.5)
    generator, squares = np.random.default_rng(7), []
    for _ in range(surveys // 5):
        (column,) = simulated(survey, {"x": shares}, 5 * n, generator)
        for said in letters(column).reshape(5, n, 10):
            ticked, seen = (said == "1").sum(axis=0), (said != "-").sum(axis=0)
            squares.append((2 * ticked / seen - 1 / 2 - shares) ** 2)
    assert math.sqrt(np.mean(squares)) == pytest.approx(math.sqrt(10 / n), rel=0.05)


# The responses themselves.


def test_the_same_seed_gives_the_same_reports_under_new_ids():
    survey = parse_survey(PRIVATE_HOUSE)
    truth = read_truth(
        {
            "smokes": {"yes": 0.5},
            "a_day": {"mean": 10, "sd": 5},
            "why": {"c0": 0.6, "c1": 0.2, "c2": 0.2},
            "tried": {},
            "party": {f"c{x}": 1 / 12 for x in range(12)},
        },
        survey,
    )
    runs = [
        list(chain.from_iterable(simulate_responses(survey, truth, 12_345, seed)))
        for seed in (1, 1, 2)
    ]
    assert [len(run) for run in runs] == [12_345] * 3
    reports = [[response.reports for response in run] for run in runs]
    assert reports[0] == reports[1] != reports[2]
    ids = {response.id for run in runs for response in run}
    assert len(ids) == 3 * 12_345


def test_every_simulated_report_could_have_been_sent():
    """The parser of responses accepts them: the same forms, the same widths."""
    survey = parse_survey({**PRIVATE_HOUSE, "budget": {"per_respondent": {"sample": 2}}})
    truth = {q.name: truth_of(q) if q.type != "yes_no" else [0.5, 0.5] for q in survey.fields}
    for question in survey.fields:
        truth[question.name] = list(truth[question.name])
        if question.offers_to_decline:
            truth[question.name].append(0.1)
    columns = simulated(survey, truth, 2_000, np.random.default_rng(8))
    for question, column in zip(survey.fields, columns, strict=True):
        assert None in column
        for report in column:
            if report is not None:
                text = report if isinstance(report, str) else f"{report:0{question.form.width}d}"
                assert question.form.read(text) == report


def test_simulated_respondents_choose_what_they_are_offered():
    """20,000 respondents: shares within five standard errors, in proportion to those offered."""
    content = cascades.chain(2, 1)
    content[1]["prefer_not_to_say"] = True
    survey = parse_survey(definition(*content))
    truth = {
        "province": [0.5, 0.3, 0.2],
        # Nobody is assumed to live in a district of the last province.
        "district": [0.3, 0.1, 0.1, 0.3, 0, 0, 0.2],
        "commune": [1 / 6] * 6,
    }
    n = 20_000
    drawn = draw_answers(survey, truth, n, np.random.default_rng(2))
    province, district, commune = (drawn[name] for name in ("province", "district", "commune"))
    declined = district == 6
    within = (district // 2 == province) | declined
    assert within.all()
    # Each district has one commune. Who declines has no district, so there is none to choose.
    assert (commune[declined] == 6).all()
    assert (commune[~declined] == district[~declined]).all()
    for place, expected in enumerate((0.75, 0.25)):
        among = (province == 0) & ~declined
        error = 5 * math.sqrt(0.75 * 0.25 / among.sum())
        assert (district[among] == place).mean() == pytest.approx(expected, abs=error)
    assert declined.mean() == pytest.approx(0.2, abs=5 * math.sqrt(0.16 / n))
    last = (province == 2) & ~declined
    assert (district[last] == 4).mean() == pytest.approx(0.5, abs=5 * 0.5 / math.sqrt(last.sum()))


def test_every_simulated_response_to_random_conditions_could_have_been_sent():
    """The server accepts the reports of simulated respondents, boxes included."""
    for seed in range(12):
        survey = parse_survey(cascades.random_cascade(seed))
        known = {question.name: question for question in survey.fields}
        truth = {
            name: [0.5 if each.kind.boxes else 1.0] * (each.grid.size if each.grid else 0)
            or [0.2] * len(each.offered)
            for name, each in known.items()
        }
        for name, each in known.items():
            if each.grid and each.offers_to_decline:
                truth[name].append(1.0)
        for responses in simulate_responses(survey, truth, 60, seed):
            for response in responses:
                require_offered(survey.fields, response.reports)
