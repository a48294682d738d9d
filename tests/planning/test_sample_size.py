"""Plans: closed forms, compared with simulated surveys."""

import math
from collections import Counter

import numpy as np
import pytest

from survey.core.errors import UnanswerableQuestion
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results
from survey.formats.csv_import import read_truth
from survey.planning.plan_text import comparison_sentences
from survey.planning.precision import (
    MEAN,
    MEDIAN,
    SHARE,
    answered_precision,
    most_of_all,
    precisions,
    tilt_shares,
)
from survey.planning.sample_size import (
    PlanParameters,
    comparison,
    expected_margin,
    plan_figures,
    respondents_for,
)
from survey.planning.simulation import simulate_reports
from tests.planning.planned_surveys import forced
from tests.support.definitions import definition, yes_no
from tests.support.every_type import EVERY_TYPE, PRIVATE, SAMPLED, asked, letters

TWO_COINS = {"mechanism": "coin_flip"}


def question(privacy=None, **rest):
    return parse_survey(definition(yes_no(privacy=privacy or TWO_COINS) | rest)).questions[0]


# --- closed forms
def test_two_coins_beside_a_direct_question():
    coins, direct = question(), question("none")
    assert respondents_for(coins, 0.05) == 1537
    assert respondents_for(direct, 0.05) == 385
    assert respondents_for(coins, 0.1) == 385
    assert respondents_for(direct, 0.1) == 97
    assert 100 * expected_margin(coins, 500, 0.1) == pytest.approx(8.0, abs=0.05)
    assert 100 * expected_margin(direct, 500, 0.1) == pytest.approx(2.6, abs=0.05)
    assert 100 * expected_margin(coins, 100, 0.1) == pytest.approx(18, abs=0.05)


@pytest.mark.parametrize(
    ("privacy", "times"),
    [(TWO_COINS, 9.3), ({"epsilon": 1}, 11.2), ({"epsilon": 2}, 3.0), ({"epsilon": 3}, 1.6)],
)
def test_how_many_times_the_sample_privacy_takes(privacy, times):
    (precision,) = precisions(question(privacy), 0.1)
    assert precision.design_effect == pytest.approx(times, abs=0.05)


@pytest.mark.parametrize(
    ("epsilon", "five", "ten"), [(4, 414, 104), (2, 663, 166), (1, 1799, 450), (0.5, 6405, 1602)]
)
def test_respondents_for_margins_by_epsilon(epsilon, five, ten):
    """At one half, for the likelihood ratio e^epsilon.

    Candor's fraction is a little smaller, so it needs slightly more respondents.
    """
    for margin, n in ((0.05, five), (0.1, ten)):
        assert n <= respondents_for(question({"epsilon": epsilon}), margin) <= 1.003 * n + 1


def test_the_literatures_numbers_and_the_sure_ones():
    assert forced(0, 0.05).value.by_formula == 1025
    assert forced(0, 0.05).value.surely == 878
    assert forced(0.1, 0.2).groups.by_formula == 649
    assert forced(0.1, 0.2).groups.surely == 689
    mirrored = parse_survey(definition(yes_no(privacy={"mechanism": "warner", "p": "2/3"})))
    found = comparison(mirrored.questions[0], mirrored, PlanParameters(null=0, truth=0.05))
    assert (found.value.by_formula, found.value.surely) == (6324, 5113)
    assert found.value.counted


def test_a_scale_for_its_mean_is_planned_for_its_mean():
    """It once planned the share of one level, with four times too many respondents."""
    entry = asked("mood", "scale", {"epsilon": 1, "goal": "mean"}, choices=letters("abcde"))
    survey = parse_survey(definition(entry))
    mean, share = precisions(survey.questions[0])
    assert (mean.kind, share.kind) == (MEAN, SHARE)
    found = comparison(survey.questions[0], survey, PlanParameters(null=0.4, truth=0.5))
    assert found.kind == MEAN
    # The variance of 1, ..., 5 is 2, of a range of 4; (1.96 + 0.84)² = 7.849.
    assert found.value_openly.surely == math.ceil(7.849 * 2 / 16 / 0.1**2)
    own = precisions(survey.questions[0], 0.5, survey)[0]
    assert found.value.surely == pytest.approx(7.849 * own.variance / 16 / 0.1**2, rel=0.001)
    assert respondents_for(survey.questions[0], 0.05) < share.respondents(0.05) / 3


def test_no_comparison_is_about_medians():
    entry = asked("age", "number", {"epsilon": 2, "goal": "quantiles"}, min=0, max=10, step=1)
    survey = parse_survey(definition(entry))
    assert precisions(survey.questions[0])[0].kind == MEDIAN
    assert comparison(survey.questions[0], survey, PlanParameters()).kind == MEAN


