"""Numbers in an XLSForm: what `integer`, `decimal` and `range` say of min, max and step.

Candor needs all three. Where the form leaves one open, a wide one is taken and said.
"""

import re
from fractions import Fraction
from typing import Any

from survey.core.errors import MechanismError
from survey.core.exact_numbers import exact
from survey.core.number_grid import MAX_VALUES, decimal_text, json_number
from survey.definition.types import QuestionType
from survey.formats.xlsform.conditions import NumberBounds, UnsupportedCondition, bounds_of
from survey.formats.xlsform.vocabulary import PRIVACY, SURVEY, ImportNotes, XLSFormRow

PARAMETER = re.compile(r"(\w+)\s*=\s*([^\s;,]+)")
DECIMALS, MAX_DECIMAL_PLACES = re.compile(r"\d\.(\d+)"), 6
RANGE_DEFAULTS = {"start": "1", "end": "10", "step": "1"}  # if left out, as pyxform has it


def number_members(kind: QuestionType, line: XLSFormRow, left_out: ImportNotes) -> dict[str, Any]:
    """min, max and step."""
    written = line.text("type").lower()
    if written == "range":
        return range_members(line, left_out)
    whole, bounds, constraint = written != "decimal", NumberBounds(), line.text("constraint")
    places = max(map(len, DECIMALS.findall(constraint)), default=0)
    step = Fraction(1, 1 if whole else 10 ** min(max(places, 1), MAX_DECIMAL_PLACES))
    if constraint:
        try:
            bounds = bounds_of(constraint, kind, step)
        except UnsupportedCondition as error:
            left_out.add(SURVEY, line.number, "constraint", f"{error}. It is left out.")
    if line.under(PRIVACY) and None in (bounds.low, bounds.high):
        return bounds.as_json()  # what is missing is refused: it matters
    low, high, step = complete_range(bounds, step)
    if not whole or step < 1:
        note = f"steps of {decimal_text(step)} were taken; set others in the draft."
        left_out.add(SURVEY, line.number, "type", note)
    elif step != 1:
        note = f"there are at most {MAX_VALUES:,} values, so steps of {decimal_text(step)} were "
        left_out.add(SURVEY, line.number, "constraint", f"{note}taken.")
    for name, bound, end in (("smallest", bounds.low, low), ("largest", bounds.high, high)):
        if bound is None:
            note = f"no {name} value is given; {decimal_text(end)} was taken. Set what is possible."
            left_out.add(SURVEY, line.number, "constraint", note)
    return {"min": json_number(low), "max": json_number(high), "step": json_number(step)}


def complete_range(bounds: NumberBounds, step: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """Smallest value, largest, and a step with which there are not too many values."""
    most = (MAX_VALUES - 1) * step
    low, high = bounds.low, bounds.high
    if low is None:
        low = Fraction(0) if high is None or high > 0 else high - most
    if high is None:
        high = low + most
    while (low % step or high % step) and step > Fraction(1, 10**MAX_DECIMAL_PLACES):
        step /= 10
    while (high - low) / step >= MAX_VALUES:
        step *= 10
    return low, low + -(-(high - low) // step) * step, step


def range_members(line: XLSFormRow, left_out: ImportNotes) -> dict[str, Any]:
    parameters = {key.lower(): value for key, value in PARAMETER.findall(line.text("parameters"))}
    members: dict[str, Any] = {}
    for key, name in (("start", "min"), ("end", "max"), ("step", "step")):
        value = parameters.pop(key, RANGE_DEFAULTS[key])
        try:
            members[name] = json_number(exact(value, key))
        except MechanismError:
            members[name] = value  # refused with the rest of the definition
    for key in parameters:
        why = f"{key} is no parameter that Candor has."
        left_out.add(SURVEY, line.number, "parameters", why)
    if line.text("constraint"):
        why = "the range itself says what is possible."
        left_out.add(SURVEY, line.number, "constraint", why)
    return members
