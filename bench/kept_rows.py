"""Rows of a long study, which an interruption does not lose."""

import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from multiprocessing import Pool
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent
KEPT = PROJECT / ".bench"


def code_hash(files: Iterable[Path]) -> str:
    """A hash of these files, and of all other code that can change a row."""
    every = [*files, *(PROJECT / "survey").rglob("*.py")]
    every += (PROJECT / "tests" / "support").rglob("*.py")
    parts = (sha256(each.read_bytes()).digest() for each in sorted(set(every)))
    return sha256(b"".join(parts)).hexdigest()


def kept_rows(
    kept: Path, code: str, measure: Callable[[str], Any], keys: Iterable[str], processes: int
) -> Mapping[str, Any]:
    """The rows of all keys. Rows of an interrupted call are not measured again.

    Parameters
    ----------
    kept : a file with finished rows, one in each line, for the code whose hash is in its first line
    measure : from a key, its row, of which JSON is made; called in another process
    """
    lines = [code]
    if kept.exists():
        # A line without an end was interrupted.
        found = kept.read_text(encoding="utf-8").split("\n")[:-1]
        lines = found if found[:1] == lines else lines
    kept.parent.mkdir(exist_ok=True)
    kept.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    rows: dict[str, Any] = dict(json.loads(line) for line in lines[1:])
    rest = [key for key in keys if key not in rows]
    with kept.open("a", encoding="utf-8") as file, Pool(processes) as pool:
        for key, row in zip(rest, pool.imap(measure, rest), strict=True):
            rows[key] = row
            file.write(json.dumps([key, row]) + "\n")
            file.flush()
    return rows
