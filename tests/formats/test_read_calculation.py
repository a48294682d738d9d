"""Calculations of other tools: Candor reads them as one operation, or leaves them out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.browser.tape import with_derived
from tests.formats.calculated_forms import COLUMNS, ROWS, calculated, imported
from tests.formats.odk_calculation import Calculation, in_odk, is_rounded
from tests.support.check_each import check_each
from tests.support.xlsforms import table

pytestmark = pytest.mark.fast

FREQ = {str(each): each for each in range(4)}
REVERSED = {str(each): 3 - each for each in range(4)}


def read_calculation(text, *more, condition=None):
    """The entry of one calculation, or None, and the notes on its row."""
    age = {"type": "integer", "name": "age", "label": "Age", "required": "yes",
           "constraint": ". >= 0 and . <= 99"}  # fmt: skip
    result = ("calculate", "result", "Result", None, condition, text)
    rows = [age, *table(COLUMNS, *ROWS, *more, result)]
    read = imported(rows)
    number_of_row = len(rows) + 1
    notes = [each for each in read.left_out if f"row {number_of_row}" in each]
    entry = read.survey.as_definition()["questions"][-1]
    return (entry if entry["name"] == "result" else None), notes


@check_each(
    ("text", "kind", "rule"),
    [
        ("${a} + ${b}", "number", {"sum": {"a": FREQ, "b": FREQ}}),
        ("sum(${a}, ${b})", "number", {"sum": {"a": FREQ, "b": FREQ}}),
        ("coalesce(${a}, 0) + ${b}", "number", {"sum": {"a": FREQ, "b": FREQ}}),
        ("(${a} + ${b}) div 2", "number", {"mean": {"a": FREQ, "b": FREQ}}),
        ("3 - ${a} + ${b}", "number", {"sum": {"a": REVERSED, "b": FREQ}}),
        ("2 * ${age} - -1 * ${a}", "number", {"sum": {"age": 2, "a": FREQ}}),
        ("count-selected(${boxes}) + ${a}", "number",
         {"sum": {"boxes": {"p": 1, "q": 1, "r": 1}, "a": FREQ}}),
        ("if(selected(${boxes}, 'q'), 5, 0) + if(${w} = 'high', 2, if(${w} = 'low', 1, 0))",
         "number", {"sum": {"boxes": {"p": 0, "q": 5, "r": 0}, "w": {"low": 1, "high": 2}}}),
        ("if(${age} >= 18, 1, 0) + if(${w} = 'high', 1, 0)", "number",
         {"count": {"age": {"min": 18}, "w": ["high"]}}),
        ("if(${a} >= 2, 1, 0) + if(${b} > 1, 1, 0)", "number",
         {"sum": {"a": {"0": 0, "1": 0, "2": 1, "3": 1}, "b": {"0": 0, "1": 0, "2": 1, "3": 1}}}),
        ("if(${a} + ${b} > 2, 'yes', 'no')", "yes_no",
         {"sum": {"a": FREQ, "b": FREQ}, "at_least": 3}),
        ("${a} + ${b} >= 3", "yes_no", {"sum": {"a": FREQ, "b": FREQ}, "at_least": 3}),
        ("if(3 > ${a} + ${b}, 0, 1)", "yes_no", {"sum": {"a": FREQ, "b": FREQ}, "at_least": 3}),
        ("if(${a} + ${b} < 3, 1, 0)", "select_one",
         {"sum": {"a": FREQ, "b": FREQ}, "bands": {"1": 0, "0": 3}}),
        ("if((${a} + ${b}) div 2 >= 1.5, 1, 0)", "yes_no",
         {"mean": {"a": FREQ, "b": FREQ}, "at_least": 1.5}),
        ("if((${a} + ${b}) div 3 >= 1, 1, 0)", "yes_no",
         {"sum": {"a": FREQ, "b": FREQ}, "at_least": 3}),
        ("if(${a} = 3 or ${w} = 'high', 'yes', 'no')", "yes_no",
         {"any": {"a": ["3"], "w": ["high"]}}),
        ("if(${a} >= 2 or ${b} >= 2, 1, 0)", "yes_no",
         {"any": {"a": ["2", "3"], "b": ["2", "3"]}}),
        ("${a} = 3 and not(${w} = 'low')", "yes_no", {"all": {"a": ["3"], "w": ["high"]}}),
        ("boolean(${a} = 3)", "yes_no", {"any": {"a": ["3"]}}),
        # Each comparison can be read in several ways, and is still read quickly.
        ("if(" * 28 + "${a} = 1" + ", 1, 0) = 1" * 27 + ", 1, 0)", "yes_no", {"any": {"a": ["1"]}}),
        ("if(not(1 = 2) and (../a = 1 or /data/b = 1), 1, 0)", "yes_no",
         {"any": {"a": ["1"], "b": ["1"]}}),
        ("if(${age} >= 65, 'old', if(${age} >= 18, 'adult', 'young'))", "select_one",
         {"recode": {"old": {"age": {"min": 65}}, "adult": {"age": {"min": 18}}, "young": {}}}),
        ("once(if(random() < 0.5, 'x', if(random() < 1 div 3, 'y', 'z')))", "select_one",
         {"random": {"x": 3, "y": 1, "z": 2}}),
    ],
)  # fmt: skip
def test_calculations_that_are_one_operation(text, kind, rule):
    entry, notes = read_calculation(text)
    assert entry is not None, notes
    assert (entry["type"], entry["derived"]) == (kind, rule)
    assert entry["label"] == "Result"
    assert (entry["privacy"] == "none") == ("random" in rule)
    assert not any("omitted" in each for each in notes)


@check_each(
    ("text", "words"),
    [
        ("", "cannot be parsed at its end"),
        ("today()", "uses 'today', which Candor does not compute"),
        ("concat(${a}, 'x')", "uses 'concat'"),
        ("${nobody} + 1", "depends on 'nobody'"),
        ("${a} * ${b}", "multiplies or divides answers by answers"),
        ("${a} div 0", "divides by 0"),
        ("${w} + 1", "whose choices are not numbers"),
        ("${boxes} + 1", "calculates with 'boxes'"),
        ("${a} + 'x'", "calculates with something that is not a number"),
        ("7", "does not depend on any answer"),
        ("'x'", "does not depend on any answer"),
        ("(${a} + ${b}) div 3", "neither a sum of points nor their mean"),
        ("if(${a} = 1 and ${b} = 1, 1, 0) + ${a}", "for more than one answer at once"),
        ("if(${a} + ${b} >= 3, ${a}, 0)", "a result that is not a constant"),
        ("if(${a} + ${b} >= 30, 1, 0)", "a result that is impossible"),
        ("if(${a} + ${b} = 3, 'x', 'y')", "in two places"),
        ("if(${a} + ${b} >= 3, 'x', if(${a} + ${w} = 1, 'y', 'z'))", "whose choices are not"),
        ("if(${a} + ${b} >= 3, 'x', if(${b} = 1, 'y', 'z'))", "mixes different kinds"),
        ("if(${a} + ${b} >= 3, 'x', if(${b} + ${age} >= 1, 'y', 'z'))", "compares different sums"),
        ("if((${a} = 1 or ${b} = 1) and ${w} = 'low', 1, 0)", "joins different questions"),
        ("if(${a} = 1 or ${b} = 1, 'no', 'yes')", "calls the opposite Yes"),
        ("if(${a} = 1 or ${b} = 1, 'x', if(${a} = 2, 'y', 'z'))", "joins different questions"),
        ("if(${a} + ${b} >= 3, 'prefer_not_to_say', 'x')", "the result 'prefer_not_to_say'"),
        ("if(${a} + ${b} >= 10 div 3 div 7, 2, 1", "cannot be parsed at its end"),
        ("${a} + ${b} )", "cannot be parsed at ')'"),
        ("once(random())", "draws a random number that no later"),
        ("if(random() < 0.00001, 'x', 'y')", "are not whole weights"),
        ("if(random() < 1, 'x', 'y')", "are not whole weights"),
        ("(" * 40 + "${a}" + ")" * 40, "nested too deeply"),
        ("if(" * 40 + "${a} = 1" + ", 1, 0) = 1" * 39 + ", 1, 0)", "nested too deeply"),
        ("${a} + " * 400 + "${a}", "too long"),
        ("9" * 500 + ".5 + 0 * ${a}", "points above a million"),
    ],
)  # fmt: skip
def test_calculations_that_candor_leaves_out(text, words):
    entry, notes = read_calculation(text)
    assert entry is None
    assert any(words in each and each.endswith("The question is omitted.") for each in notes), notes


@check_each(
    ("text", "condition", "rule"),
    [
        ("(${c} + ${d}) div 2", "${age} >= 18", {"mean": {"c": FREQ, "d": FREQ}}),
        ("(${c} + ${d}) div 2", "${age} >= 65 and ${a} = 1", {"mean": {"c": FREQ, "d": FREQ}}),
        ("(${c} + ${d}) div 2", "${age} >= 17", None),
        ("(${c} + ${d}) div 2", "${a} = 1", None),
        ("(${a} + ${d}) div 2", None, None),
        ("${c} + ${d}", None, {"sum": {"c": FREQ, "d": FREQ}}),
        ("if((${a} + ${d}) div 2 >= 1.5, 1, 0)", None,
         {"sum": {"a": FREQ, "d": FREQ}, "at_least": 3}),
    ],
)  # fmt: skip
def test_a_mean_is_only_of_questions_that_are_asked(text, condition, rule):
    """A fixed divisor also counts the others. Candor's mean does not, so it is another number."""
    items = [("select_one freq", name, name, "yes", "${age} >= 18") for name in "cd"]
    entry, notes = read_calculation(text, *items, condition=condition)
    assert (entry and entry["derived"]) == rule
    if rule is None:
        assert "counts questions that are not asked in a mean" in notes[0]


