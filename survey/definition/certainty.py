"""Words and numbers for the privacy loss ε, and for how sure anyone can become of an answer."""

import math
from fractions import Fraction

from survey.core.languages import ENGLISH, Words
from survey.definition.survey import Survey

NEARLY_SURE_PERCENT = Fraction(999, 10)
# Larger likelihood ratios are written as a power of ten.
MANY = 1_000_000
# With a likelihood ratio of 4 or 19, someone who thought two answers equally likely becomes 80 % or
# 95 % sure.
MAX_ODDS_UNTOLD, MAX_ODDS_OF_A_GUESS = 4, 19
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def times_text(odds: Fraction, words: Words = ENGLISH) -> str:
    """A likelihood ratio bound as a number of times, rounded up because it is a bound."""
    if odds < 100:
        return words.number(round_up(odds, 0 if odds.denominator == 1 else 1))
    if odds < MANY:
        return words.number(round_up(odds, 0), grouped=True)
    # Sixteen digits are not readable.
    power = len(str(odds.numerator // odds.denominator)) - 1
    mantissa = round_up(odds / 10**power, 1)
    if mantissa == 10:
        mantissa, power = Fraction(1), power + 1
    return f"{words.number(mantissa)} × 10{str(power).translate(RAISED)}"


def round_up(value: Fraction, places: int) -> Fraction:
    """The smallest decimal with this many places that is not below the value."""
    return Fraction(math.ceil(value * 10**places), 10**places)


def survey_odds_text(survey: Survey, words: Words = ENGLISH) -> str:
    """The survey's likelihood ratio bound e^ε as text, or ∞: the worst case over all answers."""
    return "∞" if survey.odds is None else times_text(survey.odds, words)


def surest(odds: Fraction | None, words: Words = ENGLISH) -> str:
    """The certainty in percent that someone can reach at worst, from two equally likely answers.

    It is a bound, so it is rounded up. Only complete certainty is shown as 100 %. `odds` is the
    likelihood ratio bound, or None if it is infinite.
    """
    if odds is None:
        return words.percent(100)
    share = 100 * odds / (1 + odds)
    if share > NEARLY_SURE_PERCENT:
        return words.say("more than %(share)s", share=words.percent(NEARLY_SURE_PERCENT))
    return words.percent(round_up(share, 1 if share > 99 else 0))


def nobody_can_tell(survey: Survey) -> bool:
    """Whether pages may state that nobody can tell what a respondent answered.

    This holds if nobody can become more than 80 % sure about all private answers together. It never
    holds in a series: the reports of several waves reveal more than those of one, and the number of
    waves is unknown.
    """
    odds = survey.odds
    return survey.fieldwork.series is None and odds is not None and odds <= MAX_ODDS_UNTOLD


def nearly_told(survey: Survey) -> bool:
    """Whether the report to one question almost reveals the answer: certainty above 95 %."""
    return survey.largest_odds is None or survey.largest_odds > MAX_ODDS_OF_A_GUESS


def epsilon_text(epsilon: float) -> str:
    """A privacy loss ε as text, rounded up because it is a bound.

    It has two decimals, or two significant digits below 0.1.
    """
    if math.isinf(epsilon):
        return "no finite ε"
    small = 0 < epsilon < 0.1
    places = 1 - math.floor(math.log10(epsilon)) if small else 2
    # Floating-point error is not rounded up.
    return f"{math.ceil(epsilon * 10**places - 1e-6) / 10**places:.{places}f}"


def survey_loss_text(survey: Survey) -> str:
    """The privacy loss of one respondent.

    A survey without private questions says so instead of 0.
    """
    plain = sum(question.plain for question in survey.asked)
    return loss_text_of(survey.epsilon, plain, len(survey.asked))


def loss_text_of(epsilon: float | None, plain: int, fields: int) -> str:
    """The text of a privacy loss where `plain` of the `fields` are non-private.

    `epsilon` is None if it is not stored (`ListedSurvey`).
    """
    if plain == fields:
        return "not protected"
    if epsilon is None:
        return "unknown until the draft is saved again"
    return epsilon_text(epsilon) + (f" + {plain} non-private" if plain else "")
