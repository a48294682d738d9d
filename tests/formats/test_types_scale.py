"""Scales in files."""

import pytest

from survey.core.languages import Words
from survey.formats.types import FORMATS
from tests.support.question_results import LEVELS, question_of

pytestmark = pytest.mark.fast


def test_the_mean_of_a_scale_is_that_of_its_ranks():
    scale = FORMATS[question_of("scale", "none", choices=LEVELS)]
    assert scale.means() == [("mean", "", [1, 2, 3, 4, 5])]
    assert scale.label_with_values(Words("en")) == "? (1 = Level 1, 5 = Level 5)"
    assert FORMATS[question_of("yes_no", "none")].means() == []