def test_answers_are_as_evenly_spread_as_their_mean_allows():
    for place in (0.0, 0.02, 0.3, 0.5, 0.99, 1.0):
        shares = tilt_shares(np.ones(5), place)
        assert shares.sum() == pytest.approx(1)
        assert shares @ np.linspace(0, 1, 5) == pytest.approx(place, abs=1e-9)
        if 0 < place < 1:
            ratios = shares[1:] / shares[:-1]
            assert ratios == pytest.approx(np.full(4, ratios[0]))
    assert tilt_shares(np.ones(3), 0.5) == pytest.approx(np.full(3, 1 / 3))


@pytest.mark.parametrize("r", [0.05, 0.5])
def test_groups_are_planned_for_those_without_a_special_answer(r):
    """The variance of the ratio, by all reports of a k-ary table with three answers."""
    survey = parse_survey(definition(yes_no(privacy={"epsilon": 1}) | {"prefer_not_to_say": True}))
    (asked_one,) = survey.questions
    (first,) = precisions(asked_one, r)
    p, q = first.coin
    scores = (np.eye(3) - q) / (p - q)
    of_report = scores[:, 0] + r * scores[:, 2]
    reports = q + (p - q) * np.array([r, 1 - r, 0])
    variance = reports @ of_report**2 - r**2
    found = answered_precision(asked_one, first, r)
    assert found.variance == pytest.approx(variance)
    assert found.variance < first.variance
    (without,) = precisions(question({"epsilon": 1}), r)
    assert answered_precision(question({"epsilon": 1}), without, r) == without
    plan = comparison(asked_one, survey, PlanParameters(null=r, truth=r + 0.1))
    assert plan.value.counted
    assert not plan.groups.counted
    sentences = list(comparison_sentences(plan, PlanParameters()))
    assert "“not asked”. The plan assumes that there are none." in sentences[-1]
    assert len(list(comparison_sentences(forced(0, 0.05), PlanParameters()))) == 2


def test_a_share_below_the_null_is_planned_as_well():
    assert forced(0.5, 0.3).value.surely == forced(0.5, 0.7).value.surely  # by symmetry


def test_boxes_and_sampled_questions_count_those_who_report():
    survey = parse_survey(SAMPLED)
    alone = parse_survey(EVERY_TYPE)
    for one, other in zip(survey.private, alone.private, strict=True):
        fewer, all_of_them = precisions(one, None, survey)[0], precisions(other, None, alone)[0]
        assert fewer.variance == all_of_them.variance
        assert fewer.reported == pytest.approx(all_of_them.reported * 3 / 8)
        assert fewer.respondents(0.1 * fewer.width) == pytest.approx(
            all_of_them.respondents(0.1 * fewer.width) * 8 / 3, abs=2
        )
        # Fewer reports than respondents mean that tests need more respondents.
        wishes = PlanParameters()
        more, usual = (comparison(q, s, wishes) for q, s in ((one, survey), (other, alone)))
        assert more.value.surely == pytest.approx(usual.value.surely * 8 / 3, abs=3)
        assert more.value_openly == usual.value_openly
    # Two of its five boxes are reported.
    (boxes,) = [q for q in alone.private if q.name == "tried"]
    assert precisions(boxes)[0].reported == 2 / 5


def test_margins_and_respondents_are_inverse():
    for each in parse_survey(EVERY_TYPE).private:
        for margin in (0.02, 0.1):
            n = respondents_for(each, margin)
            assert expected_margin(each, n) <= margin < expected_margin(each, n - 1)
        # An interval is not wider than the range.
        assert expected_margin(each, 1) == 0.5


def test_texts_and_notes_have_nothing_to_plan():
    survey = parse_survey(definition(yes_no(), asked("remarks", "text", "none")))
    with pytest.raises(UnanswerableQuestion):
        expected_margin(survey.questions[1], 100)


# --- the least favourable truth
def test_no_share_is_less_favourable_than_the_least_favourable():
    for each in parse_survey(EVERY_TYPE).fields:
        if each.type == "text":
            continue
        worst = precisions(each)
        for share in np.linspace(0, 1, 21):
            for one, other in zip(worst, precisions(each, float(share)), strict=True):
                assert other.variance <= one.variance * (1 + 1e-12)
                assert other.direct <= one.direct * (1 + 1e-12)


def test_the_largest_variance_over_all_distributions():
    generator = np.random.default_rng(1)
    second, values = generator.uniform(1, 5, 6), np.linspace(-1, 1, 6)
    found = most_of_all(second, values)
    shares = generator.dirichlet(np.full(6, 0.3), 200_000)
    tried = shares @ second - (shares @ values) ** 2
    assert tried.max() <= found + 1e-12
    assert tried.max() == pytest.approx(found, abs=0.02)


