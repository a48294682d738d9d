"""Notes about the parts of an XLSForm that Candor does not support."""

from typing import Any

from survey.core.translate import later, translate
from survey.definition.types import QUESTION_TYPES
from survey.formats.xlsform.form import Form
from survey.formats.xlsform.vocabulary import (
    FILTER,
    NO,
    NOT_SUPPORTED,
    OWN,
    PRIVACY,
    RANDOMIZE,
    SURVEY,
    SURVEY_COLUMNS,
    YES,
    XLSFormRow,
    parameters_of,
)

NO_TIMES = later("Candor asks for no times. The question is omitted.")
NO_PLACES = later("a location can identify a person. The question is omitted.")
NO_FILES = later("Candor accepts no files. The question is omitted.")
NO_TRACES = later("Candor stores nothing about who answered, where or when. The row is omitted.")
NO_HIDDEN_VALUES = later("Candor has no hidden values. The row is omitted.")
UNSUPPORTED_TYPES = dict.fromkeys(("time", "datetime"), NO_TIMES)
UNSUPPORTED_TYPES |= dict.fromkeys(
    ("geopoint", "geotrace", "geoshape", "start-geopoint"), NO_PLACES
)
UNSUPPORTED_TYPES |= dict.fromkeys(
    ("image", "photo", "audio", "video", "file", "barcode"), NO_FILES
)
UNSUPPORTED_TYPES |= dict.fromkeys(("hidden", "xml-external", "csv-external"), NO_HIDDEN_VALUES)
UNSUPPORTED_TYPES |= dict.fromkeys(
    (
        "start",
        "end",
        "today",
        "deviceid",
        "phonenumber",
        "username",
        "email",
        "audit",
        "simserial",
        "subscriberid",
        "imei",
        "background-audio",
        "background-geopoint",
    ),
    NO_TRACES,
)
TEXTS_ONLY = later("Candor’s pages show only text.")
OWN_WORDING = later("Candor uses its own messages.")
UNSUPPORTED_COLUMNS = {
    "calculation": later("only a row of the type calculate can have a calculation."),
    "allow_choice_duplicates": later("Candor gives choices with equal names different names."),
    "default": later("Candor fills in no answers."),
    "constraint_message": OWN_WORDING,
    "required_message": OWN_WORDING,
    "readonly": later("respondents can answer every question."),
    "guidance_hint": later("Candor has one hint for each question."),
    "version": later("Candor identifies a survey by its fingerprint instead."),
    **{
        f"{prefix}{kind}": TEXTS_ONLY
        for prefix in ("", "media::")
        for kind in ("image", "audio", "video", "big-image")
    },
}
# Other modules read these columns.
SUPPORTED_COLUMNS = {
    *(*SURVEY_COLUMNS, FILTER),
    *("garbling::answer", "garbling::rate", "garbling::covariate"),
}


def note_unsupported(entry: dict[str, Any], line: XLSFormRow, form: Form) -> None:
    """Add a note about each cell of a question's row that was not used."""
    kind = QUESTION_TYPES[entry["type"]]
    for column in line.cells:
        namespace = column.key.partition("::")[0]
        if namespace == PRIVACY and PRIVACY not in kind.keys:
            form.left_out.add(
                SURVEY, line.number, column.written, translate("a note has no answer.")
            )
        elif column.key not in SUPPORTED_COLUMNS and namespace not in (PRIVACY, OWN):
            why = UNSUPPORTED_COLUMNS.get(column.key, NOT_SUPPORTED)
            form.left_out.add(SURVEY, line.number, column.written, translate(why))
    required = line.text("required").lower()
    if required not in YES | NO | {""}:
        form.drop(line, "required", translate("is neither yes nor no. Candor ignores it."))
    elif kind.optional:
        if required in YES:
            note = translate("respondents may leave a text empty, and boxes unticked.")
            form.drop(line, "required", note)
    elif required not in YES and PRIVACY in kind.keys and "optional" not in entry:
        why = translate(
            "Candor requires an answer. If respondents may skip the question, allow it in the "
            "draft."
        )
        form.drop(line, "required", why)
    if line.text("constraint") and not {"min", "earliest"} & kind.keys:
        form.drop(line, "constraint", translate("Candor does not check answers in this way."))
    looks = set(line.text("appearance").lower().split())
    if looks - {*kind.appearances}:
        note = translate("Candor has one appearance for each question type.")
        form.drop(line, "appearance", note)
    kept = {RANDOMIZE} if "random_order" in entry else set[str]()
    if "min" not in kind.keys and parameters_of(line) - kept:
        why = translate(
            "Candor shows the choices in the order of the list, or in a new random order."
        )
        form.drop(line, "parameters", why if "choices" in entry else translate(NOT_SUPPORTED))
