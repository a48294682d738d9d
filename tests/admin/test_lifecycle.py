"""From draft to deletion: automatic closing, limits, and permanent deletion."""

import re
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from survey.core.errors import StateError, SurveyClosed, UnknownSurvey
from survey.definition.responses.invitation_codes import token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.server import clock
from survey.server.compaction import due, look
from survey.server.periodic import keep_on
from survey.store import Limits, Share, Store, open_store
from survey.store.sql.surveys import ABOUT_A_SURVEY
from tests.admin.overviews import OVERVIEW, text_of
from tests.support.batches import feed, plain, responses
from tests.support.database_contents import fill
from tests.support.definitions import definition, opened
from tests.support.researchers import PASSWORD, Researcher
from tests.support.stores import tables_with

pytestmark = pytest.mark.both_stores


NOW = 1_795_000_000  # 2026-11-18, 07:06:40 UTC
TODAY = date(2026, 11, 18)


@pytest.fixture
def at(monkeypatch):
    """Sets the clock of the application."""

    def set_to(moment: int) -> None:
        monkeypatch.setattr(clock, "now", lambda: moment)

    set_to(NOW)
    return set_to


def body(response: Response, fingerprint: str) -> dict:
    reports = {"smokes": str(response.reports[0])}
    return {"id": response.id.hex(), "fingerprint": fingerprint, "reports": reports}


# --- days
def test_a_day_ends_at_24_in_utc():
    end = clock.end_of(TODAY)
    assert datetime.fromtimestamp(end, UTC).isoformat() == "2026-11-19T00:00:00+00:00"
    assert clock.last_day(end) == TODAY
    assert clock.last_day(end + 1) == date(2026, 11, 19)


# --- a cap
def test_a_survey_closes_with_the_last_response_that_it_takes(store: Store, client):
    fingerprint = opened(store, definition()).fingerprint
    store.lifecycle.set_limits("health", Limits(cap=3))
    for number, response in enumerate(plain(3), start=1):
        assert store.surveys.by_slug("health").state == "open"
        reply = client.post("/s/health/responses", json=body(response, fingerprint))
        assert reply.status_code == 201, number
    assert store.surveys.by_slug("health").state == "closed"
    late = plain(1, "late")[0]
    reply = client.post("/s/health/responses", json=body(late, fingerprint))
    assert reply.status_code == 410
    assert reply.get_json()["error"] == "This survey is closed; nothing was recorded."
    page = client.get("/s/health")
    assert page.status_code == 410
    assert "This survey is closed." in page.get_data(as_text=True)
    # A retry of an accepted response is still acknowledged.
    again = client.post("/s/health/responses", json=body(plain(3)[2], fingerprint))
    assert again.status_code == 200
    assert store.counts.number_of_responses("health") == 3


def test_a_cap_counts_what_arrived_and_closing_by_it_is_a_first_closing(store: Store):
    opened(store, definition(batch=25))
    store.lifecycle.set_limits("health", Limits(cap=30))
    feed(store, plain(29))
    assert store.counts.published_and_waiting("health") == (25, 4)
    feed(store, plain(1, "last"))
    assert store.surveys.by_slug("health").state == "closed"
    assert store.counts.published_and_waiting("health") == (30, 0)


def test_those_who_toss_coins_count_and_the_test_of_understanding_does_not(store: Store):
    opened(store, definition(by_hand=True, comprehension=True))
    store.lifecycle.set_limits("health", Limits(cap=2))
    feed(store, plain(1))
    places = len(store.surveys.by_slug("health.comprehension").survey.fields)
    store.responses.add_response("health.comprehension", Response(bytes(16), (0,) * places))
    assert store.surveys.by_slug("health").state == "open"
    feed(store, plain(1, "coins"), "health.by-hand")
    states = [
        store.surveys.by_slug(f"health{part}").state for part in ("", ".by-hand", ".comprehension")
    ]
    assert states == ["closed"] * 3


