"""Yes or no in XLSForm."""

import pytest

from survey.definition.survey import parse_survey
from survey.formats.xlsform.write_form import to_xlsform
from tests.support.definitions import definition

pytestmark = pytest.mark.fast


def test_the_first_list_has_the_conventional_name_and_another_that_of_its_question():
    own = [{"name": "yes", "label": "Often"}, {"name": "no", "label": "Never"}]
    questions = [
        {"name": "a", "type": "yes_no", "label": "A?", "privacy": "none"},
        {"name": "b", "type": "yes_no", "label": "B?", "privacy": "none", "choices": own},
        {"name": "c", "type": "yes_no", "label": "C?", "privacy": "none"},
    ]
    rows = to_xlsform(parse_survey(definition(questions=questions)))["survey"]
    assert [row["type"] for row in rows] == [
        "select_one yes_no",
        "select_one b",
        "select_one yes_no",
    ]
