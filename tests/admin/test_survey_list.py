"""The list of surveys: search, states, order, pages, dates, creators."""

import re
import time
from datetime import date

import pytest

from survey.admin.surveys.survey_list import MIN_SEARCHED, SURVEYS_PER_PAGE
from survey.definition.frozen import freeze
from survey.definition.survey import parse_survey
from survey.store import ANALYST, MEMBER
from survey.web.demo import add_demo
from tests.support.check_each import check_each
from tests.support.definitions import definition
from tests.support.researchers import signed_in

FORM = '<form method="get" class="inline" role="search"'


def save(store, slug, title="Health", creator="ada", created=None, opened=None, closed=False):
    survey = parse_survey(definition(slug=slug, title=title))
    store.surveys.save_draft(survey, creator=creator, created=created)
    if opened:
        store.surveys.freeze(freeze(survey), "closed" if closed else "open", opened)


@pytest.fixture
def filled(store):
    """Twelve surveys, the last ones first: three by bob, four open."""
    for n in range(12):
        save(
            store, f"survey-{n:02}", f"Title {chr(ord('L') - n)}",
            creator="bob" if n % 4 == 0 else "ada", created=date(2026, 1, 1 + n),
            opened=date(2026, 3, 20 - n) if n % 3 == 0 else None,
        )  # fmt: skip


def listed(researcher, query=""):
    """The slugs on the list, from above."""
    page = researcher.client.get(f"/admin/{query}").get_data(as_text=True)
    return re.findall(r'<a href="/admin/surveys/([\w-]+)">Title', page)


def numbers(researcher, query):
    return [int(slug.removeprefix("survey-")) for slug in listed(researcher, query)]


def test_a_short_list_has_no_search(store, researcher):
    for n in range(MIN_SEARCHED - 1):
        save(store, f"survey-{n}")
    assert FORM not in researcher.client.get("/admin/").get_data(as_text=True)
    save(store, "another")
    assert FORM in researcher.client.get("/admin/").get_data(as_text=True)