def test_many_at_once_never_pass_the_cap(settings):
    stores = [open_store(settings.database) for _ in range(2)]
    opened(stores[0], definition(batch=4))
    stores[0].lifecycle.set_limits("health", Limits(cap=30))
    taken: list[bytes] = []

    def run(number: int) -> None:
        for response in plain(20, f"thread {number}"):
            try:
                if stores[number % 2].responses.add_response("health", response):
                    taken.append(response.id)
            except SurveyClosed:
                pass

    threads = [threading.Thread(target=run, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == stores[0].counts.number_of_responses("health") == 30
    assert stores[1].counts.published_and_waiting("health") == (28, 2)
    for store in stores:
        store.close()


def test_a_cap_that_is_reached_already_is_refused(store: Store):
    opened(store, definition())
    feed(store, plain(3))
    with pytest.raises(StateError, match="already 3 responses"):
        store.lifecycle.set_limits("health", Limits(cap=3))
    store.lifecycle.set_limits("health", Limits(cap=4))
    store.lifecycle.set_state("health", "closed")
    store.lifecycle.set_limits("health", Limits())
    store.lifecycle.set_state("health", "open")
    store.lifecycle.set_limits("health", Limits(cap=4))
    feed(store, plain(1, "last"))
    with pytest.raises(StateError, match="already 4 responses"):
        store.lifecycle.set_state("health", "open")
    assert store.surveys.by_slug("health").state == "closed"


# --- a last day
def test_a_survey_closes_when_its_last_day_is_over(store: Store, client, at):
    fingerprint = opened(store, definition(batch=25)).fingerprint
    end = clock.end_of(TODAY)
    store.lifecycle.set_limits("health", Limits(closes=end))
    first, second = plain(2)
    at(end - 1)
    assert client.get("/s/health").status_code == 200
    reply = client.post("/s/health/responses", json=body(first, fingerprint))
    assert reply.status_code == 201
    at(end)
    reply = client.post("/s/health/responses", json=body(second, fingerprint))
    assert reply.status_code == 410
    assert client.get("/s/health").status_code == 410
    assert store.surveys.by_slug("health").state == "closed"
    assert store.counts.published_and_waiting("health") == (0, 1)  # too few to publish


@pytest.mark.parametrize(
    ("path", "status"), [("/s/health", 410), ("/s/health/by-hand", 410), (OVERVIEW, 200)]
)
def test_whoever_asks_first_finds_it_closed(app, researcher, store: Store, at, path, status):
    opened(store, definition(by_hand=True))
    store.lifecycle.set_limits("health", Limits(closes=NOW))
    assert researcher.client.get(path).status_code == status
    assert store.surveys.by_slug("health").state == "closed"
    assert store.surveys.by_slug("health.by-hand").state == "closed"


def test_so_do_the_commands(app, store: Store, at):
    opened(store, definition())
    store.lifecycle.set_limits("health", Limits(closes=NOW))
    listed = app.test_cli_runner().invoke(args=["survey", "list"]).output
    assert listed.startswith("health: closed, 0 responses")


def test_where_nobody_asks_the_thread_that_compacts_closes_it_and_compacts(store: Store):
    opened(store, definition())
    feed(store, plain(2))
    store.lifecycle.set_limits("health", Limits(closes=1))  # in the past for any clock
    ending = threading.Event()

    def compact(patience: float) -> None:
        type(store).compact(store, patience)
        ending.set()

    store.compact = compact  # type: ignore[method-assign]
    assert not due(store)
    keep_on(lambda: look(store), ending, 0.01)
    assert store.surveys.by_slug("health").state == "closed"
    assert not store.database.compaction_due
    assert not due(store)


def test_other_surveys_and_drafts_stay_as_they_are(store: Store):
    opened(store, definition())
    opened(store, definition(slug="later"))
    store.lifecycle.set_limits("later", Limits(closes=NOW + 1))
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    store.lifecycle.set_limits("draft", Limits(closes=NOW - 1))
    store.lifecycle.close_due(NOW)
    assert {each.survey.slug: each.state for each in store.surveys.all()} == {
        "health": "open", "later": "open", "draft": "draft",
    }  # fmt: skip
    assert not store.database.compaction_due


def test_limits_stay_with_a_draft_that_is_edited_and_renamed(store: Store):
    store.surveys.save_draft(parse_survey(definition()))
    limits = Limits(cap=9, closes=NOW, target=5)
    store.lifecycle.set_limits("health", limits)
    store.surveys.save_draft(parse_survey(definition(slug="new")), replacing="health")
    assert store.surveys.by_slug("new").limits == limits


def test_limits_are_no_part_of_what_is_frozen(store: Store, client):
    opened(store, definition())
    before = client.get("/s/health.json").data, client.get("/s/health").data
    store.lifecycle.set_limits("health", Limits(cap=9, closes=2 * NOW, target=5))
    assert (client.get("/s/health.json").data, client.get("/s/health").data) == before


# --- the form
def limit(researcher: Researcher, **data: str):
    return researcher.post(f"{OVERVIEW}/limits", data, form=OVERVIEW)


def test_limits_are_set_changed_and_cleared_on_the_overview(researcher, store: Store, at):
    opened(store, definition())
    reply = limit(researcher, cap="400", last_day="2026-12-01", target="300")
    assert reply.status_code == 302
    december = clock.end_of(date(2026, 12, 1))
    assert store.surveys.by_slug("health").limits == Limits(cap=400, closes=december, target=300)
    page = text_of(researcher.client.get(OVERVIEW))
    assert "<dt>Maximum responses</dt><dd>400 responses</dd>" in page
    assert "<dt>Last day</dt><dd>1 December 2026, to 24:00 UTC <" in page
    assert 'data-end-of="2026-12-01"' in page
    assert "0 of 300 responses (target)." in page
    assert 'value="2026-12-01"' in page
    limit(researcher, cap="500")
    assert store.surveys.by_slug("health").limits == Limits(cap=500)
    assert "0 of 500 responses (maximum)." in text_of(researcher.client.get(OVERVIEW))
    limit(researcher)
    assert store.surveys.by_slug("health").limits == Limits()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"cap": "0"}, "between 1 and"),
        ({"cap": "many"}, "This is not a whole number"),
        ({"target": "-5"}, "between 1 and"),
        ({"last_day": "tomorrow"}, "This is not a date"),
        ({"last_day": "2026-11-17"}, "Choose a day from today (UTC) to ten years from now"),
        ({"last_day": "9999-12-31"}, "Choose a day from today"),
        ({"cap": "2"}, "already 2 responses"),
    ],
)
def test_limits_that_cannot_be_are_refused_beside_the_field(
    researcher, store: Store, at, data, words
):
    opened(store, definition())
    feed(store, plain(2))
    reply = limit(researcher, **data)
    assert reply.status_code == 422
    page = text_of(reply)
    assert words in page
    [name] = data
    assert re.search(rf'<input aria-describedby="[^"]*{name}-error"[^>]*aria-invalid="true"', page)
    assert store.surveys.by_slug("health").limits == Limits()


