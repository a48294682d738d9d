"""The disk after a loss of power, rebuilt from the writes and syncs of a server.

strace records each system call with its bytes. A sync guarantees the bytes that were written before
it began, from the moment when it returned. A sync of a folder guarantees the names in it in the
same way. Everything else may or may not have reached the disk, in pieces as small as a sector.
"""

import random
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

CALLS = (
    "open,openat,creat,mkdir,mkdirat,link,linkat,rename,renameat,renameat2,unlink,unlinkat,"
    "write,writev,pwrite64,pwritev,pwritev2,sendto,sendmsg,truncate,ftruncate,fallocate,"
    "copy_file_range,sendfile,sync_file_range,fsync,fdatasync"
)
LONGEST = 1 << 20  # recorded bytes of a call
NEVER = 1 << 60  # the last line of a call that never ended
CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+)", re.DOTALL)
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.*)')
DESCRIPTOR = re.compile(r"\d+<((?:->|[^>])*)>")
CLIENT = re.compile(r"TCP:\[.*->.*:(\d+)\]$")


def command(trace: Path) -> list[str]:
    """The command prefix that records a command."""
    return ["strace", "-f", "--seccomp-bpf", "-yy", "-xx", f"-s{LONGEST}", f"-etrace={CALLS}",
            "-o", str(trace)]  # fmt: skip


def works() -> bool:
    """Whether strace is installed and may trace processes."""
    try:
        done = subprocess.run([*command(Path("/dev/null")), "true"], capture_output=True)
    except FileNotFoundError:
        return False
    return done.returncode == 0


@dataclass(frozen=True)
class Step:
    """One change of a file, between two lines of the trace.

    It writes `data` at `offset`. Without data, it cuts or extends the file to `offset` bytes.
    """

    begin: int
    end: int
    offset: int
    data: bytes | None

    def pieces(self, sector: int) -> Iterator["Step"]:
        """The same change in pieces, each of which reaches the disk completely or not at all."""
        if self.data is None:
            yield self
            return
        place = 0
        while place < len(self.data):
            at = self.offset + place
            stop = place + sector - at % sector
            yield Step(self.begin, self.end, at, self.data[place:stop])
            place = stop


@dataclass
class File:
    """The changes of one file under all of its names, and its syncs."""

    steps: list[Step] = field(default_factory=list)
    syncs: list[tuple[int, int]] = field(default_factory=list)

    def content(self, moment: int, survives: Callable[[], bool], sector: int) -> bytes:
        """The bytes after a loss of power. `survives` decides about each piece without a sync."""
        safe = synced(self.syncs, moment)
        content = bytearray()
        for step in self.steps:
            if step.begin < moment:
                pieces = [step] if step.end < safe else step.pieces(sector)
                for piece in pieces:
                    if step.end < safe or survives():
                        apply(content, piece)
        return bytes(content)


def apply(content: bytearray, step: Step) -> None:
    size = step.offset + len(step.data or b"")
    if len(content) < size:
        content.extend(bytes(size - len(content)))
    if step.data is None:
        del content[step.offset :]
    else:
        content[step.offset : size] = step.data


def synced(syncs: Iterable[tuple[int, int]], moment: int) -> int:
    """The line up to which everything is certainly on the disk at this moment."""
    return max((begin for begin, end in syncs if end < moment), default=-1)


@dataclass
class Names:
    """The changes of the names in one folder. A name leads to a file, a folder or nowhere."""

    changes: list[tuple[int, int, str, "File | Names | None"]] = field(default_factory=list)
    syncs: list[tuple[int, int]] = field(default_factory=list)

    def now(self) -> dict[str, "File | Names"]:
        return self.at(NEVER, len(self.changes))

    def at(self, moment: int, unsynced: int) -> dict[str, "File | Names"]:
        """The names after a loss of power that leaves this many changes without a sync."""
        safe = synced(self.syncs, moment)
        found: dict[str, File | Names] = {}
        for begin, end, name, target in self.changes:
            if begin >= moment:
                break
            if end >= safe:
                if not unsynced:
                    break
                unsynced -= 1
            if target is None:
                found.pop(name, None)
            else:
                found[name] = target
        return found


@dataclass
class Recording:
    """The actions of a server in a folder that was empty before, and its acknowledgements.

    `acknowledged` has, for each port of a client, the lines at which it got a 200 or 201.
    """

    folder: Path
    root: Names = field(default_factory=Names)
    acknowledged: dict[int, list[int]] = field(default_factory=dict)
    marks: list[int] = field(default_factory=list)  # the lines after a change

    def names(self, folder: Path) -> Names:
        found = self.root
        for part in folder.relative_to(self.folder).parts:
            inner = found.now()[part]
            assert isinstance(inner, Names)
            found = inner
        return found

    def target(self, path: Path) -> File | Names | None:
        if path == self.folder:
            return self.root
        return self.names(path.parent).now().get(path.name)

    def once(self, path: Path) -> list[File]:
        """All files that ever had this name."""
        changes = self.names(path.parent).changes
        return [each for _, _, name, each in changes if name == path.name and type(each) is File]

    def image(self, moment: int, spared: "Spared", into: Path) -> None:
        """Write the files that remain after a loss of power at this moment into a folder."""
        lay_out(self.root, moment, spared, into)


