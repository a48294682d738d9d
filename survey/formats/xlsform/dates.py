"""Dates in an XLSForm: the earliest and the latest date, from the constraint."""

import re
from datetime import date
from typing import Any

from survey.core.translate import translate
from survey.definition.report_formats import parse_date
from survey.formats.xlsform.vocabulary import SURVEY, ImportNotes, XLSFormRow

# The ends of a date without a constraint.
EARLIEST, LATEST = "1900-01-01", "2100-12-31"
END = re.compile(r"\.\s*(>=|<=)\s*date\(\s*['\"](\d{4}-\d\d-\d\d)['\"]\s*\)")


def date_members(line: XLSFormRow, left_out: ImportNotes) -> dict[str, Any]:
    """The members earliest and latest of a date question."""
    constraint = line.text("constraint")
    ends = dict(END.findall(constraint))
    rest = END.sub("", constraint).replace("and", "").strip(" ()")
    try:
        valid = not rest and all(map(parse_date, ends.values()))
    except ValueError:
        valid = False
    if constraint and not valid:
        note = translate(
            "Candor reads only dates such as . >= date('2026-01-31'). The constraint is omitted."
        )
        left_out.add(SURVEY, line.number, "constraint", note)
        ends = {}
    earliest, latest = ends.get(">=", EARLIEST), ends.get("<=", LATEST)
    if len(ends) < 2:
        note = translate(
            "the form does not limit the date on both sides, so Candor set %(earliest)s to "
            "%(latest)s. Set the true range in the draft.",
            earliest=earliest,
            latest=latest,
        )
        left_out.add(SURVEY, line.number, "constraint", note)
    return {"earliest": earliest, "latest": latest}


def dates_as_xpath(earliest: date, latest: date) -> str:
    return f". >= date('{earliest.isoformat()}') and . <= date('{latest.isoformat()}')"
