"""The CSV file of coded texts."""

import csv
import io

import pytest

from survey.definition.survey import parse_survey
from survey.formats.coded_texts_csv import CODED_TEXT_FIELDS, WrittenText, coded_texts_csv
from tests.support.definitions import definition

pytestmark = pytest.mark.fast

REMARKS = {"name": "remarks", "type": "text", "label": "Anything else?", "privacy": "none"}
[QUESTION] = parse_survey(definition(REMARKS)).questions


def test_a_row_for_each_text_and_coder() -> None:
    texts = [WrittenText(bytes([k]) * 32, QUESTION, text) for k, text in enumerate("ab")]
    codings = {texts[0].key: {"bob": {7}, "ada": {5, 7}}}
    written = coded_texts_csv(texts, [(5, "cost"), (7, "fear, others")], codings)
    rows = list(csv.reader(io.StringIO(written)))
    assert rows == [
        [*CODED_TEXT_FIELDS, "cost", "fear, others"],
        ["00" * 32, "remarks", "a", "ada", "2", "1", "1"],
        ["00" * 32, "remarks", "a", "bob", "1", "0", "1"],
        ["01" * 32, "remarks", "b", "", "", "", ""],
    ]


def test_a_text_is_never_a_formula() -> None:
    written = coded_texts_csv([WrittenText(bytes(32), QUESTION, "=1+1")], [], {})
    assert "'=1+1" in written
