"""The maximum of the likelihood of reports, against another optimiser."""

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.likelihoods import of_two, penalised
from tests.support.regressed import (
    YES_NO,
    column,
    errors,
    gradient,
    logistic,
    maximum,
    regress_penalised,
    reports,
    spread,
    values,
)

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("kept", [0.5, 0.8, -0.4])  # the last reports the opposite more often
def test_of_reports_it_is_the_maximum_of_their_likelihood(data, kept):
    table = spread(2, kept)
    outcome = data.private("y", data.y, YES_NO, table)
    found = regress_penalised(outcome, data.plain)
    height = of_two(data.design(), (table[0, 0], table[1, 0], outcome.reports == 0))
    height = penalised(height, data.design())
    best = maximum(height, 5)
    assert values(found) == pytest.approx(best, abs=1e-6)
    # For a change of one standard error.
    slopes = gradient(height, values(found)) * errors(found)
    assert slopes == pytest.approx(np.zeros(5), abs=1e-6)


def test_tables_need_neither_be_square_nor_symmetric(data):
    table = np.array([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]])
    codes = reports(data.r, table, data.y)
    outcome = replace(
        column("y", YES_NO, data.y),
        chances=table,
        scores=np.linalg.pinv(table),
        value_scores=None,
        reports=codes,
        private=True,
    )
    found = regress_penalised(outcome, data.plain[:1])
    x = data.design()[:, :2]

    def height(b):
        yes = logistic(x @ b)
        return np.log(yes * table[0, codes] + (1 - yes) * table[1, codes]).sum()

    assert values(found) == pytest.approx(maximum(penalised(height, x), 2), abs=1e-6)
