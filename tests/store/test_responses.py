"""Responses in the store: kept once, in a random order, in every form of report."""

import os
import sqlite3
from contextlib import closing

import pytest

from survey.core.errors import ConflictingResponse, StateError, SurveyClosed, UnknownSurvey
from survey.definition.responses.packed_columns import packs_of
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from tests.store.response_samples import ONE, TWO, responses_drawn
from tests.support.definitions import definition, opened
from tests.support.every_type import EVERY_TYPE, FIELDS, PICKED, SAMPLED, tallied

pytestmark = pytest.mark.both_stores


def test_a_response_is_kept_and_counted(store):
    opened(store, definition())
    assert store.responses.add_response("health", ONE) is True
    assert store.counts.by_question("health") == {"smokes": {0: 1}}
    assert list(store.responses.rows("health")) == [(0,)]


def test_the_same_response_again_counts_once(store):
    opened(store, definition())
    assert [store.responses.add_response("health", ONE) for _ in range(3)] == [True, False, False]
    assert store.counts.by_question("health") == {"smokes": {0: 1}}


def test_the_same_id_with_other_reports_is_refused_and_changes_nothing(store):
    opened(store, definition())
    store.responses.add_response("health", ONE)
    with pytest.raises(ConflictingResponse, match="the first stays"):
        store.responses.add_response("health", Response(ONE.id, (1,)))
    assert store.counts.by_question("health") == {"smokes": {0: 1}}


def test_a_closed_survey_takes_none_but_acknowledges_what_it_has(store):
    opened(store, definition())
    store.responses.add_response("health", ONE)
    store.lifecycle.set_state("health", "closed")
    with pytest.raises(SurveyClosed):
        store.responses.add_response("health", TWO)
    assert store.responses.add_response("health", ONE) is False
    store.lifecycle.set_state("health", "open")
    assert store.responses.add_response("health", TWO) is True


def test_responses_come_in_the_order_of_their_random_ids(store):
    opened(store, definition())
    ids = [os.urandom(16) for _ in range(50)]
    for number, id in enumerate(ids):
        store.responses.add_response("health", Response(id, (number % 2,)))
    expected = [(ids.index(id) % 2,) for id in sorted(ids)]
    assert list(store.responses.rows("health")) == expected


@pytest.mark.parametrize(("content", "sample"), [(EVERY_TYPE, None), (SAMPLED, PICKED)])
@pytest.mark.parametrize("way", ["one by one", "in batches"])
def test_every_form_of_report_is_kept_as_it_is_and_counted_by_code(store, content, sample, way):
    responses = responses_drawn(100, sample)
    opened(store, content, "open" if way == "one by one" else "closed")
    if way == "one by one":
        assert all(store.responses.add_response("health", response) for response in responses)
        assert not any(store.responses.add_response("health", response) for response in responses)
    else:
        store.responses.add_batches("health", [responses[:1], [], responses[1:]], "loaded")
    expected = [response.reports for response in sorted(responses, key=lambda each: each.id)]
    assert list(store.responses.rows("health")) == expected
    packs = packs_of(parse_survey(content))
    assert len(packs) < len(FIELDS)
    read = store.responses.rows("health", packs)
    assert [unpacked(packs, row) for row in read] == expected
    assert store.counts.by_question("health") == tallied(expected)


def unpacked(packs, row):
    return tuple(
        report for pack, value in zip(packs, row, strict=True) for report in pack.reports(value)
    )


@pytest.mark.sqlite_only
@pytest.mark.parametrize(("content", "unpicked"), [(EVERY_TYPE, 0), (SAMPLED, 8)])
def test_numbers_and_texts_have_columns_of_their_own_and_null_is_for_what_is_not_picked(
    store, settings, content, unpicked
):
    opened(store, content)
    with closing(sqlite3.connect(settings.database)) as connection:
        columns = connection.execute("PRAGMA table_xinfo(responses_health)").fetchall()
    kinds = {name: kind for _, name, kind, *_ in columns}
    texts = ("party", "colour", "tried", "news", "remarks")
    assert kinds == {"id": "BLOB"} | {n: "TEXT" if n in texts else "INTEGER" for n in FIELDS}
    nullable = [name for _, name, _, not_null, *_ in columns if not not_null]
    assert nullable == FIELDS[:unpicked]


@pytest.mark.parametrize("question", FIELDS)
def test_the_same_id_with_another_report_of_any_form_is_refused(store, question):
    opened(store, SAMPLED)
    [first, *others] = responses_drawn(60, PICKED)
    store.responses.add_response("health", first)
    place = FIELDS.index(question)
    different = {other.reports[place] for other in others} - {first.reports[place]}
    assert different
    for report in different:
        changed = (*first.reports[:place], report, *first.reports[place + 1 :])
        with pytest.raises(ConflictingResponse, match="the first stays"):
            store.responses.add_response("health", Response(first.id, changed))
    assert list(store.responses.rows("health")) == [first.reports]
    assert store.counts.by_question("health") == tallied([first.reports])


def test_a_draft_holds_no_responses(store):
    store.surveys.save_draft(parse_survey(definition()))
    with pytest.raises(UnknownSurvey):
        store.responses.add_response("health", ONE)
    with pytest.raises(StateError, match="is a draft"):
        store.responses.add_batches("health", [[ONE]], "loaded")
    with pytest.raises(StateError, match="Open it first"):
        store.lifecycle.set_state("health", "closed")


def test_real_and_simulated_responses_are_never_mixed(store):
    opened(store, definition())
    store.responses.add_response("health", ONE)
    with pytest.raises(StateError, match="is open to respondents"):
        store.responses.add_batches("health", [[TWO]], "simulated")
    store.lifecycle.set_state("health", "closed")
    with pytest.raises(StateError, match="never mixed"):
        store.responses.add_batches("health", [[TWO]], "simulated")
    opened(store, definition(slug="made-up"), "closed")
    store.responses.add_batches("made-up", [[ONE], [TWO]], "simulated")
    assert store.surveys.by_slug("made-up").state == "closed"
    assert store.counts.by_question("made-up") == {"smokes": {0: 1, 1: 1}}
    with pytest.raises(StateError, match="never mixed"):
        store.lifecycle.set_state("made-up", "open")
    with pytest.raises(StateError, match="never mixed"):
        store.responses.add_batches("made-up", [[TWO]], "loaded")


def test_a_batch_with_a_fault_adds_nothing(store):
    opened(store, definition(), "closed")

    def interrupted():
        yield [ONE]
        raise RuntimeError("the file ended in the middle")

    with pytest.raises(RuntimeError):
        store.responses.add_batches("health", interrupted(), "loaded")
    assert store.counts.by_question("health") == {}
    assert store.surveys.by_slug("health").origin == "browser"
    store.lifecycle.set_state("health", "open")
    assert store.responses.add_response("health", ONE)
