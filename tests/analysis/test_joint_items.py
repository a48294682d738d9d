"""Items of a joint question in each analysis: independent figures, or a refusal that says why."""

from dataclasses import replace

import numpy as np
import pytest

from survey.analysis.changes.changes import compare_surveys
from survey.analysis.columns.available import analysable_variables
from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.columns.conditions import with_conditions
from survey.analysis.columns.single_answer import single_column
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.groups.groups import compare
from survey.analysis.regression.formula import parse_terms, split_terms
from survey.analysis.regression.regression import regress
from survey.analysis.tables.joint_shares import joint_shares
from survey.analysis.tables.one_draw import one_draw_test
from survey.analysis.trees.trees import build_decision_tree
from survey.core.errors import UnanswerableQuestion
from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities
from survey.definition.survey import parse_survey
from survey.web.analyses.change import same_variable
from survey.web.analyses.crosswise import comparable_with_crosswise
from survey.web.analyses.list_experiment import counting_questions
from tests.support.definitions import definition, yes_no
from tests.support.joint_reports import (
    columns_of,
    combinations_of,
    every_set,
    report_on,
    survey_of_items,
    transitions,
)
from tests.support.regressed import COIN, YES_NO, column, reports

SETS = "subset_selection"
TOGETHER = "randomised together. Use a cross-tabulation if they are boxes of one table, or belong"


@pytest.fixture(scope="module")
def habits():
    """A joint question of two items, 900 reports on it, and the columns of the items."""
    r = np.random.default_rng(1)
    survey, question = survey_of_items({"drinks": 2, "smokes": 3})
    reported = report_on(r, question, r.choice(6, 900, p=np.array([3, 2, 1, 4, 2, 1]) / 13))
    return survey, question, reported, columns_of(survey, question, reported, ["drinks", "smokes"])


def test_an_item_has_the_table_of_its_part(habits):
    _, question, reported, (drinks, smokes) = habits
    combinations, table = combinations_of(question), transitions(question)
    for place, item in enumerate((drinks, smokes)):
        parts = combinations[:, place]
        expected = np.array([table[0, parts == answer].sum() for answer in range(parts.max() + 1)])
        assert item.chances[0] == pytest.approx(expected)
        assert (item.reports == parts[reported]).all()


def test_groups_by_another_question_have_the_shares_of_each_group(habits):
    _, question, reported, (drinks, _) = habits
    group = np.arange(900) % 2
    found = compare(drinks, column("sex", YES_NO, group), answer=0)
    scores = np.linalg.inv(transitions(question))
    yes = scores[:, combinations_of(question)[:, 0] == 0].sum(axis=1)[reported]
    for place, each in enumerate(found.groups):
        assert each.figure.value == pytest.approx(yes[group == place].mean())
    # A private group: the product of both scores.
    own = reports(np.random.default_rng(2), COIN, group)
    found = compare(drinks, column("cheats", YES_NO, own, COIN), answer=0)
    of_group = np.linalg.inv(COIN)[own]
    expected = (of_group * yes[:, np.newaxis]).mean(axis=0) / of_group.mean(axis=0)
    assert [each.figure.value for each in found.groups] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_a_condition_between_two_items_leaves_the_scores_of_the_joint_table(seed):
    """Rounding errors in the scores of impossible combinations once distorted all shares."""
    items = {"drinks?": 2, "drives": 2, "smokes": 3}
    survey, question = survey_of_items(items, conditions={"drives": "drinks"})
    r = np.random.default_rng(seed)
    combinations = combinations_of(question)
    reported = report_on(r, question, r.choice(len(combinations), 600))
    columns = with_conditions(survey, columns_of(survey, question, reported, ["drinks", "drives"]))
    joint = joint_shares(columns)
    scores = np.linalg.inv(transitions(question))[reported]
    answers = [question.choices[place].parts[:2] for place in range(len(combinations))]
    for row, one in enumerate(("yes", "no", "prefer_not_to_say")):
        for place, other in enumerate(("yes", "no", "not_asked")):
            cell = 3 * row + place
            inside = [(a.name, b.name) == (one, other) for a, b in answers]
            each = scores[:, inside].sum(axis=1)
            assert joint.possible[cell] == any(inside)
            assert joint.shares[cell] == pytest.approx(each.mean(), abs=1e-12)
            assert joint.covariance[cell, cell] == pytest.approx(each.var(ddof=1) / 600, abs=1e-12)


@pytest.mark.parametrize(
    "analysis", [compare, lambda one, other: build_decision_tree(one, [other])]
)
def test_groups_and_trees_of_one_draw_point_to_the_cross_tabulation(habits, analysis):
    drinks, smokes = habits[3]
    with pytest.raises(UnanswerableQuestion, match=TOGETHER):
        analysis(drinks, smokes)