# Pieces of calculations; "|" stands between them.
PIECES = (
    "${a}|${b}|${w}|${boxes}|${age}|0|1|3|0.5|+|-|*|div|=|!=|>=|<|(|)|,|and|or|not(|if(|selected(|"
    "count-selected(|sum(|once(|random()|coalesce(|'high'|'p'|'yes'|'no'|'x'"
)
PARTS = st.sampled_from(PIECES.split("|"))


@given(st.lists(PARTS, max_size=14).map(" ".join))
def test_any_calculation_is_read_or_left_out(text):
    entry, notes = read_calculation(text)
    assert (entry is None) == any("omitted" in each for each in notes)


NUMBERS = st.sampled_from(["0", "1", "2", "3", "0.5"])
CONDITIONS_IN_ODK = st.recursive(
    st.sampled_from([
        "${a} = 1", "${a} >= 2", "${b} != 0", "${w} = 'high'", "not(${w} = 'high')",
        "selected(${boxes}, 'p')", "${age} >= 18", "${age} < 18", "3 > ${b}",
    ]),
    lambda inner: st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
        lambda parts: f"({' '.join(parts)})"),
    max_leaves=3,
)  # fmt: skip
VALUES_IN_ODK = st.recursive(
    st.sampled_from(["${a}", "${b}", "count-selected(${boxes})", "${age}", "2"])
    | st.tuples(CONDITIONS_IN_ODK, NUMBERS, NUMBERS).map(lambda parts: f"if({', '.join(parts)})"),
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-"), inner).map(" ".join)
        | st.tuples(NUMBERS, inner).map(lambda parts: f"{parts[0]} * ({parts[1]})")
        | st.tuples(inner, NUMBERS).map(lambda parts: f"({parts[0]}) div {parts[1]}")
    ),
    max_leaves=4,
)


