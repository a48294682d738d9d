"""The effective counts of groups with weights, strata or clusters."""

import numpy as np
import pytest

from survey.analysis.columns.sample_means import complete_case_sample
from survey.analysis.columns.variables import SurveyDesign
from survey.analysis.groups.effective_counts import cluster_correlation
from survey.analysis.groups.groups import group_scores
from survey.analysis.groups.measures import measure_of
from tests.support.analysed import plain

pytestmark = pytest.mark.fast


def effective_of(outcome, group, design):
    measure, sample = measure_of(outcome, 0), complete_case_sample((outcome, group), design)
    return group_scores(measure, group, sample).estimates(measure, group).effective


def test_weights_have_kishs_effective_sample_size():
    r, n = np.random.default_rng(1), 120
    group, weights = np.repeat([0, 1], [80, 40]), r.uniform(0.2, 3, n)
    outcome = plain(r.integers(0, 2, n), 2, "o")
    found = effective_of(outcome, plain(group, 2, "g"), SurveyDesign(weights=weights))
    for place in (0, 1):
        w = weights[group == place]
        assert 1 / found.spread[place, place] == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert found.spread[0, 1] == 0


def test_the_correlation_in_clusters_has_no_bias():
    """The residuals are from estimated shares, which the moment estimate takes into account."""
    r, found = np.random.default_rng(2), []
    clusters, cells = np.repeat(np.arange(12), 10), np.tile([0, 1], 60)
    for _ in range(600):
        share = r.beta(1.2, 2.8, 12)[clusters]
        y, weights = (r.random(120) < share).astype(float), r.uniform(0.5, 1.5, 120) / 120
        found.append(cluster_correlation(y, weights, clusters, cells, 0.21).value)
    # The correlation is 1 / (1.2 + 2.8 + 1). That of a single survey has a standard error of 0.07.
    assert np.mean(found) == pytest.approx(0.2, abs=0.012)


def test_equal_reports_in_clusters_count_once():
    r = np.random.default_rng(3)
    y, group = r.integers(0, 2, 40), np.repeat([0, 1], 20)
    clusters = np.repeat(np.arange(40), 5)
    outcome, groups = plain(np.repeat(y, 5), 2, "o"), plain(np.repeat(group, 5), 2, "g")
    found = effective_of(outcome, groups, SurveyDesign(clusters=clusters))
    assert found.correlation.value == pytest.approx(1)
    counts, degrees = found.if_equal((0, 1))
    # The linearised variance is larger by n / (n - 1) of 40 clusters.
    assert list(counts.n) == pytest.approx([20, 20], abs=1)
    assert degrees == 39
