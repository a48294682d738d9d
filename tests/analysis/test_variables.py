"""Designs of surveys: weights, strata and clusters that do not fit the responses are refused."""

import numpy as np
import pytest

from survey.analysis import SurveyDesign
from survey.core.errors import UnanswerableQuestion

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    "design, sentence",
    [
        (
            SurveyDesign(weights=np.ones(2)),
            "The weights need one value for each response: 3, not 2.",
        ),
        (
            SurveyDesign(clusters=np.ones(4)),
            "The clusters need one value for each response: 3, not 4.",
        ),
        (
            SurveyDesign(weights=np.array([1, -1, 1])),
            "Weights must be numbers, and none may be below zero.",
        ),
        (
            SurveyDesign(weights=np.array([1, np.nan, 1])),
            "Weights must be numbers, and none may be below zero.",
        ),
        (SurveyDesign(weights=np.zeros(3)), "All weights are zero, so no response is left."),
    ],
)
def test_a_design_that_does_not_fit_is_refused(design, sentence):
    SurveyDesign(weights=np.ones(3), strata=np.array(["a", "b", "a"]), clusters=np.arange(3)).check(
        3
    )
    with pytest.raises(UnanswerableQuestion, match=sentence):
        design.check(3)
