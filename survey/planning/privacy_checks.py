"""Checklist items on privacy: where a survey would reveal too much.

They cover the total, single answers, non-private questions, and repeated waves.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from survey.core.translate import (
    join_sentences,
    later,
    researcher_words,
    translate,
    translate_list,
    translate_number,
    translate_plural,
)
from survey.definition.certainty import (
    HARDLY_PROTECTED,
    MAX_RATIO_BOUND_OF_A_GUESS,
    WEAKLY_PROTECTED,
    Certainty,
    certainty_of_one,
    epsilon_text,
    protection_of_survey,
    surest,
    survey_ratio_bound_text,
    times_text,
    total_is_weak,
    weak_total_text,
)
from survey.definition.privacy_limits import (
    DEFAULT_LIMITS,
    PrivacyLimits,
    limits_text,
    questions_revealed,
    total_above,
)
from survey.definition.questions import Question
from survey.definition.survey import Survey
from survey.planning.arms import draws
from survey.planning.sensitive import sensitive_words
from survey.planning.types import PLANNING

PASSED = "passed"
LOOK = "look"
STOPS = "stops"
# The field for the target sample size, below the checklist.
EXPECTED_RESPONDENTS = "expected"

# With a larger expected share of respondents who are alone, the checklist warns.
MAX_EXPECTED_ALONE = 0.05

STRONGER_PROTECTION_ADVICE = later(
    "Choose stronger protection, ask fewer private questions, or ask each respondent only some of "
    "them, chosen at random."
)
OPERATOR_ADVICE = later(
    "The operator of this server can set another limit, which respondents can see."
)


@dataclass(frozen=True, kw_only=True)
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
    help_page : the address of a help page with more about the advice, or empty
    """

    name: str
    verdict: str
    sentence: str
    why: str
    advice: str = ""
    details: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    help_page: str = ""


def failed_check(
    name: str,
    verdict: str,
    sentence: str,
    why: str,
    advice: str,
    found: Sequence[tuple[Question, str]],
) -> Check:
    """An item that some questions do not pass, with the result for each."""
    places = tuple(f"question:{question.name}" for question, _ in found)
    return Check(
        name=name,
        verdict=verdict,
        sentence=sentence,
        why=why,
        advice=advice,
        details=tuple(each for _, each in found),
        places=places,
    )


def check_total_loss(survey: Survey, limits: PrivacyLimits = DEFAULT_LIMITS) -> Check:
    why = translate(
        "Each report on a private question reveals a little about the person. The total privacy "
        "loss ε adds this up over all questions. A total above %(most)s is a weak guarantee.",
        most=weak_total_text(),
    )
    if not survey.protected:
        return Check(
            name="total",
            verdict=LOOK,
            sentence=no_private_sentence(survey),
            why=translate("Anyone who gets the data can read the answers of each respondent."),
            advice=translate("Protect the questions that people would rather not answer."),
            places=("questions",),
        )
    epsilon = translate_number(epsilon_text(survey.epsilon))
    if survey.ratio_bound is not None and total_above(survey, limits):
        return Check(
            name="total",
            verdict=STOPS,
            sentence=translate(
                "The total privacy loss of one respondent is ε = %(epsilon)s. The limit is ε = "
                "%(limit)s.",
                epsilon=epsilon,
                limit=translate_number(limits_text(limits)[1]),
            ),
            why=why,
            advice=join_sentences(
                translate(STRONGER_PROTECTION_ADVICE), translate(OPERATOR_ADVICE)
            ),
            places=("questions",),
        )
    if total_is_weak(survey):
        return Check(
            name="total",
            verdict=LOOK,
            sentence=join_sentences(high_loss_sentence(survey), heading_sentence(survey)),
            why=why,
            advice=translate(STRONGER_PROTECTION_ADVICE),
            places=("questions",),
        )
    return Check(
        name="total",
        verdict=PASSED,
        sentence=translate(
            "The total privacy loss of one respondent is ε = %(epsilon)s. Suppose that someone "
            "first considers two sets of answers equally likely. In the worst case, this "
            "person becomes %(sure)s sure of one of them.",
            epsilon=epsilon,
            sure=surest(survey.ratio_bound, researcher_words()),
        ),
        why=join_sentences(
            why, translate("In the worst case, each report is the most revealing one.")
        ),
    )


