"""The estimate of a share at each look at a class."""

import numpy as np
import pytest
from scipy.stats import binom

from survey.admin.results.looks import look_at, sentence_on_hands, shares_to_watch
from survey.charts.looks import ShownHands
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.definition.target_population import RESPONDENTS, SIMILAR
from survey.estimation.build_results import survey_results
from tests.support.check_each import check_each
from tests.support.classes import class_definition, look
from tests.support.definitions import yes_no
from tests.support.every_type import EVERY_TYPE

pytestmark = pytest.mark.fast

NO_LOOK = "7 of 20 people raised a hand: 35 %."


def test_the_estimate_is_twice_the_reported_share_less_one_half():
    found = look(13, 7)
    assert found.n == 20
    assert found.estimate.value == pytest.approx(2 * 13 / 20 - 1 / 2)
    assert found.text(found.estimate.value) == "80 %"
    assert found.sequence.low <= found.estimate.low


def test_fewer_than_five_reports_have_no_estimate():
    assert look(2, 2) is None
    assert look(0, 0) is None


def test_an_unknown_answer_has_no_estimate():
    frozen = freeze(parse_survey(class_definition()))
    results = survey_results(frozen, {"smokes": {0: 5, 1: 5}}, "browser").as_shown
    assert look_at(results.questions[0], "perhaps", 30) is None


@check_each("about", [SIMILAR, RESPONDENTS])
@check_each("n", [5, 10, 15, 20, 25, 30])
def test_both_intervals_contain_the_share_of_the_class_itself(about, n):
    """Exactly, for each number k of people in the class whose answer is Yes.

    The number of Yes reports is then the sum of two binomial variables. An interval about people
    like the respondents is wider than it needs to be for the class itself. A look at reports that
    do not fit the design has no interval, and counts as one that misses.
    """
    looks = [look(yes, n - yes, results_about=about) for yes in range(n + 1)]
    for k in range(n + 1):
        chances = np.convolve(
            binom.pmf(range(k + 1), k, 3 / 4), binom.pmf(range(n - k + 1), n - k, 1 / 4)
        )
        for ends in (
            [(each.estimate.low, each.estimate.high) if each else (1, 0) for each in looks],
            [
                (each.sequence.low, each.sequence.high) if each and each.sequence else (1, 0)
                for each in looks
            ],
        ):
            inside = [low - 1e-9 <= k / n <= high + 1e-9 for low, high in ends]
            assert float(chances @ inside) >= 0.95, (k, n)


@pytest.mark.parametrize(
    ("privacy", "similar", "respondents", "sequence"),
    [
        ({"mechanism": "coin_flip"}, (10, 90), (15, 85), (0, 100)),
        ({"epsilon": 2}, (22, 78), (30, 70), (9, 91)),
        ({"epsilon": 3}, (26, 74), (40, 60), (15, 85)),
    ],
)
def test_the_intervals_of_a_class_of_twenty(privacy, similar, respondents, sequence):
    """The figures of docs/how-to/run-a-class.md."""
    question = yes_no(privacy=privacy)
    for about, ends in ((SIMILAR, similar), (RESPONDENTS, respondents)):
        found = look(10, 10, question, results_about=about)
        shown = (found.estimate.low, found.estimate.high, found.sequence.low, found.sequence.high)
        assert [round(100 * each) for each in shown] == [*ends, *sequence]


def test_yes_no_questions_have_one_share_and_numbers_none():
    shares = [
        (question.type, choice.name)
        for question, choice in shares_to_watch(parse_survey(EVERY_TYPE))
    ]
    kinds = {kind for kind, _ in shares}
    assert {"yes_no", "select_one", "select_multiple"} <= kinds
    assert not {"number", "ranking", "crosswise", "text", "note"} & kinds
    assert "no" not in [name for kind, name in shares if kind == "yes_no"]


def test_a_boxes_question_has_a_look_at_each_box():
    question = yes_no() | {
        "type": "select_multiple",
        "privacy": {"epsilon": 2},
        "choices": [{"name": name, "label": name} for name in "abc"],
    }
    frozen = freeze(parse_survey(class_definition(question)))
    assert [choice.name for _, choice in shares_to_watch(frozen.survey)] == ["a", "b", "c"]


def test_the_sentence_compares_the_raised_hands_with_the_interval():
    hands = ShownHands(7, 20)
    assert sentence_on_hands(hands, None) == NO_LOOK.replace("35 %", "35.0 %")
    assert sentence_on_hands(hands, look(8, 12)) == (
        f"{NO_LOOK} The 95 % interval contains this share."
    )
    assert sentence_on_hands(hands, look(19, 1)) == (
        f"{NO_LOOK} The 95 % interval does not contain this share."
    )
