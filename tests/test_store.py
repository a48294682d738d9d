"""The store: what it keeps, counts and refuses."""

import os

import pytest

from survey.definition import freeze, parse_survey
from survey.errors import (
    ConflictingResponse,
    SettingsError,
    StateError,
    SurveyClosed,
    UnknownSurvey,
    ZeroEntry,
)
from survey.intake import Response
from survey.store import Session, open_store
from tests.conftest import definition, opened, yes_no

ONE, TWO = Response(b"\1" * 16, (0,)), Response(b"\2" * 16, (1,))


def test_a_response_is_kept_and_counted(store):
    opened(store, definition())
    assert store.add_response("health", ONE) is True
    assert store.counts("health") == {"smokes": [1, 0]}
    assert list(store.responses("health")) == [(0,)]


def test_the_same_response_again_counts_once(store):
    opened(store, definition())
    assert [store.add_response("health", ONE) for _ in range(3)] == [True, False, False]
    assert store.counts("health") == {"smokes": [1, 0]}


def test_the_same_id_with_other_reports_is_refused_and_changes_nothing(store):
    opened(store, definition())
    store.add_response("health", ONE)
    with pytest.raises(ConflictingResponse, match="the first stays"):
        store.add_response("health", Response(ONE.id, (1,)))
    assert store.counts("health") == {"smokes": [1, 0]}


def test_a_closed_survey_takes_none_but_acknowledges_what_it_has(store):
    opened(store, definition())
    store.add_response("health", ONE)
    store.set_state("health", "closed")
    with pytest.raises(SurveyClosed):
        store.add_response("health", TWO)
    assert store.add_response("health", ONE) is False
    store.set_state("health", "open")
    assert store.add_response("health", TWO) is True


def test_responses_come_in_the_order_of_their_random_ids(store):
    opened(store, definition())
    ids = [os.urandom(16) for _ in range(50)]
    for number, id in enumerate(ids):
        store.add_response("health", Response(id, (number % 2,)))
    expected = [(ids.index(id) % 2,) for id in sorted(ids)]
    assert list(store.responses("health")) == expected


def test_drafts_can_be_changed_renamed_and_deleted(store):
    store.save_draft(parse_survey(definition()))
    store.save_draft(parse_survey(definition(slug="new", title="New")), replacing="health")
    assert store.survey("new").survey.title == "New"
    with pytest.raises(UnknownSurvey):
        store.survey("health")
    store.delete_draft("new")
    assert store.surveys() == []


def test_a_slug_is_taken_once(store):
    store.save_draft(parse_survey(definition()))
    store.save_draft(parse_survey(definition(slug="other")))
    with pytest.raises(StateError, match="take another name"):
        store.save_draft(parse_survey(definition()))
    with pytest.raises(StateError, match="take another name"):
        store.save_draft(parse_survey(definition()), replacing="other")


def test_what_is_frozen_stays(store):
    frozen = opened(store, definition())
    assert store.survey("health").frozen == frozen
    for change in (
        lambda: store.delete_draft("health"),
        lambda: store.save_draft(parse_survey(definition(title="Other")), replacing="health"),
        lambda: store.freeze(frozen, "open"),
    ):
        with pytest.raises(StateError, match="only a draft"):
            change()


def test_a_draft_that_changed_meanwhile_is_not_frozen(store):
    survey = parse_survey(definition())
    store.save_draft(survey)
    store.save_draft(parse_survey(definition(title="Changed")), replacing="health")
    with pytest.raises(StateError, match="changed meanwhile"):
        store.freeze(freeze(survey), "open")


def test_a_draft_holds_no_responses(store):
    store.save_draft(parse_survey(definition()))
    with pytest.raises(UnknownSurvey):
        store.add_response("health", ONE)
    with pytest.raises(StateError, match="is a draft"):
        store.add_batches("health", [[ONE]], "loaded")
    with pytest.raises(StateError, match="open it first"):
        store.set_state("health", "closed")


def test_real_and_simulated_responses_are_never_mixed(store):
    opened(store, definition())
    store.add_response("health", ONE)
    with pytest.raises(StateError, match="is open to respondents"):
        store.add_batches("health", [[TWO]], "simulated")
    store.set_state("health", "closed")
    with pytest.raises(StateError, match="never mixed"):
        store.add_batches("health", [[TWO]], "simulated")
    opened(store, definition(slug="made-up"), "closed")
    store.add_batches("made-up", [[ONE], [TWO]], "simulated")
    assert store.survey("made-up").state == "closed"
    assert store.counts("made-up") == {"smokes": [1, 1]}
    with pytest.raises(StateError, match="never mixed"):
        store.set_state("made-up", "open")
    with pytest.raises(StateError, match="never mixed"):
        store.add_batches("made-up", [[TWO]], "loaded")


def test_a_batch_with_a_fault_adds_nothing(store):
    opened(store, definition(), "closed")

    def interrupted():
        yield [ONE]
        raise RuntimeError("the file ended in the middle")

    with pytest.raises(RuntimeError):
        store.add_batches("health", interrupted(), "loaded")
    assert store.counts("health") == {"smokes": [0, 0]}
    assert store.survey("health").origin == "browser"
    store.set_state("health", "open")
    assert store.add_response("health", ONE)


def test_a_design_without_finite_epsilon_can_be_held_but_not_opened(store):
    survey = parse_survey(
        definition(yes_no(privacy={"mechanism": "table", "rows": [[2, 0], [1, 1]]}))
    )
    store.save_draft(survey)
    store.freeze(freeze(survey, allow_infinite=True), "closed")
    with pytest.raises(ZeroEntry):
        store.set_state("health", "open")


def test_everything_is_there_after_opening_the_file_again(settings):
    first = open_store(settings.database)
    opened(first, definition())
    first.add_response("health", ONE)
    first.close()
    again = open_store(settings.database)
    assert again.counts("health") == {"smokes": [1, 0]}
    assert again.survey("health").state == "open"
    again.close()


def test_sql_words_make_good_question_names(store):
    opened(store, definition(yes_no("select"), yes_no("table"), yes_no("rowid")))
    store.add_response("health", Response(b"\1" * 16, (0, 1, 0)))
    assert store.counts("health") == {"select": [1, 0], "table": [0, 1], "rowid": [1, 0]}


def test_an_unknown_kind_of_database_is_refused():
    with pytest.raises(SettingsError, match="path of a SQLite file"):
        open_store("mysql://somewhere/candor")


def test_accounts_sessions_and_the_setup_token(store):
    assert not store.has_accounts()
    store.set_setup_token("first")
    store.set_setup_token("second")
    assert not store.setup_token_is("first")
    assert not store.use_setup_token("first", "ada", "hash")
    assert store.use_setup_token("second", "ada", "hash")
    assert not store.use_setup_token("second", "eve", "hash")
    assert store.password_hash("ada") == "hash"
    assert store.password_hash("eve") is None
    with pytest.raises(StateError, match="account 'ada' already"):
        store.add_account("ada", "other")
    store.add_session("token", Session("ada", created=10, seen=10))
    store.touch_session("token", 20)
    assert store.session("token") == Session("ada", created=10, seen=20)
    store.delete_sessions_before(created=5, seen=15)
    assert store.session("token") is not None
    store.delete_sessions_before(created=11, seen=0)
    assert store.session("token") is None
