"""Special answers that nobody seems to have given."""

from dataclasses import replace

import numpy as np
import pytest

from survey.analysis.regression.private.absent_answers import (
    LIMIT,
    without_absent_answer,
    without_absent_answers,
)
from tests.support.regressed import column, reports

LABELS = ("Yes", "No", "Prefer not to say")
TABLE = np.full((3, 3), 0.15) + 0.55 * np.eye(3)


def reported(*counts, table=TABLE):
    return column("v", LABELS, np.repeat(np.arange(3), counts), table, special_answers=1)


def test_a_share_compatible_with_zero_is_at_its_bound():
    # 0.15 of 2,000 reports are expected if nobody declined.
    there = reported(900, 800, 300)
    found = without_absent_answer(there, np.ones(2_000, dtype=bool))
    assert found.answers == LABELS[:2]
    assert (found.special_answers, found.listed) == (0, 2)
    assert found.chances == pytest.approx(TABLE[:2])
    assert found.chances @ found.scores == pytest.approx(np.eye(2))
    assert found.reports is there.reports


@pytest.mark.parametrize("more", [True, False])
def test_the_limit_is_a_one_sided_test(more):
    """The score is linear in the report, so its mean and error are those of a share."""
    n, chance = 2_000, 0.15
    error = np.sqrt(chance * (1 - chance) * n)
    third = round(n * chance + LIMIT * error) + (3 if more else -3)
    found = without_absent_answer(reported(n - third - 700, 700, third), np.ones(n, dtype=bool))
    assert found.special_answers == more


def test_it_looks_at_the_respondents_of_the_analysis():
    there = reported(900, 800, 300)
    rows = there.reports == 2
    assert without_absent_answer(there, rows) is there
    assert without_absent_answers([there], rows) == ([there], [])


def test_other_columns_stay_as_they_are():
    rows = np.ones(2_000, dtype=bool)
    there = reported(900, 800, 300)
    direct = replace(there, private=False)
    without = replace(there, special_answers=0)
    for each in (direct, without, replace(there, scores=None)):
        assert without_absent_answer(each, rows) is each


def test_columns_that_must_stay_whole_do():
    rows = np.ones(2_000, dtype=bool)
    there, other = reported(900, 800, 300), replace(reported(900, 800, 300), name="w")
    found, remarks = without_absent_answers([there, other], rows, {"v"})
    assert found[0] is there
    assert found[1].answers == LABELS[:2]
    assert len(remarks) == 1


def test_one_remark_names_the_answers_of_all_questions():
    rows = np.ones(2_000, dtype=bool)
    there, other = reported(900, 800, 300), replace(reported(900, 800, 300), label="w")
    given = replace(reported(600, 600, 800), label="x")
    _, (remark,) = without_absent_answers([there, other, given], rows)
    assert remark.sentence == (
        "The reports are compatible with nobody having answered “Prefer not to say” to “v” and "
        "“Prefer not to say” to “w”. The analysis assumes that nobody did."
    )


def test_a_share_of_zero_seldom_seems_given():
    """300 surveys: at 5 %, more than 27 or fewer than 5 happen once in 700 tests."""
    random, kept = np.random.default_rng(1), 0
    for _ in range(300):
        codes = reports(random, TABLE, random.integers(0, 2, 400))
        found = without_absent_answer(
            column("v", LABELS, codes, TABLE, special_answers=1), np.ones(400, dtype=bool)
        )
        kept += found.special_answers
    assert 5 <= kept <= 27
