"""The grammar of expressions: trees, constants, and the names of questions."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.formats.xlsform.expressions import UnsupportedCondition, names_in, parse_expression
from tests.formats.odk_calculation import Calculation
from tests.support.check_each import check_each

pytestmark = pytest.mark.fast


def tree(expression):
    """The tree as nested lists."""
    if expression.kind != "call":
        return expression.value
    return [expression.value, *map(tree, expression.parts)]


@check_each(
    ("text", "expected"),
    [
        ("${a} = 1 or ${b} and not(${c})", ["or", ["=", "a", 1], ["and", "b", ["not", "c"]]]),
        ("${a} + 2 * ${b} - 1 > 3", [">", ["-", ["+", "a", ["*", 2, "b"]], 1], 3]),
        ("-${a} div 2", ["div", ["-", "a"], 2]),
        ("selected(../tuổi, 'có')", ["selected", "tuổi", "có"]),
        ("/data/กลุ่ม/อายุ>=18", [">=", "อายุ", 18]),
        ("current()/../问题 != ''", ["!=", "问题", ""]),
        ("if(${a}, 'x', \"it's\")", ["if", "a", "x", "it's"]),
        (". >= 0 and . <= 9 and . != 5",
         ["and", [">=", ".", 0], ["<=", ".", 9], ["!=", ".", 5]]),
        ("instance('c')/i[n = ${a}]/label = 1", ["=", ["instance('c')/i[n = ${a}]/label"], 1]),
    ],
)  # fmt: skip
def test_the_tree_of_an_expression(text, expected):
    assert tree(parse_expression(text)) == expected


@check_each(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7), ("10 div 4", Fraction(5, 2)), ("-7 mod 3", -1), ("number('12')", 12),
        ("'x' > 1", False), ("'a' != 'b'", True), ("1 = '1.0'", True), ("true()", True),
        ("not('')", True), ("boolean('0')", True), ("true() = 'x'", True), ("1 or ${a}", True),
        ("${a} and 0", False), ("selected('a b', 'b')", True), ("if('', 1, 2)", 2),
        ("yes", True), ("False", False), ("1 - -1", 2),
    ],
)  # fmt: skip
def test_constants_are_computed(text, value):
    expression = parse_expression(text)
    assert expression.kind == "constant"
    assert expression.value == value


@check_each("text", ["1 div 0", "1 mod 0", "'x' + 1", "today() > 1", "true(1)", "sum(1, 2)"])
def test_other_expressions_stay_as_they_are(text):
    assert parse_expression(text).kind == "call"


def test_each_part_has_its_text():
    expression = parse_expression("  (${a}='x'  or false()) and( ${b} >  1 + 1 )")
    assert [part.source for part in expression.parts] == ["${a}='x'", "${b} >  1 + 1"]


def test_the_names_in_any_cell():
    assert names_in("${ a } + ../b and /data/g/c ;; ${d") == {"a", "b", "c"}


NUMBERS = st.recursive(
    st.integers(0, 9).map(str),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(
        lambda parts: f"({' '.join(parts)})"
    ),
    max_leaves=6,
)


@given(NUMBERS, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), NUMBERS)
def test_constants_are_those_of_another_evaluator(one, sign, other):
    found = parse_expression(f"{one} {sign} {other}").value
    assert found == Calculation(f"{one} {sign} {other}", {}, iter(())).level(0)


@given(st.text("${}ab.'\"<>=!,-+019 andornotselected/\\[]()", max_size=60))
def test_any_text_is_a_tree_or_a_fault(text):
    try:
        expression = parse_expression(text)
    except UnsupportedCondition as error:
        assert str(error)
        return
    again = parse_expression(expression.source) if expression.kind != "constant" else expression
    assert tree(again) == tree(expression)
