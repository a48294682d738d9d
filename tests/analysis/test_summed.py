"""Sums of several questions: closed forms, enumeration of all reports, designs, and coverage."""

import math
from itertools import product

import numpy as np
import pytest

from survey.analysis import SurveyDesign
from survey.analysis.as_json import comparison_json
from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.summed import name_of_sum, summable_variables, summed_names
from survey.analysis.groups.figures import ratio_estimate
from survey.analysis.groups.group_blocks import comparison_blocks
from survey.analysis.groups.groups import compare
from survey.analysis.groups.measures import measure_of
from survey.analysis.tables.association import MOVER
from survey.core.errors import UnanswerableQuestion
from survey.core.scores import probabilities
from survey.definition.survey import parse_survey
from tests.support.analysed import reported
from tests.support.blocks import texts_in
from tests.support.definitions import definition, yes_no
from tests.support.every_type import ONE_BIT, SUBSETS, UNARY, asked, letters

pytestmark = pytest.mark.fast

RATED = {"choices": letters("abc")}
MIXED = parse_survey(
    definition(
        yes_no("drinks") | {"prefer_not_to_say": True},
        asked("mood", "scale", {"epsilon": 1}, **RATED),
        asked("age", "number", "none", min=0, max=3),
        asked("clubs", "select_multiple", {"mechanism": "joint_boxes", "epsilon": 2},
              choices=letters("xy"), prefer_not_to_say=True),
        asked("pay", "number", {"epsilon": 1}, min=0, max=40, relevant={"age": {"min": 2}}),
        asked("region", "select_one", "none", choices=letters("ns")),
    )
)  # fmt: skip
ITEMS = ["drinks", "mood", "age", "clubs/x", "clubs/y", "pay"]
POINTS = "mood: a 4, b 2, c -1\nage: 2; clubs/y: -3"
QUESTIONS = {question.name: question for question in MIXED.fields}


def coins(k, group="none"):
    """A survey of k questions with two coins, and a question that defines two groups."""
    names = [f"q{place}" for place in range(k)]
    survey = parse_survey(definition(*map(yes_no, names), yes_no("group", group)))
    return survey, names


def of_coins(answers, group, generator):
    """The columns of the sum and of the groups, for answers of shape (n, k), 0 for yes."""
    survey, names = coins(answers.shape[1])
    reports = [
        reported(generator, survey.fields[place].table, answers[:, place])
        for place in range(answers.shape[1])
    ]
    rows = list(zip(*(each.tolist() for each in (*reports, group)), strict=True))
    return np.column_stack(reports), columns_and_design(
        survey, rows, [name_of_sum(names, ""), "group"]
    )[0]


# Scores.


def points_by_hand(answers):
    """The sum of the points of MIXED, and 1 or 0 for whether the respondent counts."""
    drinks, mood, age, clubs, pay = answers
    boxes = [[1, -3], [0, -3], [1, 0], [0, 0], [0, 0]]  # by what is left unticked
    numbers = QUESTIONS["pay"].levels
    worth = 0 if pay == numbers.size else float(numbers.value(pay))
    if drinks == 2 or clubs == 4:
        return 0, 0
    ticked = sum(boxes[clubs])
    return [1, 0][drinks] + [4, 2, -1][mood] + 2 * age + ticked + worth, 1


def answers_of_clubs(code):
    """The place in `boxes` of a combination in the order of the joint table: x in bit 0."""
    if code == 4:
        return 4
    x, y = code & 1, code >> 1 & 1
    return {(1, 1): 0, (0, 1): 1, (1, 0): 2, (0, 0): 3}[x, y]


