"""What the disk itself reveals about order, invitations and withdrawals.

The database is in its own file system, in an image. The test searches the image directly, so it
also reads blocks that no longer belong to a file. The search counts the copies of ids and of
invitations. It recognises the frames of SQLite's log by their headers, which are 4,120 bytes apart
with the same salts, and joins the frames of one transaction.

Before survey/store/sqlite/log.py existed, the search found 394 frames after 400 responses and 20
withdrawals. It joined 54 responses to their invitation, all of them correctly. It also found 15
withdrawn ids, and up to 91 copies of an id.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from survey.store import open_store
from tests.support.arrivals import CODE, MARK, Arrivals, drawn_arrivals, feed
from tests.support.project import ROOT

PROGRAMS = ("mkfs.ext4", "mount", "umount")
BY_ROOT = {"path": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.geteuid() != 0
        or not Path("/dev/loop-control").exists()
        or not all(shutil.which(name, **BY_ROOT) for name in PROGRAMS),
        reason="Mounting an image needs root, a loop device and mkfs.ext4.",
    ),
]

IMAGE_BYTES = 64 * 2**20
KEY_BYTES = 16
FRAME_BYTES = 24 + 4_096


def run_as_root(*command: str) -> None:
    subprocess.run(
        [str(shutil.which(command[0], **BY_ROOT)), *command[1:]], check=True, capture_output=True
    )


@contextmanager
def mounted(image: Path) -> Iterator[Path]:
    """The folder with the mounted image. Its loop device is removed when it is unmounted."""
    folder = image.with_suffix(".mounted")
    folder.mkdir(exist_ok=True)
    run_as_root("mount", "-o", "loop", str(image), str(folder))
    try:
        yield folder
    finally:
        try:
            run_as_root("umount", str(folder))
        except subprocess.CalledProcessError:
            # A failed test left something open. The image is then removed after its last user.
            run_as_root("umount", "-l", str(folder))
            raise


@pytest.fixture
def image(tmp_path: Path) -> Path:
    made = tmp_path / "disk.img"
    with made.open("wb") as file:
        file.truncate(IMAGE_BYTES)
    run_as_root("mkfs.ext4", "-q", "-F", str(made))
    return made


# --- the search


@dataclass(frozen=True)
class Search:
    """The findings on a disk.

    Attributes
    ----------
    copies : the number of copies of each id and each hash
    frames : the number of log frames next to another frame of the same log
    joined : pairs of an id and a hash from one transaction without any other
    """

    copies: Counter[bytes]
    frames: int
    joined: list[tuple[bytes, bytes]]


def keys_in(content: bytes, mark: bytes) -> Iterator[tuple[int, bytes]]:
    place = content.find(mark)
    while place >= 0:
        yield place, content[place : place + KEY_BYTES]
        place = content.find(mark, place + 1)


def search_disk(image: Path) -> Search:
    content = image.read_bytes()
    copies = Counter(key for mark in (MARK, CODE) for _, key in keys_in(content, mark))
    chains = carve_chains(content)
    return Search(
        copies,
        sum(len(chain) for chain in chains),
        [pair for chain in chains for pair in join_transactions(chain)],
    )


def carve_chains(content: bytes) -> list[list[bytes]]:
    """Consecutive frames of logs, recognised by their form alone."""
    words = np.frombuffer(content, dtype=">u8")
    step = FRAME_BYTES // 8
    # The second word of a frame's header is the salts. The first is the page's number and, in the
    # last frame of a transaction, the size of the database.
    salts, heads = words[1:], words[:-1]
    same = (salts[:-step] == salts[step:]) & (salts[:-step] != 0)
    for page in (heads[:-step] >> 32, heads[step : len(salts)] >> 32):
        same &= (page > 0) & (page < 10_000)
    starts = set((np.flatnonzero(same) * 8).tolist())
    chains = []
    for start in sorted(starts):
        if start - FRAME_BYTES not in starts:
            end = start
            while end in starts:
                end += FRAME_BYTES
            places = range(start, end + 1, FRAME_BYTES)
            chains.append([content[place : place + FRAME_BYTES] for place in places])
    return chains


def join_transactions(chain: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """The new id and the newly spent invitation of each transaction with one of each."""
    known: dict[bytes, set[bytes]] = {}
    written: dict[bytes, set[bytes]] = {}
    for frame in chain:
        page = frame[24:]
        # The byte before the slug is the type of the column `spent`: 8 for 0, and 9 for 1.
        written[frame[:4]] = {key for _, key in keys_in(page, MARK)} | {
            key for place, key in keys_in(page, CODE) if page[place - 7 : place] == b"\x09health"
        }
        if frame[4:8] == bytes(4):
            continue
        before = set[bytes]().union(*known.values())
        new = set[bytes]()
        for number, keys in written.items():
            if number in known:
                new |= keys - before
        ids = [key for key in new if key.startswith(MARK)]
        hashes = [key for key in new if key.startswith(CODE)]
        if len(ids) == len(hashes) == 1:
            yield ids[0], hashes[0]
        known |= written
        written = {}


def require_nothing(found: Search, arrivals: Arrivals) -> None:
    """Every remaining id and every hash is on the whole disk exactly once: in its table."""
    right = {each.id: (each.invitation or b"")[:KEY_BYTES] for each in arrivals.responses}
    told = [pair for pair in found.joined if right.get(pair[0]) == pair[1]]
    withdrawn = sum(id in found.copies for id in arrivals.gone)
    copies = sorted(found.copies.values())
    print(
        f"{found.frames} frames, {len(found.joined)} joined, {len(told)} of them right,"
        f" {withdrawn} of {len(arrivals.gone)} withdrawn found, {copies[0]} to {copies[-1]} copies"
    )
    assert (len(told), withdrawn, found.frames) == (0, 0, 0)
    there = right.keys() - arrivals.gone | set(right.values())
    assert found.copies == Counter(there)


# --- the ways in which a server ends


def test_after_a_compaction_and_a_stop_the_disk_joins_nobody_and_holds_nobody_who_withdrew(
    image: Path,
) -> None:
    arrivals = drawn_arrivals()
    with mounted(image) as folder:
        store = open_store(str(folder / "candor.db"))
        feed(store, arrivals, store.compact)
        store.lifecycle.set_state("health", "closed")
        store.compact()
        store.close()
    require_nothing(search_disk(image), arrivals)


FEED = """
import sys
from survey.store import open_store
from tests.support.arrivals import drawn_arrivals, feed
store = open_store(sys.argv[1])
feed(store, drawn_arrivals(), store.compact)
print("fed", flush=True)
sys.stdin.read()
"""


@contextmanager
def fed_elsewhere(database: Path) -> Iterator[subprocess.Popen]:
    """Another process that has written responses, and keeps its connections."""
    process = subprocess.Popen(
        [sys.executable, "-c", FEED, str(database)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "fed\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_the_log_that_a_killed_server_leaves_is_overwritten_by_the_next_start(image: Path) -> None:
    """With a control: before that start the disk joins many."""
    arrivals = drawn_arrivals()
    with mounted(image) as folder, fed_elsewhere(folder / "candor.db") as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    left = search_disk(image)
    right = {each.id: (each.invitation or b"")[:KEY_BYTES] for each in arrivals.responses}
    assert sum(right.get(id) == code for id, code in left.joined) >= 20
    with mounted(image) as folder:
        store = open_store(str(folder / "candor.db"))
        store.compact()
        # Until then the last few wait for their batch, and are in its table too.
        store.lifecycle.set_state("health", "closed")
        store.compact()
        store.close()
    require_nothing(search_disk(image), arrivals)


def test_a_stop_without_a_compaction_overwrites_the_log(image: Path) -> None:
    """The last user removes the log, whose freed blocks are then empty.

    The table itself still needs a compaction, and is in the order of arrival within its pages.
    """
    arrivals = drawn_arrivals()
    with mounted(image) as folder:
        store = open_store(str(folder / "candor.db"))
        feed(store, arrivals, lambda: None)
        store.close()
        assert not (folder / "candor.db-wal").exists()
    found = search_disk(image)
    assert (found.frames, found.joined) == (0, [])
