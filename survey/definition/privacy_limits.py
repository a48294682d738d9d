"""Limits on what a survey may reveal about one respondent: for one question, and in total.

The argument: both limits are compared exactly. Rounding therefore never admits a survey above a
limit, and never refuses one just below it.

* The limit for one question is a certainty. A certainty of c percent, from two equally likely
  answers, is a likelihood ratio of c / (100 - c). It is a fraction, like the bound of every table.
* The limit for all questions together is an epsilon. The likelihood ratio bound of a survey is a
  fraction, and e to the power of a fraction other than 0 is never a fraction (Lindemann 1882). The
  two therefore always differ, and enough digits show which is larger.

A frozen document states the limits at its freezing, and its fingerprint covers them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from survey.core.errors import AboveLimit, DefinitionError, SettingsError
from survey.core.languages import Words
from survey.core.number_grid import json_number
from survey.core.translate import (
    later,
    page_language,
    translate,
    translate_list,
    translate_number,
)
from survey.definition.certainty import epsilon_text, surest
from survey.definition.questions import Question
from survey.definition.survey import Survey

MAX_CERTAINTY_PERCENT = Fraction(99)
MAX_EPSILON = Fraction(12)
# The form in which Python and JSON write such a number, without an exponent.
DECIMAL = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4})?")


@dataclass(frozen=True)
class PrivacyLimits:
    """The maximum that a survey may reveal when it opens.

    Attributes
    ----------
    certainty : percent, above 50 and below 100: how sure someone may become about one question who
        thought two answers equally likely
    epsilon : the maximum total privacy loss ε of one respondent, above 0
    """

    certainty: Fraction = MAX_CERTAINTY_PERCENT
    epsilon: Fraction = MAX_EPSILON

    def __post_init__(self) -> None:
        if not 50 < self.certainty < 100:
            raise DefinitionError(
                "limits.certainty", "must be a percentage above 50 and below 100."
            )
        if not self.epsilon > 0:
            raise DefinitionError("limits.epsilon", "must be above 0.")

    @property
    def ratio_bound(self) -> Fraction:
        """The largest likelihood ratio bound that one question may have."""
        return self.certainty / (100 - self.certainty)

    def as_json(self) -> dict[str, Any]:
        return {"certainty": json_number(self.certainty), "epsilon": json_number(self.epsilon)}

    @classmethod
    def from_json(cls, value: Any) -> "PrivacyLimits | None":
        """The inverse of `as_json`; None if a document states no limits.

        Raises DefinitionError.
        """
        if value is None:
            return None
        if not isinstance(value, Mapping) or value.keys() != {"certainty", "epsilon"}:
            raise DefinitionError("limits", "must be an object with certainty and epsilon.")
        return cls(*(decimal_of(str(value[name])) for name in ("certainty", "epsilon")))


def decimal_of(text: str) -> Fraction:
    """A decimal such as 99.5 as an exact fraction. Raises DefinitionError."""
    if not DECIMAL.fullmatch(text):
        raise DefinitionError(
            "limits", "has %(number)s, which is not a decimal such as 99.5.", number=repr(text[:40])
        )
    return Fraction(text)


DEFAULT_LIMITS = PrivacyLimits()


def limits_from_settings(certainty: str, epsilon: str) -> PrivacyLimits:
    """The limits from an operator's settings. Raises SettingsError with the setting's name."""
    if not DECIMAL.fullmatch(certainty) or not 50 < Fraction(certainty) < 100:
        raise SettingsError(
            f"CANDOR_MAX_CERTAINTY is {certainty!r}; it must be a percentage above 50 and "
            "below 100, "
            "such as 99 or 99.5."
        )
    if not DECIMAL.fullmatch(epsilon) or not Fraction(epsilon) > 0:
        raise SettingsError(
            f"CANDOR_MAX_EPSILON is {epsilon!r}; it must be a number above 0, such as 12 or 2.5."
        )
    return PrivacyLimits(Fraction(certainty), Fraction(epsilon))


def exceeds_power_of_e(ratio_bound: Fraction, exponent: Fraction) -> bool:
    """Whether ratio_bound > e^exponent, exactly. `exponent` is not 0."""
    digits = 40
    while True:
        context = Context(prec=digits)
        # The error of the quotient is at most one unit of its last digit. The exponential function
        # increases, so the power lies between the powers of the neighbouring decimals.
        quotient = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
        low = context.next_minus(context.exp(context.next_minus(quotient)))
        high = context.next_plus(context.exp(context.next_plus(quotient)))
        if ratio_bound <= Fraction(low):
            return False
        if ratio_bound >= Fraction(high):
            return True
        digits *= 2


def questions_above(survey: Survey, limits: PrivacyLimits = DEFAULT_LIMITS) -> list[Question]:
    """The questions about whose answer someone could become surer than the limit."""
    return questions_revealed(survey, limits.ratio_bound)


def questions_revealed(survey: Survey, most: Fraction) -> list[Question]:
    """The questions about whose answer reports reveal more than a bound.

    A derived answer is left out if one of the answers behind it is among them.
    """
    above = [
        question
        for question in survey.answers_with_bounds
        if (bound := survey.ratio_bound_about(question)) is None or bound > most
    ]
    explained = {other.name for question in above for other in survey.derived_from(question)}
    return [question for question in above if question.name not in explained]


def total_above(survey: Survey, limits: PrivacyLimits = DEFAULT_LIMITS) -> bool:
    """Whether the total privacy loss of one respondent exceeds the limit's epsilon."""
    return survey.ratio_bound is None or exceeds_power_of_e(survey.ratio_bound, limits.epsilon)


