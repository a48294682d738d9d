"""Batches: nobody who watches the page or the files sees a single report arrive."""

import json
import random
import re
import sqlite3
import threading
from pathlib import Path
from shutil import copyfile

import pytest
from flask import Flask

from survey.core.errors import ConflictingResponse, DefinitionError, StoreUnavailable
from survey.definition.fieldwork import DEFAULT_BATCH_RESPONSES
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.formats.csv_export import results_as_json
from survey.store import Limits, Store, open_store
from tests.support.batches import feed, plain, responses
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened
from tests.support.every_type import EVERY_TYPE, PICKED, SAMPLED, sent, tallied
from tests.support.lengths import length, soak
from tests.support.researchers import Researcher, signed_in
from tests.support.stores import connected, is_postgresql

pytestmark = pytest.mark.both_stores

BATCHED = definition(batch=25)
# The moments at which pages and files are read. An early response stays visible, so the 49th moment
# detects it wherever it appeared.
LOOKS = {*range(26, 50, length(23, 1)), 50}


def rows(some: list[Response]) -> list[tuple]:
    return [each.reports for each in sorted(some, key=lambda each: each.id)]


def assert_shown(store: Store, shown: list[Response], waiting: int, slug: str = "health") -> None:
    """Exactly these responses are in the counts and the export, and this number waits."""
    assert list(store.responses.rows(slug)) == rows(shown)
    counted = {name: sum(codes.values()) for name, codes in store.counts.by_question(slug).items()}
    if len(shown[0].reports if shown else ()) == 1:
        assert counted == {"smokes": len(shown)}
    assert store.counts.published_and_waiting(slug)[1] == waiting
    assert store.counts.number_of_responses(slug) == len(shown) + waiting


def judge(database: str | Path, batch: int, at_rest: bool = True) -> int:
    """The number of waiting responses, checked with separate SQL.

    The counts are those of the rows that do not wait, and less than a batch waits. PostgreSQL may
    have more waiting until the moment of their publication.
    """
    with connected(database) as connection:
        table = connection.execute("SELECT * FROM responses_health").fetchall()
        waiting = {row[0] for row in connection.execute("SELECT id FROM waiting").fetchall()}
        counts = connection.execute("SELECT question, report, responses FROM counts").fetchall()
    published = [tuple(reports) for id, *reports in table if id not in waiting]
    assert waiting <= {row[0] for row in table}
    assert len(waiting) < batch or (is_postgresql(database) and not at_rest)
    expected = {
        (name, code, n) for name, codes in tallied(published).items() for code, n in codes.items()
    }
    assert set(counts) == expected
    assert len(counts) == len(expected)
    return len(waiting)


# --- the definition


def test_a_survey_says_how_many_are_published_at_once_and_25_need_no_saying():
    assert parse_survey(definition(batch=7)).fieldwork.batch == 7
    content = definition()
    del content["batch"]
    survey = parse_survey(content)
    assert survey.fieldwork.batch == DEFAULT_BATCH_RESPONSES == 25
    assert "batch" not in survey.as_definition()
    assert parse_survey(definition(batch=7)).as_definition()["batch"] == 7


@check_each("wrong", [0, -1, 10_001, 2.0, "25", None, True, []])
def test_it_is_a_whole_number_from_1_to_10000(wrong):
    with pytest.raises(DefinitionError, match=r"batch: must be a whole number from 1 to 10,000\."):
        parse_survey(definition(batch=wrong))


def test_the_builder_has_a_field_for_it_and_keeps_it(researcher: Researcher, store: Store):
    page = researcher.client.get("/admin/surveys/new").get_data(as_text=True)
    assert re.search(r'<input[^>]*name="batch"[^>]*value="25"', page)
    form = {
        "title": "Health", "slug": "health", "language": "en", "layout": "all_on_one_page",
        "do": "save",
        "questions-0-label": "Do you smoke?", "questions-0-type": "yes_no",
        "questions-0-privacy": "coin_flip",
    }  # fmt: skip
    reply = researcher.post("/admin/surveys/new", form | {"batch": "40"})
    assert reply.status_code == 302
    assert store.surveys.by_slug("health").survey.fieldwork.batch == 40
    page = researcher.client.get("/admin/surveys/health/edit").get_data(as_text=True)
    assert re.search(r'<input[^>]*name="batch"[^>]*value="40"', page)
    page = researcher.post("/admin/surveys/new", form | {"batch": "none"}).get_data(as_text=True)
    assert "Batch size for publishing responses: type a whole number" in page


