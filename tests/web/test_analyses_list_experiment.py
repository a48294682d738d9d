"""The page of list experiments: its warnings, and direct questions with them."""

import html
import re

import pytest

from survey.store import Store
from tests.support.definitions import definition, yes_no
from tests.support.indirect import CHECK, COUNT, VERSION, store_direct, store_rows
from tests.support.researchers import Researcher
from tests.web.indirect_surveys import CONTROL, ITEMS, PAGES, WAYS, rows_of


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
