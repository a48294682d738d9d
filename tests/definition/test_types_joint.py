"""Joint questions: the combinations, refusals, the frozen document, and what a report reveals."""

import math
import re
from fractions import Fraction
from itertools import permutations, product

import pytest

from survey.core.errors import DefinitionError
from survey.core.factored_randomizers import SubsetSelection
from survey.core.mechanisms import JOINT, MECHANISMS
from survey.core.mechanisms.randomized_response import variance_of_subsets
from survey.definition.choices import DECLINED, NOT_ASKED, names_of
from survey.definition.frozen import FrozenSurvey, fingerprint_of, freeze
from survey.definition.survey import parse_survey
from survey.definition.types.joint import MAX_COMBINATIONS
from survey.estimation.types.joint_items import item_question
from survey.planning.precision import respondents_needed, share_precision
from tests.support.definitions import definition, yes_no
from tests.support.project import ROOT

pytestmark = pytest.mark.fast

ANY = {"prefer_not_to_say": True}


def unsent(name, *choices, **rest):
    listed = {"type": "select_one", "choices": [{"name": c, "label": c.upper()} for c in choices]}
    own = listed if choices else {"type": "yes_no"}
    return {"name": name, "label": f"{name}?", **own, **rest, "privacy": "not_sent"}


def joint(*names, epsilon=2.2, **rest):
    return {"name": "both", "type": "joint", "label": "Both", "derived": {"joint": [*names]},
            "privacy": {"epsilon": epsilon}, **rest}  # fmt: skip


def parsed(*questions, **rest):
    return parse_survey(definition(*questions, **rest))


def combinations(*questions):
    return [tuple(name.split("+")) for name in names_of(parsed(*questions).questions[-1].choices)]


def fault_of(*questions, **rest):
    with pytest.raises(DefinitionError) as refused:
        parsed(*questions, **rest)
    return refused.value.place, refused.value.reason


def test_the_answers_are_all_combinations_and_the_last_one_changes_first():
    found = combinations(unsent("a", **ANY), unsent("b", "x", "y"), joint("a", "b"))
    assert found == [*product(("yes", "no", DECLINED), "xy")]
    # The order of the survey counts, and not that of the list.
    assert combinations(unsent("a", **ANY), unsent("b", "x", "y"), joint("b", "a")) == found


def test_a_follow_up_question_permits_only_some_combinations():
    found = combinations(
        unsent("drinks", **ANY),
        unsent("drives", **ANY, relevant={"drinks": ["yes"]}),
        joint("drinks", "drives"),
    )
    assert found == [
        ("yes", "yes"), ("yes", "no"), ("yes", DECLINED), ("no", NOT_ASKED), (DECLINED, NOT_ASKED)
    ]  # fmt: skip


def test_a_condition_on_another_question_permits_both_cases():
    """Two questions with the same condition are asked together, or neither of them is."""
    outside = {"relevant": {"adult": ["yes"]}}
    found = combinations(
        unsent("adult"), unsent("a", **outside), unsent("b", "x", "y", **outside), joint("a", "b")
    )
    assert found == [*product(("yes", "no"), "xy"), (NOT_ASKED, NOT_ASKED)]
    other = {"relevant": {"adult": ["no"]}}
    found = combinations(
        unsent("adult"), unsent("a", **outside), unsent("b", **other), joint("a", "b")
    )
    # Conditions on the same question are not compared, so the impossible (yes, yes) is kept.
    assert set(found) == {*product(("yes", "no", NOT_ASKED), repeat=2)}


def test_otherwise_is_the_answer_of_those_who_are_not_asked():
    found = combinations(
        unsent("drinks"),
        unsent("drives", relevant={"drinks": ["yes"]}, otherwise="no"),
        joint("drinks", "drives"),
    )
    assert found == [("yes", "yes"), ("yes", "no"), ("no", "no")]


def test_a_condition_on_someone_who_was_not_asked_is_not_met():
    found = combinations(
        unsent("a"), unsent("b", relevant={"a": ["yes"]}, otherwise="yes"),
        unsent("c", relevant={"b": ["yes"]}), joint("a", "b", "c"),
    )  # fmt: skip
    assert ("no", "yes", NOT_ASKED) in found
    assert not any(each[:2] == ("no", "yes") and each[2] != NOT_ASKED for each in found)