# --- over HTTP: byte-identical until the batch is full


def pages(researcher: Researcher, slug: str = "health") -> dict[str, bytes]:
    """The pages and files with results, without the token of each form."""
    found = {}
    for name in ("results", "estimates.csv", "responses.csv", "codebook.json"):
        reply = researcher.client.get(f"/admin/surveys/{slug}/{name}")
        assert reply.status_code == 200
        found[name] = re.sub(rb'name="csrf_token"[^>]*value="[^"]+"', b"", reply.data)
    return found


def so_far(researcher: Researcher) -> str:
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    [said] = re.findall(r'<p class="[^"]*so-far">([^<]*)</p>', page)
    return str(said)


def test_a_closed_survey_says_why_the_results_lack_some(researcher: Researcher, store: Store):
    opened(store, definition(batch=25))
    feed(store, plain(4))
    store.lifecycle.set_state("health", "closed")
    assert so_far(researcher).startswith(
        "4 responses received. Candor has not published 4 responses. With fewer than 5 new "
        "responses"
    )
    store.lifecycle.set_state("health", "open")
    feed(store, plain(6, seed=2))
    store.lifecycle.set_state("health", "closed")
    page = researcher.client.get("/admin/surveys/health/results").get_data(as_text=True)
    assert "From 10 responses" in page
    assert "so-far" not in page


def test_a_survey_closed_before_anything_came_says_so(researcher: Researcher, store: Store):
    opened(store, definition(batch=25))
    store.lifecycle.set_state("health", "closed")
    assert so_far(researcher) == "The survey was closed before it received a response."


@soak
def test_pages_and_files_are_byte_identical_until_the_25th_new_response(
    researcher: Researcher, store: Store, client
):
    content = {key: value for key, value in SAMPLED.items() if key != "batch"}
    fingerprint = opened(store, content).fingerprint
    arriving = responses(50, sample=PICKED)

    def send(response: Response) -> None:
        body = {
            "id": response.id.hex(), "fingerprint": fingerprint, "reports": sent(response.reports),
        }  # fmt: skip
        assert client.post("/s/health/responses", json=body).status_code == 201

    before = pages(researcher)
    assert b"Results appear when Candor has received 25 responses." in before["results"]
    for response in arriving[:24]:
        send(response)
    assert pages(researcher) == before
    send(arriving[24])
    before = pages(researcher)
    for number, response in enumerate(arriving[25:], start=26):
        send(response)
        assert store.counts.number_of_responses("health") == number
        if number in LOOKS:
            now = pages(researcher)
            assert [now[name] == before[name] for name in now] == [number != 50] * 4
            before = now
    assert b"From 50 responses" in now["results"]
    assert now["responses.csv"].count(b"\r\n") >= 51


@pytest.mark.parametrize("kind", ["by-hand", "comprehension"])
def test_parts_wait_like_their_whole(researcher: Researcher, store: Store, kind: str):
    opened(store, definition(batch=3, by_hand=True, comprehension=True))
    slug = f"health.{kind}"
    places = len(store.surveys.by_slug(slug).survey.fields)
    ids = [bytes([number]) * 16 for number in range(7)]
    before = pages(researcher, slug) | {"whole": pages(researcher)["results"]}
    for number, id in enumerate(ids, start=1):
        store.responses.add_response(slug, Response(id, (0,) * places))
        now = pages(researcher, slug) | {"whole": pages(researcher)["results"]}
        assert (now == before) == (number % 3 != 0)
        before = now
    assert (
        store.counts.number_of_responses(slug),
        store.counts.published_and_waiting(slug)[1],
    ) == (7, 1)
    # With a batch of 3, fewer than 3 stay unpublished.
    store.lifecycle.set_state("health", "closed")
    assert (
        store.counts.number_of_responses(slug),
        store.counts.published_and_waiting(slug)[1],
    ) == (7, 1)


def test_a_batch_of_one_shows_each_at_once(store: Store):
    opened(store, definition(batch=1))
    for number, response in enumerate(plain(3), start=1):
        feed(store, [response])
        assert_shown(store, plain(3)[:number], 0)


def test_the_overview_the_list_and_the_command_tell_how_many_have_come(
    app, researcher: Researcher, store: Store
):
    opened(store, BATCHED)
    feed(store, plain(27))
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert re.search(r"<dt>Responses</dt><dd[^>]*>27</dd>", page)
    assert (
        "25 responses are published, and 2 are waiting. The next batch is published after 23 more "
        "responses." in page
    )
    listed = researcher.client.get("/admin/").get_data(as_text=True)
    assert '<td class="figure" data-label="Responses">27</td>' in listed
    runner = app.test_cli_runner()
    assert "health: open, 27 responses" in runner.invoke(args=["survey", "list"]).output
    assert "25 responses" in runner.invoke(args=["analyse", "estimate", "health"]).output