def test_a_tree_does_not_split_by_two_items_of_one_draw(habits):
    with pytest.raises(UnanswerableQuestion, match=TOGETHER):
        build_decision_tree(column("sex", YES_NO, np.arange(900) % 2), habits[3])


def test_a_change_compares_an_item_with_the_same_question_alone(habits):
    survey, question, reported, (drinks, _) = habits
    alone = parse_survey(definition(yes_no("drinks", {"epsilon": 1}), budget={"epsilon": 3}))
    item = next(each for each in analysable_variables(survey) if each.name == "habits/drinks")
    (single,) = analysable_variables(alone)
    assert same_variable(item, alone) == single
    assert same_variable(single, survey) == item
    assert same_variable(item, survey) == item
    earlier = single_column(alone.fields[0], [0] * 60 + [1] * 140)
    found = compare_surveys([earlier, drinks], ["a", "b"], [SurveyDesign()] * 2, 0)
    p, q = probabilities(alone.fields[0].table)[:, 0]
    first = (0.3 - q) / (p - q)
    scores = np.linalg.inv(transitions(question))
    second = scores[:, combinations_of(question)[:, 0] == 0].sum(axis=1)[reported].mean()
    assert found.differences[0].figure.value == pytest.approx(second - first)


def test_an_item_cannot_be_joined_and_formulas_take_its_name(habits):
    survey, _, reported, _ = habits
    rows = [(int(each),) for each in reported]
    with pytest.raises(UnanswerableQuestion, match="habits/drinks cannot be joined"):
        columns_and_design(survey, rows, ["habits/drinks+habits"])
    with pytest.raises(UnanswerableQuestion, match="habits has no question 'x'"):
        columns_and_design(survey, rows, ["habits/x"])
    terms = parse_terms(split_terms("habits/drinks, C(habits/smokes, ref=B)"))
    assert terms.names == ("habits/drinks", "habits/smokes")
    assert terms.references == {"habits/smokes": "B"}


def test_items_are_no_counts_and_no_crosswise_questions(habits):
    survey = habits[0]
    assert counting_questions(survey) == ()
    assert comparable_with_crosswise(survey) == ()


def test_another_table_than_k_ary_randomised_response_has_no_items(habits):
    survey, question, reported, _ = habits
    rows = np.random.default_rng(3).integers(1, 9, (6, 6)) + 40 * np.eye(6, dtype=int)
    rows[:, 0] += rows.sum(axis=1).max() - rows.sum(axis=1)
    other = replace(question, randomizer=Randomizer.from_rows(rows.tolist()))
    with pytest.raises(TypeError, match="no k-ary randomised response"):
        columns_of(survey, other, reported, ["drinks"])


# Sets of combinations, by subset selection.


@pytest.mark.parametrize(("shift", "found"), [(0.0, False), (0.06, True)])
def test_the_score_test_of_sets_finds_a_relation_and_no_other(shift, found):
    """Counts close to their expectation: independent answers, or related ones."""
    survey, question = survey_of_items({"a": 2, "b": 2}, 0.5, mechanism=SETS)
    texts, table = every_set(question)
    truth = np.outer([0.3, 0.7], [0.4, 0.6]) + shift * np.array([[1, -1], [-1, 1]])
    counts = np.round(200_000 * truth.reshape(-1) @ table).astype(int)
    columns = columns_of(survey, question, np.repeat(texts, counts), ["a", "b"])
    statistic, degrees, p = one_draw_test(joint_shares(columns))
    assert degrees == 1
    assert (p < 1e-6) == found
    assert found or p > 0.9
    # With two answers each, the only direction is that of phi.
    drawn = joint_shares(columns)
    apart = drawn.shares[0] * drawn.shares[3] - drawn.shares[1] * drawn.shares[2]
    gradient = drawn.shares[[3, 2, 1, 0]] * [1, -1, -1, 1]
    error = np.sqrt(gradient @ drawn.covariance @ gradient)
    assert statistic == pytest.approx((apart / error) ** 2, rel=0.05, abs=1e-3)


def test_sets_are_outcomes_and_predictors_of_a_regression():
    """The coefficient is the true one, within four of its standard errors."""
    survey, question = survey_of_items({"a": 2, "b": 2, "c": 2}, 1.5, mechanism=SETS)
    r = np.random.default_rng(7)
    a, c = r.random(6_000) < 0.4, r.random(6_000) < 0.5
    b = r.random(6_000) < 1 / (1 + np.exp(0.4 - 1.5 * a))
    answers = 4 * ~a + 2 * ~b + 1 * ~c
    columns = columns_of(survey, question, report_on(r, question, answers), ["b", "a", "c"])
    outcome, *predictors = columns
    found = {each.name: each for each in regress(outcome, predictors, "logistic").coefficients}
    for place, true in ((1, 1.5), (2, 0.0)):
        each = [*found.values()][place]
        assert abs(abs(each.value) - true) < 4 * each.error < 4
