"""Headlines: each sentence, and in simulated surveys that few of them are wrong."""

from dataclasses import replace

import numpy as np
import pytest

from bench.headlines import (
    KINDS,
    LIMIT,
    Truth,
    draw,
    is_wrong,
    measured,
    old_headline,
    question_of,
    truth_of,
)
from survey.definition.choices import Choice
from survey.definition.parse_question import parse_question
from survey.estimation.build_results import question_results
from survey.estimation.headlines import (
    ARM,
    EITHER,
    FIRST,
    MEAN,
    SHARE,
    TOGETHER,
    TOO_FEW_TO_SAY,
    UNRANKED,
    Headline,
    headline_of,
)
from survey.estimation.results import QuestionResults
from survey.estimation.share_intervals import Interval
from tests.support.charted import question, share
from tests.support.check_each import check_each
from tests.support.question_results import asked, results

pytestmark = pytest.mark.fast

CHOICES = [{"name": name, "label": name.upper()} for name in "abcde"]


def found(*bounds, kind="select_one", privacy=None, **more) -> QuestionResults:
    """Results of a choice. Each answer has a value, and the ends of its simultaneous interval."""
    entry = {"name": "x", "type": kind, "label": "?", "choices": CHOICES[: len(bounds)]}
    answers = tuple(
        replace(
            share(value, max(0.0, value - 0.05), min(1.0, value + 0.05), label=choice["label"]),
            simultaneous=Interval(low, high, 0.99, ""),
        )
        for (value, low, high), choice in zip(bounds, CHOICES, strict=False)
    )
    asking = question({**entry, "privacy": privacy or {"epsilon": 1}})
    return QuestionResults(
        question=asking,
        n=100,
        counts=(),
        values=(),
        level=0.95,
        answers=answers,
        covariance=None,
        **more,
    )


CASES = {
    "one leads": (
        [(0.2, 0.1, 0.3), (0.5, 0.4, 0.6), (0.3, 0.2, 0.39)], FIRST,
        "“B” comes first: an estimated 50.0 % of people like these respondents would "
        "give this answer (simultaneous 95 % interval 40.0 % to 60.0 %).",
    ),
    "one leads, but imprecisely": (
        [(0.8, 0.4, 1.0), (0.1, 0.0, 0.3), (0.1, 0.0, 0.3)], FIRST,
        "“A” comes first. There are too few responses to say how large its share is "
        "(simultaneous 95 % interval 40.0 % to 100.0 %).",
    ),
    "one leads with an impossible estimate": (
        [(1.1, 0.8, 1.0), (-0.1, 0.0, 0.1), (0.0, 0.0, 0.1)], FIRST,
        "“A” comes first (simultaneous 95 % interval 80.0 % to 100.0 %).",
    ),
    "two lead": (
        [(0.352, 0.3, 0.4), (0.364, 0.31, 0.41), (0.15, 0.1, 0.2), (0.134, 0.1, 0.2)], TOGETHER,
        "“B” (36.4 %) and “A” (35.2 %) come first. The data do not show which of them is more "
        "frequent.",
    ),
    "two may lead": (
        [(0.4, 0.3, 0.5), (0.35, 0.25, 0.45), (0.25, 0.2, 0.28)], EITHER,
        "“A” (40.0 %) or “B” (35.0 %) comes first. It is not certain which.",
    ),
    "four of five": (
        [*[(0.24, 0.2, 0.28)] * 4, (0.04, 0.0, 0.1)], TOGETHER,
        "“A”, “B”, “C” and “D” come first. The data do not show which of them is more frequent.",
    ),
    "one of four of five": (
        [(0.3, 0.2, 0.4), *[(0.2, 0.12, 0.29)] * 3, (0.1, 0.0, 0.19)], EITHER,
        "“A”, “B”, “C” or “D” comes first. “E” does not come first.",
    ),
    "all alike": (
        [(0.34, 0.3, 0.4), (0.33, 0.3, 0.4), (0.33, 0.3, 0.4)], UNRANKED,
        "Any of the 3 answers may come first.",
    ),
    "touching": (
        [(0.6, 0.5, 0.7), (0.4, 0.3, 0.5)], UNRANKED,
        "Either answer may come first.",
    ),
}  # fmt: skip


