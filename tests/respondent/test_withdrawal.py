"""A receipt withdraws its response once and completely, as if it had never been sent."""

import json
import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from shutil import copyfile

import pytest

from survey.core.errors import ConflictingResponse, SurveyClosed, UnknownSurvey
from survey.definition.responses import receipts
from survey.definition.responses.invitation_codes import code_from, token_hash
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.estimation.build_results import survey_results
from survey.formats.csv_export import results_as_json
from survey.store import Store, open_store
from tests.support.at_once import serving_at_once
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import EVERY_TYPE, PICKED, SAMPLED, drawn, sent, stored, tallied
from tests.support.lengths import length, soak
from tests.support.stores import connected, disk_error

pytestmark = pytest.mark.both_stores

GONE = "There is no response for this receipt. It was withdrawn before, or it never arrived."
PATH = "/s/health/withdrawals"
WITHDRAWABLE = definition(receipts=True)


def receipt(seed: object) -> str:
    return random.Random(f"receipt {seed}").randbytes(16).hex()


def id_of(secret: str) -> bytes:
    """An independent calculation: the first 16 bytes of the SHA-256 of the 16 bytes."""
    return sha256(bytes.fromhex(secret)).digest()[:16]


def responses(n: int, sample: int | None = None, seed: int = 1) -> list[Response]:
    r = random.Random(seed)
    return [
        Response(id_of(receipt(f"{seed} {number}")), stored(drawn(r, sample)))
        for number in range(n)
    ]


# --- the store: as if it had never been sent


def figures(store: Store) -> str:
    """Every estimate with all its digits."""
    frozen = store.surveys.by_slug("health").frozen
    assert frozen is not None
    results = survey_results(frozen, store.counts.by_question("health"), "browser")
    return json.dumps(results_as_json(results), allow_nan=False)


@pytest.mark.parametrize(("content", "sample"), [(EVERY_TYPE, None), (SAMPLED, PICKED)])
def test_withdrawing_restores_every_count_and_estimate_of_every_kind_of_question(
    store, content, sample
):
    opened(store, content | {"receipts": True})
    first, *others = everyone = responses(60, sample)
    seen = []
    for number, response in enumerate(everyone):
        seen.append(
            (store.counts.by_question("health"), figures(store) if number % 20 == 0 else None)
        )
        store.responses.add_response("health", response)
    # Backwards, step by step, to nothing at all.
    for response, (counts, estimates) in zip(reversed(everyone), reversed(seen), strict=True):
        assert store.responses.withdraw("health", response.id) is True
        assert store.counts.by_question("health") == counts
        if estimates is not None:
            assert figures(store) == estimates
    assert store.counts.by_question("health") == {}
    # From the middle, with later responses that stay.
    for response in everyone:
        store.responses.add_response("health", response)
    assert store.responses.withdraw("health", first.id)
    kept = sorted(others, key=lambda each: each.id)
    assert list(store.responses.rows("health")) == [each.reports for each in kept]
    assert store.counts.by_question("health") == tallied(each.reports for each in kept)


def test_a_second_try_and_an_unknown_receipt_change_nothing(store):
    opened(store, EVERY_TYPE | {"receipts": True})
    first, second = responses(2)
    for response in (first, second):
        store.responses.add_response("health", response)
    assert store.responses.withdraw("health", first.id) is True
    counts = store.counts.by_question("health")
    assert store.responses.withdraw("health", first.id) is False
    assert store.responses.withdraw("health", bytes(16)) is False
    assert store.counts.by_question("health") == counts
    with pytest.raises(UnknownSurvey):
        store.responses.withdraw("nope", first.id)
    store.surveys.save_draft(parse_survey(definition(slug="draft")))
    with pytest.raises(UnknownSurvey):
        store.responses.withdraw("draft", first.id)


def test_a_withdrawal_touches_no_other_survey(store):
    opened(store, WITHDRAWABLE)
    opened(store, definition(slug="other", receipts=True))
    response = Response(id_of(receipt(1)), (0,))
    for slug in ("health", "other"):
        store.responses.add_response(slug, response)
    assert store.responses.withdraw("health", response.id)
    assert store.counts.by_question("health") == {}
    assert store.counts.by_question("other") == {"smokes": {0: 1}}
    assert list(store.responses.rows("other")) == [(0,)]


def test_a_fault_in_the_middle_takes_nothing_away(store, settings, monkeypatch):
    opened(store, WITHDRAWABLE)
    response = Response(id_of(receipt(1)), (0,))
    store.responses.add_response("health", response)

    def broken(*arguments: object, **options: object) -> None:
        raise disk_error(settings.database)

    with monkeypatch.context() as patch:
        patch.setattr(store.counts, "add_to_counts", broken)
        with pytest.raises(Exception, match="disk I/O error"):
            store.responses.withdraw("health", response.id)
    assert store.counts.by_question("health") == {"smokes": {0: 1}}
    assert list(store.responses.rows("health")) == [(0,)]
    assert store.responses.withdraw("health", response.id)