def no_private_sentence(survey: Survey) -> str:
    """The sentence on a survey that sends no report of a private question."""
    if survey.unsent:
        return translate("No question is private. Every answer that is sent is stored as given.")
    return translate("No question is private. Every answer is stored as given.")


def high_loss_sentence(survey: Survey) -> str:
    times = survey_ratio_bound_text(survey, researcher_words())
    if math.isinf(survey.epsilon):
        return translate(
            "The total privacy loss of one respondent is high (no finite number). In the worst "
            "case, one set of answers becomes %(times)s times more likely, compared with another.",
            times=times,
        )
    return translate(
        "The total privacy loss of one respondent is high (ε = %(epsilon)s). In the worst case, "
        "one set of answers becomes %(times)s times more likely, compared with another.",
        epsilon=translate_number(epsilon_text(survey.epsilon)),
        times=times,
    )


def heading_sentence(survey: Survey) -> str:
    """What respondents read in a survey that is protected weakly, or hardly."""
    hardly = protection_of_survey(survey) == "hardly"
    return translate(
        "Respondents read “%(heading)s” on the first page.",
        heading=translate(HARDLY_PROTECTED if hardly else WEAKLY_PROTECTED),
    )


def check_question_losses(survey: Survey, limits: PrivacyLimits = DEFAULT_LIMITS) -> Check:
    why = translate(
        "Without reports, a guess between two equally likely answers is right half of the time. "
        "If reports let someone become more than %(sure)s sure, randomisation hardly protects.",
        sure=surest(Fraction(MAX_RATIO_BOUND_OF_A_GUESS), researcher_words()),
    )
    most = min(Fraction(MAX_RATIO_BOUND_OF_A_GUESS), limits.ratio_bound)
    revealing = questions_with_bounds(survey, most)
    if not revealing:
        return Check(name="single", verdict=PASSED, sentence=no_revealing_sentence(survey), why=why)
    stops = any(ratio_bound > limits.ratio_bound for _, ratio_bound in revealing)
    sentence = translate("The reports nearly reveal the answers to these questions.")
    advice = translate("Choose stronger protection.")
    if stops:
        allowed = translate(
            "This server allows at most %(certainty)s certainty.",
            certainty=translate_number(limits_text(limits)[0]),
        )
        sentence = join_sentences(sentence, allowed)
        advice = join_sentences(advice, translate(OPERATOR_ADVICE))
    return failed_check(
        "single",
        STOPS if stops else LOOK,
        sentence,
        why,
        advice,
        [(question, revealing_text(survey, question, bound)) for question, bound in revealing],
    )


def questions_with_bounds(survey: Survey, most: Fraction) -> list[tuple[Question, Fraction]]:
    """The questions about whose answer all reports have a finite bound above `most`."""
    bounds = ((each, survey.ratio_bound_about(each)) for each in questions_revealed(survey, most))
    return [(each, ratio_bound) for each, ratio_bound in bounds if ratio_bound is not None]


def no_revealing_sentence(survey: Survey) -> str:
    if not survey.protected:
        return translate("There is no private question.")
    if survey.largest_ratio_bound is None:
        return translate("No report with a finite ε nearly reveals an answer.")
    sentence = translate(
        "Suppose that someone first considers two answers equally likely. The reports make "
        "this person at most %(sure)s sure of one answer.",
        sure=surest(survey.largest_ratio_bound, researcher_words()),
    )
    if certainty_of_one(survey) == Certainty.LOW:
        return sentence
    return join_sentences(sentence, heading_sentence(survey))


def revealing_text(survey: Survey, question: Question, ratio_bound: Fraction) -> str:
    text = translate(
        "“%(question)s”: someone could become %(sure)s sure of one answer (at most %(times)s "
        "times more likely than another)",
        question=question.label,
        sure=surest(ratio_bound, researcher_words()),
        times=times_text(ratio_bound, researcher_words()),
    )
    reports = survey.reports_about(question)
    if len(reports) < 2:
        return text
    together = translate_list([f"“{report.label}”" for report in reports])
    return translate(
        "%(text)s, from these results together: %(reports)s", text=text, reports=together
    )


