"""The blocks of a regression: its tests and its sentence, and numbers without exponents."""

import re

import numpy as np
import pytest

from survey.analysis.blocks import Facts, Paragraph, Table
from survey.analysis.regression.regression import regress
from survey.analysis.regression.regression_blocks import regression_blocks, regression_heading
from survey.analysis.sentences import regression_sentence
from survey.cli.tables import block_lines
from tests.support.analysed import COIN, THREE, plain, through


def tables(found, outcome, predictors):
    blocks = regression_blocks(found, outcome, predictors, products=False)
    return {block.key: block for block in blocks if isinstance(block, Table)}


def people(seed, n, odds):
    """A group of one half of n people, and Yes, coded 0, with these odds times 1/3 in it."""
    generator = np.random.default_rng(seed)
    group = generator.integers(2, size=n)
    chances = np.where(group == 0, odds, 1) / 3
    return generator, group, (generator.random(n) >= chances / (1 + chances)).astype(int)


def test_a_test_of_a_predictor_leaves_out_special_answers():
    """Nobody gives them here. With their coefficients, there would be four degrees of freedom."""
    generator, group, answers = people(1, 500, 8)
    outcome = through(generator, THREE, answers, "y", special_answers=1)
    predictor = through(generator, THREE, group, "x", special_answers=1)
    found = regress(outcome, [predictor])
    [test] = found.tests
    [own] = [row for row in found.coefficients if (row.equation, row.name) == ("y0", "x: x0")]
    assert (test.degrees, test.adjusted_p) == (1, test.p)
    assert test.p == pytest.approx(own.p, rel=1e-3)
    assert own.p < 0.01
    assert "is related to “What of x?” (p " in regression_sentence(found, outcome, [predictor])
    told = tables(found, outcome, [predictor])
    assert "The tests leave out special answers" in told["tests"].caption
    [row] = told["tests"].rows
    assert [cell.exact for cell in row.cells] == [test.statistic, None, test.p]


def test_sentence_and_tables_say_that_there_are_too_few_responses():
    generator = np.random.default_rng(2)
    outcome, *predictors = (plain(generator.integers(2, size=16), 2, name) for name in "yxz")
    found = regress(outcome, predictors)
    told = tables(found, outcome, predictors)
    for key in ("coefficients", "tests"):
        assert told[key].caption.endswith(
            "There are fewer than 10 responses for each coefficient, so p can be wrong."
        )
    assert "There are too few responses" in regression_sentence(found, outcome, predictors)
    enough = regress(*(outcome, predictors[:1]))
    assert "fewer than" not in tables(enough, outcome, predictors[:1])["tests"].caption


def test_the_table_of_tests_has_the_p_of_the_sentence():
    generator, group, answers = people(3, 400, 4)
    outcome = plain(answers, 2, "y")
    predictors = [plain(group, 2, "x"), plain(generator.integers(4, size=400), 4, "z")]
    found = regress(outcome, predictors)
    told = tables(found, outcome, predictors)["tests"]
    assert told.figures[-1] == "p (Holm)"
    holm = [row.cells[-1].text for row in told.rows]
    assert holm[0] == "below 0.001"
    assert holm[2] == "–"
    said = regression_sentence(found, outcome, predictors)
    assert "“What of y?” is related to “What of x?”" in said
    assert said.endswith(f"do not show a relation to “What of z?” (p = {holm[1]}).")
    lines = list(block_lines(regression_blocks(found, outcome, predictors, products=False)))
    assert any("A test below takes all coefficients of a predictor together." in x for x in lines)
    assert any(line.startswith("With 2 predictors, some can look significant") for line in lines)


def test_numbers_have_no_exponent_and_small_coefficients_keep_their_digits():
    generator = np.random.default_rng(4)
    income = generator.integers(40, size=600)
    answers = (generator.random(600) < income / 40).astype(int)
    outcome = plain(answers, 2, "y")
    predictor = plain(income, 40, "income", values=np.arange(40) * 1e7)
    found = regress(outcome, [predictor])
    blocks = list(regression_blocks(found, outcome, [predictor], products=False))
    printed = "\n".join(block_lines(blocks)) + f"{blocks[-1]}"
    assert not re.search(r"\de[+-]\d", re.sub(r"exact=[^,]*|low=[^,]*|high=[^,]*", "", printed))
    own = tables(found, outcome, [predictor])["coefficients"].rows[1].cells[0]
    assert re.search(r"^−?0\.0000000[1-9]", own.text)
    assert regression_heading(found, outcome) == "Logistic regression: What of y?"


def test_the_formula_names_its_letters():
    _, group, answers = people(5, 60, 4)
    outcome, predictor = plain(answers, 2, "y"), plain(group, 2, "x")
    *_, last = regression_blocks(
        regress(outcome, [predictor]), outcome, [predictor], products=False
    )
    [facts] = [block for block in last.blocks if isinstance(block, Facts)]
    assert [(name, cell.text) for name, cell in facts.pairs] == [("x", "What of x?")]
    assert isinstance(last.blocks[-1], Paragraph)


@pytest.mark.parametrize("private", [0, 1, 3])
@pytest.mark.parametrize("estimator", ["penalised", "maximum likelihood"])
def test_the_method_says_what_it_assumes_of_private_predictors(private, estimator):
    generator = np.random.default_rng(4)
    group = generator.integers(0, 2, 4_000)
    outcome = plain((generator.random(4_000) < 0.3 + 0.3 * group).astype(int), 2, "y")
    predictors = [plain(generator.integers(0, 2, 4_000), 2, "g")]
    for name in "abc"[:private]:
        own = np.where(generator.random(4_000) < 0.4, group, generator.integers(0, 2, 4_000))
        predictors.append(through(generator, COIN, own, name))
    found = regress(outcome, predictors, estimator=estimator)
    *_, last = regression_blocks(found, outcome, predictors, products=False)
    text = last.blocks[-1].text
    assert ("has a penalty, too" in text) == (private > 0 and estimator == "penalised")
    assert ("are related in pairs only" in text) == (private > 2)
    assert ("Candor estimates Pr(z | x) together" in text) == (private > 0)
    assert ("Pr(report | answer) × Pr(answer | predictors)" in text) == (private == 0)
