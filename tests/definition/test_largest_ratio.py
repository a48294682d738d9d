"""The bound about one answer: equal to a separate calculation from the frozen document.

The calculation reads the integers and rules of the JSON document, and tries all worlds. It shares
no code with the program.
"""

import json
import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from survey.definition.answer_bounds import largest_ratio
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.fast
LETTERS = [{"name": name, "label": name} for name in "abc"]


def e(epsilon):
    return {"epsilon": epsilon}


def derived(name, rule, privacy, kind="yes_no", **rest):
    return yes_no(name, privacy) | {"type": kind, "derived": rule, **rest}


def three(name, privacy, **rest):
    return yes_no(name, privacy) | {"type": "select_one", "choices": LETTERS, **rest}


def crosswise(name, share, hint):
    return yes_no(name, "none") | {"type": "crosswise", "known_share": share, "hint": hint}


HIV = yes_no("hiv", "not_sent")
COPIES = [derived(f"copy{n}", {"any": {"hiv": "yes"}}, e(2.9)) for n in range(4)]
A, B = yes_no("a", e(1)), yes_no("b", e(2))
C = three("c", e(1.5))
UNSENT_A, UNSENT_B, UNSENT_C = (
    yes_no("a", "not_sent"),
    yes_no("b", "not_sent"),
    three("c", "not_sent"),
)
ARM = three("arm", "none") | {"derived": {"random": {"a": 1, "b": 2, "c": 1}}}
ANY, ALL = {"any": {"a": "yes", "b": "yes"}}, {"all": {"a": "yes", "b": "yes"}}
POINTS = {"a": {"yes": 1, "no": 0}, "b": {"yes": 1, "no": 0}, "c": {"a": 0, "b": 1, "c": 3}}
UNEVEN = {"mechanism": "table", "rows": [[6, 3, 1], [1, 5, 4], [2, 2, 6]]}
SAMPLE = {"per_respondent": {"sample": 2}}

# Small surveys of every kind that the bound covers.
GRID = {
    "one answer": [A],
    "uneven table": [three("c", UNEVEN)],
    "copies": [HIV, *COPIES],
    "sent and copied": [
        yes_no("hiv", e(1)), *(each | {"privacy": e(3)} for each in COPIES[:3]),
    ],
    "any": [A, B, derived("x", ANY, e(1))],
    "any and all": [A, B, derived("x", ANY, e(1)), derived("y", ALL, e(0.5))],
    "unsent any and all": [
        UNSENT_A, UNSENT_B, derived("x", ANY, e(1)), derived("y", ALL, e(2)),
    ],
    "bands": [
        UNSENT_A, UNSENT_B, UNSENT_C,
        derived("band", {"sum": POINTS, "bands": {"a": 0, "b": 2, "c": 4}}, UNEVEN, "select_one",
                choices=LETTERS),
        derived("high", {"sum": POINTS, "at_least": 3}, e(1)),
    ],
    "derived from derived": [
        A, B, derived("x", ANY, e(1)), derived("z", {"any": {"x": "yes", "a": "yes"}}, e(1)),
    ],
    "recoded": [
        UNSENT_A, C,
        derived("x", {"recode": {"a": {"a": "yes", "c": ["a", "b"]}, "b": {"c": "c"}}}, UNEVEN,
                "select_one", choices=LETTERS),
    ],
    "joint": [
        UNSENT_A, UNSENT_C,
        yes_no("j", e(2)) | {"type": "joint", "derived": {"joint": ["a", "c"]}},
        derived("x", {"any": {"a": "yes"}}, e(1)),
    ],
    "follow-ups": [A, B | {"relevant": {"a": "yes"}}, C | {"relevant": {"b": "yes"}}],
    "follow-up with a value": [A, C | {"relevant": {"a": "yes"}, "otherwise": "b"}],
    "arms": [
        ARM, A | {"relevant": {"arm": ["a", "b"]}}, B | {"relevant": {"arm": ["c"]}},
        derived("x", ANY, e(1)), derived("y", ALL, e(1)),
    ],
    "crosswise": [crosswise("s", "1/6", "B one"), crosswise("t", "0.7", "B two"), A],
}  # fmt: skip


def worlds_of(entries):
    """Every combination of the answers that people give, and of the arms."""
    given = {}
    for entry in entries:
        rule = entry.get("derived", {})
        if "random" in rule:
            given[entry["name"]] = list(rule["random"])
        elif not rule and entry["type"] != "crosswise":
            given[entry["name"]] = names_of(entry)
    return given, [dict(zip(given, each, strict=True)) for each in product(*given.values())]


def names_of(entry):
    if entry["type"] == "yes_no":
        return ["yes", "no"]
    return [choice["name"] for choice in entry["choices"]]


def meets(conditions, known):
    return [known.get(name) in allowed for name, allowed in conditions.items()]


