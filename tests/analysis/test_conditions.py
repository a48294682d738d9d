"""Combinations of answers that the survey's conditions exclude, against simulated respondents."""

import itertools

import numpy as np
import pytest

from survey.analysis.columns.column_request import columns_and_design
from survey.analysis.columns.conditions import possible_cells, with_conditions
from survey.analysis.tables.association import WALD
from survey.analysis.tables.crosstabs import CONTRADICTED, IMPOSSIBLE, ListedCells, crosstab
from survey.analysis.tables.joint_shares import joint_shares
from survey.definition.survey import parse_survey
from survey.formats.csv_import import read_truth
from survey.planning.simulation import simulate_reports
from tests.support.blocks import remarked
from tests.support.cascades import random_cascade
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast

CHOICES = {"choices": letters("abc")}
# Every type as the parent or the child of a condition, and children of children.
PLAIN = definition(
    yes_no("first", "none"),
    asked("pick", "select_one", "none", **CHOICES, prefer_not_to_say=True),
    asked("boxes", "select_multiple", "none", **CHOICES, prefer_not_to_say=True),
    asked("years", "number", "none", min=0, max=6, prefer_not_to_say=True),
    yes_no("of_first", "none") | {"relevant": {"first": "yes"}, "prefer_not_to_say": True},
    asked("of_pick", "select_one", "none", **CHOICES, relevant={"pick": ["a", "b"]}),
    yes_no("filled", "none") | {"relevant": {"pick": ["a"]}, "otherwise": "no"},
    yes_no("of_filled", "none") | {"relevant": {"filled": "no"}},
    yes_no("of_boxes", "none") | {"relevant": {"boxes": ["a"]}},
    yes_no("of_two_boxes", "none") | {"relevant": {"boxes": ["b", "prefer_not_to_say"]}},
    yes_no("of_years", "none") | {"relevant": {"years": {"min": 2, "max": 4}}},
    asked("deep", "number", "none", min=0, max=2,
          relevant={"of_first": "yes", "years": {"max": 3}}),
    asked("deep_boxes", "select_multiple", "none", **CHOICES, relevant={"of_pick": "c"}),
    asked("filled_boxes", "select_multiple", "none", **CHOICES,
          relevant={"first": "no"}, otherwise=["a", "c"]),
)  # fmt: skip
PRIVATE = definition(
    yes_no("gambles", {"epsilon": 2}),
    asked("game", "select_one", {"epsilon": 3}, **CHOICES, relevant={"gambles": "yes"}),
)


def truth_for(survey):
    """Every answer is common, so that a possible combination is not missing by chance."""
    truth = {}
    for question in survey.fields:
        if question.grid is not None:
            values = list(question.grid)
            share = (0.8 if question.offers_to_decline else 1) / len(values)
            truth[question.name] = dict.fromkeys(values, share)
        else:
            share = 0.5 if question.kind.boxes else 0.8 / len(question.choices)
            truth[question.name] = {choice.name: share for choice in question.choices}
        if question.offers_to_decline:
            truth[question.name]["prefer_not_to_say"] = 0.2
        elif not question.kind.boxes and question.grid is None:
            truth[question.name].popitem()
    return truth


def rows_of(survey, truth, n, seed):
    generator = np.random.default_rng(seed)
    columns = simulate_reports(survey, read_truth(truth, survey), n, generator)
    return list(zip(*columns, strict=True))


def test_exactly_the_combinations_that_occur_are_possible():
    """Of 20,000 respondents, each possible pair of single answers occurs for at least 1 in 1,000.

    A pair is then missing by chance in fewer than 1 in 10^8 surveys.
    """
    survey = parse_survey(PLAIN)
    rows = rows_of(survey, truth_for(survey), 20_000, 1)
    names = [
        f"{question.name}/{choice.name}" if question.kind.boxes else question.name
        for question in survey.fields
        for choice in (question.choices if question.kind.boxes else [None])
    ]
    excluded = 0
    columns = {name: columns_and_design(survey, iter(rows), (name,))[0][0] for name in names}
    for pair in itertools.combinations(names, 2):
        if pair[0].partition("/")[0] == pair[1].partition("/")[0]:
            continue
        first, second = with_conditions(survey, [columns[name] for name in pair])
        seen = np.zeros((len(first.answers), len(second.answers)), dtype=bool)
        seen[first.reports, second.reports] = True
        possible = possible_cells([first, second]).reshape(seen.shape)
        assert (possible >= seen).all(), pair
        # Several boxes may meet a condition together, which is not followed.
        if not any("/" in name for name in pair):
            assert (possible == seen).all(), (pair, possible, seen)
        excluded += int((~possible).sum())
    assert excluded > 100


def test_a_condition_between_other_questions_excludes_nothing_here():
    survey = parse_survey(PLAIN)
    rows = rows_of(survey, truth_for(survey), 50, 2)
    columns, _ = columns_and_design(survey, iter(rows), ("first", "pick"))
    assert possible_cells(columns).all()
    three, _ = columns_and_design(survey, iter(rows), ("first", "of_first", "of_pick"))
    assert not possible_cells(three).all()


def private_rows(n, seed, shares=(0.6, 0.3, 0.1), gambles=0.4):
    survey = parse_survey(PRIVATE)
    truth = {
        "gambles": {"yes": gambles},
        "game": dict(zip("abc", shares, strict=True)),
    }
    return survey, rows_of(survey, truth, n, seed)


