"""Fisher's information of reports on private predictors, at parameters of a hypothesis.

The information is the mean of s s' over all reports, with the slope s of the log likelihood of one
respondent. Without non-private predictors, and with few different reports, the sum has one term
for each of them. Otherwise, it is estimated from reports that are simulated with a fixed seed, so
that the same data always give the same results. The observed information of few noisy reports is a
poor substitute: score tests with it rejected true hypotheses in up to 38 % of surveys.
"""

from dataclasses import replace
from itertools import product

import numpy as np

from survey.analysis.columns.reported_variable import ReportedVariable
from survey.analysis.columns.variables import MISSING, Codes
from survey.analysis.regression.models import Array
from survey.analysis.regression.private.private_predictors import PrivatePredictorLikelihood
from survey.core.processor_time import require_time

SEED = 20261129
# With more different reports, they are simulated.
MAX_REPORTS = 4_096
# The number of simulated respondents for each parameter. With 25, the variance of a score is about
# 4 % too small, so a test at 5 % rejects 5.3 % of true hypotheses.
SIMULATED_PER_PARAMETER = 25


def information_of_reports(
    likelihood: PrivatePredictorLikelihood,
    theta: Array,
    listed: PrivatePredictorLikelihood | None,
) -> Array | None:
    """The expected information of the reports, shape (size, size), without weights.

    It is None if some possible reports have no code.

    Parameters
    ----------
    listed : all possible reports (`listed_reports`), or None to simulate reports
    """
    require_time()
    draws = [draw.reported for draw in likelihood.private.draws]
    if not all(each.complete for each in (likelihood.outcome, *draws)):
        return None
    if listed is None:
        every = with_simulated_reports(replace(likelihood, is_penalised=False, weights=None), theta)
        slopes, weights = every.of_rows(theta)[1], every.different.weight
    else:
        weights, slopes = listed.of_rows(theta)
    total = (slopes * weights[:, np.newaxis]).T @ slopes
    return np.asarray(total * (likelihood.n / weights.sum()))


def listed_reports(likelihood: PrivatePredictorLikelihood) -> PrivatePredictorLikelihood | None:
    """A likelihood with one respondent for each possible report, or None if these are too many."""
    likelihood = replace(likelihood, is_penalised=False, weights=None)
    private = likelihood.private
    variables = [likelihood.outcome, *(draw.reported for draw in private.draws)]
    sizes = [variable.chances.shape[1] for variable in variables]
    mixed = any(len(np.unique(variable.part_of_code)) > 1 for variable in variables)
    missing = any((variable.codes == MISSING).any() for variable in variables)
    if likelihood.non_private.shape[1] or private.shared is not None or mixed or missing:
        return None
    if np.prod(sizes, dtype=float) > MAX_REPORTS:
        return None
    return with_reports(
        likelihood,
        np.zeros(np.prod(sizes), dtype=np.int64),
        np.array(list(product(*map(range, sizes)))),
    )


def with_reports(
    likelihood: PrivatePredictorLikelihood, respondents: Codes, reports: Codes
) -> PrivatePredictorLikelihood:
    """The likelihood of respondents with the same non-private predictors and other reports.

    Parameters
    ----------
    respondents : int array (m,), the places of those whose non-private predictors they have
    reports : int array (m, 1 + draws), those on the outcome and on each draw
    """
    private = likelihood.private
    draws = tuple(
        replace(draw, reported=replace(draw.reported, codes=codes))
        for draw, codes in zip(private.draws, reports.T[1:], strict=True)
    )
    shared = private.shared and replace(private.shared, codes=reports[:, 0])
    return replace(
        likelihood,
        outcome=replace(likelihood.outcome, codes=reports[:, 0]),
        non_private=likelihood.non_private[respondents],
        private=replace(private, draws=draws, shared=shared),
    )


def with_simulated_reports(
    likelihood: PrivatePredictorLikelihood, theta: Array
) -> PrivatePredictorLikelihood:
    """The likelihood of reports that are simulated with these parameters.

    Each respondent is simulated equally often, so the means of the predictors stay the same.
    """
    random = np.random.default_rng(SEED)
    times = -(-SIMULATED_PER_PARAMETER * likelihood.size // likelihood.n)
    respondents = np.tile(np.arange(likelihood.n), times)
    private, groups = likelihood.private, likelihood.groups[1][respondents]
    cells = np.empty(len(respondents), dtype=np.int64)
    answers = np.empty(len(respondents), dtype=np.int64)
    for block in likelihood.blocks:
        inside = np.flatnonzero((groups >= block.groups.start) & (groups < block.groups.stop))
        own = groups[inside] - block.groups.start
        shares = likelihood.shares_of(theta, block.groups)
        cells[inside] = draw_places_by_group(random, shares, own)
        eta = likelihood.etas(theta, block.groups)[:, own, cells[inside]]
        answers[inside] = draw_places(random, likelihood.model.shares(eta)[0].T)
    if private.shared is None:
        outcome = simulate_codes(random, likelihood.outcome, answers, respondents)
    else:
        outcome = draw_places(
            random, private.shared.chances[answers, private.shared.answers[cells]]
        )
    of_draws = [
        simulate_codes(random, draw.reported, private.answers[cells, place], respondents)
        for place, draw in enumerate(private.draws)
    ]
    return with_reports(likelihood, respondents, np.column_stack([outcome, *of_draws]))


def simulate_codes(
    random: np.random.Generator, variable: ReportedVariable, answers: Codes, respondents: Codes
) -> Codes:
    """Simulated reports; a respondent who does not report, still does not."""
    own = variable.codes[respondents]
    parts = variable.part_of_code
    possible = parts[own][:, np.newaxis] == parts
    codes = draw_places(random, variable.chances[answers] * possible)
    return np.where(own == MISSING, MISSING, codes)


def draw_places(random: np.random.Generator, chances: Array) -> Codes:
    """The number of a column for each row, drawn with the probabilities in the row, shape (m,)."""
    borders = chances.cumsum(axis=1)
    numbers = random.random((len(chances), 1)) * borders[:, -1:]
    return np.asarray((numbers >= borders[:, :-1]).sum(axis=1), dtype=np.int64)


def draw_places_by_group(random: np.random.Generator, chances: Array, groups: Codes) -> Codes:
    """A number of a column for each respondent, drawn with the probabilities of the group.

    Row g of `chances` has those of group g, and `groups` has the group of each respondent.
    """
    borders = chances.cumsum(axis=1)
    borders /= borders[:, -1:]
    whole = (borders + np.arange(len(borders))[:, np.newaxis]).ravel()
    places = np.searchsorted(whole, groups + random.random(len(groups)), side="right")
    return np.asarray(np.minimum(places - groups * chances.shape[1], chances.shape[1] - 1))