def test_scores_are_unbiased_for_every_combination_of_answers():
    """All possible reports of each respondent are enumerated."""
    tables = [
        np.eye(4) if name == "age" else probabilities(QUESTIONS[name].table)
        for name in ("drinks", "mood", "age", "clubs", "pay")
    ]
    rows = [(*codes, 0) for codes in product(*(range(each.shape[1]) for each in tables))]
    name = name_of_sum(ITEMS, POINTS)
    (column, _), _ = columns_and_design(MIXED, rows, [name, "region"])
    shape = [each.shape[1] for each in tables]
    for scores, part in ((column.value_scores, 0), (column.summed.counted, 1)):
        expected = scores[column.reports].reshape(shape)
        for axis, table in enumerate(tables):
            expected = np.moveaxis(np.tensordot(table, expected, axes=(1, axis)), 0, axis)
        for answers in product(*(range(len(each)) for each in tables)):
            drinks, mood, age, clubs, pay = answers
            true = points_by_hand((drinks, mood, age, answers_of_clubs(clubs), pay))[part]
            assert expected[answers] == pytest.approx(true, abs=1e-8)
    assert column.answers == ("Prefer not to say",)
    assert column.summed.ends == (0 - 1 + 0 - 3 + 0, 1 + 4 + 6 + 1 + 40)


@pytest.mark.parametrize("k", [2, 5, 9])
def test_two_coins_have_their_closed_form(k):
    """A score is 2 r - 1/2 for a report r, so that of a sum is 2 (sum of r) - k/2."""
    r, n = np.random.default_rng(k), 400
    answers, group = r.integers(0, 2, (n, k)), r.integers(0, 2, n)
    reports, (column, by) = of_coins(answers, group, r)
    scores = 2 * (reports == 0).sum(axis=1) - k / 2
    found = compare(column, by)
    assert found.everyone.value == pytest.approx(scores.mean())
    assert found.everyone.standard_error == pytest.approx(scores.std(ddof=1) / math.sqrt(n))
    means = [scores[group == place].mean() for place in range(2)]
    assert [each.figure.value for each in found.groups] == pytest.approx(means)
    (difference,) = found.differences
    assert difference.figure.value == pytest.approx(means[1] - means[0])
    # Sums with the same number of reports “yes” have the same score.
    assert len(column.value_scores) == k + 1
    assert column.all_listed


def test_the_variance_has_the_covariance_of_the_items():
    """In every sample, questions that go together make the sum vary more than apart."""
    r, n, k = np.random.default_rng(3), 2_000, 4
    same = np.repeat(r.integers(0, 2, (n, 1)), k, axis=1)
    opposite = np.where(np.arange(k) % 2, same, 1 - same)
    errors = [
        compare(*of_coins(answers, np.arange(n) % 2, r)[1]).everyone.standard_error
        for answers in (same, opposite)
    ]
    # A report varies by 1/4. Two reports on the same answer have the covariance 1/16.
    together = 4 * (k / 4 + k * (k - 1) / 16)
    apart = 4 * (k / 4 + (k / 2) * (k / 2 - 1) * 2 / 16 - 2 * (k / 2) ** 2 / 16)
    expected = [math.sqrt(each / n) for each in (together, apart)]
    assert errors == pytest.approx(expected, rel=0.05)


def test_joint_items_are_not_multiplied_as_independent():
    """The mean of a sum of two joint items is that of their combinations in the joint table."""
    items = [yes_no("a", "not_sent"), yes_no("b", "not_sent")]
    joint = asked("both", "joint", {"epsilon": 1}, derived={"joint": ["a", "b"]})
    survey = parse_survey(definition(*items, joint, yes_no("group", "none")))
    question = survey.fields[0]
    k = question.table.reports
    rows = [(report, 0) for report in range(k)] * 2
    name = name_of_sum(["both/a", "both/b"], "")
    column = columns_and_design(survey, rows, [name, "group"])[0][0]
    expected = probabilities(question.table) @ column.value_scores[column.reports[:k]]
    yes = [answer.label.count("Yes") for answer in question.answers]
    assert expected == pytest.approx(yes)


def test_with_too_many_different_scores_only_those_that_occur_are_listed():
    k, n = 11, 300
    survey, names = coins(k)
    reports = np.random.default_rng(5).integers(0, 2, (n, k))
    points = "\n".join(f"{name}: yes {2**place}, no 0" for place, name in enumerate(names))
    rows = [(*map(int, row), 0) for row in reports]
    column = columns_and_design(survey, rows, [name_of_sum(names, points), "group"])[0][0]
    assert not column.all_listed
    assert len(column.value_scores) < 2**k
    by_hand = (2 * (reports == 0) - 1 / 2) @ 2 ** np.arange(k)
    assert column.value_scores[column.reports] == pytest.approx(by_hand)
    with pytest.raises(UnanswerableQuestion, match="too many combinations of reports"):
        compare(
            *columns_and_design(survey, rows, [name_of_sum(names, points), "group"])[0],
            SurveyDesign(populations=np.full(n, 2 * n)),
        )