def test_excluded_cells_are_zero_and_have_no_test():
    survey, rows = private_rows(3_000, 3)
    columns, design = columns_and_design(survey, iter(rows), ("gambles", "game"))
    table = crosstab(columns, design)
    assert table.possible == (True, True, True, False, False, False)
    assert table.cells[3:] == (IMPOSSIBLE,) * 3
    assert table.of_row[3:] == table.of_column[3:] == (None,) * 3
    assert [each.value for each in table.of_column[:3]] == pytest.approx([1, 1, 1])
    assert sum(each.value for each in table.cells) == pytest.approx(1)
    assert table.tests == ()
    assert any("exclude some combinations" in remark for remark in remarked(table))
    assert table.likeliest[3:] == (0, 0, 0)
    cells = ListedCells(joint_shares(columns, design), table.level)
    assert table.cells[:3] == tuple(cells.share([place], cells.all) for place in range(3))


@pytest.mark.slow
def test_answers_without_the_question_are_left_out_of_the_test():
    """Two of three answers lead to the next question. The test compares these two."""
    survey = parse_survey(
        definition(
            asked("pick", "select_one", {"epsilon": 3}, **CHOICES),
            asked("game", "select_one", {"epsilon": 3}, **CHOICES, relevant={"pick": ["a", "b"]}),
        )
    )
    truth = {
        "pick": {"a": 0.4, "b": 0.4, "c": 0.2},
        "game": {"a": 0.4, "b": 0.3, "c": 0.3},
    }
    p_values = []
    for seed in range(60):
        columns, design = columns_and_design(
            survey, iter(rows_of(survey, truth, 1_000, seed)), ("pick", "game")
        )
        [test] = crosstab(columns, design).tests
        assert (test.name, test.degrees) == (WALD, 2)
        p_values.append(test.p)
    # The answers are independent, so a p value is below 0.05 in 5 %. More than 12 of 60 are below
    # it in 1 of 100,000 runs.
    assert sum(p < 0.05 for p in p_values) <= 12


def test_reports_that_contradict_the_conditions_are_noticed():
    survey = parse_survey(PLAIN)
    plain = [("first", "of_first")]
    names = [question.name for question in survey.fields]
    rows = [list(row) for row in rows_of(survey, truth_for(survey), 300, 4)]
    columns, design = columns_and_design(survey, iter(map(tuple, rows)), plain[0])
    assert CONTRADICTED not in remarked(crosstab(columns, design))
    # Someone who was not asked answers Yes.
    rows[0][names.index("first")], rows[0][names.index("of_first")] = 1, 0
    columns, design = columns_and_design(survey, iter(map(tuple, rows)), plain[0])
    table = crosstab(columns, design)
    assert all(table.possible)
    assert CONTRADICTED in remarked(table)
    # Private reports on answers that do not follow the condition.
    private = parse_survey(PRIVATE)
    independent = parse_survey(
        definition(
            yes_no("gambles", {"epsilon": 2}),
            asked("game", "select_one", {"epsilon": 3}, choices=letters("abcd")),
        )
    )
    truth = {"gambles": {"yes": 0.4}, "game": dict.fromkeys("abcd", 0.25)}
    columns, design = columns_and_design(
        private, iter(rows_of(independent, truth, 3_000, 5)), ("gambles", "game")
    )
    assert CONTRADICTED in remarked(crosstab(columns, design))


@pytest.mark.slow
def test_shares_with_excluded_cells_are_unbiased_and_their_intervals_cover():
    """300 surveys of 1,000. The conditions also reduce the error.

    The mean of 300 estimates is within 4 standard errors of the truth but for 1 in 10,000; there
    are 3 shares. Of 300 intervals, 95 % cover on average. The standard error is 1.26 %, so at least
    90 % but for 1 in 10,000.
    """
    truth = np.array([0.6, 0.3, 0.1]) * 0.4
    values, covered, without = [], [], []
    for seed in range(300):
        survey, rows = private_rows(1_000, seed)
        columns, design = columns_and_design(survey, iter(rows), ("gambles", "game"))
        # The cells of a cross-tabulation, without its other figures.
        table = ListedCells(joint_shares(columns, design), 0.95)
        # All figures are among those who answered both, which are those who gamble here.
        estimates = [table.share([place], table.all) for place in range(3)]
        values.append([each.value for each in estimates])
        covered.append([each.low <= t / 0.4 <= each.high
                        for each, t in zip(estimates, truth, strict=True)])  # fmt: skip
        loose = [type(c)(**{**vars(c), "cases": np.zeros((0, 0), dtype=bool)}) for c in columns]
        without.append(ListedCells(joint_shares(loose, design), 0.95).among[:3])
    spread = np.std(values, axis=0)
    error = np.abs(np.mean(values, axis=0) - truth / 0.4)
    # A ratio has a bias of about its relative variance; 0.2 standard deviations allow for it.
    assert (error < 4 * spread / np.sqrt(300) + 0.2 * spread).all()
    assert (np.mean(covered, axis=0) >= 0.9).all()
    assert (spread < np.std(without, axis=0)).all()


def test_conditions_of_choices_exclude_no_combination_that_occurs():
    """Someone who is offered no choice has "not asked", although the question has no condition."""
    for seed in range(8):
        survey = parse_survey(random_cascade(seed))
        rows = rows_of(survey, truth_for(survey), 2_000, seed)
        names = [question.name for question in survey.fields if not question.kind.boxes]
        columns = {name: columns_and_design(survey, iter(rows), (name,))[0][0] for name in names}
        for pair in itertools.combinations(names, 2):
            first, second = with_conditions(survey, [columns[name] for name in pair])
            seen = np.zeros((len(first.answers), len(second.answers)), dtype=bool)
            seen[first.reports, second.reports] = True
            possible = possible_cells([first, second]).reshape(seen.shape)
            assert (possible >= seen).all(), (seed, pair)