def test_an_invitation_is_not_given_back(store):
    opened(store, definition(receipts=True, invitations=True))
    token = token_hash(code_from(bytes(16)))
    store.invitations.add_invitations("health", [token])
    response = Response(id_of(receipt(1)), (0,), token)
    store.responses.add_response("health", response)
    assert store.responses.withdraw("health", response.id)
    assert store.invitations.issued_and_spent("health") == (1, 1)
    with pytest.raises(Exception, match="used before"):
        store.responses.add_response("health", response)


# --- the remaining responses


def filled_batch(store: Store, batch: int) -> list[Response]:
    """The responses of a published batch."""
    opened(store, definition(receipts=True, batch=batch))
    everyone = [Response(id_of(receipt(n)), (n % 2,)) for n in range(batch)]
    for response in everyone:
        store.responses.add_response("health", response)
    return everyone


def files_of(researcher) -> dict[str, str]:
    base = "/admin/surveys/health"
    return {
        name: researcher.client.get(f"{base}{name}").get_data(as_text=True)
        for name in ("", "/results", "/responses.csv")
    }


def test_who_withdraws_all_others_does_not_leave_one_response_to_be_read_off(
    store, client, researcher
):
    everyone = filled_batch(store, 25)
    store.shares.publish("health", True)
    assert len(list(store.responses.rows("health"))) == 25
    for n, response in enumerate(everyone[:20], 1):
        assert store.responses.withdraw("health", response.id)
        assert len(list(store.responses.rows("health"))) == 25 - n
    # From the fifth withdrawal on none is shown, and all remaining ones are still stored.
    for n, response in enumerate(everyone[20:24], 21):
        assert store.responses.withdraw("health", response.id)
        assert list(store.responses.rows("health")) == []
        assert store.counts.by_question("health") == {}
        assert store.counts.published_and_waiting("health") == (25 - n, 0)
    shown = files_of(researcher)
    # The header with the names of the columns.
    assert len(shown["/responses.csv"].splitlines()) == 1
    assert "Withdrawals left only 1 of the published responses" in shown[""]
    for page in (shown["/results"], client.get("/s/health/results").get_data(as_text=True)):
        assert "From 1 response" not in page
    # With the next batch the remaining responses are shown again.
    more = [Response(id_of(receipt(f"more {n}")), (1,)) for n in range(25)]
    for response in more:
        store.responses.add_response("health", response)
    assert len(list(store.responses.rows("health"))) == 26
    assert sum(store.counts.by_question("health")["smokes"].values()) == 26


def test_so_it_is_where_a_survey_is_closed_and_in_counts_within_groups(store):
    opened(store, definition(yes_no(privacy="none"), receipts=True, batch=25))
    question = store.surveys.by_slug("health").survey.fields[0]
    everyone = [Response(id_of(receipt(n)), (n % 2,)) for n in range(5)]
    for response in everyone:
        store.responses.add_response("health", response)
    store.lifecycle.set_state("health", "closed")
    assert len(list(store.responses.rows("health"))) == 5
    assert len(store.counts.by_group("health", question)) == 2
    assert store.responses.withdraw("health", everyone[0].id)
    assert list(store.responses.rows("health")) == []
    assert store.counts.by_group("health", question) == {}
    assert list(store.integrity.faults()) == []


@pytest.mark.parametrize(("batch", "fewest"), [(1, 1), (3, 3), (5, 5), (40, 5)])
def test_how_few_are_shown_follows_from_the_surveys_own_batch(store, batch, fewest):
    everyone = filled_batch(store, batch)
    for left in reversed(range(1, batch)):
        assert store.responses.withdraw("health", everyone[left].id)
        assert len(list(store.responses.rows("health"))) == (left if left >= fewest else 0)


def test_what_was_loaded_is_shown_however_few_it_is(store):
    opened(store, definition(batch=25), "closed")
    store.responses.add_batches("health", [[Response(bytes(16), (1,))]], "loaded")
    assert list(store.responses.rows("health")) == [(1,)]
    assert store.counts.by_question("health") == {"smokes": {1: 1}}


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """A database with an open survey without responses."""
    path = tmp_path / "origin.db"
    store = open_store(str(path))
    opened(store, SAMPLED | {"receipts": True})
    store.close()
    return path


def copy_of(origin: Path, name: str) -> Path:
    return Path(copyfile(origin, origin.with_name(f"{name}.db")))