def said_in(entries, world):
    """The answer that is randomised for each question; None or the usual answer if not asked."""
    known, effective = {}, {}
    for entry in entries:
        name, rule = entry["name"], entry.get("derived", {})
        if entry["type"] == "crosswise":
            continue
        if not all(meets(entry.get("relevant", {}), known)):
            effective[name] = entry.get("otherwise", "not_asked")
            continue
        if "joint" in rule:
            effective[name] = "+".join(effective[item] for item in rule["joint"])
            continue
        known[name] = effective[name] = world[name] if name in world else found(rule, known, entry)
    return effective


def found(rule, known, entry):
    if "any" in rule:
        return "yes" if any(meets(rule["any"], known)) else "no"
    if "all" in rule:
        return "yes" if all(meets(rule["all"], known)) else "no"
    if "recode" in rule:
        return next(
            name for name in names_of(entry) if all(meets(rule["recode"].get(name, {}), known))
        )
    total = sum(points[known[name]] for name, points in rule["sum"].items() if name in known)
    if "at_least" in rule:
        return "yes" if total >= rule["at_least"] else "no"
    return max(
        (bound, name) for name, bound in rule["bands"].items() if bound <= total
    )[1]  # fmt: skip


def by_hand(document):
    """The largest ratio about each answer that people give, from all worlds that differ in it."""
    definition, tables = document["definition"], document["tables"]
    entries = definition["questions"]
    sample = definition.get("budget", {}).get("per_respondent", {"sample": len(tables)})["sample"]
    given, worlds = worlds_of(entries)
    largest = {}
    for name in given:
        if name == "arm":
            continue
        largest[name] = Fraction(1)
        for world in worlds:
            for other in given[name]:
                one, two = said_in(entries, world), said_in(entries, world | {name: other})
                ratios = [
                    max(
                        Fraction(x, y)
                        for x, y in zip(
                            table["rows"][table["answers"].index(one[question])],
                            table["rows"][table["answers"].index(two[question])],
                            strict=True,
                        )
                    )
                    for question, table in tables.items()
                ]
                for some in combinations(ratios, min(sample, len(ratios))):
                    largest[name] = max(largest[name], math.prod(some, start=Fraction(1)))
    return largest


@pytest.mark.parametrize("sampled", [False, True])
def test_it_is_that_of_all_worlds(sampled):
    for name, questions in GRID.items():
        private = sum(isinstance(each["privacy"], dict) for each in questions)
        if sampled and private < 3:
            continue
        more = {"budget": SAMPLE} if sampled else {}
        survey = parse_survey(definition(*questions, **more))
        document = json.loads(freeze(survey, None, to_open=False).to_json())
        expected = by_hand(document)
        for question in survey.asked:
            if not question.non_private:
                bound = survey.ratio_bound_about(question)
                assert bound == expected[question.name], (name, question.name)
        assert survey.largest_ratio_bound >= max(expected.values())


def test_a_product_is_never_below_it(monkeypatch):
    """With too many combinations, the bound is the product over all reports."""
    for questions in GRID.values():
        exact = parse_survey(definition(*questions))
        bounds = [exact.ratio_bound_about(each) for each in exact.answers_with_bounds]
        with monkeypatch.context() as patch:
            patch.setattr(largest_ratio, "MAX_COMBINATIONS", 1)
            survey = parse_survey(definition(*questions))
            products = [survey.ratio_bound_about(each) for each in survey.answers_with_bounds]
        assert all(one <= other for one, other in zip(bounds, products, strict=True))
    survey = parse_survey(definition(*GRID["any and all"]))
    patched = survey.bound_of(survey.reports_about(survey.questions[0]))
    assert survey.ratio_bound_about(survey.questions[0]) < patched


def test_numbers_and_boxes():
    """An age of 18 to 21 on two levels: at most both ends differ. Boxes differ in some of them."""
    age = yes_no("age", {"mechanism": "one_bit", "epsilon": 1, "points": 2}) | {
        "type": "number", "min": 18, "max": 21,
    }  # fmt: skip
    adult = derived("adult", {"count": {"age": {"min": 19}}, "at_least": 1}, e(1))
    survey = parse_survey(definition(age, adult))
    first, second = survey.questions
    assert survey.ratio_bound_about(first) == first.ratio_bound * second.ratio_bound
    boxes = three("boxes", "not_sent") | {"type": "select_multiple"}
    high = derived("high", {"sum": {"boxes": dict.fromkeys("abc", 1)}, "at_least": 2}, e(1))
    some = derived("some", {"any": {"boxes": ["a"]}}, e(2))
    survey = parse_survey(definition(boxes, high, some))
    assert (
        survey.ratio_bound_about(survey.questions[0])
        == survey.questions[1].ratio_bound * survey.questions[2].ratio_bound
    )


@pytest.mark.parametrize("most", [10, 2**40])
def test_different_rows_are_those_of_numpy(monkeypatch, most):
    """Also if the columns together have too many values to be numbered at once."""
    monkeypatch.setattr(largest_ratio, "MAX_ROW_NUMBERS", most)
    rows = np.random.default_rng(1).integers(-1, [1, 3, 2, 4], size=(200, 4))
    found, places = largest_ratio.different_rows(rows)
    assert np.array_equal(found[places], rows)
    assert sorted(found.tolist()) == np.unique(rows, axis=0).tolist()
    assert 20 < len(found) < len(rows)
