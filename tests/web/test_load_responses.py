"""Loading responses: batches of random ids, and surveys that close for data."""

import pytest

from survey.definition.survey import parse_survey
from survey.store import Store
from survey.web import load_responses
from survey.web.load_responses import closed_for_data, response_batches
from tests.support.definitions import definition


def test_rows_become_batches_with_ids_of_their_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(load_responses, "LOAD_BATCH_RESPONSES", 3)
    batches = list(response_batches(iter([(n,) for n in range(7)])))
    assert [len(batch) for batch in batches] == [3, 3, 1]
    assert [each.reports for batch in batches for each in batch] == [(n,) for n in range(7)]
    ids = {each.id for batch in batches for each in batch}
    assert len(ids) == 7
    assert {len(id) for id in ids} == {16}
    assert list(response_batches(iter(()))) == []


def test_a_draft_is_closed_for_data_even_if_it_cannot_open(app, store: Store):
    certain = {"mechanism": "table", "rows": [[1, 0], [0, 1]]}
    content = definition()
    content["questions"][0]["privacy"] = certain
    store.surveys.save_draft(parse_survey(content))
    with app.app_context():
        assert closed_for_data("health").slug == "health"
        assert store.surveys.by_slug("health").state == "closed"
        # It is closed already.
        assert closed_for_data("health").slug == "health"