def test_a_question_asked_in_two_ways_can_be_a_part():
    """Group 0 is asked q directly, and group 1 by two coins. All are asked p by two coins."""
    survey = parse_survey(
        definition(
            yes_no("group", "none", label="Group?"),
            yes_no("q") | {"relevant": {"group": ["no"]}},
            yes_no("direct", "none") | {"relevant": {"group": ["yes"]}},
            yes_no("p", label="Do you drink?"),
        )
    )
    r, n = np.random.default_rng(12), 200
    group, q, direct, p = (r.integers(0, 2, n) for _ in range(4))
    rows = [
        (int(g), int(a) if g else 2, 2 if g else int(b), int(c))
        for g, a, b, c in zip(group, q, direct, p, strict=True)
    ]
    column, by = columns_and_design(survey, rows, [name_of_sum(["q+direct", "p"], ""), "group"])[0]
    joined = columns_and_design(survey, rows, ["q+direct"])[0][0]
    scores = joined.scores[joined.reports, 0] + 2 * (p == 0) - 1 / 2
    assert scores[group == 0] == pytest.approx(((direct == 0) + 2 * (p == 0) - 1 / 2)[group == 0])
    assert column.value_scores[column.reports] == pytest.approx(scores)
    found = compare(column, by)
    means = [scores[group == place].mean() for place in range(2)]
    assert [each.figure.value for each in found.groups] == pytest.approx(means)
    # Groups that were asked in different ways have no permutation test.
    assert found.overall.name == MOVER


def test_without_special_answers_the_mean_of_a_sum_is_the_sum_of_the_means():
    """Also for reports of bits, and for a mechanism that supports the mean alone."""
    kinds = {
        "party": asked("party", "select_one", UNARY, choices=letters("abc")),
        "mood": asked("mood", "scale", SUBSETS, choices=letters("12345")),
        "weight": asked("weight", "number", ONE_BIT, min=30, max=150),
    }
    survey = parse_survey(definition(*kinds.values(), yes_no("group", "none")))
    r, n = np.random.default_rng(11), 150
    subsets = ["".join("01"[place in pair] for place in range(5)) for pair in ((0, 3), (1, 2))]
    rows = [
        (
            "".join(r.choice(["0", "1"], 3)),
            str(r.choice(subsets)),
            int(r.integers(survey.fields[2].table.reports)),
            int(r.integers(2)),
        )
        for _ in range(n)
    ]
    name = name_of_sum([*kinds], "party: a 0, b 1, c 0; mood: 1 5, 2 4, 3 3, 4 2, 5 1")
    found = compare(*columns_and_design(survey, rows, [name, "group"])[0]).everyone
    party, mood, weight = (
        compare(*columns_and_design(survey, rows, [each, "group"])[0], answer=answer).everyone.value
        for each, answer in (("party", 1), ("mood", None), ("weight", None))
    )
    assert found.value == pytest.approx(party + (6 - mood) + weight)


# Designs.


def test_weights_strata_and_clusters_have_the_linearised_variance():
    r, n, k = np.random.default_rng(6), 240, 3
    answers, group = r.integers(0, 2, (n, k)), r.integers(0, 2, n)
    reports, columns = of_coins(answers, group, r)
    scores = 2 * (reports == 0).sum(axis=1) - k / 2
    weights, strata, clusters = r.integers(1, 5, n), np.arange(n) % 3, np.arange(n) // 6
    found = compare(
        *columns, SurveyDesign(weights=weights, strata=strata, clusters=clusters)
    ).everyone
    mean = np.average(scores, weights=weights)
    assert found.value == pytest.approx(mean)
    variance, u = 0.0, weights / weights.sum() * (scores - mean)
    for stratum in range(3):
        totals = np.array(
            [
                u[(strata == stratum) & (clusters == each)].sum()
                for each in np.unique(clusters[strata == stratum])
            ]
        )
        h = len(totals)
        variance += h / (h - 1) * ((totals - totals.mean()) ** 2).sum()
    assert found.standard_error == pytest.approx(math.sqrt(variance))