def test_today_is_a_last_day(researcher, store: Store, at):
    opened(store, definition())
    assert limit(researcher, last_day="2026-11-18").status_code == 302
    assert store.surveys.by_slug("health").limits.closes == clock.end_of(TODAY)


def test_a_draft_whose_last_day_is_over_is_not_opened(researcher, store: Store, at):
    store.surveys.save_draft(parse_survey(definition()))
    limit(researcher, last_day="2026-11-18")
    at(clock.end_of(TODAY))
    page = text_of(researcher.client.get(OVERVIEW))
    assert "The last day of this draft has passed" in page
    assert "Open survey" not in page
    shown = re.search(r'name="fingerprint" value="([0-9a-f]+)"', page)[1]
    seen = {"fingerprint": shown, "looked": "yes"}
    reply = researcher.post(f"{OVERVIEW}/open", seen, form=OVERVIEW)
    assert reply.status_code == 409
    assert store.surveys.by_slug("health").state == "draft"


def test_opening_again_asks_for_another_day_or_none(researcher, store: Store, at):
    opened(store, definition())
    store.lifecycle.set_limits("health", Limits(closes=NOW, target=7))
    page = text_of(researcher.client.get(OVERVIEW))
    assert "The last day was 18 November 2026." in page
    assert "Set another limit, or none" in page
    assert 'value="2026-11-18"' not in page  # not offered again
    again = f"{OVERVIEW}/open"
    assert researcher.post(again, {"last_day": "2026-11-17"}, form=OVERVIEW).status_code == 422
    assert store.surveys.by_slug("health").state == "closed"
    assert researcher.post(again, {"last_day": "2026-11-20"}, form=OVERVIEW).status_code == 302
    assert store.surveys.by_slug("health").state == "open"
    assert clock.last_day(store.surveys.by_slug("health").limits.closes) == date(2026, 11, 20)
    at(clock.end_of(date(2026, 11, 20)))
    assert researcher.post(again, form=OVERVIEW).status_code == 302
    assert store.surveys.by_slug("health").state == "open"
    assert store.surveys.by_slug("health").limits == Limits()


