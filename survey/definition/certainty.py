"""Words and numbers for the privacy loss ε, and for how sure anyone can become of an answer."""

import math
from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction

from survey.core.languages import ENGLISH, Words
from survey.core.translate import translate, translate_number, translate_plural
from survey.definition.questions import Question
from survey.definition.survey import Survey

NEARLY_SURE_PERCENT = Fraction(999, 10)
# Larger likelihood ratios are written as a power of ten.
MANY = 1_000_000
# With a likelihood ratio of 4 or 19, someone who thought two answers equally likely becomes 80 % or
# 95 % sure.
MAX_RATIO_BOUND_OF_LOW = 4
MAX_RATIO_BOUND_OF_A_GUESS = 19
# The heading of a survey in which someone can become almost sure of one answer.
HARDLY_PROTECTED = "Hardly protected"
WEAKLY_PROTECTED = "Weakly protected"
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def times_text(ratio_bound: Fraction, words: Words = ENGLISH) -> str:
    """A likelihood ratio bound as a number of times, rounded up because it is a bound."""
    if ratio_bound < 100:
        return words.number(round_up(ratio_bound, 0 if ratio_bound.denominator == 1 else 1))
    if ratio_bound < MANY:
        return words.number(round_up(ratio_bound, 0), grouped=True)
    # Sixteen digits are not readable.
    power = len(str(ratio_bound.numerator // ratio_bound.denominator)) - 1
    mantissa = round_up(ratio_bound / 10**power, 1)
    if mantissa == 10:
        mantissa, power = Fraction(1), power + 1
    return f"{words.number(mantissa)} × 10{str(power).translate(RAISED)}"


def round_up(value: Fraction, places: int) -> Fraction:
    """The smallest decimal with this many places that is not below the value."""
    return Fraction(math.ceil(value * 10**places), 10**places)


def survey_ratio_bound_text(survey: Survey, words: Words = ENGLISH) -> str:
    """The survey's likelihood ratio bound e^ε as text, or ∞: the worst case over all answers."""
    return "∞" if survey.ratio_bound is None else times_text(survey.ratio_bound, words)


def certainty_percent(ratio_bound: Fraction | None) -> Fraction | None:
    """The certainty that someone can reach at worst, in percent, rounded up because it is a bound.

    None if it is above 99.9 and below 100. The likelihood ratio bound is None if it is infinite.
    """
    if ratio_bound is None:
        return Fraction(100)
    percent = 100 * ratio_bound / (1 + ratio_bound)
    if percent > NEARLY_SURE_PERCENT:
        return None
    return round_up(percent, 1 if percent > 99 else 0)


def is_almost_certain(ratio_bound: Fraction | None) -> bool:
    """Whether someone can become more than 99.9 % sure of one of two equally likely answers."""
    return ratio_bound is None or certainty_percent(ratio_bound) is None


def surest(ratio_bound: Fraction | None, words: Words = ENGLISH) -> str:
    """The certainty that someone can reach at worst, from two equally likely answers.

    Only complete certainty is shown as 100 %.
    """
    percent = certainty_percent(ratio_bound)
    if percent is None:
        return words.say("more than %(share)s", share=words.percent(NEARLY_SURE_PERCENT))
    return words.percent(percent)


class Certainty(IntEnum):
    """How sure someone can become at worst who thought two answers equally likely."""

    LOW = 0
    GUESS = 1
    NEARLY_SURE = 2


def certainty_from(ratio_bound: Fraction | None) -> Certainty:
    """The level of a likelihood ratio bound: up to 80 %, up to 95 %, or above."""
    if ratio_bound is None or ratio_bound > MAX_RATIO_BOUND_OF_A_GUESS:
        return Certainty.NEARLY_SURE
    return Certainty.LOW if ratio_bound <= MAX_RATIO_BOUND_OF_LOW else Certainty.GUESS


def certainty_of_answer(question: Question, survey: Survey) -> Certainty:
    """How sure someone can become of one answer from all reports that depend on it."""
    return certainty_from(survey.ratio_bound_about(question))


def certainty_of_one(survey: Survey) -> Certainty:
    """How sure someone can become of one protected answer."""
    return certainty_from(survey.largest_ratio_bound)


def certainty_of_all(survey: Survey) -> Certainty:
    """How sure someone can become of one set of protected answers, compared with another."""
    return certainty_from(survey.ratio_bound)


def total_is_weak(survey: Survey) -> bool:
    """Whether someone can become more than 95 % sure of all private answers together.

    Respondents and researchers then read that the protection is weak.
    """
    return certainty_of_all(survey) == Certainty.NEARLY_SURE


def weak_total_text() -> str:
    """The total privacy loss ε above which a total is weak, rounded up."""
    return translate_number(epsilon_text(math.log(MAX_RATIO_BOUND_OF_A_GUESS)))


def nobody_can_tell(survey: Survey) -> bool:
    """Whether pages may state that nobody can tell what a respondent answered.

    This holds if nobody can become more than 80 % sure about all private answers together. It never
    holds in a series: the reports of several waves reveal more than those of one, and the number of
    waves is unknown.
    """
    return survey.fieldwork.series is None and certainty_of_all(survey) == Certainty.LOW


def protection_of_survey(survey: Survey) -> str:
    """The protection that the heading of the first page names.

    It is that of the question protected least. If someone can become almost sure of all answers
    together, it is "weak", even if no single report says much.
    """
    if not survey.protected:
        return "none"
    one = certainty_of_one(survey)
    if one == Certainty.NEARLY_SURE:
        return "hardly"
    if one == Certainty.GUESS or total_is_weak(survey):
        return "weak"
    return "partial" if survey.unprotected else "full"


def hits_of_hundred(ratio_bound: Fraction | None, words: Words = ENGLISH) -> str:
    """How often of 100 times a guess is right at worst, such as "at most 75"."""
    percent = certainty_percent(ratio_bound)
    if percent is None:
        return words.say("more than %(share)s", share=words.number(NEARLY_SURE_PERCENT))
    return words.say("at most %(number)s", number=words.number(percent))


def several_reports(survey: Survey) -> bool:
    """Whether some respondent sends more than one answer with a bound."""
    sample = survey.budget.sample
    if sample is None:
        return survey.most_asked(survey.protected) > 1
    return sample + len(survey.protected) - len(survey.private) > 1


def sentence_on_guesses(
    survey: Survey, words: Words = ENGLISH, shown: Callable[..., str] = hits_of_hundred
) -> str:
    """What the first page says: how often a guess between two answers is right at worst.

    Someone who knows nothing guesses right 50 times, however many answers the question has. The
    numbers are about the question protected least, and about all protected questions together.

    Parameters
    ----------
    shown : the text of a likelihood ratio bound in a language
    """
    one, together = (
        shown(each, words) for each in (survey.largest_ratio_bound, survey.ratio_bound)
    )
    hidden = len(survey.protected) > len(survey.private)
    if not several_reports(survey):
        if hidden:
            return words.say(
                "Of 100 guesses between two answers, 50 are right if blind, and %(times)s with "
                "your hidden answer.",
                times=one,
            )
        return words.say(
            "Of 100 guesses between two answers, 50 are right if blind, and %(times)s with your "
            "mixed-up answer.",
            times=one,
        )
    if hidden:
        return words.say(
            "Of 100 guesses between two answers, 50 are right if blind, %(one)s with one hidden "
            "answer, and %(all)s with all.",
            one=one,
            all=together,
        )
    return words.say(
        "Of 100 guesses between two answers, 50 are right if blind, %(one)s with one mixed-up "
        "answer, and %(all)s with all.",
        one=one,
        all=together,
    )


def sentence_on_mixing(survey: Survey, words: Words = ENGLISH) -> str:
    """Which answers the device mixes up, as the first page says it.

    Experimental arms can decide how many answers are mixed up, or sent as given.
    """
    given, sample = survey.unprotected, survey.budget.sample
    if len(survey.protected) > len(survey.private):
        return sentence_on_hiding(survey, words)
    if not given and survey.unsent:
        return words.say("Your device mixes up what it sends about your answers.")
    if not given:
        return words.say("Your device mixes up each answer before sending.")
    mixed = sample or survey.number_asked(survey.randomised)
    count = survey.number_asked(given)
    # A sample is one of results, not of the answers behind them.
    counted = not survey.unsent and not (sample and survey.derived)
    if mixed is not None and count is not None and counted:
        return words.say(
            "Your device mixes up %(count)s of %(all)s answers before sending.",
            count=mixed,
            all=mixed + count,
        )
    if count is not None:
        return words.say("Your device mixes up all your answers but %(count)s.", count=count)
    if mixed is None:
        return words.say("Your device mixes up answers, but by chance not everyone’s.")
    return words.say("Your device mixes up some answers, and sends others as you give them.")


def sentence_on_hiding(survey: Survey, words: Words) -> str:
    """The same for a survey with crosswise questions, whose answers are not mixed up."""
    if survey.private and survey.unprotected:
        return words.say("Your device or a second statement hides some answers, but not all.")
    if survey.private:
        return words.say("Your device or a second statement hides each answer.")
    if survey.unprotected:
        return words.say("A second statement hides some answers, but not all.")
    return words.say("A second statement hides each answer.")


def epsilon_text(epsilon: float) -> str:
    """A privacy loss ε as text, rounded up because it is a bound.

    It has two decimals, or two significant digits below 0.1.
    """
    if math.isinf(epsilon):
        return translate("no finite ε")
    small = 0 < epsilon < 0.1
    places = 1 - math.floor(math.log10(epsilon)) if small else 2
    # Floating-point error is not rounded up.
    return f"{math.ceil(epsilon * 10**places - 1e-6) / 10**places:.{places}f}"


def survey_loss_text(survey: Survey) -> str:
    """The privacy loss of one respondent.

    A survey without private questions says so instead of 0.
    """
    non_private = len(survey.unprotected)
    return loss_text_of(survey.epsilon, non_private, non_private + len(survey.protected))


def named_loss(survey: Survey) -> str:
    """The same for the terminal, such as "epsilon 2.49", or "not protected"."""
    non_private = len(survey.unprotected)
    return named_loss_of(survey.epsilon, non_private, non_private + len(survey.protected))


def named_loss_of(epsilon: float, non_private: int, fields: int) -> str:
    """The text of `loss_text_of` for the terminal."""
    text = loss_text_of(epsilon, non_private, fields)
    return text if non_private == fields else f"epsilon {text}"


def loss_text_of(epsilon: float, non_private: int, fields: int) -> str:
    """The text of a privacy loss where `non_private` of the `fields` are non-private."""
    if non_private == fields:
        return translate("not protected")
    text = translate_number(epsilon_text(epsilon))
    if not non_private:
        return text
    return translate_plural(
        "%(epsilon)s + %(n)s non-private question",
        "%(epsilon)s + %(n)s non-private questions",
        non_private,
        epsilon=text,
    )
