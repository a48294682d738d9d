"""Central DP releases of non-private questions: sensitivities by brute force, and trees."""

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement, product

import pytest

from survey.central_dp.bounded_sums import count_answers, requested_sums
from survey.central_dp.dp_request import read_request
from survey.central_dp.figures import dp_figures
from survey.central_dp.opendp_sampler import LossExceeded, draw_tree
from survey.central_dp.tree import answer_combination_counts, tree_of
from survey.core.errors import ReleaseError
from survey.definition.survey import parse_survey
from tests.central_dp.bounded_answers import SMALL, STORED, SUMS, request, times_within
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters

pytestmark = pytest.mark.fast


# --- sensitivities, by brute force: one respondent more or fewer
@check_each("bounds", [{}, {"low": "0.5", "high": "1.5"}])
@check_each(("name", "statistic"), SUMS)
def test_a_respondent_changes_a_sum_by_its_sensitivity_at_most_and_some_do(name, statistic, bounds):
    if bounds and (name != "age" or statistic == "count"):
        bounds = {}
    wanted = request(name, statistic, **bounds)
    for part in requested_sums(SMALL, wanted):
        for before in ([], [STORED[name][0], STORED[name][-1]]):
            changes = []
            for stored in STORED[name]:
                with_it = part.sum_of(Counter([*before, stored]))
                without = part.sum_of(Counter(before))
                changes.append([a - b for a, b in zip(with_it, without, strict=True)])
            assert max(sum(map(abs, each)) for each in changes) == part.l1
            squares = max(sum(each * each for each in change) for change in changes)
            assert math.sqrt(squares) == pytest.approx(part.l2, rel=1e-15)


# --- groups


def test_only_a_group_is_counted():
    wanted = request("sleep", "histogram", group="region", member="prefer_not_to_say")
    rows = [(0, 0, 0, region, "000", sleep, "") for region in range(4) for sleep in (0, 2, 2)]
    assert count_answers(SMALL, wanted, rows) == {0: 1, 2: 2}


# --- trees
YES_NO = ("ill", "smokes", "walks", "sings")
TREES = parse_survey(definition(*(yes_no(name, privacy="none") for name in YES_NO)))
PEOPLE = list(product((0, 1), repeat=4))  # as answers and as a row, since every question is plain


def tree_request(epsilon="100", depth="2", **more):
    typed = {"question": "ill", "statistic": "tree", "by": "smokes walks sings"}
    return read_request(TREES, typed | {"epsilon": epsilon, "depth": depth} | more)


def people(times):
    """People are ill if they smoke and walk, or do neither.

    More people do not walk, so smoking alone tells more. Singing tells nothing.
    """
    return {
        (int(smokes != walks), smokes, walks, sings): times * (1 if walks else 3)
        for smokes, walks, sings in product((0, 1), repeat=3)
    }


def test_a_tree_asks_what_matters_and_counts_the_classes():
    """Each split is better than the next best one by at least 1,000 respondents.

    Therefore a wrong one has a probability below exp(-30,000).
    """
    wanted = tree_request()
    tree = tree_of(TREES, wanted, 8_000)
    drawn = draw_tree(wanted, tree, people(500))
    assert len(dp_figures(TREES, wanted, 8_000, drawn)) == 8
    for way, counts in tree.leaves(drawn):
        (first, smokes), (second, walks) = way
        assert (tree.by[first.place].name, tree.by[second.place].name) == ("smokes", "walks")
        expected = [0, 0]
        expected[int(smokes != walks)] = 1_000 * (1 if walks else 3)
        assert all(abs(a - b) <= 20 for a, b in zip(counts, expected, strict=True))


def test_a_respondent_changes_the_score_of_a_split_by_one_at_most_and_one_branch():
    tree = tree_of(TREES, tree_request(), 4)
    splits = tree.open_splits(())
    largest = 0
    for data in combinations_with_replacement(PEOPLE, 3):
        before = Counter(data)
        for person in PEOPLE:
            after = before + Counter([person])
            scores = zip(tree.scores(before, splits), tree.scores(after, splits), strict=True)
            changes = [b - a for a, b in scores]
            assert min(changes) >= 0
            largest = max(largest, *changes)
            for split in splits:
                pairs = zip(tree.branches(before, split), tree.branches(after, split), strict=True)
                assert sum(dict(a) != dict(b) for a, b in pairs) == 1
            counts = zip(tree.counts(before), tree.counts(after), strict=True)
            assert sum(abs(b - a) for a, b in counts) == 1
    assert largest == 1


def test_the_levels_of_a_tree_cost_what_is_charged():
    for epsilon, depth in (("0.3", "1"), ("1", "2"), ("7.7", "3")):
        wanted = tree_request(epsilon, depth)
        tree = tree_of(TREES, wanted, 8_000)
        assert draw_tree(wanted, tree, {})  # It is within OpenDP's bounds.
        with pytest.raises(LossExceeded):
            draw_tree(wanted, replace(tree, leaf=tree.leaf * 0.999), {})
        with pytest.raises(LossExceeded):
            draw_tree(wanted, replace(tree, split=tree.split * 0.999), {})


def test_a_tree_is_of_its_group_and_no_deeper_than_it_has_questions():
    rows = [row for row in PEOPLE for _ in range(2)]
    wanted = tree_request(by="walks", depth="4", group="smokes", member="yes")
    assert wanted.depth == 1
    assert answer_combination_counts(TREES, wanted, rows) == {
        (a, b): 4 for a in (0, 1) for b in (0, 1)
    }


def test_a_tree_of_too_many_leaves_is_refused():
    wide = parse_survey(
        definition(*(asked(f"q{k}", "select_one", "none", choices=letters("abcdefg"))
                     for k in range(5)))
    )  # fmt: skip
    typed = {"question": "q0", "statistic": "tree", "epsilon": "1", "by": "q1 q2 q3 q4"}
    assert tree_of(wide, read_request(wide, typed | {"depth": "2"}), 9).widest == 49
    with pytest.raises(ReleaseError, match="leaves"):
        read_request(wide, typed | {"depth": "3"})


@pytest.mark.slow
def test_the_counts_of_a_tree_are_as_near_as_was_said():
    """1,000 trees, at least 95 % of them within the bound. See BETA_OF_TESTS."""
    table = people(5)
    wanted = tree_request("2")
    tree = tree_of(TREES, wanted, 8_000)
    hits = 0
    for _ in range(1_000):
        near = True
        for way, counts in tree.leaves(draw_tree(wanted, tree, table)):
            here = table
            for place, at in way:
                here = tree.branches(here, place)[at]
            truth = tree.counts(here)
            near &= all(abs(a - b) <= tree.within for a, b in zip(counts, truth, strict=True))
        hits += near
    assert times_within(hits, 1_000, 0.95)
