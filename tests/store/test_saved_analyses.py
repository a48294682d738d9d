"""Saved analyses: names, limits, and that one survey's are not another's."""

import pytest

from survey.core.errors import StateError
from survey.definition.survey import parse_survey
from survey.store import Store
from survey.store.sql.saved_analyses import MAX_SAVED_ANALYSES, SavedAnalysis
from tests.support.definitions import definition, opened

pytestmark = pytest.mark.both_stores

QUERY = "rows=smokes&columns=drinks"


def saved(name: str, slug: str = "health") -> SavedAnalysis:
    return SavedAnalysis(survey=slug, name=name, analysis="crosstab", query=QUERY)


def test_an_analysis_is_saved_renamed_and_deleted(store: Store) -> None:
    opened(store, definition())
    store.saved_analyses.save(saved("b"))
    store.saved_analyses.save(saved("a"))
    first, second = store.saved_analyses.list_analyses("health")
    assert (first.name, first.analysis, first.query) == ("a", "crosstab", QUERY)
    with pytest.raises(StateError, match="There is already an analysis “b”"):
        store.saved_analyses.save(saved("b"))
    with pytest.raises(StateError, match="already an analysis “b”"):
        store.saved_analyses.rename("health", first.number, "b")
    store.saved_analyses.rename("health", second.number, "b")
    store.saved_analyses.rename("health", first.number, "c")
    assert [each.name for each in store.saved_analyses.list_analyses("health")] == ["b", "c"]
    store.saved_analyses.delete("health", first.number)
    assert store.saved_analyses.list_analyses("health") == [second]


def test_a_number_is_of_one_survey(store: Store) -> None:
    opened(store, definition())
    opened(store, definition(slug="other"))
    store.saved_analyses.save(saved("a"))
    [found] = store.saved_analyses.list_analyses("health")
    store.saved_analyses.rename("other", found.number, "b")
    store.saved_analyses.delete("other", found.number)
    assert store.saved_analyses.list_analyses("health") == [found]
    store.saved_analyses.save(saved("a", "other"))


def test_a_draft_has_none_and_a_survey_has_a_limit(store: Store) -> None:
    store.surveys.save_draft(parse_survey(definition()))
    with pytest.raises(StateError, match="is a draft"):
        store.saved_analyses.save(saved("a"))
    opened(store, definition(slug="other"))
    for number in range(MAX_SAVED_ANALYSES):
        store.saved_analyses.save(saved(str(number), "other"))
    with pytest.raises(StateError, match="can have 100 saved analyses"):
        store.saved_analyses.save(saved("one more", "other"))
