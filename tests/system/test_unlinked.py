"""One person, one answer, unlinked: codes are spent once, and no file tells on which response.

A code is spent once however quickly it is sent again, and no output prints it. The test of the link
is strict. Two databases receive the same codes and the same responses, in different pairs. After
compaction the files have the same bytes. Everything that an attacker computes from such a file is
the same for both, and therefore correct about a pair no more often than by chance. The control is
the attack on the file before compaction, which names every pair.
"""

import json
import random
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import pytest
from playwright.sync_api import Page, Request, expect

from survey.definition.responses.invitation_codes import code_from, link, token_hash
from survey.definition.responses.parse_response import Response
from survey.store import Store, open_store
from tests.support.at_once import serving_at_once
from tests.support.definitions import definition, opened
from tests.support.every_type import PICKED, SAMPLED, drawn, stored
from tests.support.lengths import length, soak
from tests.support.posting import post
from tests.support.servers import Live

CODES = length(8, 200)  # Each is sent this many times at once.
AT_ONCE = 50
N = 400  # respondents in the attacked files
INVITED = SAMPLED | {"invitations": True}


def codes(n: int, seed: int = 1) -> list[str]:
    r = random.Random(seed)
    return [code_from(r.randbytes(16)) for _ in range(n)]


def rows(n: int, seed: int = 2) -> list[Response]:
    r = random.Random(seed)
    return [Response(r.randbytes(16), stored(drawn(r, PICKED))) for _ in range(n)]


def bodies(code: str, fingerprint: str, seed: object) -> list[bytes]:
    """Different responses that all have the same invitation."""
    r = random.Random(f"{code} {seed}")
    return [
        json.dumps(
            {
                "id": r.randbytes(16).hex(),
                "fingerprint": fingerprint,
                "reports": drawn(r, PICKED),
                "invitation": code,
            }
        ).encode()
        for _ in range(AT_ONCE)
    ]


def all_at_once(port: int, sending: list[bytes]) -> list[tuple[int, dict[str, str]]]:
    """The replies to simultaneous requests from as many threads."""
    together = threading.Barrier(len(sending), timeout=60)
    replies: list[tuple[int, dict[str, str]]] = [(0, {})] * len(sending)

    def run(place: int) -> None:
        together.wait()
        replies[place] = post(port, sending[place])

    threads = [threading.Thread(target=run, args=[place]) for place in range(len(sending))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return replies


@pytest.mark.slow
@soak
def test_a_code_in_50_parallel_requests_is_accepted_once_and_appears_nowhere(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "candor.db"
    store = open_store(str(database))
    fingerprint = opened(store, INVITED).fingerprint
    given_out = codes(CODES)
    store.invitations.add_invitations("health", map(token_hash, given_out))
    accepted: list[bytes] = []
    with serving_at_once(database) as (address, process, greeting):
        port = int(address.rsplit(":", 1)[1])
        for code in given_out:
            sending = bodies(code, fingerprint, "first")
            replies = all_at_once(port, sending)
            outcomes = sorted((status, reply.get("reason", "")) for status, reply in replies)
            assert outcomes == [(201, "")] + [(403, "spent_invitation")] * (AT_ONCE - 1)
            accepted += [
                body for body, (status, _) in zip(sending, replies, strict=True) if status == 201
            ]
        # Retries of accepted responses are harmless, even simultaneous ones.
        for body in accepted[:3]:
            assert {status for status, _ in all_at_once(port, [body] * AT_ONCE)} == {200}
        assert {post(port, body)[0] for body in accepted} == {200}
        unknown = bodies(codes(1, seed=9)[0], fingerprint, "unknown")
        assert post(port, unknown[0]) == (
            403,
            {
                "error": "This survey has no such invitation. Check the code; nothing was "
                "recorded.",
                "reason": "unknown_invitation",
            },
        )
        assert store.invitations.issued_and_spent("health") == (CODES, CODES)
        ids = {bytes.fromhex(json.loads(body)["id"]) for body in accepted}
        with closing(sqlite3.connect(database)) as connection:
            there = {row[0] for row in connection.execute("SELECT id FROM responses_health")}
        assert there == ids
        assert len(ids) == CODES
        files = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        assert process.stdout is not None
        printed = greeting + process.stdout.read() + capfd.readouterr().err
    assert "Candor is running" in printed
    assert token_hash(given_out[0]) in files  # The search covers the right files.
    for code in given_out:
        assert code not in printed.upper()
        for spelling in (code.encode(), code.encode().hex().encode(), int_bytes(code)):
            assert spelling.lower() not in files.lower()
    store.close()


def int_bytes(code: str) -> bytes:
    """The 16 bytes behind a code."""
    value = 0
    for character in code:
        value = value << 5 | "0123456789ABCDEFGHJKMNPQRSTVWXYZ".index(character)
    return value.to_bytes(16, "big")


@pytest.mark.slow
def test_a_visit_by_the_link_sends_the_code_nowhere(live: Live, page: Page) -> None:
    """Neither an address nor a header contains the code, only the request that checks it."""
    opened(live.store, definition(invitations=True))
    [code] = codes(1)
    live.store.invitations.add_invitations("health", [token_hash(code)])
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))
    with page.expect_response("**/invited"):
        page.goto(link(live.url, "health", code))
    # The code did arrive.
    expect(page.locator("#invited")).to_have_value(code)
    assert len(asked) >= 4  # the page, its style, its scripts
    for request in asked:
        told = json.dumps([request.url.partition("#")[0], request.all_headers()])
        assert code not in told.upper()
        assert request.post_data is None or request.url.endswith("/s/health/invited")
    assert [json.loads(request.post_data) for request in asked if request.post_data] == [
        {"invitation": code}
    ]