@dataclass
class Spared:
    """What remains after a loss of power of the changes without a sync.

    It is `share` of the pieces, and the first few changes of a folder. The choice is seeded.
    """

    share: float
    sector: int = 4096
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def survives(self) -> bool:
        return self.chance.random() < self.share

    def changes(self, most: int) -> int:
        """A random number up to this maximum."""
        return round(most * self.share * self.chance.uniform(0, 2)) if self.share < 1 else most


def lay_out(names: Names, moment: int, spared: Spared, into: Path) -> None:
    into.mkdir(parents=True, exist_ok=True)
    for name, target in names.at(moment, spared.changes(len(names.changes))).items():
        if isinstance(target, Names):
            lay_out(target, moment, spared, into / name)
        # It is never synced, and the first process that opens the database makes it again.
        elif not name.endswith("-shm"):
            content = target.content(moment, spared.survives, spared.sector)
            (into / name).write_bytes(content)


def read(trace: Path, folder: Path) -> Recording:
    """The content of a trace about a folder and the acknowledgements."""
    recording = Recording(folder)
    begun: dict[str, tuple[int, str]] = {}
    with trace.open() as lines:
        for number, line in enumerate(lines):
            process, _, text = line.rstrip("\n").partition(" ")
            text = text.lstrip()
            begin = number
            if text.endswith("<unfinished ...>"):
                begun[process] = number, text.removesuffix("<unfinished ...>")
                continue
            if text.startswith("<... "):
                begin, head = begun.pop(process)
                text = head + text.partition(" resumed>")[2]
            note(recording, begin, number, text)
    for begin, text in begun.values():  # The end of the server cut them off.
        note(recording, begin, NEVER, f"{text}) = 0")
    recording.marks = [line for line in recording.marks if line < NEVER]
    return recording


def note(recording: Recording, begin: int, end: int, text: str) -> None:
    call = CALL.match(text)
    if call is None or int(call[3]) < 0:
        return
    name, rest = call[1], call[2]
    strings = STRING.findall(rest)
    on = DESCRIPTOR.match(rest)
    opened = decoded(on[1]) if on else ""
    if client := CLIENT.search(opened):
        if strings and bytes_of(strings[0][0]).startswith((b"HTTP/1.1 201", b"HTTP/1.1 200")):
            recording.acknowledged.setdefault(int(client[1]), []).append(begin)
        return
    if name in ("open", "openat", "creat", "mkdir", "mkdirat", "unlink", "unlinkat", "link",
                "linkat", "rename", "renameat", "renameat2"):  # fmt: skip
        paths = [Path(bytes_of(string).decode()) for string, _ in strings]
        reads = name.startswith("open") and "O_CREAT" not in rest
        if not reads and any(inside(path, recording.folder) for path in paths):
            rename(recording, begin, end, name, paths)
    elif inside(Path(opened), recording.folder) and not opened.endswith(" (deleted)"):
        change(recording, begin, end, name, Path(opened), strings, rest)


def inside(path: Path, folder: Path) -> bool:
    return path.is_relative_to(folder)


def rename(recording: Recording, begin: int, end: int, name: str, paths: Sequence[Path]) -> None:
    """A name was added or removed, or leads to another file."""
    recording.marks.append(end + 1)
    *_, path = paths
    changes = recording.names(path.parent).changes
    if name in ("open", "openat", "creat"):
        if recording.target(path) is None:
            changes.append((begin, end, path.name, File()))
    elif name.startswith("mkdir"):
        changes.append((begin, end, path.name, Names()))
    elif name.startswith("unlink"):
        changes.append((begin, end, path.name, None))
    else:
        changes.append((begin, end, path.name, recording.target(paths[0])))
        if name.startswith("rename"):
            recording.names(paths[0].parent).changes.append((begin, end, paths[0].name, None))


def change(
    recording: Recording,
    begin: int,
    end: int,
    name: str,
    path: Path,
    strings: Sequence[tuple[str, str]],
    rest: str,
) -> None:
    """A change of an open file or folder."""
    recording.marks.append(end + 1)
    target = recording.target(path)
    assert target is not None, path
    if name in ("fsync", "fdatasync"):
        target.syncs.append((begin, end))
        return
    assert isinstance(target, File), path
    numbers = rest.rpartition('"')[2].split(", ")[1:]
    if name == "ftruncate":
        target.steps.append(Step(begin, end, int(rest.rpartition(", ")[2]), None))
        return
    [(string, cut)] = strings
    assert not cut, "a longer write than strace wrote down"
    if name == "pwrite64":
        offset = int(numbers[1])
    elif name == "write":  # a file that is written from its beginning to its end
        offset = sum(len(step.data or b"") for step in target.steps)
    else:
        raise NotImplementedError(f"{name} of {path}")
    target.steps.append(Step(begin, end, offset, bytes_of(string)))


def decoded(text: str) -> str:
    """The path of a descriptor, which strace writes as bytes, or its other description."""
    return bytes_of(text).decode() if text.startswith("\\x") else text


def bytes_of(string: str) -> bytes:
    return bytes.fromhex(string.replace("\\x", ""))
