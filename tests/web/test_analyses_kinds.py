"""Every analysis ends in a sentence, a picture, a table and three files, which say the same."""

import csv
import html
import io
import json
import math
import re
from xml.etree import ElementTree

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.core.csv_cells import original_text
from survey.core.errors import UnanswerableQuestion
from survey.definition.responses.parse_response import Response
from survey.store import Store, StoredSurvey
from survey.web.analyses.kinds import ANALYSES
from tests.support.analysis_pages import REGION, cells, shown
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.every_type import asked, letters
from tests.support.researchers import Researcher

AGE = asked("age", "number", "none", min=0, max=9, unit="years")
YEAR = asked("year", "select_one", "none", choices=letters("abc"))
CONTENT = definition(REGION, yes_no(), AGE, YEAR, title="Health, <b>habits</b>")
# Each analysis with choices, and the ids of the tables on its page whose numbers are in the CSV.
QUERIES = [
    ("crosstab", "", "rows=region&columns=smokes&of=row", ()),
    ("crosstab", "", "rows=region&columns=smokes&layers=year&of=all&weights=age", ()),
    ("groups", "/groups", "measure=smokes:0&group=year&against=pairs", ("groups", "differences")),
    ("groups", "/groups", "measure=age:&group=region&against=first", ("groups", "differences")),
    ("change", "/change", "measure=smokes:0&surveys=again", ("surveys", "differences")),
    ("change", "/change", "measure=age:&surveys=again&shared=y", ("surveys", "differences")),
    ("correlation", "/correlation", "questions=smokes:0&questions=age:", ("pairs",)),
    (
        "correlation",
        "/correlation",
        "questions=smokes:0&questions=age:&questions=region:0",
        ("matrix", "pairs"),
    ),
    (
        "regression",
        "/regression",
        "outcome=smokes&predictors=region&predictors=age",
        ("coefficients", "effects", "shares"),
    ),
    pytest.param(
        *("regression", "/regression", "outcome=age&predictors=year", ("coefficients",)),
        marks=pytest.mark.slow,
    ),
    ("regression", "/regression", "outcome=year&predictors=age", ("coefficients", "effects")),
    ("tree", "/tree", "target=smokes&predictors=region&predictors=year", ()),
    ("validity", "/validity", "asked=smokes:0&denied=10&false=0&random=0", ("bounds",)),
]


@pytest.fixture
def health(store: Store) -> StoredSurvey:
    opened(store, CONTENT)
    opened(store, CONTENT | {"slug": "again"})
    responses = []
    for n in range(600):
        # Of those in town 70 % report Yes, and of the others 30 %.
        smokes = int(n % 20 >= (6 if n % 2 else 14))
        reports = (n % 2, smokes, 1 + (n % 4 + n % 3) % 7, n % 3)
        responses.append(Response(n.to_bytes(16), reports))
    for slug in ("health", "again"):
        for start in range(0, len(responses), 200):
            some = responses[start : start + 200]
            assert all(store.responses.add_all([(slug, each) for each in some]))
    return store.surveys.by_slug("health")


def read_csv(text: str) -> list[dict[str, str]]:
    rows = list(csv.reader(io.StringIO(text)))
    return [
        {name: original_text(cell) for name, cell in zip(rows[0], row, strict=True)}
        for row in rows[1:]
    ]


def numbers_in(value: object) -> set[float]:
    """All numbers of a JSON value."""
    if isinstance(value, dict):
        return set().union(*(numbers_in(each) for each in value.values()), set())
    if isinstance(value, list):
        return set().union(*(numbers_in(each) for each in value), set())
    return {float(value)} if isinstance(value, int | float) else set()


@pytest.mark.parametrize(("name", "path", "query", "tables"), QUERIES)
def test_the_files_are_read_back_and_equal_the_page(
    health: StoredSurvey, researcher: Researcher, name: str, path: str, query: str,
    tables: tuple[str, ...],
) -> None:  # fmt: skip
    pairs: dict[str, list[str]] = {}
    for part in query.split("&"):
        key, _, value = part.partition("=")
        pairs.setdefault(key, []).append(value)
    page = shown(researcher, path, **pairs)
    links = re.findall(r'class="button" href="(/admin/surveys/health/analysis/[^"]+)"', page)
    assert [link.partition("?")[0].rpartition(".")[2] for link in links] == ["csv", "json", "svg"]
    files = {}
    for link in links:
        reply = researcher.client.get(link.replace("&amp;", "&"))
        assert reply.status_code == 200
        kind = link.partition("?")[0].rpartition(".")[2]
        assert f'filename="health-{name}.{kind}"' in reply.headers["Content-Disposition"]
        files[kind] = reply.get_data(as_text=True)

    rows, content = read_csv(files["csv"]), json.loads(files["json"])
    columns = ("estimate", "standard_error", "low", "high", "p", "adjusted_low", "adjusted_high",
               "adjusted_p")  # fmt: skip
    in_csv = {float(row[column]) for row in rows for column in columns if row[column]}
    assert all(math.isfinite(value) for value in in_csv)
    assert in_csv
    # Every number of the CSV is in the JSON, and every number of the page is in the CSV.
    assert in_csv <= numbers_in(content)
    for table in tables:
        on_page = {*cells(page, table)}
        assert on_page
        assert on_page <= in_csv
    drawing = ElementTree.fromstring(files["svg"])
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    # The sentence is the first thing below the heading, then comes the picture.
    assert content["sentence"]
    finding = page.partition('class="said"')[2]
    said = re.sub(r"<[^>]+>", "", finding.partition(">")[2].partition("</p>")[0])
    assert html.unescape(said).replace("\u00a0", " ") == content["sentence"]
    assert "<svg" in finding
    assert finding.index("<svg") < finding.index("Download")


@pytest.mark.parametrize(
    ("name", "query", "message"),
    [
        (
            "groups",
            {"measure": "nothing", "group": "smokes"},
            "Compare: This choice is not in the list",
        ),
        ("regression", {"outcome": "smokes"}, "Predictors: Tick at least one question."),
        ("crosstab", {"rows": "smokes", "columns": "smokes"}, "is chosen twice"),
    ],
)
def test_a_wrong_choice_is_refused_with_its_field(
    app: Flask, health: StoredSurvey, name: str, query: dict[str, str], message: str
) -> None:
    with app.app_context(), pytest.raises(UnanswerableQuestion, match=re.escape(message)):
        ANALYSES[name].result(health, MultiDict(query))


def test_a_survey_with_too_few_questions_is_refused(app: Flask, store: Store) -> None:
    opened(store, definition())
    with app.app_context(), pytest.raises(UnanswerableQuestion, match="needs two questions"):
        ANALYSES["groups"].result(store.surveys.by_slug("health"), MultiDict({"group": "smokes"}))


def test_a_label_is_no_markup_in_a_file(
    app: Flask, health: StoredSurvey, researcher: Researcher
) -> None:
    address = "/admin/surveys/health/analysis/groups.svg?measure=smokes:0&group=year&against=pairs"
    text = researcher.client.get(address).get_data(as_text=True)
    assert "&lt;b&gt;habits" in text
    assert "<b>" not in text


@check_each("name", ANALYSES)
def test_an_analysis_without_choices_or_name_has_no_file(
    health: StoredSurvey, researcher: Researcher, name: str
) -> None:
    for address in (f"{name}.csv", "magic.csv?rows=smokes", f"{name}.pdf?rows=smokes"):
        reply = researcher.client.get(f"/admin/surveys/health/analysis/{address}")
        assert reply.status_code == 404