# --- closing


def test_the_first_closing_releases_what_waits(store: Store):
    opened(store, BATCHED)
    arriving = plain(30)
    feed(store, arriving)
    assert_shown(store, arriving[:25], 5)
    store.lifecycle.set_state("health", "closed")
    assert_shown(store, arriving, 0)
    store.lifecycle.set_state("health", "closed")  # a second click
    assert_shown(store, arriving, 0)


def test_a_later_closing_does_not_or_one_response_could_be_read_off(store: Store):
    opened(store, BATCHED)
    arriving = plain(60)
    feed(store, arriving[:30])
    store.lifecycle.set_state("health", "closed")
    for number in range(30, 54):  # one at a time, closed each time
        store.lifecycle.set_state("health", "open")
        feed(store, [arriving[number]])
        store.lifecycle.set_state("health", "closed")
        assert_shown(store, arriving[:30], number - 29)
    store.lifecycle.set_state("health", "open")
    feed(store, [arriving[54]])
    assert_shown(store, arriving[:55], 0)


def test_a_survey_that_never_was_open_is_not_one_that_was_closed(store: Store):
    opened(store, BATCHED, "closed")
    store.lifecycle.set_state("health", "open")
    feed(store, plain(5))
    store.lifecycle.set_state("health", "closed")
    assert_shown(store, plain(5), 0)


@pytest.mark.parametrize(("batch", "fewest"), [(25, 5), (6, 5), (5, 5), (3, 3), (2, 2)])
def test_closing_keeps_back_fewer_than_five(store: Store, batch, fewest):
    """The rule does not depend on earlier publications.

    Unpublished responses are published with more at a later closing.
    """
    opened(store, definition(batch=batch))
    arriving = plain(batch + fewest)
    for published in (0, batch):
        for waiting in range(1, fewest):
            feed(store, arriving[published + waiting - 1 : published + waiting])
            store.lifecycle.set_state("health", "closed")
            assert_shown(store, arriving[:published], waiting)
            store.lifecycle.set_state("health", "open")
        feed(store, arriving[published + fewest - 1 : published + batch])
    store.lifecycle.set_state("health", "closed")
    assert_shown(store, arriving, 0)
    # From now on, only a full batch is published.
    store.lifecycle.set_state("health", "open")
    more = plain(batch, "more")
    feed(store, more[: batch - 1])
    store.lifecycle.set_state("health", "closed")
    assert_shown(store, arriving, batch - 1)


def test_fewer_than_five_are_kept_back_at_the_last_day_and_at_the_cap_too(store: Store):
    for slug, limits in (("day", Limits(closes=10)), ("cap", Limits(cap=4))):
        opened(store, definition(slug=slug, batch=25))
        store.lifecycle.set_limits(slug, limits)
        feed(store, plain(4, slug), slug)
        store.lifecycle.close_due(10)
        assert store.surveys.by_slug(slug).state == "closed"
        assert_shown(store, [], 4, slug)


def test_before_it_is_opened_again_the_overview_says_so(researcher: Researcher, store: Store):
    opened(store, BATCHED)
    store.lifecycle.set_state("health", "closed")
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "publishes new responses only in full batches of 25" in page
    assert "has not published" not in page
    store.lifecycle.set_state("health", "open")
    feed(store, plain(6))
    store.lifecycle.set_state("health", "closed")
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "Candor has not published 6 responses. After a survey is reopened" in page


def test_a_closed_survey_says_why_it_keeps_back_a_few(researcher: Researcher, store: Store):
    opened(store, BATCHED)
    feed(store, plain(1))
    store.lifecycle.set_state("health", "closed")
    page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
    assert "Candor has not published 1 response. With fewer than 5 new responses" in page
    assert "publishes new responses only in full batches of 25" not in page


# --- withdrawal, retries, other data


