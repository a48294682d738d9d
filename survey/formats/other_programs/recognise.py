"""Survey files of other programs: recognised by their content, so that a refusal can name them."""

import codecs
import re
from contextlib import suppress
from typing import Any

from survey.core.json_text import parse_json
from survey.core.translate import later, translate
from survey.formats.other_programs.json_survey import objects_in, text_in, unwrap_survey

UTF8_BOM = b"\xef\xbb\xbf"
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
HEAD_BYTES = 4_096  # The beginning of a file that is no JSON shows which program wrote it.
# What the beginning of a file contains, in lower case, and the program.
BEGINNINGS = {
    rb"<limesurveydoctype>": "LimeSurvey",
    rb"\Aid\trelated_id\tclass\t": "LimeSurvey (text)",
    rb"\A(?:sep=.\s+)?\"?variable / field name\"?\s*[,;\t]": "REDCap",
    rb"\A\"?field_name\"?\s*[,;\t]\s*\"?form_name": "REDCap",
    rb"<odm\b[^>]*redcap": "REDCap (XML)",
    rb"\Apk.{20,30}mimetypeapplication/vnd\.oasis\.opendocument": "OpenDocument",
    rb"<h:html[^>]*xforms": "XForms",
}
# A member that the surveys of a program have, and those of other programs do not.
MEMBERS = {
    "SurveyElements": "Qualtrics",
    "welcomeCard": "Formbricks",
    "thankYouCard": "Formbricks",
    "endings": "Formbricks",
    "thankyou_screens": "Typeform",
    "formId": "Google Forms",
    "content": "KoboToolbox",
}
# The types of questions of old surveys of SurveyJS. No type of Candor has these names.
SURVEYJS_TYPES = {"radiogroup", "dropdown", "checkbox", "comment", "rating", "boolean", "matrix"}


def program_of(content: bytes) -> str | None:
    """The program that wrote a survey file; None for an unknown one, and for one of Candor."""
    head = content[:HEAD_BYTES].removeprefix(UTF8_BOM).lstrip()
    if head.startswith(UTF16_MARKS):
        head = head.decode("utf-16", "ignore").encode()
    head = head.lower()
    for beginning, program in BEGINNINGS.items():
        if re.search(beginning, head, re.DOTALL):
            return program
    if head.startswith((b"{", b"[")):
        with suppress(ValueError):
            return program_of_json(parse_json(content.removeprefix(UTF8_BOM)))
    return None


def program_of_json(value: Any) -> str | None:
    """The program that wrote a survey in JSON. Its members show it, never only their values."""
    value = unwrap_survey(value)
    for member, program in MEMBERS.items():
        if member in value:
            return program
    if "slug" in value:  # Every definition of Candor has this member.
        return None
    pages = objects_in(value, "pages")
    if objects_in(value, "elements") or any("elements" in page for page in pages):
        return "SurveyJS"
    questions = [*objects_in(value, "questions")]
    questions += [each for page in pages for each in objects_in(page, "questions")]
    if any("name" in each and text_in(each, "type") in SURVEYJS_TYPES for each in questions):
        return "SurveyJS"
    asked = [*objects_in(value, "questions"), *objects_in(value, "blocks")]
    if any("headline" in each or "elements" in each for each in asked):
        return "Formbricks"
    return None


# What to do with a file next to one that Candor reads.
ADVICE = {
    "XForms": later(
        "This is the XForm that was made from an XLSForm. Candor reads the XLSForm itself, the "
        "workbook with the sheets “survey” and “choices”. Choose it."
    ),
    "OpenDocument": later(
        "This is an OpenDocument spreadsheet. Candor reads Excel workbooks. Save it as .xlsx, "
        "then try again."
    ),
    "KoboToolbox": later(
        "This looks like a form of KoboToolbox in JSON. Candor reads its XLSForm. In "
        "KoboToolbox, choose “Download XLS”."
    ),
    "LimeSurvey (text)": later(
        "This is the tab-separated export of LimeSurvey. Candor reads the survey structure. In "
        "LimeSurvey, export the survey as .lss."
    ),
    "REDCap (XML)": later(
        "This is the XML file of a REDCap project. Candor reads the data dictionary. In REDCap, "
        "download the data dictionary (CSV)."
    ),
}


def other_program_sentence(program: str) -> str:
    """What Candor reads in place of a file of another program."""
    if program in ADVICE:
        return translate(ADVICE[program])
    return translate(
        "This looks like a survey of %(program)s, which Candor does not read. Write the questions "
        "into an XLSForm, or build them in Candor.",
        program=program,
    )
