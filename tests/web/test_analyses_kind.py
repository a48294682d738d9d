"""An analysis is described once: a module and a line give it everything, and one verdict."""

import csv
import html
import io
import json

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from survey.definition.responses.parse_response import Response
from survey.estimation.findings.remarks import MISFIT
from survey.store import Store
from survey.store.sql.saved_analyses import SavedAnalysis
from survey.web import api_tokens
from survey.web.analyses.kinds import ANALYSES
from survey.web.exports.saved_files import saved_files
from tests.support.check_each import check_each
from tests.support.definitions import definition, opened, yes_no
from tests.support.researchers import Researcher
from tests.support.toy_analysis import TWINS

QUERY = "one=left&other=right"
MISFIT_QUERIES = {
    "crosstab": "rows=left&columns=plain",
    "groups": "measure=left:0&group=plain",
    "change": "measure=left:0&surveys=again",
    "correlation": "questions=left:0&questions=plain:0",
    "regression": "outcome=plain&predictors=left",
    "tree": "target=left&predictors=plain",
    "validity": "asked=left:0&denied=10&false=0&random=0",
}


def twins(store: Store, reports, **more) -> None:
    """A survey with two randomised questions and a plain one, and these reports."""
    content = definition(
        yes_no("left", label="Left?"), yes_no("right", label="Right?"), yes_no("plain", "none")
    )
    opened(store, content | more)
    slug = more.get("slug", "health")
    rows = [(slug, Response(n.to_bytes(16), row)) for n, row in enumerate(reports)]
    assert all(store.responses.add_all(rows))


def test_one_module_and_one_line_give_an_analysis_everything(
    app: Flask, store: Store, researcher: Researcher, monkeypatch
) -> None:
    twins(store, [(n % 2, n % 3 % 2, n % 2) for n in range(60)])
    monkeypatch.setitem(ANALYSES, "twins", TWINS)
    site = "/admin/surveys/health/analysis"
    page = researcher.client.get(f"{site}/twins?{QUERY}").text
    for text in ("This analysis compares twins.", "First twin", "The twin that was born first.",
                 "The twins agree in 60 responses.", "Twins are rare.", "<svg",
                 "Help: Twins", 'href="/help/explanation/analyses"'):  # fmt: skip
        assert text in page.replace("\u00a0", " "), text
    assert f'href="{site}/twins"' in researcher.client.get(site).text
    content = json.loads(researcher.client.get(f"{site}/twins.json?{QUERY}").text)
    assert content["sentence"] == "The twins agree in 60 responses."
    assert content["remarks"] == [
        {"code": "few_responses", "severity": "caution", "sentence": "Twins are rare."}
    ]
    rows = list(
        csv.DictReader(io.StringIO(researcher.client.get(f"{site}/twins.csv?{QUERY}").text))
    )
    assert float(rows[0]["estimate"]) == content["agree"]
    assert {row["remark_codes"] for row in rows} == {"few_responses"}
    with app.app_context():
        token = api_tokens.make_token("ada", "script", 90)
    for kind in ("csv", "json", "svg"):
        file = researcher.client.get(f"{site}/twins.{kind}?{QUERY}").text
        address = f"/api/v1/surveys/health/analyses/twins.{kind}?{QUERY}"
        headers = {"Authorization": f"Bearer {token}"}
        assert app.test_client().get(address, headers=headers).text == file
        printed = app.test_cli_runner().invoke(
            args=["analyse", "twins", "health", "--one", "left", "--other", "right", f"--{kind}"]
        )
        assert printed.output.splitlines() == file.splitlines()
    command = app.test_cli_runner().invoke(
        args=["analyse", "twins", "health", "--one", "left", "--other", "right"]
    )
    assert "The twins agree in 60 responses." in command.output
    assert "Twins are rare." in command.output
    assert "The twin that was born first." in app.test_cli_runner().invoke(
        args=["analyse", "twins", "--help"]
    ).output.replace("\n", " ").replace("  ", " ")
    assert "twins" in app.test_cli_runner().invoke(args=["analyse", "--help"]).output
    store.saved_analyses.save(
        SavedAnalysis(survey="health", name="Mine", analysis="twins", query=QUERY)
    )
    with app.app_context():
        names = [file.name for file in saved_files(store.surveys.by_slug("health"))]
    assert names == ["analysis-1.csv", "analysis-1.json", "analysis-1.svg"]


@pytest.fixture
def impossible(store: Store) -> None:
    """Nobody reports No, but a quarter of all reports must be No; another survey has no fault."""
    twins(store, [(0, n % 2, n % 2) for n in range(200)])
    twins(store, [(n % 2, n % 2, n % 2) for n in range(200)], slug="again")


@pytest.mark.usefixtures("impossible")
@check_each("name", MISFIT_QUERIES)
def test_reports_that_do_not_fit_their_design_replace_the_finding(
    researcher: Researcher, name: str
) -> None:
    query = MISFIT_QUERIES[name]
    path = "" if name == "crosstab" else f"/{name}"
    page = researcher.client.get(f"/admin/surveys/health/analysis{path}?{query}").text
    page = html.unescape(page).replace("\u00a0", " ")
    part = page.partition('id="finding"')
    said = "Random error does not explain the reports on “Left?” (p < 0.0001)."
    assert said in page
    if not part[1]:  # Some analyses refuse such reports. Then the refusal says why.
        return
    assert part[0].endswith('class="notice warn" ')
    address = f"/admin/surveys/health/analysis/{name}.json?{query}"
    content = json.loads(researcher.client.get(address).text)
    assert content["do_not_use"] is True
    assert content["remarks"][0]["code"] == MISFIT
    assert content["sentence"] == content["remarks"][0]["sentence"]


def test_reports_on_another_survey_that_do_not_fit_are_named(app: Flask, store: Store) -> None:
    twins(store, [(n % 2, n % 2, n % 2) for n in range(200)])
    twins(store, [(0, n % 2, n % 2) for n in range(200)], slug="again")
    with app.app_context():
        found = store.surveys.by_slug("health")
        query = MultiDict({"measure": "left:0", "surveys": "again"})
        result = ANALYSES["change"].result(found, query)
        assert [remark.code for remark in result.verdict] == [MISFIT]
        fine = ANALYSES["groups"].result(found, MultiDict({"measure": "left:0", "group": "plain"}))
    assert not fine.verdict
    assert not fine.unusable


def test_an_address_without_parameters_has_no_result(app: Flask, store: Store) -> None:
    twins(store, [(n % 2, n % 2, n % 2) for n in range(20)])
    with app.app_context(), pytest.raises(Exception, match="has no parameters"):
        ANALYSES["crosstab"].result(store.surveys.by_slug("health"), MultiDict())
