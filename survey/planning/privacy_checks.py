"""Checklist items on privacy: where a survey would reveal too much.

They cover the total, single answers, non-private questions, and repeated waves.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from survey.definition.certainty import epsilon_text, surest, survey_odds_text, times_text
from survey.definition.privacy_limits import DEFAULT_LIMITS, PrivacyLimits, limits_text, total_above
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.planning.sensitive import sensitive_words

PASSED, LOOK, STOPS = "passed", "look", "stops"
# The field for the target sample size, below the checklist.
EXPECTED_RESPONDENTS = "expected"
# The advised maximum for the total of one respondent.
MAX_ADVISED_EPSILON = 5.0
# The advised maximum for one question: from two equally likely answers to 95 % certainty.
MAX_ADVISED_ODDS = 19

STRONGER_PROTECTION_ADVICE = (
    "Protect questions more, ask fewer private ones, or let chance pick some of them for each "
    "respondent."
)
OPERATOR_ADVICE = "The operator of this server can set another limit, which respondents can see."


@dataclass(frozen=True)
class Check:
    """One item of the checklist.

    Attributes
    ----------
    verdict : PASSED, LOOK or STOPS
    sentence : the result
    why : why it matters, for readers who do not know differential privacy
    advice : how to fix it; empty if it passed
    details : the questions or texts concerned, each with the result
    places : where to fix it, one for each detail, or a single one without details: a field of the
        builder's form, "question:NAME", "translation:LANGUAGE", or EXPECTED_RESPONDENTS
    """

    name: str
    verdict: str
    sentence: str
    why: str
    advice: str = ""
    details: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


def failed_check(
    name: str, verdict: str, sentence: str, why: str, advice: str,
    found: Sequence[tuple[Question, str]],
) -> Check:  # fmt: skip
    """An item that some questions do not pass, with the result for each."""
    places = tuple(f"question:{question.name}" for question, _ in found)
    return Check(name, verdict, sentence, why, advice, tuple(each for _, each in found), places)


def check_total_loss(survey: Survey, limits: PrivacyLimits = DEFAULT_LIMITS) -> Check:
    why = (
        "What is sent for each protected question tells a little about the person. ε adds that "
        f"up over all questions; above {MAX_ADVISED_EPSILON:g} is much."
    )
    if not survey.private:
        return Check(
            "total",
            LOOK,
            "No question is protected; every answer is stored as given.",
            "Then whoever gets hold of the data reads what each respondent answered.",
            "Protect those that people would rather not answer.",
            places=("questions",),
        )
    if survey.odds is not None and total_above(survey, limits):
        return Check(
            "total",
            STOPS,
            f"All that one respondent sends has ε = {epsilon_text(survey.epsilon)}; the limit is "
            f"ε = {limits_text(limits)[1]}.",
            why,
            f"{STRONGER_PROTECTION_ADVICE} {OPERATOR_ADVICE}",
            places=("questions",),
        )
    if math.isinf(survey.epsilon) or survey.epsilon > MAX_ADVISED_EPSILON:
        infinite = math.isinf(survey.epsilon)
        loss_statement = "no finite number" if infinite else f"ε = {epsilon_text(survey.epsilon)}"
        return Check(
            "total",
            LOOK,
            f"All that one respondent sends tells much about that person ({loss_statement}): at "
            "worst "
            f"someone becomes {survey_odds_text(survey)} times surer of one set of answers over "
            "another.",
            why,
            STRONGER_PROTECTION_ADVICE,
            places=("questions",),
        )
    return Check(
        "total",
        PASSED,
        f"All that one respondent sends adds up to ε = {epsilon_text(survey.epsilon)}; at worst "
        f"someone becomes {surest(survey.odds)} sure of one set of answers against another.",
        f"{why} At worst means that each report is the one that tells most.",
    )


def check_question_losses(survey: Survey, limits: PrivacyLimits = DEFAULT_LIMITS) -> Check:
    why = (
        "Whoever sees what was sent may guess the answer. Being right half of the time is mere "
        f"luck between two answers; above {surest(Fraction(MAX_ADVISED_ODDS))}, mixing up hardly "
        "protects."
    )
    revealing = [
        (question, odds)
        for question in survey.private
        if question.randomizer
        and (odds := question.randomizer.odds) is not None
        and odds > min(Fraction(MAX_ADVISED_ODDS), limits.odds)
    ]
    if not revealing:
        if not survey.private:
            return Check("single", PASSED, "There is no protected question.", why)
        sure = f" beyond {surest(survey.largest_odds)}" if survey.largest_odds else ""
        return Check("single", PASSED, f"Nobody can be sure of a protected answer{sure}.", why)
    stops = any(odds > limits.odds for _, odds in revealing)
    certainty = limits_text(limits)[0]
    return failed_check(
        "single",
        STOPS if stops else LOOK,
        "What is sent for these questions nearly tells the answer."
        + (f" Nobody may become more than {certainty} sure of one." if stops else ""),
        why,
        f"Protect these questions more.{' ' + OPERATOR_ADVICE if stops else ''}",
        [
            (question, f"“{question.label}”: someone could become {surest(odds)} sure of the "
             f"answer, {times_text(odds)} to 1")
            for question, odds in revealing
        ],
    )  # fmt: skip


def check_sensitive_questions(survey: Survey) -> Check:
    why = (
        "Answers that are stored as given can be read by whoever sees the data. A short list of "
        "words decides what sounds sensitive; it knows neither your survey nor your country."
    )
    sensitive_questions = [
        (question, f"“{question.label}” ({', '.join(words)})")
        for question in survey.fields
        if question.plain and (words := sensitive_words(question))
    ]
    if not sensitive_questions:
        return Check(
            "sensitive", PASSED, "No question that is stored as given sounds sensitive.", why
        )
    return failed_check(
        "sensitive",
        LOOK,
        "These questions sound sensitive, and are stored as given.",
        why,
        "Protect them, unless you are sure that nobody minds.",
        sensitive_questions,
    )


def check_waves(survey: Survey, earlier: Sequence[Survey]) -> Check:
    why = (
        "A device that is remembered sends the same for the same answer in each wave, so that "
        "asking again tells nothing more. That works only where a question stays as it was."
    )
    changed_questions = list(drawn_afresh(survey, earlier))
    if not earlier:
        return Check("waves", PASSED, "This is the first wave of its series.", why)
    if not changed_questions:
        return Check("waves", PASSED, "Its questions are protected as in the earlier waves.", why)
    return failed_check(
        "waves",
        LOOK,
        "These questions were asked in an earlier wave and would be mixed up afresh, so that the "
        "same person gives away more each time.",
        why,
        "Keep their column names and their protection.",
        changed_questions,
    )


def drawn_afresh(survey: Survey, earlier: Sequence[Survey]) -> Iterator[tuple[Question, str]]:
    asked = [question for wave in earlier for question in wave.private]
    for question in survey.private:
        named = [other for other in asked if other.name == question.name]
        prefix = f"“{question.label}”:"
        if any(not same_table(question, other) for other in named):
            yield question, f"{prefix} its protection or its answers are not those of before"
        elif not named:
            before = [o for o in asked if (o.label, o.type) == (question.label, question.type)]
            if before:
                yield question, f"{prefix} called {question.name} now, {before[0].name} before"


def same_table(question: Question, other: Question) -> bool:
    if question.randomizer is None or other.randomizer is None:
        return False
    return question.randomizer.sha256 == other.randomizer.sha256
