"""Surveys with indirect questions, for several test modules."""

import csv
import io

from tests.support.researchers import Researcher

COPYING = "/admin/surveys/copying/analysis/crosswise"
ITEMS, CONTROL = "/admin/surveys/items/analysis/list", "/admin/surveys/control/analysis/list"
WAYS = "/admin/surveys/ways/analysis/list"
PAGES = [
    (COPYING, "asked=copied"),
    (COPYING, "asked=copied&check=check:0"),
    (COPYING, "asked=copied&anchor="),
    (ITEMS, "count=count&treatment=by:version:1"),
    (CONTROL, "count=count&treatment=survey:treated:count"),
    (WAYS, "count=list&treatment=question:list_with:&ways=smokes%2Bsmokes_direct"),
]


def rows_of(researcher: Researcher, path: str, query: str) -> list[dict[str, str]]:
    reply = researcher.client.get(f"{path}.csv?{query}")
    assert reply.status_code == 200, reply.text
    return list(csv.DictReader(io.StringIO(reply.text)))
