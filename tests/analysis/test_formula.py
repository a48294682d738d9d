"""Terms of a regression: products, powers, and the answer that others are compared with."""

from dataclasses import replace

import numpy as np
import pytest

from survey.analysis.regression.equations import equations
from survey.analysis.regression.estimators import MAXIMUM_LIKELIHOOD
from survey.analysis.regression.formula import (
    ModelTerms,
    coefficient_label,
    parse_terms,
    split_terms,
)
from survey.analysis.regression.regression import regress
from survey.core.errors import UnanswerableQuestion
from tests.support.blocks import remarked
from tests.support.regressed import (
    COIN,
    YES_NO,
    column,
    gradient,
    jeffreys,
    logistic,
    maximum,
    numbers,
    values,
)

pytestmark = pytest.mark.fast


def test_terms_are_read_as_in_model_formulas():
    assert parse_terms(["age", "sex/man", "a+b"]) == ModelTerms(("age", "sex/man", "a+b"))
    assert parse_terms(["age", "region", "age:region"]).products == (("age", "region"),)
    crossed = parse_terms(["a*b*c"])
    assert crossed.names == ("a", "b", "c")
    assert crossed.products == (("a", "b"), ("a", "c"), ("b", "c"), ("a", "b", "c"))
    assert parse_terms(["age*sex", "sex:age"]).products == (("sex", "age"),)
    for square in ("I(age^2)", "I( age ** 2 )"):
        assert parse_terms(["age", square]).products == (("age", "age"),)
    assert parse_terms(["I(age^3)"]).products == (("age",) * 3,)
    chosen = parse_terms(["C(region, ref=North East)", 'C(mood, ref="a, (b)")', "C(size)"])
    assert chosen.names == ("region", "mood", "size")
    assert chosen.categories == {"region", "mood", "size"}
    assert chosen.references == {"region": "North East", "mood": "a, (b)"}


def test_terms_in_one_line_end_at_spaces_and_commas_outside_parentheses():
    text = ' age:region, I(age^2);C(region, ref=North East)\n C(x, ref="a) b") '
    assert split_terms(text) == [
        "age:region", "I(age^2)", "C(region, ref=North East)", 'C(x, ref="a) b")'
    ]  # fmt: skip
    assert split_terms("") == []


@pytest.mark.parametrize(
    "term",
    ["I(age)", "I(age^9)", "log(age)", "C()", "a:", ":", "*", "C(a, b)", "", "a::b"],
)
def test_what_is_no_term_is_named(term):
    with pytest.raises(UnanswerableQuestion, match=r"is not a term of a model\. Write") as caught:
        parse_terms([term])
    assert f"“{term}”" in str(caught.value)


def test_open_parentheses_and_impossible_products_are_refused():
    with pytest.raises(UnanswerableQuestion, match="is not a term"):
        split_terms("age C(region")
    with pytest.raises(UnanswerableQuestion, match=r"twice. Write I\(age\^2\) for a square"):
        parse_terms(["age:age"])
    with pytest.raises(UnanswerableQuestion, match="more than 3 factors"):
        parse_terms(["a:b:c:d"])


def penalised(x, outcome):
    def height(b):
        yes = logistic(x @ b)
        told = 0.25 + 0.5 * yes
        reported = np.log(np.where(outcome.reports == 0, told, 1 - told)).sum()
        return reported + jeffreys(x, yes[:, np.newaxis])

    return height


def test_products_and_powers_are_columns_of_the_design(data):
    outcome = data.private("y", data.y, YES_NO, COIN)
    formula = parse_terms(["x", "region", "x:region", "I(x^2)"])
    found = regress(outcome, [data.plain[0], data.plain[2]], formula=formula)
    east, south = data.region == 1, data.region == 2
    x = np.column_stack(
        [np.ones(data.n), data.x, east, south, data.x * east, data.x * south, data.x**2]
    ).astype(float)
    best = maximum(penalised(x, outcome), 7)
    assert values(found) == pytest.approx(best, abs=1e-6)
    assert [row.name for row in found.coefficients] == [
        "constant", "x", "region: E", "region: S", "x × region: E", "x × region: S", "x^2"
    ]  # fmt: skip
    # The test of a predictor includes its products.
    degrees = {test.name: test.degrees for test in found.tests}
    assert degrees == {"x": 4, "region": 4, "x × region": 2, "x^2": 1, "all predictors": 6}
    # Products change with their predictors.
    effects = {(effect.name, effect.answer): effect for effect in found.effects}
    assert {name for name, _ in effects} == {"x", "region: E", "region: S"}

    def slope(b):
        yes = logistic(x @ b)
        inner = b[1] + b[4] * east + b[5] * south + 2 * b[6] * data.x
        return (yes * (1 - yes) * inner).mean()

    def step(b):
        with_south, without = x.copy(), x.copy()
        with_south[:, 2:6], without[:, 2:6] = 0, 0
        with_south[:, 3], with_south[:, 5] = 1, data.x
        return (logistic(with_south @ b) - logistic(without @ b)).mean()

    for name, function in (("x", slope), ("region: S", step)):
        ours = effects[name, "Yes"]
        assert ours.value == pytest.approx(function(best), abs=1e-6)
        assert ours.low < ours.value < ours.high
        assert np.abs(gradient(function, best)).max() > 0


