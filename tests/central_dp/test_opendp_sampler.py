"""Draws by OpenDP: the distribution of the noise, and the loss that OpenDP allows."""

import math
from collections import Counter
from dataclasses import replace

import pytest

from survey.central_dp import dp_request, noise_scales, opendp_sampler
from survey.central_dp.accuracy import accuracy_of
from survey.central_dp.dp_request import (
    GAUSSIAN,
    LAPLACE,
    SELECTED,
    Request,
    Statistic,
    read_request,
)
from survey.central_dp.figures import dp_figures
from survey.central_dp.noisy_sums import noises_of
from survey.central_dp.opendp_sampler import (
    LossExceeded,
    draw_selection,
    draw_sums,
    draw_tree,
    epsilon_at,
    opendp_loss,
)
from survey.central_dp.selection import selection_of
from survey.central_dp.text import details_of, fields_of, title_of
from survey.central_dp.tree import tree_of
from tests.central_dp.bounded_answers import ALL, SMALL, STORED, SUMS, request, times_within
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


@check_each(("name", "statistic"), ALL)
def test_every_statistic_of_every_question_is_drawn_and_read(name, statistic):
    for mechanism in dp_request.mechanisms_for(statistic):
        wanted = request(name, statistic, mechanism=mechanism, delta="1e-6", epsilon="2")
        assert Request.from_json(wanted.to_json()) == wanted
        assert read_request(SMALL, fields_of(wanted)) == wanted
        answers = Counter(dict.fromkeys(STORED[name], 3))
        if statistic == Statistic.TREE:
            drawn = draw_tree(wanted, tree_of(SMALL, wanted, 4), {(0, 1): 3, (2, 3): 1})
        elif statistic in SELECTED:
            selection = selection_of(SMALL, wanted)
            drawn = draw_selection(wanted, selection, selection.scores(answers))
        else:
            noises = noises_of(SMALL, wanted, answers.total())
            drawn = draw_sums(wanted, noises, [each.part.sum_of(answers) for each in noises])
        figures = dp_figures(SMALL, wanted, answers.total(), drawn)
        assert figures
        assert all(math.isfinite(each.value) for each in figures)
        assert accuracy_of(SMALL, wanted, answers.total())
        assert title_of(wanted)
        assert isinstance(details_of(SMALL, wanted), list)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [LAPLACE, GAUSSIAN])
@pytest.mark.parametrize(("name", "statistic"), SUMS)
def test_opendp_bounds_the_loss_of_all_parts_by_what_is_charged(name, statistic, mechanism):
    for epsilon in ("0.001", "0.3", "1", "7.7", "100"):
        wanted = request(name, statistic, mechanism=mechanism, epsilon=epsilon, delta="1e-9")
        total = sum(opendp_loss(each) for each in noises_of(SMALL, wanted, 100))
        if mechanism == GAUSSIAN:
            total = epsilon_at(total, 1e-9)
        assert float(epsilon) * (1 - 0.02) < total <= float(epsilon)


def test_nothing_is_drawn_where_the_noise_is_too_small(monkeypatch):
    wanted = request("sleep", "count")
    noises = noises_of(SMALL, wanted, 10)
    less = [replace(each, scale=each.scale * 0.999) for each in noises]
    monkeypatch.setattr(
        opendp_sampler, "measurement_of", MeasurementThatDraws(opendp_sampler.measurement_of)
    )
    with pytest.raises(LossExceeded):
        draw_sums(wanted, less, [[5]])
    assert opendp_sampler.measurement_of.drawn == 0
    draw_sums(wanted, noises, [[5]])
    assert opendp_sampler.measurement_of.drawn == 1
    selection = selection_of(SMALL, request("sleep", "median"))
    with pytest.raises(LossExceeded):
        draw_selection(
            request("sleep", "median"), replace(selection, scale=selection.scale / 2), [0] * 4
        )


class MeasurementThatDraws:
    """Counts the draws of its measurements."""

    def __init__(self, made):
        self.made, self.drawn = made, 0

    def __call__(self, noise):
        measurement = self.made(noise)
        outer = self

        class Counted:
            map = staticmethod(measurement.map)

            def __call__(self, values):
                outer.drawn += 1
                return measurement(values)

        return Counted()


@pytest.mark.parametrize("mechanism", [LAPLACE, GAUSSIAN])
def test_opendp_draws_noise_of_the_scale_that_the_accuracy_supposes(mechanism):
    """20,000 draws, compared with the exact distribution of the count.

    OpenDP has no seed. Either half of the test has a false alarm at most once in 10^8 runs.
    """
    n = 20_000
    wanted = request("news", "histogram", mechanism=mechanism, delta="1e-6", epsilon="0.5")
    [one] = noises_of(SMALL, wanted, 100)
    wide = replace(one, part=replace(one.part, size=n))
    drawn = opendp_sampler.measurement_of(wide)([0] * n)
    for beta in (0.5, 0.05):
        if mechanism == LAPLACE:
            within = noise_scales.laplace_accuracy(one.scale, beta)
            p = math.exp(-1 / one.scale)
            chance = 1 - 2 * p ** (within + 1) / (1 + p)
        else:
            within = noise_scales.gaussian_accuracy(one.scale, beta)
            weights = [math.exp(-(x**2) / (2 * one.scale**2)) for x in range(-400, 401)]
            chance = sum(weights[400 - within : 401 + within]) / sum(weights)
        assert chance >= 1 - beta
        found = sum(abs(each) <= within for each in drawn)
        assert times_within(found, n, chance)
        assert times_within(n - found, n, 1 - chance)  # nor is the noise smaller


def test_the_statistical_test_can_fail():
    assert not times_within(9_300, 10_000, 0.95)
    assert times_within(9_400, 10_000, 0.95)
