"""The pages of crosswise questions and list experiments: forms, results, files, refusals."""

import csv
import html
import io
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
    COUNT,
    VERSION,
    crosswise,
    store_crosswise,
    store_direct,
    store_list,
    store_rows,
    store_two_lists,
)
from tests.support.researchers import Researcher, signed_in_with
from tests.support.three_ways import store_ways

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


@pytest.fixture
def stored(store: Store) -> None:
    store_crosswise(store)
    store_list(store)
    store_two_lists(store)
    store_ways(store)


def rows_of(researcher: Researcher, path: str, query: str) -> list[dict[str, str]]:
    reply = researcher.client.get(f"{path}.csv?{query}")
    assert reply.status_code == 200, reply.text
    return list(csv.DictReader(io.StringIO(reply.text)))


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
def test_the_list_page_warns_of_hidden_and_revealed_answers(researcher: Researcher) -> None:
    page = researcher.client.get(f"{ITEMS}?{PAGES[3][1]}").text
    text = html.unescape(re.sub("<[^>]+>", "", page)).replace("\N{NO-BREAK SPACE}", " ")
    assert "A list experiment is not differentially private." in text
    assert "the answers 0 (9 respondents) and 4 (139) reveal" in text
    assert (
        "According to the most likely shares, the sensitive statement is true for 49.9 %." in text
    )
    wrong = researcher.client.get(f"{ITEMS}?count=count&treatment=by:version:0").text
    assert "exchange the groups" in wrong


@pytest.mark.parametrize(
    ("slug", "query"),
    [
        ("lists", "count=count&treatment=by:version:1"),
        ("lists", "count=shorter&treatment=question:longer:"),
        ("short", "count=count&treatment=survey:long:count"),
    ],
)
def test_a_direct_question_is_combined_with_each_form_of_a_list(store, researcher, slug, query):
    """The share is that of the tests of the R package list."""
    store_direct(store)
    path = f"/admin/surveys/{slug}/analysis/list"
    content = researcher.client.get(f"{path}.json?{query}&direct=direct").get_json()
    assert content["direct"]["n"] == 500
    assert content["direct"]["share"]["estimate"] == pytest.approx(0.66561842, abs=5e-9)
    assert content["direct"]["list_among_yes"]["estimate"] == pytest.approx(1.053962, abs=5e-7)
    assert content["share"]["estimate"] == pytest.approx(0.74774, abs=5e-6)
    page = html.unescape(researcher.client.get(f"{path}?{query}&direct=direct").text)
    page = page.replace("\N{NO-BREAK SPACE}", " ")
    assert "is true for an estimated 66.6 % (57.0 % to 76.1 %) of people" in page
    assert "the difference of the means should be 1" in page
    without = researcher.client.get(f"{path}.json?{query}").get_json()
    assert "direct" not in without
    rows = rows_of(researcher, path, f"{query}&direct=direct")
    assert "share, from the list and the direct question" in {row["figure"] for row in rows}


def test_a_direct_question_must_be_in_both_surveys(store, researcher) -> None:
    store_direct(store)
    rows = [(count, 0) for count in (1, 2, 3, 4, 5) for _ in range(10)]
    longer = COUNT | {"max": 5}
    for slug, question in (
        ("private", yes_no("direct", label="Do you?")),
        ("absent", yes_no("other", "none")),
    ):
        store_rows(store, definition(longer, question, slug=slug), rows)
    path = "/admin/surveys/short/analysis/list"
    for slug, fault in (
        ("private", "“Do you?” is not a non-private yes/no question."),
        ("absent", "There is no question 'direct' to analyse."),
    ):
        query = f"count=count&treatment=survey:{slug}:count&direct=direct"
        assert fault in html.unescape(researcher.client.get(f"{path}?{query}").text)


@pytest.mark.usefixtures("stored")
def test_two_surveys_are_cited(store: Store, researcher: Researcher) -> None:
    page = researcher.client.get(f"{CONTROL}?{PAGES[4][1]}").text
    cited = page.partition("<blockquote>")[2].partition("</blockquote>")[0]
    for slug in ("control", "treated"):
        assert store.surveys.by_slug(slug).frozen.fingerprint in cited


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
    saved = SavedAnalysis("items", "The share", "list", PAGES[3][1])
    store.saved_analyses.save(saved)
    file = tmp_path / "items.zip"
    arguments = ["responses", "export-bundle", "items", "--output", str(file)]
    reply = app.test_cli_runner().invoke(args=arguments)
    assert reply.exit_code == 0, reply.output
    with zipfile.ZipFile(file) as archive:
        assert any("analysis-1" in name and name.endswith(".csv") for name in archive.namelist())


def test_a_count_that_is_no_number_is_refused(store: Store, researcher: Researcher) -> None:
    store_rows(store, definition(COUNT, VERSION, CHECK, slug="items"), [(1, 1, 1)] * 20)
    refused = researcher.client.get(f"{ITEMS}?count=check&treatment=by:version:1").text
    assert "are not whole numbers from 0" in refused
    page = researcher.client.get(f"{ITEMS}?count=count&treatment=by:version:1&items=12").text
    assert "Type a number between 1 and 10." in page


@pytest.mark.usefixtures("stored")
def test_three_ways_of_asking_are_in_one_table(researcher) -> None:
    """The form of such a survey chooses both lists and the question. The arm is no count."""
    form = html.unescape(researcher.client.get(WAYS).text)
    assert re.search(r'<option selected value="list">', form)
    assert re.search(r'<option selected value="question:list_with:">', form)
    assert re.search(r'<option selected value="smokes\+smokes_direct">', form)
    assert not re.search(r'<option[^>]*value="arm">', form)
    query = "count=list&treatment=question:list_with:"
    page = researcher.client.get(f"{WAYS}?{query}&ways=smokes%2Bsmokes_direct").text
    table = page.partition('id="ways"')[2].partition("</table>")[0]
    names = re.findall(r'<th scope="row">([^<]+)</th>', table)
    assert names == [
        "Direct question (smokes_direct)", "Randomised question (smokes)", "List experiment",
    ]  # fmt: skip
    content = researcher.client.get(f"{WAYS}.json?{query}&ways=smokes%2Bsmokes_direct").get_json()
    figures = [float(value) for value in re.findall(r'<data value="([^"]+)"', table)]
    first = content["ways"]["ways"][0]["share"]
    assert figures[:3] == [first["estimate"], first["low"], first["high"]]
    assert "Ways of asking" not in researcher.client.get(f"{WAYS}?{query}").text
    rows = rows_of(researcher, WAYS, f"{query}&ways=smokes%2Bsmokes_direct")
    assert [row["first"] for row in rows if row["figure"] == "difference"] == names[1:]


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
