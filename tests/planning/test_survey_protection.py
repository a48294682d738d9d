"""One level for a survey: exact bounds, and divisions that no independent search beats."""

import math
from bisect import bisect_left
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import scipy

from survey.core.errors import DefinitionError, UnanswerableQuestion
from survey.definition.survey import Survey, parse_survey
from survey.definition.survey_level import SURVEY_LEVELS, SurveyLevel, SurveyProtection
from survey.definition.types.joint import joint_answers
from survey.planning.joint_comparison import (
    cell_of_products,
    possible_combinations,
    second_moments,
)
from survey.planning.precision import precisions
from survey.planning.sample_size import PlanParameters, plan_figures
from survey.planning.survey_protection import (
    EPSILONS,
    MAIN_MARGIN,
    DivisionSearch,
    QuestionForm,
    cross_tabulations,
    divide_again,
    divide_protection,
    division_of_rest,
    protections,
    what_divides,
)
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked, letters
from tests.support.joint_survey import EVERYTHING

pytestmark = pytest.mark.fast

LEVELS = pytest.mark.parametrize("level", SURVEY_LEVELS)
# The square of 1.96, more exactly.
Z_SQUARED = scipy.special.ndtri(0.975) ** 2


def choices(n: int) -> list[dict]:
    return [{"name": f"c{place}", "label": f"Choice {place}"} for place in range(n)]


def question(kind: str, name: str, **members) -> dict:
    return {"name": name, "type": kind, "label": name, "privacy": {"epsilon": 1}} | members


NUMBER = question("number", "number", min=0, max=40, privacy={"epsilon": 1, "goal": "mean"})
CHOICE = question("select_one", "choice", choices=choices(5))
BOXES = question("select_multiple", "boxes", choices=choices(4))
SCALE = question("scale", "scale", choices=choices(5))


def survey_of(*questions: dict, **members) -> Survey:
    return parse_survey(definition(*questions, budget={"epsilon": 60}) | members)


def yes_no_survey(n: int) -> Survey:
    return survey_of(*(yes_no(f"q{place}", {"epsilon": 1}) for place in range(n)))


@LEVELS
@pytest.mark.parametrize("questions", [*range(1, 21)])
def test_yes_no_questions_need_what_the_closed_form_says(level, questions):
    """Variance (t + 1)^2 / (4 (t - 1)^2) at ratio t, for one question of k of which s are asked."""
    limit = SURVEY_LEVELS[level]
    found = divide_protection(yes_no_survey(questions), limit)

    def needed(sample: int) -> float:
        ratio = min(float(limit.about_one), float(limit.about_all) ** (1 / sample))
        variance = (ratio + 1) ** 2 / (4 * (ratio - 1) ** 2)
        return Z_SQUARED * variance / MAIN_MARGIN**2 * questions / sample

    best = min(needed(sample) for sample in range(1, questions + 1))
    assert best - 1 <= found.respondents <= 1.02 * best + 1


@LEVELS
@pytest.mark.parametrize(
    "entries",
    [
        (yes_no("q", {"epsilon": 1}), NUMBER),
        (CHOICE, SCALE, NUMBER),
        (BOXES, yes_no("q", {"epsilon": 1}) | {"prefer_not_to_say": True}),
        (CHOICE, BOXES, SCALE, NUMBER, yes_no("q", {"epsilon": 1})),
    ],
)
def test_no_division_on_a_grid_needs_fewer_respondents(level, entries):
    """All ε from a coarse grid are tried for each sample: the search must be at least as good."""
    survey, limit = survey_of(*entries), SURVEY_LEVELS[level]
    found = divide_protection(survey, limit)
    grid = [bisect_left(EPSILONS, each, key=float) for each in (0.1, 0.25, 0.5, 0.8, 1.1, 1.38)]
    tables = [protections(QuestionForm.of(each, survey)) for each in survey.private]
    variance = [
        [
            max(f.variance / f.width**2 / f.reported for f in each.precisions(p, exact=True))
            for p in grid
        ]
        for each in tables
    ]
    epsilons = [float(EPSILONS[place]) for place in grid]
    best = math.inf
    for places in product(range(len(grid)), repeat=len(tables)):
        spent = sorted((epsilons[place] for place in places), reverse=True)
        worst = max(of[place] for of, place in zip(variance, places, strict=True))
        for sample in range(1, len(tables) + 1):
            if sum(spent[:sample]) <= math.log(limit.about_all):
                best = min(best, worst * len(tables) / sample)
    assert found.respondents <= 1.01 * best * Z_SQUARED / MAIN_MARGIN**2 + 1


