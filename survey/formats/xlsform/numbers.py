"""Numbers in an XLSForm: min, max and step from `integer`, `decimal` and `range`.

Candor needs all three. If the form omits one, the import uses a wide range and reports it.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from survey.core.errors import MechanismError
from survey.core.exact_numbers import exact
from survey.core.number_grid import MAX_VALUES, decimal_text, json_number
from survey.core.translate import translate, translate_number
from survey.definition.types import QuestionType
from survey.formats.xlsform.conditions import NumberBounds, bounds_of
from survey.formats.xlsform.vocabulary import SURVEY, ImportNotes, XLSFormRow

PARAMETER = re.compile(r"(\w+)\s*=\s*([^\s;,]+)")
DECIMALS, MAX_DECIMAL_PLACES = re.compile(r"\d\.(\d+)"), 6
# The defaults of pyxform.
RANGE_DEFAULTS = {"start": "1", "end": "10", "step": "1"}


def number_members(
    kind: QuestionType, line: XLSFormRow, left_out: ImportNotes, *, private: bool
) -> dict[str, Any]:
    """The members min, max and step of a number question."""
    written = line.text("type").lower()
    if written == "range":
        return range_members(line, left_out)
    whole, bounds, constraint = written != "decimal", NumberBounds(), line.text("constraint")
    places = max(map(len, DECIMALS.findall(constraint)), default=0)
    step = Fraction(1, 1 if whole else 10 ** min(max(places, 1), MAX_DECIMAL_PLACES))
    if constraint:
        bounds, faults = bounds_of(constraint, kind, step)
        note_constraint(faults, line, left_out)
    if private and None in (bounds.low, bounds.high):
        return bounds.as_json()  # The definition then fails: protection depends on the range.
    low, high, step = complete_range(bounds, step)
    if not whole or step < 1:
        note = translate(
            "Candor set the step to %(step)s. Change it in the draft if needed.",
            step=decimal_text(step),
        )
        left_out.add(SURVEY, line.number, "type", note)
    elif step != 1:
        note = translate(
            "at most %(most)s values are possible, so Candor set the step to %(step)s.",
            most=translate_number(f"{MAX_VALUES:,}"),
            step=decimal_text(step),
        )
        left_out.add(SURVEY, line.number, "constraint", note)
    if bounds.low is None:
        note = translate(
            "Candor finds no smallest value here, so it set %(value)s. Set the true range in the "
            "draft.",
            value=decimal_text(low),
        )
        left_out.add(SURVEY, line.number, "constraint", note)
    if bounds.high is None:
        note = translate(
            "Candor finds no largest value here, so it set %(value)s. Set the true range in the "
            "draft.",
            value=decimal_text(high),
        )
        left_out.add(SURVEY, line.number, "constraint", note)
    return {"min": json_number(low), "max": json_number(high), "step": json_number(step)}


def note_constraint(
    faults: Sequence[tuple[str, str]], line: XLSFormRow, left_out: ImportNotes
) -> None:
    """Note the parts of a constraint that Candor does not have, each with the reason."""
    for part, fault in faults:
        note = (
            translate("%(fault)s. The constraint is omitted.", fault=fault)
            if part == line.text("constraint")
            else translate(
                "“%(part)s” %(fault)s. This part of the constraint is omitted.",
                part=part,
                fault=fault,
            )
        )
        left_out.add(SURVEY, line.number, "constraint", note)


def complete_range(bounds: NumberBounds, step: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """The smallest value, the largest value, and a step with at most MAX_VALUES values."""
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
            members[name] = value  # Parsing the definition reports it.
    for key in parameters:
        why = translate("Candor has no parameter %(name)s.", name=key)
        left_out.add(SURVEY, line.number, "parameters", why)
    if line.text("constraint"):
        why = translate("the range already defines the possible values.")
        left_out.add(SURVEY, line.number, "constraint", why)
    return members
