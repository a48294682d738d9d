"""Dates of XLSForm: their ends come from the constraint."""

import pytest
from pyxform.xls2xform import convert

from survey.definition.survey import parse_survey
from survey.formats.xlsform.write_form import to_xlsform
from survey.formats.xlsx import write_workbook
from tests.support.definitions import definition, yes_no
from tests.support.every_type import asked
from tests.support.xlsform_readings import from_xlsform

pytestmark = pytest.mark.fast


VISIT = asked("visit", "date", "none", earliest="2024-02-28", latest="2026-01-31")


def test_a_date_is_a_date_of_xlsform(tmp_path):
    survey = parse_survey(definition(VISIT, yes_no()))
    sheets = to_xlsform(survey)
    row = sheets["survey"][0]
    assert row["type"] == "date"
    assert row["constraint"] == ". >= date('2024-02-28') and . <= date('2026-01-31')"
    back = from_xlsform(sheets)
    assert (back.survey, back.left_out) == (survey, ())
    workbook = tmp_path / "form.xlsx"
    workbook.write_bytes(write_workbook(sheets))
    assert 'type="date"' in convert(str(workbook)).xform


@pytest.mark.parametrize(
    ("constraint", "earliest", "latest", "note"),
    [
        (". <= date('2025-01-01') and . >= date(\"2024-01-01\")", "2024-01-01", "2025-01-01", ""),
        (". >= date('2024-01-01')", "2024-01-01", "2100-12-31", "does not limit the date"),
        (None, "1900-01-01", "2100-12-31", "does not limit the date"),
        (". <= today()", "1900-01-01", "2100-12-31", "The constraint is omitted"),
        (". >= date('2024-02-30')", "1900-01-01", "2100-12-31", "The constraint is omitted"),
        (". > '2024-02-28' and date('2026-01-01') > .", "2024-02-29", "2025-12-31", ""),
        (
            ". >= date('2024-01-01') and . <= today()",
            "2024-01-01",
            "2100-12-31",
            "“. <= today()” is not a comparison such as",
        ),
    ],
)
def test_the_ends_of_a_date_come_from_its_constraint(constraint, earliest, latest, note):
    row = {"type": "date", "name": "d", "label": "D?", "constraint": constraint}
    back = from_xlsform({"survey": [row], "settings": [{"form_title": "T"}]})
    [question] = back.survey.questions
    assert tuple(end.isoformat() for end in question.dates) == (earliest, latest)
    assert note in " ".join(back.left_out)
    if not note:
        assert not any("constraint" in each for each in back.left_out)
