"""Measure all studies, and write docs/evidence/examinations.md and its data.

    python -m bench.examinations [PROCESSES]

An interrupted study continues with the next row. With `--page`, it only writes the page.
"""

import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bench.evidence import EVIDENCE, Row, read_rows, write_rows
from bench.kept_rows import KEPT, code_hash, kept_rows

from . import study
from .page import page
from .study import Case, measured

NAME = "examinations"
DOCUMENT = EVIDENCE / f"{NAME}.md"


@cache
def cases_of(module: str) -> dict[str, Case]:
    """The cases of a study by their keys."""
    return {f"{case.name}|{case.n}": case for case in study.studies()[module].cases()}


def row_of(key: str) -> Row:
    module, _, case = key.partition("|")
    return measured(study.studies()[module].title, cases_of(module)[case])


def measured_rows(processes: int) -> list[Row]:
    found = []
    for module in study.studies():
        # A change of one study does not repeat the others.
        code = code_hash([Path(study.__file__), Path(study.__file__).with_name(f"{module}.py")])
        keys = [f"{module}|{case}" for case in cases_of(module)]
        rows = kept_rows(KEPT / f"examinations-{module}.jsonl", code, row_of, keys, processes)
        found += [rows[key] for key in keys]
    return found


def main(arguments: Sequence[str]) -> None:
    """Write the data and the page; with `--page`, only the page."""
    if "--page" not in arguments:
        write_rows(NAME, measured_rows(int(arguments[0]) if arguments else os.cpu_count() or 1))
    DOCUMENT.write_text(page(read_rows(NAME)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