@LEVELS
def test_no_continuous_division_is_five_percent_better(level):
    """An optimiser that knows only the variances at each ε, and no grid."""
    survey, limit = survey_of(CHOICE, SCALE, NUMBER), SURVEY_LEVELS[level]
    tables = [protections(QuestionForm.of(each, survey)) for each in survey.private]
    places = [*range(60, len(EPSILONS), 30), len(EPSILONS) - 1]
    at = np.log([float(EPSILONS[place]) for place in places])
    heights = [
        np.log(
            [
                max(f.variance / f.width**2 / f.reported for f in each.precisions(p, exact=True))
                for p in places
            ]
        )
        for each in tables
    ]

    def needed(epsilons: np.ndarray, sample: int) -> float:
        spent = np.sort(epsilons)[::-1][:sample].sum()
        scale = min(1.0, math.log(limit.about_all) / spent, math.log(4) / epsilons.max())
        worst = max(
            np.interp(np.log(each), at, height)
            for each, height in zip(epsilons * scale, heights, strict=True)
        )
        return math.exp(worst) * len(tables) / sample

    best = min(
        scipy.optimize.differential_evolution(
            needed, [(0.03, 1.386)] * len(tables), args=(sample,), rng=1, maxiter=60, polish=False
        ).fun
        for sample in range(1, len(tables) + 1)
    )
    found = divide_protection(survey, limit)
    assert found.respondents <= 1.05 * best * Z_SQUARED / MAIN_MARGIN**2


@LEVELS
def test_every_division_is_within_its_level_exactly(level):
    limit = SURVEY_LEVELS[level]
    survey = survey_of(
        yes_no("first", {"epsilon": 1}),
        yes_no("second", {"epsilon": 1}) | {"relevant": {"first": ["yes"]}},
        CHOICE,
        NUMBER,
    )
    found = divide_protection(survey, limit)
    assert parse_survey(found.survey.as_definition()).ratio_bound == found.survey.ratio_bound
    assert found.survey.largest_ratio_bound <= limit.about_one
    assert found.survey.ratio_bound <= limit.about_all


def test_two_of_twelve_coin_flips_are_asked():
    found = divide_protection(yes_no_survey(12), SURVEY_LEVELS["protected"])
    assert (found.per_respondent, found.respondents) == (2, 9_220)
    assert found.survey.ratio_bound == 9
    assert {repr(each.privacy) for each in found.survey.private} == {"{'mechanism': 'coin_flip'}"}


def test_a_protection_chosen_by_hand_stays():
    by_hand = {"mechanism": "randomized_response", "odds": "2"}
    survey = survey_of(yes_no("kept", by_hand), *(yes_no(n, {"epsilon": 3}) for n in "ab"))
    found = divide_protection(survey, SURVEY_LEVELS["light"])
    assert found.survey.questions[0].privacy == by_hand
    assert found.survey.ratio_bound <= 19
    open_by_hand = survey_of(
        yes_no("kept", by_hand | {"odds": "5"}), yes_no("other", {"epsilon": 3})
    )
    with pytest.raises(UnanswerableQuestion, match="reveal more than this level allows"):
        divide_protection(open_by_hand, SURVEY_LEVELS["light"])
    with pytest.raises(UnanswerableQuestion, match="nothing to divide"):
        divide_protection(survey_of(yes_no("kept", by_hand)), SURVEY_LEVELS["light"])
    found = divide_protection(open_by_hand, SURVEY_LEVELS["light"], kept=())
    assert found.survey.ratio_bound <= 19


def test_main_figures_need_fewer_respondents_and_others_at_most_twice_the_margin():
    survey = survey_of(BOXES, *(yes_no(name, {"epsilon": 1}) for name in "ab"))
    every, main = (
        divide_protection(survey, SURVEY_LEVELS["protected"], figures)
        for figures in ((), [("a",), ("b",)])
    )
    assert main.respondents < every.respondents
    by_name = {each.name: each for each in main.survey.private}
    for name, margin in (("a", 0.05), ("b", 0.05), ("boxes", 0.1)):
        for figure in precisions(by_name[name], survey=main.survey):
            assert figure.respondents(margin * figure.width) <= main.respondents


