"""Counts of responses: one row for each code, whatever the question is called."""

import pytest

from survey.definition.responses.parse_response import Response
from tests.store.response_samples import responses_drawn
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import PICKED, SAMPLED

pytestmark = pytest.mark.both_stores


def test_counts_of_a_survey_cost_the_same_at_any_n(store):
    """One row for each code that occurred, however often it occurred."""
    opened(store, SAMPLED, "closed")
    rows = []
    for seed in range(2):
        store.responses.add_batches("health", [responses_drawn(3_000, PICKED, seed)], "loaded")
        rows.append(sum(len(codes) for codes in store.counts.by_question("health").values()))
    assert rows[0] == rows[1]


def test_sql_words_make_good_question_names(store):
    opened(store, definition(yes_no("select"), yes_no("table"), yes_no("rowid")))
    store.responses.add_response("health", Response(b"\1" * 16, (0, 1, 0)))
    assert store.counts.by_question("health") == {
        "select": {0: 1},
        "table": {1: 1},
        "rowid": {0: 1},
    }