@pytest.mark.parametrize(
    ("questions", "place", "reason"),
    [
        ((joint("a"),), "derived.joint", "items"),
        ((joint(),), "derived.joint", "items"),
        ((joint("a", derived={"joint": "a"}),), "derived.joint", "items"),
        ((joint(*"abcde"),), "derived.joint", "items"),
        ((joint("a", "a"),), "derived.joint", "unknown"),
        ((joint("a", "z"),), "derived.joint", "unknown"),
        ((joint("a", "both"),), "derived.joint", "unknown"),
        ((yes_no("sent"), joint("a", "sent")), "derived.joint", "joint"),
        ((unsent("n", type="number", min=0, max=3), joint("a", "n")), "derived.joint", "joint"),
        ((unsent("m", "x", "y", type="select_multiple"), joint("a", "m")), "derived.joint",
         "joint"),
        ((unsent("long", *(f"c{n}" for n in range(33))), joint("a", "long")), "derived.joint",
         "combinations"),
        ((unsent("e", relevant={"a": ["yes", "no"]}), joint("a", "e")), "derived.joint", "always"),
        ((joint("a", "b", privacy="not_sent"),), "privacy", "unsent"),
        ((joint("a", "b", privacy="none"),), "privacy", "derived"),
        ((joint("a", "b", privacy={"mechanism": "window", "epsilon": 1}),), "privacy", "kind"),
    ],
)  # fmt: skip
def test_a_joint_question_is_refused(questions, place, reason):
    before = [unsent("a"), unsent("b")]
    where, why = fault_of(*before, *questions)
    assert (where.partition(".")[2], why) == (place, reason)


@pytest.mark.parametrize(
    "member", ["hint", "relevant", "prefer_not_to_say", "otherwise", "choices"]
)
def test_a_joint_question_has_no_member_of_an_asked_one(member):
    with pytest.raises(DefinitionError, match=member):
        parsed(unsent("a"), unsent("b"), joint("a", "b", **{member: "x"}))


def test_the_most_combinations_are_possible():
    eight = unsent("c", *(f"c{n}" for n in range(8)))
    found = combinations(eight, eight | {"name": "d"}, joint("c", "d"))
    assert len(found) == MAX_COMBINATIONS
    with pytest.raises(DefinitionError, match="too many combinations"):
        parsed(eight | ANY, eight | {"name": "d"}, joint("c", "d"))


def test_no_condition_and_no_other_derived_answer_uses_a_joint_question():
    items = (unsent("a"), unsent("b"), joint("a", "b"))
    place, _ = fault_of(*items, yes_no("c") | {"relevant": {"both": ["yes+no"]}})
    assert place.endswith("relevant.both")
    total = {"name": "t", "type": "number", "label": "?", "min": 0, "max": 9,
             "derived": {"sum": ["both"]}, "privacy": {"epsilon": 1}}  # fmt: skip
    assert fault_of(*items, total)[1] == "unknown"
    assert fault_of(*items, joint("a", "both", name="again"))[1] == "joint"


HABITS = (
    unsent("drinks", **ANY),
    unsent("drives", relevant={"drinks": ["yes"]}),
    unsent("smokes", "no", "daily"),
    joint("drinks", "drives", "smokes"),
)


def test_a_joint_question_is_written_as_it_is_read():
    survey = parsed(*HABITS)
    assert parse_survey(survey.as_definition()) == survey
    assert survey.as_definition()["questions"][-1] == HABITS[-1]
    assert [each.name for each in survey.fields] == ["both"]
    assert [each.name for each in survey.items_of(survey.questions[-1])] == [
        "drinks", "drives", "smokes"
    ]  # fmt: skip
    assert survey.items_of(survey.questions[0]) == ()


def test_a_frozen_survey_with_a_joint_question_is_the_same_again():
    frozen = freeze(parsed(*HABITS), confirmed=True)
    again = FrozenSurvey.from_json(frozen.to_json())
    assert again == frozen
    assert again.fingerprint == frozen.fingerprint
    assert [*frozen.document()["tables"]] == ["both"]
    assert fingerprint_of(parse_survey(again.survey.as_definition())) == fingerprint_of(
        frozen.survey
    )


def test_a_translation_of_an_answer_is_in_the_combinations():
    texts = {"questions": {"both": {"label": "Cả hai"},
                           "smokes": {"choices": {"daily": "Hằng ngày"}}}}  # fmt: skip
    survey = parsed(*HABITS, translations={"vi": texts})
    shown = survey.in_language("vi").questions[-1]
    assert shown.label == "Cả hai"
    labels = {choice.name: choice.label for choice in shown.choices}
    assert labels["yes+no+daily"] == "Có / Không / Hằng ngày"
    assert labels["no+not_asked+no"].endswith(" / NO")
    # The reports are the same in each language.
    assert names_of(shown.choices) == names_of(survey.questions[-1].choices)
    assert shown.table == survey.questions[-1].table


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2.2", "4"])
def test_the_exact_loss_is_never_above_the_claim(epsilon):
    """The integers give the likelihood ratio. e^ε has a rational lower bound."""
    question = parsed(*HABITS[:-1], joint("drinks", "drives", "smokes", epsilon=epsilon)).private[0]
    drawn = question.randomizer
    if question.table is None:
        odds = Fraction(drawn.near, drawn.far)
    else:
        columns = list(zip(*drawn.rows, strict=True))
        odds = max(Fraction(max(column), min(column)) for column in columns)
    # The sum of the first terms of e^ε is below e^ε.
    below = sum(Fraction(epsilon) ** n / math.factorial(n) for n in range(40))
    assert odds == drawn.ratio_bound <= below
    assert odds > below * Fraction(99, 100)


def differ_only_at(place, one, other):
    return [at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]] == [
        place
    ]