# --- from the file ------------------------------------------------------------------------------

Pairs = dict[bytes, bytes]  # from the hash of a code to the id of a response


def database_of(folder: Path, name: str, pairs: list[tuple[str, Response]]) -> Path:
    """A database in which these codes were spent on these responses, in this order."""
    database = folder / f"{name}.db"
    copyfile(folder / "origin.db", database)
    store = open_store(str(database))
    for code, response in pairs:
        assert store.responses.add_response(
            "health", Response(response.id, response.reports, token_hash(code))
        )
    # A copy that a thief takes from a running server, with open connections and a log.
    copyfile(database, folder / f"{name}-stolen.db")
    copyfile(f"{database}-wal", folder / f"{name}-stolen.db-wal")
    store.compact()
    store.close()
    return database


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, Pairs]]:
    """Two databases with the same codes and responses, in other pairs and another order.

    A fifth of the issued codes is never used.
    """
    folder = tmp_path_factory.mktemp("worlds")
    store = open_store(str(folder / "origin.db"))
    opened(store, INVITED)
    given_out = codes(N + N // 4)
    store.invitations.add_invitations("health", map(token_hash, given_out))
    store.close()
    responses = rows(N)
    made: list[tuple[Path, Pairs]] = []
    for seed in (3, 4):
        r = random.Random(seed)
        pairs = list(zip(r.sample(given_out[:N], N), r.sample(responses, N), strict=True))
        database = database_of(folder, f"world{seed}", pairs)
        made.append((database, {token_hash(code): response.id for code, response in pairs}))
    return made


def stolen(database: Path) -> tuple[bytes, bytes]:
    """The file and its log before compaction."""
    copy = database.with_name(f"{database.stem}-stolen.db")
    return copy.read_bytes(), copy.with_name(f"{copy.name}-wal").read_bytes()


def compacted(database: Path) -> tuple[bytes, bytes]:
    log = database.with_name(f"{database.name}-wal")
    return database.read_bytes(), log.read_bytes() if log.exists() else b""


@pytest.mark.slow
def test_compacted_files_are_the_same_whichever_code_was_spent_on_which_response(
    worlds: list[tuple[Path, Pairs]],
) -> None:
    (first, truth), (second, other) = worlds
    assert truth.keys() == other.keys()
    assert set(truth.values()) == set(other.values())
    assert sum(truth[code] == other[code] for code in truth) < 10  # The pairs do differ.
    assert len(first.read_bytes()) > N * (16 + 32)
    assert compacted(first) == compacted(second)
    assert compacted(first)[1] == b""


def states(file: bytes, log: bytes) -> list[bytes]:
    """The database after each commit that the log still contains. The first is the file itself.

    A frame is 24 bytes and a page. The last frame of a commit states the number of pages.
    """
    size = int.from_bytes(file[16:18], "big")
    size = 65_536 if size == 1 else size
    pages = {n + 1: file[n * size : (n + 1) * size] for n in range(len(file) // size)}
    images = [assembled(pages)]
    salt = log[16:24]
    for start in range(32, len(log), 24 + size):
        header = log[start : start + 24]
        if header[8:16] != salt:
            break  # left over from before the log was last emptied
        pages[int.from_bytes(header[:4], "big")] = log[start + 24 : start + 24 + size]
        if int.from_bytes(header[4:8], "big"):
            images.append(assembled(pages))
    return images


def assembled(pages: dict[int, bytes]) -> bytes:
    image = bytearray(b"".join(pages[number] for number in sorted(pages)))
    image[18:20] = b"\1\1"  # so that it can be read without a log
    return bytes(image)


def contents(image: bytes) -> tuple[list[bytes], list[bytes]]:
    """The spent codes and the responses, each in the order of the file."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(image)
        spent = connection.execute("SELECT token_hash FROM invitations WHERE spent").fetchall()
        ids = connection.execute("SELECT id FROM responses_health NOT INDEXED").fetchall()
    return [row[0] for row in spent], [row[0] for row in ids]


def place_in_file(file: bytes, keys: list[bytes]) -> list[bytes]:
    """The order of the bytes in the file.

    Within a page, the newest comes first until the page is written again.
    """
    return sorted(keys, key=file.find)


def attack(file: bytes, log: bytes) -> Pairs:
    """The best known attack replays the log commit by commit and sees what changed together.

    For the rest, it takes both in the order of the file.
    """
    found: Pairs = {}
    images = states(file, log)
    before: tuple[set[bytes], set[bytes]] | None = None
    for image in images:
        spent, ids = (set(each) for each in contents(image))
        if before is not None and len(spent - before[0]) == len(ids - before[1]) == 1:
            found[(spent - before[0]).pop()] = (ids - before[1]).pop()
        before = spent, ids
    spent_in_file, ids_in_file = contents(images[-1])
    left = [each for each in place_in_file(images[-1], spent_in_file) if each not in found]
    taken = set(found.values())
    free = [each for each in place_in_file(images[-1], ids_in_file) if each not in taken]
    return found | dict(zip(left, free, strict=True))


def hits(guess: Pairs, truth: Pairs) -> int:
    assert guess.keys() == truth.keys()
    return sum(guess[code] == truth[code] for code in truth)


@pytest.mark.slow
def test_control_before_compaction_the_log_names_every_pair(
    worlds: list[tuple[Path, Pairs]],
) -> None:
    """The attack works if there is something to find, so that finding nothing means something.

    SQLite copies its log into the file every 1,000 pages. The attack joins the later responses.
    """
    for database, truth in worlds:
        file, log = stolen(database)
        joined = hits(attack(file, log), truth)
        assert joined > N // 4, joined


def test_after_compaction_the_same_attack_does_no_better_than_chance(
    worlds: list[tuple[Path, Pairs]],
) -> None:
    """The attack gives the same result for both files, since they are equal.

    The number of correct random guesses is Poisson with mean 1. It is 8 or more with a probability
    of 1 in 98,000.
    """
    guesses = [attack(*compacted(database)) for database, _ in worlds]
    assert guesses[0] == guesses[1]
    for guess, (_, truth) in zip(guesses, worlds, strict=True):
        assert hits(guess, truth) < 8


def test_control_a_column_beside_the_code_would_be_found(
    worlds: list[tuple[Path, Pairs]], tmp_path: Path
) -> None:
    """The comparison can fail: with a serial number of the spending, compacted files differ."""
    changed = []
    for number, (database, truth) in enumerate(worlds):
        copy = tmp_path / f"{number}.db"
        copyfile(database, copy)
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute("ALTER TABLE invitations ADD COLUMN turn INTEGER")
            connection.executemany(
                "UPDATE invitations SET turn = ? WHERE token_hash = ?",
                [(turn, code) for turn, code in enumerate(truth)],
            )
        store: Store = open_store(str(copy))
        store.compact()
        store.close()
        changed.append(copy.read_bytes())
    assert changed[0] != changed[1]
