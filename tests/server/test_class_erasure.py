"""A class that nobody ends is erased after its last day."""

from datetime import date
from functools import partial

import pytest

from survey.core.errors import UnknownSurvey
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.server import class_erasure
from survey.server.class_erasure import ClassErasure
from survey.web.audit_log import record_erased_class
from tests.support.classes import class_definition, is_erased, send
from tests.support.definitions import definition, yes_no

pytestmark = pytest.mark.both_stores

OPENED = date(2026, 11, 18)
NEXT_DAY, DAY_AFTER = date(2026, 11, 19), date(2026, 11, 20)


@pytest.fixture
def on(monkeypatch):
    """Sets the date of the server."""
    return lambda day: monkeypatch.setattr(class_erasure, "today", lambda: day)


def open_on(store, content, day=OPENED):
    survey = parse_survey(content)
    store.surveys.save_draft(survey)
    store.surveys.freeze(freeze(survey), "open", day)


def erasure_of(store):
    return ClassErasure(store, partial(record_erased_class, store))


def slugs(store):
    return {each.slug for each in store.surveys.list_surveys()}


@pytest.mark.parametrize("state", ["open", "closed", "reopened"])
def test_it_is_erased_after_the_day_that_follows_the_opening(store, settings, on, state):
    open_on(store, class_definition())
    send(store, 0, 1, 0, 1, 1, 0)
    if state != "open":
        store.lifecycle.set_state("health", "closed")
    if state == "reopened":
        store.lifecycle.set_state("health", "open")
    assert store.surveys.by_slug("health").last_class_day == NEXT_DAY
    erasure = erasure_of(store)
    for day in (OPENED, NEXT_DAY):
        on(day)
        erasure.look()
        assert store.counts.number_of_responses("health") == 6
    on(DAY_AFTER)
    erasure.look()
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("health")
    assert is_erased(settings.database)
    [act] = store.audit.acts()
    assert (act.survey, act.account) == ("health", "the server")
    assert act.action == "erased the class after its last day"
    assert store.database.compaction_due


def test_a_server_that_was_switched_off_erases_it_at_its_next_start(store, on):
    open_on(store, class_definition(), date(2020, 1, 1))
    on(DAY_AFTER)
    erasure_of(store).look()
    assert slugs(store) == set()


def test_other_surveys_stay(store, on):
    """Also one whose texts look like the field, and a draft in class mode."""
    text = '"class_mode":true'
    open_on(store, definition(yes_no(label=text), slug="text", introduction=text))
    open_on(store, definition(slug="off") | {"class_mode": False})
    store.surveys.save_draft(parse_survey(class_definition(slug="draft")))
    store.surveys.save_draft(parse_survey(class_definition(slug="never")))
    store.surveys.freeze(freeze(store.surveys.by_slug("never").survey), "closed")
    on(date(2027, 1, 1))
    erasure_of(store).look()
    assert slugs(store) == {"text", "off", "draft", "never"}
    assert store.surveys.by_slug("off").last_class_day is None
    assert store.surveys.by_slug("draft").last_class_day is None


def test_it_reads_the_database_once_a_day(store, on, monkeypatch):
    days = []
    monkeypatch.setattr(store.lifecycle, "end_old_classes", lambda day: days.append(day) or [])
    erasure = erasure_of(store)
    for day in (OPENED, OPENED, NEXT_DAY, NEXT_DAY):
        on(day)
        erasure.look()
    assert days == [OPENED, NEXT_DAY]


def test_it_looks_again_after_the_database_was_not_available(store, on, monkeypatch):
    open_on(store, class_definition())
    on(DAY_AFTER)
    erasure = erasure_of(store)
    with monkeypatch.context() as broken:
        broken.setattr(store.lifecycle, "end_old_classes", refuse)
        with pytest.raises(OSError, match="away"):
            erasure.look()
    erasure.look()
    assert slugs(store) == set()


def refuse(*_):
    raise OSError("away")