@check_each(("bounds", "kind", "sentence"), CASES.values())
def test_each_headline_states_what_the_simultaneous_intervals_support(bounds, kind, sentence):
    shown = found(*bounds)
    assert (shown.headline.kind, shown.sentence) == (kind, sentence)
    estimates = [answer.value for answer in shown.headline.answers]
    assert estimates == sorted(estimates, reverse=True)


def test_boxes_are_ticked_and_answers_given():
    one = CASES["one leads"][0]
    assert "would tick it" in found(*one, kind="select_multiple").sentence
    assert "would give this answer" in found(*one, privacy="none").sentence


def ranked(leaders: int, rest: int) -> QuestionResults:
    """A choice of many answers, of which some may come first."""
    shown = found((0.5, 0.4, 0.6), (0.5, 0.4, 0.6))
    first = shown.answers[0]
    ends = [(0.2, 0.4), *[(0.05, 0.3)] * (leaders - 1), *[(0.0, 0.1)] * rest]
    answers = tuple(
        replace(
            first,
            choice=Choice(f"c{place}", f"C{place}"),
            simultaneous=Interval(*ends[place], 0.99, ""),
        )
        for place in range(leaders + rest)
    )
    choices = [{"name": each.choice.name, "label": each.choice.label} for each in answers]
    entry = {"name": "x", "type": "select_one", "label": "?", "choices": choices}
    return replace(shown, question=question(entry | {"privacy": {"epsilon": 1}}), answers=answers)


def test_a_headline_never_counts_answers_that_it_does_not_name():
    assert ranked(9, 2).sentence == (
        "“C9” and “C10” do not come first. Any other answer may come first."
    )
    assert ranked(7, 1).sentence == "“C7” does not come first. Any other answer may come first."
    assert ranked(9, 8).sentence == (
        "“C0”, “C1” and “C2” have the largest estimates, but it is not certain which answer comes "
        "first."
    )
    assert ranked(5, 8).sentence.endswith("or “C4” comes first. It is not certain which.")


def test_a_box_without_an_estimate_may_come_first():
    shown = found(*CASES["one leads"][0], kind="select_multiple")
    fewer = replace(shown, answers=shown.answers[:2])
    assert (fewer.headline.kind, fewer.sentence) == (
        TOO_FEW_TO_SAY, "There are too few responses to say which answer comes first."
    )  # fmt: skip


def test_weighted_headlines_are_about_the_population_that_was_entered():
    one, two = (found(*CASES[name][0], weighted_by="Gender") for name in ("one leads", "two lead"))
    assert one.sentence.startswith(
        "In the population (weighted by “Gender”), “B” comes first: an estimated 50.0 % would"
    )
    assert two.sentence.startswith("In the population (weighted by “Gender”), “B” (36.4 %) and")
    yes = replace(results([412, 588]), weighted_by="Gender")
    assert "32.4 % of the population (weighted by “Gender”) would answer “Yes”" in yes.sentence
    mean = replace(asked("number", {0: 50, 9: 50}, "none", min=0, max=9), weighted_by="Gender")
    assert mean.sentence.startswith(
        "The estimated mean for the population (weighted by “Gender”) is"
    )
    for shown in (one, two, yes, mean):
        assert "people like these respondents" not in shown.sentence


def test_wide_intervals_have_too_few_responses():
    """An interval wider than half of the range gives no number to quote."""
    few, enough = results([30, 20], {"epsilon": 1}), results([300, 200], {"epsilon": 1})
    assert few.answers[0].high - few.answers[0].low > 0.5
    assert (few.headline.kind, enough.headline.kind) == (TOO_FEW_TO_SAY, SHARE)
    assert few.sentence.startswith(
        "There are too few responses for a precise estimate. The 95 % interval of the share of"
    )


@check_each("kind", KINDS, ids=lambda kind: kind.title)
def test_every_kind_has_a_true_headline_in_small_and_large_surveys(kind):
    """A headline must exist for n = 1 and rare answers too. It never names "not asked"."""
    epsilon = 0.0 if kind.privacy(0) == "none" else kind.epsilons[0]
    asking = question_of(kind.title, epsilon)
    truth = truth_of(asking, "one dominates")
    for n in (1, 2, 6, 20, 400):
        rng = np.random.default_rng([n, 5])
        shown = question_results(asking, draw(asking, truth, n, rng)).as_shown
        assert shown.sentence.endswith(".")
        assert "nan" not in shown.sentence
        assert "not_asked" not in [answer.choice.name for answer in shown.headline.answers]
        assert "Not asked" not in shown.sentence


