"""Frozen surveys: constant tables and fingerprints, and documents with manipulated content."""

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.core.errors import DefinitionError, ZeroEntry
from survey.core.randomizer import Randomizer
from survey.definition.frozen import FrozenSurvey, fingerprint_of, freeze
from survey.definition.privacy_limits import DEFAULT_LIMITS
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no
from tests.support.question_entries import PARTY, REGION

pytestmark = pytest.mark.fast


def test_freezing_fixes_tables_and_fingerprint():
    frozen = freeze(parse_survey(definition(yes_no(), PARTY, REGION)))
    document = frozen.document()
    assert set(document["tables"]) == {"smokes", "party"}
    assert document["tables"]["smokes"]["rows"] == ((3, 1), (1, 3))
    assert document["tables"]["smokes"]["reports"] == ["yes", "no"]
    assert document["epsilon"] == frozen.survey.epsilon
    assert FrozenSurvey.from_json(frozen.to_json()) == frozen


def test_another_table_is_another_fingerprint():
    first = fingerprint_of(parse_survey(definition(yes_no())))
    other = fingerprint_of(parse_survey(definition(yes_no(privacy={"epsilon": 1}))))
    assert first != other


def test_a_stored_table_is_used_and_not_computed_anew():
    document = freeze(parse_survey(definition(yes_no()))).document()
    document["tables"]["smokes"]["rows"] = [[30, 10], [10, 30]]
    survey = parse_survey(definition(yes_no()))
    question = survey.questions[0]
    stored = replace(
        survey, questions=(replace(question, randomizer=Randomizer(((30, 10), (10, 30)))),)
    )
    document["fingerprint"] = fingerprint_of(stored, DEFAULT_LIMITS)
    assert FrozenSurvey.from_json(json.dumps(document)).survey.questions[0].randomizer.rows == (
        (30, 10),
        (10, 30),
    )


def test_a_tampered_document_is_refused():
    document = freeze(parse_survey(definition(yes_no()))).document()
    document["tables"]["smokes"]["rows"] = [[99, 1], [1, 99]]
    with pytest.raises(DefinitionError, match="fingerprint"):
        FrozenSurvey.from_json(json.dumps(document))


def test_a_survey_without_finite_epsilon_cannot_be_frozen_for_opening():
    one_sided = yes_no(privacy={"mechanism": "table", "rows": [[2, 0], [1, 1]]})
    survey = parse_survey(definition(one_sided))
    with pytest.raises(ZeroEntry, match="Question 'smokes': Row 1, column 2"):
        freeze(survey)
    assert freeze(survey, to_open=False).document()["epsilon"] is None


@given(st.text(min_size=1, max_size=200), st.text(max_size=300))
def test_any_texts_survive_freezing_or_are_refused(title, introduction):
    try:
        survey = parse_survey(definition(title=title, introduction=introduction))
    except DefinitionError:
        return
    assert FrozenSurvey.from_json(freeze(survey, to_open=False).to_json()).survey == survey


def test_a_document_is_read_with_a_fingerprint_that_is_calculated_here():
    document = {
        "definition": {
            "introduction": "", "language": "en", "slug": "health", "title": "Health",
            "questions": [
                {
                    "name": "smokes", "type": "yes_no", "label": "Do you smoke?",
                    "choices": [{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}],
                    "privacy": {"mechanism": "coin_flip"},
                }
            ],
        },
        "tables": {"smokes": {"answers": ["yes", "no"], "reports": ["yes", "no"],
                              "rows": [[3, 1], [1, 3]], "sha256": "", "epsilon": 1.0986}},
        "epsilon": 1.0986,
        "limits": {"certainty": 99, "epsilon": 12},
    }  # fmt: skip
    content = [document["definition"], {"smokes": [[3, 1], [1, 3]]}, document["limits"]]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    document["fingerprint"] = hashlib.sha256(text.encode()).hexdigest()
    assert FrozenSurvey.from_json(json.dumps(document)).survey == parse_survey(definition(batch=25))
