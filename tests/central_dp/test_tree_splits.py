"""Numbers in central DP trees, the information gain, and accuracy from the noisy leaves."""

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement, product

import pytest

from survey.central_dp.accuracy import accuracy_of
from survey.central_dp.budget import Release
from survey.central_dp.chart import picture_of
from survey.central_dp.dp_request import Request, read_request
from survey.central_dp.figures import dp_figures, tree_accuracy_figure
from survey.central_dp.opendp_sampler import LossExceeded, draw_tree
from survey.central_dp.split_gain import gain_sensitivity
from survey.central_dp.text import (
    details_of,
    fields_of,
    ledger_as_json,
    releases_csv,
    tree_outline_lines,
    tree_right_text,
)
from survey.central_dp.tree import DPSplit, answer_combination_counts, tree_of
from survey.core.errors import ReleaseError
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked
from tests.support.titanic_survey import ROWS, SHIP, wanted

pytestmark = pytest.mark.fast

AGES = parse_survey(
    definition(
        yes_no("ill", privacy="none"),
        asked("age", "number", "none", min=0, max=99, unit="years", prefer_not_to_say=True),
        yes_no("smokes", privacy="none"),
    )
)


def by_age(epsilon="100", depth="2", by="age", **more):
    typed = {"question": "ill", "statistic": "tree", "by": by, "epsilon": epsilon, "depth": depth}
    return read_request(AGES, typed | more)


def rows(times=20):
    """Ill from 30 to 59 years, well otherwise; some do not give their age and are well."""
    return [(int(not 30 <= age < 60), age, age % 2) for age in range(100) for _ in range(times)] + [
        (1, 100, 0)
    ] * times


def test_a_number_is_split_at_a_public_cut_point_possibly_twice():
    """By gain. Most are well on both sides of each cut, so correct predictions cannot choose.

    At ε = 100 a level has 33, so the scale is 12.4 / 33 = 0.4 bits. The next best cuts leave at
    least 50 bits more, so one of them has a probability below e^-100.
    """
    request = by_age(score="gain")
    tree = tree_of(AGES, request, 2020)
    table = answer_combination_counts(AGES, request, rows())
    assert sum(table.values()) == 2020
    assert {each[1] for each in table} == set(range(11))  # ten parts, and "prefer not to say"
    drawn = draw_tree(request, tree, table)
    first = tree.drawn_split(drawn[0], ())
    assert first in (DPSplit(0, 2), DPSplit(0, 5))
    figures = dp_figures(AGES, request, 2020, drawn)
    picture = picture_of(
        AGES, Release(number=1, request=request, n=2020, drawn=drawn, day="2026-11-26"), figures
    )
    lines = "\n".join(tree_outline_lines(picture.root))
    assert "at most 29 years" in lines
    assert "more than 59 years" in lines
    assert "Prefer not to say: “Yes” " in lines
    # All noise is of scale 0.03, so the counts are those of the people: all are predicted.
    right = tree_accuracy_figure(AGES, request, 2020, drawn)
    assert abs(right.value - 2020) <= 8
    assert any("more than 29 years" in figure.label for figure in figures)


def test_the_open_splits_follow_from_the_way_alone():
    tree = tree_of(AGES, by_age(by="age smokes", depth="3"), 10)
    everything = tree.open_splits(())
    assert everything == [*(DPSplit(0, cut) for cut in range(9)), DPSplit(1)]
    young = tree.open_splits(((DPSplit(0, 2), 0),))
    assert young == [DPSplit(0, 0), DPSplit(0, 1), DPSplit(1)]
    assert tree.open_splits(((DPSplit(0, 2), 1),)) == [
        *(DPSplit(0, cut) for cut in range(3, 9)), DPSplit(1)
    ]  # fmt: skip
    assert tree.open_splits(((DPSplit(0, 2), 2),)) == [DPSplit(1)]  # prefers not to say
    assert tree.open_splits(((DPSplit(0, 0), 0), (DPSplit(1), 1))) == []


def test_a_branch_without_a_possible_split_is_a_leaf_and_its_figures_are_read_back():
    request = by_age(depth="4")
    tree = tree_of(AGES, request, 40)
    drawn = draw_tree(request, tree, {(0, 0): 20, (1, 9): 20})
    leaves = list(tree.leaves(drawn))
    assert len(dp_figures(AGES, request, 40, drawn)) == 2 * len(leaves)
    assert all(len(way) <= 4 for way, _ in leaves)
    assert len(leaves) <= tree.widest == 81
    # A leaf of those who prefer not to say has no further split.
    assert all(way[-1][1] == 2 or len(way) == 4 or not tree.open_splits(way) for way, _ in leaves)


@pytest.mark.parametrize("score", ["correct", "gain"])
def test_a_respondent_changes_the_scores_by_at_most_the_sensitivity_in_one_direction(score):
    request = by_age(by="age smokes", score=score)
    people = list(product((0, 1), (0, 9, 10), (0, 1)))
    n = 3
    tree = tree_of(AGES, request, n)
    splits, sign = tree.open_splits(()), 1 if score == "correct" else -1
    assert tree.sensitivity == (1 if score == "correct" else gain_sensitivity(n))
    for data in combinations_with_replacement(people, 2):
        before = Counter(data)
        for person in people:
            after = before + Counter([person])
            pairs = zip(tree.scores(before, splits), tree.scores(after, splits), strict=True)
            assert all(0 <= sign * (b - a) <= tree.sensitivity for a, b in pairs)
            for split in splits:
                both = zip(tree.branches(before, split), tree.branches(after, split), strict=True)
                assert sum(dict(a) != dict(b) for a, b in both) == 1