def test_a_census_has_only_the_variance_of_the_randomisation():
    """Each of k reports has the variance 3/16, whatever the answer is, and a score has 4 times."""
    r, n, k = np.random.default_rng(7), 200, 5
    _, columns = of_coins(r.integers(0, 2, (n, k)), r.integers(0, 2, n), r)
    whole = compare(*columns, SurveyDesign(populations=np.full(n, n))).everyone
    assert whole.standard_error == pytest.approx(math.sqrt(k * 4 * 3 / 16 / n))
    usual = compare(*columns).everyone.standard_error
    half = compare(*columns, SurveyDesign(populations=np.full(n, 2 * n))).everyone
    squares = (usual**2 + whole.standard_error**2) / 2
    assert half.standard_error**2 == pytest.approx(squares)


def test_a_census_of_special_answers_has_a_correction_too():
    """Half of the usual variance, and half of the randomisation part, which is smaller."""
    r, n = np.random.default_rng(8), 400
    answers = r.integers(0, 2, n), r.integers(0, 3, n)
    reports = [
        reported(r, QUESTIONS[name].table, each)
        for name, each in zip(("drinks", "mood"), answers, strict=True)
    ]
    fixed = {"age": 1, "clubs": 0, "pay": 0, "region": 0}
    rows = [
        tuple({"drinks": int(d), "mood": int(m), **fixed}[each.name] for each in MIXED.fields)
        for d, m in zip(*reports, strict=True)
    ]
    columns = columns_and_design(MIXED, rows, [name_of_sum(["drinks", "mood"], ""), "region"])[0]
    usual = compare(*columns).everyone.standard_error
    census, half = (
        compare(*columns, SurveyDesign(populations=np.full(n, times * n))).everyone.standard_error
        for times in (1, 2)
    )
    assert census < half < usual
    assert half**2 == pytest.approx((usual**2 + census**2) / 2)


# What is refused, and said.


def mixed_rows(n=20):
    r = np.random.default_rng(9)
    sizes = [
        4 if question.name == "age" else 2 if question.non_private else question.table.reports
        for question in MIXED.fields
    ]
    return [tuple(int(r.integers(size)) for size in sizes) for _ in range(n)]


@pytest.mark.parametrize(
    ("items", "points", "message"),
    [
        (["drinks", "region"], "", "The answers to “What of region?” have no usual points. Type "
         "points, such as: region: n 0, s 1"),
        (["drinks", "mood"], "age: 2", "The points name “age”, which is not a question of the "
         "sum. Tick it, or delete its line. The questions are: drinks, mood."),
        (["drinks", "mood"], "mood: a 1", "mood: must give points to each of: a, b, c."),
        (["drinks", "age"], "age: much", "age: must be a whole number, at most a million."),
        (["drinks", "mood"], "mood: a 1, b, c 2", "“mood: a 1, b, c 2” does not give points."),
        (["drinks", "mood"], "mood: a 1.5, b 0, c 2",
         "mood.a: must be a whole number, at most a million."),
        (["drinks", "mood"], "mood: a 1, b 2, c 3\nmood: a 1, b 2, c 3",
         "“mood” is used twice. Delete one of the lines."),
    ],
)  # fmt: skip
def test_wrong_points_are_refused(items, points, message):
    with pytest.raises(UnanswerableQuestion) as caught:
        columns_and_design(MIXED, mixed_rows(), [name_of_sum(items, points), "region"])
    assert str(caught.value).startswith(message)


def test_a_private_question_cannot_define_the_groups_of_its_own_sum():
    columns, _ = columns_and_design(
        MIXED, mixed_rows(), [name_of_sum(["drinks", "clubs/x"], ""), "clubs/y"]
    )
    with pytest.raises(UnanswerableQuestion, match="Y” is a question of the sum, or is rando"):
        compare(*columns)


def test_without_responses_there_is_no_sum():
    with pytest.raises(UnanswerableQuestion, match="No responses are published yet"):
        columns_and_design(MIXED, [], [name_of_sum(["drinks", "mood"], ""), "region"])


