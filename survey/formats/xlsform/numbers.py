"""Numbers in an XLSForm: min, max and step from `integer`, `decimal` and `range`.

Candor needs all three. If the form omits one, the import uses a wide range and reports it.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from survey.core.errors import MechanismError
from survey.core.exact_numbers import exact
from survey.core.number_grid import MAX_VALUES, Grid, decimal, decimal_text, json_number
from survey.core.translate import translate
from survey.definition.types import QuestionType
from survey.formats.xlsform.conditions import NumberBounds, bounds_of
from survey.formats.xlsform.vocabulary import SURVEY, ImportNotes, RowOmitted, XLSFormRow

PARAMETER = re.compile(r"(\w+)\s*=\s*([^\s;,]+)")
DECIMALS = re.compile(r"\d\.(\d+)")
MAX_DECIMAL_PLACES = 6
# The defaults of pyxform.
RANGE_DEFAULTS = {"start": "1", "end": "10", "step": "1"}


def number_members(
    kind: QuestionType, line: XLSFormRow, left_out: ImportNotes, *, private: bool
) -> dict[str, Any]:
    """The members min, max and step of a number question. Raises RowOmitted."""
    written = line.text("type").lower()
    if written == "range":
        return range_members(line, left_out)
    whole, bounds, constraint = written != "decimal", NumberBounds(), line.text("constraint")
    places = max(map(len, DECIMALS.findall(constraint)), default=0)
    step = Fraction(1, 1 if whole else 10 ** min(max(places, 1), MAX_DECIMAL_PLACES))
    if constraint:
        bounds, faults = bounds_of(constraint, kind, step)
        note_constraint(faults, line, left_out)
    if private and (bounds.low is None or bounds.high is None):
        raise RowOmitted(
            "constraint",
            "%(name)s is private and needs a smallest and a largest value, because the protection "
            "depends on them. Add a constraint such as . >= 0 and . <= 120.",
            name=line.text("name"),
        )
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
            most=MAX_VALUES,
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
    return members_of_grid(low, high, step, "constraint")


def members_of_grid(low: Fraction, high: Fraction, step: Fraction, column: str) -> dict[str, Any]:
    """The members min, max and step. Raises RowOmitted if Candor has no such numbers."""
    members = {"min": json_number(low), "max": json_number(high), "step": json_number(step)}
    try:
        Grid.between(low, high, step)
    except MechanismError as error:
        raise RowOmitted(
            column,
            "Candor cannot ask for numbers from %(low)s to %(high)s in steps of %(step)s. Correct "
            "the range, for example to . >= 0 and . <= 120, or to start=0 end=10 step=1.",
            low=short_text(low),
            high=short_text(high),
            step=short_text(step),
        ) from error
    return members


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
    """The members of a `range`. One that goes down has the same values. Raises RowOmitted."""
    parameters = {key.lower(): value for key, value in PARAMETER.findall(line.text("parameters"))}
    try:
        start, end, step = (
            exact(parameters.pop(key, default), key) for key, default in RANGE_DEFAULTS.items()
        )
    except MechanismError as error:
        raise RowOmitted("parameters", str(error)) from error
    low, high, step = min(start, end), max(start, end), abs(step)
    last = low + (high - low) // step * step if step else high
    if last != high:
        note = translate(
            "steps of %(step)s from %(low)s do not reach %(high)s, so Candor set the largest value "
            "to %(last)s.",
            step=short_text(step),
            low=short_text(low),
            high=short_text(high),
            last=short_text(last),
        )
        left_out.add(SURVEY, line.number, "parameters", note)
    if start > end:
        note = translate("Candor shows the values in ascending order.")
        left_out.add(SURVEY, line.number, "parameters", note)
    for key in parameters:
        why = translate("Candor has no parameter %(name)s.", name=key)
        left_out.add(SURVEY, line.number, "parameters", why)
    if line.text("constraint"):
        why = translate("the range already defines the possible values.")
        left_out.add(SURVEY, line.number, "constraint", why)
    return members_of_grid(low, last, step, "parameters")


def short_text(value: Fraction) -> str:
    """A number as a decimal or, if it is none, as a fraction."""
    try:
        return decimal_text(decimal(value, ""))
    except MechanismError:
        return str(value)