@pytest.mark.parametrize("n", [0, 1, 30, 2201, 1_000_000])
def test_the_gain_costs_what_is_charged(n):
    for epsilon, depth in (("0.3", "1"), ("1", "2"), ("7.7", "3")):
        request = by_age(epsilon, depth, score="gain")
        tree = tree_of(AGES, request, n)
        assert draw_tree(request, tree, {})
        with pytest.raises(LossExceeded):
            draw_tree(request, replace(tree, split=tree.split * 0.999), {})
        with pytest.raises(LossExceeded):
            draw_tree(request, replace(tree, leaf=tree.leaf * 0.999), {})


def test_by_gain_the_titanic_is_split_by_sex():
    """Sex leaves 183 bits less than class over all people. At ε = 5, a level has 2.5.

    The scale is 12.6 / 2.5 = 5.0 bits, so another question has a probability below e^-36.
    """
    request = replace(wanted(1), score="gain", epsilon="5")
    tree = tree_of(SHIP, request, len(ROWS))
    table = answer_combination_counts(SHIP, request, ROWS)
    scores = tree.scores(table, tree.open_splits(()))
    assert scores.index(max(scores)) == 1
    assert scores[1] - scores[0] == pytest.approx(183_000, abs=3_000)
    assert draw_tree(request, tree, table)[0] == (1,)


def test_requests_of_trees_that_were_stored_before_stay_as_they_were():
    stored = (
        '{"by":"class sex age","depth":2,"epsilon":"1","mechanism":"exponential_and_laplace",'
        '"question":"survived","statistic":"tree"}'
    )
    request = Request.from_json(stored)
    assert request == wanted(2)
    assert request.to_json() == stored
    drawn = ((1,), (2,), (30, 600), (10, 20), (2,), (300, 100), (20, 10))
    labels = [figure.label for figure in dp_figures(SHIP, request, 2201, drawn)]
    assert labels[:2] == [
        "What of sex? M · What of age? A → Y",
        "What of sex? M · What of age? A → N",
    ]
    assert [figure.value for figure in dp_figures(SHIP, request, 2201, drawn)][2:4] == [10, 20]


def test_a_request_by_gain_is_read_back_and_an_unknown_score_is_refused():
    request = by_age(score="gain")
    assert read_request(AGES, fields_of(request)) == request
    assert Request.from_json(request.to_json()) == request
    assert by_age(score="correct") == by_age()
    assert "split by information gain" in details_of(AGES, request)
    with pytest.raises(ReleaseError, match="Choose one of the scores correct, gain"):
        by_age(score="luck")


def test_the_accuracy_before_the_draw_says_bits_for_the_gain():
    [sentence, _, noise] = accuracy_of(SHIP, replace(wanted(2), score="gain"), 2201)
    # 12,548 units / (1/3) x ln(3 candidates x 8 leaves / 0.025) = 258.5 bits, and one unit less.
    assert (
        "each split leaves at most 258 more bits of entropy, summed over all 2,201 respondents"
        in sentence
    )
    # ε = 1 for three levels: b = 3, and 1 / (sqrt 2 sinh(1/6)) = 4.223.
    assert noise.startswith(
        "The standard deviation of the noise is 4.223 for each released number. "
    )


def test_how_many_are_right_follows_from_the_leaves():
    drawn = ((1,), (40, 60), (75, 25))
    request = wanted(1)
    figure = tree_accuracy_figure(SHIP, request, 200, drawn)
    # Two leaves of at most four: 12 counts have scale 2 and a bound for each.
    within = tree_of(SHIP, request, 200).within
    assert (figure.value, figure.low, figure.high) == (135, 135 - 2 * within, 135 + 2 * within)
    release = Release(number=1, request=request, n=200, drawn=drawn, day="2026-11-26")
    text = tree_right_text(SHIP, release)
    right = "the tree predicts 135 of 200 respondents correctly"
    assert text.startswith(f"By its noisy counts, {right} ({135 - 2 * within} to ")
    assert "Always predicting the most frequent answer, “Y”, is right for 115." in text
    figures = dp_figures(SHIP, request, 200, drawn)
    last = releases_csv(SHIP, [(release, figures)]).splitlines()[-1]
    assert "Predicted correctly,135" in last
    content = ledger_as_json(SHIP, None, [(release, figures)])
    assert content["releases"][0]["predicted_correctly"]["value"] == 135
    count = read_request(SHIP, {"question": "survived", "statistic": "count", "epsilon": "1"})
    assert (
        tree_right_text(
            SHIP, Release(number=1, request=count, n=200, drawn=((7,),), day="2026-11-26")
        )
        == ""
    )


@pytest.mark.slow
def test_the_number_right_is_as_near_as_its_range_says():
    """1,000 trees of depth 2 at ε = 1; the range holds in more than 95 % of them."""
    request = wanted(2)
    tree = tree_of(SHIP, request, len(ROWS))
    table = answer_combination_counts(SHIP, request, ROWS)
    held = 0
    for _ in range(1_000):
        drawn = draw_tree(request, tree, table)
        true = 0
        for way, counts in tree.leaves(drawn):
            here = table
            for split, branch in way:
                here = tree.branches(here, split)[branch]
            true += tree.counts(here)[counts.index(max(counts))]
        figure = tree_accuracy_figure(SHIP, request, len(ROWS), drawn)
        held += figure.low <= true <= figure.high
    # With a rate of 95 %, fewer than 922 come once in 10,000 runs.
    assert held >= 922