def test_a_cross_table_makes_every_respondent_report_on_both_questions():
    survey = yes_no_survey(2)
    alone = divide_protection(survey, SURVEY_LEVELS["strong"])
    crossed = divide_protection(survey, SURVEY_LEVELS["strong"], [("q0", "q1")])
    assert (alone.per_respondent, crossed.per_respondent) == (1, None)
    assert crossed.survey.ratio_bound == 4
    # Each ratio is 2: p - q = 1/3. The square of a score is 3 for the own answer's report, and the
    # mean of all four products less 1/16 is the variance of a cell.
    own, other = (Fraction(2, 3) / Fraction(1, 3)) ** 2, (-Fraction(1, 3) / Fraction(1, 3)) ** 2
    with_it = Fraction(2, 3) * own + Fraction(1, 3) * other
    without = Fraction(1, 3) * own + Fraction(2, 3) * other
    cell = ((with_it + without) / 2) ** 2 - Fraction(1, 16)
    assert crossed.respondents == math.ceil(Z_SQUARED * float(cell) / MAIN_MARGIN**2)


def test_real_coins_keep_their_protection():
    survey = survey_of(*(yes_no(name, {"mechanism": "coin_flip"}) for name in "ab"), by_hand=True)
    with pytest.raises(UnanswerableQuestion, match="keep their coin flips"):
        divide_protection(survey, SURVEY_LEVELS["protected"])


def in_arm(arm: str) -> dict:
    return {"relevant": {"arm": arm}}


ARM = asked(
    "arm", "select_one", "none", choices=letters("ab"), derived={"random": {"a": 1, "b": 3}}
)
FOR_MEAN = SCALE | {"privacy": {"epsilon": 1, "goal": "mean"}}
FOR_MEDIAN = question("number", "age", min=0, max=9, privacy={"epsilon": 1, "goal": "quantiles"})
WITH_POINTS = question("number", "n", min=0, max=20, privacy={"epsilon": 1, "points": 5})
NEVER = yes_no("never", {"epsilon": 1}) | {"relevant": {"arm": ["a"], "in_b": ["yes"]}}
IN_B = yes_no("in_b", "none") | in_arm("b")


@LEVELS
@pytest.mark.parametrize(
    "survey",
    [
        survey_of(FOR_MEAN, CHOICE),
        survey_of(FOR_MEDIAN, NUMBER),
        survey_of(WITH_POINTS, question("ranking", "order", choices=choices(4))),
        survey_of(
            yes_no("kept", {"mechanism": "randomized_response", "odds": "1.2"}),
            *(yes_no(name, {"epsilon": 1}) for name in "ab"),
        ),
        survey_of(ARM, yes_no("first", {"epsilon": 1}) | in_arm("a"), CHOICE),
        survey_of(ARM, IN_B, NEVER, CHOICE),
        survey_of(BOXES, CHOICE, results_about=4_000),
        survey_of(BOXES, SCALE, results_about="respondents"),
        EVERYTHING,
    ],
    ids=["mean", "median", "points", "kept", "arm", "never", "population", "respondents", "joint"],
)
def test_a_division_needs_what_its_plan_says(survey, level):
    """It once left out the questions behind a joint one, and those that keep their protection."""
    found = divide_protection(survey, SURVEY_LEVELS[level])
    plan = plan_figures(parse_survey(found.survey.as_definition()), PlanParameters(margin=0.05))
    assert found.respondents == max(row.respondents for row in plan)


def test_a_question_keeps_its_goal_and_its_points():
    entries = [FOR_MEAN, FOR_MEDIAN, WITH_POINTS, CHOICE]
    found = divide_protection(survey_of(*entries), SURVEY_LEVELS["light"])
    kept = [{**each.privacy, "epsilon": 1} for each in found.survey.private]
    assert kept == [entry["privacy"] for entry in entries]
    # A mechanism that is no longer kept gives way to the one for its goal.
    by_hand = FOR_MEDIAN | {"privacy": {"mechanism": "optimal_quantiles", "epsilon": 1}}
    found = divide_protection(survey_of(by_hand), SURVEY_LEVELS["light"], kept=())
    assert found.survey.private[0].mechanism == "optimal_quantiles"
    assert "mechanism" not in found.survey.private[0].privacy


def test_the_budget_of_the_survey_stays():
    survey = survey_of(*(yes_no(name, {"epsilon": 0.5}) for name in "ab"), budget={"epsilon": 2})
    found = divide_protection(survey, SURVEY_LEVELS["light"])
    assert found.survey.budget.epsilon == 2
    with pytest.raises(DefinitionError, match="budget"):
        parse_survey(found.survey.as_definition())


