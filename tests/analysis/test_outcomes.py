"""Outcomes: the default model, and models that do not fit."""

from dataclasses import replace

import numpy as np
import pytest

from survey.analysis.regression.regression import regress
from tests.support.regressed import YES_NO, column, numbers, refused, spread

pytestmark = pytest.mark.fast


def test_models_that_do_not_fit_the_outcome(data):
    choice, x = data.choice(), data.plain[:1]
    refused("“region” has 3 answers. The model logistic needs two", choice, x, "logistic")
    refused("have no order", choice, x, "ordered")
    refused("are not numbers", choice, x, "linear")
    refused("There is no model 'tobit'", choice, x, "tobit")
    refused("62 answers, more than 20", numbers("age", data.age), x, "multinomial")
    special_answers = column(
        "q", "1234", data.scale, spread(4, 0.6), values=[1, 2, 3, np.nan], special_answers=1
    )
    refused("no place in the order", special_answers, x, "ordered")


def test_the_default_model_suits_every_scale(data):
    """A private scale with a special answer, one with a mean only, and one with many answers."""
    x = data.plain[:1]
    special_answers = column(
        "q", "1234", data.scale, spread(4, 0.6), values=[1, 2, 3, np.nan], special_answers=1
    )
    all_shares = column("q", "1234", data.scale, spread(4, 0.6), [1, 2, 3, 4])
    mean_only = replace(all_shares, scores=None)
    steps = np.arange(1.0, 26)
    many = column("q", [str(step) for step in steps], (data.age - 18) % 25, values=steps)
    for outcome in (special_answers, mean_only, many):
        assert regress(outcome, x).model == "linear"
    assert regress(all_shares, x).model == "ordered"
    # For a non-private scale, respondents with a special answer are left out.
    known = column("q", "1234", data.scale, values=[1, 2, 3, np.nan], special_answers=1)
    assert regress(known, x).model == "ordered"


def test_an_outcome_that_is_always_the_same(data):
    refused("respondents .400. answered “Yes”", column("y", YES_NO, np.zeros(data.n, dtype=int)),
            data.plain)  # fmt: skip
    exact = numbers("y", np.round(2 * data.x, 2))
    refused("The predictors determine", exact, data.plain[:1])
