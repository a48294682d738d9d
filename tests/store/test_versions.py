"""Versions of public pages: they follow what the public knows."""

from datetime import date

import pytest

from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.formats.field_days import FieldDays
from survey.store import Limits, Store
from survey.store.sql.audit_log import Act
from tests.support.cached_pages import CONTENT
from tests.support.definitions import definition, opened


@pytest.mark.both_stores
def test_versions_are_of_what_the_public_knows(store: Store) -> None:
    opened(store, CONTENT)
    opened(store, definition(slug="other"))
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    found = store.public.versions(["health", "other", "draft", "nothing"], results=False)
    assert set(found) == {"health", "other"}
    assert found["health"] != found["other"]
    assert found["health"] == store.public.shown_survey("health")[2]
    assert store.public.shown_survey("health")[1] is False
    store.shares.publish("other", True)
    assert store.public.shown_survey("other")[1] is True
    assert store.public.shown_survey("health")[1] is False
    results = store.public.versions(["health"], results=True)
    assert results["health"] == store.public.shown_results("health")[2] != found["health"]


# --- the days on which a survey was open

MARCH, APRIL = date(2026, 3, 30), date(2026, 4, 2)
AT_NOON_IN_APRIL, AT_END_OF_MARCH = 1_775_131_200, 1_774_915_200
BY_RESEARCHER = "closed the survey"


@pytest.fixture
def survey(store):
    survey = parse_survey(definition())
    store.surveys.save_draft(survey)
    store.surveys.freeze(freeze(survey), "open", MARCH)
    acted(store, "opened the survey", AT_END_OF_MARCH - 100)
    return survey


def acted(store, action, moment):
    store.audit.record(Act(survey="health", account="ada", action=action, moment=moment))


def days(store):
    return store.public.field_days(store.surveys.by_slug("health"))


def test_an_open_survey_has_no_last_day(store, survey):
    assert days(store) == FieldDays(MARCH, None)


def test_a_researcher_closes_it(store, survey):
    store.lifecycle.set_state("health", "closed")
    assert days(store) == FieldDays(MARCH, None)
    acted(store, BY_RESEARCHER, AT_NOON_IN_APRIL)
    acted(store, "did something else", AT_NOON_IN_APRIL + 10**6)
    assert days(store) == FieldDays(MARCH, APRIL)
    store.lifecycle.set_state("health", "open")
    assert days(store) == FieldDays(MARCH, None)


def test_the_closing_time_closes_it(store, survey):
    store.lifecycle.set_limits("health", Limits(closes=AT_END_OF_MARCH))
    store.lifecycle.close_due(AT_NOON_IN_APRIL)
    assert days(store) == FieldDays(MARCH, MARCH)
    # A click on a page that was loaded before changes nothing.
    acted(store, BY_RESEARCHER, AT_NOON_IN_APRIL)
    assert days(store) == FieldDays(MARCH, MARCH)


def test_the_day_is_unknown_if_the_number_of_responses_may_have_closed_it(store, survey):
    store.lifecycle.set_limits("health", Limits(cap=1_000, closes=AT_END_OF_MARCH))
    store.lifecycle.close_due(AT_NOON_IN_APRIL)
    assert days(store) == FieldDays(MARCH, None)


def test_an_earlier_closing_does_not_count(store, survey):
    acted(store, BY_RESEARCHER, AT_END_OF_MARCH - 50)
    acted(store, "opened the survey", AT_END_OF_MARCH - 40)
    store.lifecycle.set_state("health", "closed")
    assert days(store) == FieldDays(MARCH, None)


def test_the_last_day_is_never_before_the_first(store, survey):
    store.lifecycle.set_state("health", "closed")
    acted(store, BY_RESEARCHER, 5)
    assert days(store) == FieldDays(MARCH, MARCH)


def test_the_days_are_unknown_without_the_first(store):
    opened(store, definition())
    assert days(store) is None


def test_the_version_of_the_public_page_follows_the_last_day(store, survey):
    store.lifecycle.set_state("health", "closed")
    [before] = store.public.versions(["health"], results=True).values()
    acted(store, BY_RESEARCHER, AT_NOON_IN_APRIL)
    [after] = store.public.versions(["health"], results=True).values()
    _, shown, version = store.public.shown_results("health")
    assert after != before
    assert version == after
    assert shown.field_days == FieldDays(MARCH, APRIL)
