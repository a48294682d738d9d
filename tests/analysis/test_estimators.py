"""The choice of the estimator, and what pages and files say about it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from survey.analysis.as_json import regression_json
from survey.analysis.as_rows import regression_rows
from survey.analysis.blocks import Facts, Folded, FormulaLine
from survey.analysis.regression.coefficients import Regression
from survey.analysis.regression.regression import regress
from survey.analysis.regression.regression_blocks import (
    PENALISED_FORMULA,
    REASON_SENTENCES,
    regression_blocks,
)
from survey.charts.analysis_rows import coefficient_chart
from survey.charts.interval_rows import NARROW, WIDE
from survey.cli.tables import block_lines
from survey.core.errors import UnanswerableQuestion
from tests.support.regressed import YES_NO, column, numbers, spread, values

pytestmark = pytest.mark.fast

HALF = spread(2, 0.5)
LIKELIEST, PENALISED = "maximum likelihood", "penalised"


def two_groups(yes, n, table=HALF):
    """Reports of Yes in the groups a and b, of n in each."""
    codes = np.concatenate([np.arange(n) >= each for each in yes]).astype(int)
    return column("y", YES_NO, codes, table), [column("g", "ab", np.repeat([0, 1], n))]


def printed(found, outcome, predictors):
    return "\n".join(block_lines(regression_blocks(found, outcome, predictors, products=False)))


# Reports of Yes in two groups of n, the transition matrix, and why the automatic choice is which.
CASES = [
    ((100, 140), 250, HALF, "nearly equal"),
    ((27, 50), 100, HALF, "different"),
    # Both estimates are zero, but their standard errors differ.
    ((2, 2), 4, HALF, "different"),
    # The standard error of maximum likelihood is so large that it explains any difference.
    ((251, 500), 1_000, HALF, "different"),
    # They nearly agree, but a share of zero is nearly as likely.
    ((33, 50), 100, HALF, "infinite interval"),
    # The reports are fewer than noise alone produces: the share would be negative.
    ((15, 50), 100, HALF, "no finite maximum"),
    ((0, 20), 40, None, "no finite maximum"),
    # Both groups are separated, so all eigenvalues of the information become small.
    ((0, 40), 40, None, "no finite maximum"),
]


@pytest.mark.parametrize(("yes", "n", "table", "reason"), CASES)
def test_the_automatic_choice_and_its_reason(yes, n, table, reason):
    outcome, predictors = two_groups(yes, n, table)
    found = regress(outcome, predictors)
    chosen = LIKELIEST if reason == "nearly equal" else PENALISED
    assert (found.estimator, found.estimator_reason) == (chosen, reason)
    assert all(math.isfinite(row.high - row.low) for row in found.coefficients)
    sentences = f"Estimator: {chosen}. {REASON_SENTENCES[reason]} "
    assert sentences in printed(found, outcome, predictors)
    requested = regress(outcome, predictors, estimator=chosen)
    assert replace(requested, estimator_reason=reason) == found


@pytest.mark.parametrize(("yes", "n", "table"), [case[:3] for case in CASES[-3:]])
@pytest.mark.parametrize("link", ["logistic", "probit", "cloglog", "cauchit"])
def test_maximum_likelihood_without_a_finite_maximum_is_refused(yes, n, table, link):
    outcome, predictors = two_groups(yes, n, table)
    with pytest.raises(UnanswerableQuestion, match="no maximum at finite coefficients"):
        regress(outcome, predictors, link, estimator=LIKELIEST)
    assert regress(outcome, predictors, link).estimator == PENALISED


def test_maximum_likelihood_of_groups_is_in_closed_form():
    """The share of each group is 2P − 1/2. Tests and AIC are those of the same likelihood."""
    outcome, predictors = two_groups((100, 140), 250)
    found = regress(outcome, predictors, estimator=LIKELIEST)
    low, high = (math.log(share / (1 - share)) for share in (0.3, 0.62))
    assert values(found) == pytest.approx([high, low - high], abs=1e-9)

    def height(yes, n):
        return yes * math.log(yes / n) + (n - yes) * math.log(1 - yes / n)

    whole, alone = height(100, 250) + height(140, 250), height(240, 500)
    assert found.log_likelihood == pytest.approx(whole, abs=1e-9)
    assert found.aic == pytest.approx(4 - 2 * whole, abs=1e-9)
    assert found.tests[0].statistic == pytest.approx(2 * (whole - alone), abs=1e-8)
    assert found.coefficients[1].p == pytest.approx(found.tests[0].p, rel=1e-6)


def facts_and_formulas(found: Regression, outcome, predictors):
    blocks = list(regression_blocks(found, outcome, predictors, products=False))
    folded = blocks[-1]
    assert isinstance(folded, Folded)
    facts = {name for block in blocks if isinstance(block, Facts) for name, _ in block.pairs}
    formulas = [block.text for block in folded.blocks if isinstance(block, FormulaLine)]
    return facts, formulas, folded.blocks[-1].text


def test_pages_and_files_name_the_estimator_and_its_formula():
    outcome, predictors = two_groups((100, 140), 250)
    for estimator in (LIKELIEST, PENALISED):
        found = regress(outcome, predictors, estimator=estimator)
        facts, formulas, method = facts_and_formulas(found, outcome, predictors)
        is_penalised = estimator == PENALISED
        assert ("Log-likelihood" in facts) != is_penalised
        assert (PENALISED_FORMULA in formulas) == is_penalised
        assert ("Jeffreys’ prior of the direct answers" in method) == is_penalised
        assert "Firth" not in printed(found, outcome, predictors) + method
        content = regression_json(found, outcome, predictors)
        assert content["estimator"] == estimator
        assert (content["log_likelihood"] is None) == is_penalised
        rows = {row.figure: row for row in regression_rows(found, predictors)}
        assert rows["estimator"].about == (estimator,)
        assert ("AIC" in rows) != is_penalised
    x = numbers("x", np.arange(500) % 7)
    linear = regress(x, predictors)
    assert linear.estimator == "least squares"
    assert "least squares on unbiased scores" in facts_and_formulas(linear, x, predictors)[2]


@pytest.mark.parametrize("link", ["logistic", "probit", "cloglog", "cauchit"])
@pytest.mark.parametrize("is_reference", [False, True])
def test_an_infinite_end_is_infinite_everywhere(link, is_reference):
    """27 of 100 reports of Yes: an estimated share of 4 %, and 0 % has nearly the same height."""
    yes = (50, 27) if is_reference else (27, 50)
    outcome, predictors = two_groups(yes, 100)
    found = regress(outcome, predictors, link, estimator=LIKELIEST)
    row = found.coefficients[1]
    low, high = (-row.high, -row.low) if is_reference else (row.low, row.high)
    assert (low, row.p < 0.05) == (-math.inf, True)
    assert -4 < high < -0.5
    level = "b" if is_reference else "a"
    [share] = [each for each in found.shares if (each.level, each.answer) == (level, "Yes")]
    effect = found.effects[0]
    assert 0 <= share.low < share.value < share.high < 0.3
    assert abs(effect.low - effect.high) < 0.6
    text = printed(found, outcome, predictors)
    assert ("to ∞)" if is_reference else "(−∞ to") in text
    assert "At least one end of each of their intervals is infinite." in text
    assert not {"inf", "nan"} & set(text.replace("(", " ").replace(")", " ").split())
    content = regression_json(found, outcome, predictors)["coefficients"][1]
    assert content["high" if is_reference else "low"] is None
    for layout in (WIDE, NARROW):
        drawn = coefficient_chart(found, predictors, layout).svg("title").__html__()
        assert "inf" not in drawn
        assert "∞" in drawn


def test_an_unknown_estimator_is_refused():
    with pytest.raises(UnanswerableQuestion, match=r"no estimator 'firth'\. Use one of: automatic"):
        regress(*two_groups((100, 140), 250), estimator="firth")