@soak
@pytest.mark.parametrize("n", [1, length(250, 700)], ids=["one", "many"])
def test_the_compacted_file_is_as_if_the_withdrawn_had_never_come(origin, n):
    """Byte for byte.

    A third of the respondents withdraw, some at once, some later.
    """
    stay, leave = responses(n, PICKED, seed=2), responses(max(1, n // 3), PICKED, seed=3)
    files = []
    for name, everyone in (("never", stay), ("withdrawn", stay + leave)):
        database = copy_of(origin, name)
        store = open_store(str(database))
        for response in random.Random(4).sample(everyone, len(everyone)):
            store.responses.add_response("health", response)
        for response in everyone[n:]:
            assert store.responses.withdraw("health", response.id)
        if name == "withdrawn":
            assert database.read_bytes() != files[0]  # a control: compaction is needed
        store.compact()
        store.close()
        files.append(database.read_bytes())
    assert files[0] == files[1]


def test_already_before_compaction_the_withdrawn_stands_neither_in_the_file_nor_in_the_log(origin):
    """Deleted bytes are overwritten, and the log is emptied unless somebody is reading."""
    store = open_store(str(origin))
    stay, leave = responses(200, PICKED, seed=5), responses(1, PICKED, seed=6)
    text = "a text that nobody else wrote"
    [unique] = [Response(each.id, (*each.reports[:-1], text)) for each in leave]
    for response in [*stay[:100], unique, *stay[100:]]:
        store.responses.add_response("health", response)
    log = origin.with_name(f"{origin.name}-wal")
    before = origin.read_bytes() + log.read_bytes()
    assert unique.id in before
    assert text.encode() in before
    assert store.responses.withdraw("health", unique.id)
    after = origin.read_bytes() + log.read_bytes()
    assert unique.id not in after
    assert text.encode() not in after
    assert stay[0].id in after
    store.close()


def test_a_reader_keeps_nobody_from_withdrawing(origin):
    """The log stays for the reader, until the next compaction."""
    store = open_store(str(origin))
    [response] = responses(1, PICKED, seed=7)
    store.responses.add_response("health", response)
    with closing(sqlite3.connect(origin)) as reader:
        reader.execute("BEGIN").execute("SELECT * FROM responses_health").fetchone()
        assert store.responses.withdraw("health", response.id) is True
        assert store.counts.by_question("health") == {}
    store.compact()
    log = origin.with_name(f"{origin.name}-wal")
    assert response.id not in origin.read_bytes() + log.read_bytes()
    store.close()


def test_withdrawals_count_as_news_that_is_compacted(store):
    opened(store, WITHDRAWABLE)
    response = Response(id_of(receipt(1)), (0,))
    store.responses.add_response("health", response)
    store.responses.withdraw("health", response.id)
    store.responses.withdraw("health", response.id)
    assert store.database.uncompacted == 2


# --- over HTTP


def body_of(frozen, secret: str, report: str = "1") -> dict:
    return {
        "id": id_of(secret).hex(),
        "fingerprint": frozen.fingerprint,
        "reports": {"smokes": report},
    }


@pytest.mark.parametrize("state", ["open", "closed"])
def test_withdrawing_over_http_works_while_the_survey_is_open_or_closed(client, store, state):
    frozen = opened(store, WITHDRAWABLE)
    secret = receipt(1)
    assert client.post("/s/health/responses", json=body_of(frozen, secret)).status_code == 201
    store.lifecycle.set_state("health", state)
    reply = client.post(PATH, json={"receipt": secret})
    assert (reply.status_code, reply.get_json()) == (200, {"status": "withdrawn"})
    assert store.counts.by_question("health") == {}
    for again in (secret, receipt(2)):
        reply = client.post(PATH, json={"receipt": again})
        assert (reply.status_code, reply.get_json()) == (404, {"error": GONE})
    if state == "closed":
        with pytest.raises(SurveyClosed):
            store.responses.add_response("health", Response(id_of(secret), (1,)))


def test_the_id_is_no_receipt(client, store):
    """Nobody can withdraw with the ids in the database."""
    frozen = opened(store, WITHDRAWABLE)
    client.post("/s/health/responses", json=body_of(frozen, receipt(1)))
    reply = client.post(PATH, json={"receipt": id_of(receipt(1)).hex()})
    assert reply.status_code == 404
    assert store.counts.by_question("health") == {"smokes": {1: 1}}


def test_a_withdrawal_needs_the_same_as_a_response(client, store):
    opened(store, WITHDRAWABLE)
    store.responses.add_response("health", Response(id_of(receipt(1)), (0,)))
    good = json.dumps({"receipt": receipt(1)})
    json_type = {"Content-Type": "application/json"}
    for status, words, body, headers in [
        (403, "own pages", good, json_type | {"Sec-Fetch-Site": "cross-site"}),
        (403, "own pages", good, json_type | {"Origin": "https://elsewhere.example"}),
        (415, "the type application/json", good, {"Content-Type": "text/plain"}),
        (415, "the type application/json", good, json_type | {"Content-Encoding": "gzip"}),
        (413, "at most 1024 bytes", good + " " * receipts.MAX_BODY_BYTES, json_type),
        (400, "exactly the member", "{}", json_type),
        (400, "32 hexadecimal digits", good.upper().replace("RECEIPT", "receipt"), json_type),
    ]:
        reply = client.post(PATH, data=body, headers=headers)
        assert reply.status_code == status
        assert words in reply.get_json()["error"]
    assert store.counts.by_question("health") == {"smokes": {0: 1}}
    reply = client.get(PATH)
    assert reply.status_code == 405
    assert reply.is_json
    accepted = client.post(PATH, data=good, headers=json_type)
    assert accepted.status_code == 200
    assert "Set-Cookie" not in accepted.headers


def test_where_there_are_no_receipts_nothing_can_be_withdrawn(client, store):
    """Not even someone who guesses the page's address."""
    opened(store, definition())
    store.responses.add_response("health", Response(id_of(receipt(1)), (0,)))
    reply = client.post(PATH, json={"receipt": receipt(1)})
    assert reply.status_code == 404
    assert "gives no receipts" in reply.get_json()["error"]
    page = client.get("/s/health/withdraw")
    assert page.status_code == 404
    assert b"Page not found" in page.data
    assert store.counts.by_question("health") == {"smokes": {0: 1}}
    store.surveys.save_draft(parse_survey(definition(slug="draft", receipts=True)))
    for slug in ("draft", "nope"):
        assert client.get(f"/s/{slug}/withdraw").status_code == 404
        assert client.post(f"/s/{slug}/withdrawals", json={"receipt": receipt(1)}).is_json


def test_a_database_that_cannot_be_used_says_so(client, store, settings):
    opened(store, WITHDRAWABLE)
    with connected(settings.database) as connection:
        connection.execute("ALTER TABLE responses_health RENAME TO gone")
    reply = client.post(PATH, json={"receipt": receipt(1)})
    assert reply.status_code == 503
    assert "Try again in a moment" in reply.get_json()["error"]


def test_the_same_response_can_be_sent_again_after_it_was_withdrawn(client, store):
    """No trace is left that could identify it, not even of its withdrawal."""
    frozen = opened(store, WITHDRAWABLE)
    secret = receipt(1)
    for report in ("1", "0"):
        sending = body_of(frozen, secret, report)
        assert client.post("/s/health/responses", json=sending).status_code == 201
        assert client.post(PATH, json={"receipt": secret}).status_code == 200
    with pytest.raises(ConflictingResponse):
        store.responses.add_response("health", Response(id_of(secret), (1,)))
        store.responses.add_response("health", Response(id_of(secret), (0,)))


# --- simultaneous requests, on the real server

AT_ONCE = 50


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[int, Store]]:
    database = tmp_path / "candor.db"
    store = open_store(str(database))
    opened(store, SAMPLED | {"receipts": True})
    with serving_at_once(database) as (address, _, _):
        yield int(address.rsplit(":", 1)[1]), store
    store.close()


def post(port: int, path: str, content: dict) -> tuple[int, dict]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        headers = {"Content-Type": "application/json"}
        connection.request("POST", path, json.dumps(content), headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())


@pytest.mark.slow
def test_of_50_parallel_withdrawals_exactly_one_succeeds(server):
    port, store = server
    stay = responses(20, PICKED, seed=8)
    for response in stay:
        store.responses.add_response("health", response)
    counts = store.counts.by_question("health")
    for round_ in range(5):
        secret = receipt(f"round {round_}")
        reports = sent(stored(drawn(random.Random(round_), PICKED)))
        fingerprint = store.surveys.by_slug("health").frozen.fingerprint
        sending = {"id": id_of(secret).hex(), "fingerprint": fingerprint, "reports": reports}
        assert post(port, "/s/health/responses", sending)[0] == 201
        together = threading.Barrier(AT_ONCE, timeout=60)
        replies: list[tuple[int, dict]] = []

        def withdraw(secret=secret, together=together, replies=replies) -> None:
            together.wait()
            replies.append(post(port, PATH, {"receipt": secret}))

        threads = [threading.Thread(target=withdraw) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(status for status, _ in replies) == [200] + [404] * (AT_ONCE - 1)
        assert {reply.get("error") for status, reply in replies if status == 404} == {GONE}
        assert store.counts.by_question("health") == counts
    assert len(list(store.responses.rows("health"))) == len(stay)


def test_non_private_questions_are_withdrawn_too(store):
    opened(store, definition(yes_no(privacy="none"), receipts=True))
    store.responses.add_response("health", Response(id_of(receipt(1)), (0,)))
    assert store.responses.withdraw("health", id_of(receipt(1)))
    assert store.counts.by_question("health") == {}
