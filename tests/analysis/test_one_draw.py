"""The score test of answers from one draw: scipy's maximum, Pearson's test, and its level."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2, chi2_contingency

from survey.analysis.columns.tick_boxes import box_column
from survey.analysis.tables.association import wald_test
from survey.analysis.tables.independence import score_test
from survey.analysis.tables.joint_shares import joint_shares
from survey.core.errors import UnanswerableQuestion
from survey.definition.survey import parse_survey
from tests.support.joint_reports import (
    columns_of,
    combinations_of,
    report_on,
    survey_of_items,
    transitions,
)
from tests.support.regressed import YES_NO, column


def pair(items, seed, n=400, **options):
    """The joint shares of all questions of a joint question, and its counts of reports."""
    r = np.random.default_rng(seed)
    survey, question = survey_of_items(items, **options)
    reported = report_on(r, question, r.integers(0, question.table.answers, n))
    names = [name.rstrip("?") for name in items]
    joint = joint_shares(columns_of(survey, question, reported, names))
    return joint, question, np.bincount(reported, minlength=question.table.answers)


def pearson(question, counts, free):
    """Pearson's statistic at the most likely independent shares, found by scipy.

    `free` has the combinations with a special answer, whose shares are parameters of their own.
    """
    combinations, table = combinations_of(question), transitions(question)
    listed = np.setdiff1d(np.arange(len(table)), free)
    sizes = combinations[listed].max(axis=0) + 1
    ends = np.cumsum(sizes)

    def expected(theta):
        mass = np.exp(np.append(theta[ends[-1] :], 0))
        cells = np.zeros(len(table))
        cells[free], product = mass[:-1], np.ones(len(listed))
        for axis, end in enumerate(ends):
            part = np.exp(theta[end - sizes[axis] : end])
            product = product * (part / part.sum())[combinations[listed, axis]]
        cells[listed] = product
        return cells / cells.sum() @ table

    best = minimize(
        lambda theta: -counts @ np.log(expected(theta)),
        np.zeros(ends[-1] + len(free)),
        method="BFGS",
        options={"gtol": 1e-7},
    )
    fitted = counts.sum() * expected(best.x)
    return ((counts - fitted) ** 2 / fitted).sum()


@pytest.mark.parametrize(
    ("items", "free", "degrees"),
    [
        ({"drinks": 2, "smokes": 3}, [], 2),
        ({"drinks": 2, "smokes": 2, "drives": 2}, [], 4),
        ({"drinks?": 2, "smokes": 2}, [4, 5], 1),
        ({"drinks?": 2, "smokes?": 2}, [2, 5, 6, 7, 8], 1),
    ],
    ids=["two", "three", "one declined", "both declined"],
)
def test_it_is_pearsons_statistic_at_the_most_likely_independent_shares(items, free, degrees):
    joint, question, counts = pair(items, 3)
    found = score_test(joint)
    assert found.statistic == pytest.approx(pearson(question, counts, free), rel=1e-5)
    assert found.degrees == degrees
    assert found.p == pytest.approx(chi2.sf(found.statistic, degrees))


def test_without_noise_it_is_pearsons_test_of_the_answers():
    joint, _, counts = pair({"drinks": 2, "smokes": 3}, 4, odds=10**9)
    expected = chi2_contingency(counts.reshape(2, 3), correction=False)
    found = score_test(joint)
    assert (found.statistic, found.degrees) == (pytest.approx(expected.statistic, rel=1e-5), 2)


def test_another_question_beside_two_of_one_draw_has_its_own_table():
    r, n = np.random.default_rng(5), 600
    survey, question = survey_of_items({"drinks": 2, "smokes": 2}, odds=10**9)
    answers, sex = r.integers(0, 4, n), r.integers(0, 2, n)
    drinks, smokes = columns_of(survey, question, answers, ["drinks", "smokes"])
    table = np.zeros((2, 2, 2))
    np.add.at(table, (*combinations_of(question)[answers].T, sex), 1)
    found = score_test(joint_shares([drinks, column("sex", YES_NO, sex), smokes]))
    expected = chi2_contingency(table, correction=False)
    assert (found.statistic, found.degrees) == (pytest.approx(expected.statistic, rel=1e-5), 4)


def test_an_answer_that_nobody_seems_to_give_has_a_test():
    """The estimates of one row are below zero, so its most likely share is zero."""
    survey, question = survey_of_items({"drinks": 2, "smokes": 2})
    reported = np.repeat(np.arange(4), [5, 9, 60, 50])
    joint = joint_shares(columns_of(survey, question, reported, ["drinks", "smokes"]))
    assert joint.shares[:2].sum() < 0
    found = score_test(joint)
    assert 0 <= found.statistic < 3
    assert found.degrees == 1


def test_reports_without_a_complete_table_have_no_test():
    joint, _, _ = pair({"drinks": 2, "smokes": 2}, 6)
    sample = replace(joint.sample, all_listed=False)
    with pytest.raises(UnanswerableQuestion, match="no complete table of the probabilities"):
        score_test(replace(joint, sample=sample))


def test_if_nobody_seems_to_give_a_listed_answer_there_is_no_test():
    survey, question = survey_of_items({"drinks?": 2, "smokes": 2})
    reported = np.repeat(np.arange(6), [1, 1, 1, 1, 30, 30])
    joint = joint_shares(columns_of(survey, question, reported, ["drinks", "smokes"]))
    with pytest.raises(UnanswerableQuestion, match="nobody answered all these questions"):
        score_test(joint)


def rejections(items, shares, n, times, epsilon, seed, names=None):
    """The shares of simulated surveys in which the score test and Wald's reject at 5 %.

    `shares` are those of the combinations.
    """
    r = np.random.default_rng(seed)
    survey, question = survey_of_items(items, epsilon)
    each = np.arange(question.table.answers)
    names = names or [name.rstrip("?") for name in items]
    joint = joint_shares(columns_of(survey, question, np.repeat(each, 5), names))
    chances = np.bincount(
        joint.sample.codes[::5],
        np.asarray(shares) @ transitions(question),
        len(joint.sample.counts),
    )
    rejected = np.zeros(2)
    for counts in r.multinomial(n, chances / chances.sum(), times):
        sample = replace(
            joint.sample,
            counts=counts.astype(float),
            shares=counts / n,
            codes=np.repeat(np.arange(len(counts)), counts),
        )
        found = sample.mean(joint.scores)
        spread = sample.covariance(joint.scores - found)
        drawn = replace(joint, sample=sample, shares=found, covariance=spread)
        rejected += [score_test(drawn).p < 0.05, wald_test(drawn).p < 0.05]
    return rejected / times


def independent(items, *shares):
    """The shares of all combinations of independent answers."""
    _, question = survey_of_items(items)
    combinations = combinations_of(question)
    return np.prod([np.array(s)[combinations[:, i]] for i, s in enumerate(shares)], axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("n", [200, 1_000])
@pytest.mark.parametrize(
    ("items", "shares"),
    [
        ({"drinks": 2, "smokes": 2}, [(0.3, 0.7), (0.4, 0.6)]),
        ({"drinks": 2, "smokes": 2, "drives": 2}, [(0.3, 0.7), (0.4, 0.6), (0.2, 0.8)]),
        ({"drinks?": 2, "smokes": 2}, [(0.3, 0.6, 0.1), (0.4, 0.6)]),
    ],
    ids=["two", "three", "declined"],
)
def test_it_rejects_independence_in_about_one_of_twenty_surveys(items, shares, n):
    """800 surveys: a level of 0.05 is outside 0.02 to 0.08 once in 15,000.

    The true level must be below 0.04 or above 0.06 by about 0.01 more to fail half the time.
    """
    level, _ = rejections(items, independent(items, *shares), n, 800, 2.0, n)
    assert 0.02 < level < 0.08


@pytest.mark.slow
def test_it_rejects_independence_as_often_for_sets_of_combinations():
    """500 surveys of three questions: the level 0.05 has a standard error of 0.01."""
    items, r = {"drinks": 2, "smokes": 3, "drives": 2}, np.random.default_rng(3)
    survey, question = survey_of_items(items, 2.0, mechanism="subset_selection")
    assert question.table is None
    shares = independent(items, (0.3, 0.7), (0.4, 0.3, 0.3), (0.2, 0.8))
    rejected = 0
    for _ in range(500):
        reported = report_on(r, question, r.choice(12, 1_000, p=shares))
        rejected += score_test(joint_shares(columns_of(survey, question, reported, items))).p < 0.05
    assert 0.02 < rejected / 500 < 0.08


@pytest.mark.slow
def test_it_finds_a_relation_as_often_as_walds_test():
    """600 surveys: a power of 0.7 has a standard error of 0.02, the difference a smaller one."""
    items = {"drinks": 2, "smokes": 2}
    score, wald = rejections(items, [0.25, 0.15, 0.2, 0.4], 250, 600, 2.0, 8)
    assert 0.5 < score < 0.9
    assert score > wald - 0.02


def test_boxes_of_one_table_have_the_test_of_a_joint_question():
    """The bits of a report on boxes are the answers of one to a joint question."""
    items = ({"name": name, "label": name} for name in "cdf")
    asked = {"name": "pets", "type": "select_multiple", "label": "Pets", "choices": [*items]}
    asked["privacy"] = {"mechanism": "joint_boxes", "epsilon": 2}
    boxes = parse_survey(
        {"slug": "pets", "title": "P", "language": "en", "budget": {"epsilon": 3}}
        | {"questions": [asked]}
    ).fields[0]
    survey, question = survey_of_items({"c": 2, "d": 2, "f": 2}, 2.0)
    r = np.random.default_rng(9)
    reported = r.choice(8, 300, p=np.array([5, 1, 1, 3, 2, 1, 2, 5]) / 20)
    ticked = [reported >> bit & 1 for bit in range(3)]
    combined = sum((1 - each) * 2 ** (2 - bit) for bit, each in enumerate(ticked))
    found, expected = (
        score_test(joint_shares(columns))
        for columns in (
            [box_column(boxes, reported.tolist(), name) for name in "cd"],
            columns_of(survey, question, combined, ["c", "d"]),
        )
    )
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-6)
    assert found.statistic > 1
