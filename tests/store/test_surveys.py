"""Surveys in the store: drafts change, frozen surveys stay as they are."""

from datetime import date

import pytest

from survey.core.errors import StateError, UnknownSurvey
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.store import open_store
from tests.support.definitions import definition, opened
from tests.support.every_type import EVERY_TYPE, SAMPLED

pytestmark = pytest.mark.both_stores


def test_a_frozen_survey_of_every_type_is_read_back_as_it_was(settings):
    first = open_store(settings.database)
    frozen = [opened(first, content) for content in (EVERY_TYPE, SAMPLED | {"slug": "some"})]
    first.close()
    again = open_store(settings.database)
    for before in frozen:
        assert again.surveys.by_slug(before.survey.slug).frozen == before
    again.close()


def test_drafts_can_be_changed_renamed_and_deleted(store):
    store.surveys.save_draft(parse_survey(definition()))
    store.surveys.save_draft(parse_survey(definition(slug="new", title="New")), replacing="health")
    assert store.surveys.by_slug("new").survey.title == "New"
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("health")
    store.deleted_drafts.delete_draft("new", date.today())
    assert store.surveys.all() == []


def test_a_slug_is_taken_once(store):
    store.surveys.save_draft(parse_survey(definition()))
    store.surveys.save_draft(parse_survey(definition(slug="other")))
    with pytest.raises(StateError, match="Choose another name"):
        store.surveys.save_draft(parse_survey(definition()))
    with pytest.raises(StateError, match="Choose another name"):
        store.surveys.save_draft(parse_survey(definition()), replacing="other")


def test_what_is_frozen_stays(store):
    frozen = opened(store, definition())
    assert store.surveys.by_slug("health").frozen == frozen
    for change in (
        lambda: store.deleted_drafts.delete_draft("health", date.today()),
        lambda: store.surveys.save_draft(
            parse_survey(definition(title="Other")), replacing="health"
        ),
        lambda: store.surveys.freeze(frozen, "open"),
    ):
        with pytest.raises(StateError, match="change only drafts"):
            change()


def test_a_draft_that_changed_meanwhile_is_not_frozen(store):
    survey = parse_survey(definition())
    store.surveys.save_draft(survey)
    store.surveys.save_draft(parse_survey(definition(title="Changed")), replacing="health")
    with pytest.raises(StateError, match="in the meantime"):
        store.surveys.freeze(freeze(survey), "open")
