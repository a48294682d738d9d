"""A list and a direct question together: published estimates, closed forms, and coverage."""

import math

import numpy as np
import pytest

from survey.analysis.blocks import WARNING
from survey.analysis.indirect.list_and_direct import list_and_direct
from survey.analysis.indirect.list_blocks import list_blocks
from survey.analysis.indirect.list_columns import GroupOfCounts
from survey.analysis.indirect.list_experiment import list_experiment
from survey.analysis.sentences import both_sentence, list_sentence, placebo_sentences
from survey.core.errors import UnanswerableQuestion
from survey.estimation.findings.remarks import DIRECT_CONTRADICTED
from tests.support.blocks import cells_in, table_in, texts_in
from tests.support.indirect import AFTER_DIRECT

pytestmark = pytest.mark.fast


# The second and the fourth experiment of the same data as AFTER_DIRECT.
SECOND = (((1, 16, 72, 52), (2, 1, 24, 65, 36)), ((7, 17, 65, 32), (1, 12, 64, 30, 3)))
FOURTH = (((3, 9, 15, 5), (0, 1, 10, 7, 5)), ((34, 84, 85, 22), (30, 72, 96, 20, 2)))


def groups(pair):
    return tuple(
        GroupOfCounts(np.repeat(np.arange(len(counts)), counts), len(counts) - 1) for counts in pair
    )


def both(experiment):
    yes, no = experiment
    return list_and_direct(groups(yes), groups(no), len(yes[0]) - 1)


@pytest.mark.parametrize(
    ("experiment", "share", "error", "direct", "among_yes", "yes_error", "effect"),
    [
        (AFTER_DIRECT, 0.66561842, 0.0484, 0.656, 1.053962, 0.09453, 0.06626651),
        (SECOND, 0.62658, 0.0491, 0.538, 0.79012, 0.09093, -0.00035),
        (FOURTH, 0.18731, 0.0744, 0.110, 1.00815, 0.23748, -0.02986),
    ],
)
def test_estimates_are_those_of_the_package_list(
    experiment, share, error, direct, among_yes, yes_error, effect
):
    """The tests of the package have the first share and both differences. The rest is from its
    function. It assumes that a Yes is as frequent in both groups, so its error differs a little."""
    found = both(experiment)
    assert found.share.value == pytest.approx(share, abs=6e-6)
    assert found.share.standard_error == pytest.approx(error, rel=0.01)
    assert found.direct.value == pytest.approx(direct)
    assert found.among_yes.value == pytest.approx(among_yes, abs=6e-6)
    assert found.among_yes.standard_error == pytest.approx(yes_error, abs=6e-6)
    assert found.of_groups[1] - found.of_groups[0] == pytest.approx(effect, abs=6e-6)


def test_the_variance_has_its_closed_form():
    found = both(AFTER_DIRECT)
    p, n, d = found.direct.value, found.n, found.among_no.value
    assert found.share.value == pytest.approx(p + (1 - p) * d)
    variances = []
    for counts in AFTER_DIRECT[1]:
        answers = np.repeat(np.arange(len(counts)), counts)
        variances.append(answers.var(ddof=1) / len(answers))
    variance = (1 - d) ** 2 * p * (1 - p) / (n - 1) + (1 - p) ** 2 * sum(variances)
    assert found.share.standard_error == pytest.approx(math.sqrt(variance))


def test_nobody_who_says_yes_leaves_the_list_alone():
    control, treatment = (20, 40, 30, 10), (15, 35, 30, 15, 5)
    nobody = (0,) * 4, (0,) * 5
    found = both((nobody, (control, treatment)))
    alone = list_experiment(control, treatment).share
    assert (found.share.low, found.share.value, found.share.high) == pytest.approx(
        (alone.low, alone.value, alone.high)
    )
    assert (found.among_yes, found.yes_p, found.group_p) == (None, None, 1.0)
    assert not found.is_contradicted
    assert next(placebo_sentences(found)).startswith("Too few respondents said Yes")


