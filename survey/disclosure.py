"""What a survey would tell too much of, seen before it opens: in all, by one answer, unprotected,
or again in each wave."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .definition import Survey
from .protection import odds_text, surest, times_text
from .questions import Question
from .sensitive import sensitive_words

PASSED, LOOK, STOPS = "passed", "look", "stops"
MOST_EPSILON = 5.0  # of one respondent, in all
MOST_ODDS = 20  # of one question: from even to 95 % sure


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes
    ----------
    verdict : PASSED, LOOK or STOPS
    sentence : what was found
    advice : what to do about it; empty where it passed
    details : the questions or texts that it is about, each with what was found
    """

    name: str
    verdict: str
    sentence: str
    advice: str = ""
    details: tuple[str, ...] = ()


def total(survey: Survey) -> Check:
    if not survey.private:
        return Check(
            "total",
            LOOK,
            "No question is protected; every answer is stored as given.",
            "Protect those that people would rather not answer.",
        )
    if math.isinf(survey.epsilon) or survey.epsilon > MOST_EPSILON:
        shown = "no finite number" if math.isinf(survey.epsilon) else f"ε = {survey.epsilon:.2f}"
        return Check(
            "total",
            LOOK,
            f"One respondent gives away much in all ({shown}; above {MOST_EPSILON:g} is much). At "
            f"worst someone becomes {odds_text(survey)} times surer of one set of answers over "
            "another.",
            "Protect questions more, ask fewer private ones, or let chance pick some of them for "
            "each respondent.",
        )
    return Check(
        "total",
        PASSED,
        f"All that one respondent sends tells ε = {survey.epsilon:.2f}; above {MOST_EPSILON:g} "
        "would be much.",
    )


def single(survey: Survey) -> Check:
    details = [
        f"“{question.label}”: {times_text(odds)} to 1, {surest(odds)} sure at worst"
        for question in survey.private
        if question.randomizer
        and (odds := question.randomizer.odds) is not None
        and odds > MOST_ODDS
    ]
    if not details:
        return Check("single", PASSED, "No single answer nearly tells.")
    return Check(
        "single",
        LOOK,
        f"One report nearly tells the answer (odds above {MOST_ODDS} to 1).",
        "Protect these questions more: a smaller epsilon.",
        tuple(details),
    )


def plainly_sensitive(survey: Survey) -> Check:
    details = [
        f"“{question.label}” ({', '.join(words)})"
        for question in survey.fields
        if question.plain and (words := sensitive_words(question))
    ]
    if not details:
        return Check("sensitive", PASSED, "No question that is stored as given sounds sensitive.")
    return Check(
        "sensitive",
        LOOK,
        "These are stored as given, and sound sensitive.",
        "Protect them, unless you are sure that nobody minds. (A short list of words decides this; "
        "it knows neither your survey nor your country.)",
        tuple(details),
    )


def same_waves(survey: Survey, earlier: Sequence[Survey]) -> Check:
    details = list(drawn_afresh(survey, earlier))
    if not earlier:
        return Check("waves", PASSED, "This is the first wave of its series.")
    if not details:
        return Check("waves", PASSED, "Its questions are drawn as in the earlier waves.")
    return Check(
        "waves",
        LOOK,
        "These questions were asked in an earlier wave and would be drawn afresh, so that the "
        "same person gives away more each time.",
        "Keep their column names and their protection.",
        tuple(details),
    )


def drawn_afresh(survey: Survey, earlier: Sequence[Survey]) -> Iterator[str]:
    asked = [question for wave in earlier for question in wave.private]
    for question in survey.private:
        named = [other for other in asked if other.name == question.name]
        if any(not same_table(question, other) for other in named):
            yield f"“{question.label}”: its protection or its answers are not those of before"
        elif not named:
            before = [o for o in asked if (o.label, o.type) == (question.label, question.type)]
            if before:
                yield f"“{question.label}”: called {question.name} now, {before[0].name} before"


def same_table(question: Question, other: Question) -> bool:
    if question.randomizer is None or other.randomizer is None:
        return False
    return question.randomizer.sha256 == other.randomizer.sha256