def test_a_withdrawal_takes_effect_at_once_whether_it_waits_or_is_counted(store: Store):
    opened(store, EVERY_TYPE | {"batch": 25, "receipts": True})
    arriving = responses(27)
    feed(store, arriving)
    counts = store.counts.by_question("health")
    assert store.responses.withdraw("health", arriving[26].id)  # a waiting one: no change
    assert (
        store.counts.by_question("health")
        == counts
        == tallied(each.reports for each in arriving[:25])
    )
    assert_shown(store, arriving[:25], 1)
    assert store.responses.withdraw("health", arriving[0].id)
    assert store.counts.by_question("health") == tallied(each.reports for each in arriving[1:25])
    assert_shown(store, arriving[1:25], 1)
    assert not store.responses.withdraw("health", arriving[26].id)
    # A response withdrawn while it waits does not count towards the batch.
    more = responses(24, "more")
    feed(store, more[:23])
    assert_shown(store, arriving[1:25], 24)
    feed(store, more[23:])
    assert_shown(store, [*arriving[1:26], *more], 0)
    assert store.counts.by_question("health") == tallied(
        each.reports for each in [*arriving[1:26], *more]
    )


def test_a_retry_of_one_that_waits_is_recognised_and_not_counted_twice(store: Store):
    opened(store, BATCHED)
    arriving = plain(24)
    feed(store, arriving)
    for response in arriving:
        assert not store.responses.add_response("health", response)
    with pytest.raises(ConflictingResponse):
        store.responses.add_response(
            "health", Response(arriving[0].id, (1 - arriving[0].reports[0],))
        )
    assert_shown(store, [], 24)


def test_loaded_and_simulated_data_know_no_batches(store: Store):
    opened(store, BATCHED, "closed")
    store.responses.add_batches("health", [plain(3)], "simulated")
    assert_shown(store, plain(3), 0)


def test_surveys_and_their_waiting_do_not_mix(store: Store):
    opened(store, BATCHED)
    opened(store, definition(slug="other", batch=25))
    same = plain(24)
    feed(store, same)
    feed(store, same, "other")
    feed(store, plain(1, "last"))
    assert_shown(store, same + plain(1, "last"), 0)
    assert_shown(store, [], 24, "other")


def test_estimates_come_from_what_is_published_alone(store: Store):
    frozen = opened(store, BATCHED)
    feed(store, plain(49))

    def figures() -> str:
        results = survey_results(frozen, store.counts.by_question("health"), "browser")
        return json.dumps(results_as_json(results), allow_nan=False)

    before = figures()
    assert json.loads(before)["n"] == 25
    feed(store, plain(1, "last"))
    assert json.loads(figures())["n"] == 50


