"""The test of the stated design: false alarms by enumeration, and data that are impossible."""

import csv
import io
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, multinomial

from survey.core.randomizer import Randomizer
from survey.core.scores import probabilities
from survey.definition.frozen import freeze
from survey.definition.parse_question import parse_question
from survey.definition.survey import parse_survey
from survey.estimation.build_results import design_fit_of, survey_results
from survey.estimation.design_fit import (
    MIN_FITTING_P,
    divergence_tail,
    fit_of_table,
    share_scores,
    tail_of_negative,
)
from survey.estimation.findings.remarks import DO_NOT_USE, MISFIT
from survey.formats.csv_export import estimates_csv, results_as_json
from tests.support.check_each import check_each
from tests.support.definitions import definition, yes_no
from tests.support.question_results import LEVELS, MANY, asked, results

pytestmark = pytest.mark.fast

CHOICES = [{"name": name, "label": name.upper()} for name in "abc"]
CAUSES = "Likely causes: respondents did not follow the instructions"
# Pr(yes | yes) and Pr(yes | no).
BINARY = {
    "coin flips": ("3/4", "1/4"),
    "forced response": ("5/6", "1/6"),
    "unrelated question": ("21/40", "1/40"),
    "weak": ("11/20", "9/20"),
    "yes is certain": ("1", "1/4"),
    "no is certain": ("3/4", "0"),
}


def table_of(yes, no):
    return Randomizer.from_probabilities(
        [[Fraction(yes), 1 - Fraction(yes)], [Fraction(no), 1 - Fraction(no)]]
    )


def fit(table, counts):
    return fit_of_table(table, counts, share_scores(probabilities(table), np.eye(table.answers)))


@check_each("n", [5, 20, 100, 1_000])
@check_each("design", BINARY)
def test_two_answers_give_false_alarms_in_at_most_one_of_a_hundred_surveys(design, n):
    """By enumeration of all counts, for true shares from 0 to 1."""
    table = table_of(*BINARY[design])
    alarms = [not fit(table, (count, n - count)).fits for count in range(n + 1)]
    yes, no = (float(Fraction(each)) for each in BINARY[design])
    for share in np.linspace(0, 1, 21):
        chance = no + (yes - no) * share
        assert binom.pmf(np.arange(n + 1), n, chance)[alarms].sum() <= MIN_FITTING_P


@pytest.mark.parametrize("rows", [((4, 1, 1), (1, 4, 1), (1, 1, 4)),
                                  ((6, 2, 1, 1), (1, 7, 1, 1), (1, 2, 1, 6)),
                                  ((1, 6, 3), (6, 3, 1))])  # fmt: skip
def test_tables_give_false_alarms_in_at_most_one_of_a_hundred_surveys(rows):
    """By enumeration of all counts of a few reports, also for tables that are not square."""
    table = Randomizer(rows)
    n = 20 if table.reports == 3 else 12
    outcomes = [(*rest, n - sum(rest)) for rest in product(range(n + 1), repeat=table.reports - 1)
                if sum(rest) <= n]  # fmt: skip
    alarms = [not fit(table, counts).fits for counts in outcomes]
    assert any(alarms)
    k = table.answers
    truths = [*np.eye(k), np.full(k, 1 / k), *((np.eye(k)[j] + np.eye(k)[j - 1]) / 2
              for j in range(k))]  # fmt: skip
    for truth in truths:
        chances = multinomial.pmf(outcomes, n, truth @ probabilities(table))
        assert chances[alarms].sum() <= MIN_FITTING_P


KUK = {"mechanism": "kuk", "p_yes": 0.8, "p_no": 0.2, "draws": 3}
SEVERAL = [
    {"type": "yes_no", "privacy": KUK},
    {"type": "select_one", "choices": CHOICES, "privacy": {"epsilon": 1}},
    {"type": "scale", "choices": LEVELS, "privacy": {"epsilon": 1}},
    {"type": "number", "min": 0, "max": 10, "privacy": {"epsilon": 1}},
    {"type": "number", "min": 0, "max": 10, "privacy": {"epsilon": 1, "goal": "mean"}},
    {"type": "number", "min": 0, "max": 10, "privacy": {"mechanism": "one_bit", "epsilon": 1}},
    {"type": "select_one", "choices": MANY, "privacy": {"mechanism": "symmetric_unary_encoding",
                                                        "epsilon": 1}},
]  # fmt: skip


@pytest.mark.parametrize("entry", SEVERAL, ids=lambda each: f"{each['type']}-{each['privacy']}")
def test_every_mechanism_accepts_its_own_reports(entry):
    """All respondents have one answer, which is the most difficult case. 200 surveys of 100."""
    question = parse_question({"name": "q", "label": "?", **entry}, "", "en")
    generator = np.random.default_rng(5)
    alarms = 0
    for survey in range(200):
        answer = survey % 2 * (len(question.answers) - 1)
        if question.one_hot is not None:
            bits = np.full(question.one_hot.answers, float(question.one_hot.q))
            bits[answer] = float(question.one_hot.p)
            ones = generator.binomial(100, bits)
            counts = np.stack([ones, 100 - ones], axis=1).ravel()
        else:
            chances = probabilities(question.table)
            row = chances[survey % 2 * (len(chances) - 1)]
            counts = generator.multinomial(100, row / row.sum())
        alarms += not design_fit_of(question, dict(enumerate(map(int, counts)))).fits
    assert alarms <= 4


@pytest.mark.parametrize("n", [20, 1_000, 100_000])
def test_reports_that_are_all_no_are_not_called_random_error(n):
    (warning,) = results([0, n]).remarks
    assert (warning.code, warning.severity) == (MISFIT, DO_NOT_USE)
    assert CAUSES in warning.sentence
    assert "Random error does not explain this" in warning.sentence
    assert results([0, n]).sentence == warning.sentence