def test_questions_that_nobody_answers_together_are_refused():
    """Each browser reports on two of three questions, so a sum of three has no responses."""
    three = [yes_no(f"q{place}") for place in range(3)]
    survey = parse_survey(
        definition(*three, yes_no("group", "none"), budget={"per_respondent": {"sample": 2}})
    )
    r = np.random.default_rng(10)
    rows = []
    for place in range(300):
        row = [int(each) for each in r.integers(0, 2, 4)]
        row[place % 3] = None
        rows.append(tuple(row))
    with pytest.raises(UnanswerableQuestion, match="No response has a report on all questions"):
        columns_and_design(survey, rows, [name_of_sum(["q0", "q1", "q2"], ""), "group"])
    (column, by), _ = columns_and_design(survey, rows, [name_of_sum(["q0", "q1"], ""), "group"])
    found = compare(column, by)
    assert (found.n, found.left_out) == (100, 200)
    scores = [2 * ((row[0] == 0) + (row[1] == 0)) - 1 for row in rows if None not in row[:2]]
    assert found.everyone.value == pytest.approx(np.mean(scores))


def test_the_page_says_what_is_summed_and_who_counts():
    columns, _ = columns_and_design(MIXED, mixed_rows(60), [name_of_sum(ITEMS, POINTS), "region"])
    found = compare(*columns)
    texts = texts_in(comparison_blocks(found))
    assert "A question of the sum that is not asked has 0 points, or those of its" in texts
    assert "gave none of these answers to a question of the sum: “Prefer not to say”." in texts
    assert "either question" not in texts
    content = comparison_json(found)
    assert content["sum"] == [
        {"question": "1. Do you smoke?", "points": "Yes 1, No 0"},
        {"question": "2. What of mood?", "points": "A 4, B 2, C −1"},
        {"question": "3. What of age?", "points": "number × 2"},
        {"question": "4. What of clubs? X", "points": "Ticked 1, Not ticked 0"},
        {"question": "4. What of clubs? Y", "points": "Ticked −3, Not ticked 0"},
        {"question": "5. What of pay?", "points": "number × 1"},
    ]
    drinks = columns_and_design(MIXED, mixed_rows(60), ["drinks"])[0][0]
    assert "sum" not in comparison_json(compare(columns[1], drinks))


def test_the_name_of_a_sum_has_each_variable_once():
    assert summed_names(name_of_sum(["a", "b+c", "a"], "x: 2\ny: 3")) == ["a", "b+c"]


def test_arms_rankings_and_crosswise_questions_have_no_points():
    names = {each.name for each in summable_variables(MIXED)}
    assert names == {*ITEMS, "region"}


# Coverage.


def traits(kind, generator, n):
    """Answers to four questions, 0 for yes, and the share of yes."""
    if kind == "positive":
        likely = np.where(generator.random(n) < 0.3, 0.8, 0.1)[:, np.newaxis]
        return np.where(generator.random((n, 4)) < likely, 0, 1), 0.31
    if kind == "negative":
        # Exactly two of the four are yes.
        return (np.argsort(generator.random((n, 4)), axis=1) >= 2).astype(int), 0.5
    return np.where(generator.random((n, 4)) < 0.01, 0, 1), 0.01


@pytest.mark.parametrize("n", [20, 200])
@pytest.mark.parametrize("kind", ["positive", "negative", "rare"])
def test_intervals_cover_the_true_mean(kind, n):
    """docs/explanation/analyses.md has the coverage in 2,000 samples of each kind."""
    generator, held, surveys = np.random.default_rng(n), 0, 100
    for _ in range(surveys):
        answers, share = traits(kind, generator, n)
        _, (column, _) = of_coins(answers, np.zeros(n, dtype=int), generator)
        sample, found = complete_case_sample((column,)), measure_of(column)
        scores, among = found.scores[sample.reports[:, 0]], found.among[sample.reports[:, 0]]
        figure = ratio_estimate(sample, scores, among, found.low, found.high, 0.95)
        held += figure.low <= 4 * share <= figure.high
    assert held >= 90
