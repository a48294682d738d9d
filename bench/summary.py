"""The results with a requirement as a table, all results as JSON, and a chart."""

import datetime
import json
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from .tables import Figure, Table

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs" / "evidence"
SUMMARY = "All results with a requirement"
WIDTH, HEIGHT, LEFT, BOTTOM = 640, 360, 56, 44  # of the growth chart, in pixels
RIGHT, TOP, LABELS = 220, 16, 15
HIGHEST = 4.0  # relative to the first size; twice the first is already above the goal


def table_of(figures: Sequence[Figure]) -> Table:
    """The figures that have a requirement; of the pages on a database, only the slowest."""
    slowest: dict[str, float] = {}
    for figure in figures:
        if figure.growth is not None:
            slowest[database_of(figure)] = max(
                figure.ratio, slowest.get(database_of(figure), figure.ratio)
            )
    rows: list[list[str | float]] = [
        [figure.what, figure.of, figure.ratio, figure.asked, "yes" if figure.met else "NO"]
        for figure in figures
        if figure.asked and figure.ratio >= slowest.get(database_of(figure), figure.ratio)
    ]
    return Table(SUMMARY, ["subject", "quantity", "result", "required", "met"], rows)


def database_of(figure: Figure) -> str:
    """The first part of the name of a page's figure: “SQLite: results, up to ...”."""
    return figure.what.partition(":")[0]


def as_json(figures: Sequence[Figure], day: str, earlier: Sequence[dict[str, Any]] = ()) -> str:
    """The figures with their day, after those of earlier days that were not measured again."""
    found = [
        {
            "what": figure.what,
            "of": figure.of,
            "ratio": float(f"{figure.ratio:.4g}"),
            "least": figure.least,
            "most": figure.most,
            "growth": None
            if figure.growth is None
            else {str(n): float(f"{times:.4g}") for n, times in figure.growth.items()},
            "date": day,
            "cores": os.cpu_count(),
        }
        for figure in figures
    ]
    new = {(kind_of(figure.what), figure.of) for figure in figures}
    kept = [each for each in earlier if (kind_of(each["what"]), each["of"]) not in new]
    return json.dumps({"figures": kept + found}, indent=1, ensure_ascii=False) + "\n"


def kind_of(what: str) -> str:
    """The name of a figure without the size up to which it was measured."""
    return what.partition(", up to")[0]


def figures_of(content: str) -> list[Figure]:
    """The inverse of `as_json`, without the days."""
    return [
        Figure(
            *(each["what"], each["of"], each["ratio"], each["least"], each["most"]),
            growth=each["growth"] and {int(n): times for n, times in each["growth"].items()},
        )
        for each in json.loads(content)["figures"]
    ]


def picture_of(figures: Sequence[Figure]) -> str:
    """A chart of the growth with the number of responses: a line for each figure that has one."""
    lines = [figure for figure in figures if figure.growth is not None]
    sizes = sorted({n for figure in lines for n in figure.growth or ()})
    decades = range(round(math.log10(sizes[0])), round(math.log10(sizes[-1])) + 1)

    def x(n: float) -> float:
        span = math.log10(n) - decades[0]
        return LEFT + span * (WIDTH - LEFT - RIGHT) / max(1, len(decades) - 1)

    def y(times: float) -> float:
        low, high = math.log2(0.5), math.log2(HIGHEST)
        place = (math.log2(min(HIGHEST, max(0.5, times))) - low) / (high - low)
        return HEIGHT - BOTTOM - place * (HEIGHT - BOTTOM - TOP)

    # Labels are at the ends of their lines, moved apart if they would overlap.
    drawn = [
        {
            "label": kind_of(figure.what),
            "other": figure.what.startswith("PostgreSQL"),
            "points": [(x(n), y(times)) for n, times in (figure.growth or {}).items()],
        }
        for figure in lines
    ]
    drawn.sort(key=lambda line: line["points"][-1][1])
    middle = (TOP + HEIGHT - BOTTOM) / 2
    first = middle - LABELS * (len(drawn) - 1) / 2
    for place, line in enumerate(drawn):
        line["y"] = max(TOP + LABELS / 2, first) + LABELS * place
    return environment().get_template("growth.svg").render(
        width=WIDTH, height=HEIGHT, left=LEFT, right=WIDTH - RIGHT, bottom=HEIGHT - BOTTOM, top=TOP,
        lines=drawn,
        sizes=[(x(10**decade), f"{10**decade:,}") for decade in decades],
        times=[(y(each), f"{each:g}") for each in (0.5, 1, 2, 4)],
        bound=y(2),
    )  # fmt: skip


def environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


def put_in(document: str, table: Table) -> str:
    """The document with this table in place of the one with the same title, if there is one."""
    old = re.compile(rf"(?<=### {re.escape(table.title)}\n\n)(?:\|.*\n)+")
    new = str(table).partition("\n\n")[2]
    return old.sub(lambda _: new, document)


def save(tables: Sequence[Table], folder: Path = DOCS) -> list[str]:
    """Write the files, and keep the values that were not measured now.

    Returns the titles of tables for which the document has no place.
    """
    found, day = folder / "benchmarks.json", datetime.datetime.now(datetime.UTC).date()
    earlier = json.loads(found.read_text())["figures"] if found.exists() else []
    new = [figure for table in tables for figure in table.figures]
    found.write_text(as_json(new, day.isoformat(), earlier))
    figures = figures_of(found.read_text())
    if any(figure.growth for figure in figures):
        (folder / "growth.svg").write_text(picture_of(figures))
    document = (folder / "benchmarks.md").read_text()
    shown = [*tables, table_of(figures)]
    for table in shown:
        document = put_in(document, table)
    dated = re.compile(r"(?<=The results are from )\d+ \w+ \d+")
    (folder / "benchmarks.md").write_text(dated.sub(f"{day.day} {day:%B %Y}", document))
    return [table.title for table in shown if f"### {table.title}\n" not in document]
