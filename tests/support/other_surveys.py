"""Small surveys of other programs, for tests of their import."""

import csv
import io
from xml.sax.saxutils import escape

FIELDS = {
    "name": "Variable / Field Name",
    "form": "Form Name",
    "header": "Section Header",
    "type": "Field Type",
    "label": "Field Label",
    "choices": "Choices, Calculations, OR Slider Labels",
    "note": "Field Note",
    "validation": "Text Validation Type OR Show Slider Number",
    "min": "Text Validation Min",
    "max": "Text Validation Max",
    "identifier": "Identifier?",
    "logic": "Branching Logic (Show field only if...)",
    "required": "Required Field?",
    "matrix": "Matrix Group Name",
    "ranking": "Matrix Ranking?",
    "annotation": "Field Annotation",
}


def dictionary(*fields, separator=",", encoding="utf-8", end="\r\n"):
    """A data dictionary of REDCap. Each field is a mapping with keys of FIELDS."""
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, delimiter=separator, lineterminator=end)
    writer.writerow(FIELDS)
    for field in fields:
        writer.writerow({"form": "health", "type": "text", **field})
    return text.getvalue().encode(encoding)


def structure(*, languages=("en",), **tables):
    """A survey structure of LimeSurvey. Each table is a list of rows, given as mappings."""
    parts = ['<?xml version="1.0" encoding="UTF-8"?><document>']
    parts.append("<LimeSurveyDocType>Survey</LimeSurveyDocType><languages>")
    parts += [f"<language>{each}</language>" for each in languages]
    parts.append("</languages>")
    for table, rows in tables.items():
        parts.append(f"<{table}><rows>")
        for row in rows:
            cells = (f"<{key}>{escape(str(cell))}</{key}>" for key, cell in row.items())
            parts.append(f"<row>{''.join(cells)}</row>")
        parts.append(f"</rows></{table}>")
    return "".join([*parts, "</document>"]).encode()


def definition_and_notes(imported):
    """The questions of a definition by their names, without these, and the notes."""
    questions = imported.survey.as_definition()["questions"]
    return {each.pop("name"): each for each in questions}, list(imported.left_out)
