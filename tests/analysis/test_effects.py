"""Effects and tests of predictors: averages, the delta method, and nested fits."""

import numpy as np
import pytest
from scipy.stats import chi2

from survey.analysis.regression import regression
from tests.analysis.likelihoods import covariance_of_two, of_two, penalised
from tests.support.regressed import (
    COIN,
    YES_NO,
    gradient,
    logistic,
    maximum,
    regress_penalised,
    spread,
    values,
)

pytestmark = pytest.mark.fast


def test_likelihood_ratios_are_those_of_nested_fits(data, monkeypatch):
    """Without Bartlett's correction, which test_bartlett_correction.py has."""
    monkeypatch.setattr(regression, "can_be_corrected", lambda *_: False)
    outcome = data.private("y", data.y, YES_NO, COIN)
    found = regress_penalised(outcome, data.plain)
    x, seen = data.design(), (0.75, 0.25, outcome.reports == 0)
    whole = penalised(of_two(x, seen), x)
    full = whole(maximum(whole, 5))
    left = {"x": [0, 2, 3, 4], "age": [0, 1, 3, 4], "region": [0, 1, 2], "all predictors": [0]}
    for test in found.tests:
        columns = left[test.name]
        nested = penalised(of_two(x[:, columns], seen), x, penalty_of=(x, columns))
        ratio = 2 * (full - nested(maximum(nested, len(columns))))
        assert test.kind == "likelihood ratio"
        assert test.degrees == 5 - len(columns)
        assert test.statistic == pytest.approx(ratio, abs=1e-6)
        assert test.p == pytest.approx(chi2.sf(ratio, test.degrees), abs=1e-6)


def test_effects_are_averages_with_errors_by_the_delta_method(data):
    outcome = data.private("y", data.y, YES_NO, COIN)
    found = regress_penalised(outcome, data.plain)
    x, b = data.design(), values(found)
    height = of_two(x, (0.75, 0.25, outcome.reports == 0))
    covariance = covariance_of_two(height, x, b)
    south, north = x.copy(), x.copy()
    south[:, 3:], north[:, 3:] = [0, 1], [0, 0]

    def slope(b):
        yes = logistic(x @ b)
        return (yes * (1 - yes)).mean() * b[1]

    def step(b):
        return (logistic(south @ b) - logistic(north @ b)).mean()

    def share(b):
        return logistic(south @ b).mean()

    effects = {(effect.name, effect.answer): effect for effect in found.effects}
    shares = {(s.predictor, s.level, s.answer): s for s in found.shares}
    for ours, function in (
        (effects["x", "Yes"], slope),
        (effects["region: S", "Yes"], step),
        (shares["region", "S", "Yes"], share),
    ):
        change = gradient(function, b)
        assert ours.value == pytest.approx(function(b), abs=1e-8)
        assert ours.error == pytest.approx(np.sqrt(change @ covariance @ change), rel=1e-6)
    assert effects["x", "No"].value == pytest.approx(-effects["x", "Yes"].value, abs=1e-9)
    assert len(found.shares) == 3 * 2


def test_effects_of_ordered_and_multinomial_models_add_up_to_nothing(data):
    outcome = data.private("q", data.scale, "1234", spread(4, 0.7), values=[1, 2, 3, 4])
    for model in ("ordered", "multinomial"):
        found = regress_penalised(outcome, data.plain, model)
        for name in ("x", "region: E"):
            moved = [effect.value for effect in found.effects if effect.name == name]
            assert len(moved) == 4
            assert sum(moved) == pytest.approx(0, abs=1e-9)