@st.composite
def calculations_in_odk(draw):
    """A number, or a result that one or two conditions decide."""
    if draw(st.booleans()):
        return draw(VALUES_IN_ODK)
    if draw(st.booleans()):
        value = draw(VALUES_IN_ODK)
        conditions = [
            f"{value} {sign} {draw(NUMBERS)}"
            for sign in draw(
                st.lists(st.sampled_from([">=", ">", "<", "<="]), min_size=1, max_size=2)
            )
        ]
    else:
        conditions = draw(st.lists(CONDITIONS_IN_ODK, min_size=1, max_size=2))
    if len(conditions) == 1:
        results = draw(st.sampled_from(["1, 0", "'x', 'y'"]))
        return f"if({conditions[0]}, {results})"
    return f"if({conditions[0]}, 'x', if({conditions[1]}, 'y', 'z'))"


EVERYONE = [
    {"a": a, "b": b, "w": w, "boxes": boxes, "age": age}
    for a in "0123" for b in "03" for w in ("low", "high")
    for boxes in ([], ["p"], ["q", "r"]) for age in ("17", "18")
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=40)
@given(calculations_in_odk())
def test_a_calculation_that_comes_in_gives_the_same_answers(text):
    entry, _ = read_calculation(text)
    if entry is None:
        return
    age = {"type": "integer", "name": "age", "label": "Age", "required": "yes",
           "constraint": ". >= 0 and . <= 99"}  # fmt: skip
    read = imported([age, *table(COLUMNS, *ROWS, calculated("result", text, "Result"))])
    questions = read.survey.as_definition()["questions"]
    labels = {each["name"]: each["label"] for each in entry.get("choices", [])}
    written = labels | {
        {"Yes": "yes", "No": "no"}.get(label, name): {"Yes": "1", "No": "0"}.get(label, label)
        for name, label in labels.items()
    }
    for answers in EVERYONE:
        expected = with_derived(questions, answers)["result"]
        texts = {name: in_odk({"type": ""}, answer) for name, answer in answers.items()}
        path = text.replace("${", "/data/").replace("}", "")
        found = Calculation(path, texts, iter(())).value()
        if entry["type"] == "number":
            assert is_rounded(entry, found, expected), (entry, answers)
        else:
            assert found == written[expected], (entry, answers)
