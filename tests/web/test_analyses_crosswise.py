"""The page of crosswise questions: anchors, groups, files and refusals."""

import html
import re
import zipfile
from pathlib import Path

import pytest
from flask import Flask

from survey.core.csv_cells import original_text
from survey.store import ANALYST, MEMBER, Store
from survey.store.sql.saved_analyses import SavedAnalysis
from tests.support.definitions import definition, yes_no
from tests.support.indirect import (
    ANCHOR,
    CHECK,
    VERSION,
    crosswise,
    store_crosswise,
    store_list,
    store_rows,
)
from tests.support.researchers import Researcher, signed_in_with
from tests.web.indirect_surveys import CONTROL, COPYING, PAGES, rows_of


@pytest.mark.usefixtures("stored")
def test_the_citation_states_the_privacy_loss_of_a_crosswise_question(researcher) -> None:
    page = html.unescape(researcher.client.get(f"{COPYING}?asked=copied").text)
    page = page.replace("\N{NO-BREAK SPACE}", " ")
    assert "The total privacy loss of one respondent is at most ε = " in page


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(("path", "query"), PAGES)
def test_the_page_and_its_files_say_the_same(researcher, path, query) -> None:
    page = html.unescape(researcher.client.get(f"{path}?{query}").text)
    content = researcher.client.get(f"{path}.json?{query}").get_json()
    assert content["sentence"] in page.replace("\N{NO-BREAK SPACE}", " ")
    assert page.count("<svg") >= 2
    in_file = set()
    for row in rows_of(researcher, path, query):
        for name in ("estimate", "standard_error", "low", "high"):
            if row[name]:
                in_file.add(float(original_text(row[name])))
    shown = {float(each) for each in re.findall(r'<data value="([^"]+)"', page)}
    assert shown
    assert shown <= in_file
    svg = researcher.client.get(f"{path}.svg?{query}")
    assert svg.status_code == 200
    assert svg.mimetype == "image/svg+xml"


@pytest.mark.usefixtures("stored")
def test_the_anchor_of_the_survey_is_chosen(researcher: Researcher) -> None:
    page = researcher.client.get(COPYING).text
    chosen = page.partition('name="anchor"')[2].partition("</select>")[0]
    assert re.search(r'<option selected value="flown">', chosen)
    content = researcher.client.get(f"{COPYING}.json?asked=copied").get_json()
    assert content["everyone"]["corrected"]["estimate"] == pytest.approx(0.1054, abs=5e-5)
    without = researcher.client.get(f"{COPYING}.json?asked=copied&anchor=").get_json()
    assert without["everyone"]["corrected"] is None
    assert "This assumes that nobody answered at random." in without["sentence"]


@pytest.mark.usefixtures("stored")
def test_those_who_passed_the_check_have_a_row(researcher: Researcher) -> None:
    page = researcher.client.get(f"{COPYING}?asked=copied&check=check:0").text
    assert "Passed the attention check" in page
    content = researcher.client.get(f"{COPYING}.json?asked=copied&check=check:0").get_json()
    assert 0 < content["passed"]["n"] < content["everyone"]["n"]


@pytest.mark.usefixtures("stored")
def test_the_results_page_has_the_corrected_share(researcher: Researcher) -> None:
    page = html.unescape(researcher.client.get("/admin/surveys/copying/results").text)
    page = page.replace("\N{NO-BREAK SPACE}", " ")
    assert "is true for an estimated 10.5 %" in page
    assert (
        "The first statement is true for an estimated 19.5 % (16.7 % to 22.4 %) of people like"
        in page
    )
    assert "Anchor question: an estimated 77.3 % (71.9 % to 82.5 %) of people like these" in page
    assert f'href="{COPYING}"' in page


def test_two_groups_on_paper_have_a_test(store: Store, researcher: Researcher) -> None:
    rows = [(int(n >= 568), 0) for n in range(1000)] + [(int(n >= 232), 1) for n in range(1000)]
    store_rows(store, definition(yes_no("same", "none"), VERSION, slug="copying"), rows)
    query = "asked=same&known=0.15&groups=by:version"
    content = researcher.client.get(f"{COPYING}.json?{query}").get_json()
    assert content["instructions"]["p"] < 1e-5
    assert "The results of the two groups contradict each other" in content["sentence"]
    page = researcher.client.get(f"{COPYING}?{query}").text
    assert "In the first group, 568 of 1,000 people said" in page
    assert "first group: “C”" in page
    assert "Do not use these estimates." in page
    assert "is true for" not in content["sentence"]
    refused = researcher.client.get(f"{COPYING}?asked=same").text
    assert "known share of the second statement" in refused
    wrong = researcher.client.get(f"{COPYING}?asked=same&known=often").text
    assert "Type a number such as 0.15 or 1/6." in wrong


@pytest.mark.usefixtures("stored")
def test_only_surveys_within_reach_are_offered(app: Flask) -> None:
    eve = signed_in_with(app, "eve", MEMBER, control=ANALYST)
    assert "treated" not in eve.client.get(CONTROL).text
    assert eve.client.get(f"{CONTROL}.csv?{PAGES[4][1]}").status_code == 404


def test_surveys_without_such_questions_say_so(store: Store, researcher: Researcher) -> None:
    store_rows(store, definition(yes_no(), slug="copying"), [(0,)])
    assert "This survey has neither." in researcher.client.get(COPYING).text
    page = researcher.client.get(COPYING.replace("crosswise", "list")).text
    assert "needs a non-private question for the number of true statements" in page


def test_too_few_answers_are_refused_and_not_on_the_results_page(store, researcher) -> None:
    store_rows(store, definition(crosswise(), ANCHOR, CHECK, slug="copying"), [(0, 0, 0)] * 4)
    assert "too few responses (4)" in researcher.client.get(f"{COPYING}?asked=copied").text
    results = researcher.client.get("/admin/surveys/copying/results")
    assert results.status_code == 200
    assert "corrected for" not in results.text


def test_the_zip_has_saved_analyses(app: Flask, store: Store, tmp_path: Path) -> None:
    store_list(store)
    saved = SavedAnalysis(survey="items", name="The share", analysis="list", query=PAGES[3][1])
    store.saved_analyses.save(saved)
    file = tmp_path / "items.zip"
    arguments = ["responses", "export-bundle", "items", "--output", str(file)]
    reply = app.test_cli_runner().invoke(args=arguments)
    assert reply.exit_code == 0, reply.output
    with zipfile.ZipFile(file) as archive:
        assert any("analysis-1" in name and name.endswith(".csv") for name in archive.namelist())


def test_a_share_of_reports_that_do_not_fit_is_not_corrected(researcher, store) -> None:
    """All answers to the question are "exactly one", which 85 % of people at most can say."""
    corrected = "corrected for random answers"
    store_crosswise(store)
    assert corrected in researcher.client.get("/admin/surveys/copying/results").text
    rows = [(1, n % 10 == 0, 0) for n in range(500)]
    store_rows(store, definition(crosswise(), ANCHOR, CHECK, slug="impossible"), rows)
    page = researcher.client.get("/admin/surveys/impossible/results").text
    assert "do not fit the stated design" in page
    assert corrected not in page
    analysis = "/admin/surveys/impossible/analysis/crosswise?asked=copied"
    assert 'class="notice warn" id="finding"' in researcher.client.get(analysis).text
