"""The page of design files, and the commands that take one."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from flask import Flask

from survey.analysis import SurveyDesign, columns_by_name
from survey.analysis.columns.column_request import OF_FILE, DesignNames, columns_and_design
from survey.analysis.columns.design_file import read_design_file
from survey.analysis.design_estimates import design_estimates
from survey.analysis.groups.groups import compare
from survey.analysis.tables.crosstabs import crosstab
from survey.core.errors import StateError
from survey.definition.responses.parse_response import Response
from survey.definition.survey import parse_survey
from survey.store import ANALYST, Store
from tests.support.analysis_pages import cells, options, shown
from tests.support.definitions import definition, opened, yes_no
from tests.support.design_files import FILE, written
from tests.support.every_type import asked, letters
from tests.support.habits import SURVEY, loaded, rows
from tests.support.researchers import Researcher, signed_in


@pytest.fixture
def run(app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs a command on a survey whose responses come from a file."""
    monkeypatch.chdir(tmp_path)
    return loaded(app, tmp_path)


def test_a_file_gives_the_figures_of_the_same_weights_in_a_question():
    """The weights of a question, compared with a file that contains the same ones."""
    # The number follows the region.
    twice = [(*row[:3], row[3], row[3], *row[5:]) for row in rows()]
    file = read_design_file(
        written("region,weight,stratum,cluster\nn,1,0,0\ns,2,1,1\nw,3,2,2\n"), SURVEY
    )
    wanted = ["drinks", "smokes"]
    of_file = columns_and_design(SURVEY, twice, wanted, DesignNames(OF_FILE, OF_FILE), file)
    of_questions = columns_and_design(SURVEY, twice, wanted, DesignNames("weight", "region"))
    one, other = crosstab(*of_file), crosstab(*of_questions)
    assert one.covariance.tolist() == other.covariance.tolist()
    assert [cell.value for cell in one.cells] == [cell.value for cell in other.cells]


# --- commands
def test_every_command_takes_a_file(run, tmp_path):
    (tmp_path / "design.csv").write_text(FILE)
    columns, design = columns_and_design(
        SURVEY, rows(), ["drinks", "smokes"], DesignNames(OF_FILE, OF_FILE, OF_FILE),
        read_design_file(written(FILE), SURVEY),
    )  # fmt: skip
    arguments = ["--design", "design.csv"]
    crosstab_of = ("analyse", "crosstab", "habits", "--rows", "drinks", "--columns", "smokes")
    refusal = run(*crosstab_of, *arguments, code=1)
    assert "Stratum “north” has a single cluster" in refusal
    (tmp_path / "design.csv").write_text("region,weight,stratum\nn,1,a\ns,2,b\n*,0,rest\n")
    found = json.loads(run(*crosstab_of, *arguments, "--json"))
    assert found["left_out"] == sum(row[3] == 2 for row in rows())
    strata = [row[3] for row in rows()]
    weights = [(1.0, 2.0, 0.0)[region] for region in strata]
    table = crosstab(columns, SurveyDesign(weights=weights, strata=strata))
    assert found["covariance"][0] == pytest.approx(table.covariance[0].tolist(), abs=1e-12)
    groups = ["analyse", "groups", "habits", "--measure", "smokes:no", "--group", "drinks"]
    assert "interval" in run(*groups, *arguments)
    for line, words in (
        (
            "correlation habits --questions mood --questions drinks:yes",
            "The estimated correlation of",
        ),
        ("regression habits --outcome drinks --predictors weight", "sandwich"),
        ("tree habits --target drinks --predictors mood", "Split"),
        ("validity habits --asked drinks:yes", "Based on "),
    ):
        assert words in run("analyse", *line.split(), *arguments)
    both = run(*groups, *arguments, "--strata", "region", code=1)
    assert "The design file has a column stratum, and you also chose region." in both
    assert design.given


# --- the page
REGION = asked("region", "select_one", "none", choices=letters("ns"))
ADDRESS = "/admin/surveys/health/analysis/design"