def test_so_does_one_that_is_full(researcher, store: Store):
    opened(store, definition())
    store.lifecycle.set_limits("health", Limits(cap=2))
    feed(store, plain(2))
    page = text_of(researcher.client.get(OVERVIEW))
    assert "The survey has received its maximum of 2 responses." in page
    again = f"{OVERVIEW}/open"
    reply = researcher.post(again, {"cap": "2"}, form=OVERVIEW)
    assert reply.status_code == 422
    assert "already 2 responses" in text_of(reply)
    assert researcher.post(again, {"cap": "3"}, form=OVERVIEW).status_code == 302
    feed(store, plain(1, "third"))
    assert store.surveys.by_slug("health").state == "closed"


def test_limits_of_a_closed_survey_or_a_part_are_refused(researcher, store: Store):
    opened(store, definition(by_hand=True))
    with pytest.raises(StateError, match="is a part"):
        store.lifecycle.set_limits("health.by-hand", Limits(cap=3))
    store.lifecycle.set_state("health", "closed")
    assert limit(researcher, cap="3").status_code == 409


# --- permanent deletion
def traces(database: str) -> set[str]:
    """The texts of that survey in the database file and its write-ahead log."""
    found = set()
    for path in (Path(database), Path(f"{database}-wal")):
        content = path.read_bytes() if path.exists() else b""
        found |= {
            word for word in ("Canary title", "canary introduction") if word.encode() in content
        }
        for response in (*responses(30), *responses(1, "late")):
            if response.id in content:
                found.add("id")
            if response.id[::-1] in content:
                found.add("id of texts")
        if token_hash("0" * 26) in content:
            found.add("invitation")
        if b"responses_health" in content:
            found.add("table")
    return found


