"""The effect of fake responses on an estimate: a bound that they reach and never exceed."""

import pytest

from survey.core.scores import probabilities
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.estimation.build_results import question_results
from survey.estimation.manipulation import (
    fake_sentences,
    mean_moved,
    most_moved,
    most_moved_among_asked,
    moved_at_most,
)
from survey.estimation.share_results import reporting_table
from tests.support.definitions import definition, yes_no
from tests.support.question_results import asked, results

pytestmark = pytest.mark.fast


def test_fakes_reach_the_bound_and_never_pass_it():
    """All ways in which 2 of 100 responses can be fake, compared with the bound for 2 %."""
    question = freeze(parse_survey(definition())).survey.questions[0]
    for yes in range(0, 101, 7):
        answer = question_results(question, {0: yes, 1: 100 - yes}).answers[0]
        bound = moved_at_most(answer, 0.02, 100)
        moves = []
        for fake_yes in range(3):
            if fake_yes > yes or 2 - fake_yes > 100 - yes:
                continue
            honest = question_results(
                question, {0: yes - fake_yes, 1: 98 - yes + fake_yes}
            ).answers[0]
            moves.append(abs(honest.value - answer.value))
        assert max(moves) <= bound + 1e-12
        if 2 <= yes <= 98:
            assert max(moves) == pytest.approx(bound, abs=1e-12)


def test_protection_gives_fakes_more_reach():
    """At a share of one half, 2 % of fake responses.

    The effect is about 1 percentage point for a direct question, and twice as much with two coins,
    whose scores are 3/2 and -1/2.
    """
    questions = freeze(parse_survey(definition(yes_no(), yes_no("plain", privacy="none")))).survey
    coin, plain = (
        moved_at_most(question_results(q, {0: 50, 1: 50}).answers[0], 0.02, 100)
        for q in questions.questions
    )
    assert plain == pytest.approx(0.02 / 0.98 * 0.5)
    assert coin == pytest.approx(0.02 / 0.98 * 1.0)


def test_where_chance_picks_who_is_asked_all_fakes_may_answer_this_one():
    question = freeze(parse_survey(definition())).survey.questions[0]
    answer = question_results(question, {0: 5, 1: 5}).answers[0]
    assert moved_at_most(answer, 0.02, 100) == pytest.approx(0.2 / 0.8 * 1.0)
    assert moved_at_most(answer, 0.1, 100) is None
    assert most_moved(question_results(question, {0: 5, 1: 5}), 0.1, 100) is None


def test_the_sentence_never_exceeds_the_range():
    """One bit at ε = 0.1: a fake report counts for a lot."""
    weak = results([500, 500], {"mechanism": "randomized_response", "gamma": 0.01})
    assert most_moved(weak, 0.1, 1000) > 1
    assert fake_sentences(weak, 0.1, 1000) == (
        "If 10 % of the responses were fake, they could have changed each share from one end of "
        "its range to the other.",
    )
    strong = results([500, 500], {"epsilon": 2})
    [sentence] = fake_sentences(strong, 0.1, 1000)
    assert sentence == (
        "If 10 % of the responses were fake, they could have changed each share by at most "
        f"{100 * most_moved(strong, 0.1, 1000):.1f} points."
    )
    assert fake_sentences(results([5, 5], "none"), 0.1, 10) == ()


def test_a_mean_moves_at_most_by_its_bound_and_reaches_it():
    """Replace 20 of 100 reports by each report in turn: the largest change is the bound."""
    privacy = {"epsilon": 2, "goal": "mean"}
    counts = {0: 30, 1: 30, 2: 40}
    shown = asked("number", counts, privacy, min=0, max=10)
    mean, ends = shown.quantities[0], (0.0, 10.0)
    bound = mean_moved(mean, ends, 0.2, 1.0)
    moves = []
    for fake, (above, below) in enumerate(mean.ratio.scores):
        if counts.get(fake, 0) >= 20:
            honest = {code: n - 20 * (code == fake) for code, n in counts.items()}
            value = asked("number", honest, privacy, min=0, max=10).quantities[0].value
            moves.append(abs(value - mean.value))
        honest_mean = (mean.ratio.above - 0.2 * above) / (mean.ratio.below - 0.2 * below)
        assert abs(honest_mean - mean.value) <= bound + 1e-12
    assert 0 < max(moves) <= bound + 1e-9 <= 10
    assert mean_moved(mean, ends, 0.9, 1.0) == 10
    # Nothing is said about an estimate that may not be used.
    assert shown.unusable
    assert fake_sentences(shown, 0.2, 100) == ()
    # The reports of 600 people of whom as many have each answer.
    chances = probabilities(reporting_table(shown.question)).mean(axis=0)
    expected = {code: round(600 * float(chance)) for code, chance in enumerate(chances)}
    fitting = asked("number", expected, privacy, min=0, max=10)
    [sentence] = fake_sentences(fitting, 0.2, 600)
    assert sentence.startswith(
        "If 20 % of the responses were fake, they could have changed the mean"
    )
    [worst] = fake_sentences(fitting, 0.9, 600)
    assert worst.endswith("could have changed the mean from one end of its range to the other.")


def test_shares_among_those_asked_move_by_at_most_their_bound():
    then = yes_no("then", {"epsilon": 2}) | {"relevant": {"smokes": "yes"}}
    question = parse_survey(definition(yes_no(), then)).questions[-1]
    shown = question_results(question, {0: 300, 1: 300, 2: 400})
    bound = most_moved_among_asked(shown, 0.1, 1000)
    for fake in range(3):
        honest = {code: n - 100 * (code == fake) for code, n in {0: 300, 1: 300, 2: 400}.items()}
        for before, after in zip(
            shown.asked, question_results(question, honest).asked, strict=True
        ):
            assert abs(before.value - after.value) <= bound
    [sentence] = fake_sentences(shown, 0.1, 1000)
    assert f"a share among those asked by at most {100 * bound:.1f} points." in sentence
