"""The generated parts of the documents are what the code gives."""

import pytest

from survey.admin.team.audit_log import AUDIT_LOG_FIELDS
from survey.analysis.columns.design_file import DESIGN_FIELDS
from survey.api.schemas import SCHEMAS
from survey.central_dp.text import RELEASE_FIELDS
from survey.definition.choices import CHOICE_FIELDS
from survey.definition.fieldwork import FIELDWORK_FIELDS, Fieldwork
from survey.definition.report_formats import ReportForm
from survey.definition.survey import BUDGET_FIELDS, SURVEY_FIELDS
from survey.definition.types import QUESTION_TYPES
from survey.definition.types.registry import QUESTION_FIELDS
from survey.formats.csv_export import ESTIMATE_FIELDS
from survey.server.settings import GROUPS, SETTINGS
from survey.web.invitation_zip import INVITATION_FIELDS
from tests.support.check_each import check_each
from tests.support.project import ROOT
from tools import reference

pytestmark = pytest.mark.fast

DOCUMENTS = list(reference.documents())
CSV_FIELDS = (ESTIMATE_FIELDS, RELEASE_FIELDS, AUDIT_LOG_FIELDS, INVITATION_FIELDS, DESIGN_FIELDS)
DEFINITION_FIELDS = (SURVEY_FIELDS, BUDGET_FIELDS, QUESTION_FIELDS, CHOICE_FIELDS)


def is_sentence(text):
    return text.endswith(".") and text[0] in "`“" + text[0].upper()


@check_each("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_generated_part_is_what_the_code_gives(path):
    text = path.read_text(encoding="utf-8")
    for match in reference.PART.finditer(text):
        current = reference.generated_part(text, match)
        assert match[0] == current, f"Run `make reference`: {match['name']} in {path.name} is old."


def test_every_part_is_in_one_document():
    names = [
        match["name"] for path in DOCUMENTS for match in reference.PART.finditer(path.read_text())
    ]
    assert sorted(names) == sorted([*reference.PARTS, "session"])
    assert {path.relative_to(ROOT).as_posix() for path in DOCUMENTS} == {
        "README.md",
        "docs/reference/api.md",
        "docs/reference/commands.md",
        "docs/reference/csv-columns.md",
        "docs/reference/definition.md",
        "docs/reference/instruments.md",
        "docs/reference/settings.md",
    }


def test_a_part_that_was_changed_is_noticed():
    [path] = [path for path in DOCUMENTS if path.name == "settings.md"]
    text = path.read_text().replace("Port to listen on.", "Port.")
    assert reference.generated(text) != text


def test_every_command_argument_and_option_has_help():
    for _, group, commands in reference.all_commands():
        assert group is None or is_sentence(group.help)
        for name, command in commands:
            assert is_sentence(reference.summary_of(command)), name
            for option in reference.option_rows(command):
                assert is_sentence(option[-1]), (name, option[0])
            for parameter in command.params:
                if parameter.param_type_name == "argument":
                    shown = (parameter.metavar or parameter.name).upper()
                    assert shown in command.help, (name, shown)


def test_every_setting_is_in_a_group():
    assert {row.group for row in SETTINGS} == set(GROUPS)


def test_every_csv_column_has_a_unit_and_a_sentence():
    for fields in CSV_FIELDS:
        for name, (unit, sentence) in fields.items():
            assert unit, name
            assert is_sentence(sentence), name
    for form in ReportForm.__subclasses__():
        assert is_sentence(form.cell_sentence), form


def test_every_field_of_a_definition_has_a_sentence():
    for fields in DEFINITION_FIELDS:
        assert all(map(is_sentence, fields.values()))
    assert FIELDWORK_FIELDS.keys() == Fieldwork.__dataclass_fields__.keys()
    assert QUESTION_FIELDS.keys() == frozenset().union(
        *(kind.keys for kind in QUESTION_TYPES.values())
    )
    for kind in QUESTION_TYPES.values():
        assert is_sentence(kind.answered_by), kind.name


def test_every_field_of_the_api_has_a_sentence():
    for name, schema in SCHEMAS.items():
        for field, _, sentence in reference.field_rows({"properties": {}, "required": []} | schema):
            assert is_sentence(sentence), f"{name}: {field}"