@pytest.fixture
def health(store: Store) -> Store:
    opened(store, definition(REGION, yes_no()))
    for number in range(60):
        store.responses.add_response(
            "health", Response(number.to_bytes(16), (number % 3 // 2, number % 2))
        )
    return store


def upload(researcher: Researcher, content: bytes):
    data = {"file": (io.BytesIO(content), "design.csv"), "csrf_token": researcher.token(ADDRESS)}
    return researcher.client.post(ADDRESS, data=data, content_type="multipart/form-data")


def test_population_sizes_shrink_sampling_error_on_the_pages_that_offer_them(
    researcher: Researcher, health: Store
):
    assert options(shown(researcher), "populations") == []
    assert upload(researcher, b"region,population\nn,80\ns,80\n").status_code == 302
    query = {"measure": "smokes:0", "group": "region"}
    without = shown(researcher, "/groups", **query)
    assert options(without, "populations") == [OF_FILE]
    page = shown(researcher, "/groups", **query, populations=OF_FILE)
    assert "Population sizes by the design file: intervals and tests are about the people" in page
    survey, rows = health.surveys.by_slug("health").survey, health.responses.rows("health")
    columns = columns_by_name(survey, rows, ["smokes", "region"])
    both = [columns["smokes"], columns["region"]]
    corrected = compare(*both, SurveyDesign(populations=np.full(60, 80.0)))
    plain = compare(*both)
    for one, other in zip(corrected.groups, plain.groups, strict=True):
        assert one.figure.standard_error < other.figure.standard_error
    size = corrected.groups[0].size
    shown_size = [size.value, size.low, size.high]
    assert cells(page, "groups")[:3] == pytest.approx(shown_size, abs=1e-12)
    assert cells(without, "groups")[0] == pytest.approx(size.value, abs=1e-12)
    # Regressions have no correction, so they do not offer the column.
    named = {"outcome": "smokes", "target": "smokes", "predictors": "region"}
    for path in ("/regression", "/tree"):
        page = shown(researcher, path, **named, populations=OF_FILE)
        assert options(page, "populations") == []
        assert "Population sizes: This choice is not in the list" in page
    # The responses of each line are 40 and 20.
    assert upload(researcher, b"region,population,stratum\nn,30,a\ns,80,b\n").status_code == 302
    page = shown(researcher, "/groups", **query, populations=OF_FILE, strata=OF_FILE)
    assert "Stratum “a” has 40 responses but a population of 30." in page


def test_a_question_with_the_name_population_keeps_its_meaning():
    content = definition(
        yes_no(), asked("population", "select_one", "none", choices=letters("ab")), slug="towns"
    )
    survey = parse_survey(content)
    file = read_design_file(written("population,weight\na,2\nb,1\n"), survey)
    assert (file.keys, file.tells) == (("population",), ("weight",))


def test_the_command_reads_a_file_in_its_encoding(run: Callable[..., str], tmp_path: Path):
    (tmp_path / "d.csv").write_bytes("region,cluster\nn,ขอนแก่น\ns,ยะลา\nw,พะเยา\n".encode("cp874"))
    command = ["analyse", "groups", "habits", "--measure", "smokes:yes", "--group", "region"]
    command += ["--design", "d.csv"]
    refused = run(*command, code=1)
    assert "It may be: windows-874 (ขอนแก่น, ยะลา, พะเยา)" in refused
    assert "such as --encoding windows-874" in refused
    assert run(*command, "--encoding", "windows-874")


def test_the_command_uses_the_population_sizes_of_a_file(run: Callable[..., str]):
    Path("design.csv").write_text("region,population\nn,1000\ns,1000\nw,1000\n")
    arguments = ("analyse", "estimate", "habits", "--design", "design.csv")
    estimates = json.loads(run(*arguments, "--json"))["estimates"]
    corrected = {each["question"]: each["finite_population_correction"] for each in estimates}
    assert corrected["smokes"]
    # These boxes are one table.
    assert not corrected["drugs/a"]
    lines = run(*arguments).splitlines()
    assert any(line.endswith("; no finite population correction") for line in lines)
    (share, *_) = (each for each in estimates if each["question"] == "smokes")
    column = columns_by_name(SURVEY, rows(), ["smokes"])["smokes"]
    design = SurveyDesign(populations=np.full(len(rows()), 1000.0))
    found = next(iter(design_estimates([column], design))).figure
    assert share["figure"]["standard_error"] == pytest.approx(found.standard_error, rel=1e-12)
    for line in (
        "regression habits --outcome drinks --predictors weight",
        "tree habits --target drinks --predictors weight",
        "validity habits --asked drinks:yes",
    ):
        refused = run("analyse", *line.split(), *arguments[3:], code=1)
        assert "no finite population correction" in refused


def test_a_file_is_uploaded_offered_used_replaced_and_deleted(
    researcher: Researcher, health: Store
):
    assert options(shown(researcher), "weights") == []
    assert upload(researcher, b"region,weight\nn,1\ns,3\n").status_code == 302
    page = researcher.client.get(ADDRESS).get_data(as_text=True)
    assert re.findall(r"<span>(.*?)</span></td>", page) == ["n", "1", "40", "s", "3", "20"]
    assert options(shown(researcher), "weights") == [OF_FILE]
    assert "weight in the design file" in shown(researcher)
    query = {"measure": "smokes:0", "group": "region", "weights": OF_FILE}
    weighted = shown(researcher, "/groups", **query)
    assert "Weighted by the design file." in weighted
    survey, rows = health.surveys.by_slug("health").survey, health.responses.rows("health")
    columns = columns_by_name(survey, rows, ["smokes", "region"])
    weights = [1.0, 3.0]
    design = SurveyDesign(weights=[weights[code] for code in columns["region"].reports])
    by_core = compare(columns["smokes"], columns["region"], design)
    assert cells(weighted, "groups")[0] == pytest.approx(by_core.groups[0].size.value, abs=1e-12)
    assert by_core.groups[0].size.value == pytest.approx(40 / (40 + 3 * 20))
    for page in ("/regression", "/tree"):
        named = {"outcome": "smokes", "target": "smokes", "predictors": "region"}
        assert "Weighted by the design file." in shown(researcher, page, **named, weights=OF_FILE)
    assert upload(researcher, b"region,stratum\nn,1\ns,3\n").status_code == 302
    assert options(shown(researcher), "strata") == [OF_FILE, "region"]
    assert options(shown(researcher), "weights") == []
    researcher.post(f"{ADDRESS}/delete", form=ADDRESS)
    assert options(shown(researcher), "strata") == ["region"]
    assert "This choice is not in the list" in shown(researcher, "/groups", **query)
    assert [act.action for act in health.audit.acts(most=3)] == [
        "deleted the design file",
        "uploaded a design file with stratum",
        "uploaded a design file with weight",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "content, sentence",
    [
        (b"region,weight\nx,1\n", "Line 2, column region: &#39;x&#39; is not an answer to this"),
        (b"region,weight\nn,1\n", "20 of 60 responses match no line of the file"),
        (b"region,weight\n\xff,1\n", "The file is not UTF-8"),
        (b"", "Line 1 has no name of a non-private question"),
    ],
)
def test_a_file_with_a_fault_is_not_kept(researcher: Researcher, health: Store, content, sentence):
    assert upload(researcher, b"region,weight\nn,1\n*,2\n").status_code == 302
    reply = upload(researcher, content)
    assert reply.status_code == 422
    assert sentence in reply.get_data(as_text=True)
    assert "*,2" in (health.designs.content("health") or "")


def test_the_encoding_of_a_file_is_chosen_by_its_cells(researcher: Researcher, health: Store):
    lines = "region,cluster\nn,Đồng Tháp\ns,Cần Thơ\n".encode("cp1258", "replace")
    page = upload(researcher, lines).get_data(as_text=True)
    assert "Which cells are right?" in page
    assert '<button class="primary">Upload file</button>' in page
    assert health.designs.content("health") is None
    found = re.search(r'name="content" value="([^"]+)"', page)
    assert found is not None
    fields = {"content": found[1], "encoding": "windows-1252"}
    assert researcher.post(ADDRESS, fields, form=ADDRESS).status_code == 302
    assert health.designs.content("health") == lines.decode("cp1252")


def test_the_example_on_the_page_can_be_uploaded(researcher: Researcher, health: Store):
    page = researcher.client.get(ADDRESS).get_data(as_text=True)
    [example] = re.findall(r"<pre>(.+?)</pre>", page, re.DOTALL)
    assert example.startswith("region,weight\nn,1.2\n")
    assert upload(researcher, example.encode()).status_code == 302
    assert health.designs.content("health") == example


def test_responses_that_come_later_without_a_line_are_told(researcher: Researcher, store: Store):
    opened(store, definition(REGION, yes_no()))
    assert upload(researcher, b"region,weight\nn,1\n").status_code == 302
    for number in range(10):
        store.responses.add_response("health", Response(number.to_bytes(16), (number % 2, 0)))
    sentence = "5 of 10 responses match no line of the file: region = s (5)."
    assert sentence in researcher.client.get(ADDRESS).get_data(as_text=True)
    query = {"rows": "smokes", "columns": "region", "weights": OF_FILE}
    assert sentence in shown(researcher, **query)


def test_an_analyst_sees_the_file_and_changes_nothing(app, health: Store):
    health.designs.keep_design("health", "region,weight\nn,1\ns,2\n")
    analyst = signed_in(app, "bob", ANALYST)
    page = analyst.client.get(ADDRESS).get_data(as_text=True)
    assert re.findall(r"<span>(.*?)</span></td>", page) == ["n", "1", "40", "s", "2", "20"]
    assert "Delete file" not in page
    assert "Replace it" not in page


@pytest.mark.both_stores
def test_the_file_goes_with_the_survey_and_a_draft_has_none(store: Store):
    opened(store, definition(REGION, yes_no()), "closed")
    store.designs.keep_design("health", "region,weight\nn,1\ns,2\n")
    store.lifecycle.delete_survey("health")
    assert store.designs.content("health") is None
    store.surveys.save_draft(parse_survey(definition(REGION, yes_no())))
    with pytest.raises(StateError, match=r"is a draft\. Open it first"):
        store.designs.keep_design("health", "region,weight\nn,1\n")
