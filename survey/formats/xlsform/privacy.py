"""The columns `garbling::` of Safely Report, converted to the closest design with protection.

In Safely Report, the sensitive answer is recorded as it is, and the other one turns into it with a
given rate. So a record of the other answer is certain: the randomizer has a zero next to a positive
entry, and epsilon is infinite. Here, with the same rate, the answer is replaced by one of all
answers with equal probability. The share of replaced answers is still `rate`, and every report is
possible for every answer. With k answers the ratio bound is (1 - rate + rate/k) : (rate/k).
"""

import math
from fractions import Fraction
from typing import Any

from survey.core.errors import MechanismError
from survey.core.exact_numbers import exact
from survey.core.translate import later, translate, translate_number
from survey.definition.certainty import epsilon_text
from survey.formats.xlsform.form import Option
from survey.formats.xlsform.vocabulary import (
    GARBLING,
    SURVEY,
    ImportNotes,
    RowOmitted,
    XLSFormRow,
)

GARBLING_NOTE = later(
    "the rate %(rate)s is now a privacy loss of ε = %(epsilon)s. Garbling always records the "
    "sensitive answer unchanged, so a record of the other answer is always true. Candor instead "
    "replaces an answer, with the same probability, by one drawn uniformly from all answers, which "
    "protects each of them. Data that were collected with garbling cannot be loaded into this "
    "question."
)


def privacy_from_garbling(
    options: list[Option], line: XLSFormRow, left_out: ImportNotes
) -> dict[str, Any] | None:
    """The `privacy` of a row with `garbling::rate`, or None. Raises RowOmitted."""
    columns = line.under(GARBLING)
    if not columns:
        return None
    column = f"{GARBLING}::rate"
    if not options:
        raise RowOmitted(column, "only choices can be garbled. Use the columns privacy:: instead.")
    try:
        rate = exact(line.text(column), "rate")
    except MechanismError as error:
        raise RowOmitted(column, f"{error}.".replace("..", ".")) from error
    if not 0 < rate < 1:
        raise RowOmitted(column, "must be above 0 and below 1.")
    k = len(options)
    ratio_bound = ((1 - rate) * k + rate) / rate
    if k == 2:
        privacy = {"mechanism": "randomized_response", "gamma": privacy_text((1 - rate) / 2)}
    else:
        privacy = {"mechanism": "k_randomized_response", "odds": privacy_text(ratio_bound)}
    epsilon = translate_number(epsilon_text(math.log(ratio_bound)))
    note = translate(GARBLING_NOTE, rate=translate_number(privacy_text(rate)), epsilon=epsilon)
    left_out.add(SURVEY, line.number, f"{GARBLING}::rate", note)
    if line.text(f"{GARBLING}::answer"):
        why = translate("all answers are protected equally, so none needs to be named.")
        left_out.add(SURVEY, line.number, f"{GARBLING}::answer", why)
    if line.text(f"{GARBLING}::covariate"):
        why = translate(
            "is omitted. With it, garbling changes a fixed share of the answers in each group, "
            "which needs a server that sees them. The browser randomises each answer separately."
        )
        left_out.add(SURVEY, line.number, f"{GARBLING}::covariate", why)
    return privacy


def privacy_text(value: Fraction) -> str:
    """A decimal if it is exact, else a fraction: 0.3, 7/3."""
    short = f"{float(value):.6g}"
    return short if Fraction(short) == value else str(value)