def test_too_few_who_said_no_and_lists_that_do_not_vary():
    with pytest.raises(UnanswerableQuestion, match="said No to the direct question"):
        both((((0, 30, 0), (0, 30, 0, 0)), ((2, 2, 0), (3, 3, 3, 0))))
    found = both((((0, 30, 0), (0, 0, 30, 0)), ((0, 20, 0), (0, 20, 0, 0))))
    assert (found.share.low, found.share.high) == (0, 1)
    assert found.among_yes.value == 1
    assert found.yes_p is None
    assert "all answers to a list are the same" in next(placebo_sentences(found))


def test_impossible_answers_are_found_by_the_placebo_tests():
    """Those who said Yes did not count the sensitive statement, or only the treated said Yes."""
    hidden = (((10, 40, 10), (10, 40, 10, 0)), ((20, 60, 20), (15, 60, 20, 5)))
    found = both(hidden)
    assert found.among_yes.value == 0
    assert found.yes_p < 1e-6
    assert found.is_contradicted
    affected = (((0, 3, 2), (0, 20, 20, 20)), ((30, 30, 30), (10, 10, 10, 5)))
    found = both(affected)
    assert found.group_p < 1e-6
    assert found.is_contradicted


def test_the_page_has_all_three_estimates_and_the_assumption():
    yes, no = AFTER_DIRECT
    control, treatment = (
        [int(a) + int(b) for a, b in zip(one, other, strict=True)]
        for one, other in zip(yes, no, strict=True)
    )
    alone, found = list_experiment(control, treatment), both(AFTER_DIRECT)
    blocks = list(list_blocks(alone, None, "", found))
    shares = [row[1].exact for row in cells_in(table_in(blocks, "together"))]
    assert shares == [each.value for each in (alone.share, found.direct, found.share)]
    texts = texts_in(blocks)
    assert list_sentence(alone, found).endswith(both_sentence(found))
    assert "assumes that nobody says Yes" in both_sentence(found)
    assert "should be 1. It is 1.05 (95 % interval 0.87 to 1.24), p = 0.568." in texts
    assert "62.4 % said Yes in the control group" in texts
    assert "66.6 % (57.0 % to 76.1 %)" in both_sentence(found)


def test_a_contradicted_estimate_has_a_warning():
    yes, no = ((10, 40, 10), (10, 40, 10, 0)), ((20, 60, 20), (15, 60, 20, 5))
    alone = list_experiment((30, 100, 30), (25, 100, 30, 5))
    blocks = list(list_blocks(alone, None, "", both((yes, no))))
    warnings = [each.code for each in blocks if getattr(each, "kind", "") == WARNING]
    assert DIRECT_CONTRADICTED in warnings
    assert list_sentence(alone, both((yes, no))) == list_sentence(alone)


@pytest.mark.parametrize(("n", "admits"), [(20, 0.5), (200, 0.5), (200, 0.0), (1_000, 0.9)])
@pytest.mark.parametrize("share", [0.03, 0.4])
def test_intervals_cover_the_true_share(n, admits, share):
    """Of people with the trait, some admit it. Every list has four statements for half of all."""
    r, held, surveys, used = np.random.default_rng(n), 0, 300, 0
    for _ in range(surveys):
        trait, treated = r.random(n) < share, np.arange(n) % 2 == 1
        answers = r.binomial(4, 0.5, n) + (trait & treated)
        yes = trait & (r.random(n) < admits)
        pairs = [
            tuple(GroupOfCounts(answers[said & (treated == which)], 4 + which) for which in (0, 1))
            for said in (yes, ~yes)
        ]
        try:
            found = list_and_direct(*pairs, 4).share
        except UnanswerableQuestion:
            continue
        used += 1
        held += found.low <= share <= found.high
    assert used >= 200
    assert held >= 0.91 * used