def check_sensitive_questions(survey: Survey) -> Check:
    why = translate(
        "Anyone who sees the data can read answers that are stored as given. Candor uses a "
        "short list of words to find sensitive questions. The list may miss the sensitive "
        "subjects of your country."
    )
    sensitive_questions = [
        (question, f"“{question.label}” ({', '.join(words)})")
        for question in survey.sent
        if question.non_private and not question.protected and (words := sensitive_words(question))
    ]
    if not sensitive_questions:
        sentence = translate("No non-private question sounds sensitive.")
        return Check(name="sensitive", verdict=PASSED, sentence=sentence, why=why)
    return failed_check(
        "sensitive",
        LOOK,
        translate("These questions sound sensitive, and their answers are stored as given."),
        why,
        translate("Protect these questions, unless you are sure that nobody minds."),
        sensitive_questions,
    )


def check_unsent_questions(survey: Survey) -> Iterator[Check]:
    """Whether a derived answer uses each answer that is not sent."""
    if not survey.unsent:
        return
    why = translate(
        "An answer that is not sent stays on the respondent’s device. It is useful only if a "
        "derived answer is calculated from it, or if a condition depends on it."
    )
    conditions = {name for question in survey.questions for name in question.relevant or {}}
    unused = [
        question
        for question in survey.unsent
        if not survey.derived_from(question) and question.name not in conditions
    ]
    if not unused:
        sentence = translate("A derived answer uses each answer that is not sent.")
        yield Check(name="unsent", verdict=PASSED, sentence=sentence, why=why)
        return
    yield failed_check(
        "unsent",
        LOOK,
        translate("No derived answer uses the answers to these questions, which are not sent."),
        why,
        translate("Add a derived answer that uses them, protect them instead, or delete them."),
        [(question, question.label) for question in unused],
    )


def identifying_questions(survey: Survey) -> tuple[Question, ...]:
    """The non-private questions with listed answers or numbers, which can identify a respondent.

    Texts are not among them: a text can identify its writer on its own.
    """
    return tuple(question for question in survey.listed_fields if question.non_private)


@dataclass(frozen=True)
class ArmCombinations:
    """The combinations of non-private answers of the respondents in the same experimental arms.

    `share` is the share of these respondents. Without arms, it is 1.
    """

    share: Fraction
    combinations: int

    def share_with_own_answers(self, n: int) -> float:
        """The probability that none of the n - 1 others has the combination of a respondent.

        Another respondent has it with the probability share / combinations.
        """
        return float((1 - float(self.share) / self.combinations) ** (n - 1))


def combinations_in_arms(
    questions: Sequence[Question], survey: Survey
) -> tuple[ArmCombinations, ...]:
    """The numbers of combinations of answers, for each combination of experimental arms.

    A question that is not asked in an arm has one answer there. If arms alone decide who is asked,
    nobody in the other arms has the answer "not asked".
    """
    asking = {question.name: survey.arms_asking(question) for question in questions}

    def answers_in(question: Question, drawn: Mapping[str, str]) -> int:
        arms = asking[question.name]
        absent = any(drawn[name] not in arms[name] for name in arms.keys() & drawn.keys())
        if question.name in drawn or absent:
            return 1
        decided = bool(question.relevant) and drawn.keys() >= (question.relevant or {}).keys()
        certain = decided and not question.may_be_empty
        return PLANNING[question].number_of_answers() - (certain and question.may_be_unasked)

    return tuple(
        ArmCombinations(share, math.prod(answers_in(each, drawn) for each in questions))
        for share, drawn in draws(survey)
    )


def check_alone(survey: Survey, expected: int | None) -> Iterator[Check]:
    """How many respondents to expect whose non-private answers nobody else gives.

    Nothing can be said without a sample size. If all m combinations are equally common, a
    respondent is alone with probability (1 - 1/m)^(n - 1). The experimental arm is stored, so it
    distinguishes respondents too. In an arm with the share s, the probability is (1 - s/m)^(n - 1).
    """
    questions = identifying_questions(survey)
    if expected is None or not questions:
        return
    why = translate(
        "Someone who knows a few answers of a person, such as age and region, can find this "
        "person in the data if nobody else gave the same answers. The person’s other "
        "non-private answers are then known, too."
    )
    each_arm = combinations_in_arms(questions, survey)
    combinations = sum(arm.combinations for arm in each_arm)
    alone = math.fsum(float(arm.share) * arm.share_with_own_answers(expected) for arm in each_arm)
    estimate = alone_sentences(combinations, alone, expected, in_arms=len(each_arm) > 1)
    if alone < MAX_EXPECTED_ALONE:
        yield Check(name="alone", verdict=PASSED, sentence=estimate, why=why)
        return
    most = sorted(questions, key=lambda each: PLANNING[each].number_of_answers(), reverse=True)
    yield failed_check(
        "alone",
        LOOK,
        estimate,
        why,
        translate(
            "Ask for ranges instead of exact numbers, offer fewer answers, or leave out questions "
            "that you do not need."
        ),
        [(each, answers_text(each)) for each in most],
    )


