"""How sure anyone could become of an answer, and the privacy loss ε, as numbers in words."""

import math
from fractions import Fraction

from survey.core.languages import ENGLISH, Words
from survey.definition.survey import Survey

NEARLY_SURE_PERCENT = Fraction(999, 10)
MANY = 1_000_000  # beyond, odds are written as a power of ten
# odds from which someone who thought two answers equally likely is 80 % and 95 % sure
MAX_ODDS_UNTOLD, MAX_ODDS_OF_A_GUESS = 4, 19
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def times_text(odds: Fraction, words: Words = ENGLISH) -> str:
    """Odds as a number of times. They are a bound, so they are rounded up."""
    if odds < 100:
        return words.number(round_up(odds, 0 if odds.denominator == 1 else 1))
    if odds < MANY:
        return words.number(round_up(odds, 0), grouped=True)
    # nobody reads sixteen digits
    power = len(str(odds.numerator // odds.denominator)) - 1
    mantissa = round_up(odds / 10**power, 1)
    if mantissa == 10:
        mantissa, power = Fraction(1), power + 1
    return f"{words.number(mantissa)} × 10{str(power).translate(RAISED)}"


def round_up(value: Fraction, places: int) -> Fraction:
    """The smallest decimal with this many places that is not below the value."""
    return Fraction(math.ceil(value * 10**places), 10**places)


def survey_odds_text(survey: Survey, words: Words = ENGLISH) -> str:
    """How many times surer anyone can become about one set of answers over another, at worst."""
    return "∞" if survey.odds is None else times_text(survey.odds, words)


def surest(odds: Fraction | None, words: Words = ENGLISH) -> str:
    """How sure, in percent, someone can become at worst who thought two answers equally likely.

    It is a bound, so it is rounded up; 100 % is said of certainty alone.
    """
    if odds is None:
        return words.percent(100)
    share = 100 * odds / (1 + odds)
    if share > NEARLY_SURE_PERCENT:
        return words.say("more than %(share)s", share=words.percent(NEARLY_SURE_PERCENT))
    return words.percent(round_up(share, 1 if share > 99 else 0))


def nobody_can_tell(survey: Survey) -> bool:
    """Whether respondents may read that nobody can tell what they answered.

    That is so where nobody can become more than 80 % sure about all private answers together. In
    a series it is never so: reports of several waves tell more than those of one, and how many
    waves there will be is not known.
    """
    odds = survey.odds
    return survey.fieldwork.series is None and odds is not None and odds <= MAX_ODDS_UNTOLD


def nearly_told(survey: Survey) -> bool:
    """Whether what is sent for one of the questions nearly tells the answer: above 95 %."""
    return survey.largest_odds is None or survey.largest_odds > MAX_ODDS_OF_A_GUESS


def epsilon_text(epsilon: float) -> str:
    """A loss as text. It is a bound, so it is rounded up: to two decimals, below 0.1 to two
    digits."""
    if math.isinf(epsilon):
        return "no finite ε"
    small = 0 < epsilon < 0.1
    places = 1 - math.floor(math.log10(epsilon)) if small else 2
    # what a float is off by is not rounded up
    return f"{math.ceil(epsilon * 10**places - 1e-6) / 10**places:.{places}f}"


def survey_loss_text(survey: Survey) -> str:
    """The loss of one respondent; a survey that protects nothing says so instead of 0."""
    plain = sum(question.plain for question in survey.fields)
    return loss_text_of(survey.epsilon, plain, len(survey.fields))


def loss_text_of(epsilon: float | None, plain: int, fields: int) -> str:
    """The same where `plain` of the `fields` are not protected; epsilon is None where it was not
    stored (`ListedSurvey`)."""
    if plain == fields:
        return "not protected"
    if epsilon is None:
        return "unknown until the draft is saved again"
    return epsilon_text(epsilon) + (f" + {plain} non-private" if plain else "")