# Cells with much power to find a wrong rule, from docs/evidence/headlines.md.
SOME_CELLS = [
    ("choice of 6", 1.0, "falling", 500),
    ("choice of 6, non-private", 0.0, "falling", 100),
    ("5 boxes, one table", 1.0, "falling", 200),
]


@pytest.mark.parametrize("cell", SOME_CELLS, ids=str)
def test_few_headlines_are_wrong_and_many_of_the_old_ones_were(cell):
    """200 surveys. The measured share of wrong headlines is at most 2 %.

    More than 13 of 200 are wrong in 1 of 10,000 runs if the share is 2.5 %. The old headline is
    wrong in more than 5 % (at least 11 %), so it fails the same limit.
    """
    shares = measured(cell, 200)
    assert shares.wrong <= 13 / 200
    assert shares.old_wrong > 13 / 200
    assert shares.old_wrong > LIMIT


def test_the_judge_of_headlines_finds_each_kind_of_error():
    truth = Truth(None, {"a": 0.4, "b": 0.4, "c": 0.2}, {})
    shown = found((0.5, 0.45, 0.6), (0.3, 0.1, 0.35), (0.2, 0.1, 0.3))
    named = [
        replace(answer, choice=replace(answer.choice, name=name))
        for answer, name in zip(shown.answers, "abc", strict=True)
    ]

    def judged(kind, *places, shares=truth.stated):
        return is_wrong(Headline(kind, "", tuple(named[place] for place in places)), shares)

    # A tie has no first answer, and its interval misses.
    assert judged(FIRST, 0)
    assert not judged(FIRST, 0, shares={"a": 0.5, "b": 0.3, "c": 0.2})
    assert judged(FIRST, 0, shares={"a": 0.42, "b": 0.3, "c": 0.28})
    assert judged(TOGETHER, 0, 2)
    assert not judged(TOGETHER, 0, 1)
    assert judged(EITHER, 2)
    assert judged(EITHER, 0, 2)
    assert not judged(EITHER, 0, 1)
    assert not judged(UNRANKED, 0, 1, 2)
    assert not judged(TOO_FEW_TO_SAY)
    assert headline_of(shown).kind == FIRST


def test_the_old_headline_names_the_largest_estimate():
    shown = found(*CASES["two may lead"][0])
    assert (old_headline(shown).kind, old_headline(shown).answers[0].value) == (FIRST, 0.4)
    mean = asked("number", {0: 500, 9: 500}, "none", min=0, max=9)
    assert old_headline(mean).kind == MEAN


def test_the_headline_of_an_arm_says_that_it_was_drawn():
    """Nobody answers it, so nobody would give an answer."""
    arm = question(
        {
            "name": "arm", "type": "select_one", "label": "Version", "privacy": "none",
            "choices": CHOICES[:2], "derived": {"random": {"a": 1, "b": 1}},
        }
    )  # fmt: skip
    headline = question_results(arm, {0: 40, 1: 1_060}).headline
    assert headline.kind == ARM
    assert headline.sentence == (
        "The respondents’ browsers drew an arm at random. “B” has the most respondents: 1,060 of "
        "1,100."
    )


CUT_OFF = {
    "name": "high", "type": "yes_no", "label": "High score", "privacy": {"epsilon": 2},
    "derived": {"any": {"item": ["yes"]}},
}  # fmt: skip


def test_the_headline_of_a_result_does_not_say_that_people_answer_it():
    item = question({"name": "item", "type": "yes_no", "label": "Item", "privacy": "not_sent"})
    derived = parse_question(CUT_OFF, "", "en", [item])
    sentence = question_results(derived, {0: 300, 1: 700}).sentence
    assert sentence.startswith("For an estimated ")
    assert "of people like these respondents, the result is “Yes” (95 % interval" in sentence
    banded = parse_question(
        CUT_OFF | {
            "type": "select_one", "choices": CHOICES[:2],
            "derived": {"count": {"item": ["yes"]}, "bands": {"a": 0, "b": 1}},
        }, "", "en", [item],
    )  # fmt: skip
    assert "have this result" in question_results(banded, {0: 300, 1: 700}).sentence
