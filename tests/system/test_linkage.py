"""What a thief of the disk can learn about the order, invitations and texts of responses.

The thief has every byte of the database. He also knows from outside in which order people came,
which invitation each of them spent, and who wrote which text. Before compaction that identifies
nearly every response, which is the control. After compaction no attack does better than chance. Ids
and hashes begin with a mark here. Therefore the search finds them in every file and in every form,
dead rows and old pages included.

All seeds are fixed, so these tests always pass or always fail. If a bound depends on chance, a
comment states how often other seeds would fail.
"""

import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile

import pytest
from scipy.stats import spearmanr

from survey.definition.responses.parse_response import Response
from survey.store import Store, open_store
from survey.store.copy_database import copy_all
from tests.support.definitions import definition, opened
from tests.support.every_type import PICKED, SAMPLED, drawn, stored
from tests.support.lengths import length, soak
from tests.support.postgresql import Cluster
from tests.support.stores import connected

pytestmark = [soak, pytest.mark.needs_postgresql]

N = length(200, 20_000)  # responses that remain
ALONE = N // 2  # They come one by one. The others come in groups that share a commit.
TOGETHER = 50
GONE = 25  # further responses, withdrawn while no response waits for a batch
MARK, CODE, TEXT = b"\xc7\xd1id", b"\xc7\xd1ha", b"\xc7\xd1tx"
MARKS = (MARK, CODE, TEXT)
FOUND = re.compile(
    b"(?:%s)" % b"|".join(map(re.escape, MARKS)) + b".{12}|"
    b"(?:%s)[0-9a-f]{24}" % b"|".join(mark.hex().encode() for mark in MARKS),
    re.DOTALL,
)
# The texts are stored apart.
INVITED = SAMPLED | {"texts_apart": True, "invitations": True, "receipts": True, "batch": 25}
TEXTS = '"responses_health.texts"'
# Spearman's correlation of N ranks in random order is normal with deviation 1 / sqrt(N - 1). It
# exceeds this many deviations once in 26 million: 0.39 in the suite, 0.039 in full.
CHANCE = 5.5 / (N - 1) ** 0.5
# The number of correct guesses among N random pairs is Poisson with mean 1. It is 8 or more once in
# 98,000.
LUCKY = 8


@dataclass
class World:
    """The same responses, invitations and texts in every world.

    They are in different pairs and another order.
    """

    seed: int

    def __post_init__(self) -> None:
        one, r = random.Random(1), random.Random(self.seed)
        ids = [MARK + one.randbytes(12) for _ in range(N + GONE)]
        hashes = [CODE + one.randbytes(28) for _ in range(N + GONE)]
        texts = [TEXT + one.randbytes(12) for _ in range(N + GONE)]
        self.gone = set(ids[:GONE])
        # The same texts are withdrawn in every world.
        left, others = r.sample(texts[:GONE], GONE), r.sample(texts[GONE:], N)
        self.text_of = dict(zip(ids, (*left, *others), strict=True))
        self.gone_texts = set(left)
        self.arriving = [
            Response(id, row_of(id)[:-1], hash, written_text(self.text_of[id]))
            for id, hash in zip(r.sample(ids, len(ids)), r.sample(hashes, len(ids)), strict=True)
        ]
        self.issued = sorted(hashes)

    @property
    def order(self) -> list[bytes]:
        """The order in which the remaining responses came."""
        return [each.id for each in self.arriving if each.id not in self.gone]

    def feed(self, store: Store, halfway: Callable[[], None], arrived: Callable[[], None]) -> None:
        """Everyone comes, and some withdraw. Others read or compact in between."""
        opened(store, INVITED)
        store.invitations.add_invitations("health", self.issued)
        for place, response in enumerate(self.arriving[:ALONE]):
            assert store.responses.add_response("health", response)
            if place == ALONE // 2:
                halfway()
        for first in range(ALONE, len(self.arriving), TOGETHER):
            group = [("health", each) for each in self.arriving[first : first + TOGETHER]]
            assert set(store.responses.add_all(group)) == {True}
        arrived()
        for id in sorted(self.gone):
            assert store.responses.withdraw("health", id, self.text_of[id])

    def correlation(self, found: list[bytes]) -> float:
        """The correlation of the order of ids with their order of arrival, or 0 for few ids.

        The ids are those of responses or of texts.
        """
        rank = {id: place for place, id in enumerate(self.order)}
        rank |= {self.text_of[id]: place for id, place in rank.items()}
        places = [rank[id] for id in dict.fromkeys(found) if id in rank]
        return 0.0 if len(places) < 100 else float(spearmanr(range(len(places)), places)[0])

    def named(self, found: list[bytes]) -> int:
        """The number of responses that are right if they came in this order."""
        there = list(dict.fromkeys(id for id in found if id not in self.gone))
        return sum(one == other for one, other in zip(there, self.order, strict=False))