def test_nine_standard_errors_below_zero_are_no_random_error():
    """The issue's example: an estimate of -16 % at z = -9, for example 1,700 of 10,000 reports."""
    shown = results([1_700, 8_300])
    assert shown.answers[0].value == pytest.approx(-0.16)
    assert shown.answers[0].value / shown.answers[0].standard_error < -9
    assert shown.sentence.startswith(
        "The estimate for “Yes” is below 0 %. Random error does not explain this (p < 0.0001)."
    )


def test_swapped_codes_are_found():
    """Of 300 respondents with a rare trait, "no" was coded as yes under forced response."""
    forced = {"mechanism": "forced_response", "p_truth": 0.8, "p_yes": 0.1, "p_no": 0.1}
    unrelated = {"mechanism": "unrelated_question", "p": "1/2", "prevalence": "1/20"}
    assert results([45, 255], forced).explanations == ()
    assert results([255, 45], forced).explanations == ()  # A share of 94 % is possible.
    assert CAUSES in results([285, 15], unrelated).sentence


def test_reports_of_several_kinds_are_tested():
    many = asked("select_multiple", {0: 0, 1: 100, 2: 50, 3: 50}, {"epsilon": 1}, choices=MANY)
    unary = {"mechanism": "symmetric_unary_encoding", "epsilon": 1}
    bits = {code: [0, 90][code % 2] for code in range(18)}
    for shown in (
        many,
        asked("select_one", bits, unary, choices=MANY),
        results([0, 90, 90], {"epsilon": 1}, type="select_one", choices=CHOICES),
        asked("number", {1: 30}, {"mechanism": "one_bit", "epsilon": 1}, min=0, max=10),
        asked("number", {0: 60, 10: 60}, {"epsilon": 2}, min=0, max=10),
    ):
        assert CAUSES in shown.sentence


def test_impossible_reports_are_found_although_the_estimate_is_possible():
    """Nobody draws only one or two red cards of three, as if people drew one card three times."""
    shown = results([50, 0, 0, 50], KUK)
    assert shown.answers[0].value == pytest.approx(0.5)
    assert shown.sentence.startswith(
        "The counts of these reports are unlikely, whatever the true shares are. Random error does"
    )


def test_a_non_private_question_has_no_design():
    assert results([0, 100], "none").design_fit is None
    assert results([0, 0]).design_fit is None
    assert results([0, 4]).as_shown.explanations == ()


def test_an_exact_tail_is_that_of_the_binomial_at_the_nearest_share():
    table = table_of("3/4", "1/4")
    assert fit(table, (10, 90)).p == pytest.approx(2 * binom.cdf(10, 100, 0.25))
    assert fit(table, (90, 10)).p == pytest.approx(2 * binom.sf(89, 100, 0.75))


def test_the_bound_of_scores_is_above_the_probability():
    """For Kuk's design with three draws, by the distribution of the sum of red cards."""
    chances = np.array([[0.008, 0.096, 0.384, 0.512][::-1], [0.512, 0.384, 0.096, 0.008][::-1]])
    red = np.array([3.0, 2.0, 1.0, 0.0])
    scores = (red - 0.6) / 1.8
    for counts in ((0, 0, 20, 30), (0, 0, 10, 40), (0, 0, 0, 50)):
        seen = np.array(counts)
        bound = tail_of_negative(chances, seen, scores)
        exact = binom.cdf(int(seen @ red), 150, 0.2)
        assert exact <= bound <= 20 * exact
    assert tail_of_negative(chances, np.array([1, 1, 20, 28]), scores) <= 1


def test_the_bound_on_the_divergence():
    assert divergence_tail(2.0, 2) == divergence_tail(0.0, 2) == 1.0
    assert divergence_tail(10.0, 2) == pytest.approx(25 * np.exp(-8))
    assert divergence_tail(float("inf"), 2) == 0.0


def test_files_state_the_p_value_and_the_warning():
    frozen = freeze(parse_survey(definition(yes_no())))
    wrong = survey_results(frozen, {"smokes": {1: 100}}, "browser")
    rows = list(csv.DictReader(io.StringIO(estimates_csv(wrong))))
    assert all(float(row["design_p"]) < 1e-10 and CAUSES in row["design_warning"] for row in rows)
    (question,) = results_as_json(wrong)["questions"]
    assert question["design_p"] < 1e-10
    assert CAUSES in question["design_warning"]
    right = survey_results(frozen, {"smokes": {0: 40, 1: 60}}, "browser")
    (question,) = results_as_json(right)["questions"]
    assert question["design_p"] == 1
    assert question["design_warning"] is None


@check_each(
    "question",
    [
        {"type": "number", "min": 0, "max": 10, "privacy": {"epsilon": 1}},
        {"type": "number", "min": 0, "max": 7, "privacy": {"epsilon": 1}},
        {"type": "scale", "choices": [{"name": f"c{n}", "label": f"{n}"} for n in range(5)],
         "privacy": {"epsilon": 1, "goal": "mean"}},
    ],
)  # fmt: skip
@check_each("n", [5, 6, 10])
def test_reports_that_all_agree_have_a_test(question, n):
    """Rounding of the mean of n equal scores must not put it below the lowest score."""
    content = definition({"name": "q", "label": "Q?", "prefer_not_to_say": False, **question})
    frozen = freeze(parse_survey(content))
    table = frozen.survey.questions[0].table
    for report in range(table.reports):
        results = survey_results(frozen, {"q": {report: n}}, "browser")
        assert results.questions[0].n == n
