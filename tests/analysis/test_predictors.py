"""Predictors: what has no coefficient is named."""

from dataclasses import replace

import numpy as np
import pytest

from survey.analysis.columns.variables import MISSING
from survey.analysis.regression.regression import regress
from tests.support.blocks import remarked
from tests.support.regressed import COIN, YES_NO, column, numbers, refused, spread

pytestmark = pytest.mark.fast


def test_a_private_predictor_on_which_nobody_reports_is_named(data):
    """With a random sample of questions, a few responses may all lack one question."""
    z, w = data.private("z", data.z, YES_NO, COIN), data.private("w", data.z, YES_NO, COIN)
    z.reports[:] = MISSING
    y = data.private("y", data.y, YES_NO, COIN)
    refused(r"None of the respondents \([\d,]+\) reports on “z”\.", y, [z])
    refused("reports on “z”", y, [data.plain[0], w, z])


def test_a_predictor_that_follows_from_others_is_named(data):
    plain = [numbers("x", data.x), numbers("age", data.age), numbers("both", data.x + data.age)]
    refused("“both” can be computed from “x” and “age”", column("y", YES_NO, data.y), plain)
    again = replace(data.choice(), name="again", draw="again", label="Where do you live now")
    refused(
        "“Where do you live now ‘E’” can be computed from “region ‘E’”",
        column("y", YES_NO, data.y),
        [data.choice(), again],
    )


def test_a_predictor_that_is_the_same_for_all_is_named(data):
    same = numbers("same", np.ones(data.n))
    refused("“same” is the same for all respondents", column("y", YES_NO, data.y), [same])


def test_an_answer_that_nobody_gave_has_no_column(data):
    region = column("region", "NES", np.where(data.region == 0, 1, data.region))
    found = regress(column("y", YES_NO, data.y), [region])
    assert [row.name for row in found.coefficients] == ["constant", "region: S"]
    assert remarked(found) == ("Nobody answered “N” to “region”.",)
    assert [share.level for share in found.shares] == ["E", "E", "S", "S"]


def test_too_many_combinations_are_refused(data):
    many = [data.private(name, data.w, "abc", spread(3, 0.5)) for name in "klmnopqrst"]
    refused("59,049 combinations", column("y", YES_NO, data.y), many)


def test_reports_of_one_draw_are_refused(data):
    one, other = (
        replace(data.private(name, data.z, YES_NO, COIN), draw="drugs")
        for name in ("drugs/a", "drugs/b")
    )
    refused("are randomised together", one, [other])
    refused("are randomised together", column("y", YES_NO, data.y), [one, other])


def test_the_outcome_is_no_predictor(data):
    y = column("y", YES_NO, data.y)
    refused("different questions", y, [y])
    refused("of different responses", y, [column("z", YES_NO, data.z[:5])])