def alone_sentences(combinations: int, alone: float, expected: int, *, in_arms: bool) -> str:
    """The number of combinations, and how many respondents are alone with theirs.

    `in_arms` says whether there are experimental arms.
    """
    counted = {"count": count_text(combinations)}
    respondents = translate_plural("%(n)s respondent", "%(n)s respondents", expected)
    found = {"respondents": respondents, "share": math.floor(100 * alone)}
    if in_arms:
        combined = translate(
            "Together with the experimental arm, the answers to the non-private questions have up "
            "to %(count)s combinations.",
            **counted,
        )
        few = later(
            "If all combinations in an arm are equally common, less than 1 %% of %(respondents)s "
            "have a combination that nobody else has."
        )
        some = later(
            "If all combinations in an arm are equally common, about %(share)s %% of "
            "%(respondents)s have a combination that nobody else has."
        )
    else:
        combined = translate_plural(
            "The answers to the non-private questions have up to %(count)s combination.",
            "The answers to the non-private questions have up to %(count)s combinations.",
            combinations,
            **counted,
        )
        few = later(
            "If all combinations are equally common, less than 1 %% of %(respondents)s have a "
            "combination that nobody else has."
        )
        some = later(
            "If all combinations are equally common, about %(share)s %% of %(respondents)s have a "
            "combination that nobody else has."
        )
    return join_sentences(combined, translate(few if alone < 0.01 else some, **found))


def answers_text(question: Question) -> str:
    return translate_plural(
        "“%(question)s”: %(n)s answer",
        "“%(question)s”: %(n)s answers",
        PLANNING[question].number_of_answers(),
        question=question.label,
    )


def count_text(count: int) -> str:
    """A count in words. Counts of more than nine digits are rounded down to a power of ten."""
    return translate_number(f"{count:,}") if count < 10**9 else f"10^{len(str(count)) - 1}"


def check_waves(survey: Survey, earlier: Sequence[Survey]) -> Check:
    why = translate(
        "In a series, if the respondent agrees, the device sends the same report for an "
        "unchanged answer in every wave, which reveals nothing more. This works only if the "
        "question and its protection do not change."
    )
    changed_questions = list(drawn_afresh(survey, earlier))
    if not earlier:
        sentence = translate("This is the first wave of its series.")
        return Check(name="waves", verdict=PASSED, sentence=sentence, why=why)
    if not changed_questions:
        sentence = translate("The questions have the same protection as in earlier waves.")
        return Check(name="waves", verdict=PASSED, sentence=sentence, why=why)
    return failed_check(
        "waves",
        LOOK,
        translate(
            "An earlier wave asked these questions. Their answers would be randomised again, so "
            "the privacy loss of the same person would grow with each wave."
        ),
        why,
        translate("Keep their column names and their protection."),
        changed_questions,
    )


def drawn_afresh(survey: Survey, earlier: Sequence[Survey]) -> Iterator[tuple[Question, str]]:
    asked = [question for wave in earlier for question in wave.private]
    for question in survey.private:
        named = [other for other in asked if other.name == question.name]
        if any(not same_table(question, other) for other in named):
            yield (
                question,
                translate(
                    "“%(question)s”: its protection or its answers have changed",
                    question=question.label,
                ),
            )
        elif not named:
            before = [o for o in asked if (o.label, o.type) == (question.label, question.type)]
            if before:
                yield (
                    question,
                    translate(
                        "“%(question)s”: renamed from %(before)s to %(after)s",
                        question=question.label,
                        before=before[0].name,
                        after=question.name,
                    ),
                )


def same_table(question: Question, other: Question) -> bool:
    if question.randomizer is None or other.randomizer is None:
        return False
    return question.randomizer.sha256 == other.randomizer.sha256