def test_one_answer_is_bounded_by_the_whole_joint_question():
    """Exactly: someone who knows the other answers compares two rows of the whole table."""
    survey = parsed(*HABITS)
    question = survey.questions[-1]
    for place, item in enumerate(survey.items_of(question)):
        assert survey.ratio_bound_about(item) == question.table.ratio_bound
        ratios = [
            Fraction(one, other)
            for (left, row), (right, below) in permutations(
                zip(question.choices, question.table.rows, strict=True), 2
            )
            if differ_only_at(place, left.parts, right.parts)
            for one, other in zip(row, below, strict=True)
        ]
        assert max(ratios) == question.table.ratio_bound
        # Without this knowledge, the part alone reveals less.
        assert item_question(question, item, place).table.ratio_bound < question.table.ratio_bound
    assert survey.ratio_bound == survey.largest_ratio_bound == question.table.ratio_bound


def test_the_bounds_of_two_results_of_one_answer_multiply():
    high = yes_no("high") | {"derived": {"any": {"smokes": ["daily"]}}}
    survey = parsed(*HABITS, high)
    both = survey.questions[3].table.ratio_bound
    assert survey.ratio_bound_about(survey.questions[2]) == 3 * both
    assert survey.ratio_bound_about(survey.questions[0]) == both


def test_a_joint_question_may_be_picked_at_random():
    """Each respondent reports on one of two private questions, so the worst one is the bound."""
    survey = parsed(*HABITS, yes_no("cheats"), budget={"per_respondent": {"sample": 1}})
    assert [each.name for each in survey.private] == ["both", "cheats"]
    assert survey.ratio_bound == survey.questions[3].table.ratio_bound == Fraction(361, 40)
    # With both reports, the bounds multiply.
    assert parsed(*HABITS, yes_no("cheats")).ratio_bound == 3 * Fraction(361, 40)


def test_the_paper_and_coin_mode_refuses_it():
    with pytest.raises(DefinitionError) as refused:
        parsed(*HABITS[:-1], joint("drinks", "smokes", privacy={"mechanism": "coin_flip"}),
               by_hand=True)  # fmt: skip
    assert refused.value.place == "by_hand"


def test_its_mechanisms_have_the_same_probability_for_every_other_combination():
    """Estimates of the questions behind it need this (survey/estimation/types/joint_items.py)."""
    serving = [each for each in MECHANISMS.values() if JOINT in each.serves]
    names = {"k_randomized_response", "coin_flip", "subset_selection"}
    assert {each.name for each in serving} == names
    for each in serving:
        for parameters in dict(each.examples).values():
            drawn = each.build(5, **parameters)
            # A subset has one of two weights: whether it contains the answer, and nothing else.
            if isinstance(drawn, SubsetSelection):
                continue
            rows = drawn.rows
            own = {row[x] for x, row in enumerate(rows)}
            others = {entry for x, row in enumerate(rows) for y, entry in enumerate(row) if x != y}
            assert len(own) == len(others) == 1


ROW = re.compile(
    r"\| (\d?) ?ln 3 = [\d.]+ \| (\d) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|"
)


def test_the_figures_of_the_guide_follow_from_closed_forms():
    """The table of docs/how-to/ask-joint-questions.md, from p and q of each table.

    Separately, each of m questions has ε / m, and a cell is estimated by the product of unbiased
    scores: Var = E[S²]^m - f².
    """
    guide = (ROOT / "docs" / "how-to" / "ask-joint-questions.md").read_text(encoding="utf-8")
    rows = ROW.findall(guide)
    assert len(rows) == 5
    for times, number, *figures in rows:
        odds, m = 3 ** int(times or 1), int(number)
        p, size = odds ** (1 / m) / (1 + odds ** (1 / m)), 2**m
        apart = 0.25 / (2 * p - 1) ** 2
        second = apart + 0.25
        names = [f"q{n}" for n in range(m)]
        best = {"mechanism": "subset_selection", "odds": odds}
        survey = parsed(*map(unsent, names), joint(*names, privacy=best))
        question = survey.questions[-1]
        share = share_precision(item_question(question, survey.questions[0], 0), 0.5, 1.0).variance
        cell = share_precision(question, 1 / size, 1.0).variance
        best = min(variance_of_subsets(size, d, odds) for d in range(1, size)) / size
        assert cell == pytest.approx(best, rel=1e-9)
        # Half of the combinations have the answer Yes.
        assert share == pytest.approx(best * size**2 / 4 / (size - 1), rel=1e-9)
        variances = (apart, share, second**m - 1 / size**2, cell)
        assert [int(each.replace(",", "")) for each in figures] == [
            respondents_needed(each, 0.05) for each in variances
        ]


def test_a_condition_cannot_name_a_joint_question():
    questions = unsent("one"), unsent("two"), joint("one", "two")
    name = parsed(*questions).questions[-1].name
    with pytest.raises(DefinitionError, match="is not an earlier question with answers"):
        parsed(*questions, yes_no() | {"relevant": {name: "yes+yes"}})
