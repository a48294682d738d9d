"""Separate, sampled and joint reports: closed forms, figures, and the project's own estimators."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from survey.core.errors import MechanismError
from survey.core.mechanisms import CHOICES, build_randomizer
from survey.core.mechanisms.randomized_response import variance_of_subsets
from survey.core.scores import unbiased_scores
from survey.definition.choices import Choice
from survey.definition.privacy_limits import PrivacyLimits
from survey.definition.questions import Question
from survey.definition.survey import parse_survey
from survey.planning.checklist import checks
from survey.planning.joint_comparison import (
    DesignComparison,
    compare_designs,
    compare_joining,
    compare_joint_question,
    comparisons_of,
    cross_table_sentence,
    needed_count,
    needed_text,
    price_sentences,
    questions_to_join,
    share_needs_sentence,
)
from survey.planning.plan_curves import against_denial, against_epsilon, against_respondents
from survey.planning.plan_text import goal_sentence
from survey.planning.precision import (
    ExpectedPrecision,
    planned_epsilon,
    planned_questions,
    precisions,
)
from survey.planning.privacy_checks import PASSED
from survey.planning.sample_size import PlanParameters, comparison, plan_figures
from tests.support.check_each import check_each
from tests.support.definitions import yes_no
from tests.support.derived_survey import unsent
from tests.support.joint_survey import EVERYTHING, joint_question, surveyed

pytestmark = pytest.mark.fast

LN3 = math.log(3)
UNSENT = [unsent(name, "yes_no", label=f"{name}?") for name in ("one", "two")]


def compare_answers(answers: Sequence[int], epsilon: float) -> DesignComparison:
    """The comparison for questions with these numbers of answers."""
    items = [
        Question(
            name=f"q{place}",
            type="select_one",
            label="",
            hint="",
            choices=choices_of(count),
            privacy=None,
            randomizer=None,
        )
        for place, count in enumerate(answers)
    ]
    return compare_designs(items, epsilon)


def choices_of(count: int) -> tuple[Choice, ...]:
    return tuple(Choice(f"a{answer}", "") for answer in range(count))


def joined(epsilon, second=UNSENT[1], **rest):
    """A survey with a joint question of two questions."""
    joint = joint_question("one", "two", privacy={"epsilon": epsilon})
    return surveyed(UNSENT[0], second, joint, **rest)


@pytest.mark.parametrize(
    ("epsilon", "questions", "split", "sampled", "together", "product", "cell"),
    [
        (LN3, 2, 3.48, 2.00, 2.25, 13.9, 1.69),
        (LN3, 3, 7.63, 3.00, 5.25, 489, 2.30),
        (2 * LN3, 2, 1.00, 0.78, 0.5625, 1.50, 0.42),
        (2 * LN3, 3, 2.03, 1.17, 1.00, 11.9, 0.4375),
        (3 * LN3, 3, 1.00, 0.82, 0.428, 1.94, 0.187),
        (4, 3, 0.74, 0.65, 0.33, 0.94, 0.144),
    ],
)
def test_yes_no_questions_have_the_published_variances(
    epsilon, questions, split, sampled, together, product, cell
):
    """Within one percent, the rounding of the likelihood ratio bounds included."""
    found = compare_answers([2] * questions, epsilon)
    assert found.separate.share_variance == pytest.approx(split, rel=0.01)
    assert found.sampled.share_variance == pytest.approx(sampled, rel=0.01)
    assert found.joint.share_variance == pytest.approx(together, rel=0.01)
    assert per_respondent(found.separate.cell) == pytest.approx(product, rel=0.01)
    assert per_respondent(found.joint.cell) == pytest.approx(cell, rel=0.01)
    assert found.sampled.cell is None


def per_respondent(cell: ExpectedPrecision | None) -> float:
    """n times the variance of the cell, from n respondents."""
    assert cell is not None
    return cell.variance / cell.reported


@check_each("questions", [2, 3, 4])
@check_each("epsilon", [0.2, 1, 2, 4, 8, 12])
def test_yes_no_questions_have_the_closed_forms(questions, epsilon):
    """The forms of the docstring, with the bounds of the tables themselves."""
    found, k = compare_answers([2] * questions, epsilon), 2**questions
    apart, bound = float(found.separate.ratio_bound), float(found.joint.ratio_bound)
    assert apart <= math.exp(epsilon / questions) < apart + 0.02 * apart
    assert bound <= math.exp(epsilon) < bound + 0.01
    each = ((apart + 1) / (apart - 1)) ** 2 / 4
    assert found.separate.share_variance == pytest.approx(each)
    assert per_respondent(found.separate.cell) == pytest.approx((each + 0.25) ** questions - k**-2)
    size = min(range(1, k), key=lambda d: variance_of_subsets(k, d, bound))
    cell = variance_of_subsets(k, size, bound) / k
    assert per_respondent(found.joint.cell) == pytest.approx(cell)
    # Half of the combinations have one of two answers (tests/estimation/test_types_joint_items.py).
    assert found.joint.share_variance == pytest.approx(cell * k**2 / 4 / (k - 1))
    s, drawn = found.sampled.asked, float(found.sampled.ratio_bound)
    assert found.sampled.share_variance == pytest.approx(
        questions / s * ((drawn + 1) / (drawn - 1)) ** 2 / 4
    )
    assert drawn <= math.exp(epsilon / s)
    assert found.sampled.share_variance <= found.separate.share_variance
    # The cross-table gains, and so does each share.
    assert per_respondent(found.joint.cell) < per_respondent(found.separate.cell)
    assert found.joint.share_variance < found.separate.share_variance


def test_yes_no_questions_always_gain():
    """The closed forms on a grid: docs/explanation/planning.md says so, for every ε."""
    for m in (2, 3, 4):
        for epsilon in np.linspace(0.01, 12, 2_400):
            each, k = math.exp(epsilon / m), 2**m
            share = ((each + 1) / (each - 1)) ** 2 / 4
            cell = min(variance_of_subsets(k, d, math.exp(epsilon)) for d in range(1, k)) / k
            assert cell < (share + 0.25) ** m - k**-2
            assert cell * k**2 / 4 / (k - 1) < share


@pytest.mark.parametrize(
    ("answers", "epsilon"), [((2, 2), 2), ((2, 3), 3), ((3, 4), 1), ((2, 2, 3), 2)]
)
def test_the_variances_are_those_of_the_estimators(answers, epsilon):
    """By enumeration of all reports of all respondents, with all combinations equally common."""
    found = compare_answers(answers, epsilon)
    tables = [build_randomizer({"epsilon": epsilon / len(answers)}, CHOICES, k) for k in answers]
    moments = 0.0
    truths = list(itertools.product(*map(range, answers)))
    for truth in truths:
        for reports in itertools.product(*map(reports_of, tables)):
            chance = math.prod(
                chance_of(table, x, y) for table, x, y in zip(tables, truth, reports, strict=True)
            )
            score = math.prod(score_of(table, y) for table, y in zip(tables, reports, strict=True))
            moments += chance * score**2 / len(truths)
    assert per_respondent(found.separate.cell) == pytest.approx(moments - len(truths) ** -2)
    drawn = build_randomizer({"epsilon": epsilon}, "joint", len(truths))
    second = sum(
        chance_of(drawn, x, y) * score_of(drawn, y) ** 2 / len(truths)
        for x in range(len(truths))
        for y in reports_of(drawn)
    )
    assert per_respondent(found.joint.cell) == pytest.approx(second - len(truths) ** -2)


def reports_of(table):
    if hasattr(table, "rows"):
        return range(table.reports)
    return list(itertools.combinations(range(table.answers), table.size))


def chance_of(table, answer, report):
    if hasattr(table, "rows"):
        return float(table.probability(answer, report))
    own = math.comb(table.answers - 1, table.size - 1)
    others = math.comb(table.answers - 1, table.size)
    return float(table.p) / own if answer in report else float(1 - table.p) / others


def score_of(table, report):
    """The unbiased score of the first answer."""
    if hasattr(table, "rows"):
        return unbiased_scores(table, np.eye(table.answers))[report, 0]
    p, q = float(table.p), float(table.q)
    return ((0 in report) - q) / (p - q)


def test_the_certainty_about_one_answer_is_exact():
    found = compare_answers([2, 2], 2 * LN3)
    assert found.joint.ratio_bound == 9
    assert found.sampled.ratio_bound == 9
    assert found.separate.ratio_bound == 3
    assert compare_answers([2, 2], 2).joint.ratio_bound == Fraction(665, 90)


def test_sample_sizes_follow_from_the_variances():
    found = compare_answers([2, 2], 2 * LN3)
    assert [d.share.respondents(0.05) for d in found.designs] == [1537, 1201, 865]
    assert [d.cell and d.cell.respondents(0.05) for d in found.designs] == [2305, None, 649]
    assert needed_text(found.sampled.cell) == "not possible"
    # Sampling loses its advantage if ε is large: the sampled and the separate design coincide.
    assert [d.name for d in compare_answers([2, 2], 12).designs] == ["separate", "joint"]


@pytest.mark.parametrize("epsilon", [0.001, 0, 12.5, math.inf])
def test_an_epsilon_out_of_range_is_refused(epsilon):
    with pytest.raises(MechanismError):
        compare_answers((2, 2), epsilon)


# --- surveys


def test_two_private_questions_can_be_joined():
    survey = surveyed(yes_no("one", label="One?"), yes_no("two", label="Two?"))
    found = compare_joining(survey)
    assert cross_table_sentence(found) == (
        "If the answers are randomised together at the same total ε, the cross-tabulation of "
        "“One?” and “Two?” needs 649 respondents instead of 2,305 respondents."
    )
    assert share_needs_sentence(found) == (
        "The share of each answer to one question needs 865 respondents together, and 1,537 "
        "respondents separately. If each respondent reports on 1 of the 2 questions, picked at "
        "random, it needs 1,201 respondents."
    )
    assert price_sentences(found) == (
        "A joint report protects each single answer less than separate reports. Suppose that "
        "someone first considers two answers to one question equally likely. In the worst case, "
        "the joint report makes this person 90 % sure of one answer. With a separate report, it "
        "would be 75 %."
    )
    check = next(each for each in checks(survey, 500) if each.name == "joint")
    assert (check.verdict, check.sentence) == (PASSED, cross_table_sentence(found))
    assert "all combinations of answers are equally common" in check.why
    assert "90 % sure" in check.why


def test_the_present_tables_are_compared():
    """One question is protected strongly and one lightly. Their cross-table gains more."""
    survey = surveyed(yes_no("one", {"epsilon": 0.5}), yes_no("two", {"epsilon": 3}))
    found = compare_joining(survey)
    variances = [precisions(question)[0].variance for question in survey.private]
    assert found.separate.share_variance == max(variances)
    shares = [variance + 0.25 for variance in variances]
    assert per_respondent(found.separate.cell) == pytest.approx(math.prod(shares) - 1 / 16)
    assert found.separate.ratio_bound == survey.private[1].randomizer.ratio_bound
    assert found.epsilon == pytest.approx(3.5, abs=0.01)


@pytest.mark.parametrize(
    "survey",
    [
        surveyed(yes_no("one")),
        surveyed(yes_no("one"), yes_no("two", "none")),
        surveyed(yes_no("one"), UNSENT[1], {**yes_no("three"), "derived": {"any": {"two": "yes"}}}),
        surveyed(yes_no("one"), yes_no("two"), budget={"per_respondent": {"sample": 1}}),
        # Together they would be above the maximum ε of a question.
        surveyed(yes_no("one", {"epsilon": 7}), yes_no("two", {"epsilon": 7})),
        surveyed(
            yes_no("one"),
            yes_no("two", {"mechanism": "table", "rows": [[1, 0], [0, 1]]}),
        ),
    ],
)
def test_there_is_no_advice_where_nothing_can_be_joined(survey):
    assert compare_joining(survey) is None
    assert comparisons_of(survey) == ()
    assert not [each for each in checks(survey, 500) if each.name == "joint"]


def test_the_limits_of_the_server_are_respected():
    survey = surveyed(yes_no("one"), yes_no("two"))
    strict = PrivacyLimits(Fraction(80), Fraction(12))
    assert compare_joining(survey, limits=strict) is None
    assert compare_joining(survey, limits=replace(strict, certainty=Fraction(90))) is not None


def test_of_too_many_questions_the_first_two_are_an_example():
    survey = surveyed(*(yes_no(f"q{n}", {"epsilon": 0.5}) for n in range(6)))
    assert [each.name for each in questions_to_join(survey)] == ["q0", "q1"]
    few = surveyed(*(yes_no(f"q{n}", {"epsilon": 0.5}) for n in range(4)))
    assert len(questions_to_join(few)) == 4


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, LN3, 2, 5, 12])
def test_the_price_of_a_joint_question(epsilon):
    survey = joined(epsilon)
    found = compare_joint_question(survey, survey.private[0])
    assert found.joint.ratio_bound == survey.private[0].randomizer.ratio_bound == survey.ratio_bound
    assert found.separate.ratio_bound < found.joint.ratio_bound
    sentence = cross_table_sentence(found)
    assert sentence.startswith(
        "If the answers are randomised together, the cross-tabulation of “one?” and “two?” needs "
    )
    assert [check.sentence for check in checks(survey, 500) if check.name == "joint"] == [sentence]


def test_a_small_population_can_be_too_small():
    survey = joined(1, results_about=300)
    found = compare_joint_question(survey, survey.private[0])
    assert "needs more respondents than the population has people" in cross_table_sentence(found)
    assert needed_count(found.joint.cell, 0.05) == "more than the population"
    assert needed_count(found.joint.cell, 0.5) == "32"


def test_impossible_combinations_have_no_cell():
    """A follow-up question: no answer, yes to the first and yes or no to the second."""
    survey = joined(2, UNSENT[1] | {"relevant": {"one": "yes"}})
    found = compare_joint_question(survey, survey.private[0])
    e = float(found.joint.ratio_bound)
    assert per_respondent(found.joint.cell) == pytest.approx(2 / 9 * ((e + 2) / (e - 1)) ** 2)
    # Separately, the second question has the special answer "not asked".
    yes, no, both = 1 / 3, 2 / 3, float(found.separate.ratio_bound)
    p, q = both / (both + 2), 1 / (both + 2)
    own, other = p * (1 - q) ** 2 + (1 - p) * q**2, q * (1 - q)
    p1 = both / (both + 1)
    own1, other1 = p1**3 + (1 - p1) ** 3, p1 * (1 - p1)
    # The cell "no, not asked" and the cell "yes, yes".
    hidden = yes * own1 * own + no * other1 * other
    asked = (own1 * own + own1 * other + other1 * other) / 3
    spread = (p - q) ** 2 * (2 * p1 - 1) ** 2
    assert per_respondent(found.separate.cell) == pytest.approx(max(hidden, asked) / spread - 1 / 9)


# --- the plan of a survey with everything


def test_a_plan_has_the_questions_behind_a_joint_question():
    names = [question.name for question in planned_questions(EVERYTHING)]
    assert names == [
        "acts", "habits", "habits/smokes", "habits/cigars", "habits/drinks", "one", "two",
    ]  # fmt: skip
    wishes = PlanParameters()
    rows = {
        (row.question.name, row.precision.kind): row for row in plan_figures(EVERYTHING, wishes)
    }
    assert ("habits/drinks", "mean") in rows
    smokes = rows["habits/smokes", "share"]
    own, others = map(np.array, smokes.question.randomizer.chances_of(0))
    numbers = np.arange(len(own))
    # The largest of some shares, over both answers.
    variances = [
        row @ numbers**2 - (row @ numbers) ** 2
        for share in np.linspace(0, 1, 1_001)
        for row in [share * own + (1 - share) * others]
    ]
    apart = own @ numbers - others @ numbers
    assert smokes.precision.variance == pytest.approx(max(variances) / apart**2, rel=1e-6)
    assert smokes.epsilon == EVERYTHING.private[1].epsilon
    assert "each combination of answers" in goal_sentence(rows["habits", "share"], wishes)
    assert "the share of Yes" in goal_sentence(smokes, wishes)


def test_a_plan_of_everything_has_curves_and_tests():
    for question in planned_questions(EVERYTHING):
        assert comparison(question, EVERYTHING, PlanParameters()).value.surely > 0
        now = planned_epsilon(question, EVERYTHING)
        margins = [each.margin for each in against_epsilon(question, EVERYTHING, 5_000)]
        assert margins == sorted(margins, reverse=True)
        lines = against_respondents(question, EVERYTHING)
        assert [line.epsilon for line in lines if line.as_set] == [now]
        denials = against_denial(question, EVERYTHING)
        assert bool(denials) == (question.name not in ("acts", "habits"))


def test_a_plan_states_the_epsilon_of_the_joint_report():
    """In k-ary randomised response, it is larger than that of a part alone."""
    survey = joined(2 * LN3)
    part = next(row for row in plan_figures(survey, PlanParameters()) if "/" in row.question.name)
    assert part.epsilon == survey.private[0].epsilon > part.question.epsilon


def test_the_curve_of_an_item_is_that_of_the_joint_question():
    smokes = next(q for q in planned_questions(EVERYTHING) if q.name == "habits/smokes")
    (at_four,) = (line for line in against_respondents(smokes, EVERYTHING) if line.epsilon == 4.0)
    content = EVERYTHING.as_definition()
    next(q for q in content["questions"] if q["name"] == "habits")["privacy"] = {"epsilon": 4}
    other = parse_survey(content)
    smokes_at_four = next(q for q in planned_questions(other) if q.name == "habits/smokes")
    assert at_four.precision == precisions(smokes_at_four, None, other)[0]


def test_the_checklist_names_each_question_behind_a_joint_one():
    check = next(each for each in checks(EVERYTHING, 300) if each.name == "precision")
    assert "question:smokes" in check.places
    assert "question:habits" in check.places
    # The weights of an experimental arm are known.
    assert "question:arm" not in check.places
    few = next(each for each in checks(EVERYTHING, 20) if each.name == "denial")
    assert "question:smokes" in few.places
    assert "question:habits" not in few.places
