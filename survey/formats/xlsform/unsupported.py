"""What an XLSForm says and Candor has no place for: which sentence each gets."""

from typing import Any

from survey.definition.types import QUESTION_TYPES
from survey.formats.xlsform.form import Form
from survey.formats.xlsform.vocabulary import (
    NO,
    OWN,
    PRIVACY,
    SURVEY,
    SURVEY_COLUMNS,
    YES,
    XLSFormRow,
)

NO_TIMES = "Candor asks for no dates or times. The question is left out."
NO_PLACES = "where somebody is can tell who it is. The question is left out."
NO_FILES = "Candor takes no files. The question is left out."
NO_TRACES = "Candor keeps nothing that tells who answered, where or when. The row is left out."
NO_SUMS = "Candor computes nothing from answers. The row is left out."
UNSUPPORTED_TYPES = dict.fromkeys(("date", "time", "datetime"), NO_TIMES)
UNSUPPORTED_TYPES |= dict.fromkeys(
    ("geopoint", "geotrace", "geoshape", "start-geopoint"), NO_PLACES
)
UNSUPPORTED_TYPES |= dict.fromkeys(
    ("image", "photo", "audio", "video", "file", "barcode"), NO_FILES
)
UNSUPPORTED_TYPES |= dict.fromkeys(("calculate", "hidden", "xml-external", "csv-external"), NO_SUMS)
UNSUPPORTED_TYPES |= dict.fromkeys(
    ("start", "end", "today", "deviceid", "phonenumber", "username", "email", "audit",
     "simserial", "subscriberid", "imei", "background-audio", "background-geopoint"), NO_TRACES
)  # fmt: skip
TEXTS_ONLY = "pages show texts only."
OWN_WORDING = "Candor words its own messages."
UNSUPPORTED_COLUMNS = {
    "calculation": "Candor computes nothing from answers.",
    "choice_filter": "all choices are always offered.",
    "default": "no answer is filled in beforehand.",
    "constraint_message": OWN_WORDING,
    "required_message": OWN_WORDING,
    "readonly": "every question can be answered.",
    "guidance_hint": "there is one hint for each question.",
    "version": "the fingerprint of the survey takes its place.",
    **{f"{prefix}{kind}": TEXTS_ONLY for prefix in ("", "media::")
       for kind in ("image", "audio", "video", "big-image")},
}  # fmt: skip
# these are read, each where it matters
SUPPORTED_COLUMNS = {
    *SURVEY_COLUMNS,
    *("garbling::answer", "garbling::rate", "garbling::covariate"),
}


def note_unsupported(entry: dict[str, Any], line: XLSFormRow, form: Form) -> None:
    """Name what a question's row says beyond what was read."""
    kind = QUESTION_TYPES[entry["type"]]
    for column in line.cells:
        namespace = column.key.partition("::")[0]
        if namespace == PRIVACY and not kind.asks:
            form.left_out.add(SURVEY, line.number, column.written, "a note has no answer.")
        elif column.key not in SUPPORTED_COLUMNS and namespace not in (PRIVACY, OWN):
            why = UNSUPPORTED_COLUMNS.get(column.key, "is not known here.")
            form.left_out.add(SURVEY, line.number, column.written, why)
    required = line.text("required").lower()
    if required in YES and kind.optional:
        form.drop(line, "required", "texts may be left empty, and boxes unticked.")
    elif required in NO | {""} and kind.asks and not kind.optional:
        why = "has to be answered here; offer “prefer not to say” where people may decline."
        form.drop(line, "required", why)
    elif required not in YES | NO | {""}:
        form.drop(line, "required", "is yes or no here.")
    if line.text("constraint") and not kind.numeric:
        form.drop(line, "constraint", "what is typed or chosen is not checked further.")
    looks = set(line.text("appearance").lower().split())
    if looks - {*kind.appearances}:
        form.drop(line, "appearance", "how a question looks is the same everywhere.")
    if line.text("parameters") and not kind.numeric:
        form.drop(line, "parameters", "choices stand in the order of the list.")
