"""Scales are planned for a share and for a mean."""

import pytest

from survey.planning.precision import MEAN, SHARE, precisions
from survey.planning.types import PLANNING
from tests.support.question_results import LEVELS, question_of

pytestmark = pytest.mark.fast


def test_a_scale_has_the_precision_of_a_share_and_of_a_mean():
    scale = question_of("scale", {"epsilon": 1}, choices=LEVELS)
    assert [each.kind for each in precisions(scale)] == [SHARE, MEAN]
    [mean] = PLANNING[scale].precision_of_distribution(1.0, None, None)
    assert mean.kind == MEAN
    assert mean.width == 4


def test_a_scale_whose_table_tells_only_the_mean_has_no_share():
    scale = question_of("scale", {"mechanism": "one_bit", "epsilon": 1}, choices=LEVELS)
    assert PLANNING[scale].precision_of_share(None, 1.0) == []
    assert PLANNING[scale].is_for_mean_alone()
