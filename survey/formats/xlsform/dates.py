"""Dates in an XLSForm: the earliest and the latest date, from the constraint."""

from datetime import date, timedelta
from typing import Any

from survey.core.translate import translate
from survey.definition.report_formats import parse_date
from survey.formats.xlsform.expressions import (
    MIRRORED_SIGNS,
    SELF,
    Expression,
    UnsupportedCondition,
    parse_expression,
)
from survey.formats.xlsform.numbers import note_constraint
from survey.formats.xlsform.vocabulary import SURVEY, ImportNotes, XLSFormRow

# A date without a constraint is between these.
EARLIEST = date(1900, 1, 1)
LATEST = date(2100, 12, 31)


def date_members(line: XLSFormRow, left_out: ImportNotes) -> dict[str, Any]:
    """The members earliest and latest of a date question."""
    earliest, latest, parts = list[date](), list[date](), tuple[Expression, ...]()
    if constraint := line.text("constraint"):
        try:
            parts = parse_expression(constraint).joined_by("and")
        except UnsupportedCondition as error:
            note_constraint([(constraint, str(error))], line, left_out)
    for part in parts:
        try:
            sign, day = date_limit(part)
        except UnsupportedCondition as error:
            note_constraint([(part.source, str(error))], line, left_out)
            continue
        earliest += [day] if sign in (">=", "=") else []
        latest += [day] if sign in ("<=", "=") else []
    low, high = max(earliest, default=EARLIEST), min(latest, default=LATEST)
    if not earliest or not latest:
        note = translate(
            "the form does not limit the date on both sides, so Candor set %(earliest)s to "
            "%(latest)s. Set the true range in the draft.",
            earliest=low,
            latest=high,
        )
        left_out.add(SURVEY, line.number, "constraint", note)
    return {"earliest": low.isoformat(), "latest": high.isoformat()}


def date_limit(part: Expression) -> tuple[str, date]:
    """The sign >=, <= or = of a comparison with a date, and the date.

    Raises UnsupportedCondition.
    """
    fault = translate("is not a comparison such as . >= date('2026-01-31')")
    if not part.calls(*MIRRORED_SIGNS):
        raise UnsupportedCondition(fault)
    (left, right), sign = part.parts, str(part.value)
    if left.value != SELF:
        left, right, sign = right, left, MIRRORED_SIGNS[sign]
    inner = right.parts[0] if right.calls("date") and len(right.parts) == 1 else right
    if left.value != SELF or sign == "!=" or not inner.is_constant(str):
        raise UnsupportedCondition(fault)
    try:
        day = parse_date(str(inner.value))
        shift = {">": 1, "<": -1}.get(sign, 0)
        return {">": ">=", "<": "<="}.get(sign, sign), day + timedelta(days=shift)
    except (ValueError, OverflowError) as error:
        raise UnsupportedCondition(fault) from error


def dates_as_xpath(earliest: date, latest: date) -> str:
    return f". >= date('{earliest.isoformat()}') and . <= date('{latest.isoformat()}')"
