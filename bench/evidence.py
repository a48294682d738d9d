"""The data of studies in docs/evidence/data/, and Markdown for the pages made from them."""

import csv
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

EVIDENCE = Path(__file__).parent.parent / "docs" / "evidence"
DATA = EVIDENCE / "data"
MAX_LINE_CHARACTERS = 110  # of the text, outside tables and code

Row = dict[str, str]


def read_rows(name: str) -> list[Row]:
    """The rows of a CSV file of data, each as texts by the names of its columns."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(name: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write a CSV file of data. All rows have the columns of the first one."""
    DATA.mkdir(exist_ok=True)
    with (DATA / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table without a line break at its end."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def wrapped(page: str) -> str:
    """The page with its paragraphs and items filled. Headings, tables and code stay as they are."""
    blocks = re.split(r"\n{2,}", page.strip())
    return "\n\n".join(map(wrapped_block, blocks)) + "\n"


def wrapped_block(block: str) -> str:
    if block.startswith(("#", "|", "    ", "```")):
        return block
    items = re.split(r"\n(?=\* |\d+\. )", block)
    return "\n".join(
        textwrap.fill(
            " ".join(item.split()), MAX_LINE_CHARACTERS,
            subsequent_indent="" if len(items) == 1 and not item.startswith("* ") else "  ",
            break_on_hyphens=False, break_long_words=False,
        )
        for item in items
    )  # fmt: skip