@pytest.mark.sqlite_only
def test_deleted_is_gone_from_every_table_and_every_byte(settings):
    store = open_store(settings.database)
    fill(store)
    store.shares.add_share(Share("health", "the paper"), bytes(32))
    store.shares.publish("health", True)
    assert traces(settings.database) == {
        "Canary title", "canary introduction", "id", "id of texts", "invitation", "table",
    }  # fmt: skip
    other = store.counts.by_question("other")
    store.lifecycle.delete_survey("health")
    assert traces(settings.database) == set()  # before any compaction
    with closing(sqlite3.connect(settings.database)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall()
        for (table,) in tables:
            assert "health" not in table
            rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()
            assert not [row for row in rows if "health" in str(row)], table
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    for slug in ("health", "health.comprehension", "health.texts"):
        with pytest.raises(UnknownSurvey):
            store.surveys.by_slug(slug)
    assert store.counts.by_question("other") == other
    assert store.counts.number_of_responses("other") == 3
    # The address is available again, without anything of the deleted survey.
    opened(store, definition())
    assert store.counts.published_and_waiting("health") == (0, 0)
    assert store.invitations.issued_and_spent("health") == (0, 0)
    assert store.shares.links("health") == []
    assert not store.shares.is_published("health")
    store.close()


def test_whoever_adds_a_table_about_surveys_decides_whether_it_goes_with_them(store, settings):
    # The acts of researchers stay on record, above all the deletion.
    assert tables_with(settings.database, "survey") == {*ABOUT_A_SURVEY, "acts"}


@pytest.mark.sqlite_only
def test_control_without_overwriting_the_bytes_would_be_found(settings):
    store = open_store(settings.database)
    fill(store)
    with store.database.reading() as db:
        db.execute("PRAGMA secure_delete = OFF")
    store.lifecycle.delete_survey("health")
    assert traces(settings.database) >= {"canary introduction", "id"}
    store.close()


@pytest.mark.parametrize("origin", ["loaded", "simulated"])
def test_loaded_and_simulated_surveys_are_deleted_the_same_way(store: Store, origin):
    opened(store, definition(), "closed")
    store.responses.add_batches("health", [plain(5)], origin)
    store.lifecycle.delete_survey("health")
    with pytest.raises(UnknownSurvey):
        store.surveys.by_slug("health")


def test_drafts_open_surveys_and_parts_are_not_deleted_so(store: Store):
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    opened(store, definition(by_hand=True))
    for slug, words in (
        ("draft", "is a draft"),
        ("health", "is open. Close it first"),
        ("health.by-hand", "a part"),
    ):
        with pytest.raises(StateError, match=words):
            store.lifecycle.delete_survey(slug)
    assert store.surveys.by_slug("health").state == "open"


def test_deleting_takes_the_address_typed_on_a_page_of_its_own(researcher, store: Store, client):
    fill(store)
    page = text_of(researcher.client.get(f"{OVERVIEW}/erase"))
    assert "<strong>31 responses</strong>" in page
    assert "1 comprehension test" in page
    assert "40 invitations" in page
    for typed in ("", "Health", "healthy", "other", "health.comprehension"):
        reply = researcher.post(f"{OVERVIEW}/erase", {"address": typed, "own": PASSWORD})
        assert reply.status_code == 422, typed
        assert store.surveys.by_slug("health").state == "closed"
    assert "Nothing was deleted" in text_of(reply)
    missing, other = "Type your current password.", "This is not your current password. Try again."
    for wrong, fault in (({}, missing), ({"own": ""}, missing), ({"own": "not mine"}, other)):
        reply = researcher.post(f"{OVERVIEW}/erase", {"address": "health"} | wrong)
        assert reply.status_code == 422
        assert fault in text_of(reply)
        assert store.surveys.by_slug("health").state == "closed"
    reply = researcher.post(f"{OVERVIEW}/erase", {"address": " health ", "own": PASSWORD})
    assert reply.location == "/admin/"
    assert "“Canary title” is deleted, with 31 responses." in text_of(
        researcher.client.get("/admin/")
    )
    assert client.get("/s/health").status_code == 404
    assert client.get("/s/health.json").status_code == 404
    assert researcher.client.get(OVERVIEW).status_code == 404


def test_guessing_the_password_on_the_page_for_deleting_is_throttled(researcher, store: Store):
    fill(store)
    typed = {"address": "health", "own": "a guess"}
    statuses = [
        researcher.post(f"{OVERVIEW}/erase", typed, form="/admin/account").status_code
        for _ in range(22)
    ]
    assert statuses[:20] == [422] * 20
    assert statuses[20:] == [429] * 2
    right = {"address": "health", "own": PASSWORD}
    assert researcher.post(f"{OVERVIEW}/erase", right, form="/admin/account").status_code == 429
    assert store.surveys.by_slug("health").state == "closed"


def test_an_open_survey_has_no_page_for_deleting(researcher, store: Store):
    opened(store, definition())
    assert researcher.client.get(f"{OVERVIEW}/erase").status_code == 409
    assert "for good" not in text_of(researcher.client.get(OVERVIEW))