def row_of(id: bytes) -> tuple[int | str | None, ...]:
    return stored(drawn(random.Random(id), PICKED))


def written_text(id: bytes) -> Response:
    return Response(id, row_of(id)[-1:])


def within(content: bytes) -> list[bytes]:
    """The ids, and 16 bytes of each hash, in the order of the bytes and in any encoding."""
    found = FOUND.findall(content)
    return [each if len(each) == 16 else bytes.fromhex(each.decode()) for each in found]


def files_below(folder: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            yield str(file.relative_to(folder)), file.read_bytes()


def nothing() -> None:
    pass


def ids(found: list[bytes], mark: bytes = MARK) -> list[bytes]:
    return [each for each in found if each.startswith(mark)]


def holding(folder: Path) -> dict[str, list[bytes]]:
    """The ids and hashes in each file that contains any."""
    every = {name: within(content) for name, content in files_below(folder)}
    return {name: found for name, found in every.items() if found}


# --- PostgreSQL -----------------------------------------------------------------------------------


def joined(address: str) -> list[tuple[bytes, bytes]]:
    """The pairs of an invitation and a response that one transaction wrote."""
    with connected(address) as db:
        return db.execute(
            "SELECT token_hash, id FROM invitations i JOIN responses_health r ON i.xmin = r.xmin"
            " WHERE spent = 1"
        ).fetchall()


def joined_texts(address: str) -> list[tuple[bytes, bytes]]:
    """The pairs of a text and a response that one transaction wrote."""
    with connected(address) as db:
        return db.execute(
            f"SELECT t.id, r.id FROM {TEXTS} t JOIN responses_health r ON t.xmin = r.xmin"
        ).fetchall()


def files_of(address: str) -> dict[str, str]:
    """The name of the table or index of each file below the data folder."""
    with connected(address) as db:
        rows = db.execute(
            "SELECT pg_relation_filepath(oid), relname FROM pg_class WHERE relfilenode <> 0"
            " AND pg_relation_filepath(oid) IS NOT NULL"
        ).fetchall()
    return dict(rows)


def by_place(address: str, table: str, column: str) -> list[bytes]:
    with connected(address) as db:
        return [key for (key,) in db.execute(f"SELECT {column} FROM {table} ORDER BY ctid")]


def on_pages(address: str, table: str) -> list[bytes]:
    """The rows on the pages, including those that no query shows, by pageinspect."""
    with connected(address) as db:
        [pages] = db.execute(f"SELECT pg_relation_size('{table}') / 8192").fetchone()
        rows = db.execute(
            f"SELECT t_data FROM generate_series(0, {pages - 1}) AS n,"
            f" heap_page_items(get_raw_page('{table}', n::int)) WHERE t_data IS NOT NULL"
            " ORDER BY n, lp_off DESC"
        ).fetchall()
    return [id for (row,) in rows for id in ids(within(row))]


def written(server: Cluster, table_file: str) -> list[str]:
    """The kinds of records about this file in the whole existing log, by pg_waldump."""
    number = table_file.rpartition("/")[2]
    segments = sorted(file.name for file in (server.data / "pg_wal").iterdir() if file.is_file())
    said = subprocess.run(
        [
            *(server.program("pg_waldump"), "--path", str(server.data / "pg_wal")),
            *("--rmgr=Heap", "--rmgr=Heap2", "--rmgr=Btree", segments[0], segments[-1]),
        ],
        # It ends with an error where the log ends.
        capture_output=True, check=False,
    )  # fmt: skip
    lines = said.stdout.decode().splitlines()
    return [line for line in lines if re.search(rf"rel \d+/\d+/{number}\b", line)]


@dataclass
class Stolen:
    """A database before and after its compaction."""

    world: World
    address: str
    log: dict[str, list[bytes]]
    joined: list[tuple[bytes, bytes]]
    joined_texts: list[tuple[bytes, bytes]]
    records: int
    pages: list[bytes]


@pytest.fixture(scope="module")
def stolen(postgresql_server: Cluster) -> Iterator[Stolen]:
    server = postgresql_server
    with server.database("template") as address:
        with connected(address) as db:
            db.execute("CREATE EXTENSION pageinspect")

        def look() -> None:  # like autovacuum, which is off here
            with connected(address) as db:
                db.execute("ANALYZE")

        store, world = open_store(address), World(2)
        made: list[Stolen] = []

        def steal() -> None:
            log = holding(server.data / "pg_wal")
            file = next(f for f, name in files_of(address).items() if name == "responses_health")
            records = len(written(server, file))
            rows = on_pages(address, "responses_health")
            pairs = joined(address), joined_texts(address)
            made.append(Stolen(world, address, log, *pairs, records, rows))

        world.feed(store, look, steal)
        store.compact()
        look()
        server.administer("CHECKPOINT")
        store.close()
        yield made[0]


def test_control_before_compaction_nearly_every_response_is_named(stolen: Stolen) -> None:
    """Before compaction the attacks succeed.

    By transactions they find all pairs that came alone, and one in each group's size of the others.
    By the places of rows, and by the log, they find when each came.
    """
    pairs = {each.invitation: each.id for each in stolen.world.arriving}
    times: dict[bytes, int] = {}
    for hash, _ in stolen.joined:
        times[hash] = times.get(hash, 0) + 1
    named = {hash: id for hash, id in stolen.joined if times[hash] == 1}
    assert len(named) == ALONE
    assert all(pairs[hash] == id for hash, id in named.items())
    assert max(times.values()) <= TOGETHER
    alone = [id for id, n in Counter(id for _, id in stolen.joined_texts).items() if n == 1]
    assert len(alone) == ALONE
    right = {(text, id) for id, text in stolen.world.text_of.items()}
    assert {(text, id) for text, id in stolen.joined_texts if id in alone} <= right
    assert stolen.records >= ALONE
    # Short rows go where there is room, and those of a group are in the order of their ids.
    assert stolen.world.correlation(stolen.pages) > 0.7
    log = [id for found in stolen.log.values() for id in ids(found)]
    assert stolen.world.correlation(log) > 0.9
    assert stolen.world.gone & set(log)


def test_once_compacted_no_transaction_joins_a_response_to_an_invitation_or_a_text(
    stolen: Stolen,
) -> None:
    assert joined(stolen.address) == joined_texts(stolen.address) == []
    with connected(stolen.address) as db:
        for table in ("responses_health", TEXTS, "invitations", "counts"):
            rows = db.execute(f"SELECT DISTINCT xmin::text, xmax::text FROM {table}").fetchall()
            assert len(rows) == 1


def test_once_compacted_no_order_on_the_disk_is_that_of_arrival(
    stolen: Stolen, postgresql_server: Cluster
) -> None:
    """Rows on their pages, dead ones too, every index, and every file of the server with an id.

    Only the tables themselves are such files.
    """
    address, world = stolen.address, stolen.world
    orders = {
        "rows": by_place(address, "responses_health", "id"),
        "pages": on_pages(address, "responses_health"),
    }
    assert set(orders["rows"]) == set(orders["pages"]) == set(world.order)
    whose = files_of(address)
    there = holding(postgresql_server.folder)
    assert {whose[name.removeprefix("data/")] for name in there} <= {
        *("responses_health", "responses_health_pkey", "waiting", "waiting_pkey"),
        *("invitations", "invitations_pkey"),
        *("responses_health.texts", "responses_health.texts_pkey"),
    }
    orders |= {name: ids(found) for name, found in there.items()}
    texts = {name: ids(found, TEXT) for name, found in there.items()}
    assert {text for found in texts.values() for text in found} == set(world.text_of.values()) - (
        world.gone_texts
    )
    for name, found in texts.items():
        assert abs(world.correlation(found)) < CHANCE, name
    for name, order in orders.items():
        assert abs(world.correlation(order)) < CHANCE, name
        assert world.named(order) < LUCKY, name
        assert not world.gone & set(order), name


def test_once_compacted_codes_and_responses_do_not_lie_side_by_side(stolen: Stolen) -> None:
    """The n-th id with the n-th hash, in the order of the bytes."""
    hashes = by_place(stolen.address, "invitations", "token_hash")
    order = by_place(stolen.address, "responses_health", "id")
    pairs = {each.invitation: each.id for each in stolen.world.arriving}
    assert len(hashes) == N + GONE
    spent = [hash for hash in hashes if pairs[hash] not in stolen.world.gone]
    for guess in (order, order[::-1]):
        assert sum(pairs[hash] == id for hash, id in zip(spent, guess, strict=True)) < LUCKY
    assert abs(spearmanr([order.index(pairs[hash]) for hash in spent], range(N))[0]) < CHANCE


def test_once_compacted_texts_and_responses_do_not_lie_side_by_side(stolen: Stolen) -> None:
    """The n-th text with the n-th response, forwards and backwards."""
    texts = by_place(stolen.address, TEXTS, "id")
    order = by_place(stolen.address, "responses_health", "id")
    assert len(texts) == len(order) == N
    pairs = stolen.world.text_of
    for guess in (texts, texts[::-1]):
        assert sum(pairs[id] == text for id, text in zip(order, guess, strict=True)) < LUCKY
    assert abs(spearmanr([texts.index(pairs[id]) for id in order], range(N))[0]) < CHANCE


def test_once_compacted_the_log_and_the_catalogue_know_nothing(
    stolen: Stolen, postgresql_server: Cluster
) -> None:
    address = stolen.address
    for file, name in files_of(address).items():
        if name.startswith(("responses_health", "invitations", "waiting")):
            assert written(postgresql_server, file) == []
    with connected(address) as db:
        sampled = db.execute("SELECT DISTINCT schemaname FROM pg_stats").fetchall()
        assert db.execute("SHOW track_commit_timestamp").fetchone() == ("off",)
        numbered = db.execute("SELECT sequencename, last_value FROM pg_sequences").fetchall()
    # Of PostgreSQL's own tables and of all of ours, the researchers' included.
    assert ("pg_catalog",) in sampled
    assert ("public",) not in sampled
    # The database numbers the survey, and nothing of its respondents.
    assert {name for name, last in numbered if last is not None} == {"surveys_number_seq"}


def test_what_comes_after_a_compaction_is_open_until_the_next_and_tells_nothing_of_what_came_before(
    stolen: Stolen, postgresql_server: Cluster
) -> None:
    """So few responses do not cause a compaction.

    survey/server/compaction.py and docs/how-to/use-postgresql.md say when it happens.
    """
    with postgresql_server.database(stolen.address.split("/")[3].split("?")[0]) as address:
        store, r = open_store(address), random.Random(5)
        more = [MARK + r.randbytes(12) for _ in range(24)]
        codes = [CODE + r.randbytes(28) for _ in more]
        store.invitations.add_invitations("health", codes)
        texts = [TEXT + r.randbytes(12) for _ in more]
        for id, code, text in zip(more, codes, texts, strict=True):
            sent = Response(id, row_of(id)[:-1], code, written_text(text))
            store.responses.add_response("health", sent)
        assert dict(joined(address)) == dict(zip(codes, more, strict=True))
        assert dict(joined_texts(address)) == dict(zip(texts, more, strict=True))
        assert store.database.uncompacted == 24
        store.compact()
        assert joined(address) == joined_texts(address) == []
        order = by_place(address, "responses_health", "id")
        assert set(order) == {*stolen.world.order, *more}
        assert abs(stolen.world.correlation(order)) < CHANCE
        store.close()


# --- SQLite ---------------------------------------------------------------------------------------


Files = dict[str, bytes]


@pytest.fixture(scope="module")
def compacted(
    tmp_path_factory: pytest.TempPathFactory,
) -> list[tuple[World, dict[str, bytes], dict[str, bytes]]]:
    """Two files: one is compacted at the end, the other also in between.

    The result has the bytes of each before and after the last compaction, while the database was
    still open.
    """
    made = []
    origin = tmp_path_factory.mktemp("origin") / "candor.db"
    open_store(str(origin)).close()  # It contains the moment of the migrations.
    for seed in (2, 3):
        folder, world = tmp_path_factory.mktemp("compacted"), World(seed)
        copyfile(origin, folder / "candor.db")
        store = open_store(str(folder / "candor.db"))
        before: dict[str, bytes] = {}
        world.feed(
            store,
            store.compact if seed == 3 else nothing,
            lambda before=before, folder=folder: before.update(files_below(folder)),
        )
        store.compact()
        made.append((world, before, dict(files_below(folder))))
        store.close()
    return made


def test_control_files_of_sqlite_tell_the_order_before_they_are_compacted(compacted) -> None:
    (world, before, _), (other, others, _) = compacted
    assert set(before) == {"candor.db", "candor.db-wal", "candor.db-shm"}
    assert before["candor.db"] != others["candor.db"]
    for each, files in ((world, before), (other, others)):
        last = {response.id for response in each.arriving[-GONE:]}
        assert last <= set(ids(within(files["candor.db-wal"])))


def uncounted(file: bytes) -> bytes:
    """A file of SQLite without its three counters, which depend on the number of compactions."""
    counters = (24, 40, 92)
    content = bytearray(file)
    for place in counters:
        content[place : place + 4] = bytes(4)
    return bytes(content)


def test_compacted_files_of_sqlite_are_the_same_whoever_came_when_with_which_code_and_text(
    compacted,
) -> None:
    """The complete files are equal, with free pages and slack.

    In the two worlds, each text belongs to another response. So no attack on the file can join
    them.

    They saw group commits, withdrawals and compactions in between. The index of pages in shared
    memory is equal too, without its header, which has random numbers.
    """
    (world, _, first), (_, _, second) = compacted
    assert set(first) == set(second) == {"candor.db", "candor.db-wal", "candor.db-shm"}
    assert uncounted(first["candor.db"]) == uncounted(second["candor.db"])
    assert first["candor.db-wal"] == second["candor.db-wal"] == b""
    head = 136
    assert first["candor.db-shm"][head:] == second["candor.db-shm"][head:]
    found = within(first["candor.db"])
    assert set(ids(found)) == set(world.order)  # nobody who withdrew
    assert set(ids(found, TEXT)) == set(world.text_of.values()) - world.gone_texts
    assert abs(world.correlation(ids(found))) < CHANCE
    assert world.named(ids(found)) < LUCKY


def test_what_was_moved_lies_in_the_order_of_its_keys(
    compacted, postgresql_server: Cluster, tmp_path: Path
) -> None:
    """Attacks on two files of SQLite before compaction, which received different orders."""
    orders = []
    for world, before, _ in compacted:
        folder = tmp_path / str(world.seed)
        folder.mkdir()
        for name, content in before.items():
            (folder / name).write_bytes(content)
        source = open_store(str(folder / "candor.db"))
        with postgresql_server.database("template") as address:
            target = open_store(address)
            copy_all(source, target)
            tables = {
                "responses_health": "id",
                "invitations": "token_hash",
                TEXTS: "id",
                "waiting": "id",
            }
            orders.append([by_place(address, *each) for each in tables.items()])
            target.close()
        source.close()
    assert orders[0][:3] == orders[1][:3]
    assert orders[0][3] == sorted(orders[0][3])
    assert compacted[0][0].named(orders[0][0]) < LUCKY


def test_nothing_waits_in_the_order_of_arrival(tmp_path: Path, postgresql_server: Cluster) -> None:
    """Before compaction, responses of one commit are in the order of their ids."""
    responses = [Response(MARK + random.Random(n).randbytes(12), (1,)) for n in range(20)]
    with postgresql_server.database("template") as address:
        for database in (address, str(tmp_path / "candor.db")):
            store = open_store(database)
            opened(store, definition(batch=25))
            store.responses.add_all([("health", each) for each in responses])
            if database is address:
                assert by_place(address, "waiting", "id") == sorted(r.id for r in responses)
            store.close()