@pytest.mark.usefixtures("filled")
@check_each(
    ("query", "found"),
    [
        ("", [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        ("?q=title++survey-00", [0]),
        ("?q=SURVEY-07", [7]),
        ("?q=bob", [8, 4, 0]),
        ("?q=bob+survey-0", [8, 4, 0]),
        ("?q=bob+title+h", [4]),
        ("?q=%EF%BC%A2ob", [8, 4, 0]),  # with a wide B
        ("?q=+++", [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        ("?state=open", [9, 6, 3, 0]),
        ("?state=open&q=bob", [0]),
        ("?state=draft&q=bob", [8, 4]),
        ("?state=closed", []),
        ("?state=none", [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        ("?order=title&q=bob", [8, 4, 0]),
        ("?order=title&state=open", [9, 6, 3, 0]),
        ("?order=opened&state=open", [0, 3, 6, 9]),
        ("?order=none&q=bob", [8, 4, 0]),
    ],
)
def test_search_states_and_orders(researcher, query, found):
    assert numbers(researcher, query) == found


@pytest.mark.usefixtures("filled")
def test_the_form_keeps_what_was_asked_and_says_how_many_match(researcher):
    page = researcher.client.get("/admin/?q=bob&state=draft&order=title").get_data(as_text=True)
    assert "2 of 12 surveys match." in page
    assert 'id="q" name="q" value="bob"' in page
    assert '<option value="draft" selected>draft</option>' in page
    assert '<option value="title" selected>title</option>' in page
    assert '<a href="/admin/">Show all</a>' in page
    one = researcher.client.get("/admin/?q=survey-07").get_data(as_text=True)
    assert "1 of 12 surveys matches." in one
    none = researcher.client.get("/admin/?q=%3Cb%3E").get_data(as_text=True)
    assert "No survey matches." in none
    assert "There are no surveys yet" not in none
    assert 'value="&lt;b&gt;"' in none


def test_dates_and_creators_are_on_the_list(store, researcher):
    save(store, "one", created=date(2026, 3, 9), opened=date(2026, 3, 10))
    save(store, "two", creator=None)
    page = researcher.client.get("/admin/").get_data(as_text=True)
    rows = dict(re.findall(r'<span class="hint">(one|two)</span></th>(.*?)</tr>', page, re.S))
    assert "opened 10 Mar 2026" in rows["one"]
    assert "9 Mar 2026" in rows["one"]
    assert "by ada" in rows["one"]
    assert "by " not in rows["two"]
    assert "–" in rows["two"]


def test_a_page_has_fifty_surveys_and_keeps_the_search(store, researcher):
    for n in range(2 * SURVEYS_PER_PAGE + 1):
        save(store, f"survey-{n:03}", "Title")
    assert len(listed(researcher)) == SURVEYS_PER_PAGE
    assert listed(researcher, "?page=3") == ["survey-000"]
    # A page that does not exist is the last or the first one.
    assert listed(researcher, "?page=99") == ["survey-000"]
    assert listed(researcher, "?page=-1") == listed(researcher, "?page=x") == listed(researcher)
    page = researcher.client.get("/admin/?q=title&page=2").get_data(as_text=True)
    assert "Page 2 of 3" in page
    assert 'href="/admin/?page=1&amp;q=title" rel="prev"' in page
    assert 'href="/admin/?page=3&amp;q=title" rel="next"' in page


def test_archived_surveys_are_searched_apart(store, researcher):
    for n in range(MIN_SEARCHED):
        save(store, f"survey-{n}", "Title", opened=date(2026, 1, 1), closed=True)
        store.lifecycle.set_archived(f"survey-{n}", True)
    save(store, "current", "Title")
    assert listed(researcher, "?q=title") == ["current"]
    assert len(listed(researcher, "?show=archived&q=title")) == MIN_SEARCHED
    page = researcher.client.get("/admin/?show=archived").get_data(as_text=True)
    assert '<input type="hidden" name="show" value="archived">' in page


def test_a_member_without_a_survey_reads_whom_to_ask(app, store):
    save(store, "survey-1")
    page = signed_in(app, "bob", MEMBER).client.get("/admin/").get_data(as_text=True)
    assert "You have no role in a survey yet. Ask an owner of this server for a role." in page
    assert "Get started" not in page
    store.accounts.set_survey_role("bob", "survey-1", ANALYST)
    page = signed_in(app, "eve", MEMBER).client.get("/admin/").get_data(as_text=True)
    assert "survey-1" not in page


@pytest.mark.slow
def test_a_list_of_500_surveys_takes_less_than_a_second(store, researcher):
    """A page takes 0.05 s. A query for each survey would take longer.

    The test measures the processor time, which hardly depends on the load of the machine.
    """
    for n in range(500):
        save(store, f"survey-{n:03}", "Title", opened=date(2026, 1, 1) if n % 2 else None)
    researcher.client.get("/admin/")
    began = time.process_time()
    assert len(listed(researcher, "?q=title")) == SURVEYS_PER_PAGE
    assert time.process_time() - began < 1


def test_who_has_only_the_examples_is_told_where_to_begin(app, store, researcher):
    def texts(someone):
        page = someone.client.get("/admin/").get_data(as_text=True)
        return page, re.findall(r'<a href="([^"]+)">[\w ]+</a>', page)

    page, links = texts(researcher)
    assert "Get started" in page
    assert "/admin/surveys/new" in links
    assert "/s/smoking-and-exams" not in links  # there is no demo
    add_demo(store)
    page, links = texts(researcher)
    assert page.count('<span class="tag">example</span>') == 11
    for address in links:
        assert researcher.client.get(address).status_code == 200, address
    assert {"/s/smoking-and-exams", "/admin/people/add"} < set(links)
    page, links = texts(signed_in(app, "bob", ANALYST))
    assert "/admin/surveys/smoking-and-exams-simulated/results" in links
    assert "/admin/people/add" not in links
    example = researcher.client.get("/admin/surveys/smoking-and-exams").get_data(as_text=True)
    assert '<dd>open <span class="tag">example</span></dd>' in example
    store.surveys.save_draft(parse_survey(definition(title="Smoking and exams")))
    page = researcher.client.get("/admin/").get_data(as_text=True)
    assert "Get started" not in page
    assert page.count('<span class="tag">example</span>') == 11  # the researcher's own has none