# --- comparison with results
def half_widths(survey, truth, n, seeds):
    """The mean half-widths of the results' intervals: of each question's shares, and its mean."""
    found = {}
    shares = read_truth(truth, survey)
    for seed in range(seeds):
        reports = simulate_reports(survey, shares, n, np.random.default_rng(seed))
        for each, column in zip(survey.fields, reports, strict=True):
            counts = Counter(
                code for stored in column if stored is not None for code in each.form.codes(stored)
            )
            results = question_results(each, counts)
            for answer in results.answers:
                key = (each.name, SHARE, answer.choice.name)
                found.setdefault(key, []).append((answer.high - answer.low) / 2)
            for quantity in results.quantities:
                if quantity.name == "mean":
                    key = (each.name, MEAN, "")
                    found.setdefault(key, []).append((quantity.high - quantity.low) / 2)
    return {key: np.mean(widths) for key, widths in found.items()}


AGREED = definition(
    yes_no(),
    yes_no("exams", {"mechanism": "randomized_response", "gamma": 0.3}),
    asked("party", "select_one", {"epsilon": 2}, choices=letters("abcde")),
    asked("colour", "select_one", {"mechanism": "symmetric_unary_encoding", "epsilon": 2},
          choices=letters("rgbw")),
    asked("tried", "select_multiple", {"epsilon": 2}, choices=letters("vwxyz")),
    asked("pets", "select_multiple", {"mechanism": "joint_boxes", "epsilon": 3},
          choices=letters("cdf")),
    asked("mood", "scale", {"mechanism": "exponential", "epsilon": 4}, choices=letters("123")),
    asked("sleep", "scale", {"mechanism": "subset_selection", "epsilon": 1, "size": 2},
          choices=letters("12345")),
    asked("glasses", "number", {"epsilon": 2}, min=0, max=40),
    asked("weight", "number", {"epsilon": 2, "goal": "mean"}, min=30, max=150, unit="kg"),
)  # fmt: skip
# The share of one answer. The others are equally common.
THIRD = 0.3
AGREED_TRUTH = {
    "smokes": {"yes": THIRD},
    "exams": {"yes": THIRD},
    "party": {"a": THIRD, **dict.fromkeys("bcde", 0.7 / 4)},
    "colour": {"r": THIRD, **dict.fromkeys("gbw", 0.7 / 3)},
    "tried": {"v": THIRD, **dict.fromkeys("wxyz", 0.1)},
    "pets": {"c": THIRD, "d": THIRD, "f": THIRD},
    "mood": {"1": 0.35, "2": THIRD, "3": 0.35},
    "sleep": {"1": 0.2, "2": 0.2, "3": 0.2, "4": 0.2, "5": 0.2},
    "glasses": {str(value): 1 / 41 for value in range(41)},
    "weight": {str(value): 1 / 121 for value in range(30, 151)},
}
ANSWERS = {"party": "a", "colour": "r", "tried": "v", "pets": "c", "mood": "2", "sleep": "2"}


@pytest.mark.slow
@pytest.mark.parametrize("sample", [None, 5])
def test_the_precision_to_expect_is_what_results_show(sample):
    content = AGREED | ({"budget": {"per_respondent": {"sample": sample}}} if sample else {})
    survey, n = parse_survey(content), 3_000
    shown = half_widths(survey, AGREED_TRUTH, n, seeds=6)
    compared = 0
    for each in survey.private:
        share = 0.2 if each.name == "sleep" else THIRD
        for precision in precisions(each, share, survey):
            answer = ANSWERS.get(each.name, "yes") if precision.kind == SHARE else ""
            width = shown[each.name, precision.kind, answer]
            assert precision.margin(n) == pytest.approx(width, rel=0.04), (each.name, precision)
            compared += 1
    assert compared == 12


# --- rows, curves, splits, sentences
def test_every_private_question_has_its_rows():
    survey = parse_survey(EVERY_TYPE)
    rows = plan_figures(survey, PlanParameters())
    assert [row.question.name for row in rows] == [
        "smokes", "party", "colour", "tried", "pets", "mood", "mood", "glasses", "weight"
    ]  # fmt: skip
    for row in rows:
        assert row.respondents > row.respondents_openly == 385
        assert row.margin > row.margin_openly
    assert len(PRIVATE) == len({row.question.name for row in rows})


def test_forty_choices_are_planned_by_their_sets_of_choices():
    forty = [{"name": f"c{number}", "label": str(number)} for number in range(40)]
    survey = parse_survey(definition(asked("many", "select_one", {"epsilon": 1}, choices=forty)))
    (many,) = survey.questions
    p, q = float(many.randomizer.p), float(many.randomizer.q)
    # One half can therefore be reached.
    assert q < 0.5 < p
    margin = 1.959964 * math.sqrt(0.25 / 1_000) / (p - q)
    assert expected_margin(many, 1_000) == pytest.approx(margin, rel=1e-6)
    at_tenth = (q + (p - q) / 10) * (1 - q - (p - q) / 10) / (p - q) ** 2
    assert precisions(many, 0.1)[0].variance == pytest.approx(at_tenth)