@pytest.mark.sqlite_only
def test_a_fault_in_the_middle_of_a_release_leaves_everything_as_it_was(store, monkeypatch):
    """The 25th arrives while the database fails. It is refused, and the others still wait."""
    opened(store, BATCHED)
    arriving = plain(25)
    feed(store, arriving[:24])

    def broken(*arguments: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(store.counts, "add_to_counts", broken)
        with pytest.raises(StoreUnavailable):
            store.responses.add_response("health", arriving[24])
    assert_shown(store, [], 24)
    feed(store, arriving[24:])
    assert_shown(store, arriving, 0)


# --- an export during the fieldwork


def test_an_export_never_holds_what_waited_when_it_was_read(store: Store, monkeypatch):
    """Pages of ten rows, with a batch published in between."""
    monkeypatch.setattr("survey.store.sql.responses.EXPORT_PAGE_RESPONSES", 10)
    opened(store, EVERY_TYPE | {"batch": 25})
    early, waiting = responses(100), responses(24, "waiting")
    feed(store, early + waiting)
    texts = dict.fromkeys(rows(early), "early") | dict.fromkeys(rows(waiting), "waiting")
    late = responses(20, "late")
    export = store.responses.rows("health")
    given = [next(export)]
    feed(store, late[:1])  # publishes the 24 and itself in the middle of the export
    given += list(export)
    kinds = [texts.get(row, "late") for row in given]
    assert kinds.count("early") == 100
    assert kinds.count("waiting") == 0  # it waited when first read, so it is omitted to the end
    again = list(store.responses.rows("health"))
    assert again == rows(early + waiting + late[:1])
    feed(store, late[1:])
    assert list(store.responses.rows("health")) == again


def test_threads_and_two_stores_at_once_neither_lose_nor_count_twice(settings):
    """Two stores on one file, as on two servers, with four threads each.

    At any time, the counts are those of the rows that do not wait.
    """
    first, second = open_store(settings.database), open_store(settings.database)
    opened(first, EVERY_TYPE | {"batch": 7})
    arriving = responses(243)
    ending = threading.Event()
    looks: list[int] = []

    def run(store: Store, mine: list[Response]) -> None:
        feed(store, mine)

    def watch() -> None:
        while not ending.is_set():
            looks.append(judge(settings.database, 7, at_rest=False))
            assert first.counts.number_of_responses("health") <= 243

    stores = (first, second)
    threads = [
        threading.Thread(target=run, args=[stores[number % 2], arriving[number::8]])
        for number in range(8)
    ]
    watcher = threading.Thread(target=watch)
    watcher.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ending.set()
    watcher.join()
    assert judge(settings.database, 7) == 243 % 7
    assert (
        first.counts.number_of_responses("health")
        == second.counts.number_of_responses("health")
        == 243
    )
    assert looks
    second.lifecycle.set_state("health", "closed")
    assert judge(settings.database, 7) == 0
    assert first.counts.by_question("health") == tallied(each.reports for each in arriving)
    for store in stores:
        store.close()


def test_control_a_count_too_early_is_found(settings):
    store = open_store(settings.database)
    opened(store, EVERY_TYPE | {"batch": 7})
    feed(store, responses(9))
    assert judge(settings.database, 7) == 2
    with connected(settings.database) as connection:
        connection.execute(
            "DELETE FROM waiting WHERE id = (SELECT id FROM waiting ORDER BY id LIMIT 1)"
        )
    with pytest.raises(AssertionError):
        judge(settings.database, 7)
    store.close()


# --- the bytes of the file


def compacted_after(folder: Path, name: str, arriving: list[Response], batch: int) -> bytes:
    database = folder / f"{name}.db"
    origin = folder / f"origin{batch}.db"
    if not origin.exists():
        store = open_store(str(origin))
        opened(store, SAMPLED | {"batch": batch})
        store.close()
    copyfile(origin, database)
    store = open_store(str(database))
    feed(store, arriving)
    store.compact()
    store.close()
    return database.read_bytes()


@pytest.mark.slow
def test_compacted_files_depend_on_what_came_and_on_what_waits_and_on_no_order(tmp_path: Path):
    """The same responses with the same ones waiting give the same bytes.

    Which ones wait shows that they arrived last, and nothing more. After all are published, the
    order is gone.
    """
    r = random.Random(5)
    arriving = responses(110, sample=PICKED)
    published, last = arriving[:100], arriving[100:]
    orders = [r.sample(published, 100) + r.sample(last, 10) for _ in range(3)]
    files = {compacted_after(tmp_path, f"{n}", order, 25) for n, order in enumerate(orders)}
    assert len(files) == 1
    # A control: if others wait, the file differs.
    others = r.sample(arriving, 110)
    assert {each.id for each in others[100:]} != {each.id for each in last}
    assert compacted_after(tmp_path, "others", others, 25) not in files
    # All are published, in any order.
    files = {compacted_after(tmp_path, f"all{n}", r.sample(arriving, 110), 11) for n in range(3)}
    assert len(files) == 1


def test_who_closes_is_told_what_that_shows(store, researcher):
    """The first closing publishes the waiting responses, unless they are too few.

    The page says so before the click.
    """
    opened(store, definition(batch=25))
    told = []
    for number in range(6):
        page = researcher.client.get("/admin/surveys/health").get_data(as_text=True)
        told.append(re.search(r'data-text="closing"[^>]*>([^<]*)<', page)[1])
        store.responses.add_response("health", Response(number.to_bytes(16), (number % 2,)))
    closes = "If you close the survey now, Candor does not publish"
    few = (
        "With fewer than 5 new responses, someone could see the effect of each response. Wait for "
        "more responses if"
    )
    assert told[0] == ""
    assert told[1] == f"{closes} 1 response. {few} you can."
    assert told[2:5] == [f"{closes} {n} responses. {few} you can." for n in (2, 3, 4)]
    assert told[5] == "If you close the survey now, Candor publishes the 5 remaining responses."


def test_remembered_results_have_every_published_response(store: Store, app: Flask):
    """Each page is as new as the counts, and in the language of its reader."""
    opened(store, definition(batch=1))
    researcher = signed_in(app)
    shown = []
    for n, language in [(9, "en"), (9, "vi"), (10, "en"), (10, "vi"), (11, "en")]:
        waiting = n - store.counts.number_of_responses("health")
        feed(store, plain(waiting, seed=n))
        page = researcher.client.get(
            "/admin/surveys/health/results", headers={"Accept-Language": language}
        ).get_data(as_text=True)
        assert re.search(rf"<dd>{n}</dd>", page)
        shown.append(re.search(r'<p class="said"[^>]*>(.*?)</p>', page)[1])
    assert shown[0] != shown[1]
    assert shown[2] != shown[3]
