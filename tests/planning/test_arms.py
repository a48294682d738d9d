"""Plans of questions that only some experimental arms ask: known shares of respondents."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from survey.core.errors import UnanswerableQuestion
from survey.definition.survey import MAX_COMBINED_ARMS, parse_survey
from survey.planning.arms import draws, only_arms_decide, share_in_arms
from survey.planning.checklist import LOOK, PASSED, checks
from survey.planning.denial import break_even
from survey.planning.joint_comparison import compare_joint_question, comparisons_of
from survey.planning.plan_text import asked_sentence
from survey.planning.precision import asked_precision, planned_questions, precisions
from survey.planning.privacy_checks import combinations_in_arms, identifying_questions
from survey.planning.sample_size import PlanParameters, comparison, plan_figures, respondents_for
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked

pytestmark = pytest.mark.fast

WAYS = ("randomised", "direct", "list", "list_with")


def arm_entry(name="arm", weights=None, **rest):
    weights = weights or dict.fromkeys(WAYS, 1)
    choices = [{"name": each, "label": each.title()} for each in weights]
    entry = {"name": name, "type": "select_one", "label": "Version", "choices": choices}
    return entry | {"privacy": "none", "derived": {"random": weights}} | rest


def only(*arms, name="arm"):
    return {"relevant": {name: list(arms)}}


def count(name, most, **rest):
    return asked(name, "number", "none", min=0, max=most) | rest


# What the builder makes of a yes/no question, with three other statements.
THREE_WAYS = (
    arm_entry(),
    yes_no() | only("randomised"),
    yes_no("smokes_direct", "none") | only("direct"),
    count("smokes_list", 3, **only("list")),
    count("smokes_list_with", 4, **only("list_with")),
)


def survey_of(*questions, **rest):
    return parse_survey(definition(*questions, **rest))


def named(survey, name):
    return next(question for question in survey.questions if question.name == name)


def found(survey, name, expected):
    return next(check for check in checks(survey, expected) if check.name == name)


# The same question and table, but with a condition on an answer in place of an arm.
ALONE = survey_of(yes_no("a", "none"), yes_no() | {"relevant": {"a": ["yes"]}})


@check_each(
    ("questions", "share"),
    [
        # Without an arm, and without a condition.
        ((yes_no("a", "none"), yes_no("q") | {"relevant": {"a": ["yes"]}}), 1),
        ((arm_entry(), yes_no("q")), 1),
        # One arm of four, two of them, and weights.
        ((arm_entry(), yes_no("q") | only("list")), Fraction(1, 4)),
        ((arm_entry(), yes_no("q") | only("list", "direct")), Fraction(1, 2)),
        ((arm_entry(weights={"a": 1, "b": 2}), yes_no("q") | only("b")), Fraction(2, 3)),
        # Two independent arms.
        (
            (
                arm_entry(weights={"a": 1, "b": 2}),
                arm_entry("other", {"x": 1, "y": 3}),
                yes_no("q") | {"relevant": {"arm": ["a"], "other": ["y"]}},
            ),
            Fraction(1, 4),
        ),
        # Another condition leaves the share of the arm.
        (
            (arm_entry(), yes_no("a", "none"),
             yes_no("q") | {"relevant": {"arm": ["list"], "a": ["yes"]}}),
            Fraction(1, 4),
        ),
        # A follow-up question of a question in an arm, and of one whose other answer counts.
        (
            (arm_entry(), yes_no("a", "none") | only("list"),
             yes_no("q") | {"relevant": {"a": ["yes"]}}),
            Fraction(1, 4),
        ),
        (
            (arm_entry(), yes_no("a", "none") | only("list") | {"otherwise": "yes"},
             yes_no("q") | {"relevant": {"a": ["yes"]}}),
            1,
        ),
        (
            (arm_entry(), count("a", 9, otherwise=2, **only("list")),
             yes_no("q") | {"relevant": {"a": {"min": 3}}}),
            Fraction(1, 4),
        ),
        (
            (arm_entry(), count("a", 9, otherwise=3, **only("list")),
             yes_no("q") | {"relevant": {"a": {"min": 3}}}),
            1,
        ),
        # The condition of a section.
        (
            (arm_entry(), {"name": "part", "type": "section", "label": ""} | only("list"),
             yes_no("q")),
            Fraction(1, 4),
        ),
        # An arm within an arm: half of those in "list".
        (
            (arm_entry(),
             arm_entry("inner", {"none": 1, "x": 1}, otherwise="none", **only("list")),
             yes_no("q") | only("x", name="inner")),
            Fraction(1, 8),
        ),
    ],
)  # fmt: skip
def test_the_share_of_respondents_in_the_arms_of_a_question_is_exact(questions, share):
    survey = survey_of(*questions)
    assert share_in_arms(named(survey, "q"), survey) == share
    assert share_in_arms(named(survey, "q"), None) == 1


def test_a_long_chain_of_conditions_is_read_once():
    """Each question depends on the two before it. All paths would be more than 10^20."""
    chain = [arm_entry(), yes_no("q0", "none") | only("list"), yes_no("q1", "none") | only("list")]
    chain += [
        yes_no(f"q{n}", "none") | {"relevant": {f"q{n - 1}": ["yes"], f"q{n - 2}": ["yes"]}}
        for n in range(2, 100)
    ]
    survey = survey_of(*chain, yes_no())
    assert survey.arms_asking(survey.questions[-2]) == {"arm": {"list"}}


def test_margins_and_respondents_are_those_of_the_arm():
    """With "not asked", the coin flip has three answers: p - q = 2/5, so 1.96² (25/16) / 0.1² is
    600.2 reports. A quarter of the respondents are in each arm, so four times as many are needed.
    """
    survey = survey_of(*THREE_WAYS)
    randomised, direct = named(survey, "smokes"), named(survey, "smokes_direct")
    assert respondents_for(randomised, 0.1) == 601
    assert respondents_for(randomised, 0.1, survey=survey) == 2401
    assert respondents_for(direct, 0.1, survey=survey) == 385
    alone, [in_arm] = precisions(randomised)[0], precisions(randomised, survey=survey)
    assert in_arm.margin(1_000) == pytest.approx(alone.margin(250))
    # The design effect compares with a direct question in the same arm.
    assert in_arm.design_effect == pytest.approx(alone.design_effect)
    [row] = plan_figures(survey, PlanParameters(n=1_000, margin=0.1))
    assert (row.respondents, row.respondents_openly) == (2401, 385)
    assert row.margin_openly == pytest.approx(precisions(direct)[0].margin(250))
    # So do tests: each report of a test needs four respondents.
    own = comparison(randomised, survey, PlanParameters())
    other = comparison(ALONE.questions[1], ALONE, PlanParameters())
    assert own.value.surely == 4 * other.value.surely
    assert own.groups.surely == 4 * other.groups.surely
    assert own.value_openly.surely == 4 * other.value_openly.surely


def test_a_sample_of_questions_counts_within_the_arm():
    sampled = survey_of(*THREE_WAYS, yes_no("drinks"), budget={"per_respondent": {"sample": 1}})
    assert precisions(named(sampled, "smokes"), survey=sampled)[0].reported == 1 / 8
    assert precisions(named(sampled, "drinks"), survey=sampled)[0].reported == 1 / 2


def test_a_finite_population_is_corrected_by_the_respondents_in_the_arm():
    survey = survey_of(*THREE_WAYS, results_about=1_000)
    fieldwork = replace(ALONE.fieldwork, results_about=1_000)
    [in_arm] = precisions(named(survey, "smokes"), survey=survey)
    [everyone] = precisions(ALONE.questions[1], survey=replace(ALONE, fieldwork=fieldwork))
    assert in_arm.margin(800) == pytest.approx(everyone.margin(200))


def test_denial_is_compared_with_a_direct_question_in_the_arm():
    survey = survey_of(*THREE_WAYS)
    in_arm = break_even(named(survey, "smokes"), survey, 2_000)
    assert in_arm.denied == pytest.approx(break_even(ALONE.questions[1], ALONE, 500).denied)
    # A single respondent is in at most one arm.
    assert break_even(named(survey, "smokes"), survey, 1).denied is None


def test_a_question_that_no_arm_asks_has_no_plan():
    """Its condition needs two arms at once."""
    survey = survey_of(
        arm_entry(),
        yes_no("a", "none") | only("direct"),
        yes_no("q") | {"relevant": {"arm": ["list"], "a": ["yes"]}},
        yes_no("other"),
    )
    never = named(survey, "q")
    assert share_in_arms(never, survey) == 0
    with pytest.raises(UnanswerableQuestion):
        precisions(never, survey=survey)
    assert asked_precision(never, 0.5, survey) is None
    assert break_even(never, survey, 500) is None
    assert [row.question.name for row in plan_figures(survey, PlanParameters())] == ["other"]
    assert found(survey, "precision", 1_000).verdict == PASSED


def test_an_item_of_a_joint_question_has_the_respondents_of_its_arm():
    items = [
        asked("one", "yes_no", "not_sent"), asked("two", "yes_no", "not_sent", **only("list")),
    ]  # fmt: skip
    joint = {"name": "both", "type": "joint", "label": "J", "privacy": {"epsilon": 2}}
    survey = survey_of(arm_entry(), *items, joint | {"derived": {"joint": ["one", "two"]}})
    planned = {each.name: precisions(each, survey=survey)[0] for each in planned_questions(survey)}
    assert {name: each.reported for name, each in planned.items()} == {
        "both": 1, "both/one": 1, "both/two": 1 / 4,
    }  # fmt: skip
    least = compare_joint_question(survey, named(survey, "both")).joint.share
    assert least.reported == 1 / 4


def test_questions_of_different_arms_are_not_suggested_for_a_joint_question():
    both = [yes_no(), yes_no("drinks")]
    assert len(comparisons_of(survey_of(*both))) == 1
    armed = survey_of(arm_entry(), both[0] | only("list"), both[1] | only("direct"))
    assert comparisons_of(armed) == ()
    same = survey_of(arm_entry(), both[0] | only("list"), both[1] | only("list", "direct"))
    [found] = comparisons_of(same)
    assert found.separate.share.reported == 1 / 4


def test_the_checklist_counts_the_respondents_in_the_arm():
    survey = survey_of(*THREE_WAYS)
    assert found(survey_of(yes_no()), "precision", 1_000).verdict == PASSED
    check = found(survey, "precision", 1_000)
    assert check.verdict == LOOK
    texts = [text.replace("\N{NO-BREAK SPACE}", " ") for text in check.details]
    assert texts == [
        "“Do you smoke?”, asked of 25 % of the respondents (experimental arm): ± 15 points; a "
        "margin of ± 10 points needs 2,401 respondents in all"
    ]
    assert check.places == ("question:smokes",)
    # The means of the lists, and the direct question, are precise enough.
    assert found(survey, "precision", 2_401).verdict == PASSED


def test_combinations_are_counted_within_each_arm():
    """1 + 2 + 4 + 5 answers. Multiplied, with "not asked", they would be 4 × 3 × 5 × 6."""
    survey = survey_of(*THREE_WAYS)
    each = combinations_in_arms(identifying_questions(survey), survey)
    assert [arm.combinations for arm in each] == [1, 2, 4, 5]
    assert [arm.share for arm in each] == [Fraction(1, 4)] * 4
    check = found(survey, "alone", 1_000)
    assert check.sentence == (
        "Together with the experimental arm, the answers to the non-private questions have up to "
        "12 combinations. If all combinations in an arm are equally common, less than 1 % of 1,000 "
        "respondents have a combination that nobody else has."
    )
    # Two respondents differ with the probability 1 - Σ s² / m.
    alone = sum(float(arm.share) * arm.share_with_own_answers(2) for arm in each)
    assert alone == pytest.approx(1 - (1 + 1 / 2 + 1 / 4 + 1 / 5) / 16)
    few = found(survey, "alone", 10)
    # (0.75^9 + 0.875^9 + 0.9375^9 + 0.95^9) / 4 = 0.391.
    assert "about 39 % of 10 respondents" in few.sentence
    assert few.verdict == LOOK


def test_combinations_of_other_questions_multiply_in_each_arm():
    choices = [{"name": name, "label": name} for name in "nesw"]
    region, answers = asked("region", "select_one", "none", choices=choices), len(choices)
    follow_up = yes_no("why", "none") | {"relevant": {"smokes_direct": ["yes"]}}
    survey = survey_of(*THREE_WAYS, follow_up, region)
    each = combinations_in_arms(identifying_questions(survey), survey)
    # Only in the direct arm, some are asked the follow-up question: yes, no, or not asked.
    assert [arm.combinations for arm in each] == [answers * n for n in (1, 2 * 3, 4, 5)]
    # Two arms of the same respondent multiply.
    second = arm_entry("second", {"x": 1, "y": 3})
    survey = survey_of(second, *THREE_WAYS)
    each = combinations_in_arms(identifying_questions(survey), survey)
    assert sorted((arm.share, arm.combinations) for arm in each) == [
        (share / 4, n) for share in (Fraction(1, 4), Fraction(3, 4)) for n in (1, 2, 4, 5)
    ]


def test_very_many_arms_are_not_all_drawn():
    six = dict.fromkeys("abcdef", 1)
    survey = survey_of(*(arm_entry(f"arm{n}", six) for n in range(9)), yes_no())
    every = list(draws(survey))
    assert len(every) == 6**3 <= MAX_COMBINED_ARMS
    assert sum(share for share, _ in every) == 1
    # The others multiply like other questions.
    each = combinations_in_arms(identifying_questions(survey), survey)
    assert sum(arm.combinations for arm in each) == 6**9


def test_the_plan_says_how_many_respondents_are_in_the_arm():
    survey = survey_of(
        *THREE_WAYS, yes_no("cigars") | {"relevant": {"arm": ["direct"], "smokes_direct": ["yes"]}}
    )
    assert only_arms_decide(named(survey, "smokes"), survey)
    assert not only_arms_decide(named(survey, "cigars"), survey)
    wishes = PlanParameters(n=2_000)
    in_arm = (
        "Only some experimental arms ask this question: 25 % of the respondents (about 500) are in "
        "them. The figures are for an analysis of these arms."
    )
    assert asked_sentence(named(survey, "smokes"), wishes, survey) == in_arm
    # Another condition leaves an unknown share of those in the arm.
    text = asked_sentence(named(survey, "cigars"), wishes, survey).replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert text.startswith(f"{in_arm} If 50 % of them are asked (about 250), the margin among")
    margin = float(re.search(r"about 250\), .*? is ± ([\d.]+) points", text)[1])
    expected = asked_precision(ALONE.questions[1], 0.5, ALONE).margin(500)
    assert margin == pytest.approx(100 * expected, abs=0.5)
    few = asked_sentence(named(survey, "cigars"), PlanParameters(n=40), survey)
    assert "of them are asked (about 5), the interval of a share among those asked can" in few