def test_a_level_that_needs_too_many_respondents_says_so():
    nearly_nothing = SurveyLevel(about_one=Fraction(102, 100), about_all=Fraction(102, 100))
    survey = survey_of(*(BOXES | {"name": f"boxes{place}"} for place in range(20)))
    with pytest.raises(UnanswerableQuestion, match="needs more than 10,000,000 respondents"):
        divide_protection(survey, nearly_nothing)


def test_only_single_choices_that_one_person_is_asked_have_a_planned_cross_tabulation():
    survey = survey_of(
        ARM,
        CHOICE,
        BOXES,
        NUMBER,
        FOR_MEAN,
        yes_no("a", {"epsilon": 1}) | in_arm("a"),
        yes_no("b", {"epsilon": 1}) | in_arm("b"),
        question("ranking", "order", choices=choices(3)),
    )
    names = [each.name for each in survey.private]
    assert cross_tabulations(survey, names) == (("choice", "a"), ("choice", "b"))
    assert cross_tabulations(survey, ["choice", "b"]) == (("choice", "b"),)
    long = (question("select_one", name, choices=choices(100)) for name in "ab")
    assert cross_tabulations(survey_of(*long), "ab") == ()


def test_a_cross_tabulation_in_an_arm_needs_more_respondents():
    """The arm asks a quarter of the respondents. Of those who meet a condition, all may."""
    pair = yes_no("a", {"epsilon": 1}), yes_no("b", {"epsilon": 1})
    condition = yes_no("arm", "none"), {"relevant": {"arm": ["yes"]}}
    needed = [
        divide_protection(
            survey_of(first, *(each | relevant for each in pair)),
            SURVEY_LEVELS["strong"],
            [("a", "b")],
        ).respondents
        for first, relevant in (condition, (ARM, in_arm("a")))
    ]
    assert needed[1] == pytest.approx(4 * needed[0], rel=0.01)


@pytest.mark.parametrize("conditions", [{}, {"relevant": {"q0": ["c0"]}}], ids=["free", "filter"])
def test_cells_have_the_variance_of_the_scores_of_all_combinations(conditions):
    """The sum over true combinations, one by one."""
    pair = [question("select_one", f"q{n}", choices=choices(3)) for n in range(2)]
    survey = survey_of(pair[0], pair[1] | conditions)
    items = survey.private
    moments = [second_moments(each) for each in items]
    answers = [[choice.name for choice in each.answers] for each in items]
    true = [
        [names.index(part.name) for names, part in zip(answers, each.parts, strict=True)]
        for each in joint_answers(items)
    ]
    variances = [
        sum(moments[0][x, i] * moments[1][y, j] for x, y in true) / len(true) - len(true) ** -2
        for i, j in true
    ]
    cells = cell_of_products(items, possible_combinations(items), survey)
    assert cells.variance == pytest.approx(max(variances), rel=1e-12)


def variance_of_share(epsilon: float) -> float:
    """For a yes/no question whose true share is one half."""
    ratio = math.exp(epsilon)
    return (ratio + 1) ** 2 / (4 * (ratio - 1) ** 2)


def variance_of_cell(epsilon: float) -> float:
    """For two yes/no questions of which all four combinations are equally common."""
    p = 1 / (1 + math.exp(-epsilon))
    own, other = p / (2 * p - 1), (p - 1) / (2 * p - 1)
    squares = p * own**2 + (1 - p) * other**2, (1 - p) * own**2 + p * other**2
    return (sum(squares) / 2) ** 2 - 1 / 16


@LEVELS
@pytest.mark.parametrize("questions", [2, 4, 6])
def test_no_division_for_a_cross_tabulation_is_five_percent_better(level, questions):
    """All ε of the two main questions are tried, with the largest that is left for the others."""
    limit = math.log(SURVEY_LEVELS[level].about_all)
    best = math.inf
    for sample, main in product(range(2, questions + 1), np.linspace(0.02, math.log(4), 400)):
        share = sample / questions
        both = share * (sample - 1) / (questions - 1)
        needed = [variance_of_cell(main) / 0.05**2 / both, variance_of_share(main) / 0.1**2 / share]
        # Without a third report, the others can have the same ε. Otherwise they share the rest.
        rest = main if sample == 2 else min(main, (limit - 2 * main) / (sample - 2))
        if 2 * main > limit or rest <= 0:
            continue
        if questions > 2:
            needed.append(variance_of_share(rest) / 0.1**2 / share)
        best = min(best, Z_SQUARED * max(needed))
    found = divide_protection(yes_no_survey(questions), SURVEY_LEVELS[level], [("q0", "q1")])
    assert found.respondents <= 1.05 * best


