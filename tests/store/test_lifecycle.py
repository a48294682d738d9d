"""States of surveys: what may be opened."""

import pytest

from survey.core.errors import ZeroEntry
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.both_stores


def test_a_design_without_finite_epsilon_can_be_held_but_not_opened(store):
    survey = parse_survey(
        definition(yes_no(privacy={"mechanism": "table", "rows": [[2, 0], [1, 1]]}))
    )
    store.surveys.save_draft(survey)
    store.surveys.freeze(freeze(survey, to_open=False), "closed")
    with pytest.raises(ZeroEntry):
        store.lifecycle.set_state("health", "open")