def test_with_a_sandwich_or_a_linear_model_products_are_tested_too(data):
    formula = parse_terms(["x*region"])
    columns = [data.plain[0], data.plain[2]]
    for outcome, kind in ((data.private("y", data.y, YES_NO, COIN), "sandwich"),
                          (numbers("v", data.age), None)):  # fmt: skip
        found = regress(outcome, columns, errors=kind, formula=formula)
        degrees = {test.name: test.degrees for test in found.tests}
        assert degrees == {"x": 3, "region": 4, "x × region": 2, "all predictors": 5}


def test_any_answer_can_be_the_one_to_compare_with(data):
    y = column("y", YES_NO, data.y)
    usual = regress(y, data.plain, estimator=MAXIMUM_LIKELIHOOD)
    formula = parse_terms(["x", "age", "C(region, ref=S)"])
    found = regress(y, data.plain, formula=formula, estimator=MAXIMUM_LIKELIHOOD)
    assert [row.name for row in found.coefficients][3:] == ["region: N", "region: E"]
    assert found.coefficients[3].value == pytest.approx(-usual.coefficients[4].value, abs=1e-6)
    assert found.log_likelihood == pytest.approx(usual.log_likelihood, abs=1e-6)
    with pytest.raises(UnanswerableQuestion, match="has no answer “W” to compare with"):
        regress(y, data.plain, formula=parse_terms(["C(region, ref=W)"]))
    # A private predictor, too, and a number as categories.
    z = data.private("z", data.z, YES_NO, COIN)
    other = regress(y, [z], formula=parse_terms(["C(z, ref=Yes)"]))
    assert other.coefficients[1].name == "z: No"
    scale = column("s", "123", data.w, values=[1, 2, 3])
    assert len(regress(y, [scale], formula=parse_terms(["C(s, ref=2)"])).coefficients) == 3


def test_terms_without_a_predictor_are_named(data):
    y, z = column("y", YES_NO, data.y), data.private("z", data.z, YES_NO, COIN)
    for terms, columns, match in (
        (["x:age"], data.plain[:1], "“x × age” needs “age” as a predictor of its own"),
        (["x:z"], [data.plain[0], z], "“x × z” contains “z”, which is randomised"),
        (["I(region^2)"], data.plain, "is a power of “region”, which enters as categories"),
    ):
        with pytest.raises(UnanswerableQuestion, match=match):
            regress(y, columns, formula=parse_terms(terms))


def test_answers_that_nobody_gave_together_have_no_coefficient(data):
    half = replace(column("half", "ab", (data.region == 2).astype(int)), label="First half")
    y = column("y", YES_NO, data.y)
    other = column("other", "ab", (data.region == 1).astype(int))
    with pytest.raises(UnanswerableQuestion, match=r"can be computed|is 0 for all"):
        regress(y, [half, other], formula=parse_terms(["half:other"]))
    never = column("never", "abc", np.where(half.reports == 0, data.w % 2, data.w))
    found = regress(y, [half, never], formula=parse_terms(["half:never"]))
    assert any("“First half ‘a’ × never ‘c’”" in remark for remark in remarked(found))
    assert "half: a × never: c" not in [row.name for row in found.coefficients]


def test_products_have_labels_and_a_place_in_the_equation(data):
    outcome = column("y", YES_NO, data.y)
    columns = [data.plain[0], data.plain[2]]
    found = regress(outcome, columns, formula=parse_terms(["x:region", "I(x^2)"]))
    assert coefficient_label("x × region: S", columns) == "x × region “S”"
    assert coefficient_label("x^2", columns) == "x ^ 2"
    assert coefficient_label("x × region", columns) == "x × region"
    (equation,) = equations(found)
    assert "× x × [region: S]" in equation.numbers
    assert "× x^2" in equation.numbers