@LEVELS
def test_a_survey_that_states_its_level_is_divided_again(level):
    """After a change of its questions. Those that keep their protection keep it."""
    kept = yes_no("kept", {"epsilon": 0.3})
    survey = parse_survey(definition(*(yes_no(f"q{n}", {"epsilon": 2}) for n in range(3)), kept))
    protection = SurveyProtection(level=level, kept=("kept",))
    found = divide_again(survey, protection)
    assert found.protection == protection
    assert found.questions[-1] == survey.questions[-1]
    assert parse_survey(found.as_definition()) == found
    assert divide_again(found, protection) == found
    with_more = replace(found, questions=(*found.questions, replace(found.questions[0], name="x")))
    again = divide_again(with_more, protection)
    assert SURVEY_LEVELS[level].allows(again.largest_ratio_bound, again.ratio_bound)
    assert len(again.private) == 5


def test_a_level_without_anything_to_divide_is_stated_only():
    for questions, kept in (([yes_no("q", "none")], ()), ([yes_no("q", {"epsilon": 1})], ("q",))):
        survey = parse_survey(definition(*questions))
        found = divide_again(survey, SurveyProtection(level="strong", kept=kept))
        assert found == replace(survey, protection=found.protection)


def test_questions_by_hand_that_break_the_level_are_a_fault_of_the_level():
    """Alone, and next to questions that share the rest."""
    weak = yes_no("weak", {"epsilon": 3})
    for others in ((), (yes_no("q", {"epsilon": 1}),)):
        survey = parse_survey(definition(weak, *others))
        with pytest.raises(DefinitionError, match="more than this level allows") as error:
            divide_again(survey, SurveyProtection(level="light", kept=("weak",)))
        assert error.value.place == "protection.level"


@pytest.mark.parametrize("main", [(), (("q0",), ("q1",), ("q0", "q1"))])
@pytest.mark.parametrize("name", ["yes_no", "types"])
def test_what_was_divided_is_not_searched_again(name, main, monkeypatch):
    """It is the division that the search would find, with the same number of respondents."""
    questions = [yes_no(f"q{n}", {"epsilon": 1}) for n in range(3)]
    if name == "types":
        questions += [
            asked("x", "scale", choices=letters("abcd"), privacy={"epsilon": 1, "goal": "mean"}),
            asked("y", "select_multiple", choices=letters("abc"), privacy={"epsilon": 1}),
            asked("kept", "number", min=0, max=9, privacy={"epsilon": 0.5, "goal": "mean"}),
        ]
    survey = parse_survey(definition(*questions))
    kept = ("kept",) if name == "types" else ()
    protection = SurveyProtection(level="light", main=main, kept=kept)
    searched = division_of_rest(survey, protection)
    before = divide_again(survey, protection)
    other = replace(survey, questions=tuple(replace(q, label="Other?") for q in survey.questions))
    monkeypatch.setattr(DivisionSearch, "best", lambda *_: pytest.fail("searched"))
    found = division_of_rest(other, protection, before)
    assert found.respondents == searched.respondents
    assert [q.privacy for q in found.survey.private] == [q.privacy for q in before.private]
    assert found.survey.budget == before.budget
    assert {q.label for q in found.survey.questions} == {"Other?"}


@pytest.mark.parametrize(
    "change",
    [
        lambda q: replace(q, choices=q.choices[:1] * 2 + q.choices),
        lambda q: replace(q, relevant={"q1": ("yes",)}),
        lambda q: replace(q, special_answers=q.choices[:1]),
        lambda q: replace(q, name="renamed"),
    ],
)
def test_a_change_of_anything_but_texts_is_searched(change):
    survey = parse_survey(definition(*(yes_no(f"q{n}", {"epsilon": 1}) for n in range(2))))
    protection = SurveyProtection(level="light")
    before = divide_again(survey, protection)
    changed = replace(survey, questions=(change(survey.questions[0]), survey.questions[1]))
    assert what_divides(changed, ()) != what_divides(before, ())
    assert what_divides(survey, ()) == what_divides(before, ())
    other_level = replace(protection, level="strong")
    assert divide_again(survey, other_level, before).ratio_bound <= 4