def is_above(survey: Survey, limits: PrivacyLimits = DEFAULT_LIMITS) -> bool:
    return total_above(survey, limits) or bool(questions_above(survey, limits))


def limits_text(limits: PrivacyLimits) -> tuple[str, str]:
    """Both limits as text, such as "99 %" and "12"."""
    certainty, epsilon = limits.as_json().values()
    return f"{certainty} %", f"{epsilon}"


def sentences_above(survey: Survey, limits: PrivacyLimits = DEFAULT_LIMITS) -> list[str]:
    """One sentence for each part of the survey above the limits; an empty list if there is none."""
    certainty, epsilon = (translate_number(each) for each in limits_text(limits))
    words = Words(page_language.get())
    sentences = []
    for question in questions_above(survey, limits):
        certainty_of = surest(survey.ratio_bound_about(question), words)
        sentences.append(sentence_above(survey, question, certainty_of, certainty))
    if survey.ratio_bound is None:
        sentences.append(
            translate(
                "The total privacy loss of one respondent is not finite. The limit is ε = "
                "%(limit)s.",
                limit=epsilon,
            )
        )
    elif total_above(survey, limits):
        sentences.append(
            translate(
                "The total privacy loss of one respondent is ε = %(epsilon)s. The limit is ε = "
                "%(limit)s.",
                epsilon=translate_number(epsilon_text(survey.epsilon)),
                limit=epsilon,
            )
        )
    return sentences


def sentence_above(survey: Survey, question: Question, sure: str, limit: str) -> str:
    """How sure someone could become of an answer, and from which reports."""
    if sharing := survey.shares_statement(question):
        return shared_statement_sentence(question, sharing)
    reports = survey.reports_about(question)
    if reports in ((), (question,)):
        return translate(
            "Question '%(name)s': someone could become %(certainty)s sure of the answer. The limit "
            "is %(limit)s.",
            name=question.name,
            certainty=sure,
            limit=limit,
        )
    return translate(
        "Question '%(name)s': someone could become %(certainty)s sure of the answer, because "
        "several results depend on it: %(reports)s. The limit is %(limit)s.",
        name=question.name,
        certainty=sure,
        reports=translate_list([f"'{report.name}'" for report in reports]),
        limit=limit,
    )


def shared_statement_sentence(question: Question, sharing: Sequence[Question]) -> str:
    """Why crosswise questions need different second statements."""
    return translate(
        "Question '%(name)s' has the same second statement as %(others)s. Someone who knows one of "
        "these answers could find out the others. Write another second statement.",
        name=question.name,
        others=translate_list([f"'{other.name}'" for other in sharing]),
    )


def require_within(survey: Survey, limits: PrivacyLimits) -> None:
    """Require that the survey is within both limits. Raises AboveLimit with reasons and advice."""
    sentences = sentences_above(survey, limits)
    if sentences:
        # A survey has up to 200 questions, and an error must fit on one page.
        excerpt = sentences if len(sentences) <= 4 else [*sentences[:2], "…", sentences[-1]]
        gap = Words(page_language.get()).gap
        fault = gap.join([*excerpt, translate(ADVICE)])
        raise AboveLimit(fault)


ADVICE = later(
    "Choose stronger protection, ask fewer private questions, or ask each respondent only some of "
    "them, chosen at random. The operator of the server can set other limits, which respondents "
    "can see (CANDOR_MAX_CERTAINTY, CANDOR_MAX_EPSILON)."
)
